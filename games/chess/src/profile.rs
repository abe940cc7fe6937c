//! The two ways to search.

use std::fmt;
use std::str::FromStr;

/// How chess is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// As in 1993: alpha-beta with scouts, an extension for checks, quiescence; nothing is pruned or reduced. Values are those of
    /// plain minimax, whatever is searched in parallel.
    Classic,
    /// As today: null move, reductions, pruning, singular extensions.
    #[default]
    Modern,
}

impl Profile {
    /// Both profiles.
    pub const ALL: [Profile; 2] = [Profile::Classic, Profile::Modern];

    /// The name as programs take and print it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Profile::Classic => "classic",
            Profile::Modern => "modern",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no profile's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown profile `{0}`; known are: classic, modern")]
pub struct UnknownProfile(String);

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, UnknownProfile> {
        Profile::ALL
            .into_iter()
            .find(|profile| profile.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownProfile(name.to_owned()))
    }
}
