//! The options that every search takes, and what every search says when it is done.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use dts_engine::{
    BranchAccount, CostModel, LAST_BRANCH, Limits, MOST_PROCESSORS, NodeType, Options, Report, SplitPolicy,
    Strategy, Topology, UnknownStrategy, write_chrome_trace, write_whole,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};

/// The options that every search takes.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchOptions {
    /// Processors, each a thread [default: the cores this process may use]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_PROCESSORS as i64))]
    pub(crate) threads: Option<u16>,
    /// So many virtual processors on one thread, in virtual time, instead of threads
    #[arg(long, value_name = "P", conflicts_with_all = ["threads", "pin"], value_parser = clap::value_parser!(u16).range(1..=MOST_PROCESSORS as i64))]
    pub(crate) simulate: Option<u16>,
    #[command(flatten)]
    pub(crate) topology: TopologyOptions,
    /// What things cost in the simulation, a node being 1000: "split 20000, message 500"; what is left out costs what it does by
    /// default
    #[arg(long, value_name = "COSTS", requires = "simulate", conflicts_with_all = ["threads", "pin"], value_parser = str::parse::<CostModel>)]
    pub(crate) costs: Option<CostModel>,
    /// How the processors work together
    #[arg(long, value_name = "NAME", default_value_t = Strategy::Dts, value_parser = strategy)]
    pub(crate) strategy: Strategy,
    /// The transposition table, in MiB [default: 256]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) hash: Option<u32>,
    /// Binds each of the program's threads to a core of its own
    #[arg(long)]
    pub(crate) pin: bool,
    /// Stops after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// Stops after about so many nodes
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<u64>,
    /// Shows what each processor did
    #[arg(long)]
    pub(crate) counters: bool,
    /// Writes what happened at split blocks to FILE, as Chrome trace events
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Prints one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Whether to colour what people read
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

/// How far virtual processors are from each other.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Distances between virtual processors")]
pub(crate) struct TopologyOptions {
    /// So many processors a group (a machine) [default: all in one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_PROCESSORS as i64))]
    group_size: Option<u16>,
    /// What a message takes between two processors of a group, in node times [default: 0]
    #[arg(long, value_name = "T", value_parser = latency)]
    latency_inside: Option<u64>,
    /// What a message takes between two groups, in node times [default: 0]
    #[arg(long, value_name = "T", value_parser = latency)]
    latency_between: Option<u64>,
    /// A factor on the score of work in another group: 1 is no preference for the own, at 0 the own group comes first [default: 1]
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    discount_remote: Option<f32>,
}

/// A node's time in the units of the cost model.
const NODE_TIME: f64 = 1_000.0;

/// A latency in node times, in the units of the cost model.
fn latency(text: &str) -> Result<u64, String> {
    let accepted = "a number of node times from 0 to 1e6 is accepted";
    let number: f64 = text.parse().map_err(|_| accepted.to_owned())?;
    if !(0.0..=1e6).contains(&number) {
        return Err(accepted.to_owned());
    }
    Ok((number * NODE_TIME).round() as u64)
}

fn factor(text: &str) -> Result<f32, String> {
    let number: Option<f32> = text.parse().ok();
    let accepted = || "a number from 0 to 1 is accepted".to_owned();
    number.filter(|number| (0.0..=1.0).contains(number)).ok_or_else(accepted)
}

impl TopologyOptions {
    /// What things cost at these distances.
    pub(crate) fn put_into_costs(self, costs: CostModel) -> CostModel {
        let topology = Topology {
            group_size: self.group_size.map_or(0, usize::from),
            inside: self.latency_inside.unwrap_or(0),
            between: self.latency_between.unwrap_or(0),
        };
        CostModel { topology, ..costs }
    }

    /// How split points are chosen at these distances, if `policy` says how without them.
    pub(crate) fn put_into(self, policy: SplitPolicy) -> SplitPolicy {
        SplitPolicy { discount_remote: self.discount_remote.unwrap_or(policy.discount_remote), ..policy }
    }

    /// The preference, if there is one, for an experiment's identity; the cost model names the rest.
    pub(crate) fn preference(self) -> Option<f32> {
        self.discount_remote.filter(|&factor| factor < 1.0)
    }

