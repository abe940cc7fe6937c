//! Killers: the cards that cut off last, by what the hand to play sees.

use super::position::Position;
use crate::cards::LANE;

const ENTRIES: usize = 1 << 14;
const CARD: u32 = 63;

/// One processor's killers.
///
/// A killer is found by the hand to play and the best card on the table; for a hand that follows suit, by the cards of that suit alone.
#[derive(Debug)]
pub(crate) struct Killers {
    /// By hash: the rest of the hash, and the card.
    entries: Box<[u32; ENTRIES]>,
}

impl Killers {
    pub(crate) fn new() -> Killers {
        Killers { entries: Box::new([0; ENTRIES]) }
    }

    /// What the hand to play sees, hashed.
    #[inline(always)]
    fn hash(position: &Position) -> u64 {
        let own = position.hand(0);
        let seat = u64::from(position.turn());
        let seen = if position.on_table() == 0 {
            own ^ seat << 13 ^ position.hand(2).rotate_left(23)
        } else {
            let suit = LANE << (position.led() * 16);
            let cards = if own & suit != 0 { position.others() & suit ^ (own & suit) << 3 } else { own };
            cards ^ (seat << 13 | 1 << 15) ^ u64::from(position.winning()) << 29
        };
        let mixed = (seen ^ seen >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    /// The place of the killer in this position, if there is one.
    #[inline(always)]
    pub(crate) fn get(&self, position: &Position) -> Option<u8> {
        let hash = Killers::hash(position);
        let entry = self.entries[(hash >> 50) as usize];
        let fits = (entry ^ hash as u32) & !CARD == 0 && entry != 0;
        fits.then_some((entry & CARD) as u8)
    }

    /// `card` has cut off in this position.
    #[inline(always)]
    pub(crate) fn put(&mut self, position: &Position, card: u8) {
        let hash = Killers::hash(position);
        self.entries[(hash >> 50) as usize] = hash as u32 & !CARD | u32::from(card);
    }
}
