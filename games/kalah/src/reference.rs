//! Searches so plain that everything else can be measured against them.

use std::collections::HashMap;

use crate::board::{Board, Player};
use crate::evaluation::Evaluation;
use crate::rules::Rules;

/// What the game is still worth to the side to move: the stones he will win from here less those his opponent
/// will, when both play to the end as well as can be. What lies in the stores already does not count.
///
/// Plain minimax without memory; for boards of a few stones.
///
/// ```
/// use dts_kalah::{Board, Rules, reference};
///
/// assert_eq!(reference::value(&Board::start(1, 3)?, &Rules::SEED), 6);
/// assert_eq!(reference::value(&Board::start(2, 2)?, &Rules::SEED), -2);
/// # Ok::<(), dts_kalah::BoardError>(())
/// ```
pub fn value(board: &Board, rules: &Rules) -> i32 {
    best(board, rules, &mut |next| value(next, rules))
}

/// The best a side to move can do when `worth` tells what each next position is worth to the side to move there.
fn best(board: &Board, rules: &Rules, worth: &mut impl FnMut(&Board) -> i32) -> i32 {
    let mut settled = *board;
    if settled.settle(rules).is_some() {
        return settled.difference() - board.difference();
    }
    let mover = board.to_move();
    let moves = board.legal(rules).into_iter().map(|pit| {
        let mut next = *board;
        let played = next.play(rules, pit).expect("a legal move");
        let won = next.with_to_move(mover).difference() - board.difference();
        if played.over() {
            won
        } else if next.to_move() == mover {
            won + worth(&next)
        } else {
            won - worth(&next)
        }
    });
    moves.max().expect("a game that goes on has a move")
}

/// [`value`] with a memory of every position seen, for somewhat larger boards.
///
/// ```
/// use dts_kalah::{Board, Rules, reference::Memo};
///
/// let mut memo = Memo::new(Rules::EMPTY_CAPTURE);
/// assert_eq!(memo.value(&Board::start(4, 2)?), 6);
/// # Ok::<(), dts_kalah::BoardError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Memo {
    rules: Rules,
    /// Keyed by both rows, the mover's first: neither the stores nor the name of the side change what is still
    /// to be won.
    values: HashMap<Vec<u16>, i32>,
}

impl Memo {
    /// An empty memory under these rules.
    pub fn new(rules: Rules) -> Memo {
        Memo { rules, values: HashMap::new() }
    }

    /// What [`value`] says.
    pub fn value(&mut self, board: &Board) -> i32 {
        let mover = board.to_move();
        let key = [board.row(mover), board.row(mover.other())].concat();
        if let Some(&known) = self.values.get(&key) {
            return known;
        }
        let rules = self.rules;
        let value = best(board, &rules, &mut |next| self.value(next));
        self.values.insert(key, value);
        value
    }

    /// How many positions it has seen.
    pub fn positions(&self) -> usize {
        self.values.len()
    }
}

/// What the seed's program finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compound {
    /// The value for the side to move, in the evaluation's unit.
    pub value: i32,
    /// The elementary moves of the turn it would play; empty where the game is over or no ply was asked for.
    pub turn: Vec<usize>,
    /// Positions visited between whole turns, the first one included.
    pub nodes: u64,
}

/// The turn the seed's program would play, and its value: see [`compound_search`].
///
/// ```
/// use dts_kalah::{Board, Evaluation, Rules, reference};
///
/// let start = Board::start(6, 6)?;
/// let (value, turn) = reference::compound_choice(&start, &Rules::SEED, 1, Evaluation::Difference);
/// assert_eq!((value, turn), (2, vec![0, 1]));
/// # Ok::<(), dts_kalah::BoardError>(())
/// ```
pub fn compound_choice(
    board: &Board,
    rules: &Rules,
    plies: u32,
    evaluation: Evaluation,
) -> (i32, Vec<usize>) {
    let Compound { value, turn, .. } = compound_search(board, rules, plies, evaluation);
    (value, turn)
}

