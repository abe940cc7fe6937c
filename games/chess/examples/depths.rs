//! Chooses how deep `dts tables` searches each of the paper's 24 positions: makes `games/chess/data/dts24-depths.csv` again.
//!
//! ```text
//! cargo run --release -p dts-chess --example depths > games/chess/data/dts24-depths.csv
//! ```
//!
//! A depth chosen by what one processor needed would flatter: it picks iterations that happened to be expensive with one, and
//! another number of processors is then compared with bad luck. So the rule is symmetric: the least depth at which the
//! geometric mean of the nodes of one processor and of 16 simulated ones reaches a threshold. Both searches begin with an empty table, unlike
//! those of the tables, and each depth is searched anew.

use std::error::Error;

use dts_chess::{Engine, EngineOptions, Profile, Question};
use dts_engine::{CostModel, Limits, Strategy};

const POSITIONS: &str = include_str!("../data/dts24_fen.csv");

/// Nodes that the geometric mean must reach, for each effort and each profile.
const THRESHOLDS: [(&str, f64); 2] = [("quick", 40_000.0), ("full", 1_600_000.0)];

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
    println!("position,profile,quick,full");
    for profile in Profile::ALL {
        for line in POSITIONS.lines().skip(1) {
            let columns: Vec<&str> = line.split(',').collect();
            let (position, fen) = (columns[0], columns[6]);
            let mut depth = 0;
            let mut chosen = Vec::new();
            for (_, threshold) in THRESHOLDS {
                loop {
                    depth += 1;
                    let [alone, many] = [1, 16].map(|processors| nodes(fen, profile, depth, processors));
                    let (alone, many) = (alone?, many?);
                    eprintln!("{position} {profile} {depth} {alone} {many}");
                    if (alone as f64 * many as f64).sqrt() >= threshold {
                        break;
                    }
                }
                chosen.push(depth.to_string());
                depth -= 1;
            }
            println!("{position},{profile},{}", chosen.join(","));
        }
    }
    Ok(())
}
