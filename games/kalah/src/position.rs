//! The fast position: two rows of pits in two machine words, seen from the mover.
//!
//! A row is a word of 10-bit lanes. Lane 0 is the owner's first pit (farthest from his store), the last lane in
//! use the pit next to his store. A lane holds up to [`MOST_STONES`] and its top bit is a guard that stays clear,
//! so that the sum of a row, the pits that hold stones and the pits that hold a given count are each a few
//! operations on the whole word. Lanes beyond the board's pits are zero.
//!
//! A board whose pits hold more than [`MOST_STONES`] together has no fast position: with that limit no lane can
//! ever overflow, whatever is sown where.

use std::fmt;
use std::hash::Hash;

/// Bits of a lane, its guard included.
pub const LANE_BITS: u32 = 10;
/// The stones that the pits of a fast position may hold together, and so the most that one pit can hold.
pub const MOST_STONES: u32 = 511;

pub use dts_engine::Side;

/// 1 for `Max`, -1 for `Min`.
#[inline]
#[must_use]
pub fn sign(side: Side) -> i16 {
    match side {
        Side::Max => 1,
        Side::Min => -1,
    }
}

/// A set of pits of one row: bit `i` is pit `i`. Iterates from the pit farthest from the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Pits(pub u32);

impl Pits {
    /// Whether the set is empty.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many pits it holds.
    #[inline]
    #[must_use]
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether `pit` is in the set.
    #[inline]
    #[must_use]
    pub fn contains(self, pit: u32) -> bool {
        self.0 >> pit & 1 != 0
    }

    /// Takes out the pit nearest to the store, if there is any.
    #[inline]
    pub fn pop_nearest(&mut self) -> Option<u32> {
        let pit = 31u32.checked_sub(self.0.leading_zeros())?;
        self.0 ^= 1 << pit;
        Some(pit)
    }
}

impl Iterator for Pits {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let pit = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(pit)
    }
}

/// A word of lanes: `u64` for up to 6 pits a side, `u128` for up to 12.
pub trait Row: Copy + Eq + Ord + Hash + Default + fmt::Debug + fmt::LowerHex + Send + Sync + 'static {
    /// How many pits fit.
    const LANES: u32;
    /// A row without stones.
    const ZERO: Self;
    /// One stone in every lane.
    const ONES: Self;

    /// `stones` in `pit`, nothing elsewhere.
    fn single(pit: u32, stones: u32) -> Self;
    /// What lies in `pit`.
    fn stones_in(self, pit: u32) -> u32;
    /// The row with `pit` emptied.
    #[must_use]
    fn emptied(self, pit: u32) -> Self;
    /// Lane by lane the sum; the caller knows that no lane exceeds [`MOST_STONES`].
    #[must_use]
    fn plus(self, more: Self) -> Self;
    /// Every lane times `factor`; the caller knows that no lane exceeds [`MOST_STONES`].
    #[must_use]
    fn times(self, factor: u32) -> Self;
    /// All stones of the row; the caller knows that they are no more than twice [`MOST_STONES`].
    fn total(self) -> u32;
    /// The pits that hold stones.
    fn occupied(self) -> Pits;
    /// The pits that hold exactly what `pattern` has in their lane.
    fn matching(self, pattern: Self) -> Pits;
    /// Lane `i` of the answer is the sum of lanes `0..=i`.
    #[must_use]
    fn prefix_sums(self) -> Self;
    /// The lane at bit `shift`, zero at a shift of [`Row::NOWHERE`].
    fn lane_at(self, shift: u32) -> u32;
    /// Takes `stones` (what lies there, or zero) from the lane at bit `shift`.
    #[must_use]
    fn less_at(self, shift: u32, stones: u32) -> Self;
    /// A shift that stands for no lane.
    const NOWHERE: u32;
    /// A key of the pair of rows: the same key for no two different pairs if both are of `u64` and hold at most 63
    /// stones together, else different up to chance. The caller still has to spread its bits.
    fn key(self, other: Self) -> u64;
}

