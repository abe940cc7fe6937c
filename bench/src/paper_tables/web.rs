//! The tables as a page that stands alone.

use std::fmt::{self, Write};

use super::{ComparisonTable, PaperTables};
use crate::Error;
use crate::page::{self, Cell, Column, escape};

impl PaperTables {
    /// The page: what came out, the curves, and each table.
    ///
    /// # Errors
    /// If the plot cannot be drawn.
    pub fn page(&self, title: &str) -> Result<String, Error> {
        let plot = self.plot(title).draw(self.summary())?;
        let mut page = String::new();
        self.write(&mut page, title, &plot).expect("writing to a string succeeds");
        Ok(page)
    }

    fn write(&self, page: &mut String, title: &str, plot: &str) -> fmt::Result {
        page::begin(page, title)?;
        let verdicts: Vec<String> = self.verdicts();
        if !verdicts.is_empty() {
            writeln!(page, "<p class=\"verdict\"><strong>{}.</strong></p>", escape(&verdicts.join("; ")))?;
        }
        let (speedups, positions): (Vec<_>, Vec<_>) =
            self.tables.iter().partition(|table| !matches!(table.table, Some(4..)));
        writeln!(page, "<div class=\"beside\">\n<div>")?;
        for table in speedups {
            table.write(page)?;
        }
        writeln!(page, "</div>\n<div class=\"plot\">\n{plot}</div>\n</div>")?;
        for table in positions {
            table.write(page)?;
        }
        page::end(page)
    }
}

impl ComparisonTable {
    fn write(&self, page: &mut String) -> fmt::Result {
        writeln!(page, "<h2>{}</h2>", escape(&self.heading()))?;
        let counts = self.processors().into_iter();
        let counts = counts.map(|count| Column::number(&format!("P\u{a0}=\u{a0}{count}")));
        let columns: Vec<Column> = [Column::text("paper / ours")].into_iter().chain(counts).collect();
        let rows = self.rows.iter().map(|row| {
            let cells = row.cells.iter().map(|cell| Cell {
                text: row.shown(cell),
                below: cell.interval().unwrap_or_default(),
                class: "",
            });
            [Cell::from(row.row.as_str())].into_iter().chain(cells).collect::<Vec<_>>()
        });
        page::table(page, "", &columns, false, rows)?;
        for (who, note) in [("Ours", &self.how), ("Paper", &self.about_paper)] {
            writeln!(page, "<p class=\"note\">{who}: {}</p>", escape(note))?;
        }
        Ok(())
    }
}
