//! `dts synthetic`: artificial trees, and the options that choose them.

use std::io::{self, Write};
use std::process::ExitCode;

use dts_engine::table::Table;
use dts_engine::{Plan, Searcher};
use dts_synthetic::{DEEPEST, Kind, MOST_GAIN, NodeCost, Shape, Tree, WIDEST};
use serde_json::{Map, Value, json};

use crate::options::{SearchOptions, Stop};

/// The `dts synthetic` commands.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum SyntheticCommand {
    /// Searches an artificial tree
    Search(SearchTree),
}

/// `dts synthetic search`.
#[derive(Debug, clap::Args)]
pub(crate) struct SearchTree {
    #[command(flatten)]
    trees: TreeOptions,
    /// Plies from the root to the leaves
    #[arg(long, value_name = "D", default_value_t = DEPTH, value_parser = clap::value_parser!(u32).range(1..=i64::from(DEEPEST)))]
    depth: u32,
    /// Which tree of the shape
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    search: SearchOptions,
}

/// Plies of a tree, if nothing else is asked for.
pub(crate) const DEPTH: u32 = 6;

/// What the trees look like.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Artificial trees")]
pub(crate) struct TreeOptions {
    /// Moves of a node
    #[arg(long, value_name = "B", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=i64::from(WIDEST)))]
    width: u32,
    /// Nodes have from so many moves to the width, instead of all the same
    #[arg(long, value_name = "B")]
    narrowest: Option<u32>,
    /// Moves win from minus so much to so much
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(i32).range(1..=i64::from(MOST_GAIN)))]
    gains: i32,
    /// What a move wins is misjudged by up to so much when moves are ordered
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(i32).range(0..=i64::from(MOST_GAIN)))]
    noise: i32,
    /// One child of each node inherits its value, and the others are worse for the mover: the value is known
    #[arg(long)]
    planted: bool,
    /// In planted trees, the chance that the right child comes first
    #[arg(long, value_name = "P", default_value_t = 0.8)]
    first: f64,
    /// The chance that a node has one move only
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    forced: f64,
    /// The chance that a node is a leaf before its time
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    early_leaves: f64,
    /// The chance that the same side moves again
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    extra_turns: f64,
    /// Values are rounded to multiples of it, so that many are equal
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(i32).range(1..=i64::from(MOST_GAIN)))]
    step: i32,
    /// Different orders of the same moves lead to the same position, and there is a transposition table
    #[arg(long)]
    transpositions: bool,
    /// Some nodes cost many times what others do, in a simulation
    #[arg(long)]
    heavy_tailed: bool,
    /// Subtrees of at most so many plies are searched by recursion
    #[arg(long, value_name = "PLIES", default_value_t = 1)]
    grain: u32,
}

impl TreeOptions {
    /// The shape of trees of `depth` plies.
    pub(crate) fn shape(&self, depth: u32) -> anyhow::Result<Shape> {
        let kind = match self.planted {
            true => Kind::Planted { first: self.first },
            false => Kind::Incremental { noise: self.noise },
        };
        let shape = Shape {
            width: self.width,
            narrowest: self.narrowest,
            depth,
            early_leaves: self.early_leaves,
            forced: self.forced,
            extra_turns: self.extra_turns,
            gains: self.gains,
            step: self.step,
            transpositions: self.transpositions,
            kind,
            cost: if self.heavy_tailed { NodeCost::HeavyTailed } else { NodeCost::Constant },
            grain: self.grain,
        };
        shape.check()?;
        Ok(shape)
    }
}

/// What the trees of a shape share: a table, if positions are met again.
pub(crate) fn memory(shape: &Shape, mebibytes: u32) -> anyhow::Result<Option<Table>> {
    Ok(if shape.transpositions { Some(Table::new(mebibytes as usize)?) } else { None })
}

pub(crate) fn run(command: SyntheticCommand) -> anyhow::Result<ExitCode> {
    let SyntheticCommand::Search(options) = command;
    options.search.check_trace()?;
    let shape = options.trees.shape(options.depth)?;
    let tree = Tree::new(shape, options.seed)?;
    let (root, planted) = (tree.root(), tree.planted_value());
    let stop = Stop::on_interrupt();
    let mut searcher = Searcher::new(tree, memory(&shape, options.search.hash)?, options.search.search())?;
    let report = searcher.search(root, Plan::fixed(options.depth as i32), &options.search.limits(&stop))?;
    let value = report.state.as_ref().map(|state| state.range.lower);
    let line: Vec<_> =
        report.state.iter().flat_map(|state| &state.line).map(|chosen| chosen.number).collect();
    let mut out = io::stdout().lock();
    if options.search.json {
        let mut object = Map::new();
        object.insert("width".into(), json!(shape.width));
        object.insert("depth".into(), json!(shape.depth));
        object.insert("seed".into(), json!(options.seed));
        object.insert("value".into(), json!(value));
        object.insert("planted".into(), json!(planted));
        object.insert("line".into(), json!(line));
        if let Some(virtual_time) = report.virtual_time {
            object.insert("work".into(), json!(virtual_time.work));
            object.insert("critical_path".into(), json!(virtual_time.critical_path));
            object.insert("prediction".into(), json!(virtual_time.prediction(report.statistics.len())));
        }
        options.search.fields(Some(&report), &mut object);
        writeln!(out, "{}", Value::Object(object))?;
    } else {
        let shown = value.map_or("not found".to_owned(), |value| value.to_string());
        writeln!(out, "value     {shown}")?;
        let line: Vec<_> = line.iter().map(ToString::to_string).collect();
        writeln!(out, "line      {}", line.join(" "))?;
        if let Some(stopped) = report.stopped {
            writeln!(out, "stopped   {stopped:?}")?;
        }
        options.search.show_cost(&report, &mut out)?;
    }
    options.search.write_trace(Some(&report))?;
    Ok(match report.stopped {
        None => ExitCode::SUCCESS,
        Some(_) if stop.is_wanted() => ExitCode::from(130),
        Some(_) => ExitCode::from(1),
    })
}
