//! A processor: a search over an explicit stack that goes one step at a time.

use crate::control::Visits;
use crate::dts::choose::PlySummary;
use crate::dts::mailbox::Request;
use crate::dts::pool::{BlockState, Handle, Life, Strand};
use crate::game::{Answer, Attempt, Game, Memory};
use crate::grain::Grain;
use crate::line::Line;
use crate::node_type::Expectation;
use crate::root::{Finished, Root, Task};
use crate::search::Search;
use crate::statistics::Statistics;
use crate::strategy::margins::Margin;
use crate::strategy::{OutOfMoves, SplitPoint};
use crate::sync::{MutexGuard, Ordering};
use crate::trace::{Event, Trace};
use crate::tree::{Branch, Ply, Received, TreeState, Visit};

/// What a step was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A node, or a whole grain, was searched.
    Searched,
    /// There is no work, or the reply to a request is awaited.
    Idle,
    /// The search is over for this processor.
    Out,
}

/// What half a step was, in the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A node, or a whole grain, was searched; what came of it is to be delivered.
    Searched,
    /// There is work to go on with.
    Ready,
    /// There is no work, or the reply to a request is awaited.
    Idle,
    /// The search is over for this processor.
    Out,
}

/// What the simulator charges for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bill {
    pub(crate) nodes: u64,
    pub(crate) selected: u64,
    pub(crate) splits: u64,
    pub(crate) plies_copied: u64,
    pub(crate) messages: u64,
}

