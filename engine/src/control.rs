//! Limits of a search, and how it ends.

use std::sync::{Arc, Weak};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;

use crate::dts::mailbox::{Mailbox, STOP};
use crate::sync::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Mutex, Ordering};

const NO_LIMIT: u64 = u64::MAX;

/// What a search may cost. A handle: clones are the same limits, and all of them may be changed, or the search stopped, from
/// any thread while it runs.
///
/// ```
/// use std::time::Duration;
/// use dts_engine::Limits;
///
/// let limits = Limits::new().with_nodes(1_000_000).with_time(Duration::from_secs(5));
/// let from_elsewhere = limits.clone();
/// from_elsewhere.stop();
/// assert!(limits.is_stopped());
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    inner: Arc<LimitsInner>,
}

#[derive(Debug)]
struct LimitsInner {
    depth: AtomicI64,
    nodes: AtomicU64,
    /// Nanoseconds since the search began.
    time: AtomicU64,
    stopped: AtomicBool,
    running: Mutex<Vec<Weak<Control>>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}

impl Limits {
    /// No limits.
    #[must_use]
    pub fn new() -> Self {
        Limits {
            inner: Arc::new(LimitsInner {
                depth: AtomicI64::new(i64::MAX),
                nodes: AtomicU64::new(NO_LIMIT),
                time: AtomicU64::new(NO_LIMIT),
                stopped: AtomicBool::new(false),
                running: Mutex::new(Vec::new()),
            }),
        }
    }

    /// No iteration deeper than `depth` is begun.
    #[must_use]
    pub fn with_depth(self, depth: i32) -> Self {
        self.set_depth(Some(depth));
        self
    }

    /// About `nodes` nodes are searched (exactly that many with one processor).
    #[must_use]
    pub fn with_nodes(self, nodes: u64) -> Self {
        self.set_nodes(Some(nodes));
        self
    }

    /// The search ends after `time`.
    #[must_use]
    pub fn with_time(self, time: Duration) -> Self {
        self.set_time(Some(time));
        self
    }

    /// Changes the depth limit.
    pub fn set_depth(&self, depth: Option<i32>) {
        self.inner.depth.store(depth.map_or(i64::MAX, i64::from), Ordering::Relaxed);
    }

    /// Changes the node limit.
    pub fn set_nodes(&self, nodes: Option<u64>) {
        self.inner.nodes.store(nodes.unwrap_or(NO_LIMIT), Ordering::Relaxed);
    }

    /// Changes the time limit; it counts from the beginning of the search.
    pub fn set_time(&self, time: Option<Duration>) {
        let nanoseconds = time.map_or(NO_LIMIT, |time| u64::try_from(time.as_nanos()).unwrap_or(NO_LIMIT));
        self.inner.time.store(nanoseconds, Ordering::Relaxed);
    }

    /// The node limit, if there is one.
    #[must_use]
    pub fn nodes(&self) -> Option<u64> {
        Some(self.inner.nodes.load(Ordering::Relaxed)).filter(|&nodes| nodes != NO_LIMIT)
    }

    /// The time limit, if there is one.
    #[must_use]
    pub fn time(&self) -> Option<Duration> {
        Some(self.inner.time.load(Ordering::Relaxed))
            .filter(|&time| time != NO_LIMIT)
            .map(Duration::from_nanos)
    }

    /// Ends the search, and every later one with these limits: a stop is not taken back. Answered within about two milliseconds.
    pub fn stop(&self) {
        self.inner.stopped.store(true, Ordering::SeqCst);
        for control in self.inner.running.lock().iter().filter_map(Weak::upgrade) {
            control.stop(StopReason::Stopped);
        }
    }

