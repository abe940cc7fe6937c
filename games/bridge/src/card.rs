//! Cards, suits, strains and seats.

use std::fmt;
use std::str::FromStr;

/// A suit, in the order in which bridge players write hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Suit {
    /// Spades.
    Spades,
    /// Hearts.
    Hearts,
    /// Diamonds.
    Diamonds,
    /// Clubs.
    Clubs,
}

impl Suit {
    /// All four, spades first.
    pub const ALL: [Suit; 4] = [Suit::Spades, Suit::Hearts, Suit::Diamonds, Suit::Clubs];

    /// The letter that stands for it.
    #[must_use]
    pub fn letter(self) -> char {
        ['S', 'H', 'D', 'C'][self as usize]
    }

    /// The suit of a letter, in either case.
    #[must_use]
    pub fn of_letter(letter: char) -> Option<Suit> {
        Suit::ALL.into_iter().find(|suit| suit.letter() == letter.to_ascii_uppercase())
    }

    pub(crate) fn of_index(index: u8) -> Suit {
        Suit::ALL[usize::from(index & 3)]
    }
}

impl fmt::Display for Suit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(["spades", "hearts", "diamonds", "clubs"][*self as usize])
    }
}

/// What is trump: a suit or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strain {
    /// Spades are trumps.
    Spades,
    /// Hearts are trumps.
    Hearts,
    /// Diamonds are trumps.
    Diamonds,
    /// Clubs are trumps.
    Clubs,
    /// There are no trumps.
    NoTrump,
}

impl Strain {
    /// All five, in the order of the columns of double-dummy tables: spades, hearts, diamonds, clubs, no trump.
    pub const ALL: [Strain; 5] =
        [Strain::Spades, Strain::Hearts, Strain::Diamonds, Strain::Clubs, Strain::NoTrump];

    /// The trump suit; none at no trump.
    #[must_use]
    pub fn suit(self) -> Option<Suit> {
        Suit::ALL.get(self as usize).copied()
    }

    /// Its letter or letters: S, H, D, C, NT.
    #[must_use]
    pub fn letters(self) -> &'static str {
        ["S", "H", "D", "C", "NT"][self as usize]
    }
}

impl fmt::Display for Strain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.letters())
    }
}

impl FromStr for Strain {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match text.to_ascii_uppercase().as_str() {
            "S" | "SPADES" => Ok(Strain::Spades),
            "H" | "HEARTS" => Ok(Strain::Hearts),
            "D" | "DIAMONDS" => Ok(Strain::Diamonds),
            "C" | "CLUBS" => Ok(Strain::Clubs),
            "N" | "NT" | "NOTRUMP" => Ok(Strain::NoTrump),
            _ => Err(NameError::Strain(text.to_owned())),
        }
    }
}

/// Which side a seat plays for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Partnership {
    /// North and South: the search's Max.
    NorthSouth,
    /// East and West: the search's Min.
    EastWest,
}

impl Partnership {
    /// The other side.
    #[must_use]
    pub fn opponents(self) -> Partnership {
        match self {
            Partnership::NorthSouth => Partnership::EastWest,
            Partnership::EastWest => Partnership::NorthSouth,
        }
    }
}

impl fmt::Display for Partnership {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(["NS", "EW"][*self as usize])
    }
}

/// A seat at the table, clockwise from North.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Seat {
    /// North.
    North,
    /// East, who plays after North.
    East,
    /// South.
    South,
    /// West.
    West,
}

impl Seat {
    /// All four, clockwise from North.
    pub const ALL: [Seat; 4] = [Seat::North, Seat::East, Seat::South, Seat::West];

    /// The seat so many places on, clockwise.
    #[must_use]
    pub fn plus(self, places: usize) -> Seat {
        Seat::ALL[(self as usize + places) % 4]
    }

    /// Left-hand opponent: who plays next.
    #[must_use]
    pub fn next(self) -> Seat {
        self.plus(1)
    }

    /// The seat opposite.
    #[must_use]
    pub fn partner(self) -> Seat {
        self.plus(2)
    }

    /// The side it plays for.
    #[must_use]
    pub fn side(self) -> Partnership {
        if (self as usize).is_multiple_of(2) { Partnership::NorthSouth } else { Partnership::EastWest }
    }

    /// The letter that stands for it.
    #[must_use]
    pub fn letter(self) -> char {
        ['N', 'E', 'S', 'W'][self as usize]
    }

    /// The seat of a letter, in either case.
    #[must_use]
    pub fn of_letter(letter: char) -> Option<Seat> {
        Seat::ALL.into_iter().find(|seat| seat.letter() == letter.to_ascii_uppercase())
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(["North", "East", "South", "West"][*self as usize])
    }
}

impl FromStr for Seat {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let of_name = |seat: &Seat| seat.to_string().eq_ignore_ascii_case(text);
        let of_letter = || {
            let mut letters = text.chars();
            Seat::of_letter(letters.next()?).filter(|_| letters.next().is_none())
        };
        Seat::ALL.into_iter().find(of_name).or_else(of_letter).ok_or_else(|| NameError::Seat(text.to_owned()))
    }
}

/// The letters of the ranks, from the ace down.
const RANKS: &[u8; 13] = b"AKQJT98765432";

/// A rank, from the ace down to the deuce.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rank(u8);

impl Rank {
    /// All thirteen, the ace first.
    pub const ALL: [Rank; 13] = {
        let mut all = [Rank(0); 13];
        let mut index = 0;
        while index < 13 {
            all[index] = Rank(index as u8);
            index += 1;
        }
        all
    };

