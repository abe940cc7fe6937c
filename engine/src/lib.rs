//! Dynamic Tree Splitting: a shared-memory parallel game-tree search over any game.
//!
//! After R. Hyatt and H. Nelson, "A High-Performance Parallel Algorithm to Search Depth-First Game Trees": processors that
//! have run out of work ask the busy ones for HELP, pick the best node of their trees to split at, and search its moves
//! together; a better bound found by one is SHAREd with all; the last one at a split point carries its value up.
//!
//! A game implements [`Game`]; a [`Searcher`] searches its positions with one or many processors.

mod account;
mod alone;
#[cfg(not(dts_loom))]
pub mod calibration;
#[cfg(not(dts_loom))]
pub mod conformance;
mod control;
mod dts;
mod game;
mod grain;
mod line;
#[cfg(all(test, dts_loom))]
mod loom_models;
mod memory;
// The loom models have no simulator.
#[cfg_attr(dts_loom, allow(dead_code))]
mod network;
mod node_type;
#[cfg(all(test, not(dts_loom)))]
mod permuted;
mod ranking;
mod root;
mod search;
#[cfg(all(test, not(dts_loom)))]
mod simulated;
#[cfg(not(dts_loom))]
mod simulator;
mod statistics;
mod strategy;
#[cfg(all(test, not(dts_loom)))]
mod stress;
mod sync;
pub mod table;
mod tally;
#[cfg(not(dts_loom))]
mod threads;
#[cfg(all(test, not(dts_loom)))]
mod toys;
mod trace;
mod tree;
mod value;
mod whole_file;

pub use account::{BranchAccount, Branches, LAST_BRANCH};
pub use control::{Limits, StopReason};
pub use dts::choose::SplitPolicy;
pub use game::{Answer, Attempt, Game, Memory, Node, Opening, Proof, Scope, scout_first};
pub use line::Line;
pub use memory::{advise_large_pages, available_bytes, prefetch};
pub use network::Topology;
pub use node_type::{Expectation, NodeType};
pub use root::{Approach, Plan, RootMove, RootState, Values};
pub use search::Progress;
#[cfg(not(dts_loom))]
pub use simulator::{CostError, CostModel, VirtualTime};
pub use statistics::Statistics;
pub use strategy::{Strategy, UnknownStrategy};
#[cfg(not(dts_loom))]
pub use threads::{MOST_PROCESSORS, Options, Report, SearchError, Searcher, SetupError};
pub use trace::{Event, TraceEvent, write_chrome_trace};
pub use value::{HIGHEST, LOWEST, Range, Side, Value, Window};
pub use whole_file::write_whole;
