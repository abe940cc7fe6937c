//! `dts kalah`: solve and analyse.

use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, bail};
use clap::Subcommand;
use dts_engine::{HIGHEST, LOWEST, Limits, Options, Range, Report, StopReason};
use dts_kalah::database::{Build, Database, DatabaseError};
use dts_kalah::{
    Board, Depth, Endgames, Evaluation, Player, Rules, Solution, SolveError, Solver, SolverOptions, analyse,
    split_policy,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};

use crate::kalah_play::{self, PlayOptions, ReplayOptions};
use crate::kalah_rules::RulesOptions;
use crate::options::{SearchOptions, Stop, Watching};

/// What to do with kalah.
#[derive(Debug, Subcommand)]
pub(crate) enum KalahCommand {
    /// Finds a position's value, the best move and the line to the end of the game
    Solve(SolveOptions),
    /// Judges every move of a position: exactly, or by a search of some depth
    Analyse(AnalyseOptions),
    /// Plays: the program is B, A is a person or the program
    Play(PlayWithSearch),
    /// Checks a game record and prints it position by position
    Replay(ReplayOptions),
}

/// `dts kalah solve`.
#[derive(Debug, clap::Args)]
pub(crate) struct SolveOptions {
    #[command(flatten)]
    board: BoardOptions,
    /// Finds the value and the best move only, not the line to the end of the game
    #[arg(long)]
    no_line: bool,
    #[command(flatten)]
    endgames: EndgameOptions,
    #[command(flatten)]
    rules: RulesOptions,
    #[command(flatten)]
    search: SearchOptions,
}

/// `dts kalah analyse`.
#[derive(Debug, clap::Args)]
pub(crate) struct AnalyseOptions {
    #[command(flatten)]
    board: BoardOptions,
    /// Searches so many moves (with --compound turns) ahead and judges there; without it values are exact
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(i32).range(1..=200))]
    depth: Option<i32>,
    /// Depth counts whole turns, as in the seed's program, and the move chosen is a whole turn
    #[arg(long)]
    compound: bool,
    /// How to judge at the horizon: difference (of the stores), product or reciprocal
    #[arg(long, value_name = "NAME", default_value_t = Evaluation::Difference, value_parser = str::parse::<Evaluation>)]
    evaluation: Evaluation,
    #[command(flatten)]
    endgames: EndgameOptions,
    #[command(flatten)]
    rules: RulesOptions,
    #[command(flatten)]
    search: SearchOptions,
}

/// `dts kalah play`.
#[derive(Debug, clap::Args)]
pub(crate) struct PlayWithSearch {
    #[command(flatten)]
    play: PlayOptions,
    /// How many turns the program looks ahead
    #[arg(long, value_name = "D", default_value_t = 6, value_parser = clap::value_parser!(i32).range(1..=30))]
    depth: i32,
    /// How it judges: difference (of the stores), product or reciprocal
    #[arg(long, value_name = "NAME", default_value_t = Evaluation::Difference, value_parser = str::parse::<Evaluation>)]
    evaluation: Evaluation,
}

/// Which position.
#[derive(Debug, clap::Args)]
pub(crate) struct BoardOptions {
    /// Pits a side at the start of a game, 1 to 12
    #[arg(long, value_name = "M", default_value_t = 6, conflicts_with = "board")]
    pits: usize,
    /// Stones a pit at the start of a game, 1 to 20; the seed's game has 6, which nobody solves in a day
    #[arg(long, value_name = "N", default_value_t = 4, conflicts_with = "board")]
    stones: u16,
    /// A position: "A's pits from his first, his store | B's pits from his first, his store, whose turn", as in
    /// "6,6,6,6,6,6,0 | 6,6,6,6,6,6,0 A"; - reads positions from standard input, one a line
    #[arg(long, value_name = "BOARD", allow_hyphen_values = true)]
    board: Option<String>,
}

/// The endgame database.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Endgame database")]
struct EndgameOptions {
    /// Values of all positions with up to K stones on the pits are made first; 0 for none [default: what pays]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(0..=127))]
    database_stones: Option<u32>,
    /// Reads the database from FILE, or makes it and writes it there
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
}

/// A position to look at.
struct Given {
    board: Board,
    /// Stones a pit, if it is the start of a game.
    stones: Option<u16>,
}

impl BoardOptions {
    /// The only board.
    pub(crate) fn board(&self) -> anyhow::Result<Board> {
        match &*self.boards()? {
            [given] => Ok(given.board),
            several => bail!("standard input: {} positions; accepted: one", several.len()),
        }
    }

