//! SHARE, UNSPLIT and death: how bounds and the ends of blocks travel (the paper, sections 2.7 and 2.8).

use crate::dts::mailbox::{CLOSED, HELP, SHARE, SPLIT, STOP};
use crate::dts::pool::{BlockState, Handle, Life, Strand};
use crate::dts::processor::{Activity, Motion, Processor};
use crate::game::Game;
use crate::search::Search;
use crate::sync::MutexGuard;
use crate::trace::Event;

impl<G: Game> Processor<G> {
    /// Looks at what the flags point at.
    #[cold]
    pub(crate) fn attend(&mut self, search: &Search<G>) {
        let flags = search.mailbox(self.index).take_flags();
        if flags & STOP != 0 {
            self.activity = Activity::Out;
            return;
        }
        if flags & (SHARE | CLOSED) != 0 && self.activity == Activity::Searching {
            self.pull(search);
        }
        if flags & SPLIT != 0 {
            self.answer_request(search);
        }
        if flags & HELP != 0 {
            self.answer_help(search);
        }
    }

    /// Pulls the bounds of all blocks above and leaves what they close (the paper's Share()).
    ///
    /// One lock at a time, from the root down. The shallowest ply that is closed goes on with what it knows itself; if it
    /// belongs to a block, that block dies and this processor carries on above it.
    fn pull(&mut self, search: &Search<G>) {
        if !self.find_chain(search) {
            self.drop_out(search);
            return;
        }
        let mut above = None;
        for at in (0..self.chain.len()).rev() {
            let handle = self.chain[at];
            let mut state = search.pool.block(handle).lock();
            if !state.is_live(handle) {
                drop(state);
                self.drop_out(search);
                return;
            }
            let (first, split) = (state.first, state.split);
            let (closed, window) = state.tree.tighten(first, split, above);
            if let Some(ply) = closed {
                let motion = self.take_over(search, handle, state, ply);
                self.travel(search, motion);
                return;
            }
            above = Some(window);
        }
        let (closed, _) = self.tree.tighten(self.base, self.top, above);
        if let Some(ply) = closed {
            debug_assert!(self.tree.plies[ply].opened, "only an open node can be closed by its own bound");
            self.top = ply;
            let answer = self.finish(search, false);
            self.travel(search, Motion::BackUp(answer));
        }
    }

    /// Finds the blocks above, innermost first. False if one of them has died: a dead block is counted nowhere, so that what it
    /// hung from may have been freed since, and used again.
    fn find_chain(&mut self, search: &Search<G>) -> bool {
        self.chain.clear();
        let mut next = self.home;
        while let Some(handle) = next {
            self.chain.push(handle);
            let state = search.pool.block(handle).lock();
            if !state.is_live(handle) {
                return false;
            }
            next = state.parent;
        }
        true
    }

    /// Passes a better bound on to everybody below a block; `self.strands` holds the block's strands as they were when the bound
    /// was written.
    pub(crate) fn share(&mut self, search: &Search<G>) {
        self.statistics.shares += 1;
        self.tell(search, SHARE);
    }

    /// Raises `flag` for all processors below `self.strands` but this one. Who joins later reads the blocks anew anyway.
    fn tell(&mut self, search: &Search<G>, flag: u32) {
        while let Some(strand) = self.strands.pop() {
            match strand {
                Strand::Processor(processor) if processor == self.index => {}
                Strand::Processor(processor) => {
                    self.statistics.messages += 1;
                    search.mailbox(processor).raise(flag);
                }
                Strand::Block(handle) => {
                    let state = search.pool.block(handle).lock();
                    if state.generation == handle.generation && state.life != Life::Free {
                        self.strands.extend_from_slice(&state.strands);
                    }
                }
            }
        }
    }

    /// The block `handle` dies, with its lock held in `state`: cut off at its split point, or closed from above at `ply`.
    /// This processor, which is somewhere below it, takes its strand in the block above and goes on at `ply`, which has its answer.
    pub(crate) fn take_over(
        &mut self,
        search: &Search<G>,
        handle: Handle,
        state: MutexGuard<'_, BlockState<G>>,
        ply: usize,
    ) -> Motion<G::Proof> {
        self.close(search, handle, state, ply);
        Motion::BackUp(self.finish(search, false))
    }

