//! Kalah searched to the end of the game.

use dts_engine::table::Table;
use dts_engine::{Answer, Game, Memory, Node, Opening, Range, Side, Value};

use crate::database::Database;
use crate::position::{Position, Row};
use crate::sowing::Sowing;

/// What the processors of an exact search share.
#[derive(Debug)]
pub struct ExactMemory {
    /// Bounds of positions, by their pits.
    pub table: Option<Table>,
    /// The values of all positions with few stones on the pits.
    pub database: Option<Database>,
}

/// Kalah to the end: values are the stones that Max wins more than Min, those banked before the search not counted if the root's
/// `banked` is zero.
#[derive(Debug)]
pub struct Exact<R: Row> {
    sowing: Sowing<R>,
    /// Subtrees with so few stones on the pits are searched by recursion.
    grain: u32,
}

/// The moves of a node, best first: pits in four bits each.
#[derive(Clone, Copy, Debug)]
pub struct Sorted {
    moves: u64,
}

impl Default for Sorted {
    fn default() -> Self {
        Sorted { moves: NO_MOVE }
    }
}

/// Ends the moves of a node; also the best move of an entry that has none.
const NO_MOVE: u64 = 15;

/// With so few stones left a node's children are not looked up before it is searched.
const PEEK_FROM: u32 = 0;

/// The depth of a search to the end of the game; any that is at least [`TO_THE_END`] is one.
pub(crate) const FULL_DEPTH: i32 = 10_000;
/// The least depth that counts as to the end: no game that is searched from lasts so long.
const TO_THE_END: i32 = 255;

/// A position as it is stored: the range of its future difference from the mover's side, its best move, and the depth that the
/// range was found with.
#[derive(Clone, Copy)]
struct Entry {
    range: Range,
    best: u64,
    depth: i32,
}

impl Entry {
    fn pack(self) -> u64 {
        let end = |value: Value| (value + 512) as u64;
        let depth = self.depth.clamp(0, TO_THE_END) as u64;
        end(self.range.lower) | end(self.range.upper) << 10 | self.best << 20 | depth << 24
    }

    fn unpack(payload: u64) -> Entry {
        let end = |bits: u64| (bits & 0x3ff) as Value - 512;
        let range = Range { lower: end(payload), upper: end(payload >> 10) };
        Entry { range, best: payload >> 20 & 15, depth: (payload >> 24 & 0xff) as i32 }
    }
}

/// A future difference from the mover's side as a value from Max's, or back.
fn turned(range: Range, side: Side) -> Range {
    match side {
        Side::Max => range,
        Side::Min => Range { lower: -range.upper, upper: -range.lower },
    }
}

fn shifted(range: Range, by: Value) -> Range {
    Range { lower: range.lower + by, upper: range.upper + by }
}

fn both(one: Range, other: Range) -> Range {
    Range { lower: one.lower.max(other.lower), upper: one.upper.min(other.upper) }
}

impl<R: Row> Exact<R> {
    /// Kalah by `sowing`'s rules; subtrees with at most `grain` stones on the pits are searched by recursion.
    #[must_use]
    pub fn new(sowing: Sowing<R>, grain: u32) -> Self {
        Exact { sowing, grain }
    }

    /// The moves.
    #[must_use]
    pub fn sowing(&self) -> &Sowing<R> {
        &self.sowing
    }

    /// What is known of a position without looking at the table: more than the stones on the pits nobody can win.
    #[inline]
    fn at_sight(&self, position: &Position<R>, left: u32, memory: &ExactMemory) -> Range {
        let banked = Value::from(position.banked);
        if left == 0 {
            return Range::exact(banked);
        }
        if let Some(database) = &memory.database
            && left <= database.stones()
        {
            let future = Value::from(database.value(database.index(position.own, position.other)));
            return Range::exact(if position.side == Side::Max { banked + future } else { banked - future });
        }
        Range { lower: banked - left as Value, upper: banked + left as Value }
    }

    /// What the table knows of a position: its range, if that was found with at least this depth, and its best move.
    #[inline]
    fn remembered(
        &self,
        position: &Position<R>,
        key: u64,
        depth: i32,
        memory: &ExactMemory,
    ) -> Option<(Option<Range>, u64)> {
        let entry = Entry::unpack(memory.table.as_ref()?.get(key)?);
        let deep_enough = entry.depth >= depth.clamp(0, TO_THE_END);
        let range = || shifted(turned(entry.range, position.side), Value::from(position.banked));
        Some((deep_enough.then(range), entry.best))
    }

    /// What a position is worth at the horizon of an iteration that only prepares for the search to the end: what is banked, and
    /// an odd stone for the mover, so that the value has the parity of the final ones.
    fn guess(&self, position: &Position<R>, left: u32) -> Value {
        let odd = (left & 1) as Value;
        Value::from(position.banked) + if position.side == Side::Max { odd } else { -odd }
    }
}

impl<R: Row> Game for Exact<R> {
    type Position = Position<R>;
    type Move = u8;
    type Source = Sorted;
    type Proof = ();
    type Shared = ExactMemory;
    type Local = ();

