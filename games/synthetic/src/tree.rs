//! A tree as a game.

use dts_engine::table::Table;
use dts_engine::{Answer, Game, Memory, Node, Opening, Side, Value};

use crate::random::{around_zero, below, mix};
use crate::shape::{Kind, NodeCost, Shape, ShapeError, WIDEST};

/// A tree of a shape.
#[derive(Clone, Debug)]
pub struct Tree {
    shape: Shape,
    seed: u64,
    /// Chances as bounds of random words.
    early_leaves: u64,
    forced: u64,
    extra_turns: u64,
    first: u64,
}

/// A node of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// All that is below depends on it and on the ply.
    pub(crate) key: u64,
    /// What Max has won so far; in planted trees the value.
    pub(crate) value: Value,
    pub(crate) ply: u16,
    pub(crate) side: Side,
}

/// A move: which one, and what it wins for its mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Its number at its node.
    pub number: u8,
    /// What it wins; in planted trees what it loses, with a minus.
    pub gain: i16,
}

/// The moves of a node that have not been drawn.
#[derive(Clone, Debug)]
pub struct Source {
    left: u8,
    moves: [Seen; WIDEST as usize],
}

/// A move as the order of moves sees it.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// What it seems to win.
    seems: i16,
    gain: i16,
    number: u8,
}

impl Default for Source {
    fn default() -> Self {
        Source { left: 0, moves: [Seen::default(); WIDEST as usize] }
    }
}

impl Source {
    /// The move `number` seems best from now on, if it is there.
    pub(crate) fn bring_to_front(&mut self, number: u8) {
        let moves = &mut self.moves[..usize::from(self.left)];
        if let Some(seen) = moves.iter_mut().find(|seen| seen.number == number) {
            seen.seems = i16::MAX;
        }
    }
}

/// What nodes have cost beyond the time of one.
#[derive(Debug, Default)]
pub struct Local {
    extra: u64,
}

/// A chance as a bound of random words.
fn bound(chance: f64) -> u64 {
    // The largest words are never below a bound, so a chance of 1 is given a bound of its own.
    if chance >= 1.0 { u64::MAX } else { (chance * 2.0_f64.powi(64)) as u64 }
}

impl Tree {
    /// The tree of `shape` that `seed` stands for.
    ///
    /// # Errors
    /// If no tree has this shape.
    pub fn new(shape: Shape, seed: u64) -> Result<Tree, ShapeError> {
        shape.check()?;
        let first = if let Kind::Planted { first } = shape.kind { bound(first) } else { 0 };
        Ok(Tree {
            seed,
            early_leaves: bound(shape.early_leaves),
            forced: bound(shape.forced),
            extra_turns: bound(shape.extra_turns),
            first,
            shape,
        })
    }

    /// The shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The root, where Max moves.
    #[must_use]
    pub fn root(&self) -> Position {
        let key = mix(self.seed ^ 0x0073_796e_7468_6574);
        let value = match self.shape.kind {
            Kind::Incremental { .. } => 0,
            Kind::Planted { .. } => self.rounded(around_zero(mix(key ^ ROOT_VALUE), self.shape.gains)),
        };
        Position { key, value, ply: 0, side: Side::Max }
    }

    /// The value of a planted tree; none of an incremental one.
    #[must_use]
    pub fn planted_value(&self) -> Option<Value> {
        matches!(self.shape.kind, Kind::Planted { .. }).then(|| self.root().value)
    }

    fn rounded(&self, value: Value) -> Value {
        value / self.shape.step * self.shape.step
    }

    /// The random word of a node for one purpose.
    #[inline]
    fn word(&self, position: &Position, purpose: u64) -> u64 {
        mix(position.key ^ purpose ^ u64::from(position.ply) << 48)
    }

    fn is_leaf(&self, position: &Position) -> bool {
        u32::from(position.ply) >= self.shape.depth
            || (self.early_leaves > 0
                && position.ply > 0
                && self.word(position, EARLY_LEAF) < self.early_leaves)
    }

    fn width(&self, position: &Position) -> u32 {
        if self.forced > 0 && self.word(position, FORCED) < self.forced {
            return 1;
        }
        match self.shape.narrowest {
            Some(narrowest) => {
                narrowest + below(self.word(position, WIDTH), self.shape.width - narrowest + 1)
            }
            None => self.shape.width,
        }
    }

