//! Kalah boards solved on threads agree with plain minimax: few stones, every variant of the rules, no grain (so that any node
//! may be split), pools of one and two split blocks, a small table that is kept from one board to the next.

use dts_engine::table::Table;
use dts_engine::{Approach, Game, Limits, Options, Plan, Range, Searcher, Side, Statistics, Strategy, Value};
use dts_kalah::database::{Build, Database};
use dts_kalah::position::Row;
use dts_kalah::reference::{Memo, compound_search};
use dts_kalah::sowing::Sowing;
use dts_kalah::{Board, Depth, Evaluation, Exact, ExactMemory, Horizon, Order, Player, Rules, Sweep};
use dts_tests::{Random, Yielding, position, small_board};

const PROCESSORS: [usize; 5] = [1, 2, 3, 4, 8];
const TO_THE_END: i32 = 10_000;
/// Boards that one searcher solves, one after the other.
const BOARDS: u64 = 8;

fn options(random: &mut Random, processors: usize) -> Options {
    Options {
        processors,
        strategy: if random.below(16) == 0 { Strategy::Sequential } else { Strategy::Dts },
        blocks: [1, 2, 2, 0][random.below(4) as usize],
        wake_after: [0, 0, 0, 20][random.below(4) as usize],
        ..Options::default()
    }
}

/// What every stone that is left is worth to A, the fast position's `Max`.
fn from_max(board: &Board, for_mover: Value) -> Value {
    if board.to_move() == Player::A { for_mover } else { -for_mover }
}

fn plan(random: &mut Random, rules: Rules, board: &Board) -> Plan {
    // Every stone is won by somebody, so values have the parity of the stones: unless the rest counts for nobody.
    let left = board.total() - u32::from(board.store(Player::A)) - u32::from(board.store(Player::B));
    let zero = match rules.sweep {
        Sweep::None => Approach::Zero { guess: random.below(5) as Value - 2, step: 1 },
        _ => Approach::Zero { guess: (left % 2) as Value + 2 * (random.below(5) as Value - 2), step: 2 },
    };
    let approach = [Approach::Open, Approach::Aspiration { width: 1 + random.below(3) as Value }, zero, zero];
    let plan = match random.below(2) {
        0 => Plan::fixed(TO_THE_END),
        _ => Plan { first_depth: 1, depth_step: 2, ..Plan::fixed(5) }.and_finally(TO_THE_END),
    };
    plan.with(approach[random.below(4) as usize])
}

/// One search, its value held against `wanted` and, where the values of all moves were asked for, each of them.
fn check<G: Game<Move = u8>>(
    searcher: &mut Searcher<G>,
    root: G::Position,
    plan: Plan,
    wanted: Value,
    worth: &[(usize, Value)],
    context: &str,
) -> Statistics {
    let report = searcher.search(root, plan, &Limits::new()).expect("no panic");
    assert_eq!(report.stopped, None, "{context}");
    let total = report.total();
    let state = report.state.unwrap_or_else(|| panic!("no result: {context}"));
    assert_eq!(state.range, Range::exact(wanted), "{context}");
    match state.best {
        None => assert_eq!(worth, [], "no best move: {context}"),
        Some(best) => {
            let of = worth.iter().find(|&&(pit, _)| pit == usize::from(best));
            assert_eq!(of, Some(&(usize::from(best), wanted)), "the best move: {context}");
            assert_eq!(state.line.first(), Some(&best), "the line: {context}");
        }
    }
    if !state.moves.is_empty() {
        let mut found: Vec<_> = state.moves.iter().map(|of| (usize::from(of.chosen), of.range)).collect();
        found.sort_by_key(|&(pit, _)| pit);
        let wanted: Vec<_> = worth.iter().map(|&(pit, value)| (pit, Range::exact(value))).collect();
        assert_eq!(found, wanted, "the moves: {context}");
    }
    total
}

/// What each legal move of a board is worth from A's side, by the mover's own count of his pits.
fn worth_of_moves(memo: &mut Memo, rules: &Rules, board: &Board) -> Vec<(usize, Value)> {
    let lead = |board: &Board| Value::from(board.store(Player::A)) - Value::from(board.store(Player::B));
    let first = board.first_pit(board.to_move());
    let moves = board.legal(rules).into_iter().map(|pit| {
        let mut next = *board;
        let over = next.play(rules, pit).expect("a legal move").over();
        let gained = lead(&next) - lead(board);
        let later = if over { 0 } else { from_max(&next, memo.value(&next)) };
        (pit - first, gained + later)
    });
    moves.collect()
}

