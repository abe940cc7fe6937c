//! `dts chess bench`: the speed of the search, and a signature that changes whenever it searches anything else.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use dts_chess::{Engine, EngineOptions, Profile, Question, parse_fen};
use dts_engine::Strategy;
use serde_json::json;

use crate::chess_positions::profile;
use crate::options::{Stop, Watching, grouped};

/// `dts chess bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct BenchOptions {
    /// Searches each position so many plies deep [default: 9, with --profile classic 5]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(i32).range(1..=60))]
    depth: Option<i32>,
    /// How is searched: modern, or classic as in 1993
    #[arg(long, value_name = "NAME", default_value_t = Profile::Modern, value_parser = profile)]
    profile: Profile,
    /// Prints one JSON object a line
    #[arg(long)]
    json: bool,
}

/// The 24 positions of the paper, from a game of Cray Blitz's: name, number of the move, FEN, ...
const POSITIONS: &str = include_str!("../../games/chess/data/dts24_fen.csv");

/// A signature of node counts (FNV-1a): the same only if every count is, in this order.
fn signature(counts: &[u64]) -> u64 {
    let bytes = counts.iter().flat_map(|count| count.to_le_bytes());
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

pub(crate) fn run(options: &BenchOptions) -> anyhow::Result<ExitCode> {
    let depth = options.depth.unwrap_or(match options.profile {
        Profile::Modern => 9,
        Profile::Classic => 5,
    });
    let stop = Stop::on_interrupt();
    let mut engine = Engine::new(EngineOptions {
        profile: options.profile,
        strategy: Strategy::Sequential,
        ..EngineOptions::default()
    })?;
    let (mut counts, mut time) = (Vec::new(), Duration::ZERO);
    for line in POSITIONS.lines().filter(|line| !line.starts_with('#')) {
        let Some(fen) = line.split(',').find(|field| field.matches('/').count() == 7) else { continue };
        let limits = stop.limits().with_depth(depth);
        engine.new_game();
        engine.set_board(parse_fen(fen).with_context(|| format!("bench, `{fen}`"))?);
        let watching = Watching::new(format!("position {}", counts.len() + 1), &limits);
        let found = engine.search(Question::default(), &limits, |_| {});
        drop(watching);
        let found = found?;
        if stop.is_wanted() {
            return Ok(ExitCode::from(130));
        }
        counts.push(found.nodes);
        time += found.elapsed;
    }
    let nodes: u64 = counts.iter().sum();
    let seconds = time.as_secs_f64();
    let rate = if seconds > 0.0 { nodes as f64 / seconds } else { 0.0 };
    let signature = format!("{:016x}", signature(&counts));
    let mut out = io::stdout().lock();
    if options.json {
        let object = json!({
            "profile": options.profile.name(), "depth": depth, "positions": counts.len(), "nodes": nodes,
            "seconds": seconds, "nodes_per_second": rate.round(), "signature": signature,
        });
        writeln!(out, "{object}")?;
    } else {
        writeln!(out, "positions {}, depth {depth}, {}, 1 processor", counts.len(), options.profile)?;
        writeln!(out, "nodes     {} in {seconds:.3} s", grouped(nodes))?;
        writeln!(out, "speed     {} nodes a second", grouped(rate.round() as u64))?;
        writeln!(out, "signature {signature}")?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_knows_counts_and_their_order() {
        assert_eq!(signature(&[]), 0xCBF2_9CE4_8422_2325);
        assert_ne!(signature(&[1, 2]), signature(&[2, 1]));
        assert_ne!(signature(&[1]), signature(&[1, 0]));
    }
}
