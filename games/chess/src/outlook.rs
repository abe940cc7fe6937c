//! How the moves of a node are tried.

use dts_engine::Value;

/// How the moves of a node are tried: what [`crate::Chess`] knows of the node when it opens it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook {
    /// The depth left, checks counted.
    pub(crate) depth: i32,
    /// Whose history puts quiet moves in order.
    pub(crate) processor: u16,
    /// Quiet moves are left out once so many moves have been told.
    pub(crate) quiet_limit: u16,
    /// Late moves are tried less deep first; by so much less than usual.
    pub(crate) reduces: bool,
    /// Plies added to every reduction.
    pub(crate) reduction: i32,
    /// Plies that all moves are searched less deep, for want of a table move.
    pub(crate) shortening: i8,
    /// In quiescence: captures that win less are left out.
    pub(crate) least_gain: Value,
    /// Where the node fails towards its mover: what his opponent will not allow.
    pub(crate) far_bound: Value,
    /// The depth of the null move, if there is one.
    pub(crate) null_depth: Option<i8>,
    /// What no move but the table's should reach, if that is to be tested.
    pub(crate) test_bound: Option<i16>,
}

impl Default for Outlook {
    fn default() -> Self {
        Outlook {
            depth: 0,
            processor: 0,
            quiet_limit: u16::MAX,
            reduces: false,
            reduction: 0,
            shortening: 0,
            least_gain: Value::MIN,
            far_bound: 0,
            null_depth: None,
            test_bound: None,
        }
    }
}
