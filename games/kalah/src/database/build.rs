//! Solving all positions, layer by layer of stones on the pits.
//!
//! A move does one of three things. It brings stones to the store: then the position after it is in a lower layer.
//! Or it captures: likewise. Or it is *quiet*: it stays within the mover's row and passes the turn, and the row
//! after it has a smaller id.
//!
//! Nearly all of the work is done by streams. With the mover's row fixed, a move is the same for all rows of the
//! opponent: it leads to one row of the mover, and gives the opponent one stone in each of his first pits, or takes
//! what lies in one pit. So the entries it leads to lie in a single run of the database, and for each way to change
//! the opponent's row a table says where in that run. What a stream makes is a row of values by the opponent's
//! row, while entries lie by the mover's: tiles of both are made in a buffer and then transposed.
//!
//! A layer is solved in two steps:
//!
//! 1. For each position the best of the moves to lower layers. Positions do not depend on each other here.
//! 2. The quiet moves, which lead from "row i to move against j" to "row j to move against i', i' < i" and from there
//!    to "i' against j', j' < j": for i ascending, first all positions where i moves, then all where the other side
//!    moves against i. The numbers of stones in both rows stay, so pairs of such numbers are solved independently.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::rank::{Ranks, up_to};
use super::{Build, DatabaseError, Progress, ZERO, is_over, swept};
use crate::{Capture, Origin, Rules, Sweep};

/// Rows of the mover made together, a multiple of 8.
const TILE: usize = 64;
/// Rows of the opponent made together, a multiple of 8. With few of them all that is read stays in the cache.
const CHUNK: usize = 512;
/// Below this many positions a layer is not worth waking other threads for.
const SMALL_LAYER: u64 = 1 << 14;

/// The memory that building takes beside the database itself.
pub(super) fn bytes(pits: u32, stones: u32, threads: usize) -> u64 {
    let rows = up_to(pits, stones).unwrap_or(u64::MAX);
    let a_row = u64::from(pits) * (1 + 4 + 4 + 8 + 8) + 40;
    let widest = up_to(pits - 1, stones).unwrap_or(u64::MAX).saturating_add(8);
    let buffers = widest.saturating_mul(TILE as u64).saturating_mul(threads as u64);
    rows.saturating_mul(a_row).saturating_add(buffers)
}

/// What a move does to the opponent's row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Nothing: the move is quiet.
    Quiet,
    /// Nothing, but the move is quiet only if the opponent's pit `arg` is empty.
    QuietIfEmpty,
    /// A stone more in his first `arg` pits.
    More,
    /// What lies in his pit `arg` is taken; where that is nothing there is no such move.
    Less,
    /// What lies in his pit `arg` is taken, be it nothing.
    LessOrNothing,
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
struct Move {
    /// The id of the row after the move.
    to: u32,
    kind: Kind,
    arg: u8,
    rounds: u8,
    /// The stones that come to the store, those taken from the opponent excepted.
    gain: u8,
}

type Row = [u8; super::Database::MOST_PITS as usize];

impl Move {
    /// The move of `pit`, which is not empty, in a row with `sum` stones.
    fn new(ranks: &Ranks, rules: Rules, row: &Row, sum: usize, pit: usize) -> Move {
        let pits = ranks.pits();
        let stones = usize::from(row[pit]);
        let mut after = *row;
        after[pit] = 0;
        // Places of a round: the mover's pits, his store, the opponent's pits.
        let mut place = pit;
        let (mut left, mut gain) = (stones, 0);
        let (mut rounds, mut first_pits) = (0, 0);
        while left > 0 {
            place = (place + 1) % (2 * pits + 1);
            if place == pit && rules.origin == Origin::Skipped {
                continue;
            }
            left -= 1;
            if place < pits {
                after[place] += 1;
            } else if place == pits {
                gain += 1;
            } else {
                first_pits = place - pits;
                if first_pits == pits {
                    (rounds, first_pits) = (rounds + 1, 0);
                }
            }
        }
        let given = rounds * pits + first_pits;
        let alone = place < pits && after[place] == 1;
        let opposite = (pits - 1).wrapping_sub(place) as u8;
        let whole = |kind, arg, gain, after: &Row, sum| Move {
            to: ranks.id(after, sum) as u32,
            kind,
            arg,
            rounds: rounds as u8,
            gain,
        };
        let sum = sum - given - usize::from(gain);
        if place == pits {
            let finish = sum == 0 && rules.sweep == Sweep::Finisher;
            return whole(if finish { Kind::Finish } else { Kind::Again }, 0, gain, &after, sum);
        }
        if alone {
            let kind = match rules.capture {
                _ if rounds > 0 => Kind::RoundsAndLess,
                Capture::NonEmpty => Kind::Less,
                Capture::Empty => Kind::LessOrNothing,
            };
            after[place] = 0;
            return whole(kind, opposite, gain + 1, &after, sum - 1);
        }
        let kind = match (rounds, first_pits) {
            (0, 0) => Kind::Quiet,
            (0, _) => Kind::More,
            _ => Kind::RoundsAndMore,
        };
        whole(kind, first_pits as u8, gain, &after, sum)
    }
}

