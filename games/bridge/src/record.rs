//! What a text tells of boards, whatever its form: deals one a line, PBN games, LIN, hands files.

use crate::auction::{Contract, contract};
use crate::batch::Play;
use crate::card::{Card, Seat, Strain};
use crate::deal::{Deal, DealError, Situation};
use crate::hands_file::read_hands_lines;
use crate::lin::read_lin_records;
use crate::par::Vulnerable;
use crate::pbn::FormatError;
use crate::pbn_game::read_games;

/// A board as a record tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The line on which its deal stands, from 1.
    pub line: usize,
    /// The hands.
    pub deal: Deal,
    /// Who deals, if that is told.
    pub dealer: Option<Seat>,
    /// Who is vulnerable, if that is told.
    pub vulnerable: Option<Vulnerable>,
    /// What is played, if that is told.
    pub contract: Option<Contract>,
    pub(crate) cards: PlayedCards,
}

/// The cards of a record, each with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlayedCards {
    /// As they were played.
    InOrder(Vec<(Card, usize)>),
    /// A row of four a trick, as PBN has them: by seat, whoever leads. The first column is that of the opening leader.
    ByTrick { leader: Option<Seat>, cells: Vec<(Option<Card>, usize)> },
}

impl PlayedCards {
    pub(crate) const NONE: PlayedCards = PlayedCards::InOrder(Vec::new());
}

/// Why a record has no play that could be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The hands are no deal.
    #[error("line {line}: {error}")]
    Deal {
        /// The line of the deal.
        line: usize,
        /// What is wrong with it.
        error: DealError,
    },
    /// A card that could not have been played.
    #[error("line {line}: card {number}: {error}")]
    Card {
        /// The card's line.
        line: usize,
        /// Its number in the play, from 1.
        number: usize,
        /// What is wrong with it.
        error: DealError,
    },
    /// The opening lead is another hand's than the contract has it.
    #[error("line {line}: the play begins with {found}, but {wanted} leads against {contract}")]
    Leader {
        /// The line of the deal.
        line: usize,
        /// Who leads by the record.
        found: Seat,
        /// Who leads by the contract.
        wanted: Seat,
        /// The contract.
        contract: Contract,
    },
    /// A trick that goes on after a card is missing.
    #[error("line {line}: card {number} is missing: {player} has not played, but a later hand has")]
    Missing {
        /// The line of the trick.
        line: usize,
        /// The card's number in the play, from 1.
        number: usize,
        /// Who has not played.
        player: Seat,
    },
}

impl PlayError {
    /// The line on which something is wrong, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        match self {
            PlayError::Deal { line, .. }
            | PlayError::Card { line, .. }
            | PlayError::Leader { line, .. }
            | PlayError::Missing { line, .. } => *line,
        }
    }
}

impl Record {
    pub(crate) fn of_deal(line: usize, deal: Deal) -> Record {
        let cards = PlayedCards::NONE;
        Record { line, deal, dealer: None, vulnerable: None, contract: None, cards }
    }

    /// The trumps and the declarer, of which either may be told instead of what the record says; the level is the record's.
    #[must_use]
    pub fn contract_with(&self, strain: Option<Strain>, declarer: Option<Seat>) -> Option<Contract> {
        let leader = match self.cards {
            PlayedCards::ByTrick { leader, .. } => leader,
            PlayedCards::InOrder(_) => None,
        };
        let declarer = declarer.or(self.contract.map(|contract| contract.declarer));
        Some(Contract {
            level: self
                .contract
                .filter(|of| strain.is_none_or(|strain| of.strain == strain))
                .and_then(|of| of.level),
            strain: strain.or(self.contract.map(|contract| contract.strain))?,
            declarer: declarer.or(leader.map(|leader| leader.plus(3)))?,
        })
    }

    /// The play in this contract.
    ///
    /// # Errors
    /// If a card could not have been played; the message names the line and the card.
    pub fn play(&self, contract: Contract) -> Result<Play, PlayError> {
        let Contract { strain, declarer, .. } = contract;
        let in_deal = |error| PlayError::Deal { line: self.line, error };
        let mut situation = Situation::new(self.deal, strain, declarer.next(), &[]).map_err(in_deal)?;
        let mut cards = Vec::new();
        let mut play = |situation: Situation, card: Card, line: usize| {
            cards.push(card);
            let number = cards.len();
            situation.play(card).map_err(|error| PlayError::Card { line, number, error })
        };
        match &self.cards {
            PlayedCards::InOrder(played) => {
                for &(card, line) in played {
                    situation = play(situation, card, line)?;
                }
            }
            PlayedCards::ByTrick { leader, cells } => {
                let first = leader.unwrap_or(declarer.next());
                if first != declarer.next() {
                    let (line, wanted) = (self.line, declarer.next());
                    return Err(PlayError::Leader { line, found: first, wanted, contract });
                }
                let mut number = 0;
                for trick in cells.chunks(4) {
                    let column = |seat: Seat| (seat as usize + 4 - first as usize) % 4;
                    let line = trick.last().map_or(self.line, |&(_, line)| line);
                    let trick_leader = situation.leader();
                    let mut missing = None;
                    for places in 0..4 {
                        let player = trick_leader.plus(places);
                        let cell = trick.get(column(player)).copied();
                        number += 1;
                        match (cell, missing) {
                            (Some((Some(card), line)), None) => situation = play(situation, card, line)?,
                            (Some((Some(_), line)), Some((number, player))) => {
                                return Err(PlayError::Missing { line, number, player });
                            }
                            _ => missing = missing.or(Some((number, player))),
                        }
                    }
                    // After a trick that was not completed there can be none.
                    if let Some((number, player)) = missing {
                        let mut later = cells.iter().skip(number.next_multiple_of(4));
                        if later.any(|(card, _)| card.is_some()) {
                            return Err(PlayError::Missing { line, number, player });
                        }
                        break;
                    }
                }
            }
        }
        Ok(Play { deal: self.deal, strain, declarer, cards })
    }
}

