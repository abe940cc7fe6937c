//! Dynamic Tree Splitting.
