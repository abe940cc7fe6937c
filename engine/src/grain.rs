//! The search below the grain: plain recursion over the same functions of the game.
//!
//! A subtree that is too small for a split needs no explicit stack. It still counts its nodes, looks at the flag word
//! wherever it searches moves, and leaves at once, remembering nothing, when the search stops or a block above it has died.
//!
//! Most nodes of a search are here, and most of those are answered when they are looked at. So a child is looked at
//! where its parent is searched, and only a node whose moves have to be searched costs a call.

use crate::control::{Control, Visits};
use crate::dts::mailbox::{CLOSED, STOP};
use crate::game::{Answer, Attempt, Game, Memory, Node, Opening, Scope};
use crate::line::Line;
use crate::sync::{AtomicU32, Ordering};
use crate::tally::Tally;
use crate::tree::TreeState;
use crate::value::{Side, Window};

/// The most plies from the root down to the end of a grain, or as many as the search has needed above grains.
const DEEPEST: usize = 2_000;

/// What the recursion works with.
pub(crate) struct Grain<'a, G: Game> {
    game: &'a G,
    memory: Memory<'a, G>,
    visits: &'a mut Visits,
    control: &'a Control,
    flags: &'a AtomicU32,
    /// The ply at which the search began.
    root: usize,
    /// Lines by ply, each from its last move to its first.
    lines: &'a mut Vec<Line<G::Move>>,
    /// Nodes that may be counted before the next look at the limits.
    credit: i64,
    /// Whether the node searched last left a line.
    has_line: bool,
    /// Whether the search has to leave: no answer counts any more.
    left: bool,
    /// How many plies there should be room for.
    room: usize,
}

/// A node whose moves are to be searched, as whoever looked at it leaves it.
struct Opened<'s, G: Game> {
    source: &'s mut G::Source,
    depth: i32,
    /// The window that the answer will be held against.
    asked: Window,
    /// What is known without searching.
    bounds: Answer<G::Proof>,
}

impl<'a, G: Game> Grain<'a, G> {
    /// The search below the grain for one processor; `lines` is room for lines, kept from one grain to the next.
    pub(crate) fn new(
        game: &'a G,
        memory: Memory<'a, G>,
        visits: &'a mut Visits,
        control: &'a Control,
        flags: &'a AtomicU32,
        lines: &'a mut Vec<Line<G::Move>>,
    ) -> Self {
        let credit = visits.credit();
        Grain {
            game,
            memory,
            visits,
            control,
            flags,
            root: 0,
            lines,
            credit,
            has_line: false,
            left: false,
            room: 0,
        }
    }

    /// Searches the node that `tree` has set up at `ply`: its answer, and its line at the ply. `None` when the search had to
    /// leave: then nothing of it counts.
    pub(crate) fn search(mut self, tree: &mut TreeState<G>, ply: usize) -> Option<Answer<G::Proof>> {
        let (depth, asked) = (tree.plies[ply].depth, tree.plies[ply].window);
        self.root = tree.root;
        while self.lines.len() < tree.positions.len() {
            self.lines.push(Line::new());
        }
        let mut source = G::Source::default();
        let answer = if self.count_node() {
            let node = Node::new(&tree.positions[..=ply], self.root, depth, asked);
            match self.game.open(&node, &mut source, &mut self.memory) {
                Opening::Answered(answer) => answer,
                Opening::Search(bounds) => {
                    let opened = Opened { source: &mut source, depth, asked, bounds };
                    self.search_moves(&mut tree.positions, ply, opened)
                }
            }
        } else {
            Answer::unknown()
        };
        self.visits.take_credit(self.credit);
        if self.room > tree.positions.len() {
            let filler = tree.positions[ply].clone();
            tree.reserve(self.room, &filler);
        }
        if self.left {
            return None;
        }
        if self.has_line {
            tree.plies[ply].line.set_reversed(&self.lines[ply]);
        }
        Some(answer)
    }