/// The records of a text: deals one a line (`N:AKQ.. ...`), games in PBN, LIN, or a hands file of the DDS library. Blank lines between
/// deals and lines that begin with `#` are passed over.
///
/// ```
/// use dts_bridge::{Seat, Strain, read_records};
///
/// let records = read_records("# two endings\nN:AK... QJ... T9... 87...\nmd|1SAH2,SKH3,SQH4,SJH5|mb|1S|mb|p|pc|SK|\n")?;
/// assert_eq!(records.len(), 2);
/// assert_eq!((records[1].line, records[1].dealer), (3, Some(Seat::South)));
/// assert_eq!(records[1].contract.map(|contract| contract.strain), Some(Strain::Spades));
/// # Ok::<(), dts_bridge::FormatError>(())
/// ```
///
/// # Errors
/// If something is no deal; the message names the line.
pub fn read_records(text: &str) -> Result<Vec<Record>, FormatError> {
    let text = text.trim_start_matches('\u{feff}');
    let begins = |start: &str| text.lines().any(|line| line.trim_start().starts_with(start));
    let records = if begins("[") {
        read_games(text)?
    } else if begins("PBN ") || begins("NUMBER ") {
        let boards = read_hands_lines(text)?;
        let record = |(line, board, play_line): (usize, crate::HandsFileBoard, usize)| Record {
            line,
            deal: board.deal,
            dealer: Some(board.dealer),
            vulnerable: Some(board.vulnerable),
            contract: Some(Contract { level: None, strain: board.strain, declarer: board.leader.plus(3) }),
            cards: PlayedCards::InOrder(board.played.into_iter().map(|card| (card, play_line)).collect()),
        };
        boards.into_iter().map(record).collect()
    } else {
        read_lines(text)?
    };
    if records.is_empty() { Err(FormatError::Empty) } else { Ok(records) }
}

/// Deals one a line, and LIN records, which may take several lines, between them.
fn read_lines(text: &str) -> Result<Vec<Record>, FormatError> {
    let mut records = Vec::new();
    // LIN from its first line on, and what comes before it.
    let mut lin: Option<(usize, String)> = None;
    let is_deal = |line: &str| !line.contains('|') && line.as_bytes().get(1) == Some(&b':');
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with('#') || trimmed.is_empty() {
            if let Some((_, text)) = &mut lin {
                text.push('\n');
            }
            continue;
        }
        if lin.is_some() && is_deal(trimmed) {
            records.extend(lin_records(lin.take())?);
        }
        match &mut lin {
            Some((_, text)) => {
                text.push_str(line);
                text.push('\n');
            }
            None if trimmed.contains('|') => lin = Some((at, format!("{line}\n"))),
            None => {
                let in_line = |error| FormatError::Line { line: at + 1, error: Box::new(error) };
                records.push(Record::of_deal(at + 1, trimmed.parse().map_err(in_line)?));
            }
        }
    }
    records.extend(lin_records(lin)?);
    Ok(records)
}

fn lin_records(lin: Option<(usize, String)>) -> Result<Vec<Record>, FormatError> {
    let Some((before, text)) = lin else { return Ok(Vec::new()) };
    let on = |line: usize| before + line;
    let records = read_lin_records(&text).map_err(|(line, error)| {
        let error = match error {
            FormatError::Empty => {
                let found = text.trim().chars().take(12).collect();
                FormatError::Word { found, wanted: "a deal in LIN (md|1S...)" }
            }
            error => error,
        };
        FormatError::Line { line: on(line), error: Box::new(error) }
    })?;
    let record = |of: crate::lin::LinRecord| Record {
        line: on(of.line),
        deal: of.board.deal,
        dealer: Some(of.board.dealer),
        vulnerable: of.board.vulnerable,
        contract: contract(of.board.dealer, &of.calls),
        cards: PlayedCards::InOrder(
            of.board.played.into_iter().zip(of.card_lines).map(|(card, line)| (card, on(line))).collect(),
        ),
    };
    Ok(records.into_iter().map(record).collect())
}
