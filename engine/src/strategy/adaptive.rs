//! Dynamic Tree Splitting that learns (what section 6 of the paper asks for).
//!
//! The types and the override phase of the paper guess which nodes need all their moves. The running search knows: it counts what came
//! of branches that seemed as good as the one that led to a node. That takes the place of the fixed confidences. And it knows which
//! branches before a split point are being searched, and how likely each of them is to make that one pointless.

use crate::dts::choose::{PlySummary, SplitPolicy};
use crate::node_type::NodeType;
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

    fn left_by_rivals(&self, ply: &PlySummary, number: u32, _: &SplitPolicy, learned: &Learned) -> f32 {
        learned.left_by_rivals(ply, number)
    }

    /// A confidence that has been learned is the expected share of useful work itself.
    fn caution(&self) -> f32 {
        1.0
    }

    fn splits_above(&self) -> bool {
        true
    }

    fn thrashing_nodes(&self, policy: &SplitPolicy) -> u64 {
        policy.thrashing_nodes / 10
    }

    /// What it judges by changes faster.
    fn renewal_nodes(&self, policy: &SplitPolicy) -> u64 {
        policy.renewal_nodes / 5
    }

    fn splits_unasked(&self) -> bool {
        true
    }

    fn learns(&self) -> bool {
        true
    }
}
