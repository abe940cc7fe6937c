//! The table of patterns that all processors share.
//!
//! Patterns of one shape (suit lengths, leader, trumps) stand in a block that is found by a hash of the shape, the shape's *home*. When
//! it is full, what it holds moves to a block of the *overflow*, and older such blocks hang behind it in a chain. Overflow blocks come
//! from a ring: when all are in use, the oldest is taken again, whatever it holds. An overflow block is named by its serial number,
//! which tells its place in the ring as well, so a link to a block that has been taken again is seen to lead nowhere. Homes are
//! taken over when another shape needs the place. So the table forgets, and nothing has to be cleared.
//!
//! A few shapes of hard deals have hundreds of patterns. Once a chain has a few blocks, later patterns of the shape go into *buckets*: by
//! the suits in which cards matter and the owners of the highest of them. A bucket has a home and a chain of its own; the home
//! of the shape tells for which sets of suits there are any. A pattern found in the wrong bucket would still be true.
//!
//! Readers take no lock. What they read may change under them: a pattern counts only if its first word is still the same after
//! the others were read, and if the block still belongs to the shape. A writer changes a pattern by clearing its first word, writing the
//! others, and then the first. Writers of one shape keep each other out by one of many small locks, and one that finds it taken does
//! not write: a pattern that is not stored costs time, never a value.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};

use dts_engine::{advise_large_pages, available_bytes, prefetch, table::TableError};

use super::pattern::{self, Bounds, Holding, Meeting, NOTHING, Pattern};

/// Patterns in a block.
const PATTERNS: usize = 7;
/// Places where a shape's home may be.
const PLACES: usize = 4;
const LOCKS: usize = 1024;
/// The bits of a key that tell deals apart.
pub(crate) const DEAL: u64 = !0 << DEAL_AT;
/// Where they begin.
pub(crate) const DEAL_AT: u32 = 57;
/// The most blocks in the chain of a shape's own home; what comes later goes into buckets.
const SHORT_CHAIN: u32 = 4;
/// The most blocks of a bucket's chain that are looked through.
const LONGEST_CHAIN: u32 = 64;

/// Patterns of one shape: three cache lines, of which most looks touch only the first two.
#[repr(align(64))]
struct Block {
    /// The shape; zero while the block changes hands.
    key: AtomicU64,
    first: [AtomicU64; PATTERNS],
    /// The serial number of the next block of the same shape, zero if there is none.
    next: AtomicU32,
    /// The block's own serial number; for a home, the bucket whose home it is.
    serial: AtomicU32,
    /// The bits of the first words that matter.
    masks: [AtomicU64; PATTERNS],
    second: [AtomicU64; PATTERNS],
    /// In a shape's own home, a bit for each set of suits for which there are buckets.
    suits: AtomicU32,
}

const _: () = assert!(size_of::<Block>() == 192);

impl Block {
    fn new() -> Block {
        let words = |word: u64| std::array::from_fn(|_| AtomicU64::new(word));
        Block {
            key: AtomicU64::new(0),
            first: words(NOTHING),
            next: AtomicU32::new(0),
            serial: AtomicU32::new(0),
            masks: words(u64::MAX),
            second: words(0),
            suits: AtomicU32::new(0),
        }
    }

    fn clear(&self) {
        for (first, mask) in self.first.iter().zip(&self.masks) {
            first.store(NOTHING, Ordering::Release);
            mask.store(u64::MAX, Ordering::Relaxed);
        }
    }

