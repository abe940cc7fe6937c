//! `dts chess perft`: how many lines of so many moves a position has.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use dts_chess::{fen_text, is_chess960, line_text, perft};
use dts_engine::MOST_PROCESSORS;
use serde_json::json;

use crate::chess_positions::positions;
use crate::options::{cores, grouped};

/// `dts chess perft`.
#[derive(Debug, clap::Args)]
pub(crate) struct PerftOptions {
    /// A position in FEN, startpos, a file of positions one a line, or - for standard input
    #[arg(value_name = "FEN")]
    position: String,
    /// Moves of a line
    #[arg(value_name = "DEPTH", value_parser = clap::value_parser!(u32).range(0..=20))]
    depth: u32,
    /// Shows the lines behind each move
    #[arg(long)]
    divide: bool,
    /// Threads that count [default: the cores this process may use]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_PROCESSORS as i64))]
    threads: Option<u16>,
    /// Prints one JSON object a line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &PerftOptions) -> anyhow::Result<ExitCode> {
    let threads = options.threads.map_or_else(cores, usize::from);
    let mut out = io::stdout().lock();
    for board in positions(&options.position)? {
        let began = Instant::now();
        let mut moves: Vec<(String, u64)> = perft::divide(&board, options.depth, threads)
            .into_iter()
            .map(|(chosen, lines)| (line_text(&board, &[chosen], is_chess960(&board)).concat(), lines))
            .collect();
        moves.sort();
        let nodes = if options.depth == 0 { 1 } else { moves.iter().map(|&(_, lines)| lines).sum() };
        let seconds = began.elapsed().as_secs_f64();
        if options.json {
            let mut object = json!({
                "fen": fen_text(&board), "depth": options.depth, "nodes": nodes, "seconds": seconds, "processors": threads,
            });
            if options.divide {
                object["moves"] =
                    moves.iter().map(|(chosen, lines)| json!({ "move": chosen, "nodes": lines })).collect();
            }
            writeln!(out, "{object}")?;
            continue;
        }
        writeln!(out, "position  {}", fen_text(&board))?;
        if options.divide {
            for (chosen, lines) in &moves {
                writeln!(out, "{chosen:>8}  {:>18}", grouped(*lines))?;
            }
        }
        let rate = if seconds > 0.0 { nodes as f64 / seconds / 1e6 } else { 0.0 };
        writeln!(
            out,
            "depth {}   {} lines in {seconds:.3} s, {rate:.1} million a second; {threads} {}",
            options.depth,
            grouped(nodes),
            if threads == 1 { "processor" } else { "processors" }
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
