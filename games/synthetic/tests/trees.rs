//! Artificial trees keep the promises of the engine's `Game`, and their values are minimax's, or the planted ones.

use dts_engine::conformance::{Conformance, minimax};
use dts_engine::table::Table;
use dts_engine::{CostModel, Limits, Options, Plan, Range, Searcher};
use dts_synthetic::{Kind, NodeCost, Shape, Tree};

fn shapes() -> Vec<Shape> {
    let small =
        Shape { width: 6, depth: 5, gains: 9, kind: Kind::Incremental { noise: 4 }, ..Shape::default() };
    vec![
        small,
        Shape { width: 20, depth: 3, ..small },
        Shape { narrowest: Some(1), early_leaves: 0.1, forced: 0.2, ..small },
        Shape { extra_turns: 0.3, step: 3, ..small },
        Shape { transpositions: true, width: 4, depth: 6, ..small },
        Shape { transpositions: true, extra_turns: 0.3, cost: NodeCost::HeavyTailed, grain: 0, ..small },
        Shape { kind: Kind::Planted { first: 0.5 }, ..small },
        Shape { kind: Kind::Planted { first: 1.0 }, narrowest: Some(1), extra_turns: 0.5, grain: 3, ..small },
        Shape { kind: Kind::Planted { first: 0.9 }, transpositions: true, ..small },
    ]
}

fn memory(shape: &Shape) -> Option<Table> {
    shape.transpositions.then(|| Table::new(1).expect("a mebibyte"))
}

#[test]
fn trees_keep_the_promises() {
    for (seed, shape) in (1..).zip(shapes()) {
        let tree = || Tree::new(shape, seed).expect("a possible shape");
        let kit = Conformance { depth: shape.depth as i32, games: 3, ..Conformance::default() };
        kit.check(tree, || memory(&shape), &[tree().root()]);
    }
}

#[test]
fn a_planted_value_is_the_value() {
    for seed in 0..40 {
        for shape in shapes() {
            let tree = Tree::new(shape, seed).expect("a possible shape");
            let Some(planted) = tree.planted_value() else { continue };
            assert_eq!(
                minimax(&tree, &None, &tree.root(), shape.depth as i32),
                planted,
                "{shape:?}, seed {seed}"
            );
            let root = tree.root();
            let options =
                Options { processors: 16, simulate: Some(CostModel::default()), ..Options::default() };
            let mut searcher = Searcher::new(tree, memory(&shape), options).expect("no threads needed");
            let report =
                searcher.search(root, Plan::fixed(shape.depth as i32), &Limits::new()).expect("no panic");
            assert_eq!(
                report.state.expect("a result").range,
                Range::exact(planted),
                "{shape:?}, seed {seed}"
            );
        }
    }
}

#[test]
fn seeds_give_different_trees_and_the_same_seed_the_same() {
    let value = |seed| {
        let shape = Shape { width: 5, depth: 4, ..Shape::default() };
        let tree = Tree::new(shape, seed).expect("a possible shape");
        minimax(&tree, &None, &tree.root(), 4)
    };
    let values: Vec<_> = (0..50).map(value).collect();
    assert_eq!(values, (0..50).map(value).collect::<Vec<_>>());
    let mut different = values;
    different.sort_unstable();
    different.dedup();
    assert!(different.len() > 15, "{} values of 50 trees", different.len());
}

#[test]
fn heavy_nodes_cost_more_time_and_no_more_nodes() {
    let run = |cost| {
        let shape = Shape { width: 8, depth: 5, cost, ..Shape::default() };
        let tree = Tree::new(shape, 1).expect("a possible shape");
        let root = tree.root();
        let options = Options { simulate: Some(CostModel::default()), ..Options::default() };
        let mut searcher = Searcher::new(tree, None, options).expect("no threads needed");
        let report = searcher.search(root, Plan::fixed(5), &Limits::new()).expect("no panic");
        (report.nodes, report.virtual_time.expect("a simulation").work)
    };
    let (plain, heavy) = (run(NodeCost::Constant), run(NodeCost::HeavyTailed));
    assert_eq!(plain.0, heavy.0);
    assert_eq!(plain.1, plain.0 as f64);
    // Half of the nodes cost 1, a quarter 2, and so on up to 256: 5 in the mean.
    let mean = heavy.1 / heavy.0 as f64;
    assert!((4.0..6.0).contains(&mean), "{mean}");
}

#[test]
fn impossible_shapes_say_what_is_possible() {
    let error = |shape: Shape| Tree::new(shape, 1).expect_err("no such tree").to_string();
    assert_eq!(error(Shape { width: 0, ..Shape::default() }), "width 0 is out of range; accepted: 1 to 63");
    assert_eq!(
        error(Shape { narrowest: Some(31), ..Shape::default() }),
        "the least width 31 is out of range; accepted: 1 to 30"
    );
    assert_eq!(
        error(Shape { kind: Kind::Planted { first: 1.5 }, ..Shape::default() }),
        "the chance of the first move 1.5 is no chance; accepted: 0 to 1"
    );
}