    /// The moves of a node as the order of moves sees them.
    fn see(&self, position: &Position, source: &mut Source) {
        let width = self.width(position);
        source.left = width as u8;
        let base = self.word(position, MOVES);
        let moves = &mut source.moves[..width as usize];
        match self.shape.kind {
            Kind::Incremental { noise } => {
                for (number, place) in (0..).zip(moves) {
                    let word = mix(base.wrapping_add(u64::from(number)));
                    let gain = self.rounded(around_zero(word, self.shape.gains));
                    let seems = gain + around_zero(word << 32, noise);
                    *place = Seen { seems: seems as i16, gain: gain as i16, number };
                }
            }
            Kind::Planted { .. } => {
                let heir =
                    if width == 1 || base < self.first { 0 } else { 1 + below(mix(base), width - 1) as u8 };
                for (number, place) in (0..).zip(moves) {
                    let word = mix(base.wrapping_add(u64::from(number)));
                    let gap = (1 + below(word, self.shape.gains as u32)) as i32 * self.shape.step;
                    let gain = if number == heir { 0 } else { -gap };
                    *place = Seen { seems: -i16::from(number), gain: gain as i16, number };
                }
            }
        }
    }
}

const ROOT_VALUE: u64 = 0x01;
const EARLY_LEAF: u64 = 0x02;
const FORCED: u64 = 0x03;
const WIDTH: u64 = 0x04;
const MOVES: u64 = 0x05;
const EXTRA_TURN: u64 = 0x06;
const COST: u64 = 0x07;
const KEY: u64 = 0x08;

impl Game for Tree {
    type Position = Position;
    type Move = Move;
    type Source = Source;
    type Proof = ();
    type Shared = Option<Table>;
    type Local = Local;

    fn local(&self, _: usize) -> Local {
        Local::default()
    }

    #[inline]
    fn key(&self, position: &Position) -> Option<u64> {
        Some(self.word(position, KEY))
    }

    #[inline]
    fn side(&self, position: &Position) -> Side {
        position.side
    }

    #[inline]
    fn open(
        &self,
        node: &Node<'_, Position>,
        source: &mut Source,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<()> {
        let position = node.position();
        if self.shape.cost == NodeCost::HeavyTailed {
            let doublings = self.word(position, COST).leading_zeros().min(8);
            memory.local.extra += 1_000 * ((1 << doublings) - 1);
        }
        if self.is_leaf(position) {
            return Opening::Answered(Answer::exact(position.value));
        }
        self.see(position, source);
        if let Some(table) = memory.shared {
            return self.remembered(table, node, source);
        }
        Opening::Search(Answer::unknown())
    }

    #[inline]
    fn select(&self, _: &Position, source: &mut Source) -> Option<Move> {
        let left = usize::from(source.left);
        let moves = &mut source.moves[..left];
        let mut best = 0;
        for at in 1..left {
            let (one, other) = (moves[at], moves[best]);
            if (one.seems, other.number) > (other.seems, one.number) {
                best = at;
            }
        }
        let chosen = *moves.get(best)?;
        moves[best] = moves[left - 1];
        source.left -= 1;
        Some(Move { number: chosen.number, gain: chosen.gain })
    }

    #[inline]
    fn play(&self, position: &Position, chosen: Move) -> Position {
        let gain = Value::from(chosen.gain);
        let value = match position.side {
            Side::Max => position.value + gain,
            Side::Min => position.value - gain,
        };
        let key = if self.shape.transpositions {
            // A sum does not depend on the order of its terms; moves of the same side in another order meet again.
            let side = u64::from(position.side == Side::Min);
            position.key.wrapping_add(mix(self.seed ^ u64::from(chosen.number) << 1 ^ side))
        } else {
            mix(position.key.wrapping_add(u64::from(chosen.number) + 1))
        };
        let again = self.extra_turns > 0 && self.word(position, EXTRA_TURN ^ key) < self.extra_turns;
        let side = if again { position.side } else { position.side.opposite() };
        Position { key, value, ply: position.ply + 1, side }
    }

    #[inline]
    fn moves_left(&self, _: &Position, source: &Source) -> u32 {
        u32::from(source.left)
    }

    #[inline]
    fn leave(
        &self,
        node: &Node<'_, Position>,
        answer: &Answer<()>,
        best: Option<Move>,
        memory: &mut Memory<'_, Self>,
    ) {
        if let Some(table) = memory.shared {
            self.remember(table, node, answer.range, best);
        }
    }

    #[inline]
    fn grain(&self, node: &Node<'_, Position>) -> bool {
        self.shape.depth - u32::from(node.position().ply) <= self.shape.grain
    }

    #[inline]
    fn work(&self, node: &Node<'_, Position>) -> f32 {
        let left = self.shape.depth - u32::from(node.position().ply);
        (left as f32 * 0.5 * (self.shape.width as f32).log2()).exp2()
    }

    /// What has been won so far; a planted tree does not give its value away.
    #[inline]
    fn estimate(&self, position: &Position) -> Option<Value> {
        matches!(self.shape.kind, Kind::Incremental { .. }).then_some(position.value)
    }

    #[inline]
    fn estimate_step(&self) -> Value {
        self.shape.gains / 4
    }

    #[inline]
    fn extra_cost(&self, local: &mut Local) -> u64 {
        std::mem::take(&mut local.extra)
    }
}