/// The search of the seed's program: Knuth and Moore's F2 over whole turns.
///
/// A node is a position between turns, an edge a whole turn with all its extra moves, and `plies` counts
/// turns. The turns are tried in lexicographic order of their pits, ascending, and only a strictly better one
/// replaces the best, so that the first of the best is kept. At depth zero the evaluation judges for the side
/// to move. Unlike the seed's, this search knows how a game ends.
pub fn compound_search(board: &Board, rules: &Rules, plies: u32, evaluation: Evaluation) -> Compound {
    let mut search = Search { rules, evaluation, nodes: 0 };
    let (value, turn) = search.f2(board, plies, -i32::MAX, i32::MAX);
    Compound { value, turn, nodes: search.nodes }
}

struct Search<'a> {
    rules: &'a Rules,
    evaluation: Evaluation,
    nodes: u64,
}

impl Search<'_> {
    /// A position between turns: its value inside the window and the first of the best turns.
    fn f2(&mut self, board: &Board, plies: u32, alpha: i32, beta: i32) -> (i32, Vec<usize>) {
        self.nodes += 1;
        let mut settled = *board;
        if settled.settle(self.rules).is_some() {
            return (self.evaluation.finished(settled.difference()), Vec::new());
        }
        if plies == 0 {
            return (self.evaluation.judge(board, board.to_move()), Vec::new());
        }
        let mut best = Best { value: alpha, beta, turn: Vec::new() };
        self.sons(board, board.to_move(), plies, &mut Vec::new(), &mut best);
        (best.value, best.turn)
    }

    /// Tries every way to go on with the turn `moves`, which led to `board`.
    fn sons(&mut self, board: &Board, mover: Player, plies: u32, moves: &mut Vec<usize>, best: &mut Best) {
        for pit in board.legal(self.rules) {
            if best.value >= best.beta {
                return;
            }
            let mut next = *board;
            let played = next.play(self.rules, pit).expect("a legal move");
            moves.push(pit);
            if played.extra_turn() {
                self.sons(&next, mover, plies, moves, best);
            } else {
                let value = if played.over() {
                    self.nodes += 1;
                    self.evaluation.finished(next.with_to_move(mover).difference())
                } else {
                    -self.f2(&next, plies - 1, -best.beta, -best.value).0
                };
                if value > best.value {
                    best.value = value;
                    best.turn.clone_from(moves);
                }
            }
            moves.pop();
        }
    }
}

struct Best {
    value: i32,
    beta: i32,
    turn: Vec<usize>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Net values of the starting positions (Irving and others 2000 for capture on empty): pits, stones,
    /// under the seed's rules, under capture on empty.
    const STARTS: [(usize, u16, i32, i32); 17] = [
        (1, 1, 0, 0),
        (1, 2, -2, -2),
        (1, 3, 6, 6),
        (1, 4, -2, -2),
        (1, 5, 2, 2),
        (1, 6, 0, 0),
        (2, 1, 2, 2),
        (2, 2, -2, -2),
        (2, 3, -2, -2),
        (2, 4, -10, -12),
        (2, 5, 6, 6),
        (2, 6, 8, 8),
        (3, 1, 0, 0),
        (3, 2, 4, 4),
        (3, 3, 2, 2),
        (4, 1, 2, 2),
        (4, 2, 6, 6),
    ];

    #[test]
    fn known_values_of_small_starts() {
        for (pits, stones, seed, emptycap) in STARTS {
            let start = Board::start(pits, stones).unwrap();
            assert_eq!(Memo::new(Rules::SEED).value(&start), seed, "seed ({pits},{stones})");
            assert_eq!(Memo::new(Rules::EMPTY_CAPTURE).value(&start), emptycap, "emptycap ({pits},{stones})");
        }
    }

    #[test]
    fn known_values_that_tell_variants_apart() {
        let value = |name: &str, pits, stones| {
            Memo::new(name.parse().unwrap()).value(&Board::start(pits, stones).unwrap())
        };
        assert_eq!(value("seed,end=cannot-move", 1, 5), 0);
        assert_eq!(value("seed,end=cannot-move", 2, 4), -12);
        assert_eq!(value("seed,origin=skipped", 1, 3), -2);
        assert_eq!(value("seed,origin=skipped", 2, 4), 2);
        assert_eq!(value("seed,sweep=finisher", 1, 1), 2);
        assert_eq!(value("seed,sweep=none", 4, 1), 0);
    }

