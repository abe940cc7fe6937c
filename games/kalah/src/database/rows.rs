//! What moves do to rows: tables for the building of a database.

use super::rank::Ranks;
use crate::position::{LANE_BITS, Row};
use crate::{Capture, Origin, Rules, Sweep};

const MOST_PITS: usize = super::Database::MOST_PITS as usize;

/// What a move does to the opponent's row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing: the move is quiet.
    Quiet,
    /// Nothing, but the move is quiet only if the opponent's pit `arg` is empty.
    QuietIfEmpty,
    /// A stone more in his first `arg` pits.
    More,
    /// What lies in his pit `arg` is taken, if [`Rows::takes`] says so; else there is no such move.
    Less,
    /// `rounds` stones more in each pit; the mover goes on.
    Again,
    /// As `Again`, but the game is over and all that is left falls to the mover.
    Finish,
    /// `rounds` stones more in each pit and one more in the first `arg`.
    RoundsAndMore,
    /// `rounds` stones more in each pit, then what lies in pit `arg` is taken.
    RoundsAndLess,
}

/// A move of one row.
#[derive(Clone, Copy)]
pub(super) struct Move {
    /// The id of the row after the move.
    pub(super) to: u32,
    pub(super) kind: Kind,
    pub(super) arg: u8,
    pub(super) rounds: u8,
    /// The stones that come to the store, those taken from the opponent excepted.
    pub(super) gain: u8,
}

/// What sowing some stones from a pit does, whatever else lies on the board.
struct Sown<R> {
    /// What the mover's row gets.
    own: R,
    /// The lane of the last stone if it falls into the mover's row, else `R::NOWHERE`.
    last: u32,
    /// The pit opposite to that.
    opposite: u8,
    /// Whether the last stone falls into the store.
    again: bool,
    gain: u8,
    /// Stones that every pit of the opponent gets.
    rounds: u8,
    /// How many of his first pits get one more.
    first_pits: u8,
}

impl<R: Row> Sown<R> {
    fn new(pits: usize, origin: Origin, pit: usize, stones: usize) -> Sown<R> {
        // Places of a round: the mover's pits, his store, the opponent's pits.
        let mut place = pit;
        let (mut own, mut gain, mut given) = (R::ZERO, 0, 0);
        let mut left = stones;
        while left > 0 {
            place = (place + 1) % (2 * pits + 1);
            if place == pit && origin == Origin::Skipped {
                continue;
            }
            left -= 1;
            if place < pits {
                own = own.plus(R::single(place as u32, 1));
            } else if place == pits {
                gain += 1;
            } else {
                given += 1;
            }
        }
        Sown {
            own,
            last: if place < pits { place as u32 * LANE_BITS } else { R::NOWHERE },
            opposite: (pits - 1).saturating_sub(place) as u8,
            again: place == pits,
            gain,
            rounds: (given / pits) as u8,
            first_pits: (given % pits) as u8,
        }
    }

    /// The move from `pit` of `row` that sows this.
    fn play(&self, ranks: &Ranks, rules: Rules, row: R, pit: usize) -> Move {
        let after = row.emptied(pit as u32).plus(self.own);
        let to = |row, kind, arg, gain| Move { to: ranks.id(row), kind, arg, rounds: self.rounds, gain };
        if self.again {
            let finish = rules.sweep == Sweep::Finisher && after == R::ZERO;
            return to(after, if finish { Kind::Finish } else { Kind::Again }, 0, self.gain);
        }
        if after.lane_at(self.last) == 1 {
            // The last stone fell into an empty pit. If it went round, the opposite one is not empty.
            let kind = if self.rounds > 0 { Kind::RoundsAndLess } else { Kind::Less };
            return to(after.less_at(self.last, 1), kind, self.opposite, self.gain + 1);
        }
        let kind = match (self.rounds, self.first_pits) {
            (0, 0) => Kind::Quiet,
            (0, _) => Kind::More,
            _ => Kind::RoundsAndMore,
        };
        to(after, kind, self.first_pits, self.gain)
    }
}

/// Neighbours that lead to neighbours: `len` places from `from` on, of which the first leads to `to`.
#[derive(Clone, Copy, Default)]
pub(super) struct Run {
    from: u32,
    to: u32,
    len: u32,
}

impl Run {
    /// Grows by one more way if that goes on where this ends.
    fn joined(&mut self, from: u32, to: u32) -> bool {
        let joins = self.from + self.len == from && self.to + self.len == to;
        self.len += u32::from(joins);
        joins
    }

