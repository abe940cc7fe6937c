//! Draws by rule, seen from inside a search: repetition, fifty moves, too little material.

use cozy_chess::{BitBoard, Board, Piece};
use dts_engine::Node;

use crate::memory::GameBefore;
use crate::position::Position;

/// Whether neither side can ever mate: bare kings, one minor piece, or bishops on squares of one colour only.
#[must_use]
#[inline]
pub(crate) fn is_dead(board: &Board) -> bool {
    let heavy = board.pieces(Piece::Pawn) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    if !heavy.is_empty() {
        return false;
    }
    let knights = board.pieces(Piece::Knight);
    let bishops = board.pieces(Piece::Bishop);
    if knights.is_empty() {
        return bishops.is_subset(BitBoard::DARK_SQUARES) || bishops.is_subset(BitBoard::LIGHT_SQUARES);
    }
    knights.len() == 1 && bishops.is_empty()
}

/// Whether the node's position is a draw by repetition: it was there before in this search, or twice in the game.
///
/// Once in the game is not enough: the opponent may still leave the circle. Once in the search is: whoever could go round once can
/// do so again.
#[inline]
pub(crate) fn is_repeated(node: &Node<'_, Position>, before: &GameBefore) -> bool {
    let position = node.position();
    let reach = position.reversible();
    if reach < 4 {
        return false;
    }
    let path = node.path();
    let here = path.len() - 1;
    let key = position.key();
    let mut back = 4;
    while back <= reach.min(here) {
        if path[here - back].key() == key {
            return true;
        }
        back += 2;
    }
    // The rest of the way back is the game before the search.
    reach > here && before.count(key, here, reach) >= 2
}

/// Whether fifty moves have passed without a capture or a pawn move. A mate on the last of them counts more.
#[inline]
pub(crate) fn is_over_by_clock(position: &Position) -> bool {
    position.board().halfmove_clock() >= 100
        && (!position.in_check() || position.board().generate_moves(|_| true))
}
