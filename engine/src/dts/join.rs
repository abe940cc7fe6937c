//! Joining a split block (the paper, section 2.4, its last part).

use crate::dts::mailbox::SHARE;
use crate::dts::pool::{Handle, Strand};
use crate::dts::processor::{Activity, Processor};
use crate::game::Game;
use crate::search::Search;
use crate::trace::Event;

impl<G: Game> Processor<G> {
    /// Joins a split block and takes a branch of it, in one critical section. False if there is none to take any more.
    ///
    /// The processor is a strand before it copies anything; what happened above the block meanwhile it pulls before it searches.
    pub(crate) fn join(&mut self, search: &Search<G>, handle: Handle) -> bool {
        let game = &*search.game;
        let block = search.pool.block(handle);
        let mut state = block.lock();
        if !state.is_live(handle) {
            return false;
        }
        let split = state.split;
        let Some(branch) = state.tree.select(game, split) else {
            block.withdraw_offer();
            return false;
        };
        state.add(Strand::Processor(self.index), Some(branch));
        self.tree.copy_plies(&state.tree, 0, split);
        self.span = state.span;
        block.publish(&state, search, &mut self.summaries);
        drop(state);
        self.start_working(search);
        self.home = Some(handle);
        self.base = split + 1;
        self.top = split;
        self.statistics.joins += 1;
        self.statistics.plies_copied += split as u64 + 1;
        self.locked = Some(handle.index);
        self.trace.record(&search.control, Event::Join, handle, split);
        search.mailbox(self.index).raise(SHARE);
        self.descend(search, branch);
        true
    }

    /// Is no longer idle.
    pub(crate) fn start_working(&mut self, search: &Search<G>) {
        self.set_busy(search, true);
        self.trace.note(&search.control, Event::Busy);
        self.activity = Activity::Searching;
        self.helps = None;
        self.set_looking(search, false);
        self.nodes_at_branch = self.visits.nodes;
    }
}
