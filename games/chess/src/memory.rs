//! What the processors of a search share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use cozy_chess::Move;
use dts_engine::table::Table;
use parking_lot::Mutex;

use crate::selective_depth::SelectiveDepth;

/// The most positions before the root that are remembered: after so many moves without capture or pawn move the game is drawn.
const MOST_BEFORE: usize = 128;

/// The keys of the positions before the root, the latest first, as far back as they could be repeated.
///
/// They are written between searches only; atomics make that possible without a lock that every node would have to take.
#[derive(Debug)]
pub(crate) struct GameBefore {
    count: AtomicUsize,
    keys: [AtomicU64; MOST_BEFORE],
}

impl GameBefore {
    fn new() -> GameBefore {
        GameBefore { count: AtomicUsize::new(0), keys: std::array::from_fn(|_| AtomicU64::new(0)) }
    }

    /// From now on these are the positions before the root, the latest first; how many of them are kept.
    pub(crate) fn set(&self, keys: impl Iterator<Item = u64>) -> u16 {
        let mut count = 0;
        for (place, key) in self.keys.iter().zip(keys) {
            place.store(key, Relaxed);
            count += 1;
        }
        self.count.store(count, Relaxed);
        count as u16
    }

    /// How often `key` is among the positions that are at most `reach` plies before one which is `ply` plies below the root.
    #[cold]
    pub(crate) fn count(&self, key: u64, ply: usize, reach: usize) -> usize {
        let known = self.count.load(Relaxed).min(reach - ply);
        self.keys[..known].iter().filter(|place| place.load(Relaxed) == key).count()
    }
}

/// What the processors of a search share: the table, the game before the root, the root moves that count.
#[derive(Debug)]
pub struct ChessMemory {
    /// Values of positions, if they are to be remembered.
    pub table: Option<Arc<Table>>,
    pub(crate) before: GameBefore,
    /// The moves that are searched at the root; all if there are none. Looked at once an iteration.
    pub(crate) root_moves: Mutex<Vec<Move>>,
    /// Shared with whoever reports on the search.
    pub(crate) selective_depth: Arc<SelectiveDepth>,
}

impl ChessMemory {
    /// Memory with a table or without one.
    #[must_use]
    pub fn new(table: Option<Arc<Table>>) -> ChessMemory {
        ChessMemory {
            table,
            before: GameBefore::new(),
            root_moves: Mutex::new(Vec::new()),
            selective_depth: Arc::new(SelectiveDepth::new()),
        }
    }
}
