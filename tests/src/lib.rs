//! Helpers shared by the tests that only hold across crates.

mod boards;
mod yielding;

pub use boards::{Random, position, small_board};
pub use yielding::Yielding;
