//! HELP: what a processor without work does (the paper, sections 2.3 and 3.3).

use crate::dts::choose::{Candidate, best_split};
use crate::dts::mailbox::{HELP, Reply, Request};
use crate::dts::pool::{Handle, Life};
use crate::dts::processor::{Activity, Processor};
use crate::game::Game;
use crate::search::Search;
use crate::sync::Ordering;

/// Where work has been found.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// At a split block with moves left.
    Block(Handle),
    /// At a ply of a busy processor that is to be split.
    Ply { owner: usize, ply: usize, serial: u64 },
    /// At a ply above the split point of a block.
    Above { block: Handle, ply: usize, serial: u64 },
}

/// Polls after which a request is taken back, so that other work can be taken up meanwhile.
const PATIENCE: u32 = 64;

/// The most polls between two calls for HELP.
const LONGEST_INTERVAL: u32 = 16;

impl<G: Game> Processor<G> {
    /// One look for work. Nothing serves: ask for HELP, at growing intervals.
    pub(crate) fn look_for_work(&mut self, search: &Search<G>) {
        if !search.strategy.splits() {
            return;
        }
        self.set_looking(search, true);
        self.polls = self.polls.saturating_add(1);
        if let Activity::Asking { owner, request } = self.activity {
            match search.mailbox(self.index).take_reply() {
                Reply::Pending => {
                    let owner_left = search.mailbox(owner).busy.load(Ordering::Acquire) == 0;
                    let impatient = owner_left || self.polls > PATIENCE;
                    if impatient && search.mailbox(owner).withdraw(request) {
                        self.activity = Activity::Idle;
                        self.polls = 1;
                    }
                    return;
                }
                Reply::Granted(handle) => {
                    self.activity = Activity::Idle;
                    if self.join(search, handle) {
                        return;
                    }
                }
                Reply::Refused => {
                    self.activity = Activity::Idle;
                    search.mailbox(owner).digest.lock().fresh = false;
                }
            }
            self.polls = 1;
        }
        match self.find_work(search) {
            Some(Work::Block(handle)) => {
                self.join(search, handle);
            }
            Some(Work::Above { block, ply, serial }) => {
                self.split_above(search, block, ply, serial);
            }
            Some(Work::Ply { owner, ply, serial }) => {
                let request = Request { asker: self.index, ply, serial };
                self.statistics.messages += 1;
                if search.mailbox(owner).ask(request) {
                    self.statistics.splits_asked += 1;
                    self.activity = Activity::Asking { owner, request };
                    self.polls = 0;
                }
            }
            None => {
                if self.polls.is_power_of_two() || self.polls.is_multiple_of(LONGEST_INTERVAL) {
                    self.ask_for_help(search);
                }
            }
        }
    }

    /// The best work that can be seen.
    fn find_work(&mut self, search: &Search<G>) -> Option<Work> {
        let judging = search.judging();
        let last_resort = self.polls >= search.policy.patience;
        let only_below = self.master_of(search);
        let mut best: Option<(f32, Work)> = None;
        let mut consider = |score: f32, place: Option<Handle>, work: Work| {
            if only_below.is_some_and(|master_of| !is_below(search, place, master_of)) {
                return;
            }
            if best.is_none_or(|(so_far, _)| score > so_far) {
                best = Some((score, work));
            }
        };
        for (index, block) in search.pool.blocks() {
            if let Some((score, handle)) = block.offer(index) {
                consider(score, Some(handle), Work::Block(handle));
            }
        }
        for owner in 0..search.processors() {
            let mailbox = search.mailbox(owner);
            if owner == self.index || mailbox.busy.load(Ordering::Acquire) == 0 {
                continue;
            }
            let mut digest = mailbox.digest.lock();
            if digest.fresh {
                let home = digest.home;
                let candidate = best_split(&digest.plies, &judging, last_resort);
                if candidate.is_none() {
                    digest.fresh = false;
                }
                drop(digest);
                if let Some(Candidate { ply, serial, score }) = candidate {
                    consider(score, home, Work::Ply { owner, ply, serial });
                }
            }
        }
        // A split above that cannot be made must not be chosen before work that can be had.
        if search.policy.above_unfinished && judging.rules.splits_above() && search.pool.free_count() > 0 {
            for (index, block) in search.pool.blocks() {
                let state = block.lock();
                if state.life != Life::Live || !state.linked {
                    continue;
                }
                let handle = Handle { index, generation: state.generation };
                self.summaries.clear();
                for ply in state.tree.root..=state.split {
                    let open = !state.tree.plies[ply].window.is_closed();
                    let offered = state.first <= ply && ply < state.split && open;
                    self.summaries.push(state.tree.summary(&search.game, ply, offered));
                }
                drop(state);
                if let Some(Candidate { ply, serial, score }) =
                    best_split(&self.summaries, &judging, last_resort)
                {
                    consider(score, None, Work::Above { block: handle, ply, serial });
                }
            }
        }
        best.map(|(_, work)| work)
    }

    /// The block below which this processor helps, as long as it lives.
    fn master_of(&mut self, search: &Search<G>) -> Option<Handle> {
        let block = self.helps?;
        let lives = search.pool.block(block).lock().is_live(block);
        if !lives {
            self.helps = None;
        }
        self.helps
    }

    /// Asks all busy processors whose tree state is not known for HELP.
    fn ask_for_help(&mut self, search: &Search<G>) {
        self.statistics.helps_asked += 1;
        for other in 0..search.processors() {
            let mailbox = search.mailbox(other);
            if other != self.index
                && mailbox.busy.load(Ordering::Acquire) != 0
                // Who is asked already need not be asked again.
                && mailbox.flags.load(Ordering::Relaxed) & HELP == 0
                && !mailbox.digest.lock().fresh
            {
                self.statistics.messages += 1;
                mailbox.raise(HELP);
            }
        }
    }
}

/// Whether `place` is the block `above`, or below it.
fn is_below<G: Game>(search: &Search<G>, place: Option<Handle>, above: Handle) -> bool {
    let mut next = place;
    while let Some(handle) = next {
        if handle == above {
            return true;
        }
        let state = search.pool.block(handle).lock();
        if !state.is_live(handle) {
            return false;
        }
        next = state.parent;
    }
    false
}
