//! `dts chess search`, `perft`, `suite` and `bench`: what they print, for people and as JSON.

mod common;

use std::fs;

use common::{Directory, dts};

fn run(arguments: &[&str], input: &str) -> String {
    let directory = Directory::new(&format!("chess-{}", std::thread::current().name().unwrap_or("test")));
    fs::write(directory.0.join("suite.epd"), SUITE).expect("a file");
    let output = dts(&directory.0, arguments, input);
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), &b""[..]),
        "{arguments:?}: {output:?}"
    );
    String::from_utf8(output.stdout).expect("text")
}

/// The text without what differs from run to run: seconds and speeds.
fn steady(text: &str) -> String {
    let mut kept = String::new();
    for line in text.lines() {
        let timed = line.starts_with("nodes ") || line.starts_with("depth ");
        let time = line.find(" in ").filter(|_| timed);
        let cut = time.or(line.find("\"seconds\":")).unwrap_or(line.len());
        kept.push_str(&line[..cut]);
        if cut < line.len() {
            kept.push_str(" ...");
            // The fields of a JSON object are in the order of their names.
            if let Some(rest) = line[cut..].find(",\"").filter(|_| line.starts_with('{')) {
                kept.push_str(&line[cut + rest..]);
            }
        }
        kept.push('\n');
    }
    kept
}

const SUITE: &str = "# two that are found, one that cannot be\n\
    6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"a mate\";\n\
    6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - am h3;\n\
    6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm h3; id \"not the best\";\n";

const MATE: &str = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";

#[test]
fn a_search_tells_score_move_and_line() {
    let all = [
        run(&["chess", "search", MATE, "--depth", "4", "--threads", "1"], ""),
        run(&["chess", "search", MATE, "--depth", "4", "--threads", "1", "--json"], ""),
        run(
            &["chess", "search", MATE, "--depth", "2", "--threads", "1", "--profile", "classic", "--json"],
            "",
        ),
        // Mated, and no move although not in check.
        run(
            &["chess", "search", "-", "--depth", "3", "--threads", "1", "--json"],
            "# games that are over\n8/8/8/8/8/1k6/8/K6r w - - 0 1\n\n7k/7p/7P/8/1K6/8/B7/8 b - - 0 53\n",
        ),
        run(&["chess", "search", "7k/7p/7P/8/1K6/8/B7/8 b - - 0 53", "--threads", "1"], ""),
    ];
    insta::assert_snapshot!(steady(&all.join("\n")));
}

#[test]
fn several_lines_are_told_best_first() {
    let text =
        run(&["chess", "search", MATE, "--depth", "3", "--threads", "1", "--multipv", "3", "--json"], "");
    let object: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let lines = object["lines"].as_array().expect("lines");
    assert_eq!(lines.len(), 3);
    assert_eq!((&lines[0]["score"]["mate"], &lines[0]["pv"][0]), (&1.into(), &"d1d8".into()));
    let centipawns: Vec<_> =
        lines[1..].iter().map(|line| line["score"]["cp"].as_i64().expect("cp")).collect();
    assert!(centipawns[0] >= centipawns[1], "{text}");
    assert_eq!(object["best"], "d1d8");
}

#[test]
fn virtual_processors_find_the_same_mate_again_and_again() {
    let search = || run(&["chess", "search", MATE, "--depth", "6", "--simulate", "16", "--json"], "");
    let text = search();
    assert_eq!(text, search());
    let object: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(object["score"]["mate"], 1);
    assert_eq!((&object["processors"], object["seconds"].is_null()), (&16.into(), true));
    assert!(object["virtual_time"].as_f64().expect("a time") > 0.0);
}

#[test]
fn perft_counts_lines() {
    for (fen, depth, nodes) in [
        ("startpos", "0", 1),
        ("startpos", "1", 20),
        ("startpos", "4", 197_281),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "3", 97_862),
        ("8/8/8/8/8/1k6/8/K6r w - - 0 1", "5", 0),
        ("bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1", "2", 400),
    ] {
        for threads in ["1", "3"] {
            let text = run(&["chess", "perft", fen, depth, "--threads", threads, "--json"], "");
            let object: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(object["nodes"], nodes, "{text}");
        }
    }
    let divided = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let all = [
        run(&["chess", "perft", divided, "3", "--divide", "--threads", "2"], ""),
        run(&["chess", "perft", divided, "2", "--divide", "--threads", "1", "--json"], ""),
        run(&["chess", "perft", "-", "2", "--threads", "1"], "startpos\n4k3/8/8/8/8/8/8/RK5R w HA - 0 1\n"),
    ];
    insta::assert_snapshot!(steady(&all.join("\n")));
}

#[test]
fn a_suite_tells_what_was_solved() {
    let all = [
        run(&["chess", "suite", "suite.epd", "--depth", "3", "--threads", "1"], ""),
        run(&["chess", "suite", "-", "--depth", "3", "--threads", "1", "--json"], SUITE),
    ];
    insta::assert_snapshot!(steady(&all.join("\n")));
}

#[test]
fn the_signature_of_a_bench_is_that_of_its_node_counts() {
    let bench = |depth: &str, profile: &str| {
        let text = run(&["chess", "bench", "--depth", depth, "--profile", profile, "--json"], "");
        let object: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(object["positions"], 24);
        assert!(object["nodes"].as_u64().expect("nodes") > 0, "{text}");
        object["signature"].as_str().expect("a signature").to_owned()
    };
    assert_eq!(bench("4", "modern"), bench("4", "modern"));
    assert_ne!(bench("4", "modern"), bench("5", "modern"));
    assert_ne!(bench("3", "modern"), bench("3", "classic"));
    let text = run(&["chess", "bench", "--depth", "2"], "");
    let words: Vec<_> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(words, ["positions", "nodes", "speed", "signature"]);
}

#[test]
fn the_completions_and_the_help_know_chess() {
    let help = run(&["chess", "--help"], "");
    let bash = run(&["completions", "bash"], "");
    for command in ["uci", "search", "suite", "perft", "bench"] {
        assert!(bash.contains(&format!("dts__subcmd__chess__subcmd__{command}")), "{command}");
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
    }
}
