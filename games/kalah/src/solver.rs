//! Boards solved: the exact search with its table and database set up for a board.

use std::fmt;

use dts_engine::table::{Table, TableError};
use dts_engine::{
    Approach, Limits, Options, Plan, Range, Report, SearchError, Searcher, SetupError, Side, SplitPolicy,
    Value, available_bytes,
};

use crate::board::{Board, Player};
use crate::database::{Build, Database, DatabaseError, Progress};
use crate::evaluation::Evaluation;
use crate::exact::{Exact, ExactMemory, FULL_DEPTH};
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
    /// Asked now and then whether to end the building of the database.
    pub stop: Option<&'a (dyn Fn() -> bool + Sync)>,
    /// Told how the building of the database goes on.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl Endgames {
    /// Up to how many stones the database of a board of `pits` a side with `left` stones on the pits goes; none if it is
    /// there already.
    #[must_use]
    pub fn stones_for(&self, pits: usize, left: u32) -> Option<u32> {
        match self {
            Endgames::Automatic => Some(automatic_stones(pits, left)),
            Endgames::None => Some(0),
            Endgames::Stones(stones) => Some(*stones),
            Endgames::Ready(_) => None,
        }
    }
}

/// Where boards that are solved to the end are best split: not at the root.
///
/// The moves of a root lead to many positions in common, and what is found below one of them saves work below the next, through the
/// table. Processors at work below two of them at once find nearly everything twice: one board out of ten took 1.7 times the nodes
/// of one processor. Further down they work on the same small part of the game, and the table is shared in time.
#[must_use]
pub fn split_policy() -> SplitPolicy {
    SplitPolicy { split_root: false, ..SplitPolicy::default() }
}

