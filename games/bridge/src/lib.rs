//! Bridge: deals and records, a double-dummy solver, par.
#![forbid(unsafe_code)]

mod card;
mod cards;
mod deal;
mod hands_file;
mod lin;
mod par;
mod pbn;
mod search;
mod solver;
mod table;

pub use card::{Card, NameError, Partnership, Rank, Seat, Strain, Suit};
pub use cards::Cards;
pub use deal::{Deal, DealError, Situation};
pub use hands_file::{HandsFileBoard, read_hands_file, write_hands_file};
pub use lin::{LinBoard, read_lin, write_lin};
pub use par::{Par, ParContract, UnknownVulnerable, Vulnerable, par, score};
pub use pbn::{FormatError, read_pbn, write_pbn};
pub use search::double_dummy::{DoubleDummy, Local, Ranks, Shared, Untried};
pub use search::position::Position;
pub use solver::{CardValue, CardValues, Cost, Solution, SolveError, Solver, SolverOptions};
pub use table::TrickTable;
