//! Which features a position has.

use cozy_chess::{
    BitBoard, Board, Color, File, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};

use super::feature::*;
use crate::pawns::{AHEAD, PASSAGE, beside, pawn_attacks, rank_for};

/// Told which features there are.
pub(crate) trait Recorder {
    /// `color` has `feature`, `count` times.
    fn add(&mut self, color: Color, feature: usize, count: i32);
}

/// The pawn structure; the passed pawns of both sides.
pub(crate) fn pawns(board: &Board, recorder: &mut impl Recorder) -> BitBoard {
    let mut passed = BitBoard::EMPTY;
    for color in Color::ALL {
        let own = board.colored_pieces(color, Piece::Pawn);
        let other = board.colored_pieces(!color, Piece::Pawn);
        let own_attacks = pawn_attacks(own, color);
        let other_attacks = pawn_attacks(other, !color);
        for square in own {
            let (file, rank) = (square.file(), rank_for(color, square));
            let neighbours = own & beside(file);
            if !(AHEAD[color as usize][square as usize] & own).is_empty() {
                recorder.add(color, PAWN_DOUBLED, 1);
            } else if (PASSAGE[color as usize][square as usize] & other).is_empty() {
                recorder.add(color, PASSED + rank, 1);
                passed |= square.bitboard();
            }
            if own_attacks.has(square) {
                recorder.add(color, PAWN_SUPPORTED + rank, 1);
            }
            if !(neighbours & square.rank().bitboard()).is_empty() {
                recorder.add(color, PAWN_PHALANX + rank, 1);
            }
            if neighbours.is_empty() {
                recorder.add(color, PAWN_ISOLATED, 1);
            } else if (neighbours & !PASSAGE[color as usize][square as usize]).is_empty()
                && other_attacks.has(ahead_of(color, square))
            {
                recorder.add(color, PAWN_BACKWARD, 1);
            }
        }
    }
    passed
}

/// The square before a pawn.
#[inline(always)]
fn ahead_of(color: Color, square: Square) -> Square {
    // Pawns stand on neither of the outer ranks.
    match color {
        Color::White => Square::index((square as usize + 8) & 63),
        Color::Black => Square::index((square as usize + 56) & 63),
    }
}

/// What both sides have in common while the pieces are looked at.
struct Field {
    occupied: BitBoard,
    /// By colour: the squares that pawns attack.
    by_pawns: [BitBoard; 2],
    /// By colour: the squares near the king.
    near_king: [BitBoard; 2],
}

/// What one side's pieces attack.
#[derive(Clone, Copy)]
struct Attacks {
    all: BitBoard,
    by_knights: BitBoard,
    by_bishops: BitBoard,
    by_rooks: BitBoard,
    by_queens: BitBoard,
    /// How much bears on the other king.
    pressure: i32,
    attackers: i32,
}

/// Everything but material, places and pawn structure.
#[inline]
pub(crate) fn pieces(board: &Board, passed: BitBoard, recorder: &mut impl Recorder) {
    let pawns = board.pieces(Piece::Pawn);
    let near = |color| {
        let king = board.king(color);
        get_king_moves(king) | king.bitboard()
    };
    let field = Field {
        occupied: board.occupied(),
        by_pawns: [
            pawn_attacks(pawns & board.colors(Color::White), Color::White),
            pawn_attacks(pawns & board.colors(Color::Black), Color::Black),
        ],
        near_king: [near(Color::White), near(Color::Black)],
    };
    let white = activity::<true>(board, &field, passed, recorder);
    let black = activity::<false>(board, &field, passed, recorder);
    against::<true>(board, &field, &white, &black, recorder);
    against::<false>(board, &field, &black, &white, recorder);
    if !passed.is_empty() {
        passed_pawns::<true>(board, &field, passed, &black, recorder);
        passed_pawns::<false>(board, &field, passed, &white, recorder);
    }
    shelter::<true>(board, recorder);
    shelter::<false>(board, recorder);
    recorder.add(board.side_to_move(), TEMPO, 1);
}