impl Bill {
    /// What has been added since `before`.
    pub(crate) fn since(self, before: Bill) -> Bill {
        Bill {
            nodes: self.nodes - before.nodes,
            selected: self.selected - before.selected,
            splits: self.splits - before.splits,
            plies_copied: self.plies_copied - before.plies_copied,
            messages: self.messages - before.messages,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// The node at the top of the tree state is to be searched.
    Searching,
    /// Looks for work.
    Idle,
    /// Has asked `owner` for a split.
    Asking { owner: usize, request: Request },
    /// Has left the search.
    Out,
}

/// Where the search goes from the top of a tree state.
pub(crate) enum Motion<P> {
    /// Take the next move of the node at the top.
    Select,
    /// The node at the top has its answer.
    BackUp(Answer<P>),
}

/// What came of half a step.
enum Half<P> {
    /// A node, or a whole grain, was searched: how to go on.
    Found(Motion<P>),
    /// There is work to go on with.
    Ready,
    /// There is no work, or the reply to a request is awaited.
    Idle,
    /// The search is over for this processor.
    Out,
}

/// A processor and its tree state.
///
/// It owns the plies from `base` to `top`; those above `base` are copies of plies that belong to the split block `home`
/// and the blocks above it.
pub(crate) struct Processor<G: Game> {
    pub(crate) index: usize,
    pub(crate) tree: TreeState<G>,
    pub(crate) base: usize,
    pub(crate) top: usize,
    pub(crate) home: Option<Handle>,
    pub(crate) activity: Activity,
    pub(crate) local: G::Local,
    pub(crate) visits: Visits,
    pub(crate) statistics: Statistics,
    pub(crate) trace: Trace,
    /// Nodes counted when the current branch of a split block was taken.
    pub(crate) nodes_at_branch: u64,
    /// HELP is ignored until this many nodes are counted: the thrashing counter.
    pub(crate) deaf_until: u64,
    /// Counted among those who are without work.
    looks: bool,
    /// Somebody asked for HELP meanwhile.
    pub(crate) help_wanted: bool,
    /// Polls since the processor became idle.
    pub(crate) polls: u32,
    /// The block whose master this processor is, and below which it helps until all there are done.
    pub(crate) helps: Option<Handle>,
    serials: u64,
    /// The longest chain of work that this processor's place in the tree rests on, in the simulator's time.
    pub(crate) span: u64,
    /// The split block whose lock was taken last, for the simulator to charge for.
    pub(crate) locked: Option<u32>,
    /// What came of the node searched last, while that is not delivered.
    found: Option<Motion<G::Proof>>,
    /// The root of a processor that searches for itself.
    pub(crate) own_root: Option<Root<G>>,
    /// The plies that others can see this processor searching, and their keys.
    pub(crate) searched_now: Vec<(usize, u64)>,
    /// Lines below the grain.
    lines: Vec<Line<G::Move>>,
    pub(crate) summaries: Vec<PlySummary>,
    pub(crate) chain: Vec<Handle>,
    pub(crate) strands: Vec<Strand>,
}

impl<G: Game> Processor<G> {
    pub(crate) fn new(game: &G, index: usize) -> Self {
        Processor {
            index,
            tree: TreeState::new(),
            base: 0,
            top: 0,
            home: None,
            activity: Activity::Out,
            local: game.local(index),
            visits: Visits::default(),
            statistics: Statistics::default(),
            trace: Trace::new(),
            nodes_at_branch: 0,
            deaf_until: 0,
            looks: false,
            help_wanted: false,
            polls: 0,
            helps: None,
            serials: 0,
            span: 0,
            locked: None,
            found: None,
            own_root: None,
            searched_now: Vec::new(),
            lines: Vec::new(),
            summaries: Vec::new(),
            chain: Vec::new(),
            strands: Vec::new(),
        }
    }

    /// Enters a search: processor 0 takes up the root, the others are idle.
    pub(crate) fn enter(&mut self, search: &Search<G>) {
        self.visits.reset();
        self.statistics = Statistics::default();
        self.span = 0;
        self.locked = None;
        self.found = None;
        self.home = None;
        self.nodes_at_branch = 0;
        self.deaf_until = 0;
        self.help_wanted = false;
        self.looks = false;
        self.helps = None;
        self.activity = Activity::Idle;
        self.polls = 0;
        if search.is_each_for_itself {
            self.trace.note(&search.control, Event::Busy);
            self.enter_alone(search);
        } else if self.index == 0 {
            let task = search.root.lock().next(search.control.limits.depth());
            match task {
                Some(task) => {
                    self.trace.note(&search.control, Event::Busy);
                    self.begin(search, task);
                }
                None => self.finish_search(search),
            }
        }
    }

    /// Leaves a search: what was counted.
    pub(crate) fn leave(&mut self, search: &Search<G>) {
        self.visits.report(&search.control);
        self.statistics.nodes = self.visits.nodes;
        self.activity = Activity::Out;
    }

    /// Goes on by one node, or one grain, or one look for work.
    pub(crate) fn step(&mut self, search: &Search<G>) -> Step {
        if search.mailbox(self.index).flags.load(Ordering::Relaxed) != 0 {
            self.attend(search);
        }
        self.go_on(search)
    }

    /// The step of a processor that has looked at its flags.
    pub(crate) fn go_on(&mut self, search: &Search<G>) -> Step {
        match self.half_step(search) {
            Half::Found(motion) => {
                self.travel(search, motion);
                if self.activity == Activity::Out { Step::Out } else { Step::Searched }
            }
            Half::Ready => Step::Searched,
            Half::Idle => Step::Idle,
            Half::Out => Step::Out,
        }
    }

    /// The first half of a step: as [`Processor::step`], but what comes of a node is kept back until it is delivered.
    pub(crate) fn search_part(&mut self, search: &Search<G>) -> Part {
        if search.mailbox(self.index).flags.load(Ordering::Relaxed) != 0 {
            self.statistics.messages += 1;
            self.attend(search);
        }
        match self.half_step(search) {
            Half::Found(motion) => {
                self.found = Some(motion);
                Part::Searched
            }
            Half::Ready => Part::Ready,
            Half::Idle => Part::Idle,
            Half::Out => Part::Out,
        }
    }

    /// One node, or one grain, or one look for work.
    #[inline]
    fn half_step(&mut self, search: &Search<G>) -> Half<G::Proof> {
        self.help_if_wanted(search);
        match self.activity {
            Activity::Searching => match self.search_node(search) {
                Some(motion) => Half::Found(motion),
                None if self.activity == Activity::Out => Half::Out,
                None => Half::Ready,
            },
            Activity::Idle | Activity::Asking { .. } => {
                if search.control.is_over() {
                    self.activity = Activity::Out;
                    return Half::Out;
                }
                self.look_for_work(search);
                if self.activity == Activity::Searching { Half::Ready } else { Half::Idle }
            }
            Activity::Out => Half::Out,
        }
    }

    /// Publishes the tree state once the thrashing counter has run down, if somebody asked meanwhile; and again from time to time, as
    /// long as anybody is without work.
    fn help_if_wanted(&mut self, search: &Search<G>) {
        if self.visits.nodes < self.deaf_until {
            return;
        }
        let is_old =
            self.visits.nodes >= self.deaf_until + search.strategy.rules().renewal_nodes(&search.policy);
        if self.help_wanted || is_old && search.looking.load(Ordering::Relaxed) > 0 {
            self.answer_help(search);
        }
    }

    /// Counts this processor among those who are without work, or no more.
    pub(crate) fn set_looking(&mut self, search: &Search<G>, looks: bool) {
        match (self.looks, looks) {
            (false, true) => search.looking.fetch_add(1, Ordering::Relaxed),
            (true, false) => search.looking.fetch_sub(1, Ordering::Relaxed),
            _ => return,
        };
        self.looks = looks;
    }

    /// The second half: what came of the node is handed on, and the next one set up.
    pub(crate) fn deliver(&mut self, search: &Search<G>) -> Part {
        if let Some(motion) = self.found.take() {
            self.travel(search, motion);
        }
        if self.activity == Activity::Out { Part::Out } else { Part::Ready }
    }

    /// Whether it has asked somebody for a split.
    pub(crate) fn awaits_a_reply(&self) -> bool {
        matches!(self.activity, Activity::Asking { .. })
    }

    /// What has been done in this search.
    pub(crate) fn bill(&self) -> Bill {
        Bill {
            nodes: self.visits.nodes,
            selected: self.serials,
            splits: self.statistics.splits,
            plies_copied: self.statistics.plies_copied,
            messages: self.statistics.messages,
        }
    }

    /// Whether it is searching, or will be once it has looked at its flags.
    #[cfg(all(test, dts_loom))]
    pub(crate) fn has_work(&self) -> bool {
        self.activity == Activity::Searching
    }

    pub(crate) fn next_serial(&mut self) -> u64 {
        // The processor's number keeps serial numbers of different processors apart.
        self.serials += 1;
        (self.serials << 10) | self.index as u64
    }

    /// Sets up a task of the root.
    pub(crate) fn begin(&mut self, search: &Search<G>, task: Task<G::Move>) {
        let position = search.root.lock().position.clone();
        let serial = self.next_serial();
        self.tree.reserve(PLIES_AT_FIRST, &position);
        self.tree.positions[0] = position;
        self.tree.root = 0;
        self.tree.is_partial = !task.draws.left_out.is_empty();
        self.tree.draws = task.draws;
        let visit = |depth| Visit {
            arrival: None,
            depth,
            window: task.window,
            expectation: task.expectation,
            serial,
        };
        self.tree.enter(&search.game, 0, visit(task.depth));
        if let Some(first) = task.first {
            // The game says how deep the move is searched.
            let attempt = search.game.attempt(&self.tree.node(0), first, 0, 0, None);
            let depth = if let Attempt::Search { depth, .. } = attempt { depth } else { task.depth - 1 };
            self.tree.positions[1] = search.game.play(&self.tree.positions[0], first);
            self.tree.root = 1;
            self.tree.enter(&search.game, 1, visit(depth));
        }
        let root = self.tree.root;
        self.home = None;
        self.base = root;
        self.top = root;
        self.set_busy(search, true);
        self.activity = Activity::Searching;
    }

    pub(crate) fn set_busy(&self, search: &Search<G>, busy: bool) {
        search.mailbox(self.index).busy.store(u32::from(busy), Ordering::Release);
    }

    /// Searches the node at the top, or all of its subtree if that is a grain: how to go on. `None` if it was left early.
    fn search_node(&mut self, search: &Search<G>) -> Option<Motion<G::Proof>> {
        let game = &*search.game;
        let mut memory = Memory { shared: &*search.shared, local: &mut self.local };
        // The root's best move is wanted, so the root itself is never below the grain.
        let answer = if self.top > self.tree.root && game.grain(&self.tree.node(self.top)) {
            let flags = &search.control.mailboxes[self.index].flags;
            let grain = Grain::new(game, memory, &mut self.visits, &search.control, flags, &mut self.lines);
            let answer = grain.search(&mut self.tree, self.top);
            if answer.is_none() {
                self.left_early(search);
                return None;
            }
            answer
        } else {
            if self.visits.count(&search.control) {
                self.left_early(search);
                return None;
            }
            self.tree.open(game, self.top, &mut memory)
        };
        Some(answer.map_or(Motion::Select, Motion::BackUp))
    }

    /// The node at the top was left in the middle: either the search is over, or the next look at the flags tells whether a block
    /// above has died. Whatever was searched of the node is forgotten; its ply is as it was before.
    fn left_early(&mut self, search: &Search<G>) {
        if search.control.stop_reason().is_some() {
            self.activity = Activity::Out;
        }
    }

    /// Moves through the tree until a node is set up that has to be searched, or there is nothing left to do here.
    pub(crate) fn travel(&mut self, search: &Search<G>, mut motion: Motion<G::Proof>) {
        let game = &*search.game;
        loop {
            match motion {
                Motion::Select => match self.tree.select(game, self.top) {
                    Some(branch) => {
                        self.descend(search, branch);
                        if search.is_each_for_itself {
                            if self.puts_off(search) {
                                continue;
                            }
                        } else if search.splits_unasked {
                            self.split_unasked(search);
                        }
                        return;
                    }
                    None => motion = Motion::BackUp(self.finish(search, true)),
                },
                Motion::BackUp(answer) if self.top > self.base => {
                    self.top -= 1;
                    motion = match self.receive(search, answer) {
                        Received::Again(branch) => return self.descend(search, branch),
                        Received::Onward { .. } => Motion::Select,
                        Received::Closed => Motion::BackUp(self.finish(search, false)),
                    }
                }
                Motion::BackUp(answer) => {
                    let next = match self.home {
                        Some(home) => self.back_up_into_block(search, home, answer),
                        None => {
                            self.finish_root(search, &answer);
                            None
                        }
                    };
                    match next {
                        Some(next) => motion = next,
                        None => return,
                    }
                }
            }
        }
    }

    /// Receives the answer of the ply below the top.
    fn receive(&mut self, search: &Search<G>, answer: Answer<G::Proof>) -> Received<G::Move> {
        if search.is_each_for_itself {
            self.is_searched(search);
        }
        let (top, game) = (self.top, &*search.game);
        let below = &mut self.tree.plies[top + 1];
        let branch = below.arrival.expect("a ply below another was reached by a move");
        let line = below.line.take();
        let margin = if search.learns { self.tree.margin_of(game, top + 1) } else { None };
        let received = self.tree.receive(game, top, branch, answer, line.moves());
        self.tree.plies[top + 1].line = line;
        if search.learns {
            self.learn_of_branch(search, &self.tree.plies[top], top + 1, margin, &received);
        }
        received
    }

    /// Finishes the node at the top.
    pub(crate) fn finish(&mut self, search: &Search<G>, complete: bool) -> Answer<G::Proof> {
        if search.learns {
            self.learn(search, complete);
        }
        let mut memory = Memory { shared: &*search.shared, local: &mut self.local };
        self.tree.finish(&search.game, self.top, complete, &mut memory)
    }

    /// Keeps count of what the node at the top needed, unless it was closed from above.
    fn learn(&self, search: &Search<G>, complete: bool) {
        let at = &self.tree.plies[self.top];
        if at.opened && (complete || at.tally.is_beyond(at.side, at.window)) {
            search.learned.note_end(at, at.tally.counted(), complete);
        }
    }

    /// Goes down `branch` from the top.
    pub(crate) fn descend(&mut self, search: &Search<G>, branch: Branch<G::Move>) {
        let serial = self.next_serial();
        self.tree.plies[self.top].span = self.span;
        self.tree.descend(&search.game, self.top, branch, serial);
        self.top += 1;
        self.activity = Activity::Searching;
        if search.learns {
            let margin = self.tree.margin_of(&search.game, self.top);
            search.learned.branch_begins(&self.tree.plies[self.top - 1], branch.number, margin);
        }
    }

    /// Keeps count of what came of the branch that led to `ply`, at the node `at` above it.
    fn learn_of_branch(
        &self,
        search: &Search<G>,
        at: &Ply<G>,
        ply: usize,
        margin: Option<Margin>,
        received: &Received<G::Move>,
    ) {
        let below = &self.tree.plies[ply];
        search.learned.branch_ends(at, below.number());
        let beat = match received {
            Received::Again(_) => return,
            Received::Onward { improved } => *improved,
            Received::Closed => true,
        };
        search.learned.note_move(at, below.number(), margin, below.tally.counted(), beat);
    }

    /// Splits the node above the top if its strategy does so unasked, it is on the principal variation and somebody is without work.
    fn split_unasked(&mut self, search: &Search<G>) {
        let ply = self.top - 1;
        let at = &self.tree.plies[ply];
        if at.expectation == Expectation::Exact
            && at.tally.counted() > 0
            && search.looking.load(Ordering::Relaxed) > 0
            && search.game.work(&self.tree.node(ply)) >= search.policy.split_cost
            && (ply > self.tree.root || search.policy.split_root)
            && self.tree.can_be_split(&search.game, ply)
        {
            self.split(search, ply);
        }
    }

    /// BACKUP into a split ply, and SELECT from it, in one critical section (the paper, 2.5 to 2.8). What to do next on plies that
    /// belong to this processor; nothing if it is searching the next branch, or idle.
    fn back_up_into_block(
        &mut self,
        search: &Search<G>,
        home: Handle,
        answer: Answer<G::Proof>,
    ) -> Option<Motion<G::Proof>> {
        let game = &*search.game;
        let mut state = search.pool.block(home).lock();
        debug_assert_eq!(state.generation, home.generation);
        if state.life == Life::Dead || state.spoiled {
            drop(state);
            self.drop_out(search);
            return None;
        }
        self.account_for_branch(false);
        let split = state.split;
        let below = &self.tree.plies[split + 1];
        let branch = below.arrival.expect("a ply below a split point was reached by a move");
        state.longest = state.longest.max(self.span);
        self.locked = Some(home.index);
        let margin = match search.learns {
            true => self.tree.margin(game, &state.tree.plies[split], split + 1),
            false => None,
        };
        let received = state.tree.receive(game, split, branch, answer, below.line.moves());
        if search.learns {
            self.learn_of_branch(search, &state.tree.plies[split], split + 1, margin, &received);
        }
        let branch = match received {
            Received::Again(branch) => branch,
            Received::Closed => {
                return Some(self.take_over(search, home, state, split));
            }
            Received::Onward { improved } => return self.select_from_block(search, home, state, improved),
        };
        state.note_branch(Strand::Processor(self.index), branch);
        self.take_branch(&state, split);
        drop(state);
        self.go_down(search, branch)
    }

    /// SELECT at the split ply of this processor's block, whose lock is held in `state`: the next branch, or MERGE, or UNSPLIT.
    /// `improved` says that the block's bound has just become better and is to be SHAREd.
    pub(crate) fn select_from_block(
        &mut self,
        search: &Search<G>,
        home: Handle,
        mut state: MutexGuard<'_, BlockState<G>>,
        improved: bool,
    ) -> Option<Motion<G::Proof>> {
        let game = &*search.game;
        let block = search.pool.block(home);
        let split = state.split;
        let selected = state.tree.select(game, split);
        match selected {
            Some(branch) => {
                state.note_branch(Strand::Processor(self.index), branch);
                block.publish(&state, search, &mut self.summaries);
                self.take_branch(&state, split);
            }
            None => {
                block.withdraw_offer();
                if state.strands.len() == 1 {
                    return Some(self.unsplit(search, home, state));
                }
                let at = &state.tree.plies[split];
                let split_point = SplitPoint { work: game.work(&state.tree.node(split)), moves: at.selected };
                match search.strategy.rules().when_moves_run_out(split_point, &search.policy) {
                    OutOfMoves::Leave => {}
                    OutOfMoves::HelpBelow if state.master == self.index => self.helps = Some(home),
                    OutOfMoves::HelpBelow => {}
                    OutOfMoves::StepDown => return Some(self.step_down(search, home, state)),
                }
                state.remove(Strand::Processor(self.index));
            }
        }
        self.strands.clear();
        if improved {
            self.strands.extend_from_slice(&state.strands);
        }
        drop(state);
        if improved {
            self.share(search);
        }
        match selected {
            Some(branch) => self.go_down(search, branch),
            None => {
                self.statistics.merges += 1;
                self.trace.record(&search.control, Event::Merge, home, split);
                self.become_idle(search);
                None
            }
        }
    }

    /// Keeps count of the branch of a split block that this processor has been searching.
    pub(crate) fn account_for_branch(&mut self, stopped: bool) {
        let Some(split) = self.base.checked_sub(1) else { return };
        let node = &self.tree.plies[split];
        let node_type = node.expectation.node_type(node.side);
        let nodes = self.visits.nodes - self.nodes_at_branch;
        self.statistics.branches.note(node_type, self.tree.plies[self.base].number(), nodes, stopped);
    }

    /// Copies what has changed at a split ply before going down a branch of it.
    pub(crate) fn take_branch(&mut self, state: &BlockState<G>, split: usize) {
        // A branch rests on what led to the split point, not on the branch that this processor had before.
        self.span = state.span;
        let (mine, theirs) = (&mut self.tree.plies[split], &state.tree.plies[split]);
        mine.window = theirs.window;
        mine.tally.clone_from(&theirs.tally);
        mine.selected = theirs.selected;
    }

    fn go_down(&mut self, search: &Search<G>, branch: Branch<G::Move>) -> Option<Motion<G::Proof>> {
        self.top = self.base - 1;
        self.nodes_at_branch = self.visits.nodes;
        self.descend(search, branch);
        None
    }

    /// Hands the root's answer in and takes up the next task.
    fn finish_root(&mut self, search: &Search<G>, answer: &Answer<G::Proof>) {
        if search.is_each_for_itself {
            return self.finish_own_root(search, answer);
        }
        // Who is told of the iteration hears of all the nodes that it took this processor.
        self.visits.report(&search.control);
        let at = &self.tree.plies[self.base];
        let mut root = search.root.lock();
        root.hear(&Finished { side: at.side, range: answer.range, best: at.best, line: at.line.moves() });
        let task = root.next(search.control.limits.depth());
        search.tell(&root);
        drop(root);
        match task {
            Some(task) => self.begin(search, task),
            None => self.finish_search(search),
        }
    }

    pub(crate) fn finish_search(&mut self, search: &Search<G>) {
        search.control.finish();
        if search.is_each_for_itself {
            search.control.send_home();
        }
        self.set_busy(search, false);
        self.trace.note(&search.control, Event::Idle);
        self.activity = Activity::Out;
    }
}

/// Room for this many plies is made before the first node, so that most searches never need more.
const PLIES_AT_FIRST: usize = 64;
