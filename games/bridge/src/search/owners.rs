//! Relative ranks: who has the highest card left of a suit, the next, and so on.
//!
//! Who holds a card never changes while a deal is played, so the owners of a suit's cards that are left, from the top down, follow
//! from which cards are left. Thirteen cards are looked up in two halves, in tables small enough for the fastest cache.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::cards::lane;

/// Cards in the upper half of a suit.
const UPPER: u32 = 7;
const HALF: usize = 1 << UPPER;
/// Where an entry of the upper half keeps twice the number of its cards.
const COUNT: u32 = 24;

/// The owners of one deal's cards. Written between searches, read by all processors.
pub(crate) struct Owners {
    upper: [[AtomicU32; HALF]; 4],
    lower: [[AtomicU32; HALF]; 4],
}

impl Owners {
    pub(crate) fn new() -> Owners {
        let table = || std::array::from_fn(|_| std::array::from_fn(|_| AtomicU32::new(0)));
        Owners { upper: table(), lower: table() }
    }

    /// Makes the tables those of `hands`.
    pub(crate) fn set(&self, hands: &[u64; 4]) {
        let owner = |suit: u8, rank: u32| {
            let of = |hand: &u64| lane(*hand, suit) >> rank & 1 != 0;
            hands.iter().position(of).unwrap_or(0) as u32
        };
        for suit in 0..4u8 {
            let tables = [(&self.upper, 0), (&self.lower, UPPER)];
            for (half, first) in tables {
                let table = &half[usize::from(suit)];
                table[0].store(0, Relaxed);
                for cards in 1..HALF as u32 {
                    let rank = 31 - cards.leading_zeros();
                    let without = table[(cards & !(1 << rank)) as usize].load(Relaxed);
                    let count = without >> COUNT;
                    let owners = without & ((1 << COUNT) - 1) | owner(suit, first + rank) << count;
                    table[cards as usize].store(owners | (count + 2) << COUNT, Relaxed);
                }
            }
        }
    }

    /// The owners of a suit's cards among `all`, two bits each, the highest card in the lowest bits.
    #[inline(always)]
    pub(crate) fn of(&self, all: u64, suit: u8) -> u64 {
        let cards = lane(all, suit) as usize;
        let suit = usize::from(suit);
        let upper = self.upper[suit][cards & (HALF - 1)].load(Relaxed);
        let lower = self.lower[suit][cards >> UPPER].load(Relaxed) & ((1 << COUNT) - 1);
        u64::from(upper & ((1 << COUNT) - 1)) | u64::from(lower) << (upper >> COUNT)
    }
}
