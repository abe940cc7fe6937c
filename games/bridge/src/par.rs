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

/// The bidding of two sides that know all cards: who is left with a contract is doubled if it goes down, and who has nothing better to bid
/// passes.
struct Bidding<'t> {
    table: &'t TrickTable,
    vulnerable: Vulnerable,
    /// What NS score when a side has bid a call and the other side is to speak.
    outcome: [[i32; 2]; CALLS],
}

fn level(call: usize) -> u8 {
    call as u8 / 5 + 1
}

/// What a side likes better of what NS score.
fn better(side: Partnership, one: i32, other: i32) -> i32 {
    match side {
        Partnership::NorthSouth => one.max(other),
        Partnership::EastWest => one.min(other),
    }
}

fn seats(side: Partnership) -> impl Iterator<Item = Seat> {
    Seat::ALL.into_iter().filter(move |seat| seat.side() == side)
}

impl<'t> Bidding<'t> {
    const SIDES: [Partnership; 2] = [Partnership::NorthSouth, Partnership::EastWest];

    fn new(table: &'t TrickTable, vulnerable: Vulnerable) -> Self {
        let mut bidding = Bidding { table, vulnerable, outcome: [[0; 2]; CALLS] };
        for call in (0..CALLS).rev() {
            for side in Self::SIDES {
                bidding.outcome[call][side as usize] =
                    bidding.after(call, side, bidding.passed_out(call, side));
            }
        }
        bidding
    }

    fn tricks(&self, call: usize, seat: Seat) -> u8 {
        self.table.tricks(LADDER[call % 5], seat)
    }

    /// What NS score if a seat plays a call.
    fn played(&self, call: usize, seat: Seat) -> i32 {
        let vulnerable = self.vulnerable.includes(seat.side());
        let score = score(level(call), LADDER[call % 5], self.tricks(call, seat), vulnerable);
        if seat.side() == Partnership::NorthSouth { score } else { -score }
    }

    /// The same if a side's better seat plays it.
    fn passed_out(&self, call: usize, side: Partnership) -> i32 {
        seats(side)
            .map(|seat| self.played(call, seat))
            .reduce(|one, other| better(side, one, other))
            .unwrap_or(0)
    }

    /// What comes of a call if passing it out comes to `pass`: the other side may bid higher.
    fn after(&self, call: usize, side: Partnership, pass: i32) -> i32 {
        let other = side.opponents();
        let bids = (call + 1..CALLS).map(|higher| self.outcome[higher][other as usize]);
        bids.fold(pass, |one, bid| better(other, one, bid))
    }

    /// What a side gets by its best first bid, or else by passing.
    fn first_bid(&self, side: Partnership, pass: i32) -> i32 {
        (0..CALLS).map(|call| self.outcome[call][side as usize]).fold(pass, |one, bid| better(side, one, bid))
    }

    fn score(&self, opener: Partnership) -> i32 {
        self.first_bid(opener, self.first_bid(opener.opponents(), 0))
    }

    /// Whether a seat's own first bid may come to `score`.
    fn may_open_for(&self, score: i32, seat: Seat) -> bool {
        (0..CALLS).any(|call| self.after(call, seat.side(), self.played(call, seat)) == score)
    }

    fn contracts(&self, score: i32) -> Vec<ParContract> {
        let mut contracts = Vec::new();
        for call in 0..CALLS {
            for side in Self::SIDES {
                // Nobody is content with a contract over which the other side has something better, even if it will not be left to play
                // that.
                let other = side.opponents();
                let tempts = |higher: usize| better(other, self.passed_out(higher, other), score) != score;
                if score == 0 || self.outcome[call][side as usize] != score || (call + 1..CALLS).any(tempts) {
                    continue;
                }
                for declarer in seats(side).filter(|&seat| self.played(call, seat) == score) {
                    let tricks = self.tricks(call, declarer);
                    let doubled = tricks < level(call) + 6;
                    let (level, strain) = (level(call), LADDER[call % 5]);
                    contracts.push(ParContract { level, strain, doubled, declarer, tricks });
                }
            }
        }
        contracts
    }
}

/// Par if `opener`'s side may bid first.
///
/// The auction is played to the end by both sides: who is left with a contract is doubled if it goes down, and who has nothing better to
/// bid passes.
#[must_use]
pub fn par(table: &TrickTable, vulnerable: Vulnerable, opener: Partnership) -> Par {
    let bidding = Bidding::new(table, vulnerable);
    let score = bidding.score(opener);
    Par { score, contracts: bidding.contracts(score) }
}

/// Par if `dealer` is the first to speak.
///
/// Who speaks first matters only if both sides want to be the first with the same call: because both can make it and nothing higher, or
/// because it pays to bid it, as a sacrifice, before the other side does. Then it belongs to the hand that comes first of those that
/// gain by it.
#[must_use]
pub fn dealer_par(table: &TrickTable, vulnerable: Vulnerable, dealer: Seat) -> Par {
    let bidding = Bidding::new(table, vulnerable);
    let opener = if bidding.score(Partnership::NorthSouth) == bidding.score(Partnership::EastWest) {
        dealer
    } else {
        let gains = |seat: &Seat| bidding.may_open_for(bidding.score(seat.side()), *seat);
        (0..4).map(|places| dealer.plus(places)).find(gains).unwrap_or(dealer)
    };
    let score = bidding.score(opener.side());
    Par { score, contracts: bidding.contracts(score) }
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
