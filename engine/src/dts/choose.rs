//! Choosing where to split (the paper, section 3): what is published of a tree state, and which of its plies is the best. How sure
//! it is that a ply needs all its moves, the strategy says.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::game::Game;
use crate::node_type::Expectation;
use crate::search::Search;
use crate::strategy::learned::Learned;
use crate::strategy::margins::Margin;
use crate::strategy::{LAST_RESORT, Rules};
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
    /// Moves that have been taken, whether they are done or not.
    pub(crate) selected: u32,
    /// The number of the move that led there, among those of the ply above; 0 at the root.
    pub(crate) number: u32,
    /// About how many nodes the whole subtree holds.
    pub(crate) work: f32,
    /// Its branches are followed two plies and split there.
    pub(crate) stepped_down: bool,
    /// How far the branch that led there seemed to beat the bound, if the game has estimates and the strategy learns from them.
    pub(crate) margin: Option<Margin>,
    /// Whether the ply belongs to who publishes it and a split there is possible.
    pub(crate) offered: bool,
}

/// A ply where a split is worth something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) ply: usize,
    pub(crate) serial: u64,
    /// Expected share of useful work, from 0 to 1.
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
    /// How often an idle processor looks for something better before it takes what is only a last resort, such as an unfinished PV
    /// node.
    pub patience: u32,
    /// What a split and all that goes with it costs, in nodes: branches that are not much larger are not worth one.
    pub split_cost: f32,
    /// The chance that a branch which comes before another at a node on the principal variation, and is still being searched, improves
    /// the bound for it.
    pub rivals_improve: f32,
    /// Nodes for which a processor ignores HELP after having answered it: the thrashing counter (the paper, section 2.1).
    pub thrashing_nodes: u64,
    /// Nodes after which, on top of that, a processor publishes its tree state again without having been asked, as long as others are
    /// without work: HELP is a state, and what was published grows old.
    pub renewal_nodes: u64,
    /// In a simulation with groups of processors ([`Topology`](crate::Topology)): a factor on the score of work that lies in another
    /// group. 1 is no preference; at 0 such work is taken only if the own group has none.
    pub discount_remote: f32,
}

impl Default for SplitPolicy {
    fn default() -> Self {
        SplitPolicy {
            cut_limit: 3,
            all_in_a_row: 2,
            override_types: true,
            split_root: true,
            above_unfinished: true,
            patience: 500,
            split_cost: 30.0,
            rivals_improve: 0.1,
            thrashing_nodes: 20,
            renewal_nodes: 50,
            discount_remote: 1.0,
        }
    }
}

/// How to judge plies.
pub(crate) struct Judging<'a> {
    pub(crate) rules: &'static dyn Rules,
    pub(crate) policy: &'a SplitPolicy,
    pub(crate) learned: &'a Learned,
}

impl Judging<'_> {
    /// Judges all plies, the root first: each with its confidence, and with what the branches that come before it in the sequential
    /// search and are still being searched, its rivals, leave of its worth.
    fn judge(&self, plies: &[PlySummary], mut judged: impl FnMut(&PlySummary, f32, f32)) {
        let mut left_by_rivals = 1.0;
        let mut at = 0_usize;
        self.rules.judge(plies, self.policy, self.learned, &mut |ply, confidence| {
            if let Some(above) = at.checked_sub(1) {
                left_by_rivals *= self.left_by_rivals(&plies[above], ply.number);
            }
            at += 1;
            judged(ply, confidence, left_by_rivals * self.left_by_rivals(ply, ply.selected));
        });
    }

    fn left_by_rivals(&self, ply: &PlySummary, number: u32) -> f32 {
        self.rules.left_by_rivals(ply, number, self.policy, self.learned)
    }

    /// The useful work a node time at a ply is expected to yield, from 0 to 1: less if it may turn out not to be needed, less the more
    /// branches before it may still improve the bounds, less if its branches are so small that getting there costs as much.
    fn worth(&self, ply: &PlySummary, confidence: f32, left_by_rivals: f32) -> f32 {
        let branch = ply.work / (ply.left + ply.selected) as f32;
        let yield_of_branch = branch / (branch + self.policy.split_cost);
        confidence.powf(self.rules.caution()) * left_by_rivals * yield_of_branch
    }
}

/// The score of the best split of a tree state that others can see, as long as nothing has changed there: once for who takes a last
/// resort, and once for who does not. It spares those who look for work all locks but those of what may be the best.
///
/// No more than a hint, so that loom need not follow it.
#[derive(Debug)]
pub(crate) struct Remembered([AtomicU32; 2]);

/// Bits of no score that there is.
const UNKNOWN: u32 = u32::MAX;

/// Less than any score.
const NOTHING: f32 = -1.0;

impl Remembered {
    pub(crate) fn new() -> Self {
        Remembered([AtomicU32::new(UNKNOWN), AtomicU32::new(UNKNOWN)])
    }

    /// Something has changed.
    pub(crate) fn forget(&self) {
        self.0.iter().for_each(|score| score.store(UNKNOWN, Ordering::Relaxed));
    }

    pub(crate) fn remember(&self, last_resort: bool, candidate: Option<&Candidate>) {
        let score = candidate.map_or(NOTHING, |candidate| candidate.score);
        self.0[usize::from(last_resort)].store(score.to_bits(), Ordering::Relaxed);
    }