    /// Its letter: A, K, Q, J, T, 9 to 2.
    #[must_use]
    pub fn letter(self) -> char {
        char::from(RANKS[usize::from(self.0)])
    }

    /// The rank of a letter, in either case.
    #[must_use]
    pub fn of_letter(letter: char) -> Option<Rank> {
        let letter = letter.to_ascii_uppercase();
        Rank::ALL.into_iter().find(|rank| rank.letter() == letter)
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Write::write_char(f, self.letter())
    }
}

impl fmt::Debug for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A card.
///
/// Cards are ordered as hands are written: spades first, in each suit from the ace down.
///
/// ```
/// use dts_bridge::{Card, Rank, Suit};
///
/// let card: Card = "HT".parse()?;
/// assert_eq!(card.suit(), Suit::Hearts);
/// assert_eq!("h10".parse::<Card>()?, card);
/// assert!(card < "H9".parse()? && card < "DA".parse()?);
/// # Ok::<(), dts_bridge::NameError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Card(u8);

impl Card {
    /// The card of a suit and a rank.
    #[must_use]
    pub fn new(suit: Suit, rank: Rank) -> Card {
        Card((suit as u8) << 4 | rank.0)
    }

    /// Its suit.
    #[must_use]
    pub fn suit(self) -> Suit {
        Suit::of_index(self.0 >> 4)
    }

    /// Its rank.
    #[must_use]
    pub fn rank(self) -> Rank {
        Rank(self.0 & 15)
    }

    /// Where it stands in a set of cards: 16 places a suit, the ace first.
    #[inline(always)]
    pub(crate) fn index(self) -> u8 {
        self.0
    }

    /// The card at a place; the caller knows that there is one.
    #[inline(always)]
    pub(crate) fn at(index: u8) -> Card {
        debug_assert!(index < 64 && index & 15 < 13, "no card has the place {index}");
        Card(index)
    }

    #[inline(always)]
    pub(crate) fn bit(self) -> u64 {
        1 << self.0
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.suit().letter(), self.rank())
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Card {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let error = || NameError::Card(text.to_owned());
        let mut letters = text.chars();
        let suit = letters.next().and_then(Suit::of_letter).ok_or_else(error)?;
        let rank = match letters.as_str() {
            "10" => Rank::of_letter('T'),
            one if one.chars().count() == 1 => one.chars().next().and_then(Rank::of_letter),
            _ => None,
        };
        Ok(Card::new(suit, rank.ok_or_else(error)?))
    }
}

/// Cards one after the other, with or without blanks or commas between them: `SK H4`, `SKH10`.
///
/// # Errors
/// If something is no card.
pub fn read_cards(text: &str) -> Result<Vec<Card>, NameError> {
    let mut cards = Vec::new();
    for word in text.split(|letter: char| letter.is_whitespace() || letter == ',') {
        let mut letters = word.chars().peekable();
        while let Some(suit) = letters.next() {
            let mut card = String::from(suit);
            if let Some(rank) = letters.next() {
                card.push(rank);
                card.extend(letters.next_if(|&zero| rank == '1' && zero == '0'));
            }
            cards.push(card.parse()?);
        }
    }
    Ok(cards)
}

/// A name that means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Not a strain.
    #[error("unknown strain \"{0}\": S, H, D, C or NT is wanted")]
    Strain(String),
    /// Not a seat.
    #[error("unknown seat \"{0}\": N, E, S or W is wanted")]
    Seat(String),
    /// Not a card.
    #[error(
        "unknown card \"{0}\": a suit (S, H, D, C) and a rank (A, K, Q, J, T, 9 to 2) are wanted, as in HT"
    )]
    Card(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for suit in Suit::ALL {
            for rank in Rank::ALL {
                let card = Card::new(suit, rank);
                assert_eq!((card.suit(), card.rank()), (suit, rank));
                assert_eq!(card.to_string().parse(), Ok(card));
                assert_eq!(card.to_string().to_lowercase().parse(), Ok(card));
            }
        }
        for strain in Strain::ALL {
            assert_eq!(strain.to_string().parse(), Ok(strain));
        }
        for seat in Seat::ALL {
            assert_eq!(seat.to_string().parse(), Ok(seat));
            assert_eq!(seat.letter().to_string().parse(), Ok(seat));
        }
        assert_eq!("n".parse(), Ok(Strain::NoTrump));
    }

    #[test]
    fn cards_stand_one_after_the_other() {
        let cards = |text: &str| read_cards(text).map(|cards| format!("{cards:?}"));
        for text in ["SK H10 d2", " skHT,D2 ", "SKH10D2", "SK,HT,D2,"] {
            assert_eq!(cards(text).as_deref(), Ok("[SK, HT, D2]"), "{text}");
        }
        assert_eq!(cards("  "), Ok("[]".to_owned()));
        for (text, wrong) in
            [("SK H", "H"), ("SKX1", "X1"), ("♠K", "♠K"), ("S♠", "S♠"), ("SK-H4", "-H"), ("é", "é")]
        {
            assert_eq!(read_cards(text), Err(NameError::Card(wrong.to_owned())), "{text}");
        }
    }

    #[test]
    fn names_that_mean_nothing_are_errors() {
        for text in ["", "S", "S1", "S100", "XA", "SAA", "10S", "♠A", "S♠"] {
            assert_eq!(text.parse::<Card>(), Err(NameError::Card(text.to_owned())));
        }
        assert!("NN".parse::<Seat>().is_err() && "".parse::<Seat>().is_err());
        assert!("no".parse::<Strain>().is_err());
    }
}
