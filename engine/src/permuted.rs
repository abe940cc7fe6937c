//! Permuted schedules: processors stepped in any order by a seed on one thread, with the invariants checked after every step.

use std::collections::HashMap;
use std::sync::Arc;

use crossbeam_utils::CachePadded;

use crate::control::{Control, Limits};
use crate::dts::choose::SplitPolicy;
use crate::dts::mailbox::Mailbox;
use crate::dts::pool::{BlockState, Handle, Life, Pool, Strand};
use crate::dts::processor::{Activity, Processor, Step};
use crate::game::Game;
use crate::root::{Plan, Root, RootState};
use crate::search::Search;
use crate::statistics::Statistics;
use crate::strategy::Strategy;
use crate::toys::mix;
use crate::value::Window;

pub(crate) struct Schedule {
    pub(crate) processors: usize,
    pub(crate) blocks: usize,
    pub(crate) seed: u64,
    pub(crate) strategy: Strategy,
    /// Processors of even number stall for ever once they have work, unless nobody else gets on.
    pub(crate) stalls: bool,
    pub(crate) policy: SplitPolicy,
}

/// Searches `position` under a schedule; panics when an invariant breaks or nobody gets on.
pub(crate) fn run<G: Game>(
    game: G,
    shared: G::Shared,
    position: G::Position,
    plan: Plan,
    moves: Vec<G::Move>,
    schedule: &Schedule,
) -> (RootState<G::Move>, Statistics) {
    let mailboxes: Arc<[_]> = (0..schedule.processors).map(|_| CachePadded::new(Mailbox::new())).collect();
    let game = Arc::new(game);
    let root = Root::new(&*game, position, plan, moves);
    let control = Control::new(mailboxes, Limits::new());
    let pool = Arc::new(Pool::new(schedule.blocks));
    let own = (game, Arc::new(shared));
    let search = Search::new(own, control, pool, root, schedule.strategy, schedule.policy, None);
    let mut processors: Vec<_> =
        (0..schedule.processors).map(|index| Processor::new(&*search.game, index)).collect();
    for processor in &mut processors {
        processor.enter(&search);
    }
    let mut random = mix(schedule.seed);
    let mut inside = schedule.processors;
    let mut favourite = 0;
    let mut steps = 0_u64;
    let mut total = Statistics::default();
    let mut windows = Windows::new();
    let mut blind = vec![false; schedule.processors];
    while inside > 0 {
        random = mix(random);
        // Now and then one processor is alone for a while: all others stall.
        if random.is_multiple_of(13) {
            favourite = (random >> 8) as usize % (2 * schedule.processors);
        }
        let next = if favourite < schedule.processors && !(random >> 40).is_multiple_of(17) {
            favourite
        } else {
            (random >> 20) as usize % schedule.processors
        };
        if schedule.stalls
            && next.is_multiple_of(2)
            && processors[next].activity == Activity::Searching
            && processors.iter().any(|other| other.index % 2 == 1 && other.activity == Activity::Searching)
        {
            continue;
        }
        let processor = &mut processors[next];
        if processor.activity == Activity::Out && search.control.is_over() {
            favourite = usize::MAX;
        }
        let was_inside = processor.activity != Activity::Out || !search.control.is_over();
        // What the others have done since this processor's last step may as well have happened in the middle of this one, after the
        // look at the flags: then it is seen at the next step only.
        blind[next] = !blind[next] && (random >> 48).is_multiple_of(2);
        let step = if blind[next] { processor.go_on(&search) } else { processor.step(&search) };
        if step == Step::Out && was_inside && processor.visits.nodes != u64::MAX {
            processor.leave(&search);
            total += &processor.statistics;
            processor.visits.nodes = u64::MAX;
            inside -= 1;
        }
        steps += 1;
        assert!(steps < 50_000_000, "nobody gets on");
        check(&search, &processors, &mut windows);
    }
    assert_eq!(search.pool.free_count(), schedule.blocks, "a block leaked");
    let state = search.root.lock().committed.take().expect("a finished search has a result");
    (state, total)
}

/// The windows that a block's plies had, by block and serial number of the node.
type Windows = HashMap<(Handle, u64), Window>;

