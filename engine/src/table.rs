//! The shared transposition table.
//!
//! A bucket is one cache line of four entries; an entry is two atomic words that are read and written without any
//! lock: `data`, and `check` = key xor data. A reader that meets two words of different writes finds a check that
//! does not fit its key, and sees nothing (R. Hyatt and T. Mann, "A lock-less transposition table implementation
//! for parallel search", ICGA Journal 25(1), 2002). So an answer is always one that was stored for this very key,
//! whatever the other processors do meanwhile.
//!
//! The data word: bits 0..50 are the game's payload, bits 50..58 the *worth* of what is stored (depth, stones,
//! cards: whatever grows with the work it saves), bits 58..64 the age, 1..=63, so that no stored word is zero.
//!
//! Replacement within a bucket: the entry of the same key; else an empty one; else the one that is worth least,
//! where an entry counts [`AGE_WEIGHT`] less for each search that has begun since it was written. The new entry
//! always gets in.

use std::fmt;

#[cfg(dts_loom)]
use loom::sync::atomic::{AtomicU64, Ordering::Relaxed};
#[cfg(not(dts_loom))]
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use std::sync::atomic::{AtomicU8, Ordering};

use crate::memory;

/// Bits of a payload.
pub const PAYLOAD_BITS: u32 = 50;
/// How much worth an entry loses for each search begun since it was written.
pub const AGE_WEIGHT: u32 = 16;

const PAYLOAD: u64 = (1 << PAYLOAD_BITS) - 1;
const AGES: u8 = 63;
const ENTRIES: usize = 4;

/// Why there is no table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A table of no size was asked for.
    #[error("a transposition table needs at least 1 MiB")]
    Empty,
    /// The machine does not have the memory.
    #[error("no memory for a transposition table of {wanted} MiB ({available} MiB are available)")]
    TooLarge {
        /// The size asked for.
        wanted: usize,
        /// What the machine says it could give.
        available: u64,
    },
    /// The allocator refused.
    #[error("the system refused memory for a transposition table of {wanted} MiB")]
    Refused {
        /// The size asked for.
        wanted: usize,
    },
}

/// The two words of an entry and the protocol between them.
struct Entry {
    check: AtomicU64,
    data: AtomicU64,
}

impl Entry {
    fn empty() -> Entry {
        Entry { check: AtomicU64::new(0), data: AtomicU64::new(0) }
    }

    /// The data stored for `key`, if that is what both words together say.
    #[inline(always)]
    fn read(&self, key: u64) -> Option<u64> {
        let (data, check) = (self.data.load(Relaxed), self.check.load(Relaxed));
        (check ^ data == key && data != 0).then_some(data)
    }

    #[inline(always)]
    fn write(&self, key: u64, data: u64) {
        self.check.store(key ^ data, Relaxed);
        self.data.store(data, Relaxed);
    }

    fn clear(&self) {
        self.check.store(0, Relaxed);
        self.data.store(0, Relaxed);
    }
}

#[repr(align(64))]
struct Bucket([Entry; ENTRIES]);

#[cfg(not(dts_loom))]
const _: () = assert!(size_of::<Bucket>() == 64 && align_of::<Bucket>() == 64);

/// A transposition table that all processors share.
pub struct Table {
    buckets: Vec<Bucket>,
    age: AtomicU8,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("mebibytes", &self.mebibytes()).finish_non_exhaustive()
    }
}

/// Everything but the payload, in place.
#[inline(always)]
fn marks(worth: u8, age: u8) -> u64 {
    u64::from(worth) << PAYLOAD_BITS | u64::from(age) << 58
}

impl Table {
    /// An empty table of `mebibytes` MiB (any number, not only powers of two).
    ///
    /// # Errors
    ///
    /// If the size is zero, or more than the machine has left. Linux promises memory that it does not have, so the
    /// memory that is available is asked for first.
    pub fn new(mebibytes: usize) -> Result<Table, TableError> {
        if mebibytes == 0 {
            return Err(TableError::Empty);
        }
        let too_large = |available| TableError::TooLarge { wanted: mebibytes, available };
        let bytes =
            mebibytes.checked_mul(1 << 20).ok_or(too_large(memory::available_bytes().unwrap_or(0) >> 20))?;
        if let Some(available) = memory::available_bytes()
            && bytes as u64 > available
        {
            return Err(too_large(available >> 20));
        }
        Table::with_buckets(bytes / 64).ok_or(TableError::Refused { wanted: mebibytes })
    }

    fn with_buckets(count: usize) -> Option<Table> {
        let mut buckets: Vec<Bucket> = Vec::new();
        buckets.try_reserve_exact(count).ok()?;
        memory::advise_large_pages(&mut buckets);
        buckets.resize_with(count, || Bucket(std::array::from_fn(|_| Entry::empty())));
        Some(Table { buckets, age: AtomicU8::new(1) })
    }

