//! Each processor for itself: strategies that split nothing. Every processor searches the root with a state machine of its own, and they
//! meet only in the game's shared memory, and at the ends of iterations.
//!
//! - **Lazy SMP**: what one has stored, another finds. So that they do not all do the same at the same time, every second processor
//!   searches one iteration ahead, and each takes the later moves of the root from another one on.
//! - **ABDADA** (J.-C. Weill, 1996), in the simple form that T. Kerrigan described (2016): a move after a node's first that another
//!   processor is searching at the same time is put off until the node's others are done. Who searches what is counted in a small
//!   array beside the table, so that the game's table needs no field for it.

use crate::dts::processor::Processor;
use crate::game::{Answer, Game};
use crate::root::{Finished, Root};
use crate::search::Search;
use crate::strategy::Strategy;
use crate::sync::{AtomicU32, Ordering};

/// Counts of the processors that search a position, by a part of its key. Two positions that share a counter cost a move put off in
/// vain, nothing else.
#[derive(Debug)]
pub(crate) struct BeingSearched(Box<[AtomicU32]>);

/// Counters: many more than processors times plies, few enough to stay in the caches.
const COUNTERS: usize = 1 << 14;

impl BeingSearched {
    /// The counters, if the strategy needs them.
    pub(crate) fn new(strategy: Strategy) -> Self {
        let counters = if strategy == Strategy::Abdada { COUNTERS } else { 0 };
        BeingSearched((0..counters).map(|_| AtomicU32::new(0)).collect())
    }

    fn counter(&self, key: u64) -> &AtomicU32 {
        // A game's keys need not be spread.
        let spread = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        &self.0[spread as usize % COUNTERS]
    }
}

/// Root moves that the processors begin at differ by up to so many.
const LATER_MOVES: u32 = 8;

impl<G: Game> Processor<G> {
    /// Takes up the root with a state machine of its own.
    pub(crate) fn enter_alone(&mut self, search: &Search<G>) {
        self.searched_now.clear();
        let mut own = self.taken_over(&search.root.lock());
        let task = own.next(search.control.limits.depth());
        self.own_root = Some(own);
        match task {
            Some(task) => self.begin(search, task),
            None => self.finish_search(search),
        }
    }

    /// Another's root as this processor goes on with it: every second one leaves an iteration out.
    fn taken_over(&self, root: &Root<G>) -> Root<G> {
        let mut own = root.begun_again();
        if self.index % 2 == 1 {
            own.look_ahead();
        }
        own
    }

    /// Hands the root's answer to its own state machine. Who is further than all others shows the way: they go on from there.
    pub(crate) fn finish_own_root(&mut self, search: &Search<G>, answer: &Answer<G::Proof>) {
        let at = &self.tree.plies[self.base];
        let finished = Finished { side: at.side, range: answer.range, best: at.best, line: at.line.moves() };
        let own = self.own_root.as_mut().expect("a processor alone has a root of its own");
        own.hear(&finished);
        let deepest = search.control.limits.depth();
        let mut task = own.next(deepest);
        let mut shared = search.root.lock();
        if search.control.is_over() {
            task = None;
        } else if own.is_further_than(&shared) || task.is_none() {
            *shared = own.begun_again();
            search.tell(&shared);
        } else if shared.is_further_than(own) {
            let mut taken = self.taken_over(&shared);
            task = taken.next(deepest);
            self.own_root = Some(taken);
        }
        drop(shared);
        match task {
            Some(task) => self.begin(search, task),
            None => self.finish_search(search),
        }
    }

    /// Whether the branch that has just been gone down is to be searched later, after the others of its node: then it is given back. If
    /// not, others can see from now on that it is being searched.
    pub(crate) fn puts_off(&mut self, search: &Search<G>) -> bool {
        let above = self.top - 1;
        let branch = self.tree.plies[self.top].arrival.expect("a ply below another was reached by a move");
        let may_wait = branch.number > 0 && !branch.put_off;
        let waits = match search.strategy {
            Strategy::LazySmp => {
                let first = self.index as u32 % LATER_MOVES;
                may_wait && above == self.tree.root && branch.number <= first
            }
            _ => {
                if search.game.grain(&self.tree.node(self.top)) {
                    return false;
                }
                let Some(key) = search.game.key(&self.tree.positions[self.top]) else { return false };
                let counter = search.being_searched.counter(key);
                let waits = may_wait && counter.load(Ordering::Relaxed) > 0;
                if !waits {
                    counter.fetch_add(1, Ordering::Relaxed);
                    self.searched_now.push((self.top, key));
                }
                waits
            }
        };
        if waits {
            self.tree.put_off(above, branch);
            self.top = above;
        }
        waits
    }

    /// The ply below the top has its answer: it is being searched no more.
    pub(crate) fn is_searched(&mut self, search: &Search<G>) {
        if let Some(&(ply, key)) = self.searched_now.last()
            && ply == self.top + 1
        {
            self.searched_now.pop();
            search.being_searched.counter(key).fetch_sub(1, Ordering::Relaxed);
        }
    }
}
