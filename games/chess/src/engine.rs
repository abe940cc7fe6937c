//! A chess engine for programs: positions with their game, searches within limits, a table that is kept.

use std::sync::Arc;
use std::time::Duration;

use cozy_chess::{Board, Move};
use dts_engine::table::{Table, TableError};
use dts_engine::{
    Approach, CostModel, Limits, Options, Plan, Progress, Range, Report, RootState, SearchError, Searcher,
    SetupError, Side, SplitPolicy, Strategy, Value,
};

use crate::chess::Chess;
use crate::choice::Choice;
use crate::entry::Entry;
use crate::evaluation::evaluate;
use crate::fen::{FenError, fen_text, parse_fen};
use crate::mate::{Score, mated_at, score_for};
use crate::memory::ChessMemory;
use crate::notation::{MoveError, move_text, parse_move};
use crate::position::Position;
use crate::profile::Profile;

/// How an [`Engine`] is set up.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// How is searched.
    pub profile: Profile,
    /// The transposition table in MiB; none if zero.
    pub table_mebibytes: usize,
    /// Processors, from 1.
    pub threads: usize,
    /// How they work together.
    pub strategy: Strategy,
    /// How split points are chosen.
    pub policy: SplitPolicy,
    /// Binds each thread to a core, if the system allows it.
    pub pin: bool,
    /// Virtual processors in place of threads, and what things cost them.
    pub simulate: Option<CostModel>,
    /// Keeps up to this many trace events a processor; none if zero.
    pub trace_events: usize,
}

impl Default for EngineOptions {
    /// The modern profile, one thread, 16 MiB.
    fn default() -> Self {
        EngineOptions {
            profile: Profile::Modern,
            table_mebibytes: 16,
            threads: 1,
            strategy: Strategy::Dts,
            policy: SplitPolicy::default(),
            pin: false,
            simulate: None,
            trace_events: 0,
        }
    }
}

/// Why an engine cannot do what it is asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The threads cannot be had.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The table cannot be had.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// Why a position with its moves cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// The position is wrong.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move is wrong.
    #[error("move number {number}: {source}")]
    Move {
        /// Which, from 1.
        number: usize,
        /// What is wrong.
        source: MoveError,
    },
}

/// What a search is to find out beyond the best move.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Only these moves count; all if there are none. Moves that are not legal are passed over.
    pub only: Vec<Move>,
    /// Lines of so many root moves are wanted, best first; 0 is 1.
    pub lines: usize,
}

/// Whether a value is known or only bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The score is the value.
    Exactly,
    /// The value is at least the score, for the side to move.
    AtLeast,
    /// The value is at most the score, for the side to move.
    AtMost,
}

/// A line of play and its worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedLine {
    /// The score for the side to move.
    pub score: Score,
    /// Whether that is the value or a bound.
    pub known: Known,
    /// The depth that it is of, in plies.
    pub depth: i32,
    /// The moves, the first one at the root.
    pub moves: Vec<Move>,
}

/// How far a search has come.
#[derive(Clone, Debug)]
pub struct SearchProgress {
    /// The depth of the iteration, in plies.
    pub depth: i32,
    /// The deepest ply that any processor has looked at, quiescence included.
    pub selective_depth: usize,
    /// The best lines, best first: as many as were asked for.
    pub lines: Vec<RankedLine>,
    /// Nodes searched so far, within some thousands.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// How much of the table is in use, in thousandths.
    pub table_used: u32,
}

/// What a search has found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The position that was searched.
    pub board: Board,
    /// The score for the side to move.
    pub score: Score,
    /// The depth of the last iteration that told something, in plies; 0 if there was none.
    pub depth: i32,
    /// The deepest ply that any processor has looked at, quiescence included.
    pub selective_depth: usize,
    /// The best move; none if there is none to be made.
    pub best: Option<Move>,
    /// The reply that is expected.
    pub ponder: Option<Move>,
    /// The best lines, best first: as many as were asked for.
    pub lines: Vec<RankedLine>,
    /// Nodes searched by all processors.
    pub nodes: u64,
    /// Time taken.
    pub elapsed: Duration,
    /// What the engine reports; none if there was nothing to search.
    pub report: Option<Report<Choice>>,
}

impl Found {
    /// The best move as UCI writes it in standard chess.
    #[must_use]
    pub fn best_text(&self) -> Option<String> {
        self.best.map(|best| move_text(&self.board, best, false))
    }
}

/// A chess engine. The table and what has been learnt about moves are kept from one search to the next until
/// [`Engine::new_game`].
#[derive(Debug)]
pub struct Engine {
    options: EngineOptions,
    table: Option<Arc<Table>>,
    searcher: Option<Searcher<Chess>>,
    root: Position,
    /// The keys of the positions before the root that could be repeated, the latest first.
    before: Vec<u64>,
}

/// No iteration is deeper.
const DEEPEST: i32 = 120;
/// Half the first window about the value of the iteration before, in centipawns.
const ASPIRATION: Value = 18;

