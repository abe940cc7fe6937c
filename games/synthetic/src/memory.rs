//! What a tree with transpositions remembers: ranges of what is still to be won, by position.

use dts_engine::table::Table;
use dts_engine::{Answer, Node, Opening, Range, Side, Value};

use crate::random::mix;
use crate::tree::{Move, Position, Source, Tree};

/// Values in the table are moved up by so much, so that they are not negative: gains of all plies fit.
const OFFSET: Value = 1 << 21;
const END_BITS: u32 = 22;
const NO_MOVE: u64 = 63;

impl Position {
    /// The key of what is below: the same for all paths that lead here.
    fn table_key(&self) -> u64 {
        mix(self.key ^ u64::from(self.ply) << 40 ^ u64::from(self.side == Side::Min) << 63)
    }
}

fn end(value: Value) -> u64 {
    (value.clamp(-OFFSET, OFFSET - 1) + OFFSET) as u64
}

impl Tree {
    /// Answers a node from the table, or brings the table's move to the front.
    pub(crate) fn remembered(
        &self,
        table: &Table,
        node: &Node<'_, Position>,
        source: &mut Source,
    ) -> Opening<()> {
        let position = node.position();
        let Some(payload) = table.get(position.table_key()) else {
            return Opening::Search(Answer::unknown());
        };
        let value = |bits: u64| (bits & ((1 << END_BITS) - 1)) as Value - OFFSET + position.value;
        let range = Range { lower: value(payload), upper: value(payload >> END_BITS) };
        source.bring_to_front((payload >> (2 * END_BITS)) as u8);
        if node.window.is_answered_by(range) && !node.is_root() {
            return Opening::Answered(Answer::range(range));
        }
        Opening::Search(if node.is_root() { Answer::unknown() } else { Answer::range(range) })
    }

    /// Remembers the answer of a node.
    pub(crate) fn remember(
        &self,
        table: &Table,
        node: &Node<'_, Position>,
        range: Range,
        best: Option<Move>,
    ) {
        let position = node.position();
        let best = best.map_or(NO_MOVE, |best| u64::from(best.number));
        let lower = end(range.lower.saturating_sub(position.value));
        let upper = end(range.upper.saturating_sub(position.value));
        let worth = self.shape().depth - u32::from(position.ply);
        table.put(
            position.table_key(),
            lower | upper << END_BITS | best << (2 * END_BITS),
            worth.min(255) as u8,
        );
    }
}
