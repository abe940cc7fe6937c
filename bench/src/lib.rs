//! Experiments: how much faster is a search with more processors?
//!
//! An [`Experiment`] runs every position with every strategy at every number of processors, several times
//! over, and makes of the measurements one [`Row`] a configuration, a [`Summary`] over the positions, and a
//! plot. It knows no game and no engine: what is searched stands behind the trait [`Subject`].
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use dts_bench::{Backend, Experiment, Failure, Measurement, Subject, Trial};
//!
//! /// A search that parallelises without loss.
//! struct Perfect;
//!
//! impl Subject for Perfect {
//!     fn positions(&self) -> Vec<String> {
//!         vec!["first".to_owned(), "second".to_owned()]
//!     }
//!
//!     fn run(&mut self, trial: &Trial<'_>) -> Result<Measurement, Failure> {
//!         let time = 1000.0 / trial.processors as f64;
//!         Ok(Measurement {
//!             value: 3,
//!             nodes: 1000,
//!             time,
//!             idle_share: 0.0,
//!             splits: 0,
//!             stops: 0,
//!             depth: None,
//!             simulated: None,
//!         })
//!     }
//! }
//!
//! let experiment = Experiment {
//!     title: "a perfect search".to_owned(),
//!     strategies: vec!["dts".to_owned()],
//!     processors: vec![1, 4],
//!     backend: Backend::Simulated,
//!     ..Experiment::default()
//! };
//! let outcome = experiment.run(&mut Perfect, None, &mut |_| ControlFlow::Continue(()))?;
//! assert_eq!(outcome.rows.len(), 4);
//! assert_eq!(outcome.summary[1].speedup_mean, 4.0);
//! # Ok::<(), dts_bench::Error>(())
//! ```
#![forbid(unsafe_code)]

mod ceiling;
mod error;
mod experiment;
mod least_squares;
mod machine;
mod page;
mod paper_tables;
mod plot;
mod progress;
mod published;
mod report;
mod row;
mod slowest;
mod statistics;
mod store;
mod subject;
mod summary;
mod timeline;
mod verdict;

pub use ceiling::{Ceiling, CeilingRun, ceilings, processes_at_once};
pub use error::{Disagreement, Error, Failure, RunName};
pub use experiment::{Event, Experiment, Outcome};
pub use least_squares::least_squares;
pub use machine::{COMMIT, VERSION, processor_model};
pub use paper_tables::{Comparison, ComparisonRow, ComparisonTable, Method, PaperTables};
pub use plot::{Axes, Plot, PublishedCurve};
pub use progress::Progress;
pub use published::{PAPER_POSITIONS, PAPER_PROCESSORS, Published};
pub use row::{Row, RunRow};
pub use subject::{Backend, Measurement, Simulated, Subject, Traced, Trial};
pub use summary::Summary;
pub use timeline::{About, Timeline, Unit};
pub use verdict::{Rival, Verdict};
