//! `dts synthetic`: artificial trees, and the options that choose them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::bail;
use dts_engine::table::Table;
use dts_engine::{Game, Options, Plan, Searcher, SplitPolicy};
use dts_synthetic::{DEEPEST, Kind, MOST_GAIN, NodeCost, Recorded, Replayed, Shape, Tree, WIDEST};
use serde_json::{Map, Value, json};

use crate::options::{SearchOptions, Stop};
use crate::synthetic_record::{self, RecordOptions};

/// The `dts synthetic` commands.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum SyntheticCommand {
    /// Searches an artificial tree, or one that was recorded
    Search(Box<SearchTree>),
    /// Records the tree of a real game, so that it can be searched again without the game
    Record(RecordOptions),
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
    #[arg(long, value_name = "SEED", default_value_t = 1, conflicts_with = "tree")]
    seed: u64,
    #[command(flatten)]
    files: TreeFiles,
    #[command(flatten)]
    search: SearchOptions,
}

/// Plies of a tree, if nothing else is asked for.
pub(crate) const DEPTH: u32 = 6;

/// Recorded trees instead of artificial ones.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Recorded trees")]
pub(crate) struct TreeFiles {
    /// Trees that `dts synthetic record` wrote, each a position named as its file; on threads their leaves take no more time than
    /// other nodes
    #[arg(long, value_name = "FILE", value_delimiter = ',', conflicts_with_all = ["TreeOptions", "depth"])]
    tree: Vec<PathBuf>,
}

impl TreeFiles {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// Reads them all, each with its name.
    pub(crate) fn load(&self) -> anyhow::Result<Vec<(String, Arc<Recorded>)>> {
        let mut all: Vec<(String, _)> = Vec::new();
        for path in &self.tree {
            let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            if all.iter().any(|(other, _)| *other == name) {
                bail!(
                    "--tree {}: the name `{name}` is there twice; accepted: files of different names",
                    path.display()
                );
            }
            all.push((name, Arc::new(Recorded::load(path)?)));
        }
        Ok(all)
    }

    /// The only one, with its path; none if there is none.
    fn one(&self) -> anyhow::Result<Option<(&Path, Arc<Recorded>)>> {
        match &*self.tree {
            [] => Ok(None),
            [path] => Ok(Some((path, Arc::new(Recorded::load(path)?)))),
            several => bail!("--tree: {} files; accepted: one", several.len()),
        }
    }
}

/// A recorded tree ready to be searched: the game, and a table if positions are met again.
pub(crate) fn replayed(
    recorded: &Arc<Recorded>,
    mebibytes: u32,
) -> anyhow::Result<(Replayed, Option<Table>)> {
    let table = if recorded.has_keys() { Some(Table::new(mebibytes as usize)?) } else { None };
    Ok((Replayed::new(Arc::clone(recorded)), table))
}

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
    match command {
        SyntheticCommand::Search(options) => search(&options),
        SyntheticCommand::Record(options) => synthetic_record::run(&options),
    }
}

fn search(options: &SearchTree) -> anyhow::Result<ExitCode> {
    options.search.check()?;
    let mut about = Map::new();
    let mut tell = |name: &str, value: Value| about.insert(name.into(), value);
    if let Some((path, recorded)) = options.files.one()? {
        tell("tree", json!(path.to_string_lossy()));
        tell("game", json!(recorded.game()));
        tell("description", json!(recorded.description()));
        tell("plies", json!(recorded.plies()));
        tell("below", json!(recorded.below()));
        tell("depth", json!(recorded.depth()));
        for of_artificial_trees in ["width", "seed", "planted"] {
            tell(of_artificial_trees, Value::Null);
        }
        let (game, table) = replayed(&recorded, options.search.mebibytes())?;
        let (root, depth) = (game.root(), recorded.depth() as i32);
        let search = &options.search;
        let policy = search.topology.put_into(game.split_policy(SplitPolicy::default()));
        let set_up = Options { policy, ..search.search() };
        return search_game(options, set_up, (game, root, table), depth, about, |chosen| chosen);
    }
    let shape = options.trees.shape(options.depth)?;
    let tree = Tree::new(shape, options.seed)?;
    let root = tree.root();
    tell("width", json!(shape.width));
    tell("depth", json!(shape.depth));
    tell("seed", json!(options.seed));
    tell("planted", json!(tree.planted_value()));
    let table = memory(&shape, options.search.mebibytes())?;
    let set_up = options.search.search();
    let number = |chosen: dts_synthetic::Move| chosen.number.into();
    search_game(options, set_up, (tree, root, table), options.depth as i32, about, number)
}

/// Searches a tree and prints what came of it; `about` says in JSON which tree it is, and `number` which child a move leads to.
fn search_game<G: Game>(
    options: &SearchTree,
    set_up: Options,
    (game, root, shared): (G, G::Position, G::Shared),
    depth: i32,
    about: Map<String, Value>,
    number: impl Fn(G::Move) -> u16,
) -> anyhow::Result<ExitCode> {
    let stop = Stop::on_interrupt();
    let mut searcher = Searcher::new(game, shared, set_up)?;
    let report = searcher.search(root, Plan::fixed(depth), &options.search.limits(&stop))?;
    let value = report.state.as_ref().map(|state| state.range.lower);
    let line: Vec<_> =
        report.state.iter().flat_map(|state| &state.line).map(|&chosen| number(chosen)).collect();
    let mut out = io::stdout().lock();
    if options.search.json {
        let mut object = about;
        object.insert("value".into(), json!(value));
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
