//! Games in PBN: the tags that tell of a board, and the sections with its auction and its play.

use crate::auction::{Call, Contract, contract};
use crate::card::{Card, Seat};
use crate::par::Vulnerable;
use crate::pbn::FormatError;
use crate::record::{PlayedCards, Record};

/// A tag, and what follows it up to the next one.
#[derive(Debug)]
struct Tag<'t> {
    name: String,
    value: &'t str,
    line: usize,
    words: Vec<(&'t str, usize)>,
}

/// A game's tags.
type Game<'t> = Vec<Tag<'t>>;

fn in_line(line: usize, error: FormatError) -> FormatError {
    FormatError::Line { line, error: Box::new(error) }
}

fn wrong(line: usize, found: &str, wanted: &'static str) -> FormatError {
    in_line(line, FormatError::Word { found: found.to_owned(), wanted })
}

/// A line without its comments; `is_comment` says whether it begins, and then whether it ends, within one.
fn without_comments<'t>(line: &'t str, is_comment: &mut bool) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let mut rest = line;
    loop {
        if *is_comment {
            let Some((_, after)) = rest.split_once('}') else { return parts };
            *is_comment = false;
            rest = after;
        }
        match rest.find(['{', ';']) {
            Some(at) => {
                parts.push(&rest[..at]);
                if rest[at..].starts_with(';') {
                    return parts;
                }
                *is_comment = true;
                rest = &rest[at + 1..];
            }
            None => {
                parts.push(rest);
                return parts;
            }
        }
    }
}

/// The games of a file: an empty line ends one, and so does a tag that it has already.
fn games(text: &str) -> Result<Vec<Game<'_>>, FormatError> {
    let mut games: Vec<Game<'_>> = Vec::new();
    let mut game: Game<'_> = Vec::new();
    let mut is_comment = false;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if is_comment || !trimmed.starts_with('[') {
            if trimmed.is_empty() && !is_comment && !game.is_empty() {
                games.push(std::mem::take(&mut game));
            }
            if trimmed.starts_with('%') && !is_comment {
                continue;
            }
            let parts = without_comments(trimmed, &mut is_comment);
            let words = parts.into_iter().flat_map(str::split_whitespace).map(|word| (word, at + 1));
            if let Some(tag) = game.last_mut() {
                tag.words.extend(words);
            }
            continue;
        }
        let error = || wrong(at + 1, trimmed, "a tag such as [Deal \"N:AKQ.. ...\"]");
        let mut rest = trimmed;
        while let Some(inner) = rest.strip_prefix('[') {
            let (name, inner) = inner.split_once(char::is_whitespace).ok_or_else(error)?;
            let (value, after) = inner
                .trim_start()
                .strip_prefix('"')
                .and_then(|inner| inner.split_once('"'))
                .ok_or_else(error)?;
            let name = name.to_ascii_lowercase();
            if game.iter().any(|tag| tag.name == name) {
                games.push(std::mem::take(&mut game));
            }
            game.push(Tag { name, value: value.trim(), line: at + 1, words: Vec::new() });
            rest = after.trim_start().strip_prefix(']').ok_or_else(error)?.trim_start();
        }
    }
    games.push(game);
    Ok(games)
}

fn seat(tag: &Tag<'_>) -> Result<Option<Seat>, FormatError> {
    match tag.value {
        "" | "?" | "-" => Ok(None),
        // "^N": by an irregularity, but North it is.
        value => value
            .trim_start_matches('^')
            .parse()
            .map(Some)
            .map_err(|_| wrong(tag.line, value, "a seat (N, E, S or W)")),
    }
}

fn vulnerable(tag: &Tag<'_>) -> Result<Option<Vulnerable>, FormatError> {
    match tag.value {
        "" | "?" => Ok(None),
        value => value
            .parse()
            .map(Some)
            .map_err(|_| wrong(tag.line, value, "a vulnerability (None, NS, EW or Both)")),
    }
}

