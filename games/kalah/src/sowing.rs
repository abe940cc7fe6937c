//! Moves on the fast position.
//!
//! Where the stones of a move fall depends only on the pit and on their number, and the whole rounds of the board
//! among them give one stone to every place. So a small table answers for every move of less than a round (and for
//! as many more as fit): two words that are added to the two rows, the stones that fall into the store and the
//! place of the last one. The variants of the rules cost nothing on the way: what a last stone captures is one
//! constant, whether the origin is sown is in the table, and the end of a game is rare and out of line.

use std::fmt;

use crate::position::{LANE_BITS, MOST_STONES, Position, Row, Side, sign};
use crate::{Capture, End, Origin, Rules, Sweep};

/// What sowing some number of stones from some pit does.
#[derive(Clone, Copy, Debug, Default)]
struct Sown<R> {
    /// What the mover's row gets.
    own: R,
    /// What the other row gets.
    other: R,
    /// The lane of the last stone if it falls into the mover's row, else `R::NOWHERE`.
    last: u8,
    /// The lane of the pit opposite to the last stone, in the other row.
    opposite: u8,
    /// Stones into the mover's store.
    banked: u8,
    /// Whether the last stone falls into the mover's store.
    again: bool,
}

/// Counts of stones that have their own entry in the table, zero included: a power of two.
const ENTRIES: u32 = 32;

/// The moves of one board size under one variant of the rules.
pub struct Sowing<R> {
    rules: Rules,
    pits: u32,
    /// One stone in each pit of the board.
    ones: R,
    /// The pits from which this many stones end in the store without going round.
    exact: R,
    /// 1 if a last stone in an empty pit captures although the opposite pit is empty, else 0.
    always_captures: u32,
    /// `[pit * ENTRIES + stones]`; more stones than that are reduced by whole rounds.
    table: Box<[Sown<R>]>,
}

impl<R: Row> fmt::Debug for Sowing<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sowing").field("rules", &self.rules).field("pits", &self.pits).finish_non_exhaustive()
    }
}

/// Drops the stones one by one, as the rules say it. `pits` at most `R::LANES`.
fn sow_slowly<R: Row>(pits: u32, origin: Origin, pit: u32, stones: u32) -> Sown<R> {
    // Places of a round: the mover's pits, his store, the other's pits.
    let mut place = pit;
    let mut sown = Sown { own: R::ZERO, other: R::ZERO, last: R::NOWHERE as u8, ..Sown::default() };
    let mut dropped = 0;
    while dropped < stones {
        place = (place + 1) % (2 * pits + 1);
        if place == pit && origin == Origin::Skipped {
            continue;
        }
        dropped += 1;
        if place < pits {
            sown.own = sown.own.plus(R::single(place, 1));
        } else if place == pits {
            sown.banked += 1;
        } else {
            sown.other = sown.other.plus(R::single(place - pits - 1, 1));
        }
    }
    if stones > 0 {
        sown.again = place == pits;
        if place < pits {
            sown.last = (place * LANE_BITS) as u8;
            sown.opposite = ((pits - 1 - place) * LANE_BITS) as u8;
        }
    }
    sown
}

impl<R: Row> Sowing<R> {
    /// The moves of a board with `pits` a side; `None` if there are none or more than `R` holds.
    #[must_use]
    pub fn new(rules: Rules, pits: u32) -> Option<Sowing<R>> {
        if pits == 0 || pits > R::LANES {
            return None;
        }
        let table =
            (0..pits).flat_map(|pit| (0..ENTRIES).map(move |n| sow_slowly(pits, rules.origin, pit, n)));
        Some(Sowing {
            rules,
            pits,
            ones: (0..pits).fold(R::ZERO, |row, pit| row.plus(R::single(pit, 1))),
            // Lanes beyond the board are empty: they must match nothing.
            exact: (0..R::LANES)
                .fold(R::ZERO, |row, pit| row.plus(R::single(pit, if pit < pits { pits - pit } else { 1 }))),
            always_captures: u32::from(rules.capture == Capture::Empty),
            table: table.collect(),
        })
    }

    /// The variant of the rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The pits of each side.
    #[must_use]
    pub fn pits(&self) -> u32 {
        self.pits
    }

