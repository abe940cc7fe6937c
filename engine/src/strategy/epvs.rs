//! Enhanced Principal Variation Splitting (the paper, section 1).
//!
//! As PVS, but nobody waits: as soon as a processor finds no move left at the split point, all are stopped. The branches that they
//! had are then searched one after the other: each is followed two plies, and there all processors split the tree again, at a node with
//! more moves and smaller subtrees. What the stopped ones had found lives on only in the transposition table.

use crate::dts::choose::{PlySummary, SplitPolicy};
use crate::strategy::learned::Learned;
use crate::strategy::{OutOfMoves, Rules, SplitPoint};

pub(crate) struct Epvs;

impl Rules for Epvs {
    fn judge(
        &self,
        plies: &[PlySummary],
        _: &SplitPolicy,
        _: &Learned,
        judged: &mut dyn FnMut(&PlySummary, f32),
    ) {
        let mut leftmost = true;
        for (at, ply) in plies.iter().enumerate() {
            leftmost &= ply.number == 0;
            let on_the_variation = leftmost && ply.searched > 0;
            let two_plies_down = at >= 2 && plies[at - 2].stepped_down;
            // Where branches are followed two plies, all go there and none to the branches themselves.
            let split = (on_the_variation || two_plies_down) && !ply.stepped_down;
            judged(ply, if split { 1.0 } else { 0.0 });
        }
    }

    fn when_moves_run_out(&self, split_point: SplitPoint, policy: &SplitPolicy) -> OutOfMoves {
        // The moves two plies further down must be worth a split.
        let moves = split_point.moves as f32;
        if split_point.work / (moves * moves) >= policy.split_cost {
            OutOfMoves::StepDown
        } else {
            OutOfMoves::Leave
        }
    }
}
