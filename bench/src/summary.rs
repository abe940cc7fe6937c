//! What holds over all positions.

use serde::{Deserialize, Serialize};

use crate::Row;
use crate::statistics::{geometric_mean, interval, mean};

/// One (strategy, processors) over all positions: a line of `summary.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The strategy.
    pub strategy: String,
    /// How many processors searched.
    pub processors: usize,
    /// Over how many positions.
    pub positions: usize,
    /// The arithmetic mean of the speedups, each position weighing the same.
    pub speedup_mean: f64,
    /// Their geometric mean.
    pub speedup_geometric_mean: f64,
    /// The least speedup.
    pub speedup_min: f64,
    /// The greatest speedup.
    pub speedup_max: f64,
    /// The lower end of the 95 % interval of the mean (Student's t over positions); empty for one position.
    pub speedup_low95: Option<f64>,
    /// The upper end.
    pub speedup_high95: Option<f64>,
    /// The mean of the node ratios.
    pub node_ratio_mean: f64,
    /// The mean of the idle shares.
    pub idle_share_mean: f64,
    /// All positions' time at one processor over all positions' time here: long searches weigh more.
    pub total_time_ratio: f64,
}

impl Summary {
    /// The summary of the rows of one (strategy, processors), beside those of the same strategy at one
    /// processor; both hold one row a position.
    pub(crate) fn of(rows: &[&Row], alone: &[&Row]) -> Summary {
        let all = |field: fn(&Row) -> f64| -> Vec<f64> { rows.iter().map(|row| field(row)).collect() };
        let total = |rows: &[&Row]| rows.iter().map(|row| row.time).sum::<f64>();
        let speedups = all(|row| row.speedup);
        let interval = interval(&speedups);
        Summary {
            strategy: rows[0].strategy.clone(),
            processors: rows[0].processors,
            positions: rows.len(),
            speedup_mean: mean(&speedups),
            speedup_geometric_mean: geometric_mean(&speedups),
            speedup_min: speedups.iter().copied().fold(f64::MAX, f64::min),
            speedup_max: speedups.iter().copied().fold(f64::MIN, f64::max),
            speedup_low95: interval.map(|(low, _)| low),
            speedup_high95: interval.map(|(_, high)| high),
            node_ratio_mean: mean(&all(|row| row.node_ratio)),
            idle_share_mean: mean(&all(|row| row.idle_share)),
            total_time_ratio: total(alone) / total(rows),
        }
    }
}
