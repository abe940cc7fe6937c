//! A search allocates nothing per node: a large search allocates no more than a small one by the same searcher.
//!
//! One test only, for the counter counts what the whole process allocates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use dts_engine::{Game, Limits, Options, Plan, Searcher, Strategy};
use dts_kalah::sowing::Sowing;
use dts_kalah::{Depth, Evaluation, Exact, ExactMemory, Horizon, Order, Rules};
use dts_tests::Yielding;

/// The system's allocator, with a count of what is asked of it.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call goes to the system's allocator as it is, which keeps the promises; counting touches no memory of the caller's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the promises that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a search cost.
#[derive(Clone, Copy, Debug)]
struct Cost {
    nodes: u64,
    allocations: u64,
    splits: u64,
}

fn cost<G: Game>(searcher: &mut Searcher<G>, root: G::Position, plan: Plan) -> Cost {
    let limits = Limits::new();
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let report = searcher.search(root, plan, &limits).expect("no panic");
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert!(report.state.is_some());
    Cost { nodes: report.nodes, allocations, splits: report.total().splits }
}

/// One of so many nodes gives way to the other thread.
const YIELDS: u64 = 512;

/// Searches after which there is hardly a block that has not been used, nor one that has not been used as far down as there are splits.
const FIRST_SEARCHES: u32 = 30;

/// What may lie between the allocations of two searches: the root keeps lines of different lengths, a thread that sleeps is put on
/// a list. None of it grows with the nodes.
const SLACK: u64 = 32;

fn compare<G: Game>(
    what: &str,
    searcher: &mut Searcher<G>,
    small: (G::Position, Plan),
    large: (G::Position, Plan),
) {
    let threads = searcher.options().processors;
    // The first searches make what is kept: the stacks of the threads, the plies of split blocks. A block's plies are made when it is first
    // used, or first used so far down, and which blocks a search needs depends on who comes when.
    let splits: u64 = (0..FIRST_SEARCHES).map(|_| cost(searcher, large.0.clone(), large.1).splits).sum();
    assert_eq!(splits > 0, threads > 1, "{what}: {splits} splits");
    let few = cost(searcher, small.0, small.1);
    let many = cost(searcher, large.0, large.1);
    println!(
        "{what}: {} allocations with {} nodes and {} splits, {} with {} and {}",
        few.allocations, few.nodes, few.splits, many.allocations, many.nodes, many.splits
    );
    assert!(many.nodes >= 20 * few.nodes, "{what}: {few:?}, {many:?} are too much alike");
    // Two processors may need fewer nodes than the 51,231 of one.
    assert!(many.nodes > 40_000, "{what}: {many:?} is too small");
    assert!(many.allocations <= few.allocations + SLACK, "{what}: {few:?}, but {many:?}");
    assert!(many.allocations <= 100, "{what}: {many:?}");
}

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
            compare(&what, &mut searcher, (two, plan), (three, plan));
        }
        for depth in [-1, 3] {
            let what = format!("to a depth, {strategy}, {processors} processors, grain {depth}");
            let sowing = Sowing::<u64>::new(Rules::SEED, 6).expect("six pits");
            let root = sowing.start(4).expect("few");
            let game =
                Horizon::new(sowing, Evaluation::Difference, Depth::Moves, Order::ExtraTurnsFirst, 48, 0);
            let game = Yielding::new(game.with_grain(depth), YIELDS);
            let mut searcher = Searcher::new(game, (), options.clone()).expect("threads");
            compare(&what, &mut searcher, (root, Plan::fixed(6)), (root, Plan::fixed(15)));
        }
    }
}
