//! Kalah searched to a fixed depth and judged there: the search of the seed's program, and of the analysis.

use dts_engine::{Answer, Attempt, Game, Memory, Node, Opening, Range, Scope, Side, Value};

use crate::evaluation::{Evaluation, Side as Judged, activity, majority};
use crate::position::{Pits, Position, Row};
use crate::sowing::Sowing;
use crate::{Board, Rules, solver};

/// What the depth of a search counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Depth {
    /// Elementary moves: one pit sown.
    #[default]
    Moves,
    /// Whole turns, the seed's compound moves: all pits sown until the other side is to move. A position in the middle of a turn
    /// is never judged.
    Turns,
}

/// The order in which moves are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// Moves that earn another turn first, nearest to the store first; then the others, nearest first.
    #[default]
    ExtraTurnsFirst,
    /// Ascending pits, as the seed's program; the first of several best moves is kept.
    Ascending,
}

/// Kalah to a fixed depth.
///
/// With [`Evaluation::Difference`] a value is the stones that Max wins more than Min from the position the search was started
/// with; with the others it is what the evaluation says of the position at the horizon.
#[derive(Debug)]
pub struct Horizon<R: Row> {
    sowing: Sowing<R>,
    evaluation: Evaluation,
    depth: Depth,
    order: Order,
    /// All stones of the board, those in the stores included.
    total: u32,
    /// What Max has more than Min in store when the search is started.
    banked: Value,
    /// Subtrees of at most this depth are searched by recursion.
    grain: i32,
}

/// The moves of a node that have not been tried.
#[derive(Clone, Copy, Debug, Default)]
pub struct Untried {
    first: Pits,
    then: Pits,
}

impl<R: Row> Horizon<R> {
    /// The search of a board with `total` stones in all, of which Max has `banked` more in store than Min.
    #[must_use]
    pub fn new(
        sowing: Sowing<R>,
        evaluation: Evaluation,
        depth: Depth,
        order: Order,
        total: u32,
        banked: Value,
    ) -> Self {
        let grain = match depth {
            Depth::Moves => 8,
            Depth::Turns => 2,
        };
        Horizon { sowing, evaluation, depth, order, total, banked, grain }
    }

    /// The search of `board`, and its position; `Max` is A, and values are stones that A wins more from here on. None if the board has
    /// more pits or stones than rows of this kind hold.
    #[must_use]
    pub fn of(
        rules: Rules,
        board: &Board,
        evaluation: Evaluation,
        depth: Depth,
        order: Order,
    ) -> Option<(Self, Position<R>)> {
        let sowing = Sowing::<R>::new(rules, board.pits() as u32)?;
        let mut root = solver::position(&sowing, board)?;
        let banked = match root.side {
            Side::Max => board.difference(),
            Side::Min => -board.difference(),
        };
        root.banked += banked as i16;
        Some((Horizon::new(sowing, evaluation, depth, order, board.total(), banked), root))
    }

    /// A key of all that values below a position depend on, what is banked included: different keys for different positions, up to
    /// chance.
    #[must_use]
    pub fn key(&self, position: &Position<R>) -> u64 {
        let stands = u64::from(position.banked as u16) << 1 | u64::from(position.side == Side::Min);
        let pits = position.key().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        pits.rotate_left(32) ^ stands.wrapping_mul(0xd6e8_feb8_6659_fd93)
    }

    /// The same, with subtrees of at most `depth` searched by recursion: they are never split. None are if it is negative.
    #[must_use]
    pub fn with_grain(self, depth: i32) -> Self {
        Horizon { grain: depth, ..self }
    }

    /// What a position is worth at the horizon, or as the end of the game.
    #[must_use]
    pub fn judge(&self, position: &Position<R>) -> Value {
        if self.evaluation == Evaluation::Difference {
            return Value::from(position.banked) - self.banked;
        }
        let banked = i32::from(position.banked);
        if position.is_over() {
            return self.evaluation.finished(banked);
        }
        let stored = self.total as i32 - position.left() as i32;
        let side = |side: Side, store: i32| Judged {
            store,
            activity: (0..self.sowing.pits())
                .map(|pit| activity(position.row(side).stones_in(pit) as u16, pit as usize))
                .sum(),
        };
        let max = side(Side::Max, (stored + banked) / 2);
        let min = side(Side::Min, (stored - banked) / 2);
        self.evaluation.judge_sides(max, min, majority(self.total))
    }
}

impl<R: Row> Game for Horizon<R> {
    type Position = Position<R>;
    type Move = u8;
    type Source = Untried;
    type Proof = ();
    type Shared = ();
    type Local = ();

    fn local(&self, _: usize) {}

    #[inline]
    fn key(&self, position: &Position<R>) -> Option<u64> {
        Some(self.key(position))
    }

    #[inline]
    fn side(&self, position: &Position<R>) -> Side {
        position.side
    }

    #[inline]
    fn open(
        &self,
        node: &Node<'_, Position<R>>,
        source: &mut Untried,
        _: &mut Memory<'_, Self>,
    ) -> Opening<()> {
        let position = node.position();
        if position.is_over() || node.depth <= 0 {
            return Opening::Answered(Answer::exact(self.judge(position)));
        }
        let all = position.moves();
        let first = match self.order {
            Order::ExtraTurnsFirst => self.sowing.extra_turns(position),
            Order::Ascending => all,
        };
        *source = Untried { first, then: Pits(all.0 & !first.0) };
        if self.evaluation == Evaluation::Difference {
            // More than the stones on the pits nobody can win.
            let (now, left) = (self.judge(position), position.left() as Value);
            return Opening::Search(Answer::range(Range { lower: now - left, upper: now + left }));
        }
        Opening::Search(Answer::unknown())
    }

    #[inline]
    fn select(&self, _: &Position<R>, source: &mut Untried) -> Option<u8> {
        if self.order == Order::Ascending {
            return source.first.next().map(|pit| pit as u8);
        }
        let pit = source.first.pop_nearest().or_else(|| source.then.pop_nearest());
        pit.map(|pit| pit as u8)
    }

    #[inline]
    fn play(&self, position: &Position<R>, chosen: u8) -> Position<R> {
        self.sowing.play(position, u32::from(chosen))
    }

    fn moves_left(&self, _: &Position<R>, source: &Untried) -> u32 {
        source.first.len() + source.then.len()
    }

    #[inline]
    fn attempt(
        &self,
        node: &Node<'_, Position<R>>,
        chosen: u8,
        _number: u32,
        tries: u32,
        _last: Option<Range>,
    ) -> Attempt {
        if tries > 0 {
            return Attempt::Count;
        }
        let within_a_turn = self.depth == Depth::Turns && {
            let child = self.play(node.position(), chosen);
            !child.is_over() && child.side == node.position().side
        };
        Attempt::Search { depth: node.depth - i32::from(!within_a_turn), scope: Scope::Real }
    }

    #[inline]
    fn grain(&self, node: &Node<'_, Position<R>>) -> bool {
        node.depth <= self.grain
    }

    #[inline]
    fn banked(&self, position: &Position<R>) -> Value {
        Value::from(position.banked) - self.banked
    }
}