const fn color_of(white: bool) -> Color {
    if white { Color::White } else { Color::Black }
}

/// Mobility and places of one side's pieces.
#[inline(always)]
fn activity<const WHITE: bool>(
    board: &Board,
    field: &Field,
    passed: BitBoard,
    recorder: &mut impl Recorder,
) -> Attacks {
    let color = color_of(WHITE);
    let own = board.colors(color);
    let own_pawns = own & board.pieces(Piece::Pawn);
    let other_pawns = board.colors(!color) & board.pieces(Piece::Pawn);
    let other_by_pawns = field.by_pawns[!color as usize];
    let area = !(own_pawns | (own & board.pieces(Piece::King)) | other_by_pawns);
    let target = field.near_king[!color as usize];
    let queens = own & board.pieces(Piece::Queen);
    let mut found = Attacks {
        all: field.by_pawns[color as usize] | get_king_moves(board.king(color)),
        by_knights: BitBoard::EMPTY,
        by_bishops: BitBoard::EMPTY,
        by_rooks: BitBoard::EMPTY,
        by_queens: BitBoard::EMPTY,
        pressure: 0,
        attackers: 0,
    };
    let bears = |found: &mut Attacks, attacks: BitBoard, weight: i32| {
        let near = (attacks & target).len() as i32;
        if near > 0 {
            found.attackers += 1;
            found.pressure += weight + near;
        }
    };
    let behind_pawn = if WHITE {
        BitBoard(board.pieces(Piece::Pawn).0 >> 8)
    } else {
        BitBoard(board.pieces(Piece::Pawn).0 << 8)
    };

    for square in own & board.pieces(Piece::Knight) {
        let attacks = get_knight_moves(square);
        recorder.add(color, MOBILITY_KNIGHT + (attacks & area).len() as usize, 1);
        found.by_knights |= attacks;
        bears(&mut found, attacks, 2);
        if is_outpost::<WHITE>(field, other_pawns, square) {
            recorder.add(color, OUTPOST_KNIGHT, 1);
        }
        if behind_pawn.has(square) {
            recorder.add(color, MINOR_BEHIND_PAWN, 1);
        }
    }
    let bishops = own & board.pieces(Piece::Bishop);
    for square in bishops {
        // Through the own queen: they support each other.
        let attacks = get_bishop_moves(square, field.occupied ^ queens);
        recorder.add(color, MOBILITY_BISHOP + (attacks & area).len() as usize, 1);
        found.by_bishops |= attacks;
        bears(&mut found, attacks, 2);
        if is_outpost::<WHITE>(field, other_pawns, square) {
            recorder.add(color, OUTPOST_BISHOP, 1);
        }
        if behind_pawn.has(square) {
            recorder.add(color, MINOR_BEHIND_PAWN, 1);
        }
        let same =
            if BitBoard::DARK_SQUARES.has(square) { BitBoard::DARK_SQUARES } else { BitBoard::LIGHT_SQUARES };
        recorder.add(color, BISHOP_PAWNS, (own_pawns & same).len() as i32);
    }
    if bishops.len() >= 2 {
        recorder.add(color, BISHOP_PAIR, 1);
    }
    let rooks = own & board.pieces(Piece::Rook);
    for square in rooks {
        let attacks = get_rook_moves(square, field.occupied ^ queens ^ rooks | square.bitboard());
        recorder.add(color, MOBILITY_ROOK + (attacks & area).len() as usize, 1);
        found.by_rooks |= attacks;
        bears(&mut found, attacks, 3);
        let file = square.file().bitboard();
        if (file & own_pawns).is_empty() {
            let open = (file & other_pawns).is_empty();
            recorder.add(color, if open { ROOK_OPEN } else { ROOK_HALF_OPEN }, 1);
        } else if !(AHEAD[color as usize][square as usize] & passed & own).is_empty() {
            recorder.add(color, ROOK_BEHIND_PASSED, 1);
        }
    }
    for square in queens {
        let attacks = get_bishop_moves(square, field.occupied) | get_rook_moves(square, field.occupied);
        recorder.add(color, MOBILITY_QUEEN + ((attacks & area).len() as usize).min(27), 1);
        found.by_queens |= attacks;
        bears(&mut found, attacks, 4);
    }
    found.all |= found.by_knights | found.by_bishops | found.by_rooks | found.by_queens;
    found
}

