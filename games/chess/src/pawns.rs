//! Squares that matter to pawns, and a cache of what is known of pawn structures.

use cozy_chess::{BitBoard, Color, File, Square};

use crate::score::Pair;

/// The squares in front of a pawn on its own file, by colour and square.
pub(crate) static AHEAD: [[BitBoard; 64]; 2] = spans(false);
/// The same with the two files beside it: no enemy pawn there makes a pawn passed.
pub(crate) static PASSAGE: [[BitBoard; 64]; 2] = spans(true);

const FILE_A: u64 = 0x0101_0101_0101_0101;

const fn spans(with_neighbours: bool) -> [[BitBoard; 64]; 2] {
    let mut table = [[BitBoard::EMPTY; 64]; 2];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square % 8, square / 8);
        let mut files = FILE_A << file;
        if with_neighbours {
            if file > 0 {
                files |= FILE_A << (file - 1);
            }
            if file < 7 {
                files |= FILE_A << (file + 1);
            }
        }
        let above = if rank == 7 { 0 } else { !0_u64 << (8 * (rank + 1)) };
        let below = (1_u64 << (8 * rank)) - 1;
        table[0][square] = BitBoard(files & above);
        table[1][square] = BitBoard(files & below);
        square += 1;
    }
    table
}

/// The squares that pawns attack.
#[inline(always)]
pub(crate) fn pawn_attacks(pawns: BitBoard, color: Color) -> BitBoard {
    let not_a = BitBoard(!FILE_A);
    let not_h = BitBoard(!(FILE_A << 7));
    match color {
        Color::White => BitBoard((pawns & not_a).0 << 7 | (pawns & not_h).0 << 9),
        Color::Black => BitBoard((pawns & not_a).0 >> 9 | (pawns & not_h).0 >> 7),
    }
}

/// The files beside a file.
#[inline(always)]
pub(crate) fn beside(file: File) -> BitBoard {
    file.adjacent()
}

/// The rank of a square as `color` counts it, from 0.
#[inline(always)]
pub(crate) fn rank_for(color: Color, square: Square) -> usize {
    square.relative_to(color).rank() as usize
}

/// What is known of a pawn structure.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PawnEntry {
    white: u64,
    black: u64,
    /// White's less Black's.
    pub(crate) sum: Pair,
    /// Passed pawns of both sides.
    pub(crate) passed: u64,
}

/// A cache of pawn structures: they change rarely from node to node. Entries are found again by all pawns of both sides, so that none
/// is ever taken for another.
#[derive(Debug)]
pub(crate) struct PawnCache {
    entries: Box<[PawnEntry]>,
}

const CACHE_BITS: u32 = 12;

impl PawnCache {
    /// An empty cache. A board without pawns is what an empty entry says.
    pub(crate) fn new() -> PawnCache {
        PawnCache { entries: vec![PawnEntry::default(); 1 << CACHE_BITS].into_boxed_slice() }
    }

    /// The entry of a structure; `judge` fills it if it is not there.
    #[inline(always)]
    pub(crate) fn get(
        &mut self,
        white: BitBoard,
        black: BitBoard,
        judge: impl FnOnce() -> (Pair, BitBoard),
    ) -> PawnEntry {
        let mixed = white.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ black.0.wrapping_mul(0xd6e8_feb8_6659_fd93);
        let entry =
            &mut self.entries[(mixed.wrapping_mul(0x2545_f491_4f6c_dd1d) >> (64 - CACHE_BITS)) as usize];
        if (entry.white, entry.black) != (white.0, black.0) {
            let (sum, passed) = judge();
            *entry = PawnEntry { white: white.0, black: black.0, sum, passed: passed.0 };
        }
        *entry
    }
}
