//! Helpers shared by the tests that only hold across crates.
