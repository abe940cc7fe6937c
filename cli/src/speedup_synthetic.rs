//! Artificial trees for `dts speedup`.

use dts_bench::{Failure, Measurement, Subject, Traced, Trial};
use dts_engine::{CostModel, Limits, Options, Plan, Searcher, TraceEvent};
use dts_synthetic::{DEEPEST, Shape, Tree};

use crate::options::Stop;
use crate::speedup::{Chosen, SpeedupOptions, measurement, trace_events, traced};
use crate::speedup_work::{depths_for, listed};
use crate::synthetic::{DEPTH, memory};

/// Trees to be searched: those of a shape with some seeds.
struct Trees {
    shape: Shape,
    /// How deep each tree is.
    depths: Vec<Option<i32>>,
    seeds: std::ops::Range<u64>,
    hash: u32,
    pin: bool,
    simulate: Option<CostModel>,
    stop: Stop,
}

impl Subject for Trees {
    fn positions(&self) -> Vec<String> {
        self.seeds.clone().map(|seed| format!("seed {seed}")).collect()
    }

    fn run(&mut self, trial: &Trial<'_>) -> Result<Measurement, Failure> {
        Ok(self.search(trial, 0)?.0)
    }

    fn trace(&mut self, trial: &Trial<'_>) -> Result<Option<Traced>, Failure> {
        let capacity = trace_events(trial.processors);
        let (measurement, traces) = self.search(trial, capacity)?;
        Ok(Some(traced(measurement, traces, capacity)?))
    }
}

impl Trees {
    fn search(
        &self,
        trial: &Trial<'_>,
        trace_events: usize,
    ) -> Result<(Measurement, Vec<Vec<TraceEvent>>), Failure> {
        let depth = self.depths[trial.position].unwrap_or(self.shape.depth as i32);
        let shape = Shape { depth: depth.unsigned_abs(), ..self.shape };
        let tree = Tree::new(shape, self.seeds.start + trial.position as u64)?;
        let root = tree.root();
        let options = Options {
            processors: trial.processors,
            strategy: trial.strategy.parse()?,
            simulate: self.simulate,
            pin: self.pin,
            trace_events,
            ..Options::default()
        };
        let limits = Limits::new();
        self.stop.watch(&limits);
        let mut searcher = Searcher::new(tree, memory(&shape, self.hash)?, options)?;
        let report = searcher.search(root, Plan::fixed(depth), &limits)?;
        let state = report.state.as_ref().filter(|_| report.stopped.is_none());
        let value = state.ok_or("the search was stopped")?.range.lower;
        Ok((measurement(value, &report, Some(depth)), report.traces))
    }
}

impl Chosen {
    /// An experiment with artificial trees.
    pub(crate) fn synthetic(options: &SpeedupOptions, stop: Stop) -> anyhow::Result<Chosen> {
        let depth = options.depth.map_or(DEPTH, |depth| depth as u32);
        let shape = options.trees.shape(depth)?;
        let seeds = options.seed..options.seed.saturating_add(options.seeds);
        let (what, depths) = match options.work {
            None => (format!("depth {depth}"), vec![Some(depth as i32); options.seeds as usize]),
            Some(work) => {
                let trees: Vec<(String, u64)> =
                    seeds.clone().map(|seed| (format!("seed {seed}"), seed)).collect();
                let search = |(_, seed): &(String, u64), depth: i32, search, limits: &Limits| {
                    let tree = Tree::new(Shape { depth: depth.unsigned_abs(), ..shape }, *seed)?;
                    let root = tree.root();
                    let mut searcher = Searcher::new(tree, memory(&shape, options.hash)?, search)?;
                    Ok(searcher.search(root, Plan::fixed(depth), limits)?.nodes)
                };
                let depths = depths_for(work, DEEPEST as i32, &trees, &stop, search)?;
                (format!("{work} nodes each"), depths)
            }
        };
        // The shape's own depth is one of many.
        let shown = if options.work.is_some() { listed(&depths) } else { depth.to_string() };
        Ok(Chosen {
            title: format!("{} artificial trees, width {}, {what}", options.seeds, shape.width),
            depths: depths.clone(),
            options: [
                ("game", "synthetic".to_owned()),
                ("shape", format!("{:?}", Shape { depth: 0, ..shape })),
                ("depth", shown),
                ("seeds", options.seeds.to_string()),
                ("hash", options.hash.to_string()),
                ("pin", options.pin.to_string()),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
            subject: Box::new(Trees {
                shape,
                depths,
                seeds,
                hash: options.hash,
                pin: options.pin,
                simulate: options.simulate(),
                stop,
            }),
        })
    }
}
