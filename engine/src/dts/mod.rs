//! Dynamic Tree Splitting: processors, split blocks and the messages between them. `README.md` beside this file is the
//! protocol.

pub(crate) mod choose;
mod help;
mod join;
pub(crate) mod mailbox;
pub(crate) mod pool;
pub(crate) mod processor;
mod share;
mod split;
