//! The options that choose kalah's rules, the same for every kalah command.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use dts_kalah::{Capture, End, Origin, Rules, Sweep};

/// Which rules of kalah to play by.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Rules")]
pub(crate) struct RulesOptions {
    /// The seed's rules (seed), or with capture on an empty opposite pit (emptycap); switches may follow, as in
    /// seed,sweep=none
    #[arg(long, value_name = "seed|emptycap", default_value_t = Rules::SEED, value_parser = Rules::from_str)]
    rules: Rules,
    /// A last stone in an own empty pit captures only if the opposite pit holds stones, or always
    #[arg(long, value_name = "WHEN", value_parser = names(Capture::ALL, Capture::name))]
    capture: Option<Capture>,
    /// The game is over when any row is empty, or when the side to move has no move
    #[arg(long, value_name = "WHEN", value_parser = names(End::ALL, End::name))]
    end: Option<End>,
    /// The stones left go to the owner of their row, to who made the last move, or to nobody
    #[arg(long, value_name = "WHOM", value_parser = names(Sweep::ALL, Sweep::name))]
    sweep: Option<Sweep>,
    /// On a lap the pit the move started from is sown like the others, or passed over
    #[arg(long, value_name = "HOW", value_parser = names(Origin::ALL, Origin::name))]
    origin: Option<Origin>,
}

impl RulesOptions {
    /// The named rules with the single switches laid over them.
    pub(crate) fn rules(&self) -> Rules {
        Rules {
            capture: self.capture.unwrap_or(self.rules.capture),
            end: self.end.unwrap_or(self.rules.end),
            sweep: self.sweep.unwrap_or(self.rules.sweep),
            origin: self.origin.unwrap_or(self.rules.origin),
        }
    }
}

/// Reads one of these values by its name, and lets the help and the shells know the names.
fn names<T>(all: &'static [T], name: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.iter().map(|&value| name(value))).map(move |text| {
        let named = all.iter().copied().find(|&value| name(value) == text);
        named.expect("one of the possible values")
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        options: RulesOptions,
    }

    fn rules(line: &str) -> Result<Rules, String> {
        Command::try_parse_from(format!("dts {line}").split_whitespace())
            .map(|command| command.options.rules())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn switches_lie_over_the_named_rules() {
        assert_eq!(rules(""), Ok(Rules::SEED));
        assert_eq!(RulesOptions::default().rules(), Rules::SEED);
        assert_eq!(rules("--rules emptycap"), Ok(Rules::EMPTY_CAPTURE));
        assert_eq!(rules("--rules emptycap --capture nonempty"), Ok(Rules::SEED));
        assert_eq!(rules("--capture empty"), Ok(Rules::EMPTY_CAPTURE));
        assert_eq!(
            rules("--end cannot-move --sweep finisher --origin skipped --rules seed"),
            Ok(Rules {
                capture: Capture::NonEmpty,
                end: End::CannotMove,
                sweep: Sweep::Finisher,
                origin: Origin::Skipped
            })
        );
        assert_eq!(
            rules("--rules seed,sweep=none,end=cannot-move --end any-row"),
            Ok(Rules { sweep: Sweep::None, ..Rules::SEED })
        );
        assert_eq!(rules("--end any-row --sweep owner --origin sown"), Ok(Rules::SEED));
    }

    #[test]
    fn errors_say_what_is_accepted() {
        let error = rules("--rules irving").unwrap_err();
        assert!(error.contains("rules `irving` is not known; accepted: seed, emptycap"), "{error}");
        let error = rules("--sweep all").unwrap_err();
        assert!(error.contains("[possible values: owner, finisher, none]"), "{error}");
    }

    #[test]
    fn the_options_are_sound() {
        use clap::CommandFactory;
        Command::command().debug_assert();
    }
}
