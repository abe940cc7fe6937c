//! Dynamic Tree Splitting: node types, the override phase, and confidence (the paper, sections 3.1 to 3.3).

use crate::dts::choose::{PlySummary, SplitPolicy};
use crate::node_type::NodeType;
use crate::strategy::learned::Learned;
use crate::strategy::{LAST_RESORT, Rules};

pub(crate) struct Dts;

impl Rules for Dts {
    fn judge(
        &self,
        plies: &[PlySummary],
        policy: &SplitPolicy,
        _: &Learned,
        judged: &mut dyn FnMut(&PlySummary, f32),
    ) {
        type_plies(plies, policy, |ply, Judged { confidence, .. }| judged(ply, confidence));
    }

    fn splits_above(&self) -> bool {
        true
    }
}

/// A node's type after the override phase, and the confidence that all its moves have to be searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Judged {
    pub(crate) node_type: NodeType,
    pub(crate) confidence: f32,
}

/// Types every ply of a tree state; `judged` is called for each, root first.
pub(crate) fn type_plies(
    plies: &[PlySummary],
    policy: &SplitPolicy,
    mut judged: impl FnMut(&PlySummary, Judged),
) {
    let mut flipped = false;
    let mut run = 0;
    let mut mover_of_last_all = None;
    let mut above_is_cut = false;
    for (index, ply) in plies.iter().enumerate() {
        let expectation = if flipped { ply.expectation.flipped() } else { ply.expectation };
        let mut node_type = expectation.node_type(ply.side);
        let mut overridden = false;
        if policy.override_types {
            if node_type == NodeType::Cut && ply.searched > policy.cut_limit {
                node_type = NodeType::All;
                flipped = !flipped;
                overridden = true;
            }
            if node_type == NodeType::All {
                if mover_of_last_all != Some(ply.side) {
                    run += 1;
                }
                mover_of_last_all = Some(ply.side);
                if run > policy.all_in_a_row {
                    node_type = NodeType::Cut;
                    flipped = !flipped;
                    run = 0;
                    mover_of_last_all = None;
                }
            } else {
                run = 0;
                mover_of_last_all = None;
            }
        }
        let searched = ply.searched as f32;
        let confidence = match node_type {
            NodeType::Cut => 0.0,
            NodeType::All if overridden => searched / (searched + 3.0),
            // The CUT node above has failed to cut with its first move, so that this one may well be the refutation that it needed: only
            // its own moves can tell.
            NodeType::All if above_is_cut && ply.number > 0 => searched / (searched + 2.0),
            NodeType::All => (searched + 3.0) / (searched + 4.0),
            NodeType::Pv if ply.searched > 0 => 0.95,
            NodeType::Pv => {
                // Its bound may improve much while its first move is searched.
                let first_child_has_a_value = plies.get(index + 1).is_some_and(|child| child.searched > 0);
                if policy.above_unfinished && first_child_has_a_value { LAST_RESORT } else { 0.0 }
            }
        };
        above_is_cut = node_type == NodeType::Cut;
        judged(ply, Judged { node_type, confidence });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node_type::Expectation;
    use crate::value::Side;

    fn ply(ply: usize, side: Side, expectation: Expectation, searched: u32) -> PlySummary {
        PlySummary {
            ply,
            serial: 0,
            side,
            expectation,
            searched,
            left: 5,
            selected: searched,
            number: 0,
            work: 100.0,
            stepped_down: false,
            margin: None,
            offered: true,
        }
    }

    fn types(plies: &[PlySummary]) -> Vec<NodeType> {
        let mut types = Vec::new();
        type_plies(plies, &SplitPolicy::default(), |_, judged| types.push(judged.node_type));
        types
    }

    #[test]
    fn a_cut_node_with_four_moves_searched_becomes_all_and_flips_its_subtree() {
        use NodeType::{All, Cut};
        let plies = |searched| {
            [
                ply(0, Side::Max, Expectation::High, searched),
                ply(1, Side::Min, Expectation::High, 0),
                ply(2, Side::Max, Expectation::High, 0),
            ]
        };
        assert_eq!(types(&plies(3)), [Cut, All, Cut]);
        assert_eq!(types(&plies(4)), [All, Cut, All]);
    }

    #[test]
    fn no_third_all_ply_in_a_row() {
        use NodeType::{All, Cut};
        let plies = [
            ply(0, Side::Max, Expectation::Low, 1),
            ply(1, Side::Min, Expectation::Low, 4),
            ply(2, Side::Max, Expectation::Low, 1),
            ply(3, Side::Min, Expectation::Low, 4),
            ply(4, Side::Max, Expectation::Low, 0),
        ];
        // ALL, CUT made ALL, its child CUT again (flipped), and so on.
        assert_eq!(types(&plies), [All, All, Cut, All, Cut]);
    }

    #[test]
    fn partners_do_not_lengthen_the_run() {
        let plies: Vec<_> = (0..5).map(|at| ply(at, Side::Max, Expectation::Low, 0)).collect();
        assert_eq!(types(&plies), [NodeType::All; 5]);
    }
}
