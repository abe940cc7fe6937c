//! Bridge: deals and records, a double-dummy solver, par.
#![forbid(unsafe_code)]

mod auction;
mod batch;
mod batch_run;
mod card;
mod cards;
mod deal;
mod hands_file;
mod lin;
mod par;
mod pbn;
mod pbn_game;
mod record;
mod search;
mod solver;
mod table;

pub use auction::Contract;
pub use batch::{Batch, BatchError, BatchOptions, Play, Question, Reply, Solved};
pub use card::{Card, NameError, Partnership, Rank, Seat, Strain, Suit, read_cards};
pub use cards::Cards;
pub use deal::{Deal, DealError, Situation};
pub use hands_file::{HandsFileBoard, read_hands_file, write_hands_file};
pub use lin::{LinBoard, read_lin, write_lin};
pub use par::{Par, ParContract, UnknownVulnerable, Vulnerable, dealer_par, par, score};
pub use pbn::{FormatError, read_pbn, write_pbn};
pub use record::{PlayError, Record, read_records};
pub use search::double_dummy::{DoubleDummy, Local, Ranks, Shared, Untried};
pub use search::position::Position;
pub use solver::{CardValue, CardValues, Cost, Solution, SolveError, Solver, SolverOptions};
pub use table::TrickTable;