/// Neighbours that lead to neighbours: `len` places from `from` on, of which the first leads to `to`.
#[derive(Clone, Copy)]
struct Run {
    from: u32,
    to: u32,
    len: u32,
}

impl Run {
    /// From this length on a run is worth being treated as one.
    const LONG: u32 = 8;

    /// Whether `next` goes on where this ends.
    fn joins(&self, next: &Run) -> bool {
        self.from + self.len == next.from && self.to + self.len == next.to
    }

    fn from(&self) -> std::ops::Range<usize> {
        self.from as usize..(self.from + self.len) as usize
    }

    fn to(&self) -> std::ops::Range<usize> {
        self.to as usize..(self.to + self.len) as usize
    }
}

/// Quiet moves of many rows: from one row to another of as many stones, both counted among those.
#[derive(Clone, Default)]
struct Quiet {
    long: Vec<Run>,
    single: Vec<(u32, u32)>,
}

impl Quiet {
    fn push(&mut self, run: Run) -> Option<()> {
        if run.len >= Run::LONG {
            return push(&mut self.long, run);
        }
        run.from().zip(run.to()).try_for_each(|(from, to)| push(&mut self.single, (from as u32, to as u32)))
    }
}

/// What is known of all rows.
struct Rows<'a> {
    ranks: &'a Ranks,
    rules: Rules,
    /// `[pit][id]`: the stones in a pit.
    stones: Vec<Vec<u8>>,
    /// `[k - 1][id]`: the row with a stone more in each of the first k pits.
    more: Vec<Vec<u32>>,
    /// `[pit][id]`: the row with a pit emptied.
    less: Vec<Vec<u32>>,
    /// The moves of all rows, of each first those to lower layers, then the quiet ones.
    moves: Vec<Move>,
    /// `[id]`: where the moves of a row begin, where its quiet ones do, and at the end where all end.
    first_moves: Vec<(u32, u32)>,
    /// `[sum][pit]`: the quiet moves of the rows with that sum which need the opponent's pit empty, and at
    /// `[sum][pits]` those which do not.
    quiet: Vec<Vec<Quiet>>,
}

/// A vector of `length` zeros.
fn zeros<T: Copy + Default>(length: usize) -> Option<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(length).ok()?;
    vec.resize(length, T::default());
    Some(vec)
}

