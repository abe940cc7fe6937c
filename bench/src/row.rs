//! Rows: one a configuration with medians, and one a run.

use serde::{Deserialize, Serialize};

use crate::Backend;
use crate::statistics::{median, median_integer};

/// One (position, strategy, processors) with the medians over its repeats: a line of `dts speedup --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The position's name.
    pub position: String,
    /// The strategy.
    pub strategy: String,
    /// How many processors searched.
    pub processors: usize,
    /// What searched.
    pub backend: Backend,
    /// The position's value, the same in every row of it.
    pub value: i64,
    /// Nodes searched.
    pub nodes: u64,
    /// Seconds, or virtual node times.
    pub time: f64,
    /// The time of the same strategy at one processor over this row's.
    pub speedup: f64,
    /// Nodes over those of the same strategy at one processor.
    pub node_ratio: f64,
    /// The share of all processors' time without work.
    pub idle_share: f64,
    /// Splits made.
    pub splits: u64,
    /// Work stopped because another result made it pointless.
    pub stops: u64,
    /// How many runs the medians are taken over.
    pub repeats: u32,
    /// How far the repeats' times lie apart: (longest - shortest) / median.
    pub spread: f64,
    /// The experiment's seed.
    pub seed: u64,
    /// The version of the program.
    pub version: String,
    /// How deep the position was searched; none if to the end of the game.
    pub depth: Option<u32>,
    /// W: the time of all nodes searched, by whomever; only of a simulation, as are the next two.
    pub work: Option<f64>,
    /// C: the longest chain of nodes each of which had to wait for the one before.
    pub critical_path: Option<f64>,
    /// C + W/P: what a greedy schedule of the same work would take at most.
    pub prediction: Option<f64>,
}

impl RunRow {
    /// Why this cannot have been measured: a row of a file that somebody has changed.
    pub(crate) fn flaw(&self) -> Option<String> {
        let is_time = |time: f64| time.is_finite() && time > 0.0;
        if !is_time(self.time) {
            Some(format!("time {}; accepted: a number above 0", self.time))
        } else if self.nodes == 0 {
            Some("nodes 0; accepted: a whole number above 0".to_owned())
        } else if !(0.0..=1.0).contains(&self.idle_share) {
            Some(format!("idle_share {}; accepted: 0 to 1", self.idle_share))
        } else {
            let simulated =
                [("work", self.work), ("critical_path", self.critical_path), ("prediction", self.prediction)];
            let (name, found) = simulated
                .into_iter()
                .find(|(_, time)| time.map_or(self.backend == Backend::Simulated, |time| !is_time(time)))?;
            let found = found.map_or("is missing".to_owned(), |time| time.to_string());
            Some(format!("{name} {found}; accepted: a number above 0"))
        }
    }
}

impl Row {
    /// The row of a configuration from its runs and those of the same strategy at one processor.
    pub(crate) fn of(runs: &[&RunRow], alone: &[&RunRow], seed: u64) -> Row {
        let float = |runs: &[&RunRow], field: fn(&RunRow) -> f64| -> f64 {
            median(&mut runs.iter().map(|run| field(run)).collect::<Vec<_>>())
        };
        let integer = |runs: &[&RunRow], field: fn(&RunRow) -> u64| -> u64 {
            median_integer(&mut runs.iter().map(|run| field(run)).collect::<Vec<_>>())
        };
        let known = |field: fn(&RunRow) -> Option<f64>| -> Option<f64> {
            let values: Option<Vec<f64>> = runs.iter().map(|run| field(run)).collect();
            values.map(|mut values| median(&mut values))
        };
        let time = float(runs, |run| run.time);
        let nodes = integer(runs, |run| run.nodes);
        let longest = runs.iter().map(|run| run.time).fold(f64::MIN, f64::max);
        let shortest = runs.iter().map(|run| run.time).fold(f64::MAX, f64::min);
        Row {
            position: runs[0].position.clone(),
            strategy: runs[0].strategy.clone(),
            processors: runs[0].processors,
            backend: runs[0].backend,
            value: runs[0].value,
            nodes,
            time,
            speedup: float(alone, |run| run.time) / time,
            node_ratio: nodes as f64 / integer(alone, |run| run.nodes) as f64,
            idle_share: float(runs, |run| run.idle_share),
            splits: integer(runs, |run| run.splits),
            stops: integer(runs, |run| run.stops),
            repeats: runs.len() as u32,
            spread: (longest - shortest) / time,
            seed,
            version: runs[0].version.clone(),
            depth: runs[0].depth,
            work: known(|run| run.work),
            critical_path: known(|run| run.critical_path),
            prediction: known(|run| run.prediction),
        }
    }
}

/// One run: a line of `rows.csv`. The columns of [`Row`], with what identifies the run before the last four, so that
/// older columns stay where they were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    /// The position's name.
    pub position: String,
    /// The strategy.
    pub strategy: String,
    /// How many processors searched.
    pub processors: usize,
    /// What searched.
    pub backend: Backend,
    /// The position's value.
    pub value: i64,
    /// Nodes searched.
    pub nodes: u64,
    /// Seconds, or virtual node times.
    pub time: f64,
    /// The time of the same strategy at one processor in the same repeat over this run's; empty until that
    /// run has been made.
    pub speedup: Option<f64>,
    /// Nodes over those of the same strategy at one processor in the same repeat; empty until that run has
    /// been made.
    pub node_ratio: Option<f64>,
    /// The share of all processors' time without work.
    pub idle_share: f64,
    /// Splits made.
    pub splits: u64,
    /// Work stopped because another result made it pointless.
    pub stops: u64,
    /// How many repeats the experiment makes.
    pub repeats: u32,
    /// Always empty: a single run has no spread.
    pub spread: Option<f64>,
    /// The seed of this run.
    pub seed: u64,
    /// The version of the program.
    pub version: String,
    /// Which repeat this is, from 1.
    pub repeat: u32,
    /// The commit that the program was built from.
    pub commit: String,
    /// The processor of the machine.
    pub processor_model: String,
    /// What the simulator charged for; `none` on threads.
    pub cost_model: String,
    /// How deep the position was searched; none if to the end of the game.
    pub depth: Option<u32>,
    /// W: the time of all nodes searched, by whomever; only of a simulation, as are the next two.
    pub work: Option<f64>,
    /// C: the longest chain of nodes each of which had to wait for the one before.
    pub critical_path: Option<f64>,
    /// C + W/P: what a greedy schedule of the same work would take at most.
    pub prediction: Option<f64>,
}

impl RunRow {
    /// The columns of `rows.csv`.
    pub(crate) const COLUMNS: [&str; 24] = [
        "position",
        "strategy",
        "processors",
        "backend",
        "value",
        "nodes",
        "time",
        "speedup",
        "node_ratio",
        "idle_share",
        "splits",
        "stops",
        "repeats",
        "spread",
        "seed",
        "version",
        "repeat",
        "commit",
        "processor_model",
        "cost_model",
        "depth",
        "work",
        "critical_path",
        "prediction",
    ];

    /// Fills in what compares this run with its partner at one processor.
    pub(crate) fn compare(&mut self, alone: &RunRow) {
        self.speedup = Some(alone.time / self.time);
        self.node_ratio = Some(self.nodes as f64 / alone.nodes as f64);
    }
}
