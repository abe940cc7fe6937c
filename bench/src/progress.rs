//! How far an experiment is, and how long it may take.

use std::collections::HashMap;
use std::time::Duration;

/// How far an experiment is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Runs that are done, those found in the directory included.
    pub done: usize,
    /// Runs that the experiment consists of.
    pub total: usize,
    /// Runs that an earlier, interrupted run of the program had made.
    pub resumed: usize,
    /// How long the rest may take; nothing before the first run.
    pub left: Option<Duration>,
}

/// Predicts a run's length from the runs made so far: that of the same configuration in another repeat; failing
/// that, the mean over other positions of the same strategy and processors; failing that, the mean of all.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    same: HashMap<(usize, usize), f64>,
    kinds: HashMap<usize, Mean>,
    all: Mean,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, seconds: f64) {
        self.sum += seconds;
        self.count += 1.0;
    }

    fn get(self) -> f64 {
        self.sum / self.count
    }
}

impl Clock {
    /// Remembers how long a run took: its position, and which (strategy, processors) it was.
    pub(crate) fn record(&mut self, position: usize, kind: usize, took: Duration) {
        let seconds = took.as_secs_f64();
        self.same.insert((position, kind), seconds);
        self.kinds.entry(kind).or_default().add(seconds);
        self.all.add(seconds);
    }

    /// How long these runs may take together.
    pub(crate) fn predict(&self, runs: impl Iterator<Item = (usize, usize)>) -> Option<Duration> {
        if self.same.is_empty() {
            return None;
        }
        let seconds = runs.map(|(position, kind)| match self.same.get(&(position, kind)) {
            Some(seconds) => *seconds,
            None => self.kinds.get(&kind).copied().unwrap_or(self.all).get(),
        });
        Some(Duration::from_secs_f64(seconds.sum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_run_predicts() {
        let mut clock = Clock::default();
        let seconds = |clock: &Clock, runs: &[(usize, usize)]| {
            clock.predict(runs.iter().copied()).map(|left| left.as_secs_f64())
        };
        assert_eq!(seconds(&clock, &[(0, 0)]), None);
        clock.record(0, 0, Duration::from_secs(8));
        clock.record(0, 1, Duration::from_secs(4));
        assert_eq!(seconds(&clock, &[]), Some(0.0));
        // The same configuration; the same kind elsewhere; a kind not seen yet.
        assert_eq!(seconds(&clock, &[(0, 1)]), Some(4.0));
        assert_eq!(seconds(&clock, &[(1, 0)]), Some(8.0));
        assert_eq!(seconds(&clock, &[(1, 2), (0, 0)]), Some(6.0 + 8.0));
    }
}
