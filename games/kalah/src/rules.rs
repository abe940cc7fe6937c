//! The rules that differ between kalah's variants.

use std::fmt;

/// What happens when the last stone of a move lands in an empty pit of the mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Capture {
    /// The mover takes his own last stone and the opposite pit, but only if the opposite pit holds stones
    /// (the seed's rule 1.3).
    #[default]
    NonEmpty,
    /// The mover takes his own last stone and the opposite pit, even if the opposite pit is empty (Irving,
    /// Donkers and Uiterwijk, "Solving Kalah", ICGA Journal 23(3), 2000).
    Empty,
}

/// When the game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum End {
    /// As soon as either row is empty after any elementary move, also one that earned an extra turn.
    #[default]
    AnyRow,
    /// When the side to move has no stones in his row.
    CannotMove,
}

/// Who gets the stones left on the pits when the game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Sweep {
    /// The owner of the row they lie in (the seed's rule 1.4).
    #[default]
    Owner,
    /// The side that made the last move.
    Finisher,
    /// Nobody: they do not count.
    None,
}

/// Whether the pit a move starts from is sown again when the stones go round the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Origin {
    /// It is sown like any other pit (proved by the seed's sample game).
    #[default]
    Sown,
    /// It is passed over.
    Skipped,
}

/// A variant of kalah; the default is the seed's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Rules {
    /// What a last stone in an empty pit captures.
    pub capture: Capture,
    /// When the game is over.
    pub end: End,
    /// Who gets the stones left.
    pub sweep: Sweep,
    /// Whether the origin is sown on a lap.
    pub origin: Origin,
}

impl Rules {
    /// The rules of the seed's program and its sample game.
    pub const SEED: Rules =
        Rules { capture: Capture::NonEmpty, end: End::AnyRow, sweep: Sweep::Owner, origin: Origin::Sown };

    /// The rules of Irving, Donkers and Uiterwijk (2000): as the seed's, with capture on empty.
    pub const EMPTY_CAPTURE: Rules = Rules { capture: Capture::Empty, ..Rules::SEED };
}

/// `seed`, `emptycap`, or one of them followed by the switches that differ, as in `seed,sweep=none`.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.capture {
            Capture::NonEmpty => "seed",
            Capture::Empty => "emptycap",
        })?;
        if self.end == End::CannotMove {
            f.write_str(",end=cannot-move")?;
        }
        match self.sweep {
            Sweep::Owner => {}
            Sweep::Finisher => f.write_str(",sweep=finisher")?,
            Sweep::None => f.write_str(",sweep=none")?,
        }
        if self.origin == Origin::Skipped {
            f.write_str(",origin=skipped")?;
        }
        Ok(())
    }
}
