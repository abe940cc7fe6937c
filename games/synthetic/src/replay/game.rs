//! A recorded tree as a game.

use std::sync::Arc;

use dts_engine::table::Table;
use dts_engine::{Answer, Game, Memory, Node, Opening, Side, SplitPolicy};

use super::record::NODE_TIME;
use super::recorded::{MOST_CHILDREN, MOST_VALUE, Recorded};

/// A recorded tree as a game, to be searched `Plan::fixed(depth)` deep with [`Recorded::depth`]; the depth of a search changes nothing.
///
/// A leaf is one node that is worth what was found there. In a simulation it takes the time of as many nodes as were searched there; on
/// threads it takes no more time than any other node, so that threads find the same value, but their times say nothing about the game.
/// With a table in its shared memory, nodes that have keys are remembered.
///
/// ```
/// use std::sync::Arc;
/// use dts_engine::{CostModel, Limits, Options, Plan, Searcher};
/// use dts_synthetic::{Recording, Replayed, Shape, Tree, record};
///
/// let tree = Tree::new(Shape { width: 6, depth: 7, ..Shape::default() }, 1)?;
/// let recording = Recording { plies: 4, below: 3, ..Recording::default() };
/// let recorded = Arc::new(record(&tree, &None, tree.root(), &recording)?);
///
/// let replayed = Replayed::new(Arc::clone(&recorded));
/// let (root, plan) = (replayed.root(), Plan::fixed(recorded.depth() as i32));
/// let options = Options { processors: 4, simulate: Some(CostModel::default()), ..Options::default() };
/// let report = Searcher::new(replayed, None, options)?.search(root, plan, &Limits::new())?;
/// assert_eq!(report.state.map(|root| root.range.lower), Some(recorded.value()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Replayed {
    tree: Arc<Recorded>,
    /// About how many nodes a subtree holds, by the plies that it has.
    work: Arc<[f32]>,
}

/// A node of a recorded tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayedPosition {
    node: u32,
    ply: u16,
    side: Side,
}

/// The moves of a node that have not been drawn: each is the number of a child.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReplayedSource {
    next: u16,
    end: u16,
    /// Drawn before all others.
    first: Option<u16>,
    /// Drawn first already.
    done: Option<u16>,
}

/// What leaves have cost beyond the time of a node.
#[derive(Debug, Default)]
pub struct ReplayedLocal {
    extra: u64,
}

