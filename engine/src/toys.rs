//! Toy games for the engine's own tests: small random trees whose every value is known.
//!
//! [`Leaves`] has a proof that is not empty: the set of leaves that a bound rests on. [`Scouts`] tries moves more than once
//! (null window first, then open, and a null move), has static bounds and a table. Both compare every answer that a node gives with
//! plain minimax.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::game::{Answer, Attempt, Game, Memory, Node, Opening, Proof, Scope, scout_first};
use crate::table::Table;
use crate::value::{Range, Side, Value, Window};

/// The shape of a random tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) seed: u64,
    pub(crate) depth: u32,
    pub(crate) widest: u32,
    /// Leaf values lie in 0..spread: small means many equal ones.
    pub(crate) spread: u64,
    pub(crate) alternating: bool,
    /// Subtrees of this depth are searched by recursion.
    pub(crate) grain: u32,
}

/// A node of a random tree: everything follows from the hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) hash: u64,
    pub(crate) side: Side,
    pub(crate) left: u32,
}

pub(crate) fn mix(mut word: u64) -> u64 {
    word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl Shape {
    /// A shape drawn from a seed: widths to 8, uneven depths, duplicates, sides that alternate or not.
    pub(crate) fn random(seed: u64) -> Shape {
        let word = mix(seed ^ 0x7011);
        let depth = 2 + (word % 5) as u32;
        Shape {
            seed,
            depth,
            widest: [40, 20, 9, 6, 4][depth as usize - 2].min(2 + (word >> 8) as u32 % 40),
            spread: [2, 4, 12, 1000][(word >> 16) as usize % 4],
            alternating: (word >> 24).is_multiple_of(2),
            grain: (word >> 32) as u32 % 3,
        }
    }

    pub(crate) fn root(&self) -> Spot {
        Spot {
            hash: mix(self.seed),
            side: if self.seed.is_multiple_of(2) { Side::Max } else { Side::Min },
            left: self.depth,
        }
    }

    pub(crate) fn width(&self, spot: &Spot) -> u32 {
        let early_leaf = spot.left < self.depth && mix(spot.hash ^ 5).is_multiple_of(11);
        if spot.left == 0 || early_leaf {
            0
        } else {
            1 + (mix(spot.hash ^ 7) % u64::from(self.widest)) as u32
        }
    }

    pub(crate) fn leaf_value(&self, spot: &Spot) -> Value {
        (mix(spot.hash ^ 3) % self.spread) as Value
    }

    pub(crate) fn child(&self, spot: &Spot, number: u32) -> Spot {
        let hash = mix(spot.hash ^ (u64::from(number) << 32 | 1));
        let keeps = !self.alternating && mix(hash ^ 9).is_multiple_of(3);
        Spot { hash, side: if keeps { spot.side } else { spot.side.opposite() }, left: spot.left - 1 }
    }

    /// Plain minimax of everything below `spot`, noted for every node; leaves not in `kept` count as `other`.
    pub(crate) fn minimax(
        &self,
        spot: &Spot,
        kept: Option<(&BTreeSet<u64>, Value)>,
        values: &mut HashMap<u64, Value>,
    ) -> Value {
        let width = self.width(spot);
        let value = if width == 0 {
            match kept {
                Some((kept, other)) if !kept.contains(&spot.hash) => other,
                _ => self.leaf_value(spot),
            }
        } else {
            let children = (0..width).map(|number| self.minimax(&self.child(spot, number), kept, values));
            let best = match spot.side {
                Side::Max => children.max(),
                Side::Min => children.min(),
            };
            best.expect("a node has children")
        };
        values.insert(spot.hash, value);
        value
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    next: u32,
    end: u32,
}

/// The leaves that a bound rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeafSet(pub(crate) BTreeSet<u64>);

impl Proof for LeafSet {
    fn join(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }
}

/// A random tree whose proofs are sets of leaves.
#[derive(Debug)]
pub(crate) struct Leaves {
    pub(crate) shape: Shape,
    pub(crate) values: HashMap<u64, Value>,
}

impl Leaves {
    pub(crate) fn new(shape: Shape) -> Self {
        let mut values = HashMap::new();
        shape.minimax(&shape.root(), None, &mut values);
        Leaves { shape, values }
    }

    /// Panics unless the answer of the node is right and its proofs carry it: whatever the leaves outside a proof are worth, the
    /// bound holds.
    pub(crate) fn check(&self, spot: &Spot, answer: &Answer<LeafSet>) {
        let value = self.values[&spot.hash];
        assert!(answer.range.contains(value), "{spot:?}: {value} is not in {:?}", answer.range);
        let mut scratch = HashMap::new();
        let lower = self.shape.minimax(spot, Some((&answer.lower_proof.0, crate::LOWEST)), &mut scratch);
        assert!(lower >= answer.range.lower, "{spot:?}: the lower bound does not follow from its proof");
        let upper = self.shape.minimax(spot, Some((&answer.upper_proof.0, crate::HIGHEST)), &mut scratch);
        assert!(upper <= answer.range.upper, "{spot:?}: the upper bound does not follow from its proof");
    }
}

impl Game for Leaves {
    type Position = Spot;
    type Move = u32;
    type Source = Numbers;
    type Proof = LeafSet;
    type Shared = ();
    type Local = ();

    fn local(&self, _: usize) {}

    fn side(&self, spot: &Spot) -> Side {
        spot.side
    }

    fn open(
        &self,
        node: &Node<'_, Spot>,
        source: &mut Numbers,
        _: &mut Memory<'_, Self>,
    ) -> Opening<LeafSet> {
        let spot = node.position();
        let width = self.shape.width(spot);
        if width == 0 {
            let leaf = LeafSet(BTreeSet::from([spot.hash]));
            let range = Range::exact(self.shape.leaf_value(spot));
            return Opening::Answered(Answer { range, lower_proof: leaf.clone(), upper_proof: leaf });
        }
        *source = Numbers { next: 0, end: width };
        Opening::Search(Answer::unknown())
    }

    fn select(&self, _: &Spot, source: &mut Numbers) -> Option<u32> {
        (source.next < source.end).then(|| {
            source.next += 1;
            source.next - 1
        })
    }

    fn play(&self, spot: &Spot, chosen: u32) -> Spot {
        self.shape.child(spot, chosen)
    }

    fn moves_left(&self, _: &Spot, source: &Numbers) -> u32 {
        source.end - source.next
    }

    fn leave(
        &self,
        node: &Node<'_, Spot>,
        answer: &Answer<LeafSet>,
        _: Option<u32>,
        _: &mut Memory<'_, Self>,
    ) {
        self.check(node.position(), answer);
    }

    fn grain(&self, node: &Node<'_, Spot>) -> bool {
        node.position().left <= self.shape.grain
    }
}

/// A random tree searched with scouts, null moves, static bounds and a table.
#[derive(Debug)]
pub(crate) struct Scouts {
    pub(crate) shape: Shape,
    pub(crate) values: HashMap<u64, Value>,
    /// The call of `open` that panics, counted over all processors; never if zero.
    pub(crate) panic_at: u64,
    pub(crate) calls: AtomicU64,
    /// Whether some nodes give the core away, so that other threads get their turn in the middle of a small tree.
    pub(crate) yields: bool,
}

impl Scouts {
    pub(crate) fn new(shape: Shape) -> Self {
        let mut values = HashMap::new();
        shape.minimax(&shape.root(), None, &mut values);
        Scouts { shape, values, panic_at: 0, calls: AtomicU64::new(0), yields: false }
    }

    fn check(&self, spot: &Spot, range: Range) {
        let value = self.values[&spot.hash];
        assert!(range.contains(value), "{spot:?}: {value} is not in {range:?}");
    }
}

const OFFSET: Value = 1 << 12;

/// Packs a range whose ends are small or unknown into 26 bits.
fn pack(range: Range) -> u64 {
    let half = |end: Value| (end.clamp(-OFFSET, OFFSET - 1) + OFFSET) as u64;
    half(range.lower) << 13 | half(range.upper)
}

fn unpack(word: u64) -> Range {
    let end = |bits: u64| (bits & 0x1fff) as Value - OFFSET;
    let (lower, upper) = (end(word >> 13), end(word));
    Range {
        lower: if lower == -OFFSET { crate::LOWEST } else { lower },
        upper: if upper == OFFSET - 1 { crate::HIGHEST } else { upper },
    }
}

/// The number of the pretended null move.
const NULL: u32 = u32::MAX;

/// Whether a null move comes before the moves of a node of [`Scouts`].
pub(crate) fn begins_with_null(spot: &Spot) -> bool {
    mix(spot.hash ^ 17).is_multiple_of(5)
}

impl Game for Scouts {
    type Position = Spot;
    type Move = u32;
    type Source = Numbers;
    type Proof = ();
    type Shared = Option<Table>;
    type Local = u64;

    fn local(&self, _: usize) -> u64 {
        0
    }

    /// A guess that is often wrong.
    fn estimate(&self, spot: &Spot) -> Option<Value> {
        Some((mix(spot.hash) % 7) as Value - 3)
    }

    fn key(&self, spot: &Spot) -> Option<u64> {
        Some(spot.hash)
    }

    fn side(&self, spot: &Spot) -> Side {
        spot.side
    }

    fn open(
        &self,
        node: &Node<'_, Spot>,
        source: &mut Numbers,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<()> {
        assert_ne!(
            self.calls.fetch_add(1, Ordering::Relaxed) + 1,
            self.panic_at,
            "the toy was told to panic"
        );
        *memory.local += 1;
        let spot = node.position();
        if self.yields && spot.hash.is_multiple_of(4) {
            std::thread::yield_now();
        }
        let width = self.shape.width(spot);
        if width == 0 {
            return Opening::Answered(Answer::exact(self.shape.leaf_value(spot)));
        }
        let mut bounds = Range::UNKNOWN;
        if !node.is_root() {
            if let Some(word) = memory.shared.as_ref().and_then(|table| table.get(spot.hash)) {
                bounds = unpack(word);
                self.check(spot, bounds);
            }
            let value = self.values[&spot.hash];
            match mix(spot.hash ^ 13) % 7 {
                0 => bounds.lower = bounds.lower.max(value - 1),
                1 => bounds.upper = bounds.upper.min(value + 1),
                _ => {}
            }
            if node.window.is_answered_by(bounds) {
                return Opening::Answered(Answer::range(bounds));
            }
        }
        *source = Numbers { next: 0, end: width };
        Opening::Search(Answer::range(bounds))
    }

    /// A null move comes before the moves of every fifth node: it stands for the second move and counts only when it refutes.
    fn select(&self, spot: &Spot, source: &mut Numbers) -> Option<u32> {
        if source.next == 0 && source.end > 1 && begins_with_null(spot) {
            source.next = 1 << 16;
            return Some(NULL);
        }
        source.next &= 0xffff;
        (source.next < source.end).then(|| {
            source.next += 1;
            source.next - 1
        })
    }

    fn play(&self, spot: &Spot, chosen: u32) -> Spot {
        self.shape.child(spot, if chosen == NULL { 1 } else { chosen })
    }

    fn moves_left(&self, _: &Spot, source: &Numbers) -> u32 {
        source.end - (source.next & 0xffff)
    }

    fn attempt(
        &self,
        node: &Node<'_, Spot>,
        chosen: u32,
        number: u32,
        tries: u32,
        last: Option<Range>,
    ) -> Attempt {
        let side = node.position().side;
        let depth = node.depth - 1;
        if chosen != NULL {
            return scout_first(side, node.window, depth, number, tries, last);
        }
        match (side, last) {
            (Side::Max, None) if node.window.beta < crate::HIGHEST => {
                Attempt::Search { depth, scope: Scope::Scout(Window::zero(node.window.beta)) }
            }
            (Side::Min, None) if node.window.alpha > crate::LOWEST => {
                Attempt::Search { depth, scope: Scope::Scout(Window::zero(node.window.alpha + 1)) }
            }
            (Side::Max, Some(range)) if range.lower >= node.window.beta => Attempt::Count,
            (Side::Min, Some(range)) if range.upper <= node.window.alpha => Attempt::Count,
            _ => Attempt::Discard,
        }
    }

    fn leave(
        &self,
        node: &Node<'_, Spot>,
        answer: &Answer<()>,
        best: Option<u32>,
        memory: &mut Memory<'_, Self>,
    ) {
        let spot = node.position();
        self.check(spot, answer.range);
        assert!(best.is_none_or(|best| best == NULL || best < self.shape.width(spot)));
        if let Some(table) = memory.shared {
            table.put(spot.hash, pack(answer.range), spot.left as u8);
        }
    }

    fn grain(&self, node: &Node<'_, Spot>) -> bool {
        node.position().left <= self.shape.grain
    }
}