    /// Looks at the limits once the credit is used up, and counts the node that was one too many with a new one. True when
    /// the search has to end.
    #[cold]
    #[inline(never)]
    fn look_at_limits(&mut self) -> bool {
        self.visits.take_credit(0);
        self.left = self.visits.count(self.control);
        self.credit = self.visits.credit();
        self.left
    }

    /// Counts a node. False when the search has to leave.
    #[inline(always)]
    fn count_node(&mut self) -> bool {
        self.credit -= 1;
        if self.credit < 0 && self.look_at_limits() {
            return false;
        }
        self.has_line = false;
        true
    }

    /// Searches the moves of the node at `ply`.
    #[inline(always)]
    fn search_moves(
        &mut self,
        positions: &mut [G::Position],
        ply: usize,
        opened: Opened<'_, G>,
    ) -> Answer<G::Proof> {
        match self.game.side(&positions[ply]) {
            Side::Max => self.search_moves_of::<true>(positions, ply, opened),
            Side::Min => self.search_moves_of::<false>(positions, ply, opened),
        }
    }

    /// The same where it is known who moves.
    fn search_moves_of<const MAX: bool>(
        &mut self,
        positions: &mut [G::Position],
        ply: usize,
        opened: Opened<'_, G>,
    ) -> Answer<G::Proof> {
        if self.flags.load(Ordering::Relaxed) & (STOP | CLOSED) != 0 {
            self.left = true;
            return Answer::unknown();
        }
        if ply + 1 >= positions.len() {
            return self.search_with_room(positions, ply, opened);
        }
        let game = self.game;
        let side = if MAX { Side::Max } else { Side::Min };
        let mut tally = Tally::new(side, opened.bounds);
        let mut window = tally.narrow(side, opened.asked);
        let mut best = None;
        let mut has_line = false;
        let mut number = 0;
        let mut below = G::Source::default();
        let complete = loop {
            if window.is_closed() {
                break false;
            }
            let Some(chosen) = game.select(&positions[ply], opened.source) else { break true };
            // The answer stays in one place: copied from hand to hand it costs more than it looks like.
            let mut answer = Answer::unknown();
            let mut last = None;
            let mut tries = 0;
            let counts = loop {
                let node = Node::new(&positions[..=ply], self.root, opened.depth, window);
                match game.attempt(&node, chosen, number, tries, last) {
                    Attempt::Search { depth, scope } => {
                        positions[ply + 1] = game.play(&positions[ply], chosen);
                        let asked = match scope {
                            Scope::Real => window,
                            Scope::Scout(scout) => scout,
                        };
                        if !self.count_node() {
                            return answer;
                        }
                        let node = Node::new(&positions[..=ply + 1], self.root, depth, asked);
                        match game.open(&node, &mut below, &mut self.memory) {
                            Opening::Answered(found) => answer = found,
                            Opening::Search(bounds) => {
                                let opened = Opened { source: &mut below, depth, asked, bounds };
                                answer = self.search_moves(positions, ply + 1, opened);
                                if self.left {
                                    return answer;
                                }
                            }
                        }
                        last = Some(answer.range);
                        tries += 1;
                    }
                    Attempt::Count => break tries > 0,
                    Attempt::Discard => {
                        if let Some(range) = last {
                            game.dismiss(&positions[ply], opened.source, chosen, range);
                        }
                        break false;
                    }
                }
            };
            number += 1;
            if !counts {
                continue;
            }
            game.lift_from(&positions[ply], chosen, &positions[ply + 1], &mut answer);
            game.settle(&positions[ply], opened.source, chosen, &answer);
            if !tally.count(side, answer) {
                continue;
            }
            best = Some(chosen);
            let Some(narrower) = tally.raise(side, window) else { continue };
            window = narrower;
            // Nobody wants the line of a cutoff.
            if tally.is_beyond(side, opened.asked) {
                has_line = false;
                break false;
            }
            has_line = true;
            self.extend_line(ply, chosen);
        };
        self.has_line = has_line;
        let answer = tally.answer(side, complete);
        let node = Node::new(&positions[..=ply], self.root, opened.depth, window);
        game.leave(&node, &answer, best, &mut self.memory);
        answer
    }