/// Appends, if there is memory.
fn push<T>(vec: &mut Vec<T>, item: T) -> Option<()> {
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
    fn new(ranks: &'a Ranks, rules: Rules) -> Option<Rows<'a>> {
        let (pits, most) = (ranks.pits(), ranks.stones());
        let count = ranks.rows();
        let mut rows = Rows {
            ranks,
            rules,
            stones: (0..pits).map(|_| zeros(count)).collect::<Option<_>>()?,
            more: (1..=pits)
                .map(|k| zeros(most.checked_sub(k).map_or(0, |sum| ranks.ids(sum).end)))
                .collect::<Option<_>>()?,
            less: (0..pits).map(|_| zeros(count)).collect::<Option<_>>()?,
            moves: Vec::new(),
            first_moves: Vec::new(),
            quiet: Vec::new(),
        };
        for sum in 0..=most {
            rows.quiet.push(vec![Quiet::default(); pits + 1]);
            let mut open = [None; 12];
            let mut row: Row = [0; 12];
            row[pits - 1] = sum as u8;
            for id in ranks.ids(sum) {
                rows.add(id, &row, sum, &mut open)?;
                step(&mut row[..pits]);
            }
            for (list, run) in open.into_iter().flatten() {
                rows.quiet[sum][list].push(run)?;
            }
        }
        let end = rows.moves.len() as u32;
        push(&mut rows.first_moves, (end, end))?;
        Some(rows)
    }

    /// Fills in all about one row. `open` has for each pit the run of quiet moves that this row may go on with,
    /// and to which list it belongs.
    fn add(&mut self, id: usize, row: &Row, sum: usize, open: &mut [Option<(usize, Run)>; 12]) -> Option<()> {
        let ranks = self.ranks;
        let pits = ranks.pits();
        let first = self.moves.len();
        let mut quiet = [None; 12];
        for pit in 0..pits {
            self.stones[pit][id] = row[pit];
            let mut other = *row;
            other[pit] = 0;
            self.less[pit][id] = ranks.id(&other, sum - usize::from(row[pit])) as u32;
            if row[pit] == 0 {
                continue;
            }
            let made = Move::new(ranks, self.rules, row, sum, pit);
            let place = pit + usize::from(row[pit]);
            match made.kind {
                Kind::Quiet => quiet[pit] = Some(made),
                Kind::Less => {
                    push(&mut self.moves, made)?;
                    other[pit + 1..=place].iter_mut().for_each(|n| *n += 1);
                    let to = ranks.id(&other, sum) as u32;
                    quiet[pit] = Some(Move { to, kind: Kind::QuietIfEmpty, ..made });
                }
                _ => push(&mut self.moves, made)?,
            }
        }
        push(&mut self.first_moves, (first as u32, self.moves.len() as u32))?;
        let base = ranks.ids(sum).start as u32;
        for (made, open) in quiet.into_iter().zip(open) {
            let Some(made) = made else { continue };
            push(&mut self.moves, made)?;
            let list = if made.kind == Kind::Quiet { pits } else { usize::from(made.arg) };
            let run = Run { from: id as u32 - base, to: made.to - base, len: 1 };
            match open {
                Some((of, longer)) if *of == list && longer.joins(&run) => longer.len += 1,
                _ => {
                    if let Some((list, run)) = open.replace((list, run)) {
                        self.quiet[sum][list].push(run)?;
                    }
                }
            }
        }
        let mut other = *row;
        for k in 1..=pits.min(ranks.stones() - sum) {
            other[k - 1] += 1;
            self.more[k - 1][id] = ranks.id(&other, sum + k) as u32;
        }
        Some(())
    }

    fn pits(&self) -> usize {
        self.ranks.pits()
    }

    /// The moves of a row to lower layers.
    fn lower_moves(&self, id: usize) -> &[Move] {
        let (first, quiet) = self.first_moves[id];
        &self.moves[first as usize..quiet as usize]
    }

    fn quiet_moves(&self, id: usize) -> &[Move] {
        &self.moves[self.first_moves[id].1 as usize..self.first_moves[id + 1].0 as usize]
    }

    /// The value of positions that end the game, as it lies in an entry.
    fn over(&self, own: usize, other: usize) -> u8 {
        (i32::from(ZERO) + swept(self.rules, own as i32, other as i32)) as u8
    }

    /// The row with `rounds` stones more in each pit.
    fn after_rounds(&self, row: usize, rounds: u8) -> usize {
        (0..rounds).fold(row, |row, _| self.more[self.pits() - 1][row] as usize)
    }
}

/// The part of the database that is complete: `[other]` and in it `[own]`, for layers below the current.
type Lower<'a> = [&'a [u8]];

/// Room for the work of one thread.
#[derive(Default)]
struct Room {
    tile: Vec<u8>,
    turned: Vec<u8>,
    /// Moves after which the mover goes on against the same row: by which row of the tile, and to which.
    again: Vec<(u32, u32)>,
    /// Those which go round the board or end the game.
    rare: Vec<(usize, Move)>,
    /// `[k - 1]`: the runs among the rows with a stone more in each of the first k pits, if these are long.
    more: Vec<Vec<Run>>,
    /// `[pit]`: the runs among the rows with a pit emptied, if these are long.
    less: Vec<Vec<Run>>,
}