    /// Becomes nobody's, if it still belongs to `old`.
    fn give_up(&self, old: u64) -> bool {
        let mine = self.key.compare_exchange(old, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if mine {
            self.clear();
        }
        mine
    }

    /// Changes a pattern, in an order in which no reader can take a word of the old for one of the new.
    #[inline(always)]
    fn write(&self, at: usize, pattern: Pattern) {
        self.first[at].store(NOTHING, Ordering::Relaxed);
        fence(Ordering::Release);
        self.second[at].store(pattern.0[1], Ordering::Relaxed);
        self.masks[at].store(pattern::first_mask(pattern.0[0]), Ordering::Relaxed);
        self.first[at].store(pattern.0[0], Ordering::Release);
    }
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// What it knows.
    pub(crate) bounds: Bounds,
    /// How many of the highest cards of each suit that rests on.
    pub(crate) counts: [u8; 4],
}

/// A table of patterns; see the module.
pub(crate) struct Patterns {
    homes: Vec<Block>,
    ring: Vec<Block>,
    locks: Vec<AtomicBool>,
    /// The serial number of the block taken last.
    taken: AtomicU32,
}

impl fmt::Debug for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Patterns")
            .field("blocks", &(self.homes.len() + self.ring.len()))
            .finish_non_exhaustive()
    }
}

