//! A kit of tests that any game can run: every promise of [`Game`] checked in random play, and all strategies and
//! numbers of processors held against plain minimax.
//!
//! ```ignore
//! let kit = Conformance { depth: 4, games: 50, ..Conformance::default() };
//! kit.check(|| MyGame::new(), || MyTable::new(), &[MyGame::start()]);
//! ```

use std::fmt::Debug;

use crate::control::Limits;
use crate::game::{Attempt, Game, Memory, Node, Opening};
use crate::root::{Approach, Plan};
use crate::simulator::CostModel;
use crate::strategy::Strategy;
use crate::threads::{Options, Searcher};
use crate::value::{HIGHEST, LOWEST, Range, Side, Value, Window};

/// What to check, and how hard.
#[derive(Clone, Debug)]
pub struct Conformance {
    /// Depth of the searches and of the minimax they are compared with.
    pub depth: i32,
    /// Random games played from each root.
    pub games: u32,
    /// The most moves of a random game.
    pub longest: u32,
    /// Numbers of processors to search with.
    pub processors: Vec<usize>,
    /// The distance of possible values, see [`Approach::Zero`].
    pub step: Value,
    /// Where random play begins.
    pub seed: u64,
}

impl Default for Conformance {
    /// Depth 4, twenty games of at most a hundred moves, 1, 2 and 4 processors.
    fn default() -> Self {
        Conformance { depth: 4, games: 20, longest: 100, processors: vec![1, 2, 4], step: 1, seed: 1 }
    }
}

impl Conformance {
    /// Checks the game that `game` makes, with the memory that `shared` makes, from each of `roots`.
    ///
    /// Values must be well defined: no pruning that looks at the window, and memory that only gives what was stored for the same
    /// depth.
    ///
    /// # Panics
    /// If a promise is broken; the message says which.
    pub fn check<G>(&self, game: impl Fn() -> G, shared: impl Fn() -> G::Shared, roots: &[G::Position])
    where
        G: Game,
        G::Move: Debug,
    {
        let rules = game();
        let empty = shared();
        let mut random = self.seed;
        for root in roots {
            for _ in 0..self.games {
                let path = self.random_game(&rules, &empty, root, &mut random);
                let at = random_below(&mut random, path.len());
                self.compare(&game, &shared, &path[at]);
            }
            self.compare(&game, &shared, root);
        }
    }

    /// Plays at random and checks every node on the way; the positions that were passed.
    fn random_game<G: Game>(
        &self,
        game: &G,
        shared: &G::Shared,
        root: &G::Position,
        random: &mut u64,
    ) -> Vec<G::Position> {
        let mut local = game.local(0);
        let mut path = vec![root.clone()];
        for _ in 0..self.longest {
            let node = Node::new(&path, 0, self.depth.max(1), Window::FULL);
            let mut source = G::Source::default();
            let position = node.position();
            let opening = game.open(&node, &mut source, &mut Memory { shared, local: &mut local });
            let bounds = match &opening {
                Opening::Answered(answer) | Opening::Search(answer) => answer.range,
            };
            assert!(bounds.lower <= bounds.upper, "bounds that cross at {position:?}: {bounds:?}");
            if let Opening::Answered(_) = opening {
                assert!(
                    bounds.is_exact(),
                    "with the full window only a known value is an answer: {bounds:?} at {position:?}"
                );
                assert!(
                    LOWEST < bounds.lower && bounds.upper < HIGHEST,
                    "a value out of range at {position:?}"
                );
                break;
            }
            let copy = source.clone();
            let moves = all_moves(game, position, &mut source);
            assert!(!moves.is_empty(), "a node without moves must be answered: {position:?}");
            assert!(
                game.select(position, &mut source).is_none(),
                "a move after there were none at {position:?}"
            );
            assert_eq!(game.moves_left(position, &source), 0, "no moves are left at {position:?}");
            let again = all_moves(game, position, &mut copy.clone());
            assert!(again == moves, "a copied move source tells other moves at {position:?}");
            assert!(game.moves_left(position, &copy) > 0, "moves are left at {position:?}");
            for (place, chosen) in moves.iter().enumerate() {
                assert!(!moves[..place].contains(chosen), "{chosen:?} comes twice at {position:?}");
            }
            let next = game.play(position, moves[random_below(random, moves.len())]);
            path.push(next);
        }
        path
    }