impl Room {
    /// Finds the runs for `others`.
    fn find_runs(&mut self, rows: &Rows<'_>, others: &std::ops::Range<usize>) {
        self.more.resize(rows.pits(), Vec::new());
        self.less.resize(rows.pits(), Vec::new());
        for (found, map) in self.more.iter_mut().zip(&rows.more).chain(self.less.iter_mut().zip(&rows.less)) {
            runs_of(map.get(others.clone()).unwrap_or_default(), found);
        }
    }
}

/// The runs of a map, none if most of them would be short.
fn runs_of(map: &[u32], found: &mut Vec<Run>) {
    found.clear();
    for (from, &to) in (0..).zip(map) {
        let one = Run { from, to, len: 1 };
        match found.last_mut() {
            Some(run) if run.joins(&one) => run.len += 1,
            _ => found.push(one),
        }
    }
    if found.len() * Run::LONG as usize > map.len() {
        found.clear();
    }
}

/// Raises each of `out` to the value made of the bytes at its place in `a` and `b`, which are as long.
#[inline(always)]
fn raise_run(out: &mut [u8], a: &[u8], b: &[u8], value: impl Fn(u8, u8) -> u8) {
    #[inline(always)]
    fn block<const N: usize>(out: &mut [u8], a: &[u8], b: &[u8], value: impl Fn(u8, u8) -> u8) {
        if let (Some(out), Some(a), Some(b)) = (out.first_chunk_mut::<N>(), a.first_chunk(), b.first_chunk())
        {
            let (a, b): (&[u8; N], &[u8; N]) = (a, b);
            for i in 0..N {
                raise(&mut out[i], value(a[i], b[i]));
            }
        }
    }
    // To raise twice does no harm, so the last block may overlap the one before.
    let len = out.len();
    if len >= 16 {
        for at in (0..len - 15).step_by(16) {
            block::<16>(&mut out[at..], &a[at..], &b[at..], &value);
        }
        let at = len - 16;
        block::<16>(&mut out[at..], &a[at..], &b[at..], &value);
    } else if len >= 8 {
        block::<8>(out, a, b, &value);
        let at = len - 8;
        block::<8>(&mut out[at..], &a[at..], &b[at..], &value);
    } else {
        for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
            raise(out, value(a, b));
        }
    }
}

#[inline(always)]
fn raise(out: &mut u8, value: u8) {
    *out = (*out).max(value);
}

