//! The search below the grain: plain recursion over the same functions of the game.
//!
//! A subtree that is too small for a split needs no explicit stack. It still counts its nodes, looks at the flag word
//! at each of them, and leaves at once, remembering nothing, when the search stops or a block above it has died.

use crate::control::{Control, Visits};
use crate::dts::mailbox::{CLOSED, STOP};
use crate::game::{Answer, Attempt, Game, Memory, Node, Opening, Scope};
use crate::sync::{AtomicU32, Ordering};
use crate::tally::Tally;
use crate::tree::TreeState;
use crate::value::Window;

/// What the recursion works with.
pub(crate) struct Grain<'a, G: Game> {
    pub(crate) game: &'a G,
    pub(crate) memory: Memory<'a, G>,
    pub(crate) tree: &'a mut TreeState<G>,
    pub(crate) visits: &'a mut Visits,
    pub(crate) control: &'a Control,
    pub(crate) flags: &'a AtomicU32,
}

impl<G: Game> Grain<'_, G> {
    /// Searches the position at `ply`. `None` when the search has to leave: nothing of it counts.
    pub(crate) fn search(&mut self, ply: usize, depth: i32, window: Window) -> Option<Answer<G::Proof>> {
        if self.flags.load(Ordering::Relaxed) & (STOP | CLOSED) != 0 || self.visits.count(self.control) {
            return None;
        }
        let game = self.game;
        let tree = &mut *self.tree;
        let at = &mut tree.plies[ply];
        if window.is_open() {
            at.line.clear();
        }
        let node = Node::new(&tree.positions[..=ply], tree.root, depth, window);
        let bounds = match game.open(&node, &mut at.source, &mut self.memory) {
            Opening::Answered(answer) => return Some(answer),
            Opening::Search(bounds) => bounds,
        };
        let side = game.side(&tree.positions[ply]);
        let mut tally = Tally::new(side, bounds);
        let mut window = tally.narrow(side, window);
        let mut best = None;
        let mut number = 0;
        let mut complete = false;
        while !window.is_closed() {
            let tree = &mut *self.tree;
            let Some(chosen) = game.select(&tree.positions[ply], &mut tree.plies[ply].source) else {
                complete = true;
                break;
            };
            let mut last: Option<Answer<G::Proof>> = None;
            let mut tries = 0;
            let mut child_is_open = false;
            loop {
                let tree = &mut *self.tree;
                let node = Node::new(&tree.positions[..=ply], tree.root, depth, window);
                let range = last.as_ref().map(|answer| answer.range);
                match game.attempt(&node, chosen, number, tries, range) {
                    Attempt::Search { depth, scope } => {
                        let child = game.play(&tree.positions[ply], chosen);
                        if tree.positions.len() <= ply + 1 {
                            tree.reserve((ply + 2) * 2, &child);
                        }
                        tree.positions[ply + 1] = child;
                        let child_window = match scope {
                            Scope::Real => window,
                            Scope::Scout(scout) => scout,
                        };
                        child_is_open = child_window.is_open();
                        last = Some(self.search(ply + 1, depth, child_window)?);
                        tries += 1;
                    }
                    Attempt::Count => {
                        let Some(answer) = last else { break };
                        let at = &mut tree.plies[ply];
                        game.settle(&tree.positions[ply], &mut at.source, chosen, &answer);
                        if tally.count(game, side, &tree.positions[ply], chosen, answer) {
                            best = Some(chosen);
                            if window.is_open() {
                                tree.extend_line(ply, chosen, child_is_open);
                            }
                            window = tally.narrow(side, window);
                        }
                        break;
                    }
                    Attempt::Discard => break,
                }
            }
            number += 1;
        }
        let answer = tally.answer(side, complete);
        let tree = &*self.tree;
        let node = Node::new(&tree.positions[..=ply], tree.root, depth, window);
        game.leave(&node, &answer, best, &mut self.memory);
        Some(answer)
    }
}

impl<G: Game> TreeState<G> {
    /// The line at `ply` becomes `chosen` and, if the child was searched with an open window, the child's line.
    fn extend_line(&mut self, ply: usize, chosen: G::Move, child_has_line: bool) {
        let (above, below) = self.plies.split_at_mut(ply + 1);
        let rest = if child_has_line { below[0].line.moves() } else { &[] };
        above[ply].line.set(chosen, rest);
    }
}
