//! How a batch is shared out: the caller's thread hands out questions and tells answers, and each worker searches one part of a
//! question at a time.
//!
//! Parts are taken in the order of the questions. When the last questions are there, the hardest of their parts are taken first,
//! so that all workers come to the end at about the same time. A part that is taken when there are fewer left than workers is given up
//! after [`PATIENCE`] nodes. What was given up is searched at the end by a *team*: a solver with all processors. The
//! workers' tables are gone by then, so that the team's may take all the memory.

use std::collections::VecDeque;
use std::iter::Fuse;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dts_engine::{Limits, Options, StopReason, VirtualTime};

use crate::batch::{BatchError, BatchOptions, Part, Question, Solved};
use crate::deal::DealError;
use crate::solver::{Allowance, Cost, SolveError, Solver, SolverOptions};

/// Boards for each worker that are handed out or solved but not yet told: one hard board holds up no more than these.
const AHEAD: usize = 64;
/// Parts for each worker that wait to be taken.
const WAITING: usize = 10;
/// Nodes after which a worker gives a part up if other workers have none: about a fifth of a second.
const PATIENCE: u64 = 1_000_000;
/// How often the caller's stop and limits are looked at.
const LOOK: Duration = Duration::from_millis(2);

/// Questions with their numbers; the first one that is wrong is the last one.
#[derive(Debug)]
pub(crate) struct Counted<I: Iterator> {
    questions: Fuse<I>,
    taken: usize,
}

impl<I: Iterator<Item = Result<Question, DealError>>> Counted<I> {
    pub(crate) fn new(questions: I) -> Self {
        Counted { questions: questions.fuse(), taken: 0 }
    }

    fn next(&mut self) -> Option<Result<(usize, Question), BatchError>> {
        let index = self.taken;
        let question = self.questions.next()?;
        self.taken += 1;
        Some(
            question
                .map(|question| (index, question))
                .map_err(|error| BatchError { index, error: error.into() }),
        )
    }
}

/// A board that is being solved.
#[derive(Debug)]
struct Board {
    index: usize,
    question: Question,
    parts: Vec<Option<Part>>,
    cost: Cost,
    virtual_time: Option<VirtualTime>,
}

impl Board {
    fn new((index, question): (usize, Question)) -> Board {
        let parts = (0..question.parts()).map(|_| None).collect();
        Board { index, question, parts, cost: Cost::default(), virtual_time: None }
    }

    fn take(&mut self) -> Option<Solved> {
        let parts = self.parts.iter_mut().map(Option::take).collect::<Option<Vec<_>>>()?;
        let reply = Question::join(parts)?;
        Some(Solved { index: self.index, reply, cost: self.cost, virtual_time: self.virtual_time })
    }

    /// Counts what the solver's last call cost.
    fn pay(&mut self, solver: &Solver) {
        let Some(report) = solver.report() else { return };
        self.cost.add(report);
        if let Some(time) = report.virtual_time {
            let sum =
                self.virtual_time.get_or_insert(VirtualTime { time: 0.0, work: 0.0, critical_path: 0.0 });
            *sum += time;
        }
    }

    fn is_done(&self) -> bool {
        self.parts.iter().all(Option::is_some)
    }
}

/// One part of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Task {
    index: usize,
    part: usize,
}

/// What the workers share.
#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Task>,
    /// The boards that have not been told, in their order.
    boards: VecDeque<Board>,
    /// No more questions are handed out.
    is_last: bool,
    /// There are no more.
    is_exhausted: bool,
    /// For the team.
    given_up: Vec<Task>,
    /// What the finished searches have cost.
    spent: Cost,
    running: usize,
    error: Option<BatchError>,
}

impl State {
    fn board(&mut self, index: usize) -> Option<&mut Board> {
        let first = self.boards.front()?.index;
        self.boards.get_mut(index.checked_sub(first)?)
    }

    /// Hands out a board.
    fn add(&mut self, board: Board) {
        self.waiting.extend((0..board.parts.len()).map(|part| Task { index: board.index, part }));
        self.boards.push_back(board);
    }

    /// Whether there is room for another board.
    fn wants_more(&self, processors: usize) -> bool {
        !self.is_last
            && self.error.is_none()
            && self.waiting.len() < WAITING * processors
            && self.boards.len() < AHEAD * processors
    }

