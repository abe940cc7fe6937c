//! The double-dummy search, as a game of the engine.

pub(crate) mod double_dummy;
mod killers;
mod order;
pub(crate) mod owners;
mod pattern;
pub(crate) mod patterns;
pub(crate) mod position;
#[cfg(test)]
mod proofs;
pub(crate) mod sure;
#[cfg(test)]
mod sure_tests;
