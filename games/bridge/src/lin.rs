//! Deals and the cards played in LIN, the notation of Bridge Base Online.

use crate::auction::Call;
use crate::card::{Card, Seat, Suit};
use crate::cards::Cards;
use crate::deal::Deal;
use crate::par::Vulnerable;
use crate::pbn::{FormatError, read_suit};

/// What a LIN record tells of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinBoard {
    /// Who deals.
    pub dealer: Seat,
    /// The hands.
    pub deal: Deal,
    /// Who is vulnerable, if that is told.
    pub vulnerable: Option<Vulnerable>,
    /// The cards played, in their order.
    pub played: Vec<Card>,
}

/// LIN's order of seats, for dealers and hands.
const SEATS: [Seat; 4] = [Seat::South, Seat::West, Seat::North, Seat::East];

fn read_hand(seat: Seat, text: &str) -> Result<Cards, FormatError> {
    let mut cards = Cards::NONE;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let suit = Suit::of_letter(letter)
            .ok_or_else(|| FormatError::Word { found: rest.to_owned(), wanted: "a suit (S, H, D or C)" })?;
        let ranks = &rest[1..];
        let end = ranks.find(|letter: char| Suit::of_letter(letter).is_some()).unwrap_or(ranks.len());
        let more = read_suit(seat, suit, &ranks[..end])?;
        if let Some(card) = more.common(cards).iter().next() {
            return Err(FormatError::CardTwice { seat, card });
        }
        cards = cards.and(more);
        rest = &ranks[end..];
    }
    Ok(cards)
}

fn read_deal(text: &str) -> Result<(Seat, Deal), FormatError> {
    let wanted = "a dealer's number (1 to 4)";
    let digit = text.chars().next().and_then(|letter| letter.to_digit(10));
    let dealer = match digit {
        Some(number @ 1..=4) => SEATS[number as usize - 1],
        _ => return Err(FormatError::Word { found: text.chars().take(12).collect(), wanted }),
    };
    let texts: Vec<_> = text[1..].split(',').collect();
    if !(3..=4).contains(&texts.len()) {
        return Err(FormatError::Hands(texts.len()));
    }
    let mut hands = [Cards::NONE; 4];
    for (text, seat) in texts.iter().zip(SEATS) {
        hands[seat as usize] = read_hand(seat, text.trim())?;
    }
    // East's cards are often left out: they are the rest.
    if texts.len() == 3 || texts[3].trim().is_empty() {
        let others = hands.iter().fold(Cards::NONE, |all, hand| all.and(*hand));
        hands[Seat::East as usize] = Cards::PACK.minus(others);
    }
    Ok((dealer, Deal::new(hands)?))
}

/// A board of a LIN text with more than a [`LinBoard`] holds.
#[derive(Debug)]
pub(crate) struct LinRecord {
    pub(crate) board: LinBoard,
    /// The line of the deal, from 1.
    pub(crate) line: usize,
    pub(crate) calls: Vec<Call>,
    /// The lines of the cards played.
    pub(crate) card_lines: Vec<usize>,
}

/// The words of a LIN text with their lines: commands and values, in turns.
fn words(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut line = 1;
    text.split('|').map(move |word| {
        let before = word.len() - word.trim_start().len();
        let at = line + word[..before].matches('\n').count();
        line += word.matches('\n').count();
        (word.trim(), at)
    })
}

/// The boards of a LIN text; an error comes with its line.
pub(crate) fn read_lin_records(text: &str) -> Result<Vec<LinRecord>, (usize, FormatError)> {
    let mut records: Vec<LinRecord> = Vec::new();
    let mut vulnerable = None;
    let mut words = words(text);
    while let (Some((command, _)), Some((value, line))) = (words.next(), words.next()) {
        let wrong = |found: &str, wanted| (line, FormatError::Word { found: found.to_owned(), wanted });
        match command.to_ascii_lowercase().as_str() {
            "md" => {
                let (dealer, deal) = read_deal(value).map_err(|error| (line, error))?;
                let board = LinBoard { dealer, deal, vulnerable: vulnerable.take(), played: Vec::new() };
                records.push(LinRecord { board, line, calls: Vec::new(), card_lines: Vec::new() });
            }
            "sv" => {
                let of = match value.to_ascii_lowercase().as_str() {
                    "o" | "0" | "" => Vulnerable::None,
                    "n" => Vulnerable::NorthSouth,
                    "e" => Vulnerable::EastWest,
                    "b" => Vulnerable::Both,
                    _ => return Err(wrong(value, "o, n, e or b after sv")),
                };
                let last = records.last_mut().map(|record| &mut record.board);
                match last.filter(|board| board.vulnerable.is_none() && board.played.is_empty()) {
                    Some(board) => board.vulnerable = Some(of),
                    None => vulnerable = Some(of),
                }
            }
            "mb" => {
                if let Some(record) = records.last_mut() {
                    record.calls.push(Call::read(value).ok_or_else(|| wrong(value, "a call after mb"))?);
                }
            }
            "pc" => {
                let card = value.parse().map_err(|_| wrong(value, "a card after pc"))?;
                let record =
                    records.last_mut().ok_or_else(|| wrong(&format!("pc|{value}"), "a deal (md)"))?;
                record.board.played.push(card);
                record.card_lines.push(line);
            }
            _ => {}
        }
    }
    if records.is_empty() {
        return Err((1, FormatError::Empty));
    }
    Ok(records)
}

/// The boards of a LIN text.
///
/// # Errors
/// If a deal or a card cannot be read, or cards are played before there is a deal. In a text of several lines the error names the line.
pub fn read_lin(text: &str) -> Result<Vec<LinBoard>, FormatError> {
    let records = read_lin_records(text).map_err(|(line, error)| match error {
        error if text.trim_end().contains('\n') => FormatError::Line { line, error: Box::new(error) },
        error => error,
    })?;
    Ok(records.into_iter().map(|record| record.board).collect())
}

/// A board as LIN.
#[must_use]
pub fn write_lin(board: &LinBoard) -> String {
    let number = SEATS.iter().position(|&seat| seat == board.dealer).map_or(1, |at| at + 1);
    let hands = SEATS.map(|seat| {
        let hand = board.deal.hand(seat);
        let suit = |suit: Suit| {
            let ranks: String = hand.of_suit(suit).iter().map(|card| card.rank().letter()).collect();
            format!("{}{ranks}", suit.letter())
        };
        Suit::ALL.map(suit).concat()
    });
    let mut text = format!("md|{number}{}|", hands.join(","));
    if let Some(vulnerable) = board.vulnerable {
        text.push_str(match vulnerable {
            Vulnerable::None => "sv|o|",
            Vulnerable::NorthSouth => "sv|n|",
            Vulnerable::EastWest => "sv|e|",
            Vulnerable::Both => "sv|b|",
        });
    }
    for card in &board.played {
        text.push_str(&format!("pc|{card}|"));
    }
    text
}
