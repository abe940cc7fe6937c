//! Dynamic Tree Splitting.

mod memory;
pub mod table;
