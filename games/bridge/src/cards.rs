//! Sets of cards, and the arithmetic on all four suits at once that the search lives on.
//!
//! A set is one word: sixteen bits a suit, of which thirteen are used, the ace lowest. So the highest card of a suit is its
//! lowest bit, and the three spare bits keep the borrows and carries of one suit out of the next.

use std::fmt;

use crate::card::{Card, Suit};

/// The bits of one suit.
pub(crate) const LANE: u64 = 0x1fff;
/// All cards.
pub(crate) const PACK: u64 = 0x1fff_1fff_1fff_1fff;
/// The aces: the lowest bit of each suit.
const ACES: u64 = 0x0001_0001_0001_0001;
/// A spare bit of each suit.
const GUARDS: u64 = 0x8000_8000_8000_8000;

/// The highest card of each suit.
#[inline(always)]
pub(crate) fn tops(cards: u64) -> u64 {
    let guarded = cards | GUARDS;
    guarded & !(guarded - ACES) & !GUARDS
}

/// In each suit all places above the highest card of `cards`; a whole suit where there is none.
#[inline(always)]
pub(crate) fn above(cards: u64) -> u64 {
    let top = tops(cards);
    ((top | GUARDS) - ACES) & !GUARDS
}

/// The cards of `own` that touch a higher one of `own`: no card of `others` stands between them.
#[inline(always)]
pub(crate) fn touching(own: u64, others: u64) -> u64 {
    let mut open = PACK & !others;
    let mut reached = own << 1 & open;
    reached |= open & reached << 1;
    open &= open << 1;
    reached |= open & reached << 2;
    open &= open << 2;
    reached |= open & reached << 4;
    open &= open << 4;
    reached |= open & reached << 8;
    own & reached
}

/// The cards of one suit.
#[inline(always)]
pub(crate) fn lane(cards: u64, suit: u8) -> u64 {
    cards >> (suit * 16) & LANE
}

/// How many cards one suit's cards are, by their bits: most processors of the last 15 years have an instruction for it, which compilers
/// use only if they are told so.
static COUNTS: [u8; 1 << 13] = {
    let mut counts = [0; 1 << 13];
    let mut cards = 1;
    while cards < 1 << 13 {
        counts[cards] = counts[cards >> 1] + (cards & 1) as u8;
        cards += 1;
    }
    counts
};

/// How many cards one suit's cards are.
#[inline(always)]
pub(crate) fn count(lane: u64) -> u32 {
    if cfg!(target_feature = "popcnt") {
        lane.count_ones()
    } else {
        u32::from(COUNTS[(lane & LANE) as usize])
    }
}

/// The place of the lowest card of one suit's cards, of which there is at least one.
#[inline(always)]
pub(crate) fn bottom(lane: u64) -> u32 {
    63 - lane.leading_zeros()
}

/// A set of cards.
///
/// ```
/// use dts_bridge::Cards;
///
/// let hand: Cards = ["SA", "S2", "D10"].iter().map(|name| name.parse().expect("a card")).collect();
/// assert_eq!(hand.to_string(), "A2..T.");
/// assert_eq!(hand.len(), 3);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Cards(u64);

impl Cards {
    /// No cards.
    pub const NONE: Cards = Cards(0);
    /// All 52.
    pub const PACK: Cards = Cards(PACK);

    pub(crate) fn of_bits(bits: u64) -> Cards {
        debug_assert!(bits & !PACK == 0, "only cards");
        Cards(bits)
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether `card` is among them.
    #[must_use]
    pub fn contains(self, card: Card) -> bool {
        self.0 & card.bit() != 0
    }

    /// With `card`.
    #[must_use]
    pub fn with(self, card: Card) -> Cards {
        Cards(self.0 | card.bit())
    }

    /// Without `card`.
    #[must_use]
    pub fn without(self, card: Card) -> Cards {
        Cards(self.0 & !card.bit())
    }

    /// Those of either.
    #[must_use]
    pub fn and(self, other: Cards) -> Cards {
        Cards(self.0 | other.0)
    }

    /// Those of both.
    #[must_use]
    pub fn common(self, other: Cards) -> Cards {
        Cards(self.0 & other.0)
    }

    /// Those that are not in `other`.
    #[must_use]
    pub fn minus(self, other: Cards) -> Cards {
        Cards(self.0 & !other.0)
    }

    /// Those of one suit.
    #[must_use]
    pub fn of_suit(self, suit: Suit) -> Cards {
        Cards(self.0 & LANE << (suit as u32 * 16))
    }

    /// From the spade ace down to the deuce of clubs.
    pub fn iter(self) -> impl Iterator<Item = Card> + Clone {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let card = (left != 0).then(|| Card::at(left.trailing_zeros() as u8));
            left &= left.wrapping_sub(1);
            card
        })
    }
}

impl FromIterator<Card> for Cards {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Self {
        cards.into_iter().fold(Cards::NONE, Cards::with)
    }
}

impl fmt::Display for Cards {
    /// As in PBN: ranks by suit, spades first, a point between suits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for suit in Suit::ALL {
            if suit != Suit::Spades {
                f.write_str(".")?;
            }
            for card in self.of_suit(suit).iter() {
                write!(f, "{}", card.rank())?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Cards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slowly(own: u64, others: u64) -> u64 {
        let mut touching = 0;
        for suit in 0..4 {
            let mut before = false;
            for place in (0..13).map(|rank| suit * 16 + rank) {
                if own >> place & 1 != 0 {
                    touching |= u64::from(before) << place;
                    before = true;
                } else if others >> place & 1 != 0 {
                    before = false;
                }
            }
        }
        touching
    }

    proptest! {
        #[test]
        fn all_suits_at_once(own: u64, others: u64) {
            let own = own & PACK;
            let others = others & PACK & !own;
            prop_assert_eq!(touching(own, others), slowly(own, others));
            for suit in 0..4 {
                let cards = lane(own, suit);
                let top = cards & cards.wrapping_neg();
                prop_assert_eq!(lane(tops(own), suit), top);
                let higher = if top == 0 { LANE } else { top - 1 };
                prop_assert_eq!(lane(above(own), suit), higher);
            }
        }
    }
}