    /// Hands out the next question, or sees that there is none.
    fn take(&mut self, question: Option<Result<(usize, Question), BatchError>>, processors: usize) {
        match question {
            Some(Ok(question)) => return self.add(Board::new(question)),
            Some(Err(error)) => self.fail(error),
            None => self.is_exhausted = true,
        }
        self.is_last = true;
        if processors > 1 {
            self.sort_by_hardness();
        }
    }

    /// Nothing more can be done about the boards from `error`'s on.
    fn fail(&mut self, error: BatchError) {
        if self.error.as_ref().is_none_or(|before| error.index < before.index) {
            let index = error.index;
            self.error = Some(error);
            self.waiting.retain(|task| task.index < index);
        }
    }

    /// The first board that has not been told.
    fn first_untold(&self, taken: usize) -> usize {
        self.boards.front().map_or(taken, |board| board.index)
    }

    fn sort_by_hardness(&mut self) {
        let mut tasks: Vec<_> = std::mem::take(&mut self.waiting).into();
        // A stable sort: of equals the first board comes first.
        tasks.sort_by_cached_key(|task| {
            std::cmp::Reverse(self.board(task.index).map(|board| board.question.hardness(task.part)))
        });
        self.waiting = tasks.into();
    }
}

#[derive(Debug, Default)]
struct Common {
    state: Mutex<State>,
    /// Something has been handed out, or finished.
    changed: Condvar,
}

impl Common {
    /// The state. A panic of a worker leaves it whole: it is only changed when a search is over.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn solver(options: &BatchOptions, processors: usize, mebibytes: usize) -> Result<Solver, SolveError> {
    // Each worker would bind itself to the same core.
    let pin = options.search.pin && processors == options.search.processors;
    let search = Options { processors, pin, ..options.search.clone() };
    Solver::new(SolverOptions { search, table_mebibytes: mebibytes.max(1) })
}

/// Runs a batch; see [`crate::Batch::run`].
pub(crate) fn run<I: Iterator<Item = Result<Question, DealError>>>(
    options: &BatchOptions,
    questions: Counted<I>,
    limits: &Limits,
    each: impl FnMut(Solved) -> ControlFlow<()>,
) -> Result<Cost, BatchError> {
    run_with(PATIENCE, options, questions, limits, each)
}

fn run_with<I: Iterator<Item = Result<Question, DealError>>>(
    patience: u64,
    options: &BatchOptions,
    mut questions: Counted<I>,
    limits: &Limits,
    mut each: impl FnMut(Solved) -> ControlFlow<()>,
) -> Result<Cost, BatchError> {
    let began = Instant::now();
    let processors = options.search.processors.max(1);
    let is_simulated = options.search.simulate.is_some();
    let common = Common::default();
    let allowance = Allowance::of(limits);
    let mut flow = ControlFlow::Continue(());

    if !is_simulated {
        let few = {
            let mut state = common.lock();
            while state.wants_more(processors) {
                state.take(questions.next(), processors);
            }
            state.is_last && state.waiting.len() < processors
        };
        if !few {
            let workers: Vec<_> = (0..processors).map(|_| Limits::new()).collect();
            flow = thread::scope(|scope| {
                let common = &common;
                let start = |limits| scope.spawn(move || work(options, limits, common, patience));
                let threads: Vec<_> = workers.iter().map(start).collect();
                let watch = Watch { common, limits, workers: &workers, allowance, began, processors };
                let are_gone = || threads.iter().all(|thread| thread.is_finished());
                watch.hand_out(&mut questions, &mut each, are_gone)
            });
        }
    }
    let mut state = common.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if flow.is_continue() {
        flow = finish(options, &mut state, &mut questions, limits, (allowance, began), &mut each);
    }
    match state.error {
        Some(error) if flow.is_continue() => Err(error),
        _ => Ok(state.spent),
    }
}

/// Tells what is solved, in order, up to the first board that is not.
fn tell(boards: &mut VecDeque<Board>, each: &mut impl FnMut(Solved) -> ControlFlow<()>) -> ControlFlow<()> {
    while let Some(solved) = boards.front_mut().filter(|board| board.is_done()).and_then(Board::take) {
        boards.pop_front();
        each(solved)?;
    }
    ControlFlow::Continue(())
}

