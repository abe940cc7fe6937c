//! Trees of real games, recorded once and searched again without the game.
//!
//! [`record`] writes down the whole tree of the first plies of a game, and for each of its leaves what a search of some more plies
//! finds there and costs. [`Recorded`] is that tree, in memory or in a file. [`Replayed`] is the game of it: every strategy and every
//! number of processors searches the very same tree, with the real order of moves and the real scatter of subtree sizes, and in a
//! simulation a leaf takes the time that its subtree took.

mod file;
mod game;
mod record;
mod recorded;

pub use file::{FileFault, TreeFileError};
pub use game::{Replayed, ReplayedLocal, ReplayedPosition, ReplayedSource};
pub use record::{Key, RecordError, RecordPhase, RecordProgress, Recording, record};
pub use recorded::{
    DEEPEST_BELOW, LONGEST_TEXT, MOST_CHILDREN, MOST_NODES, MOST_PLIES, MOST_VALUE, Misfit, Recorded,
};
