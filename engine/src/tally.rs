//! What a node knows so far: the answers of its children put together.

use crate::game::{Answer, Proof};
use crate::value::{HIGHEST, LOWEST, Range, Side, Value, Window};

/// The answers of a node's children put together, seen from the node's mover.
///
/// The *near* bound is the one the mover raises by a single good move (the lower bound for Max); it rests on that
/// move's proof alone. The *far* bound (the upper bound for Max) needs every move and rests on the union of all
/// their proofs, or on the static bound's reason where that is tighter.
#[derive(Clone, Debug)]
pub(crate) struct Tally<P> {
    near: Value,
    near_proof: P,
    far: Value,
    far_proof: P,
    limit: Value,
    limit_proof: P,
    counted: u32,
}

impl<P: Proof> Tally<P> {
    /// Nothing is known.
    #[inline]
    pub(crate) fn unknown(side: Side) -> Self {
        Self::new(side, Answer::unknown())
    }

    /// Only the static bounds are known.
    #[inline]
    pub(crate) fn new(side: Side, bounds: Answer<P>) -> Self {
        let Answer { range, lower_proof, upper_proof } = bounds;
        match side {
            Side::Max => Tally {
                near: range.lower,
                near_proof: lower_proof,
                far: LOWEST,
                far_proof: P::default(),
                limit: range.upper,
                limit_proof: upper_proof,
                counted: 0,
            },
            Side::Min => Tally {
                near: range.upper,
                near_proof: upper_proof,
                far: HIGHEST,
                far_proof: P::default(),
                limit: range.lower,
                limit_proof: lower_proof,
                counted: 0,
            },
        }
    }

    /// How many moves have counted.
    #[inline]
    pub(crate) fn counted(&self) -> u32 {
        self.counted
    }

    /// Whether the near bound is enough for a cutoff in `window`.
    #[inline]
    pub(crate) fn is_beyond(&self, side: Side, window: Window) -> bool {
        match side {
            Side::Max => self.near >= window.beta,
            Side::Min => self.near <= window.alpha,
        }
    }

    /// The window of the node once the static bounds are known: what they settle need not be searched.
    #[inline]
    pub(crate) fn narrow(&self, side: Side, window: Window) -> Window {
        match side {
            Side::Max => Window { alpha: window.alpha.max(self.near), beta: window.beta.min(self.limit) },
            Side::Min => Window { alpha: window.alpha.max(self.limit), beta: window.beta.min(self.near) },
        }
    }

    /// The window that [`Tally::narrow`] gave, once the near bound has improved; `None` if that makes it no narrower.
    #[inline]
    pub(crate) fn raise(&self, side: Side, window: Window) -> Option<Window> {
        match side {
            Side::Max => (self.near > window.alpha).then_some(Window { alpha: self.near, ..window }),
            Side::Min => (self.near < window.beta).then_some(Window { beta: self.near, ..window }),
        }
    }

    /// Counts the lifted answer of a move; says whether the near bound improved, which narrows the window.
    #[inline]
    pub(crate) fn count(&mut self, side: Side, answer: Answer<P>) -> bool {
        self.counted += 1;
        let Answer { range, lower_proof, upper_proof } = answer;
        let (near, near_proof, far, far_proof, improved) = match side {
            Side::Max => (range.lower, lower_proof, range.upper, upper_proof, range.lower > self.near),
            Side::Min => (range.upper, upper_proof, range.lower, lower_proof, range.upper < self.near),
        };
        self.far = match side {
            Side::Max => self.far.max(far),
            Side::Min => self.far.min(far),
        };
        self.far_proof.join(&far_proof);
        if improved {
            self.near = near;
            self.near_proof = near_proof;
        }
        improved
    }

    /// The node's answer; `complete` says that every move has counted.
    #[inline]
    pub(crate) fn answer(self, side: Side, complete: bool) -> Answer<P> {
        let use_far = complete
            && self.counted > 0
            && match side {
                Side::Max => self.far < self.limit,
                Side::Min => self.far > self.limit,
            };
        // A mover content with the static near bound has that, however bad all moves are.
        let no_move_is_better = match side {
            Side::Max => self.far < self.near,
            Side::Min => self.far > self.near,
        };
        let (far, far_proof) = if use_far && no_move_is_better {
            let mut proof = self.far_proof;
            proof.join(&self.near_proof);
            (self.near, proof)
        } else if use_far {
            (self.far, self.far_proof)
        } else {
            (self.limit, self.limit_proof)
        };
        match side {
            Side::Max => Answer {
                range: Range { lower: self.near, upper: far },
                lower_proof: self.near_proof,
                upper_proof: far_proof,
            },
            Side::Min => Answer {
                range: Range { lower: far, upper: self.near },
                lower_proof: far_proof,
                upper_proof: self.near_proof,
            },
        }
    }
}