/// The first eight bytes, or zeros after fewer.
#[inline(always)]
fn load(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(&eight) => u64::from_le_bytes(eight),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// Writes the first eight bytes, or as many as there are.
#[inline(always)]
fn store(bytes: &mut [u8], word: u64) {
    match bytes.first_chunk_mut() {
        Some(eight) => *eight = word.to_le_bytes(),
        None => bytes.iter_mut().zip(word.to_le_bytes()).for_each(|(to, byte)| *to = byte),
    }
}

/// Byte i of word j becomes byte j of word i.
#[inline(always)]
fn turn([a, b, c, d, e, f, g, h]: [u64; 8]) -> [u64; 8] {
    // Blocks of 4 bytes, of 2, of 1 change places across the diagonal.
    #[inline(always)]
    fn swap<const SHIFT: u32>(upper: u64, lower: u64, low: u64) -> (u64, u64) {
        let change = (upper >> SHIFT ^ lower) & low;
        (upper ^ change << SHIFT, lower ^ change)
    }
    let four = |upper, lower| swap::<32>(upper, lower, 0x0000_0000_ffff_ffff);
    let two = |upper, lower| swap::<16>(upper, lower, 0x0000_ffff_0000_ffff);
    let one = |upper, lower| swap::<8>(upper, lower, 0x00ff_00ff_00ff_00ff);
    let ((a, e), (b, f), (c, g), (d, h)) = (four(a, e), four(b, f), four(c, g), four(d, h));
    let ((a, c), (b, d), (e, g), (f, h)) = (two(a, c), two(b, d), two(e, g), two(f, h));
    let ((a, b), (c, d), (e, f), (g, h)) = (one(a, b), one(c, d), one(e, f), one(g, h));
    [a, b, c, d, e, f, g, h]
}

/// Step 1 for the positions where a row with `own` stones moves against one of the rows `others`, at most `CHUNK`
/// and of one sum. `entries[j]` are those against the j-th of them, by the mover's row.
fn lower_moves(
    rows: &Rows<'_>,
    lower: &Lower<'_>,
    own: usize,
    others: std::ops::Range<usize>,
    entries: &mut [&mut [u8]],
    room: &mut Room,
) {
    let ids = rows.ranks.ids(own);
    room.find_runs(rows, &others);
    let Room { tile, turned, again, rare, more, less } = room;
    let height = others.len().next_multiple_of(8);
    turned.resize(TILE * CHUNK, 0);
    for first in ids.clone().step_by(TILE) {
        let width = TILE.min(ids.end - first);
        tile.clear();
        tile.resize(width.next_multiple_of(8) * height, 0);
        again.clear();
        rare.clear();
        for (x, out) in tile.chunks_exact_mut(height).enumerate().take(width) {
            for made in rows.lower_moves(first + x) {
                let arg = usize::from(made.arg);
                let runs = match made.kind {
                    Kind::More => &more[arg - 1],
                    Kind::Less | Kind::LessOrNothing => &less[arg],
                    Kind::Again if made.rounds == 0 => {
                        again.push((x as u32, made.to));
                        continue;
                    }
                    Kind::Again | Kind::Finish => {
                        rare.push((x, *made));
                        continue;
                    }
                    _ => &[][..],
                };
                stream(rows, lower[made.to as usize], made, others.clone(), runs, out);
            }
        }
        for y in (0..others.len()).step_by(8) {
            for x in (0..width).step_by(8) {
                let words = turn(std::array::from_fn(|i| load(&tile[(x + i) * height + y..])));
                for (i, word) in words.into_iter().enumerate() {
                    store(&mut turned[(y + i) * TILE + x..], word);
                }
            }
        }
        for ((other, entries), out) in others.clone().zip(&mut *entries).zip(turned.chunks_exact_mut(TILE)) {
            let from = lower[other];
            for &(x, to) in again.iter() {
                raise(&mut out[x as usize], from[to as usize].wrapping_add(1));
            }
            for &(x, made) in rare.iter() {
                let value = if made.kind == Kind::Again {
                    lower[rows.after_rounds(other, made.rounds)][made.to as usize]
                } else {
                    let left = rows.stones.iter().map(|stones| stones[other]).sum::<u8>();
                    ZERO + left + made.rounds * rows.pits() as u8
                };
                raise(&mut out[x], value.wrapping_add(made.gain));
            }
            entries[first - ids.start..][..width].copy_from_slice(&out[..width]);
        }
    }
}

/// Raises `out` to the values of one move against each of `others`. `from` are the entries against the row after
/// the move; `runs` are those of the rows of the opponent that it leads to, if they are long.
fn stream(
    rows: &Rows<'_>,
    from: &[u8],
    made: &Move,
    others: std::ops::Range<usize>,
    runs: &[Run],
    out: &mut [u8],
) {
    let arg = usize::from(made.arg);
    match made.kind {
        Kind::More => {
            for run in runs {
                let from = &from[run.to()];
                raise_run(&mut out[run.from()], from, from, |entry, _| made.gain.wrapping_sub(entry));
            }
            if runs.is_empty() {
                for (out, &to) in out.iter_mut().zip(&rows.more[arg - 1][others]) {
                    raise(out, made.gain.wrapping_sub(from[to as usize]));
                }
            }
        }
        Kind::Less | Kind::LessOrNothing => {
            let taken = &rows.stones[arg][others.clone()];
            let nothing = if made.kind == Kind::Less { 0 } else { u8::MAX };
            let value = |entry: u8, taken: u8| {
                let value = (made.gain + taken).wrapping_sub(entry);
                if taken == 0 { value & nothing } else { value }
            };
            for run in runs {
                raise_run(&mut out[run.from()], &from[run.to()], &taken[run.from()], value);
            }
            if runs.is_empty() {
                for ((out, &to), &taken) in out.iter_mut().zip(&rows.less[arg][others]).zip(taken) {
                    raise(out, value(from[to as usize], taken));
                }
            }
        }
        Kind::RoundsAndMore => {
            for (out, other) in out.iter_mut().zip(others) {
                let other = rows.after_rounds(other, made.rounds);
                let other = if arg > 0 { rows.more[arg - 1][other] as usize } else { other };
                raise(out, made.gain.wrapping_sub(from[other]));
            }
        }
        Kind::RoundsAndLess => {
            for (out, other) in out.iter_mut().zip(others) {
                let other = rows.after_rounds(other, made.rounds);
                let gain = made.gain + rows.stones[arg][other];
                raise(out, gain.wrapping_sub(from[rows.less[arg][other] as usize]));
            }
        }
        Kind::Quiet | Kind::QuietIfEmpty | Kind::Again | Kind::Finish => {}
    }
}

/// The current layer's entries of the positions with one number of stones in the mover's row and one in the other.
type Block<'a> = Vec<&'a mut [u8]>;

/// Step 2 for the pair of blocks with `few` and `many` stones in the two rows, `few <= many`. `few_block` are the
/// entries against each row with `few` stones, `many_block` against each with `many`: `None` if these are the same.
fn quiet_moves<'a>(
    rows: &Rows<'_>,
    few: usize,
    many: usize,
    few_block: &mut Block<'a>,
    mut many_block: Option<&mut Block<'a>>,
    tile: &mut Vec<u8>,
) {
    let ids = rows.ranks.ids(few);
    let others = rows.ranks.ids(many);
    let height = others.len().next_multiple_of(8);
    for first in (0..ids.len()).step_by(TILE) {
        let width = TILE.min(ids.len() - first);
        tile.resize(width.next_multiple_of(8) * height, 0);
        let block = many_block.as_deref().unwrap_or(few_block);
        for (y, entries) in block.chunks(8).enumerate() {
            for x in (0..width).step_by(8) {
                let word = |i: usize| entries.get(i).map_or(0, |run| load(&run[first + x..]));
                for (i, word) in turn(std::array::from_fn(word)).into_iter().enumerate() {
                    store(&mut tile[(x + i) * height + 8 * y..], word);
                }
            }
        }
        for (x, out) in tile.chunks_exact_mut(height).enumerate().take(width) {
            let (before, here) = few_block.split_at_mut(first + x);
            for made in rows.quiet_moves(ids.start + first + x) {
                let from = &*before[made.to as usize - ids.start];
                let out = &mut out[..from.len()];
                if made.kind == Kind::Quiet {
                    raise_run(out, from, from, |entry, _| 0u8.wrapping_sub(entry));
                } else {
                    let opposite = &rows.stones[usize::from(made.arg)][others.clone()];
                    raise_run(
                        out,
                        from,
                        opposite,
                        |entry, opposite| {
                            if opposite == 0 { 0u8.wrapping_sub(entry) } else { 0 }
                        },
                    );
                }
            }
            let entries = &mut *here[0];
            for (pit, moves) in rows.quiet[many].iter().enumerate() {
                if rows.stones.get(pit).is_none_or(|stones| stones[ids.start + first + x] == 0) {
                    for run in &moves.long {
                        let from = &out[run.to()];
                        raise_run(&mut entries[run.from()], from, from, |entry, _| 0u8.wrapping_sub(entry));
                    }
                    for &(from, to) in &moves.single {
                        raise(&mut entries[from as usize], 0u8.wrapping_sub(out[to as usize]));
                    }
                }
            }
        }
        let block = many_block.as_deref_mut().unwrap_or(few_block);
        for (y, entries) in block.chunks_mut(8).enumerate() {
            for x in (0..width).step_by(8) {
                let words = turn(std::array::from_fn(|i| load(&tile[(x + i) * height + 8 * y..])));
                for (entries, word) in entries.iter_mut().zip(words) {
                    let end = entries.len().min(first + width);
                    store(&mut entries[first + x..end], word);
                }
            }
        }
    }
}