/// A worker: searches parts until there are none.
fn work(options: &BatchOptions, limits: &Limits, common: &Common, patience: u64) {
    let processors = options.search.processors.max(1);
    let mut solver = match solver(options, 1, options.table_mebibytes / processors) {
        Ok(solver) => solver,
        Err(error) => {
            let mut state = common.lock();
            let index = state.first_untold(0);
            state.fail(BatchError { index, error });
            common.changed.notify_all();
            return;
        }
    };
    let mut state = common.lock();
    loop {
        if limits.is_stopped() {
            return;
        }
        let Some(task) = state.waiting.pop_front() else {
            if state.is_last {
                return;
            }
            state = common.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let Some(question) = state.board(task.index).map(|board| board.question.clone()) else { continue };
        let is_tail = state.is_last && processors > 1 && state.waiting.len() + 1 < processors;
        state.running += 1;
        drop(state);
        limits.set_nodes(is_tail.then_some(patience));
        let found = question.search(task.part, &mut solver, limits);
        state = common.lock();
        state.running -= 1;
        if let Some(report) = solver.report() {
            state.spent.add(report);
        }
        let Some(board) = state.board(task.index) else { continue };
        board.pay(&solver);
        match found {
            Ok(part) => board.parts[task.part] = Some(part),
            Err(SolveError::Stopped(StopReason::Nodes)) => state.given_up.push(task),
            // Whoever stopped it knows.
            Err(SolveError::Stopped(_)) => {}
            Err(error) => state.fail(BatchError { index: task.index, error }),
        }
        common.changed.notify_all();
    }
}

/// What the caller's thread does while workers search.
struct Watch<'r> {
    common: &'r Common,
    limits: &'r Limits,
    workers: &'r [Limits],
    allowance: Allowance,
    began: Instant,
    processors: usize,
}

impl Watch<'_> {
    /// Hands out questions and tells answers, until there is nothing left that workers can do, or they `are_gone`.
    fn hand_out<I: Iterator<Item = Result<Question, DealError>>>(
        &self,
        questions: &mut Counted<I>,
        each: &mut impl FnMut(Solved) -> ControlFlow<()>,
        are_gone: impl Fn() -> bool,
    ) -> ControlFlow<()> {
        let _home = SendHome(self);
        let mut state = self.common.lock();
        loop {
            // Answers are told without the lock, for who reads them may be slow; and so may be who asks.
            let done = state.boards.iter().take_while(|board| board.is_done()).count();
            if done > 0 {
                let mut told: VecDeque<_> = state.boards.drain(..done).collect();
                drop(state);
                tell(&mut told, each)?;
                state = self.common.lock();
            }
            while state.wants_more(self.processors) {
                drop(state);
                let question = questions.next();
                state = self.common.lock();
                state.take(question, self.processors);
                self.common.changed.notify_all();
            }
            let nothing_left = match &state.error {
                Some(error) => state.boards.front().is_none_or(|board| board.index >= error.index),
                None => state.is_last && state.boards.is_empty(),
            };
            if nothing_left {
                return ControlFlow::Continue(());
            }
            if let Some(reason) = self.reason_to_stop(&state) {
                let index = state.first_untold(questions.taken);
                state.fail(BatchError { index, error: SolveError::Stopped(reason) });
                return ControlFlow::Continue(());
            }
            if state.boards.front().is_some_and(Board::is_done) {
                continue;
            }
            if state.is_last && state.waiting.is_empty() && state.running == 0 || are_gone() {
                // The rest is the team's; or a worker has panicked, which the caller will see.
                return ControlFlow::Continue(());
            }
            let waited = self.common.changed.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn reason_to_stop(&self, state: &State) -> Option<StopReason> {
        if self.limits.is_stopped() {
            return Some(StopReason::Stopped);
        }
        let running: u64 = self.workers.iter().map(Limits::nodes_searched).sum();
        let spent = Cost { nodes: state.spent.nodes + running, elapsed: self.began.elapsed() };
        self.allowance.used_up(&spent)
    }
}

/// Sends the workers home when the caller's thread is through with them, even if by a panic of the caller's code.
struct SendHome<'w>(&'w Watch<'w>);

impl Drop for SendHome<'_> {
    fn drop(&mut self) {
        let mut state = self.0.common.lock();
        state.waiting.clear();
        state.is_last = true;
        self.0.workers.iter().for_each(Limits::stop);
        self.0.common.changed.notify_all();
    }
}

