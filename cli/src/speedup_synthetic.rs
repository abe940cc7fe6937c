//! Artificial trees for `dts speedup`.

use std::sync::Arc;

use dts_bench::{Failure, Trial};
use dts_engine::{CostModel, Game, Limits, Options, Plan, Searcher, SplitPolicy};
use dts_synthetic::{DEEPEST, Recorded, Shape, Tree};

use crate::options::{Stop, TopologyOptions};
use crate::speedup::{Chosen, Positioned, Positions, Searched, SpeedupOptions, measurement};
use crate::speedup_work::{depths_for, listed};
use crate::synthetic::{DEPTH, memory, replayed};

/// How every tree is searched.
struct Search {
    hash: u32,
    pin: bool,
    simulate: Option<CostModel>,
    topology: TopologyOptions,
    stop: Stop,
}

impl Search {
    fn run<G: Game>(
        &self,
        trial: &Trial<'_>,
        trace_events: usize,
        policy: SplitPolicy,
        (game, root, shared): (G, G::Position, G::Shared),
        depth: i32,
    ) -> Result<Searched, Failure> {
        let options = Options {
            processors: trial.processors,
            strategy: trial.strategy.parse()?,
            simulate: self.simulate,
            pin: self.pin,
            policy: self.topology.put_into(policy),
            trace_events,
            ..Options::default()
        };
        let limits = self.stop.limits();
        let report = Searcher::new(game, shared, options)?.search(root, Plan::fixed(depth), &limits)?;
        let state = report.state.as_ref().filter(|_| report.stopped.is_none());
        let value = state.ok_or("the search was stopped")?.range.lower;
        Ok((measurement(value, &report, Some(depth)), report.traces))
    }
}

/// Artificial trees: those of a shape with some seeds.
struct Trees {
    shape: Shape,
    /// How deep each tree is.
    depths: Vec<i32>,
    seeds: std::ops::Range<u64>,
    search: Search,
}

impl Positions for Trees {
    fn names(&self) -> Vec<String> {
        self.seeds.clone().map(|seed| format!("seed {seed}")).collect()
    }

    fn search(&self, trial: &Trial<'_>, trace_events: usize) -> Result<Searched, Failure> {
        let depth = self.depths[trial.position];
        let shape = Shape { depth: depth.unsigned_abs(), ..self.shape };
        let tree = Tree::new(shape, self.seeds.start + trial.position as u64)?;
        let root = tree.root();
        let table = memory(&shape, self.search.hash)?;
        self.search.run(trial, trace_events, SplitPolicy::default(), (tree, root, table), depth)
    }
}

/// Trees that were recorded, each with its name.
struct Recordings {
    trees: Vec<(String, Arc<Recorded>)>,
    search: Search,
}

impl Positions for Recordings {
    fn names(&self) -> Vec<String> {
        self.trees.iter().map(|(name, _)| name.clone()).collect()
    }

    fn search(&self, trial: &Trial<'_>, trace_events: usize) -> Result<Searched, Failure> {
        let (_, recorded) = &self.trees[trial.position];
        let (game, table) = replayed(recorded, self.search.hash)?;
        let (root, policy) = (game.root(), game.split_policy(SplitPolicy::default()));
        self.search.run(trial, trace_events, policy, (game, root, table), recorded.depth() as i32)
    }
}

/// What tells a recorded tree from others of its name.
fn identity(name: &str, tree: &Recorded) -> String {
    format!(
        "{name}: {}, {}, {} plies and {} below, {} nodes, {} leaves of {} node times, value {}{}",
        tree.game(),
        tree.description(),
        tree.plies(),
        tree.below(),
        tree.nodes(),
        tree.leaves(),
        tree.cost(),
        tree.value(),
        if tree.has_keys() { ", keys" } else { "" }
    )
}

impl Chosen {
    /// An experiment with artificial trees, or with recorded ones.
    pub(crate) fn synthetic(options: &SpeedupOptions, stop: Stop) -> anyhow::Result<Chosen> {
        let search = Search {
            hash: options.hash,
            pin: options.pin,
            simulate: options.simulate(),
            topology: options.topology,
            stop,
        };
        let mut chosen = if options.files.is_empty() {
            Chosen::artificial(options, search)?
        } else {
            Chosen::recorded(options.files.load()?, search)
        };
        let more = [
            ("game", "synthetic".to_owned()),
            ("hash", options.hash.to_string()),
            ("pin", options.pin.to_string()),
        ];
        chosen.options.extend(more.map(|(name, value)| (name.to_owned(), value)));
        Ok(chosen)
    }

    fn artificial(options: &SpeedupOptions, search: Search) -> anyhow::Result<Chosen> {
        let depth = options.depth.map_or(DEPTH, |depth| depth as u32);
        let shape = options.trees.shape(depth)?;
        let seeds = options.seed..options.seed.saturating_add(options.seeds);
        let (what, depths) = match options.work {
            None => (format!("depth {depth}"), vec![Some(depth as i32); options.seeds as usize]),
            Some(work) => {
                let trees: Vec<(String, u64)> =
                    seeds.clone().map(|seed| (format!("seed {seed}"), seed)).collect();
                let nodes = |(_, seed): &(String, u64), depth: i32, set_up, limits: &Limits| {
                    let tree = Tree::new(Shape { depth: depth.unsigned_abs(), ..shape }, *seed)?;
                    let root = tree.root();
                    let mut searcher = Searcher::new(tree, memory(&shape, options.hash)?, set_up)?;
                    Ok(searcher.search(root, Plan::fixed(depth), limits)?.nodes)
                };
                let depths = depths_for(work, DEEPEST as i32, &trees, &search.stop, nodes)?;
                (format!("{work} nodes each"), depths)
            }
        };
        // The shape's own depth is one of many.
        let shown = if options.work.is_some() { listed(&depths) } else { depth.to_string() };
        Ok(Chosen {
            title: format!("{} artificial trees, width {}, {what}", options.seeds, shape.width),
            options: [
                ("shape", format!("{:?}", Shape { depth: 0, ..shape })),
                ("depth", shown),
                ("seeds", options.seeds.to_string()),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
            values_agree: true,
            depths: depths.clone(),
            subject: Box::new(Positioned(Trees {
                shape,
                depths: depths.into_iter().flatten().collect(),
                seeds,
                search,
            })),
        })
    }

    fn recorded(trees: Vec<(String, Arc<Recorded>)>, search: Search) -> Chosen {
        let count = match trees.len() {
            1 => "1 recorded tree".to_owned(),
            count => format!("{count} recorded trees"),
        };
        // Who reads a speedup on threads has to know that it is not the game's.
        let costs = if search.simulate.is_none() { ", every leaf one node" } else { "" };
        let all: Vec<_> = trees.iter().map(|(name, tree)| identity(name, tree)).collect();
        Chosen {
            title: format!("{count}{costs}"),
            options: [("trees".to_owned(), all.join("; "))].into(),
            values_agree: true,
            depths: trees.iter().map(|(_, tree)| Some(tree.depth() as i32)).collect(),
            subject: Box::new(Positioned(Recordings { trees, search })),
        }
    }
}
