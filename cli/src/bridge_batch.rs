//! Many boards for people and programs: answers in order as they come, progress, and how it ends.

use std::io::{self, IsTerminal, StdoutLock};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, anyhow};
use dts_bridge::{Batch, BatchOptions, Card, Question, Solved};
use dts_engine::{Report, StopReason};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::bridge_deals::Deals;
use crate::options::{SearchOptions, Stop};

/// Asks `questions`, one a record, and lets `print` tell each answer.
pub(crate) fn run(
    search: &SearchOptions,
    deals: &Deals,
    questions: impl Iterator<Item = Question>,
    mut print: impl FnMut(&Solved, &mut StdoutLock<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    let stop = Stop::on_interrupt();
    let limits = search.limits(&stop);
    let total = deals.records.len();
    let bar = progress(total);
    let batch = Batch::new(BatchOptions { search: search.search(), table_mebibytes: mebibytes(search) });
    let mut out = io::stdout().lock();
    let mut broken = None;
    let ended = batch.run(questions, &limits, |solved| {
        bar.inc(1);
        match bar.suspend(|| print(&solved, &mut out)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                broken = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    bar.finish_and_clear();
    if let Some(error) = broken {
        return Err(error);
    }
    let Err(error) = ended else { return Ok(ExitCode::SUCCESS) };
    let place = deals.records.get(error.index).map_or_else(String::new, |record| deals.place(record));
    let Some(reason) = error.stopped() else { return Err(anyhow!(error.error)).with_context(|| place) };
    crate::complain(&format!("{place}: stopped at board {} of {total}: {}", error.index + 1, why(reason)));
    Ok(exit_code(reason))
}

/// What `--hash` means here.
pub(crate) const HASH: &str =
    "The most memory for tables, of all processors together, in MiB [default: 64 a processor, at most 1024]";

/// The memory for tables in MiB. More than 64 for one processor gains nothing on most deals, less costs time on hard ones.
pub(crate) fn mebibytes(search: &SearchOptions) -> usize {
    let searching = if search.simulate.is_some() { 1 } else { search.processors() };
    search.hash.map_or((64 * searching).min(1024), |mebibytes| mebibytes as usize)
}

/// Why a search was stopped, for people.
pub(crate) fn why(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Stopped => "by the user",
        StopReason::Time => "the time was up",
        StopReason::Nodes => "the nodes were used up",
        StopReason::Panic => "by a fault",
    }
}

/// What the program ends with if a search was stopped.
pub(crate) fn exit_code(reason: StopReason) -> ExitCode {
    if reason == StopReason::Stopped { ExitCode::from(130) } else { ExitCode::from(1) }
}

/// What a board cost, as the report of a search.
pub(crate) fn report(solved: &Solved) -> Report<Card> {
    Report {
        state: None,
        stopped: None,
        nodes: solved.cost.nodes,
        elapsed: solved.cost.elapsed,
        virtual_time: solved.virtual_time,
        statistics: Vec::new(),
        traces: Vec::new(),
    }
}

/// A bar with the boards done, or for a single one the time, on standard error if that is a terminal.
fn progress(total: usize) -> ProgressBar {
    let bar = ProgressBar::new(total as u64);
    if !io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        return bar;
    }
    let template = if total == 1 {
        "{spinner} bridge [{elapsed}]"
    } else {
        "{wide_bar} {pos} of {len} boards, {eta} left"
    };
    let style = ProgressStyle::with_template(template);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}
