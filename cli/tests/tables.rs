//! `dts tables` as a user runs it.

mod common;

use std::fs;
use std::path::Path;

use common::Directory;
use serde_json::Value;

/// What a command that succeeds prints.
fn printed(directory: &Path, line: &str) -> String {
    let output = common::dts(directory, &line.split_whitespace().collect::<Vec<_>>(), b"");
    assert!(output.status.success(), "dts {line}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// One table, of two numbers of processors.
const ONE: &str = "tables --table 6 --processors 1,4 --hash 8";

#[test]
fn each_figure_stands_beside_the_papers() {
    let directory = Directory::new("tables");
    let text = printed(&directory.0, &format!("{ONE} --out one"));
    for expected in [
        "Table 6: speedup of each position",
        "17 25...Rg5",
        "arithmetic mean",
        "ratio of total times",
        "Ours: classic profile, simulated processors in virtual time",
        "one game in order, table and history carried on",
    ] {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(expected), "{expected}: {text}");
    }
    let tables = directory.read("one/tables.txt");
    assert!(text.strip_prefix(&tables).is_some_and(|rest| rest.starts_with("\ntables.html, ")), "{tables}");

    let json = directory.read("one/tables.json");
    let table: Value = serde_json::from_str(&json).expect("one object");
    assert_eq!((&table["table"], &table["strategy"]), (&Value::from(6), &Value::from("dts")));
    let cell = &table["rows"][16]["cells"][1];
    assert_eq!((&cell["processors"], &cell["paper"]), (&Value::from(4), &Value::from(2.6)));
    let ours = cell["ours"].as_f64().expect("a speedup");
    assert!((1.0..=4.5).contains(&ours), "{ours}");

    let csv = directory.read("one/tables.csv");
    assert!(csv.starts_with("table,strategy,row,processors,paper,ours,low95,high95\n"));
    assert!(csv.contains(&format!("\n6,dts,17 25...Rg5,4,2.6,{ours},,\n")), "{csv}");

    let page = directory.read("one/tables.html");
    assert!(page.contains("\ndts, the paper\n") && page.contains("17 25...Rg5"));
    assert!(directory.read("one/report.html").contains("<svg class=\"timeline\""));
}

#[test]
fn an_interrupted_game_goes_on_as_if_it_had_not_been() {
    let directory = Directory::new("game");
    printed(&directory.0, &format!("{ONE} --out whole"));
    let rows = directory.read("whole/rows.csv");
    // What stands there after an interruption in the middle.
    fs::create_dir(directory.0.join("half")).expect("a directory");
    let half: String = rows.split_inclusive('\n').take(20).collect();
    fs::write(directory.0.join("half/rows.csv"), half).expect("a file");
    fs::copy(directory.0.join("whole/experiment.json"), directory.0.join("half/experiment.json"))
        .expect("a file");
    printed(&directory.0, &format!("{ONE} --out half"));
    assert_eq!(directory.read("half/rows.csv"), rows);
    assert_eq!(directory.read("half/tables.html"), directory.read("whole/tables.html"));
}

#[test]
fn what_is_without_effect_is_refused() {
    let directory = Directory::new("refused");
    for (line, expected) in [
        (
            "tables --table 7",
            "invalid value '7' for '--table <1..6|all>': accepted: numbers from 1 to 6, or all",
        ),
        ("tables --pin", "--pin: virtual processors have no cores; leave it out, or say --backend threads"),
        ("tables --backend threads --costs lock=1", "invalid value 'lock=1' for '--costs <COSTS>'"),
        ("tables --backend threads --costs lock", "invalid value 'lock' for '--costs <COSTS>'"),
        ("tables --also sequential", "--also: sequential is what all others are compared with; leave it out"),
    ] {
        let output = common::dts(&directory.0, &line.split_whitespace().collect::<Vec<_>>(), b"");
        assert_eq!(output.status.code(), Some(2), "{line}");
        let said = String::from_utf8(output.stderr).expect("text");
        assert!(said.contains(expected) && said.lines().count() == 1, "{line}: {said}");
        assert!(output.stdout.is_empty());
    }
}