    /// Refuses distances where processors are threads, and between groups where there is only one.
    pub(crate) fn check(self, simulated: bool, remedy: &str) -> anyhow::Result<()> {
        let all = [
            ("--latency-between", self.latency_between.is_some()),
            ("--discount-remote", self.discount_remote.is_some()),
            ("--latency-inside", self.latency_inside.is_some()),
            ("--group-size", self.group_size.is_some()),
        ];
        let given = |options: &[(&'static str, bool)]| {
            options.iter().find(|(_, given)| *given).map(|&(option, _)| option)
        };
        if !simulated && let Some(option) = given(&all) {
            bail!("{option}: only virtual processors have distances; accepted: with {remedy}");
        }
        if self.group_size.is_none()
            && let Some(option) = given(&all[..2])
        {
            bail!("{option}: all processors are in one group; accepted: with --group-size N");
        }
        Ok(())
    }
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    /// If standard output is a terminal and `NO_COLOR` is not set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Events kept for each processor when a trace is asked for.
const TRACE_EVENTS: usize = 1 << 20;

fn strategy(name: &str) -> Result<Strategy, UnknownStrategy> {
    name.parse()
}

fn seconds(text: &str) -> Result<Duration, String> {
    let accepted = "a number of seconds from 0 to 1e9 is accepted";
    let number: f64 = text.parse().map_err(|_| accepted.to_owned())?;
    if !(0.0..=1e9).contains(&number) {
        return Err(accepted.to_owned());
    }
    Ok(Duration::from_secs_f64(number))
}

/// The cores this process may use.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

impl SearchOptions {
    pub(crate) fn processors(&self) -> usize {
        self.simulate.or(self.threads).map_or_else(cores, usize::from)
    }

    /// The transposition table in MiB, in games that have no other default.
    pub(crate) fn mebibytes(&self) -> u32 {
        self.hash.unwrap_or(256)
    }

    /// The searcher's set-up.
    pub(crate) fn search(&self) -> Options {
        Options {
            processors: self.processors(),
            strategy: self.strategy,
            simulate: self.simulate.map(|_| self.topology.put_into_costs(self.costs.unwrap_or_default())),
            policy: self.topology.put_into(SplitPolicy::default()),
            pin: self.pin,
            trace_events: if self.trace.is_some() { TRACE_EVENTS } else { 0 },
            ..Options::default()
        }
    }

    /// The limits, which Ctrl-C ends at once.
    pub(crate) fn limits(&self, stop: &Stop) -> Limits {
        self.limits_after(stop, Duration::ZERO)
    }

    /// The same for a search before which so much time has been spent.
    pub(crate) fn limits_after(&self, stop: &Stop, spent: Duration) -> Limits {
        let limits = stop.limits();
        limits.set_time(self.time.map(|time| time.saturating_sub(spent)));
        limits.set_nodes(self.nodes);
        limits
    }

    /// Whether to colour.
    pub(crate) fn colored(&self) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        }
    }

    /// Bold, if colours are used.
    pub(crate) fn strong(&self, text: &str) -> String {
        if self.colored() { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// The fields that every search result carries.
    pub(crate) fn fields<M>(&self, report: Option<&Report<M>>, into: &mut Map<String, Value>) {
        into.insert("nodes".into(), json!(report.map_or(0, |report| report.nodes)));
        let virtual_time =
            report.and_then(|report| report.virtual_time).map(|virtual_time| virtual_time.time);
        let seconds = match self.simulate {
            Some(_) => None,
            None => Some(report.map_or(0.0, |report| report.elapsed.as_secs_f64())),
        };
        into.insert("seconds".into(), json!(seconds));
        into.insert("virtual_time".into(), json!(virtual_time));
        into.insert("processors".into(), json!(self.processors()));
        into.insert("strategy".into(), json!(self.strategy.name()));
        if let (true, Some(report)) = (self.counters, report) {
            into.insert("counters".into(), counters_as_json(report));
        }
    }

    /// What the search cost, for people.
    pub(crate) fn show_cost<M>(&self, report: &Report<M>, out: &mut impl Write) -> io::Result<()> {
        let time = match report.virtual_time {
            Some(simulated) => format!(
                "a virtual time of {} nodes; work {}, critical path {}",
                grouped(simulated.time as u64),
                grouped(simulated.work as u64),
                grouped(simulated.critical_path as u64)
            ),
            None => {
                let seconds = report.elapsed.as_secs_f64();
                let rate = if seconds > 0.0 { report.nodes as f64 / seconds / 1e6 } else { 0.0 };
                format!("{seconds:.3} s, {rate:.2} million a second")
            }
        };
        writeln!(
            out,
            "nodes     {} in {time}; {} {}, {}",
            grouped(report.nodes),
            self.processors(),
            if self.processors() == 1 { "processor" } else { "processors" },
            self.strategy,
        )?;
        if self.counters {
            writeln!(
                out,
                "{:>9} {:>14} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>12} {:>8}",
                "processor",
                "nodes",
                "splits",
                "joins",
                "helps",
                "answered",
                "shares",
                "merges",
                "unsplits",
                "stops",
                "thrown away",
                "idle ms"
            )?;
            for (processor, did) in report.statistics.iter().enumerate() {
                writeln!(
                    out,
                    "{processor:>9} {:>14} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>12} {:>8}",
                    did.nodes,
                    did.splits,
                    did.joins,
                    did.helps_asked,
                    did.helps_answered,
                    did.shares,
                    did.merges,
                    did.unsplits,
                    did.stops,
                    did.nodes_thrown_away,
                    did.idle.as_millis(),
                )?;
            }
        }
        Ok(())
    }

    /// Refuses what cannot be done before a search is made for it: distances between threads, a trace that cannot be written.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        self.topology.check(self.simulate.is_some(), "--simulate P")?;
        self.check_trace()
    }

    fn check_trace(&self) -> anyhow::Result<()> {
        let Some(path) = &self.trace else { return Ok(()) };
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
            bail!(
                "--trace {}: there is no directory {}; accepted: a file in a directory that is there",
                path.display(),
                directory.display()
            );
        }
        Ok(())
    }

