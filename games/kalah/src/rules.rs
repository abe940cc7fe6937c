//! The rules that differ between kalah's variants.

use std::fmt;
use std::str::FromStr;

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
///
/// Written as a name, `seed` or `emptycap`, followed by the switches that differ from it:
///
/// ```
/// use dts_kalah::{Rules, Sweep};
///
/// let rules: Rules = "seed,sweep=none".parse()?;
/// assert_eq!(rules, Rules { sweep: Sweep::None, ..Rules::SEED });
/// assert_eq!(Rules::EMPTY_CAPTURE.to_string(), "emptycap");
/// # Ok::<(), dts_kalah::RulesError>(())
/// ```
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

/// A name of rules, or of one of their switches, that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} `{found}` is not known; accepted: {accepted}")]
pub struct RulesError {
    what: &'static str,
    found: String,
    accepted: String,
}

/// A switch's values under the names the command line gives them.
macro_rules! named {
    ($kind:ident, $what:literal, $($variant:ident => $name:literal),+) => {
        impl $kind {
            /// Every value, the default first.
            pub const ALL: &'static [$kind] = &[$($kind::$variant),+];

            /// The value's name on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name),+
                }
            }
        }

        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $kind {
            type Err = RulesError;

            fn from_str(text: &str) -> Result<$kind, RulesError> {
                $kind::ALL.iter().copied().find(|value| value.name() == text).ok_or_else(|| RulesError {
                    what: $what,
                    found: text.to_string(),
                    accepted: [$($name),+].join(", "),
                })
            }
        }
    };
}

named!(Capture, "capture", NonEmpty => "nonempty", Empty => "empty");
named!(End, "end", AnyRow => "any-row", CannotMove => "cannot-move");
named!(Sweep, "sweep", Owner => "owner", Finisher => "finisher", None => "none");
named!(Origin, "origin", Sown => "sown", Skipped => "skipped");

impl Rules {
    /// The rules of the seed's program and its sample game.
    pub const SEED: Rules =
        Rules { capture: Capture::NonEmpty, end: End::AnyRow, sweep: Sweep::Owner, origin: Origin::Sown };

    /// The rules of Irving, Donkers and Uiterwijk (2000): as the seed's, with capture on empty.
    pub const EMPTY_CAPTURE: Rules = Rules { capture: Capture::Empty, ..Rules::SEED };

    /// All 24 variants, for tests and comparisons; the seed's come first.
    ///
    /// ```
    /// use dts_kalah::Rules;
    ///
    /// assert_eq!(Rules::all().count(), 24);
    /// assert_eq!(Rules::all().next(), Some(Rules::SEED));
    /// ```
    pub fn all() -> impl Iterator<Item = Rules> {
        Capture::ALL.iter().flat_map(|&capture| {
            End::ALL.iter().flat_map(move |&end| {
                Sweep::ALL.iter().flat_map(move |&sweep| {
                    Origin::ALL.iter().map(move |&origin| Rules { capture, end, sweep, origin })
                })
            })
        })
    }
}

/// `seed`, `emptycap`, or one of them followed by the switches that differ, as in `seed,sweep=none`.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.capture {
            Capture::NonEmpty => "seed",
            Capture::Empty => "emptycap",
        })?;
        if self.end != End::AnyRow {
            write!(f, ",end={}", self.end)?;
        }
        if self.sweep != Sweep::Owner {
            write!(f, ",sweep={}", self.sweep)?;
        }
        if self.origin != Origin::Sown {
            write!(f, ",origin={}", self.origin)?;
        }
        Ok(())
    }
}

/// Reads what [`Display`](fmt::Display) writes; the switches may stand in any order.
impl FromStr for Rules {
    type Err = RulesError;

    fn from_str(text: &str) -> Result<Rules, RulesError> {
        let mut parts = text.split(',').map(str::trim);
        let mut rules = match parts.next() {
            Some("seed") => Rules::SEED,
            Some("emptycap") => Rules::EMPTY_CAPTURE,
            other => {
                return Err(RulesError {
                    what: "rules",
                    found: other.unwrap_or_default().to_string(),
                    accepted: "seed, emptycap".to_string(),
                });
            }
        };
        for part in parts {
            match part.split_once('=') {
                Some(("capture", name)) => rules.capture = name.parse()?,
                Some(("end", name)) => rules.end = name.parse()?,
                Some(("sweep", name)) => rules.sweep = name.parse()?,
                Some(("origin", name)) => rules.origin = name.parse()?,
                _ => {
                    return Err(RulesError {
                        what: "switch",
                        found: part.to_string(),
                        accepted: "capture=, end=, sweep= or origin= with a value".to_string(),
                    });
                }
            }
        }
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_reads_back_from_its_own_name() {
        for rules in Rules::all() {
            assert_eq!(rules.to_string().parse(), Ok(rules));
        }
        let names: std::collections::HashSet<_> = Rules::all().map(|rules| rules.to_string()).collect();
        assert_eq!(names.len(), 24);
    }

    #[test]
    fn switches_may_stand_in_any_order_and_repeat_the_name() {
        let rules = Rules { end: End::CannotMove, origin: Origin::Skipped, ..Rules::EMPTY_CAPTURE };
        assert_eq!("seed, origin=skipped, capture=empty, end=cannot-move".parse(), Ok(rules));
    }

    #[test]
    fn errors_say_what_is_accepted() {
        let message = |text: &str| text.parse::<Rules>().unwrap_err().to_string();
        assert_eq!(message("irving"), "rules `irving` is not known; accepted: seed, emptycap");
        assert_eq!(message(""), "rules `` is not known; accepted: seed, emptycap");
        assert_eq!(message("seed,sweep=all"), "sweep `all` is not known; accepted: owner, finisher, none");
        assert_eq!(
            message("seed,empty"),
            "switch `empty` is not known; accepted: capture=, end=, sweep= or origin= with a value"
        );
    }
}
