//! Positions as text: FEN, with the castling letters of X-FEN and Shredder-FEN.

use cozy_chess::{Board, BoardBuilder, BoardBuilderError, Color, File, Piece, Rank, Square};

/// Why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FenError {
    /// There are too few fields.
    #[error(
        "the position ends after {found} fields; it needs at least the board and who moves, as in `8/8/8/8/8/8/8/K1k5 w - - 0 1`"
    )]
    TooShort {
        /// How many there are.
        found: usize,
    },
    /// There are more than six fields.
    #[error(
        "field 7 of the position is `{found}`; there are at most 6: board, side, castling, en passant, halfmoves, moves"
    )]
    TooLong {
        /// What stands after the sixth.
        found: String,
    },
    /// The board does not have eight ranks.
    #[error("the board has {found} ranks; it needs 8, divided by `/`")]
    Ranks {
        /// How many it has.
        found: usize,
    },
    /// A rank does not have eight squares.
    #[error(
        "rank {rank} is `{found}`, which is not 8 squares of PNBRQK, pnbrqk and numbers of empty squares 1 to 8"
    )]
    Rank {
        /// Which, from 1.
        rank: usize,
        /// The rank's text.
        found: String,
    },
    /// A colour does not have one king.
    #[error("{color} has {found} kings; it needs 1")]
    Kings {
        /// Whose.
        color: &'static str,
        /// How many.
        found: usize,
    },
    /// A colour has more than eight pawns, or more than sixteen pieces.
    #[error("{color} has {pawns} pawns and {pieces} pieces in all; at most 8 and 16 are possible")]
    Pieces {
        /// Whose.
        color: &'static str,
        /// Pawns.
        pawns: usize,
        /// All pieces.
        pieces: usize,
    },
    /// A pawn stands on the first or the last rank.
    #[error("a pawn stands on {square}; pawns stand on ranks 2 to 7")]
    Pawn {
        /// Where.
        square: String,
    },
    /// The side field is neither `w` nor `b`.
    #[error("the side to move is `{found}`; it is `w` or `b`")]
    Side {
        /// What is there.
        found: String,
    },
    /// The side that does not move is in check.
    #[error("{color} is in check and the other side is to move")]
    Check {
        /// Who is.
        color: &'static str,
    },
    /// There are more pieces that give check than any move could bring about.
    #[error("the king is in check by too many pieces at once for any game")]
    Checkers,
    /// A castling letter means nothing here.
    #[error(
        "castling right `{found}` has no king and rook on the back rank to go with; accepted are `-`, letters of KQkq and files A to H, a to h"
    )]
    Castling {
        /// The letter.
        found: char,
    },
    /// The en passant field is no square.
    #[error("the en passant square is `{found}`; it is `-` or a square like `e3`")]
    EnPassant {
        /// What is there.
        found: String,
    },
    /// A clock is no number.
    #[error("the {which} is `{found}`; it is a number from 0")]
    Clock {
        /// Which of both.
        which: &'static str,
        /// What is there.
        found: String,
    },
}

fn name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// Reads a position.
///
/// Fields after the second may be missing. Castling rights are letters of `KQkq`, which mean the outermost rook, or the rook's file. An
/// en passant square on which nothing could be taken is ignored, as are counts that no game has: a halfmove clock beyond 100
/// is 100, move 0 is move 1.
///
/// # Errors
/// If it is no position that chess could be played from: the error names the place, what is there and what is accepted.
///
/// ```
/// let board = dts_chess::parse_fen("4k3/8/8/8/8/8/8/4K2R w K -")?;
/// assert_eq!(board.to_string(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
/// # Ok::<(), dts_chess::FenError>(())
/// ```
pub fn parse_fen(text: &str) -> Result<Board, FenError> {
    let fields: Vec<_> = text.split_whitespace().collect();
    if fields.len() < 2 {
        return Err(FenError::TooShort { found: fields.len() });
    }
    if let Some(found) = fields.get(6) {
        return Err(FenError::TooLong { found: (*found).to_owned() });
    }
    let mut builder = BoardBuilder::empty();
    parse_pieces(fields[0], &mut builder)?;
    check_pieces(&builder)?;
    builder.side_to_move = match fields[1] {
        "w" | "W" => Color::White,
        "b" | "B" => Color::Black,
        found => return Err(FenError::Side { found: found.to_owned() }),
    };
    if let Some(rights) = fields.get(2).filter(|&&rights| rights != "-") {
        parse_rights(rights, &mut builder)?;
    }
    let en_passant = fields.get(3).filter(|&&field| field != "-");
    if let Some(field) = en_passant {
        let square: Square = field.parse().map_err(|_| FenError::EnPassant { found: (*field).to_owned() })?;
        let rank = Rank::Sixth.relative_to(builder.side_to_move);
        builder.en_passant = (square.rank() == rank).then_some(square);
    }
    let clock = |which, field: Option<&&str>, missing: u64| match field {
        None => Ok(missing),
        Some(text) => text.parse::<u64>().map_err(|_| FenError::Clock { which, found: (*text).to_owned() }),
    };
    builder.halfmove_clock = clock("halfmove clock", fields.get(4), 0)?.min(100) as u8;
    builder.fullmove_number = clock("move number", fields.get(5), 1)?.clamp(1, u64::from(u16::MAX)) as u16;
    let built = builder.build().or_else(|error| match error {
        // No pawn that could be taken has just gone past the square.
        BoardBuilderError::InvalidEnPassant => {
            builder.en_passant = None;
            builder.build()
        }
        other => Err(other),
    });
    built.map_err(|_| {
        let mut turned = builder.clone();
        turned.side_to_move = !turned.side_to_move;
        turned.en_passant = None;
        match turned.build() {
            // With the other side to move all is well, or the checks are what is wrong.
            Ok(_) => FenError::Check { color: name(!builder.side_to_move) },
            Err(_) => FenError::Checkers,
        }
    })
}

