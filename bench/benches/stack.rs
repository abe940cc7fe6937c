//! What the engine's stack costs a node: one processor, with and without the grain, against plain recursion over the same game.
//!
//! Wall-clock time, so for a quiet machine; `bench/stack.sh` counts instructions, which repeat.

mod plain;

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dts_engine::{Limits, Plan, Strategy, Window};

/// Moves from the root to the horizon.
const DEPTH: i32 = 11;

/// A grain that no node is below: everything goes over the engine's stack.
const NO_GRAIN: i32 = -1;

fn stack(criterion: &mut Criterion) {
    for (name, board) in plain::positions() {
        let game = plain::game(None);
        let mut search = plain::Plain { game: &game, nodes: 0 };
        let value = search.search(&board, DEPTH, Window::FULL);
        let nodes = search.nodes;

        let mut group = criterion.benchmark_group(format!("stack, {name}"));
        group.throughput(Throughput::Elements(nodes));
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_secs(2));
        group.bench_function("plain recursion", |bencher| {
            bencher.iter(|| search.search(black_box(&board), DEPTH, Window::FULL));
        });
        let engines = [
            ("sequential", Strategy::Sequential, None),
            ("dts", Strategy::Dts, None),
            ("sequential, no grain", Strategy::Sequential, Some(NO_GRAIN)),
            ("dts, no grain", Strategy::Dts, Some(NO_GRAIN)),
        ];
        for (how, strategy, grain) in engines {
            let mut engine = plain::engine(strategy, grain);
            let mut report = || engine.search(board, Plan::fixed(DEPTH), &Limits::new()).expect("a result");
            let once = report();
            assert_eq!(once.nodes, nodes, "{name}, {how}: the trees differ");
            let range = once.state.expect("a finished search knows its root").range;
            assert_eq!((range.lower, range.upper), (value, value), "{name}, {how}: the values differ");
            group.bench_function(how, |bencher| bencher.iter(&mut report));
        }
        group.finish();
    }
}

criterion_group!(benches, stack);
criterion_main!(benches);
