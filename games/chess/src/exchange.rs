//! What a series of captures on one square comes to: static exchange evaluation.

use cozy_chess::{
    BitBoard, Board, Color, Move, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};
use dts_engine::Value;

/// What a piece is worth in an exchange. A king is worth more than all else: whoever could take him would.
#[inline(always)]
pub(crate) const fn worth(piece: Piece) -> Value {
    match piece {
        Piece::Pawn => 100,
        Piece::Knight | Piece::Bishop => 300,
        Piece::Rook => 500,
        Piece::Queen => 900,
        Piece::King => 20_000,
    }
}

const LEAST_FIRST: [Piece; 6] =
    [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];

/// All pieces of both sides that could take on `square` with the pieces of `occupied` on the board.
#[inline]
fn attackers(board: &Board, square: Square, occupied: BitBoard) -> BitBoard {
    let queens = board.pieces(Piece::Queen);
    let pawns = board.pieces(Piece::Pawn);
    (get_pawn_attacks(square, Color::Black) & pawns & board.colors(Color::White))
        | (get_pawn_attacks(square, Color::White) & pawns & board.colors(Color::Black))
        | (get_knight_moves(square) & board.pieces(Piece::Knight))
        | (get_king_moves(square) & board.pieces(Piece::King))
        | (get_bishop_moves(square, occupied) & (board.pieces(Piece::Bishop) | queens))
        | (get_rook_moves(square, occupied) & (board.pieces(Piece::Rook) | queens))
}

/// What the mover wins by `chosen`, in hundredths of a pawn, if both sides then take on its square as long as that pays, the least
/// valuable piece first. Pins are not looked at; castling wins nothing.
#[must_use]
pub fn exchange_value(board: &Board, chosen: Move) -> Value {
    let mut side = board.side_to_move();
    if board.colors(side).has(chosen.to) {
        return 0;
    }
    let Some(mut standing) = board.piece_on(chosen.from) else { return 0 };
    let mut occupied = board.occupied() ^ chosen.from.bitboard();
    let mut first = board.piece_on(chosen.to).map_or(0, worth);
    if standing == Piece::Pawn && first == 0 && chosen.from.file() != chosen.to.file() {
        first = worth(Piece::Pawn);
        occupied ^= Square::new(chosen.to.file(), chosen.from.rank()).bitboard();
    }
    if let Some(promotion) = chosen.promotion {
        first += worth(promotion) - worth(Piece::Pawn);
        standing = promotion;
    }
    occupied |= chosen.to.bitboard();

    let diagonal = board.pieces(Piece::Bishop) | board.pieces(Piece::Queen);
    let straight = board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    let mut takers = attackers(board, chosen.to, occupied) & occupied;
    let mut gains = [0; 33];
    gains[0] = first;
    let mut count = 0;
    loop {
        side = !side;
        let own = takers & board.colors(side);
        let Some(piece) = LEAST_FIRST.into_iter().find(|&piece| !(own & board.pieces(piece)).is_empty())
        else {
            break;
        };
        count += 1;
        gains[count] = worth(standing) - gains[count - 1];
        if count == 32 {
            break;
        }
        let from = (own & board.pieces(piece)).next_square().unwrap_or(chosen.to);
        occupied ^= from.bitboard();
        standing = piece;
        // What stood behind the piece that has taken can take now.
        if matches!(piece, Piece::Pawn | Piece::Bishop | Piece::Queen) {
            takers |= get_bishop_moves(chosen.to, occupied) & diagonal;
        }
        if matches!(piece, Piece::Rook | Piece::Queen) {
            takers |= get_rook_moves(chosen.to, occupied) & straight;
        }
        takers &= occupied;
    }
    while count > 0 {
        gains[count - 1] = -gains[count].max(-gains[count - 1]);
        count -= 1;
    }
    gains[0]
}

/// Whether a capture or promotion does not lose material.
#[inline]
pub(crate) fn is_sound(board: &Board, chosen: Move) -> bool {
    let taken = board.piece_on(chosen.to).map_or(0, worth);
    let taker = board.piece_on(chosen.from).map_or(0, worth);
    taken >= taker || exchange_value(board, chosen) >= 0
}