    #[test]
    fn a_finished_position_is_worth_its_sweep() {
        let value = |board: &str, rules: &str| {
            let (board, rules) = (board.parse().unwrap(), rules.parse().unwrap());
            (self::value(&board, &rules), Memo::new(rules).value(&board))
        };
        assert_eq!(value("0,0,9 | 1,2,5 A", "seed"), (-3, -3));
        assert_eq!(value("0,0,9 | 1,2,5 B", "seed"), (3, 3));
        assert_eq!(value("0,0,9 | 1,2,5 A", "seed,sweep=finisher"), (-3, -3));
        assert_eq!(value("0,0,9 | 1,2,5 B", "seed,sweep=finisher"), (-3, -3));
        assert_eq!(value("0,0,9 | 1,2,5 A", "seed,sweep=none"), (0, 0));
        // realmofra/mancala#103, whatever A does: one stone home, five for B.
        assert_eq!(value("0,0,0,0,0,1,20 | 2,0,0,0,0,3,22 A", "seed"), (-4, -4));
    }

    fn small_board() -> impl Strategy<Value = Board> {
        let row = |pits| proptest::collection::vec(0..4_u16, pits);
        (1..=3_usize)
            .prop_flat_map(move |pits| (row(pits), row(pits), 0..9_u16, 0..9_u16, any::<bool>()))
            .prop_map(|(a, b, store_a, store_b, a_moves)| {
                let to_move = if a_moves { Player::A } else { Player::B };
                Board::new(&a, store_a, &b, store_b, to_move).unwrap()
            })
    }

    fn any_rules() -> impl Strategy<Value = Rules> {
        proptest::sample::select(Rules::all().collect::<Vec<_>>())
    }

    /// Plain minimax over whole turns without any window: the value and the first of the best turns.
    fn every_turn(board: &Board, rules: &Rules, plies: u32, evaluation: Evaluation) -> (i32, Vec<usize>) {
        let mut settled = *board;
        if settled.settle(rules).is_some() {
            return (evaluation.finished(settled.difference()), Vec::new());
        }
        if plies == 0 {
            return (evaluation.judge(board, board.to_move()), Vec::new());
        }
        let mut best = (i32::MIN, Vec::new());
        let mut unfinished = vec![(*board, Vec::new())];
        // A stack of turns still to be gone on with; pushed in descending order, so popped in ascending order.
        while let Some((at, turn)) = unfinished.pop() {
            let done = !turn.is_empty() && (at.to_move() != board.to_move() || at.is_over(rules));
            if done {
                let value = if at.is_over(rules) {
                    evaluation.finished(at.with_to_move(board.to_move()).difference())
                } else {
                    -every_turn(&at, rules, plies - 1, evaluation).0
                };
                if value > best.0 {
                    best = (value, turn);
                }
                continue;
            }
            for pit in at.legal(rules).into_iter().rev() {
                let mut next = at;
                next.play(rules, pit).unwrap();
                unfinished.push((next, [turn.clone(), vec![pit]].concat()));
            }
        }
        best
    }

    proptest! {
        #[test]
        fn memory_changes_no_value(board in small_board(), rules in any_rules()) {
            prop_assert_eq!(Memo::new(rules).value(&board), value(&board, &rules));
        }

        #[test]
        fn the_window_changes_no_choice(
            board in small_board(),
            rules in any_rules(),
            plies in 0..5_u32,
            evaluation in proptest::sample::select(Evaluation::ALL.to_vec()),
        ) {
            let found = compound_choice(&board, &rules, plies, evaluation);
            prop_assert_eq!(found, every_turn(&board, &rules, plies, evaluation));
        }

        #[test]
        fn deep_enough_the_difference_is_the_value(board in small_board(), rules in any_rules()) {
            let (found, turn) = compound_choice(&board, &rules, 40, Evaluation::Difference);
            prop_assert_eq!(found - board.difference(), value(&board, &rules));
            let mut end = board;
            for pit in turn {
                end.play(&rules, pit).unwrap();
            }
            prop_assert!(end.is_over(&rules) || end.to_move() != board.to_move());
        }
    }
}
