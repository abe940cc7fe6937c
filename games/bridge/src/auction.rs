//! Contracts, and the bidding that leads to them.

use std::fmt;

use crate::card::{Seat, Strain};

/// What is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Contract {
    /// The level, 1 to 7, if it is known.
    pub level: Option<u8>,
    /// What is trump.
    pub strain: Strain,
    /// Who declares.
    pub declarer: Seat,
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.level, self.strain.suit()) {
            (Some(level), _) => write!(f, "{level}{}", self.strain)?,
            (None, Some(suit)) => write!(f, "{suit}")?,
            (None, None) => f.write_str("no trump")?,
        }
        write!(f, " by {}", self.declarer)
    }
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// Pass, double or redouble.
    Other,
    /// All hands pass from here on.
    AllPass,
    Bid(u8, Strain),
}

impl Call {
    /// A call as LIN and PBN write it.
    pub(crate) fn read(text: &str) -> Option<Call> {
        let text = text.trim_end_matches(['!', '?']).to_ascii_uppercase();
        match text.as_str() {
            "P" | "PASS" | "D" | "DBL" | "X" | "R" | "RDBL" | "XX" => return Some(Call::Other),
            "AP" => return Some(Call::AllPass),
            _ => {}
        }
        let (level, strain) = text.split_at_checked(1)?;
        let level = level.parse().ok().filter(|level| (1..=7).contains(level))?;
        Some(Call::Bid(level, strain.parse().ok()?))
    }
}

/// The contract that calls come to, the first of which is the dealer's; none if nobody has bid.
pub(crate) fn contract(dealer: Seat, calls: &[Call]) -> Option<Contract> {
    let mut bids = calls.iter().enumerate().filter_map(|(at, call)| match call {
        Call::Bid(level, strain) => Some((dealer.plus(at), *level, *strain)),
        Call::Other | Call::AllPass => None,
    });
    let (last, level, strain) = bids.clone().next_back()?;
    // Who named the strain first for the side declares.
    let (declarer, ..) = bids.find(|(seat, _, of)| *of == strain && seat.side() == last.side())?;
    Some(Contract { level: Some(level), strain, declarer })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(dealer: Seat, calls: &str) -> Option<String> {
        let calls: Vec<_> = calls.split(' ').map(|call| Call::read(call).expect(call)).collect();
        contract(dealer, &calls).map(|contract| contract.to_string())
    }

    #[test]
    fn who_named_the_strain_first_declares() {
        assert_eq!(of(Seat::East, "1S P 2NT! P 3n p 4S AP").as_deref(), Some("4S by East"));
        assert_eq!(of(Seat::East, "P 1S 2S Pass 2N X XX P P P").as_deref(), Some("2NT by East"));
        assert_eq!(of(Seat::North, "1H 1S P 2S 3H P 4H D").as_deref(), Some("4H by North"));
        assert_eq!(of(Seat::North, "P P P P"), None);
        for text in ["", "8S", "0S", "S", "1", "1Z", "é", "PP"] {
            assert_eq!(Call::read(text), None, "{text}");
        }
    }
}
