//! Which parallel search is made of the same processors.

use std::fmt;
use std::str::FromStr;

/// A strategy: how processors come to work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Strategy {
    /// One processor searches; the others wait. The measure for all others.
    Sequential,
    /// Dynamic Tree Splitting after Hyatt and Nelson.
    #[default]
    Dts,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Strategy; 2] = [Strategy::Sequential, Strategy::Dts];

    /// The name as the program takes and prints it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Sequential => "sequential",
            Strategy::Dts => "dts",
        }
    }

    /// Whether processors without work look for some.
    pub(crate) fn splits(self) -> bool {
        self == Strategy::Dts
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no strategy's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown strategy `{0}`; known are: sequential, dts")]
pub struct UnknownStrategy(String);

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        Strategy::ALL
            .into_iter()
            .find(|strategy| strategy.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownStrategy(name.to_owned()))
    }
}
