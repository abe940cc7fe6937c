//! Artificial game trees, for experiments with a parallel search whose tree is to be known and to be any.
//!
//! A tree is a [`Shape`] and a seed; nothing of it is kept in memory. In *incremental* trees a move wins something for its mover,
//! and a leaf is worth the sum; the order of moves sees what a move wins through noise, and the noise sets how good the order is. In
//! *planted* trees one child of each node inherits the node's value, and the others are worse for its mover: the value is known at
//! any size, and the chance that the right child comes first is the dial.
//!
//! A third kind is not made but taken down: [`record`] writes the tree of a real game, and [`Replayed`] is the game of such a tree.
//!
//! ```
//! use dts_engine::{Limits, Options, Plan, Searcher};
//! use dts_synthetic::{Shape, Tree};
//!
//! let shape = Shape { width: 5, depth: 6, ..Shape::default() };
//! let tree = Tree::new(shape, 1)?;
//! let root = tree.root();
//! let mut searcher = Searcher::new(tree, None, Options::default())?;
//! let report = searcher.search(root, Plan::fixed(6), &Limits::new())?;
//! assert!(report.state.is_some_and(|root| root.range.is_exact()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod entry;
mod memory;
mod random;
mod replay;
mod shape;
mod tree;

pub use replay::{
    DEEPEST_BELOW, FileFault, Key, LONGEST_TEXT, MOST_CHILDREN, MOST_NODES, MOST_PLIES, MOST_VALUE, Misfit,
    RecordError, RecordPhase, RecordProgress, Recorded, Recording, Replayed, ReplayedLocal, ReplayedPosition,
    ReplayedSource, TreeFileError, record,
};
pub use shape::{DEEPEST, Kind, MOST_GAIN, NodeCost, Shape, ShapeError, WIDEST};
pub use tree::{Local, Move, Position, Source, Tree};
