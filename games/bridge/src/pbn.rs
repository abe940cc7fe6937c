//! Deals in PBN, the Portable Bridge Notation, and its tags.

use std::str::FromStr;

use crate::card::{Card, Rank, Seat, Suit};
use crate::cards::Cards;
use crate::deal::{Deal, DealError, many};

/// Why a text is no deal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// There is nothing.
    #[error("there is no deal: PBN, LIN or a DDS hands file is wanted")]
    Empty,
    /// The text does not say whose hand comes first.
    #[error("a deal begins with the seat of its first hand, as in \"N:\": \"{0}\" does not")]
    NoFirstSeat(String),
    /// Not four hands.
    #[error("a deal has four hands with a blank between them, this one has {0}")]
    Hands(usize),
    /// A hand without three points.
    #[error(
        "{seat}'s hand \"{text}\" has {suits} {}: four are wanted, with a point between them",
        many(*.suits, "suit", "suits")
    )]
    Suits {
        /// Whose hand.
        seat: Seat,
        /// What stands there.
        text: String,
        /// How many suits it has.
        suits: usize,
    },
    /// An unknown rank.
    #[error("unknown rank '{letter}' in {seat}'s {suit}: A, K, Q, J, T (or 10) and 9 to 2 are ranks")]
    Rank {
        /// Whose hand.
        seat: Seat,
        /// In which suit.
        suit: Suit,
        /// What stands there.
        letter: char,
    },
    /// A card twice in one hand.
    #[error("{seat} holds {card} twice: each card is wanted once")]
    CardTwice {
        /// Whose hand.
        seat: Seat,
        /// The card.
        card: Card,
    },
    /// Something that should be a word of the format.
    #[error("\"{found}\" stands where {wanted} is wanted")]
    Word {
        /// What stands there.
        found: String,
        /// What should.
        wanted: &'static str,
    },
    /// The hands do not fit together.
    #[error(transparent)]
    Deal(#[from] DealError),
    /// An error in a text of several lines.
    #[error("line {line}: {error}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        error: Box<FormatError>,
    },
}

/// The cards of one suit of a hand, from ranks as they are written.
pub(crate) fn read_suit(seat: Seat, suit: Suit, text: &str) -> Result<Cards, FormatError> {
    let mut cards = Cards::NONE;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let ten = letter == '1' && letters.next_if_eq(&'0').is_some();
        let rank = Rank::of_letter(if ten { 'T' } else { letter }).ok_or(FormatError::Rank {
            seat,
            suit,
            letter,
        })?;
        let card = Card::new(suit, rank);
        if cards.contains(card) {
            return Err(FormatError::CardTwice { seat, card });
        }
        cards = cards.with(card);
    }
    Ok(cards)
}

fn read_hand(seat: Seat, text: &str) -> Result<Cards, FormatError> {
    let suits: Vec<_> = text.split('.').collect();
    if suits.len() != 4 {
        return Err(FormatError::Suits { seat, text: text.to_owned(), suits: suits.len() });
    }
    suits
        .iter()
        .zip(Suit::ALL)
        .try_fold(Cards::NONE, |cards, (text, suit)| Ok(cards.and(read_suit(seat, suit, text)?)))
}

impl FromStr for Deal {
    type Err = FormatError;

    /// Reads a PBN deal: the seat of the first hand, a colon, and four hands clockwise.
    ///
    /// ```
    /// use dts_bridge::{Deal, Seat};
    ///
    /// let deal: Deal = "E:32... A10... KQ... J9...".parse()?;
    /// assert_eq!(deal.to_string(), "N:J9... 32... AT... KQ...");
    /// assert_eq!(deal.tricks()?, 2);
    /// # Ok::<(), dts_bridge::FormatError>(())
    /// ```
    fn from_str(text: &str) -> Result<Deal, FormatError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(FormatError::Empty);
        }
        let no_seat = || FormatError::NoFirstSeat(text.chars().take(12).collect());
        let (first, hands) = text.split_once(':').ok_or_else(no_seat)?;
        let first: Seat = first.trim().parse().map_err(|_| no_seat())?;
        let texts: Vec<_> = hands.split_whitespace().collect();
        if texts.len() != 4 {
            return Err(FormatError::Hands(texts.len()));
        }
        let mut hands = [Cards::NONE; 4];
        for (at, text) in texts.into_iter().enumerate() {
            let seat = first.plus(at);
            hands[seat as usize] = read_hand(seat, text)?;
        }
        Ok(Deal::new(hands)?)
    }
}

/// The deals of a PBN file: the values of its `Deal` tags.
///
/// # Errors
/// If one of them is no deal; the message names the line.
pub fn read_pbn(text: &str) -> Result<Vec<Deal>, FormatError> {
    let mut deals = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let Some(tag) = line.trim().strip_prefix('[') else { continue };
        let Some((name, value)) = tag.split_once(char::is_whitespace) else { continue };
        if name.eq_ignore_ascii_case("Deal") {
            let value = value.trim().trim_end_matches(']').trim().trim_matches('"');
            let deal =
                value.parse().map_err(|error| FormatError::Line { line: at + 1, error: Box::new(error) })?;
            deals.push(deal);
        }
    }
    Ok(deals)
}

/// A deal as the tag of a PBN file.
#[must_use]
pub fn write_pbn(deal: &Deal) -> String {
    format!("[Deal \"{deal}\"]")
}
