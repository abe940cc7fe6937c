//! Perft: how many lines of so many moves a position has.

use std::sync::atomic::{AtomicUsize, Ordering};

use cozy_chess::{Board, Move};

/// The number of lines of `depth` moves from `board`.
#[must_use]
pub fn count(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut lines = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            // The last ply is counted in sets.
            lines += moves.len() as u64;
        } else {
            for chosen in moves {
                let mut next = board.clone();
                next.play_unchecked(chosen);
                lines += count(&next, depth - 1);
            }
        }
        false
    });
    lines
}

/// The legal moves of a position.
#[must_use]
pub fn moves(board: &Board) -> Vec<Move> {
    let mut all = Vec::new();
    board.generate_moves(|set| {
        all.extend(set);
        false
    });
    all
}

/// The number of lines of `depth` moves behind every move of `board`, counted by `threads` threads. With a depth of 0 there are none.
#[must_use]
pub fn divide(board: &Board, depth: u32, threads: usize) -> Vec<(Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    // Two moves deep there are enough parts for any number of threads, all small beside the whole.
    let mut parts = Vec::new();
    for (number, chosen) in moves(board).into_iter().enumerate() {
        let mut next = board.clone();
        next.play_unchecked(chosen);
        if depth < 3 {
            parts.push((number, next, depth - 1));
            continue;
        }
        for reply in moves(&next) {
            let mut after = next.clone();
            after.play_unchecked(reply);
            parts.push((number, after, depth - 2));
        }
    }
    let next_part = AtomicUsize::new(0);
    let work = || {
        let mut counted = Vec::new();
        while let Some((number, position, rest)) = parts.get(next_part.fetch_add(1, Ordering::Relaxed)) {
            counted.push((*number, count(position, *rest)));
        }
        counted
    };
    let counted: Vec<_> = if threads <= 1 {
        work()
    } else {
        std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            // A helper that panicked would have done so in the move generator, on this thread as well.
            own.into_iter()
                .chain(helpers.into_iter().flat_map(|helper| helper.join().unwrap_or_default()))
                .collect()
        })
    };
    let mut lines: Vec<_> = moves(board).into_iter().map(|chosen| (chosen, 0)).collect();
    for (number, found) in counted {
        lines[number].1 += found;
    }
    lines
}

/// The number of lines of `depth` moves from `board`, counted by `threads` threads.
#[must_use]
pub fn count_with(board: &Board, depth: u32, threads: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    divide(board, depth, threads).iter().map(|&(_, lines)| lines).sum()
}
