//! A recorded tree: its nodes level by level, and what its leaves are worth.
//!
//! Nodes are numbered breadth first, so that the children of a node stand together and a node needs to know only where they begin.
//! Whoever makes a tree, a recording or a file, hands its nodes to a [`Builder`] in that order, and the builder believes nothing.

use std::collections::HashMap;

use dts_engine::{Side, Value};

/// The most plies of a recorded tree.
pub const MOST_PLIES: u32 = 60;
/// The most plies of the searches at its leaves.
pub const DEEPEST_BELOW: u32 = 200;
/// The most nodes of a recorded tree.
pub const MOST_NODES: u32 = 1 << 24;
/// The most moves of one of its nodes.
pub const MOST_CHILDREN: u32 = 1_022;
/// Values lie from minus so much to so much: two of them and a move go into an entry of a transposition table.
pub const MOST_VALUE: Value = (1 << 19) - 1;
/// The most bytes of the game's name, and of the description.
pub const LONGEST_TEXT: usize = 4_096;

/// A node: where its children begin, or, if it has none, which leaf it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) first: u32,
    pub(super) children: u16,
    pub(super) side: Side,
}

/// What a search below a leaf found and cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) value: Value,
    /// In node times; at least 1.
    pub(super) cost: u32,
}

/// The tree of a game's first plies, with what a search of some more plies finds and costs at each of its leaves.
///
/// ```
/// use dts_engine::conformance::minimax;
/// use dts_synthetic::{Recorded, Recording, Shape, Tree, record};
///
/// let tree = Tree::new(Shape { width: 4, depth: 6, ..Shape::default() }, 1)?;
/// let recording = Recording { game: "synthetic", plies: 4, below: 2, ..Recording::default() };
/// let recorded = record(&tree, &None, tree.root(), &recording)?;
/// assert_eq!(recorded.leaves(), 4_u32.pow(4));
/// assert_eq!(recorded.value(), minimax(&tree, &None, &tree.root(), 6));
/// assert_eq!(Recorded::from_bytes(&recorded.to_bytes())?, recorded);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Recorded {
    pub(super) about: About,
    /// Breadth first.
    pub(super) places: Vec<Place>,
    /// In the order of their nodes.
    pub(super) ends: Vec<Leaf>,
    /// By node, up to the last one that has moves; zero is none. Empty if no node has a key.
    pub(super) keys: Vec<u64>,
    depth: u32,
    value: Value,
    cost: u64,
}

impl std::fmt::Debug for Recorded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorded")
            .field("about", &self.about)
            .field("nodes", &self.places.len())
            .field("leaves", &self.ends.len())
            .field("depth", &self.depth)
            .field("value", &self.value)
            .field("cost", &self.cost)
            .finish_non_exhaustive()
    }
}

/// What a recorded tree is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct About {
    pub(super) game: String,
    pub(super) description: String,
    pub(super) plies: u32,
    pub(super) below: u32,
}

impl Recorded {
    /// The game's name.
    #[must_use]
    pub fn game(&self) -> &str {
        &self.about.game
    }

    /// What was recorded, in words: position, rules, whatever is needed to do it again.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.about.description
    }

    /// How many plies were asked for.
    #[must_use]
    pub fn plies(&self) -> u32 {
        self.about.plies
    }

    /// How many plies the searches at the leaves had.
    #[must_use]
    pub fn below(&self) -> u32 {
        self.about.below
    }

    /// Plies from the root to the deepest leaf: no more than [`Recorded::plies`], at least 1.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// All nodes, the leaves included.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.places.len() as u32
    }

    /// Nodes without moves.
    #[must_use]
    pub fn leaves(&self) -> u32 {
        self.ends.len() as u32
    }

    /// The minimax value of the tree, from Max's side: that of the real game, searched `plies` + `below` deep.
    #[must_use]
    pub fn value(&self) -> Value {
        self.value
    }

    /// What all searches at leaves cost together, in node times.
    #[must_use]
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// What the most expensive of them costs, in node times. A leaf is never split: no number of processors searches the tree in
    /// less time, if they have to search that leaf.
    #[must_use]
    pub fn largest(&self) -> u32 {
        self.ends.iter().map(|leaf| leaf.cost).max().unwrap_or_default()
    }

    /// Whether nodes have keys, so that a transposition table is of use.
    #[must_use]
    pub fn has_keys(&self) -> bool {
        !self.keys.is_empty()
    }

    /// The key of a node, if it has one.
    #[inline]
    pub(super) fn key(&self, node: u32) -> Option<u64> {
        self.keys.get(node as usize).copied().filter(|&key| key != 0)
    }
}

