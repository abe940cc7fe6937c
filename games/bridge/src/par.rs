//! Par: the score when both sides bid as well as they play.

use std::fmt;
use std::str::FromStr;

use crate::card::{Partnership, Seat, Strain};
use crate::table::TrickTable;

/// Who is vulnerable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vulnerable {
    /// Nobody.
    None,
    /// North and South.
    NorthSouth,
    /// East and West.
    EastWest,
    /// Everybody.
    Both,
}

impl Vulnerable {
    /// All four.
    pub const ALL: [Vulnerable; 4] =
        [Vulnerable::None, Vulnerable::NorthSouth, Vulnerable::EastWest, Vulnerable::Both];

    /// Whether it names `side`.
    #[must_use]
    pub fn includes(self, side: Partnership) -> bool {
        match self {
            Vulnerable::None => false,
            Vulnerable::NorthSouth => side == Partnership::NorthSouth,
            Vulnerable::EastWest => side == Partnership::EastWest,
            Vulnerable::Both => true,
        }
    }
}

impl fmt::Display for Vulnerable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(["none", "ns", "ew", "both"][*self as usize])
    }
}

/// Not a vulnerability.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown vulnerability \"{0}\": none, ns, ew or both is wanted")]
pub struct UnknownVulnerable(String);

impl FromStr for Vulnerable {
    type Err = UnknownVulnerable;

    fn from_str(text: &str) -> Result<Self, UnknownVulnerable> {
        match text.to_ascii_lowercase().as_str() {
            "none" | "-" | "love" => Ok(Vulnerable::None),
            "ns" => Ok(Vulnerable::NorthSouth),
            "ew" => Ok(Vulnerable::EastWest),
            "both" | "all" => Ok(Vulnerable::Both),
            _ => Err(UnknownVulnerable(text.to_owned())),
        }
    }
}

/// A contract that reaches par.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParContract {
    /// The level, 1 to 7.
    pub level: u8,
    /// The strain.
    pub strain: Strain,
    /// Whether it is doubled: it is if it goes down.
    pub doubled: bool,
    /// Who plays it.
    pub declarer: Seat,
    /// The tricks that the declarer takes.
    pub tricks: u8,
}

impl fmt::Display for ParContract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.level, self.strain, if self.doubled { "x" } else { "" })
    }
}

/// The score of par, and what is bid for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Par {
    /// What North and South score.
    pub score: i32,
    /// All contracts that reach it, the lowest first; none if everybody passes.
    pub contracts: Vec<ParContract>,
}

/// Strains as they are bid, the lowest first.
const LADDER: [Strain; 5] =
    [Strain::Clubs, Strain::Diamonds, Strain::Hearts, Strain::Spades, Strain::NoTrump];
const CALLS: usize = 35;

/// What the declarer's side scores in a contract that is doubled if it goes down.
///
/// `level` is 1 to 7, `tricks` 0 to 13.
#[must_use]
pub fn score(level: u8, strain: Strain, tricks: u8, vulnerable: bool) -> i32 {
    let (level, tricks) = (i32::from(level), i32::from(tricks));
    let over = tricks - level - 6;
    if over < 0 {
        let down = -over;
        return if vulnerable {
            100 - 300 * down
        } else if down <= 3 {
            100 - 200 * down
        } else {
            400 - 300 * down
        };
    }
    let (first, each) = match strain {
        Strain::NoTrump => (40, 30),
        Strain::Spades | Strain::Hearts => (30, 30),
        Strain::Diamonds | Strain::Clubs => (20, 20),
    };
    let bid = first + (level - 1) * each;
    let game = match (bid >= 100, vulnerable) {
        (true, true) => 500,
        (true, false) => 300,
        (false, _) => 50,
    };
    let slam = match (level, vulnerable) {
        (6, true) => 750,
        (6, false) => 500,
        (7, true) => 1500,
        (7, false) => 1000,
        _ => 0,
    };
    bid + over * each + game + slam
}

