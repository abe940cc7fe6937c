//! `dts speedup`: how much faster several processors search than one.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use dts_bench::{
    Backend, Experiment, Failure, Measurement, Outcome, Row, Simulated, Subject, Summary, Traced, Trial,
    ceilings, processes_at_once,
};
use dts_chess::Profile;
use dts_engine::{CostModel, MOST_PROCESSORS, Report, Strategy, TraceEvent, Value, write_chrome_trace};
use dts_kalah::{Board, Rules};
use indicatif::ProgressBar;

use crate::experiment_run::{Ended, how_it_ended, progress_bar, run_experiment, show_progress};
use crate::kalah_rules::RulesOptions;
use crate::options::{Stop, TopologyOptions, cores};
use crate::speedup_kalah::boards;
use crate::synthetic::{TreeFiles, TreeOptions};

/// `dts speedup`.
#[derive(Debug, clap::Args)]
pub(crate) struct SpeedupOptions {
    /// The game
    #[arg(long, value_name = "GAME", default_value = "kalah")]
    pub(crate) game: GameName,
    /// A file of positions, one a line: boards of kalah with a name and a colon before them if wanted, FEN or EPD of chess; - is
    /// standard input; or the name of a set: quick, full, and for chess dts24, the paper's 24 positions
    #[arg(long, value_name = "FILE|NAME", default_value = "quick")]
    pub(crate) positions: String,
    /// Numbers of processors [default: 1,2,4 and so on up to the cores]
    #[arg(long, value_name = "1,2,4", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=MOST_PROCESSORS as i64))]
    processors: Vec<u16>,
    /// Strategies to compare: sequential, pvs, epvs, dts, dts-adaptive, ybw, lazy-smp, abdada
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "dts", value_parser = str::parse::<Strategy>)]
    pub(crate) strategy: Vec<Strategy>,
    /// What searches
    #[arg(long, value_name = "BACKEND", default_value = "threads")]
    pub(crate) backend: BackendName,
    /// What things cost in a simulation, a node being 1000: "split 20000, message 500"; what is left out costs what it does by
    /// default
    #[arg(long, value_name = "COSTS", value_parser = str::parse::<CostModel>)]
    costs: Option<CostModel>,
    /// Searches to this depth and judges there [default: to the end of the game]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(i32).range(1..=200))]
    pub(crate) depth: Option<i32>,
    /// Searches each position as deep as takes one processor at least about so many nodes
    #[arg(long, value_name = "NODES", conflicts_with_all = ["depth", "tree"], value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub(crate) work: Option<u64>,
    /// How often each configuration runs; medians are shown
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: u32,
    /// The transposition table of each run, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) hash: u32,
    /// The endgame database of each run, in stones; 0 for none
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=24))]
    pub(crate) database_stones: u32,
    /// Measures what the machine can give: as many independent one-processor searches at once, as processes
    #[arg(long)]
    ceiling: bool,
    /// Binds each of the program's threads to a core of its own
    #[arg(long)]
    pub(crate) pin: bool,
    /// The seed of the experiment
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Writes rows.csv, summary.csv, speedup.svg, trace.json and report.html there; an interrupted run goes on where it stopped
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Prints one JSON object a line
    #[arg(long)]
    json: bool,
    /// So many artificial trees, of seeds from the experiment's up
    #[arg(long, value_name = "K", default_value_t = 4, conflicts_with = "tree", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) seeds: u64,
    /// How chess is searched
    #[arg(long, value_name = "PROFILE", default_value = "classic", value_parser = str::parse::<Profile>)]
    pub(crate) profile: Profile,
    #[command(flatten)]
    pub(crate) topology: TopologyOptions,
    #[command(flatten)]
    pub(crate) trees: TreeOptions,
    #[command(flatten)]
    pub(crate) files: TreeFiles,
    #[command(flatten)]
    pub(crate) rules: RulesOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum GameName {
    /// Boards of kalah, solved to the end
    Kalah,
    /// Positions of chess
    Chess,
    /// Artificial trees
    Synthetic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum BackendName {
    /// Real threads
    Threads,
    /// Virtual processors in virtual time
    Simulated,
}

impl SpeedupOptions {
    /// What things cost, in a simulation.
    pub(crate) fn simulate(&self) -> Option<CostModel> {
        let costs = || self.topology.put_into_costs(self.costs.unwrap_or_default());
        (self.backend == BackendName::Simulated).then(costs)
    }

    fn processors(&self) -> Vec<usize> {
        if !self.processors.is_empty() {
            return self.processors.iter().map(|&count| usize::from(count)).collect();
        }
        if self.backend == BackendName::Simulated {
            return vec![1, 2, 4, 8, 16];
        }
        let cores = cores();
        let mut all: Vec<_> =
            std::iter::successors(Some(1), |&count| Some(count * 2)).take_while(|&p| p < cores).collect();
        all.push(cores);
        all
    }

    /// What the machine gives to independent processes that each search a board with one processor, as this experiment does at one.
    fn measure_ceilings(
        &self,
        boards: &[(String, Board)],
        depths: &[Option<i32>],
        rules: Rules,
        bar: &ProgressBar,
        stop: &Stop,
    ) -> anyhow::Result<Vec<dts_bench::Ceiling>> {
        let program = std::env::current_exe().context("the program's own file")?;
        let positions: Vec<_> = boards.iter().map(|(name, _)| name.clone()).collect();
        let command = |depth: Option<i32>| {
            let mut command = Command::new(&program);
            command.args(["speedup", "--json", "--processors", "1", "--positions", "-"]);
            command.args(["--strategy", self.strategy[0].name(), "--rules", &rules.to_string()]);
            command.args(["--hash", &self.hash.to_string()]);
            command.args(["--database-stones", &self.database_stones.to_string()]);
            if let Some(depth) = depth {
                command.args(["--depth", &depth.to_string()]);
            }
            if self.pin {
                command.arg("--pin");
            }
            command
        };
        let time = |printed: &str| Ok(serde_json::from_str::<Row>(printed)?.time);
        let measured = ceilings(
            &positions,
            &self.processors(),
            self.repeat,
            self.out.as_deref(),
            &mut |position, count| {
                let (_, board) = &boards[position];
                let command = || command(depths[position]);
                processes_at_once(count, &format!("board: {board}\n"), command, time)
            },
            &mut |progress| {
                show_progress(bar, progress, "searches of the ceiling");
                if stop.is_wanted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        Ok(measured?)
    }
}

/// What a search to `depth`, or to the end, gave: its time is virtual if it was simulated.
pub(crate) fn measurement<M>(value: Value, report: &Report<M>, depth: Option<i32>) -> Measurement {
    let total = report.total();
    let time = match report.virtual_time {
        Some(virtual_time) => virtual_time.time,
        None => report.elapsed.as_secs_f64(),
    };
    Measurement {
        value: i64::from(value),
        nodes: report.nodes,
        time,
        idle_share: report.idle_share().clamp(0.0, 1.0),
        splits: total.splits,
        stops: total.stops,
        depth: depth.map(i32::unsigned_abs),
        simulated: report.virtual_time.map(|virtual_time| Simulated {
            work: virtual_time.work,
            critical_path: virtual_time.critical_path,
        }),
    }
}

/// The text of one of some sets, of a file or of standard input, and what to call its place in errors.
pub(crate) fn text_of(name: &str, sets: &[(&str, &str)]) -> anyhow::Result<(String, String)> {
    if let Some((_, text)) = sets.iter().find(|(set, _)| *set == name) {
        return Ok(((*text).to_owned(), name.to_owned()));
    }
    if name == "-" {
        let text = io::read_to_string(io::stdin()).context("standard input: cannot be read")?;
        return Ok((text, "standard input".to_owned()));
    }
    let text = std::fs::read_to_string(name).with_context(|| {
        let sets: Vec<_> = sets.iter().map(|(set, _)| *set).collect();
        format!("{name}: neither a set ({}) nor a file that can be read", sets.join(", "))
    })?;
    Ok((text, name.to_owned()))
}

/// Events kept for each processor in the search that the report shows: a file of some tens of megabytes at most.
pub(crate) fn trace_events(processors: usize) -> usize {
    (1 << 19) / processors.max(4)
}

/// What a search gave, and the record of each processor if it was asked for.
pub(crate) type Searched = (Measurement, Vec<Vec<TraceEvent>>);

/// Positions that can be searched.
pub(crate) trait Positions {
    /// Their names.
    fn names(&self) -> Vec<String>;

    /// Searches one, and keeps up to so many events of each processor.
    fn search(&self, trial: &Trial<'_>, trace_events: usize) -> Result<Searched, Failure>;
}

/// Positions as what an experiment is about.
pub(crate) struct Positioned<P>(pub(crate) P);

impl<P: Positions> Subject for Positioned<P> {
    fn positions(&self) -> Vec<String> {
        self.0.names()
    }

    fn run(&mut self, trial: &Trial<'_>) -> Result<Measurement, Failure> {
        Ok(self.0.search(trial, 0)?.0)
    }

    fn trace(&mut self, trial: &Trial<'_>) -> Result<Option<Traced>, Failure> {
        let capacity = trace_events(trial.processors);
        let (measurement, traces) = self.0.search(trial, capacity)?;
        Ok(Some(traced(measurement, traces, capacity)?))
    }
}

/// A search with the record of what each processor did, which kept up to `capacity` events of each.
pub(crate) fn traced(
    measurement: Measurement,
    mut traces: Vec<Vec<TraceEvent>>,
    capacity: usize,
) -> io::Result<Traced> {
    // Where one has no more room, the record of all ends: later the picture would show it without work.
    let full = traces.iter().filter(|events| events.len() >= capacity);
    let end = full.filter_map(|events| events.last()).map(|event| event.at).min();
    if let Some(end) = end {
        traces.iter_mut().for_each(|events| events.retain(|event| event.at <= end));
    }
    let mut events = Vec::new();
    write_chrome_trace(&traces, &mut events)?;
    Ok(Traced { measurement, events, cut: end.is_some() })
}

/// What an experiment is about.
pub(crate) struct Chosen {
    pub(crate) subject: Box<dyn Subject>,
    pub(crate) title: String,
    /// Whether all searches of a position must find the same value.
    pub(crate) values_agree: bool,
    /// How deep each position is searched; none is to the end.
    pub(crate) depths: Vec<Option<i32>>,
    /// What tells this experiment from others.
    pub(crate) options: BTreeMap<String, String>,
}

/// Options that only some experiments have, and which.
const ONLY: [(&[GameName], &[&str]); 4] = [
    (&[GameName::Kalah, GameName::Chess], &["positions"]),
    (&[GameName::Kalah], &["database-stones", "rules", "capture", "end", "sweep", "origin"]),
    (&[GameName::Chess], &["profile"]),
    (
        &[GameName::Synthetic],
        &[
            "seeds",
            "width",
            "narrowest",
            "gains",
            "noise",
            "planted",
            "first",
            "forced",
            "early-leaves",
            "extra-turns",
            "step",
            "transpositions",
            "heavy-tailed",
            "grain",
            "tree",
        ],
    ),
];

/// Refuses what would be without effect: whoever asks for it believes that it has one.
fn check_given(options: &SpeedupOptions, given: &[String]) -> anyhow::Result<()> {
    let is_given = |name: &str| given.iter().any(|given| given == name);
    for (games, names) in ONLY {
        if let Some(name) = names.iter().find(|name| is_given(name))
            && !games.contains(&options.game)
        {
            let games: Vec<_> = games.iter().filter_map(clap::ValueEnum::to_possible_value).collect();
            let games: Vec<_> = games.iter().map(|game| game.get_name()).collect();
            bail!("--{name}: only for --game {}; leave it out, or name that game", games.join(" or "));
        }
    }
    if is_given("first") && !is_given("planted") {
        bail!("--first: only planted trees have a right move; leave it out, or say --planted");
    }
    if is_given("noise") && is_given("planted") {
        bail!("--noise: in planted trees --first tells how good the order is; leave one of them out");
    }
    if options.pin && options.backend == BackendName::Simulated {
        bail!("--pin: virtual processors have no cores; leave it out");
    }
    Ok(())
}

pub(crate) fn run(options: &SpeedupOptions, given: &[String]) -> anyhow::Result<ExitCode> {
    check_given(options, given)?;
    options.topology.check(options.backend == BackendName::Simulated, "--backend simulated")?;
    let stop = Stop::on_interrupt();
    let chosen = match options.game {
        GameName::Kalah => boards(&options.positions)
            .and_then(|boards| Ok((Chosen::kalah(options, boards.clone(), stop.clone())?, boards))),
        GameName::Chess => Chosen::chess(options, stop.clone()).map(|chosen| (chosen, Vec::new())),
        GameName::Synthetic => Chosen::synthetic(options, stop.clone()).map(|chosen| (chosen, Vec::new())),
    };
    if stop.is_wanted() {
        eprintln!("dts: stopped");
        return Ok(ExitCode::from(130));
    }
    let (mut subject, boards) = chosen?;
    if let Some(factor) = options.topology.preference() {
        subject.options.insert("discount-remote".to_owned(), factor.to_string());
    }
    let rules = options.rules.rules();
    if options.ceiling && (boards.is_empty() || options.backend == BackendName::Simulated) {
        bail!("--ceiling: only threads on kalah boards have one; leave it out");
    }
    let simulated = options.simulate();
    if options.costs.is_some() && simulated.is_none() {
        bail!("--costs: threads take the time they take; leave it out, or say --backend simulated");
    }
    let mut experiment = Experiment {
        title: subject.title.clone(),
        options: subject.options.clone(),
        strategies: options.strategy.iter().map(ToString::to_string).collect(),
        processors: options.processors(),
        repeats: options.repeat,
        backend: if simulated.is_some() { Backend::Simulated } else { Backend::Threads },
        cost_model: simulated.map_or("none".to_owned(), |costs| costs.to_string()),
        seed: options.seed,
        values_agree: subject.values_agree,
        ..Experiment::default()
    };

    let mut out = io::stdout().lock();
    let bar = progress_bar();
    let mut heading = !options.json;
    let outcome =
        run_experiment(&experiment, &mut *subject.subject, options.out.as_deref(), &bar, &stop, &mut |row| {
            options.print_row(row, std::mem::take(&mut heading), &mut out)
        });
    // The ceiling comes after the runs, for only then is it certain that the directory is this experiment's.
    let outcome = match outcome {
        Ok(outcome) if options.ceiling => {
            options.measure_ceilings(&boards, &subject.depths, rules, &bar, &stop).and_then(|all| {
                experiment.ceilings = all;
                if options.out.is_some() {
                    // Every run is there already: only the tables, the plot and the page are made again.
                    return Ok(experiment.run(&mut *subject.subject, options.out.as_deref(), &mut |_| {
                        ControlFlow::Continue(())
                    })?);
                }
                Ok(outcome)
            })
        }
        other => other,
    };
    bar.finish_and_clear();
    let outcome = match how_it_ended(outcome, &stop, options.out.is_some())? {
        Ended::Whole(outcome) => outcome,
        Ended::Early(code) => return Ok(code),
    };
    if !options.json {
        print_summary(&outcome, &experiment.ceilings, &mut out)?;
        if let Some(directory) = &options.out {
            // At one processor there is nothing to record.
            let trace = if directory.join("trace.json").exists() { " trace.json" } else { "" };
            let names = format!("rows.csv summary.csv speedup.svg{trace}").replace(' ', ", ");
            writeln!(out, "\n{names} and report.html are in {}", directory.display())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl SpeedupOptions {
    fn print_row(&self, row: &Row, heading: bool, out: &mut impl Write) -> io::Result<()> {
        if self.json {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
            return out.flush();
        }
        let simulated = row.backend == Backend::Simulated;
        if heading {
            let depth = if self.work.is_some() { " depth" } else { "" };
            writeln!(
                out,
                "{:<18} {:<12} {:>4}{depth} {:>6} {:>13} {:>9} {:>8} {:>11} {:>6} {:>8} {:>7}",
                "position",
                "strategy",
                "P",
                "value",
                "nodes",
                if simulated { "time" } else { "seconds" },
                "speedup",
                "node ratio",
                "idle",
                "splits",
                "stops"
            )?;
        }
        // Without --work it is the same for all, and known.
        let depth = row.depth.filter(|_| self.work.is_some());
        let depth = depth.map_or(String::new(), |depth| format!(" {depth:>5}"));
        writeln!(
            out,
            "{:<18} {:<12} {:>4}{depth} {:>6} {:>13} {:>9.*} {:>8.2} {:>11.3} {:>5.1}% {:>8} {:>7}",
            row.position,
            row.strategy,
            row.processors,
            row.value,
            row.nodes,
            if simulated { 0 } else { 3 },
            row.time,
            row.speedup,
            row.node_ratio,
            row.idle_share * 100.0,
            row.splits,
            row.stops
        )?;
        out.flush()
    }
}

fn print_summary(outcome: &Outcome, ceilings: &[dts_bench::Ceiling], out: &mut impl Write) -> io::Result<()> {
    let strong = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let (on, off) = if strong { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    write!(
        out,
        "\n{:<12} {:>4} {:>8} {:>10} {:>7} {:>7} {:>17} {:>11} {:>6}",
        "strategy", "P", "speedup", "geometric", "least", "most", "95 % interval", "node ratio", "idle"
    )?;
    let any = |known: fn(&Summary) -> bool| outcome.summary.iter().any(known);
    let repeated = any(|line| line.spread_median.is_some());
    let simulated = any(|line| line.time_over_prediction_mean.is_some());
    if repeated {
        write!(out, " {:>7}", "spread")?;
    }
    if simulated {
        write!(out, " {:>7} {:>12}", "W/C", "t/(C + W/P)")?;
    }
    writeln!(out)?;
    for line in &outcome.summary {
        let interval = match (line.speedup_low95, line.speedup_high95) {
            (Some(low), Some(high)) => format!("{low:.2} to {high:.2}"),
            _ => "-".to_owned(),
        };
        write!(
            out,
            "{:<12} {:>4} {on}{:>8.2}{off} {:>10.2} {:>7.2} {:>7.2} {:>17} {:>11.3} {:>5.1}%",
            line.strategy,
            line.processors,
            line.speedup_mean,
            line.speedup_geometric_mean,
            line.speedup_min,
            line.speedup_max,
            interval,
            line.node_ratio_mean,
            line.idle_share_mean * 100.0,
        )?;
        if let Some(spread) = line.spread_median {
            write!(out, " {:>6.1}%", 100.0 * spread)?;
        }
        if let (Some(parallelism), Some(ratio)) = (line.parallelism_mean, line.time_over_prediction_mean) {
            // One processor is its own critical path, so that there is nothing to predict.
            let ratio = if line.processors > 1 { format!("{ratio:.2}") } else { "-".to_owned() };
            write!(out, " {parallelism:>7.1} {ratio:>12}")?;
        }
        writeln!(out)?;
    }
    for ceiling in ceilings.iter().filter(|ceiling| ceiling.processors > 1) {
        writeln!(
            out,
            "ceiling      {:>4} {:>8.2}   independent processes",
            ceiling.processors, ceiling.ceiling
        )?;
    }
    if let Some(verdict) = outcome.verdicts().last() {
        writeln!(out, "\n{on}{verdict}{off}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_record_ends_for_all_at_once() {
        let event = |at, event| TraceEvent { at, event, block: 0, generation: 0, ply: 0 };
        let of = |moments: &[u64]| {
            moments.iter().map(|at| event(*at, dts_engine::Event::Split)).collect::<Vec<_>>()
        };
        let measurement = Measurement {
            value: 0,
            nodes: 1,
            time: 9.0,
            idle_share: 0.0,
            splits: 0,
            stops: 0,
            depth: None,
            simulated: None,
        };
        let splits = |capacity| {
            let traces = vec![of(&[1_000, 4_000, 5_000]), of(&[2_000, 9_000]), of(&[3_000, 5_000, 6_000])];
            let traced = traced(measurement, traces, capacity).expect("memory takes everything");
            let text = String::from_utf8(traced.events).expect("text");
            (text.matches("split").count(), text.contains("9.000"), traced.cut)
        };
        assert_eq!(splits(4), (8, true, false));
        // Two are full: at 5 and at 6 microseconds.
        assert_eq!(splits(3), (6, false, true));
    }
}
