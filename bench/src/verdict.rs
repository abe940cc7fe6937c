//! Which strategy is the fastest, and whether that is more than noise.
//!
//! Strategies are compared position by position: some positions split well for all of them and some for none, and
//! what all have in common cancels in the difference. So the question is not whether two intervals of means
//! overlap but whether the interval of the mean difference holds zero.

use std::fmt;

use crate::statistics::{interval, mean};
use crate::{Outcome, Row};

/// Which strategy is the fastest at a number of processors.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// How many processors searched.
    pub processors: usize,
    /// The strategy with the largest mean speedup, the first of several.
    pub best: String,
    /// That mean speedup.
    pub speedup: f64,
    /// The other strategies, the faster ones first.
    pub rivals: Vec<Rival>,
}

/// Another strategy beside the best one.
#[derive(Clone, Debug, PartialEq)]
pub struct Rival {
    /// The strategy.
    pub strategy: String,
    /// Its mean speedup.
    pub speedup: f64,
    /// The 95 % interval (Student's t) of the mean, over the positions, of the best one's speedup less this one's;
    /// none for one position.
    pub behind: Option<(f64, f64)>,
}

impl Rival {
    /// Whether it may as well be as fast as the best one.
    pub fn within_noise(&self) -> bool {
        self.behind.is_some_and(|(low, _)| low <= 0.0)
    }
}

impl Verdict {
    /// Whether nobody is within the noise of the best one.
    pub fn is_clear(&self) -> bool {
        !self.rivals.iter().any(Rival::within_noise)
    }

    fn of(processors: usize, rows: &[Row]) -> Option<Verdict> {
        // The rows of a strategy, position by position in the same order for all.
        let mut speedups: Vec<(&str, Vec<f64>)> = Vec::new();
        for row in rows.iter().filter(|row| row.processors == processors) {
            match speedups.iter_mut().find(|(strategy, _)| *strategy == row.strategy) {
                Some((_, all)) => all.push(row.speedup),
                None => speedups.push((&row.strategy, vec![row.speedup])),
            }
        }
        // A stable sort: of equals the one that was named first.
        speedups.sort_by(|(_, left), (_, right)| mean(right).total_cmp(&mean(left)));
        let (best, fastest) = speedups.first()?;
        let rivals = speedups[1..].iter().map(|(strategy, others)| {
            let behind: Vec<f64> = fastest.iter().zip(others).map(|(best, other)| best - other).collect();
            Rival { strategy: (*strategy).to_owned(), speedup: mean(others), behind: interval(&behind) }
        });
        Some(Verdict {
            processors,
            best: (*best).to_owned(),
            speedup: mean(fastest),
            rivals: rivals.collect(),
        })
    }
}

/// The verdict in one sentence: `dts is fastest at 16 processors: 13.8, pvs 5.20`.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdict { processors, best, speedup, rivals } = self;
        if rivals.is_empty() {
            let speedup = three_figures(*speedup);
            return write!(f, "{best} is {speedup} times as fast at {processors} processors as at one");
        }
        let equal = |rival: &Rival| rival.behind == Some((0.0, 0.0));
        if rivals.iter().all(equal) {
            let names = rivals.iter().map(|rival| format!(" and {}", rival.strategy)).collect::<String>();
            return write!(
                f,
                "{best}{names} are equal at {processors} processors: {}",
                three_figures(*speedup)
            );
        }
        let is = if self.is_clear() { "is fastest" } else { "leads" };
        write!(f, "{best} {is} at {processors} processors: {}", three_figures(*speedup))?;
        for rival in rivals {
            write!(f, ", {} {}", rival.strategy, three_figures(rival.speedup))?;
            if rival.within_noise() {
                write!(f, " (within the noise)")?;
            }
        }
        if rivals.iter().any(|rival| rival.behind.is_none()) {
            write!(f, " (one position, so nothing tells the noise)")?;
        }
        Ok(())
    }
}

impl Outcome {
    /// The verdict at every number of processors above one, the largest number last.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let mut counts: Vec<usize> =
            self.summary.iter().map(|line| line.processors).filter(|count| *count > 1).collect();
        counts.sort_unstable();
        counts.dedup();
        counts.into_iter().filter_map(|count| Verdict::of(count, &self.rows)).collect()
    }
}

/// What the verdicts say together, in words: who wins at which numbers of processors.
pub(crate) fn in_words(verdicts: &[Verdict]) -> String {
    let mut groups: Vec<(&str, bool, Vec<usize>)> = Vec::new();
    for verdict in verdicts {
        let (best, clear) = (verdict.best.as_str(), verdict.is_clear());
        match groups.iter_mut().find(|group| (group.0, group.1) == (best, clear)) {
            Some((.., counts)) => counts.push(verdict.processors),
            None => groups.push((best, clear, vec![verdict.processors])),
        }
    }
    let said = groups.into_iter().map(|(best, clear, counts)| {
        let counts = listed(&counts);
        match clear {
            true => format!("{best} is fastest at {counts} processors"),
            false => format!("{best} leads at {counts} processors, within the noise"),
        }
    });
    said.collect::<Vec<_>>().join("; ")
}

