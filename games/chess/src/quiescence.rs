//! Quiescence: the search goes on with captures until nothing hangs.

use dts_engine::{Answer, Memory, Node, Opening, Value};

use crate::chess::Chess;
use crate::choice::PackedMove;
use crate::evaluation::judge_cached;
use crate::mate::{DEEPEST_PLY, LEAST_MATE, mated_at};
use crate::mover::{far_bound, near_bound, no_worse_than, refutes, sign};
use crate::moves::Moves;
use crate::outlook::Outlook;
use crate::position::Position;
use crate::profile::Profile;
use crate::remembered::Remembered;

/// How much more than the piece taken a capture may bring, in quiescence.
const HOPE_MARGIN: Value = 180;

impl Chess {
    /// Opens a node of quiescence: the mover may be content with the position as it is, or go on with captures; in check he has to
    /// move.
    pub(crate) fn quiesce(
        &self,
        node: &Node<'_, Position>,
        source: &mut Moves,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<()> {
        let position = node.position();
        let side = position.side();
        if node.ply() >= DEEPEST_PLY {
            return Opening::Answered(Answer::exact(judge_cached(position, &mut memory.local.pawns)));
        }
        let mut outlook = Outlook { processor: memory.local.processor, ..Outlook::default() };
        if position.in_check() {
            if !position.board().generate_moves(|_| true) {
                return Opening::Answered(Answer::exact(mated_at(side, node.ply())));
            }
            source.begin(PackedMove::NONE, [PackedMove::NONE; 3], outlook);
            return Opening::Search(Answer::unknown());
        }
        let selective = self.profile() == Profile::Modern;
        let mut known = Remembered::NOTHING;
        if selective {
            known = Remembered::of(node, memory.shared);
            if !node.window.is_open() && node.window.is_answered_by(known.range) {
                return Opening::Answered(Answer::range(known.range));
            }
        }
        let as_it_is = judge_cached(position, &mut memory.local.pawns);
        let content = no_worse_than(side, as_it_is);
        let hope = near_bound(side, node.window);
        if refutes(side, content, far_bound(side, node.window)) {
            return Opening::Answered(Answer::range(content));
        }
        if selective && hope.abs() < LEAST_MATE {
            outlook.least_gain = (hope - as_it_is) * sign(side) - HOPE_MARGIN;
        }
        if source.begin_quiescence(position, known.best, outlook) {
            Opening::Search(Answer::range(content))
        } else {
            Opening::Answered(Answer::exact(as_it_is))
        }
    }
}
