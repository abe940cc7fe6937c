//! The measure for the engine's stack: the plainest fast search of kalah that there is, over the same functions of the same
//! game, and the positions that both search.

use std::slice;

use dts_engine::{Attempt, Game, Memory, Node, Opening, Options, Searcher, Side, Strategy, Value, Window};
use dts_kalah::position::{Position, Row};
use dts_kalah::sowing::Sowing;
use dts_kalah::{Depth, Evaluation, Horizon, Order, Rules};

/// Kalah with 6 pits a side, to a fixed number of moves.
pub(crate) type Kalah = Horizon<u64>;
/// Its positions.
pub(crate) type Board = Position<u64>;

/// Two openings and what came of them: stones in each pit, and the pits that have been played.
const GAMES: [(u32, &[u32]); 6] = [
    (4, &[]),
    (6, &[]),
    (4, &[2, 5, 1, 3, 0, 4, 2]),
    (6, &[0, 5, 2, 4, 1, 3, 5]),
    (4, &[2, 5, 1, 3, 0, 4, 2, 1, 0, 3, 5, 2, 4, 1]),
    (6, &[0, 5, 2, 4, 1, 3, 5, 0, 3, 2, 1, 4, 5, 0, 2, 3]),
];

/// The moves of a board of 6 pits a side.
fn sowing() -> Sowing<u64> {
    Sowing::new(Rules::SEED, 6).expect("six pits are possible")
}

/// The positions, with a name each. A pit that holds nothing is passed over when a game is played.
#[must_use]
pub(crate) fn positions() -> Vec<(String, Board)> {
    let sowing = sowing();
    let played = |&(stones, pits): &(u32, &[u32])| {
        let start = sowing.start(stones).expect("so many stones are possible");
        let board = pits.iter().fold(start, |board, &pit| {
            let legal = !board.is_over() && board.own.stones_in(pit) > 0;
            if legal { sowing.play(&board, pit) } else { board }
        });
        (format!("{stones} stones, {} moves", pits.len()), board)
    };
    GAMES.iter().map(played).collect()
}

/// The game for both searches; subtrees of depth `grain` are below the engine's grain, if that is given.
#[must_use]
pub(crate) fn game(grain: Option<i32>) -> Kalah {
    let game = Horizon::new(sowing(), Evaluation::Difference, Depth::Moves, Order::ExtraTurnsFirst, 0, 0);
    match grain {
        Some(depth) => game.with_grain(depth),
        None => game,
    }
}

/// The engine with one processor.
#[must_use]
pub(crate) fn engine(strategy: Strategy, grain: Option<i32>) -> Searcher<Kalah> {
    let options = Options { strategy, ..Options::default() };
    Searcher::new(game(grain), (), options).expect("one processor is possible")
}

/// Recursion with plain values: fail-soft alpha-beta.
#[derive(Debug)]
pub(crate) struct Plain<'a> {
    /// The game.
    pub(crate) game: &'a Kalah,
    /// Nodes searched so far.
    pub(crate) nodes: u64,
}

/// No node is the root: kalah does not ask.
const NO_ROOT: usize = usize::MAX;

impl Plain<'_> {
    /// The value of `position`, or a bound of it that lies outside the window.
    pub(crate) fn search(&mut self, position: &Board, depth: i32, mut window: Window) -> Value {
        self.nodes += 1;
        let game = self.game;
        let node = Node::at(slice::from_ref(position), NO_ROOT, depth, window);
        let mut source = <Kalah as Game>::Source::default();
        let bounds = match game.open(&node, &mut source, &mut Memory { shared: &(), local: &mut () }) {
            Opening::Answered(answer) => return answer.range.lower,
            Opening::Search(bounds) => bounds.range,
        };
        if bounds.upper <= window.alpha {
            return bounds.upper;
        }
        if bounds.lower >= window.beta {
            return bounds.lower;
        }
        window.alpha = window.alpha.max(bounds.lower);
        window.beta = window.beta.min(bounds.upper);
        let side = game.side(position);
        let mut best = if side == Side::Max { bounds.lower } else { bounds.upper };
        let mut number = 0;
        while !window.is_closed() {
            let Some(chosen) = game.select(position, &mut source) else { break };
            let node = Node::at(slice::from_ref(position), NO_ROOT, depth, window);
            let Attempt::Search { depth, .. } = game.attempt(&node, chosen, number, 0, None) else {
                continue;
            };
            let value = self.search(&game.play(position, chosen), depth, window);
            match side {
                Side::Max if value > best => {
                    best = value;
                    window.alpha = window.alpha.max(value);
                }
                Side::Min if value < best => {
                    best = value;
                    window.beta = window.beta.min(value);
                }
                _ => {}
            }
            number += 1;
        }
        best
    }
}
