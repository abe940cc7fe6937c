//! The record of one search that the report shows: the slowest position of the best strategy at the largest number of
//! processors, where it is to be seen what there is to be won.

use std::path::Path;

use crate::store::Store;
use crate::{About, Error, Outcome, Row, Timeline, Traced};

/// The record's name in the experiment's directory.
pub(crate) const FILE: &str = "trace.json";

/// The row whose search is recorded; none if nothing was measured at several processors.
pub(crate) fn slowest(outcome: &Outcome) -> Option<&Row> {
    let verdicts = outcome.verdicts();
    let verdict = verdicts.last()?;
    let rows = outcome.rows.iter();
    let rows = rows.filter(|row| row.processors == verdict.processors && row.strategy == verdict.best);
    // The first of several, so that the same experiment records the same search.
    rows.reduce(|slowest, row| if row.time > slowest.time { row } else { slowest })
}

/// The record that the directory holds, if it is of this row's search.
pub(crate) fn find(directory: &Path, row: &Row) -> Option<Timeline> {
    let path = directory.join(FILE);
    // One that cannot be read is made again.
    let timeline = Timeline::read(&path, &std::fs::read(&path).ok()?).ok()?;
    let About { position, strategy, processors, backend, seed, time: _, cut: _ } = timeline.about.as_ref()?;
    let same = (position, strategy, processors, backend, seed)
        == (&row.position, &row.strategy, &row.processors, &row.backend, &row.seed);
    same.then_some(timeline)
}

/// Writes the record of a row's search, and reads it as the next run of the program will.
pub(crate) fn keep(store: &Store, row: &Row, traced: &Traced) -> Result<Timeline, Error> {
    let about = About {
        position: row.position.clone(),
        strategy: row.strategy.clone(),
        processors: row.processors,
        backend: row.backend,
        seed: row.seed,
        time: traced.measurement.time,
        cut: traced.cut,
    };
    let about = serde_json::to_string(&about).expect("plain data");
    let events = traced.events.trim_ascii();
    let text = [b"{\"otherData\":", about.as_bytes(), b",\n\"traceEvents\":", events, b"}\n"].concat();
    let timeline = Timeline::read(&store.directory().join(FILE), &text)?;
    store.write(FILE, &text)?;
    Ok(timeline)
}
