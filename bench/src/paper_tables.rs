//! The paper's six tables, each figure of the paper beside one of an experiment with the same positions.

mod text;
mod web;

use serde::Serialize;

use crate::published::Published;
use crate::{Backend, Outcome, Plot, PublishedCurve, Row, Summary};

/// A figure of the paper and one measured here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Comparison {
    /// How many processors searched.
    pub processors: usize,
    /// What the paper printed, or what follows from what it printed; none where it says nothing.
    pub paper: Option<f64>,
    /// What was measured here.
    pub ours: Option<f64>,
    /// The lower end of the 95 % interval of what was measured: over the repeats if there are several, else over the positions.
    pub low95: Option<f64>,
    /// The upper end.
    pub high95: Option<f64>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparisonRow {
    /// What the row is about: a position, or a mean.
    pub row: String,
    /// A figure for each number of processors.
    pub cells: Vec<Comparison>,
    /// The digits behind the point that the measured figures deserve, and those of the paper.
    #[serde(skip)]
    pub(crate) decimals: (usize, usize),
}

/// A table of the paper.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparisonTable {
    /// Its number in the paper, 1 to 6; none for a strategy that the paper does not have.
    pub table: Option<u8>,
    /// What it shows.
    pub title: String,
    /// The strategy that it is about.
    pub strategy: String,
    /// Its rows.
    pub rows: Vec<ComparisonRow>,
    /// How the measured figures were made.
    pub how: String,
    /// What is to be known about the paper's figures.
    pub about_paper: String,
}

/// How the figures of an experiment were made, in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Method {
    /// One sentence: search, positions, depths, table.
    pub sentence: String,
    /// What searched.
    pub backend: Backend,
    /// How often.
    pub repeats: u32,
}

/// The tables of one experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperTables {
    /// The tables, those of the paper first.
    pub tables: Vec<ComparisonTable>,
    summary: Vec<Summary>,
}

const REBUILT: &str = "The paper's times and nodes are no measurements: the logs were lost, and both were reckoned back from the \
    speedups of table 6 and the times and nodes at 16 processors.";

impl PaperTables {
    /// The tables of the paper with the numbers `chosen`, 1 to 6, and one for each strategy that the paper does not have.
    ///
    /// The positions of the experiment are the paper's, in its order.
    pub fn of(outcome: &Outcome, chosen: &[u8], method: &Method) -> PaperTables {
        let maker = Maker { outcome, method, paper: Published::paper() };
        let mut tables: Vec<ComparisonTable> =
            chosen.iter().filter_map(|&number| maker.table(number)).collect();
        let mut known = vec!["pvs", "epvs", "dts"];
        for line in &outcome.summary {
            if !known.contains(&line.strategy.as_str()) {
                known.push(&line.strategy);
                tables.push(maker.speedups(None, &line.strategy));
            }
        }
        PaperTables { tables, summary: outcome.summary.clone() }
    }

    /// The measured speedups, with the paper's curves for the strategies that it has.
    pub fn plot(&self, title: &str) -> Plot {
        let paper = Published::paper();
        let published = ["pvs", "epvs", "dts"].into_iter().filter(|strategy| self.has(strategy));
        let curve = |strategy: &str| PublishedCurve {
            label: format!("{strategy}, the paper"),
            strategy: strategy.to_owned(),
            points: crate::PAPER_PROCESSORS
                .into_iter()
                .filter_map(|count| Some((count, paper.speedup(strategy, count)?)))
                .collect(),
        };
        Plot { title: title.to_owned(), published: published.map(curve).collect(), ..Plot::default() }
    }

    /// What came out at most processors, a sentence a strategy: `dts at 16 processors: 12.60, the paper 11.1`.
    pub fn verdicts(&self) -> Vec<String> {
        let most = self.summary.iter().map(|line| line.processors).max().unwrap_or(1);
        let lines = self.summary.iter().filter(|line| line.processors == most && most > 1);
        let sentence = |line: &Summary| {
            let paper = Published::paper().speedup(&line.strategy, most);
            let paper = paper.map_or(String::new(), |figure| format!(", the paper {figure:.1}"));
            format!("{} at {most} processors: {:.2}{paper}", line.strategy, line.speedup_mean)
        };
        lines.map(sentence).collect()
    }

    /// The measured mean speedups.
    pub fn summary(&self) -> &[Summary] {
        &self.summary
    }

    fn has(&self, strategy: &str) -> bool {
        self.summary.iter().any(|line| line.strategy == strategy)
    }
}

/// Makes tables.
struct Maker<'a> {
    outcome: &'a Outcome,
    method: &'a Method,
    paper: &'static Published,
}

