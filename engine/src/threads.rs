//! The thread driver: processors on real threads, one of them the caller's.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use parking_lot::Mutex;

use crate::control::{Control, Limits, StopReason};
use crate::dts::choose::SplitPolicy;
use crate::dts::mailbox::Mailbox;
use crate::dts::pool::Pool;
use crate::dts::processor::{Processor, Step};
use crate::game::{Game, Memory, Opening};
use crate::network::{Line, Network};
use crate::root::{Plan, Root, RootState, Values};
use crate::search::{Progress, ReportTo, Search};
use crate::simulator::{CostModel, Run, Simulator, VirtualTime};
use crate::statistics::Statistics;
use crate::strategy::Strategy;
use crate::trace::TraceEvent;
use crate::tree::TreeState;
use crate::value::Window;

/// How a [`Searcher`] is set up.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many processors search: the calling thread and this many less one threads of the searcher's own.
    pub processors: usize,
    /// How they work together.
    pub strategy: Strategy,
    /// How split points are chosen.
    pub policy: SplitPolicy,
    /// Virtual processors on one thread instead of real ones, and what things cost them.
    pub simulate: Option<CostModel>,
    /// Split blocks in the pool; when all are in use, no split is made. Zero means eight a processor.
    pub blocks: usize,
    /// Binds each of the searcher's threads to a core of its own, if the system allows it.
    pub pin: bool,
    /// Nodes that processor 0 searches alone before the other threads are woken, so that a short search pays for no wake-up.
    pub wake_after: u64,
    /// Keeps up to this many trace events a processor; none if zero.
    pub trace_events: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            processors: 1,
            strategy: Strategy::default(),
            simulate: None,
            policy: SplitPolicy::default(),
            blocks: 0,
            pin: false,
            wake_after: 512,
            trace_events: 0,
        }
    }
}

/// The most processors a searcher may have.
pub const MOST_PROCESSORS: usize = 1024;

/// Why a searcher cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The number of processors is out of range.
    #[error("{0} processors: from 1 to {MOST_PROCESSORS} are possible")]
    Processors(usize),
    /// The game's code panicked.
    #[error(transparent)]
    Game(SearchError),
    /// The system gives no more threads.
    #[error("thread number {number} cannot be started: {source}")]
    Thread {
        /// Which of the searcher's threads.
        number: usize,
        /// What the system says.
        source: std::io::Error,
    },
}

/// Why a search has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The game's code panicked. The searcher can be used again.
    #[error("the game panicked on processor {processor}: {message}")]
    GamePanicked {
        /// On which processor.
        processor: usize,
        /// The panic's message.
        message: String,
    },
}

/// What a search found out and what it cost.
#[derive(Clone, Debug)]
pub struct Report<M> {
    /// The root's value and move: of the last iteration that was complete, or what was known when the search was stopped.
    /// None if it was stopped before anything was known.
    pub state: Option<RootState<M>>,
    /// Why it ended before its plan was done; none if it did not.
    pub stopped: Option<StopReason>,
    /// Nodes searched by all processors.
    pub nodes: u64,
    /// Wall-clock time; in a simulation virtual time, a node a microsecond.
    pub elapsed: Duration,
    /// What only a simulation can tell; none of a search on threads.
    pub virtual_time: Option<VirtualTime>,
    /// What each processor did.
    pub statistics: Vec<Statistics>,
    /// The trace of each processor, if it was asked for.
    pub traces: Vec<Vec<TraceEvent>>,
}

impl<M> Report<M> {
    /// The counters of all processors added up.
    #[must_use]
    pub fn total(&self) -> Statistics {
        let mut total = Statistics::default();
        for statistics in &self.statistics {
            total += statistics;
        }
        total
    }

    /// The share of the processors' time that was spent without work, from 0 to 1.
    #[must_use]
    pub fn idle_share(&self) -> f64 {
        let all = self.elapsed.as_secs_f64() * self.statistics.len() as f64;
        if all > 0.0 { self.total().idle.as_secs_f64() / all } else { 0.0 }
    }
}

