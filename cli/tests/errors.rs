//! What the program says when it cannot do what it was asked: the exit code, and one line on standard error that names the place,
//! what is wrong and what is accepted. Nothing is printed on standard output, and nothing is left behind.

mod common;

use std::fmt::Write as _;
use std::fs;

use common::{Directory, dts, words};

/// Files that the command lines name.
const FILES: [(&str, &[u8]); 10] = [
    ("not-understood.klh", b"1) A: 0 3  B: 11\n2) A: x\n"),
    ("no-pit.klh", b"1) A: 0 3  B: 11\n2) A: 6\n"),
    ("empty-pit.klh", b"1) A: 0 0\n"),
    ("no-extra-move.klh", b"1) A: 0  B: 11\n"),
    ("bad-board.txt", b"# a remark\nfirst: 1,2,0 | 2,1,0 A\nsecond: 1,2,0 | 2,x,0 A\n"),
    ("twice.txt", b"first: 1,2,0 | 2,1,0 A\nfirst: 1,2,0 | 2,1,0 B\n"),
    ("nothing.txt", b"# only a remark\n"),
    (
        "wrong-move.epd",
        b"# a suite\n6k1/8/8/8/8/8/8/3R2K1 w - - bm Rd8; id \"1\";\n6k1/8/8/8/8/8/8/3R2K1 w - - bm Qd8;\n",
    ),
    ("no-text.fen", b"\xff\xfe\n"),
    (
        "no-database.bin",
        b"this is no database, but it is long enough to hold the head of one, one might say\n",
    ),
];

const BAD_INPUT: [(&str, &str); 50] = [
    // What to do.
    ("kalha solve", ""),
    ("kalah win", ""),
    ("kalah solve --fast", ""),
    ("completions basic", ""),
    // Boards.
    ("kalah solve --pits 0", ""),
    ("kalah solve --pits 13", ""),
    ("kalah solve --pits six", ""),
    ("kalah solve --stones 21", ""),
    ("kalah solve --stones -1", ""),
    ("kalah solve --board '1,2,3'", ""),
    ("kalah solve --board '1,2,0 | 1,2,0 C'", ""),
    ("kalah solve --board '1,2,0 | 1,2,3,0 A'", ""),
    ("kalah solve --board '1,x,0 | 1,2,0 A'", ""),
    ("kalah solve --board '1,-2,0 | 1,2,0 A'", ""),
    ("kalah solve --board '1,70000,0 | 1,2,0 A'", ""),
    ("kalah solve --board '400,100,0 | 100,2,0 A'", ""),
    ("kalah solve --board '1,2,0 | 1,2,0 A' --pits 2", ""),
    ("kalah solve --board -", ""),
    ("kalah solve --board -", "1,2,0 | 2,1,0 A\n\n1,2,0 | 2,1,0\n"),
    // Rules.
    ("kalah solve --rules irving", ""),
    ("kalah solve --rules seed,sweep=all", ""),
    ("kalah solve --capture always", ""),
    ("kalah solve --end never", ""),
    ("kalah solve --origin lost", ""),
    // The search.
    ("kalah solve --threads 0", ""),
    ("kalah solve --threads 5000", ""),
    ("kalah solve --strategy dst", ""),
    ("kalah solve --hash 0", ""),
    ("kalah solve --time -1", ""),
    ("kalah solve --time soon", ""),
    ("kalah solve --nodes many", ""),
    ("kalah solve --threads 2 --group-size 2", ""),
    ("kalah solve --latency-inside 2", ""),
    ("kalah solve --simulate 4 --latency-between 5", ""),
    ("kalah solve --simulate 4 --group-size 2 --latency-between long", ""),
    ("kalah solve --pits 3 --stones 2 --database-stones 4 --database no-database.bin", ""),
    ("kalah solve --pits 2 --stones 2 --trace none/such.json", ""),
    ("kalah analyse --evaluation product", ""),
    ("kalah analyse --depth 0", ""),
    ("kalah analyse --depth deep", ""),
    ("kalah analyse --compound", ""),
    ("kalah analyse --depth 3 --evaluation feeling", ""),
    // Records.
    ("kalah replay none.klh", ""),
    ("kalah replay not-understood.klh", ""),
    ("kalah replay no-pit.klh", ""),
    ("kalah replay empty-pit.klh", ""),
    ("kalah replay no-extra-move.klh", ""),
    ("kalah replay -", "1) A: 0 3  B: 11\n2) A: 2  B: 5\n"),
    ("kalah play --pits 0", ""),
    ("kalah play --log none/such.klh", "0\n"),
];

