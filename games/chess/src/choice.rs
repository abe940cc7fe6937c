//! A move as the search passes it on: packed, and with what its source thought of it.

use cozy_chess::{Move, Piece, Square};

/// A move in sixteen bits: from, to, and the piece a pawn becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PackedMove(u16);

impl PackedMove {
    /// No move.
    pub const NONE: PackedMove = PackedMove(0);

    /// Packs a move; castling is the king's move onto its own rook.
    #[must_use]
    #[inline(always)]
    pub fn new(chosen: Move) -> PackedMove {
        // Knight is 1 and queen 4: no pawn becomes a pawn, so that 0 is none.
        let promotion = chosen.promotion.map_or(0, |piece| piece as u16);
        PackedMove(chosen.from as u16 | (chosen.to as u16) << 6 | promotion << 12)
    }

    /// Whether this is no move.
    #[must_use]
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Where the piece stands.
    #[must_use]
    #[inline(always)]
    pub fn from(self) -> Square {
        Square::index(usize::from(self.0 & 63))
    }

    /// Where it goes.
    #[must_use]
    #[inline(always)]
    pub fn to(self) -> Square {
        Square::index(usize::from(self.0 >> 6 & 63))
    }

    /// What a pawn becomes.
    #[must_use]
    #[inline(always)]
    pub fn promotion(self) -> Option<Piece> {
        match self.0 >> 12 {
            1 => Some(Piece::Knight),
            2 => Some(Piece::Bishop),
            3 => Some(Piece::Rook),
            4 => Some(Piece::Queen),
            _ => None,
        }
    }

    /// The move.
    #[must_use]
    #[inline(always)]
    pub fn unpack(self) -> Move {
        Move { from: self.from(), to: self.to(), promotion: self.promotion() }
    }

    /// From and to as one number below 4096.
    #[inline(always)]
    pub(crate) fn squares(self) -> usize {
        usize::from(self.0 & 0xfff)
    }

    /// The bits.
    #[inline(always)]
    pub(crate) fn bits(self) -> u16 {
        self.0
    }

    /// A move from its bits, whatever they are.
    #[inline(always)]
    pub(crate) fn of_bits(bits: u16) -> PackedMove {
        PackedMove(bits)
    }
}

/// Where in its source a move came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No move at all: the opponent is let move twice, to see whether even that does not help him.
    Null,
    /// The same position without one of its moves, to see whether that move is much better than all others.
    Without,
    /// The move that the table remembers.
    Table,
    /// A capture or promotion that does not lose material.
    Capture,
    /// A quiet move that has refuted before: a killer, or the answer to the opponent's last move.
    Killer,
    /// Any other quiet move.
    Quiet,
    /// A capture that loses material.
    BadCapture,
}

/// A move, and how its source would have it tried.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The move; none for [`Kind::Null`], the one left out for [`Kind::Without`].
    pub code: PackedMove,
    /// Where it came from.
    pub kind: Kind,
    /// Plies by which its subtree is deeper than usual.
    pub(crate) extension: i8,
    /// Plies by which it is tried less deep first.
    pub(crate) reduction: i8,
    /// For [`Kind::Without`]: the value, from Max's side, that no other move should reach.
    pub(crate) bound: i16,
}

impl Choice {
    /// A move to be tried as usual.
    #[inline(always)]
    pub(crate) fn plain(code: PackedMove, kind: Kind) -> Choice {
        Choice { code, kind, extension: 0, reduction: 0, bound: 0 }
    }

    /// The move; none if no piece moves.
    #[must_use]
    pub fn as_move(self) -> Option<Move> {
        self.moves_a_piece().then(|| self.code.unpack())
    }

    /// Whether this is a move of chess.
    #[inline(always)]
    pub(crate) fn moves_a_piece(self) -> bool {
        !matches!(self.kind, Kind::Null | Kind::Without)
    }
}

/// Two choices are the same if they are the same move, wherever they came from.
impl PartialEq for Choice {
    fn eq(&self, other: &Choice) -> bool {
        self.code == other.code && self.moves_a_piece() == other.moves_a_piece()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_is_unpacked_as_it_was() {
        for from in Square::ALL {
            for to in Square::ALL {
                for promotion in
                    [None, Some(Piece::Knight), Some(Piece::Bishop), Some(Piece::Rook), Some(Piece::Queen)]
                {
                    let chosen = Move { from, to, promotion };
                    assert_eq!(PackedMove::new(chosen).unpack(), chosen);
                }
            }
        }
    }
}
