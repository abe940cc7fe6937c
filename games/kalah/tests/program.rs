//! The interactive program, played by scripts.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::path::PathBuf;
use std::{fs, io};

use dts_kalah::program::{Answer, Console, Options, Outcome, Session, SessionError, save};
use dts_kalah::record::{Record, replay};
use dts_kalah::{Board, Evaluation, Player, Rules, reference};

/// Answers from a list, then with the end of the input; keeps everything that was shown.
#[derive(Default)]
struct Script {
    answers: VecDeque<Answer>,
    shown: String,
}

impl Script {
    fn new<'a>(lines: impl IntoIterator<Item = &'a str>) -> Script {
        let answers = lines.into_iter().map(|line| Answer::Line(line.to_string())).collect();
        Script { answers, shown: String::new() }
    }

    fn count(&self, text: &str) -> usize {
        self.shown.matches(text).count()
    }
}

impl Console for Script {
    fn show(&mut self, text: &str) -> io::Result<()> {
        self.shown.push_str(text);
        Ok(())
    }

    fn ask(&mut self, prompt: &str) -> io::Result<Answer> {
        let answer = self.answers.pop_front().unwrap_or(Answer::End);
        let echo = match &answer {
            Answer::Line(line) => line.escape_default().to_string(),
            Answer::Leave => "<ESC>".to_string(),
            Answer::End => "<end of input>".to_string(),
        };
        self.shown += &format!("{prompt}{echo}\n");
        Ok(answer)
    }
}

