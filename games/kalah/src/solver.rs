//! Boards solved: the exact search with its table and database set up for a board.

use std::fmt;
use std::sync::atomic::AtomicBool;

use dts_engine::table::{Table, TableError};
use dts_engine::{
    Approach, Limits, Options, Plan, Range, Report, SearchError, Searcher, SetupError, Side, Value,
};

use crate::board::{Board, Player};
use crate::database::{Build, Database, DatabaseError, Progress};
use crate::evaluation::Evaluation;
use crate::exact::{Exact, ExactMemory};
use crate::horizon::{Depth, Horizon, Order};
use crate::position::{Position, Row};
use crate::rules::{Rules, Sweep};
use crate::sowing::Sowing;

/// The endgame database of a solver.
#[derive(Debug, Default)]
pub enum Endgames {
    /// As many stones as pay for boards of the size to be solved.
    #[default]
    Automatic,
    /// None.
    None,
    /// All positions with up to so many stones on the pits.
    Stones(u32),
    /// One that is there already.
    Ready(Database),
}

/// How boards are solved.
pub struct SolverOptions<'a> {
    /// Processors, strategy and so on.
    pub search: Options,
    /// The transposition table, in MiB; none if zero.
    pub table_mebibytes: usize,
    /// The endgame database.
    pub endgames: Endgames,
    /// Ends the building of the database.
    pub stop: Option<&'a AtomicBool>,
    /// Told how the building of the database goes on.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl Default for SolverOptions<'_> {
    fn default() -> Self {
        SolverOptions {
            search: Options::default(),
            table_mebibytes: 256,
            endgames: Endgames::default(),
            stop: None,
            progress: None,
        }
    }
}

impl fmt::Debug for SolverOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SolverOptions")
            .field("search", &self.search)
            .field("table_mebibytes", &self.table_mebibytes)
            .field("endgames", &self.endgames)
            .finish_non_exhaustive()
    }
}

/// Why a board is not solved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The threads cannot be had.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The table cannot be had.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The database cannot be had.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The board's pits hold too many stones for a search.
    #[error("{0} stones on the pits are too many to be searched; at most {max} are possible", max = crate::position::MOST_STONES)]
    Stones(u32),
    /// The board is not of the size the solver was made for.
    #[error("a board of {found} pits a side was given to a solver for {wanted}")]
    Pits {
        /// The board's.
        found: usize,
        /// The solver's.
        wanted: usize,
    },
}

/// What is known of a board. Values are stones still to be won, the mover's less the opponent's.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The value, exact unless the search was stopped.
    pub range: Range,
    /// The best first elementary move; none if the game is over or the search was stopped too early.
    pub best: Option<usize>,
    /// Best play of both sides to the end of the game, elementary moves, as far as it was found.
    pub line: Vec<usize>,
    /// What every legal move is worth, in ascending order, if that was asked for.
    pub moves: Vec<(usize, Range)>,
    /// What it cost; the sum of all searches that were made for it. None if the game was over at once.
    pub report: Option<Report<u8>>,
}

impl Solution {
    /// The value, if it is known.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        self.range.is_exact().then_some(self.range.lower)
    }
}

/// Solves boards of one size by one variant of the rules; its table is kept from one to the next.
#[derive(Debug)]
pub struct Solver {
    rules: Rules,
    pits: usize,
    width: Width,
}

/// The searchers for boards of up to 6 and of up to 12 pits a side.
#[derive(Debug)]
enum Width {
    Narrow(Box<Searcher<Exact<u64>>>),
    Wide(Box<Searcher<Exact<u128>>>),
}

impl Solver {
    /// A solver for `board` and others of its size. Builds the database, which may take a while.
    ///
    /// # Errors
    /// If threads or memory cannot be had, or the building of the database is stopped.
    pub fn new(rules: Rules, board: &Board, options: SolverOptions<'_>) -> Result<Solver, SolveError> {
        let pits = board.pits();
        let width = if pits <= u64::LANES as usize {
            Width::Narrow(Box::new(searcher(rules, board, options)?))
        } else {
            Width::Wide(Box::new(searcher(rules, board, options)?))
        };
        Ok(Solver { rules, pits, width })
    }

    /// The memory of the searches.
    #[must_use]
    pub fn memory(&self) -> &ExactMemory {
        match &self.width {
            Width::Narrow(searcher) => searcher.shared(),
            Width::Wide(searcher) => searcher.shared(),
        }
    }

    /// Solves `board`: value, best move and line.
    ///
    /// # Errors
    /// If the board does not fit the solver.
    pub fn solve(&mut self, board: &Board, limits: &Limits) -> Result<Solution, SolveError> {
        self.search(board, limits, What::Line)
    }

    /// The value and best move of `board`, without the line: one search.
    ///
    /// # Errors
    /// If the board does not fit the solver.
    pub fn value(&mut self, board: &Board, limits: &Limits) -> Result<Solution, SolveError> {
        self.search(board, limits, What::Value)
    }