/// A pool of processors that searches one game, one position after the other. Its threads live as long as it does.
///
/// The calling thread is processor 0, and the others are only woken once a search has gone on for a while: a search of
/// microseconds costs no wake-up.
pub struct Searcher<G: Game> {
    game: Arc<G>,
    shared: Arc<G::Shared>,
    options: Options,
    pool: Arc<Pool<G>>,
    mailboxes: Arc<[CachePadded<Mailbox>]>,
    first: Box<Processor<G>>,
    simulator: Option<Simulator<G>>,
    team: Arc<Team<G>>,
    threads: Vec<JoinHandle<()>>,
}

/// What the searcher's threads and the caller share.
struct Team<G: Game> {
    job: Mutex<Option<Arc<Search<G>>>>,
    /// Counts the searches for which the threads were woken.
    epoch: AtomicU64,
    quit: AtomicBool,
    /// Threads inside the current search.
    inside: AtomicUsize,
    caller: Mutex<Option<Thread>>,
    results: Mutex<Vec<(usize, Statistics, Vec<TraceEvent>)>>,
    panic: Mutex<Option<SearchError>>,
    trace_events: usize,
}

impl<G: Game> fmt::Debug for Searcher<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searcher").field("options", &self.options).finish_non_exhaustive()
    }
}

