//! The seed's three ways to judge a position in which the game goes on.
//!
//! Each compares the two sides by what a side has in its store, K, and by the sum of the activities of its
//! pits, D. The functions on plain numbers stand apart from [`Board`], so that any representation can use them.

use std::fmt;
use std::str::FromStr;

use crate::board::{Board, Player};

/// A way to judge a position; larger is better for the side it is asked for.
///
/// ```
/// use dts_kalah::{Board, Evaluation, Player};
///
/// let board: Board = "0,0,2,10 | 1,0,0,5 A".parse()?;
/// assert_eq!(Evaluation::Difference.judge(&board, Player::A), 5);
/// // A: 10 in store, activity 2 + 3; B: 5 in store, activity 1 + 1.
/// assert_eq!(Evaluation::Product.judge(&board, Player::A), 10 * 5 - 5 * 2);
/// assert_eq!(Evaluation::Product.judge(&board, Player::B), 5 * 2 - 10 * 5);
/// # Ok::<(), dts_kalah::BoardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Evaluation {
    /// The difference of the stores: [`difference`].
    #[default]
    Difference,
    /// Rechenberg's, Ka·Da - Kb·Db: [`product`].
    Product,
    /// The one with K + 17.3 / (37 - K) - 40 / D for each side: [`reciprocal`].
    Reciprocal,
}

/// What an evaluation knows of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Side {
    /// The stones in its store.
    pub store: i32,
    /// The sum of [`activity`] over its pits.
    pub activity: i32,
}

/// How much a pit is worth to its owner: none when it is empty, otherwise its stones and its number, counted
/// from 1 at the owner's left.
///
/// The seed's text is damaged here. What can be read asks for stones, for what is needed to reach the own
/// store, and for a constant of seven that makes the activity of any pit with stones positive: stones + 7 -
/// distance to the store, which with six pits is stones + number; with M pits the constant is M + 1.
///
/// ```
/// assert_eq!(dts_kalah::evaluation::activity(0, 5), 0);
/// assert_eq!(dts_kalah::evaluation::activity(3, 0), 4);
/// assert_eq!(dts_kalah::evaluation::activity(3, 5), 9);
/// ```
pub fn activity(stones: u16, index: usize) -> i32 {
    if stones == 0 { 0 } else { i32::from(stones) + index as i32 + 1 }
}

/// The own store less the opponent's, in stones.
pub fn difference(own: Side, other: Side) -> i32 {
    own.store - other.store
}

/// Store times activity, the own less the opponent's.
pub fn product(own: Side, other: Side) -> i32 {
    own.store * own.activity - other.store * other.activity
}

/// The unit of [`reciprocal`]: this many are worth one stone.
pub const RECIPROCAL_UNIT: i32 = 1000;

/// K + 17.3 / (`majority` - K) - 40 / D, the own less the opponent's, in thousandths of a stone.
///
/// `majority` is the least number of stones that wins, one more than half of all: the seed's 37 for 72 stones
/// (see [`majority`]). Each quotient is cut to whole thousandths, so that the two sides' views add up to zero.
/// Where the formula has no value it goes on rising: a side that has the majority counts as half a stone short
/// of it, a side without stones in its pits as if D were 1 (no pit with stones has so little).
pub fn reciprocal(own: Side, other: Side, majority: i32) -> i32 {
    let one = |side: Side| {
        let missing = majority - side.store;
        let nearness = if missing > 0 { 17_300 / missing } else { 2 * 17_300 };
        side.store * RECIPROCAL_UNIT + nearness - 40_000 / side.activity.max(1)
    };
    one(own) - one(other)
}

/// The least number of stones in a store that wins when there are `total` in all.
pub fn majority(total: u32) -> i32 {
    (total / 2 + 1) as i32
}

impl Evaluation {
    /// All of them.
    pub const ALL: [Evaluation; 3] = [Evaluation::Difference, Evaluation::Product, Evaluation::Reciprocal];

    /// More than any position is worth in which the game goes on.
    pub const DECIDED: i32 = 1_000_000_000;

    /// Judges numbers; `majority` counts only for [`Evaluation::Reciprocal`].
    pub fn judge_sides(self, own: Side, other: Side, majority: i32) -> i32 {
        match self {
            Evaluation::Difference => difference(own, other),
            Evaluation::Product => product(own, other),
            Evaluation::Reciprocal => reciprocal(own, other, majority),
        }
    }

