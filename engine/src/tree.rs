//! A tree state: the plies from the root to the node being searched (the paper, section 2.1).
//!
//! Processors and split blocks hold the same thing, so that a split is a plain copy. What happens *at* a ply (open,
//! select the next move, receive a child's answer, finish) is here, once, whoever owns the ply.

use crate::game::{Answer, Attempt, Game, Memory, Node, Opening, Scope};
use crate::line::Line;
use crate::node_type::Expectation;
use crate::root::RootDraws;
use crate::strategy::margins::Margin;
use crate::tally::Tally;
use crate::value::{Side, Window};

/// The move by which a ply was reached, and how it is being tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branch<M> {
    pub(crate) chosen: M,
    /// How many moves were selected before it at its node.
    pub(crate) number: u32,
    /// How many attempts came before this one.
    pub(crate) tries: u32,
    pub(crate) depth: i32,
    pub(crate) scope: Scope,
    /// It has been put off once, so that the node's other moves come before it.
    pub(crate) put_off: bool,
}

/// One ply of a tree state: everything but the position.
#[derive(Clone, Debug)]
pub(crate) struct Ply<G: Game> {
    pub(crate) source: G::Source,
    pub(crate) arrival: Option<Branch<G::Move>>,
    pub(crate) side: Side,
    pub(crate) depth: i32,
    /// The window as it stands: what came from above, tightened by what is known here.
    pub(crate) window: Window,
    pub(crate) tally: Tally<G::Proof>,
    pub(crate) best: Option<G::Move>,
    pub(crate) line: Line<G::Move>,
    pub(crate) expectation: Expectation,
    /// How many moves have been selected.
    pub(crate) selected: u32,
    /// Branches that were given back and are to be searched before any new move, the first of them last.
    pub(crate) returned: Vec<Branch<G::Move>>,
    /// Its branches are followed two plies each and split there (the paper, section 1: EPVS).
    pub(crate) stepped_down: bool,
    /// Tells this visit of the ply from every other one.
    pub(crate) serial: u64,
    /// The longest chain of work that led to the branch taken last, in the simulator's time.
    pub(crate) span: u64,
    pub(crate) opened: bool,
}

impl<G: Game> Ply<G> {
    fn new() -> Self {
        Ply {
            source: G::Source::default(),
            arrival: None,
            side: Side::Max,
            depth: 0,
            window: Window::FULL,
            tally: Tally::unknown(Side::Max),
            best: None,
            line: Line::new(),
            expectation: Expectation::Exact,
            selected: 0,
            returned: Vec::new(),
            stepped_down: false,
            serial: 0,
            span: 0,
            opened: false,
        }
    }

    fn copy_from(&mut self, other: &Self) {
        self.source.clone_from(&other.source);
        self.arrival = other.arrival;
        self.side = other.side;
        self.depth = other.depth;
        self.window = other.window;
        self.tally.clone_from(&other.tally);
        self.best = other.best;
        self.line.copy_from(&other.line);
        self.expectation = other.expectation;
        self.selected = other.selected;
        self.returned.clone_from(&other.returned);
        self.stepped_down = other.stepped_down;
        self.serial = other.serial;
        self.span = other.span;
        self.opened = other.opened;
    }

    /// The number of the move that led here, among those of the ply above; 0 at the root.
    pub(crate) fn number(&self) -> u32 {
        self.arrival.as_ref().map_or(0, |branch| branch.number)
    }

    /// The window that a child reached by `branch` is searched with.
    pub(crate) fn child_window(&self, scope: Scope) -> Window {
        match scope {
            Scope::Real => self.window,
            Scope::Scout(window) => window,
        }
    }
}

/// How a node is set up.
pub(crate) struct Visit<M> {
    /// The move it was reached by; none at the root.
    pub(crate) arrival: Option<Branch<M>>,
    pub(crate) depth: i32,
    pub(crate) window: Window,
    pub(crate) expectation: Expectation,
    /// Tells this visit from every other one.
    pub(crate) serial: u64,
}

/// What receiving a child's answer led to.
pub(crate) enum Received<M> {
    /// The same move is searched again.
    Again(Branch<M>),
    /// On to the next move; `improved` says that the window became narrower.
    Onward { improved: bool },
    /// Nothing more needs to be known: a cutoff.
    Closed,
}

/// The plies from the root of the search down.
#[derive(Debug)]
pub(crate) struct TreeState<G: Game> {
    pub(crate) positions: Vec<G::Position>,
    pub(crate) plies: Vec<Ply<G>>,
    /// The ply at which the search began.
    pub(crate) root: usize,
    /// How the moves of the root are drawn.
    pub(crate) draws: RootDraws<G::Move>,
    /// Some moves of the root are not searched: what is found out is not the root's value.
    pub(crate) is_partial: bool,
}

impl<G: Game> TreeState<G> {
    pub(crate) fn new() -> Self {
        TreeState {
            positions: Vec::new(),
            plies: Vec::new(),
            root: 0,
            draws: RootDraws::all(),
            is_partial: false,
        }
    }