impl<G: Game> Searcher<G> {
    /// A searcher for `game`, whose processors share `shared`.
    ///
    /// # Errors
    /// If the number of processors is out of range, the system gives no more threads, or [`Game::local`] panics.
    pub fn new(game: G, shared: G::Shared, options: Options) -> Result<Self, SetupError> {
        let processors = options.processors;
        if !(1..=MOST_PROCESSORS).contains(&processors) {
            return Err(SetupError::Processors(processors));
        }
        let game = Arc::new(game);
        let blocks = if options.blocks == 0 { processors * 8 } else { options.blocks };
        let team = Arc::new(Team {
            job: Mutex::new(None),
            epoch: AtomicU64::new(0),
            quit: AtomicBool::new(false),
            inside: AtomicUsize::new(0),
            caller: Mutex::new(None),
            results: Mutex::new(Vec::new()),
            panic: Mutex::new(None),
            trace_events: options.trace_events,
        });
        let first = catch_unwind(AssertUnwindSafe(|| Box::new(Processor::new(&*game, 0))))
            .map_err(|panic| SetupError::Game(game_panicked(0, panic)))?;
        let simulator =
            catch_unwind(AssertUnwindSafe(|| options.simulate.map(|_| Simulator::new(&*game, processors))))
                .map_err(|panic| SetupError::Game(game_panicked(0, panic)))?;
        let network = options.simulate.and_then(|costs| Network::new(costs.topology, processors, blocks));
        let mailbox = |number| {
            let line = network.as_ref().map(|network| Line::new(Arc::clone(network), number));
            CachePadded::new(Mailbox::new().at(line))
        };
        let mut searcher = Searcher {
            first,
            simulator,
            shared: Arc::new(shared),
            mailboxes: (0..processors).map(mailbox).collect(),
            pool: Arc::new(Pool::new(blocks).in_network(network)),
            team,
            threads: Vec::new(),
            game,
            options,
        };
        let cores =
            if searcher.options.pin { core_affinity::get_core_ids().unwrap_or_default() } else { Vec::new() };
        // Virtual processors need no threads.
        let threads = if searcher.simulator.is_some() { 1 } else { processors };
        for number in 1..threads {
            let core = (!cores.is_empty()).then(|| cores[number % cores.len()]);
            let (team, game) = (Arc::clone(&searcher.team), Arc::clone(&searcher.game));
            let thread = thread::Builder::new()
                .name(format!("dts processor {number}"))
                .stack_size(STACK)
                .spawn(move || {
                    if let Some(core) = core {
                        core_affinity::set_for_current(core);
                    }
                    team.work(&game, number);
                })
                .map_err(|source| SetupError::Thread { number, source })?;
            searcher.threads.push(thread);
        }
        Ok(searcher)
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The memory that all processors share.
    #[must_use]
    pub fn shared(&self) -> &G::Shared {
        &self.shared
    }

    /// How the searcher was set up.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Searches `position` as `plan` says, within `limits`.
    ///
    /// # Errors
    /// If the game's code panics; the searcher can be used again.
    pub fn search(
        &mut self,
        position: G::Position,
        plan: Plan,
        limits: &Limits,
    ) -> Result<Report<G::Move>, SearchError> {
        self.run(position, plan, limits, None)
    }

    /// The same; `report_to` is told each time the root knows more, on the thread that found it out.
    ///
    /// # Errors
    /// If the game's code panics; the searcher can be used again.
    pub fn search_reporting(
        &mut self,
        position: G::Position,
        plan: Plan,
        limits: &Limits,
        report_to: impl Fn(&Progress<'_, G::Move>) + Send + Sync + 'static,
    ) -> Result<Report<G::Move>, SearchError> {
        self.run(position, plan, limits, Some(Box::new(report_to)))
    }

    fn run(
        &mut self,
        position: G::Position,
        plan: Plan,
        limits: &Limits,
        report_to: Option<ReportTo<G::Move>>,
    ) -> Result<Report<G::Move>, SearchError> {
        let began = Instant::now();
        let moves = match plan.values {
            Values::Best | Values::Several(..2) => Vec::new(),
            Values::All | Values::Several(2..) => catch_unwind(AssertUnwindSafe(|| {
                let local = match &mut self.simulator {
                    Some(simulator) => simulator.local(),
                    None => &mut self.first.local,
                };
                list_moves(&*self.game, &self.shared, local, &position, plan.first_depth)
            }))
            .map_err(|panic| game_panicked(0, panic))?,
        };
        let mailboxes = Arc::clone(&self.mailboxes);
        let control = match self.simulator {
            None => Control::new(mailboxes, limits.clone()),
            Some(_) => Control::in_virtual_time(mailboxes, limits.clone()),
        };
        let root = catch_unwind(AssertUnwindSafe(|| Root::new(&*self.game, position, plan, moves)))
            .map_err(|panic| game_panicked(0, panic))?;
        let search = Arc::new(Search::new(
            (Arc::clone(&self.game), Arc::clone(&self.shared)),
            Arc::clone(&control),
            Arc::clone(&self.pool),
            root,
            self.options.strategy,
            self.options.policy,
            report_to,
        ));
        if let (Some(simulator), Some(costs)) = (&mut self.simulator, &self.options.simulate) {
            return match simulator.run(&search, costs, self.options.trace_events) {
                Ok(Run { elapsed, virtual_time, statistics, traces }) => {
                    Ok(self.report(&search, elapsed, Some(virtual_time), statistics, traces))
                }
                Err((processor, panic)) => {
                    self.pool.reset();
                    Err(game_panicked(processor, panic))
                }
            };
        }
        let team = &self.team;
        team.results.lock().clear();
        *team.panic.lock() = None;
        *team.caller.lock() = Some(thread::current());

        let mut woken = self.threads.is_empty() || !self.options.strategy.is_parallel();
        let threads = &self.threads;
        let wake_after = self.options.wake_after;
        let mut wake = |nodes: u64| {
            if !woken && nodes >= wake_after {
                woken = true;
                *team.job.lock() = Some(Arc::clone(&search));
                team.epoch.fetch_add(1, Ordering::Release);
                for thread in threads {
                    thread.thread().unpark();
                }
            }
        };
        team.run_processor(&search, &mut self.first, &mut wake);

        // Nobody enters once the job is gone; the call returns only when nobody is inside.
        *team.job.lock() = None;
        while team.inside.load(Ordering::Acquire) != 0 {
            thread::park_timeout(Duration::from_millis(1));
        }
        let elapsed = began.elapsed();
        let panic = team.panic.lock().take();
        if let Some(panic) = panic {
            self.pool.reset();
            renew(&mut *self.first, || Processor::new(&*self.game, 0));
            return Err(panic);
        }
        let mut results = std::mem::take(&mut *team.results.lock());
        results.sort_by_key(|&(number, ..)| number);
        let mut statistics = vec![Statistics::default(); self.options.processors];
        let mut traces =
            vec![Vec::new(); if self.options.trace_events > 0 { self.options.processors } else { 0 }];
        for (number, counted, trace) in results {
            statistics[number] = counted;
            if let Some(place) = traces.get_mut(number) {
                *place = trace;
            }
        }
        Ok(self.report(&search, elapsed, None, statistics, traces))
    }

    /// What has come of a search in which nobody is any more; the pool is made ready for the next.
    fn report(
        &self,
        search: &Search<G>,
        elapsed: Duration,
        virtual_time: Option<VirtualTime>,
        statistics: Vec<Statistics>,
        traces: Vec<Vec<TraceEvent>>,
    ) -> Report<G::Move> {
        let control = &search.control;
        if control.stop_reason().is_some() {
            self.pool.reset();
        }
        debug_assert_eq!(self.pool.free_count(), self.pool.len(), "a split block was not given back");
        Report {
            state: search.root.lock().committed.take(),
            stopped: if control.is_finished() { None } else { control.stop_reason() },
            nodes: statistics.iter().map(|statistics| statistics.nodes).sum(),
            elapsed,
            virtual_time,
            statistics,
            traces,
        }
    }
}

/// All moves of `position`, as the game orders them.
fn list_moves<G: Game>(
    game: &G,
    shared: &G::Shared,
    local: &mut G::Local,
    position: &G::Position,
    depth: i32,
) -> Vec<G::Move> {
    let mut tree: TreeState<G> = TreeState::new();
    tree.reserve(1, position);
    let node = crate::game::Node::new(&tree.positions[..1], 0, depth, Window::FULL);
    let mut memory = Memory { shared, local };
    let mut moves = Vec::new();
    let source = &mut tree.plies[0].source;
    if let Opening::Search(_) = game.open(&node, source, &mut memory) {
        while let Some(chosen) = game.select(position, source) {
            moves.push(chosen);
        }
    }
    moves
}

impl<G: Game> Drop for Searcher<G> {
    fn drop(&mut self) {
        self.team.quit.store(true, Ordering::Release);
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            // A thread that panicked outside a search has nothing to tell any more.
            let _ = thread.join();
        }
    }
}

/// Stack of a processor's thread: grains are searched by recursion.
const STACK: usize = 16 << 20;

impl<G: Game> Team<G> {
    /// The life of a thread of the searcher's.
    fn work(&self, game: &G, number: usize) {
        let mut processor: Option<Box<Processor<G>>> = None;
        let mut seen = 0;
        loop {
            if self.quit.load(Ordering::Acquire) {
                return;
            }
            let epoch = self.epoch.load(Ordering::Acquire);
            if epoch == seen {
                thread::park();
                continue;
            }
            seen = epoch;
            let search = {
                let job = self.job.lock();
                let Some(search) = &*job else { continue };
                self.inside.fetch_add(1, Ordering::AcqRel);
                Arc::clone(search)
            };
            let made = catch_unwind(AssertUnwindSafe(|| {
                processor.get_or_insert_with(|| Box::new(Processor::new(game, number)));
            }));
            match (made, &mut processor) {
                (Ok(()), Some(ready)) => {
                    if !self.run_processor(&search, ready, &mut |_| {}) {
                        drop_quietly(processor.take());
                    }
                }
                (Err(panic), _) => self.end_by_panic(&search, number, panic),
                (Ok(()), None) => {}
            }
            drop(search);
            if self.inside.fetch_sub(1, Ordering::AcqRel) == 1
                && let Some(caller) = &*self.caller.lock()
            {
                caller.unpark();
            }
        }
    }

