//! Chooses how deep `dts tables` searches each of the paper's 24 positions: makes a column of `games/chess/data/dts24-depths.csv`.
//!
//! ```text
//! cargo run --release -p dts-chess --example depths -- full
//! cargo run --release -p dts-chess --example depths -- two modern
//! ```
//!
//! A depth chosen by what one processor needed would flatter: it picks iterations that happened to be expensive with one, and
//! another number of processors is then compared with bad luck. So the rule is symmetric: the least depth at which the
//! geometric mean of the nodes of one processor and of several simulated ones reaches a threshold. Both searches begin with an empty
//! table, unlike those of the tables, and each depth is searched anew.
//!
//! `quick` and `full` are for simulations of up to 16 processors and more, `two` for two threads. The columns stand in the repository so
//! that versions can be compared: another version may come to another depth, and the column is not made anew for that.

use std::error::Error;

use dts_chess::{Engine, EngineOptions, Profile, Question};
use dts_engine::{CostModel, Limits, Strategy};

const POSITIONS: &str = include_str!("../data/dts24_fen.csv");

/// A column of the file.
struct Rule {
    column: &'static str,
    /// How many processors are compared with one.
    processors: usize,
    /// Nodes that the geometric mean must reach: classic, modern.
    thresholds: [f64; 2],
}

/// The last rule means 1.5 s at 2 million nodes a second of the classic search and 1.5 million of the modern one.
const RULES: [Rule; 3] = [
    Rule { column: "quick", processors: 16, thresholds: [40_000.0; 2] },
    Rule { column: "full", processors: 16, thresholds: [1_600_000.0; 2] },
    Rule { column: "two", processors: 2, thresholds: [3_000_000.0, 2_200_000.0] },
];

fn nodes(fen: &str, profile: Profile, depth: i32, processors: usize) -> Result<u64, Box<dyn Error>> {
    let simulate = (processors > 1).then(CostModel::default);
    let mut engine = Engine::new(EngineOptions {
        profile,
        threads: processors,
        strategy: if processors == 1 { Strategy::Sequential } else { Strategy::Dts },
        table_mebibytes: 64,
        simulate,
        ..EngineOptions::default()
    })?;
    engine.set_position(fen, &[])?;
    Ok(engine.search(Question::default(), &Limits::new().with_depth(depth), |_| {})?.nodes)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let column = arguments.next().unwrap_or_default();
    let rule = RULES.iter().find(|rule| rule.column == column).ok_or("which column: quick, full or two?")?;
    let profiles = match arguments.next() {
        Some(name) => vec![name.parse()?],
        None => Profile::ALL.to_vec(),
    };
    println!("position,profile,{column}");
    for profile in profiles {
        let threshold = rule.thresholds[usize::from(profile == Profile::Modern)];
        for line in POSITIONS.lines().skip(1) {
            let columns: Vec<&str> = line.split(',').collect();
            let (position, fen) = (columns[0], columns[6]);
            let mut depth = 0;
            loop {
                depth += 1;
                let alone = nodes(fen, profile, depth, 1)?;
                let several = nodes(fen, profile, depth, rule.processors)?;
                eprintln!("{position} {profile} {depth} {alone} {several}");
                if (alone as f64 * several as f64).sqrt() >= threshold {
                    break;
                }
            }
            println!("{position},{profile},{depth}");
        }
    }
    Ok(())
}
