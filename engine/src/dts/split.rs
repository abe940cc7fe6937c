//! Split(): making split blocks (the paper, section 2.4), and answering those who ask for them.

use crate::dts::mailbox::{Request, SHARE};
use crate::dts::pool::{BlockState, Handle, Life, Strand};
use crate::dts::processor::{Activity, Processor};
use crate::game::Game;
use crate::search::Search;
use crate::trace::Event;

impl<G: Game> Processor<G> {
    /// Publishes the tree state for those who asked for HELP. If that has just been done, later: the thrashing counter.
    pub(crate) fn answer_help(&mut self, search: &Search<G>) {
        self.help_wanted = false;
        if !self.is_searching() {
            return;
        }
        if self.visits.nodes < self.deaf_until {
            self.help_wanted = true;
            return;
        }
        self.deaf_until = self.visits.nodes + search.strategy.rules().thrashing_nodes(&search.policy);
        let mailbox = search.mailbox(self.index);
        let mut digest = mailbox.digest.lock();
        digest.plies.clear();
        digest.home = self.home;
        for ply in self.tree.root..self.top {
            let offered = ply >= self.base && self.tree.plies[ply].opened && Request::can_name(ply);
            digest.plies.push(self.tree.summary(search, ply, offered));
        }
        mailbox.set_fresh(true);
        drop(digest);
        search.control.wake_sleepers();
        self.statistics.helps_answered += 1;
        self.statistics.messages += 1;
    }

    /// Answers the processor in the request slot: splits at the ply it wants, if that is still the node it means and has moves left.
    pub(crate) fn answer_request(&mut self, search: &Search<G>) {
        let Some(request) = search.mailbox(self.index).take_request() else { return };
        let ply = request.ply;
        let possible = self.is_searching()
            && (self.base..self.top).contains(&ply)
            && request.means(self.tree.plies[ply].serial)
            && self.tree.can_be_split(&search.game, ply);
        let granted = if possible { self.split(search, ply) } else { None };
        self.statistics.messages += 1;
        search.mailbox(request.asker).reply(granted);
        search.control.wake_sleepers();
    }

    /// Copies plies 0 to `ply` into a split block, of which this processor becomes the first strand. `None` if no block is free.
    pub(crate) fn split(&mut self, search: &Search<G>, ply: usize) -> Option<Handle> {
        let handle = search.pool.take()?;
        let block = search.pool.block(handle);
        let mut state = block.lock();
        state.set_up(&self.tree, self.home, self.base, ply, self.index);
        state.add(Strand::Processor(self.index), self.tree.plies[ply + 1].arrival);
        drop(state);
        self.statistics.plies_copied += ply as u64 + 1;
        if let Some(above) = self.home {
            let mut above = search.pool.block(above).lock();
            above.replace(Strand::Processor(self.index), Strand::Block(handle));
        }
        self.home = Some(handle);
        self.base = ply + 1;
        let mut state = block.lock();
        state.linked = true;
        block.publish(&state, search, &mut self.summaries);
        drop(state);
        self.statistics.splits += 1;
        self.trace.record(&search.control, Event::Split, handle, ply);
        Some(handle)
    }

    /// Splits *above* the split point of block `lower`, at a ply that the block owns: a new block is put into the chain above it, and
    /// `lower` becomes one strand of that. Needs nobody's help, since a block's plies lie in shared memory; those above its split
    /// point change no more while it lives, but for their windows. False if nothing came of it.
    ///
    /// The new block is a strand of the block above it *before* `lower` hangs from it, and `lower` is taken out there *after*, so
    /// that nobody in between finds a strand too few. A strand too many only makes somebody merge who could have carried the value
    /// on; then this processor carries it.
    pub(crate) fn split_above(&mut self, search: &Search<G>, lower: Handle, ply: usize, serial: u64) -> bool {
        let fits = |state: &BlockState<G>| {
            state.is_live(lower)
                && state.linked
                && state.first <= ply
                && ply < state.split
                && state.tree.plies[ply].serial == serial
                && !state.tree.plies[ply].window.is_closed()
        };
        let state = search.pool.block(lower).lock();
        if !fits(&state) {
            return false;
        }
        let (parent, first) = (state.parent, state.first);
        self.tree.copy_plies(&state.tree, 0, ply);
        let branch_of_lower = state.tree.plies[ply + 1].arrival;
        drop(state);

        let Some(upper) = search.pool.take() else { return false };
        let mut state = search.pool.block(upper).lock();
        state.set_up(&self.tree, parent, first, ply, self.index);
        state.add(Strand::Processor(self.index), None);
        state.add(Strand::Block(lower), branch_of_lower);
        drop(state);
        self.statistics.plies_copied += ply as u64 + 1;

        if let Some(above) = parent {
            let mut state = search.pool.block(above).lock();
            let live = state.is_live(above);
            if live {
                state.add(Strand::Block(upper), self.tree.plies[first].arrival);
            }
            drop(state);
            if !live {
                self.free_unused(search, upper);
                return false;
            }
        }

        let mut state = search.pool.block(lower).lock();
        let linked = fits(&state) && state.parent == parent && state.first == first;
        if linked {
            state.parent = Some(upper);
            state.first = ply + 1;
        }
        drop(state);
        if !linked {
            self.free_unused(search, upper);
            if let Some(above) = parent {
                return self.withdraw_strand(search, above, Strand::Block(upper));
            }
            return false;
        }

        self.start_working(search);
        self.home = Some(upper);
        self.base = ply + 1;
        self.top = ply;
        self.statistics.splits += 1;
        self.trace.record(&search.control, Event::Split, upper, ply);
        if let Some(above) = parent
            && self.withdraw_strand(search, above, Strand::Block(lower))
        {
            return true;
        }
        search.mailbox(self.index).raise(SHARE);
        let mut state = search.pool.block(upper).lock();
        state.linked = true;
        if state.life == Life::Dead || state.spoiled {
            drop(state);
            self.drop_out(search);
        } else if let Some(motion) = self.select_from_block(search, upper, state, false) {
            self.travel(search, motion);
        }
        true
    }

    /// Gives back a block that was never linked.
    fn free_unused(&self, search: &Search<G>, handle: Handle) {
        let mut state = search.pool.block(handle).lock();
        state.life = Life::Free;
        state.clear();
        drop(state);
        search.pool.give_back(handle);
    }

    /// Takes a strand out of block `above` that was one too many. If that leaves none in a live block, whoever handed in the last
    /// part of its value counted on this strand: this processor carries the value on, and true is returned.
    fn withdraw_strand(&mut self, search: &Search<G>, above: Handle, strand: Strand) -> bool {
        let mut state = search.pool.block(above).lock();
        state.remove(strand);
        if !state.strands.is_empty() {
            return false;
        }
        if state.life == Life::Dead || state.spoiled {
            let next = if state.life == Life::Dead { None } else { state.parent };
            state.life = Life::Free;
            drop(state);
            search.pool.give_back(above);
            self.leave_block(search, next, Strand::Block(above));
            return false;
        }
        state.add(Strand::Processor(self.index), None);
        drop(state);
        if self.home.is_some() {
            self.leave_home(search);
        } else {
            self.start_working(search);
        }
        self.home = Some(above);
        let state = search.pool.block(above).lock();
        let motion = match state.life {
            Life::Dead => {
                drop(state);
                self.drop_out(search);
                return true;
            }
            _ => self.unsplit(search, above, state),
        };
        self.travel(search, motion);
        true
    }

    fn is_searching(&self) -> bool {
        self.activity == Activity::Searching
    }
}
