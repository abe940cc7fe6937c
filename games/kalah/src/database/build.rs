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

/// Rows of the mover made together.
const TILE: usize = 64;
/// Rows of the opponent made together.
const CHUNK: usize = 512;
/// Below this many positions a layer is not worth waking other threads for.
const SMALL_LAYER: u64 = 1 << 14;

/// The memory that building takes beside the database itself.
pub(super) fn bytes(pits: u32, stones: u32, threads: usize) -> u64 {
    let rows = up_to(pits, stones).unwrap_or(u64::MAX);
    let a_row = u64::from(pits) * (1 + 4 + 4 + 8) + 32;
    let widest = up_to(pits - 1, stones).unwrap_or(u64::MAX);
    let buffers = (widest.max(CHUNK as u64)).saturating_mul(TILE as u64).saturating_mul(threads as u64);
    rows.saturating_mul(a_row).saturating_add(buffers)
}

/// A quiet move: from one row to another of as many stones, both counted among those.
#[derive(Clone, Copy)]
struct Quiet {
    from: u32,
    to: u32,
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
    /// `[sum][pit]`: the quiet moves of the rows with that sum that end in an empty pit, and at `[sum][0]` (where
    /// no move ends) those that end elsewhere.
    quiet: Vec<Vec<Vec<Quiet>>>,
}

/// A vector of `length` zeros.
fn zeros<T: Copy + Default>(length: usize) -> Option<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(length).ok()?;
    vec.resize(length, T::default());
    Some(vec)
}

type Row = [u8; super::Database::MOST_PITS as usize];

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
        let mut stones: Vec<Vec<u8>> = (0..pits).map(|_| zeros(count)).collect::<Option<_>>()?;
        let mut more: Vec<Vec<u32>> = (1..=pits)
            .map(|k| zeros(most.checked_sub(k).map_or(0, |sum| ranks.ids(sum).end)))
            .collect::<Option<_>>()?;
        let mut less: Vec<Vec<u32>> = (0..pits).map(|_| zeros(count)).collect::<Option<_>>()?;
        let mut quiet = Vec::new();
        for sum in 0..=most {
            let mut moves: Vec<Vec<Quiet>> = vec![Vec::new(); pits];
            let ids = ranks.ids(sum);
            let first = ids.start;
            let mut row: Row = [0; 12];
            row[pits - 1] = sum as u8;
            for id in ids {
                for pit in 0..pits {
                    stones[pit][id] = row[pit];
                    let mut other = row;
                    other[pit] = 0;
                    less[pit][id] = ranks.id(&other, sum - usize::from(row[pit])) as u32;
                    let end = pit + usize::from(row[pit]);
                    if end > pit && end < pits {
                        other[pit + 1..=end].iter_mut().for_each(|n| *n += 1);
                        let to = (ranks.id(&other, sum) - first) as u32;
                        let list = if row[end] == 0 { end } else { 0 };
                        moves[list].try_reserve(1).ok()?;
                        moves[list].push(Quiet { from: (id - first) as u32, to });
                    }
                }
                let mut other = row;
                for k in 1..=pits {
                    other[k - 1] += 1;
                    if sum + k <= most {
                        more[k - 1][id] = ranks.id(&other, sum + k) as u32;
                    }
                }
                step(&mut row[..pits]);
            }
            quiet.push(moves);
        }
        Some(Rows { ranks, rules, stones, more, less, quiet })
    }

    fn pits(&self) -> usize {
        self.ranks.pits()
    }

    fn row(&self, id: usize) -> Row {
        let mut row = [0; 12];
        for (to, stones) in row.iter_mut().zip(&self.stones) {
            *to = stones[id];
        }
        row
    }

    /// The value of positions that end the game, as it lies in an entry.
    fn over(&self, own: usize, other: usize) -> u8 {
        (i32::from(ZERO) + swept(self.rules, own as i32, other as i32)) as u8
    }

    /// What the quiet moves into the empty pit `end` meet if the opposite pit is empty too: do they exist?
    fn quiet_into_empty(&self) -> bool {
        self.rules.capture == Capture::NonEmpty
    }
}

/// A move that goes on after the last stone: the same row of the opponent, or one with whole rounds more.
struct Again {
    /// The mover's row, counted in the tile.
    from: usize,
    /// The id of his row after the move.
    to: usize,
    gain: u8,
    rounds: usize,
    /// The move ends the game: then `gain` is the value.
    over: bool,
}

