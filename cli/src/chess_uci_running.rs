//! A search that was asked for, as the thread that reads and the one that searches both see it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dts_chess::{Known, Score, SearchProgress};
use dts_engine::Limits;

use crate::chess_uci_clock::Budget;
use crate::chess_uci_words::Go;

/// A search from its `go` to its `bestmove`.
///
/// Limits and stops take effect only when something has been found out: there is a move to tell then, a depth of one takes less
/// than a millisecond, and whoever asks is owed one line of information.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) limits: Limits,
    depth: Option<i32>,
    nodes: Option<u64>,
    mate: Option<i64>,
    infinite: bool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// Something has been found out.
    told: bool,
    /// It was told to stop.
    stopped: bool,
    /// Limits wait until the move that is pondered on has been played.
    pondering: bool,
    /// Its best move is out.
    finished: bool,
    budget: Option<Budget>,
    /// When the clock began to count.
    counted_from: Instant,
    /// When the search began, from which its limits count.
    began: Instant,
    /// There is only one move.
    forced: bool,
    /// What the iteration before found, to see whether the search has made up its mind.
    last_best: Option<String>,
    /// So many iterations have found the same move.
    steady: u32,
    /// The last iteration that was finished.
    done: i32,
}

impl Running {
    /// A search that was asked for now.
    pub(crate) fn new(go: &Go) -> Running {
        let now = Instant::now();
        Running {
            limits: Limits::new(),
            depth: go.depth.map(|depth| depth.clamp(1, i64::from(i32::MAX)) as i32),
            nodes: go.nodes.map(|nodes| u64::try_from(nodes).unwrap_or(0).max(1)),
            mate: go.mate,
            infinite: go.infinite,
            state: Mutex::new(State {
                told: false,
                stopped: false,
                pondering: go.ponder,
                finished: false,
                budget: None,
                counted_from: now,
                began: now,
                forced: false,
                last_best: None,
                steady: 0,
                done: 0,
            }),
            changed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What a panic could leave half-written here are flags that are right one by one.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The search begins, with so much time from when it was asked for.
    pub(crate) fn begin(&self, budget: Option<Budget>, forced: bool) {
        let mut state = self.state();
        state.began = Instant::now();
        state.budget = budget;
        state.forced = forced;
        if !state.pondering {
            self.limit_work(&state);
        }
    }

    /// Limits that do not count from when something has been found out.
    fn limit_work(&self, state: &State) {
        if self.infinite {
            return;
        }
        self.limits.set_depth(self.depth);
        self.limits.set_nodes(self.nodes);
        if state.told {
            self.limit_time(state);
        }
    }

    fn limit_time(&self, state: &State) {
        if let Some(budget) = state.budget.filter(|_| !self.infinite) {
            let before = state.counted_from.saturating_duration_since(state.began);
            let queued = state.began.saturating_duration_since(state.counted_from);
            self.limits.set_time(Some((before + budget.hard).saturating_sub(queued)));
        }
    }

    /// Something has been found out; ends the search if that is enough. `best` is the best move's text.
    pub(crate) fn told(&self, seen: &SearchProgress, best: &str) {
        let mut state = self.state();
        let first = !state.told;
        state.told = true;
        if state.stopped {
            self.limits.stop();
            return;
        }
        let known = seen.lines.first().filter(|line| line.known == Known::Exactly);
        let finished_iteration = known.is_some_and(|line| line.depth == seen.depth);
        // Of several lines each is told on its own.
        if finished_iteration && seen.depth > state.done {
            let same = state.last_best.as_deref() == Some(best);
            state.steady = if same { state.steady + 1 } else { 0 };
            state.last_best = Some(best.to_owned());
            state.done = seen.depth;
        }
        if state.pondering || self.infinite {
            return;
        }
        if first {
            self.limit_time(&state);
        }
        let score = known.map(|line| line.score);
        if let (Some(Score::Mate(moves)), Some(wanted)) = (score, self.mate)
            && i64::from(moves).abs() <= wanted
        {
            self.limits.stop();
        }
        if finished_iteration && self.is_enough(&state, score, seen.depth) {
            self.limits.stop();
        }
    }

    /// Whether another iteration is not worth its time on the clock.
    fn is_enough(&self, state: &State, score: Option<Score>, depth: i32) -> bool {
        let Some(budget) = state.budget else { return false };
        // For a time that was given to the move alone there is nothing to save.
        let of_clock = budget.soft < budget.hard || budget.hard.is_zero();
        let spent = state.counted_from.elapsed();
        if !of_clock {
            return spent >= budget.hard;
        }
        let proven = matches!(score, Some(Score::Mate(moves)) if depth > 2 * moves.abs() + 2);
        let share = match state.steady {
            0 => budget.soft.saturating_mul(3) / 2,
            1..=4 => budget.soft,
            _ => budget.soft.saturating_mul(3) / 4,
        };
        state.forced || proven || spent >= share
    }

    /// Ends the search: at once, or when it has something to tell.
    pub(crate) fn stop(&self) {
        let mut state = self.state();
        state.stopped = true;
        if state.told {
            self.limits.stop();
        }
        drop(state);
        self.changed.notify_all();
    }

    /// The move that was pondered on has been played: the clock counts from now, and limits hold.
    pub(crate) fn hit(&self) {
        let mut state = self.state();
        if !state.pondering {
            return;
        }
        state.pondering = false;
        state.counted_from = Instant::now();
        self.limit_work(&state);
        let no_time = state.budget.is_some_and(|budget| state.forced || budget.hard.is_zero());
        let deep_enough = self.depth.is_some_and(|depth| state.done >= depth);
        if state.told && !self.infinite && (no_time || deep_enough) {
            self.limits.stop();
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Whether only a word from outside ends it.
    pub(crate) fn is_open_ended(&self) -> bool {
        self.state().pondering || self.infinite
    }

    /// Waits until the best move may be told: that of an infinite search only after `stop`, when pondering after `ponderhit` or `stop`.
    pub(crate) fn wait_until_wanted(&self) {
        let mut state = self.state();
        while !state.stopped && (state.pondering || self.infinite) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The best move is about to be told: who asks after this is no more answered by this search.
    pub(crate) fn finish(&self) {
        self.state().finished = true;
    }

    /// Whether its best move is out.
    pub(crate) fn is_finished(&self) -> bool {
        self.state().finished
    }

    /// Time since the search began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.state().began.elapsed()
    }
}
