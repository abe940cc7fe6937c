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

/// Polls up to which only the own group of processors is called.
const OWN_GROUP_FIRST: u32 = 2;

/// No score is higher.
const MOST_SCORE: f32 = 1.0;

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

    /// The best work that can be seen: first in the own group of processors, then in others, if there are any and they can have better.
    fn find_work(&mut self, search: &Search<G>) -> Option<Work> {
        let only_below = self.master_of(search);
        let mut best = Best { work: None, least: None, only_below };
        self.look_in(search, &mut best, |abroad| abroad != Some(true));
        if search.pool.network.is_some() {
            // What is taken elsewhere has to be so much better; at a discount of 0, nothing is.
            best.least = best.least.map(|least| least / search.policy.discount_remote);
            if best.least.is_none_or(|least| least < MOST_SCORE) {
                self.look_in(search, &mut best, |abroad| abroad == Some(true));
            }
        }
        best.work
    }

    /// Looks at the work whose place `is_looked_at`, which is told whether that is in another group; none where there are no groups.
    fn look_in(&mut self, search: &Search<G>, best: &mut Best, is_looked_at: impl Fn(Option<bool>) -> bool) {
        let judging = search.judging();
        let last_resort = self.polls >= search.policy.patience;
        // What is learned changes scores at any moment.
        let remembers = !search.learns;
        let network = search.pool.network.as_deref();
        let looks_at_block = |index: u32| is_looked_at(network.map(|network| network.is_block_abroad(index)));
        for (index, block) in search.pool.blocks_in_use() {
            if let Some((score, handle)) = block.offer(index)
                && looks_at_block(index)
            {
                best.consider(search, score, Some(handle), Work::Block(handle));
            }
        }
        for owner in 0..search.processors() {
            let mailbox = search.mailbox(owner);
            if owner == self.index
                || !mailbox.is_fresh()
                || mailbox.busy.load(Ordering::Acquire) == 0
                || !is_looked_at(network.map(|network| network.is_abroad(owner)))
            {
                continue;
            }
            // That somebody remembers what it is worth is no part of what is simulated: everybody asks for it.
            mailbox.read_digest();
            if remembers && mailbox.worth.is_no_better_than(last_resort, best.least) {
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
                    best.consider(search, score, home, Work::Ply { owner, ply, serial });
                }
            }
        }
        // What lies above a block is below no other. A split above that cannot be made must not be chosen before work that can be had.
        if search.policy.above_unfinished
            && judging.rules.splits_above()
            && best.only_below.is_none()
            && search.pool.free_count() > 0
        {
            for (index, block) in search.pool.blocks_in_use() {
                if !looks_at_block(index) {
                    continue;
                }
                if let Some(network) = network {
                    network.read_block(index);
                }
                if remembers && block.above.is_no_better_than(last_resort, best.least) {
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
                    let open = !state.tree.plies[ply].window.is_closed();
                    let offered = state.first <= ply && ply < state.split && open;
                    self.summaries.push(state.tree.summary(search, ply, offered));
                }
                let candidate = best_split(&self.summaries, &judging, last_resort);
                block.above.remember(last_resort, candidate.as_ref());
                drop(state);
                if let Some(Candidate { ply, serial, score }) = candidate {
                    best.consider(search, score, None, Work::Above { block: handle, ply, serial });
                }
            }
        }
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

    /// Asks all busy processors whose tree state is not known for HELP; at first only those of the own group, if there are any to ask.
    fn ask_for_help(&mut self, search: &Search<G>) {
        self.statistics.helps_asked += 1;
        if let Some(network) = &search.pool.network
            && self.polls <= OWN_GROUP_FIRST
            && self.call(search, |other| !network.is_abroad(other)) > 0
        {
            return;
        }
        self.call(search, |_| true);
    }

    /// Raises HELP at those who can be asked, of some; how many.
    fn call(&mut self, search: &Search<G>, some: impl Fn(usize) -> bool) -> u64 {
        let mut called = 0;
        for other in 0..search.processors() {
            let mailbox = search.mailbox(other);
            if other != self.index
                && mailbox.busy.load(Ordering::Acquire) != 0
                // Who is asked already need not be asked again.
                && !mailbox.is_told(HELP)
                && !mailbox.is_fresh()
                && some(other)
            {
                called += 1;
                mailbox.raise(HELP);
            }
        }
        self.statistics.messages += called;
        called
    }
}

/// The best work seen so far.
struct Best {
    work: Option<Work>,
    /// Only a score above this is better.
    least: Option<f32>,
    /// Only work there and below counts.
    only_below: Option<Handle>,
}

impl Best {
    fn consider<G: Game>(&mut self, search: &Search<G>, score: f32, place: Option<Handle>, work: Work) {
        if self.least.is_none_or(|least| score > least)
            && self.only_below.is_none_or(|above| is_below(search, place, above))
        {
            *self = Best { work: Some(work), least: Some(score), ..*self };
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
