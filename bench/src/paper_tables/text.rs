//! The tables as text and as values separated by commas.

use std::fmt::{self, Display, Write};

use serde::Serialize;

use super::{Comparison, ComparisonRow, ComparisonTable, PaperTables};
use crate::store::csv_bytes;

/// The widest line of text.
const WIDTH: usize = 100;

impl ComparisonRow {
    /// `paper / ours`, or what there is of it.
    pub(crate) fn shown(&self, cell: &Comparison) -> String {
        let (ours_decimals, paper_decimals) = self.decimals;
        let paper = cell.paper.map(|figure| grouped(figure, paper_decimals));
        let ours = cell.ours.map(|figure| grouped(figure, ours_decimals));
        match (paper, ours) {
            (None, None) => "-".to_owned(),
            (paper, ours) => {
                let or_nothing = |figure: Option<String>| figure.unwrap_or_else(|| "-".to_owned());
                format!("{} / {}", or_nothing(paper), or_nothing(ours))
            }
        }
    }
}

impl Comparison {
    /// The interval, `1.8 to 2.0`.
    pub(crate) fn interval(&self) -> Option<String> {
        let (low, high) = (self.low95?, self.high95?);
        Some(format!("{low:.2} to {high:.2}"))
    }
}

impl ComparisonTable {
    /// `Table 3: speedup of DTS`.
    pub(crate) fn heading(&self) -> String {
        match self.table {
            Some(number) => format!("Table {number}: {}", self.title),
            None => format!("Beyond the paper: {}", self.title),
        }
    }

    /// The numbers of processors.
    pub(crate) fn processors(&self) -> Vec<usize> {
        let cells = self.rows.first().map(|row| &row.cells);
        cells.into_iter().flatten().map(|cell| cell.processors).collect()
    }
}

/// For people: each figure is `paper / ours`.
impl Display for ComparisonTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = self.processors().iter().map(|count| format!("P = {count}")).collect::<Vec<_>>();
        let mut lines = vec![("paper / ours".to_owned(), header)];
        for row in &self.rows {
            lines.push((row.row.clone(), row.cells.iter().map(|cell| row.shown(cell)).collect()));
            if row.cells.iter().any(|cell| cell.low95.is_some()) {
                let interval = |cell: &Comparison| cell.interval().unwrap_or_default();
                lines.push(("  95 % interval".to_owned(), row.cells.iter().map(interval).collect()));
            }
        }
        let name_width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let width = |column: usize| {
            lines.iter().filter_map(|(_, cells)| cells.get(column)).map(String::len).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..lines[0].1.len()).map(width).collect();
        writeln!(f, "{}", self.heading())?;
        for (name, cells) in &lines {
            let mut line = format!("{name:<name_width$}");
            for (cell, width) in cells.iter().zip(&widths) {
                write!(line, "  {cell:>width$}")?;
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        for line in wrapped(&format!("Ours: {}", self.how)) {
            writeln!(f, "{line}")?;
        }
        for line in wrapped(&format!("Paper: {}", self.about_paper)) {
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

/// A figure as a line of values separated by commas.
#[derive(Serialize)]
struct Line<'a> {
    table: Option<u8>,
    strategy: &'a str,
    row: &'a str,
    processors: usize,
    paper: Option<f64>,
    ours: Option<f64>,
    low95: Option<f64>,
    high95: Option<f64>,
}

impl PaperTables {
    /// One line a figure: `table,strategy,row,processors,paper,ours,low95,high95`.
    pub fn csv(&self) -> Vec<u8> {
        let rows = self.tables.iter().flat_map(|table| table.rows.iter().map(move |row| (table, row)));
        let lines = rows.flat_map(|(table, row)| {
            row.cells.iter().map(move |cell| Line {
                table: table.table,
                strategy: &table.strategy,
                row: &row.row,
                processors: cell.processors,
                paper: cell.paper,
                ours: cell.ours,
                low95: cell.low95,
                high95: cell.high95,
            })
        });
        csv_bytes(&lines.collect::<Vec<_>>(), true)
    }
}

/// A figure with so many digits behind the point, and with commas if it is large.
fn grouped(figure: f64, decimals: usize) -> String {
    let plain = format!("{figure:.decimals$}");
    let whole = plain.split('.').next().map_or(0, str::len);
    let mut text = String::new();
    for (place, digit) in plain.chars().enumerate() {
        if place > 0 && place < whole && (whole - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The lines of a text, none wider than [`WIDTH`] unless a word is.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(word.to_owned());
        } else {
            if !lines[last].is_empty() {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    lines
}
