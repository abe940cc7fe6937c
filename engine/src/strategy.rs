//! Which parallel search is made of the same processors.
//!
//! The processors, split blocks and messages are the same for all strategies. A strategy only says which plies may be split and with
//! how much confidence, and what a processor does when the moves of its split point have run out ([`Rules`]).

mod adaptive;
mod dts;
mod epvs;
pub(crate) mod learned;
pub(crate) mod margins;
mod pvs;
pub(crate) mod under_way;
mod ybw;

use std::fmt;
use std::str::FromStr;

use crate::dts::choose::{PlySummary, SplitPolicy};
use crate::node_type::Expectation;
use learned::Learned;

/// A strategy: how processors come to work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Strategy {
    /// One processor searches; the others wait. The measure for all others.
    Sequential,
    /// Principal Variation Splitting: processors meet only along the leftmost path.
    Pvs,
    /// Enhanced Principal Variation Splitting: as PVS, but when moves run out, all processors are stopped, and what is left is split
    /// two plies further down (the paper, section 1).
    Epvs,
    /// Dynamic Tree Splitting after Hyatt and Nelson.
    #[default]
    Dts,
    /// Dynamic Tree Splitting that learns from the running search which nodes need all their moves (the paper, section 6, asks for
    /// it).
    DtsAdaptive,
    /// Young Brothers Wait with helpful masters: any node may be split once its first move is searched.
    Ybw,
    /// Every processor searches the root for itself; they meet only in the transposition table. For games that have one.
    LazySmp,
    /// The same, but a move that another processor is searching is put off until the others are done (Weill's ABDADA in the simple form
    /// that needs no field in the table). For games that have a table.
    Abdada,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Strategy; 8] = [
        Strategy::Sequential,
        Strategy::Pvs,
        Strategy::Epvs,
        Strategy::Dts,
        Strategy::DtsAdaptive,
        Strategy::Ybw,
        Strategy::LazySmp,
        Strategy::Abdada,
    ];

    /// The name as the program takes and prints it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Sequential => "sequential",
            Strategy::Pvs => "pvs",
            Strategy::Epvs => "epvs",
            Strategy::Dts => "dts",
            Strategy::DtsAdaptive => "dts-adaptive",
            Strategy::Ybw => "ybw",
            Strategy::LazySmp => "lazy-smp",
            Strategy::Abdada => "abdada",
        }
    }

    /// Whether more than one processor works.
    pub(crate) fn is_parallel(self) -> bool {
        self != Strategy::Sequential
    }

    /// Whether processors without work look for some.
    pub(crate) fn splits(self) -> bool {
        self.is_parallel() && !self.is_each_for_itself()
    }

    /// Whether every processor searches the root for itself.
    pub(crate) fn is_each_for_itself(self) -> bool {
        matches!(self, Strategy::LazySmp | Strategy::Abdada)
    }

    /// What the strategy says of split points; of strategies that have none, nobody asks.
    pub(crate) fn rules(self) -> &'static dyn Rules {
        match self {
            Strategy::Sequential | Strategy::LazySmp | Strategy::Abdada | Strategy::Dts => &dts::Dts,
            Strategy::Pvs => &pvs::Pvs,
            Strategy::Epvs => &epvs::Epvs,
            Strategy::DtsAdaptive => &adaptive::Adaptive,
            Strategy::Ybw => &ybw::Ybw,
        }
    }
}

/// What tells one strategy from another.
pub(crate) trait Rules: Sync {
    /// Judges every ply of a tree state, the root first: the confidence, from 0 to 1, that all moves of the ply have to be searched,
    /// so that those who help there are not stopped. None is split where it is 0; where it is at most [`LAST_RESORT`], only when
    /// nothing better has been found for a while.
    fn judge(
        &self,
        plies: &[PlySummary],
        policy: &SplitPolicy,
        learned: &Learned,
        judged: &mut dyn FnMut(&PlySummary, f32),
    );

    /// The share of its worth that branch `number` of a ply keeps, since branches before it, its rivals, are still being searched, each
    /// of which may improve the bound.
    fn left_by_rivals(&self, ply: &PlySummary, number: u32, policy: &SplitPolicy, learned: &Learned) -> f32 {
        let _ = learned;
        let rivals = number.saturating_sub(ply.searched);
        // At other nodes branches only tell whether those after them are needed at all, which is what the confidence is about.
        let improves = if ply.expectation == Expectation::Exact { policy.rivals_improve } else { 0.0 };
        if rivals == 0 { 1.0 } else { (1.0 - improves).powi(rivals as i32) }
    }

    /// How much more a sure split point is worth than a doubtful one: the power of the confidence.
    fn caution(&self) -> f32 {
        2.0
    }

    /// Whether a processor may split above a split block, at a ply that the block owns.
    fn splits_above(&self) -> bool {
        false
    }

    /// Nodes for which a processor ignores HELP after having answered it.
    fn thrashing_nodes(&self, policy: &SplitPolicy) -> u64 {
        policy.thrashing_nodes
    }

    /// Nodes after which, on top of that, it publishes its tree state again while others are without work.
    fn renewal_nodes(&self, policy: &SplitPolicy) -> u64 {
        policy.renewal_nodes
    }

    /// Whether a processor splits a node on the principal variation without being asked, as soon as its first move is searched and
    /// somebody is without work: there is no better split point, and a request would only be heard a node or a grain later.
    fn splits_unasked(&self) -> bool {
        false
    }

    /// What a processor does at a split point of which it has taken the last branch, while others are still at work there.
    fn when_moves_run_out(&self, split_point: SplitPoint, policy: &SplitPolicy) -> OutOfMoves {
        let _ = (split_point, policy);
        OutOfMoves::Leave
    }

    /// Whether the search is to keep count of what nodes needed.
    fn learns(&self) -> bool {
        false
    }
}

/// A confidence that is good enough only when there has been nothing better for a while.
pub(crate) const LAST_RESORT: f32 = 0.02;

/// A split point that has run out of moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SplitPoint {
    /// About how many nodes its whole subtree holds.
    pub(crate) work: f32,
    /// How many moves it had.
    pub(crate) moves: u32,
}

/// What a processor does when the moves of its split point have run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutOfMoves {
    /// It looks for work anywhere.
    Leave,
    /// If the split point was its own, it helps only those who work below it, until they are done.
    HelpBelow,
    /// It stops all others there; their branches are searched again, one after the other, all processors together.
    StepDown,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no strategy's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown strategy `{0}`; known are: sequential, pvs, epvs, dts, dts-adaptive, ybw, lazy-smp, abdada")]
pub struct UnknownStrategy(String);

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        let name = name.trim();
        Strategy::ALL
            .into_iter()
            .find(|strategy| strategy.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownStrategy(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_the_error_lists_them() {
        for strategy in Strategy::ALL {
            assert_eq!(strategy.name().parse(), Ok(strategy));
        }
        let error = "dst".parse::<Strategy>().expect_err("no strategy").to_string();
        assert!(Strategy::ALL.iter().all(|strategy| error.contains(strategy.name())), "{error}");
    }
}
