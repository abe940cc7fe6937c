//! Kalah searched to the end of the game.

use dts_engine::table::Table;
use dts_engine::{Answer, Game, HIGHEST, LOWEST, Memory, Node, Opening, Range, Side, Value, prefetch};

use crate::database::{Database, Index};
use crate::position::{Position, Row, sign};
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
    /// Positions with fewer stones on the pits are not kept in the table: searching them again costs less.
    peek_from: u32,
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
    /// Kalah by `sowing`'s rules; subtrees with at most `grain` stones on the pits are searched by recursion, and positions with
    /// fewer than `peek_from` are not kept in the table.
    #[must_use]
    pub fn new(sowing: Sowing<R>, grain: u32, peek_from: u32) -> Self {
        Exact { sowing, grain, peek_from }
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
        side: Side,
        banked: Value,
        key: u64,
        depth: i32,
        memory: &ExactMemory,
    ) -> Option<(Option<Range>, u64)> {
        let entry = Entry::unpack(memory.table.as_ref()?.get(key)?);
        let deep_enough = entry.depth >= depth.clamp(0, TO_THE_END);
        let range = || shifted(turned(entry.range, side), banked);
        Some((deep_enough.then(range), entry.best))
    }

    /// What a position is worth at the horizon of an iteration that only prepares for the search to the end: what is banked, and
    /// an odd stone for the mover, so that the value has the parity of the final ones.
    fn guess(&self, position: &Position<R>, left: u32) -> Value {
        let odd = (left & 1) as Value;
        Value::from(position.banked) + if position.side == Side::Max { odd } else { -odd }
    }
}

/// A child before it is searched.
#[derive(Clone, Copy)]
struct Child<R> {
    position: Position<R>,
    left: u32,
    score: i32,
    pit: u8,
    memory: InMemory,
}

/// Where the memory would have a child.
#[derive(Clone, Copy)]
enum InMemory {
    Nowhere,
    Database(Index),
    Table(u64),
}

impl<R: Row> Exact<R> {
    /// How good a move looks before anything is known of the child it leads to: extra turns first, then what it wins at once and
    /// leaves the opponent without an extra turn, then pits near the store. The weights were tuned on starts of 5 and 6 pits.
    #[inline(always)]
    fn score(&self, parent: &Position<R>, child: &Position<R>, left: u32, pit: u32) -> i32 {
        if child.side == parent.side && left > 0 {
            return EXTRA_TURN + pit as i32;
        }
        let gain = i32::from(child.banked - parent.banked) * i32::from(sign(parent.side));
        let extra_turns = child.own.matching(self.sowing.exact()).len() as i32;
        6 * (gain - extra_turns) + pit as i32
    }

    /// Sets out to look a child up.
    #[inline(always)]
    fn reach_for(&self, child: &mut Child<R>, peeks: bool, memory: &ExactMemory) {
        match (&memory.database, &memory.table) {
            _ if child.left == 0 => {}
            (Some(database), _) if child.left <= database.stones() => {
                let index = database.index(child.position.own, child.position.other);
                prefetch(database.entry(index));
                child.memory = InMemory::Database(index);
            }
            (_, Some(table)) if peeks => {
                let key = child.position.key();
                table.prefetch(key);
                child.memory = InMemory::Table(key);
            }
            _ => {}
        }
    }

    /// What is known of a child.
    #[inline(always)]
    fn look_up(&self, child: &Child<R>, depth: i32, memory: &ExactMemory) -> Range {
        let banked = Value::from(child.position.banked);
        let left = child.left as Value;
        let at_sight = Range { lower: banked - left, upper: banked + left };
        match (child.memory, &memory.database) {
            (InMemory::Database(index), Some(database)) => {
                let future = Value::from(database.value(index));
                Range::exact(if child.position.side == Side::Max { banked + future } else { banked - future })
            }
            (InMemory::Table(key), _) => {
                match self.remembered(child.position.side, banked, key, depth, memory) {
                    Some((Some(remembered), _)) => both(at_sight, remembered),
                    _ => at_sight,
                }
            }
            _ => at_sight,
        }
    }