/// Why nodes do not make a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misfit {
    /// More nodes than a tree may have.
    #[error("more than {MOST_NODES} nodes; accepted: up to so many")]
    TooManyNodes,
    /// More moves than a node may have.
    #[error("a node has {0} moves; accepted: up to {MOST_CHILDREN}")]
    TooManyChildren(u64),
    /// Nobody's child.
    #[error("a node that no other node leads to; accepted: one tree")]
    Orphan,
    /// Children are promised that do not come.
    #[error("{found} nodes, but {promised} are led to; accepted: all of them")]
    Missing {
        /// The nodes that are there.
        found: u64,
        /// The nodes there should be.
        promised: u64,
    },
    /// A node has moves where the tree should end.
    #[error("a node with moves {0} plies below the root, where the tree should end; accepted: a leaf")]
    TooDeep(u32),
    /// The root has no moves.
    #[error("the root has no moves; accepted: a tree with something to search")]
    NoMoves,
    /// A value is out of range.
    #[error("the value {0} is out of range; accepted: -{MOST_VALUE} to {MOST_VALUE}")]
    Value(i64),
    /// A cost is out of range.
    #[error("a leaf that costs {0} nodes; accepted: 1 to {most}", most = u32::MAX)]
    Cost(u64),
    /// A key that stands for two different positions.
    #[error("the key {0:016x} stands for two values; accepted: keys that tell all positions apart")]
    Key(u64),
}

/// Puts a tree together, node by node and breadth first.
#[derive(Debug)]
pub(super) struct Builder {
    about: About,
    places: Vec<Place>,
    ends: Vec<Leaf>,
    keys: Vec<u64>,
    /// The nodes that are led to so far.
    promised: u64,
    ply: u32,
    /// The first node of the next level.
    level_ends: u64,
    cost: u64,
}

impl Builder {
    pub(super) fn new(about: About) -> Builder {
        Builder {
            about,
            places: Vec::new(),
            ends: Vec::new(),
            keys: Vec::new(),
            promised: 1,
            ply: 0,
            level_ends: 1,
            cost: 0,
        }
    }

    /// Room for one more node.
    fn make_room(&mut self) -> Result<(), Misfit> {
        let number = self.places.len() as u64;
        if number >= u64::from(MOST_NODES) {
            return Err(Misfit::TooManyNodes);
        }
        if number >= self.promised {
            return Err(Misfit::Orphan);
        }
        if number == self.level_ends {
            self.ply += 1;
            self.level_ends = self.promised;
        }
        Ok(())
    }

    /// The next node is one with so many moves, at least one.
    pub(super) fn inner(&mut self, side: Side, children: u64) -> Result<(), Misfit> {
        self.make_room()?;
        if children > u64::from(MOST_CHILDREN) {
            return Err(Misfit::TooManyChildren(children));
        }
        if self.ply >= self.about.plies {
            return Err(Misfit::TooDeep(self.ply));
        }
        let first = self.promised;
        self.promised += children;
        if self.promised > u64::from(MOST_NODES) {
            return Err(Misfit::TooManyNodes);
        }
        self.places.push(Place { first: first as u32, children: children as u16, side });
        Ok(())
    }

    /// The next node is a leaf.
    pub(super) fn leaf(&mut self, side: Side, value: i64, cost: u64) -> Result<(), Misfit> {
        if self.places.is_empty() {
            return Err(Misfit::NoMoves);
        }
        self.make_room()?;
        if value.unsigned_abs() > u64::from(MOST_VALUE.unsigned_abs()) {
            return Err(Misfit::Value(value));
        }
        let known = u32::try_from(cost).ok().filter(|&cost| cost > 0).ok_or(Misfit::Cost(cost))?;
        self.places.push(Place { first: self.ends.len() as u32, children: 0, side });
        self.ends.push(Leaf { value: value as Value, cost: known });
        self.cost += cost;
        Ok(())
    }

    /// The keys of all nodes with moves, in their order; zero is none.
    pub(super) fn keys(&mut self, mut next: impl FnMut() -> u64) {
        let last = self.places.iter().rposition(|place| place.children > 0).map_or(0, |last| last + 1);
        self.keys =
            self.places[..last].iter().map(|place| if place.children > 0 { next() } else { 0 }).collect();
        if self.keys.iter().all(|&key| key == 0) {
            self.keys = Vec::new();
        }
    }

    /// The tree, if it is one.
    pub(super) fn finish(self) -> Result<Recorded, Misfit> {
        let found = self.places.len() as u64;
        if found != self.promised {
            return Err(Misfit::Missing { found, promised: self.promised });
        }
        // Children come after their parents.
        let mut values = vec![0; self.places.len()];
        for (number, place) in self.places.iter().enumerate().rev() {
            let first = place.first as usize;
            let below = &values[first.min(values.len())..];
            let children = below.iter().take(usize::from(place.children)).copied();
            let best = match place.side {
                Side::Max => children.max(),
                Side::Min => children.min(),
            };
            values[number] = best.unwrap_or_else(|| self.ends[first].value);
        }
        let mut known: HashMap<u64, (Side, Value)> = HashMap::new();
        for (number, &key) in self.keys.iter().enumerate().filter(|&(_, &key)| key != 0) {
            let this = (self.places[number].side, values[number]);
            if *known.entry(key).or_insert(this) != this {
                return Err(Misfit::Key(key));
            }
        }
        Ok(Recorded {
            about: self.about,
            places: self.places,
            ends: self.ends,
            keys: self.keys,
            depth: self.ply,
            value: values[0],
            cost: self.cost,
        })
    }
}