    /// Whether [`Limits::stop`] has been called.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.inner.stopped.load(Ordering::SeqCst)
    }

    /// Nodes searched so far in the searches that run with these limits, within some thousands.
    #[must_use]
    pub fn nodes_searched(&self) -> u64 {
        self.inner.running.lock().iter().filter_map(Weak::upgrade).map(|control| control.nodes()).sum()
    }

    /// The depth limit.
    pub(crate) fn depth(&self) -> i32 {
        self.inner.depth.load(Ordering::Relaxed).min(i64::from(i32::MAX)) as i32
    }

    /// From now on a stop reaches `control`.
    pub(crate) fn attach(&self, control: &Arc<Control>) {
        let mut running = self.inner.running.lock();
        running.retain(|control| control.strong_count() > 0);
        running.push(Arc::downgrade(control));
        drop(running);
        if self.is_stopped() {
            control.stop(StopReason::Stopped);
        }
    }
}

/// Why a search ended before its plan was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// [`Limits::stop`] was called.
    Stopped,
    /// The time was up.
    Time,
    /// The nodes were used up.
    Nodes,
    /// A panic in the game's code.
    Panic,
}

/// What a search's time is.
#[derive(Debug)]
enum Clock {
    /// Real time since then.
    Real(Instant),
    /// The time that the simulator has set, in nanoseconds.
    Virtual(AtomicU64),
}

/// One search seen from outside its tree: its flag words, clock, counters and end.
#[derive(Debug)]
pub(crate) struct Control {
    pub(crate) mailboxes: Arc<[CachePadded<Mailbox>]>,
    pub(crate) limits: Limits,
    clock: Clock,
    nodes: AtomicU64,
    /// 0 while the search runs, else 1 + the reason.
    stopping: AtomicU32,
    /// The root is done: nothing is left to search.
    finished: AtomicBool,
    sleeping: AtomicU32,
    sleepers: Mutex<Vec<(usize, Thread)>>,
}

impl Control {
    pub(crate) fn new(mailboxes: Arc<[CachePadded<Mailbox>]>, limits: Limits) -> Arc<Self> {
        Control::with_clock(mailboxes, limits, Clock::Real(Instant::now()))
    }

    /// For a search in virtual time, which begins at zero.
    pub(crate) fn in_virtual_time(mailboxes: Arc<[CachePadded<Mailbox>]>, limits: Limits) -> Arc<Self> {
        Control::with_clock(mailboxes, limits, Clock::Virtual(AtomicU64::new(0)))
    }

    fn with_clock(mailboxes: Arc<[CachePadded<Mailbox>]>, limits: Limits, clock: Clock) -> Arc<Self> {
        for mailbox in mailboxes.iter() {
            mailbox.reset();
        }
        let control = Arc::new(Control {
            mailboxes,
            limits,
            clock,
            nodes: AtomicU64::new(0),
            stopping: AtomicU32::new(0),
            finished: AtomicBool::new(false),
            sleeping: AtomicU32::new(0),
            sleepers: Mutex::new(Vec::new()),
        });
        control.limits.attach(&control);
        control
    }

    /// Ends the search; the first reason counts.
    pub(crate) fn stop(&self, reason: StopReason) {
        let word = match reason {
            StopReason::Stopped => 1,
            StopReason::Time => 2,
            StopReason::Nodes => 3,
            StopReason::Panic => 4,
        };
        let _ = self.stopping.compare_exchange(0, word, Ordering::AcqRel, Ordering::Relaxed);
        for mailbox in self.mailboxes.iter() {
            mailbox.raise(STOP);
        }
        self.wake_sleepers();
    }

    /// Puts the thread of a processor without work to sleep for at most `time`.
    pub(crate) fn sleep(&self, processor: usize, time: Duration) {
        self.sleepers.lock().push((processor, thread::current()));
        self.sleeping.fetch_add(1, Ordering::SeqCst);
        if !self.is_over() {
            thread::park_timeout(time);
        }
        self.sleeping.fetch_sub(1, Ordering::SeqCst);
        self.sleepers.lock().retain(|&(sleeper, _)| sleeper != processor);
    }

    /// There may be work again: wakes whoever sleeps.
    pub(crate) fn wake_sleepers(&self) {
        if self.sleeping.load(Ordering::SeqCst) > 0 {
            for (_, sleeper) in self.sleepers.lock().iter() {
                sleeper.unpark();
            }
        }
    }

