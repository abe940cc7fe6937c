//! `dts speedup` and `dts trace` as a user runs them.

mod common;

use std::fs;
use std::path::Path;
use std::process::Output;

use common::Directory;
use serde_json::Value;

/// Runs the program with the words of `line`.
fn dts(directory: &Path, line: &str, input: &[u8]) -> Output {
    common::dts(directory, &line.split_whitespace().collect::<Vec<_>>(), input)
}

/// What a command that succeeds prints.
fn printed(directory: &Path, line: &str) -> String {
    let output = dts(directory, line, b"");
    assert!(output.status.success(), "dts {line}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// The rows that a command prints as JSON.
fn rows(directory: &Path, line: &str) -> Vec<Value> {
    printed(directory, &format!("{line} --json"))
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object a line"))
        .collect()
}

const SIMULATED: &str = "speedup --game synthetic --backend simulated --width 8 --depth 6 --seeds 3 --hash 1 \
                         --processors 1,4,16 --strategy dts,sequential";

#[test]
fn a_simulated_experiment_is_the_same_to_the_last_byte() {
    let directory = Directory::new("same");
    for name in ["one", "other"] {
        printed(&directory.0, &format!("{SIMULATED} --repeat 2 --out {name}"));
    }
    for file in ["rows.csv", "summary.csv", "trace.json", "report.html"] {
        let [one, other] = ["one", "other"].map(|name| directory.read(&format!("{name}/{file}")));
        assert!(one == other && !one.is_empty(), "{file} differs");
    }
    // Taken up again, it is complete, and its report is made of what is there.
    let report = directory.read("one/report.html");
    printed(&directory.0, &format!("{SIMULATED} --repeat 2 --out one"));
    assert!(report == directory.read("one/report.html"));
    assert!(report.contains("<svg class=\"timeline\""));
}

#[test]
fn simulated_rows_have_work_and_critical_path() {
    let directory = Directory::new("work");
    for row in rows(&directory.0, SIMULATED) {
        let number = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("{name} in {row}"));
        // A node costs one node time.
        assert_eq!(number("work"), number("nodes"), "{row}");
        assert!(number("critical_path") <= number("time"), "{row}");
        assert_eq!(number("prediction"), number("critical_path") + number("work") / number("processors"));
        assert_eq!(row["depth"], 6);
    }
    let threads = "speedup --processors 1 --positions - --depth 3";
    let output = dts(&directory.0, &format!("{threads} --json"), b"3,3,3,0 | 3,3,3,0 A\n");
    let row: Value = serde_json::from_slice(&output.stdout).expect("one object");
    for name in ["work", "critical_path", "prediction"] {
        assert_eq!(row[name], Value::Null, "{row}");
    }
    assert_eq!(row["depth"], 3);
}

#[test]
fn distances_cost_time_and_are_part_of_an_experiment() {
    let directory = Directory::new("distances");
    let time = |more: &str| -> f64 {
        let of = |row: &Value| row["time"].as_f64().filter(|_| row["processors"] == 16);
        rows(&directory.0, &format!("{SIMULATED} {more}")).iter().filter_map(of).sum()
    };
    let near = time("--group-size 4 --latency-between 1");
    let far = time("--group-size 4 --latency-between 50 --out far");
    assert!(far > near, "{far} {near}");
    assert!(directory.read("far/rows.csv").contains("groups of 4, latency inside 0, between 50000"));
    for other in
        ["", "--group-size 8 --latency-between 50", "--group-size 4 --latency-between 50 --discount-remote 0"]
    {
        let output = dts(&directory.0, &format!("{SIMULATED} {other} --out far"), b"");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
}

#[test]
fn the_summary_ends_with_a_verdict() {
    let directory = Directory::new("verdict");
    let text = printed(&directory.0, &format!("{SIMULATED} --repeat 2"));
    let lines: Vec<&str> = text.lines().collect();
    let verdict = lines.last().expect("lines");
    assert!(verdict.starts_with("dts is fastest at 16 processors: "), "{text}");
    assert!(verdict.ends_with(", sequential 1.00"), "{text}");
    let heading = lines.iter().find(|line| line.contains("geometric")).expect("the summary");
    assert!(heading.ends_with("  idle  spread     W/C  t/(C + W/P)"), "{text}");
    // Of a single run there is no spread, and on threads no prediction.
    let once = printed(&directory.0, "speedup --positions quick --depth 2 --processors 1");
    assert!(once.lines().any(|line| line.ends_with("node ratio   idle")), "{once}");
}

/// Each position is as deep as `work` asks, and no deeper.
fn check_depths(directory: &Path, line: &str, work: u64, positions: usize) {
    let all = rows(directory, &format!("{line} --work {work}"));
    assert_eq!(all.len(), positions);
    for row in &all {
        assert!(row["nodes"].as_u64().expect("nodes") >= work, "{row}");
    }
    let depths: Vec<u64> = all.iter().map(|row| row["depth"].as_u64().expect("a depth")).collect();
    for (place, depth) in depths.iter().enumerate() {
        let shallower = rows(directory, &format!("{line} --depth {}", depth - 1));
        let row = &shallower[place];
        assert!(row["nodes"].as_u64().expect("nodes") < work, "depth {depth} is deeper than needed: {row}");
    }
}

#[test]
fn work_finds_the_depth_of_trees() {
    let directory = Directory::new("trees");
    let trees = "speedup --game synthetic --width 6 --seeds 3 --hash 1 --processors 1 --backend";
    check_depths(&directory.0, &format!("{trees} simulated"), 3_000, 3);
    check_depths(&directory.0, &format!("{trees} threads"), 3_000, 3);
}

#[test]
fn work_finds_the_depth_of_boards() {
    let directory = Directory::new("boards");
    check_depths(&directory.0, "speedup --processors 1 --positions quick", 5_000, 4);
    // A board that ends before says so, and is searched to there.
    let output = dts(
        &directory.0,
        "speedup --json --processors 1 --positions - --work 1000000",
        b"2,2,2,0 | 2,2,2,0 A\n",
    );
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(
        said.starts_with("dts: line 1: a search of depth ") && said.contains("less than --work"),
        "{said}"
    );
    assert!(output.status.success());
    let text = printed(&directory.0, "speedup --processors 1 --positions quick --work 100");
    assert!(text.starts_with("position           strategy        P depth  value"), "{text}");
}

#[test]
fn an_experiment_with_other_depths_is_another() {
    let directory = Directory::new("other");
    let line = "speedup --game synthetic --width 4 --seeds 2 --hash 1 --processors 1 --out here";
    printed(&directory.0, &format!("{line} --work 100"));
    printed(&directory.0, &format!("{line} --work 100"));
    let output = dts(&directory.0, &format!("{line} --work 2000"), b"");
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("option depth: "), "{said}");
}

#[test]
fn a_trace_is_drawn() {
    let directory = Directory::new("drawn");
    printed(&directory.0, "synthetic search --width 6 --depth 5 --simulate 8 --trace t.json");
    let svg = printed(&directory.0, "trace t.json");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    assert!(svg.contains("8 processors, busy "), "{svg}");
    let piped = dts(&directory.0, "trace -", directory.read("t.json").as_bytes());
    assert_eq!(String::from_utf8_lossy(&piped.stdout), svg);
    assert_eq!(printed(&directory.0, "trace t.json --out t.svg"), "");
    assert_eq!(directory.read("t.svg"), svg);
    printed(&directory.0, "trace t.json --out t.html");
    let page = directory.read("t.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains(&svg), "{page}");
    assert_eq!(page.matches("<tr><td>").count(), 8, "{page}");
    assert!(!directory.0.join("t.partial").exists());
    assert_eq!(directory.files(), ["t.html", "t.json", "t.svg"], "nothing else is left behind");
    // The record of an experiment says which search it is of.
    printed(&directory.0, &format!("{SIMULATED} --out here"));
    let svg = printed(&directory.0, "trace here/trace.json");
    assert!(svg.contains(", dts at 16 processors</text>") && svg.contains(">node times</text>"), "{svg}");
}

#[test]
fn what_is_wrong_is_one_line() {
    let directory = Directory::new("wrong");
    fs::write(directory.0.join("empty.json"), "").expect("a file");
    fs::write(
        directory.0.join("other.json"),
        "[\n{\"name\":\"x\",\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1}\n]",
    )
    .expect("a file");
    fs::write(directory.0.join("good.json"), "[{\"ph\":\"M\",\"tid\":0}]").expect("a file");
    let mut all = String::new();
    for line in [
        "trace",
        "trace none.json",
        "trace empty.json",
        "trace other.json",
        "trace good.json --out picture.png",
        "trace good.json --out none/picture.svg",
        "speedup --work 0",
        "speedup --work much",
        "speedup --work 1000 --depth 7",
        "speedup --costs lock=1",
        "speedup --backend simulated --costs split",
        "synthetic search --simulate 2 --costs idle_poll,split",
        "synthetic search --threads 2 --costs lock",
    ] {
        let output = dts(&directory.0, line, b"");
        let said = String::from_utf8(output.stderr).expect("text");
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "dts {line}: {said}");
        assert!(output.stdout.is_empty(), "dts {line}");
        all.push_str(&format!("$ dts {line}\n{said}\n"));
    }
    assert_eq!(fs::read_dir(&directory.0).expect("the directory").count(), 3);
    insta::assert_snapshot!(all);
}
