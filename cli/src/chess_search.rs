//! `dts chess search`: a position's score, best move and principal variation.

use std::io::{self, Write};
use std::process::ExitCode;

use dts_chess::{
    Board, Engine, Found, Known, Profile, Question, RankedLine, Score, fen_text, is_chess960, line_text,
};
use serde_json::{Map, Value, json};

use crate::chess_positions::{positions, profile, set_up};
use crate::options::{SearchOptions, Stop, Watching};

/// `dts chess search`.
#[derive(Debug, clap::Args)]
pub(crate) struct SearchPositions {
    /// A position in FEN, startpos, a file of positions one a line, or - for standard input
    #[arg(value_name = "FEN")]
    position: String,
    /// No iteration is deeper than so many plies [default: 12, without --time and --nodes]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(i32).range(1..=120))]
    depth: Option<i32>,
    /// How is searched: modern, or classic as in 1993
    #[arg(long, value_name = "NAME", default_value_t = Profile::Modern, value_parser = profile)]
    profile: Profile,
    /// Shows so many best moves, each with its line
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    multipv: u32,
    #[command(flatten)]
    search: SearchOptions,
}

/// The depth of a search that nothing limits.
const DEPTH: i32 = 12;

pub(crate) fn run(options: &SearchPositions) -> anyhow::Result<ExitCode> {
    options.search.check()?;
    let boards = positions(&options.position)?;
    let stop = Stop::on_interrupt();
    let mut engine = Engine::new(set_up(&options.search, options.profile))?;
    let unlimited = options.search.time.is_none() && options.search.nodes.is_none();
    let mut out = io::stdout().lock();
    for board in boards {
        let limits = options.search.limits(&stop);
        limits.set_depth(options.depth.or(unlimited.then_some(DEPTH)));
        engine.set_board(board.clone());
        let question = Question { lines: options.multipv as usize, ..Question::default() };
        let watching = Watching::new("chess".to_owned(), &limits);
        let found = engine.search(question, &limits, |_| {});
        drop(watching);
        let found = found?;
        if options.search.json {
            writeln!(out, "{}", as_json(options, &board, &found))?;
        } else {
            show(options, &board, &found, &mut out)?;
        }
        options.search.write_trace(found.report.as_ref())?;
        if stop.is_wanted() {
            return Ok(ExitCode::from(130));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A score as JSON has it, for the side to move.
pub(crate) fn score_as_json(score: Score) -> Value {
    match score {
        Score::Centipawns(centipawns) => json!({ "cp": centipawns }),
        Score::Mate(moves) => json!({ "mate": moves }),
    }
}

/// A score as people read it.
pub(crate) fn score_in_words(score: Score) -> String {
    match score {
        Score::Centipawns(centipawns) => {
            let sign = if centipawns < 0 { '-' } else { '+' };
            format!("{sign}{}.{:02}", centipawns.abs() / 100, centipawns.abs() % 100)
        }
        Score::Mate(moves @ 1..) => format!("mate in {moves}"),
        Score::Mate(0) => "mated".to_owned(),
        Score::Mate(moves) => format!("mated in {}", moves.unsigned_abs()),
    }
}

fn as_json(options: &SearchPositions, board: &Board, found: &Found) -> Value {
    let texts = |line: &RankedLine| line_text(board, &line.moves, is_chess960(board));
    let line = found.lines.first().map(texts).unwrap_or_default();
    let best = found.best.map(|best| line_text(board, &[best], is_chess960(board)).concat());
    let mut object = Map::new();
    object.insert("fen".into(), json!(fen_text(board)));
    object.insert("profile".into(), json!(options.profile.name()));
    object.insert("depth".into(), json!(found.depth));
    object.insert("score".into(), score_as_json(found.score));
    object.insert("best".into(), json!(best));
    object.insert("pv".into(), json!(line));
    if options.multipv > 1 {
        let lines: Vec<_> = found
            .lines
            .iter()
            .map(|line| json!({ "depth": line.depth, "score": score_as_json(line.score), "pv": texts(line) }))
            .collect();
        object.insert("lines".into(), json!(lines));
    }
    options.search.fields(found.report.as_ref(), &mut object);
    Value::Object(object)
}

fn show(options: &SearchPositions, board: &Board, found: &Found, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "position  {}", fen_text(board))?;
    writeln!(out, "depth     {}, {}", found.depth, options.profile)?;
    let bound = match found.lines.first().map(|line| line.known) {
        Some(Known::AtLeast) => "at least ",
        Some(Known::AtMost) => "at most ",
        _ => "",
    };
    let score = format!("{bound}{}", score_in_words(found.score));
    writeln!(out, "score     {}", options.search.strong(&score))?;
    match found.best {
        Some(best) => {
            let best = line_text(board, &[best], is_chess960(board)).concat();
            writeln!(out, "best      {}", options.search.strong(&best))?;
        }
        None => writeln!(out, "best      none: the game is over")?,
    }
    for line in &found.lines {
        let moves = line_text(board, &line.moves, is_chess960(board)).join(" ");
        if options.multipv > 1 {
            writeln!(out, "line      {:>9}  {moves}", score_in_words(line.score))?;
        } else {
            writeln!(out, "line      {moves}")?;
        }
    }
    match &found.report {
        Some(report) => options.search.show_cost(report, out),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_in_pawns_and_moves() {
        let all = [
            (Score::Centipawns(5), "+0.05"),
            (Score::Centipawns(-130), "-1.30"),
            (Score::Mate(3), "mate in 3"),
            (Score::Mate(0), "mated"),
            (Score::Mate(-2), "mated in 2"),
        ];
        for (score, words) in all {
            assert_eq!(score_in_words(score), words);
        }
    }
}
