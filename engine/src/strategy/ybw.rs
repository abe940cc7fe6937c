//! Young Brothers Wait with the helpful master (Feldmann, Monien, Mysliwietz and Vornberger 1989, 1990).
//!
//! The eldest brother, the first move of a node, is searched before any other may be searched in parallel; then any node may be split,
//! whatever its type. The master of a split point, who has no more moves there, helps only his slaves until they are done, so that he
//! is at hand when the node's value is known. Here whoever is done last carries the value on; the two have merely changed their names.

use crate::dts::choose::{PlySummary, SplitPolicy};
use crate::strategy::learned::Learned;
use crate::strategy::{OutOfMoves, Rules, SplitPoint};

pub(crate) struct Ybw;

impl Rules for Ybw {
    fn judge(
        &self,
        plies: &[PlySummary],
        _: &SplitPolicy,
        _: &Learned,
        judged: &mut dyn FnMut(&PlySummary, f32),
    ) {
        for ply in plies {
            judged(ply, if ply.searched > 0 { 1.0 } else { 0.0 });
        }
    }

    fn when_moves_run_out(&self, _: SplitPoint, _: &SplitPolicy) -> OutOfMoves {
        OutOfMoves::HelpBelow
    }
}
