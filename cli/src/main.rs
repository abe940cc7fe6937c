//! The `dts` program: games first, then what to do with them.

mod bridge;
mod bridge_batch;
mod bridge_deals;
mod bridge_par;
mod bridge_play;
mod bridge_solve;
mod bridge_table;
mod chess;
mod chess_bench;
mod chess_perft;
mod chess_positions;
mod chess_search;
mod chess_suite;
mod chess_uci;
mod chess_uci_clock;
mod chess_uci_player;
mod chess_uci_running;
mod chess_uci_settings;
mod chess_uci_words;
mod experiment_run;
mod kalah;
mod kalah_play;
mod kalah_rules;
mod options;
mod speedup;
mod speedup_chess;
mod speedup_kalah;
mod speedup_synthetic;
mod speedup_work;
mod synthetic;
mod synthetic_record;
mod tables;
mod tables_game;
mod trace;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

/// Dynamic Tree Splitting: a parallel game-tree search, for kalah, chess, bridge and artificial trees
#[derive(Debug, Parser)]
#[command(name = "dts", version, arg_required_else_help = true, max_term_width = 110)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Kalah: solve, analyse, play, replay
    #[command(subcommand)]
    Kalah(kalah::KalahCommand),
    /// Chess: an engine for chess programs (UCI), search, perft, test suites
    #[command(subcommand)]
    Chess(chess::ChessCommand),
    /// Bridge: double-dummy values of positions, deals and records of play, par
    #[command(subcommand)]
    Bridge(bridge::BridgeCommand),
    /// Artificial trees and recorded ones: search, record
    #[command(subcommand)]
    Synthetic(synthetic::SyntheticCommand),
    /// Measures how much faster several processors search than one
    Speedup(speedup::SpeedupOptions),
    /// The six tables of the paper, its figures beside ours
    Tables(tables::TablesOptions),
    /// Draws what each processor did when, from a file that --trace has written
    Trace(trace::TraceOptions),
    /// Prints the completions of a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

fn main() -> ExitCode {
    let matches = Program::command().try_get_matches();
    let (program, given) = match matches.and_then(|m| Program::from_arg_matches(&m).map(|p| (p, given(&m)))) {
        Ok(parsed) => parsed,
        Err(error) => return usage(&error),
    };
    let done = match program.command {
        Command::Kalah(command) => kalah::run(command),
        Command::Chess(command) => chess::run(command),
        Command::Bridge(command) => bridge::run(command),
        Command::Synthetic(command) => synthetic::run(command),
        Command::Speedup(options) => speedup::run(&options, &given),
        Command::Tables(options) => tables::run(&options),
        Command::Trace(options) => trace::run(&options),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Program::command(), "dts", &mut text);
            io::stdout().write_all(&text).map(|()| ExitCode::SUCCESS).map_err(anyhow::Error::from)
        }
    };
    done.unwrap_or_else(|error| {
        if let Some(io_error) = error.downcast_ref::<io::Error>()
            && io_error.kind() == io::ErrorKind::BrokenPipe
        {
            return ExitCode::SUCCESS;
        }
        complain(&in_one_line(&error));
        ExitCode::from(2)
    })
}

/// The names of the options that stand on the command line of the subcommand.
fn given(matches: &ArgMatches) -> Vec<String> {
    let Some((_, matches)) = matches.subcommand() else { return Vec::new() };
    let is_given = |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
    matches.ids().filter(is_given).map(|id| id.as_str().replace('_', "-")).collect()
}

/// Help and version go to standard output; what is wrong with a command line is one line on standard error.
fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        // A reader that has gone away wants no more.
        let _ = error.print();
        return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
    }
    let text = error.to_string();
    let said: Vec<_> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:"))
        .filter(|line| !line.is_empty() && !line.starts_with("For more information"))
        .collect();
    let mut line = said.join(" ").trim_start_matches("error: ").to_owned();
    // What is accepted has to stand there as well.
    if let ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand = error.kind() {
        line.push_str("; --help tells what is accepted");
    }
    complain(&line.replace("invalid digit found in string", "accepted: a whole number"));
    ExitCode::from(2)
}

/// An error and what led to it, each once: some tell their causes themselves.
fn in_one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !line.contains(&cause) {
            line.push_str(if line.is_empty() { "" } else { ": " });
            line.push_str(&cause);
        }
    }
    line
}

/// The most characters of a complaint: what is wrong in a file may be a line of megabytes.
const LONGEST: usize = 600;

/// One line on standard error.
pub(crate) fn complain(what: &str) {
    let mut line = what.split('\n').map(str::trim).collect::<Vec<_>>().join(" ");
    // What is wrong may be what a terminal would obey.
    if line.contains(char::is_control) {
        let seen = |letter: char| {
            if letter.is_control() { letter.escape_default().collect() } else { letter.to_string() }
        };
        line = line.chars().map(seen).collect();
    }
    let count = line.chars().count();
    if count > LONGEST {
        let head: String = line.chars().take(LONGEST / 2).collect();
        let tail: String = line.chars().skip(count - LONGEST / 2).collect();
        line = format!("{head} [...] {tail}");
    }
    // There is nowhere left to complain to if this fails.
    let _ = writeln!(io::stderr(), "dts: {line}");
}