    /// Compares all strategies and numbers of processors with minimax.
    fn compare<G: Game>(&self, game: &impl Fn() -> G, shared: &impl Fn() -> G::Shared, root: &G::Position) {
        let value = minimax(&game(), &shared(), root, self.depth);
        let wanted = Range::exact(value);
        for strategy in Strategy::ALL {
            for &processors in &self.processors {
                let approaches = [Approach::Open, Approach::Zero { guess: value, step: self.step }];
                let backends = [None, Some(CostModel::default())];
                let ways = approaches.iter().flat_map(|&how| backends.map(|simulate| (how, simulate)));
                for (approach, simulate) in ways {
                    let options = Options {
                        processors,
                        strategy,
                        simulate,
                        blocks: 2,
                        wake_after: 0,
                        ..Options::default()
                    };
                    let mut searcher = Searcher::new(game(), shared(), options).expect("threads");
                    let report = searcher
                        .search(root.clone(), Plan::fixed(self.depth).with(approach), &Limits::new())
                        .expect("the game does not panic");
                    let state = report.state.expect("a search without limits has a result");
                    assert_eq!(
                        state.range,
                        wanted,
                        "{strategy}, {processors} processors, {approach:?}, simulated: {}, from {root:?}",
                        simulate.is_some()
                    );
                    if let Some(best) = state.best {
                        // A value may depend on the positions before.
                        let mut path = vec![root.clone(), game().play(root, best)];
                        let depth = child_depth(&game(), root, best, self.depth);
                        let mut local = game().local(0);
                        let of_best = below(&game(), &shared(), &mut local, &mut path, depth);
                        assert_eq!(of_best, value, "{best:?} is not a best move of {root:?}");
                    }
                }
            }
        }
    }
}

fn all_moves<G: Game>(game: &G, position: &G::Position, source: &mut G::Source) -> Vec<G::Move> {
    std::iter::from_fn(|| game.select(position, source)).collect()
}

/// The depth that a game gives the first attempt at a move.
fn child_depth<G: Game>(game: &G, position: &G::Position, chosen: G::Move, depth: i32) -> i32 {
    let path = [position.clone()];
    let node = Node::new(&path, 0, depth, Window::FULL);
    match game.attempt(&node, chosen, 0, 0, None) {
        Attempt::Search { depth, .. } => depth,
        Attempt::Count | Attempt::Discard => depth - 1,
    }
}

/// Plain minimax over the functions of a game: no window, nothing remembered.
///
/// # Panics
/// If the game opens a node that has no moves.
#[must_use]
pub fn minimax<G: Game>(game: &G, shared: &G::Shared, root: &G::Position, depth: i32) -> Value {
    let mut local = game.local(0);
    let mut path = vec![root.clone()];
    below(game, shared, &mut local, &mut path, depth)
}

fn below<G: Game>(
    game: &G,
    shared: &G::Shared,
    local: &mut G::Local,
    path: &mut Vec<G::Position>,
    depth: i32,
) -> Value {
    let node = Node::new(path, 0, depth, Window::FULL);
    let mut source = G::Source::default();
    let bounds = match game.open(&node, &mut source, &mut Memory { shared, local }) {
        Opening::Answered(answer) => return answer.range.lower,
        Opening::Search(answer) => answer.range,
    };
    let position = node.position().clone();
    let side = game.side(&position);
    // What the mover may be content with.
    let mut best = match side {
        Side::Max => (bounds.lower > LOWEST).then_some(bounds.lower),
        Side::Min => (bounds.upper < HIGHEST).then_some(bounds.upper),
    };
    for chosen in all_moves(game, &position, &mut source) {
        let depth = child_depth(game, &position, chosen, depth);
        path.push(game.play(&position, chosen));
        let value = below(game, shared, local, path, depth);
        path.pop();
        best = Some(match (best, side) {
            (None, _) => value,
            (Some(best), Side::Max) => value.max(best),
            (Some(best), Side::Min) => value.min(best),
        });
    }
    best.expect("a node without moves must be answered")
}

fn random_below(random: &mut u64, end: usize) -> usize {
    *random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
    (*random >> 33) as usize % end.max(1)
}
