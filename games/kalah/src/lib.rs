//! Kalah: the seed's rules as default and their variants, an exact solver, an endgame database and game records.
#![forbid(unsafe_code)]

mod rules;

pub use rules::{Capture, End, Origin, Rules, Sweep};