    fn local(&self, _: usize) {}

    #[inline]
    fn side(&self, position: &Position<R>) -> Side {
        position.side
    }

    #[inline]
    fn open(
        &self,
        node: &Node<'_, Position<R>>,
        source: &mut Sorted,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<()> {
        let position = node.position();
        let left = position.left();
        let window = node.window;
        let mut range = self.at_sight(position, left, memory.shared);
        if position.is_over() || (window.is_answered_by(range) && !node.is_root()) {
            return Opening::Answered(Answer::range(range));
        }
        if node.depth <= 0 {
            return Opening::Answered(Answer::exact(self.guess(position, left)));
        }
        let mut hint = NO_MOVE;
        if let Some((known, best)) = self.remembered(position, position.key(), node.depth, memory.shared) {
            range = known.map_or(range, |known| both(range, known));
            hint = best;
            if window.is_answered_by(range) && !node.is_root() {
                return Opening::Answered(Answer::range(range));
            }
        }

        // One move that is known to be good enough saves the search of all.
        let mut children = [(*position, 0_u64, 0_u8); 12];
        let mut count = 0;
        let peek = left >= PEEK_FROM;
        for pit in position.moves() {
            let child = self.sowing.play(position, pit);
            let key = child.key();
            if peek && let Some(table) = &memory.shared.table {
                table.prefetch(key);
            }
            children[count] = (child, key, pit as u8);
            count += 1;
        }
        let mut order = [(0_i32, 0_u8); 12];
        for (place, (child, key, pit)) in order.iter_mut().zip(&children[..count]) {
            let child_left = child.left();
            let mut known = self.at_sight(child, child_left, memory.shared);
            if peek
                && !known.is_exact()
                && let Some((Some(remembered), _)) = self.remembered(child, *key, node.depth - 1, memory.shared)
            {
                known = both(known, remembered);
            }
            let (good, bad, gain) = match position.side {
                Side::Max => {
                    (known.lower >= window.beta, known.upper <= window.alpha, child.banked - position.banked)
                }
                Side::Min => {
                    (known.upper <= window.alpha, known.lower >= window.beta, position.banked - child.banked)
                }
            };
            if good && !node.is_root() {
                let range = match position.side {
                    Side::Max => Range { lower: known.lower, ..range },
                    Side::Min => Range { upper: known.upper, ..range },
                };
                return Opening::Answered(Answer::range(range));
            }
            let score = if bad {
                -1_000
            } else if u64::from(*pit) == hint {
                10_000
            } else if child.side == position.side {
                5_000 + i32::from(*pit)
            } else if gain > 1 {
                1_000 + i32::from(gain) * 8
            } else {
                i32::from(*pit)
            };
            *place = (score, *pit);
        }
        let order = &mut order[..count];
        for at in 1..count {
            let mut to = at;
            while to > 0 && order[to - 1].0 < order[to].0 {
                order.swap(to - 1, to);
                to -= 1;
            }
        }
        source.moves = order.iter().rev().fold(NO_MOVE, |moves, &(_, pit)| moves << 4 | u64::from(pit));
        if node.is_root() {
            // The caller wants a move: one that is worth no more than what is known already would not be named.
            return Opening::Search(Answer::unknown());
        }
        Opening::Search(Answer::range(range))
    }

    #[inline]
    fn select(&self, _: &Position<R>, source: &mut Sorted) -> Option<u8> {
        let pit = source.moves & 15;
        if pit == NO_MOVE {
            return None;
        }
        source.moves >>= 4;
        Some(pit as u8)
    }

    #[inline]
    fn play(&self, position: &Position<R>, chosen: u8) -> Position<R> {
        self.sowing.play(position, u32::from(chosen))
    }

    fn moves_left(&self, _: &Position<R>, source: &Sorted) -> u32 {
        // The end mark is the only nibble of four ones.
        (63 - source.moves.leading_zeros()) / 4
    }

    #[inline]
    fn leave(
        &self,
        node: &Node<'_, Position<R>>,
        answer: &Answer<()>,
        best: Option<u8>,
        memory: &mut Memory<'_, Self>,
    ) {
        let Some(table) = &memory.shared.table else { return };
        let position = node.position();
        let left = position.left();
        let limit = left as Value;
        let future = turned(shifted(answer.range, -Value::from(position.banked)), position.side);
        let future = Range { lower: future.lower.max(-limit), upper: future.upper.min(limit) };
        let entry = Entry { range: future, best: best.map_or(NO_MOVE, u64::from), depth: node.depth };
        table.put(position.key(), entry.pack(), left.min(255) as u8);
    }

    #[inline]
    fn grain(&self, node: &Node<'_, Position<R>>) -> bool {
        node.position().left() <= self.grain
    }

    fn work(&self, node: &Node<'_, Position<R>>) -> f32 {
        (node.position().left() as f32 * 0.6).exp2()
    }

    #[inline]
    fn banked(&self, position: &Position<R>) -> Value {
        Value::from(position.banked)
    }
}
