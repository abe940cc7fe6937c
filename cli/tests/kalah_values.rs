//! `dts kalah solve` and `analyse` as processes, against every published and computed value of the small starting positions.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

const VALUES: &str = include_str!("data/values.csv");
const FIRST_MOVES: &str = include_str!("data/first_moves.csv");

/// A starting position: rules, pits a side, stones a pit.
type Start = (String, usize, usize);

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Value(i64),
    Win,
    Loss,
}

impl Known {
    fn parse(text: &str) -> Known {
        match text {
            ">0" => Known::Win,
            "<0" => Known::Loss,
            number => Known::Value(number.parse().expect("a value")),
        }
    }

    fn holds(self, value: i64) -> bool {
        match self {
            Known::Value(known) => value == known,
            Known::Win => value > 0,
            Known::Loss => value < 0,
        }
    }
}

fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    // The last column, a source, may hold a comma.
    table.lines().skip(1).map(|line| line.split(',').collect())
}

fn start(row: &[&str]) -> Start {
    let number = |text: &str| text.parse().expect("a number");
    (row[0].to_owned(), number(row[1]), number(row[2]))
}

/// All that is known of each start.
fn values() -> BTreeMap<Start, Vec<Known>> {
    let mut all: BTreeMap<Start, Vec<Known>> = BTreeMap::new();
    for row in rows(VALUES) {
        all.entry(start(&row)).or_default().push(Known::parse(row[3]));
    }
    all
}

/// The value of each first move of each start.
fn first_moves() -> BTreeMap<Start, Vec<(i64, i64)>> {
    let mut all: BTreeMap<Start, Vec<(i64, i64)>> = BTreeMap::new();
    for row in rows(FIRST_MOVES) {
        let number = |text: &str| text.parse::<i64>().expect("a number");
        all.entry(start(&row)).or_default().push((number(row[3]), number(row[4])));
    }
    all
}

/// The object that `dts kalah` prints of a start.
fn dts(command: &str, (rules, pits, stones): &Start, threads: usize) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_dts"))
        .args(["kalah", command, "--json", "--hash", "64", "--rules", rules])
        .args(["--pits", &pits.to_string(), "--stones", &stones.to_string()])
        .args(["--threads", &threads.to_string()])
        .output()
        .expect("the program starts");
    let context = format!("{command} {rules} {pits} x {stones}, {threads} threads: {output:?}");
    assert!(output.status.success() && output.stderr.is_empty(), "{context}");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(&text).expect("an object")
}

fn solved(small: bool) {
    let mut solved = 0;
    for (start, known) in values().into_iter().filter(|(start, _)| is_small(start) == small) {
        for threads in [1, 2] {
            let object = dts("solve", &start, threads);
            let value = object["value"].as_i64().expect("a value");
            for known in &known {
                assert!(known.holds(value), "{start:?}, {threads} threads: {value}, not {known:?}");
            }
            assert_eq!(object["pits"], start.1);
            assert_eq!(object["stones"], start.2);
            assert_eq!(object["rules"], *start.0);
            assert_eq!(object["processors"], threads);
            assert_eq!(object["best"], object["line"][0], "{object}");
            if let Some(moves) = first_moves().get(&start) {
                let best = object["best"].as_i64().expect("a move");
                assert!(moves.contains(&(best, value)), "{start:?}: {best} is not a best move of {moves:?}");
            }
            solved += 1;
        }
    }
    println!("{solved} solved");
}

fn judged(small: bool) {
    for (start, known) in first_moves().into_iter().filter(|(start, _)| is_small(start) == small) {
        for threads in [1, 2] {
            let object = dts("analyse", &start, threads);
            let moves = object["moves"].as_array().expect("moves").iter();
            let moves: Vec<_> = moves.map(|of| (of["move"].as_i64(), of["value"].as_i64())).collect();
            let wanted: Vec<_> = known.iter().map(|&(pit, value)| (Some(pit), Some(value))).collect();
            assert_eq!(moves, wanted, "{start:?}, {threads} threads");
        }
    }
}

/// Whether a start takes less than a second or two.
fn is_small(&(_, pits, stones): &Start) -> bool {
    pits < 6 || stones < 4
}

#[test]
fn the_tables_are_read_whole() {
    assert_eq!(values().len(), 64);
    assert_eq!(values().values().map(Vec::len).sum::<usize>(), VALUES.lines().count() - 1);
    assert_eq!(
        values().values().flatten().filter(|known| matches!(known, Known::Win | Known::Loss)).count(),
        15
    );
    assert_eq!(first_moves().len(), 61);
    assert_eq!(first_moves().values().map(Vec::len).sum::<usize>(), FIRST_MOVES.lines().count() - 1);
}

#[test]
fn small_starts_have_their_known_values() {
    solved(true);
}

#[test]
fn first_moves_of_small_starts_have_their_known_values() {
    judged(true);
}

#[test]
#[ignore = "slow: minutes of searching"]
fn larger_starts_have_their_known_values() {
    solved(false);
}

#[test]
#[ignore = "slow: minutes of searching"]
fn first_moves_of_larger_starts_have_their_known_values() {
    judged(false);
}
