//! Bridge keeps the promises of the engine's `Game`, and every strategy finds minimax's values.

use dts_bridge::{DoubleDummy, Position, Shared};
use dts_engine::conformance::Conformance;

mod common;

#[test]
fn endings() {
    let mut random = common::Random(11);
    for tricks in [1, 2, 3, 4, 4] {
        let situation = common::random_ending(&mut random, tricks);
        let kit = Conformance { depth: 52, games: 2, ..Conformance::default() };
        kit.check(
            || DoubleDummy::new(2),
            || Shared::new(1, &situation).expect("a mebibyte"),
            &[Position::from(&situation)],
        );
    }
}