    /// The same where there is no room for one more position: with a copy that has.
    #[cold]
    #[inline(never)]
    fn search_with_room(
        &mut self,
        positions: &[G::Position],
        ply: usize,
        opened: Opened<'_, G>,
    ) -> Answer<G::Proof> {
        // Recursion without end would end the program, not the search.
        assert!(ply < DEEPEST, "a subtree below the grain is deeper than {DEEPEST} plies");
        let room = (ply + 2) * 2;
        self.room = self.room.max(room);
        let mut copy = Vec::with_capacity(room);
        copy.extend_from_slice(positions);
        copy.resize(room, positions[ply].clone());
        while self.lines.len() < room {
            self.lines.push(Line::new());
        }
        self.search_moves(&mut copy, ply, opened)
    }

    /// The line at `ply` becomes `chosen` and the line of the node below, if that left one.
    fn extend_line(&mut self, ply: usize, chosen: G::Move) {
        if self.has_line {
            self.lines.swap(ply, ply + 1);
        } else {
            self.lines[ply].clear();
        }
        self.lines[ply].push(chosen);
    }
}

#[cfg(all(test, not(dts_loom)))]
mod tests {
    use crate::game::{Answer, Game, Memory, Node, Opening};
    use crate::{Limits, Options, Plan, Range, Searcher, Side};

    /// One move after the other, and a grain of all of them.
    struct Corridor;

    impl Game for Corridor {
        type Position = u32;
        type Move = u32;
        type Source = Option<u32>;
        type Proof = ();
        type Shared = ();
        type Local = ();

        fn local(&self, _: usize) {}

        fn side(&self, left: &u32) -> Side {
            if left.is_multiple_of(3) { Side::Max } else { Side::Min }
        }

        fn open(
            &self,
            node: &Node<'_, u32>,
            source: &mut Option<u32>,
            _: &mut Memory<'_, Self>,
        ) -> Opening<()> {
            let left = *node.position();
            assert!(node.path().iter().rev().copied().eq(left..=left + node.ply() as u32), "a torn path");
            *source = Some(left);
            if left == 0 { Opening::Answered(Answer::exact(7)) } else { Opening::Search(Answer::unknown()) }
        }

        fn select(&self, _: &u32, source: &mut Option<u32>) -> Option<u32> {
            source.take()
        }

        fn play(&self, left: &u32, _: u32) -> u32 {
            left - 1
        }

        fn moves_left(&self, _: &u32, source: &Option<u32>) -> u32 {
            u32::from(source.is_some())
        }

        fn grain(&self, _: &Node<'_, u32>) -> bool {
            true
        }
    }

    #[test]
    fn a_grain_too_deep_for_recursion_is_an_error() {
        let mut searcher = Searcher::new(Corridor, (), Options::default()).unwrap();
        let error = searcher.search(100_000, Plan::fixed(1), &Limits::new()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the game panicked on processor 0: a subtree below the grain is deeper than 2000 plies"
        );
        assert!(searcher.search(100, Plan::fixed(1), &Limits::new()).is_ok());
    }

    #[test]
    fn a_last_iteration_that_is_no_deeper_ends_too() {
        let mut searcher = Searcher::new(Corridor, (), Options::default()).unwrap();
        for last in [-1, 0, 1, 2, 3, 4] {
            let report = searcher.search(10, Plan::deepening(3).and_finally(last), &Limits::new()).unwrap();
            let iterations = if last == 3 { 3 } else { 4 };
            assert_eq!(report.nodes, 11 * iterations, "{last}");
            assert_eq!(report.state.unwrap().depth, last);
        }
    }

    #[test]
    fn a_grain_deeper_than_the_room_for_it_finds_room() {
        let mut searcher = Searcher::new(Corridor, (), Options::default()).unwrap();
        for length in [10, 1_000, 200, 1_001] {
            let report = searcher.search(length, Plan::fixed(9), &Limits::new()).unwrap();
            assert_eq!(report.nodes, u64::from(length) + 1);
            let state = report.state.unwrap();
            assert_eq!(state.range, Range::exact(7));
            assert!(state.line.into_iter().eq((1..=length).rev()));
        }
    }
}