/// No move of a split point is lost, and none is searched by two at once.
fn check_moves<G: Game>(state: &BlockState<G>) {
    let at = &state.tree.plies[state.split];
    let running = state.branches.iter().flatten();
    let mut numbers: Vec<_> = running.chain(&at.returned).map(|branch| branch.number).collect();
    numbers.sort_unstable();
    let in_flight = numbers.len() as u32;
    numbers.dedup();
    assert_eq!(numbers.len() as u32, in_flight, "a move is searched by two at once");
    assert!(numbers.iter().all(|&number| number < at.selected), "a move that nobody has selected");
    // Moves that were tried and do not count (null moves) are missing.
    assert!(at.tally.counted() + in_flight <= at.selected, "a move counts although it is being searched");
    assert_eq!(state.branches.len(), state.strands.len());
}

/// The windows of a block's plies only become narrower.
fn check_bounds<G: Game>(handle: Handle, state: &BlockState<G>, windows: &mut Windows) {
    for at in &state.tree.plies[state.first..=state.split] {
        let before = windows.entry((handle, at.serial)).or_insert(at.window);
        assert!(
            before.alpha <= at.window.alpha && at.window.beta <= before.beta,
            "a window has become wider: {before:?}, then {:?}",
            at.window
        );
        *before = at.window;
    }
}

/// What holds between two steps: strands and moves add up, bounds only tighten, and exactly one strand carries the root.
fn check<G: Game>(search: &Search<G>, processors: &[Processor<G>], windows: &mut Windows) {
    let mut carriers = 0;
    for processor in processors {
        if processor.activity != Activity::Searching {
            continue;
        }
        match processor.home {
            None => carriers += 1,
            Some(home) => {
                let state = search.pool.block(home).lock();
                assert_eq!(state.generation, home.generation, "a processor's block was freed under it");
                let own = state
                    .strands
                    .iter()
                    .filter(|&&strand| strand == Strand::Processor(processor.index))
                    .count();
                assert_eq!(own, 1, "a searching processor is one strand of its block");
                assert_eq!(processor.base, state.split + 1);
            }
        }
    }
    for (index, block) in search.pool.blocks() {
        let state = block.lock();
        if state.life == Life::Free {
            assert!(state.strands.is_empty());
            continue;
        }
        let handle = Handle { index, generation: state.generation };
        assert!(!state.strands.is_empty(), "a block without strands");
        if state.life == Life::Live {
            check_moves(&state);
            check_bounds(handle, &state, windows);
        }
        let (parent, life, first, strands) = (state.parent, state.life, state.first, state.strands.clone());
        drop(state);
        for strand in strands {
            match strand {
                Strand::Processor(processor) => {
                    assert_eq!(processors[processor].home, Some(handle));
                    assert_eq!(processors[processor].activity, Activity::Searching);
                }
                Strand::Block(below) => {
                    let below_state = search.pool.block(below).lock();
                    assert_eq!(below_state.generation, below.generation);
                    assert_eq!(below_state.parent, Some(handle));
                    assert_eq!(below_state.life, Life::Live, "a dead block is counted nowhere");
                }
            }
        }
        match parent {
            None if life == Life::Live => carriers += 1,
            None => {}
            Some(above) => {
                let above_state = search.pool.block(above).lock();
                if life == Life::Live {
                    assert_eq!(above_state.generation, above.generation);
                    assert_eq!(first, above_state.split + 1);
                    assert!(above_state.strands.contains(&Strand::Block(handle)));
                }
            }
        }
    }
    if search.is_each_for_itself {
        return;
    }
    let wanted = usize::from(!search.control.is_over());
    assert_eq!(carriers, wanted, "the root is carried by one strand");
}

mod tests {
    use super::*;
    use crate::root::{Approach, Values};
    use crate::table::Table;
    use crate::toys::{Leaves, Scouts, Shape, begins_with_null};
    use crate::value::{Range, Side, Value};

    /// Strategies with split blocks.
    const SPLITTING: [Strategy; 5] =
        [Strategy::Pvs, Strategy::Epvs, Strategy::Dts, Strategy::DtsAdaptive, Strategy::Ybw];

