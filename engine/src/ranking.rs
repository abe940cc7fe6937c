//! The best lines of a root, one after the other: each is searched as if the moves of those before it were not there.

use crate::root::RootMove;
use crate::value::{Range, Side, Value};

/// The best lines as far as they are known.
#[derive(Clone, Debug)]
pub(crate) struct Ranking<M> {
    /// So many are wanted; no more than there are moves.
    wanted: usize,
    /// Those of this iteration, in the order in which they were found.
    found: Vec<RootMove<M>>,
    /// Those of the iteration before, best first.
    before: Vec<RootMove<M>>,
}

impl<M: Copy + PartialEq> Ranking<M> {
    /// The `wanted` best of so many moves; none if the best move alone is wanted, which needs no ranking.
    pub(crate) fn new(wanted: usize, moves: usize) -> Option<Self> {
        let wanted = wanted.min(moves);
        (wanted > 1).then(|| Ranking { wanted, found: Vec::new(), before: Vec::new() })
    }

    /// The moves that the next line does not begin with.
    pub(crate) fn left_out(&self) -> Vec<M> {
        self.found.iter().map(|line| line.chosen).collect()
    }

    /// The move that the next line most likely begins with.
    pub(crate) fn first(&self) -> Option<M> {
        self.left_over().next().map(|line| line.chosen)
    }

    /// What the next line is most likely worth: what the line of its rank was worth before.
    pub(crate) fn guess(&self) -> Option<Value> {
        let before = self.before.get(self.found.len())?;
        before.range.is_exact().then_some(before.range.lower)
    }

    /// One more line is known. True if that was the last one.
    pub(crate) fn add(&mut self, line: RootMove<M>) -> bool {
        self.found.push(line);
        self.found.len() >= self.wanted
    }

    /// The lines as far as they are known: those of this iteration, then what is left of the one before.
    pub(crate) fn so_far(&self) -> Vec<RootMove<M>> {
        self.found.iter().chain(self.left_over()).take(self.wanted).cloned().collect()
    }

    fn left_over(&self) -> impl Iterator<Item = &RootMove<M>> {
        let is_found = |chosen: M| self.found.iter().any(|line| line.chosen == chosen);
        self.before.iter().filter(move |line| !is_found(line.chosen))
    }

    /// The iteration is over: its lines, best first for `side`.
    pub(crate) fn conclude(&mut self, side: Side) -> Vec<RootMove<M>> {
        // A later line may be better than an earlier one: it was searched with what had been learnt meanwhile.
        sort(&mut self.found, side);
        self.before = std::mem::take(&mut self.found);
        self.before.clone()
    }

    /// The same ranking at the beginning of its iteration.
    pub(crate) fn begun_again(&self) -> Self {
        Ranking { wanted: self.wanted, found: Vec::new(), before: self.before.clone() }
    }
}

/// Puts root moves in order, best first for `side`.
pub(crate) fn sort<M>(moves: &mut [RootMove<M>], side: Side) {
    moves.sort_by_key(|root_move| {
        let Range { lower, upper } = root_move.range;
        match side {
            Side::Max => -lower,
            Side::Min => upper,
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(chosen: u32, value: Value) -> RootMove<u32> {
        RootMove { chosen, range: Range::exact(value), depth: 1, line: vec![chosen] }
    }

    fn chosen(lines: &[RootMove<u32>]) -> Vec<u32> {
        lines.iter().map(|line| line.chosen).collect()
    }

    #[test]
    fn one_line_needs_no_ranking() {
        assert!(Ranking::<u32>::new(1, 20).is_none());
        assert!(Ranking::<u32>::new(5, 1).is_none());
        assert!(Ranking::<u32>::new(5, 0).is_none());
    }

    #[test]
    fn a_line_begins_where_the_iteration_before_left_off() {
        let mut ranking = Ranking::new(3, 20).expect("three lines");
        assert_eq!((ranking.first(), ranking.guess()), (None, None));
        assert!(!ranking.add(line(7, 30)));
        assert_eq!(ranking.left_out(), [7]);
        assert!(!ranking.add(line(4, 10)));
        assert!(ranking.add(line(5, 20)));
        assert_eq!(chosen(&ranking.conclude(Side::Max)), [7, 5, 4]);

        assert_eq!((ranking.first(), ranking.guess()), (Some(7), Some(30)));
        ranking.add(line(5, 25));
        assert_eq!((ranking.first(), ranking.guess()), (Some(7), Some(20)));
        assert_eq!(chosen(&ranking.so_far()), [5, 7, 4]);
        ranking.add(line(9, 24));
        assert_eq!((ranking.first(), ranking.guess()), (Some(7), Some(10)));
        assert_eq!(chosen(&ranking.so_far()), [5, 9, 7]);
        assert_eq!(chosen(&ranking.begun_again().so_far()), [7, 5, 4]);
        ranking.add(line(7, 26));
        assert_eq!(chosen(&ranking.conclude(Side::Min)), [9, 5, 7]);
    }
}
