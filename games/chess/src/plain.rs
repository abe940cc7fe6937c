//! The search of the classic profile: nothing is pruned or reduced.

use dts_engine::{Answer, Memory, Node, Opening};

use crate::chess::{Chess, depth_of, without_moves};
use crate::mover::far_bound;
use crate::moves::Moves;
use crate::outlook::Outlook;
use crate::position::Position;
use crate::remembered::Remembered;

impl Chess {
    /// Opens a node of the plain search.
    pub(crate) fn open_plain(
        node: &Node<'_, Position>,
        source: &mut Moves,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<()> {
        let position = node.position();
        let known = Remembered::of(node, memory.shared);
        // Only what was found with this very depth: so values do not depend on what else was searched.
        if known.depth == node.depth && !node.is_root() && node.window.is_answered_by(known.range) {
            return Opening::Answered(Answer::range(known.range));
        }
        if known.best.is_none() && !position.board().generate_moves(|_| true) {
            return without_moves(position, node.ply());
        }
        let outlook = Outlook {
            depth: depth_of(node),
            processor: memory.local.processor,
            far_bound: far_bound(position.side(), node.window),
            ..Outlook::default()
        };
        source.begin(known.best, memory.local.killers(node), outlook);
        Opening::Search(Answer::unknown())
    }
}
