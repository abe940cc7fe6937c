//! Kalah: the seed's rules as default and their variants, an exact solver, an endgame database and game records.
#![forbid(unsafe_code)]

mod board;
pub mod database;
pub mod evaluation;
mod exact;
mod horizon;
pub mod position;
pub mod program;
pub mod record;
pub mod reference;
mod rules;
mod solver;
pub mod sowing;

pub use board::{Board, BoardError, Landing, MoveError, Played, Player, Swept};
pub use evaluation::{Evaluation, EvaluationError};
pub use exact::{Exact, ExactMemory};
pub use horizon::{Depth, Horizon, Order};
pub use rules::{Capture, End, Origin, Rules, RulesError, Sweep};
pub use solver::{Endgames, Solution, SolveError, Solver, SolverOptions, analyse, choose_turn, split_policy};

/// Boards for speedup experiments, in the text form with a name before each: with one processor and no database each takes some
/// seconds. The full set has more and larger ones.
#[must_use]
pub fn speedup_boards(full: bool) -> &'static str {
    if full { include_str!("../data/speedup-full.txt") } else { include_str!("../data/speedup-quick.txt") }
}
