//! Kalah searches that are stopped at random moments, from another thread and by limits: what is returned is sane, the split blocks
//! are all there again, and the next search with the same memory is right.

use std::thread;
use std::time::{Duration, Instant};

use dts_engine::{Approach, Limits, Options, Plan, Report, Searcher, StopReason, Value};
use dts_kalah::reference::Memo;
use dts_kalah::sowing::Sowing;
use dts_kalah::{Board, Endgames, Exact, ExactMemory, Player, Rules, Solver, SolverOptions};
use dts_tests::{Random, Yielding, position};

const TO_THE_END: i32 = 10_000;

type KalahSearcher = Searcher<Yielding<Exact<u64>>>;

/// A board, its value from A's side, and the mover's pits that hold stones.
struct Known {
    board: Board,
    value: Value,
    legal: Vec<u8>,
}

impl Known {
    fn new(text: &str) -> Known {
        let board: Board = text.parse().expect("a board");
        let value = Memo::new(Rules::SEED).value(&board);
        let first = board.first_pit(board.to_move());
        let legal = board.legal(&Rules::SEED).into_iter().map(|pit| (pit - first) as u8).collect();
        Known { board, value: if board.to_move() == Player::A { value } else { -value }, legal }
    }

    fn search(&self, searcher: &mut KalahSearcher, plan: Plan, limits: &Limits) -> Report<u8> {
        let root = position(searcher.game().game.sowing(), &self.board);
        searcher.search(root, plan, limits).expect("no panic")
    }

    /// What is returned of a search that may have been stopped. An iteration that only prepares guesses at its horizon, so only
    /// the bounds of the last one, to the end, are of the board itself.
    fn check(&self, report: &Report<u8>, context: &str) {
        let Some(state) = &report.state else {
            assert!(report.stopped.is_some(), "a search that was not stopped has a result: {context}");
            return;
        };
        if state.depth == TO_THE_END {
            assert!(state.range.contains(self.value), "{:?} without {}: {context}", state.range, self.value);
        }
        assert!(state.range.lower <= state.range.upper, "{:?}: {context}", state.range);
        if let Some(best) = state.best {
            assert!(self.legal.contains(&best), "move {best}: {context}");
            assert_eq!(state.line.first(), Some(&best), "the line: {context}");
        }
        for of in &state.moves {
            assert!(self.legal.contains(&of.chosen), "move {}: {context}", of.chosen);
        }
        if report.stopped.is_none() {
            assert_eq!((state.depth, state.range.lower), (TO_THE_END, self.value), "{context}");
            assert!(state.range.is_exact() && state.best.is_some(), "{state:?}: {context}");
        }
    }
}

fn plans() -> [Plan; 3] {
    let prepared = Plan { first_depth: 3, depth_step: 3, ..Plan::fixed(9) }.and_finally(TO_THE_END);
    let zero = prepared.with(Approach::Zero { guess: 0, step: 2 });
    [Plan::fixed(TO_THE_END), zero, zero.with_all_values()]
}

/// How a search is stopped.
#[derive(Debug, PartialEq, Eq)]
enum How {
    FromElsewhere(Duration),
    Nodes(u64),
    Time(Duration),
}

