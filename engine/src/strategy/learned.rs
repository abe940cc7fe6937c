//! What the running search has taught about its nodes: how often a node that had so many moves searched needed all of them.

use crate::dts::choose::PlySummary;
use crate::game::Game;
use crate::node_type::{Expectation, NodeType};
use crate::sync::{AtomicU32, Ordering};
use crate::tree::Ply;
use crate::value::Side;

/// Numbers of moves from here on are counted as one.
const MOST_SEARCHED: usize = 16;
/// Numbers of a move at its own node from here on are counted as one.
const MOST_NUMBER: usize = 4;
/// Kinds of nodes: type and number of the move that led there.
const KINDS: usize = 3 * (MOST_NUMBER + 1);

/// How nodes of one kind ended, by the number of moves that were searched.
#[derive(Debug, Default)]
struct Ends {
    /// With all moves searched.
    all: [AtomicU32; MOST_SEARCHED + 1],
    /// With a cutoff.
    cut: [AtomicU32; MOST_SEARCHED + 1],
    /// Moves after the first, and how many of them improved the bound.
    later_moves: AtomicU32,
    improved: AtomicU32,
}

/// What a search has learned so far; one for all its processors.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    kinds: [Ends; KINDS],
}

/// What is known of a node without looking above it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(crate) expectation: Expectation,
    pub(crate) side: Side,
    /// The number of the move that led there.
    pub(crate) number: u32,
}

impl Kind {
    pub(crate) fn of_node<G: Game>(at: &Ply<G>) -> Kind {
        Kind { expectation: at.expectation, side: at.side, number: at.number() }
    }

    fn of(ply: &PlySummary) -> Kind {
        Kind { expectation: ply.expectation, side: ply.side, number: ply.number }
    }

    fn index(self) -> usize {
        let node_type = match self.expectation.node_type(self.side) {
            NodeType::Pv => 0,
            NodeType::Cut => 1,
            NodeType::All => 2,
        };
        node_type * (MOST_NUMBER + 1) + (self.number as usize).min(MOST_NUMBER)
    }
}

impl Learned {
    /// A node ended after `searched` moves: all of them, or a cutoff.
    pub(crate) fn note(&self, kind: Kind, searched: u32, all: bool) {
        let ends = &self.kinds[kind.index()];
        let ends = if all { &ends.all } else { &ends.cut };
        ends[(searched as usize).min(MOST_SEARCHED)].fetch_add(1, Ordering::Relaxed);
    }

    /// A move after the first of a node was searched; it may have improved the bound.
    pub(crate) fn note_move(&self, kind: Kind, improved: bool) {
        let ends = &self.kinds[kind.index()];
        ends.later_moves.fetch_add(1, Ordering::Relaxed);
        if improved {
            ends.improved.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How often a later move of a node like `ply` improved its bound; `prior` counts as if it had been seen [`WEIGHT_OF_PRIOR`] times.
    pub(crate) fn improves(&self, ply: &PlySummary, prior: f32) -> f32 {
        let ends = &self.kinds[Kind::of(ply).index()];
        let moves = ends.later_moves.load(Ordering::Relaxed) as f32;
        let improved = ends.improved.load(Ordering::Relaxed) as f32;
        (improved + WEIGHT_OF_PRIOR * prior) / (moves + WEIGHT_OF_PRIOR)
    }

    /// How often a node like `ply`, with as many moves searched and some left, needed all of them. Where little is known, `prior`
    /// counts as if it had been seen [`WEIGHT_OF_PRIOR`] times.
    pub(crate) fn needs_all(&self, ply: &PlySummary, prior: f32) -> f32 {
        let ends = &self.kinds[Kind::of(ply).index()];
        let from = (ply.searched as usize + 1).min(MOST_SEARCHED);
        let count =
            |ends: &[AtomicU32]| ends[from..].iter().map(|end| end.load(Ordering::Relaxed)).sum::<u32>();
        let (all, cut) = (count(&ends.all) as f32, count(&ends.cut) as f32);
        (all + WEIGHT_OF_PRIOR * prior) / (all + cut + WEIGHT_OF_PRIOR)
    }
}

/// How many nodes what is believed at first weighs as much as.
const WEIGHT_OF_PRIOR: f32 = 8.0;
