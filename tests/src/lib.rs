//! Helpers shared by the tests that only hold across crates.

mod allocations;
mod boards;
mod yielding;

pub use allocations::{Counting, check_allocations};
pub use boards::{Random, position, small_board};
pub use yielding::Yielding;
