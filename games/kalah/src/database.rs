//! The endgame database: the exact value of every position with few stones left on the pits.
//!
//! The value of a position is its *future difference*: the stones the side to move will still bring to his store,
//! less those his opponent will, under best play of both. It depends on nothing but the two rows, so a database of
//! an M-pit board answers for every game on such a board, however many stones it began with.
//!
//! The entry of a position lies at `start(other) + id(own)`: the entries of all rows the mover may have against one
//! row of his opponent lie together, in the order of their ids. One byte an entry.

mod build;
mod file;
mod rank;
mod rows;

use std::fmt;
use std::path::PathBuf;

use crate::position::Row;
use crate::{End, Rules, Sweep};
use rank::Ranks;

/// What lies in an entry for a future difference of zero.
const ZERO: u8 = 128;

/// The exact future difference of every position up to a number of stones on the pits. See the
/// [module](self) for what that is.
pub struct Database {
    rules: Rules,
    ranks: Ranks,
    entries: Vec<u8>,
}

/// Where a position's entry lies in a [`Database`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Index(usize);

/// How far a build has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The stones on the pits of the positions now being solved.
    pub layer: u32,
    /// Positions solved.
    pub done: u64,
    /// Positions to solve in all.
    pub total: u64,
}

/// How to build a database.
#[derive(Clone, Copy)]
pub struct Build<'a> {
    /// The threads that work on it, at least 1. The entries do not depend on their number.
    pub threads: usize,
    /// Asked now and then; ends the build early, with [`DatabaseError::Stopped`], once it is true.
    pub stop: Option<&'a (dyn Fn() -> bool + Sync)>,
    /// Called now and then by one of the threads, never by two at once; the last call has `done == total`.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl Default for Build<'_> {
    /// One thread, neither stopped nor watched.
    fn default() -> Self {
        Build { threads: 1, stop: None, progress: None }
    }
}

impl fmt::Debug for Build<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Build").field("threads", &self.threads).finish_non_exhaustive()
    }
}

/// Why there is no database.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// No board has so many pits.
    #[error("a database for {0} pits a side; accepted: 1 to {max}", max = Database::MOST_PITS)]
    Pits(u32),
    /// The values would not fit an entry.
    #[error("a database of up to {0} stones; accepted: 0 to {max}", max = Database::MOST_STONES)]
    Stones(u32),
    /// More entries than can be numbered.
    #[error("a database of up to {stones} stones on {pits} pits a side is beyond any machine")]
    TooLarge {
        /// The pits of each side.
        pits: u32,
        /// The most stones on the pits.
        stones: u32,
    },
    /// The machine does not give the memory.
    #[error("no memory for a database of {bytes} bytes")]
    Memory {
        /// What the database and its building need.
        bytes: u64,
    },
    /// The caller's stop flag was raised.
    #[error("the building of the database was stopped")]
    Stopped,
    /// The system refused something.
    #[error("{}: cannot {action} the database: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not the database that was asked for.
    #[error("{}: {fault}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: FileFault,
    },
}

/// What is wrong with a database file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileFault {
    /// It does not begin as a database does.
    #[error("not a kalah database")]
    Foreign,
    /// Another version of the program wrote it, in another way.
    #[error("a kalah database of format {found}; this program reads format {wanted}")]
    Version {
        /// The format of the file.
        found: u32,
        /// The format this program writes and reads.
        wanted: u32,
    },
    /// It begins as a database, but its first bytes are damaged.
    #[error("damaged: the checksum of its header is wrong")]
    Header,
    /// It is for other rules.
    #[error("a database for the rules `{found}`; wanted: `{wanted}`")]
    Rules {
        /// The rules of the file.
        found: Rules,
        /// The rules asked for.
        wanted: Rules,
    },
    /// It is for another board or another number of stones.
    #[error("a database of up to {} stones on {} pits a side; wanted: {} on {}", found.1, found.0, wanted.1, wanted.0)]
    Size {
        /// Pits and stones of the file.
        found: (u32, u32),
        /// Pits and stones asked for.
        wanted: (u32, u32),
    },
    /// It is shorter or longer than it should be.
    #[error("damaged: {found} bytes long instead of {wanted}")]
    Length {
        /// The length of the file.
        found: u64,
        /// The length it should have.
        wanted: u64,
    },
    /// The entries are not those that were written.
    #[error("damaged: the checksum of its entries is wrong")]
    Entries,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database")
            .field("rules", &self.rules)
            .field("pits", &self.pits())
            .field("stones", &self.stones())
            .finish_non_exhaustive()
    }
}

