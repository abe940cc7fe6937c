//! A position: the board, and what is kept beside it from move to move.

use cozy_chess::{Board, Color, Move, Piece, Rank, Square, get_pawn_attacks};
use dts_engine::Side;

use crate::choice::{Choice, Kind, PackedMove};
use crate::evaluation::placed;
use crate::score::Pair;

/// A position of chess: the board, its key, the running sums of its evaluation, and what led to it.
#[derive(Clone, Debug)]
pub struct Position {
    board: Board,
    key: u64,
    /// Material and places, White's less Black's.
    pub(crate) sum: Pair,
    /// How much of the middle game is left, see [`phase_of`].
    pub(crate) phase: i16,
    /// How many positions before this one could be the same one again.
    reversible: u16,
    /// The move that is left out here, see [`Kind::Without`].
    excluded: PackedMove,
    /// The piece that moved last and where to, see [`Position::last`].
    last: u16,
}

/// No piece has moved.
pub(crate) const NO_PIECE: usize = 6 * 64;

/// What a piece counts for the phase of the game; all of the start position together are [`FULL_PHASE`].
#[inline(always)]
const fn phase_of(piece: Piece) -> i16 {
    match piece {
        Piece::Pawn | Piece::King => 0,
        Piece::Knight | Piece::Bishop => 1,
        Piece::Rook => 2,
        Piece::Queen => 4,
    }
}

/// The phase of the start position.
pub(crate) const FULL_PHASE: i32 = 24;

impl Position {
    /// The position of a board; nothing is known of what was before.
    #[must_use]
    pub fn new(board: Board) -> Position {
        let mut sum = Pair::ZERO;
        let mut phase = 0;
        for piece in Piece::ALL {
            for square in board.colored_pieces(Color::White, piece) {
                sum += placed(piece, Color::White, square);
                phase += phase_of(piece);
            }
            for square in board.colored_pieces(Color::Black, piece) {
                sum -= placed(piece, Color::Black, square);
                phase += phase_of(piece);
            }
        }
        let key = key_of(&board);
        Position { board, key, sum, phase, reversible: 0, excluded: PackedMove::NONE, last: NO_PIECE as u16 }
    }

