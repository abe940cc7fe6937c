//! Random numbers that are functions of a place in a tree.

/// Spreads the bits of `word` (the finalizer of splitmix64, Steele, Lea and Flood 2014).
#[inline]
pub(crate) fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// A number below `count`, from the high half of `word`.
#[inline]
pub(crate) fn below(word: u64, count: u32) -> u32 {
    (((word >> 32) * u64::from(count)) >> 32) as u32
}

/// A number in `-most..=most`, from the high half of `word`.
#[inline]
pub(crate) fn around_zero(word: u64, most: i32) -> i32 {
    below(word, 2 * most.unsigned_abs() + 1) as i32 - most
}