    /// A position from what lies in the pits of `Max` and of `Min`, each counted from the owner's first pit. A row
    /// that ends the game is swept at once. `None` if the rows are not of this board's size or hold more than
    /// [`MOST_STONES`] together, or the result would not fit 16 bits.
    #[must_use]
    pub fn position(&self, max: &[u32], min: &[u32], banked: i16, side: Side) -> Option<Position<R>> {
        let sized = max.len() == self.pits as usize && min.len() == self.pits as usize;
        let stones = max.iter().chain(min).try_fold(0u32, |sum, &n| sum.checked_add(n))?;
        if !sized || stones > MOST_STONES || banked.checked_abs()? > i16::MAX - MOST_STONES as i16 {
            return None;
        }
        let row =
            |stones: &[u32]| (0..).zip(stones).fold(R::ZERO, |row, (pit, &n)| row.plus(R::single(pit, n)));
        let (own, other) = if side == Side::Max { (row(max), row(min)) } else { (row(min), row(max)) };
        Some(self.settled(Position { own, other, banked, side }, side.opposite()))
    }

    /// The position at the start of a game with `stones` in each pit.
    #[must_use]
    pub fn start(&self, stones: u32) -> Option<Position<R>> {
        let row = vec![stones; self.pits as usize];
        self.position(&row, &row, 0, Side::Max)
    }

    /// The pits whose move surely ends in the store (a move of a round or more may do so too).
    #[inline]
    #[must_use]
    pub fn extra_turns(&self, position: &Position<R>) -> crate::position::Pits {
        position.own.matching(self.exact)
    }

    /// What a pit must hold for its move to end in the store without going round, pit by pit.
    #[inline]
    #[must_use]
    pub fn exact(&self) -> R {
        self.exact
    }

    /// The position after the mover plays `pit`, which holds stones.
    #[inline]
    #[must_use]
    pub fn play(&self, position: &Position<R>, pit: u32) -> Position<R> {
        let stones = position.own.stones_in(pit);
        debug_assert!(stones > 0, "an empty pit was played");
        if stones >= ENTRIES {
            return self.play_many(position, pit, stones);
        }
        self.apply(position, pit, &self.table[(pit * ENTRIES + stones) as usize])
    }

    /// As [`Sowing::play`] for any number of stones: whole rounds first.
    #[cold]
    #[inline(never)]
    fn play_many(&self, position: &Position<R>, pit: u32, stones: u32) -> Position<R> {
        let (round, each) = match self.rules.origin {
            Origin::Sown => (2 * self.pits + 1, self.ones),
            Origin::Skipped => (2 * self.pits, self.ones.emptied(pit)),
        };
        let rounds = (stones - 1) / round;
        let mut sown = self.table[(pit * ENTRIES + stones - rounds * round) as usize];
        sown.own = sown.own.plus(each.times(rounds));
        sown.other = sown.other.plus(self.ones.times(rounds));
        sown.banked += rounds as u8;
        self.apply(position, pit, &sown)
    }

    #[inline(always)]
    fn apply(&self, position: &Position<R>, pit: u32, sown: &Sown<R>) -> Position<R> {
        let own = position.own.emptied(pit).plus(sown.own);
        let other = position.other.plus(sown.other);
        // A last stone that lies alone fell into an empty pit.
        let (last, opposite) = (u32::from(sown.last), u32::from(sown.opposite));
        let facing = other.lane_at(opposite);
        let captures = (own.lane_at(last) == 1) & ((facing | self.always_captures) != 0);
        let taken = if captures { u32::MAX } else { 0 };
        let own = own.less_at(last, 1 & taken);
        let other = other.less_at(opposite, facing & taken);
        let gain = (u32::from(sown.banked) + ((facing + 1) & taken)) as i16;
        let banked = position.banked + if position.side == Side::Max { gain } else { -gain };
        let next = if sown.again {
            Position { own, other, banked, side: position.side }
        } else {
            Position { own: other, other: own, banked, side: position.side.opposite() }
        };
        if own == R::ZERO || other == R::ZERO {
            return self.settled(next, position.side);
        }
        next
    }