fn parse_pieces(text: &str, builder: &mut BoardBuilder) -> Result<(), FenError> {
    let ranks: Vec<_> = text.split('/').collect();
    if ranks.len() != 8 {
        return Err(FenError::Ranks { found: ranks.len() });
    }
    for (row, squares) in ranks.into_iter().enumerate() {
        let rank = 7 - row;
        let wrong = || FenError::Rank { rank: rank + 1, found: squares.to_owned() };
        let mut file = 0;
        for letter in squares.chars() {
            if let Some(empty) = letter.to_digit(9).filter(|&empty| empty > 0) {
                file += empty as usize;
                continue;
            }
            let piece: Piece = letter.to_ascii_lowercase().try_into().map_err(|_| wrong())?;
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let square = Square::new(File::try_index(file).ok_or_else(wrong)?, Rank::index(rank));
            *builder.square_mut(square) = Some((piece, color));
            file += 1;
        }
        if file != 8 {
            return Err(wrong());
        }
    }
    Ok(())
}

fn check_pieces(builder: &BoardBuilder) -> Result<(), FenError> {
    for color in Color::ALL {
        let count = |wanted: Option<Piece>| {
            let counts = |&&(piece, owner): &&(Piece, Color)| {
                owner == color && wanted.is_none_or(|wanted| wanted == piece)
            };
            builder.board.iter().flatten().filter(counts).count()
        };
        let (kings, pawns, pieces) = (count(Some(Piece::King)), count(Some(Piece::Pawn)), count(None));
        if kings != 1 {
            return Err(FenError::Kings { color: name(color), found: kings });
        }
        if pawns > 8 || pieces > 16 {
            return Err(FenError::Pieces { color: name(color), pawns, pieces });
        }
    }
    for square in Rank::First.bitboard() | Rank::Eighth.bitboard() {
        if builder.square(square).is_some_and(|(piece, _)| piece == Piece::Pawn) {
            return Err(FenError::Pawn { square: square.to_string() });
        }
    }
    Ok(())
}

fn parse_rights(text: &str, builder: &mut BoardBuilder) -> Result<(), FenError> {
    for letter in text.chars() {
        let wrong = || FenError::Castling { found: letter };
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let back = Rank::First.relative_to(color);
        let on = |file: File, piece: Piece| builder.square(Square::new(file, back)) == Some((piece, color));
        let king = File::ALL.into_iter().find(|&file| on(file, Piece::King)).ok_or_else(wrong)?;
        let rook = match letter.to_ascii_lowercase() {
            'k' => File::ALL
                .into_iter()
                .rev()
                .take_while(|&file| file > king)
                .find(|&file| on(file, Piece::Rook)),
            'q' => File::ALL.into_iter().take_while(|&file| file < king).find(|&file| on(file, Piece::Rook)),
            other => File::try_from(other).ok().filter(|&file| on(file, Piece::Rook)),
        };
        let rook = rook.ok_or_else(wrong)?;
        let rights = builder.castle_rights_mut(color);
        if rook > king {
            rights.short = Some(rook);
        } else {
            rights.long = Some(rook);
        }
    }
    Ok(())
}

