//! The simulator: the same values as minimax, the same run each time, and times that add up.

use crate::control::{Limits, StopReason};
use crate::root::{Approach, Plan};
use crate::simulator::{CostError, CostModel};
use crate::strategy::Strategy;
use crate::table::Table;
use crate::threads::{Options, Report, SearchError, Searcher};
use crate::toys::{Leaves, Scouts, Shape, mix};
use crate::value::Range;

fn options(processors: usize, blocks: usize) -> Options {
    Options { processors, blocks, simulate: Some(CostModel::default()), ..Options::default() }
}

fn bushy(seed: u64) -> Shape {
    Shape { depth: 6, widest: 6 + seed as u32 % 3, ..Shape::random(seed) }
}

fn search(seed: u64, processors: usize) -> Report<u32> {
    let shape = bushy(seed);
    let game = Scouts::new(shape);
    let wanted = game.values[&shape.root().hash];
    let table = seed.is_multiple_of(2).then(|| Table::new(1).expect("a mebibyte"));
    let blocks = [1, 2, 0][mix(seed) as usize % 3];
    let mut searcher = Searcher::new(game, table, options(processors, blocks)).expect("no threads needed");
    let plan = match mix(seed) % 2 {
        0 => Plan::fixed(6).with(Approach::Zero { guess: 1, step: 1 }),
        _ => Plan::fixed(6),
    };
    let report = searcher.search(shape.root(), plan, &Limits::new()).expect("no panic");
    let state = report.state.as_ref().expect("a result");
    assert_eq!(state.range, Range::exact(wanted), "seed {seed}, {processors} virtual processors");
    report
}

#[test]
fn virtual_processors_agree_with_minimax() {
    let mut joins = 0;
    for seed in 0..100 {
        for processors in [1, 2, 3, 5, 8, 16, 64] {
            joins += search(seed, processors).total().joins;
        }
    }
    assert!(joins > 1_000, "{joins} joins");
}

#[test]
fn proofs_hold_on_virtual_processors() {
    for seed in 0..60 {
        let shape = Shape { widest: 4, depth: 5, ..Shape::random(seed) };
        let game = Leaves::new(shape);
        let wanted = Range::exact(game.values[&shape.root().hash]);
        let mut searcher = Searcher::new(game, (), options(8, 0)).expect("no threads needed");
        let report =
            searcher.search(shape.root(), Plan::fixed(5), &Limits::new()).expect("every proof holds");
        assert_eq!(report.state.expect("a result").range, wanted, "seed {seed}");
    }
}

#[test]
fn the_same_options_give_the_same_run() {
    for seed in 0..20 {
        let [one, other] = [search(seed, 16), search(seed, 16)];
        assert_eq!(one.statistics, other.statistics);
        assert_eq!(one.virtual_time, other.virtual_time);
        assert_eq!(one.elapsed, other.elapsed);
    }
}

#[test]
fn times_add_up() {
    for seed in 0..50 {
        let alone = search(seed, 1).virtual_time.expect("a simulation");
        assert_eq!(alone.critical_path, alone.work, "one processor waits for nobody");
        assert!(alone.time >= alone.work && alone.time < alone.work * 1.1 + 20.0, "{alone:?}");
        for processors in [2, 8, 64] {
            let report = search(seed, processors);
            let several = report.virtual_time.expect("a simulation");
            assert_eq!(several.work, report.nodes as f64, "a node costs one node time");
            assert!(several.critical_path <= several.time, "{several:?}");
            assert!(several.work <= several.time * processors as f64, "{several:?}");
            let idle = report.idle_share();
            assert!((0.0..=1.0).contains(&idle), "an idle share of {idle}");
        }
    }
}

#[test]
fn a_node_costs_what_the_model_says() {
    let shape = bushy(3);
    let time = |costs: CostModel| {
        let options = Options { simulate: Some(costs), ..Options::default() };
        let mut searcher = Searcher::new(Scouts::new(shape), None, options).expect("no threads needed");
        let report = searcher.search(shape.root(), Plan::fixed(6), &Limits::new()).expect("no panic");
        (report.nodes as f64, report.virtual_time.expect("a simulation"))
    };
    let free =
        CostModel { node: 2_000, selected: 0, split: 0, ply_copied: 0, message: 0, lock: 0, idle_poll: 1 };
    let (nodes, virtual_time) = time(free);
    assert_eq!(virtual_time.work, 2.0 * nodes);
    assert!((virtual_time.time - virtual_time.work).abs() < 1.0, "{virtual_time:?}");
}

#[test]
fn limits_end_a_simulated_search() {
    let shape = Shape { depth: 8, widest: 7, ..bushy(1) };
    let game = Scouts::new(Shape { depth: 8, ..shape });
    let wanted = game.values[&shape.root().hash];
    let mut searcher = Searcher::new(game, None, options(4, 0)).expect("no threads needed");
    let limits = Limits::new();
    limits.set_nodes(Some(50));
    let report = searcher.search(shape.root(), Plan::fixed(8), &limits).expect("no panic");
    assert_eq!(report.stopped, Some(StopReason::Nodes));
    let report = searcher.search(shape.root(), Plan::fixed(8), &Limits::new()).expect("no panic");
    assert_eq!(report.state.expect("a result").range, Range::exact(wanted));
}

#[test]
fn sequential_leaves_the_others_idle() {
    let shape = bushy(5);
    let options = Options { strategy: Strategy::Sequential, ..options(4, 0) };
    let mut searcher = Searcher::new(Scouts::new(shape), None, options).expect("no threads needed");
    let report = searcher.search(shape.root(), Plan::fixed(6), &Limits::new()).expect("no panic");
    assert_eq!(report.total().splits, 0);
    assert!(report.idle_share() > 0.7, "{}", report.idle_share());
}

#[test]
fn a_panic_of_the_game_ends_a_simulated_search() {
    let shape = bushy(2);
    let game = Scouts { panic_at: 40, ..Scouts::new(shape) };
    let mut searcher = Searcher::new(game, None, options(4, 0)).expect("no threads needed");
    let outcome = searcher.search(shape.root(), Plan::fixed(6), &Limits::new());
    assert!(matches!(outcome, Err(SearchError::GamePanicked { .. })), "{outcome:?}");
}

#[test]
fn cost_models_are_read_back() {
    let costs =
        CostModel { node: 1, selected: 2, split: 3, ply_copied: 4, message: 5, lock: 6, idle_poll: 7 };
    assert_eq!(costs.to_string().parse(), Ok(costs));
    assert_eq!("".parse(), Ok(CostModel::default()));
    assert_eq!(
        " lock 9 ,split   20000".parse(),
        Ok(CostModel { lock: 9, split: 20_000, ..CostModel::default() })
    );
}

#[test]
fn errors_in_cost_models_say_what_is_accepted() {
    let message = |text: &str| text.parse::<CostModel>().expect_err(text).to_string();
    let unknown = message("node 1000, spilt 3");
    assert!(unknown.contains("`spilt`") && unknown.contains("ply_copied"), "{unknown}");
    for text in ["split", "split x", "split -1", "split 1 2", "split 1000000001", "node 0", "idle_poll 0"] {
        assert!(matches!(text.parse::<CostModel>(), Err(CostError::Number { .. })), "{text}");
        assert!(!message(text).contains('\n'));
    }
    assert_eq!("lock 1, lock 1".parse::<CostModel>(), Err(CostError::Twice("lock")));
}
