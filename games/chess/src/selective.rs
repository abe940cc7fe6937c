//! The search of the modern profile: what is pruned, and what its moves may expect.

use cozy_chess::Move;
use dts_engine::{Answer, HIGHEST, LOWEST, Memory, Node, Opening, Range, Side, Window};

use crate::chess::{Chess, depth_of, without_moves};
use crate::choice::PackedMove;
use crate::evaluation::judge_cached;
use crate::mate::{DEEPEST_PLY, is_mate, mated_at};
use crate::mover::{far_bound, no_worse_than, sign};
use crate::moves::Moves;
use crate::outlook::Outlook;
use crate::position::{FULL_PHASE, NO_PIECE, Position};
use crate::remembered::Remembered;

impl Chess {
    /// Opens a node of the selective search.
    pub(crate) fn open_selective(
        node: &Node<'_, Position>,
        source: &mut Moves,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<()> {
        let position = node.position();
        let (ply, window, side) = (node.ply(), node.window, position.side());
        let depth = depth_of(node);
        let excludes = !position.excluded().is_none();
        let narrow = !window.is_open();
        if !node.is_root()
            && let Some(range) = beyond_every_mate(ply, window)
        {
            return Opening::Answered(Answer::range(range));
        }
        let known = Remembered::of(node, memory.shared);
        if narrow
            && !node.is_root()
            && known.depth >= node.depth
            && window.is_answered_by(known.range)
            // Near the fifty moves what was stored before may be wrong.
            && position.board().halfmove_clock() < 90
        {
            return Opening::Answered(Answer::range(known.range));
        }
        let mut table = known.best;
        if excludes {
            table = PackedMove::NONE;
            if !has_another_move(position) {
                // Nothing comes near the only move.
                let value = mated_at(side, ply);
                return Opening::Answered(Answer::exact(value));
            }
        } else if table.is_none() && !position.board().generate_moves(|_| true) {
            return without_moves(position, ply);
        }

        let mover = sign(side);
        let (alpha, beta) = match side {
            Side::Max => (window.alpha, window.beta),
            Side::Min => (-window.beta, -window.alpha),
        };
        let mut outlook = Outlook {
            depth,
            processor: memory.local.processor,
            reduces: depth >= 3,
            reduction: i32::from(narrow),
            far_bound: far_bound(side, window),
            ..Outlook::default()
        };
        if position.in_check() {
            outlook.reduction -= 1;
        } else if narrow && !is_mate(beta) {
            let judged = judge_cached(position, &mut memory.local.pawns) * mover;
            // The table may know better what the position is worth.
            let judged = match side {
                Side::Max => judged.clamp(known.range.lower, known.range.upper),
                Side::Min => judged.clamp(-known.range.upper, -known.range.lower),
            };
            let improving = is_improving(node);
            if !excludes {
                let margin = 100 * depth - 40 * i32::from(improving);
                if depth <= 6 && judged - margin >= beta && !is_mate(judged) {
                    let enough = (judged - margin).max(beta) * mover;
                    return Opening::Answered(Answer::range(no_worse_than(side, enough)));
                }
                if depth >= 3 && judged >= beta && position.last() != NO_PIECE && !position.may_be_zugzwang()
                {
                    let less = 4 + depth / 4 + ((judged - beta) / 200).min(3);
                    outlook.null_depth = Some((depth - less).max(0) as i8);
                }
            }
            outlook.reduction -= i32::from(improving);
            if depth <= 8 {
                let limit = if improving { 4 + depth * depth } else { (4 + depth * depth) / 2 };
                outlook.quiet_limit = limit as u16;
                if depth <= 6 && judged + 90 + 85 * depth <= alpha {
                    // Quiet moves will not bring it back.
                    outlook.quiet_limit = 0;
                }
            }
        }
        if table.is_none() && depth >= 5 && !node.is_root() && !excludes {
            outlook.shortening = 1;
        }
        if depth >= 7
            && !node.is_root()
            && !table.is_none()
            && !position.in_check()
            && known.depth >= depth - 3
            && node.ply() < DEEPEST_PLY / 2
        {
            outlook.test_bound = test_bound(side, known.range, depth);
        }
        source.begin(table, memory.local.killers(node), outlook);
        Opening::Search(Answer::unknown())
    }
}

/// What the value can be at `ply`, if the window wants a mate that is nearer than any can be.
#[inline]
fn beyond_every_mate(ply: usize, window: Window) -> Option<Range> {
    let best = mated_at(Side::Min, ply + 1);
    let worst = mated_at(Side::Max, ply);
    if window.alpha >= best {
        Some(Range::at_most(best))
    } else if window.beta <= worst {
        Some(Range::at_least(worst))
    } else {
        None
    }
}

/// Whether material and places are better for the mover than two plies ago.
#[inline]
fn is_improving(node: &Node<'_, Position>) -> bool {
    let path = node.path();
    let Some(before) = path.len().checked_sub(3).map(|at| &path[at]) else { return false };
    let quick = |position: &Position| {
        let phase = i32::from(position.phase);
        (position.sum.middle() * phase + position.sum.end() * (FULL_PHASE - phase))
            * sign(node.position().side())
    };
    quick(node.position()) > quick(before)
}

/// Whether there is a move beside the one left out.
fn has_another_move(position: &Position) -> bool {
    let excluded = position.excluded().unpack();
    position.board().generate_moves(|set| set.into_iter().any(|chosen: Move| chosen != excluded))
}

/// The value that no move but the table's should reach, if the table's move is known to be good enough.
#[inline]
fn test_bound(side: Side, known: Range, depth: i32) -> Option<i16> {
    let margin = 2 * depth;
    let bound = match side {
        Side::Max if known.lower > LOWEST && !is_mate(known.lower) => known.lower - margin,
        Side::Min if known.upper < HIGHEST && !is_mate(known.upper) => known.upper + margin,
        _ => return None,
    };
    i16::try_from(bound).ok()
}
