//! What holds over all positions.

use serde::{Deserialize, Serialize};

use crate::Row;
use crate::statistics::{geometric_mean, interval, mean, median};

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
    /// The median over the positions of how far the repeats' times lie apart; empty for one repeat.
    pub spread_median: Option<f64>,
    /// The mean of W/C, the speedup that no number of processors could exceed; only of simulations.
    pub parallelism_mean: Option<f64>,
    /// The mean of the time over the prediction C + W/P: above 1 the processors waited for each other, or paid for
    /// splitting, more than a greedy schedule would; only of simulations.
    pub time_over_prediction_mean: Option<f64>,
    /// The lower end of the 95 % interval of the mean speedup over the repeats, each with its own mean over the positions; empty for
    /// one repeat.
    pub repeats_low95: Option<f64>,
    /// The upper end.
    pub repeats_high95: Option<f64>,
}

impl Summary {
    /// The summary of the rows of one (strategy, processors), beside those of the same strategy at one
    /// processor; both hold one row a position. `repeats` are the mean speedups of each repeat.
    pub(crate) fn of(rows: &[&Row], alone: &[&Row], repeats: &[f64]) -> Summary {
        let all = |field: fn(&Row) -> f64| -> Vec<f64> { rows.iter().map(|row| field(row)).collect() };
        let known = |field: fn(&Row) -> Option<f64>| -> Option<f64> {
            let values: Option<Vec<f64>> = rows.iter().map(|row| field(row)).collect();
            values.map(|values| mean(&values))
        };
        let total = |rows: &[&Row]| rows.iter().map(|row| row.time).sum::<f64>();
        let speedups = all(|row| row.speedup);
        let over_repeats = interval(repeats);
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
            spread_median: (rows[0].repeats > 1).then(|| median(&mut all(|row| row.spread))),
            parallelism_mean: known(|row| Some(row.work? / row.critical_path?)),
            time_over_prediction_mean: known(|row| Some(row.time / row.prediction?)),
            repeats_low95: over_repeats.map(|(low, _)| low),
            repeats_high95: over_repeats.map(|(_, high)| high),
        }
    }
}