    /// What a finished game is worth to the side that has `difference` stones more (or, negative, fewer).
    ///
    /// The difference itself where that is the evaluation; with the others a won game is worth more than any
    /// that goes on, a lost one less, and a drawn one nothing.
    pub fn finished(self, difference: i32) -> i32 {
        match self {
            Evaluation::Difference => difference,
            _ => difference.signum() * Evaluation::DECIDED + difference,
        }
    }

    /// Judges a position in which the game goes on, as `player` sees it.
    pub fn judge(self, board: &Board, player: Player) -> i32 {
        let side = |player| Side {
            store: i32::from(board.store(player)),
            activity: board
                .row(player)
                .iter()
                .enumerate()
                .map(|(index, &stones)| activity(stones, index))
                .sum(),
        };
        self.judge_sides(side(player), side(player.other()), majority(board.total()))
    }

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Evaluation::Difference => "difference",
            Evaluation::Product => "product",
            Evaluation::Reciprocal => "reciprocal",
        }
    }
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no evaluation has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("evaluation `{0}` is not known; accepted: difference, product, reciprocal")]
pub struct EvaluationError(String);

impl FromStr for Evaluation {
    type Err = EvaluationError;

    fn from_str(text: &str) -> Result<Evaluation, EvaluationError> {
        let named = Evaluation::ALL.into_iter().find(|evaluation| evaluation.name() == text);
        named.ok_or_else(|| EvaluationError(text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(store: i32, activity: i32) -> Side {
        Side { store, activity }
    }

    #[test]
    fn names_read_back() {
        for evaluation in Evaluation::ALL {
            assert_eq!(evaluation.to_string().parse(), Ok(evaluation));
        }
        assert_eq!(
            "sum".parse::<Evaluation>().unwrap_err().to_string(),
            "evaluation `sum` is not known; accepted: difference, product, reciprocal"
        );
    }

    #[test]
    fn every_pit_with_stones_is_active() {
        for index in 0..Board::MAX_PITS {
            assert_eq!(activity(0, index), 0);
            assert_eq!(activity(1, index), index as i32 + 2);
        }
    }

    #[test]
    fn the_start_of_the_seeds_game() {
        let board = Board::start(6, 6).unwrap();
        for evaluation in Evaluation::ALL {
            assert_eq!(evaluation.judge(&board, Player::A), 0);
        }
        // After A=1,2: A 0 0 8 8 8 8, store 2; B 7 7 6 6 6 6, store 0.
        let board: Board = "0,0,8,8,8,8,2 | 7,7,6,6,6,6,0 B".parse().unwrap();
        let (a, b) = (32 + 3 + 4 + 5 + 6, 38 + 21);
        assert_eq!(Evaluation::Difference.judge(&board, Player::B), -2);
        assert_eq!(Evaluation::Product.judge(&board, Player::A), 2 * a);
        // A: 2000 + 17300/35 - 40000/50; B: 0 + 17300/37 - 40000/59.
        assert_eq!((a, b), (50, 59));
        let expected = (2000 + 494 - 800) - (467 - 677);
        assert_eq!(Evaluation::Reciprocal.judge(&board, Player::A), expected);
        assert_eq!(Evaluation::Reciprocal.judge(&board, Player::B), -expected);
    }

    #[test]
    fn reciprocal_has_a_value_everywhere_and_rises() {
        let even = side(0, 40);
        let of = |store, activity| reciprocal(side(store, activity), even, 37);
        assert_eq!(of(36, 40) - of(0, 40), 36_000 + 17_300 - 467);
        assert_eq!(of(37, 40) - of(0, 40), 37_000 + 34_600 - 467);
        assert_eq!(of(5, 0), of(5, 1));
        for store in 0..72 {
            assert!(of(store + 1, 20) > of(store, 20), "{store}");
            assert!(of(store, 20) > of(store, 2) && of(store, 2) > of(store, 0), "{store}");
        }
    }

    #[test]
    fn a_majority_is_more_than_half() {
        assert_eq!((majority(72), majority(48), majority(7), majority(0)), (37, 25, 4, 1));
    }

    #[test]
    fn a_finished_game_outweighs_what_goes_on() {
        assert_eq!(Evaluation::Difference.finished(-3), -3);
        for evaluation in [Evaluation::Product, Evaluation::Reciprocal] {
            assert_eq!(evaluation.finished(0), 0);
            assert_eq!(evaluation.finished(2), 1_000_000_002);
            assert_eq!(evaluation.finished(-2), -1_000_000_002);
            let full = Board::new(&[255; 12], 1000, &[0; 12], 0, Player::A).unwrap();
            assert!(evaluation.judge(&full, Player::A).abs() < Evaluation::DECIDED / 10);
        }
    }
}
