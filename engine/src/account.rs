//! An account of the work at split blocks: at which nodes, from which of their moves on, and how much of it was for nothing.

use std::ops::AddAssign;

use crate::node_type::NodeType;

/// Branches from this number on are counted as one.
pub const LAST_BRANCH: usize = 16;

/// The branches of one kind that were taken from split blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Branches {
    /// How many were searched to the end of what was wanted of them.
    pub finished: u64,
    /// Nodes of those.
    pub nodes: u64,
    /// How many were left because a split block above had died.
    pub stopped: u64,
    /// Nodes of those: searched for nothing.
    pub nodes_thrown_away: u64,
}

impl AddAssign for Branches {
    fn add_assign(&mut self, other: Branches) {
        self.finished += other.finished;
        self.nodes += other.nodes;
        self.stopped += other.stopped;
        self.nodes_thrown_away += other.nodes_thrown_away;
    }
}

/// The branches of split blocks by the type that their node was expected to have (the paper, section 3.1; before the override phase) and by
/// their number, the first being 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchAccount([[Branches; LAST_BRANCH + 1]; 3]);

impl Default for BranchAccount {
    fn default() -> Self {
        BranchAccount([[Branches::default(); LAST_BRANCH + 1]; 3])
    }
}

impl BranchAccount {
    /// A branch has ended after `nodes`.
    pub(crate) fn note(&mut self, node_type: NodeType, number: u32, nodes: u64, stopped: bool) {
        let entry = &mut self.0[row(node_type)][(number as usize).min(LAST_BRANCH)];
        *entry += match stopped {
            true => Branches { stopped: 1, nodes_thrown_away: nodes, ..Branches::default() },
            false => Branches { finished: 1, nodes, ..Branches::default() },
        };
    }

    /// What is known of branch `number`, up to [`LAST_BRANCH`], of split nodes of a type.
    ///
    /// # Panics
    /// If the number is higher.
    #[must_use]
    pub fn of(&self, node_type: NodeType, number: usize) -> Branches {
        self.0[row(node_type)][number]
    }

    /// All branches of split nodes of a type.
    #[must_use]
    pub fn total(&self, node_type: NodeType) -> Branches {
        let mut total = Branches::default();
        self.0[row(node_type)].iter().for_each(|branches| total += *branches);
        total
    }
}

impl AddAssign<&BranchAccount> for BranchAccount {
    fn add_assign(&mut self, other: &BranchAccount) {
        let own = self.0.iter_mut().flatten();
        own.zip(other.0.iter().flatten()).for_each(|(own, other)| *own += *other);
    }
}

fn row(node_type: NodeType) -> usize {
    match node_type {
        NodeType::Pv => 0,
        NodeType::Cut => 1,
        NodeType::All => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_branches_are_counted_as_one() {
        let mut account = BranchAccount::default();
        account.note(NodeType::All, 3, 100, false);
        account.note(NodeType::All, 16, 10, true);
        account.note(NodeType::All, 40, 5, true);
        let mut both = account.clone();
        both += &account;
        assert_eq!(both.of(NodeType::All, 3), Branches { finished: 2, nodes: 200, ..Branches::default() });
        let total = Branches { finished: 1, nodes: 100, stopped: 2, nodes_thrown_away: 15 };
        assert_eq!(
            (account.total(NodeType::All), account.total(NodeType::Cut)),
            (total, Branches::default())
        );
    }
}