const fn spread(lanes: u32, value: u128) -> u128 {
    let mut word = 0;
    let mut lane = 0;
    while lane < lanes {
        word |= value << (lane * LANE_BITS);
        lane += 1;
    }
    word
}

const LANE: u64 = (1 << LANE_BITS) - 1;
const GUARDS: u64 = spread(6, 1 << (LANE_BITS - 1)) as u64;
/// Brings bit `10 i` to bit `45 + i` for `i < 6`: no two products of the other bits meet, so nothing is carried.
const GATHER: u64 = {
    let mut word = 0;
    let mut lane = 0;
    while lane < 6 {
        word |= 1 << (45 - 9 * lane);
        lane += 1;
    }
    word
};

#[inline]
fn gather(guards: u64) -> u32 {
    ((guards >> (LANE_BITS - 1)).wrapping_mul(GATHER) >> 45) as u32 & 0x3f
}

/// A product of 64 by 64 bits, folded: every bit of the answer depends on every bit of both.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

impl Row for u64 {
    const LANES: u32 = 6;
    const ZERO: u64 = 0;
    const ONES: u64 = spread(6, 1) as u64;
    const NOWHERE: u32 = 60;

    #[inline]
    fn single(pit: u32, stones: u32) -> u64 {
        u64::from(stones) << (pit * LANE_BITS)
    }

    #[inline]
    fn stones_in(self, pit: u32) -> u32 {
        (self >> (pit * LANE_BITS) & LANE) as u32
    }

    #[inline]
    fn emptied(self, pit: u32) -> u64 {
        self & !(LANE << (pit * LANE_BITS))
    }

    #[inline]
    fn plus(self, more: u64) -> u64 {
        self.wrapping_add(more)
    }

    #[inline]
    fn times(self, factor: u32) -> u64 {
        self.wrapping_mul(u64::from(factor))
    }

    #[inline]
    fn total(self) -> u32 {
        (self.wrapping_mul(Self::ONES) >> 50 & LANE) as u32
    }

    #[inline]
    fn occupied(self) -> Pits {
        Pits(gather(self.wrapping_add(GUARDS - Self::ONES) & GUARDS))
    }

    #[inline]
    fn matching(self, pattern: u64) -> Pits {
        Pits(gather(!(self ^ pattern).wrapping_add(GUARDS - Self::ONES) & GUARDS))
    }

    #[inline]
    fn prefix_sums(self) -> u64 {
        self.wrapping_mul(Self::ONES) & (Self::ONES * LANE)
    }

    #[inline]
    fn lane_at(self, shift: u32) -> u32 {
        (self >> (shift & 63) & LANE) as u32
    }

    #[inline]
    fn less_at(self, shift: u32, stones: u32) -> u64 {
        self.wrapping_sub(u64::from(stones) << (shift & 63))
    }

    #[inline]
    fn key(self, other: u64) -> u64 {
        // Pits below 32 leave the upper half of their lane free: the other row goes there.
        let exact = self | other << 5;
        if (self | other) & (Self::ONES * 0x1e0) == 0 { exact } else { large_key(self, other) }
    }
}

/// The key of two rows with a pit of 32 or more. With at most 63 stones there is one such pit: its number (from 1)
/// goes above the lanes and 32 are taken from it.
#[cold]
fn large_key(own: u64, other: u64) -> u64 {
    let large = |row: u64| {
        (0..6).filter(move |&pit| row.stones_in(pit) >= 32).map(move |pit| (pit, row.stones_in(pit)))
    };
    let mut all = large(own).chain(large(other).map(|(pit, stones)| (pit + 6, stones)));
    match (all.next(), all.next()) {
        (Some((pit, 32..=63)), None) => {
            let off = u64::single(pit % 6, 32);
            let exact = if pit < 6 { (own - off) | other << 5 } else { own | (other - off) << 5 };
            exact | u64::from(pit + 1) << 60
        }
        _ => fold(own ^ 0x9e37_79b9_7f4a_7c15, other ^ 0xd6e8_feb8_6659_fd93) | 0xf << 60,
    }
}

