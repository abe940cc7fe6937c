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

    fn splits_unasked(&self) -> bool {
        true
    }

    /// What is a guess has to give way to what is nearly sure.
    fn caution(&self) -> f32 {
        4.0
    }
}

/// A node's type after the override phase, and the confidence that all its moves have to be searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Judged {
    pub(crate) node_type: NodeType,
    pub(crate) confidence: f32,
}

/// The confidence in a CUT node for each move that has failed to cut, as long as the type stands. With one it is a last resort; with more
/// the node is split by who finds nothing better.
const DOUBTFUL: f32 = LAST_RESORT;
/// As many searched moves an ALL node below a CUT node that has failed to cut is credited with from the start.
const CREDIT_IN_DOUBT: f32 = 0.1;

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
    // Whether the branch that leads to the ply is the first of the one above: nothing else counts there yet. Its number does not tell,
    // for a null move has one as well.
    let mut is_first = true;
    for (index, ply) in plies.iter().enumerate() {
        let expectation = if flipped { ply.expectation.flipped() } else { ply.expectation };
        let mut node_type = expectation.node_type(ply.side);
        let mut overridden = false;
        if policy.override_types {
            // In chess, of the CUT nodes whose first move has failed to cut, four in five need all their moves if the branch that led to
            // them is the first of the node above, and one in ten (with reductions, up to half) if it is a later one.
            let limit = if is_first { 0 } else { policy.cut_limit };
            if node_type == NodeType::Cut && ply.searched > limit {
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
            NodeType::Cut => DOUBTFUL * searched,
            NodeType::All if overridden && !is_first => searched / (searched + 3.0),
            // The CUT node above has failed to cut with its first move, so that this one may well be the refutation that it needed: only
            // its own moves can tell.
            NodeType::All if above_is_cut && !is_first => {
                (searched + CREDIT_IN_DOUBT) / (searched + CREDIT_IN_DOUBT + 2.0)
            }
            NodeType::All => (searched + 3.0) / (searched + 4.0),
            NodeType::Pv if ply.searched > 0 => 0.95,
            NodeType::Pv => {
                // Its bound may improve much while its first move is searched.
                let first_child_has_a_value = plies.get(index + 1).is_some_and(|child| child.searched > 0);
                if policy.above_unfinished && first_child_has_a_value { LAST_RESORT } else { 0.0 }
            }
        };
        above_is_cut = node_type == NodeType::Cut;
        is_first = ply.searched == 0;
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
                ply(0, Side::Min, Expectation::High, 1),
                ply(1, Side::Max, Expectation::High, searched),
                ply(2, Side::Min, Expectation::High, 0),
                ply(3, Side::Max, Expectation::High, 0),
            ]
        };
        assert_eq!(types(&plies(3)), [All, Cut, All, Cut]);
        assert_eq!(types(&plies(4)), [All, All, Cut, All]);
    }

    #[test]
    fn below_a_first_branch_one_move_is_enough_to_make_a_cut_node_all() {
        use NodeType::{All, Cut};
        let plies = |above, searched| {
            [
                ply(0, Side::Min, Expectation::High, above),
                ply(1, Side::Max, Expectation::High, searched),
                ply(2, Side::Min, Expectation::High, 0),
            ]
        };
        assert_eq!(types(&plies(0, 0)), [All, Cut, All]);
        assert_eq!(types(&plies(0, 1)), [All, All, Cut]);
        assert_eq!(types(&plies(1, 1)), [All, Cut, All]);
    }

    #[test]
    fn what_is_in_doubt_is_worth_less_than_what_is_not() {
        let confidences = |above_searched| {
            let plies = [
                ply(0, Side::Max, Expectation::High, above_searched),
                ply(1, Side::Min, Expectation::High, 0),
            ];
            let policy = SplitPolicy { override_types: false, ..SplitPolicy::default() };
            let mut confidences = Vec::new();
            type_plies(&plies, &policy, |_, judged| confidences.push(judged.confidence));
            confidences
        };
        assert_eq!(confidences(0), [0.0, 0.75]);
        // The node above has failed to cut with two moves: this one may be the refutation.
        assert_eq!(confidences(2), [0.04, 0.1 / 2.1]);
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
