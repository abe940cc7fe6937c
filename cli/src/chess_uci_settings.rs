//! The engine's options as UCI names them.

use std::fmt::{Display, Write};

use dts_chess::{EngineOptions, Profile};
use dts_engine::{MOST_PROCESSORS, Strategy};

/// All settings of a session.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) engine: EngineOptions,
    /// So many best lines are told.
    pub(crate) lines: usize,
    /// Milliseconds that are lost on the way of a move to the other program.
    pub(crate) overhead: i64,
    /// Castling is written as the king's move onto the rook.
    pub(crate) chess960: bool,
}

/// What a new setting asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The engine has to be set up anew.
    Engine,
    /// The table has to be emptied.
    ClearTable,
    /// Nothing has to be done.
    Nothing,
}

/// The largest table, in MiB; the memory of the machine sets the real limit.
const MOST_HASH: usize = 1 << 20;
const MOST_LINES: usize = 256;
const MOST_OVERHEAD: i64 = 5_000;

impl Default for Settings {
    fn default() -> Self {
        Settings { engine: EngineOptions::default(), lines: 1, overhead: 10, chess960: false }
    }
}

/// The list of options, as the answer to `uci` has it.
pub(crate) fn list() -> String {
    let Settings { engine, lines, overhead, chess960 } = Settings::default();
    let strategies: String = Strategy::ALL.iter().map(|strategy| format!(" var {strategy}")).collect();
    let profiles: String = Profile::ALL.iter().map(|profile| format!(" var {profile}")).collect();
    let mut text = String::new();
    let all = [
        ("Hash", format!("spin default {} min 1 max {MOST_HASH}", engine.table_mebibytes)),
        ("Threads", format!("spin default {} min 1 max {MOST_PROCESSORS}", engine.threads)),
        ("Clear Hash", "button".to_owned()),
        ("Ponder", "check default false".to_owned()),
        ("MultiPV", format!("spin default {lines} min 1 max {MOST_LINES}")),
        ("Move Overhead", format!("spin default {overhead} min 0 max {MOST_OVERHEAD}")),
        ("UCI_Chess960", format!("check default {chess960}")),
        ("Strategy", format!("combo default {}{strategies}", engine.strategy)),
        ("Pin", format!("check default {}", engine.pin)),
        ("Profile", format!("combo default {}{profiles}", engine.profile)),
    ];
    for (name, kind) in all {
        // A string takes whatever is written to it.
        let _ = writeln!(text, "option name {name} type {kind}");
    }
    text
}

/// A number within a range.
fn number<N: std::str::FromStr + PartialOrd + Display + Copy>(
    name: &str,
    value: &str,
    (least, most): (N, N),
) -> Result<N, String> {
    let given: Option<N> = value.parse().ok();
    given
        .filter(|given| (least..=most).contains(given))
        .ok_or_else(|| format!("option {name}: `{value}` is not accepted; accepted: {least} to {most}"))
}

fn switch(name: &str, value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("option {name}: `{value}` is not accepted; accepted: true, false")),
    }
}

impl Settings {
    /// Changes a setting. The error tells what is wrong in one line, and nothing has changed.
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) -> Result<Change, String> {
        let value = value.unwrap_or_default();
        let change = match name.to_ascii_lowercase().as_str() {
            "hash" => {
                self.engine.table_mebibytes = number("Hash", value, (1, MOST_HASH))?;
                Change::Engine
            }
            "threads" => {
                self.engine.threads = number("Threads", value, (1, MOST_PROCESSORS))?;
                Change::Engine
            }
            "clear hash" => Change::ClearTable,
            // The other program decides when to ponder; that it may is all there is to know.
            "ponder" => {
                switch("Ponder", value)?;
                Change::Nothing
            }
            "multipv" => {
                self.lines = number("MultiPV", value, (1, MOST_LINES))?;
                Change::Nothing
            }
            "move overhead" => {
                self.overhead = number("Move Overhead", value, (0, MOST_OVERHEAD))?;
                Change::Nothing
            }
            "uci_chess960" => {
                self.chess960 = switch("UCI_Chess960", value)?;
                Change::Nothing
            }
            "strategy" => {
                let known = Strategy::ALL.into_iter().find(|known| known.name().eq_ignore_ascii_case(value));
                self.engine.strategy = known.ok_or_else(|| {
                    let names: Vec<_> = Strategy::ALL.iter().map(|strategy| strategy.name()).collect();
                    format!("option Strategy: `{value}` is not accepted; accepted: {}", names.join(", "))
                })?;
                Change::Engine
            }
            "pin" => {
                self.engine.pin = switch("Pin", value)?;
                Change::Engine
            }
            "profile" => {
                self.engine.profile = value.parse().map_err(|_| {
                    format!("option Profile: `{value}` is not accepted; accepted: classic, modern")
                })?;
                Change::Engine
            }
            _ => return Err(format!("there is no option `{name}`; `uci` lists them all")),
        };
        Ok(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_not_accepted_change_nothing_and_say_what_is() {
        let mut settings = Settings::default();
        let wrong = [
            ("Hash", Some(""), "option Hash: `` is not accepted; accepted: 1 to 1048576"),
            ("Hash", None, "option Hash: `` is not accepted; accepted: 1 to 1048576"),
            ("hash", Some("0"), "option Hash: `0` is not accepted; accepted: 1 to 1048576"),
            (
                "Threads",
                Some("99999999999999999999"),
                "option Threads: `99999999999999999999` is not accepted; accepted: 1 to 1024",
            ),
            ("Pin", Some("yes"), "option Pin: `yes` is not accepted; accepted: true, false"),
            (
                "Profile",
                Some("romantic"),
                "option Profile: `romantic` is not accepted; accepted: classic, modern",
            ),
            ("Größe", Some("1"), "there is no option `Größe`; `uci` lists them all"),
        ];
        for (name, value, said) in wrong {
            assert_eq!(settings.set(name, value), Err(said.to_owned()));
        }
        assert_eq!(format!("{settings:?}"), format!("{:?}", Settings::default()));
    }

    #[test]
    fn names_are_read_in_any_case() {
        let mut settings = Settings::default();
        assert_eq!(settings.set("hASH", Some("3")), Ok(Change::Engine));
        assert_eq!(settings.set("clear hash", None), Ok(Change::ClearTable));
        assert_eq!(settings.set("STRATEGY", Some("Lazy-SMP")), Ok(Change::Engine));
        assert_eq!((settings.engine.table_mebibytes, settings.engine.strategy), (3, Strategy::LazySmp));
    }
}
