//! What the table says of a node, and what it is told.

use dts_engine::{Answer, Node, Range, Side};

use crate::choice::PackedMove;
use crate::entry::Entry;
use crate::memory::ChessMemory;
use crate::position::Position;

/// What the table says of a node.
#[derive(Clone, Copy)]
pub(crate) struct Remembered {
    pub(crate) range: Range,
    pub(crate) depth: i32,
    pub(crate) best: PackedMove,
}

impl Remembered {
    pub(crate) const NOTHING: Remembered =
        Remembered { range: Range::UNKNOWN, depth: -1, best: PackedMove::NONE };

    /// What the table says of a node; its move is legal there.
    #[inline]
    pub(crate) fn of(node: &Node<'_, Position>, memory: &ChessMemory) -> Remembered {
        let Some(bits) = memory.table.as_ref().and_then(|table| table.get(node.position().table_key()))
        else {
            return Remembered::NOTHING;
        };
        let entry = Entry::unpack(bits);
        // Another position may have the same key: its move need not be legal here.
        let is_legal = !entry.best.is_none() && node.position().board().is_legal(entry.best.unpack());
        let best = if is_legal { entry.best } else { PackedMove::NONE };
        Remembered { range: entry.range_at(node.ply()), depth: entry.depth, best }
    }
}

/// Tells the table what was found out of a node. `best` is the move that was better than all that was known before, if one was.
pub(crate) fn remember(
    node: &Node<'_, Position>,
    answer: &Answer<()>,
    best: PackedMove,
    memory: &ChessMemory,
) {
    let position = node.position();
    let Some(table) = &memory.table else { return };
    let is_filtered = node.ply() == 0 && !memory.root_moves.lock().is_empty();
    if is_filtered || !position.excluded().is_none() {
        return;
    }
    let key = position.table_key();
    let improved = !best.is_none();
    let best = if improved {
        best
    } else {
        // A node whose moves have all failed still knows which one was good before.
        table.get(key).map_or(best, |bits| Entry::unpack(bits).best)
    };
    let keep_lower = (position.side() == Side::Max) == improved;
    let entry = Entry::new(answer.range, keep_lower, node.depth, best, node.ply());
    table.put(key, entry.pack(), node.depth.clamp(0, 127) as u8);
}
