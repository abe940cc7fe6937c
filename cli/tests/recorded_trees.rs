//! Trees of real games recorded to files, searched again and measured; and files that are no such trees.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

#[cfg(target_os = "linux")]
use common::has_interrupt;
use common::{Directory, dts};
use serde_json::Value;

const OPENING: &str = "kalah-6x6-opening.tree";
const MIDDLE: &str = "kalah-5x4-middle.tree";
const MIDDLE_BOARD: &str = "5,5,0,6,5,1 | 5,4,4,4,0,1 B";

/// Where the recorded trees of the repository are.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../games/synthetic/data").join(name)
}

/// What a command that does its work prints, one JSON object a line.
fn printed(directory: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = dts(directory, arguments, b"");
    assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

/// What a command that is refused says: one line, and nothing else.
fn refused(directory: &Path, arguments: &[&str]) -> String {
    let output = dts(directory, arguments, b"");
    let error = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert_eq!((error.lines().count(), output.stdout.len()), (1, 0), "{arguments:?}: {error}");
    assert!(!error.contains("panicked"), "{arguments:?}: {error}");
    error.trim_end().to_owned()
}

#[test]
fn the_trees_of_the_repository_are_what_their_commands_record() {
    let directory = Directory::new("commands");
    let opening =
        ["synthetic", "record", "--stones", "6", "--plies", "6", "--below", "5", "--json", "--out", OPENING];
    let told = &printed(&directory.0, &opening)[0];
    assert_eq!(
        (&told["nodes"], &told["leaves"], &told["value"]),
        (&39_413.into(), &32_243.into(), &3.into())
    );
    assert_eq!(told["keys"], Value::Bool(false));
    let middle = [
        &["synthetic", "record", "--board", MIDDLE_BOARD, "--plies", "7", "--below", "5"][..],
        &["--transpositions", "--json", "--out", MIDDLE],
    ]
    .concat();
    assert_eq!(printed(&directory.0, &middle)[0]["keys"], Value::Bool(true));
    for name in [OPENING, MIDDLE] {
        let [new, old] = [directory.0.join(name), data(name)].map(|path| fs::read(path).expect("a file"));
        assert!(new == old, "{name} is another file now");
    }
    assert_eq!(directory.files(), [MIDDLE, OPENING], "nothing else is left behind");
}

#[test]
fn a_recorded_tree_has_the_value_of_the_game() {
    let directory = Directory::new("value");
    let best = |line: &[&str]| {
        let object = &printed(&directory.0, line)[0];
        let moves = object["moves"].as_array().expect("moves").clone();
        moves.iter().map(|of| of["value"].as_i64().expect("a value")).max().expect("a move")
    };
    // The program's own analysis sees values as the mover does.
    let middle = best(&["kalah", "analyse", "--board", MIDDLE_BOARD, "--depth", "12", "--json"]);
    let value = |more: &[&str], name| {
        let tree = data(name).to_string_lossy().into_owned();
        let line = [&["synthetic", "search", "--json", "--hash", "1", "--tree", &tree], more].concat();
        printed(&directory.0, &line)[0].clone()
    };
    for more in [&["--threads", "1"][..], &["--threads", "3"], &["--simulate", "16"], &["--simulate", "64"]] {
        let found = value(more, MIDDLE);
        assert_eq!(found["value"], Value::from(-middle), "{more:?}");
        assert_eq!((&found["game"], &found["below"]), (&"kalah".into(), &5.into()));
        assert_eq!(
            (&found["width"], &found["seed"], &found["planted"]),
            (&Value::Null, &Value::Null, &Value::Null)
        );
        assert_eq!(value(more, OPENING)["value"], Value::from(3), "{more:?}");
    }
    let alone = value(&["--simulate", "1"], OPENING);
    assert!(alone["work"].as_f64() > Some(100_000.0), "leaves cost their searches: {alone}");
}

#[test]
fn recorded_trees_are_positions_of_a_speedup_experiment() {
    let directory = Directory::new("speedup");
    let trees = [OPENING, MIDDLE].map(|name| data(name).to_string_lossy().into_owned()).join(",");
    let experiment = |more: &[&str]| {
        let line =
            [&["speedup", "--game", "synthetic", "--json", "--hash", "1", "--tree", &trees], more].concat();
        printed(&directory.0, &line)
    };
    let simulated = ["--backend", "simulated", "--processors", "1,16", "--out", "results"];
    let rows = experiment(&simulated);
    let seen: Vec<_> =
        rows.iter().map(|row| (row["position"].as_str(), row["processors"].as_u64())).collect();
    let (opening, middle) = (Some("kalah-6x6-opening"), Some("kalah-5x4-middle"));
    assert_eq!(seen, [(opening, Some(1)), (opening, Some(16)), (middle, Some(1)), (middle, Some(16))]);
    assert!(rows.iter().all(|row| row["processors"] == 1 || row["speedup"].as_f64() > Some(3.0)), "{rows:?}");
    assert_eq!(experiment(&simulated), rows, "the same experiment again");
    assert_eq!(experiment(&["--backend", "threads", "--processors", "1,2"]).len(), 4);
}

#[test]
fn what_is_no_tree_is_refused_in_one_line() {
    let directory = Directory::new("refused");
    let whole = fs::read(data(MIDDLE)).expect("a file");
    let mut damaged = whole.clone();
    damaged[1_000] ^= 4;
    fs::write(directory.0.join("damaged.tree"), &damaged).expect("a file");
    fs::write(directory.0.join("short.tree"), &whole[..5_000]).expect("a file");
    fs::write(directory.0.join("text.tree"), "no tree").expect("a file");
    fs::write(directory.0.join("good.tree"), &whole).expect("a file");
    fs::create_dir_all(directory.0.join("more")).expect("a directory");
    fs::write(directory.0.join("more/good.tree"), &whole).expect("a file");
    let before = directory.files();
    let search = |file| refused(&directory.0, &["synthetic", "search", "--tree", file]);
    let speedup = |file| refused(&directory.0, &["speedup", "--game", "synthetic", "--tree", file]);
    for said in [search("damaged.tree"), speedup("good.tree,damaged.tree")] {
        let wanted = "dts: damaged.tree: damaged or cut short: the checksum in its last 4 bytes (from byte ";
        assert!(said.starts_with(wanted), "{said}");
    }
    assert!(search("short.tree").contains("short.tree: damaged or cut short"));
    assert_eq!(
        search("text.tree"),
        "dts: text.tree: byte 0: not a recorded tree; accepted: a file that `dts synthetic record` wrote"
    );
    assert!(search("none.tree").starts_with("dts: none.tree: cannot read the tree: "));
    assert_eq!(search("good.tree,more/good.tree"), "dts: --tree: 2 files; accepted: one");
    assert_eq!(
        speedup("good.tree,more/good.tree"),
        "dts: --tree more/good.tree: the name `good` is there twice; accepted: files of different names"
    );
    let line = |words: &str| refused(&directory.0, &words.split_whitespace().collect::<Vec<_>>());
    assert_eq!(
        line("speedup --tree good.tree"),
        "dts: --tree: only for --game synthetic; leave it out, or name that game"
    );
    for shape in ["--width 4", "--planted", "--depth 3"] {
        assert!(line(&format!("synthetic search --tree good.tree {shape}")).contains("cannot be used with"));
        let speedup = format!("speedup --game synthetic --tree good.tree {shape}");
        assert!(line(&speedup).contains("cannot be used with"));
    }
    assert!(line("synthetic search --tree good.tree --seed 2").contains("cannot be used with"));
    assert!(line("speedup --game synthetic --tree good.tree --seeds 2").contains("cannot be used with"));
    assert_eq!(
        line("synthetic record --out none/such.tree"),
        "dts: --out none/such.tree: there is no directory none; accepted: a file in a directory that is there"
    );
    assert_eq!(line("synthetic record --out more"), "dts: --out more: a directory; accepted: a file");
    assert!(line("synthetic record --game go --out x.tree").contains("[possible values: kalah]"));
    assert!(line("synthetic record --plies 61 --out x.tree").contains("1..=60"));
    let over = ["synthetic", "record", "--out", "x.tree", "--board", "0,0,3 | 1,0,2 A"];
    assert_eq!(
        refused(&directory.0, &over),
        "dts: `0,0,3 | 1,0,2 A`: the game is over there; accepted: a position with moves"
    );
    assert_eq!(directory.files(), before, "something was left behind");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_recording_leaves_nothing() {
    if has_interrupt("self", "SigIgn:") {
        eprintln!("not tested: whoever started this ignores interrupts, and so do all that it starts");
        return;
    }
    let directory = Directory::new("interrupted");
    // A tree that is not too large to be recorded, but takes minutes.
    let line = ["synthetic", "record", "--stones", "6", "--plies", "8", "--below", "12", "--out", "x.tree"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_dts"));
    command.args(line).current_dir(&directory.0).stdin(Stdio::null());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    // Until it catches the interrupt, one would only kill it.
    while !has_interrupt(&child.id().to_string(), "SigCgt:") {
        std::thread::sleep(Duration::from_millis(10));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "dts: stopped; nothing was written\n");
    assert_eq!(directory.files(), [""; 0]);
}
