//! What one processor remembers from node to node.

use cozy_chess::Color;
use dts_engine::Node;

use crate::choice::PackedMove;
use crate::mate::DEEPEST_PLY;
use crate::pawns::PawnCache;
use crate::position::{NO_PIECE, Position};

/// What one processor remembers.
#[derive(Debug)]
pub struct Local {
    pub(crate) processor: u16,
    /// By ply: quiet moves that have refuted there.
    killers: Vec<[PackedMove; 2]>,
    /// By side and by the piece that moved last: the quiet move that has refuted it.
    answers: Vec<PackedMove>,
    pub(crate) pawns: PawnCache,
}

impl Local {
    /// The memory of a processor that has not searched yet.
    pub(crate) fn new(processor: u16) -> Local {
        Local {
            processor,
            killers: vec![[PackedMove::NONE; 2]; DEEPEST_PLY + 1],
            answers: vec![PackedMove::NONE; 2 * (NO_PIECE + 1)],
            pawns: PawnCache::new(),
        }
    }

    /// The quiet moves that are most likely to refute: killers, then the answer to the last move.
    #[inline]
    pub(crate) fn killers(&self, node: &Node<'_, Position>) -> [PackedMove; 3] {
        let [first, second] = self.killers[node.ply()];
        [first, second, self.answers[answer_place(node.position())]]
    }

    /// A quiet move has refuted.
    #[inline]
    pub(crate) fn note_refutation(&mut self, node: &Node<'_, Position>, best: PackedMove) {
        let killers = &mut self.killers[node.ply().min(DEEPEST_PLY)];
        if killers[0] != best {
            *killers = [best, killers[0]];
        }
        self.answers[answer_place(node.position())] = best;
    }
}

/// The place in [`Local::answers`] of a position.
#[inline(always)]
fn answer_place(position: &Position) -> usize {
    let color = position.board().side_to_move();
    position.last() + if color == Color::White { 0 } else { NO_PIECE + 1 }
}