const BAD_EXPERIMENTS: [(&str, &str); 17] = [
    ("speedup --positions none.txt", ""),
    ("speedup --positions bad-board.txt", ""),
    ("speedup --positions twice.txt", ""),
    ("speedup --positions nothing.txt", ""),
    ("speedup --positions -", "1,2,0 | 2,1\n"),
    ("speedup --processors 1,0", ""),
    ("speedup --strategy dts,dst", ""),
    ("speedup --game bridge", ""),
    ("speedup --game synthetic --group-size 4", ""),
    ("speedup --game synthetic --backend simulated --group-size 4 --discount-remote 2", ""),
    ("speedup --depth 0", ""),
    ("speedup --seeds 3", ""),
    ("speedup --game synthetic --positions none.txt", ""),
    ("speedup --game synthetic --first 0.5", ""),
    ("speedup --game synthetic --planted --step 1000", ""),
    ("speedup --game synthetic --backend simulated --pin", ""),
    ("speedup --positions - --out bad-board.txt --processors 1", "3,3,0 | 3,3,0 A\n"),
];

const BAD_CHESS: [(&str, &str); 27] = [
    ("chess ponder", ""),
    ("chess uci --fast", ""),
    // Positions.
    ("chess search", ""),
    ("chess search none.fen", ""),
    ("chess search no-text.fen", ""),
    ("chess search nothing.txt", ""),
    ("chess search 'é/8 w'", ""),
    ("chess search '8/8/8/8/8/8/8/K1k5 x - - 0 1'", ""),
    ("chess search '8/8/8/8/8/8/8/K1k5 w - - 0 1 moves'", ""),
    ("chess search -", ""),
    ("chess search -", "startpos\n\n8/8/8/8/8/8/8/K7 w - -\n"),
    ("chess perft '' 1", ""),
    // What to do with them.
    ("chess search startpos --depth 0", ""),
    ("chess search startpos --depth 1 --multipv 0", ""),
    ("chess search startpos --profile romantic", ""),
    ("chess search startpos --hash 0", ""),
    ("chess search startpos --threads 0", ""),
    ("chess search startpos --group-size 2", ""),
    ("chess search startpos --trace none/such.json", ""),
    ("chess perft startpos", ""),
    ("chess perft startpos deep", ""),
    ("chess perft startpos 99", ""),
    ("chess perft startpos 3 --threads many", ""),
    ("chess suite none.epd", ""),
    ("chess suite wrong-move.epd", ""),
    ("chess suite nothing.txt", ""),
    ("chess bench --depth 0", ""),
];

/// Each command line with its exit code and what it said.
fn said(name: &str, lines: &[(&str, &str)], code: i32) -> String {
    let directory = Directory::new(name);
    for (file, content) in FILES {
        fs::write(directory.0.join(file), content).expect("a file");
    }
    let before = directory.files();
    let mut all = String::new();
    for (line, input) in lines {
        let output = dts(&directory.0, &words(line), input);
        let error = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(code), "dts {line}: {error}");
        assert_eq!(error.lines().count(), 1, "dts {line}: not one line: {error}");
        assert!(error.ends_with('\n') && !error.contains("panicked"), "dts {line}: {error}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "dts {line}");
        assert_eq!(directory.files(), before, "dts {line} left something behind");
        let given = if input.is_empty() { String::new() } else { format!(" <<< {input:?}") };
        writeln!(all, "$ dts {line}{given}\n{error}").expect("a string grows");
    }
    all
}

#[test]
fn bad_input_is_one_line_that_says_what_is_wrong() {
    insta::assert_snapshot!(said("bad-input", &BAD_INPUT, 2));
}

#[test]
fn bad_experiments_are_one_line_that_says_what_is_wrong() {
    insta::assert_snapshot!(said("bad-experiments", &BAD_EXPERIMENTS, 2));
}

#[test]
fn bad_chess_is_one_line_that_says_what_is_wrong() {
    insta::assert_snapshot!(said("bad-chess", &BAD_CHESS, 2));
}

#[test]
fn a_check_that_fails_says_no() {
    let directory = Directory::new("no");
    let output = dts(
        &directory.0,
        &["kalah", "replay", "-", "--pits", "1", "--stones", "1"],
        "1) A: 0\nfinal: A 0, B 2\n",
    );
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    insta::assert_snapshot!(String::from_utf8(output.stderr).expect("text"));
}

#[test]
fn a_limit_that_ends_a_search_says_no_and_what_was_found_out() {
    let directory = Directory::new("limits");
    let run = |line: &str| {
        let output = dts(&directory.0, &words(line), "");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), &b""[..]), "{output:?}");
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(!text.contains("1073741824"), "{text}");
        // The last line tells the time it took.
        text.lines()
            .filter(|line| !line.starts_with("nodes "))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let limits = "--threads 1 --stones 3 --nodes 1000";
    let all = [
        format!("kalah solve {limits} --database-stones 0"),
        format!("kalah solve {limits} --time 0 --database-stones 0"),
        format!("kalah analyse {limits} --database-stones 0"),
        format!("kalah analyse {limits} --depth 12 --evaluation reciprocal"),
        format!("kalah analyse {limits} --depth 12 --compound"),
        "kalah analyse --threads 1 --nodes 24 --depth 2 --compound".to_owned(),
    ];
    let text: Vec<_> = all.iter().map(|line| format!("$ dts {line}\n{}", run(line))).collect();
    insta::assert_snapshot!(text.join("\n"));
}
