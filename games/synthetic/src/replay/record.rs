//! Recording: a game's tree of some plies, and what a search finds and costs at each of its leaves.
//!
//! Three times over the tree, depth first. The first time counts its nodes, so that a tree that is too large is refused before hours have
//! been spent on it. The second time a search with the full window finds what each leaf is worth, and with that the value of the root. The
//! third time a search with the null window that asks "at least this value?" counts what each leaf costs. Nearly all
//! windows of a search of the whole tree are null windows at the value of the root, or would be if the order of moves were perfect, so this
//! is what the subtree would cost there. One question does for all leaves, so that the cost belongs to the leaf and not to whoever comes
//! by; a search that comes with another window is charged the same.
//!
//! Both searches are alpha-beta as the engine does it, with the game's static bounds, order of moves and equivalent moves ([`Game::settle`]),
//! and with the whole path from the root as history. They remember nothing: [`Game::leave`] is never called. With a transposition table
//! the cost of a leaf would depend on which leaves were recorded before it.

use std::fmt;

use dts_engine::{Answer, Attempt, Game, Memory, Node, Opening, Proof, Range, Side, Value, Window};

use super::recorded::{
    About, Builder, DEEPEST_BELOW, LONGEST_TEXT, MOST_CHILDREN, MOST_NODES, MOST_PLIES, MOST_VALUE, Misfit,
    Recorded,
};
use crate::random::mix;

/// Tells positions apart: the same key only for positions below which everything is the same, values included.
pub type Key<'a, P> = &'a dyn Fn(&P) -> Option<u64>;

/// What to record.
#[derive(Clone, Copy)]
pub struct Recording<'a, P> {
    /// The game's name, for the file.
    pub game: &'a str,
    /// What is recorded, in words, for the file: position, rules, whatever is needed to do it again.
    pub description: &'a str,
    /// The plies of the tree, 1 to [`MOST_PLIES`].
    pub plies: u32,
    /// The plies of the searches at its leaves, 0 to [`DEEPEST_BELOW`]. The root is given a depth of `plies` + `below`.
    pub below: u32,
    /// If there is one, nodes get keys, so that the recorded tree can be searched with a transposition table. What is banked, and
    /// what of the history matters, has to be part of the key; the depth that is left is put to it here.
    pub key: Option<Key<'a, P>>,
    /// Asked now and then; ends the recording early, with [`RecordError::Stopped`], once it is true.
    pub stop: Option<&'a dyn Fn() -> bool>,
    /// Called now and then.
    pub progress: Option<&'a dyn Fn(RecordProgress)>,
}

impl<P> Default for Recording<'_, P> {
    /// Four plies with searches of four plies below them, no keys, neither stopped nor watched.
    fn default() -> Self {
        Recording { game: "", description: "", plies: 4, below: 4, key: None, stop: None, progress: None }
    }
}

impl<P> fmt::Debug for Recording<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording")
            .field("game", &self.game)
            .field("description", &self.description)
            .field("plies", &self.plies)
            .field("below", &self.below)
            .finish_non_exhaustive()
    }
}

/// What a recording is about to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordPhase {
    /// What leaves are worth.
    Values,
    /// What leaves cost.
    Costs,
}

/// How far a recording has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordProgress {
    /// The phase.
    pub phase: RecordPhase,
    /// Leaves done in this phase.
    pub done: u32,
    /// Leaves of the tree.
    pub total: u32,
    /// Nodes searched in all so far.
    pub nodes: u64,
}

/// Why there is no recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A depth is out of range.
    #[error("{what} {found} is out of range; accepted: {least} to {most}")]
    OutOfRange {
        /// Which depth.
        what: &'static str,
        /// What it is.
        found: u32,
        /// The least that is possible.
        least: u32,
        /// The most that is possible.
        most: u32,
    },
    /// A text is too long for the file.
    #[error("{what} is {found} bytes long; accepted: up to {LONGEST_TEXT}")]
    Text {
        /// Which text.
        what: &'static str,
        /// How long it is.
        found: usize,
    },
    /// The game skips a move: a null move, or one that never counts.
    #[error(
        "the move {chosen}, {ply} plies below the root, does not count in every search; accepted: games whose searches skip no move \
         (no null moves, no pruning that looks at the window)"
    )]
    Skips {
        /// The move.
        chosen: String,
        /// Where.
        ply: usize,
    },
    /// A search with the full window did not find the value.
    #[error(
        "the full window found {} to {} and no value, {ply} plies below the root; accepted: games whose values are well defined",
        range.lower, range.upper
    )]
    NoValue {
        /// What is known of it.
        range: Range,
        /// Where.
        ply: usize,
    },
    /// A node without moves was not answered.
    #[error(
        "{0} plies below the root there is neither a move nor a value; accepted: games that answer such nodes"
    )]
    NoMoves(usize),
    /// The game told other moves when it was asked again.
    #[error(
        "{0} plies below the root the game tells other moves when it is asked again; accepted: the same ones"
    )]
    OtherMoves(usize),
    /// The tree cannot be kept.
    #[error("the tree: {0}")]
    Misfit(#[from] Misfit),
    /// The caller's stop flag was raised.
    #[error("the recording was stopped")]
    Stopped,
}