const LOW: u128 = (1 << 60) - 1;

impl Row for u128 {
    const LANES: u32 = 12;
    const ZERO: u128 = 0;
    const ONES: u128 = spread(12, 1);
    const NOWHERE: u32 = 120;

    #[inline]
    fn single(pit: u32, stones: u32) -> u128 {
        u128::from(stones) << (pit * LANE_BITS)
    }

    #[inline]
    fn stones_in(self, pit: u32) -> u32 {
        ((self >> (pit * LANE_BITS)) as u64 & LANE) as u32
    }

    #[inline]
    fn emptied(self, pit: u32) -> u128 {
        self & !(u128::from(LANE) << (pit * LANE_BITS))
    }

    #[inline]
    fn plus(self, more: u128) -> u128 {
        self.wrapping_add(more)
    }

    #[inline]
    fn times(self, factor: u32) -> u128 {
        self.wrapping_mul(u128::from(factor))
    }

    #[inline]
    fn total(self) -> u32 {
        (((self & LOW) as u64).wrapping_add((self >> 60) as u64)).total()
    }

    #[inline]
    fn occupied(self) -> Pits {
        Pits(((self & LOW) as u64).occupied().0 | ((self >> 60) as u64).occupied().0 << 6)
    }

    #[inline]
    fn matching(self, pattern: u128) -> Pits {
        let unlike = (self ^ pattern).occupied();
        Pits(!unlike.0 & 0xfff)
    }

    #[inline]
    fn prefix_sums(self) -> u128 {
        let low = ((self & LOW) as u64).prefix_sums();
        let high = ((self >> 60) as u64).prefix_sums();
        let high = high.plus(u64::ONES.times(low.stones_in(5)));
        u128::from(low) | u128::from(high) << 60
    }

    #[inline]
    fn lane_at(self, shift: u32) -> u32 {
        ((self >> (shift & 127)) as u64 & LANE) as u32
    }

    #[inline]
    fn less_at(self, shift: u32, stones: u32) -> u128 {
        self.wrapping_sub(u128::from(stones) << (shift & 127))
    }

    #[inline]
    fn key(self, other: u128) -> u64 {
        let own =
            fold((self & LOW) as u64 ^ 0x9e37_79b9_7f4a_7c15, (self >> 60) as u64 ^ 0xd6e8_feb8_6659_fd93);
        let other =
            fold((other & LOW) as u64 ^ 0xa076_1d64_78bd_642f, (other >> 60) as u64 ^ 0xe703_7ed1_a0b4_28db);
        fold(own ^ 0x8ebc_6af0_9c88_c6e3, other ^ 0x5899_65cc_7537_4cc3)
    }
}

/// A position, seen from the side to move.
///
/// The game is over exactly when the mover's row is empty; then the other row is empty too, what was left is swept
/// and `banked` is the result. [`Sowing`](crate::sowing::Sowing) makes positions and keeps it so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position<R> {
    /// The row of the side to move.
    pub own: R,
    /// The row of the other side.
    pub other: R,
    /// The stones in the store of `Max` less those in the store of `Min`.
    pub banked: i16,
    /// The side to move.
    pub side: Side,
}

