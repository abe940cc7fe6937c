//! What a transposition table holds of a node: a range and a move, in the bits that an entry has.

use dts_engine::table::PAYLOAD_BITS;
use dts_engine::{Range, Value};

/// A range and a move. Each end of the range has `END_BITS` bits, with a sign; the move has the bits that are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry<const END_BITS: u32> {
    /// An end that is not known is kept as the outermost that a value can be.
    pub(crate) range: Range,
    /// [`Entry::NO_MOVE`] if there is none.
    pub(crate) best: u64,
}

impl<const END_BITS: u32> Entry<END_BITS> {
    /// Ends are moved up by so much, so that they are not negative.
    const OFFSET: Value = 1 << (END_BITS - 1);
    /// Larger than any move.
    pub(crate) const NO_MOVE: u64 = (1 << (PAYLOAD_BITS - 2 * END_BITS)) - 1;

    /// The entry in the bits of the table's.
    pub(crate) fn pack(self) -> u64 {
        let end = |value: Value| (value.clamp(-Self::OFFSET, Self::OFFSET - 1) + Self::OFFSET) as u64;
        end(self.range.lower) | end(self.range.upper) << END_BITS | self.best << (2 * END_BITS)
    }

    /// The entry that was packed.
    pub(crate) fn unpack(payload: u64) -> Self {
        let end = |bits: u64| (bits & ((1 << END_BITS) - 1)) as Value - Self::OFFSET;
        let range = Range { lower: end(payload), upper: end(payload >> END_BITS) };
        Entry { range, best: payload >> (2 * END_BITS) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dts_engine::{HIGHEST, LOWEST};

    #[test]
    fn entries_are_read_back_and_unknown_ends_become_the_outermost() {
        let entry = Entry::<22> { range: Range { lower: -2_000_000, upper: 7 }, best: 62 };
        assert_eq!(Entry::unpack(entry.pack()), entry);
        let unknown = Entry::<20> { range: Range { lower: LOWEST, upper: HIGHEST }, best: 1_023 };
        assert_eq!((Entry::<22>::NO_MOVE, Entry::<20>::NO_MOVE), (63, 1_023));
        let outermost = Range { lower: -524_288, upper: 524_287 };
        assert_eq!(Entry::<20>::unpack(unknown.pack()), Entry { range: outermost, best: 1_023 });
        assert!(unknown.pack() < 1 << PAYLOAD_BITS);
    }
}