#[inline(always)]
fn hash(key: u64) -> u64 {
    let mixed = (key ^ key >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// The same for a bucket of a shape.
#[inline(always)]
fn hash_in(key: u64, bucket: u32) -> u64 {
    hash(key ^ u64::from(bucket).wrapping_mul(0x94d0_49bb_1331_11eb))
}

impl Patterns {
    /// An empty table of at most `mebibytes` MiB, and at least half of that.
    pub(crate) fn new(mebibytes: usize) -> Result<Patterns, TableError> {
        if mebibytes == 0 {
            return Err(TableError::Empty);
        }
        let available = available_bytes().unwrap_or(u64::MAX);
        let bytes = mebibytes
            .checked_mul(1 << 20)
            .filter(|&bytes| bytes as u64 <= available && bytes / size_of::<Block>() < 1 << 31)
            .ok_or(TableError::TooLarge { wanted: mebibytes, available: available >> 20 })?;
        // A power of two, so that a hash or a serial number becomes a place without a division.
        Patterns::with_blocks(1 << (bytes / (2 * size_of::<Block>())).ilog2())
            .ok_or(TableError::Refused { wanted: mebibytes })
    }

    /// So many homes and as many blocks of the overflow.
    fn with_blocks(count: usize) -> Option<Patterns> {
        let blocks = || {
            let mut blocks: Vec<Block> = Vec::new();
            blocks.try_reserve_exact(count).ok()?;
            advise_large_pages(&mut blocks);
            blocks.resize_with(count, Block::new);
            Some(blocks)
        };
        let locks = (0..LOCKS).map(|_| AtomicBool::new(false)).collect();
        Some(Patterns { homes: blocks()?, ring: blocks()?, locks, taken: AtomicU32::new(0) })
    }

    /// Begins with the ring's first block again: what is stored from now on goes where the processor's caches still hold what was
    /// stored long ago. The caller uses other keys from now on, and nobody is searching.
    pub(crate) fn restart(&self) {
        self.taken.store(0, Ordering::Relaxed);
    }

    /// A place where the home of a shape may be.
    #[inline(always)]
    fn place(&self, hash: u64, at: usize) -> &Block {
        &self.homes[((hash >> 32) as usize ^ at) & (self.homes.len() - 1)]
    }

    #[inline(always)]
    fn home(&self, key: u64, bucket: u32) -> Option<&Block> {
        let hash = hash_in(key, bucket);
        for at in 0..PLACES {
            let block = self.place(hash, at);
            if block.key.load(Ordering::Acquire) == key && block.serial.load(Ordering::Relaxed) == bucket {
                return Some(block);
            }
        }
        None
    }

    /// The block of the overflow with this serial number, if it has not been taken again.
    #[inline(always)]
    fn overflow(&self, serial: u32) -> Option<&Block> {
        let block = &self.ring[serial as usize & (self.ring.len() - 1)];
        (serial != 0 && block.serial.load(Ordering::Acquire) == serial).then_some(block)
    }

    /// Fetches where [`Patterns::find`] will look first.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: u64) {
        let block = self.place(hash(key), 0);
        prefetch(&block.key);
        prefetch(&block.next);
    }

    /// The first pattern found that fits `holding` and says that North and South win `enough` tricks or more, or no more than
    /// `too_few`.
    #[inline(always)]
    pub(crate) fn find(&self, key: u64, holding: Holding, enough: i32, too_few: i32) -> Option<Known> {
        let home = self.home(key, pattern::NO_BUCKET)?;
        let known = self.find_in(home, SHORT_CHAIN, key, holding, enough, too_few);
        if known.is_some() {
            return known;
        }
        let suits = home.suits.load(Ordering::Relaxed);
        if suits == 0 { None } else { self.find_in_buckets(suits, key, holding, enough, too_few) }
    }

    /// The same in the buckets of these sets of suits.
    #[inline(never)]
    fn find_in_buckets(
        &self,
        suits: u32,
        key: u64,
        holding: Holding,
        enough: i32,
        too_few: i32,
    ) -> Option<Known> {
        let buckets = || {
            let mut left = suits;
            std::iter::from_fn(move || {
                let set = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (set < 16).then(|| holding.bucket(set))
            })
        };
        for bucket in buckets() {
            let block = self.place(hash_in(key, bucket), 0);
            prefetch(&block.key);
            prefetch(&block.next);
        }
        buckets().find_map(|bucket| {
            let home = self.home(key, bucket)?;
            self.find_in(home, LONGEST_CHAIN, key, holding, enough, too_few)
        })
    }

    /// The same in a chain.
    #[inline(always)]
    fn find_in(
        &self,
        home: &Block,
        longest: u32,
        key: u64,
        holding: Holding,
        enough: i32,
        too_few: i32,
    ) -> Option<Known> {
        let mut look_at = Some(home);
        let mut length = 0;
        while let Some(block) = look_at {
            for (at, word) in block.first.iter().enumerate() {
                let first = word.load(Ordering::Acquire);
                let mask = block.masks[at].load(Ordering::Relaxed);
                if !pattern::first_fits(first, mask, holding) {
                    continue;
                }
                let second = block.second[at].load(Ordering::Relaxed);
                if first == NOTHING || !pattern::second_fits(first, second, holding) {
                    continue;
                }
                let bounds = pattern::bounds(second);
                if i32::from(bounds.lower) >= enough || i32::from(bounds.upper) <= too_few {
                    fence(Ordering::Acquire);
                    if word.load(Ordering::Relaxed) == first && block.key.load(Ordering::Relaxed) == key {
                        return Some(Known { bounds, counts: pattern::counts(first) });
                    }
                }
            }
            length += 1;
            look_at = if length < longest { self.overflow(block.next.load(Ordering::Acquire)) } else { None };
        }
        None
    }

    /// Stores a pattern of the shape `key`.
    pub(crate) fn store(&self, key: u64, new: Pattern) {
        let lock = hash(key) as usize % LOCKS;
        if !self.lock(lock) {
            return;
        }
        self.store_locked(key, lock, new);
        self.unlock(lock);
    }

    #[inline(always)]
    fn lock(&self, lock: usize) -> bool {
        !self.locks[lock].load(Ordering::Relaxed)
            && self.locks[lock].compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[inline(always)]
    fn unlock(&self, lock: usize) {
        self.locks[lock].store(false, Ordering::Release);
    }

    fn store_locked(&self, key: u64, lock: usize, new: Pattern) {
        let Some(home) = self.home(key, pattern::NO_BUCKET) else {
            return self.settle(key, pattern::NO_BUCKET, lock, new);
        };
        let Some(new) = self.store_in(home, SHORT_CHAIN, key, lock, new) else { return };
        let set = new.suits();
        home.suits.fetch_or(1 << set, Ordering::Relaxed);
        let bucket = new.bucket();
        match self.home(key, bucket) {
            Some(home) => {
                self.store_in(home, LONGEST_CHAIN, key, lock, new);
            }
            None => self.settle(key, bucket, lock, new),
        }
    }

    /// Stores a pattern in a chain, if the chain does not become longer than `longest` by it. Gives back what is still to be stored.
    #[inline(always)]
    fn store_in(
        &self,
        home: &Block,
        longest: u32,
        key: u64,
        lock: usize,
        mut new: Pattern,
    ) -> Option<Pattern> {
        let mut mask = pattern::first_mask(new.0[0]);
        let mut free: Option<(&Block, usize)> = None;
        let mut becomes = false;
        let mut look_at = Some(home);
        let mut length = 0;
        while let Some(block) = look_at {
            for at in 0..PATTERNS {
                let first = block.first[at].load(Ordering::Relaxed);
                if first == NOTHING {
                    if free.is_none() {
                        free = Some((block, at));
                    }
                    continue;
                }
                // Most patterns differ in a card that matters in both: neither says anything about the other.
                if (first ^ new.0[0]) & block.masks[at].load(Ordering::Relaxed) & mask != 0 {
                    continue;
                }
                let kept = Pattern([first, block.second[at].load(Ordering::Relaxed)]);
                match kept.meet(new) {
                    Meeting::NewIsKnown => return None,
                    Meeting::Becomes(pattern) => {
                        // What it replaces goes, wherever it stands; it takes the first place.
                        new = pattern;
                        mask = pattern::first_mask(new.0[0]);
                        block.first[at].store(NOTHING, Ordering::Relaxed);
                        block.masks[at].store(u64::MAX, Ordering::Relaxed);
                        if !becomes {
                            becomes = true;
                            free = Some((block, at));
                        }
                    }
                    Meeting::Both => {}
                }
            }
            length += 1;
            let next = self.overflow(block.next.load(Ordering::Acquire));
            look_at = next.filter(|block| length < longest && block.key.load(Ordering::Acquire) == key);
        }
        if let Some((block, at)) = free {
            block.write(at, new);
            return None;
        }
        if length >= longest && longest < LONGEST_CHAIN {
            return Some(new);
        }
        if let Some((serial, block)) = self.take_overflow(lock) {
            for at in 0..PATTERNS {
                let words = [home.first[at].load(Ordering::Relaxed), home.second[at].load(Ordering::Relaxed)];
                block.write(at, Pattern(words));
            }
            block.next.store(home.next.load(Ordering::Relaxed), Ordering::Relaxed);
            block.key.store(key, Ordering::Release);
            block.serial.store(serial, Ordering::Release);
            home.next.store(serial, Ordering::Release);
            home.clear();
        }
        home.write(0, new);
        None
    }

    /// Makes a home for a shape that has none: where nothing is, or something of an earlier deal, or else in a place that the hash says.
    fn settle(&self, key: u64, bucket: u32, lock: usize, new: Pattern) {
        let hash = hash_in(key, bucket);
        let is_old = |block: &&Block| (block.key.load(Ordering::Relaxed) ^ key) & DEAL != 0;
        let block = (0..PLACES)
            .map(|at| self.place(hash, at))
            .find(is_old)
            .unwrap_or_else(|| self.place(hash, hash as usize >> 10 & (PLACES - 1)));
        if self.take_over(block, lock) {
            block.next.store(0, Ordering::Relaxed);
            block.serial.store(bucket, Ordering::Relaxed);
            block.suits.store(0, Ordering::Relaxed);
            block.write(0, new);
            block.key.store(key, Ordering::Release);
        }
    }

    /// Takes a block away from the shape that has it. False if somebody is writing to it, or has been quicker.
    fn take_over(&self, block: &Block, held: usize) -> bool {
        let old = block.key.load(Ordering::Relaxed);
        let lock = hash(old) as usize % LOCKS;
        let locks = old != 0 && lock != held;
        if locks && !self.lock(lock) {
            return false;
        }
        let mine = block.give_up(old);
        if locks {
            self.unlock(lock);
        }
        mine
    }

    /// The next block of the ring, empty and nobody's.
    fn take_overflow(&self, held: usize) -> Option<(u32, &Block)> {
        let mut serial = 0;
        while serial == 0 {
            serial = self.taken.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        }
        let block = &self.ring[serial as usize & (self.ring.len() - 1)];
        let mine = self.take_over(block, held);
        if mine {
            block.serial.store(0, Ordering::Release);
        }
        mine.then_some((serial, block))
    }
}
