//! Solving all positions, layer by layer of stones on the pits.
//!
//! A move does one of three things. It brings stones to the store: then the position after it is in a lower layer.
//! Or it captures: likewise. Or it is *quiet*: it stays within the mover's row and passes the turn, and the row
//! after it has a smaller id.
//!
//! A layer is solved in two steps:
//!
//! 1. For each position the best of the moves to lower layers. Positions do not depend on each other here.
//! 2. The quiet moves, which lead from "row i to move against j" to "row j to move against i', i' < i" and from there
//!    to "i' against j', j' < j": for i ascending, first all positions where i moves, then all where the other side
//!    moves against i. The numbers of stones in both rows stay, so pairs of such numbers are solved independently.
//!
//! No position is looked at by itself. With the mover's row fixed, a move is the same for all rows of the opponent:
//! it leads to one row of the mover, and gives the opponent one stone in each of his first pits, or takes what lies
//! in one pit. So all its values lie in one run of the database, that of the mover's row after the move, and the
//! [ways](Ways) from the opponent's rows to their places in it are the same for all of his opponents. They often
//! lead from neighbours to neighbours, and then 16 values are made at once. What comes out is a row of values by the
//! opponent's row, while entries lie by the mover's: so tiles of both are made and then turned.
//!
//! A value is made in the form of its entry, where the best of two is the larger byte, 0 stands for no move, `-v` is
//! `0 - entry` and a gain is added, both modulo 256.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::rank::{Ranks, up_to};
use super::rows::{Kind, Move, Rows, Ways};
use super::{Build, DatabaseError, Progress, ZERO, is_over, swept};
use crate::Rules;

/// Rows of the mover made together, a multiple of 8: a cache line of entries.
const TILE: usize = 64;
/// Rows of the opponent made together, a multiple of 8: as many as let a tile stay in the second cache.
const CHUNK: usize = 1024;
/// Below this many positions a layer is not worth waking other threads for.
const SMALL_LAYER: u64 = 1 << 14;

/// The memory that building takes beside the database itself, in bytes.
pub(super) fn bytes(pits: u32, stones: u32, threads: usize) -> u64 {
    let rows = up_to(pits, stones).unwrap_or(u64::MAX);
    let widest = up_to(pits - 1, stones).unwrap_or(u64::MAX).saturating_add(8);
    let buffers = widest.saturating_mul(TILE as u64).saturating_mul(threads as u64);
    let views = rows.saturating_mul(2 * size_of::<&[u8]>() as u64);
    Rows::bytes(pits, rows).saturating_add(views).saturating_add(buffers)
}

/// The entries of the layers below the current: `[other][own]`.
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
    /// `[k - 1]`: the ways from rows of the opponent to those with a stone more in each of the first k pits.
    more: Vec<Ways>,
    /// `[pit]`: the ways to those with a pit emptied, if it is taken.
    less: Vec<Ways>,
}

impl Room {
    /// Finds the ways for `others`.
    fn find_ways(&mut self, rows: &Rows<'_>, others: &std::ops::Range<usize>) -> Option<()> {
        self.more.resize_with(rows.pits(), Ways::default);
        self.less.resize_with(rows.pits(), Ways::default);
        for (ways, map) in self.more.iter_mut().zip(&rows.more) {
            ways.clear();
            ways.extend((0..).zip(map.get(others.clone()).unwrap_or_default().iter().copied()))?;
        }
        for ((ways, map), stones) in self.less.iter_mut().zip(&rows.less).zip(&rows.stones) {
            ways.clear();
            let (map, stones) = (&map[others.clone()], &stones[others.clone()]);
            let taken = (0..).zip(map).zip(stones).filter(|&(_, &stones)| rows.takes(stones));
            ways.extend(taken.map(|((from, &to), _)| (from, to)))?;
        }
        Some(())
    }
}

