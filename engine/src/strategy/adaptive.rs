//! Dynamic Tree Splitting that learns (what section 6 of the paper asks for).
//!
//! The types and the override phase of the paper guess which nodes need all their moves. The running search knows: it counts how often
//! nodes of a kind, with so many moves searched, did. That takes the place of the fixed confidences.

use crate::dts::choose::{PlySummary, SplitPolicy};
use crate::node_type::{Expectation, NodeType};
use crate::strategy::Rules;
use crate::strategy::dts::type_plies;
use crate::strategy::learned::Learned;

pub(crate) struct Adaptive;

impl Rules for Adaptive {
    fn judge(
        &self,
        plies: &[PlySummary],
        policy: &SplitPolicy,
        learned: &Learned,
        judged: &mut dyn FnMut(&PlySummary, f32),
    ) {
        type_plies(plies, policy, |ply, guess| {
            // Of a node without a move searched, the type alone can tell: CUT and PV nodes wait for their first.
            let waits = ply.searched == 0 && guess.node_type != NodeType::All;
            judged(ply, if waits { 0.0 } else { learned.needs_all(ply, guess.confidence) });
        });
    }

    fn improves(&self, ply: &PlySummary, policy: &SplitPolicy, learned: &Learned) -> f32 {
        let prior = if ply.expectation == Expectation::Exact { policy.rivals_improve } else { 0.0 };
        learned.improves(ply, prior)
    }

    /// Where many are without work, a doubtful split costs little: they would do nothing else.
    fn caution(&self, without_work: f32) -> f32 {
        2.0 - (3.0 * without_work).min(1.0)
    }

    fn splits_above(&self) -> bool {
        true
    }

    fn thrashing_nodes(&self, policy: &SplitPolicy) -> u64 {
        policy.thrashing_nodes / 10
    }

    fn learns(&self) -> bool {
        true
    }
}