    /// Runs a processor through a search; false if the game panicked on it.
    fn run_processor(
        &self,
        search: &Search<G>,
        processor: &mut Processor<G>,
        wake: &mut dyn FnMut(u64),
    ) -> bool {
        let number = processor.index;
        processor.trace.begin(self.trace_events);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            processor.enter(search);
            let mut waiting = Waiting::default();
            loop {
                match processor.step(search) {
                    Step::Searched => {
                        processor.statistics.idle += waiting.end();
                        wake(processor.visits.nodes);
                    }
                    Step::Idle => waiting.wait(search, number),
                    Step::Out => break,
                }
            }
            processor.statistics.idle += waiting.end();
            processor.leave(search);
        }));
        search.control.wake_sleepers();
        match outcome {
            Ok(()) => {
                let mut results = self.results.lock();
                results.push((number, std::mem::take(&mut processor.statistics), processor.trace.take()));
                true
            }
            Err(panic) => {
                self.end_by_panic(search, number, panic);
                false
            }
        }
    }

    fn end_by_panic(&self, search: &Search<G>, number: usize, panic: Box<dyn Any + Send>) {
        self.panic.lock().get_or_insert_with(|| game_panicked(number, panic));
        search.control.stop(StopReason::Panic);
    }
}

/// The error that a panic of the game's becomes. The panic's own value is let go without being dropped: that may panic again.
fn game_panicked(processor: usize, panic: Box<dyn Any + Send>) -> SearchError {
    let message = panic
        .downcast_ref::<&str>()
        .map(|message| (*message).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    std::mem::forget(panic);
    SearchError::GamePanicked { processor, message }
}

/// Replaces what a panic of the game's has left behind. Should `fresh` panic too, it is used again as it is: every search sets its
/// processors up anew.
pub(crate) fn renew<T>(old: &mut T, fresh: impl FnOnce() -> T) {
    match catch_unwind(AssertUnwindSafe(fresh)) {
        Ok(fresh) => drop_quietly(std::mem::replace(old, fresh)),
        Err(panic) => std::mem::forget(panic),
    }
}

/// Drops what belongs to a game, whose own code may panic once more.
fn drop_quietly<T>(value: T) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        std::mem::forget(panic);
    }
}