    /// Looks at the children, the most promising first. One move that is known to be good enough, or all known to be too bad, saves
    /// the search; otherwise the moves are sorted.
    #[inline(always)]
    fn look_at_children<const PITS: usize>(
        &self,
        node: &Node<'_, Position<R>>,
        left: u32,
        range: Range,
        hint: u64,
        memory: &ExactMemory,
    ) -> Result<Sorted, Range> {
        let position = node.position();
        let window = node.window;
        let max = position.side == Side::Max;
        let nothing = Child { position: *position, left: 0, score: 0, pit: 0, memory: InMemory::Nowhere };
        let mut children = [nothing; PITS];
        let mut count = 0;
        for pit in position.moves() {
            let child = self.sowing.play(position, pit);
            let child_left = child.left();
            let (banked, stones) = (Value::from(child.banked), child_left as Value);
            // What the mover has even if he wins none of the stones left.
            let enough = if max { banked - stones >= window.beta } else { banked + stones <= window.alpha };
            if enough && !node.is_root() {
                return Err(if max {
                    Range { lower: banked - stones, ..range }
                } else {
                    Range { upper: banked + stones, ..range }
                });
            }
            let score =
                if u64::from(pit) == hint { i32::MAX } else { self.score(position, &child, child_left, pit) };
            let mut to = count;
            while to > 0 && children[to - 1].score < score {
                children[to] = children[to - 1];
                to -= 1;
            }
            children[to] =
                Child { position: child, left: child_left, score, pit: pit as u8, memory: InMemory::Nowhere };
            count += 1;
        }

        let children = &mut children[..count];
        let peeks = left >= self.peek_from;
        for child in children.iter_mut().take(AHEAD) {
            self.reach_for(child, peeks, memory);
        }
        // The far bound as far as the children's ranges tell: what no move exceeds.
        let mut far = if max { LOWEST } else { HIGHEST };
        let (mut moves, mut shift) = (0, 0);
        let mut too_bad = NO_MOVE;
        for at in 0..count {
            if at + AHEAD < count {
                self.reach_for(&mut children[at + AHEAD], peeks, memory);
            }
            let child = &children[at];
            let known = self.look_up(child, node.depth - 1, memory);
            let (good, bad) = if max {
                far = far.max(known.upper);
                (known.lower >= window.beta, known.upper <= window.alpha)
            } else {
                far = far.min(known.lower);
                (known.upper <= window.alpha, known.lower >= window.beta)
            };
            if good && !node.is_root() {
                return Err(if max {
                    Range { lower: known.lower, ..range }
                } else {
                    Range { upper: known.upper, ..range }
                });
            }
            if bad {
                too_bad = too_bad << 4 | u64::from(child.pit);
            } else {
                moves |= u64::from(child.pit) << shift;
                shift += 4;
            }
        }
        if (if max { far <= window.alpha } else { far >= window.beta }) && !node.is_root() {
            return Err(if max {
                Range { lower: range.lower, upper: far.min(range.upper) }
            } else {
                Range { lower: far.max(range.lower), upper: range.upper }
            });
        }
        Ok(Sorted { moves: moves | too_bad << shift })
    }
}

/// The score of a move that earns another turn.
const EXTRA_TURN: i32 = 1_000;

/// So many children are on their way from memory while one is looked at.
const AHEAD: usize = 2;

impl<R: Row> Game for Exact<R> {
    type Position = Position<R>;
    type Move = u8;
    type Source = Sorted;
    type Proof = ();
    type Shared = ExactMemory;
    type Local = ();

    fn local(&self, _: usize) {}

    #[inline]
    fn key(&self, position: &Position<R>) -> Option<u64> {
        Some(position.key() ^ u64::from(position.side == Side::Min) << 63)
    }

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
        if left >= self.peek_from
            && let Some((known, best)) = self.remembered(
                position.side,
                Value::from(position.banked),
                position.key(),
                node.depth,
                memory.shared,
            )
        {
            range = known.map_or(range, |known| both(range, known));
            hint = best;
            if window.is_answered_by(range) && !node.is_root() {
                return Opening::Answered(Answer::range(range));
            }
        }

        let sorted = if R::LANES <= 6 {
            self.look_at_children::<6>(node, left, range, hint, memory.shared)
        } else {
            self.look_at_children::<12>(node, left, range, hint, memory.shared)
        };
        match sorted {
            Ok(sorted) if node.is_root() => {
                *source = sorted;
                // The caller wants a move: one that is worth no more than what is known already would not be named.
                Opening::Search(Answer::unknown())
            }
            Ok(sorted) => {
                *source = sorted;
                Opening::Search(Answer::range(range))
            }
            Err(known) => Opening::Answered(Answer::range(known)),
        }
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
        if left < self.peek_from {
            return;
        }
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