fn stops(seed: u64, times: u64, processors: usize) {
    let long = Known::new("2,2,3,2,0 | 3,2,2,2,1 A");
    let short = Known::new("1,2,0,1,0 | 0,1,3,0,0 B");
    let mut random = Random::new(seed);
    let mut interrupted = [0; 3];
    let options =
        Options { processors, blocks: [1, 2, 0][seed as usize % 3], wake_after: 0, ..Options::default() };
    let game = Exact::new(Sowing::new(Rules::SEED, 4).expect("four pits"), 0, 0);
    // With a table the second search of a board is over at once; every stop is to find one under way.
    let memory = ExactMemory { table: None, database: None };
    let mut searcher = Searcher::new(Yielding::new(game, 64), memory, options).expect("threads");
    let whole = plans().map(|plan| {
        let began = Instant::now();
        let report = long.search(&mut searcher, plan, &Limits::new());
        long.check(&report, "the whole search");
        (report.nodes, began.elapsed())
    });
    println!("whole searches: {whole:?}");
    for round in 0..times {
        let kind = round as usize % 3;
        let chosen = random.below(3) as usize;
        let (plan, (nodes, elapsed)) = (plans()[chosen], whole[chosen]);
        let part = random.below(1_000) as f64 / 1_000.0;
        let how = match kind {
            0 => How::FromElsewhere(elapsed.mul_f64(part)),
            1 => How::Nodes(1 + (nodes as f64 * part) as u64),
            _ => How::Time(elapsed.mul_f64(part)),
        };
        let context = format!("seed {seed}, round {round}, {processors} processors, {plan:?}, {how:?}");
        let limits = Limits::new();
        let report = match how {
            How::FromElsewhere(pause) => thread::scope(|scope| {
                let from_elsewhere = limits.clone();
                scope.spawn(move || {
                    thread::sleep(pause);
                    from_elsewhere.stop();
                });
                long.search(&mut searcher, plan, &limits)
            }),
            How::Nodes(nodes) => long.search(&mut searcher, plan, &limits.with_nodes(nodes)),
            How::Time(time) => long.search(&mut searcher, plan, &limits.with_time(time)),
        };
        if let Some(reason) = report.stopped {
            assert_eq!(reason, [StopReason::Stopped, StopReason::Nodes, StopReason::Time][kind], "{context}");
            interrupted[kind] += 1;
        }
        long.check(&report, &context);
        // The split blocks are all there again, or this would find none; and it finds the value.
        let report = short.search(&mut searcher, plan, &Limits::new());
        short.check(&report, &format!("after {context}"));
        assert_eq!(report.stopped, None, "after {context}");
        if round.is_multiple_of(20) {
            let report = long.search(&mut searcher, plan, &Limits::new());
            long.check(&report, &format!("the whole search after {context}"));
            assert_eq!(report.stopped, None, "after {context}");
        }
    }
    println!(
        "{processors} processors: stopped from elsewhere, by nodes, by time: {interrupted:?} of {times}"
    );
    let all: u64 = interrupted.iter().sum();
    assert!(all > times / 5, "{interrupted:?} of {times} were interrupted: seed {seed}");
}

#[test]
fn stopped_at_a_thousand_random_moments() {
    stops(1, 150, 1);
    stops(2, 350, 2);
    stops(3, 150, 2);
    stops(4, 150, 3);
    stops(5, 100, 4);
    stops(6, 100, 8);
}

#[test]
#[ignore = "slow: 10,000 stops"]
fn stopped_at_ten_thousand_random_moments() {
    for seed in 10..22 {
        stops(seed, 850, [1, 2, 2, 3, 4, 8][seed as usize % 6]);
    }
}

/// The memory of searches that were stopped is kept, so what they left in the table must hold.
fn solver(seed: u64, times: u64, processors: usize) {
    let long = Known::new("3,3,2,3,0 | 3,2,3,3,1 A");
    let mut random = Random::new(seed);
    for round in 0..times {
        let search = Options { processors, wake_after: 0, ..Options::default() };
        let options = SolverOptions {
            search,
            table_mebibytes: 1,
            endgames: [Endgames::None, Endgames::Stones(4)]
                .into_iter()
                .nth(random.below(2) as usize)
                .expect("two"),
            ..SolverOptions::default()
        };
        let mut solver = Solver::new(Rules::SEED, &long.board, options).expect("a solver");
        let mut nodes = 1 + random.below(50);
        loop {
            let context = format!("seed {seed}, round {round}, {processors} processors, {nodes} nodes");
            let limits = Limits::new().with_nodes(nodes);
            let solution = solver.solve(&long.board, &limits).expect("a small board");
            assert!(solution.range.contains(long.value), "{:?}: {context}", solution.range);
            let mut at = long.board;
            for &pit in &solution.line {
                at.play(&Rules::SEED, pit).unwrap_or_else(|error| panic!("{error}: {context}"));
            }
            if at.is_over(&Rules::SEED) {
                assert_eq!(solution.value(), Some(long.value), "{context}");
                break;
            }
            nodes += 1 + random.below(2 * nodes);
        }
    }
}

#[test]
fn a_solver_stopped_again_and_again_goes_on_with_its_memory() {
    solver(1, 40, 1);
    solver(2, 40, 2);
    solver(3, 20, 4);
}

#[test]
fn a_stop_ends_every_later_search_with_the_same_limits() {
    let known = Known::new("1,2,0,1,0 | 0,1,3,0,0 B");
    let game = Exact::new(Sowing::new(Rules::SEED, 4).expect("four pits"), 0, 0);
    let memory = ExactMemory { table: None, database: None };
    let mut searcher =
        Searcher::new(Yielding::new(game, 64), memory, Options::default()).expect("one thread");
    let limits = Limits::new();
    limits.stop();
    for _ in 0..2 {
        let report = known.search(&mut searcher, Plan::fixed(TO_THE_END), &limits);
        assert_eq!((report.stopped, report.nodes, report.state), (Some(StopReason::Stopped), 0, None));
    }
    let report = known.search(&mut searcher, Plan::fixed(TO_THE_END), &Limits::new());
    known.check(&report, "other limits");
    assert_eq!(report.stopped, None);
}