/// A folder of a test's own; gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("dts-kalah-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn log(&self) -> PathBuf {
        self.0.join("lastgame.klh")
    }

    fn written(&self) -> String {
        let names =
            fs::read_dir(&self.0).expect("the folder").map(|entry| entry.expect("a file").file_name());
        assert_eq!(names.collect::<Vec<_>>(), ["lastgame.klh"], "nothing else remains");
        fs::read_to_string(self.log()).expect("a record")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn choose(plies: u32) -> impl FnMut(&Board) -> Result<Vec<usize>, Infallible> {
    move |board| Ok(reference::compound_choice(board, &Rules::SEED, plies, Evaluation::Difference).1)
}

/// Chooses these turns one after the other, then as `choose` does.
fn choose_first<'a>(turns: &'a [&'a [usize]]) -> impl FnMut(&Board) -> Result<Vec<usize>, Infallible> + 'a {
    let mut turns = turns.iter();
    move |board| turns.next().map_or_else(|| choose(1)(board), |turn| Ok(turn.to_vec()))
}

fn play(options: Options, script: &mut Script) -> Outcome {
    Session::new(options, script, choose(2)).run().expect("a game")
}

#[test]
fn a_short_game_as_it_looks() {
    let folder = Folder::new("person");
    let mut script = Script::new(["1", "1", "2", "", "", "1", ""]);
    let options = Options { pits: 3, stones: 2, log: folder.log(), ..Options::default() };
    let outcome = play(options, &mut script);
    let shown = script.shown.replace(&folder.log().display().to_string(), "LOG");
    insta::assert_snapshot!(shown);
    assert!(outcome.over);
    assert_eq!(folder.written(), outcome.record.to_string());
}

#[test]
fn wrong_pits_are_refused_and_asked_again() {
    let folder = Folder::new("wrong");
    let mut script = Script::new(["x", "", "6", "7", "-1", "99", "0", " 0 ", "0x", "q"]);
    let outcome = play(Options { log: folder.log(), ..Options::default() }, &mut script);
    for (text, count) in [
        ("Your move: x\n`x` is no pit; accepted: 0, 1, 2, 3, 4, 5\nYour move: \n", 1),
        ("no number; accepted: 0, 1, 2, 3, 4, 5\nYour move: 6\n", 1),
        ("6 is no pit of A's; accepted: 0, 1, 2, 3, 4, 5\nYour move: 7\n", 1),
        ("7 is no pit of A's; accepted: 0, 1, 2, 3, 4, 5\nYour move: -1\n", 1),
        ("`-1` is no pit; accepted: 0, 1, 2, 3, 4, 5\nYour move: 99\n", 1),
        ("99 is no pit of A's; accepted: 0, 1, 2, 3, 4, 5\nYour move: 0\n", 1),
        ("Your move: 0\nA plays 0: extra turn.\n", 1),
        ("pit 0 is empty; accepted: 1, 2, 3, 4, 5\nYour move: 0x\n", 1),
        ("Your move:", 10),
        ("Thinking...", 0),
    ] {
        assert_eq!(script.count(text), count, "{text}\n{}", script.shown);
    }
    assert!(!outcome.over);
    assert_eq!(folder.written(), " 1) A: 0\n");
}

#[test]
fn each_enter_makes_the_next_move_and_the_list_shifts() {
    let folder = Folder::new("enter");
    let options = Options { first: Player::B, log: folder.log(), ..Options::default() };
    let mut script = Script::new(["", "anything"]);
    let outcome = Session::new(options, &mut script, choose_first(&[&[7, 12]])).run().expect("a game");
    assert!(
        script.shown.contains("Thinking...\nMy move: 7 12 \nB plays 7: extra turn.\n"),
        "{}",
        script.shown
    );
    assert!(script.shown.contains("My move: 12 anything\nB plays 12.\n"), "{}", script.shown);
    assert_eq!(outcome.record.to_string(), folder.written());
}

#[test]
fn the_program_begins_if_asked_to() {
    let folder = Folder::new("begins");
    let options = Options { first: Player::B, log: folder.log(), ..Options::default() };
    let mut script = Script::new(["", "", "0"]);
    let outcome = Session::new(options, &mut script, choose_first(&[&[7, 8]])).run().expect("a game");
    assert_eq!(script.count("My move: 7 8 \n"), 1);
    assert_eq!(script.count("My move: 8 \n"), 1);
    assert_eq!(script.count("Your move: "), 1);
    let written = folder.written();
    assert_eq!(written, " 1) A:          B: 7 8\n 2) A: 0\n");
    assert_eq!(written.parse(), Ok(outcome.record));
}

#[test]
fn a_capture_is_told_with_its_stones() {
    let folder = Folder::new("capture");
    let options = Options { log: folder.log(), ..Options::default() };
    // The worked example of the seed: A=1,2, B=1, A=1.
    let mut script = Script::new(["0", "1", "", "0"]);
    Session::new(options, &mut script, choose_first(&[&[7]])).run().expect("a game");
    assert!(script.shown.contains("A plays 0: captured 7 and the last stone.\n"), "{}", script.shown);
}

#[test]
fn the_sample_game_is_played_again_for_a_watcher() {
    let folder = Folder::new("sample");
    let game = include_str!("data/sample_game.txt");
    let record: Record = game.parse().expect("the sample game");
    let mut turns = record.turns().iter();
    let chooser = |_: &Board| Ok::<_, Infallible>(turns.next().expect("a turn").moves.clone());
    let options = Options { both_program: true, log: folder.log(), ..Options::default() };
    let mut script = Script::new([""; 45]);
    let outcome = Session::new(options, &mut script, chooser).run().expect("a game");
    assert!(outcome.over && script.answers.is_empty());
    assert_eq!(folder.written(), game);
    assert_eq!(script.count("Thinking...\n"), 26);
    assert_eq!(script.count("extra turn"), 19);
    assert_eq!(script.count("captured"), 8);
    assert_eq!(script.count("My move: 10 12 11 \nB plays 10: extra turn.\n"), 1);
    assert_eq!(script.count("My move: 12 11 \nB plays 12: extra turn.\n"), 1);
    assert_eq!(
        script.count(
            "My move: 11 \nB plays 11: captured 3 and the last stone; \
             of the stones left A takes 0, B 3.\n"
        ),
        1
    );
    assert!(script.shown.contains("The game is over: A 32, B 40. B wins by 8.\n"));
    // The last screen has the last four plies beside the board.
    let screen = script.shown.lines().rev().skip(3).take(4).collect::<Vec<_>>();
    assert_eq!(
        screen,
        [
            "          0   1   2   3   4   5              13) A: 5 4      B: 10 12 11",
            "          0   0   0   0   0   0    32   A    12) A: 5 3      B: 9",
            "B  40     0   0   0   0   0   0              11) A: 4        B: 9",
            "         12  11  10   9   8   7              10) A: 5        B: 7",
        ]
    );
}

#[test]
fn every_prompt_can_be_left() {
    let line = |text: &str| Answer::Line(text.to_string());
    for leave in [line("q"), line(" Q "), line("\u{1b}"), line("1\u{1b}"), Answer::Leave, Answer::End] {
        // At the first prompt, within a turn of each side, and between turns.
        for (first, before, record) in [
            (Player::A, &[][..], ""),
            (Player::A, &["0"][..], " 1) A: 0\n"),
            (Player::A, &["0", "1"][..], " 1) A: 0 1\n"),
            (Player::B, &[][..], ""),
            (Player::B, &[""][..], " 1) A:          B: 7\n"),
            (Player::B, &["", ""][..], " 1) A:          B: 7 8\n"),
        ] {
            let folder = Folder::new("leave");
            let mut script = Script::new(before.iter().copied());
            script.answers.push_back(leave.clone());
            script.answers.push_back(line("2"));
            let options = Options { first, log: folder.log(), ..Options::default() };
            let turns: &[&[usize]] = if first == Player::A { &[&[8]] } else { &[&[7, 8]] };
            let outcome =
                Session::new(options, &mut script, choose_first(turns)).run().expect("a game that is left");
            assert_eq!(script.answers.len(), 1, "{leave:?} after {before:?}");
            assert!(!outcome.over);
            let written = folder.written();
            assert_eq!(written, record);
            let start = Board::start(6, 6).expect("a start").with_to_move(first);
            let game = replay(&written.parse().expect("a record"), &start, &Rules::SEED);
            assert_eq!(*game.expect("a game").end(), outcome.board);
            let (a, b) = (outcome.board.store(Player::A), outcome.board.store(Player::B));
            assert!(script.shown.contains(&format!("The game was left with A {a}, B {b}.\n")));
        }
    }
}

#[test]
fn a_turn_that_is_none_is_not_played() {
    for turn in [&[][..], &[0], &[13], &[8, 8], &[8, 9], &[8, 2]] {
        let folder = Folder::new("turn");
        let options = Options { log: folder.log(), ..Options::default() };
        let mut script = Script::new(["0", "1", "", "", "", ""]);
        let chooser = |_: &Board| Ok::<_, Infallible>(turn.to_vec());
        let error = Session::new(options, &mut script, chooser).run().expect_err("no turn");
        assert_eq!(error.to_string(), format!("the turn {turn:?} chosen for B is not a whole turn"));
        assert_eq!(folder.written(), " 1) A: 0 1\n");
    }
    let folder = Folder::new("turn");
    let options = Options { first: Player::B, log: folder.log(), ..Options::default() };
    let mut script = Script::new([""]);
    let error = Session::new(options, &mut script, choose_first(&[&[7]])).run().expect_err("it goes on");
    assert!(matches!(error, SessionError::Turn { player: Player::B, turn } if turn == [7]));
}

#[test]
fn errors_leave_the_record_of_what_was_played() {
    let folder = Folder::new("errors");
    let options = Options { log: folder.log(), ..Options::default() };
    let mut script = Script::new(["0", "1"]);
    let error = Session::new(options, &mut script, |_: &Board| Err("no time")).run().expect_err("no turn");
    assert!(matches!(error, SessionError::Chooser("no time")));
    assert_eq!(folder.written(), " 1) A: 0 1\n");

    let options = Options { log: folder.0.join("none/game.klh"), ..Options::default() };
    let error = Session::new(options, &mut script, choose(1)).run().expect_err("no folder");
    assert!(error.to_string().starts_with("cannot write the record "), "{error}");
    let options = Options { pits: 13, log: folder.log(), ..Options::default() };
    let error = Session::new(options, &mut script, choose(1)).run().expect_err("no board");
    assert_eq!(error.to_string(), "13 pits a side; accepted: 1 to 12");
    assert_eq!(folder.written(), " 1) A: 0 1\n");
}

#[test]
fn the_result_is_told_to_a_person() {
    // One stone each on one pit: A plays home, and what B has left makes it a draw.
    let folder = Folder::new("result");
    let options = |stones| Options { pits: 1, stones, log: folder.log(), ..Options::default() };
    let mut script = Script::new(["0"]);
    play(options(1), &mut script);
    assert!(script.shown.contains("A plays 0: of the stones left A takes 0, B 1.\n"), "{}", script.shown);
    assert!(script.shown.contains("The game is over: A 1, B 1. It is a draw.\n"), "{}", script.shown);
    assert_eq!(folder.written(), " 1) A: 0\nfinal: A 1, B 1\n");
    let mut script = Script::new(["0"]);
    play(options(3), &mut script);
    assert!(script.shown.contains("The game is over: A 6, B 0. You win by 6.\n"), "{}", script.shown);
    let mut script = Script::new(["0"]);
    play(options(2), &mut script);
    assert!(
        script.shown.contains("The game is over: A 1, B 3. The program wins by 2.\n"),
        "{}",
        script.shown
    );
    assert_eq!(folder.written(), " 1) A: 0\nfinal: A 1, B 3\n");
}

#[test]
fn saving_replaces_a_file_but_not_a_device_or_a_link() {
    let folder = Folder::new("save");
    let mut record = Record::default();
    record.push(Player::A, 0);
    fs::write(folder.log(), "an old game, much longer than the new one").expect("a file");
    save(&record, &folder.log()).expect("a record");
    assert_eq!(folder.written(), " 1) A: 0\n");
    assert!(save(&record, &folder.0).is_err());
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        // A socket of our own, not a device of the machine's: should this ever fail, nothing else is harmed.
        let socket = folder.0.join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        assert!(save(&record, &socket).is_err());
        assert!(fs::metadata(&socket).expect("the socket").file_type().is_socket());
        fs::remove_file(socket).expect("the socket");
        let link = folder.0.join("link.klh");
        std::os::unix::fs::symlink(folder.log(), &link).expect("a link");
        record.push(Player::A, 1);
        save(&record, &link).expect("a record");
        fs::remove_file(link).expect("still a link");
        assert_eq!(folder.written(), " 1) A: 0 1\n");
    }
}
