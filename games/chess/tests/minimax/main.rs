//! The classic profile without a table finds the value of plain minimax, whoever searches.

use std::num::NonZero;
use std::thread;

use cozy_chess::{Board, Color};
use dts_chess::{Chess, ChessMemory, Position, Profile, parse_fen};
use dts_engine::{Approach, CostModel, Limits, Options, Plan, Range, Searcher, Strategy};

mod plain;

const POSITIONS: &str = include_str!("positions.fen");

/// So many of the positions are quick.
const QUICK: usize = 8;

fn positions() -> Vec<Board> {
    let lines = POSITIONS.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| parse_fen(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}

/// The values of plain minimax from White's side, by as many threads as there are cores.
fn values(boards: &[Board], depth: i32) -> Vec<i32> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let mut values = vec![0; boards.len()];
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|number| {
                scope.spawn(move || {
                    let own = boards.iter().enumerate().skip(number).step_by(threads);
                    own.map(|(at, board)| {
                        let value = plain::Minimax::default().value(board, depth);
                        (at, if board.side_to_move() == Color::White { value } else { -value })
                    })
                    .collect::<Vec<_>>()
                })
            })
            .collect();
        for worker in workers {
            for (at, value) in worker.join().expect("no panic") {
                values[at] = value;
            }
        }
    });
    values
}

/// Processors, how they work together, and how they close in on the value.
fn ways(processors: &[usize]) -> Vec<(Options, Approach)> {
    let zero = Approach::Zero { guess: 0, step: 1 };
    let threads = processors.iter().map(|&count| (count, None));
    let backends: Vec<_> = threads.chain([(16, Some(CostModel::default()))]).collect();
    let mut ways = Vec::new();
    for strategy in Strategy::ALL {
        for (processors, simulate) in backends.iter().copied() {
            // Zero windows ask many times: one number of processors has to do.
            let also_zero = (processors == 2).then_some(zero);
            for approach in [Approach::Open].into_iter().chain(also_zero) {
                let options = Options { processors, strategy, simulate, wake_after: 0, ..Options::default() };
                ways.push((options, approach));
            }
        }
    }
    ways
}

fn check(boards: &[Board], depth: i32, processors: &[usize]) {
    let wanted = values(boards, depth);
    for (options, approach) in ways(processors) {
        let game = Chess::new(Profile::Classic, options.processors);
        let mut searcher = Searcher::new(game, ChessMemory::new(None), options.clone()).expect("threads");
        for (board, &value) in boards.iter().zip(&wanted) {
            let plan = Plan::fixed(depth).with(approach);
            let report =
                searcher.search(Position::new(board.clone()), plan, &Limits::new()).expect("no panic");
            let found = report.state.expect("a result").range;
            assert_eq!(
                found,
                Range::exact(value),
                "{board}: {}, {} processors, simulated: {}, {approach:?}",
                options.strategy,
                options.processors,
                options.simulate.is_some()
            );
        }
    }
}

#[test]
fn classic_is_minimax_at_depth_one() {
    check(&positions(), 1, &[1, 2]);
}

#[test]
fn classic_is_minimax_at_depth_four() {
    check(&positions()[..QUICK], 4, &[1, 2, 4]);
}

#[test]
fn bounds_change_no_value_of_a_quiescence() {
    for board in &positions()[..QUICK] {
        let in_full = plain::Minimax::quiesce_in_full(board);
        let mut minimax = plain::Minimax::default();
        for bound in [-1_000, in_full - 1, in_full, in_full + 1, 1_000] {
            let found = minimax.quiesce_within(board, bound - 1, bound);
            assert_eq!(found >= bound, in_full >= bound, "{board}: {found} at {bound}");
        }
        assert_eq!(minimax.quiesce_within(board, -plain::FAR, plain::FAR), in_full, "{board}");
    }
}

#[test]
#[ignore = "slow: minutes"]
fn classic_is_minimax_at_depth_four_everywhere() {
    let positions = positions();
    assert_eq!(positions.len(), 50);
    check(&positions, 4, &[1, 2, 4]);
}