impl Replayed {
    /// The game of a recorded tree.
    #[must_use]
    pub fn new(tree: Arc<Recorded>) -> Replayed {
        let inner = f64::from(tree.nodes() - tree.leaves());
        let width = f64::from(tree.nodes() - 1) / inner;
        // As many nodes as alpha-beta searches with the best order of moves.
        let work = (0..=tree.depth()).map(|plies| (f64::from(plies) * 0.5 * width.log2()).exp2() as f32);
        Replayed { work: work.collect(), tree }
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &Arc<Recorded> {
        &self.tree
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> ReplayedPosition {
        self.position(0, 0)
    }

    /// A policy in which whatever counts nodes counts these: a node of this tree stands for as many of the game as it takes the time
    /// of, in the mean over the tree. With the thrashing counter as it is for the game, a processor would be deaf for as many whole
    /// leaves.
    #[must_use]
    pub fn split_policy(&self, of_game: SplitPolicy) -> SplitPolicy {
        let inner = u64::from(self.tree.nodes() - self.tree.leaves());
        let mean = (self.tree.cost() + inner) / u64::from(self.tree.nodes());
        SplitPolicy { thrashing_nodes: of_game.thrashing_nodes / mean.max(1), ..of_game }
    }

    fn position(&self, node: u32, ply: u16) -> ReplayedPosition {
        ReplayedPosition { node, ply, side: self.tree.places[node as usize].side }
    }

    fn plies_left(&self, position: &ReplayedPosition) -> u32 {
        self.tree.depth() - u32::from(position.ply)
    }
}

/// Both ends of a range have twenty bits, and a move the ten that are left.
type Entry = crate::entry::Entry<20>;
const _: () = assert!(MOST_VALUE + 1 == 1 << 19 && (MOST_CHILDREN as u64) < Entry::NO_MOVE);

impl Game for Replayed {
    type Position = ReplayedPosition;
    type Move = u16;
    type Source = ReplayedSource;
    type Proof = ();
    type Shared = Option<Table>;
    type Local = ReplayedLocal;

    fn local(&self, _: usize) -> ReplayedLocal {
        ReplayedLocal::default()
    }

    #[inline]
    fn key(&self, position: &ReplayedPosition) -> Option<u64> {
        self.tree.key(position.node).or(Some(u64::from(position.node)))
    }

    #[inline]
    fn side(&self, position: &ReplayedPosition) -> Side {
        position.side
    }

    #[inline]
    fn open(
        &self,
        node: &Node<'_, ReplayedPosition>,
        source: &mut ReplayedSource,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<()> {
        let position = node.position();
        let place = self.tree.places[position.node as usize];
        if place.children == 0 {
            let leaf = self.tree.ends[place.first as usize];
            memory.local.extra += u64::from(leaf.cost - 1) * NODE_TIME;
            return Opening::Answered(Answer::exact(leaf.value));
        }
        *source = ReplayedSource { next: 0, end: place.children, first: None, done: None };
        let (Some(table), Some(key)) = (memory.shared, self.tree.key(position.node)) else {
            return Opening::Search(Answer::unknown());
        };
        let Some(payload) = table.get(key) else { return Opening::Search(Answer::unknown()) };
        let Entry { range, best } = Entry::unpack(payload);
        let best = best as u16;
        source.first = (best < place.children).then_some(best);
        if node.is_root() {
            return Opening::Search(Answer::unknown());
        }
        if node.window.is_answered_by(range) {
            return Opening::Answered(Answer::range(range));
        }
        Opening::Search(Answer::range(range))
    }

    #[inline]
    fn select(&self, _: &ReplayedPosition, source: &mut ReplayedSource) -> Option<u16> {
        if let Some(first) = source.first.take() {
            source.done = Some(first);
            return Some(first);
        }
        if source.done == Some(source.next) {
            source.next += 1;
        }
        let chosen = source.next;
        if chosen >= source.end {
            return None;
        }
        source.next += 1;
        Some(chosen)
    }

    #[inline]
    fn play(&self, position: &ReplayedPosition, chosen: u16) -> ReplayedPosition {
        let place = self.tree.places[position.node as usize];
        self.position(place.first + u32::from(chosen), position.ply + 1)
    }

    #[inline]
    fn moves_left(&self, _: &ReplayedPosition, source: &ReplayedSource) -> u32 {
        let passed = source.done.is_some_and(|done| done >= source.next);
        u32::from(source.end - source.next.min(source.end)) - u32::from(passed)
    }

    #[inline]
    fn leave(
        &self,
        node: &Node<'_, ReplayedPosition>,
        answer: &Answer<()>,
        best: Option<u16>,
        memory: &mut Memory<'_, Self>,
    ) {
        let position = node.position();
        let (Some(table), Some(key)) = (memory.shared, self.tree.key(position.node)) else { return };
        let entry = Entry { range: answer.range, best: best.map_or(Entry::NO_MOVE, u64::from) };
        table.put(key, entry.pack(), self.plies_left(position) as u8);
    }

    #[inline]
    fn grain(&self, node: &Node<'_, ReplayedPosition>) -> bool {
        // A leaf that stands for a search is worth a split at the node above it.
        self.plies_left(node.position()) <= u32::from(self.tree.below() <= 1)
    }

    #[inline]
    fn work(&self, node: &Node<'_, ReplayedPosition>) -> f32 {
        self.work[self.plies_left(node.position()) as usize]
    }

    #[inline]
    fn extra_cost(&self, local: &mut ReplayedLocal) -> u64 {
        std::mem::take(&mut local.extra)
    }
}