fn solved<R: Row>(seeds: std::ops::Range<u64>, most: u64) -> Statistics {
    let variants: Vec<Rules> = Rules::all().collect();
    let mut total = Statistics::default();
    for seed in seeds {
        let mut random = Random::new(seed);
        // Every variant in turn, each with every size.
        let rules = variants[seed as usize % variants.len()];
        let pits = 1 + (seed as usize / variants.len()) % 4;
        let mut memo = Memo::new(rules);
        let sowing = || Sowing::<R>::new(rules, pits as u32).expect("a small board");
        let boards: Vec<_> = (0..BOARDS)
            .map(|_| {
                let board = small_board(&mut random, pits, most);
                let value = from_max(&board, memo.value(&board));
                (board, value, worth_of_moves(&mut memo, &rules, &board))
            })
            .collect();
        for processors in PROCESSORS {
            let stones = [0, 0, 1, 3][random.below(4) as usize];
            let database = (stones > 0).then(|| {
                Database::build(rules, pits as u32, stones, Build::default()).expect("a small database")
            });
            let table = (random.below(4) > 0).then(|| Table::new(1).expect("a mebibyte"));
            let peek_from = [0, 0, 4][random.below(3) as usize];
            let options = options(&mut random, processors);
            let context = format!(
                "seed {seed}, rules {rules}, database {stones}, table {}, peek from {peek_from}, {options:?}",
                table.is_some()
            );
            let game = Yielding::new(Exact::new(sowing(), 0, peek_from), 4 + random.below(29));
            let memory = ExactMemory { table, database };
            let mut searcher = Searcher::new(game, memory, options).expect("threads");
            for (board, value, worth) in &boards {
                let plan = plan(&mut random, rules, board);
                let plan = if random.below(3) == 0 { plan.with_all_values() } else { plan };
                let root = position(searcher.game().game.sowing(), board);
                let context = format!("{context}, {board}, {plan:?}");
                total += &check(&mut searcher, root, plan, *value, worth, &context);
            }
        }
    }
    total
}

/// The search to a depth, counted in turns, against the plain search of the seed's program.
fn judged<R: Row>(seeds: std::ops::Range<u64>, most: u64) -> Statistics {
    let variants: Vec<Rules> = Rules::all().collect();
    let mut total = Statistics::default();
    for seed in seeds {
        let mut random = Random::new(seed);
        let rules = variants[seed as usize % variants.len()];
        let pits = 1 + (seed as usize / variants.len()) % 4;
        let board = small_board(&mut random, pits, most);
        let turns = 1 + random.below(5) as i32;
        let evaluation = Evaluation::ALL[random.below(Evaluation::ALL.len() as u64) as usize];
        let found = compound_search(&board, &rules, turns as u32, evaluation).value;
        let wanted = from_max(&board, found);
        for processors in PROCESSORS {
            let sowing = Sowing::<R>::new(rules, pits as u32).expect("a small board");
            let banked = if board.to_move() == Player::A { board.difference() } else { -board.difference() };
            let mut root = position(&sowing, &board);
            root.banked += banked as i16;
            let order = [Order::ExtraTurnsFirst, Order::Ascending][random.below(2) as usize];
            // With the difference of the stores, only what is won from the root on counts.
            let wanted = if evaluation == Evaluation::Difference { wanted - banked } else { wanted };
            let game = Horizon::new(sowing, evaluation, Depth::Turns, order, board.total(), banked);
            let game = Yielding::new(game.with_grain(-1), 4 + random.below(29));
            let options = options(&mut random, processors);
            let context =
                format!("seed {seed}, rules {rules}, {board}, {turns} turns, {evaluation}, {options:?}");
            let mut searcher = Searcher::new(game, (), options).expect("threads");
            let report = searcher.search(root, Plan::fixed(turns), &Limits::new()).expect("no panic");
            assert_eq!(
                report.state.as_ref().map(|state| state.range),
                Some(Range::exact(wanted)),
                "{context}"
            );
            total += &report.total();
        }
    }
    total
}

/// Whether the threads worked together at all, so that agreement says something.
fn worked_together(what: &str, total: &Statistics, least: u64) {
    println!(
        "{what}: {} nodes, {} splits, {} joins, {} stops",
        total.nodes, total.splits, total.joins, total.stops
    );
    assert!(total.splits >= least, "{what}: the threads hardly worked together: {total:?}");
}

#[test]
fn boards_solved_on_threads_have_the_values_of_minimax() {
    // 24 variants, 4 sizes, 8 boards each, in narrow and in wide rows.
    worked_together("narrow", &solved::<u64>(0..192, 18), 200);
    worked_together("wide", &solved::<u128>(1_000..1_096, 16), 100);
}

#[test]
fn boards_judged_at_a_depth_on_threads_have_the_values_of_minimax() {
    worked_together("narrow", &judged::<u64>(0..960, 24), 50);
    worked_together("wide", &judged::<u128>(1_000..1_192, 24), 5);
}

#[test]
#[ignore = "slow: 30,000 boards with up to 8 threads"]
fn many_boards_solved_on_threads_have_the_values_of_minimax() {
    worked_together("narrow", &solved::<u64>(10_000..11_920, 18), 1_000);
    worked_together("wide", &solved::<u128>(20_000..20_960, 18), 1_000);
    worked_together("judged", &judged::<u64>(30_000..39_600, 24), 500);
    worked_together("judged, wide", &judged::<u128>(40_000..41_920, 24), 50);
}

#[test]
fn the_root_is_seen_from_the_side_to_move() {
    // The helpers themselves: one board both ways round.
    let board: Board = "0,2,3 | 1,0,5 B".parse().expect("a board");
    let sowing = Sowing::<u64>::new(Rules::SEED, 2).expect("two pits");
    let root = position(&sowing, &board);
    assert_eq!((root.side, root.banked), (Side::Min, 0));
    let mut memo = Memo::new(Rules::SEED);
    // B plays his only pit 3 into 4: A is left with two stones and B with one, and nothing is captured.
    assert_eq!(worth_of_moves(&mut memo, &Rules::SEED, &board).len(), 1);
    assert_eq!(from_max(&board, 3), -3);
}