impl Maker<'_> {
    /// A table of the paper; none if its strategy was not measured.
    fn table(&self, number: u8) -> Option<ComparisonTable> {
        let strategy = match number {
            1 => "pvs",
            2 => "epvs",
            _ => "dts",
        };
        if !self.outcome.summary.iter().any(|line| line.strategy == strategy) {
            return None;
        }
        Some(match number {
            1..=3 => self.speedups(Some(number), strategy),
            4 => self.positions(
                4,
                match self.method.backend {
                    Backend::Threads => "time of each position, in seconds",
                    Backend::Simulated => {
                        "time of each position, in seconds and in virtual node times (a node of one processor takes 1)"
                    }
                },
                match self.method.backend {
                    Backend::Threads => (2, 0),
                    Backend::Simulated => (0, 0),
                },
                |row| row.time,
                |position, count| self.paper.time(position, count),
                REBUILT,
            ),
            5 => self.positions(
                5,
                "nodes of each position",
                (0, 0),
                |row| row.nodes as f64,
                |position, count| self.paper.nodes(position, count),
                REBUILT,
            ),
            6 => {
                let mut table = self.positions(
                    6,
                    "speedup of each position",
                    (2, 1),
                    |row| row.speedup,
                    |position, count| self.paper.position_speedup(position, count),
                    "The paper's speedups are printed with one decimal; its averages follow from them.",
                );
                table.rows.extend(self.means("dts"));
                table
            }
            _ => return None,
        })
    }

    /// The mean speedups of a strategy.
    fn speedups(&self, table: Option<u8>, strategy: &str) -> ComparisonTable {
        let mut rows = self.means(strategy);
        let about_paper = match table {
            Some(1) => {
                let scanned = |line: &Summary| self.paper.scanned_speedup(line.processors);
                rows.push(self.row("as the scan prints it", (0, 1), strategy, scanned, |_| None));
                "The scan of the paper repeats table 2 in the place of table 1; the figures are those published elsewhere \
                 (chessprogramming wiki, craftychess.com)."
                    .to_owned()
            }
            Some(2) => "The paper gives an arithmetic mean with one decimal.".to_owned(),
            Some(_) => {
                "The paper gives an arithmetic mean with one decimal; its geometric mean and its ratio of total times follow from \
                 tables 6 and 4."
                    .to_owned()
            }
            None => format!("The paper does not have {strategy}."),
        };
        ComparisonTable {
            table,
            title: format!("speedup of {}", strategy.to_uppercase()),
            strategy: strategy.to_owned(),
            rows,
            how: self.how(),
            about_paper,
        }
    }

    /// What holds over all positions: means of the speedup, extra nodes, idle time.
    fn means(&self, strategy: &str) -> Vec<ComparisonRow> {
        let with_rows = strategy == "dts";
        let mut mean = self.row(
            "arithmetic mean",
            (2, 1),
            strategy,
            |line| self.paper.speedup(strategy, line.processors),
            |line| Some(line.speedup_mean),
        );
        for cell in &mut mean.cells {
            let line = self.line(strategy, cell.processors);
            let over_repeats = line.and_then(|line| Some((line.repeats_low95?, line.repeats_high95?)));
            let over_positions = line.and_then(|line| Some((line.speedup_low95?, line.speedup_high95?)));
            if let Some((low, high)) = over_repeats.or(over_positions).filter(|_| cell.processors > 1) {
                (cell.low95, cell.high95) = (Some(low), Some(high));
            }
        }
        vec![
            mean,
            self.row(
                "geometric mean",
                (2, 2),
                strategy,
                |line| self.paper.geometric_mean(line.processors).filter(|_| with_rows),
                |line| Some(line.speedup_geometric_mean),
            ),
            self.row(
                "ratio of total times",
                (2, 2),
                strategy,
                |line| self.paper.total_time_ratio(line.processors).filter(|_| with_rows),
                |line| Some(line.total_time_ratio),
            ),
            self.row(
                "nodes over those of one, mean",
                (3, 2),
                strategy,
                |_| None,
                |line| Some(line.node_ratio_mean),
            ),
            self.row("idle share, mean", (3, 2), strategy, |_| None, |line| Some(line.idle_share_mean)),
        ]
    }

    fn line(&self, strategy: &str, processors: usize) -> Option<&Summary> {
        let mut lines = self.outcome.summary.iter();
        lines.find(|line| line.strategy == strategy && line.processors == processors)
    }

    /// A row with a figure for each number of processors of a strategy.
    fn row(
        &self,
        name: &str,
        decimals: (usize, usize),
        strategy: &str,
        paper: impl Fn(&Summary) -> Option<f64>,
        ours: impl Fn(&Summary) -> Option<f64>,
    ) -> ComparisonRow {
        let lines = self.outcome.summary.iter().filter(|line| line.strategy == strategy);
        let cell = |line: &Summary| Comparison {
            processors: line.processors,
            paper: paper(line),
            ours: ours(line),
            ..Comparison::default()
        };
        ComparisonRow { row: name.to_owned(), cells: lines.map(cell).collect(), decimals }
    }

    /// A table with a row for each position, of DTS.
    fn positions(
        &self,
        number: u8,
        title: &str,
        decimals: (usize, usize),
        ours: impl Fn(&Row) -> f64,
        paper: impl Fn(usize, usize) -> Option<f64>,
        about_paper: &str,
    ) -> ComparisonTable {
        let mut rows: Vec<ComparisonRow> = Vec::new();
        for row in self.outcome.rows.iter().filter(|row| row.strategy == "dts") {
            if rows.last().is_none_or(|last| last.row != row.position) {
                rows.push(ComparisonRow { row: row.position.clone(), cells: Vec::new(), decimals });
            }
            let position = rows.len() - 1;
            rows[position].cells.push(Comparison {
                processors: row.processors,
                paper: paper(position, row.processors),
                ours: Some(ours(row)),
                ..Comparison::default()
            });
        }
        ComparisonTable {
            table: Some(number),
            title: title.to_owned(),
            strategy: "dts".to_owned(),
            rows,
            how: self.how(),
            about_paper: about_paper.to_owned(),
        }
    }

    fn how(&self) -> String {
        let Method { sentence, repeats, .. } = self.method;
        let medians = match repeats {
            1 => String::new(),
            repeats => format!(" Medians of {repeats} repeats."),
        };
        format!("{sentence}{medians}")
    }
}

#[cfg(test)]
mod tests;
