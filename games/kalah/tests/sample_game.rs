//! The game printed with the seed's program, replayed position by position.

use dts_kalah::record::{Counts, Record, Replay, replay};
use dts_kalah::{Board, Player, Rules};

const GAME: &str = include_str!("data/sample_game.txt");
const TRACE: &str = include_str!("data/sample_game_trace.csv");

fn sample(rules: &Rules) -> Replay {
    let record: Record = GAME.parse().expect("the sample game reads");
    replay(&record, &Board::start(6, 6).expect("a start"), rules).expect("the sample game keeps to the rules")
}

#[test]
fn every_position_is_that_of_the_trace() {
    let game = sample(&Rules::SEED);
    let trace = TRACE.lines().skip(1).collect::<Vec<_>>();
    assert_eq!(game.positions.len(), trace.len());
    assert_eq!(trace.len(), 47);
    for (position, line) in game.positions.iter().zip(trace) {
        let numbers = |player| {
            let row =
                position.board.row(player).iter().map(|stones| format!("{stones},")).collect::<String>();
            format!("{row}{}", position.board.store(player))
        };
        let (side, pit) = position
            .played
            .map_or_else(Default::default, |played| (played.player.to_string(), played.pit.to_string()));
        let note = &position.note;
        let note = if note.contains(',') { format!("\"{note}\"") } else { note.clone() };
        let (a, b) = (numbers(Player::A), numbers(Player::B));
        // One note of the trace begins with a blank.
        assert_eq!(format!("{},{side},{pit},{note},{a},{b}", position.ply), line.replace(", lap", ",lap"));
    }
}

#[test]
fn it_ends_with_32_and_40() {
    let game = sample(&Rules::SEED);
    assert!(game.over);
    assert_eq!((game.end().store(Player::A), game.end().store(Player::B)), (32, 40));
    assert_eq!(game.check_counts(), Ok(()));
    let moves = game.positions.iter().filter_map(|position| position.played).collect::<Vec<_>>();
    assert_eq!(moves.len(), 45);
    assert_eq!(moves.iter().filter(|played| played.captured() > 0).count(), 8);
    assert_eq!(moves.iter().filter(|played| played.laps > 0).map(|p| p.stones).collect::<Vec<_>>(), [15, 14]);
}

#[test]
fn it_is_written_byte_for_byte() {
    let record: Record = GAME.parse().expect("the sample game reads");
    assert_eq!(record.to_string(), GAME);
    assert_eq!(record.counts(), Some(Counts { a: 32, b: 40 }));
    assert_eq!(record.turns().len(), 26);
}

#[test]
fn the_seeds_own_columns_and_last_line() {
    // As the seed prints it: two columns, dashes in the counts.
    let lines = GAME.lines().collect::<Vec<_>>();
    let mut columns = String::new();
    for row in 0..7 {
        let right =
            lines.get(row + 7).map_or(String::new(), |line| line.replace("A 32, B 40", "A - 32, B - 40"));
        columns += &format!("{:28}{right}\r\n", lines[row]);
    }
    let record: Record = columns.parse().expect("two columns");
    let game = replay(&record, &Board::start(6, 6).expect("a start"), &Rules::SEED).expect("a replay");
    assert_eq!(game.positions, sample(&Rules::SEED).positions);
    assert_eq!(game.check_counts(), Ok(()));
}

#[test]
fn other_rules_do_not_reproduce_it() {
    let record: Record = GAME.parse().expect("the sample game reads");
    let start = Board::start(6, 6).expect("a start");
    let outcome = |rules: &str| match replay(&record, &start, &rules.parse().expect("rules")) {
        Ok(game) => game.check_counts().map_or_else(|error| error.to_string(), |()| "agrees".to_string()),
        Err(error) => error.to_string(),
    };
    assert_eq!(outcome("seed"), "agrees");
    assert_eq!(outcome("seed,end=cannot-move"), "agrees");
    // B made the last move and keeps his own stones either way.
    assert_eq!(outcome("seed,sweep=finisher"), "agrees");
    assert_eq!(outcome("seed,sweep=none"), "line 14: final A 32, B 40, but the moves come to A 32, B 37");
    assert_eq!(outcome("emptycap"), "line 7, ply 7, A's move 4: the turn was over with the move before it");
    assert_eq!(
        outcome("seed,origin=skipped"),
        "line 7, ply 7, A's move 5: the turn was over with the move before it"
    );
}

#[test]
fn a_move_that_cannot_be_played_names_line_and_move() {
    let broken = GAME.replace(" 3) A: 2        B: 11 9", " 3) A: 2        B: 11 11");
    let record: Record = broken.parse().expect("it still reads");
    let error =
        replay(&record, &Board::start(6, 6).expect("a start"), &Rules::SEED).expect_err("an illegal move");
    assert_eq!((error.line, error.ply, error.player, error.pit), (3, 3, Player::B, 11));
    assert_eq!(error.to_string(), "line 3, ply 3, B's move 11: pit 11 is empty; accepted: 7, 8, 9, 10, 12");
}

#[test]
fn the_table_for_people() {
    let table = sample(&Rules::SEED).to_string();
    let lines = table.lines().collect::<Vec<_>>();
    assert_eq!(lines.len(), 48);
    assert_eq!(lines[0], "ply side pit     0   1   2   3   4   5     A     7   8   9  10  11  12     B");
    assert_eq!(
        lines[1],
        "  0              6   6   6   6   6   6     0     6   6   6   6   6   6     0   start"
    );
    assert_eq!(
        lines[14],
        "  5    B  12     5   0   1   2  12   1     6     3  12   1  12   0   0    17   capture 11+1"
    );
    assert_eq!(lines[3], "  1    A   3     0   7   7   0   8   8     2     7   7   7   7   6   6     0");
    assert_eq!(
        lines[47],
        " 13              0   0   0   0   0   0    32     0   0   0   0   0   0    40   \
         game over, rows swept to their owners"
    );
}
