//! The `dts` program.
fn main() {}
