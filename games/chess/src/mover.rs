//! Values are from Max's side; here they are seen by whoever is to move.

use dts_engine::{Range, Side, Value, Window};

/// The sign that makes a value from Max's side one from the mover's.
#[inline(always)]
pub(crate) fn sign(side: Side) -> Value {
    match side {
        Side::Max => 1,
        Side::Min => -1,
    }
}

/// What the mover has already, elsewhere in the tree.
#[inline(always)]
pub(crate) fn near_bound(side: Side, window: Window) -> Value {
    match side {
        Side::Max => window.alpha,
        Side::Min => window.beta,
    }
}

/// What the mover's opponent will not allow.
#[inline(always)]
pub(crate) fn far_bound(side: Side, window: Window) -> Value {
    match side {
        Side::Max => window.beta,
        Side::Min => window.alpha,
    }
}

/// Whether the mover gets what his opponent will not allow.
#[inline(always)]
pub(crate) fn refutes(side: Side, range: Range, far_bound: Value) -> bool {
    match side {
        Side::Max => range.lower >= far_bound,
        Side::Min => range.upper <= far_bound,
    }
}

/// The values that are no worse than `value` for the mover.
#[inline(always)]
pub(crate) fn no_worse_than(side: Side, value: Value) -> Range {
    match side {
        Side::Max => Range::at_least(value),
        Side::Min => Range::at_most(value),
    }
}

/// The bound of a range on the mover's own side: what he has at least.
#[inline(always)]
pub(crate) fn near_end(side: Side, range: Range) -> Value {
    match side {
        Side::Max => range.lower,
        Side::Min => range.upper,
    }
}

/// The bound of a range on the opponent's side: what the mover has at most.
#[inline(always)]
pub(crate) fn far_end(side: Side, range: Range) -> Value {
    match side {
        Side::Max => range.upper,
        Side::Min => range.lower,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_see_the_same_values() {
        let window = Window { alpha: -10, beta: 20 };
        assert_eq!((near_bound(Side::Max, window), near_bound(Side::Min, window)), (-10, 20));
        assert_eq!((far_bound(Side::Max, window), far_bound(Side::Min, window)), (20, -10));
        for (side, value, does) in
            [(Side::Max, 20, true), (Side::Max, 19, false), (Side::Min, -10, true), (Side::Min, -9, false)]
        {
            let range = no_worse_than(side, value);
            assert_eq!(near_end(side, range), value);
            assert_eq!(far_end(side, range), far_end(side, Range::UNKNOWN));
            assert_eq!(refutes(side, range, far_bound(side, window)), does, "{side:?} {value}");
            assert!(!refutes(side, Range::UNKNOWN, far_bound(side, window)));
        }
        assert_eq!((sign(Side::Max), sign(Side::Min)), (1, -1));
    }
}