/// Records the tree of the first plies of `game` from `position`.
///
/// All moves of a node are recorded, in the order in which the game's move source tells them with the full window; nodes that the
/// game answers itself with that window are leaves before their time. Only games whose searches to a fixed depth are well defined
/// come out as they are: of the attempts at a move the depth of the first counts, and its window does not (a scout is searched with the
/// node's own); later depths (reductions that are taken back) are not recorded, and a move that is skipped is an error.
///
/// `shared` is only read: hand in an empty memory, or one that gives what is true at every depth (an endgame database).
///
/// # Errors
/// If the tree is too large, the game is not one that can be recorded, or the recording was stopped.
pub fn record<G: Game>(
    game: &G,
    shared: &G::Shared,
    position: G::Position,
    recording: &Recording<'_, G::Position>,
) -> Result<Recorded, RecordError> {
    let number = |what, found, least, most| {
        if (least..=most).contains(&found) {
            Ok(())
        } else {
            Err(RecordError::OutOfRange { what, found, least, most })
        }
    };
    number("plies", recording.plies, 1, MOST_PLIES)?;
    number("plies below", recording.below, 0, DEEPEST_BELOW)?;
    for (what, text) in [("the game's name", recording.game), ("the description", recording.description)] {
        if text.len() > LONGEST_TEXT {
            return Err(RecordError::Text { what, found: text.len() });
        }
    }
    let depth = (recording.plies + recording.below) as i32;
    let mut recorder = Recorder {
        game,
        shared,
        recording,
        local: game.local(0),
        path: vec![position],
        levels: Vec::new(),
        count: 0,
        leaves: 0,
        nodes: 0,
        phase: RecordPhase::Values,
        done: 0,
    };
    recorder.count(depth)?;
    let value = recorder.values(depth)?;
    recorder.phase = RecordPhase::Costs;
    recorder.done = 0;
    let mut next = vec![0; recorder.levels.len()];
    recorder.costs(depth, Window::zero(value), &mut next)?;
    recorder.tell_progress();
    recorder.build()
}

/// A node of the tree.
struct Noted {
    side: Side,
    children: u32,
    /// Of a leaf.
    value: Value,
    cost: u64,
    /// Of a node with moves; zero is none.
    key: u64,
}

/// A recording that is being made.
struct Recorder<'a, G: Game> {
    game: &'a G,
    shared: &'a G::Shared,
    recording: &'a Recording<'a, G::Position>,
    local: G::Local,
    path: Vec<G::Position>,
    /// The nodes of each ply from left to right, which is the order in which a walk depth first meets them.
    levels: Vec<Vec<Noted>>,
    /// Nodes of the tree.
    count: u32,
    /// Those without moves.
    leaves: u32,
    /// Nodes searched.
    nodes: u64,
    phase: RecordPhase,
    /// Leaves done in this phase.
    done: u32,
}

/// Nodes between two looks at the stop flag.
const LOOK_INTERVAL: u64 = 4_096;

