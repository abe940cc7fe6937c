//! Two values in one: for the middle game and for the endgame.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A value for the middle game and one for the endgame, added and subtracted together: the first in the upper half of a word, the
/// second in the lower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pair(i32);

impl Pair {
    /// No difference.
    pub(crate) const ZERO: Pair = Pair(0);

    /// Both values, in centipawns.
    pub(crate) const fn new(middle: i32, end: i32) -> Pair {
        Pair((middle << 16).wrapping_add(end))
    }

    /// The value for the middle game.
    #[inline(always)]
    pub(crate) const fn middle(self) -> i32 {
        // The lower half borrowed from the upper one if it is negative.
        (self.0.wrapping_add(0x8000)) >> 16
    }

    /// The value for the endgame.
    #[inline(always)]
    pub(crate) const fn end(self) -> i32 {
        self.0 as i16 as i32
    }

    /// Both sums.
    pub(crate) const fn plus(self, other: Pair) -> Pair {
        Pair(self.0.wrapping_add(other.0))
    }
}

impl Add for Pair {
    type Output = Pair;

    #[inline(always)]
    fn add(self, other: Pair) -> Pair {
        Pair(self.0.wrapping_add(other.0))
    }
}

impl AddAssign for Pair {
    #[inline(always)]
    fn add_assign(&mut self, other: Pair) {
        *self = *self + other;
    }
}

impl Sub for Pair {
    type Output = Pair;

    #[inline(always)]
    fn sub(self, other: Pair) -> Pair {
        Pair(self.0.wrapping_sub(other.0))
    }
}

impl SubAssign for Pair {
    #[inline(always)]
    fn sub_assign(&mut self, other: Pair) {
        *self = *self - other;
    }
}

impl Neg for Pair {
    type Output = Pair;

    #[inline(always)]
    fn neg(self) -> Pair {
        Pair(self.0.wrapping_neg())
    }
}

impl Mul<i32> for Pair {
    type Output = Pair;

    #[inline(always)]
    fn mul(self, by: i32) -> Pair {
        Pair(self.0.wrapping_mul(by))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn halves_do_not_disturb_each_other(
            values in proptest::collection::vec((-500..500_i32, -500..500_i32, -4..4_i32), 0..16)
        ) {
            let (mut pair, mut middle, mut end) = (Pair::ZERO, 0, 0);
            for (m, e, times) in values {
                pair += Pair::new(m, e) * times;
                pair -= -Pair::new(e, m);
                (middle, end) = (middle + m * times + e, end + e * times + m);
            }
            prop_assert_eq!((pair.middle(), pair.end()), (middle, end));
        }
    }
}
