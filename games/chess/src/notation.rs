//! Moves as UCI writes them.

use cozy_chess::{Board, File, Move, Square};

use crate::fen::fen_text;

/// Why a text is no move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// It does not look like one.
    #[error(
        "`{0}` is no move; moves are written as two squares and, if a pawn promotes, the piece: e2e4, e7e8q"
    )]
    Text(String),
    /// It is not legal in the position.
    #[error("move `{text}` is not legal in `{position}`")]
    Illegal {
        /// The move.
        text: String,
        /// The position.
        position: String,
    },
}

/// Reads a move: `e2e4`, `e7e8q`. Castling is written as the king's move by two squares or more (`e1g1`), or onto the rook (`e1h1`), in
/// any position.
///
/// # Errors
/// If it is no move, or not a legal one.
pub fn parse_move(board: &Board, text: &str) -> Result<Move, MoveError> {
    let known: Option<Move> = text.is_ascii().then(|| text.to_ascii_lowercase().parse().ok()).flatten();
    let length_fits = matches!(text.len(), 4 | 5);
    let Some(chosen) = known.filter(|chosen| length_fits && (text.len() == 5) == chosen.promotion.is_some())
    else {
        return Err(MoveError::Text(text.to_owned()));
    };
    let castling = castling_by_king(board, chosen);
    // A king may go to g1 by an ordinary move as well; where both are possible, castling is two squares or more.
    let distance = (chosen.from.file() as i32 - chosen.to.file() as i32).abs();
    let candidates = if distance >= 2 { [castling, Some(chosen)] } else { [Some(chosen), castling] };
    candidates
        .into_iter()
        .flatten()
        .find(|&candidate| board.is_legal(candidate))
        .ok_or_else(|| MoveError::Illegal { text: text.to_owned(), position: fen_text(board) })
}

/// The castling that a king's move to its file may mean.
fn castling_by_king(board: &Board, chosen: Move) -> Option<Move> {
    let side = board.side_to_move();
    if board.king(side) != chosen.from || chosen.to.rank() != chosen.from.rank() || chosen.promotion.is_some()
    {
        return None;
    }
    let rights = board.castle_rights(side);
    let rook = match chosen.to.file() {
        File::G => rights.short,
        File::C => rights.long,
        _ => None,
    }?;
    Some(Move { to: Square::new(rook, chosen.from.rank()), ..chosen })
}

/// Writes a move that is legal on `board`; with `chess960` castling is the king's move onto the rook, else onto his new square.
#[must_use]
pub fn move_text(board: &Board, chosen: Move, chess960: bool) -> String {
    let is_castling = board.colors(board.side_to_move()).has(chosen.to);
    if is_castling && !chess960 {
        let file = if chosen.to.file() > chosen.from.file() { File::G } else { File::C };
        return Move { to: Square::new(file, chosen.from.rank()), ..chosen }.to_string();
    }
    chosen.to_string()
}

/// Writes the moves of a line from `board`, as [`move_text`] does; it ends before the first that is not legal.
#[must_use]
pub fn line_text(board: &Board, moves: &[Move], chess960: bool) -> Vec<String> {
    let mut position = board.clone();
    let mut texts = Vec::new();
    for &chosen in moves {
        if !position.is_legal(chosen) {
            break;
        }
        texts.push(move_text(&position, chosen, chess960));
        position.play_unchecked(chosen);
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,8}") {
            let _ = parse_move(&Board::startpos(), &text);
        }

        #[test]
        fn moves_are_read_as_written(start in 0..960_u32, choices in proptest::collection::vec(any::<u16>(), 0..80)) {
            let mut board = Board::chess960_startpos(start);
            for choice in choices {
                let mut moves = Vec::new();
                board.generate_moves(|set| {
                    moves.extend(set);
                    false
                });
                if moves.is_empty() {
                    break;
                }
                for &chosen in &moves {
                    prop_assert_eq!(parse_move(&board, &move_text(&board, chosen, true)), Ok(chosen));
                    if start == 518 {
                        prop_assert_eq!(parse_move(&board, &move_text(&board, chosen, false)), Ok(chosen));
                    }
                }
                board.play_unchecked(moves[usize::from(choice) % moves.len()]);
            }
        }
    }

    #[test]
    fn castling_is_read_both_ways() {
        let board = crate::parse_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").expect("a position");
        assert_eq!(parse_move(&board, "e1g1"), parse_move(&board, "e1h1"));
        assert_eq!(parse_move(&board, "e1c1"), parse_move(&board, "e1a1"));
        let chosen = parse_move(&board, "e1g1").expect("castling");
        assert_eq!(move_text(&board, chosen, false), "e1g1");
        assert_eq!(move_text(&board, chosen, true), "e1h1");
        for wrong in ["e1", "e1e3", "e2e4", "e1g1q", "", "é1g1", "e1g1x", "0000"] {
            assert!(parse_move(&board, wrong).is_err(), "{wrong}");
        }
    }
}
