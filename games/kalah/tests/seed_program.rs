//! The plain search against the moves that the seed's program made in its sample game.

use dts_kalah::{Board, Evaluation, Rules, record::Record, reference};

/// Six plies are what the program's MAXLEVEL of 5 comes to. It mishandled the end of the game, so that a search
/// that knows the rules differs from it in six turns near the end, and in no other.
#[test]
fn six_plies_pick_the_games_turn_but_for_six_near_the_end() {
    let record: Record = include_str!("data/sample_game.txt").parse().expect("the sample game reads");
    let mut board = Board::start(6, 6).expect("a start");
    let mut deviations = Vec::new();
    let mut nodes = 0;
    for turn in record.turns() {
        let found = reference::compound_search(&board, &Rules::SEED, 6, Evaluation::Difference);
        nodes += found.nodes;
        if found.turn != turn.moves {
            deviations.push((format!("{}{}", turn.ply, turn.player), found.turn));
        }
        for &pit in &turn.moves {
            board.play(&Rules::SEED, pit).expect("a legal move");
        }
    }
    assert_eq!(record.turns().len(), 26);
    let expected = [("9A", 0), ("11A", 0), ("11B", 8), ("12A", 0), ("12B", 10), ("13A", 0)];
    let expected = expected.map(|(turn, pit)| (turn.to_string(), vec![pit]));
    assert_eq!(deviations, expected);
    assert_eq!(nodes, 785_341);
}