    /// The board.
    #[must_use]
    #[inline(always)]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// A key of all that the rules know of a position but the clocks: pieces, side, castling rights, and the en passant square if there
    /// is a capture on it.
    #[must_use]
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The key for the table: another one if a move is left out.
    #[inline(always)]
    pub(crate) fn table_key(&self) -> u64 {
        self.key ^ u64::from(self.excluded.bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Who moves: White is Max.
    #[must_use]
    #[inline(always)]
    pub fn side(&self) -> Side {
        match self.board.side_to_move() {
            Color::White => Side::Max,
            Color::Black => Side::Min,
        }
    }

    /// Whether the side to move is in check.
    #[must_use]
    #[inline(always)]
    pub fn in_check(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    /// The move left out here; none usually.
    #[inline(always)]
    pub(crate) fn excluded(&self) -> PackedMove {
        self.excluded
    }

    /// How many positions before this one could be the same one again: as many as there were since the last capture, pawn move or
    /// lost right, as far as they are known.
    #[inline(always)]
    pub(crate) fn reversible(&self) -> usize {
        usize::from(self.reversible)
    }

    /// Says that so many positions before this one are known and could be the same.
    pub(crate) fn set_reversible(&mut self, count: u16) {
        self.reversible = count;
    }

    /// The piece that moved last and where to, as 64 times the piece plus the square; [`NO_PIECE`] if none did.
    #[inline(always)]
    pub(crate) fn last(&self) -> usize {
        usize::from(self.last)
    }

    /// Whether the side to move may be in zugzwang: beside king and pawns it has at most one knight or bishop.
    #[inline(always)]
    pub(crate) fn may_be_zugzwang(&self) -> bool {
        let board = &self.board;
        let own = board.colors(board.side_to_move());
        let minor = own & (board.pieces(Piece::Knight) | board.pieces(Piece::Bishop));
        let major = own & (board.pieces(Piece::Rook) | board.pieces(Piece::Queen));
        major.is_empty() && minor.len() <= 1
    }

    /// Whether `chosen` takes a piece or promotes a pawn.
    #[inline(always)]
    pub(crate) fn is_tactical(&self, chosen: PackedMove) -> bool {
        if chosen.promotion().is_some() {
            return true;
        }
        let (from, to) = (chosen.from(), chosen.to());
        let board = &self.board;
        board.colors(!board.side_to_move()).has(to)
            // A pawn that leaves its file takes, if only en passant.
            || (board.pieces(Piece::Pawn).has(from) && from.file() != to.file())
    }

    /// The position after a move that is legal here.
    ///
    /// # Panics
    /// If no piece stands where the move begins.
    #[must_use]
    pub fn after(&self, chosen: Move) -> Position {
        self.play(Choice::plain(PackedMove::new(chosen), Kind::Quiet))
    }

    /// The position after a choice of the search.
    #[inline]
    pub(crate) fn play(&self, choice: Choice) -> Position {
        match choice.kind {
            Kind::Null => self.passed(),
            Kind::Without => Position { excluded: choice.code, reversible: 0, ..self.clone() },
            _ => self.moved(choice.code.unpack()),
        }
    }

    /// The position if the side to move may not move. It is not in check.
    fn passed(&self) -> Position {
        // A side in check is never asked to pass; if it were, nothing would change.
        let board = self.board.null_move().unwrap_or_else(|| self.board.clone());
        let key = board.hash_without_ep();
        Position { board, key, reversible: 0, excluded: PackedMove::NONE, last: NO_PIECE as u16, ..*self }
    }

    fn moved(&self, chosen: Move) -> Position {
        let mut next = Position {
            board: self.board.clone(),
            key: 0,
            sum: self.sum,
            phase: self.phase,
            reversible: 0,
            excluded: PackedMove::NONE,
            last: 0,
        };
        let board = &self.board;
        let mover = board.side_to_move();
        let piece = board.piece_on(chosen.from).unwrap_or(Piece::Pawn);
        let mut change = -placed(piece, mover, chosen.from);
        let mut landed = piece;
        let mut to = chosen.to;
        if board.colors(mover).has(chosen.to) {
            // The king takes his own rook: castling.
            let short = chosen.from.file() < chosen.to.file();
            let rank = Rank::First.relative_to(mover);
            let (king_to, rook_to) = if short { (6, 5) } else { (2, 3) };
            change -= placed(Piece::Rook, mover, chosen.to);
            change += placed(Piece::Rook, mover, Square::index(rook_to + 8 * rank as usize));
            to = Square::index(king_to + 8 * rank as usize);
        } else {
            if let Some(promotion) = chosen.promotion {
                landed = promotion;
                next.phase += phase_of(promotion);
            }
            if let Some(victim) = board.piece_on(chosen.to) {
                change += placed(victim, !mover, chosen.to);
                next.phase -= phase_of(victim);
            } else if piece == Piece::Pawn && chosen.from.file() != chosen.to.file() {
                let taken = Square::new(chosen.to.file(), chosen.from.rank());
                change += placed(Piece::Pawn, !mover, taken);
            }
        }
        change += placed(landed, mover, to);
        next.sum += if mover == Color::White { change } else { -change };
        next.last = (landed as u16) << 6 | to as u16;
        next.board.play_unchecked(chosen);
        next.key = key_of(&next.board);
        // The clock tells captures and pawn moves; lost castling rights are in the key, so that it need not be exact.
        if next.board.halfmove_clock() > 0 {
            next.reversible = self.reversible + 1;
        }
        next
    }
}

/// The key of a board, in which an en passant square counts only if a capture on it is legal.
#[inline(always)]
fn key_of(board: &Board) -> u64 {
    match board.en_passant() {
        None => board.hash(),
        Some(_) => key_with_en_passant(board),
    }
}

#[inline(never)]
fn key_with_en_passant(board: &Board) -> u64 {
    let Some(file) = board.en_passant() else { return board.hash() };
    let mover = board.side_to_move();
    let to = Square::new(file, Rank::Sixth.relative_to(mover));
    let takers = get_pawn_attacks(to, !mover) & board.colored_pieces(mover, Piece::Pawn);
    let is_possible = takers.into_iter().any(|from| board.is_legal(Move { from, to, promotion: None }));
    if is_possible { board.hash() } else { board.hash_without_ep() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Plays at random and compares what is kept with what is counted afresh.
    fn check_random_game(start: Board, choices: &[u16]) {
        let mut position = Position::new(start);
        for &choice in choices {
            let mut moves = Vec::new();
            position.board().generate_moves(|set| {
                moves.extend(set);
                false
            });
            if moves.is_empty() {
                return;
            }
            position = position.after(moves[usize::from(choice) % moves.len()]);
            let fresh = Position::new(position.board().clone());
            assert_eq!(
                (position.sum, position.phase, position.key),
                (fresh.sum, fresh.phase, fresh.key),
                "{}",
                position.board()
            );
        }
    }

    proptest! {
        #[test]
        fn sums_and_keys_are_kept_right(
            start in 0..960_u32, choices in proptest::collection::vec(any::<u16>(), 0..120)
        ) {
            check_random_game(Board::chess960_startpos(start), &choices);
        }
    }

    #[test]
    fn an_en_passant_square_counts_only_with_a_capture() {
        let key = |fen: &str| Position::new(crate::parse_fen(fen).expect(fen)).key();
        // Nobody stands beside the pawn.
        assert_eq!(
            key("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"),
            key("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
        );
        // The capture would leave the king in check.
        assert_eq!(key("q6k/8/8/3pP3/8/8/8/7K w - d6 0 1"), key("q6k/8/8/3pP3/8/8/8/7K w - - 0 1"));
        assert_ne!(key("7k/8/8/3pP3/8/8/8/7K w - d6 0 1"), key("7k/8/8/3pP3/8/8/8/7K w - - 0 1"));
    }
}
