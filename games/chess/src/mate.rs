//! Values of the search and what they mean: centipawns, or the distance of a mate.

use std::fmt;

use dts_engine::{Side, Value};

/// The value of a position in which the winner has mated at the root; each ply that the mate is further away is one less.
pub const MATE: Value = 16_000;

/// The deepest ply of a search; nodes there are judged as they are.
pub(crate) const DEEPEST_PLY: usize = 250;

/// Values beyond this, to either side, are mates.
pub(crate) const LEAST_MATE: Value = MATE - 1_000;

/// The largest value that an evaluation gives, to either side.
pub(crate) const MOST_JUDGED: Value = 10_000;

/// What it is worth that `mated` is mated at `ply`, from Max's side.
#[inline]
pub(crate) fn mated_at(mated: Side, ply: usize) -> Value {
    let distant = MATE - ply as Value;
    match mated {
        Side::Max => -distant,
        Side::Min => distant,
    }
}

/// Whether a value is a mate for either side.
#[inline]
pub(crate) fn is_mate(value: Value) -> bool {
    value.abs() >= LEAST_MATE
}

/// A value as players read it, from one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// In hundredths of a pawn; positive is good.
    Centipawns(i32),
    /// Mate in so many moves: positive gives it, negative suffers it, `Mate(0)` is mated now.
    Mate(i32),
}

impl fmt::Display for Score {
    /// As UCI writes it: `cp 31`, `mate -2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Centipawns(value) => write!(f, "cp {value}"),
            Score::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

/// A value of the search, which is from Max's side, as the score of `side`.
#[must_use]
pub fn score_for(side: Side, value: Value) -> Score {
    let own = match side {
        Side::Max => value,
        Side::Min => -value,
    };
    if !is_mate(own) {
        return Score::Centipawns(own);
    }
    let plies = MATE - own.abs();
    let moves = (plies + 1) / 2;
    Score::Mate(if own > 0 { moves } else { -(plies / 2) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves() {
        assert_eq!(score_for(Side::Max, mated_at(Side::Min, 1)), Score::Mate(1));
        assert_eq!(score_for(Side::Min, mated_at(Side::Max, 3)), Score::Mate(2));
        assert_eq!(score_for(Side::Max, mated_at(Side::Max, 2)), Score::Mate(-1));
        assert_eq!(score_for(Side::Max, mated_at(Side::Max, 0)), Score::Mate(0));
        assert_eq!(score_for(Side::Min, mated_at(Side::Min, 4)), Score::Mate(-2));
        assert_eq!(score_for(Side::Min, 35), Score::Centipawns(-35));
        assert_eq!(Score::Mate(-2).to_string(), "mate -2");
    }
}
