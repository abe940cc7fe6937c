//! What the paper printed: R. M. Hyatt and H. L. Nelson, *A High-Performance Parallel Algorithm to Search Depth-First Game Trees*, tables
//! 1 to 6.

use std::sync::OnceLock;

const SPEEDUPS: &str = include_str!("../data/dts-paper/table1_2_3_speedup.csv");
const TIMES: &str = include_str!("../data/dts-paper/table4_time_s.csv");
const NODES: &str = include_str!("../data/dts-paper/table5_nodes.csv");
const BY_POSITION: &str = include_str!("../data/dts-paper/table6_speedup.csv");

/// The numbers of processors in the paper.
pub const PAPER_PROCESSORS: [usize; 5] = [1, 2, 4, 8, 16];
/// The number of positions in the paper.
pub const PAPER_POSITIONS: usize = 24;

/// A row of a table: a figure for each of [`PAPER_PROCESSORS`].
type Figures = [f64; PAPER_PROCESSORS.len()];

/// The paper's figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// Speedups of tables 1 to 3: PVS as published elsewhere, for the scan has another table in its place, EPVS, DTS.
    speedups: [Figures; 3],
    /// What the scan prints as table 1.
    scanned: Figures,
    times: Vec<Figures>,
    nodes: Vec<Figures>,
    by_position: Vec<Figures>,
}

impl Published {
    /// The figures.
    pub fn paper() -> &'static Published {
        static PAPER: OnceLock<Published> = OnceLock::new();
        PAPER.get_or_init(|| {
            let all = rows(SPEEDUPS, 2);
            let speedups = |row: usize| all[row].1;
            Published {
                speedups: [speedups(0), speedups(2), speedups(3)],
                scanned: speedups(1),
                times: positions(TIMES),
                nodes: positions(NODES),
                by_position: positions(BY_POSITION),
            }
        })
    }

    /// The mean speedup of `strategy`: pvs (table 1), epvs (table 2) or dts (table 3).
    pub fn speedup(&self, strategy: &str, processors: usize) -> Option<f64> {
        let table = ["pvs", "epvs", "dts"].iter().position(|known| *known == strategy)?;
        at(&self.speedups[table], processors)
    }

    /// What stands as table 1 in the scan: table 2 again.
    pub fn scanned_speedup(&self, processors: usize) -> Option<f64> {
        at(&self.scanned, processors)
    }

    /// Seconds that DTS took for a position, counted from 0 (table 4).
    pub fn time(&self, position: usize, processors: usize) -> Option<f64> {
        at(self.times.get(position)?, processors)
    }

    /// Nodes of DTS (table 5).
    pub fn nodes(&self, position: usize, processors: usize) -> Option<f64> {
        at(self.nodes.get(position)?, processors)
    }

    /// The speedup of DTS on one position (table 6).
    pub fn position_speedup(&self, position: usize, processors: usize) -> Option<f64> {
        at(self.by_position.get(position)?, processors)
    }

    /// The geometric mean of the speedups in table 6.
    pub fn geometric_mean(&self, processors: usize) -> Option<f64> {
        let all: Option<Vec<f64>> =
            (0..PAPER_POSITIONS).map(|position| self.position_speedup(position, processors)).collect();
        Some(crate::statistics::geometric_mean(&all?))
    }

    /// All time at one processor over all time at `processors` (table 4).
    pub fn total_time_ratio(&self, processors: usize) -> Option<f64> {
        let total = |processors| -> Option<f64> {
            (0..PAPER_POSITIONS).map(|position| self.time(position, processors)).sum()
        };
        Some(total(1)? / total(processors)?)
    }
}

fn at(figures: &Figures, processors: usize) -> Option<f64> {
    let place = PAPER_PROCESSORS.iter().position(|known| *known == processors)?;
    Some(figures[place])
}

/// The rows of a file that stands in the program, without the header: the first column, and the figures behind `skipped` columns.
fn rows(text: &'static str, skipped: usize) -> Vec<(&'static str, Figures)> {
    let row = |line: &'static str| {
        let mut columns = line.splitn(skipped + PAPER_PROCESSORS.len() + 1, ',');
        let name = columns.next().expect("a line has a column");
        let mut columns = columns.skip(skipped - 1);
        let figures = std::array::from_fn(|_| {
            let figure = columns.next().and_then(|text| text.parse().ok());
            figure.expect("the program's own data are whole")
        });
        (name, figures)
    };
    text.lines().skip(1).map(row).collect()
}

/// The rows of the positions.
fn positions(text: &'static str) -> Vec<Figures> {
    let rows = rows(text, 1).into_iter();
    rows.filter(|(name, _)| name.parse::<usize>().is_ok()).map(|(_, figures)| figures).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_is_there_whole() {
        let paper = Published::paper();
        for all in [&paper.times, &paper.nodes, &paper.by_position] {
            assert_eq!(all.len(), PAPER_POSITIONS);
        }
        assert_eq!(paper.speedup("pvs", 16), Some(4.6));
        assert_eq!(paper.scanned_speedup(16), Some(6.0));
        assert_eq!(paper.speedup("epvs", 8), Some(5.4));
        assert_eq!(paper.speedup("dts", 16), Some(11.1));
        assert_eq!((paper.speedup("dts", 32), paper.speedup("ybw", 16)), (None, None));
        assert_eq!(paper.time(17, 16), Some(84.0));
        assert_eq!(paper.nodes(0, 1), Some(87_735_974.0));
        assert_eq!(paper.position_speedup(20, 16), Some(15.3));
    }

    #[test]
    fn its_averages_are_those_of_its_rows() {
        let paper = Published::paper();
        let is = |value: Option<f64>, wanted: f64| {
            let value = value.expect("the paper has it");
            assert!((value - wanted).abs() < 0.006, "{value}, not {wanted}");
        };
        is(paper.geometric_mean(16), 10.82);
        is(paper.total_time_ratio(16), 10.69);
        let mean = (0..24).filter_map(|position| paper.position_speedup(position, 16)).sum::<f64>() / 24.0;
        assert!((mean - 11.05).abs() < 0.005, "{mean}");
    }
}