    /// Ends the search if its time is up.
    pub(crate) fn look_at_the_clock(&self) -> bool {
        let time_limit = self.limits.inner.time.load(Ordering::Relaxed);
        let is_up = time_limit != NO_LIMIT && self.elapsed().as_nanos() >= u128::from(time_limit);
        if is_up {
            self.stop(StopReason::Time);
        }
        is_up
    }

    pub(crate) fn stop_reason(&self) -> Option<StopReason> {
        match self.stopping.load(Ordering::Acquire) {
            0 => None,
            1 => Some(StopReason::Stopped),
            2 => Some(StopReason::Time),
            3 => Some(StopReason::Nodes),
            _ => Some(StopReason::Panic),
        }
    }

    /// Tells all processors, whatever they are doing, that the search is finished.
    pub(crate) fn send_home(&self) {
        for mailbox in self.mailboxes.iter() {
            mailbox.raise(STOP);
        }
    }

    pub(crate) fn finish(&self) {
        self.finished.store(true, Ordering::SeqCst);
        self.wake_sleepers();
    }

    /// Whether there is nothing left to do, for whatever reason.
    pub(crate) fn is_over(&self) -> bool {
        self.finished.load(Ordering::Acquire) || self.stopping.load(Ordering::Acquire) != 0
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Acquire)
    }

    /// Nodes searched so far, as far as they have been reported.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Time since the search began.
    pub(crate) fn elapsed(&self) -> Duration {
        match &self.clock {
            Clock::Real(began) => began.elapsed(),
            Clock::Virtual(now) => Duration::from_nanos(now.load(Ordering::Relaxed)),
        }
    }

    /// Sets the clock of a search in virtual time to so many nanoseconds.
    pub(crate) fn set_clock(&self, nanoseconds: u64) {
        if let Clock::Virtual(now) = &self.clock {
            now.store(nanoseconds, Ordering::Relaxed);
        }
    }
}

/// Nodes between two looks at the clock and the node limit.
const LOOK_INTERVAL: u64 = 1024;

/// Counts a processor's nodes and looks at the limits now and then.
#[derive(Debug, Default)]
pub(crate) struct Visits {
    pub(crate) nodes: u64,
    reported: u64,
    next_look: u64,
}

impl Visits {
    /// Counts a node; true when the search has to end.
    #[inline]
    pub(crate) fn count(&mut self, control: &Control) -> bool {
        if self.nodes >= self.next_look && self.look(control) {
            return true;
        }
        self.nodes += 1;
        false
    }

    /// How many nodes may be counted before the next look. Whoever takes them as a credit says with [`Visits::take_credit`] what
    /// is left of it.
    #[inline]
    pub(crate) fn credit(&self) -> i64 {
        self.next_look.saturating_sub(self.nodes) as i64
    }

    /// Counts what has been used of a credit; `left` is the rest.
    #[inline]
    pub(crate) fn take_credit(&mut self, left: i64) {
        self.nodes += (self.credit() - left) as u64;
    }

    /// Reports the nodes counted so far and looks at the limits.
    #[cold]
    #[inline(never)]
    fn look(&mut self, control: &Control) -> bool {
        let all = self.report(control);
        let limits = &control.limits.inner;
        let node_limit = limits.nodes.load(Ordering::Relaxed);
        if all >= node_limit {
            control.stop(StopReason::Nodes);
            return true;
        }
        if control.look_at_the_clock() {
            return true;
        }
        self.next_look = self.nodes + LOOK_INTERVAL.min(node_limit - all);
        false
    }

    /// Adds what has not been reported yet to the search's count, and returns that.
    pub(crate) fn report(&mut self, control: &Control) -> u64 {
        let new = self.nodes - self.reported;
        self.reported = self.nodes;
        control.nodes.fetch_add(new, Ordering::Relaxed) + new
    }

    /// Begins a new search.
    pub(crate) fn reset(&mut self) {
        *self = Visits::default();
    }
}