    /// Makes room for `count` plies; the positions of new ones are copies of `filler`.
    pub(crate) fn reserve(&mut self, count: usize, filler: &G::Position) {
        while self.positions.len() < count {
            self.positions.push(filler.clone());
        }
        while self.plies.len() < count {
            self.plies.push(Ply::new());
        }
    }

    /// Copies plies `from..=to` of `other`, positions included.
    pub(crate) fn copy_plies(&mut self, other: &Self, from: usize, to: usize) {
        self.reserve(to + 1, &other.positions[to]);
        self.root = other.root;
        self.draws.left_out.clone_from(&other.draws.left_out);
        self.draws.first = other.draws.first;
        self.is_partial = other.is_partial;
        for ply in from..=to {
            self.positions[ply].clone_from(&other.positions[ply]);
            self.plies[ply].copy_from(&other.plies[ply]);
        }
    }

    #[inline]
    pub(crate) fn node(&self, ply: usize) -> Node<'_, G::Position> {
        Node::new(&self.positions[..=ply], self.root, self.plies[ply].depth, self.plies[ply].window)
    }

    /// Sets up a node for the position that already stands at `ply`.
    pub(crate) fn enter(&mut self, game: &G, ply: usize, visit: Visit<G::Move>) {
        let side = game.side(&self.positions[ply]);
        let at = &mut self.plies[ply];
        at.arrival = visit.arrival;
        at.side = side;
        at.depth = visit.depth;
        at.window = visit.window;
        at.tally = Tally::unknown(side);
        at.best = None;
        at.line.clear();
        at.expectation = visit.expectation;
        at.selected = 0;
        at.returned.clear();
        at.stepped_down = false;
        at.serial = visit.serial;
        at.opened = false;
    }

    /// Plays `branch` at `ply` and sets up the node below it.
    pub(crate) fn descend(&mut self, game: &G, ply: usize, branch: Branch<G::Move>, serial: u64) {
        let child = game.play(&self.positions[ply], branch.chosen);
        if self.positions.len() <= ply + 1 || self.plies.len() <= ply + 1 {
            self.reserve((ply + 2) * 2, &child);
        }
        self.positions[ply + 1] = child;
        let above = &self.plies[ply];
        let window = above.child_window(branch.scope);
        let expectation = above.expectation.of_child(above.side, branch.number == 0, branch.scope);
        let visit = Visit { arrival: Some(branch), depth: branch.depth, window, expectation, serial };
        self.enter(game, ply + 1, visit);
    }

    /// Opens the node at `ply`: its answer, if there is one without searching its moves.
    pub(crate) fn open(
        &mut self,
        game: &G,
        ply: usize,
        memory: &mut Memory<'_, G>,
    ) -> Option<Answer<G::Proof>> {
        let at = &mut self.plies[ply];
        let node = Node::new(&self.positions[..=ply], self.root, at.depth, at.window);
        match game.open(&node, &mut at.source, memory) {
            Opening::Answered(answer) => Some(answer),
            Opening::Search(bounds) => {
                at.tally = Tally::new(at.side, bounds);
                at.window = at.tally.narrow(at.side, at.window);
                at.opened = true;
                at.window.is_closed().then(|| self.answer(ply, false))
            }
        }
    }

    /// How far the branch that led to `ply` seems to beat the bound of the ply above, `above`, whose moves it is one of: that ply as it
    /// stands here, or where it belongs. None at the root, and where the game has no estimates.
    pub(crate) fn margin(&self, game: &G, above: &Ply<G>, ply: usize) -> Option<Margin> {
        let branch = self.plies[ply].arrival.as_ref()?;
        let estimate = i64::from(game.estimate(&self.positions[ply])?);
        let window = above.child_window(branch.scope);
        let beyond = match above.side {
            Side::Max => estimate - i64::from(window.alpha),
            Side::Min => i64::from(window.beta) - estimate,
        };
        Some(Margin::new(beyond, game.estimate_step(), above.depth))
    }

    /// The same, with the ply above as it stands here.
    pub(crate) fn margin_of(&self, game: &G, ply: usize) -> Option<Margin> {
        if ply == self.root { None } else { self.margin(game, &self.plies[ply - 1], ply) }
    }

    /// Takes the next branch of `ply`: one that was given back, or the next move from its source.
    pub(crate) fn select(&mut self, game: &G, ply: usize) -> Option<Branch<G::Move>> {
        if let Some(branch) = self.plies[ply].returned.pop_if(|branch| !branch.put_off) {
            return Some(branch);
        }
        loop {
            let Some(chosen) = self.draw(game, ply) else {
                return self.plies[ply].returned.pop();
            };
            let at = &mut self.plies[ply];
            let number = at.selected;
            at.selected += 1;
            let node = Node::new(&self.positions[..=ply], self.root, at.depth, at.window);
            if let Attempt::Search { depth, scope } = game.attempt(&node, chosen, number, 0, None) {
                return Some(Branch { chosen, number, tries: 0, depth, scope, put_off: false });
            }
        }
    }

    /// Draws the next move from the source of `ply`.
    fn draw(&mut self, game: &G, ply: usize) -> Option<G::Move> {
        let is_root = ply == self.root;
        if is_root && let Some(first) = self.draws.first.take() {
            // It must not come again when it is its turn.
            self.draws.left_out.push(first);
            return Some(first);
        }
        loop {
            let chosen = game.select(&self.positions[ply], &mut self.plies[ply].source)?;
            if !is_root || !self.draws.left_out.contains(&chosen) {
                return Some(chosen);
            }
        }
    }

    /// Gives branches of `ply` back.
    pub(crate) fn give_back(&mut self, ply: usize, branches: impl Iterator<Item = Branch<G::Move>>) {
        let returned = &mut self.plies[ply].returned;
        returned.extend(branches);
        returned.sort_by_key(|branch| std::cmp::Reverse(branch.number));
    }

    /// Puts a branch of `ply` off until its other moves have been searched.
    pub(crate) fn put_off(&mut self, ply: usize, branch: Branch<G::Move>) {
        let returned = &mut self.plies[ply].returned;
        // Who was put off first comes first: the last of the list is taken.
        returned.insert(0, Branch { put_off: true, ..branch });
    }

    /// How many branches of `ply` nobody has taken: an estimate, zero only if there are none.
    pub(crate) fn moves_left(&self, game: &G, ply: usize) -> u32 {
        let at = &self.plies[ply];
        game.moves_left(&self.positions[ply], &at.source) + at.returned.len() as u32
    }

    /// Whether several may search the node at `ply` together: it is open, and has branches that nobody has taken.
    pub(crate) fn can_be_split(&self, game: &G, ply: usize) -> bool {
        let at = &self.plies[ply];
        at.opened && !at.window.is_closed() && self.moves_left(game, ply) > 0
    }

    /// Receives at `ply` the answer of the child that was reached by `branch`; `line` is the child's line.
    pub(crate) fn receive(
        &mut self,
        game: &G,
        ply: usize,
        branch: Branch<G::Move>,
        mut answer: Answer<G::Proof>,
        line: &[G::Move],
    ) -> Received<G::Move> {
        let at = &mut self.plies[ply];
        let position = &self.positions[ply];
        let node = Node::new(&self.positions[..=ply], self.root, at.depth, at.window);
        let tries = branch.tries + 1;
        match game.attempt(&node, branch.chosen, branch.number, tries, Some(answer.range)) {
            Attempt::Search { depth, scope } => Received::Again(Branch { tries, depth, scope, ..branch }),
            Attempt::Discard => {
                game.dismiss(position, &mut at.source, branch.chosen, answer.range);
                Received::Onward { improved: false }
            }
            Attempt::Count => {
                game.lift(position, branch.chosen, &mut answer);
                game.settle(position, &mut at.source, branch.chosen, &answer);
                let improved = at.tally.count(at.side, answer);
                let mut narrower = false;
                if improved {
                    at.best = Some(branch.chosen);
                    at.line.set(branch.chosen, line);
                    let window = at.tally.narrow(at.side, at.window);
                    narrower = window != at.window;
                    at.window = window;
                }
                if at.window.is_closed() {
                    return Received::Closed;
                }
                Received::Onward { improved: narrower }
            }
        }
    }

    /// The answer of the node at `ply` as far as its moves have been searched.
    pub(crate) fn answer(&self, ply: usize, complete: bool) -> Answer<G::Proof> {
        let at = &self.plies[ply];
        at.tally.clone().answer(at.side, complete)
    }

    /// Finishes the node at `ply`: its answer, remembered by the game.
    pub(crate) fn finish(
        &mut self,
        game: &G,
        ply: usize,
        complete: bool,
        memory: &mut Memory<'_, G>,
    ) -> Answer<G::Proof> {
        let answer = self.answer(ply, complete);
        if self.plies[ply].opened && !(self.is_partial && ply == self.root) {
            game.leave(&self.node(ply), &answer, self.plies[ply].best, memory);
        }
        answer
    }

    /// Tightens the windows of `first..=last` from above, where `above` is the window of the ply before `first`
    /// (none at the root): the shallowest ply that this closes, and the window at `last`.
    ///
    /// Bounds pass only through attempts with the real window; a scout's window stays what it was.
    pub(crate) fn tighten(
        &mut self,
        first: usize,
        last: usize,
        above: Option<Window>,
    ) -> (Option<usize>, Window) {
        let mut above = above;
        for ply in first..=last {
            let at = &mut self.plies[ply];
            let real = at.arrival.as_ref().is_none_or(|branch| branch.scope == Scope::Real);
            if let (true, Some(bounds)) = (real, above) {
                at.window = at.window.within(bounds);
                if at.window.is_closed() {
                    return (Some(ply), at.window);
                }
            }
            above = Some(at.window);
        }
        (None, self.plies[last].window)
    }
}
