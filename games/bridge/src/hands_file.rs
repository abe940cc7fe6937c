//! The hands files of the DDS library's test program.
//!
//! A board begins with a line `PBN dealer vulnerable trump first "deal"`, where seats count from North, vulnerability is 0 for none,
//! 1 for both, 2 for NS and 3 for EW, and suits count spades, hearts, diamonds, clubs, no trump. Lines with results may follow; of these
//! only `PLAY` is read here.

use crate::card::{Card, NameError, Seat, Strain, read_cards};
use crate::deal::Deal;
use crate::par::Vulnerable;
use crate::pbn::FormatError;

/// What a hands file tells of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandsFileBoard {
    /// Who deals.
    pub dealer: Seat,
    /// Who is vulnerable.
    pub vulnerable: Vulnerable,
    /// What is trump.
    pub strain: Strain,
    /// Who leads.
    pub leader: Seat,
    /// The hands.
    pub deal: Deal,
    /// The cards played, in their order.
    pub played: Vec<Card>,
}

const VULNERABLE: [Vulnerable; 4] =
    [Vulnerable::None, Vulnerable::Both, Vulnerable::NorthSouth, Vulnerable::EastWest];

fn number<T: Copy>(word: Option<&str>, of: &[T], wanted: &'static str) -> Result<T, FormatError> {
    let found = word.unwrap_or("").to_owned();
    found
        .parse::<usize>()
        .ok()
        .and_then(|number| of.get(number).copied())
        .ok_or(FormatError::Word { found, wanted })
}

fn read_board(text: &str) -> Result<HandsFileBoard, FormatError> {
    let (numbers, deal) = text.split_once('"').ok_or_else(|| FormatError::Word {
        found: text.to_owned(),
        wanted: "a deal between quotation marks",
    })?;
    let mut words = numbers.split_whitespace();
    Ok(HandsFileBoard {
        dealer: number(words.next(), &Seat::ALL, "the dealer (0 to 3)")?,
        vulnerable: number(words.next(), &VULNERABLE, "the vulnerability (0 to 3)")?,
        strain: number(words.next(), &Strain::ALL, "the trumps (0 to 4)")?,
        leader: number(words.next(), &Seat::ALL, "the leader (0 to 3)")?,
        deal: deal.trim().trim_end_matches('"').parse()?,
        played: Vec::new(),
    })
}

fn read_play(text: &str) -> Result<Vec<Card>, FormatError> {
    let wanted = "cards between quotation marks";
    let cards = text.split('"').nth(1).ok_or_else(|| FormatError::Word { found: text.to_owned(), wanted })?;
    read_cards(cards).map_err(|error| match error {
        NameError::Card(found) => FormatError::Word { found, wanted: "a card" },
        error => FormatError::Word { found: error.to_string(), wanted: "a card" },
    })
}

/// The boards of a hands file.
///
/// # Errors
/// If a board or a play cannot be read; the message names the line.
pub fn read_hands_file(text: &str) -> Result<Vec<HandsFileBoard>, FormatError> {
    Ok(read_hands_lines(text)?.into_iter().map(|(_, board, _)| board).collect())
}

/// The same, with the lines of the boards and of their plays.
pub(crate) fn read_hands_lines(text: &str) -> Result<Vec<(usize, HandsFileBoard, usize)>, FormatError> {
    let mut boards: Vec<(usize, HandsFileBoard, usize)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let in_line = |error| FormatError::Line { line: at + 1, error: Box::new(error) };
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("PBN ") {
            boards.push((at + 1, read_board(rest).map_err(in_line)?, at + 1));
        } else if let (Some(rest), Some((_, board, play_line))) =
            (line.strip_prefix("PLAY "), boards.last_mut())
        {
            board.played = read_play(rest).map_err(in_line)?;
            *play_line = at + 1;
        }
    }
    if boards.is_empty() {
        return Err(FormatError::Empty);
    }
    Ok(boards)
}

/// Boards as a hands file.
#[must_use]
pub fn write_hands_file(boards: &[HandsFileBoard]) -> String {
    let mut text = format!("NUMBER {}\n", boards.len());
    for board in boards {
        let vulnerable = VULNERABLE.iter().position(|&of| of == board.vulnerable).unwrap_or(0);
        let (dealer, strain, leader) = (board.dealer as u8, board.strain as u8, board.leader as u8);
        text.push_str(&format!("PBN {dealer} {vulnerable} {strain} {leader} \"{}\"\n", board.deal));
        if !board.played.is_empty() {
            let cards: String = board.played.iter().map(Card::to_string).collect();
            text.push_str(&format!("PLAY {} \"{cards}\"\n", board.played.len()));
        }
    }
    text
}
