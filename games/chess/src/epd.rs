//! Test suites: a position a line, with what is to be found there (EPD).

use std::collections::HashMap;

use cozy_chess::{Board, Move};

use crate::fen::{FenError, parse_fen};

/// A position of a suite.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its name, or the number of its line.
    pub id: String,
    /// The position.
    pub board: Board,
    /// Moves one of which is to be found; any will do if there are none.
    pub best: Vec<Move>,
    /// Moves that are to be avoided.
    pub avoid: Vec<Move>,
}

impl Task {
    /// Whether `chosen` is what was to be found.
    #[must_use]
    pub fn is_solved_by(&self, chosen: Move) -> bool {
        (self.best.is_empty() || self.best.contains(&chosen)) && !self.avoid.contains(&chosen)
    }
}

/// Why a line of a suite cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EpdError {
    /// The position is wrong.
    #[error("line {line}: {source}")]
    Position {
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        source: FenError,
    },
    /// A move is none of the position's.
    #[error("line {line}: `{text}` is no legal move in standard notation here")]
    Move {
        /// Which line, from 1.
        line: usize,
        /// The move's text.
        text: String,
    },
}

/// The operations of a line after its first four fields: `bm Qg6; id "x";`.
fn operations(text: &str) -> HashMap<&str, &str> {
    let of = |operation: &'_ str| -> Option<(usize, usize)> {
        let trimmed = operation.trim();
        let gap = trimmed.find(' ')?;
        Some((gap, trimmed.len()))
    };
    text.split(';')
        .filter_map(|operation| {
            let (gap, end) = of(operation)?;
            let operation = operation.trim();
            Some((&operation[..gap], operation[gap..end].trim()))
        })
        .collect()
}

/// Reads a suite. Empty lines and lines that begin with `#` are passed over.
///
/// # Errors
/// If a position or a move is wrong: the error names the line.
pub fn parse(text: &str) -> Result<Vec<Task>, EpdError> {
    let mut tasks = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut rest = line;
        for _ in 0..4 {
            rest = rest.trim_start();
            rest = &rest[rest.find(char::is_whitespace).unwrap_or(rest.len())..];
        }
        let fields = &line[..line.len() - rest.len()];
        let board = parse_fen(fields).map_err(|source| EpdError::Position { line: number, source })?;
        let operations = operations(rest);
        let moves = |name: &str| -> Result<Vec<Move>, EpdError> {
            let texts = operations.get(name).copied().unwrap_or_default();
            let read = |text: &str| {
                cozy_chess::util::parse_san_move(&board, text.trim_end_matches(['!', '?']))
                    .map_err(|_| EpdError::Move { line: number, text: text.to_owned() })
            };
            texts.split_whitespace().map(read).collect()
        };
        let id =
            operations.get("id").map_or_else(|| number.to_string(), |id| id.trim_matches('"').to_owned());
        tasks.push(Task { id, best: moves("bm")?, avoid: moves("am")?, board });
    }
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suites_are_read() {
        for (text, count) in [
            (include_str!("../data/wac.epd"), 300),
            (include_str!("../data/bratko_kopec.epd"), 24),
            (include_str!("../data/kaufman25.epd"), 23),
        ] {
            let tasks = parse(text).expect("a suite");
            assert_eq!(tasks.len(), count);
            assert!(tasks.iter().all(|task| !task.best.is_empty() || !task.avoid.is_empty()));
        }
    }

    #[test]
    fn errors_name_the_line() {
        let error = parse("# a suite\n\n8/8/8/8/8/8/8/K1k5 w - - bm Qg6; id \"x\";").expect_err("no queen");
        assert_eq!(error.to_string(), "line 3: `Qg6` is no legal move in standard notation here");
        assert!(parse("8/8 w - - bm Qg6;").expect_err("no board").to_string().starts_with("line 1: "));
    }
}
