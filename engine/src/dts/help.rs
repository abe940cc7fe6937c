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
                    let mailbox = search.mailbox(owner);
                    let _digest = mailbox.digest.lock();
                    mailbox.set_fresh(false);
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
        // What is learned changes scores at any moment.
        let remembers = !judging.rules.learns();
        let mut best: Option<(f32, Work)> = None;
        let consider = |best: &mut Option<(f32, Work)>, score: f32, place: Option<Handle>, work: Work| {
            if best.is_none_or(|(so_far, _)| score > so_far)
                && only_below.is_none_or(|master_of| is_below(search, place, master_of))
            {
                *best = Some((score, work));
            }
        };
        for (index, block) in search.pool.blocks_in_use() {
            if let Some((score, handle)) = block.offer(index) {
                consider(&mut best, score, Some(handle), Work::Block(handle));
            }
        }
        for owner in 0..search.processors() {
            let mailbox = search.mailbox(owner);
            if owner == self.index || !mailbox.is_fresh() || mailbox.busy.load(Ordering::Acquire) == 0 {
                continue;
            }
            let so_far = best.map(|(score, _)| score);
            if remembers && mailbox.worth.is_no_better_than(last_resort, so_far) {
                continue;
            }
            let digest = mailbox.digest.lock();
            if mailbox.is_fresh() {
                let home = digest.home;
                let candidate = best_split(&digest.plies, &judging, last_resort);
                match &candidate {
                    Some(_) => mailbox.worth.remember(last_resort, candidate.as_ref()),
                    None => mailbox.set_fresh(false),
                }
                drop(digest);
                if let Some(Candidate { ply, serial, score }) = candidate {
                    consider(&mut best, score, home, Work::Ply { owner, ply, serial });
                }
            }
        }
        // What lies above a block is below no other.
        if search.policy.above_unfinished && judging.rules.splits_above() && only_below.is_none() {
            for (index, block) in search.pool.blocks_in_use() {
                let so_far = best.map(|(score, _)| score);
                if remembers && block.above.is_no_better_than(last_resort, so_far) {
                    continue;
                }
                let state = block.lock_to_read();
                if state.life != Life::Live || !state.linked {
                    block.above.remember(last_resort, None);
                    continue;
                }
                let handle = Handle { index, generation: state.generation };
                self.summaries.clear();
                for ply in state.tree.root..=state.split {
                    let offered = state.first <= ply && ply < state.split;
                    self.summaries.push(state.tree.summary(&search.game, ply, offered));
                }
                let candidate = best_split(&self.summaries, &judging, last_resort);
                block.above.remember(last_resort, candidate.as_ref());
                drop(state);
                if let Some(Candidate { ply, serial, score }) = candidate {
                    consider(&mut best, score, None, Work::Above { block: handle, ply, serial });
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
                && !mailbox.is_fresh()
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