    fn schedule(seed: u64) -> Schedule {
        let word = mix(seed ^ 0x5c4e);
        Schedule {
            processors: [2, 3, 5, 8, 16, 64][word as usize % 6],
            blocks: [1, 2, 3, 64][(word >> 8) as usize % 4],
            seed,
            strategy: SPLITTING[(word >> 44) as usize % 5],
            stalls: (word >> 48).is_multiple_of(3),
            policy: SplitPolicy {
                thrashing_nodes: [0, 1, 10][(word >> 16) as usize % 3],
                above_unfinished: (word >> 24).is_multiple_of(2),
                override_types: !(word >> 32).is_multiple_of(4),
                patience: [0, 3, 100][(word >> 36) as usize % 3],
                split_cost: [0.0, 10.0][(word >> 40) as usize % 2],
                cut_limit: [0, 3][(word >> 40) as usize % 2],
                ..SplitPolicy::default()
            },
        }
    }

    fn plan(seed: u64, shape: &Shape) -> Plan {
        let plan = Plan::fixed(shape.depth as i32);
        match mix(seed ^ 0x91a4) % 6 {
            0 => plan.with(Approach::Zero { guess: 1, step: 1 }),
            1 => plan.with(Approach::Aspiration { width: 1 }),
            2 => plan.with(Approach::Zero { guess: 3, step: 1 }).with_all_values(),
            // Lines begin with moves of the game.
            3 if !begins_with_null(&shape.root()) => {
                plan.with(Approach::Aspiration { width: 2 }).with_lines(LINES)
            }
            _ => plan,
        }
    }

    /// So many lines are asked for where several are.
    const LINES: usize = 3;

    fn moves(plan: Plan, shape: &Shape) -> Vec<u32> {
        match plan.values {
            Values::All | Values::Several(_) => (0..shape.width(&shape.root())).collect(),
            Values::Best => Vec::new(),
        }
    }

    /// The values of the root and of the root moves are minimax's, and the move is an optimal one.
    fn judge(shape: &Shape, value_of: impl Fn(u64) -> Value, plan: Plan, state: &RootState<u32>) {
        let root = shape.root();
        let value = value_of(root.hash);
        assert_eq!(state.range, Range::exact(value));
        if shape.width(&root) > 0 {
            let best = state.best.expect("a root with moves has a best one");
            let best = if best == u32::MAX { 1 } else { best };
            assert_eq!(value_of(shape.child(&root, best).hash), value);
        }
        let own = |chosen| value_of(shape.child(&root, chosen).hash);
        for root_move in &state.moves {
            assert_eq!(root_move.range, Range::exact(own(root_move.chosen)));
            assert_eq!(root_move.line.first(), Some(&root_move.chosen));
        }
        if let Values::Several(_) = plan.values {
            let mut values: Vec<_> = (0..shape.width(&root)).map(own).collect();
            values.sort_unstable();
            if root.side == Side::Max {
                values.reverse();
            }
            values.truncate(LINES);
            // A single move is told as the best one.
            let wanted = if values.len() > 1 { values } else { Vec::new() };
            let found: Vec<_> = state.moves.iter().map(|root_move| root_move.range.lower).collect();
            assert_eq!(found, wanted);
            let mut chosen: Vec<_> = state.moves.iter().map(|root_move| root_move.chosen).collect();
            chosen.sort_unstable();
            chosen.dedup();
            assert_eq!(chosen.len(), found.len());
        }
    }

    fn leaves(seed: u64) -> Statistics {
        let mut shape = Shape::random(seed);
        // Proof checks are quadratic: keep these trees small.
        shape.widest = shape.widest.min(5);
        shape.depth = shape.depth.min(5);
        let game = Leaves::new(shape);
        let values = game.values.clone();
        let plan = plan(seed, &shape);
        let (state, total) = run(game, (), shape.root(), plan, moves(plan, &shape), &schedule(seed));
        judge(&shape, |hash| values[&hash], plan, &state);
        total
    }

    fn scouts(seed: u64) -> Statistics {
        let shape = Shape::random(seed);
        let game = Scouts::new(shape);
        let values = game.values.clone();
        let plan = plan(seed, &shape);
        let table = seed.is_multiple_of(2).then(|| Table::new(1).expect("a mebibyte"));
        let (state, total) = run(game, table, shape.root(), plan, moves(plan, &shape), &schedule(seed));
        judge(&shape, |hash| values[&hash], plan, &state);
        total
    }

