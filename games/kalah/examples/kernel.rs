#![allow(missing_docs, dead_code, unreachable_pub)]
#[path = "../src/position.rs"]
mod position;
#[path = "../src/sowing.rs"]
mod sowing;
use dts_kalah::{Capture, End, Origin, Rules, Sweep};
fn main() {}
