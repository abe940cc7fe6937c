//! One probe and one store of the transposition table: in the processor's cache, in main memory, and in main memory with the
//! cache line asked for ahead.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dts_engine::table::Table;

/// Operations a round.
const ROUND: u64 = 4096;

/// Keys without order, the same in every run (splitmix64).
fn key(number: u64) -> u64 {
    let mut x = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

fn table(criterion: &mut Criterion) {
    for mebibytes in [1, 256] {
        let table = Table::new(mebibytes).expect("memory for a small table");
        let entries = table.entries() as u64;
        for number in 0..entries / 2 {
            table.put(key(number), number, 1);
        }
        let mut group = criterion.benchmark_group(format!("table, {mebibytes} MiB"));
        group.throughput(Throughput::Elements(ROUND));
        group
            .sample_size(20)
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_secs(2));
        // Half of the keys that are looked for are there. Each key depends on the last answer: lookups wait for each other, as
        // those of a search do.
        let mut number = 0;
        group.bench_function("probe", |bencher| {
            bencher.iter(|| {
                for _ in 0..ROUND {
                    number = (number + 0x9e37_79b9) % entries;
                    number ^= table.get(black_box(key(number))).is_some() as u64;
                }
            });
        });
        group.bench_function("probe, prefetched", |bencher| {
            bencher.iter(|| {
                // Eight at a time, as a node's children.
                for _ in 0..ROUND / 8 {
                    let keys: [u64; 8] =
                        std::array::from_fn(|child| key((number + child as u64 * 0x9e37_79b9) % entries));
                    keys.iter().for_each(|&key| table.prefetch(key));
                    let hits = keys.iter().filter(|&&key| table.get(black_box(key)).is_some()).count();
                    number = (number + 1 + hits as u64) % entries;
                }
            });
        });
        group.bench_function("store", |bencher| {
            bencher.iter(|| {
                for _ in 0..ROUND {
                    number = (number + 0x9e37_79b9) % entries;
                    table.put(black_box(key(number)), number, 1);
                }
            });
        });
        group.finish();
    }
}

criterion_group!(benches, table);
criterion_main!(benches);