/// The most that a capture or promotion wins by [`exchange_value`]; 0 if none wins anything.
#[must_use]
pub fn best_exchange(board: &Board) -> Value {
    let mut best = 0;
    board.generate_moves(|set| {
        for chosen in set {
            best = best.max(exchange_value(board, chosen));
        }
        false
    });
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same by trying: every side takes with its least valuable piece or stops, on a board of plain squares.
    fn slow(board: &Board, chosen: Move) -> Value {
        type Squares = [Option<(Piece, Color)>; 64];
        fn rays(squares: &Squares, to: usize, steps: &[(i8, i8)], far: bool) -> Vec<usize> {
            let mut seen = Vec::new();
            for &(files, ranks) in steps {
                let (mut file, mut rank) = ((to % 8) as i8, (to / 8) as i8);
                loop {
                    file += files;
                    rank += ranks;
                    if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                        break;
                    }
                    let at = (rank * 8 + file) as usize;
                    seen.push(at);
                    if squares[at].is_some() || !far {
                        break;
                    }
                }
            }
            seen
        }
        const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
        const STRAIGHT: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
        const JUMPS: [(i8, i8); 8] = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];
        fn least_taker(squares: &Squares, to: usize, side: Color) -> Option<usize> {
            let has = |at: &usize, piece: Piece| squares[*at] == Some((piece, side));
            let down = if side == Color::White { -1 } else { 1 };
            let pawns = rays(squares, to, &[(1, down), (-1, down)], false);
            let jumps = rays(squares, to, &JUMPS, false);
            let diagonal = rays(squares, to, &DIAGONAL, true);
            let straight = rays(squares, to, &STRAIGHT, true);
            let near = [rays(squares, to, &DIAGONAL, false), rays(squares, to, &STRAIGHT, false)].concat();
            let lines = [diagonal.clone(), straight.clone()].concat();
            // Of several alike the one on the lowest square: it may matter which line is opened.
            let find = |places: &[usize], piece| places.iter().copied().filter(|at| has(at, piece)).min();
            find(&pawns, Piece::Pawn)
                .or_else(|| find(&jumps, Piece::Knight))
                .or_else(|| find(&diagonal, Piece::Bishop))
                .or_else(|| find(&straight, Piece::Rook))
                .or_else(|| find(&lines, Piece::Queen))
                .or_else(|| find(&near, Piece::King))
        }
        fn best(squares: &Squares, to: usize, side: Color) -> Value {
            let Some(from) = least_taker(squares, to, side) else { return 0 };
            let mut next = *squares;
            let won = next[to].map_or(0, |(piece, _)| worth(piece));
            next[to] = next[from].take();
            (won - best(&next, to, !side)).max(0)
        }

        let side = board.side_to_move();
        let mut squares: Squares = std::array::from_fn(|at| {
            let square = Square::index(at);
            board.piece_on(square).zip(board.color_on(square))
        });
        let (from, to) = (chosen.from as usize, chosen.to as usize);
        let moved = squares[from].take();
        let mut won = squares[to].map_or(0, |(piece, _)| worth(piece));
        if moved == Some((Piece::Pawn, side)) && squares[to].is_none() && from % 8 != to % 8 {
            squares[from / 8 * 8 + to % 8] = None;
            won = worth(Piece::Pawn);
        }
        squares[to] = moved;
        if let Some(promotion) = chosen.promotion {
            squares[to] = Some((promotion, side));
            won += worth(promotion) - worth(Piece::Pawn);
        }
        won - best(&squares, to, !side)
    }

    #[test]
    fn exchanges_are_as_trying_them_says() {
        let mut compared = 0;
        for line in
            include_str!("../data/wac.epd").lines().chain(include_str!("../data/kaufman25.epd").lines())
        {
            let fen: Vec<_> = line.split_whitespace().take(4).collect();
            let root = crate::parse_fen(&fen.join(" ")).expect("a position of the suite");
            let mut boards = vec![root.clone()];
            root.generate_moves(|set| {
                for chosen in set {
                    let mut next = root.clone();
                    next.play_unchecked(chosen);
                    boards.push(next);
                }
                false
            });
            for board in boards {
                board.generate_moves(|set| {
                    for chosen in set {
                        if board.colors(board.side_to_move()).has(chosen.to) {
                            continue;
                        }
                        assert_eq!(
                            exchange_value(&board, chosen),
                            slow(&board, chosen),
                            "{chosen} on {board}"
                        );
                        compared += 1;
                    }
                    false
                });
            }
        }
        assert!(compared > 100_000, "{compared}");
    }
}
