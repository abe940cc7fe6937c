//! Which branches of a node are being searched at the moment, by whomever, and how likely each is to beat the node's bound.
//!
//! One more branch of a node is worth a processor only if none of those before it makes it pointless: by a cutoff, or by a bound that it
//! would have been searched with. That is asked of a node far more often than it changes, and by processors other than those who
//! change it, so it stands in shared memory: a few places for each node, found by the node's serial number. It is no more than a
//! hint: where nodes share places, or a branch was stopped and never came to its end, somebody is misled a little and nothing else.

use std::sync::atomic::{AtomicU64, Ordering};

/// Nodes that have places of their own, up to chance.
const NODES: usize = 1 << 10;
/// Branches of a node that are told apart; two cache lines.
const BRANCHES: usize = 16;
/// Bits of a chance.
const CHANCE_BITS: u32 = 12;
/// Bits of a branch's number.
const NUMBER_BITS: u32 = 12;
const MOST: u64 = (1 << CHANCE_BITS) - 1;
const TAG: u64 = !((1 << (CHANCE_BITS + NUMBER_BITS)) - 1);

/// The branches under way; a place holds the node's tag, the branch's number and its chance, or zero.
#[derive(Debug)]
pub(crate) struct UnderWay(Box<[AtomicU64]>);

impl UnderWay {
    /// Places for all nodes, or none if nobody will ask.
    pub(crate) fn new(wanted: bool) -> Self {
        let count = if wanted { NODES * BRANCHES } else { 0 };
        UnderWay((0..count).map(|_| AtomicU64::new(0)).collect())
    }

    /// The node's places and its tag, which is never zero.
    fn node(&self, serial: u64) -> (&[AtomicU64], u64) {
        let spread = serial.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let at = (spread >> 54) as usize % NODES * BRANCHES;
        (&self.0[at..at + BRANCHES], spread << (CHANCE_BITS + NUMBER_BITS) | 1 << (CHANCE_BITS + NUMBER_BITS))
    }

    /// Branch `number` of a node has been taken; `chance` is that it beats the node's bound.
    pub(crate) fn begins(&self, serial: u64, number: u32, chance: f32) {
        let (places, tag) = self.node(serial);
        let number = u64::from(number).min((1 << NUMBER_BITS) - 1);
        let entry = tag | number << CHANCE_BITS | (chance.clamp(0.0, 1.0) * MOST as f32) as u64;
        let free = |place: &&AtomicU64| {
            let there = place.load(Ordering::Relaxed);
            there == 0 || there & !MOST == entry & !MOST
        };
        let place = places.iter().find(free).unwrap_or(&places[number as usize % BRANCHES]);
        place.store(entry, Ordering::Relaxed);
    }

    /// Branch `number` of a node has come to its end.
    pub(crate) fn ends(&self, serial: u64, number: u32) {
        let (places, tag) = self.node(serial);
        let name = tag | u64::from(number).min((1 << NUMBER_BITS) - 1) << CHANCE_BITS;
        for place in places.iter().filter(|place| place.load(Ordering::Relaxed) & !MOST == name) {
            place.store(0, Ordering::Relaxed);
        }
    }

    /// The chance that none of a node's branches before number `number` that are under way beats its bound.
    pub(crate) fn none_beats(&self, serial: u64, number: u32) -> f32 {
        let (places, tag) = self.node(serial);
        let mut none = 1.0;
        for place in places {
            let entry = place.load(Ordering::Relaxed);
            let before = (entry & !TAG) >> CHANCE_BITS < u64::from(number);
            if entry & TAG == tag && before {
                none *= 1.0 - (entry & MOST) as f32 / MOST as f32;
            }
        }
        none
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_earlier_branches_of_the_same_node_that_are_under_way_count() {
        let under_way = UnderWay::new(true);
        assert_eq!(under_way.none_beats(77, 9), 1.0);
        under_way.begins(77, 1, 0.5);
        under_way.begins(77, 4, 1.0);
        under_way.begins(78, 0, 1.0);
        let about = |number| (under_way.none_beats(77, number) * 100.0).round();
        assert_eq!([about(1), about(2), about(4), about(5)], [100.0, 50.0, 50.0, 0.0]);
        // Taken again, it is still one branch.
        under_way.begins(77, 1, 0.75);
        assert_eq!(about(2), 25.0);
        under_way.ends(77, 1);
        assert_eq!([about(4), about(5)], [100.0, 0.0]);
        under_way.ends(77, 4);
        assert_eq!(about(9), 100.0);
    }

    #[test]
    fn more_branches_than_places_do_no_harm() {
        let under_way = UnderWay::new(true);
        (0..100).for_each(|number| under_way.begins(5, number, 0.5));
        let none = under_way.none_beats(5, 100);
        assert!(none > 0.0 && none < 0.001, "{none}");
        (0..100).for_each(|number| under_way.ends(5, number));
        assert_eq!(under_way.none_beats(5, 100), 1.0);
    }
}