impl<G: Game> Recorder<'_, G> {
    fn ply(&self) -> usize {
        self.path.len() - 1
    }

    fn tell_progress(&self) {
        if let Some(progress) = self.recording.progress {
            progress(RecordProgress {
                phase: self.phase,
                done: self.done,
                total: self.leaves,
                nodes: self.nodes,
            });
        }
    }

    /// Counts a node, and opens it.
    fn open(
        &mut self,
        depth: i32,
        window: Window,
        source: &mut G::Source,
    ) -> Result<Opening<G::Proof>, RecordError> {
        if self.nodes.is_multiple_of(LOOK_INTERVAL) {
            if self.recording.stop.is_some_and(|stop| stop()) {
                return Err(RecordError::Stopped);
            }
            self.tell_progress();
        }
        self.nodes += 1;
        let node = Node::at(&self.path, 0, depth, window);
        Ok(self.game.open(&node, source, &mut Memory { shared: self.shared, local: &mut self.local }))
    }

    /// The depth of the first attempt at a move.
    fn depth_of(&self, depth: i32, window: Window, chosen: G::Move, number: u32) -> Result<i32, RecordError> {
        match self.game.attempt(&Node::at(&self.path, 0, depth, window), chosen, number, 0, None) {
            Attempt::Search { depth, .. } => Ok(depth),
            Attempt::Count | Attempt::Discard => self.skips(chosen),
        }
    }

    /// Whether the move counts, now that it is known what came of it.
    fn has_to_count(
        &self,
        depth: i32,
        window: Window,
        chosen: G::Move,
        number: u32,
        range: Range,
    ) -> Result<(), RecordError> {
        match self.game.attempt(&Node::at(&self.path, 0, depth, window), chosen, number, 1, Some(range)) {
            Attempt::Discard => self.skips(chosen),
            Attempt::Count | Attempt::Search { .. } => Ok(()),
        }
    }

    fn skips<T>(&self, chosen: G::Move) -> Result<T, RecordError> {
        Err(RecordError::Skips { chosen: format!("{chosen:?}"), ply: self.ply() })
    }

    fn last(&self) -> &G::Position {
        &self.path[self.path.len() - 1]
    }

    fn side(&self) -> Side {
        self.game.side(self.last())
    }

    /// The moves of a node of the tree; none if it is a leaf.
    fn moves(&mut self, depth: i32) -> Result<Vec<G::Move>, RecordError> {
        if self.ply() as u32 >= self.recording.plies {
            return Ok(Vec::new());
        }
        let mut source = G::Source::default();
        if let Opening::Answered(_) = self.open(depth, Window::FULL, &mut source)? {
            return Ok(Vec::new());
        }
        let position = self.last();
        // One more than a node may have shows that there are too many.
        let moves: Vec<_> = std::iter::from_fn(|| self.game.select(position, &mut source))
            .take(MOST_CHILDREN as usize + 1)
            .collect();
        if moves.is_empty() {
            return Err(RecordError::NoMoves(self.ply()));
        }
        if moves.len() > MOST_CHILDREN as usize {
            return Err(Misfit::TooManyChildren(moves.len() as u64).into());
        }
        Ok(moves)
    }

    /// Counts the nodes from the one at the end of the path down.
    fn count(&mut self, depth: i32) -> Result<(), RecordError> {
        self.count += 1;
        if self.count > MOST_NODES {
            return Err(Misfit::TooManyNodes.into());
        }
        let moves = self.moves(depth)?;
        self.leaves += u32::from(moves.is_empty());
        for (number, chosen) in (0..).zip(moves) {
            let depth_below = self.depth_of(depth, Window::FULL, chosen, number)?;
            self.path.push(self.game.play(self.last(), chosen));
            self.count(depth_below)?;
            self.path.pop();
        }
        Ok(())
    }

    /// Notes the nodes from the one at the end of the path down; its value.
    fn values(&mut self, depth: i32) -> Result<Value, RecordError> {
        let ply = self.ply();
        if self.levels.len() <= ply {
            self.levels.push(Vec::new());
        }
        let side = self.side();
        let moves = self.moves(depth)?;
        if moves.is_empty() {
            let range = self.search(depth, Window::FULL)?.range;
            if !range.is_exact() {
                return Err(RecordError::NoValue { range, ply });
            }
            let value = range.lower;
            if !(-MOST_VALUE..=MOST_VALUE).contains(&value) {
                return Err(Misfit::Value(value.into()).into());
            }
            self.levels[ply].push(Noted { side, children: 0, value, cost: 0, key: 0 });
            self.done += 1;
            return Ok(value);
        }
        let key = self.recording.key.and_then(|key| key(self.last()));
        // The same position with another depth to go has another value. Zero is no key.
        let key = key.map_or(0, |key| mix(key ^ (depth as u64).rotate_left(32)).max(1));
        let children = moves.len() as u32;
        self.levels[ply].push(Noted { side, children, value: 0, cost: 0, key });
        let mut best: Option<Value> = None;
        for (number, chosen) in (0..).zip(moves) {
            let depth_below = self.depth_of(depth, Window::FULL, chosen, number)?;
            self.path.push(self.game.play(self.last(), chosen));
            let value = self.values(depth_below)?;
            self.path.pop();
            self.has_to_count(depth, Window::FULL, chosen, number, Range::exact(value))?;
            best = Some(match (best, side) {
                (None, _) => value,
                (Some(best), Side::Max) => best.max(value),
                (Some(best), Side::Min) => best.min(value),
            });
        }
        best.ok_or(RecordError::NoMoves(ply))
    }

    /// Notes what the leaves from the node at the end of the path down cost in `window`. `next` is the next node of each ply.
    fn costs(&mut self, depth: i32, window: Window, next: &mut [usize]) -> Result<(), RecordError> {
        let ply = self.ply();
        let moves = self.moves(depth)?;
        let place = next.get_mut(ply).ok_or(RecordError::OtherMoves(ply))?;
        let number = *place;
        *place += 1;
        let noted = self.levels[ply].get(number).ok_or(RecordError::OtherMoves(ply))?;
        if noted.children as usize != moves.len() {
            return Err(RecordError::OtherMoves(ply));
        }
        if moves.is_empty() {
            // What opening the nodes above has cost is not the leaf's.
            self.game.extra_cost(&mut self.local);
            let before = self.nodes;
            self.search(depth, window)?;
            let extra = self.game.extra_cost(&mut self.local);
            self.levels[ply][number].cost = self.nodes - before + (extra + NODE_TIME / 2) / NODE_TIME;
            self.done += 1;
            return Ok(());
        }
        for (number, chosen) in (0..).zip(moves) {
            let depth_below = self.depth_of(depth, Window::FULL, chosen, number)?;
            self.path.push(self.game.play(self.last(), chosen));
            self.costs(depth_below, window, next)?;
            self.path.pop();
        }
        Ok(())
    }

    /// Searches the position at the end of the path by alpha-beta.
    fn search(&mut self, depth: i32, asked: Window) -> Result<Answer<G::Proof>, RecordError> {
        let mut source = G::Source::default();
        let mut answer = match self.open(depth, asked, &mut source)? {
            Opening::Answered(answer) => return Ok(answer),
            Opening::Search(bounds) => bounds,
        };
        let position = self.last().clone();
        let side = self.game.side(&position);
        // What all moves together come to: the bound that needs every one of them.
        let mut all: Option<(Value, G::Proof)> = None;
        let mut number = 0;
        let complete = loop {
            let known = Window { alpha: answer.range.lower, beta: answer.range.upper };
            let window = asked.within(known);
            if window.is_closed() {
                break false;
            }
            let Some(chosen) = self.game.select(&position, &mut source) else { break true };
            let depth_below = self.depth_of(depth, window, chosen, number)?;
            self.path.push(self.game.play(&position, chosen));
            let mut below = self.search(depth_below, window)?;
            self.path.pop();
            self.has_to_count(depth, window, chosen, number, below.range)?;
            number += 1;
            self.game.lift(&position, chosen, &mut below);
            self.game.settle(&position, &mut source, chosen, &below);
            let Answer { range, lower_proof, upper_proof } = below;
            let (far, far_proof) = match side {
                Side::Max => {
                    if range.lower > answer.range.lower {
                        answer.range.lower = range.lower;
                        answer.lower_proof = lower_proof;
                    }
                    (range.upper, upper_proof)
                }
                Side::Min => {
                    if range.upper < answer.range.upper {
                        answer.range.upper = range.upper;
                        answer.upper_proof = upper_proof;
                    }
                    (range.lower, lower_proof)
                }
            };
            all = Some(match all {
                None => (far, far_proof),
                Some((other, mut proof)) => {
                    proof.join(&far_proof);
                    (if side == Side::Max { other.max(far) } else { other.min(far) }, proof)
                }
            });
        };
        if complete {
            let (far, proof) = all.ok_or_else(|| RecordError::NoMoves(self.ply()))?;
            match side {
                Side::Max if far < answer.range.upper => {
                    answer.range.upper = far;
                    answer.upper_proof = proof;
                }
                Side::Min if far > answer.range.lower => {
                    answer.range.lower = far;
                    answer.lower_proof = proof;
                }
                _ => {}
            }
        }
        Ok(answer)
    }

    fn build(self) -> Result<Recorded, RecordError> {
        let mut builder = Builder::new(About {
            game: self.recording.game.to_owned(),
            description: self.recording.description.to_owned(),
            plies: self.recording.plies,
            below: self.recording.below,
        });
        for noted in self.levels.iter().flatten() {
            match noted.children {
                0 => builder.leaf(noted.side, noted.value.into(), noted.cost)?,
                children => builder.inner(noted.side, children.into())?,
            }
        }
        let mut keys = self.levels.iter().flatten().filter(|noted| noted.children > 0);
        builder.keys(|| keys.next().map_or(0, |noted| noted.key));
        Ok(builder.finish()?)
    }
}

/// The time of a node in nanoseconds of the simulator's time, as [`Game::extra_cost`] counts.
pub(super) const NODE_TIME: u64 = 1_000;