    fn boards(&self) -> anyhow::Result<Vec<Given>> {
        let parse = |text: &str, place: &str| -> anyhow::Result<Given> {
            let board: Board = text.parse().with_context(|| format!("{place}: `{}`", text.trim()))?;
            Ok(Given { board, stones: None })
        };
        match self.board.as_deref() {
            None => {
                Ok(vec![Given { board: Board::start(self.pits, self.stones)?, stones: Some(self.stones) }])
            }
            Some("-") => {
                let mut text = String::new();
                io::stdin().read_to_string(&mut text).context("standard input")?;
                let boards: anyhow::Result<Vec<_>> = text
                    .lines()
                    .enumerate()
                    .filter(|(_, line)| !line.trim().is_empty())
                    .map(|(number, line)| parse(line, &format!("standard input, line {}", number + 1)))
                    .collect();
                let boards = boards?;
                if boards.is_empty() {
                    bail!("standard input: no position; accepted: one board a line");
                }
                Ok(boards)
            }
            Some(text) => Ok(vec![parse(text, "--board")?]),
        }
    }
}

impl EndgameOptions {
    fn endgames(
        &self,
        rules: Rules,
        board: &Board,
        search: &SearchOptions,
        stop: &Stop,
    ) -> anyhow::Result<Endgames> {
        let Some(path) = &self.database else {
            return Ok(match self.database_stones {
                None => Endgames::Automatic,
                Some(0) => Endgames::None,
                Some(stones) => Endgames::Stones(stones),
            });
        };
        let what_pays = || Endgames::Automatic.stones_for(board.pits(), on_the_pits(board)).unwrap_or(0);
        let stones = self.database_stones.unwrap_or_else(what_pays);
        let pits = board.pits() as u32;
        if path.exists() {
            return Ok(Endgames::Ready(Database::load(path, rules, pits, stones)?));
        }
        let (bar, show) = database_bar();
        let began = Instant::now();
        let ends = || stop.is_wanted() || search.time.is_some_and(|time| began.elapsed() >= time);
        let build = Build { threads: search.processors(), stop: Some(&ends), progress: Some(&show) };
        let database = Database::build(rules, pits, stones, build);
        bar.finish_and_clear();
        let database = database?;
        database.save(path)?;
        Ok(Endgames::Ready(database))
    }
}

/// A bar for the building of a database.
fn database_bar() -> (ProgressBar, impl Fn(dts_kalah::database::Progress) + Sync) {
    let bar = ProgressBar::new(0);
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent} % [{eta} left]");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let shown = bar.clone();
    let show = move |progress: dts_kalah::database::Progress| {
        shown.set_length(progress.total);
        shown.set_position(progress.done);
        shown.set_message(format!("endgames with {} stones", progress.layer));
    };
    (bar, show)
}

pub(crate) fn run(command: KalahCommand) -> anyhow::Result<ExitCode> {
    let done = match command {
        KalahCommand::Solve(options) => solve(&options),
        KalahCommand::Analyse(options) => analyse_boards(&options),
        KalahCommand::Play(options) => play(&options),
        KalahCommand::Replay(options) => kalah_play::replay(&options),
    };
    done.or_else(|error| {
        let of_solver = match error.downcast_ref() {
            Some(SolveError::Database(error)) => Some(error),
            _ => None,
        };
        match of_solver.or_else(|| error.downcast_ref()) {
            Some(DatabaseError::Stopped) if Stop::was_heard() => {
                eprintln!("dts: stopped while the endgame database was made");
                Ok(ExitCode::from(130))
            }
            Some(DatabaseError::Stopped) => {
                eprintln!(
                    "dts: the time was up before the endgame database was made; --database-stones takes a smaller one, \
                     0 none"
                );
                Ok(ExitCode::from(1))
            }
            _ => Err(error),
        }
    })
}

