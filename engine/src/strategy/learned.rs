//! What the running search has taught about its nodes.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::dts::choose::PlySummary;
use crate::game::Game;
use crate::node_type::{Expectation, NodeType};
use crate::strategy::margins::{Margin, Margins};
use crate::strategy::under_way::UnderWay;
use crate::tree::Ply;
use crate::value::Side;

/// Numbers of moves from here on are counted as one.
const MOST_SEARCHED: usize = 16;
/// Numbers of a move at its own node from here on are counted as one.
const MOST_NUMBER: usize = 4;
/// Kinds of nodes: type and number of the move that led there.
const KINDS: usize = 3 * (MOST_NUMBER + 1);
/// How many nodes what is believed at first weighs as much as.
const WEIGHT_OF_PRIOR: f32 = 8.0;
/// What is believed at first of a branch of which nothing is known but how it seems: the chance that it beats its node's bound.
const BEATS: f32 = 0.3;

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
#[derive(Debug)]
pub(crate) struct Learned {
    kinds: [Ends; KINDS],
    margins: Margins,
    under_way: UnderWay,
}

/// What is known of a node without looking above it.
#[derive(Clone, Copy, Debug)]
struct Kind {
    expectation: Expectation,
    side: Side,
    /// The number of the move that led there.
    number: u32,
}

impl Kind {
    fn of_node<G: Game>(at: &Ply<G>) -> Kind {
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
    /// Nothing yet; `learns` tells whether that is to change.
    pub(crate) fn new(learns: bool) -> Self {
        Learned { kinds: Default::default(), margins: Margins::new(learns), under_way: UnderWay::new(learns) }
    }

    /// The node `at` ended after `searched` moves: all of them, or a cutoff.
    pub(crate) fn note_end<G: Game>(&self, at: &Ply<G>, searched: u32, all: bool) {
        let ends = &self.kinds[Kind::of_node(at).index()];
        let ends = if all { &ends.all } else { &ends.cut };
        ends[(searched as usize).min(MOST_SEARCHED)].fetch_add(1, Ordering::Relaxed);
    }

    /// Branch `number` of the node `at`, which seems to beat the bound by `margin`, is being searched from now on.
    pub(crate) fn branch_begins<G: Game>(&self, at: &Ply<G>, number: u32, margin: Option<Margin>) {
        let chance = match margin {
            Some(margin) => self.margins.chance(margin, 0, BEATS),
            None if at.expectation == Expectation::Exact => self.improves(Kind::of_node(at)),
            // Whether its moves beat the bound is then what the confidence is about.
            None => return,
        };
        self.under_way.begins(at.serial, number, chance);
    }

    /// Branch `number` of the node `at` is searched no more.
    pub(crate) fn branch_ends<G: Game>(&self, at: &Ply<G>, number: u32) {
        self.under_way.ends(at.serial, number);
    }

    /// A move of the node `at` counts: whether it beat the bound, and after so many replies.
    pub(crate) fn note_move<G: Game>(
        &self,
        at: &Ply<G>,
        number: u32,
        margin: Option<Margin>,
        replies: u32,
        beat: bool,
    ) {
        let on_principal_variation = at.expectation == Expectation::Exact;
        // The first move of a node on the principal variation has no bound to beat.
        if number == 0 && on_principal_variation {
            return;
        }
        if let Some(margin) = margin {
            self.margins.note(margin, replies, beat);
        }
        if number > 0 && on_principal_variation {
            let ends = &self.kinds[Kind::of_node(at).index()];
            ends.later_moves.fetch_add(1, Ordering::Relaxed);
            if beat {
                ends.improved.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// The chance that none of the branches of `ply` before number `number` that are being searched makes that one pointless.
    pub(crate) fn left_by_rivals(&self, ply: &PlySummary, number: u32) -> f32 {
        self.under_way.none_beats(ply.serial, number)
    }

    /// How sure it is that `ply` needs all its moves; `prior` is what is believed before anything is known.
    ///
    /// A node needs all its moves if the branch that led to it beats the bound above, which its estimate foretells. Where there is none,
    /// nodes of the same type, reached by a move of the same number, with as many moves searched, tell.
    pub(crate) fn needs_all(&self, ply: &PlySummary, prior: f32) -> f32 {
        match ply.margin {
            Some(margin) if ply.expectation != Expectation::Exact => {
                self.margins.chance(margin, ply.searched, prior)
            }
            _ => self.kind_needs_all(ply, prior),
        }
    }

    /// How often a node like `ply`, with as many moves searched and some left, needed all of them.
    fn kind_needs_all(&self, ply: &PlySummary, prior: f32) -> f32 {
        let ends = &self.kinds[Kind::of(ply).index()];
        let from = (ply.searched as usize + 1).min(MOST_SEARCHED);
        let count =
            |ends: &[AtomicU32]| ends[from..].iter().map(|end| end.load(Ordering::Relaxed)).sum::<u32>();
        let (all, cut) = (count(&ends.all) as f32, count(&ends.cut) as f32);
        (all + WEIGHT_OF_PRIOR * prior) / (all + cut + WEIGHT_OF_PRIOR)
    }

    /// How often a later move of a node like this improved its bound.
    fn improves(&self, kind: Kind) -> f32 {
        let ends = &self.kinds[kind.index()];
        let moves = ends.later_moves.load(Ordering::Relaxed) as f32;
        let improved = ends.improved.load(Ordering::Relaxed) as f32;
        (improved + WEIGHT_OF_PRIOR * BEATS) / (moves + WEIGHT_OF_PRIOR)
    }
}
