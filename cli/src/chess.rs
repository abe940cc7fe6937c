//! `dts chess`: what to do with chess.

use std::process::ExitCode;

use clap::Subcommand;

use crate::chess_bench::{self, BenchOptions};
use crate::chess_perft::{self, PerftOptions};
use crate::chess_search::{self, SearchPositions};
use crate::chess_suite::{self, SuiteOptions};
use crate::chess_uci;

/// What to do with chess.
#[derive(Debug, Subcommand)]
pub(crate) enum ChessCommand {
    /// The engine, for any chess program that speaks UCI
    Uci,
    /// Searches a position: score, best move, principal variation
    Search(Box<SearchPositions>),
    /// Solves the positions of a test suite and counts those where the right move was found
    Suite(Box<SuiteOptions>),
    /// Counts the lines of so many moves from a position
    Perft(PerftOptions),
    /// Searches a fixed set of positions: nodes, speed, and a signature that changes with the search
    Bench(BenchOptions),
}

pub(crate) fn run(command: ChessCommand) -> anyhow::Result<ExitCode> {
    match command {
        ChessCommand::Uci => chess_uci::run(),
        ChessCommand::Search(options) => chess_search::run(&options),
        ChessCommand::Suite(options) => chess_suite::run(&options),
        ChessCommand::Perft(options) => chess_perft::run(&options),
        ChessCommand::Bench(options) => chess_bench::run(&options),
    }
}
