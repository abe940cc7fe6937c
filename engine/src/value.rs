//! Values, the sides they belong to, and what is known of them.

/// The value of a position, always from Max's side. Games keep theirs strictly between [`LOWEST`] and
/// [`HIGHEST`].
pub type Value = i32;

/// Below every value of every game: "no lower bound is known".
pub const LOWEST: Value = -(1 << 30);

/// Above every value of every game: "no upper bound is known".
pub const HIGHEST: Value = 1 << 30;

/// Who moves. Sides need not alternate: partners at bridge and extra turns at kalah keep the side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Wants high values.
    Max,
    /// Wants low values.
    Min,
}

impl Side {
    /// The other side.
    #[must_use]
    pub fn opposite(self) -> Side {
        match self {
            Side::Max => Side::Min,
            Side::Min => Side::Max,
        }
    }
}

/// What is known of a value: it lies in `lower..=upper`.
///
/// Every node of a search answers with a range. A leaf's is exact; a node's bounds follow from its
/// children's, whatever windows they were searched with. So a bound that another processor improved in the
/// meantime can never turn a bound into a wrong "exact" value: windows only decide what is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// The value is at least this; [`LOWEST`] when nothing is known.
    pub lower: Value,
    /// The value is at most this; [`HIGHEST`] when nothing is known.
    pub upper: Value,
}

impl Range {
    /// Nothing is known.
    pub const UNKNOWN: Range = Range { lower: LOWEST, upper: HIGHEST };

    /// The value is known.
    #[must_use]
    pub const fn exact(value: Value) -> Range {
        Range { lower: value, upper: value }
    }

    /// The value is `value` or more.
    #[must_use]
    pub const fn at_least(value: Value) -> Range {
        Range { lower: value, upper: HIGHEST }
    }

    /// The value is `value` or less.
    #[must_use]
    pub const fn at_most(value: Value) -> Range {
        Range { lower: LOWEST, upper: value }
    }

    /// Whether the value is known.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        self.lower == self.upper
    }

    /// Whether the range allows `value`.
    #[must_use]
    pub const fn contains(self, value: Value) -> bool {
        self.lower <= value && value <= self.upper
    }
}

/// The values that matter at a node: strictly between `alpha` and `beta`, from Max's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// Max has this much for certain elsewhere.
    pub alpha: Value,
    /// Min need not allow more than this.
    pub beta: Value,
}

impl Window {
    /// Every value matters.
    pub const FULL: Window = Window { alpha: LOWEST, beta: HIGHEST };

    /// The window that asks only whether a value is at least `value`.
    #[must_use]
    pub const fn zero(value: Value) -> Window {
        Window { alpha: value - 1, beta: value }
    }

    /// The zero window at the bound of the side to move: it asks only whether a move is better for `side` than what is known.
    #[must_use]
    #[inline]
    pub const fn scout(self, side: Side) -> Window {
        match side {
            Side::Max => Window { alpha: self.alpha, beta: self.alpha + 1 },
            Side::Min => Window { alpha: self.beta - 1, beta: self.beta },
        }
    }

    /// Whether a value in `range` is certainly better for `side` than its bound.
    #[must_use]
    #[inline]
    pub const fn is_beaten_by(self, side: Side, range: Range) -> bool {
        match side {
            Side::Max => range.lower > self.alpha,
            Side::Min => range.upper < self.beta,
        }
    }

    /// Whether more than one answer is of interest, so that the node may become part of the principal variation.
    #[must_use]
    pub const fn is_open(self) -> bool {
        self.beta > self.alpha + 1
    }

    /// Whether no value is left that matters.
    #[must_use]
    pub const fn is_closed(self) -> bool {
        self.alpha >= self.beta
    }

    /// Whether nothing more needs to be known of a value in `range`.
    #[must_use]
    pub const fn is_answered_by(self, range: Range) -> bool {
        range.lower >= self.beta || range.upper <= self.alpha || range.lower == range.upper
    }

    /// The part of this window that lies in `other` as well.
    #[must_use]
    pub fn within(self, other: Window) -> Window {
        Window { alpha: self.alpha.max(other.alpha), beta: self.beta.min(other.beta) }
    }
}
