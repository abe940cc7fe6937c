//! A position as the table holds it.

use dts_engine::{HIGHEST, LOWEST, Range, Value};

use crate::choice::PackedMove;
use crate::mate::{LEAST_MATE, MATE};

/// What the table knows of a position: a range of its value, the depth it was found with, the best move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The value, from Max's side; mates are counted from this position.
    pub(crate) range: Range,
    /// The depth that the range was found with; quiescence is 0.
    pub(crate) depth: i32,
    /// The best move; none if none was better than the window.
    pub(crate) best: PackedMove,
}

const MOST_DEPTH: i32 = 127;
const NOTHING: u64 = 0;
const AT_LEAST: u64 = 1;
const AT_MOST: u64 = 2;
const EXACT: u64 = 3;

impl Entry {
    /// An entry of a node at `ply`. A range with two different ends keeps one: the lower if `keep_lower`.
    pub(crate) fn new(range: Range, keep_lower: bool, depth: i32, best: PackedMove, ply: usize) -> Entry {
        let range = if range.is_exact() || (range.lower == LOWEST || range.upper == HIGHEST) {
            range
        } else if keep_lower {
            Range::at_least(range.lower)
        } else {
            Range::at_most(range.upper)
        };
        let shifted = |value: Value| shift_mate(value, ply as Value);
        let range = Range { lower: shifted(range.lower), upper: shifted(range.upper) };
        Entry { range, depth: depth.clamp(0, MOST_DEPTH), best }
    }

    /// The range for a node at `ply`.
    #[inline]
    pub(crate) fn range_at(&self, ply: usize) -> Range {
        let shifted = |value: Value| shift_mate(value, -(ply as Value));
        Range { lower: shifted(self.range.lower), upper: shifted(self.range.upper) }
    }

    /// The entry in bits.
    #[inline]
    pub(crate) fn pack(self) -> u64 {
        let (kind, value) = match (self.range.lower == LOWEST, self.range.upper == HIGHEST) {
            (true, true) => (NOTHING, 0),
            (true, false) => (AT_MOST, self.range.upper),
            (false, true) => (AT_LEAST, self.range.lower),
            (false, false) => (EXACT, self.range.lower),
        };
        u64::from(self.best.bits())
            | ((value + (1 << 15)) as u64 & 0xffff) << 16
            | (self.depth as u64) << 32
            | kind << 40
    }

    /// An entry from its bits.
    #[inline]
    pub(crate) fn unpack(bits: u64) -> Entry {
        let value = (bits >> 16 & 0xffff) as Value - (1 << 15);
        let range = match bits >> 40 & 3 {
            AT_LEAST => Range::at_least(value),
            AT_MOST => Range::at_most(value),
            EXACT => Range::exact(value),
            _ => Range::UNKNOWN,
        };
        Entry { range, depth: (bits >> 32 & 0xff) as i32, best: PackedMove::of_bits((bits & 0xffff) as u16) }
    }
}

/// A mate as many plies further from its value.
#[inline]
fn shift_mate(value: Value, plies: Value) -> Value {
    if value == LOWEST || value == HIGHEST || value.abs() < LEAST_MATE {
        value
    } else if value > 0 {
        (value + plies).min(MATE)
    } else {
        (value - plies).max(-MATE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn entries_are_read_as_written(
            value in -MATE + 250..MATE - 250, kind in 0..4, depth in 0..120, best in any::<u16>(), ply in 0..250_usize
        ) {
            let range = match kind {
                0 => Range::UNKNOWN,
                1 => Range::at_least(value),
                2 => Range::at_most(value),
                _ => Range::exact(value),
            };
            let entry = Entry::new(range, true, depth, PackedMove::of_bits(best), ply);
            prop_assert_eq!(Entry::unpack(entry.pack()), entry);
            prop_assert_eq!(entry.range_at(ply), range);
        }
    }

    #[test]
    fn a_mate_is_as_far_from_its_position_wherever_that_is() {
        let entry = Entry::new(Range::exact(MATE - 12), true, 5, PackedMove::NONE, 10);
        assert_eq!(entry.range_at(0), Range::exact(MATE - 2));
        assert_eq!(entry.range_at(4), Range::exact(MATE - 6));
    }

    #[test]
    fn of_two_bounds_one_is_kept() {
        let both = Range { lower: 3, upper: 9 };
        assert_eq!(Entry::new(both, true, 1, PackedMove::NONE, 0).range, Range::at_least(3));
        assert_eq!(Entry::new(both, false, 1, PackedMove::NONE, 0).range, Range::at_most(9));
    }
}