/// `2, 4 and 8`.
fn listed(counts: &[usize]) -> String {
    let texts: Vec<String> = counts.iter().map(usize::to_string).collect();
    match texts.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => texts.concat(),
    }
}

/// Three figures, as many as a speedup is worth.
fn three_figures(value: f64) -> String {
    let decimals = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;

    fn row(position: &str, strategy: &str, processors: usize, speedup: f64) -> Row {
        Row {
            position: position.into(),
            strategy: strategy.into(),
            processors,
            backend: Backend::Threads,
            value: 0,
            nodes: 1,
            time: 1.0,
            speedup,
            node_ratio: 1.0,
            idle_share: 0.0,
            splits: 0,
            stops: 0,
            repeats: 1,
            spread: 0.0,
            seed: 1,
            version: String::new(),
            depth: None,
            work: None,
            critical_path: None,
            prediction: None,
        }
    }

    /// Rows of strategies at 16 processors, a speedup a position.
    fn rows(strategies: &[(&str, &[f64])]) -> Vec<Row> {
        let mut rows = Vec::new();
        for (strategy, speedups) in strategies {
            for (position, speedup) in speedups.iter().enumerate() {
                rows.push(row(&position.to_string(), strategy, 16, *speedup));
            }
        }
        rows
    }

    #[test]
    fn equals_do_not_lead() {
        let rows = ["a", "b"].iter().flat_map(|name| [row(name, "dts", 4, 2.0), row(name, "pvs", 4, 2.0)]);
        let verdict = Verdict::of(4, &rows.collect::<Vec<_>>()).expect("rows");
        assert_eq!(verdict.to_string(), "dts and pvs are equal at 4 processors: 2.00");
    }

    #[test]
    fn differences_are_paired() {
        // The means' intervals overlap widely, but pvs is behind by 1, 1 and 1 at every position.
        let rows = rows(&[("pvs", &[1.0, 5.0, 9.0]), ("dts", &[2.0, 6.0, 10.0])]);
        let verdict = Verdict::of(16, &rows).unwrap();
        assert_eq!((verdict.best.as_str(), verdict.speedup), ("dts", 6.0));
        let rival = Rival { strategy: "pvs".into(), speedup: 5.0, behind: Some((1.0, 1.0)) };
        assert_eq!(verdict.rivals, [rival]);
        assert!(verdict.is_clear());
        assert_eq!(verdict.to_string(), "dts is fastest at 16 processors: 6.00, pvs 5.00");
    }

    #[test]
    fn what_may_be_chance_is_said_to_be() {
        let rows = rows(&[
            ("dts", &[13.0, 14.0, 15.0]),
            ("ybw", &[14.0, 13.0, 14.0]),
            ("sequential", &[1.0, 1.0, 1.0]),
        ]);
        let verdict = Verdict::of(16, &rows).unwrap();
        assert!(!verdict.is_clear());
        assert_eq!(
            verdict.to_string(),
            "dts leads at 16 processors: 14.0, ybw 13.7 (within the noise), sequential 1.00"
        );
        // -1, 1, 1: mean 1/3, standard deviation 1.1547, half an interval of 4.3027 x 1.1547 / sqrt 3.
        let (low, high) = verdict.rivals[0].behind.unwrap();
        assert!((low + 2.5351).abs() < 1e-3 && (high - 3.2018).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn one_strategy_and_one_position_have_nothing_to_compare() {
        let alone = Verdict::of(16, &rows(&[("dts", &[13.8])])).unwrap();
        assert_eq!(alone.to_string(), "dts is 13.8 times as fast at 16 processors as at one");
        let two = Verdict::of(16, &rows(&[("dts", &[130.8]), ("pvs", &[5.2])])).unwrap();
        assert_eq!(
            two.to_string(),
            "dts is fastest at 16 processors: 131, pvs 5.20 (one position, so nothing tells the noise)"
        );
        assert_eq!(Verdict::of(8, &rows(&[("dts", &[13.8])])), None);
    }

    #[test]
    fn verdicts_are_said_together() {
        let verdict = |processors, best: &str, behind| Verdict {
            processors,
            best: best.into(),
            speedup: 2.0,
            rivals: vec![Rival { strategy: "other".into(), speedup: 1.0, behind: Some((behind, 9.0)) }],
        };
        let all = [
            verdict(2, "pvs", -0.5),
            verdict(4, "dts", 0.5),
            verdict(8, "dts", 0.5),
            verdict(16, "dts", 0.5),
        ];
        assert_eq!(
            in_words(&all),
            "pvs leads at 2 processors, within the noise; dts is fastest at 4, 8 and 16 processors"
        );
        assert_eq!(in_words(&[]), "");
    }
}
