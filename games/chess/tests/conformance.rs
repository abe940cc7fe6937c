//! Chess keeps the promises of the engine's `Game`, and in the classic profile every strategy finds minimax's values.

use dts_chess::{Chess, ChessMemory, Position, Profile, parse_fen};
use dts_engine::conformance::Conformance;

fn root(fen: &str) -> Position {
    Position::new(parse_fen(fen).expect(fen))
}

/// Few pieces: plain minimax, which cuts nothing off, is soon done.
fn endgames() -> Vec<Position> {
    [
        // Promotions and en passant.
        "8/PPk5/8/8/2pP4/8/5Kpp/8 b - d3 0 1",
        "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1",
        // The clock runs out, and positions repeat.
        "8/8/4k3/8/8/3RK3/8/7r w - - 96 90",
        // Mates are near.
        "4k3/8/4K3/8/8/8/8/6RR w - - 0 1",
    ]
    .map(root)
    .to_vec()
}

fn check(kit: &Conformance, grain: i32, roots: &[Position]) {
    kit.check(|| Chess::new(Profile::Classic, 4).with_grain(grain), || ChessMemory::new(None), roots);
}

#[test]
fn endgames_keep_the_promises() {
    let kit =
        Conformance { depth: 2, games: 2, longest: 40, processors: vec![1, 3], ..Conformance::default() };
    check(&kit, 1, &endgames());
    check(&kit, -100, &endgames()[..1]);
}

#[test]
fn the_start_keeps_the_promises() {
    let kit = Conformance { depth: 1, games: 4, longest: 30, processors: vec![2], ..Conformance::default() };
    check(&kit, 0, &[Position::new(cozy_chess::Board::startpos())]);
}

#[test]
#[ignore = "slow: many minutes"]
fn endgames_keep_the_promises_deeper() {
    let kit = Conformance {
        depth: 3,
        games: 10,
        longest: 100,
        processors: vec![1, 2, 4, 16],
        ..Conformance::default()
    };
    check(&kit, 1, &endgames());
}