    /// Whether it is known to be no better than `best`, the best score so far, if there is one.
    pub(crate) fn is_no_better_than(&self, last_resort: bool, best: Option<f32>) -> bool {
        match self.0[usize::from(last_resort)].load(Ordering::Relaxed) {
            UNKNOWN => false,
            bits => f32::from_bits(bits) <= best.unwrap_or(NOTHING),
        }
    }
}

/// The best ply offered among `plies`, the root first, if any is worth a split. Plies that are only a last resort count if
/// `last_resort` says so.
pub(crate) fn best_split(
    plies: &[PlySummary],
    judging: &Judging<'_>,
    last_resort: bool,
) -> Option<Candidate> {
    let root = plies.first()?.ply;
    let least = if last_resort { 0.0 } else { LAST_RESORT };
    let mut best: Option<Candidate> = None;
    judging.judge(plies, |ply, confidence, left_by_rivals| {
        let is_barred = ply.ply == root && !judging.policy.split_root;
        if !ply.offered || ply.left == 0 || confidence <= least || is_barred {
            return;
        }
        let score = judging.worth(ply, confidence, left_by_rivals);
        if best.is_none_or(|best| score > best.score) {
            best = Some(Candidate { ply: ply.ply, serial: ply.serial, score });
        }
    });
    best
}

/// The score of joining a block split at the last of `plies`. Somebody chose it for a split, so a type that has turned to CUT since
/// then only lowers the confidence.
pub(crate) fn worth_of_joining(plies: &[PlySummary], judging: &Judging<'_>) -> f32 {
    let mut worth = 0.0;
    judging.judge(plies, |ply, confidence, left_by_rivals| {
        worth = judging.worth(ply, confidence.max(JOIN_CONFIDENCE), left_by_rivals);
    });
    worth
}

/// The least confidence in a split point that exists.
const JOIN_CONFIDENCE: f32 = 0.3;

impl<G: Game> TreeState<G> {
    /// Publishes ply `ply`.
    pub(crate) fn summary(&self, search: &Search<G>, ply: usize, offered: bool) -> PlySummary {
        let game = &*search.game;
        let at = &self.plies[ply];
        let left = if at.opened { self.moves_left(game, ply) } else { 0 };
        PlySummary {
            ply,
            serial: at.serial,
            side: at.side,
            expectation: at.expectation,
            searched: at.tally.counted(),
            left,
            selected: at.selected,
            number: at.number(),
            work: game.work(&self.node(ply)),
            stepped_down: at.stepped_down,
            margin: if search.learns { self.margin_of(game, ply) } else { None },
            offered,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::Strategy;

    fn ply(ply: usize, number: u32, searched: u32, work: f32) -> PlySummary {
        PlySummary {
            ply,
            serial: 0,
            side: Side::Max,
            expectation: Expectation::Low,
            searched,
            left: 5,
            selected: searched,
            number,
            work,
            stepped_down: false,
            margin: None,
            offered: true,
        }
    }

    fn best(plies: &[PlySummary], strategy: Strategy, policy: &SplitPolicy) -> Option<usize> {
        let judging = Judging { rules: strategy.rules(), policy, learned: &Learned::new(false) };
        best_split(plies, &judging, false).map(|best| best.ply)
    }

    #[test]
    fn the_better_of_two_all_plies_is_the_one_with_more_work() {
        let plies = [ply(0, 0, 1, 100.0), ply(1, 0, 1, 10.0)];
        let policy = SplitPolicy::default();
        assert_eq!(best(&plies, Strategy::Dts, &policy), Some(0));
        assert_eq!(best(&plies, Strategy::Dts, &SplitPolicy { split_root: false, ..policy }), Some(1));
    }

    #[test]
    fn a_branch_that_comes_early_is_better_than_one_that_others_may_make_pointless() {
        // Nine of the first ply's branches are still being searched before the one that leads to the second.
        let worth = |number| {
            let root = PlySummary { expectation: Expectation::Exact, ..ply(0, 0, 1, 1e6) };
            let plies = [root, ply(1, number, 1, 1e5)];
            let policy = SplitPolicy { rivals_improve: 0.4, ..SplitPolicy::default() };
            let (rules, policy) = (Strategy::Dts.rules(), &policy);
            worth_of_joining(&plies, &Judging { rules, policy, learned: &Learned::new(false) })
        };
        assert!(worth(1) > 50.0 * worth(10), "{} {}", worth(1), worth(10));
    }

    #[test]
    fn principal_variation_splitting_keeps_to_the_leftmost_path() {
        let policy = SplitPolicy::default();
        assert_eq!(best(&[ply(0, 0, 0, 1e6), ply(1, 0, 1, 1e5)], Strategy::Pvs, &policy), Some(1));
        assert_eq!(best(&[ply(0, 0, 0, 1e6), ply(1, 1, 1, 1e5)], Strategy::Pvs, &policy), None);
        assert_eq!(best(&[ply(0, 0, 0, 1e6), ply(1, 1, 1, 1e5)], Strategy::Ybw, &policy), Some(1));
        assert_eq!(best(&[ply(0, 0, 0, 1e6), ply(1, 1, 0, 1e5)], Strategy::Ybw, &policy), None);
    }

    #[test]
    fn where_branches_are_followed_two_plies_the_second_is_split() {
        let mut stepped = ply(0, 0, 3, 1e6);
        stepped.stepped_down = true;
        let plies = [stepped, ply(1, 4, 1, 1e5), ply(2, 0, 0, 1e4)];
        assert_eq!(best(&plies, Strategy::Epvs, &SplitPolicy::default()), Some(2));
    }
}