impl<R: Row> Position<R> {
    /// Whether the game is over.
    #[inline]
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.own == R::ZERO
    }

    /// The stones on the pits.
    #[inline]
    #[must_use]
    pub fn left(&self) -> u32 {
        self.own.plus(self.other).total()
    }

    /// The pits that the mover can play.
    #[inline]
    #[must_use]
    pub fn moves(&self) -> Pits {
        self.own.occupied()
    }

    /// The row of `side`.
    #[must_use]
    pub fn row(&self, side: Side) -> R {
        if side == self.side { self.own } else { self.other }
    }

    /// The key of what the future depends on: the pits, mover first. See [`Row::key`].
    #[inline]
    #[must_use]
    pub fn key(&self) -> u64 {
        self.own.key(self.other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row<R: Row>(stones: &[u32]) -> R {
        (0..).zip(stones).fold(R::ZERO, |row, (pit, &n)| row.plus(R::single(pit, n)))
    }

    fn check_lanes<R: Row>(stones: &[u32]) {
        let word: R = row(stones);
        let total: u32 = stones.iter().sum();
        assert_eq!(word.total(), total);
        let mut sum = 0;
        for (pit, &n) in (0..).zip(stones) {
            sum += n;
            assert_eq!(word.stones_in(pit), n);
            assert_eq!(word.lane_at(pit * LANE_BITS), n);
            assert_eq!(word.emptied(pit).stones_in(pit), 0);
            assert_eq!(word.emptied(pit).total(), total - n);
            assert_eq!(word.less_at(pit * LANE_BITS, n), word.emptied(pit));
            assert_eq!(word.occupied().contains(pit), n > 0);
            assert_eq!(word.matching(R::ONES).contains(pit), n == 1);
            assert_eq!(word.matching(word.emptied(pit)).contains(pit), n == 0);
            assert_eq!(word.prefix_sums().stones_in(pit), sum);
        }
        assert_eq!(word.lane_at(R::NOWHERE), 0);
        assert_eq!(word.occupied().len() as usize, stones.iter().filter(|&&n| n > 0).count());
    }

    #[test]
    fn lanes() {
        for stones in [[0; 6], [1; 6], [511, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 511], [85, 85, 85, 85, 85, 86]] {
            check_lanes::<u64>(&stones);
            check_lanes::<u128>(&stones);
        }
        check_lanes::<u128>(&[0; 12]);
        check_lanes::<u128>(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        check_lanes::<u128>(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 511]);
        check_lanes::<u128>(&[42, 43, 43, 43, 42, 43, 43, 42, 43, 42, 43, 42]);
    }

    #[test]
    fn every_set_of_pits_is_found() {
        for set in 0..64u32 {
            let stones: Vec<u32> = (0..6).map(|pit| (set >> pit & 1) * (1 + pit * 40)).collect();
            check_lanes::<u64>(&stones);
            assert_eq!(row::<u64>(&stones).occupied(), Pits(set));
            assert_eq!(
                Pits(set).collect::<Vec<_>>(),
                (0..6).filter(|pit| set >> pit & 1 == 1).collect::<Vec<_>>()
            );
        }
        for set in 0..4096u32 {
            let stones: Vec<u32> = (0..12).map(|pit| (set >> pit & 1) * (1 + pit)).collect();
            assert_eq!(row::<u128>(&stones).occupied(), Pits(set));
        }
        let mut pits = Pits(0b100101);
        assert_eq!(std::iter::from_fn(|| pits.pop_nearest()).collect::<Vec<_>>(), [5, 2, 0]);
    }

    #[test]
    fn keys_differ() {
        use std::collections::HashSet;
        // One stone moved about, every size of one pit up to 63, in either row.
        let mut keys = HashSet::new();
        let mut pairs = HashSet::new();
        for large in 0..12 {
            for small in 0..12 {
                for stones in 0..63 {
                    let mut lanes = [0; 12];
                    lanes[large] += stones;
                    lanes[small] += 1;
                    pairs.insert(lanes);
                    keys.insert(row::<u64>(&lanes[..6]).key(row(&lanes[6..])));
                }
            }
        }
        assert_eq!(keys.len(), pairs.len());
        let two_large = |a, b| row::<u64>(&[a, 0, 0, 0, 0, 0]).key(row(&[b, 0, 0, 0, 0, 0]));
        assert_ne!(two_large(40, 41), two_large(41, 40));
        assert_eq!(two_large(40, 41) >> 60, 15);
        let wide = |a, b| row::<u128>(&[a, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, b]).key(row(&[1; 12]));
        assert_ne!(wide(3, 4), wide(4, 3));
    }
}