    /// Blocks below blocks below blocks, which die while others are still at work in them.
    fn nested(seed: u64) -> Statistics {
        let shape = Shape { depth: 6, widest: 3 + seed as u32 % 3, grain: 0, ..Shape::random(seed) };
        let game = Scouts::new(shape);
        let values = game.values.clone();
        let plan = Plan::fixed(6).with(Approach::Zero { guess: 1, step: 1 });
        let policy =
            SplitPolicy { thrashing_nodes: 0, split_cost: 0.0, patience: 0, ..SplitPolicy::default() };
        let strategy = SPLITTING[seed as usize / 3 % 5];
        let schedule = Schedule { processors: 8, blocks: 64, seed, strategy, stalls: false, policy };
        let (state, total) = run(game, None, shape.root(), plan, Vec::new(), &schedule);
        judge(&shape, |hash| values[&hash], plan, &state);
        total
    }

    /// Every processor for itself, with a table, in iterations or not.
    fn alone(seed: u64) -> Statistics {
        let shape = Shape::random(seed);
        let game = Scouts::new(shape);
        let values = game.values.clone();
        let plan = match seed % 3 {
            0 => Plan { first_depth: 1, ..plan(seed, &shape) },
            1 => Plan { first_depth: 1, last_depth: 2, ..plan(seed, &shape) }.and_finally(shape.depth as i32),
            _ => plan(seed, &shape),
        };
        let strategy = [Strategy::LazySmp, Strategy::Abdada][seed as usize / 3 % 2];
        let table = (!seed.is_multiple_of(5)).then(|| Table::new(1).expect("a mebibyte"));
        let schedule = Schedule { strategy, ..schedule(seed) };
        let (state, total) = run(game, table, shape.root(), plan, moves(plan, &shape), &schedule);
        assert_eq!(state.depth, shape.depth as i32);
        judge(&shape, |hash| values[&hash], plan, &state);
        total
    }

    /// The search of a seed.
    type Kind = fn(u64) -> Statistics;

    /// The kinds of searches, by name.
    const KINDS: [(&str, Kind); 4] =
        [("leaves", leaves), ("scouts", scouts), ("nested", nested), ("alone", alone)];

    /// Runs the schedules of many seeds; of one that fails, tells how to run it again.
    fn many(kind: &str, seeds: std::ops::Range<u64>) -> Statistics {
        let (_, search) = KINDS.into_iter().find(|(name, _)| *name == kind).expect("a kind");
        let mut total = Statistics::default();
        for seed in seeds {
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| search(seed)));
            match outcome {
                Ok(statistics) => total += &statistics,
                Err(panic) => {
                    eprintln!(
                        "this schedule fails again with: DTS_SCHEDULE={kind}:{seed} \
                         cargo test -p dts-engine --release one_schedule -- --ignored --nocapture"
                    );
                    std::panic::resume_unwind(panic);
                }
            }
        }
        total
    }

    #[test]
    #[ignore = "runs the schedule that DTS_SCHEDULE names"]
    fn one_schedule() {
        let named = std::env::var("DTS_SCHEDULE").unwrap_or_else(|_| "nested:0".to_owned());
        let (kind, seed) = named.split_once(':').expect("DTS_SCHEDULE is a kind, a colon and a seed");
        let seed = seed.parse().expect("a seed is a number");
        println!("{kind}, seed {seed}: {:?}", many(kind, seed..seed + 1));
    }

    #[test]
    fn permuted_schedules_keep_values_proofs_and_strands() {
        let total = many("leaves", 0..600);
        assert!(
            total.joins > 500 && total.cutoffs > 50 && total.unsplits > 200 && total.stops > 20,
            "{total:?}"
        );
    }

    #[test]
    fn permuted_schedules_with_attempts_bounds_and_table() {
        let total = many("scouts", 0..600);
        assert!(
            total.joins > 500 && total.cutoffs > 50 && total.unsplits > 200 && total.stops > 20,
            "{total:?}"
        );
    }

    /// A block below a dead one, which one of its strands has left, must not take itself for complete.
    #[test]
    fn permuted_schedules_of_nested_blocks() {
        let total = many("nested", 0..1_500);
        assert!(total.cutoffs > 2_000 && total.stops > 2_000, "{total:?}");
    }

    #[test]
    fn permuted_schedules_of_processors_that_search_alone() {
        let total = many("alone", 0..1_500);
        assert!(total.splits == 0 && total.stops == 0 && total.nodes > 100_000, "{total:?}");
    }

    #[test]
    #[ignore = "slow: 80,000 schedules"]
    fn eighty_thousand_permuted_schedules() {
        many("leaves", 2_000..22_000);
        many("scouts", 2_000..22_000);
        many("nested", 2_000..22_000);
        many("alone", 2_000..22_000);
    }
}