/// The team: searches what is left with all processors, one part after the other, and tells the answers.
fn finish<I: Iterator<Item = Result<Question, DealError>>>(
    options: &BatchOptions,
    state: &mut State,
    questions: &mut Counted<I>,
    limits: &Limits,
    (allowance, began): (Allowance, Instant),
    each: &mut impl FnMut(Solved) -> ControlFlow<()>,
) -> ControlFlow<()> {
    // Workers may have finished boards while they were being stopped.
    tell(&mut state.boards, each)?;
    if state.error.as_ref().is_some_and(|error| error.stopped().is_some()) {
        let index = state.first_untold(questions.taken);
        if state.boards.is_empty() && state.is_exhausted {
            state.error = None;
        } else if let Some(error) = &mut state.error {
            error.index = index;
        }
        return ControlFlow::Continue(());
    }
    let end = state.error.as_ref().map_or(usize::MAX, |error| error.index);
    while state.boards.back().is_some_and(|board| board.index >= end) {
        state.boards.pop_back();
    }
    state.waiting.extend(std::mem::take(&mut state.given_up));
    state.waiting.retain(|task| task.index < end);
    state.sort_by_hardness();
    let mut team = None;
    let flow = loop {
        if state.waiting.is_empty() {
            // In a simulation questions are taken only here.
            while state.wants_more(1) {
                state.take(questions.next(), 1);
            }
        }
        let flow = tell(&mut state.boards, each);
        let Some(task) = state.waiting.pop_front().filter(|_| flow.is_continue()) else { break flow };
        let Some(question) = state.board(task.index).map(|board| board.question.clone()) else { continue };
        let mut spent = state.spent;
        if options.search.simulate.is_none() {
            spent.elapsed = began.elapsed();
        }
        allowance.leave(limits, &spent);
        let solver = match &mut team {
            Some(solver) => Ok(solver),
            none => solver(options, options.search.processors, options.table_mebibytes)
                .map(|solver| none.insert(solver)),
        };
        let found = match solver {
            Ok(solver) => {
                let found = question.search(task.part, solver, limits);
                if let Some(report) = solver.report() {
                    state.spent.add(report);
                }
                if let Some(board) = state.board(task.index) {
                    board.pay(solver);
                }
                found
            }
            Err(error) => Err(error),
        };
        match found {
            Ok(part) => {
                if let Some(board) = state.board(task.index) {
                    board.parts[task.part] = Some(part);
                }
            }
            Err(error) => {
                let index = state.first_untold(questions.taken);
                state.waiting.clear();
                state.fail(BatchError { index, error });
                break ControlFlow::Continue(());
            }
        }
    };
    allowance.leave(limits, &Cost::default());
    flow
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Reply;
    use crate::card::{Card, Rank, Suit};
    use crate::deal::Deal;
    use crate::table::TrickTable;

    /// A deal of seven cards each, by a number.
    fn deal(number: u64) -> Deal {
        let all = Suit::ALL.into_iter().flat_map(|suit| Rank::ALL.map(|rank| Card::new(suit, rank)));
        let mut cards: Vec<Card> = all.collect();
        cards.sort_by_key(|&card| {
            (u64::from(card.index()) + 64 * number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17)
        });
        let hand = |at: usize| cards[at * 7..at * 7 + 7].iter().copied().collect();
        Deal::new([hand(0), hand(1), hand(2), hand(3)]).expect("no card twice")
    }

    #[test]
    fn what_workers_give_up_is_solved_by_the_team_and_told_in_order() {
        let mut alone = Solver::new(SolverOptions::default()).expect("a solver");
        let deals: Vec<_> = (0..6).map(deal).collect();
        let wanted: Vec<_> =
            deals.iter().map(|deal| alone.table(deal, &Limits::new()).expect("a table").0).collect();
        for (processors, patience) in [(2, 0), (2, 20), (3, 0), (6, 5), (30, 0)] {
            let search = Options { processors, ..Options::default() };
            let options = BatchOptions { search, table_mebibytes: 4 };
            let questions = deals.iter().map(|&deal| Ok(Question::Table(deal)));
            let mut found: Vec<TrickTable> = Vec::new();
            let each = |solved: Solved| {
                assert_eq!(solved.index, found.len());
                if let Reply::Table(table) = solved.reply {
                    found.push(table);
                }
                ControlFlow::Continue(())
            };
            run_with(patience, &options, Counted::new(questions), &Limits::new(), each).expect("no error");
            assert_eq!(found, wanted, "{processors} processors, patience {patience}");
        }
    }
}