impl Database {
    /// The most pits a side.
    pub const MOST_PITS: u32 = 12;
    /// The most stones on the pits.
    pub const MOST_STONES: u32 = 127;

    /// The number of positions with at most `stones` on the pits of a board with `pits` a side.
    ///
    /// ```
    /// use dts_kalah::database::Database;
    ///
    /// assert_eq!(Database::positions(6, 18)?, 86_493_225);
    /// # Ok::<(), dts_kalah::database::DatabaseError>(())
    /// ```
    pub fn positions(pits: u32, stones: u32) -> Result<u64, DatabaseError> {
        if !(1..=Database::MOST_PITS).contains(&pits) {
            return Err(DatabaseError::Pits(pits));
        }
        if stones > Database::MOST_STONES {
            return Err(DatabaseError::Stones(stones));
        }
        rank::up_to(2 * pits, stones)
            .filter(|&count| usize::try_from(count).is_ok_and(|count| count <= isize::MAX as usize))
            .ok_or(DatabaseError::TooLarge { pits, stones })
    }

    /// The memory a database takes, in bytes.
    pub fn bytes(pits: u32, stones: u32) -> Result<u64, DatabaseError> {
        Ok(Database::positions(pits, stones)? + Ranks::bytes(pits, stones))
    }

    /// The memory the building of a database takes at its peak, the database included, in bytes.
    pub fn build_bytes(pits: u32, stones: u32, threads: usize) -> Result<u64, DatabaseError> {
        Ok(Database::bytes(pits, stones)?.saturating_add(build::bytes(pits, stones, threads)))
    }

    /// Solves every position with at most `stones` on the pits.
    pub fn build(rules: Rules, pits: u32, stones: u32, how: Build<'_>) -> Result<Database, DatabaseError> {
        let bytes = Database::build_bytes(pits, stones, how.threads)?;
        let ranks = Ranks::new(pits, stones).ok_or(DatabaseError::Memory { bytes })?;
        let entries = build::build(rules, &ranks, how, bytes)?;
        Ok(Database { rules, ranks, entries })
    }

    /// The rules whose values these are.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The pits of each side.
    pub fn pits(&self) -> u32 {
        self.ranks.pits() as u32
    }

    /// The most stones on the pits.
    pub fn stones(&self) -> u32 {
        self.ranks.stones() as u32
    }

    /// Where the entry of the position lies whose mover has `own` and whose other side has `other`. Reads no entry,
    /// so that a search can fetch the entries of several positions [ahead](Database::entry) before it uses the
    /// first.
    ///
    /// The caller knows that the rows have the database's pits and together no more than its stones; else the index
    /// is that of another position or of none, and this or the use of the index may panic.
    #[inline]
    #[must_use]
    pub fn index<R: Row>(&self, own: R, other: R) -> Index {
        debug_assert!(own.plus(other).total() <= self.stones());
        Index(self.ranks.index(own, other))
    }

    /// The future difference at `index`.
    #[inline]
    #[must_use]
    pub fn value(&self, index: Index) -> i8 {
        self.entries[index.0].wrapping_sub(ZERO) as i8
    }

    /// The byte at `index`, for the address of its cache line.
    #[inline]
    #[must_use]
    pub fn entry(&self, index: Index) -> &u8 {
        &self.entries[index.0]
    }

    /// The future difference of a position, seen from the side to move, if its stones are few enough.
    ///
    /// A position with an empty row that ends the game has the value of its sweep; where the rules give that to the
    /// finisher, the last move counts as made by the opponent of the side to move.
    #[inline]
    #[must_use]
    pub fn get<R: Row>(&self, own: R, other: R) -> Option<i8> {
        (own.plus(other).total() <= self.stones()).then(|| self.value(self.index(own, other)))
    }
}

/// The future difference where the game is over: the mover has `own` stones left on his pits, the other `other`,
/// and the last move was the opponent's.
fn swept(rules: Rules, own: i32, other: i32) -> i32 {
    match rules.sweep {
        Sweep::Owner => own - other,
        Sweep::Finisher => -(own + other),
        Sweep::None => 0,
    }
}

/// Whether the game is over with these stones in the row of the mover and of the other.
fn is_over(rules: Rules, own: usize, other: usize) -> bool {
    own == 0 || other == 0 && rules.end == End::AnyRow
}

#[cfg(test)]
mod tests;