/// The part of the database that is complete: `[other]` and in it `[own]`, for layers below the current.
type Lower<'a> = [&'a [u8]];

/// Room for the work of one thread.
#[derive(Default)]
struct Room {
    buffer: Vec<u8>,
    again: Vec<Again>,
}

fn raise(out: &mut u8, value: u8) {
    *out = (*out).max(value);
}

/// Step 1 for the positions where a row with `own` stones moves against one of the rows `others`, of one sum.
/// `entries[j]` are those against the j-th of them, by the mover's row.
fn lower_moves(
    rows: &Rows<'_>,
    lower: &Lower<'_>,
    own: usize,
    others: std::ops::Range<usize>,
    entries: &mut [&mut [u8]],
    room: &mut Room,
) {
    let ids = rows.ranks.ids(own);
    let height = others.len();
    let Room { buffer, again } = room;
    let mut tile = ids.start;
    while tile < ids.end {
        let width = TILE.min(ids.end - tile);
        buffer.clear();
        buffer.resize(width * height, 0);
        again.clear();
        for (x, out) in buffer.chunks_exact_mut(height).enumerate() {
            let row = rows.row(tile + x);
            for pit in 0..rows.pits() {
                if row[pit] > 0 {
                    sow(rows, lower, &row, own, pit, others.clone(), out, (x, again));
                }
            }
        }
        let at = tile - ids.start;
        for (y, entries) in entries.iter_mut().enumerate() {
            let out = &mut entries[at..at + width];
            for (x, out) in out.iter_mut().enumerate() {
                *out = buffer[x * height + y];
            }
            let here = others.start + y;
            let from = lower[here];
            for again in again.iter() {
                let value = if again.over {
                    again.gain
                } else if again.rounds == 0 {
                    from[again.to].wrapping_add(again.gain)
                } else {
                    let other = (0..again.rounds).fold(here, |id, _| rows.more[rows.pits() - 1][id] as usize);
                    lower[other][again.to].wrapping_add(again.gain)
                };
                raise(&mut out[again.from], value);
            }
        }
        tile += width;
    }
}

