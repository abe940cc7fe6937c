//! Kalah keeps the promises of the engine's `Game`, and every strategy finds minimax's values.

use dts_engine::conformance::Conformance;
use dts_engine::table::Table;
use dts_kalah::position::Row;
use dts_kalah::sowing::Sowing;
use dts_kalah::{Depth, Evaluation, Exact, ExactMemory, Horizon, Order, Rules};

fn horizon<R: Row>(rules: Rules, pits: u32, stones: u32, unit: Depth, evaluation: Evaluation, order: Order) {
    let sowing = || Sowing::<R>::new(rules, pits).expect("a board of this size");
    let root = sowing().start(stones).expect("few stones");
    let kit = Conformance { depth: 5, games: 3, ..Conformance::default() };
    kit.check(|| Horizon::new(sowing(), evaluation, unit, order, 2 * pits * stones, 0), || (), &[root]);
}

#[test]
fn kalah_to_a_depth() {
    horizon::<u64>(Rules::SEED, 6, 4, Depth::Moves, Evaluation::Difference, Order::ExtraTurnsFirst);
    horizon::<u64>(Rules::EMPTY_CAPTURE, 3, 3, Depth::Moves, Evaluation::Product, Order::Ascending);
    horizon::<u64>(Rules::SEED, 2, 3, Depth::Turns, Evaluation::Reciprocal, Order::Ascending);
    horizon::<u128>(Rules::SEED, 7, 3, Depth::Moves, Evaluation::Difference, Order::ExtraTurnsFirst);
}

#[test]
fn kalah_to_the_end() {
    let exact = || Exact::new(Sowing::<u64>::new(Rules::SEED, 2).expect("two pits"), 4, 0);
    let root = exact().sowing().start(3).expect("few stones");
    let kit = Conformance { depth: 10_000, games: 10, step: 2, ..Conformance::default() };
    let with_table = || ExactMemory { table: Some(Table::new(1).expect("a mebibyte")), database: None };
    kit.check(exact, with_table, &[root]);
    kit.check(exact, || ExactMemory { table: None, database: None }, &[root]);
}