/// The value of the tag `Contract`; none if there is none, or everybody has passed.
fn bid(tag: &Tag<'_>) -> Result<Option<Call>, FormatError> {
    let value = tag.value.trim_end_matches(['x', 'X']);
    match Call::read(value) {
        Some(bid @ Call::Bid(..)) => Ok(Some(bid)),
        _ if ["", "?", "-", "pass"].contains(&value.to_ascii_lowercase().as_str()) => Ok(None),
        _ => Err(wrong(tag.line, tag.value, "a contract such as 4S, 3NTX or Pass")),
    }
}

fn is_note(word: &str) -> bool {
    word.starts_with(['=', '$', '^']) || word.trim_start_matches(['!', '?']).is_empty()
}

fn calls(tag: &Tag<'_>) -> Result<Vec<Call>, FormatError> {
    let mut calls = Vec::new();
    for &(word, line) in &tag.words {
        match word {
            "*" | "+" => break,
            // Seats before the dealer's, in the first row.
            "-" => {}
            word if is_note(word) => {}
            word => calls.push(
                Call::read(word).ok_or_else(|| wrong(line, word, "a call such as 1NT, Pass, X or AP"))?,
            ),
        }
    }
    Ok(calls)
}

fn played(tag: &Tag<'_>) -> Result<PlayedCards, FormatError> {
    let mut cells = Vec::new();
    for &(word, line) in &tag.words {
        match word {
            "*" | "+" => break,
            "-" | "--" => cells.push((None, line)),
            word if is_note(word) => {}
            word => {
                let card: Card = word
                    .trim_end_matches(['!', '?'])
                    .parse()
                    .map_err(|_| wrong(line, word, "a card such as HT, or - for none"))?;
                cells.push((Some(card), line));
            }
        }
    }
    Ok(PlayedCards::ByTrick { leader: seat(tag)?, cells })
}

/// The boards of a PBN file. A game without a `Deal` tag is none; `#` stands for what the game before it has.
pub(crate) fn read_games(text: &str) -> Result<Vec<Record>, FormatError> {
    let mut records: Vec<Record> = Vec::new();
    for game in games(text)? {
        let tag = |name: &str| game.iter().find(|tag| tag.name == name);
        let Some(of_deal) = tag("deal") else { continue };
        let before = records.last();
        let (line, deal) = match (of_deal.value, before) {
            ("#" | "##", Some(before)) => (of_deal.line, before.deal),
            (value, _) => (of_deal.line, value.parse().map_err(|error| in_line(of_deal.line, error))?),
        };
        let is_as_before = |tag: &&Tag<'_>| tag.value.starts_with('#');
        let dealer = match tag("dealer") {
            Some(of) if is_as_before(&of) => before.and_then(|before| before.dealer),
            Some(of) => seat(of)?,
            None => None,
        };
        let vulnerable = match tag("vulnerable") {
            Some(of) if is_as_before(&of) => before.and_then(|before| before.vulnerable),
            Some(of) => vulnerable(of)?,
            None => None,
        };
        let mut from_auction = None;
        if let Some(of) = tag("auction") {
            let calls = calls(of)?;
            from_auction = seat(of)?.or(dealer).and_then(|first| contract(first, &calls));
        }
        let declarer = tag("declarer").filter(|tag| !is_as_before(tag)).map(seat).transpose()?.flatten();
        let cards = tag("play").map(played).transpose()?.unwrap_or(PlayedCards::NONE);
        let leader = match cards {
            PlayedCards::ByTrick { leader, .. } => leader.map(|leader| leader.plus(3)),
            PlayedCards::InOrder(_) => None,
        };
        let of_tags = match tag("contract").filter(|tag| !is_as_before(tag)).map(bid).transpose()?.flatten() {
            Some(Call::Bid(level, strain)) => declarer
                .or(from_auction.map(|of| of.declarer))
                .or(leader)
                .map(|declarer| Contract { level: Some(level), strain, declarer }),
            _ => None,
        };
        records.push(Record { line, deal, dealer, vulnerable, contract: of_tags.or(from_auction), cards });
    }
    Ok(records)
}