    /// The bucket of a key: its high bits decide, after a multiplication that brings all bits there.
    #[inline(always)]
    fn bucket(&self, key: u64) -> &Bucket {
        let mixed = (key ^ key >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let index = (u128::from(mixed) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// The payload last stored for `key`, if it is still there. Any `u64` is a key; keys need not be spread.
    #[inline]
    pub fn get(&self, key: u64) -> Option<u64> {
        self.bucket(key).0.iter().find_map(|entry| entry.read(key)).map(|data| data & PAYLOAD)
    }

    /// Stores the low [`PAYLOAD_BITS`] bits of `payload` for `key`.
    #[inline]
    pub fn put(&self, key: u64, payload: u64, worth: u8) {
        debug_assert!(payload <= PAYLOAD, "a payload has {PAYLOAD_BITS} bits");
        let age = self.age.load(Ordering::Relaxed);
        let bucket = &self.bucket(key).0;
        let mut victim = &bucket[0];
        let mut least = u32::MAX;
        for entry in bucket {
            let (data, check) = (entry.data.load(Relaxed), entry.check.load(Relaxed));
            if data == 0 || check ^ data == key {
                victim = entry;
                break;
            }
            let searches = (age + AGES - (data >> 58) as u8) % AGES;
            let lasting = (data >> PAYLOAD_BITS & 0xff) as u32 + AGE_WEIGHT * u32::from(AGES - searches);
            if lasting < least {
                (victim, least) = (entry, lasting);
            }
        }
        victim.write(key, payload & PAYLOAD | marks(worth, age));
    }

    /// Fetches what [`Table::get`] and [`Table::put`] of `key` will touch.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        memory::prefetch(self.bucket(key));
    }

    /// What is stored from now on is newer than what is there.
    pub fn new_search(&self) {
        let age = self.age.load(Ordering::Relaxed);
        self.age.store(age % AGES + 1, Ordering::Relaxed);
    }

    /// Forgets everything, with so many threads. The caller sees to it that nobody searches meanwhile.
    pub fn clear(&mut self, threads: usize) {
        let share = self.buckets.len().div_ceil(threads.max(1)).max(1);
        std::thread::scope(|scope| {
            for part in self.buckets.chunks(share) {
                scope.spawn(move || part.iter().flat_map(|bucket| &bucket.0).for_each(Entry::clear));
            }
        });
        self.age = AtomicU8::new(1);
    }

    /// How many of a thousand entries hold something written since the last [`Table::new_search`], from a sample.
    pub fn used_permille(&self) -> u32 {
        let age = self.age.load(Ordering::Relaxed);
        let sample = &self.buckets[..self.buckets.len().min(16_384)];
        let fresh = |entry: &&Entry| (entry.data.load(Relaxed) >> 58) as u8 == age;
        let used = sample.iter().flat_map(|bucket| &bucket.0).filter(fresh).count();
        (used * 1000 / (sample.len() * ENTRIES)) as u32
    }

    /// The size in MiB.
    pub fn mebibytes(&self) -> usize {
        self.buckets.len() / ((1 << 20) / 64)
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.buckets.len() * ENTRIES
    }
}

#[cfg(all(test, dts_loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// A reader never takes the data of one write for the key of another.
    #[test]
    fn loom_torn_read_is_rejected() {
        loom::model(|| {
            let entry = Arc::new(Entry::empty());
            let writers: Vec<_> = [(0b01, 0x1_0100), (0b10, 0x1_1000)]
                .into_iter()
                .map(|(key, data)| {
                    let entry = Arc::clone(&entry);
                    thread::spawn(move || entry.write(key, data))
                })
                .collect();
            assert!(matches!(entry.read(0b01), None | Some(0x1_0100)));
            for writer in writers {
                writer.join().unwrap();
            }
            assert!(matches!(entry.read(0b01), None | Some(0x1_0100)));
            assert!(matches!(entry.read(0b10), None | Some(0x1_1000)));
        });
    }
}

#[cfg(all(test, not(dts_loom)))]
mod tests {
    use super::*;

    /// Keys that share the bucket of key 1.
    fn neighbours(table: &Table, count: usize) -> Vec<u64> {
        let home: *const Bucket = table.bucket(1);
        (1..).filter(|&key| std::ptr::eq(table.bucket(key), home)).take(count).collect()
    }

    #[test]
    fn what_is_put_is_got() {
        let table = Table::new(1).unwrap();
        assert_eq!((table.mebibytes(), table.entries()), (1, 65_536));
        for key in [0, 1, u64::MAX, 1 << 63] {
            assert_eq!(table.get(key), None);
            table.put(key, 0, 0);
            assert_eq!(table.get(key), Some(0));
            table.put(key, PAYLOAD, 255);
            assert_eq!(table.get(key), Some(PAYLOAD));
        }
        assert_eq!(table.get(2), None);
    }

