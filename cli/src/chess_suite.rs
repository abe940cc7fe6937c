//! `dts chess suite`: a test suite, and how many of its positions are solved.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{anyhow, bail};
use dts_chess::{Engine, Profile, Question, epd, fen_text, is_chess960, line_text};
use serde_json::{Map, Value, json};

use crate::chess_positions::{profile, read, set_up};
use crate::chess_search::{score_as_json, score_in_words};
use crate::options::{SearchOptions, Stop, Watching};

/// `dts chess suite`.
#[derive(Debug, clap::Args)]
pub(crate) struct SuiteOptions {
    /// A suite in EPD with bm or am (moves to be found or avoided), one position a line, or - for standard input
    #[arg(value_name = "FILE.epd")]
    file: String,
    /// Searches each position so many plies deep [default: --time 1]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(i32).range(1..=120))]
    depth: Option<i32>,
    /// How is searched: modern, or classic as in 1993
    #[arg(long, value_name = "NAME", default_value_t = Profile::Modern, value_parser = profile)]
    profile: Profile,
    #[command(flatten)]
    search: SearchOptions,
}

/// The time for a position, if nothing limits the search.
const TIME: Duration = Duration::from_secs(1);

pub(crate) fn run(options: &SuiteOptions) -> anyhow::Result<ExitCode> {
    options.search.check()?;
    let (name, text) = read(&options.file)?;
    let tasks = epd::parse(&text).map_err(|error| anyhow!("{name}: {error}"))?;
    if tasks.is_empty() {
        bail!(
            "{name}: no position; accepted: one a line, as in `6k1/5ppp/8/8/8/8/8/3R2K1 w - - bm Rd8#; id \"1\";`"
        );
    }
    if let Some(task) = tasks.iter().find(|task| task.best.is_empty() && task.avoid.is_empty()) {
        bail!(
            "{name}: position {}: nothing is to be found there; accepted: moves in `bm` (best) or `am` (avoid)",
            task.id
        );
    }
    let stop = Stop::on_interrupt();
    let mut engine = Engine::new(set_up(&options.search, options.profile))?;
    let unlimited = options.depth.is_none() && options.search.nodes.is_none();
    let mut out = io::stdout().lock();
    let (mut solved, mut nodes) = (0, 0);
    for (number, task) in tasks.iter().enumerate() {
        let limits = options.search.limits(&stop);
        limits.set_depth(options.depth);
        if unlimited && options.search.time.is_none() {
            limits.set_time(Some(TIME));
        }
        // Each position for itself: what was learnt at another one would be luck.
        engine.new_game();
        engine.set_board(task.board.clone());
        let watching = Watching::new(format!("{} of {}, {}", number + 1, tasks.len(), task.id), &limits);
        let found = engine.search(Question::default(), &limits, |_| {});
        drop(watching);
        let found = found?;
        if stop.is_wanted() {
            return Ok(ExitCode::from(130));
        }
        let is_solved = found.best.is_some_and(|best| task.is_solved_by(best));
        solved += usize::from(is_solved);
        nodes += found.nodes;
        let best = found.best.map(|best| line_text(&task.board, &[best], is_chess960(&task.board)).concat());
        if options.search.json {
            let mut object = Map::new();
            object.insert("id".into(), json!(task.id));
            object.insert("fen".into(), json!(fen_text(&task.board)));
            object.insert("best".into(), json!(best));
            object.insert("solved".into(), json!(is_solved));
            object.insert("depth".into(), json!(found.depth));
            object.insert("score".into(), score_as_json(found.score));
            options.search.fields(found.report.as_ref(), &mut object);
            writeln!(out, "{}", Value::Object(object))?;
        } else {
            writeln!(
                out,
                "{:<24} {:<6} {:<6} {:>12}  depth {:>3}",
                task.id,
                if is_solved { "solved" } else { "no" },
                best.unwrap_or_else(|| "none".to_owned()),
                score_in_words(found.score),
                found.depth
            )?;
        }
    }
    if options.search.json {
        writeln!(out, "{}", json!({ "solved": solved, "total": tasks.len(), "nodes": nodes }))?;
    } else {
        writeln!(out, "{solved} of {} solved", tasks.len())?;
    }
    Ok(ExitCode::SUCCESS)
}