    /// The block `handle`, whose moves are all taken, dies: its branches are given back to the split point, which is this
    /// processor's own again, and from now on are followed two plies each and split there (the paper, section 1: EPVS).
    pub(crate) fn step_down(
        &mut self,
        search: &Search<G>,
        handle: Handle,
        mut state: MutexGuard<'_, BlockState<G>>,
    ) -> Motion<G::Proof> {
        let split = state.split;
        let BlockState { tree, strands, branches, .. } = &mut *state;
        let mine = Strand::Processor(self.index);
        let others = strands.iter().zip(branches.iter()).filter(|&(&strand, _)| strand != mine);
        tree.give_back(split, others.filter_map(|(_, &branch)| branch));
        tree.plies[split].stepped_down = true;
        self.close(search, handle, state, split);
        Motion::Select
    }

    /// Block `handle` dies; this processor takes its place in the block above, and owns its plies down to `ply`.
    fn close(
        &mut self,
        search: &Search<G>,
        handle: Handle,
        mut state: MutexGuard<'_, BlockState<G>>,
        ply: usize,
    ) {
        state.life = Life::Dead;
        self.span = self.span.max(state.longest);
        search.pool.block(handle).withdraw_offer();
        self.tree.copy_plies(&state.tree, state.first, ply);
        let (parent, first) = (state.parent, state.first);
        self.strands.clear();
        self.strands.extend_from_slice(&state.strands);
        drop(state);
        self.statistics.cutoffs += 1;
        self.trace.record(&search.control, Event::Cutoff, handle, ply);
        self.tell(search, CLOSED);
        self.leave_home(search);
        self.step_up(search, parent, handle, first, ply);
    }

    /// UNSPLIT: this processor is the last strand of `handle`, whose moves are all done. It takes the block down and carries its
    /// value on.
    pub(crate) fn unsplit(
        &mut self,
        search: &Search<G>,
        handle: Handle,
        mut state: MutexGuard<'_, BlockState<G>>,
    ) -> Motion<G::Proof> {
        let (parent, first, split) = (state.parent, state.first, state.split);
        self.tree.copy_plies(&state.tree, first, split);
        self.span = self.span.max(state.longest);
        state.life = Life::Free;
        state.clear();
        drop(state);
        self.step_up(search, parent, handle, first, split);
        search.pool.give_back(handle);
        self.statistics.unsplits += 1;
        self.trace.record(&search.control, Event::Unsplit, handle, split);
        Motion::BackUp(self.finish(search, true))
    }

    /// This processor takes the place of block `handle` in `parent` and owns the plies from `first` to `top`.
    fn step_up(
        &mut self,
        search: &Search<G>,
        parent: Option<Handle>,
        handle: Handle,
        first: usize,
        top: usize,
    ) {
        if let Some(above) = parent {
            let mut state = search.pool.block(above).lock();
            state.replace(Strand::Block(handle), Strand::Processor(self.index));
        }
        // What the blocks above said while this processor stood in none of them went unheard: look there.
        search.mailbox(self.index).raise(SHARE);
        self.home = parent;
        self.base = first;
        self.top = top;
    }

    /// A block above has died: this processor leaves what it was doing, which counts for nothing.
    pub(crate) fn drop_out(&mut self, search: &Search<G>) {
        self.statistics.stops += 1;
        self.statistics.nodes_thrown_away += self.visits.nodes - self.nodes_at_branch;
        self.account_for_branch(true);
        self.leave_home(search);
        self.become_idle(search);
    }

    /// Takes this processor out of its block, and empty blocks out of theirs. A dead block that is empty is only freed: it is
    /// counted nowhere any more.
    pub(crate) fn leave_home(&mut self, search: &Search<G>) {
        let home = self.home.take();
        self.leave_block(search, home, Strand::Processor(self.index));
    }

    /// Takes `strand`, whose part will never be handed in, out of block `from`.
    pub(crate) fn leave_block(&self, search: &Search<G>, from: Option<Handle>, strand: Strand) {
        let mut strand = strand;
        let mut next = from;
        while let Some(handle) = next {
            let mut state = search.pool.block(handle).lock();
            state.remove(strand);
            state.spoiled = true;
            if !state.strands.is_empty() {
                break;
            }
            // Live and empty: a block above it has died, so there is nothing to carry on.
            next = if state.life == Life::Dead { None } else { state.parent };
            state.life = Life::Free;
            drop(state);
            search.pool.give_back(handle);
            strand = Strand::Block(handle);
        }
    }

    pub(crate) fn become_idle(&mut self, search: &Search<G>) {
        self.home = None;
        self.activity = Activity::Idle;
        self.polls = 0;
        self.set_busy(search, false);
        self.trace.note(&search.control, Event::Idle);
        if let Some(request) = search.mailbox(self.index).take_request() {
            search.mailbox(request.asker).reply(None);
        }
    }
}
