//! What a processor did during a search.

use std::ops::AddAssign;
use std::time::Duration;

use crate::account::BranchAccount;

/// Counters of one processor, or of all of them added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Nodes searched.
    pub nodes: u64,
    /// Splits asked for by this processor.
    pub splits_asked: u64,
    /// Splits this processor made of its own tree state for another, or above a block.
    pub splits: u64,
    /// Times it joined a split block.
    pub joins: u64,
    /// Times it asked for HELP.
    pub helps_asked: u64,
    /// Times it published its tree state for others.
    pub helps_answered: u64,
    /// Better bounds it passed on to the processors below a split point.
    pub shares: u64,
    /// Split blocks it handed in its part of (MERGE).
    pub merges: u64,
    /// Split blocks it took down as the last one there (UNSPLIT).
    pub unsplits: u64,
    /// Split blocks it cut off or closed from above.
    pub cutoffs: u64,
    /// Times its work was stopped because a block above had died.
    pub stops: u64,
    /// Nodes of such work: searched for nothing.
    pub nodes_thrown_away: u64,
    /// Plies copied for splits and joins.
    pub plies_copied: u64,
    /// Messages sent, and looks at messages that had come.
    pub messages: u64,
    /// Messages sent to other groups of processors, and locks taken of split blocks there, where a simulation has groups.
    pub messages_abroad: u64,
    /// Time without work.
    pub idle: Duration,
    /// The branches of split blocks that it has searched, by node type and number.
    pub branches: BranchAccount,
}

impl AddAssign<&Statistics> for Statistics {
    fn add_assign(&mut self, other: &Statistics) {
        self.nodes += other.nodes;
        self.splits_asked += other.splits_asked;
        self.splits += other.splits;
        self.joins += other.joins;
        self.helps_asked += other.helps_asked;
        self.helps_answered += other.helps_answered;
        self.shares += other.shares;
        self.merges += other.merges;
        self.unsplits += other.unsplits;
        self.cutoffs += other.cutoffs;
        self.stops += other.stops;
        self.nodes_thrown_away += other.nodes_thrown_away;
        self.plies_copied += other.plies_copied;
        self.messages += other.messages;
        self.messages_abroad += other.messages_abroad;
        self.idle += other.idle;
        self.branches += &other.branches;
    }
}