impl Engine {
    /// An engine with the start position.
    ///
    /// # Errors
    /// If threads or memory cannot be had.
    pub fn new(options: EngineOptions) -> Result<Engine, EngineError> {
        let table = new_table(options.table_mebibytes)?;
        let root = Position::new(Board::startpos());
        let mut engine = Engine { options, table, searcher: None, root, before: Vec::new() };
        engine.searcher()?;
        Ok(engine)
    }

    /// How the engine is set up.
    #[must_use]
    pub fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// The table, if there is one.
    #[must_use]
    pub fn table(&self) -> Option<&Table> {
        self.table.as_deref()
    }

    /// Sets the engine up anew; the position stays, and the table if its size does.
    ///
    /// # Errors
    /// If threads or memory cannot be had: the engine stays as it was, but for the table's contents.
    pub fn set_options(&mut self, options: EngineOptions) -> Result<(), EngineError> {
        self.searcher = None;
        if options.table_mebibytes != self.options.table_mebibytes {
            // The old memory is given back first: there may not be room for both.
            self.table = None;
            self.table = match new_table(options.table_mebibytes) {
                Ok(table) => table,
                Err(error) => {
                    self.table = new_table(self.options.table_mebibytes)?;
                    return Err(error.into());
                }
            };
        }
        let old = std::mem::replace(&mut self.options, options);
        if let Err(error) = self.searcher() {
            self.options = old;
            return Err(error.into());
        }
        Ok(())
    }

    /// Forgets everything that belongs to a game: the table, and which moves have been good.
    pub fn new_game(&mut self) {
        self.searcher = None;
        if let Some(table) = self.table.as_mut().and_then(Arc::get_mut) {
            table.clear(self.options.threads);
        }
    }

    /// Sets the position that moves in UCI notation lead to from a FEN or from `startpos`.
    ///
    /// # Errors
    /// If the position or a move is wrong: the engine keeps the position that it had.
    pub fn set_position(&mut self, start: &str, moves: &[&str]) -> Result<(), PositionError> {
        let board = if start == "startpos" { Board::startpos() } else { parse_fen(start)? };
        let mut position = Position::new(board);
        let mut keys = Vec::new();
        for (number, text) in moves.iter().enumerate() {
            let chosen = parse_move(position.board(), text)
                .map_err(|source| PositionError::Move { number: number + 1, source })?;
            keys.push(position.key());
            position = position.after(chosen);
        }
        self.before = keys.into_iter().rev().take(position.reversible()).collect();
        self.root = position;
        Ok(())
    }

    /// Sets the position of a board; nothing is known of the game before.
    pub fn set_board(&mut self, board: Board) {
        self.root = Position::new(board);
        self.before.clear();
    }

    /// Plays a move on the position.
    ///
    /// # Errors
    /// If the move is not legal.
    pub fn play(&mut self, chosen: Move) -> Result<(), MoveError> {
        let board = self.root.board();
        if !board.is_legal(chosen) {
            return Err(MoveError::Illegal { text: chosen.to_string(), position: fen_text(board) });
        }
        self.before.insert(0, self.root.key());
        self.root = self.root.after(chosen);
        self.before.truncate(self.root.reversible());
        Ok(())
    }