/// Makes `vec` of that length, with zeros for what it did not have, if there is memory.
fn grow(vec: &mut Vec<u8>, length: usize) -> Option<()> {
    vec.try_reserve(length.saturating_sub(vec.len())).ok()?;
    vec.resize(length, 0);
    Some(())
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

/// Raises `out` to the values made of the bytes of `from` to which the ways lead.
#[inline(always)]
fn raise_ways(out: &mut [u8], from: &[u8], ways: &Ways, value: impl Fn(u8, u8) -> u8) {
    for run in &ways.runs {
        let from = &from[run.to()];
        raise_run(&mut out[run.from()], from, from, &value);
    }
    for &(at, to) in &ways.single {
        raise(&mut out[at as usize], value(from[to as usize], 0));
    }
}

/// The same, where the values also depend on what is in `with` at the same place as in `out`.
#[inline(always)]
fn raise_ways_with(out: &mut [u8], from: &[u8], with: &[u8], ways: &Ways, value: impl Fn(u8, u8) -> u8) {
    for run in &ways.runs {
        raise_run(&mut out[run.from()], &from[run.to()], &with[run.from()], &value);
    }
    for &(at, to) in &ways.single {
        raise(&mut out[at as usize], value(from[to as usize], with[at as usize]));
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
) -> Option<()> {
    let ids = rows.ranks.ids(own);
    room.find_ways(rows, &others)?;
    let Room { tile, turned, again, rare, more, less } = room;
    let height = others.len().next_multiple_of(8);
    grow(turned, TILE * CHUNK)?;
    for first in ids.clone().step_by(TILE) {
        let width = TILE.min(ids.end - first);
        tile.clear();
        grow(tile, width.next_multiple_of(8) * height)?;
        again.clear();
        rare.clear();
        for (x, out) in tile.chunks_exact_mut(height).enumerate().take(width) {
            for made in rows.lower_moves(first + x) {
                let arg = usize::from(made.arg);
                let from = lower[made.to as usize];
                match made.kind {
                    Kind::More => {
                        raise_ways(out, from, &more[arg - 1], |entry, _| made.gain.wrapping_sub(entry))
                    }
                    Kind::Less => {
                        let taken = &rows.stones[arg][others.clone()];
                        raise_ways_with(out, from, taken, &less[arg], |entry, taken| {
                            (made.gain + taken).wrapping_sub(entry)
                        });
                    }
                    Kind::Again if made.rounds == 0 => again.push((x as u32, made.to)),
                    Kind::Again | Kind::Finish => rare.push((x, *made)),
                    Kind::RoundsAndMore | Kind::RoundsAndLess => {
                        go_round(rows, from, made, others.clone(), out)
                    }
                    Kind::Quiet | Kind::QuietIfEmpty => {}
                }
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
    Some(())
}

/// Raises `out` to the values of a move round the board against each of `others`. `from` are the entries against
/// the row after the move.
fn go_round(rows: &Rows<'_>, from: &[u8], made: &Move, others: std::ops::Range<usize>, out: &mut [u8]) {
    let arg = usize::from(made.arg);
    for (out, other) in out.iter_mut().zip(others) {
        let other = rows.after_rounds(other, made.rounds);
        let (other, taken) = match made.kind {
            Kind::RoundsAndLess => (rows.less[arg][other] as usize, rows.stones[arg][other]),
            _ if arg > 0 => (rows.more[arg - 1][other] as usize, 0),
            _ => (other, 0),
        };
        raise(out, (made.gain + taken).wrapping_sub(from[other]));
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
) -> Option<()> {
    let ids = rows.ranks.ids(few);
    let others = rows.ranks.ids(many);
    let height = others.len().next_multiple_of(8);
    for first in (0..ids.len()).step_by(TILE) {
        let width = TILE.min(ids.len() - first);
        grow(tile, width.next_multiple_of(8) * height)?;
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
                    raise_ways(entries, out, moves, |entry, _| 0u8.wrapping_sub(entry));
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
    Some(())
}

/// Reports and asks whether to stop.
struct Watch<'a> {
    how: Build<'a>,
    /// The stop flag was seen, so that something was left out.
    stopped: AtomicBool,
    total: u64,
    /// Half positions done: each of the two steps is half of the work.
    halves: AtomicU64,
    reported: Mutex<u64>,
}

impl Watch<'_> {
    fn stopped(&self) -> bool {
        let stop = self.how.stop.is_some_and(|stop| stop());
        if stop {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stop
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

/// Lets `threads` threads take the tasks, from the last to the first. `None` if one of them comes to nothing.
fn run<T: Send>(
    threads: usize,
    tasks: Vec<T>,
    work: impl Fn(T, &mut Room) -> Option<()> + Sync,
) -> Option<()> {
    let tasks = Mutex::new(tasks);
    let failed = AtomicBool::new(false);
    let worker = || {
        let mut room = Room::default();
        while !failed.load(Ordering::Relaxed) {
            let task = tasks.lock().ok().and_then(|mut tasks| tasks.pop());
            let Some(task) = task else { break };
            if work(task, &mut room).is_none() {
                failed.store(true, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where the system has no thread to give, those there are do the work.
            if std::thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                break;
            }
        }
        worker();
    });
    (!failed.into_inner()).then_some(())
}

/// Bytes that are asked of the system between two looks at the stop flag.
const AT_ONCE: usize = 1 << 26;

pub(super) fn build(
    rules: Rules,
    ranks: &Ranks,
    how: Build<'_>,
    bytes: u64,
) -> Result<Vec<u8>, DatabaseError> {
    let no_memory = || DatabaseError::Memory { bytes };
    let (pits, stones) = (ranks.pits() as u32, ranks.stones() as u32);
    let total = super::Database::positions(pits, stones)?;
    let length = usize::try_from(total).map_err(|_| no_memory())?;
    // Gigabytes take a while to be had from the system.
    let mut entries: Vec<u8> = Vec::new();
    entries.try_reserve_exact(length).map_err(|_| no_memory())?;
    dts_engine::advise_large_pages(&mut entries);
    while entries.len() < length {
        if how.stop.is_some_and(|stop| stop()) {
            return Err(DatabaseError::Stopped);
        }
        entries.resize(length.min(entries.len() + AT_ONCE), 0);
    }
    let rows = Rows::new(ranks, rules).ok_or_else(no_memory)?;
    let mut watch = Watch {
        how,
        stopped: AtomicBool::new(false),
        total,
        halves: AtomicU64::new(0),
        reported: Mutex::new(0),
    };
    for layer in 0..=ranks.stones() {
        solve_layer(&rows, layer, &mut entries, &watch).ok_or_else(no_memory)?;
        // The flag itself may be down again.
        if *watch.stopped.get_mut() {
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
            return Some(());
        }
        let own = layer - other;
        let positions = (chunk.len() * ranks.ids(own).len()) as u64;
        if is_over(rows.rules, own, other) {
            let value = (i32::from(ZERO) + swept(rows.rules, own as i32, other as i32)) as u8;
            chunk.iter_mut().for_each(|entries| entries.fill(value));
        } else {
            lower_moves(rows, &lower, own, first..first + chunk.len(), chunk, room)?;
        }
        watch.half_done(layer, positions);
        Some(())
    })?;

    let mut tasks = Vec::new();
    let mut blocks = std::collections::VecDeque::from(blocks);
    while let Some(few) = blocks.pop_front() {
        tasks.push((tasks.len(), few, blocks.pop_back()));
    }
    run(threads, tasks, |(few, mut few_block, mut many_block), room| {
        if watch.stopped() {
            return Some(());
        }
        let many = layer - few;
        let mut positions = (ranks.ids(few).len() * ranks.ids(many).len()) as u64;
        if many_block.is_some() {
            positions *= 2;
        }
        if !is_over(rows.rules, many, few) {
            quiet_moves(rows, few, many, &mut few_block, many_block.as_mut(), &mut room.tile)?;
        }
        watch.half_done(layer, positions);
        Some(())
    })?;
    Some(())
}