/// How a processor without work waits: it spins briefly, then yields, then sleeps for growing times. Sleepers are woken when
/// there is something new; the times only make sure that nobody sleeps for ever.
#[derive(Debug, Default)]
struct Waiting {
    since: Option<Instant>,
    rounds: u32,
}

const SPINS: u32 = 32;
const YIELDS: u32 = 96;
const FIRST_NAP: Duration = Duration::from_micros(50);
const LONGEST_NAP: Duration = Duration::from_millis(2);

impl Waiting {
    fn wait<G: Game>(&mut self, search: &Search<G>, number: usize) {
        self.since.get_or_insert_with(Instant::now);
        self.rounds = self.rounds.saturating_add(1);
        if self.rounds <= SPINS {
            for _ in 0..self.rounds {
                std::hint::spin_loop();
            }
        } else if self.rounds <= SPINS + YIELDS {
            thread::yield_now();
        } else {
            let doublings = (self.rounds - SPINS - YIELDS).min(8);
            let nap = (FIRST_NAP * (1 << doublings)).min(LONGEST_NAP);
            search.control.sleep(number, nap);
        }
    }

    /// There is work again: how long there was none.
    fn end(&mut self) -> Duration {
        self.rounds = 0;
        self.since.take().map(|since| since.elapsed()).unwrap_or_default()
    }
}