    /// The value of every move of `board`.
    ///
    /// # Errors
    /// If the board does not fit the solver.
    pub fn moves(&mut self, board: &Board, limits: &Limits) -> Result<Solution, SolveError> {
        self.search(board, limits, What::Moves)
    }

    fn search(&mut self, board: &Board, limits: &Limits, what: What) -> Result<Solution, SolveError> {
        if board.pits() != self.pits {
            return Err(SolveError::Pits { found: board.pits(), wanted: self.pits });
        }
        match &mut self.width {
            Width::Narrow(searcher) => solve(searcher, self.rules, board, limits, what),
            Width::Wide(searcher) => solve(searcher, self.rules, board, limits, what),
        }
    }
}

/// What is asked of a board.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Value,
    Line,
    Moves,
}

/// The stones of the database that pays for a board: its building must cost little beside the search.
fn automatic_stones(pits: usize, left: u32) -> u32 {
    let most = match (pits, left) {
        (_, 0..=24) => 0,
        (0..=2, _) => 16,
        (3, _) => 16,
        (4, _) => 16,
        (5, 0..=40) => 10,
        (5, _) => 14,
        (6, 0..=36) => 8,
        (6, 37..=48) => 12,
        (6, _) => 16,
        (7..=8, _) => 8,
        _ => 0,
    };
    most.min(left.saturating_sub(1))
}

fn searcher<R: Row>(
    rules: Rules,
    board: &Board,
    options: SolverOptions<'_>,
) -> Result<Searcher<Exact<R>>, SolveError> {
    let pits = board.pits() as u32;
    let left = on_the_pits(board);
    let sowing = Sowing::new(rules, pits).ok_or(SolveError::Stones(left))?;
    if left > crate::position::MOST_STONES {
        return Err(SolveError::Stones(left));
    }
    let build = Build { threads: options.search.processors, stop: options.stop, progress: options.progress };
    let stones = match &options.endgames {
        Endgames::Automatic => automatic_stones(board.pits(), left),
        Endgames::Stones(stones) => *stones,
        Endgames::None | Endgames::Ready(_) => 0,
    };
    let database = match options.endgames {
        Endgames::Ready(database) => Some(database),
        _ if stones > 0 => Some(Database::build(rules, pits, stones, build)?),
        _ => None,
    };
    let table = if options.table_mebibytes > 0 { Some(Table::new(options.table_mebibytes)?) } else { None };
    let base = database.as_ref().map_or(0, Database::stones);
    let grain = (base + GRAIN_ABOVE_DATABASE).max(GRAIN_AT_LEAST);
    Ok(Searcher::new(Exact::new(sowing, grain), ExactMemory { table, database }, options.search)?)
}

/// Stones on the pits below which a subtree is too small for a split.
const GRAIN_AT_LEAST: u32 = 18;
/// The same, above the stones of the database.
const GRAIN_ABOVE_DATABASE: u32 = 8;

fn on_the_pits(board: &Board) -> u32 {
    [Player::A, Player::B].into_iter().flat_map(|player| board.row(player)).map(|&stones| u32::from(stones)).sum()
}

/// The fast position of a board; nothing is banked. `Max` is A. None if it has too many stones.
pub(crate) fn position<R: Row>(sowing: &Sowing<R>, board: &Board) -> Option<Position<R>> {
    let row = |player| board.row(player).iter().map(|&stones| u32::from(stones)).collect::<Vec<_>>();
    sowing.position(&row(Player::A), &row(Player::B), 0, side(board.to_move()))
}

fn side(player: Player) -> Side {
    match player {
        Player::A => Side::Max,
        Player::B => Side::Min,
    }
}

/// A range from Max's side as the mover sees it, or back.
fn for_mover(range: Range, mover: Side) -> Range {
    match mover {
        Side::Max => range,
        Side::Min => Range { lower: -range.upper, upper: -range.lower },
    }
}

/// The number of the mover's pit `pit` as the seed counts: 0 and up for A, one more than the pits and up for B.
fn number(board: &Board, pit: u8) -> usize {
    board.first_pit(board.to_move()) + usize::from(pit)
}

