//! Choosing where to split (the paper, section 3): types for every ply, the override phase, confidence, and a score.

use crate::game::Game;
use crate::node_type::{Expectation, NodeType};
use crate::tree::TreeState;
use crate::value::Side;

/// What is published of one ply of a tree state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlySummary {
    /// Which ply it is.
    pub(crate) ply: usize,
    /// Which visit of the ply.
    pub(crate) serial: u64,
    pub(crate) side: Side,
    pub(crate) expectation: Expectation,
    /// Moves that have been searched to the end.
    pub(crate) searched: u32,
    /// Moves nobody has taken yet (an estimate, zero only if there are none).
    pub(crate) left: u32,
    /// About how many nodes the whole subtree holds.
    pub(crate) work: f32,
    /// Whether the ply belongs to who publishes it and a split there is possible.
    pub(crate) offered: bool,
}

/// A ply where a split is worth something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) ply: usize,
    pub(crate) serial: u64,
    /// Expected useful work that waits there, in the game's units of work.
    pub(crate) score: f32,
}

/// How split points are chosen.
#[derive(Clone, Copy, Debug)]
pub struct SplitPolicy {
    /// More moves than this searched at a CUT node make it an ALL node (the paper: 3).
    pub cut_limit: u32,
    /// At most this many ALL plies in a row, counted over changes of mover (the paper: 2).
    pub all_in_a_row: u32,
    /// Whether the override phase is made at all.
    pub override_types: bool,
    /// Whether the root may be split (the paper, section 3.4).
    pub split_root: bool,
    /// Whether an idle processor may go up to the ply above an unfinished PV split point (the paper, sections 2.1 and 2.8).
    pub above_unfinished: bool,
    /// Nodes for which a processor ignores HELP after having answered it: the thrashing counter (the paper, section 2.1).
    pub thrashing_nodes: u64,
}

impl Default for SplitPolicy {
    fn default() -> Self {
        SplitPolicy {
            cut_limit: 3,
            all_in_a_row: 2,
            override_types: true,
            split_root: true,
            above_unfinished: true,
            thrashing_nodes: 200,
        }
    }
}

/// Confidence that a PV node whose first move is not done will not improve much: only when nothing better is left.
const UNFINISHED_CONFIDENCE: f32 = 0.02;

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
            NodeType::All => (searched + 3.0) / (searched + 4.0),
            NodeType::Pv if ply.searched > 0 => 0.95,
            NodeType::Pv => {
                let first_child_has_a_value = plies.get(index + 1).is_some_and(|child| child.searched > 0);
                if policy.above_unfinished && first_child_has_a_value { UNFINISHED_CONFIDENCE } else { 0.0 }
            }
        };
        judged(ply, Judged { node_type, confidence });
    }
}

/// The best ply offered among `plies`, the root first, if any is worth a split.
pub(crate) fn best_split(plies: &[PlySummary], policy: &SplitPolicy) -> Option<Candidate> {
    let root = plies.first()?.ply;
    let mut best: Option<Candidate> = None;
    type_plies(plies, policy, |ply, Judged { confidence, .. }| {
        if !ply.offered || ply.left == 0 || confidence <= 0.0 || (ply.ply == root && !policy.split_root) {
            return;
        }
        let score = score(ply, confidence);
        if best.is_none_or(|best| score > best.score) {
            best = Some(Candidate { ply: ply.ply, serial: ply.serial, score });
        }
    });
    best
}

/// The useful work that waits at a ply: the share of its subtree that nobody has taken, weighed by the confidence that it has to
/// be searched at all.
pub(crate) fn score(ply: &PlySummary, confidence: f32) -> f32 {
    let left = ply.left as f32;
    let share = left / (left + ply.searched as f32 + 1.0);
    confidence * confidence * ply.work * share
}

impl<G: Game> TreeState<G> {
    /// Publishes ply `ply`.
    pub(crate) fn summary(&self, game: &G, ply: usize, offered: bool) -> PlySummary {
        let at = &self.plies[ply];
        let left = if at.opened { game.moves_left(&self.positions[ply], &at.source) } else { 0 };
        PlySummary {
            ply,
            serial: at.serial,
            side: at.side,
            expectation: at.expectation,
            searched: at.tally.counted(),
            left,
            work: game.work(&self.node(ply)),
            offered,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ply(ply: usize, side: Side, expectation: Expectation, searched: u32) -> PlySummary {
        PlySummary { ply, serial: 0, side, expectation, searched, left: 5, work: 100.0, offered: true }
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

    #[test]
    fn the_better_of_two_all_plies_is_the_one_with_more_work() {
        let mut deep = ply(2, Side::Max, Expectation::Low, 1);
        deep.work = 10.0;
        let plies = [ply(0, Side::Max, Expectation::Low, 1), ply(1, Side::Min, Expectation::Low, 1), deep];
        assert_eq!(best_split(&plies, &SplitPolicy::default()).map(|best| best.ply), Some(0));
        let no_root = SplitPolicy { split_root: false, ..SplitPolicy::default() };
        assert_eq!(best_split(&plies, &no_root).map(|best| best.ply), Some(2));
    }
}