/// One move of one row against `others`: its stream into `out`, unless it is quiet or goes on.
#[expect(clippy::too_many_arguments)]
fn sow(
    rows: &Rows<'_>,
    lower: &Lower<'_>,
    row: &Row,
    own: usize,
    pit: usize,
    others: std::ops::Range<usize>,
    out: &mut [u8],
    (x, again): (usize, &mut Vec<Again>),
) {
    let pits = rows.pits();
    let stones = usize::from(row[pit]);
    let to_store = pits - pit;
    let mut after = *row;
    after[pit] = 0;
    let sum = own - stones;
    if stones < to_store {
        let end = pit + stones;
        if row[end] != 0 {
            return;
        }
        after[pit + 1..end].iter_mut().for_each(|n| *n += 1);
        let from = lower[rows.ranks.id(&after, own - 1)];
        let opposite = pits - 1 - end;
        let less = &rows.less[opposite][others.clone()];
        let taken = &rows.stones[opposite][others];
        let always = rows.rules.capture == Capture::Empty;
        for ((out, &to), &taken) in out.iter_mut().zip(less).zip(taken) {
            let value = (taken + 1).wrapping_sub(from[to as usize]);
            raise(out, if always || taken > 0 { value } else { 0 });
        }
        return;
    }
    after[pit + 1..pits].iter_mut().for_each(|n| *n += 1);
    let sum = sum + to_store - 1;
    if stones == to_store {
        let over = sum == 0 && rows.rules.sweep == Sweep::Finisher;
        let left = rows.stones.iter().map(|stones| stones[others.start]).sum::<u8>();
        let gain = if over { ZERO + 1 + left } else { 1 };
        again.push(Again { from: x, to: rows.ranks.id(&after, sum), gain, rounds: 0, over });
        return;
    }
    let beyond = stones - to_store;
    if beyond <= pits {
        let from = lower[rows.ranks.id(&after, sum)];
        for (out, &to) in out.iter_mut().zip(&rows.more[beyond - 1][others]) {
            raise(out, 1u8.wrapping_sub(from[to as usize]));
        }
        return;
    }
    // Round the board, which is rare: stone by stone.
    after = *row;
    after[pit] = 0;
    let (mut place, mut left, mut gain) = (pit, stones, 0u8);
    let (mut rounds, mut first_pits) = (0, 0);
    while left > 0 {
        place = (place + 1) % (2 * pits + 1);
        if place == pit && rows.rules.origin == Origin::Skipped {
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
    let captures = place < pits && after[place] == 1;
    if captures {
        after[place] = 0;
        gain += 1;
    }
    let sum = after.iter().map(|&n| usize::from(n)).sum();
    let to = rows.ranks.id(&after, sum);
    if place == pits {
        // Only where the origin is passed over can the row be empty: on a board of one pit.
        let over = sum == 0 && rows.rules.sweep == Sweep::Finisher;
        let left = rows.stones.iter().map(|stones| stones[others.start]).sum::<u8>() + (rounds * pits) as u8;
        let gain = if over { ZERO + gain + left } else { gain };
        again.push(Again { from: x, to, gain, rounds, over });
        return;
    }
    let from = &lower[to];
    for (out, other) in out.iter_mut().zip(others) {
        let mut other = other;
        for _ in 0..rounds {
            other = rows.more[pits - 1][other] as usize;
        }
        if first_pits > 0 {
            other = rows.more[first_pits - 1][other] as usize;
        }
        let mut gain = gain;
        if captures {
            // The opposite pit was sown on the way, so it is not empty.
            let opposite = pits - 1 - place;
            gain += rows.stones[opposite][other];
            other = rows.less[opposite][other] as usize;
        }
        raise(out, gain.wrapping_sub(from[other]));
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
    buffer: &mut Vec<u8>,
) {
    let ids = rows.ranks.ids(few);
    let others = rows.ranks.ids(many);
    let height = others.len();
    let pits = rows.pits();
    let mut tile = 0;
    while tile < ids.len() {
        let width = TILE.min(ids.len() - tile);
        buffer.clear();
        buffer.resize(width * height, 0);
        let block = many_block.as_deref().unwrap_or(few_block);
        for (y, entries) in block.iter().enumerate() {
            for (x, &entry) in entries[tile..tile + width].iter().enumerate() {
                buffer[x * height + y] = entry;
            }
        }
        for (x, out) in buffer.chunks_exact_mut(height).enumerate() {
            let row = rows.row(ids.start + tile + x);
            let (before, from_here) = few_block.split_at_mut(tile + x);
            for pit in 0..pits {
                let end = pit + usize::from(row[pit]);
                if end == pit || end >= pits || row[end] == 0 && !rows.quiet_into_empty() {
                    continue;
                }
                let mut after = row;
                after[pit] = 0;
                after[pit + 1..=end].iter_mut().for_each(|n| *n += 1);
                let from = &*before[rows.ranks.id(&after, few) - ids.start];
                if row[end] > 0 {
                    for (out, &entry) in out.iter_mut().zip(from) {
                        raise(out, 0u8.wrapping_sub(entry));
                    }
                } else {
                    let opposite = &rows.stones[pits - 1 - end][others.clone()];
                    for ((out, &entry), &opposite) in out.iter_mut().zip(from).zip(opposite) {
                        raise(out, if opposite == 0 { 0u8.wrapping_sub(entry) } else { 0 });
                    }
                }
            }
            let entries = &mut *from_here[0];
            for (end, moves) in rows.quiet[many].iter().enumerate() {
                if end == 0 || rows.quiet_into_empty() && row[pits - 1 - end] == 0 {
                    for quiet in moves {
                        raise(&mut entries[quiet.from as usize], 0u8.wrapping_sub(out[quiet.to as usize]));
                    }
                }
            }
        }
        let block = many_block.as_deref_mut().unwrap_or(few_block);
        for (y, entries) in block.iter_mut().enumerate() {
            for (x, entry) in entries[tile..tile + width].iter_mut().enumerate() {
                *entry = buffer[x * height + y];
            }
        }
        tile += width;
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

pub(super) fn build(rules: Rules, ranks: &Ranks, how: Build<'_>, bytes: u64) -> Result<Vec<u8>, DatabaseError> {
    let no_memory = || DatabaseError::Memory { bytes };
    let (pits, stones) = (ranks.pits() as u32, ranks.stones() as u32);
    let total = super::Database::positions(pits, stones)?;
    let mut entries: Vec<u8> = zeros(usize::try_from(total).map_err(|_| no_memory())?).ok_or_else(no_memory)?;
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

    let positions: u64 = (0..=layer).map(|own| (ranks.ids(own).len() * ranks.ids(layer - own).len()) as u64).sum();
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
            quiet_moves(rows, few, many, &mut few_block, many_block.as_mut(), &mut room.buffer);
        }
        watch.half_done(layer, positions);
    });
    Some(())
}
