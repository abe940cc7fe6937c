//! What searches ask of the allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use dts_engine::{Game, Limits, Plan, Searcher};

/// The system's allocator, with a count of what is asked of it. The count is the whole process's: a test that uses it is alone in its
/// program, which has this as its global allocator.
#[derive(Debug)]
pub struct Counting;

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

/// Searches by one processor after which its stack is there.
const FIRST_SEARCHES_ALONE: u32 = 2;

/// Searches by several after which there is hardly a block that has not been used, nor one that has not been used as far down as there are splits.
const FIRST_SEARCHES: u32 = 30;

/// What may lie between the allocations of two searches: the root keeps lines of different lengths, a thread that sleeps is put on
/// a list. None of it grows with the nodes.
const SLACK: u64 = 32;

/// A large search allocates no more than a small one by the same searcher.
///
/// # Panics
/// If it does, or if the two searches are not large and small.
pub fn check_allocations<G: Game>(
    what: &str,
    searcher: &mut Searcher<G>,
    small: (G::Position, Plan),
    large: (G::Position, Plan),
) {
    let threads = searcher.options().processors;
    // The first searches make what is kept: the stacks of the threads, the plies of split blocks. A block's plies are made when it is first
    // used, or first used so far down, and which blocks a search needs depends on who comes when.
    let first = if threads > 1 { FIRST_SEARCHES } else { FIRST_SEARCHES_ALONE };
    let splits: u64 = (0..first).map(|_| cost(searcher, large.0.clone(), large.1).splits).sum();
    assert_eq!(splits > 0, threads > 1, "{what}: {splits} splits");
    let few = cost(searcher, small.0, small.1);
    let many = cost(searcher, large.0, large.1);
    println!(
        "{what}: {} allocations with {} nodes and {} splits, {} with {} and {}",
        few.allocations, few.nodes, few.splits, many.allocations, many.nodes, many.splits
    );
    assert!(many.nodes >= 20 * few.nodes, "{what}: {few:?}, {many:?} are too much alike");
    // Two processors may need fewer nodes than one.
    assert!(many.nodes > 40_000, "{what}: {many:?} is too small");
    assert!(many.allocations <= few.allocations + SLACK, "{what}: {few:?}, but {many:?}");
    assert!(many.allocations <= 100, "{what}: {many:?}");
}