impl Default for SolverOptions<'_> {
    fn default() -> Self {
        SolverOptions {
            search: Options { policy: split_policy(), ..Options::default() },
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

/// The stones of the database that pays for a board: its building must cost little beside the search, and it must leave most
/// of the memory alone.
fn automatic_stones(pits: usize, left: u32) -> u32 {
    // Building costs about ten nanoseconds a position; what a search costs grows by about 1.6 a stone.
    let positions_that_pay = match left {
        0..=24 => 10_000.0,
        _ => 6e4 * 1.6_f64.powi(left.min(64) as i32 - 28),
    };
    let room = available_bytes().unwrap_or(u64::MAX) / 4;
    let pits = pits as u32;
    let fits = |&stones: &u32| {
        Database::positions(pits, stones).is_ok_and(|count| count as f64 <= positions_that_pay)
            && Database::build_bytes(pits, stones, 1).is_ok_and(|bytes| bytes <= room)
    };
    (1..=left.saturating_sub(1).min(31)).take_while(fits).last().unwrap_or(0)
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
    let threads = match options.search.simulate {
        Some(_) => std::thread::available_parallelism().map_or(1, usize::from),
        None => options.search.processors,
    };
    let build = Build { threads, stop: options.stop, progress: options.progress };
    let stones = options.endgames.stones_for(board.pits(), left).unwrap_or(0);
    if stones > 0 {
        let bytes = Database::build_bytes(pits, stones, threads)?;
        if available_bytes().is_some_and(|available| bytes > available) {
            return Err(DatabaseError::Memory { bytes }.into());
        }
    }
    let database = match options.endgames {
        Endgames::Ready(database) => Some(database),
        _ if stones > 0 => Some(Database::build(rules, pits, stones, build)?),
        _ => None,
    };
    let table = if options.table_mebibytes > 0 { Some(Table::new(options.table_mebibytes)?) } else { None };
    let base = database.as_ref().map_or(0, Database::stones);
    let grain = (base + GRAIN_ABOVE_DATABASE).max(GRAIN_AT_LEAST);
    Ok(Searcher::new(
        Exact::new(sowing, grain, base + KEEP_ABOVE_DATABASE),
        ExactMemory { table, database },
        options.search,
    )?)
}

/// The iterations that prepare a search to the end: their best moves are tried first there.
const FIRST_DEPTH: i32 = 3;
const DEPTH_STEP: i32 = 3;

fn last_depth(left: Value) -> i32 {
    if left < 30 { 3 } else { 12 }
}

/// Positions with less than so many stones more than the database has are not kept in the table.
const KEEP_ABOVE_DATABASE: u32 = 4;

/// Stones on the pits below which a subtree is too small for a split.
const GRAIN_AT_LEAST: u32 = 18;
/// The same, above the stones of the database.
const GRAIN_ABOVE_DATABASE: u32 = 8;

fn on_the_pits(board: &Board) -> u32 {
    [Player::A, Player::B]
        .into_iter()
        .flat_map(|player| board.row(player))
        .map(|&stones| u32::from(stones))
        .sum()
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
    let plan = Plan { first_depth: FIRST_DEPTH, depth_step: DEPTH_STEP, ..Plan::fixed(last_depth(left)) }
        .and_finally(FULL_DEPTH)
        .with(Approach::Zero { guess, step });
    let plan = if what == What::Moves { plan.with_all_values() } else { plan };
    if let Some(table) = &searcher.shared().table {
        table.new_search();
    }
    let mut report = searcher.search(root, plan, limits)?;
    let Some(state) = report.state.clone().filter(|state| state.depth == FULL_DEPTH) else {
        let range = Range { lower: -left, upper: left };
        return Ok(Solution { range, best: None, line: Vec::new(), moves: Vec::new(), report: Some(report) });
    };
    let moves = moves_of(board, &report);
    // Nobody can win more than there is, even if the search was stopped before it knew that.
    let range = for_mover(state.range, mover);
    let range = Range { lower: range.lower.max(-left), upper: range.upper.min(left) };
    let best = match what {
        What::Moves => first_best(&moves).map(|(pit, _)| pit),
        _ => state.best.map(|pit| number(board, pit)),
    };
    let mut solution = Solution { range, best, line: best.into_iter().collect(), moves, report: None };
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
    let mut at = *board;
    let mut value = solution.range.lower;
    let mut next = solution.best;
    while let Some(pit) = next {
        let (mover, before) = (at.to_move(), lead(&at));
        if at.play(&rules, pit).is_err() || at.is_over(&rules) {
            break;
        }
        let gained = lead(&at) - before;
        value -= if mover == Player::A { gained } else { -gained };
        if at.to_move() != mover {
            value = -value;
        }
        let Some(root) = position(searcher.game().sowing(), &at) else { break };
        let guess = if at.to_move() == Player::A { value } else { -value };
        let searched =
            searcher.search(root, Plan::fixed(FULL_DEPTH).with(Approach::Zero { guess, step }), limits)?;
        add(report, &searched);
        next = searched
            .state
            .filter(|state| state.range.is_exact())
            .and_then(|state| state.best)
            .map(|pit| number(&at, pit));
        solution.line.extend(next);
    }
    Ok(())
}

/// What A has in store more than B.
fn lead(board: &Board) -> Value {
    Value::from(board.store(Player::A)) - Value::from(board.store(Player::B))
}

/// Adds the cost of another search.
fn add(report: &mut Report<u8>, other: &Report<u8>) {
    report.nodes += other.nodes;
    report.elapsed += other.elapsed;
    if let (Some(mine), Some(other)) = (&mut report.virtual_time, &other.virtual_time) {
        *mine += *other;
    }
    for (mine, others) in report.statistics.iter_mut().zip(&other.statistics) {
        *mine += others;
    }
}

/// Searches `board` to a fixed depth and judges every move; values are those of the evaluation, as the mover sees them. Moves come
/// in ascending order, and of several best ones the first is named. Smaller depths are searched first, so that a search that is
/// stopped has something to show: the report's state tells the depth.
///
/// # Errors
/// If the board has too many stones, or threads cannot be had.
pub fn analyse(
    rules: Rules,
    board: &Board,
    depth: i32,
    unit: Depth,
    evaluation: Evaluation,
    options: Options,
    limits: &Limits,
) -> Result<Solution, SolveError> {
    let horizon = LookAhead { rules, unit, evaluation, order: Order::ExtraTurnsFirst };
    // Two thirds of the depths left out, the others cost little.
    let plan = Plan { first_depth: (depth - 1) % 3 + 1, depth_step: 3, ..Plan::fixed(depth) };
    if board.pits() <= u64::LANES as usize {
        look_ahead::<u64>(&horizon, board, plan, options, limits)
    } else {
        look_ahead::<u128>(&horizon, board, plan, options, limits)
    }
}

/// The whole turn that the seed's program chooses: `turns` turns ahead, in ascending order, the first of several best turns kept.
/// Empty if the game is over.
///
/// # Errors
/// If the board has too many stones.
pub fn choose_turn(
    rules: Rules,
    board: &Board,
    turns: i32,
    evaluation: Evaluation,
) -> Result<Vec<usize>, SolveError> {
    let limits = Limits::new();
    let plan = Plan::fixed(turns);
    let horizon = LookAhead { rules, unit: Depth::Turns, evaluation, order: Order::Ascending };
    let mut at = *board;
    let mut turn = Vec::new();
    // The first best turn begins with the first best move: turns are in the order of their moves.
    while at.to_move() == board.to_move() && !at.is_over(&rules) {
        let solution = if board.pits() <= u64::LANES as usize {
            look_ahead::<u64>(&horizon, &at, plan, Options::default(), &limits)?
        } else {
            look_ahead::<u128>(&horizon, &at, plan, Options::default(), &limits)?
        };
        let Some(best) = solution.best else { break };
        if at.play(&rules, best).is_err() {
            break;
        }
        turn.push(best);
    }
    Ok(turn)
}

/// How far and how to look ahead.
#[derive(Clone, Copy)]
struct LookAhead {
    rules: Rules,
    unit: Depth,
    evaluation: Evaluation,
    order: Order,
}

fn look_ahead<R: Row>(
    horizon: &LookAhead,
    board: &Board,
    plan: Plan,
    options: Options,
    limits: &Limits,
) -> Result<Solution, SolveError> {
    let LookAhead { rules, unit, evaluation, order } = *horizon;
    let (game, root) = Horizon::<R>::of(rules, board, evaluation, unit, order)
        .ok_or_else(|| SolveError::Stones(on_the_pits(board)))?;
    let mover = side(board.to_move());
    if root.is_over() {
        let range = for_mover(Range::exact(game.judge(&root)), mover);
        return Ok(Solution { range, best: None, line: Vec::new(), moves: Vec::new(), report: None });
    }
    let mut searcher = Searcher::new(game, (), options)?;
    let report = searcher.search(root, plan.with_all_values(), limits)?;
    let moves = moves_of(board, &report);
    let best = first_best(&moves);
    Ok(Solution {
        range: best.map_or(Range::UNKNOWN, |(_, range)| range),
        best: best.map(|(pit, _)| pit),
        line: best.into_iter().map(|(pit, _)| pit).collect(),
        moves,
        report: Some(report),
    })
}

/// What each root move is worth to its mover, in ascending order.
fn moves_of(board: &Board, report: &Report<u8>) -> Vec<(usize, Range)> {
    let root_moves = report.state.iter().flat_map(|state| &state.moves);
    let mover = side(board.to_move());
    let mut moves: Vec<_> =
        root_moves.map(|of| (number(board, of.chosen), for_mover(of.range, mover))).collect();
    moves.sort_by_key(|&(pit, _)| pit);
    moves
}

/// Of several best moves the first, so that the answer does not depend on the order of the search.
fn first_best(moves: &[(usize, Range)]) -> Option<(usize, Range)> {
    moves.iter().rev().max_by_key(|(_, range)| range.lower).copied()
}
