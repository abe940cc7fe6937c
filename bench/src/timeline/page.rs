//! A timeline as a page: the picture, what it shows, and a table of the processors.

use std::fmt::{self, Write};

use super::{Happening, Timeline};
use crate::page::{self, Cell, Column};

/// What the picture shows, in words.
pub(crate) const LEGEND: &str = "One row for each processor, time to the right. A bar means work, a pale one work for \
    a part of the time, none no work. A colour is the innermost split block that the processor has made or joined; \
    where several share a pixel and none takes half of it, the bar is violet, and work outside of all that it made or \
    joined is grey. A triangle from above is a split, one from below a join, a cross a cutoff; kinds that \
    would hide the bars are not marked.";

impl Timeline {
    /// One page that stands alone: the picture, what it shows, and what happened on each processor.
    pub fn page(&self) -> String {
        let mut page = String::new();
        self.write_page(&mut page).expect("writing to a string succeeds");
        page
    }

    fn write_page(&self, page: &mut String) -> fmt::Result {
        page::begin(page, "Timeline of a search")?;
        self.figure(page)?;
        let names = Happening::ALL.map(|what| Column::number(what.plural()));
        let fixed = [Column::number("processor"), Column::number("busy")];
        let columns: Vec<Column> = fixed.into_iter().chain(names).collect();
        let shares = self.busy_shares();
        let rows = self.tracks.iter().zip(&shares).enumerate().map(|(number, (track, share))| {
            let counts = Happening::ALL.map(|what| track.count(what).to_string());
            let what = [number.to_string(), format!("{:.1} %", 100.0 * share)];
            what.into_iter().chain(counts).map(Cell::from).collect::<Vec<_>>()
        });
        writeln!(page, "<h2>Each processor</h2>")?;
        page::table(page, "", &columns, true, rows)?;
        page::end(page)
    }

    /// The picture with its explanation.
    pub(crate) fn figure(&self, page: &mut String) -> fmt::Result {
        writeln!(page, "{}", self.draw())?;
        let part = self.part().map_or(String::new(), |share| {
            format!(
                " The record was full after {:.0} % of the search: the picture ends there.",
                100.0 * share
            )
        });
        writeln!(page, "<p class=\"note\">{}{part}</p>", page::escape(LEGEND))
    }
}
