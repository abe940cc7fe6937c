//! Plain minimax for the classic profile, written on its own, straight from the profile's rules. No bound cuts anything off above
//! quiescence: every move is searched, and the value of each is known. A quiescence is asked with open bounds, and only within it
//! they close.
//!
//! What makes it feasible is that a value is found once. Repetition is all that a value takes from the way to its position; where it
//! took nothing, another way to the same position has the same value.

use std::collections::HashMap;

use cozy_chess::{BitBoard, Board, Color, Move, Piece};
use dts_chess::{MATE, Position, evaluate, exchange_value};

/// Beyond every value.
pub(crate) const FAR: i32 = 2 * MATE;

/// Values beyond this are mates.
const LEAST_MATE: i32 = MATE - 1_000;

/// Minimax with what it has found so far. Values are those of the side to move; mates count from the position itself.
#[derive(Default)]
pub(crate) struct Minimax {
    /// By position, the ply it stands at and the depth left.
    searched: HashMap<(Board, usize, i32), i32>,
    quiet: HashMap<Board, i32>,
}

/// A value, and the way to it.
#[derive(Clone, Copy)]
struct Found {
    value: i32,
    /// The first position after the root that one at or below this was held against, for a repetition.
    compared: usize,
}

/// Held against nothing but the root, which every way begins at.
const WITH_NOTHING: usize = usize::MAX;

impl Minimax {
    /// The value of a root without a game before it.
    pub(crate) fn value(&mut self, root: &Board, depth: i32) -> i32 {
        self.search(&mut vec![root.clone()], depth).value
    }

    /// The value of the last position of `path`.
    fn search(&mut self, path: &mut Vec<Board>, depth: i32) -> Found {
        let ply = path.len() - 1;
        let board = path[ply].clone();
        let moves = dts_chess::perft::moves(&board);
        let in_check = !board.checkers().is_empty();
        let mut compared = WITH_NOTHING;
        if ply > 0 {
            // A capture or a pawn move cannot be undone.
            let reach = ply.min(usize::from(board.halfmove_clock()));
            let earlier = (4..=reach).step_by(2).map(|back| ply - back);
            compared = earlier.clone().filter(|&at| at > 0).min().unwrap_or(WITH_NOTHING);
            let clock_is_out = board.halfmove_clock() >= 100 && !(moves.is_empty() && in_check);
            if clock_is_out || is_dead(&board) || earlier.clone().any(|at| path[at].same_position(&board)) {
                return Found { value: 0, compared };
            }
        }
        if moves.is_empty() && in_check {
            return Found { value: -MATE, compared };
        }
        // A node in check has one more ply.
        let depth = depth + i32::from(in_check);
        if depth == 0 {
            return Found { value: self.quiesce(&board), compared };
        }
        if moves.is_empty() {
            return Found { value: 0, compared };
        }
        let key = (board, ply, depth);
        if let Some(&value) = self.searched.get(&key) {
            return Found { value, compared };
        }
        let board = &key.0;
        let mut value = -MATE;
        for chosen in moves {
            path.push(after(board, chosen));
            let below = self.search(path, depth - 1);
            path.pop();
            value = value.max(lifted(below.value));
            compared = compared.min(below.compared);
        }
        if compared >= ply {
            make_room(&mut self.searched);
            self.searched.insert(key, value);
        }
        Found { value, compared }
    }

    /// The value of a position from which only captures, promotions to a queen and ways out of check are searched. No position of it
    /// can be there twice, for the side that is not in check always captures or promotes.
    fn quiesce(&mut self, board: &Board) -> i32 {
        self.quiesce_within(board, -FAR, FAR)
    }

    /// The same, as far as it matters to a mover who has `own` elsewhere and whose opponent will not allow him `other`.
    pub(crate) fn quiesce_within(&mut self, board: &Board, own: i32, other: i32) -> i32 {
        if is_dead(board) {
            return 0;
        }
        if let Some(&value) = self.quiet.get(board) {
            return value;
        }
        let in_check = !board.checkers().is_empty();
        let mut value = if in_check { -MATE } else { as_it_is(board) };
        let mut moves = dts_chess::perft::moves(board);
        moves.retain(|&chosen| in_check || is_worth_a_try(board, chosen));
        // What wins most first, so that the bounds soon close.
        moves.sort_by_key(|chosen| std::cmp::Reverse((board.piece_on(chosen.to), chosen.promotion)));
        for chosen in moves {
            if value >= other {
                break;
            }
            // A mate is one further away for the child.
            let (low, high) = (-other - 1, -own.max(value) + 1);
            value = value.max(lifted(self.quiesce_within(&after(board, chosen), low, high)));
        }
        if own < value && value < other {
            make_room(&mut self.quiet);
            self.quiet.insert(board.clone(), value);
        }
        value
    }

    /// The same without bounds: every capture is searched.
    pub(crate) fn quiesce_in_full(board: &Board) -> i32 {
        if is_dead(board) {
            return 0;
        }
        let in_check = !board.checkers().is_empty();
        let moves = dts_chess::perft::moves(board).into_iter();
        let tried = moves.filter(|&chosen| in_check || is_worth_a_try(board, chosen));
        let values = tried.map(|chosen| lifted(Minimax::quiesce_in_full(&after(board, chosen))));
        values.max().unwrap_or(-MATE).max(if in_check { -MATE } else { as_it_is(board) })
    }
}

/// Forgets everything once there is much of it: memory is not without end.
fn make_room<K, V>(known: &mut HashMap<K, V>) {
    if known.len() >= 1 << 20 {
        known.clear();
    }
}

fn after(board: &Board, chosen: Move) -> Board {
    let mut next = board.clone();
    next.play(chosen);
    next
}

/// A value of the position after a move, for who made it.
fn lifted(value: i32) -> i32 {
    match -value {
        mate if mate > LEAST_MATE => mate - 1,
        mated if mated < -LEAST_MATE => mated + 1,
        own => own,
    }
}

fn as_it_is(board: &Board) -> i32 {
    let white = evaluate(&Position::new(board.clone()));
    if board.side_to_move() == Color::White { white } else { -white }
}

fn is_worth_a_try(board: &Board, chosen: Move) -> bool {
    let own = board.colors(board.side_to_move());
    let takes = board.occupied().has(chosen.to) && !own.has(chosen.to);
    let is_pawn = board.pieces(Piece::Pawn).has(chosen.from);
    let en_passant = is_pawn && !takes && chosen.from.file() != chosen.to.file();
    let promotes = chosen.promotion == Some(Piece::Queen);
    let small = chosen.promotion.is_some() && !promotes;
    !small && (takes || en_passant || promotes) && exchange_value(board, chosen) >= 0
}

fn is_dead(board: &Board) -> bool {
    let count = |piece| board.pieces(piece).len();
    let dark = board.pieces(Piece::Bishop) & BitBoard::DARK_SQUARES;
    let bishops_alike = dark.is_empty() || dark == board.pieces(Piece::Bishop);
    count(Piece::Pawn) + count(Piece::Rook) + count(Piece::Queen) == 0
        && (count(Piece::Knight) == 0 && bishops_alike
            || count(Piece::Knight) == 1 && count(Piece::Bishop) == 0)
}
