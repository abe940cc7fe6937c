//! How often a branch whose static estimate lay so far beyond the bound did beat it.
//!
//! A game may tell, without search, about what a position is worth ([`Game::estimate`](crate::Game::estimate)). How far that lies beyond
//! the bound of the node above says more of what will come of a branch than its place in the order of moves does. How much more,
//! the running search tells.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::value::Value;

/// Margins of so many steps and more, to either side, are counted as one.
const MOST_STEPS: Value = 16;
/// Margins that are told apart.
const MARGINS: usize = 2 * MOST_STEPS as usize + 1;
/// Numbers of replies from here on are counted as one.
const MOST_REPLIES: usize = 8;
/// How many branches what is believed at first weighs as much as.
const WEIGHT_OF_PRIOR: f32 = 2.0;

/// How far the estimate of a branch lies beyond the bound of its node, seen from the node's mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Margin(u8);

impl Margin {
    /// A margin of `beyond`, where `step` makes a difference. `depth` is what the node has left: whether the mover or the other side has
    /// the last word shifts all estimates.
    pub(crate) fn new(beyond: i64, step: Value, depth: i32) -> Margin {
        let steps = beyond.div_euclid(i64::from(step.max(1)));
        let steps = steps.clamp(i64::from(-MOST_STEPS), i64::from(MOST_STEPS)) + i64::from(MOST_STEPS);
        Margin((steps as usize * 2 + (depth & 1) as usize) as u8)
    }
}

/// Branches of one margin, by the replies to them that had been searched: how many beat the bound in the end, and how many did not.
type Outcomes = [[AtomicU32; 2]; MOST_REPLIES + 1];

/// Counts for all margins.
#[derive(Debug)]
pub(crate) struct Margins(Box<[Outcomes]>);

impl Margins {
    /// Nothing is known yet; no counts if nobody will ask.
    pub(crate) fn new(wanted: bool) -> Self {
        let count = if wanted { 2 * MARGINS } else { 0 };
        Margins((0..count).map(|_| Outcomes::default()).collect())
    }

    /// A branch has come to its end after so many replies. One that beat the bound was, with each number of replies up to then, one that
    /// would; one that did not was refuted by its last reply.
    pub(crate) fn note(&self, margin: Margin, replies: u32, beat: bool) {
        let outcomes = &self.0[usize::from(margin.0)];
        let replies = replies as usize;
        let last = if beat { replies } else { replies.saturating_sub(1) };
        for counts in &outcomes[..=last.min(MOST_REPLIES)] {
            counts[usize::from(beat)].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The chance that a branch, so many replies to which have been searched, beats the bound. Where little is known, `prior` counts.
    pub(crate) fn chance(&self, margin: Margin, replies: u32, prior: f32) -> f32 {
        let [less, more] = &self.0[usize::from(margin.0)][(replies as usize).min(MOST_REPLIES)];
        let (less, more) = (less.load(Ordering::Relaxed) as f32, more.load(Ordering::Relaxed) as f32);
        (more + WEIGHT_OF_PRIOR * prior) / (more + less + WEIGHT_OF_PRIOR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_are_steps_beyond_the_bound_and_who_has_the_last_word() {
        let margin = |beyond| Margin::new(beyond, 10, 4);
        assert_eq!(margin(0), margin(9));
        assert_ne!(margin(0), margin(-1));
        assert_ne!(margin(0), margin(10));
        assert_eq!(margin(160), margin(i64::MAX));
        assert_eq!(margin(-160), margin(i64::MIN));
        assert_ne!(margin(5), Margin::new(5, 10, 5));
    }

    #[test]
    fn what_has_been_seen_takes_the_place_of_what_was_believed() {
        let (margins, margin) = (Margins::new(true), Margin::new(20, 10, 3));
        assert_eq!(margins.chance(margin, 2, 0.25), 0.25);
        // Thirty branches had five replies and beat the bound; ten were refuted by the second reply.
        (0..30).for_each(|_| margins.note(margin, 5, true));
        (0..10).for_each(|_| margins.note(margin, 2, false));
        assert_eq!(margins.chance(margin, 0, 0.5), 31.0 / 42.0);
        assert_eq!(margins.chance(margin, 1, 0.5), 31.0 / 42.0);
        assert_eq!(margins.chance(margin, 2, 0.5), 31.0 / 32.0);
        assert_eq!(margins.chance(margin, 100, 0.5), 0.5);
        assert_eq!(margins.chance(Margin::new(20, 10, 4), 0, 0.5), 0.5);
    }
}
