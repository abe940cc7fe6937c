//! The signature of the search: how many nodes a fixed set of searches takes, sequential and simulated. A commit that changes one of
//! these numbers has changed the search, and says so.

use dts_engine::{CostModel, Limits, Options, Plan, Searcher, Strategy};
use dts_synthetic::{Kind, Shape, Tree};

/// Nodes of all trees together, and node times, searched by `strategy` on 16 virtual processors.
fn signature(strategy: Strategy) -> (u64, u64) {
    let shapes = [
        Shape { width: 12, depth: 6, ..Shape::default() },
        Shape { width: 5, depth: 9, extra_turns: 0.2, forced: 0.1, ..Shape::default() },
        Shape { width: 20, narrowest: Some(2), depth: 6, early_leaves: 0.05, step: 5, ..Shape::default() },
        Shape { width: 10, depth: 6, kind: Kind::Planted { first: 0.8 }, ..Shape::default() },
    ];
    let (mut nodes, mut time) = (0, 0.0);
    for shape in shapes {
        for seed in 1..=5 {
            let tree = Tree::new(shape, seed).expect("a shape that a tree can have");
            let (root, planted) = (tree.root(), tree.planted_value());
            let options = Options {
                processors: 16,
                strategy,
                simulate: Some(CostModel::default()),
                ..Options::default()
            };
            let mut searcher = Searcher::new(tree, None, options).expect("no threads needed");
            let plan = Plan::fixed(shape.depth as i32);
            let report = searcher.search(root, plan, &Limits::new()).expect("trees do not panic");
            let value = report.state.expect("a search without limits has a result").range;
            assert!(planted.is_none_or(|planted| value.lower == planted && value.is_exact()));
            nodes += report.nodes;
            time += report.virtual_time.expect("a simulation").time;
        }
    }
    (nodes, time.round() as u64)
}

#[test]
fn the_signature_is_what_it_was() {
    let found = Strategy::ALL.map(|strategy| (strategy.name(), signature(strategy)));
    let known = [
        ("sequential", (153_105, 153_164)),
        ("pvs", (171_303, 67_203)),
        ("epvs", (190_202, 69_594)),
        ("dts", (192_450, 20_965)),
        ("dts-adaptive", (181_807, 19_498)),
        ("ybw", (196_436, 23_711)),
        ("lazy-smp", (2_358_272, 147_432)),
        ("abdada", (2_205_190, 137_837)),
    ];
    assert_eq!(found, known, "the search has changed; say so in the commit");
}
