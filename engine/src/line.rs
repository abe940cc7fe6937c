//! Lines of moves.

/// A sequence of moves from a node downwards, best play as far as it is known.
///
/// Its memory is kept when it is cleared or copied over, so that a search allocates only when a line grows beyond
/// any seen before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<M> {
    moves: Vec<M>,
}

impl<M: Copy> Line<M> {
    /// An empty line with room for some moves.
    pub(crate) fn new() -> Self {
        Line { moves: Vec::with_capacity(16) }
    }

    /// The moves, first to last.
    #[must_use]
    pub fn moves(&self) -> &[M] {
        &self.moves
    }

    /// Takes the moves out, to be put back.
    pub(crate) fn take(&mut self) -> Self {
        Line { moves: std::mem::take(&mut self.moves) }
    }

    pub(crate) fn clear(&mut self) {
        self.moves.clear();
    }

    /// Becomes `first`, then `rest`.
    pub(crate) fn set(&mut self, first: M, rest: &[M]) {
        self.moves.clear();
        self.moves.push(first);
        self.moves.extend_from_slice(rest);
    }

    /// One more move at the end.
    pub(crate) fn push(&mut self, last: M) {
        self.moves.push(last);
    }

    /// Becomes the moves of `other`, last to first.
    pub(crate) fn set_reversed(&mut self, other: &Self) {
        self.moves.clear();
        self.moves.extend(other.moves.iter().rev());
    }

    /// Becomes a copy of `other` without giving memory back.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.moves.clear();
        self.moves.extend_from_slice(&other.moves);
    }
}
