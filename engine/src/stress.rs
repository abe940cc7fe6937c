//! The thread driver under stress: agreement with minimax, stops at any moment, panics in the game.

use std::time::{Duration, Instant};

use crate::control::{Limits, StopReason};
use crate::game::{Answer, Game, Memory, Node, Opening};
use crate::root::{Approach, Plan};
use crate::strategy::Strategy;
use crate::table::Table;
use crate::threads::{Options, SearchError, Searcher};
use crate::toys::{Leaves, Scouts, Shape, mix};
use crate::value::{Range, Side, Value};

fn options(seed: u64, processors: usize) -> Options {
    Options { processors, blocks: [1, 2, 0][seed as usize % 3], wake_after: 0, ..Options::default() }
}

/// A tree of some thousand nodes, so that several threads get to work on it.
fn bushy(seed: u64) -> Shape {
    let shape = Shape::random(seed);
    Shape { depth: 6, widest: 6 + seed as u32 % 3, ..shape }
}

fn value_of(shape: &Shape, values: &std::collections::HashMap<u64, Value>) -> Range {
    Range::exact(values[&shape.root().hash])
}

fn agree(seeds: std::ops::Range<u64>) {
    let mut joins = 0;
    for seed in seeds {
        for processors in [1, 2, 3, 4, 8] {
            let shape = bushy(seed);
            let plan = Plan::fixed(6);
            let plan = if mix(seed).is_multiple_of(3) {
                plan.with(Approach::Zero { guess: 1, step: 1 })
            } else {
                plan
            };
            let game = Scouts { yields: true, ..Scouts::new(shape) };
            let wanted = value_of(&shape, &game.values);
            let table = seed.is_multiple_of(2).then(|| Table::new(1).expect("a mebibyte"));
            let mut searcher = Searcher::new(game, table, options(seed, processors)).expect("threads");
            for _ in 0..2 {
                let report = searcher.search(shape.root(), plan, &Limits::new()).expect("no panic");
                let state = report.state.as_ref().expect("a result");
                assert_eq!(state.range, wanted, "seed {seed}, {processors} processors");
                joins += report.total().joins;
            }
            if seed.is_multiple_of(8) {
                let small = Shape { widest: 4, depth: 5, ..shape };
                let game = Leaves::new(small);
                let wanted = value_of(&small, &game.values);
                let mut searcher = Searcher::new(game, (), options(seed, processors)).expect("threads");
                let report = searcher.search(small.root(), plan, &Limits::new()).expect("every proof holds");
                assert_eq!(report.state.expect("a result").range, wanted);
            }
        }
    }
    assert!(joins > 100, "the threads hardly worked together: {joins} joins");
}

#[test]
fn threads_agree_with_minimax() {
    agree(0..150);
}

#[test]
#[ignore = "slow: 2,000 trees with up to 8 threads"]
fn threads_agree_with_minimax_on_thousands_of_trees() {
    agree(1_000..3_000);
}

fn stops(times: u64, processors: usize) {
    let shape = Shape { seed: 4, depth: 9, widest: 7, spread: 1000, alternating: true, grain: 2 };
    let game = Scouts { yields: true, ..Scouts::new(Shape { depth: 7, ..shape }) };
    let shape = game.shape;
    let wanted = value_of(&shape, &game.values);
    let plan = Plan::deepening(7);
    let mut searcher = Searcher::new(game, None, options(2, processors)).expect("threads");
    let began = Instant::now();
    let report = searcher.search(shape.root(), plan, &Limits::new()).expect("no panic");
    let whole = began.elapsed();
    assert_eq!(report.state.expect("a result").range, wanted);
    let mut interrupted = 0;
    for round in 0..times {
        let limits = Limits::new();
        let pause = whole.mul_f64((mix(round) % 1000) as f64 / 1000.0);
        let report = std::thread::scope(|scope| {
            let from_elsewhere = limits.clone();
            scope.spawn(move || {
                std::thread::sleep(pause);
                from_elsewhere.stop();
            });
            searcher.search(shape.root(), plan, &limits).expect("no panic")
        });
        if let Some(reason) = report.stopped {
            assert_eq!(reason, StopReason::Stopped);
            interrupted += 1;
        } else {
            assert_eq!(report.state.as_ref().expect("a result").range, wanted);
        }
        // What is returned is the last committed state. The toys' depth does not change their values, so even a
        // partial state must hold the value.
        if let Some(state) = &report.state {
            assert!(state.range.contains(wanted.lower), "{state:?}");
        }
        if round.is_multiple_of(10) {
            let report = searcher.search(shape.root(), plan, &Limits::new()).expect("no panic");
            assert_eq!(report.state.expect("a result").range, wanted, "the search after a stop is right");
        }
    }
    assert!(interrupted > times / 10, "{interrupted} of {times} searches were interrupted");
}