    /// Writes the trace, if it was asked for.
    pub(crate) fn write_trace<M>(&self, report: Option<&Report<M>>) -> anyhow::Result<()> {
        let (Some(path), Some(report)) = (&self.trace, report) else { return Ok(()) };
        let written = write_whole(path, |file| {
            let mut out = BufWriter::new(file);
            write_chrome_trace(&report.traces, &mut out)?;
            out.flush()
        });
        written.with_context(|| format!("{}: cannot write the trace", path.display()))
    }
}

fn counters_as_json<M>(report: &Report<M>) -> Value {
    report
        .statistics
        .iter()
        .map(|did| {
            json!({
                "nodes": did.nodes, "splits_asked": did.splits_asked, "splits": did.splits, "joins": did.joins,
                "helps_asked": did.helps_asked, "helps_answered": did.helps_answered, "shares": did.shares,
                "merges": did.merges, "unsplits": did.unsplits, "cutoffs": did.cutoffs, "stops": did.stops,
                "nodes_thrown_away": did.nodes_thrown_away, "idle_seconds": did.idle.as_secs_f64(), "branches": branches_as_json(&did.branches),
            })
        })
        .collect()
}

/// The branches of split blocks, of each node type by number; those that nobody took are left out.
fn branches_as_json(account: &BranchAccount) -> Value {
    let types = [("pv", NodeType::Pv), ("cut", NodeType::Cut), ("all", NodeType::All)];
    let of_type = |node_type| -> Value {
        let numbers = (0..=LAST_BRANCH).map(|number| (number, account.of(node_type, number)));
        let taken = numbers.filter(|(_, branches)| branches.finished + branches.stopped > 0);
        taken
            .map(|(number, branches)| {
                json!({
                    "number": number, "finished": branches.finished, "nodes": branches.nodes,
                    "stopped": branches.stopped, "nodes_thrown_away": branches.nodes_thrown_away,
                })
            })
            .collect()
    };
    types
        .map(|(name, node_type)| (name.to_owned(), of_type(node_type)))
        .into_iter()
        .collect::<Map<_, _>>()
        .into()
}

/// A number with its thousands apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Ctrl-C: ends what runs, once, in an orderly way; the second time the program ends at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop {
    pub(crate) wanted: Arc<AtomicBool>,
    limits: Arc<std::sync::Mutex<Vec<Limits>>>,
}

/// There is one listener a process.
static HEARD: AtomicBool = AtomicBool::new(false);

impl Stop {
    /// Begins to listen.
    pub(crate) fn on_interrupt() -> Stop {
        let stop = Stop::default();
        let heard = stop.clone();
        // Somebody else listens already: then he decides.
        let _ = ctrlc::try_set_handler(move || {
            HEARD.store(true, Ordering::SeqCst);
            if heard.wanted.swap(true, Ordering::SeqCst) {
                crate::kalah_play::restore_terminal();
                std::process::exit(130);
            }
            if let Ok(all) = heard.limits.lock() {
                all.iter().for_each(Limits::stop);
            }
        });
        stop
    }

    /// Limits that nothing but Ctrl-C ends.
    pub(crate) fn limits(&self) -> Limits {
        let limits = Limits::new();
        if let Ok(mut all) = self.limits.lock() {
            all.push(limits.clone());
        }
        if self.is_wanted() {
            limits.stop();
        }
        limits
    }

    /// Whether any of them has heard Ctrl-C.
    pub(crate) fn was_heard() -> bool {
        HEARD.load(Ordering::SeqCst)
    }

    /// Whether it has heard Ctrl-C.
    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::SeqCst)
    }
}

/// A spinner with the nodes searched so far, on standard error if that is a terminal, until dropped.
#[derive(Debug)]
pub(crate) struct Watching {
    done: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Watching {
    pub(crate) fn new(what: String, limits: &Limits) -> Watching {
        let done = Arc::new(AtomicBool::new(false));
        if !io::stderr().is_terminal() {
            return Watching { done, thread: None };
        }
        let (ended, limits) = (Arc::clone(&done), limits.clone());
        let thread = thread::spawn(move || {
            let spinner = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]");
            spinner.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            while !ended.load(Ordering::Relaxed) {
                spinner.set_message(format!("{what}: {} nodes", grouped(limits.nodes_searched())));
                spinner.tick();
                thread::park_timeout(Duration::from_millis(100));
            }
            spinner.finish_and_clear();
        });
        Watching { done, thread: Some(thread) }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The spinner's thread has nothing to tell.
            let _ = thread.join();
        }
    }
}