    /// The position.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.root
    }

    /// How often the position has been there before in this game.
    #[must_use]
    pub fn repetitions(&self) -> usize {
        self.before.iter().filter(|&&key| key == self.root.key()).count()
    }

    /// The searcher, made if there is none.
    fn searcher(&mut self) -> Result<&mut Searcher<Chess>, SetupError> {
        let searcher = match self.searcher.take() {
            Some(searcher) => searcher,
            None => {
                let options = &self.options;
                let game = Chess::new(options.profile, options.threads).with_table_ahead(self.table.clone());
                let search = Options {
                    processors: options.threads,
                    strategy: options.strategy,
                    policy: options.policy,
                    pin: options.pin,
                    simulate: options.simulate,
                    trace_events: options.trace_events,
                    ..Options::default()
                };
                Searcher::new(game, ChessMemory::new(self.table.clone()), search)?
            }
        };
        Ok(self.searcher.insert(searcher))
    }

    /// Searches the position within `limits`. `progress` is told each time more is known, on the thread that found it out; it must be
    /// quick.
    ///
    /// Without limits the search ends at a depth that no game needs.
    ///
    /// # Errors
    /// If threads cannot be had, or by an error in the program.
    pub fn search(
        &mut self,
        question: Question,
        limits: &Limits,
        progress: impl Fn(&SearchProgress) + Send + Sync + 'static,
    ) -> Result<Found, EngineError> {
        let mut root = self.root.clone();
        let board = root.board().clone();
        let side = root.side();
        let mut only = question.only;
        only.retain(|&chosen| board.is_legal(chosen));
        let mut legal = crate::perft::moves(&board);
        if !only.is_empty() {
            legal.retain(|chosen| only.contains(chosen));
        }
        let Some(&first) = legal.first() else { return Ok(nothing_to_search(&root)) };
        let wanted = question.lines.max(1);

        let before = self.before.clone();
        let table = self.table.clone();
        let searcher = self.searcher()?;
        let memory = searcher.shared();
        root.set_reversible(memory.before.set(before.into_iter()));
        *memory.root_moves.lock() = only;
        let selective_depth = Arc::clone(&memory.selective_depth);
        selective_depth.reset();
        if let Some(table) = &table {
            table.new_search();
        }
        let mut plan = Plan::deepening(DEEPEST).with(Approach::Aspiration { width: ASPIRATION });
        if wanted > 1 {
            plan = plan.with_lines(wanted);
        }
        let reporter = {
            let (board, table, selective_depth) =
                (board.clone(), table.clone(), Arc::clone(&selective_depth));
            move |seen: &Progress<'_, Choice>| {
                if let Some(state) = seen.state {
                    progress(&SearchProgress {
                        depth: state.depth,
                        selective_depth: selective_depth.get(),
                        lines: lines_of(state, &board, side, wanted, table.as_deref()),
                        nodes: seen.nodes,
                        elapsed: seen.elapsed,
                        table_used: table.as_deref().map_or(0, Table::used_permille),
                    });
                }
            }
        };
        let report = searcher.search_reporting(root.clone(), plan, limits, reporter)?;
        let lines = match &report.state {
            Some(state) => lines_of(state, &board, side, wanted, table.as_deref()),
            None => Vec::new(),
        };
        let best_line = lines.first();
        let best = best_line.and_then(|line| line.moves.first().copied()).unwrap_or(first);
        Ok(Found {
            score: best_line.map_or_else(|| score_for(side, evaluate(&root)), |line| line.score),
            depth: best_line.map_or(0, |line| line.depth),
            selective_depth: selective_depth.get(),
            best: Some(best),
            ponder: best_line.and_then(|line| line.moves.get(1).copied()),
            lines,
            nodes: report.nodes,
            elapsed: report.elapsed,
            report: Some(report),
            board,
        })
    }
}

fn new_table(mebibytes: usize) -> Result<Option<Arc<Table>>, TableError> {
    if mebibytes == 0 { Ok(None) } else { Table::new(mebibytes).map(|table| Some(Arc::new(table))) }
}

/// What there is to say of a position without moves.
fn nothing_to_search(root: &Position) -> Found {
    let score =
        if root.in_check() { score_for(root.side(), mated_at(root.side(), 0)) } else { Score::Centipawns(0) };
    Found {
        board: root.board().clone(),
        score,
        depth: 0,
        selective_depth: 0,
        best: None,
        ponder: None,
        lines: Vec::new(),
        nodes: 0,
        elapsed: Duration::ZERO,
        report: None,
    }
}

/// The best lines of a root, `wanted` of them, for the side to move.
fn lines_of(
    state: &RootState<Choice>,
    board: &Board,
    side: Side,
    wanted: usize,
    table: Option<&Table>,
) -> Vec<RankedLine> {
    let line = |range: Range, depth: i32, moves: &[Choice]| {
        let (value, known) = value_of(range, side);
        RankedLine { score: score_for(side, value), known, depth, moves: playable(board, moves, table) }
    };
    if wanted <= 1 || state.moves.is_empty() {
        return vec![line(state.range, state.depth, &state.line)];
    }
    let known = state.moves.iter().filter(|root_move| root_move.range != Range::UNKNOWN);
    known.take(wanted).map(|root_move| line(root_move.range, root_move.depth, &root_move.line)).collect()
}

/// A range as the side to move reads it.
fn value_of(range: Range, side: Side) -> (Value, Known) {
    if range.is_exact() {
        return (range.lower, Known::Exactly);
    }
    let has_lower = range.lower > dts_engine::LOWEST;
    match (side, has_lower) {
        (Side::Max, true) => (range.lower, Known::AtLeast),
        (Side::Max, false) => (range.upper, Known::AtMost),
        (Side::Min, true) => (range.lower, Known::AtMost),
        (Side::Min, false) => (range.upper, Known::AtLeast),
    }
}

/// The moves of a line as far as they can be played, with the table's reply if it ends at once.
fn playable(board: &Board, line: &[Choice], table: Option<&Table>) -> Vec<Move> {
    let mut position = Position::new(board.clone());
    let mut moves = Vec::new();
    for choice in line {
        let Some(chosen) = choice.as_move().filter(|&chosen| position.board().is_legal(chosen)) else {
            break;
        };
        position = position.after(chosen);
        moves.push(chosen);
    }
    if moves.len() == 1
        && let Some(bits) = table.and_then(|table| table.get(position.key()))
    {
        let reply = Entry::unpack(bits).best;
        if !reply.is_none() && position.board().is_legal(reply.unpack()) {
            moves.push(reply.unpack());
        }
    }
    moves
}
