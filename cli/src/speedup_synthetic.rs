//! Artificial trees for `dts speedup`.

use dts_bench::{Failure, Measurement, Subject, Trial};
use dts_engine::{CostModel, Limits, Options, Plan, Searcher};
use dts_synthetic::{Shape, Tree};

use crate::options::Stop;
use crate::speedup::{Chosen, SpeedupOptions, measurement};
use crate::synthetic::{DEPTH, memory};

/// Trees to be searched: those of a shape with some seeds.
struct Trees {
    shape: Shape,
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
        let tree = Tree::new(self.shape, self.seeds.start + trial.position as u64)?;
        let root = tree.root();
        let options = Options {
            processors: trial.processors,
            strategy: trial.strategy.parse()?,
            simulate: self.simulate,
            pin: self.pin,
            ..Options::default()
        };
        let limits = Limits::new();
        self.stop.watch(&limits);
        let mut searcher = Searcher::new(tree, memory(&self.shape, self.hash)?, options)?;
        let report = searcher.search(root, Plan::fixed(self.shape.depth as i32), &limits)?;
        let state = report.state.as_ref().filter(|_| report.stopped.is_none());
        let value = state.ok_or("the search was stopped")?.range.lower;
        Ok(measurement(value, &report))
    }
}

impl Chosen {
    /// An experiment with artificial trees.
    pub(crate) fn synthetic(options: &SpeedupOptions, stop: Stop) -> anyhow::Result<Chosen> {
        let depth = options.depth.map_or(DEPTH, |depth| depth as u32);
        let shape = options.trees.shape(depth)?;
        let seeds = options.seed..options.seed.saturating_add(options.seeds);
        Ok(Chosen {
            title: format!("{} artificial trees, width {}, depth {depth}", options.seeds, shape.width),
            options: [
                ("game", "synthetic".to_owned()),
                ("shape", format!("{shape:?}")),
                ("seeds", options.seeds.to_string()),
                ("hash", options.hash.to_string()),
                ("pin", options.pin.to_string()),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
            subject: Box::new(Trees {
                shape,
                seeds,
                hash: options.hash,
                pin: options.pin,
                simulate: options.simulate(),
                stop,
            }),
        })
    }
}
