//! The simulator: the same values as minimax, the same run each time, and times that add up.

use crate::control::{Limits, StopReason};
use crate::dts::choose::SplitPolicy;
use crate::network::Topology;
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
    let free = CostModel {
        node: 2_000,
        selected: 0,
        split: 0,
        ply_copied: 0,
        message: 0,
        lock: 0,
        idle_poll: 1,
        crowding: 0,
        topology: Topology::default(),
    };
    let (nodes, virtual_time) = time(free);
    assert_eq!(virtual_time.work, 2.0 * nodes);
    assert!((virtual_time.time - virtual_time.work).abs() < 1.0, "{virtual_time:?}");
}

#[test]
fn nodes_cost_more_where_others_are_at_work() {
    let shape = bushy(3);
    let run = |strategy, processors, crowding| {
        let costs = CostModel { crowding, ..CostModel::default() };
        let options =
            Options { strategy, processors, simulate: Some(costs), blocks: 0, ..Options::default() };
        let mut searcher = Searcher::new(Scouts::new(shape), None, options).expect("no threads needed");
        let report = searcher.search(shape.root(), Plan::fixed(6), &Limits::new()).expect("no panic");
        (report.nodes as f64, report.virtual_time.expect("a simulation").work)
    };
    let (nodes, work) = run(Strategy::Dts, 1, 100);
    assert_eq!(work, nodes, "nobody else is there");
    let (nodes, work) = run(Strategy::Sequential, 4, 100);
    assert!(
        work > nodes && work < nodes + 1.0,
        "only before the others have looked for work: {work} of {nodes}"
    );
    let (nodes, work) = run(Strategy::Dts, 2, 100);
    assert!(work > 1.05 * nodes && work <= 1.1 * nodes, "{work} for {nodes} nodes");
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
fn time_is_up_also_while_everybody_waits() {
    let costs = CostModel { message: 5_000_000, ..CostModel::default() };
    let options = Options { simulate: Some(costs), ..options(16, 0) };
    let mut searcher = Searcher::new(Scouts::new(bushy(1)), None, options).expect("no threads needed");
    let limits = Limits::new().with_time(std::time::Duration::from_millis(1));
    let report = searcher.search(bushy(1).root(), Plan::fixed(6), &limits).expect("no panic");
    assert_eq!(report.stopped, Some(StopReason::Time));
    assert!(report.elapsed < std::time::Duration::from_millis(50), "{:?}", report.elapsed);
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

/// A search of `processors` in groups of `group_size`; latencies in node times.
fn search_in_groups(
    seed: u64,
    (processors, strategy, discount_remote): (usize, Strategy, f32),
    (group_size, inside, between): (usize, u64, u64),
) -> Report<u32> {
    let shape = bushy(seed);
    let game = Scouts::new(shape);
    let wanted = game.values[&shape.root().hash];
    let table = seed.is_multiple_of(2).then(|| Table::new(1).expect("a mebibyte"));
    let topology = Topology { group_size, inside: inside * 1_000, between: between * 1_000 };
    let options = Options {
        strategy,
        simulate: Some(CostModel { topology, ..CostModel::default() }),
        policy: SplitPolicy { discount_remote, ..SplitPolicy::default() },
        ..options(processors, [1, 2, 0][mix(seed) as usize % 3])
    };
    let mut searcher = Searcher::new(game, table, options).expect("no threads needed");
    let plan = match mix(seed) % 2 {
        0 => Plan::fixed(6).with(Approach::Zero { guess: 1, step: 1 }),
        _ => Plan::fixed(6),
    };
    let report = searcher.search(shape.root(), plan, &Limits::new()).expect("no panic");
    let range = report.state.as_ref().expect("a result").range;
    assert_eq!(range, Range::exact(wanted), "seed {seed}, {processors} processors, {strategy}, {topology:?}");
    report
}

#[test]
fn groups_agree_with_minimax_whatever_the_latency() {
    agree_in_groups(0..240);
}

#[test]
#[ignore = "slow: 20,000 searches"]
fn groups_agree_with_minimax_on_thousands_of_trees() {
    agree_in_groups(1_000..3_000);
}

fn agree_in_groups(seeds: std::ops::Range<u64>) {
    let (mut joins, mut abroad) = (0, 0);
    for seed in seeds {
        let word = mix(seed ^ 0x6e07);
        let pick = |from: [usize; 4], shift: u32| from[(word >> shift) as usize % 4];
        let processors = pick([2, 5, 16, 64], 0);
        let group_size = pick([0, 1, 4, 16], 8);
        let between = pick([0, 5, 50, 500], 16) as u64;
        let inside = pick([0, 0, 5, 50], 24) as u64;
        for strategy in &Strategy::ALL[1..] {
            let discount = [1.0, 0.5, 0.0][(word >> 32) as usize % 3];
            let run =
                || search_in_groups(seed, (processors, *strategy, discount), (group_size, inside, between));
            let report = run();
            let several = report.virtual_time.expect("a simulation");
            assert_eq!(several.work, report.nodes as f64);
            // Who searches alone may be in the middle of a grain when another has the answer.
            if strategy.splits() {
                assert!(several.work <= several.time * processors as f64, "{several:?}");
            }
            assert!((0.0..=1.0).contains(&report.idle_share()), "an idle share of {}", report.idle_share());
            let again = run();
            assert_eq!((&report.statistics, report.virtual_time), (&again.statistics, again.virtual_time));
            joins += report.total().joins;
            abroad += report.total().messages_abroad;
        }
    }
    assert!(joins > 1_000 && abroad > 1_000, "{joins} joins, {abroad} messages between groups");
}

#[test]
fn a_search_in_groups_that_is_stopped_leaves_nothing_on_its_way() {
    let shape = Shape { depth: 8, widest: 7, ..bushy(1) };
    let game = Scouts::new(shape);
    let wanted = game.values[&shape.root().hash];
    let topology = Topology { group_size: 4, inside: 5_000, between: 500_000 };
    let options =
        Options { simulate: Some(CostModel { topology, ..CostModel::default() }), ..options(16, 0) };
    let mut searcher = Searcher::new(game, None, options).expect("no threads needed");
    let mut times = Vec::new();
    for nodes in [Some(50), None, Some(20), Some(40), None] {
        let limits = Limits::new();
        limits.set_nodes(nodes);
        let report = searcher.search(shape.root(), Plan::fixed(8), &limits).expect("no panic");
        assert_eq!(report.stopped, nodes.map(|_| StopReason::Nodes));
        if nodes.is_none() {
            assert_eq!(report.state.expect("a result").range, Range::exact(wanted));
            times.push(report.virtual_time);
        }
    }
    assert_eq!(times[0], times[1], "what came before makes no difference");
}

#[test]
fn one_group_without_latency_is_no_topology() {
    for seed in 0..10 {
        let plain = search(seed, 16);
        // All are in one group, by its size or since none is named.
        for topology in [(16, 0, 77), (1_000, 0, 500), (0, 0, 50)] {
            let grouped = search_in_groups(seed, (16, Strategy::Dts, 1.0), topology);
            assert_eq!(plain.statistics, grouped.statistics);
            assert_eq!(plain.virtual_time, grouped.virtual_time);
        }
        // Groups without latency differ only in who is called first.
        assert_eq!(
            search_in_groups(seed, (1, Strategy::Dts, 1.0), (1, 50, 500)).virtual_time,
            search(seed, 1).virtual_time
        );
    }
}

/// Sums over some larger trees: virtual time, and messages between groups.
fn cost_of_groups(discount_remote: f32, (group_size, inside, between): (usize, u64, u64)) -> (f64, u64) {
    let topology = Topology { group_size, inside: inside * 1_000, between: between * 1_000 };
    (0..24).fold((0.0, 0), |(time, abroad), seed| {
        let shape = Shape { depth: 8, widest: 8, ..bushy(seed) };
        let options = Options {
            simulate: Some(CostModel { topology, ..CostModel::default() }),
            policy: SplitPolicy { discount_remote, ..SplitPolicy::default() },
            ..options(16, 0)
        };
        let mut searcher = Searcher::new(Scouts::new(shape), None, options).expect("no threads needed");
        let report = searcher.search(shape.root(), Plan::fixed(8), &Limits::new()).expect("no panic");
        (time + report.virtual_time.expect("a simulation").time, abroad + report.total().messages_abroad)
    })
}

#[test]
fn latency_slows_a_search_down() {
    let times = [0, 5, 50].map(|between| cost_of_groups(1.0, (4, 0, between)).0);
    assert!(times.is_sorted() && times[2] > 1.1 * times[0], "{times:?}");
    let inside = cost_of_groups(1.0, (4, 5, 5)).0;
    assert!(inside > times[1], "{inside} {times:?}");
}

#[test]
fn a_preference_for_the_own_group_saves_messages_between_groups() {
    for between in [0, 5] {
        let [(_, without), (_, with)] = [1.0, 0.0].map(|discount| cost_of_groups(discount, (4, 0, between)));
        assert!(with < without, "latency {between}: {with} with the preference, {without} without");
    }
}

#[test]
fn a_thousand_processors_search_to_the_right_value() {
    for (strategy, topology) in
        [(Strategy::Dts, (0, 0, 0)), (Strategy::Dts, (64, 1, 20)), (Strategy::Ybw, (64, 1, 20))]
    {
        let report = search_in_groups(1, (1_024, strategy, 1.0), topology);
        assert_eq!(report.statistics.len(), 1_024);
    }
}

#[test]
fn cost_models_are_read_back() {
    let costs = CostModel {
        node: 1,
        selected: 2,
        split: 3,
        ply_copied: 4,
        message: 5,
        lock: 6,
        idle_poll: 17,
        crowding: 8,
        ..CostModel::default()
    };
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
    for text in ["split", "split x", "split -1", "split 1 2", "split 10000001", "node 0", "idle_poll 9"] {
        assert!(matches!(text.parse::<CostModel>(), Err(CostError::Number { .. })), "{text}");
        assert!(!message(text).contains('\n'));
    }
    assert_eq!("lock 1, lock 1".parse::<CostModel>(), Err(CostError::Twice("lock")));
}
