//! How long to think about a move.

use std::time::Duration;

use crate::chess_uci_words::Go;

/// The time for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    /// After this no new iteration is begun.
    pub(crate) soft: Duration,
    /// After this the search ends wherever it is.
    pub(crate) hard: Duration,
}

/// Moves that a game is taken to go on for, if nobody says when the next time control is.
const MOVES_TO_COME: i64 = 30;
/// No time control is further away: a share of more moves would be too small to find anything.
const MOST_MOVES: i64 = 50;
/// No clock shows more, in milliseconds; sums of such times cannot overflow.
const LONGEST: i64 = 1 << 40;

fn milliseconds(time: i64) -> Duration {
    Duration::from_millis(u64::try_from(time).unwrap_or(0))
}

/// What may be spent on the move, if there is a limit: never more than is left less `overhead` milliseconds, which the way to the
/// other program takes.
pub(crate) fn budget(go: &Go, white: bool, overhead: i64) -> Option<Budget> {
    let fixed = go.movetime.map(|time| {
        let time = milliseconds(time.clamp(0, LONGEST) - overhead);
        Budget { soft: time, hard: time }
    });
    let (white_clock, black_clock) = ((go.wtime, go.winc), (go.btime, go.binc));
    let ((left, increment), (opponents, _)) =
        if white { (white_clock, black_clock) } else { (black_clock, white_clock) };
    // Who tells of one clock only, or only what is gained with each move, wants a move before long all the same.
    let of_clock = match (left.or(opponents), increment) {
        (Some(left), increment) => {
            let increment = increment.unwrap_or(0).clamp(0, LONGEST);
            Some(share(left.clamp(0, LONGEST) - overhead, increment - overhead, go.movestogo))
        }
        (None, Some(increment)) => Some(share(increment.clamp(0, LONGEST) - overhead, 0, Some(1))),
        (None, None) => None,
    };
    match (fixed, of_clock) {
        (Some(fixed), Some(of_clock)) => {
            let hard = fixed.hard.min(of_clock.hard);
            Some(Budget { soft: fixed.soft.min(hard), hard })
        }
        (fixed, of_clock) => fixed.or(of_clock),
    }
}

/// The share of a move in `available` milliseconds, to which `gain` come with each later move.
fn share(available: i64, gain: i64, moves_to_go: Option<i64>) -> Budget {
    if available <= 0 {
        return Budget { soft: Duration::ZERO, hard: Duration::ZERO };
    }
    let moves = moves_to_go.filter(|&moves| moves > 0).unwrap_or(MOVES_TO_COME).min(MOST_MOVES);
    // With gains that do not even pay for the overhead the rest shrinks, but not to nothing.
    let total = (available + gain * (moves - 1)).max(available / 4);
    let share = (total / moves).min(available);
    // Before the last move of a time control there is nothing to save for.
    let most = if moves == 1 { available } else { available / 2 };
    let hard = (share * 3).min(most);
    Budget { soft: milliseconds((share * 3 / 4).min(hard)), hard: milliseconds(hard) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spend(go: &Go, overhead: i64) -> (u128, u128) {
        let budget = budget(go, true, overhead).expect("a limit");
        (budget.soft.as_millis(), budget.hard.as_millis())
    }

    #[test]
    fn the_clock_is_shared_among_the_moves_to_come() {
        let go = |wtime, winc, movestogo| Go { wtime: Some(wtime), winc, movestogo, ..Go::default() };
        assert_eq!(spend(&go(60_000, None, None), 0), (1_500, 6_000));
        assert_eq!(spend(&go(60_000, Some(1_000), None), 0), (2_224, 8_898));
        assert_eq!(spend(&go(120, None, Some(1)), 10), (82, 110));
        assert_eq!(spend(&go(60_000, None, Some(2)), 0), (22_500, 30_000));
        // With the opponent's clock alone, or the gain of a move alone.
        let opponents = Go { btime: Some(60_000), ..Go::default() };
        assert_eq!(spend(&opponents, 0), (1_500, 6_000));
        let gain = Go { winc: Some(110), binc: Some(9_000), ..Go::default() };
        assert_eq!(spend(&gain, 10), (75, 100));
        // Increments count with moves to go as well, and half of the clock is the most.
        assert_eq!(spend(&go(60_000, Some(10_000), Some(500)), 0), (8_250, 30_000));
        assert_eq!(spend(&go(60_000, None, Some(0)), 0), spend(&go(60_000, None, None), 0));
    }

    #[test]
    fn no_time_is_no_time() {
        let go = |wtime| Go { wtime: Some(wtime), winc: Some(100), ..Go::default() };
        for wtime in [-30, 0, 10, i64::MIN] {
            assert_eq!(spend(&go(wtime), 10), (0, 0), "{wtime}");
        }
        assert_eq!(spend(&Go { movetime: Some(-1), ..Go::default() }, 10), (0, 0));
        assert_eq!(spend(&Go { btime: Some(5), ..Go::default() }, 10), (0, 0));
        assert_eq!(budget(&Go { movestogo: Some(5), ..Go::default() }, true, 10), None);
    }

    #[test]
    fn never_more_than_is_left_less_the_overhead() {
        for left in [1, 11, 20, 50, 120, 1_000, 60_000, i64::MAX] {
            for increment in [0, 5, 100, 10_000, i64::MAX] {
                for moves in [None, Some(1), Some(2), Some(40), Some(i64::MAX), Some(-3)] {
                    let go =
                        Go { wtime: Some(left), winc: Some(increment), movestogo: moves, ..Go::default() };
                    let Budget { soft, hard } = budget(&go, true, 10).expect("a limit");
                    assert!(hard <= milliseconds(left.min(LONGEST) - 10), "{go:?}");
                    assert!(soft <= hard, "{go:?}");
                }
            }
        }
    }

    #[test]
    fn a_time_for_the_move_is_kept_to_and_the_clock_as_well() {
        let go = Go { movetime: Some(200), ..Go::default() };
        assert_eq!(spend(&go, 10), (190, 190));
        assert_eq!(spend(&Go { wtime: Some(110), movestogo: Some(1), ..go }, 10), (100, 100));
    }
}