/// Par if `opener`'s side may bid first.
///
/// The auction is played to the end by both sides: who is left with a contract is doubled if it goes down, and who has nothing better to
/// bid passes.
#[must_use]
pub fn par(table: &TrickTable, vulnerable: Vulnerable, opener: Partnership) -> Par {
    // What North and South score if a side's call, bid by its better seat, is passed out.
    let seats = |side: Partnership| Seat::ALL.into_iter().filter(move |seat| seat.side() == side);
    let tricks = |call: usize, seat: Seat| table.tricks(LADDER[call % 5], seat);
    let level = |call: usize| call as u8 / 5 + 1;
    let of = |call: usize, seat: Seat| {
        let score =
            score(level(call), LADDER[call % 5], tricks(call, seat), vulnerable.includes(seat.side()));
        if seat.side() == Partnership::NorthSouth { score } else { -score }
    };
    let better = |side: Partnership, one: i32, other: i32| match side {
        Partnership::NorthSouth => one.max(other),
        Partnership::EastWest => one.min(other),
    };
    let passed_out = |call: usize, side: Partnership| {
        seats(side).map(|seat| of(call, seat)).reduce(|one, other| better(side, one, other)).unwrap_or(0)
    };
    // What comes of the auction when a side has bid a call and the other side is to speak.
    let sides = [Partnership::NorthSouth, Partnership::EastWest];
    let mut outcome = [[0; 2]; CALLS];
    for call in (0..CALLS).rev() {
        for side in sides {
            let other = side.opponents();
            let pass = passed_out(call, side);
            let bids = (call + 1..CALLS).map(|higher| outcome[higher][other as usize]);
            outcome[call][side as usize] = bids.fold(pass, |one, bid| better(other, one, bid));
        }
    }
    let best_bid = |side: Partnership, pass: i32| {
        (0..CALLS).map(|call| outcome[call][side as usize]).fold(pass, |one, bid| better(side, one, bid))
    };
    let score = best_bid(opener, best_bid(opener.opponents(), 0));
    let mut contracts = Vec::new();
    for call in 0..CALLS {
        for side in sides {
            // Nobody is content with a contract over which the other side has something better, even if it will not be left to play that.
            let other = side.opponents();
            let tempts = |higher: usize| better(other, passed_out(higher, other), score) != score;
            if score == 0 || outcome[call][side as usize] != score || (call + 1..CALLS).any(tempts) {
                continue;
            }
            for declarer in seats(side).filter(|&seat| of(call, seat) == score) {
                let tricks = tricks(call, declarer);
                let doubled = tricks < level(call) + 6;
                contracts.push(ParContract {
                    level: level(call),
                    strain: LADDER[call % 5],
                    doubled,
                    declarer,
                    tricks,
                });
            }
        }
    }
    Par { score, contracts }
}

/// Par if `dealer` is the first to speak.
///
/// Who speaks first matters only if both sides can make the same highest contract: then the seat that comes first of those that make it
/// has it for its side, and the other side has to go higher.
#[must_use]
pub fn dealer_par(table: &TrickTable, vulnerable: Vulnerable, dealer: Seat) -> Par {
    let makes = |call: usize, seat: Seat| usize::from(table.tricks(LADDER[call % 5], seat)) >= call / 5 + 7;
    let highest = (0..CALLS).rev().find(|&call| Seat::ALL.into_iter().any(|seat| makes(call, seat)));
    let first =
        highest.and_then(|call| (0..4).map(|places| dealer.plus(places)).find(|&seat| makes(call, seat)));
    par(table, vulnerable, first.unwrap_or(dealer).side())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_laws() {
        assert_eq!(score(1, Strain::NoTrump, 7, false), 90);
        assert_eq!(score(3, Strain::NoTrump, 9, true), 600);
        assert_eq!(score(4, Strain::Spades, 11, false), 450);
        assert_eq!(score(5, Strain::Clubs, 11, false), 400);
        assert_eq!(score(6, Strain::Hearts, 12, true), 1430);
        assert_eq!(score(7, Strain::NoTrump, 13, true), 2220);
        assert_eq!(score(2, Strain::Diamonds, 8, false), 90);
        let down = |tricks, vulnerable| score(4, Strain::Spades, tricks, vulnerable);
        assert_eq!([9, 8, 7, 6].map(|tricks| down(tricks, false)), [-100, -300, -500, -800]);
        assert_eq!([9, 8, 7, 6].map(|tricks| down(tricks, true)), [-200, -500, -800, -1100]);
    }
}
