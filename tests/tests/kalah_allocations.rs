//! A search of kalah allocates nothing per node. One test only, for the counter counts what the whole process allocates.

use dts_engine::{Options, Plan, Searcher, Strategy};
use dts_kalah::sowing::Sowing;
use dts_kalah::{Depth, Evaluation, Exact, ExactMemory, Horizon, Order, Rules};
use dts_tests::{Counting, Yielding, check_allocations};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One of so many nodes gives way to the other thread.
const YIELDS: u64 = 512;

#[test]
fn a_search_allocates_nothing_per_node() {
    let plan = Plan::fixed(10_000);
    for (strategy, processors) in [(Strategy::Sequential, 1), (Strategy::Dts, 1), (Strategy::Dts, 2)] {
        let options = Options { processors, strategy, wake_after: 0, ..Options::default() };
        let exact = |grain| Exact::new(Sowing::<u64>::new(Rules::SEED, 4).expect("four pits"), grain, 0);
        let (two, three) =
            (exact(0).sowing().start(2).expect("few"), exact(0).sowing().start(3).expect("few"));
        for grain in [0, 14] {
            let what = format!("to the end, {strategy}, {processors} processors, grain {grain}");
            let memory = ExactMemory { table: None, database: None };
            let game = Yielding::new(exact(grain), YIELDS);
            let mut searcher = Searcher::new(game, memory, options.clone()).expect("threads");
            check_allocations(&what, &mut searcher, (two, plan), (three, plan));
        }
        for depth in [-1, 3] {
            let what = format!("to a depth, {strategy}, {processors} processors, grain {depth}");
            let sowing = Sowing::<u64>::new(Rules::SEED, 6).expect("six pits");
            let root = sowing.start(4).expect("few");
            let game =
                Horizon::new(sowing, Evaluation::Difference, Depth::Moves, Order::ExtraTurnsFirst, 48, 0);
            let game = Yielding::new(game.with_grain(depth), YIELDS);
            let mut searcher = Searcher::new(game, (), options.clone()).expect("threads");
            check_allocations(&what, &mut searcher, (root, Plan::fixed(6)), (root, Plan::fixed(15)));
        }
    }
}
