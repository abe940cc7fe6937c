//! The thread of a UCI session that searches: it does what is asked in order, one thing after the other.

use std::io::{self, Write};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

use dts_chess::{
    Board, Engine, EngineError, Found, Known, Move, Question, RankedLine, SearchProgress, line_text,
    move_text, parse_move,
};
use dts_engine::Side;

use crate::chess_uci_clock::budget;
use crate::chess_uci_running::Running;
use crate::chess_uci_settings::{Change, Settings};
use crate::chess_uci_words::Go;

/// What is to be done in order.
#[derive(Debug)]
pub(crate) enum Task {
    NewGame,
    Position { start: String, moves: Vec<String> },
    SetOption { name: String, value: Option<String> },
    Go(Box<Go>, Arc<Running>),
    Ready,
}

/// Prints lines in one piece, so that those of two threads do not mix.
pub(crate) fn say(lines: &str) {
    let mut out = io::stdout().lock();
    // A reader that has gone away closes standard input as well, and that ends the session.
    let _ = out.write_all(format!("{lines}\n").as_bytes()).and_then(|()| out.flush());
}

/// Bounds are told only after so many milliseconds: before, exact scores come thick and fast.
const BOUNDS_AFTER: u128 = 1_000;

/// The engine with its settings.
#[derive(Debug)]
pub(crate) struct Player {
    engine: Engine,
    settings: Settings,
}

impl Player {
    pub(crate) fn new() -> Result<Player, EngineError> {
        let settings = Settings::default();
        Ok(Player { engine: Engine::new(settings.engine.clone())?, settings })
    }

    /// Does what is asked until nobody is left to ask.
    pub(crate) fn work(&mut self, tasks: &Receiver<Task>) {
        while let Ok(task) = tasks.recv() {
            match task {
                Task::NewGame => self.engine.new_game(),
                Task::Position { start, moves } => self.set_position(&start, &moves),
                Task::SetOption { name, value } => self.set_option(&name, value.as_deref()),
                Task::Go(go, running) => self.go(&go, &running),
                Task::Ready => say("readyok"),
            }
        }
    }

    fn set_position(&mut self, start: &str, moves: &[String]) {
        let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
        if let Err(error) = self.engine.set_position(start, &moves) {
            say(&format!("info string position: {error}; the position before is kept"));
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let mut changed = self.settings.clone();
        match changed.set(name, value) {
            Err(wrong) => say(&format!("info string {wrong}")),
            Ok(Change::ClearTable) => self.engine.new_game(),
            Ok(Change::Nothing) => self.settings = changed,
            Ok(Change::Engine) => match self.engine.set_options(changed.engine.clone()) {
                Ok(()) => self.settings = changed,
                Err(error) => say(&format!("info string option {name}: {error}; it stays as it was")),
            },
        }
    }

    /// Searches, and says what came of it: at least one line of information, and one best move.
    fn go(&mut self, go: &Go, running: &Arc<Running>) {
        let position = self.engine.position();
        let board = position.board().clone();
        let white = position.side() == Side::Max;
        let only: Vec<Move> =
            go.searchmoves.iter().filter_map(|text| parse_move(&board, text).ok()).collect();
        let legal = dts_chess::perft::moves(&board);
        let telling =
            Arc::new(Telling { board, chess960: self.settings.chess960, last: Mutex::new(String::new()) });
        running.begin(budget(go, white, self.settings.overhead), legal.len() == 1 || only.len() == 1);
        let question = Question { only, lines: self.settings.lines.min(legal.len()) };
        let searched = {
            let (telling, running) = (Arc::clone(&telling), Arc::clone(running));
            self.engine
                .search(question, &running.limits.clone(), move |seen| telling.progress(seen, &running))
        };
        let (best, ponder) = match &searched {
            Ok(found) => {
                telling.found(found, running, self.engine.table().map_or(0, |table| table.used_permille()));
                (found.best, found.ponder)
            }
            Err(error) => {
                say(&format!("info string {error}"));
                (legal.first().copied(), None)
            }
        };
        running.wait_until_wanted();
        let text = telling.best_move(best, ponder);
        // Before the move is out, so that whatever comes after it does not find a search that is over.
        running.finish();
        say(&text);
    }
}

/// What is told beside lines.
#[derive(Clone, Copy, Debug)]
struct Figures {
    selective_depth: usize,
    nodes: u64,
    milliseconds: u128,
    table_used: u32,
}

/// What a search tells.
#[derive(Debug)]
struct Telling {
    board: Board,
    chess960: bool,
    /// What was told last, without its figures.
    last: Mutex<String>,
}

impl Telling {
    /// Called by the search each time it knows more.
    fn progress(&self, seen: &SearchProgress, running: &Running) {
        let Some(best) = seen.lines.first().and_then(|line| line.moves.first()) else { return };
        // Several lines are told together, when all are of one iteration.
        let together = seen.lines.iter().all(|line| line.depth == seen.depth);
        let exact = seen.lines.iter().all(|line| line.known == Known::Exactly);
        if together && (exact || seen.elapsed.as_millis() >= BOUNDS_AFTER) {
            self.tell(
                &seen.lines,
                Figures {
                    selective_depth: seen.selective_depth,
                    nodes: seen.nodes,
                    milliseconds: seen.elapsed.as_millis(),
                    table_used: seen.table_used,
                },
            );
        }
        running.told(seen, &best.to_string());
    }

    /// The last word on a search, unless it has been said already.
    fn found(&self, found: &Found, running: &Running, table_used: u32) {
        let elapsed = running.elapsed().min(found.elapsed).as_millis();
        if found.lines.is_empty() {
            let line: String = found.best.map(|best| format!(" pv {}", self.text(best))).unwrap_or_default();
            say(&format!("info depth 0 score {} nodes {} time {elapsed}{line}", found.score, found.nodes));
        } else {
            self.tell(
                &found.lines,
                Figures {
                    selective_depth: found.selective_depth,
                    nodes: found.nodes,
                    milliseconds: elapsed,
                    table_used,
                },
            );
        }
    }

    fn tell(&self, lines: &[RankedLine], figures: Figures) {
        let Figures { selective_depth, nodes, milliseconds, table_used } = figures;
        let speed = u128::from(nodes) * 1_000 / milliseconds.max(1);
        let mut told = Vec::new();
        let mut essence = String::new();
        for (number, line) in lines.iter().enumerate() {
            let bound = match line.known {
                Known::Exactly => "",
                Known::AtLeast => " lowerbound",
                Known::AtMost => " upperbound",
            };
            let (depth, number) = (line.depth, number + 1);
            let score = format!("multipv {number} score {}{bound}", line.score);
            let moves = line_text(&self.board, &line.moves, self.chess960).join(" ");
            essence.push_str(&format!("{depth} {score} {moves}\n"));
            told.push(format!(
                "info depth {depth} seldepth {selective_depth} {score} nodes {nodes} nps {speed} hashfull {table_used} time {milliseconds} pv {moves}"
            ));
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if *last != essence {
            say(&told.join("\n"));
            *last = essence;
        }
    }

    fn text(&self, chosen: Move) -> String {
        move_text(&self.board, chosen, self.chess960)
    }

    fn best_move(&self, best: Option<Move>, ponder: Option<Move>) -> String {
        let moves: Vec<Move> = best.into_iter().chain(best.and(ponder)).collect();
        match line_text(&self.board, &moves, self.chess960).as_slice() {
            [best, ponder, ..] => format!("bestmove {best} ponder {ponder}"),
            [best] => format!("bestmove {best}"),
            [] => "bestmove (none)".to_owned(),
        }
    }
}
