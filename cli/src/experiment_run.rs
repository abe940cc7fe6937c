//! How the program runs an experiment: progress, notes, Ctrl-C, and what it says when one ends early.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use dts_bench::{Event, Experiment, Outcome, Progress, Row, Subject};
use indicatif::{ProgressBar, ProgressStyle};

use crate::options::Stop;

/// A bar for the runs of an experiment.
pub(crate) fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    let style = ProgressStyle::with_template("{wide_bar} {pos} of {len} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Moves the bar on.
pub(crate) fn show_progress(bar: &ProgressBar, progress: &Progress, what: &str) {
    bar.set_length(progress.total as u64);
    bar.set_position(progress.done as u64);
    let left = progress.left.map_or("?".to_owned(), in_words);
    bar.set_message(format!("{what}, {left} left"));
}

fn in_words(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min {} s", seconds / 60, seconds % 60) }
}

/// Runs an experiment until it is done or a stop is wanted; `show` is given each row when it is whole.
pub(crate) fn run_experiment(
    experiment: &Experiment,
    subject: &mut dyn Subject,
    directory: Option<&Path>,
    bar: &ProgressBar,
    stop: &Stop,
    show: &mut dyn FnMut(&Row) -> io::Result<()>,
) -> anyhow::Result<Outcome> {
    let mut broken = None;
    let outcome = experiment.run(subject, directory, &mut |event| {
        match event {
            Event::Note(note) => bar.suspend(|| eprintln!("dts: {note}")),
            Event::Progress(progress) => show_progress(bar, progress, "runs"),
            Event::Row(row) => {
                if let Err(error) = bar.suspend(|| show(row)) {
                    broken = Some(error);
                    return ControlFlow::Break(());
                }
            }
            _ => {}
        }
        if stop.is_wanted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match broken {
        Some(error) => Err(error.into()),
        None => Ok(outcome?),
    }
}

/// How an experiment ended.
pub(crate) enum Ended {
    /// With a result.
    Whole(Outcome),
    /// Without one, and the user has been told why.
    Early(ExitCode),
}

/// Says what is to be said of an experiment that ended early; `kept` if its rows are in a directory.
///
/// # Errors
/// Whatever went wrong, but for a stop and for values that differ.
pub(crate) fn how_it_ended(
    outcome: anyhow::Result<Outcome>,
    stop: &Stop,
    kept: bool,
) -> anyhow::Result<Ended> {
    if stop.is_wanted() {
        eprintln!("dts: stopped{}", if kept { "; the same command goes on from here" } else { "" });
        return Ok(Ended::Early(ExitCode::from(130)));
    }
    match outcome {
        Ok(outcome) => Ok(Ended::Whole(outcome)),
        Err(error) if matches!(error.downcast_ref(), Some(dts_bench::Error::ValuesDiffer(_))) => {
            eprintln!("dts: {error}");
            Ok(Ended::Early(ExitCode::from(1)))
        }
        Err(error) => Err(error),
    }
}