fn solve<R: Row>(
    searcher: &mut Searcher<Exact<R>>,
    rules: Rules,
    board: &Board,
    limits: &Limits,
    what: What,
) -> Result<Solution, SolveError> {
    let root = position(searcher.game().sowing(), board).ok_or(SolveError::Stones(on_the_pits(board)))?;
    let mover = side(board.to_move());
    if root.is_over() {
        let range = for_mover(Range::exact(Value::from(root.banked)), mover);
        return Ok(Solution { range, best: None, line: Vec::new(), moves: Vec::new(), report: None });
    }
    // Every stone is won by somebody, so values have the parity of the stones: unless the rest counts for nobody.
    let left = on_the_pits(board) as Value;
    let step = if rules.sweep == Sweep::None { 1 } else { 2 };
    let guess = if step == 2 { left % 2 } else { 0 };
    let plan = Plan::fixed(0).with(Approach::Zero { guess, step });
    let plan = if what == What::Moves { plan.with_all_values() } else { plan };
    if let Some(table) = &searcher.shared().table {
        table.new_search();
    }
    let mut report = searcher.search(root, plan, limits)?;
    let Some(state) = report.state.clone() else {
        let range = Range { lower: -left, upper: left };
        return Ok(Solution { range, best: None, line: Vec::new(), moves: Vec::new(), report: Some(report) });
    };
    let mut moves: Vec<_> =
        state.moves.iter().map(|of| (number(board, of.chosen), for_mover(of.range, mover))).collect();
    moves.sort_by_key(|&(pit, _)| pit);
    // Of several best moves the first is named, so that the answer does not depend on the order of the search.
    let best = match what {
        What::Moves => moves.iter().rev().max_by_key(|(_, range)| range.lower).map(|&(pit, _)| pit),
        _ => state.best.map(|pit| number(board, pit)),
    };
    let mut solution =
        Solution { range: for_mover(state.range, mover), best, line: best.into_iter().collect(), moves, report: None };
    if what == What::Line && state.range.is_exact() {
        follow(searcher, board, rules, step, &mut solution, &mut report, limits)?;
    }
    solution.report = Some(report);
    Ok(solution)
}

/// Follows best play to the end of the game. Every position's value is known from the one before, and the table still holds
/// most of what is needed.
fn follow<R: Row>(
    searcher: &mut Searcher<Exact<R>>,
    board: &Board,
    rules: Rules,
    step: Value,
    solution: &mut Solution,
    report: &mut Report<u8>,
    limits: &Limits,
) -> Result<(), SolveError> {
    let mut at = board.clone();
    let mut value = solution.range.lower;
    let mut next = solution.best;
    while let Some(pit) = next {
        let (mover, before) = (at.to_move(), at.difference());
        if at.play(&rules, pit).is_err() || at.is_over(&rules) {
            break;
        }
        let gained = at.difference() - before;
        value -= if mover == Player::A { gained } else { -gained };
        if at.to_move() != mover {
            value = -value;
        }
        let Some(root) = position(searcher.game().sowing(), &at) else { break };
        let guess = if at.to_move() == Player::A { value } else { -value };
        let searched = searcher.search(root, Plan::fixed(0).with(Approach::Zero { guess, step }), limits)?;
        add(report, &searched);
        next = searched.state.filter(|state| state.range.is_exact()).and_then(|state| state.best).map(|pit| number(&at, pit));
        solution.line.extend(next);
    }
    Ok(())
}

/// Adds the cost of another search.
fn add(report: &mut Report<u8>, other: &Report<u8>) {
    report.nodes += other.nodes;
    report.elapsed += other.elapsed;
    for (mine, others) in report.statistics.iter_mut().zip(&other.statistics) {
        *mine += others;
    }
}

/// Searches `board` to a fixed depth and judges every move; values are those of the evaluation, as the mover sees them.
///
/// # Errors
/// If the board has too many stones, or threads cannot be had.
pub fn analyse(
    rules: Rules,
    board: &Board,
    depth: i32,
    unit: Depth,
    evaluation: Evaluation,
    order: Order,
    options: Options,
    limits: &Limits,
) -> Result<Solution, SolveError> {
    if board.pits() <= u64::LANES as usize {
        analyse_as::<u64>(rules, board, depth, unit, evaluation, order, options, limits)
    } else {
        analyse_as::<u128>(rules, board, depth, unit, evaluation, order, options, limits)
    }
}

fn analyse_as<R: Row>(
    rules: Rules,
    board: &Board,
    depth: i32,
    unit: Depth,
    evaluation: Evaluation,
    order: Order,
    options: Options,
    limits: &Limits,
) -> Result<Solution, SolveError> {
    let stones = on_the_pits(board);
    let sowing = Sowing::<R>::new(rules, board.pits() as u32).ok_or(SolveError::Stones(stones))?;
    let mut root = position(&sowing, board).ok_or(SolveError::Stones(stones))?;
    root.banked += board.difference() as i16;
    let mover = side(board.to_move());
    let game = Horizon::new(sowing, evaluation, unit, order, board.total(), &root);
    if root.is_over() {
        let range = for_mover(Range::exact(Value::from(root.banked) - board.difference()), mover);
        return Ok(Solution { range, best: None, line: Vec::new(), moves: Vec::new(), report: None });
    }
    let mut searcher = Searcher::new(game, (), options)?;
    let plan = Plan::fixed(depth).with_all_values();
    let report = searcher.search(root, plan, limits)?;
    let mut moves: Vec<_> = report
        .state
        .iter()
        .flat_map(|state| &state.moves)
        .map(|of| (number(board, of.chosen), for_mover(of.range, mover)))
        .collect();
    moves.sort_by_key(|&(pit, _)| pit);
    let best = moves.iter().rev().max_by_key(|(_, range)| range.lower).copied();
    Ok(Solution {
        range: best.map_or(Range::UNKNOWN, |(_, range)| range),
        best: best.map(|(pit, _)| pit),
        line: best.into_iter().map(|(pit, _)| pit).collect(),
        moves,
        report: Some(report),
    })
}