/// Reports and asks whether to stop.
struct Watch<'a> {
    how: Build<'a>,
    total: u64,
    /// Half positions done: each of the two steps is half of the work.
    halves: AtomicU64,
    reported: Mutex<u64>,
}

impl Watch<'_> {
    fn stopped(&self) -> bool {
        self.how.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Counts `positions` of `layer` as half done.
    fn half_done(&self, layer: usize, positions: u64) {
        let halves = self.halves.fetch_add(positions, Ordering::Relaxed) + positions;
        let Some(report) = self.how.progress else { return };
        let all_done = halves == 2 * self.total;
        let due = |reported: u64| all_done || halves >= reported + (2 * self.total).div_ceil(256);
        if let Ok(mut reported) = self.reported.lock()
            && due(*reported)
        {
            *reported = halves;
            report(Progress { layer: layer as u32, done: halves / 2, total: self.total });
        }
    }
}

/// Lets `threads` threads take the tasks, from the last to the first.
fn run<T: Send>(threads: usize, tasks: Vec<T>, work: impl Fn(T, &mut Room) + Sync) {
    let tasks = Mutex::new(tasks);
    let worker = || {
        let mut room = Room::default();
        loop {
            let task = tasks.lock().ok().and_then(|mut tasks| tasks.pop());
            match task {
                Some(task) => work(task, &mut room),
                None => break,
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
}

pub(super) fn build(
    rules: Rules,
    ranks: &Ranks,
    how: Build<'_>,
    bytes: u64,
) -> Result<Vec<u8>, DatabaseError> {
    let no_memory = || DatabaseError::Memory { bytes };
    let (pits, stones) = (ranks.pits() as u32, ranks.stones() as u32);
    let total = super::Database::positions(pits, stones)?;
    let mut entries: Vec<u8> =
        zeros(usize::try_from(total).map_err(|_| no_memory())?).ok_or_else(no_memory)?;
    let rows = Rows::new(ranks, rules).ok_or_else(no_memory)?;
    let watch = Watch { how, total, halves: AtomicU64::new(0), reported: Mutex::new(0) };
    for layer in 0..=ranks.stones() {
        solve_layer(&rows, layer, &mut entries, &watch).ok_or_else(no_memory)?;
        if watch.stopped() {
            return Err(DatabaseError::Stopped);
        }
    }
    Ok(entries)
}

/// `None` if there is no memory. If stopped, leaves the layer incomplete.
fn solve_layer(rows: &Rows<'_>, layer: usize, entries: &mut [u8], watch: &Watch<'_>) -> Option<()> {
    let ranks = rows.ranks;
    // For each row of the opponent, the complete entries and those of this layer.
    let mut lower: Vec<&[u8]> = Vec::new();
    lower.try_reserve_exact(ranks.ids(layer).end).ok()?;
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut rest = entries;
    for other in 0..=layer {
        let own = layer - other;
        let width = ranks.ids(ranks.stones() - other).end;
        let (current, count) = (ranks.ids(own), ranks.ids(other).len());
        let (these, after) = std::mem::take(&mut rest).split_at_mut(count * width);
        rest = after;
        let mut block = Block::new();
        block.try_reserve_exact(count).ok()?;
        for run in these.chunks_exact_mut(width) {
            let (complete, run) = run.split_at_mut(current.start);
            lower.push(complete);
            block.push(&mut run[..current.len()]);
        }
        blocks.push(block);
    }

    let positions: u64 =
        (0..=layer).map(|own| (ranks.ids(own).len() * ranks.ids(layer - own).len()) as u64).sum();
    let threads = if positions < SMALL_LAYER { 1 } else { watch.how.threads };

    let mut tasks = Vec::new();
    for (other, block) in blocks.iter_mut().enumerate() {
        for (first, chunk) in ranks.ids(other).step_by(CHUNK).zip(block.chunks_mut(CHUNK)) {
            tasks.push((other, first, chunk));
        }
    }
    run(threads, tasks, |(other, first, chunk), room| {
        if watch.stopped() {
            return;
        }
        let own = layer - other;
        let positions = (chunk.len() * ranks.ids(own).len()) as u64;
        if is_over(rows.rules, own, other) {
            let value = rows.over(own, other);
            chunk.iter_mut().for_each(|entries| entries.fill(value));
        } else {
            lower_moves(rows, &lower, own, first..first + chunk.len(), chunk, room);
        }
        watch.half_done(layer, positions);
    });

    let mut tasks = Vec::new();
    let mut blocks = std::collections::VecDeque::from(blocks);
    while let Some(few) = blocks.pop_front() {
        tasks.push((tasks.len(), few, blocks.pop_back()));
    }
    run(threads, tasks, |(few, mut few_block, mut many_block), room| {
        if watch.stopped() {
            return;
        }
        let many = layer - few;
        let mut positions = (ranks.ids(few).len() * ranks.ids(many).len()) as u64;
        if many_block.is_some() {
            positions *= 2;
        }
        if !is_over(rows.rules, many, few) {
            quiet_moves(rows, few, many, &mut few_block, many_block.as_mut(), &mut room.tile);
        }
        watch.half_done(layer, positions);
    });
    Some(())
}
