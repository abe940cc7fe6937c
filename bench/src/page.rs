//! What the program's pages have in common: one file that asks nobody for anything, escaped text, and tables.

use std::fmt::{self, Display, Write};

const STYLE: &str = include_str!("page/style.css");
const SORT: &str = include_str!("page/sort.js");

/// Begins a page, up to and with its heading.
pub(crate) fn begin(page: &mut String, title: &str) -> fmt::Result {
    let title = escape(title);
    writeln!(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">")?;
    writeln!(page, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(page, "<title>{title}</title>\n<style>\n{STYLE}</style>\n<h1>{title}</h1>")
}

/// Ends a page.
pub(crate) fn end(page: &mut String) -> fmt::Result {
    writeln!(page, "<script>\n{SORT}</script>\n</html>")
}

/// A column of a table: its header, and whether it holds text, which stands to the left.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    header: String,
    text: bool,
}

impl Column {
    pub(crate) fn text(header: &str) -> Column {
        Column { header: header.to_owned(), text: true }
    }

    pub(crate) fn number(header: &str) -> Column {
        Column { header: header.to_owned(), text: false }
    }
}

/// One cell of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    /// What it says.
    pub(crate) text: String,
    /// What stands below in small letters; may be empty.
    pub(crate) below: String,
    /// A class of the style sheet; may be empty.
    pub(crate) class: &'static str,
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }
}

/// A table; `sortable` by a click on its headers, or not. A header row of empty headers is left out.
pub(crate) fn table<C: Into<Cell>>(
    page: &mut String,
    caption: &str,
    columns: &[Column],
    sortable: bool,
    rows: impl IntoIterator<Item = Vec<C>>,
) -> fmt::Result {
    writeln!(page, "<div class=\"scroll\"><table{}>", if sortable { " class=\"sortable\"" } else { "" })?;
    if !caption.is_empty() {
        writeln!(page, "<caption>{}</caption>", escape(caption))?;
    }
    if columns.iter().any(|column| !column.header.is_empty()) {
        write!(page, "<thead><tr>")?;
        for Column { header, text } in columns {
            let class = if *text { " class=\"text\"" } else { "" };
            write!(page, "<th scope=\"col\"{class}>{}", escape(header))?;
        }
        writeln!(page, "</thead>")?;
    }
    writeln!(page, "<tbody>")?;
    for row in rows {
        write!(page, "<tr>")?;
        for (cell, column) in row.into_iter().zip(columns) {
            let Cell { text, below, class } = cell.into();
            let classes = [class, if column.text { "text" } else { "" }];
            let classes: Vec<&str> = classes.into_iter().filter(|class| !class.is_empty()).collect();
            match classes.join(" ").as_str() {
                "" => write!(page, "<td>")?,
                classes => write!(page, "<td class=\"{classes}\">")?,
            }
            write!(page, "{}", escape(&text))?;
            if !below.is_empty() {
                write!(page, "<small>{}</small>", escape(&below))?;
            }
        }
        writeln!(page)?;
    }
    writeln!(page, "</tbody></table></div>")
}

/// Text that no page takes for anything else, inside an attribute neither.
pub(crate) fn escape(text: &str) -> impl Display {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_the_page() {
        assert_eq!(escape("<b> & \"c\"").to_string(), "&lt;b&gt; &amp; &quot;c&quot;");
        let mut page = String::new();
        begin(&mut page, "</title><script>").unwrap();
        assert!(!page.contains("<script>"), "{page}");
    }

    #[test]
    fn a_table_is_headers_and_cells() {
        let mut page = String::new();
        let best = Cell { text: "1".into(), below: "<2".into(), class: "best" };
        let columns = [Column::text("name"), Column::number("a & b")];
        table(&mut page, "c", &columns, true, [vec![Cell::from("x"), best]]).unwrap();
        assert_eq!(
            page,
            "<div class=\"scroll\"><table class=\"sortable\">\n<caption>c</caption>\n\
             <thead><tr><th scope=\"col\" class=\"text\">name<th scope=\"col\">a &amp; b</thead>\n<tbody>\n\
             <tr><td class=\"text\">x<td class=\"best\">1<small>&lt;2</small>\n</tbody></table></div>\n"
        );
    }
}
