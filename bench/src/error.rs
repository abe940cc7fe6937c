//! What can go wrong in an experiment.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Any error of a [`Subject`](crate::Subject).
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Why an experiment ended without a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The experiment asks for something impossible.
    #[error("{0}")]
    Plan(String),
    /// Two runs of one position gave different values: one of them is a bug of the search.
    #[error(transparent)]
    ValuesDiffer(#[from] Box<Disagreement>),
    /// The directory holds the rows of another experiment.
    #[error(
        "{} holds rows of another experiment ({}); name another directory, or remove this one's \
         experiment.json and rows.csv to begin again",
        directory.display(),
        differences.join("; ")
    )]
    OtherExperiment {
        /// The directory.
        directory: PathBuf,
        /// What differs, an option each: `depth: 12 there, 14 here`.
        differences: Vec<String>,
    },
    /// A file of an earlier run cannot be read as what it should be.
    #[error("{}{}: {what}", path.display(), line.map(|line| format!(", line {line}")).unwrap_or_default())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1, where one is to blame.
        line: Option<u64>,
        /// What is wrong with it.
        what: String,
    },
    /// Another process writes to the directory.
    #[error("{} is in use by another run", directory.display())]
    InUse {
        /// The directory.
        directory: PathBuf,
    },
    /// A file could not be read or written.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The search itself failed.
    #[error("{run}")]
    Run {
        /// Which run, in words.
        run: String,
        /// What the subject said.
        source: Failure,
    },
    /// The search gave a measurement that cannot be a row.
    #[error("{run}: {what}")]
    Measurement {
        /// Which run, in words.
        run: String,
        /// What is wrong with it.
        what: String,
    },
    /// The observer asked to stop.
    #[error("stopped after {done} of {total} runs")]
    Stopped {
        /// Runs that are done, those of earlier runs of the program included.
        done: usize,
        /// Runs that the experiment consists of.
        total: usize,
    },
    /// The plot could not be drawn.
    #[error("the plot could not be drawn: {0}")]
    Plot(String),
}

impl Error {
    pub(crate) fn file(path: &Path, source: io::Error) -> Error {
        Error::File { path: path.to_owned(), source }
    }
}

/// Two runs of one position that disagree about its value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("position {position}: {first} gave {first_value}, {second} gave {second_value}")]
pub struct Disagreement {
    /// The position.
    pub position: String,
    /// The earlier run.
    pub first: RunName,
    /// Its value.
    pub first_value: i64,
    /// The later run.
    pub second: RunName,
    /// Its value.
    pub second_value: i64,
}

/// One run of a position, as people read it: `dts at 4 processors (repeat 2)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunName {
    /// The strategy.
    pub strategy: String,
    /// How many processors searched.
    pub processors: usize,
    /// Which repeat, from 1.
    pub repeat: u32,
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunName { strategy, processors, repeat } = self;
        let plural = if *processors == 1 { "" } else { "s" };
        write!(f, "{strategy} at {processors} processor{plural} (repeat {repeat})")
    }
}
