//! The table of patterns that all processors share.
//!
//! Patterns of one shape (suit lengths, leader, trumps) hang in a chain of blocks, the newest block first. The directory finds the
//! newest block by a hash of the shape. Blocks come from a ring: when all are in use, the oldest is taken again, whatever it holds.
//! A block is named by its serial number, which tells its place in the ring as well, so a link to a block that has been taken again
//! is seen to lead nowhere: the table forgets what is oldest, and nothing has to be cleared.
//!
//! Readers take no lock. What they read may change under them: a pattern counts only if its first word is still the same after
//! the second was read, and if the block still belongs to the shape. A writer changes a pattern by clearing its first word, writing the
//! second, and then the first. Writers of one shape keep each other out by one of many small locks, and one that finds it taken does
//! not write: a pattern that is not stored costs time, never a value.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};

use dts_engine::{advise_large_pages, available_bytes, prefetch, table::TableError};

use super::pattern::{self, Bounds, Holding, Meeting, NOTHING, Pattern};

/// Patterns in a block.
const PATTERNS: usize = 7;
/// Slots of the directory in one cache line.
const SLOTS: usize = 8;
const LOCKS: usize = 1024;
/// The most blocks of a chain that are looked through.
const LONGEST_CHAIN: u32 = 64;

/// Patterns of one shape: three cache lines, of which most looks touch only the first two.
#[repr(align(64))]
struct Block {
    /// The block's serial number, and above it that of the next older block of the same shape, zero if there is none.
    link: AtomicU64,
    first: [AtomicU64; PATTERNS],
    /// The shape; zero while the block changes hands.
    key: AtomicU64,
    /// The bits of the first words that matter.
    masks: [AtomicU64; PATTERNS],
    second: [AtomicU64; PATTERNS],
}

const _: () = assert!(size_of::<Block>() == 192);

impl Block {
    fn new() -> Block {
        let words = |word: u64| std::array::from_fn(|_| AtomicU64::new(word));
        Block {
            link: AtomicU64::new(0),
            first: words(NOTHING),
            key: AtomicU64::new(0),
            masks: words(u64::MAX),
            second: words(0),
        }
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

#[repr(align(64))]
struct Bucket([AtomicU64; SLOTS]);

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
    directory: Vec<Bucket>,
    ring: Vec<Block>,
    locks: Vec<AtomicBool>,
    /// The serial number of the block taken last.
    taken: AtomicU32,
}

impl fmt::Debug for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Patterns").field("blocks", &self.ring.len()).finish_non_exhaustive()
    }
}