/// Whether a position can only be one of Chess960: some king or rook that may castle is not on its square of standard chess.
#[must_use]
pub fn is_chess960(board: &Board) -> bool {
    Color::ALL.into_iter().any(|color| {
        let rights = board.castle_rights(color);
        let castles = rights.short.is_some() || rights.long.is_some();
        castles
            && (rights.short.is_some_and(|rook| rook != File::H)
                || rights.long.is_some_and(|rook| rook != File::A)
                || board.king(color).file() != File::E)
    })
}

/// Writes a position: castling rights as letters of `KQkq`, or as the files of the rooks if it can only be one of Chess960.
#[must_use]
pub fn fen_text(board: &Board) -> String {
    if is_chess960(board) { format!("{board:#}") } else { board.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_text_panics(text in "[ -~]{0,60}") {
            let _ = parse_fen(&text);
        }

        #[test]
        fn no_mangled_position_panics(at in 0..56_usize, letter in proptest::char::any()) {
            let mut text: Vec<char> = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq e3 0 1".chars().collect();
            text[at] = letter;
            let _ = parse_fen(&text.into_iter().collect::<String>());
        }

        #[test]
        fn start_positions_of_chess960_are_read_back(number in 0..960_u32) {
            let board = Board::chess960_startpos(number);
            prop_assert_eq!(parse_fen(&format!("{board:#}")), Ok(board.clone()));
            prop_assert_eq!(parse_fen(&board.to_string().replace("HAha", "KQkq")), Ok(board));
        }
    }

    fn error(text: &str) -> String {
        parse_fen(text).expect_err(text).to_string()
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(error("").contains("ends after 0 fields"));
        assert!(error("8/8/8/8/8/8/8/K1k5 x - - 0 1").contains("`x`; it is `w` or `b`"));
        assert!(error("8/8/8/8/8/8/K1k5 w - - 0 1").contains("7 ranks"));
        assert!(error("8/8/8/8/9/8/8/K1k5 w - - 0 1").contains("rank 4 is `9`"));
        assert!(error("8/8/8/8/44p/8/8/K1k5 w - - 0 1").contains("rank 4"));
        assert!(error("8/8/8/8/8/8/8/K7 w - - 0 1").contains("Black has 0 kings"));
        assert!(error("P7/8/8/8/8/8/8/K1k5 w - - 0 1").contains("a8"));
        assert!(error("8/8/8/8/8/8/8/K1k5 w K - 0 1").contains("`K`"));
        assert!(error("8/8/8/8/8/8/8/K1k5 w - e9 0 1").contains("`e9`"));
        assert!(error("8/8/8/8/8/8/8/K1k5 w - - x 1").contains("halfmove clock is `x`"));
        assert!(error("8/8/8/8/8/8/8/K1k5 w - - 0 1 y").contains("`y`"));
        assert!(error("7k/8/8/8/8/8/8/K6R w - - 0 1").contains("Black is in check"));
    }

    #[test]
    fn what_programs_send_is_accepted() {
        for (text, wanted) in [
            ("4k3/8/8/8/8/8/8/4K2R w K -", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
            ("4k3/8/8/8/8/8/8/4K2R w", "4k3/8/8/8/8/8/8/4K2R w - - 0 1"),
            ("8/5kR1/8/3K4/8/8/8/8 b - - 0 143", "8/5kR1/8/3K4/8/8/8/8 b - - 0 143"),
            ("8/5k2/8/3K4/8/8/8/8 b - - 143 0", "8/5k2/8/3K4/8/8/8/8 b - - 100 1"),
            (
                "rnbqkb1r/ppp3pp/3p1n2/3P4/8/2P5/PP3PPP/RNBQKBNR w KQkq e6",
                "rnbqkb1r/ppp3pp/3p1n2/3P4/8/2P5/PP3PPP/RNBQKBNR w KQkq - 0 1",
            ),
        ] {
            assert_eq!(parse_fen(text).expect(text).to_string(), wanted);
        }
    }

    #[test]
    fn castling_rights_are_files_only_in_chess960() {
        for (text, is) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", false),
            ("4k3/8/8/8/8/8/8/RK5R w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/RK5R w HA - 0 1", true),
            ("1r2k2r/8/8/8/8/8/8/R3K2R w HAb - 0 1", true),
        ] {
            let board = parse_fen(text).expect(text);
            assert_eq!(is_chess960(&board), is, "{text}");
            assert_eq!(fen_text(&board), text);
        }
    }
}