    pub(super) fn from(&self) -> std::ops::Range<usize> {
        self.from as usize..(self.from + self.len) as usize
    }

    pub(super) fn to(&self) -> std::ops::Range<usize> {
        self.to as usize..(self.to + self.len) as usize
    }
}

/// From which places to which, so that neighbours can be dealt with together.
#[derive(Clone, Default)]
pub(super) struct Ways {
    /// Many neighbours each.
    pub(super) runs: Vec<Run>,
    /// All others.
    pub(super) single: Vec<(u32, u32)>,
}

impl Ways {
    /// From this length on a run is worth being treated as one.
    const LONG: u32 = 8;

    pub(super) fn clear(&mut self) {
        self.runs.clear();
        self.single.clear();
    }

    /// Adds ways in the order of both places.
    pub(super) fn extend(&mut self, ways: impl IntoIterator<Item = (u32, u32)>) -> Option<()> {
        let mut open = Run::default();
        for (from, to) in ways {
            if !open.joined(from, to) {
                self.push(open)?;
                open = Run { from, to, len: 1 };
            }
        }
        self.push(open)
    }

    fn push(&mut self, run: Run) -> Option<()> {
        if run.len >= Ways::LONG {
            return push(&mut self.runs, run);
        }
        (0..run.len).try_for_each(|i| push(&mut self.single, (run.from + i, run.to + i)))
    }
}

/// What is known of all rows.
pub(super) struct Rows<'a> {
    pub(super) ranks: &'a Ranks,
    pub(super) rules: Rules,
    /// `[pit][id]`: the stones in a pit.
    pub(super) stones: Vec<Vec<u8>>,
    /// `[k - 1][id]`: the row with a stone more in each of the first k pits.
    pub(super) more: Vec<Vec<u32>>,
    /// `[pit][id]`: the row with a pit emptied.
    pub(super) less: Vec<Vec<u32>>,
    /// `[sum][pit]`: the quiet moves of the rows with that sum which need the opponent's pit empty, and at
    /// `[sum][pits]` those which do not. Places are counted among the rows with that sum.
    pub(super) quiet: Vec<Vec<Ways>>,
    /// The moves of all rows, of each first those to lower layers, then the quiet ones.
    moves: Vec<Move>,
    /// `[id]`: where the moves of a row begin, where its quiet ones do, and at the end where all end.
    first_moves: Vec<(u32, u32)>,
}

/// A vector of `length` zeros, if there is memory.
pub(super) fn zeros<T: Copy + Default>(length: usize) -> Option<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(length).ok()?;
    dts_engine::advise_large_pages(&mut vec);
    vec.resize(length, T::default());
    Some(vec)
}

/// Appends, if there is memory.
pub(super) fn push<T>(vec: &mut Vec<T>, item: T) -> Option<()> {
    vec.try_reserve(1).ok()?;
    vec.push(item);
    Some(())
}

/// The next row with as many stones in the order of ids.
fn step(row: &mut [u8]) {
    if let Some(pit) = (1..row.len()).rev().find(|&pit| row[pit] > 0) {
        let stones = std::mem::take(&mut row[pit]);
        row[pit - 1] += 1;
        row[row.len() - 1] = stones - 1;
    }
}

impl<'a> Rows<'a> {
    /// The memory they take, in bytes.
    pub(super) fn bytes(pits: u32, rows: u64) -> u64 {
        // A byte and two ids in each list a pit, a move and its share of `quiet`.
        rows.saturating_mul(u64::from(pits) * (1 + 4 + 4 + 8 + 8) + 8)
    }