/// A solver for boards like `board`, its database made, with progress.
fn solver(
    rules: Rules,
    board: &Board,
    endgames: &EndgameOptions,
    search: &SearchOptions,
    stop: &Stop,
) -> anyhow::Result<Solver> {
    let chosen = endgames.endgames(rules, board, search, stop)?;
    if let Some(stones) = chosen.stones_for(board.pits(), on_the_pits(board)).filter(|&stones| stones > 0)
        && io::stderr().is_terminal()
    {
        let bytes = Database::build_bytes(board.pits() as u32, stones, search.processors())?;
        eprintln!(
            "endgames with up to {stones} stones: {} MiB, table {} MiB",
            bytes >> 20,
            search.mebibytes()
        );
    }
    let (bar, show) = database_bar();
    let began = Instant::now();
    let ends = || stop.is_wanted() || search.time.is_some_and(|time| began.elapsed() >= time);
    let made = Solver::new(
        rules,
        board,
        SolverOptions {
            search: Options { policy: search.topology.put_into(split_policy()), ..search.search() },
            table_mebibytes: search.mebibytes() as usize,
            endgames: chosen,
            stop: Some(&ends),
            progress: Some(&show),
        },
    );
    bar.finish_and_clear();
    Ok(made?)
}

fn solve(options: &SolveOptions) -> anyhow::Result<ExitCode> {
    options.search.check()?;
    let boards = options.board.boards()?;
    let rules = options.rules.rules();
    let stop = Stop::on_interrupt();
    let mut out = io::stdout().lock();
    let mut all_known = true;
    let mut ready: Option<(usize, Solver)> = None;
    for given in &boards {
        let began = Instant::now();
        let pits = given.board.pits();
        if ready.as_ref().is_none_or(|&(for_pits, _)| for_pits != pits) {
            drop(ready.take());
            ready = Some((pits, solver(rules, &given.board, &options.endgames, &options.search, &stop)?));
        }
        let Some((_, solver)) = &mut ready else { continue };
        let limits = options.search.limits_after(&stop, began.elapsed());
        let solution = watched(given, rules, &limits, || {
            if options.no_line {
                solver.value(&given.board, &limits)
            } else {
                solver.solve(&given.board, &limits)
            }
        })?;
        all_known &= solution.value().is_some();
        print_solution(options, given, rules, &solution, &mut out)?;
        options.search.write_trace(solution.report.as_ref())?;
        if stop.is_wanted() {
            return Ok(ExitCode::from(130));
        }
    }
    Ok(if all_known { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Runs a search with a spinner.
fn watched<T>(given: &Given, rules: Rules, limits: &Limits, search: impl FnOnce() -> T) -> T {
    let size = given
        .stones
        .map_or_else(|| given.board.to_string(), |stones| format!("{} x {stones}", given.board.pits()));
    let watching = Watching::new(format!("kalah {size}, {rules}"), limits);
    let found = search();
    drop(watching);
    found
}

fn value_as_json(range: Range) -> Value {
    if range.is_exact() { json!(range.lower) } else { Value::Null }
}

/// The bounds of a value that is not known, each null if there is none.
fn bounds_as_json(range: Range, into: &mut Map<String, Value>) {
    if !range.is_exact() {
        into.insert("at_least".into(), json!((range.lower > LOWEST).then_some(range.lower)));
        into.insert("at_most".into(), json!((range.upper < HIGHEST).then_some(range.upper)));
    }
}

/// What is known of a value to the end of the game, also where nothing was found out: nobody wins more than the stones on the
/// pits.
fn within_the_stones(range: Range, board: &Board) -> Range {
    let left = on_the_pits(board) as i32;
    Range { lower: range.lower.max(-left), upper: range.upper.min(left) }
}

fn on_the_pits(board: &Board) -> u32 {
    board.total() - u32::from(board.store(Player::A)) - u32::from(board.store(Player::B))
}

/// Says that a search was stopped, and by what.
fn show_stop(report: Option<&Report<u8>>, out: &mut impl Write) -> io::Result<()> {
    let Some(reason) = report.and_then(|report| report.stopped) else { return Ok(()) };
    let why = match reason {
        StopReason::Stopped => "by the user",
        StopReason::Time => "the time was up",
        StopReason::Nodes => "the nodes were used up",
        StopReason::Panic => "by a fault",
    };
    writeln!(out, "stopped   {why}")
}

fn print_solution(
    options: &SolveOptions,
    given: &Given,
    rules: Rules,
    solution: &Solution,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let report = solution.report.as_ref();
    let range = within_the_stones(solution.range, &given.board);
    if options.search.json {
        let mut object = Map::new();
        object.insert("pits".into(), json!(given.board.pits()));
        object.insert("stones".into(), json!(given.stones));
        object.insert("board".into(), json!(given.board.to_string()));
        object.insert("rules".into(), json!(rules.to_string()));
        object.insert("value".into(), value_as_json(range));
        bounds_as_json(range, &mut object);
        object.insert("best".into(), json!(solution.best));
        object.insert("line".into(), json!(solution.line));
        options.search.fields(report, &mut object);
        writeln!(out, "{}", Value::Object(object))?;
        return Ok(());
    }
    writeln!(out, "{}", given.board.diagram())?;
    writeln!(out, "rules     {rules}")?;
    writeln!(out, "value     {}", options.search.strong(&value_in_words(given, range)))?;
    if let Some(best) = solution.best {
        writeln!(out, "best      {}", options.search.strong(&best.to_string()))?;
        writeln!(out, "line      {}", line_in_turns(given, rules, &solution.line))?;
    }
    show_stop(report, out)?;
    if let Some(report) = report {
        options.search.show_cost(report, out)?;
    }
    Ok(())
}

fn value_in_words(given: &Given, range: Range) -> String {
    let mover = if given.board.to_move() == Player::A { "A" } else { "B" };
    match range.is_exact() {
        true if range.lower > 0 => {
            format!("{:+}: {mover}, to move, wins {} stones more", range.lower, range.lower)
        }
        true if range.lower < 0 => {
            format!("{:+}: {mover}, to move, wins {} stones fewer", range.lower, -range.lower)
        }
        true => "0: both win as many stones".to_owned(),
        false => format!("not known yet: {} for {mover}", bounds_in_words(range)),
    }
}

fn bounds_in_words(Range { lower, upper }: Range) -> String {
    match (lower > LOWEST, upper < HIGHEST) {
        (true, true) => format!("from {lower:+} to {upper:+}"),
        (true, false) => format!("at least {lower:+}"),
        (false, true) => format!("at most {upper:+}"),
        (false, false) => "nothing".to_owned(),
    }
}

/// A line with the moves of one turn joined: "A 0 3, B 11".
fn line_in_turns(given: &Given, rules: Rules, line: &[usize]) -> String {
    let mut board = given.board;
    let mut text = String::new();
    let mut before = None;
    for &pit in line {
        let mover = board.to_move();
        if before != Some(mover) {
            text.push_str(if before.is_some() { ", " } else { "" });
            text.push_str(if mover == Player::A { "A" } else { "B" });
        }
        text.push_str(&format!(" {pit}"));
        before = Some(mover);
        if board.play(&rules, pit).is_err() {
            break;
        }
    }
    text
}

fn analyse_boards(options: &AnalyseOptions) -> anyhow::Result<ExitCode> {
    if options.compound && options.depth.is_none() {
        bail!("--compound: depth counts turns, so --depth is needed; accepted: 1 to 200");
    }
    if options.evaluation != Evaluation::default() && options.depth.is_none() {
        bail!(
            "--evaluation: without --depth nothing is judged before the game is over; accepted: --depth with 1 to 200"
        );
    }
    options.search.check()?;
    let boards = options.board.boards()?;
    let rules = options.rules.rules();
    let stop = Stop::on_interrupt();
    let mut out = io::stdout().lock();
    let mut all_known = true;
    for given in &boards {
        let began = Instant::now();
        let mut limits = options.search.limits(&stop);
        let analysis = match options.depth {
            None => {
                let mut solver = solver(rules, &given.board, &options.endgames, &options.search, &stop)?;
                limits = options.search.limits_after(&stop, began.elapsed());
                let solution = watched(given, rules, &limits, || solver.moves(&given.board, &limits))?;
                Analysis { solution, turn: None }
            }
            Some(depth) => {
                watched(given, rules, &limits, || look_ahead(options, given, rules, depth, &limits))?
            }
        };
        all_known &= analysis.is_complete(given, rules);
        print_analysis(options, given, rules, &analysis, &mut out)?;
        options.search.write_trace(analysis.solution.report.as_ref())?;
        if stop.is_wanted() {
            return Ok(ExitCode::from(130));
        }
    }
    Ok(if all_known { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What is known of the moves of a board.
struct Analysis {
    /// Its moves may be known in part, or not at all.
    solution: Solution,
    /// With compound moves, the whole turn that is chosen: as far as it is known.
    turn: Option<Vec<usize>>,
}

impl Analysis {
    /// Whether a limit has left nothing out.
    fn is_complete(&self, given: &Given, rules: Rules) -> bool {
        let stopped = self.solution.report.as_ref().is_some_and(|report| report.stopped.is_some());
        !stopped && self.unknown(given, rules) == 0
    }

    /// How many moves have no known value.
    fn unknown(&self, given: &Given, rules: Rules) -> usize {
        let known = self.solution.moves.iter().filter(|(_, range)| range.is_exact()).count();
        given.board.legal(&rules).len() - known
    }
}

/// The moves of a board by a search to some depth; with compound moves the turn that is chosen as well.
fn look_ahead(
    options: &AnalyseOptions,
    given: &Given,
    rules: Rules,
    depth: i32,
    limits: &Limits,
) -> anyhow::Result<Analysis> {
    let unit = if options.compound { Depth::Turns } else { Depth::Moves };
    let search = |board: &Board| {
        analyse(rules, board, depth, unit, options.evaluation, options.search.search(), limits)
    };
    let mut analysis = Analysis { solution: search(&given.board)?, turn: None };
    if !options.compound || analysis.solution.best.is_none() || !analysis.is_complete(given, rules) {
        return Ok(analysis);
    }
    // The first of the best turns begins with the first of the best moves, for turns are in the order of their moves; and so on.
    let (mut board, mut turn) = (given.board, Vec::new());
    let mut next = analysis.solution.best;
    while let Some(pit) = next {
        board.play(&rules, pit)?;
        turn.push(pit);
        if board.is_over(&rules) || board.to_move() != given.board.to_move() {
            analysis.turn = Some(turn);
            break;
        }
        let solution = search(&board)?;
        let stopped = solution.report.as_ref().and_then(|report| report.stopped);
        next = if stopped.is_none() { solution.best } else { None };
        if let Some(report) = &mut analysis.solution.report {
            report.stopped = stopped;
        }
    }
    Ok(analysis)
}

/// The depth that the values are of: less than `wanted` if the search was stopped.
fn depth_reached(report: Option<&Report<u8>>, wanted: i32) -> i32 {
    report.and_then(|report| report.state.as_ref()).map_or(wanted, |state| state.depth)
}

fn print_analysis(
    options: &AnalyseOptions,
    given: &Given,
    rules: Rules,
    analysis: &Analysis,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let Analysis { solution, turn } = analysis;
    let report = solution.report.as_ref();
    if options.search.json {
        let mut object = Map::new();
        object.insert("board".into(), json!(given.board.to_string()));
        object.insert("rules".into(), json!(rules.to_string()));
        object.insert("depth".into(), json!(options.depth.map(|depth| depth_reached(report, depth))));
        object.insert("compound".into(), json!(options.compound));
        object.insert("evaluation".into(), json!(options.depth.map(|_| options.evaluation.to_string())));
        let moves: Vec<_> = solution
            .moves
            .iter()
            .map(|&(pit, range)| json!({ "move": pit, "value": value_as_json(range) }))
            .collect();
        object.insert("moves".into(), json!(moves));
        object.insert("best".into(), json!(solution.best));
        if let Some(turn) = turn {
            object.insert("turn".into(), json!(turn));
        }
        options.search.fields(report, &mut object);
        writeln!(out, "{}", Value::Object(object))?;
        return Ok(());
    }
    writeln!(out, "{}", given.board.diagram())?;
    writeln!(out, "rules     {rules}")?;
    match options.depth {
        Some(depth) => {
            let unit = if options.compound { "turns" } else { "moves" };
            writeln!(out, "depth     {} {unit}, {}", depth_reached(report, depth), options.evaluation)?;
        }
        None => writeln!(out, "depth     to the end")?,
    }
    if given.board.is_over(&rules) {
        writeln!(out, "{}", value_in_words(given, solution.range))?;
    }
    for &(pit, range) in &solution.moves {
        let value = if range.is_exact() { format!("{:+}", range.lower) } else { "?".to_owned() };
        let line = format!("{pit:>8} {value:>9}");
        let best = solution.best == Some(pit);
        writeln!(out, "{}", if best { options.search.strong(&format!("{line}  best")) } else { line })?;
    }
    if let Some(turn) = turn {
        let turn: Vec<_> = turn.iter().map(ToString::to_string).collect();
        writeln!(out, "turn      {}", turn.join(" "))?;
    }
    let unknown = analysis.unknown(given, rules);
    if unknown > 0 {
        writeln!(out, "unknown   {unknown} of {} moves have no value yet", given.board.legal(&rules).len())?;
    }
    show_stop(report, out)?;
    if let Some(report) = report {
        options.search.show_cost(report, out)?;
    }
    Ok(())
}

fn play(options: &PlayWithSearch) -> anyhow::Result<ExitCode> {
    let rules = options.play.rules.rules();
    kalah_play::play(&options.play, |board| {
        Ok(dts_kalah::choose_turn(rules, board, options.depth, options.evaluation)?)
    })
}