#[test]
fn stopped_at_random_moments() {
    stops(60, 2);
    stops(40, 5);
}

#[test]
#[ignore = "slow: 1,000 stops"]
fn stopped_at_a_thousand_random_moments() {
    stops(500, 2);
    stops(300, 1);
    stops(200, 8);
}

#[test]
fn a_panic_in_the_game_is_an_error_and_the_searcher_goes_on() {
    for processors in [1, 2, 4] {
        for panic_at in 1..200 {
            let shape = bushy(7);
            let mut game = Scouts::new(shape);
            game.panic_at = panic_at;
            game.yields = true;
            let wanted = value_of(&shape, &game.values);
            let mut searcher = Searcher::new(game, None, options(panic_at, processors)).expect("threads");
            let error = searcher.search(shape.root(), Plan::fixed(6), &Limits::new()).expect_err("the panic");
            let SearchError::GamePanicked { processor, message } = error;
            assert!(processor < processors);
            assert!(message.contains("the toy was told to panic"), "{message}");
            let report =
                searcher.search(shape.root(), Plan::fixed(6), &Limits::new()).expect("it panics once");
            assert_eq!(report.state.expect("a result").range, wanted);
        }
    }
}

#[test]
fn limits_end_a_search() {
    let shape = bushy(3);
    let mut searcher = Searcher::new(Scouts::new(shape), None, options(0, 1)).expect("one thread");
    let limits = Limits::new().with_nodes(100);
    let report = searcher.search(shape.root(), Plan::fixed(6), &limits).expect("no panic");
    assert_eq!((report.stopped, report.nodes), (Some(StopReason::Nodes), 100));
    let limits = Limits::new();
    limits.stop();
    let report = searcher.search(shape.root(), Plan::fixed(6), &limits).expect("no panic");
    assert_eq!((report.stopped, report.nodes, report.state), (Some(StopReason::Stopped), 0, None));
    let limits = Limits::new().with_time(Duration::ZERO);
    let report = searcher.search(shape.root(), Plan::fixed(6), &limits).expect("no panic");
    assert_eq!(report.stopped, Some(StopReason::Time));
    let limits = Limits::new().with_depth(2);
    let report = searcher.search(shape.root(), Plan::deepening(6), &limits).expect("no panic");
    assert_eq!((report.stopped, report.state.expect("a result").depth), (None, 2));
}

#[test]
fn one_processor_searches_the_same_nodes_with_every_strategy_and_grain() {
    for seed in 0..40 {
        let mut nodes = Vec::new();
        for strategy in Strategy::ALL {
            for grain in 0..5 {
                let shape = Shape { grain, ..bushy(seed) };
                let options = Options { strategy, ..Options::default() };
                let mut searcher = Searcher::new(Scouts::new(shape), None, options).expect("one thread");
                let report = searcher.search(shape.root(), Plan::fixed(6), &Limits::new()).expect("no panic");
                nodes.push(report.nodes);
            }
        }
        assert!(nodes.iter().all(|&count| count == nodes[0]), "seed {seed}: {nodes:?}");
    }
}

/// A game each of whose panics is followed by another one when what it left is dropped.
struct Malicious;

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("once more");
        }
    }
}

impl Game for Malicious {
    type Position = u32;
    type Move = u32;
    type Source = u32;
    type Proof = ();
    type Shared = ();
    type Local = Bomb;

    fn local(&self, _: usize) -> Bomb {
        Bomb
    }

    fn side(&self, _: &u32) -> Side {
        Side::Max
    }

    fn open(&self, node: &Node<'_, u32>, source: &mut u32, _: &mut Memory<'_, Self>) -> Opening<()> {
        if node.depth == 1 && *node.position() % 7 == 3 {
            std::panic::panic_any(Bomb);
        }
        *source = 8;
        if node.depth == 0 { Opening::Answered(Answer::exact(1)) } else { Opening::Search(Answer::unknown()) }
    }

    fn select(&self, _: &u32, source: &mut u32) -> Option<u32> {
        std::thread::yield_now();
        *source = source.checked_sub(1)?;
        Some(*source)
    }

    fn play(&self, position: &u32, chosen: u32) -> u32 {
        position * 8 + chosen
    }

    fn moves_left(&self, _: &u32, source: &u32) -> u32 {
        *source
    }

    fn grain(&self, _: &Node<'_, u32>) -> bool {
        false
    }
}

#[test]
fn panics_that_follow_panics_are_errors_too() {
    for round in 0..20 {
        for processors in [1, 4] {
            let mut searcher = std::mem::ManuallyDrop::new(
                Searcher::new(Malicious, (), options(round, processors)).expect("threads"),
            );
            for _ in 0..3 {
                let error = searcher.search(1, Plan::fixed(4), &Limits::new()).expect_err("the panic");
                assert!(matches!(error, SearchError::GamePanicked { .. }), "{error}");
            }
        }
    }
}