#[inline(always)]
fn hash(key: u64) -> u64 {
    let mixed = (key ^ key >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// What a slot of the directory keeps of a hash, in its upper half.
#[inline(always)]
fn tag(hash: u64) -> u64 {
    hash << 32
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
        // A power of two, so that a serial number becomes a place without a division.
        Patterns::with_blocks(1 << (bytes / (size_of::<Block>() + 8)).ilog2())
            .ok_or(TableError::Refused { wanted: mebibytes })
    }

    fn with_blocks(blocks: usize) -> Option<Patterns> {
        let mut ring: Vec<Block> = Vec::new();
        ring.try_reserve_exact(blocks).ok()?;
        advise_large_pages(&mut ring);
        ring.resize_with(blocks, Block::new);
        let mut directory: Vec<Bucket> = Vec::new();
        directory.try_reserve_exact(blocks.div_ceil(SLOTS)).ok()?;
        advise_large_pages(&mut directory);
        directory.resize_with(blocks.div_ceil(SLOTS), || Bucket(std::array::from_fn(|_| AtomicU64::new(0))));
        let locks = (0..LOCKS).map(|_| AtomicBool::new(false)).collect();
        Some(Patterns { directory, ring, locks, taken: AtomicU32::new(0) })
    }

    /// Begins with the ring's first block again: what is stored from now on goes where the processor's caches still hold what was
    /// stored long ago. The caller uses other keys from now on, and nobody is searching.
    pub(crate) fn restart(&self) {
        self.taken.store(0, Ordering::Relaxed);
    }

    #[inline(always)]
    fn bucket(&self, hash: u64) -> &[AtomicU64; SLOTS] {
        let index = ((hash >> 32) * self.directory.len() as u64) >> 32;
        &self.directory[index as usize].0
    }

    #[inline(always)]
    fn block(&self, serial: u32) -> &Block {
        &self.ring[serial as usize & (self.ring.len() - 1)]
    }

    /// The newest block of a shape: its serial number, zero if there is none.
    #[inline(always)]
    fn newest(&self, hash: u64) -> u32 {
        let tag = tag(hash);
        for slot in self.bucket(hash) {
            let slot = slot.load(Ordering::Relaxed);
            if (slot ^ tag) >> 32 == 0 && slot as u32 != 0 {
                return slot as u32;
            }
        }
        0
    }

    /// Fetches where [`Patterns::find`] will look first.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: u64) {
        prefetch(self.bucket(hash(key)));
    }

    /// The first pattern found that fits `holding` and says that North and South win `enough` tricks or more, or no more than
    /// `too_few`; and the best move of the last pattern seen that fits, if there was any.
    #[inline(always)]
    pub(crate) fn find(
        &self,
        key: u64,
        holding: Holding,
        enough: i32,
        too_few: i32,
    ) -> (Option<Known>, Option<(u8, u8)>) {
        let mut hint = None;
        let mut serial = self.newest(hash(key));
        let mut length = 0;
        while serial != 0 && length < LONGEST_CHAIN {
            let block = self.block(serial);
            let link = block.link.load(Ordering::Acquire);
            if link as u32 != serial {
                break;
            }
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
                        return (Some(Known { bounds, counts: pattern::counts(first) }), hint);
                    }
                } else if hint.is_none() {
                    hint = pattern::best(second);
                }
            }
            serial = (link >> 32) as u32;
            length += 1;
        }
        (None, hint)
    }

    /// Stores a pattern of the shape `key`.
    pub(crate) fn store(&self, key: u64, new: Pattern) {
        let hash = hash(key);
        let lock = hash as usize % LOCKS;
        if !self.lock(lock) {
            return;
        }
        self.store_locked(key, hash, lock, new);
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

    fn store_locked(&self, key: u64, hash: u64, lock: usize, new: Pattern) {
        let newest = self.newest(hash);
        let mut serial = newest;
        let mut free = None;
        let mut length = 0;
        let mut is_ours = false;
        let mask = pattern::first_mask(new.0[0]);
        while serial != 0 && length < LONGEST_CHAIN {
            let block = self.block(serial);
            let link = block.link.load(Ordering::Acquire);
            if block.key.load(Ordering::Acquire) != key || link as u32 != serial {
                break;
            }
            is_ours |= length == 0;
            for at in 0..PATTERNS {
                let first = block.first[at].load(Ordering::Relaxed);
                if first == NOTHING {
                    if length == 0 {
                        free = Some((block, at));
                    }
                    break;
                }
                // Most patterns differ in a card that matters in both: neither says anything about the other.
                if (first ^ new.0[0]) & block.masks[at].load(Ordering::Relaxed) & mask != 0 {
                    continue;
                }
                let kept = Pattern([first, block.second[at].load(Ordering::Relaxed)]);
                match kept.meet(new) {
                    Meeting::NewIsKnown => return,
                    Meeting::Becomes(pattern) => return block.write(at, pattern),
                    Meeting::Both => {}
                }
            }
            serial = (link >> 32) as u32;
            length += 1;
        }
        if let Some((block, at)) = free {
            return block.write(at, new);
        }
        let Some((serial, block)) = self.take_block(lock) else { return };
        let older = if is_ours { newest } else { 0 };
        block.link.store(u64::from(serial) | u64::from(older) << 32, Ordering::Release);
        block.write(0, new);
        block.key.store(key, Ordering::Release);
        self.enter(hash, serial);
    }

    /// The next block of the ring, empty and nobody's. None if somebody is writing to it.
    fn take_block(&self, held: usize) -> Option<(u32, &Block)> {
        let mut serial = self.taken.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        if serial == 0 {
            serial = self.taken.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        }
        let block = self.block(serial);
        let old = block.key.load(Ordering::Relaxed);
        let lock = hash(old) as usize % LOCKS;
        let locked = old != 0 && lock != held;
        if locked && !self.lock(lock) {
            return None;
        }
        // Between looking and locking another processor may have been here, a whole round of the ring later.
        let mine = block.key.compare_exchange(old, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if mine {
            for (first, mask) in block.first.iter().zip(&block.masks) {
                first.store(NOTHING, Ordering::Release);
                mask.store(u64::MAX, Ordering::Relaxed);
            }
        }
        if locked {
            self.unlock(lock);
        }
        mine.then_some((serial, block))
    }

    /// Makes `serial` the newest block of a shape: in its own slot, or else in place of the oldest one.
    fn enter(&self, hash: u64, serial: u32) {
        let tag = tag(hash);
        let bucket = self.bucket(hash);
        let mut oldest = &bucket[0];
        let mut greatest_age = 0;
        for slot in bucket {
            let value = slot.load(Ordering::Relaxed);
            if value == 0 || (value ^ tag) >> 32 == 0 {
                oldest = slot;
                break;
            }
            let age = serial.wrapping_sub(value as u32);
            if age > greatest_age {
                (oldest, greatest_age) = (slot, age);
            }
        }
        oldest.store(tag | u64::from(serial), Ordering::Release);
    }
}
