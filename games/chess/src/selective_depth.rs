//! The selective depth of a search: the deepest ply that was looked at, quiescence included.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// With more processors than this, some share a place.
const PLACES: usize = 64;

/// A place has a cache line of its own: its processor reads it at every node.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Place(AtomicUsize);

/// The deepest ply that was looked at, by processor. Written only where a processor gets deeper than ever before, some dozens of times
/// a search.
#[derive(Debug)]
pub(crate) struct SelectiveDepth([Place; PLACES]);

impl SelectiveDepth {
    pub(crate) fn new() -> SelectiveDepth {
        SelectiveDepth(std::array::from_fn(|_| Place::default()))
    }

    /// A search begins.
    pub(crate) fn reset(&self) {
        self.0.iter().for_each(|place| place.0.store(0, Relaxed));
    }

    /// A processor looks at a node at `ply`.
    #[inline(always)]
    pub(crate) fn reach(&self, processor: u16, ply: usize) {
        let place = &self.0[usize::from(processor) % PLACES].0;
        if ply > place.load(Relaxed) {
            place.fetch_max(ply, Relaxed);
        }
    }

    /// The deepest ply of all processors so far.
    pub(crate) fn get(&self) -> usize {
        self.0.iter().map(|place| place.0.load(Relaxed)).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_ply_of_any_processor_counts() {
        let depth = SelectiveDepth::new();
        for (processor, ply) in [(0, 3), (1, 9), (1, 4), (64, 8), (65, 2)] {
            depth.reach(processor, ply);
        }
        assert_eq!(depth.get(), 9);
        depth.reset();
        assert_eq!(depth.get(), 0);
        depth.reach(0, 5);
        assert_eq!(depth.get(), 5);
    }
}
