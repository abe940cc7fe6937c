//! What trees look like.

/// The most moves of a node.
pub const WIDEST: u32 = 63;
/// The most plies of a tree.
pub const DEEPEST: u32 = 200;
/// The most that a move wins, and the most noise.
pub const MOST_GAIN: i32 = 10_000;

/// What a tree looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Moves of a node.
    pub width: u32,
    /// The fewest moves of a node, if nodes differ: then they have from so many to `width`.
    pub narrowest: Option<u32>,
    /// Plies from the root to the leaves.
    pub depth: u32,
    /// The chance that a node below the root is a leaf before its time.
    pub early_leaves: f64,
    /// The chance that a node has one move only.
    pub forced: f64,
    /// The chance that the same side moves again.
    pub extra_turns: f64,
    /// Moves win from minus so much to so much; in planted trees the others are worse by 1 to so much.
    pub gains: i32,
    /// Values are rounded to multiples of it, so that many are equal.
    pub step: i32,
    /// Whether different orders of the same moves lead to the same position.
    pub transpositions: bool,
    /// Where the values come from.
    pub kind: Kind,
    /// What nodes cost.
    pub cost: NodeCost,
    /// Subtrees of at most so many plies are searched by recursion.
    pub grain: u32,
}

/// Where the values of a tree come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A leaf is worth what the moves to it have won. Moves are searched in the order of what they seem to win, which is off by up
    /// to the noise.
    Incremental {
        /// The most that what a move wins is misjudged.
        noise: i32,
    },
    /// One child inherits.
    Planted {
        /// The chance that this is the first.
        first: f64,
    },
}

/// What nodes cost beyond the time of one, in a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum NodeCost {
    /// All the same.
    #[default]
    Constant,
    /// One in two costs twice the time of a plain node, one in four four times, and so on, up to 256: as quiescence searches do.
    HeavyTailed,
}

impl Default for Shape {
    /// Wide trees of seven plies with a fair order of moves.
    fn default() -> Self {
        Shape {
            width: 30,
            narrowest: None,
            depth: 7,
            early_leaves: 0.0,
            forced: 0.0,
            extra_turns: 0.0,
            gains: 50,
            step: 1,
            transpositions: false,
            kind: Kind::Incremental { noise: 20 },
            cost: NodeCost::Constant,
            grain: 1,
        }
    }
}

/// A shape that no tree can have.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A number is out of range.
    #[error("{what} {found} is out of range; accepted: {least} to {most}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// What it is.
        found: i64,
        /// The least that is possible.
        least: i64,
        /// The most that is possible.
        most: i64,
    },
    /// A chance is none.
    #[error("{what} {found} is no chance; accepted: 0 to 1")]
    NoChance {
        /// Which chance.
        what: &'static str,
        /// What it is.
        found: f64,
    },
}

impl Shape {
    /// Whether a tree can have this shape.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn check(&self) -> Result<(), ShapeError> {
        let number = |what, found: i64, least: i64, most: i64| {
            if (least..=most).contains(&found) {
                Ok(())
            } else {
                Err(ShapeError::OutOfRange { what, found, least, most })
            }
        };
        let chance = |what, found: f64| {
            if (0.0..=1.0).contains(&found) { Ok(()) } else { Err(ShapeError::NoChance { what, found }) }
        };
        number("width", self.width.into(), 1, WIDEST.into())?;
        if let Some(narrowest) = self.narrowest {
            number("the least width", narrowest.into(), 1, self.width.into())?;
        }
        number("depth", self.depth.into(), 1, DEEPEST.into())?;
        number("gains", self.gains.into(), 1, MOST_GAIN.into())?;
        number("step", self.step.into(), 1, MOST_GAIN.into())?;
        if let Kind::Incremental { noise } = self.kind {
            number("noise", noise.into(), 0, MOST_GAIN.into())?;
        }
        if let Kind::Planted { first } = self.kind {
            chance("the chance of the first move", first)?;
            // What a move loses is kept in sixteen bits.
            let most = i64::from(i16::MAX) / i64::from(self.step);
            number(
                "in planted trees with this step, gains",
                self.gains.into(),
                1,
                most.min(MOST_GAIN.into()),
            )?;
        }
        chance("the chance of early leaves", self.early_leaves)?;
        chance("the chance of forced moves", self.forced)?;
        chance("the chance of extra turns", self.extra_turns)
    }
}