    /// `position` itself, or what it comes to if the game is over there; `finisher` made the last move.
    #[cold]
    #[inline(never)]
    fn settled(&self, position: Position<R>, finisher: Side) -> Position<R> {
        let over = match self.rules.end {
            End::AnyRow => position.own == R::ZERO || position.other == R::ZERO,
            End::CannotMove => position.own == R::ZERO,
        };
        if !over {
            return position;
        }
        let (own, other) = (position.own.total() as i16, position.other.total() as i16);
        let swept = match self.rules.sweep {
            Sweep::Owner => (own - other) * sign(position.side),
            Sweep::Finisher => (own + other) * sign(finisher),
            Sweep::None => 0,
        };
        Position { own: R::ZERO, other: R::ZERO, banked: position.banked + swept, side: position.side }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules as one reads them: arrays and a loop. Index 0 is `Max`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Slow {
        rows: [Vec<u32>; 2],
        stores: [i32; 2],
        side: usize,
        over: bool,
    }

    impl Slow {
        fn play(&mut self, rules: Rules, pit: usize) {
            let (me, you, pits) = (self.side, 1 - self.side, self.rows[0].len());
            let mut hand = std::mem::take(&mut self.rows[me][pit]);
            let (mut row, mut at) = (me, pit);
            let mut in_store = false;
            let mut was_empty = false;
            while hand > 0 {
                // The next place: along the row, then the mover's store, then the other row.
                if in_store {
                    (in_store, row, at) = (false, you, 0);
                } else if at + 1 < pits {
                    at += 1;
                } else if row == me {
                    in_store = true;
                } else {
                    (row, at) = (me, 0);
                }
                if in_store {
                    self.stores[me] += 1;
                } else if (row, at) == (me, pit) && rules.origin == Origin::Skipped {
                    continue;
                } else {
                    was_empty = self.rows[row][at] == 0;
                    self.rows[row][at] += 1;
                }
                hand -= 1;
            }
            if !in_store && row == me && was_empty {
                let facing = self.rows[you][pits - 1 - at];
                if facing > 0 || rules.capture == Capture::Empty {
                    self.rows[me][at] = 0;
                    self.rows[you][pits - 1 - at] = 0;
                    self.stores[me] += facing as i32 + 1;
                }
            }
            if !in_store {
                self.side = you;
            }
            self.finish(rules, me);
        }

        fn finish(&mut self, rules: Rules, finisher: usize) {
            let empty = |row: &Vec<u32>| row.iter().all(|&n| n == 0);
            self.over = match rules.end {
                End::AnyRow => self.rows.iter().any(empty),
                End::CannotMove => empty(&self.rows[self.side]),
            };
            if self.over {
                for side in 0..2 {
                    let left: u32 = self.rows[side].iter().sum();
                    match rules.sweep {
                        Sweep::Owner => self.stores[side] += left as i32,
                        Sweep::Finisher => self.stores[finisher] += left as i32,
                        Sweep::None => {}
                    }
                    self.rows[side].fill(0);
                }
            }
        }

        fn fast<R: Row>(&self) -> Position<R> {
            let row = |side: usize| {
                (0..).zip(&self.rows[side]).fold(R::ZERO, |row, (pit, &n)| row.plus(R::single(pit, n)))
            };
            Position {
                own: row(self.side),
                other: row(1 - self.side),
                banked: (self.stores[0] - self.stores[1]) as i16,
                side: if self.side == 0 { Side::Max } else { Side::Min },
            }
        }
    }

    fn variants() -> Vec<Rules> {
        let mut all = Vec::new();
        for capture in [Capture::NonEmpty, Capture::Empty] {
            for end in [End::AnyRow, End::CannotMove] {
                for sweep in [Sweep::Owner, Sweep::Finisher, Sweep::None] {
                    for origin in [Origin::Sown, Origin::Skipped] {
                        all.push(Rules { capture, end, sweep, origin });
                    }
                }
            }
        }
        all
    }

    fn random(state: &mut u64) -> u32 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = *state;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) >> 33) as u32
    }

    /// Random boards, most of them thin, some with one heap that goes round many times, each played to its end.
    fn agree<R: Row>(pits: u32, games: u32) {
        let mut seed = u64::from(pits) << 32 | u64::from(games);
        for rules in variants() {
            let sowing: Sowing<R> = Sowing::new(rules, pits).unwrap();
            for game in 0..games {
                let most = [2, 4, 9, 20][game as usize % 4];
                let mut rows: [Vec<u32>; 2] =
                    std::array::from_fn(|_| (0..pits).map(|_| random(&mut seed) % most).collect());
                if game % 5 == 4 {
                    let room = MOST_STONES - rows.iter().flatten().sum::<u32>();
                    let (row, pit) = (random(&mut seed) % 2, random(&mut seed) % pits);
                    rows[row as usize][pit as usize] += random(&mut seed) % (room + 1);
                }
                let side = random(&mut seed) as usize % 2;
                let mut slow = Slow { rows, stores: [0, 0], side, over: false };
                let who = if side == 0 { Side::Max } else { Side::Min };
                let mut fast = sowing.position(&slow.rows[0], &slow.rows[1], 0, who).unwrap();
                slow.finish(rules, 1 - side);
                loop {
                    assert_eq!(fast, slow.fast(), "{rules} {slow:?}");
                    assert_eq!(fast.is_over(), slow.over, "{rules} {slow:?}");
                    assert_eq!(fast.left(), slow.rows.iter().flatten().sum());
                    let moves: Vec<u32> = fast.moves().collect();
                    let legal: Vec<u32> =
                        (0..pits).filter(|&p| slow.rows[slow.side][p as usize] > 0).collect();
                    assert_eq!(moves, if slow.over { vec![] } else { legal });
                    if moves.is_empty() {
                        break;
                    }
                    for &pit in &moves {
                        let mut child = slow.clone();
                        child.play(rules, pit as usize);
                        assert_eq!(sowing.play(&fast, pit), child.fast(), "{rules} {slow:?} plays {pit}");
                        let sure = sowing.extra_turns(&fast).contains(pit);
                        assert_eq!(sure, slow.rows[slow.side][pit as usize] == pits - pit);
                        assert!(!sure || child.side == slow.side);
                    }
                    let pit = moves[random(&mut seed) as usize % moves.len()];
                    slow.play(rules, pit as usize);
                    fast = sowing.play(&fast, pit);
                }
            }
        }
    }

    #[test]
    fn agrees_with_the_slow_rules() {
        for pits in 1..=6 {
            agree::<u64>(pits, 100);
        }
        for pits in 1..=12 {
            agree::<u128>(pits, 30);
        }
    }

    #[test]
    fn boards_that_do_not_fit_are_refused() {
        assert!(Sowing::<u64>::new(Rules::SEED, 0).is_none());
        assert!(Sowing::<u64>::new(Rules::SEED, 7).is_none());
        assert!(Sowing::<u128>::new(Rules::SEED, 13).is_none());
        let six: Sowing<u64> = Sowing::new(Rules::SEED, 6).unwrap();
        assert!(six.start(42).is_some());
        assert!(six.start(43).is_none());
        assert!(six.start(u32::MAX).is_none());
        assert!(six.position(&[0; 5], &[0; 6], 0, Side::Max).is_none());
        assert!(six.position(&[1; 6], &[1; 6], i16::MIN, Side::Max).is_none());
        assert!(six.position(&[511, 0, 0, 0, 0, 0], &[0; 6], 0, Side::Max).is_some());
    }

    /// The report cases of the reference notes (A5), under the seed's rules.
    #[test]
    fn reported_cases() {
        let six: Sowing<u64> = Sowing::new(Rules::SEED, 6).unwrap();
        let after = |max: [u32; 6], min: [u32; 6], pit| {
            let p = six.play(&six.position(&max, &min, 0, Side::Max).unwrap(), pit);
            let row = |side| -> Vec<u32> { (0..6).map(|pit| p.row(side).stones_in(pit)).collect() };
            (row(Side::Max), row(Side::Min), p.banked, p.side)
        };
        // 1: the row is emptied by the last stone into the store; the rest is its owner's.
        assert_eq!(
            after([0, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 3], 5),
            (vec![0; 6], vec![0; 6], 1 - 5, Side::Max)
        );
        // 2: capture needs stones opposite.
        let open = after([1, 0, 0, 4, 0, 0], [0, 0, 0, 0, 2, 2], 0);
        assert_eq!(open, (vec![0, 0, 0, 4, 0, 0], vec![0, 0, 0, 0, 0, 2], 3, Side::Min));
        let shut = after([1, 0, 0, 4, 0, 0], [0, 0, 0, 0, 0, 2], 0);
        assert_eq!(shut, (vec![0, 1, 0, 4, 0, 0], vec![0, 0, 0, 0, 0, 2], 0, Side::Min));
        // 3: the other's store is passed over.
        let passed = after([1, 0, 0, 0, 0, 8], [1, 0, 0, 0, 0, 0], 5);
        assert_eq!(passed, (vec![2, 0, 0, 0, 0, 0], vec![2, 1, 1, 1, 1, 1], 1, Side::Min));
        // 6: round into the own first pit, which was empty: its opposite has just been sown.
        let round = after([0, 0, 0, 0, 9, 0], [1, 0, 0, 0, 0, 0], 4);
        assert_eq!(round, (vec![0, 0, 0, 0, 0, 1], vec![2, 1, 1, 1, 1, 0], 1 + 2, Side::Min));
        // Thirteen stones end in the pit they came from, which is empty.
        let whole = after([13, 0, 0, 0, 0, 0], [1; 6], 0);
        assert_eq!(whole, (vec![0, 1, 1, 1, 1, 1], vec![2, 2, 2, 2, 2, 0], 1 + 3, Side::Min));
    }
}
