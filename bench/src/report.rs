//! The report of an experiment: one page that stands alone. What its reader came for stands at the top, and why and
//! how below.

use std::fmt::{self, Write};

use crate::page::{self, Cell, Column, escape};
use crate::statistics::mean;
use crate::store::Identity;
use crate::verdict::in_words;
use crate::{Backend, Outcome, Row, Summary, Timeline, Verdict};

/// The page.
pub(crate) fn page(
    identity: &Identity,
    outcome: &Outcome,
    plot: &str,
    timeline: Option<&Timeline>,
) -> String {
    let mut page = String::new();
    let report = Report { identity, outcome, verdicts: outcome.verdicts() };
    report.write(&mut page, plot, timeline).expect("writing to a string succeeds");
    page
}

struct Report<'a> {
    identity: &'a Identity,
    outcome: &'a Outcome,
    verdicts: Vec<Verdict>,
}

impl Report<'_> {
    fn write(&self, page: &mut String, plot: &str, timeline: Option<&Timeline>) -> fmt::Result {
        page::begin(page, &format!("Speedup: {}", self.identity.title))?;
        self.verdict(page)?;
        writeln!(page, "<div class=\"beside\">\n<div>")?;
        self.speedups(page)?;
        writeln!(page, "</div>\n<div class=\"plot\">\n{plot}</div>\n</div>")?;

        writeln!(page, "<h2>Why</h2>\n<div class=\"beside\">")?;
        self.reasons(page)?;
        writeln!(page, "</div>")?;
        writeln!(page, "<p class=\"note\">{}</p>", escape(WHY))?;

        writeln!(page, "<h2>Each position</h2>")?;
        self.positions(page)?;
        if self.identity.backend == Backend::Simulated {
            writeln!(page, "<h2>Work and critical path at {} processors</h2>", self.most())?;
            self.predictions(page)?;
            writeln!(page, "<p class=\"note\">{}</p>", escape(PREDICTION))?;
        }
        if let Some(timeline) = timeline {
            writeln!(page, "<h2>The slowest position: who worked when</h2>")?;
            timeline.figure(page)?;
        }
        writeln!(page, "<h2>All averages</h2>")?;
        self.averages(page)?;
        writeln!(page, "<h2>What was measured</h2>")?;
        self.facts(page)?;
        page::end(page)
    }

    /// The largest number of processors.
    fn most(&self) -> usize {
        self.identity.processors.last().copied().unwrap_or(1)
    }

    /// All numbers of processors above one.
    fn several(&self) -> impl Iterator<Item = usize> {
        self.identity.processors.iter().copied().filter(|count| *count > 1)
    }

    fn verdict(&self, page: &mut String) -> fmt::Result {
        let Some(verdict) = self.verdicts.last() else {
            return writeln!(
                page,
                "<p class=\"verdict\">Only one processor was measured: there is no speedup.</p>"
            );
        };
        write!(page, "<p class=\"verdict\"><strong>{}.</strong>", escape(&verdict.to_string()))?;
        if self.verdicts.len() > 1 && !verdict.rivals.is_empty() {
            write!(page, "<small>{}.</small>", escape(&in_words(&self.verdicts)))?;
        }
        writeln!(page, "</p>")
    }

    /// A table with a row for each strategy and a column for each number of processors above one.
    fn matrix(&self, page: &mut String, caption: &str, cell: impl Fn(&Summary) -> Cell) -> fmt::Result {
        let counts = self.several().map(|count| Column::number(&format!("P\u{a0}=\u{a0}{count}")));
        let columns: Vec<Column> = [Column::text("strategy")].into_iter().chain(counts).collect();
        let rows = self.identity.strategies.iter().map(|strategy| {
            let lines = self.outcome.summary.iter();
            let lines = lines.filter(|line| line.strategy == *strategy && line.processors > 1);
            [Cell::from(strategy.as_str())].into_iter().chain(lines.map(&cell)).collect::<Vec<_>>()
        });
        page::table(page, caption, &columns, false, rows)
    }

    fn speedups(&self, page: &mut String) -> fmt::Result {
        if self.verdicts.is_empty() {
            return Ok(());
        }
        let positions = self.identity.positions.len();
        // Of many columns the plot beside them needs the room more.
        let intervals = positions > 1 && self.several().count() <= 6;
        let over =
            if positions == 1 { "one position".into() } else { format!("mean of {positions} positions") };
        self.matrix(page, &format!("Speedup over one processor, {over}"), |line| {
            let verdict = self.verdicts.iter().find(|verdict| verdict.processors == line.processors);
            let alone = verdict.is_none_or(|verdict| verdict.rivals.is_empty());
            let best = verdict.is_some_and(|verdict| verdict.best == line.strategy);
            let noise = verdict.is_some_and(|verdict| {
                verdict.rivals.iter().any(|rival| rival.strategy == line.strategy && rival.within_noise())
            });
            let (class, mark) = match (alone, best, noise) {
                (false, true, _) => ("best", "\u{2605} "),
                (_, _, true) => ("noise", "\u{2248} "),
                _ => ("", ""),
            };
            let below = match (line.speedup_low95, line.speedup_high95) {
                (Some(low), Some(high)) if intervals => format!("{low:.2} to {high:.2}"),
                _ => String::new(),
            };
            Cell { text: format!("{mark}{:.2}", line.speedup_mean), below, class }
        })?;
        let rivals = self.identity.strategies.len() > 1;
        let mut note = String::new();
        if rivals {
            note.push_str("\u{2605} the best at this number of processors. ");
        }
        if rivals && positions > 1 {
            note.push_str(
                "\u{2248} within the noise: paired by position, the 95 % interval of its distance from the best \
                 holds 0. ",
            );
        }
        if intervals {
            note.push_str("Small: the 95 % interval of the mean.");
        }
        if !note.is_empty() {
            writeln!(page, "<p class=\"note\">{}</p>", escape(note.trim_end()))?;
        }
        Ok(())
    }

    fn reasons(&self, page: &mut String) -> fmt::Result {
        self.matrix(page, "Node ratio", |line| format!("{:.3}", line.node_ratio_mean).into())?;
        self.matrix(page, "Idle", |line| format!("{:.1} %", 100.0 * line.idle_share_mean).into())?;
        let mean_of = |line: &Summary, field: fn(&Row) -> u64| {
            let rows = self.outcome.rows.iter();
            let rows = rows.filter(|row| row.strategy == line.strategy && row.processors == line.processors);
            Cell::from(format!("{:.0}", mean(&rows.map(|row| field(row) as f64).collect::<Vec<_>>())))
        };
        self.matrix(page, "Splits a position", |line| mean_of(line, |row| row.splits))?;
        self.matrix(page, "Stops a position", |line| mean_of(line, |row| row.stops))?;
        if self.identity.backend == Backend::Simulated {
            let figure =
                |value: Option<f64>| Cell::from(value.map_or(String::new(), |value| format!("{value:.2}")));
            self.matrix(page, "Time over C + W/P", |line| figure(line.time_over_prediction_mean))?;
            self.matrix(page, "Parallelism W/C", |line| figure(line.parallelism_mean))?;
        }
        // A simulated search is the same each time.
        if self.outcome.summary.iter().any(|line| line.spread_median.is_some_and(|spread| spread > 0.0)) {
            self.matrix(page, "Spread of the repeats", |line| {
                line.spread_median.map_or(String::new(), |spread| format!("{:.1} %", 100.0 * spread)).into()
            })?;
        }
        Ok(())
    }

    fn positions(&self, page: &mut String) -> fmt::Result {
        let unit = match self.identity.backend {
            Backend::Threads => "seconds at 1",
            Backend::Simulated => "virtual time at 1",
        };
        let deep = self.outcome.rows.iter().any(|row| row.depth.is_some());
        let mut columns = vec![Column::text("position"), Column::text("strategy"), Column::number("value")];
        if deep {
            columns.push(Column::number("depth"));
        }
        columns.extend([Column::number("nodes at 1"), Column::number(unit)]);
        columns.extend(self.several().map(|count| Column::number(&format!("P\u{a0}=\u{a0}{count}"))));
        // The rows of a position and a strategy stand together, the one at one processor first.
        let rows = self.outcome.rows.chunks(self.identity.processors.len()).map(|rows| {
            let alone = &rows[0];
            let mut cells = vec![alone.position.clone(), alone.strategy.clone(), alone.value.to_string()];
            if deep {
                cells.push(alone.depth.map_or(String::new(), |depth| depth.to_string()));
            }
            cells.extend([alone.nodes.to_string(), figures(alone.time)]);
            cells.extend(rows[1..].iter().map(|row| format!("{:.2}", row.speedup)));
            cells
        });
        page::table(page, "", &columns, true, rows)
    }

    fn predictions(&self, page: &mut String) -> fmt::Result {
        let mut columns = vec![Column::text("position"), Column::text("strategy")];
        let numbers = ["work W", "critical path C", "W/C", "C + W/P", "time", "time over C + W/P"];
        columns.extend(numbers.map(Column::number));
        let rows = self.outcome.rows.iter().filter(|row| row.processors == self.most()).filter_map(|row| {
            let (work, path, prediction) = (row.work?, row.critical_path?, row.prediction?);
            Some(vec![
                row.position.clone(),
                row.strategy.clone(),
                figures(work),
                figures(path),
                format!("{:.2}", work / path),
                figures(prediction),
                figures(row.time),
                format!("{:.2}", row.time / prediction),
            ])
        });
        page::table(page, "", &columns, true, rows)
    }

    fn averages(&self, page: &mut String) -> fmt::Result {
        let mut columns = vec![Column::text("strategy")];
        let numbers = ["processors", "mean speedup", "95 % interval", "geometric mean", "least", "greatest"];
        columns.extend(numbers.map(Column::number));
        columns.push(Column::number("total time ratio"));
        let rows = self.outcome.summary.iter().map(|row| {
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
                format!("{:.2}", row.total_time_ratio),
            ]
        });
        page::table(page, "", &columns, true, rows)
    }

    fn facts(&self, page: &mut String) -> fmt::Result {
        let identity = self.identity;
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
        page::table(page, "", &[Column::text(""), Column::text("")], false, options.chain(facts))
    }
}

const WHY: &str = "Means over the positions. Speedup = P x (1 - idle) / node ratio, less what each node took longer. \
    Node ratio: nodes over those at one processor. Idle: time without work. Stops: work begun and found pointless.";

const PREDICTION: &str = "In node times. W: the time of all nodes. C: the longest chain of nodes each of which had to \
    wait for the one before; no number of processors is faster. C + W/P: what a greedy schedule of the same work takes \
    at most, if splitting costs nothing.";

/// Four figures or more, and no exponent where people would have to count zeros.
fn figures(value: f64) -> String {
    let decimals = (3 - value.log10().floor() as i32).clamp(0, 9) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_neither_too_many_nor_too_few() {
        let shown = [0.000123456, 0.5, 1.23456, 12.3456, 98765.4].map(figures);
        assert_eq!(shown, ["0.0001235", "0.5000", "1.235", "12.35", "98765"]);
    }
}
