//! `dts synthetic record`: a real game's tree as a file.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::bail;
use dts_engine::Game;
use dts_kalah::position::Row;
use dts_kalah::{Board, Depth, Evaluation, Horizon, Order, Rules};
use dts_synthetic::{
    DEEPEST_BELOW, Key, MOST_PLIES, RecordError, RecordPhase, RecordProgress, Recorded, Recording, record,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::kalah::BoardOptions;
use crate::kalah_rules::RulesOptions;
use crate::options::{Stop, grouped};

/// `dts synthetic record`.
#[derive(Debug, clap::Args)]
pub(crate) struct RecordOptions {
    /// The game
    #[arg(long, value_name = "GAME", default_value = "kalah")]
    game: RealGame,
    /// Plies whose moves are all recorded
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_PLIES)))]
    plies: u32,
    /// Plies of the search that tells what each leaf is worth and what it costs
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=i64::from(DEEPEST_BELOW)))]
    below: u32,
    /// Records which positions are the same, so that the tree is searched with a transposition table
    #[arg(long)]
    transpositions: bool,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    board: BoardOptions,
    #[command(flatten)]
    rules: RulesOptions,
}

/// A game that has trees to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum RealGame {
    /// Kalah to a depth in moves, judged by the stones won
    Kalah,
}

pub(crate) fn run(options: &RecordOptions) -> anyhow::Result<ExitCode> {
    options.check_out()?;
    let began = Instant::now();
    let stop = Stop::on_interrupt();
    let recorded = match options.game {
        RealGame::Kalah => {
            let (board, rules) = (options.board.board()?, options.rules.rules());
            if board.is_over(&rules) {
                bail!("`{board}`: the game is over there; accepted: a position with moves");
            }
            if board.pits() <= u64::LANES as usize {
                kalah::<u64>(options, &board, rules, &stop)
            } else {
                kalah::<u128>(options, &board, rules, &stop)
            }
        }
    };
    let recorded = match recorded {
        Ok(recorded) => recorded,
        Err(error) if matches!(error.downcast_ref(), Some(RecordError::Stopped)) => {
            eprintln!("dts: stopped; nothing was written");
            return Ok(ExitCode::from(130));
        }
        Err(error) => return Err(error),
    };
    recorded.save(&options.out)?;
    options.show(&recorded, began.elapsed().as_secs_f64())?;
    Ok(ExitCode::SUCCESS)
}

fn kalah<R: Row>(
    options: &RecordOptions,
    board: &Board,
    rules: Rules,
    stop: &Stop,
) -> anyhow::Result<Recorded> {
    let game = Horizon::<R>::of(rules, board, Evaluation::Difference, Depth::Moves, Order::ExtraTurnsFirst);
    let Some((game, root)) = game else {
        bail!("`{board}`: too many stones on the pits; accepted: up to {}", dts_kalah::position::MOST_STONES);
    };
    let description = format!("{board}, rules {rules}, depth in moves, stones won");
    options.record(&game, &(), root, "kalah", &description, &|position| Some(game.key(position)), stop)
}

impl RecordOptions {
    /// Refuses a file that cannot be written before a tree is recorded for it.
    fn check_out(&self) -> anyhow::Result<()> {
        let shown = self.out.display();
        let directory = self.out.parent().filter(|parent| !parent.as_os_str().is_empty());
        if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
            bail!(
                "--out {shown}: there is no directory {}; accepted: a file in a directory that is there",
                directory.display()
            );
        }
        if self.out.is_dir() || self.out.file_name().is_none() {
            bail!("--out {shown}: a directory; accepted: a file");
        }
        Ok(())
    }

    /// Records a tree of any game, with a bar on standard error if that is a terminal.
    #[expect(clippy::too_many_arguments, reason = "a game, and what is known of it")]
    fn record<G: Game>(
        &self,
        game: &G,
        shared: &G::Shared,
        root: G::Position,
        name: &str,
        description: &str,
        key: Key<'_, G::Position>,
        stop: &Stop,
    ) -> anyhow::Result<Recorded> {
        let bar = ProgressBar::new(1);
        let style = ProgressStyle::with_template("{msg} {wide_bar} {percent} %");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let show = |progress: RecordProgress| {
            let (what, before) = match progress.phase {
                RecordPhase::Values => ("values", 0),
                RecordPhase::Costs => ("costs", progress.total),
            };
            bar.set_length(2 * u64::from(progress.total));
            bar.set_position(u64::from(before) + u64::from(progress.done));
            bar.set_message(format!("{what}, {} nodes", grouped(progress.nodes)));
        };
        let ends = || stop.is_wanted();
        let recording = Recording {
            game: name,
            description,
            plies: self.plies,
            below: self.below,
            key: self.transpositions.then_some(key),
            stop: Some(&ends),
            progress: if io::stderr().is_terminal() { Some(&show) } else { None },
        };
        let recorded = record(game, shared, root, &recording);
        bar.finish_and_clear();
        Ok(recorded?)
    }

    /// What was recorded.
    fn show(&self, recorded: &Recorded, seconds: f64) -> anyhow::Result<()> {
        let bytes = std::fs::metadata(&self.out)?.len();
        let mut out = io::stdout().lock();
        if self.json {
            let object = json!({
                "tree": self.out.to_string_lossy(),
                "game": recorded.game(),
                "description": recorded.description(),
                "plies": recorded.plies(),
                "below": recorded.below(),
                "nodes": recorded.nodes(),
                "leaves": recorded.leaves(),
                "value": recorded.value(),
                "cost": recorded.cost(),
                "largest": recorded.largest(),
                "keys": recorded.has_keys(),
                "bytes": bytes,
                "seconds": seconds,
            });
            writeln!(out, "{object}")?;
            return Ok(());
        }
        writeln!(out, "tree      {}, {}", recorded.game(), recorded.description())?;
        writeln!(out, "value     {}", recorded.value())?;
        writeln!(
            out,
            "nodes     {}, {} of them leaves, after {} plies",
            grouped(recorded.nodes().into()),
            grouped(recorded.leaves().into()),
            recorded.depth()
        )?;
        writeln!(
            out,
            "cost      {} nodes in the searches below, {} plies each; {} in the largest",
            grouped(recorded.cost()),
            recorded.below(),
            grouped(recorded.largest().into())
        )?;
        writeln!(out, "file      {}, {} bytes, in {seconds:.3} s", self.out.display(), grouped(bytes))?;
        Ok(())
    }
}
