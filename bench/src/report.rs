//! The report of an experiment: one page that stands alone.

use std::fmt::{self, Display, Write};

use crate::store::Identity;
use crate::{Backend, Outcome};

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em;color:#222}\
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}svg{width:100%;height:auto}\
div{overflow-x:auto}table{border-collapse:collapse}th,td{padding:.2em .7em;text-align:right;white-space:nowrap}\
th{border-bottom:1px solid #888;vertical-align:bottom;white-space:normal}td{border-bottom:1px solid #ddd}\
th:first-child,td:first-child,h2:last-of-type~div td{text-align:left}";

/// The page: the plot, the summary, the speedup of every position, and all that the rows depend on.
pub(crate) fn page(identity: &Identity, outcome: &Outcome, plot: &str) -> String {
    let mut page = String::new();
    write_page(&mut page, identity, outcome, plot).expect("writing to a string succeeds");
    page
}

fn write_page(page: &mut String, identity: &Identity, outcome: &Outcome, plot: &str) -> fmt::Result {
    let title = escape(&identity.title);
    writeln!(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">")?;
    writeln!(page, "<meta name=\"viewport\" content=\"width=device-width\">")?;
    writeln!(page, "<title>Speedup: {title}</title>\n<style>{STYLE}</style>\n<h1>Speedup: {title}</h1>")?;
    writeln!(page, "{plot}")?;

    writeln!(page, "<h2>Over all positions</h2>")?;
    let header = [
        "strategy",
        "processors",
        "mean speedup",
        "95 % interval",
        "geometric mean",
        "least",
        "greatest",
        "node ratio",
        "idle",
        "total time ratio",
    ];
    let rows = outcome.summary.iter().map(|row| {
        let interval = match (row.speedup_low95, row.speedup_high95) {
            (Some(low), Some(high)) => format!("{low:.2} to {high:.2}"),
            _ => String::new(),
        };
        vec![
            row.strategy.clone(),
            row.processors.to_string(),
            format!("{:.2}", row.speedup_mean),
            interval,
            format!("{:.2}", row.speedup_geometric_mean),
            format!("{:.2}", row.speedup_min),
            format!("{:.2}", row.speedup_max),
            format!("{:.3}", row.node_ratio_mean),
            format!("{:.1} %", 100.0 * row.idle_share_mean),
            format!("{:.2}", row.total_time_ratio),
        ]
    });
    table(page, &header, rows)?;

    writeln!(page, "<h2>Speedup of each position</h2>")?;
    let unit = match identity.backend {
        Backend::Threads => "seconds",
        Backend::Simulated => "virtual time",
    };
    let many: Vec<&usize> = identity.processors.iter().filter(|count| **count > 1).collect();
    let fixed = ["position", "strategy", "value", "nodes at 1", &format!("{unit} at 1")].map(str::to_owned);
    let header: Vec<String> =
        fixed.into_iter().chain(many.iter().map(|count| format!("P = {count}"))).collect();
    // The rows of a position and a strategy stand together, the one at one processor first.
    let rows = outcome.rows.chunks(identity.processors.len()).map(|rows| {
        let alone = &rows[0];
        let what = [
            alone.position.clone(),
            alone.strategy.clone(),
            alone.value.to_string(),
            alone.nodes.to_string(),
            figures(alone.time),
        ];
        what.into_iter().chain(rows[1..].iter().map(|row| format!("{:.2}", row.speedup))).collect()
    });
    table(page, &header, rows)?;

    writeln!(page, "<h2>What was measured</h2>")?;
    let list = |items: &[usize]| items.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let facts = [
        ("strategies", identity.strategies.join(", ")),
        ("processors", list(&identity.processors)),
        ("repeats", format!("{}; every figure is their median", identity.repeats)),
        ("backend", identity.backend.name().to_owned()),
        ("cost model", identity.cost_model.clone()),
        ("seed", identity.seed.to_string()),
        ("machine", identity.processor_model.clone()),
        ("program", format!("dts {}, commit {}", identity.version, identity.commit)),
    ];
    let options = identity.options.iter().map(|(name, value)| vec![name.clone(), value.clone()]);
    let facts = facts.into_iter().map(|(name, value)| vec![name.to_owned(), value]);
    table(page, &["", ""], options.chain(facts))
}

fn table<T: AsRef<str>>(
    page: &mut String,
    header: &[T],
    rows: impl Iterator<Item = Vec<String>>,
) -> fmt::Result {
    writeln!(page, "<div><table>")?;
    if header.iter().any(|cell| !cell.as_ref().is_empty()) {
        let cells: String = header.iter().map(|cell| format!("<th>{}", escape(cell.as_ref()))).collect();
        writeln!(page, "<tr>{cells}")?;
    }
    for row in rows {
        let cells: String = row.iter().map(|cell| format!("<td>{}", escape(cell))).collect();
        writeln!(page, "<tr>{cells}")?;
    }
    writeln!(page, "</table></div>")
}

/// Four figures or more, and no exponent where people would have to count zeros.
fn figures(value: f64) -> String {
    let decimals = (3 - value.log10().floor() as i32).clamp(0, 9) as usize;
    format!("{value:.decimals$}")
}

fn escape(text: &str) -> impl Display {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_neither_too_many_nor_too_few() {
        let shown = [0.000123456, 0.5, 1.23456, 12.3456, 98765.4].map(figures);
        assert_eq!(shown, ["0.0001235", "0.5000", "1.235", "12.35", "98765"]);
    }

    #[test]
    fn names_cannot_break_the_page() {
        assert_eq!(escape("<b> & \"c\"").to_string(), "&lt;b&gt; &amp; \"c\"");
    }
}
