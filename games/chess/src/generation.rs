//! Moves on a list, with what puts them in order: captures, quiet moves, all moves of a root.

use arrayvec::ArrayVec;
use cozy_chess::{
    BitBoard, Board, Move, Piece, Rank, get_bishop_moves, get_knight_moves, get_pawn_attacks, get_rook_moves,
};
use dts_engine::Value;

use crate::choice::PackedMove;
use crate::exchange::{is_sound, worth};
use crate::history::{Context, History};
use crate::position::Position;

/// No position has more moves than this.
const MOST_MOVES: usize = 218;

/// A move and how early it comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scored {
    pub(crate) score: i32,
    pub(crate) code: PackedMove,
    /// Whether it is known to give check.
    pub(crate) checks: bool,
}

/// Moves with what puts them in order.
pub(crate) type Scores = ArrayVec<Scored, MOST_MOVES>;

#[inline(always)]
fn push(list: &mut Scores, score: i32, code: PackedMove, checks: bool) {
    // There is room for the moves of every position that can be reached; of one that cannot, some are left out.
    let _ = list.try_push(Scored { score, code, checks });
}

/// What a quiescence leaves out of the captures.
#[derive(Clone, Copy)]
pub(crate) struct OnlyWorthwhile {
    /// The table's move, which comes first.
    pub(crate) table: PackedMove,
    /// Captures that win less are left out.
    pub(crate) least_gain: Value,
}

/// Where a pawn of the side to move takes en passant.
#[inline(always)]
fn en_passant(board: &Board) -> BitBoard {
    let rank = Rank::Sixth.relative_to(board.side_to_move()).bitboard();
    board.en_passant().map_or(BitBoard::EMPTY, |file| file.bitboard() & rank)
}

/// Where pawns of the side to move promote.
#[inline(always)]
fn last_rank(board: &Board) -> BitBoard {
    Rank::Eighth.relative_to(board.side_to_move()).bitboard()
}

/// Lists captures and promotions; for a quiescence, of the promotions only those to a queen, and of the captures those that are worth it.
pub(crate) fn list_captures(list: &mut Scores, position: &Position, only: Option<OnlyWorthwhile>) {
    let board = position.board();
    let theirs = board.colors(!board.side_to_move());
    let pawn_targets = theirs | last_rank(board) | en_passant(board);
    let excluded = position.excluded();
    board.generate_moves(|mut set| {
        set.to &= if set.piece == Piece::Pawn { pawn_targets } else { theirs };
        for chosen in set {
            let code = PackedMove::new(chosen);
            if code == excluded {
                continue;
            }
            let mut score = capture_score(board, set.piece, chosen);
            if let Some(OnlyWorthwhile { table, least_gain }) = only {
                let is_small = match chosen.promotion {
                    Some(piece) => piece != Piece::Queen,
                    None => worth(board.piece_on(chosen.to).unwrap_or(Piece::Pawn)) < least_gain,
                };
                if is_small {
                    continue;
                }
                if code == table {
                    score = i32::MAX;
                }
            }
            push(list, score, code, false);
        }
        false
    });
}

/// Lists quiet moves but those of `told`, or, with `only_checks`, those of them that give check without losing anything.
pub(crate) fn list_quiets(
    list: &mut Scores,
    position: &Position,
    history: &History,
    only_checks: bool,
    told: [PackedMove; 4],
) {
    let board = position.board();
    let checks = squares_of_check(board);
    let theirs = board.colors(!board.side_to_move());
    let (last_rank, en_passant) = (last_rank(board), en_passant(board));
    let context = Context::of(position);
    let excluded = position.excluded();
    board.generate_moves(|mut set| {
        set.to &= !theirs;
        if set.piece == Piece::Pawn {
            set.to &= !(last_rank | (en_passant & !set.from.file().bitboard()));
        }
        for chosen in set {
            let code = PackedMove::new(chosen);
            let checks = checks[set.piece as usize].has(chosen.to);
            if code == excluded
                || told.contains(&code)
                || (only_checks && !(checks && is_sound(board, chosen)))
            {
                continue;
            }
            push(list, history.score(context, code, set.piece as usize), code, checks);
        }
        false
    });
}

/// Lists the moves of a root, or those of them that are `wanted`: the table's first, then captures that lose nothing, quiet moves by
/// their history, and captures that lose something.
pub(crate) fn list_of_root(
    list: &mut Scores,
    position: &Position,
    table: PackedMove,
    wanted: &[Move],
    history: &History,
) {
    let board = position.board();
    let context = Context::of(position);
    board.generate_moves(|set| {
        for chosen in set {
            if !wanted.is_empty() && !wanted.contains(&chosen) {
                continue;
            }
            let code = PackedMove::new(chosen);
            let score = if code == table {
                i32::MAX
            } else if !position.is_tactical(code) {
                history.score(context, code, set.piece as usize)
            } else {
                let order = if is_sound(board, chosen) { 1_000_000 } else { -1_000_000 };
                order + capture_score(board, set.piece, chosen)
            };
            push(list, score, code, false);
        }
        false
    });
}

/// By piece: the squares from which it would give check.
#[inline(always)]
fn squares_of_check(board: &Board) -> [BitBoard; 6] {
    let mover = board.side_to_move();
    let king = board.king(!mover);
    let occupied = board.occupied();
    let (diagonal, straight) = (get_bishop_moves(king, occupied), get_rook_moves(king, occupied));
    let pawn = get_pawn_attacks(king, !mover);
    [pawn, get_knight_moves(king), diagonal, straight, diagonal | straight, BitBoard::EMPTY]
}

/// The most valuable victim first, of the same victims the least valuable taker.
#[inline(always)]
fn capture_score(board: &Board, piece: Piece, chosen: Move) -> i32 {
    let mut won = board.piece_on(chosen.to).map_or(if piece == Piece::Pawn { 100 } else { 0 }, worth);
    if let Some(promotion) = chosen.promotion {
        won += match promotion {
            Piece::Queen => 800,
            _ => -1_000,
        };
        if board.piece_on(chosen.to).is_none() {
            won -= 100;
        }
    }
    won * 16 - piece as i32
}