/// Whether a piece on `square` is defended by a pawn and can never be attacked by one.
#[inline(always)]
fn is_outpost<const WHITE: bool>(field: &Field, other_pawns: BitBoard, square: Square) -> bool {
    let color = color_of(WHITE);
    let far = if WHITE {
        Rank::Fourth.bitboard() | Rank::Fifth.bitboard() | Rank::Sixth.bitboard()
    } else {
        Rank::Fifth.bitboard() | Rank::Fourth.bitboard() | Rank::Third.bitboard()
    };
    (far & field.by_pawns[color as usize]).has(square)
        && (PASSAGE[color as usize][square as usize] & beside(square.file()) & other_pawns).is_empty()
}

/// What one side threatens, and how much its attack on the king is worth.
#[inline(always)]
fn against<const WHITE: bool>(
    board: &Board,
    field: &Field,
    own: &Attacks,
    other: &Attacks,
    recorder: &mut impl Recorder,
) {
    let color = color_of(WHITE);
    let targets = board.colors(!color);
    let minors = targets & (board.pieces(Piece::Knight) | board.pieces(Piece::Bishop));
    let rooks = targets & board.pieces(Piece::Rook);
    let queens = targets & board.pieces(Piece::Queen);
    let by_pawns = field.by_pawns[color as usize];
    let by_minors = own.by_knights | own.by_bishops;
    let mut hits = |attacks: BitBoard, targets: BitBoard, feature: usize| {
        let count = (attacks & targets).len() as i32;
        recorder.add(color, feature, count);
    };
    hits(by_pawns, minors, PAWN_HITS_MINOR);
    hits(by_pawns, rooks, PAWN_HITS_ROOK);
    hits(by_pawns, queens, PAWN_HITS_QUEEN);
    hits(by_minors, rooks, MINOR_HITS_ROOK);
    hits(by_minors, queens, MINOR_HITS_QUEEN);
    hits(own.by_rooks, queens, ROOK_HITS_QUEEN);
    let hanging = targets & own.all & !other.all;
    let pawns = board.pieces(Piece::Pawn);
    hits(hanging & pawns, targets, HANGING_PAWN);
    hits(hanging & !pawns, targets, HANGING_PIECE);

    if own.attackers >= 2 || (own.attackers == 1 && !own.by_queens.is_empty()) {
        let king = board.king(!color);
        let safe = !other.all & !board.colors(color);
        let diagonal = get_bishop_moves(king, field.occupied);
        let straight = get_rook_moves(king, field.occupied);
        let mut pressure = own.pressure;
        if !(get_knight_moves(king) & own.by_knights & safe).is_empty() {
            pressure += 3;
        }
        if !(diagonal & own.by_bishops & safe).is_empty() {
            pressure += 2;
        }
        if !(straight & own.by_rooks & safe).is_empty() {
            pressure += 4;
        }
        if !((diagonal | straight) & own.by_queens & safe).is_empty() {
            pressure += 3;
        }
        // Squares beside the king that only he defends.
        let weak = field.near_king[!color as usize]
            & own.all
            & !(field.by_pawns[!color as usize]
                | other.by_knights
                | other.by_bishops
                | other.by_rooks
                | other.by_queens);
        pressure += weak.len() as i32;
        if own.by_queens.is_empty() {
            pressure /= 2;
        }
        recorder.add(color, DANGER + pressure.min(31) as usize, 1);
    }
}

