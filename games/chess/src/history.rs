//! Which quiet moves have refuted before: the history of cutoffs.
//!
//! Every processor has a history of its own. It is part of the game and made of atomics because moves are put in order when they
//! are drawn from a source ([`dts_engine::Game::select`]), by whoever draws: at a split point that may be another processor than
//! the one whose history it is. What is read then is materialised in the source at once, so that nobody can skip or repeat a move.

use std::sync::atomic::{AtomicI16, Ordering::Relaxed};

use cozy_chess::Color;

use crate::choice::PackedMove;
use crate::position::{NO_PIECE, Position};

/// No value in a table exceeds this, to either side.
const MOST: i32 = 16_384;

/// Pieces and squares: 6 x 64, and one for no piece.
const PIECES: usize = NO_PIECE + 1;

/// A place that grows towards a bound: the nearer it is, the less.
#[inline(always)]
fn push(place: &AtomicI16, bonus: i32) {
    let old = i32::from(place.load(Relaxed));
    let new = old + bonus - old * bonus.abs() / MOST;
    place.store(new.clamp(-MOST, MOST) as i16, Relaxed);
}

/// The cutoffs of one processor.
#[derive(Debug)]
pub(crate) struct History {
    /// By side and by the squares of the move.
    butterfly: Box<[AtomicI16]>,
    /// By what the opponent moved last and by what is moved now.
    replies: Box<[AtomicI16]>,
}

/// What a move follows: what its history depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Who moves.
    pub(crate) color: Color,
    /// The piece the opponent moved last and where to.
    pub(crate) last: usize,
}

impl Context {
    /// What the history of the moves of a position depends on.
    #[inline(always)]
    pub(crate) fn of(position: &Position) -> Context {
        Context { color: position.board().side_to_move(), last: position.last() }
    }
}

impl History {
    pub(crate) fn new() -> History {
        let zeros = |count: usize| (0..count).map(|_| AtomicI16::new(0)).collect();
        History { butterfly: zeros(2 * 4096), replies: zeros(2 * PIECES * NO_PIECE) }
    }

    #[inline(always)]
    fn places(&self, context: Context, chosen: PackedMove, piece: usize) -> (&AtomicI16, &AtomicI16) {
        let to = piece * 64 + chosen.to() as usize;
        let row = context.color as usize * PIECES + context.last;
        (
            &self.butterfly[context.color as usize * 4096 + chosen.squares()],
            &self.replies[row * NO_PIECE + to],
        )
    }

    /// How well a quiet move of `piece` has done, from -32768 to 32768.
    #[inline(always)]
    pub(crate) fn score(&self, context: Context, chosen: PackedMove, piece: usize) -> i32 {
        let (butterfly, reply) = self.places(context, chosen, piece);
        i32::from(butterfly.load(Relaxed)) + i32::from(reply.load(Relaxed))
    }

    /// A quiet move has done well or, if `bonus` is negative, badly.
    #[inline(always)]
    pub(crate) fn learn(&self, context: Context, chosen: PackedMove, piece: usize, bonus: i32) {
        let (butterfly, reply) = self.places(context, chosen, piece);
        push(butterfly, bonus);
        push(reply, bonus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_in_range() {
        let history = History::new();
        let context = Context { color: Color::White, last: NO_PIECE };
        let chosen = PackedMove::of_bits(1 << 6);
        for _ in 0..1000 {
            history.learn(context, chosen, 5, 2000);
        }
        let high = history.score(context, chosen, 5);
        assert!((30_000..=32_768).contains(&high), "{high}");
        for _ in 0..1000 {
            history.learn(context, chosen, 5, -2000);
        }
        assert!((-32_768..=-30_000).contains(&history.score(context, chosen, 5)));
    }
}
