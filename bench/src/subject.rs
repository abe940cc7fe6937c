//! What is measured.

use serde::{Deserialize, Serialize};

use crate::Failure;

/// A set of positions and the means to search them.
///
/// Object-safe, so that a program can choose the game when it runs.
pub trait Subject {
    /// The names of the positions, in the order in which they are run. Names are what an interrupted
    /// experiment recognises its rows by: each is unique and has no line break.
    fn positions(&self) -> Vec<String>;

    /// Searches one position once, from a fresh state (tables, killers, history): what an earlier run left
    /// behind must not shorten a later one.
    fn run(&mut self, trial: &Trial<'_>) -> Result<Measurement, Failure>;

    /// The same search again with a record of what each processor did when, for the report's timeline. Asked for
    /// once, after all measurements. Nothing if the subject keeps no records.
    fn trace(&mut self, trial: &Trial<'_>) -> Result<Option<Traced>, Failure> {
        let _ = trial;
        Ok(None)
    }
}

/// One run that an experiment asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial<'a> {
    /// The index of the position in [`Subject::positions`].
    pub position: usize,
    /// The strategy, as the experiment was given it.
    pub strategy: &'a str,
    /// How many processors search.
    pub processors: usize,
    /// Which repeat this is, from 1.
    pub repeat: u32,
    /// The experiment's seed for the first repeat, one more for each later one: repeats of a simulated
    /// search are different schedules of the same work, and any of them can be run again alone.
    pub seed: u64,
}

/// What one run gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurement {
    /// The value of the position; every run of one position must agree on it.
    pub value: i64,
    /// Nodes searched by all processors together.
    pub nodes: u64,
    /// Seconds, or virtual node times on the simulated backend.
    pub time: f64,
    /// The share of all processors' time that was spent without work, 0 to 1.
    pub idle_share: f64,
    /// Splits made.
    pub splits: u64,
    /// How often work in progress was stopped because another processor's result made it pointless.
    pub stops: u64,
    /// How deep the position was searched, in the game's own unit; none if to the end.
    pub depth: Option<u32>,
    /// What only a simulation knows; none on threads.
    pub simulated: Option<Simulated>,
}

/// What only a simulation knows of a search, in the unit of its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simulated {
    /// W: the time of all nodes searched, by whomever.
    pub work: f64,
    /// C: the longest chain of nodes each of which had to wait for the one before.
    pub critical_path: f64,
}

impl Simulated {
    /// C + W/P: what a greedy schedule of the same work would take at most.
    pub fn prediction(&self, processors: usize) -> f64 {
        self.critical_path + self.work / processors as f64
    }
}

/// A search with the record of what each processor did when.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    /// What the search gave.
    pub measurement: Measurement,
    /// The record: an array of trace events in the JSON form that [`Timeline::read`](crate::Timeline::read)
    /// understands.
    pub events: Vec<u8>,
    /// Whether it ends before the search does, because there was no room for more.
    pub cut: bool,
}

impl Measurement {
    /// Why this cannot be a row: ratios need something above zero to divide by.
    pub(crate) fn flaw(&self) -> Option<String> {
        if !(self.time.is_finite() && self.time > 0.0) {
            Some(format!("a time of {} cannot be compared; choose positions that take longer", self.time))
        } else if self.nodes == 0 {
            Some("no node was searched, so there is nothing to compare; leave the position out".to_owned())
        } else if !(0.0..=1.0).contains(&self.idle_share) {
            Some(format!("an idle share of {} is not between 0 and 1", self.idle_share))
        } else if let Some(Simulated { work, critical_path }) = self.simulated
            && !(work.is_finite() && work > 0.0 && critical_path.is_finite() && critical_path > 0.0)
        {
            Some(format!("work of {work} and a critical path of {critical_path} are not both above 0"))
        } else {
            None
        }
    }
}

/// What searches: threads in real time, or virtual processors in virtual time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// Threads; times are seconds.
    #[default]
    Threads,
    /// The simulator; times are virtual node times.
    Simulated,
}

impl Backend {
    /// The name that rows carry.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Threads => "threads",
            Backend::Simulated => "simulated",
        }
    }
}
