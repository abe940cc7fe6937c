//! Chess keeps the promises of the engine's `Game`, and in the classic profile every strategy finds minimax's values.

use dts_chess::{Chess, ChessMemory, Position, Profile, parse_fen};
use dts_engine::conformance::Conformance;

fn roots() -> Vec<Position> {
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        // Promotions, en passant, castling, few moves.
        "8/PPk5/8/8/2pP4/8/5Kpp/8 b - d3 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        // The clock runs out, and positions repeat.
        "8/8/4k3/8/8/3RK3/8/7r w - - 96 90",
        // Mates are near.
        "4k3/8/4K3/8/8/8/8/6RR w - - 0 1",
    ]
    .iter()
    .map(|fen| Position::new(parse_fen(fen).expect(fen)))
    .collect()
}

#[test]
fn classic_chess_keeps_its_promises() {
    let kit =
        Conformance { depth: 2, games: 6, longest: 60, processors: vec![1, 2, 4], ..Conformance::default() };
    kit.check(|| Chess::new(Profile::Classic, 4), || ChessMemory::new(None), &roots());
}

#[test]
fn classic_chess_keeps_its_promises_without_grain() {
    let kit = Conformance { depth: 2, games: 2, longest: 60, processors: vec![3], ..Conformance::default() };
    kit.check(|| Chess::new(Profile::Classic, 4).with_grain(-100), || ChessMemory::new(None), &roots());
}

#[test]
#[ignore = "slow: minutes"]
fn classic_chess_keeps_its_promises_deeper() {
    let kit = Conformance {
        depth: 3,
        games: 20,
        longest: 120,
        processors: vec![1, 2, 4, 16],
        ..Conformance::default()
    };
    kit.check(|| Chess::new(Profile::Classic, 4), || ChessMemory::new(None), &roots());
}
