//! What a tree with transpositions remembers: ranges of what is still to be won, by position.

use dts_engine::table::Table;
use dts_engine::{Answer, Node, Opening, Range, Side};

use crate::random::mix;
use crate::shape::WIDEST;
use crate::tree::{Move, Position, Source, Tree};

/// Gains of all plies fit into 22 bits.
type Entry = crate::entry::Entry<22>;
const _: () = assert!(WIDEST as u64 <= Entry::NO_MOVE);

impl Position {
    /// The key of what is below: the same for all paths that lead here.
    fn table_key(&self) -> u64 {
        mix(self.key ^ u64::from(self.ply) << 40 ^ u64::from(self.side == Side::Min) << 63)
    }
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
        let Entry { range, best } = Entry::unpack(payload);
        let range = Range { lower: range.lower + position.value, upper: range.upper + position.value };
        source.bring_to_front(best as u8);
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
        let range = Range {
            lower: range.lower.saturating_sub(position.value),
            upper: range.upper.saturating_sub(position.value),
        };
        let best = best.map_or(Entry::NO_MOVE, |best| u64::from(best.number));
        let worth = self.shape().depth - u32::from(position.ply);
        table.put(position.table_key(), Entry { range, best }.pack(), worth.min(255) as u8);
    }
}