    #[test]
    fn the_least_worth_goes() {
        let table = Table::with_buckets(1000).unwrap();
        let keys = neighbours(&table, 6);
        for (&key, worth) in keys.iter().zip([30, 10, 20, 40]) {
            table.put(key, key, worth);
        }
        table.put(keys[4], 5, 0);
        assert_eq!(table.get(keys[1]), None, "worth 10 was the least");
        table.put(keys[5], 6, 50);
        assert_eq!(table.get(keys[4]), None, "the newest had worth 0");
        let there: Vec<_> = keys.iter().map(|&key| table.get(key).is_some()).collect();
        assert_eq!(there, [true, false, true, true, false, true]);
    }

    #[test]
    fn the_same_key_is_replaced_first() {
        let table = Table::with_buckets(1000).unwrap();
        let keys = neighbours(&table, 4);
        for &key in &keys {
            table.put(key, 1, 9);
        }
        table.put(keys[3], 2, 0);
        assert_eq!(
            keys.iter().map(|&key| table.get(key)).collect::<Vec<_>>(),
            [Some(1), Some(1), Some(1), Some(2)]
        );
    }

    #[test]
    fn age_counts_against_worth() {
        let table = Table::with_buckets(1000).unwrap();
        let keys = neighbours(&table, 6);
        for &key in &keys[..2] {
            table.put(key, 0, 15);
        }
        table.new_search();
        for &key in &keys[2..4] {
            table.put(key, 0, 0);
        }
        table.put(keys[4], 0, 100);
        assert_eq!(table.get(keys[0]), None, "15 a search ago is less than 0 now");
        // Ages go round without ever looking newer than now.
        for _ in 0..200 {
            table.new_search();
        }
        table.put(keys[5], 0, 0);
        assert_eq!(table.get(keys[5]), Some(0));
    }

    #[test]
    fn use_is_counted_and_cleared() {
        let mut table = Table::with_buckets(100).unwrap();
        assert_eq!(table.used_permille(), 0);
        for key in 0..100_000 {
            table.put(key, key, 1);
        }
        assert_eq!(table.used_permille(), 1000);
        table.new_search();
        assert_eq!(table.used_permille(), 0);
        for threads in [0, 1, 3, 1000] {
            table.put(5, 5, 5);
            table.clear(threads);
            assert_eq!((0..100_000).filter(|&key| table.get(key).is_some()).count(), 0);
        }
    }

    #[test]
    fn every_bucket_is_reached() {
        let table = Table::with_buckets(777).unwrap();
        for key in 0..10_000 {
            table.put(key, key, 1);
        }
        assert!(
            table.buckets.iter().all(|bucket| bucket.0.iter().any(|entry| entry.data.load(Relaxed) != 0))
        );
    }

    #[test]
    fn memory_that_is_not_there_is_an_error() {
        assert_eq!(Table::new(0).unwrap_err(), TableError::Empty);
        let ten_tebibytes = 10 << 20;
        assert!(
            matches!(Table::new(ten_tebibytes), Err(TableError::TooLarge { wanted, .. }) if wanted == ten_tebibytes)
        );
        assert!(matches!(Table::new(usize::MAX), Err(TableError::TooLarge { wanted: usize::MAX, .. })));
        let text = TableError::TooLarge { wanted: 9, available: 5 }.to_string();
        assert_eq!(text, "no memory for a transposition table of 9 MiB (5 MiB are available)");
    }

    /// Many threads on few buckets: whatever is found for a key is something that was stored for it.
    #[test]
    fn hammered_entries_are_never_mixed() {
        let table = Table::with_buckets(3).unwrap();
        let found: u64 = std::thread::scope(|scope| {
            let hammer = |thread: u64| {
                let mut state = thread;
                let mut found = 0;
                let table = &table;
                move || {
                    for round in 0..400_000u64 {
                        state = state
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1_442_695_040_888_963_407);
                        let key = state >> 60;
                        if let Some(payload) = table.get(key) {
                            assert_eq!(payload >> 40, key, "the payload of another key");
                            assert_eq!(payload & 0xf_ffff, payload >> 20 & 0xf_ffff, "half a payload");
                            found += 1;
                        }
                        let half = (round ^ thread) & 0xf_ffff;
                        table.put(key, key << 40 | half << 20 | half, (state >> 40) as u8);
                        if round % 5000 == 0 {
                            table.new_search();
                        }
                    }
                    found
                }
            };
            let threads: Vec<_> = (0..4).map(|thread| scope.spawn(hammer(thread))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert!(found > 100_000, "{found}");
    }
}