    /// `None` if there is no memory.
    pub(super) fn new(ranks: &'a Ranks, rules: Rules) -> Option<Rows<'a>> {
        let (pits, most) = (ranks.pits(), ranks.stones());
        let mut rows = Rows {
            ranks,
            rules,
            stones: (0..pits).map(|_| zeros(ranks.rows())).collect::<Option<_>>()?,
            more: (1..=pits)
                .map(|k| zeros(most.checked_sub(k).map_or(0, |sum| ranks.ids(sum).end)))
                .collect::<Option<_>>()?,
            less: (0..pits).map(|_| zeros(ranks.rows())).collect::<Option<_>>()?,
            quiet: Vec::new(),
            moves: Vec::new(),
            first_moves: Vec::new(),
        };
        rows.first_moves.try_reserve_exact(ranks.rows() + 1).ok()?;
        if pits <= u64::LANES as usize {
            rows.fill::<u64>()?
        } else {
            rows.fill::<u128>()?
        }
        Some(rows)
    }

    fn fill<R: Row>(&mut self) -> Option<()> {
        let (pits, most) = (self.pits(), self.ranks.stones());
        let sown: Vec<Vec<Sown<R>>> = (0..pits)
            .map(|pit| (0..=most).map(|stones| Sown::new(pits, self.rules.origin, pit, stones)).collect())
            .collect();
        for sum in 0..=most {
            self.quiet.push(vec![Ways::default(); pits + 1]);
            let mut open = [(0, Run::default()); MOST_PITS];
            let mut row = [0; MOST_PITS];
            let row = &mut row[..pits];
            row[pits - 1] = sum as u8;
            for id in self.ranks.ids(sum) {
                self.add(id, row, sum, &sown, &mut open)?;
                step(row);
            }
            for (list, run) in open {
                self.quiet[sum][list].push(run)?;
            }
        }
        let end = u32::try_from(self.moves.len()).ok()?;
        push(&mut self.first_moves, (end, end))
    }

    /// Fills in all about one row. `open` has for each pit the run of quiet moves that this row may go on with, and
    /// to which list it belongs.
    fn add<R: Row>(
        &mut self,
        id: usize,
        stones: &[u8],
        sum: usize,
        sown: &[Vec<Sown<R>>],
        open: &mut [(usize, Run); MOST_PITS],
    ) -> Option<()> {
        let ranks = self.ranks;
        let row = (0..).zip(stones).fold(R::ZERO, |row, (pit, &n)| row.plus(R::single(pit, n.into())));
        let first = self.moves.len() as u32;
        let mut quiet = [None; MOST_PITS];
        self.moves.try_reserve(2 * stones.len()).ok()?;
        for (pit, &count) in stones.iter().enumerate() {
            self.stones[pit][id] = count;
            if count == 0 {
                self.less[pit][id] = id as u32;
                continue;
            }
            self.less[pit][id] = ranks.id(row.emptied(pit as u32));
            let sown = &sown[pit][usize::from(count)];
            let made = sown.play(ranks, self.rules, row, pit);
            match made.kind {
                Kind::Quiet => quiet[pit] = Some(made),
                Kind::Less => {
                    self.moves.push(made);
                    if self.rules.capture == Capture::NonEmpty {
                        let to = ranks.id(row.emptied(pit as u32).plus(sown.own));
                        quiet[pit] = Some(Move { to, kind: Kind::QuietIfEmpty, ..made });
                    }
                }
                _ => self.moves.push(made),
            }
        }
        self.first_moves.push((first, self.moves.len() as u32));
        let base = ranks.ids(sum).start as u32;
        for (made, (of, run)) in quiet.into_iter().zip(open) {
            let Some(made) = made else { continue };
            self.moves.push(made);
            let list = if made.kind == Kind::Quiet { stones.len() } else { usize::from(made.arg) };
            let (from, to) = (id as u32 - base, made.to - base);
            if *of != list || !run.joined(from, to) {
                self.quiet[sum][*of].push(*run)?;
                (*of, *run) = (list, Run { from, to, len: 1 });
            }
        }
        let mut more = row;
        for k in 0..stones.len().min(ranks.stones() - sum) {
            more = more.plus(R::single(k as u32, 1));
            self.more[k][id] = ranks.id(more);
        }
        Some(())
    }

    pub(super) fn pits(&self) -> usize {
        self.ranks.pits()
    }

    /// The moves of a row to lower layers.
    pub(super) fn lower_moves(&self, id: usize) -> &[Move] {
        let (first, quiet) = self.first_moves[id];
        &self.moves[first as usize..quiet as usize]
    }

    pub(super) fn quiet_moves(&self, id: usize) -> &[Move] {
        &self.moves[self.first_moves[id].1 as usize..self.first_moves[id + 1].0 as usize]
    }

    /// Whether a last stone takes `stones` from the opposite pit.
    pub(super) fn takes(&self, stones: u8) -> bool {
        stones > 0 || self.rules.capture == Capture::Empty
    }

    /// The row with `rounds` stones more in each pit.
    pub(super) fn after_rounds(&self, row: usize, rounds: u8) -> usize {
        (0..rounds).fold(row, |row, _| self.more[self.pits() - 1][row] as usize)
    }
}
