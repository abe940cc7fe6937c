//! Principal Variation Splitting (the paper, section 1).
//!
//! The leftmost path is searched down to its end by one processor. On the way back all processors share the other moves of each of its
//! nodes; whoever finds none left waits until the others are done.

use crate::dts::choose::{PlySummary, SplitPolicy};
use crate::strategy::Rules;
use crate::strategy::learned::Learned;

pub(crate) struct Pvs;

impl Rules for Pvs {
    fn judge(
        &self,
        plies: &[PlySummary],
        _: &SplitPolicy,
        _: &Learned,
        judged: &mut dyn FnMut(&PlySummary, f32),
    ) {
        let mut leftmost = true;
        for ply in plies {
            leftmost &= ply.number == 0;
            judged(ply, if leftmost && ply.searched > 0 { 1.0 } else { 0.0 });
        }
    }
}