/// What becomes of one side's passed pawns.
#[inline(always)]
fn passed_pawns<const WHITE: bool>(
    board: &Board,
    field: &Field,
    passed: BitBoard,
    other: &Attacks,
    recorder: &mut impl Recorder,
) {
    let color = color_of(WHITE);
    for square in passed & board.colors(color) {
        let rank = rank_for(color, square);
        let next = ahead_of(color, square);
        if field.occupied.has(next) {
            recorder.add(color, PASSED_BLOCKED + rank, 1);
        } else if !other.all.has(next) {
            recorder.add(color, PASSED_SAFE + rank, 1);
        }
        if rank >= 3 {
            recorder.add(color, PASSED_OWN_KING + distance(board.king(color), next), 1);
            recorder.add(color, PASSED_OTHER_KING + distance(board.king(!color), next), 1);
        }
    }
}

/// How many moves a king needs from one square to another.
#[inline(always)]
fn distance(from: Square, to: Square) -> usize {
    let files = (from.file() as i32 - to.file() as i32).unsigned_abs();
    let ranks = (from.rank() as i32 - to.rank() as i32).unsigned_abs();
    files.max(ranks) as usize
}

/// The pawns before one side's king.
#[inline(always)]
fn shelter<const WHITE: bool>(board: &Board, recorder: &mut impl Recorder) {
    let color = color_of(WHITE);
    let king = board.king(color);
    let centre = (king.file() as usize).clamp(1, 6);
    let pawns = board.pieces(Piece::Pawn);
    let (own, other) = (pawns & board.colors(color), pawns & board.colors(!color));
    for file in centre - 1..=centre + 1 {
        let from = Square::new(File::index(file), king.rank());
        let ahead = AHEAD[color as usize][from as usize] | from.bitboard();
        let nearest = |pawns: BitBoard| -> usize {
            let near = if WHITE {
                (ahead & pawns).0.trailing_zeros() / 8
            } else {
                7 - (63 - (ahead & pawns).0.leading_zeros().min(63)) / 8
            };
            if (ahead & pawns).is_empty() {
                return 0;
            }
            (near as usize - rank_for(color, king)).clamp(1, 7)
        };
        let own_feature = if file == king.file() as usize { SHELTER_FILE } else { SHELTER_BESIDE };
        recorder.add(color, own_feature + nearest(own), 1);
        recorder.add(color, STORM + nearest(other), 1);
    }
}

/// How much of the endgame's value counts, from 0 to 64, where `end` is that value from White's side: a side without pawns needs more
/// than a minor piece more to win, and bishops of opposite colours draw much.
#[inline(always)]
pub(crate) fn scale_of(board: &Board, end: i32) -> i32 {
    let strong = if end > 0 { Color::White } else { Color::Black };
    let pawns = board.pieces(Piece::Pawn);
    if (pawns & board.colors(strong)).is_empty() {
        let force = |color: Color| -> u32 {
            let own = board.colors(color);
            let minors = board.pieces(Piece::Knight) | board.pieces(Piece::Bishop);
            3 * (own & minors).len()
                + 5 * (own & board.pieces(Piece::Rook)).len()
                + 9 * (own & board.pieces(Piece::Queen)).len()
        };
        let (more, less) = (force(strong), force(!strong));
        if more <= less + 3 {
            return if more <= 3 { 0 } else { 8 };
        }
        let only_knights = (board.colors(strong) & board.pieces(Piece::Knight)).len() * 3 == more;
        if only_knights && more <= 6 && (pawns & board.colors(!strong)).is_empty() {
            return 0;
        }
        return 64;
    }
    let bishops = board.pieces(Piece::Bishop);
    let heavy = board.pieces(Piece::Knight) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    let one_each = (bishops & board.colors(Color::White)).len() == 1
        && (bishops & board.colors(Color::Black)).len() == 1;
    if heavy.is_empty() && one_each && (bishops & BitBoard::DARK_SQUARES).len() == 1 {
        return 32;
    }
    64
}
