//! The weights of the features, set by hand.

use super::feature::*;
use crate::score::Pair;

/// The weights, see [`super::feature`].
pub(crate) const WEIGHTS: [Pair; FEATURES] = by_hand();

const fn set<const N: usize>(table: &mut [Pair; FEATURES], from: usize, values: [(i32, i32); N]) {
    let mut at = 0;
    while at < N {
        table[from + at] = Pair::new(values[at].0, values[at].1);
        at += 1;
    }
}

const fn max(one: i32, other: i32) -> i32 {
    if one > other { one } else { other }
}

const fn by_hand() -> [Pair; FEATURES] {
    let mut table = [Pair::ZERO; FEATURES];
    set(&mut table, MATERIAL, [(85, 105), (320, 310), (330, 325), (480, 545), (980, 1000)]);
    let mut square = 0;
    while square < 64 {
        let (file, rank) = ((square % 8) as i32, (square / 8) as i32);
        let from_centre_file = if file < 4 { 3 - file } else { file - 4 };
        let from_centre_rank = if rank < 4 { 3 - rank } else { rank - 4 };
        let off = max(from_centre_file, from_centre_rank) + (from_centre_file + from_centre_rank) / 2;
        table[PLACE + square] = Pair::new(
            if from_centre_file == 0 && (rank == 3 || rank == 4) {
                20
            } else if rank == 1 && from_centre_file == 0 {
                -15
            } else {
                rank
            },
            5 * (rank - 2),
        );
        table[PLACE + 64 + square] =
            Pair::new(22 - 11 * off + if rank == 0 { -6 } else { 2 * rank }, 12 - 9 * off);
        table[PLACE + 128 + square] = Pair::new(12 - 5 * off + if rank == 0 { -8 } else { 0 }, 6 - 4 * off);
        table[PLACE + 192 + square] =
            Pair::new(if rank == 6 { 15 } else { 4 - 2 * from_centre_file }, if rank == 6 { 12 } else { 0 });
        table[PLACE + 256 + square] = Pair::new(2 - 2 * off - if rank == 0 { 2 } else { 0 }, 14 - 7 * off);
        table[PLACE + 320 + square] = Pair::new(
            if rank == 0 {
                if from_centre_file == 0 {
                    -10
                } else if from_centre_file == 1 {
                    -5
                } else {
                    25
                }
            } else {
                -20 * rank
            },
            28 - 14 * off,
        );
        square += 1;
    }
    let mut at = 0;
    while at < 28 {
        let count = at as i32;
        if at < 9 {
            table[MOBILITY_KNIGHT + at] = Pair::new(6 * (count - 4), 5 * (count - 4));
        }
        if at < 14 {
            table[MOBILITY_BISHOP + at] = Pair::new(5 * (count - 6), 5 * (count - 6));
        }
        if at < 15 {
            table[MOBILITY_ROOK + at] = Pair::new(3 * (count - 7), 5 * (count - 7));
        }
        table[MOBILITY_QUEEN + at] = Pair::new(2 * (count - 13), 3 * (count - 13));
        at += 1;
    }
    set(&mut table, BISHOP_PAIR, [(30, 50)]);
    set(&mut table, BISHOP_PAWNS, [(-3, -5)]);
    set(&mut table, ROOK_OPEN, [(35, 12)]);
    set(&mut table, ROOK_HALF_OPEN, [(16, 8)]);
    set(&mut table, ROOK_BEHIND_PASSED, [(5, 18)]);
    set(&mut table, OUTPOST_KNIGHT, [(28, 18)]);
    set(&mut table, OUTPOST_BISHOP, [(20, 8)]);
    set(&mut table, MINOR_BEHIND_PAWN, [(6, 3)]);
    set(&mut table, PAWN_DOUBLED, [(-8, -22)]);
    set(&mut table, PAWN_ISOLATED, [(-10, -14)]);
    set(&mut table, PAWN_BACKWARD, [(-9, -12)]);
    set(&mut table, PAWN_SUPPORTED, [(0, 0), (0, 0), (10, 4), (10, 6), (16, 12), (30, 35), (60, 60), (0, 0)]);
    set(&mut table, PAWN_PHALANX, [(0, 0), (2, 0), (6, 3), (10, 8), (20, 20), (45, 45), (60, 70), (0, 0)]);
    set(&mut table, PASSED, [(0, 0), (2, 10), (2, 14), (6, 30), (30, 58), (65, 105), (110, 165), (0, 0)]);
    set(
        &mut table,
        PASSED_BLOCKED,
        [(0, 0), (0, -2), (0, -4), (-2, -10), (-8, -22), (-15, -45), (-25, -80), (0, 0)],
    );
    set(&mut table, PASSED_SAFE, [(0, 0), (0, 2), (0, 4), (2, 8), (8, 18), (20, 45), (40, 80), (0, 0)]);
    set(
        &mut table,
        PASSED_OWN_KING,
        [(0, 25), (0, 20), (0, 8), (0, 0), (0, -5), (0, -8), (0, -10), (0, -10)],
    );
    set(
        &mut table,
        PASSED_OTHER_KING,
        [(0, -30), (0, -25), (0, -10), (0, 5), (0, 18), (0, 25), (0, 30), (0, 30)],
    );
    set(
        &mut table,
        SHELTER_FILE,
        [(-30, 0), (22, 0), (12, 0), (0, 0), (-6, 0), (-10, 0), (-15, 0), (-20, 0)],
    );
    set(
        &mut table,
        SHELTER_BESIDE,
        [(-20, 0), (22, 0), (12, 0), (0, 0), (-4, 0), (-8, 0), (-12, 0), (-15, 0)],
    );
    set(&mut table, STORM, [(0, 0), (0, 0), (-20, 0), (-12, 0), (-4, 0), (0, 0), (0, 0), (0, 0)]);
    let mut pressure = 0;
    while pressure < 32 {
        let value = (pressure * pressure * 7 / 10) as i32;
        table[DANGER + pressure] = Pair::new(value, value / 8);
        pressure += 1;
    }
    set(&mut table, PAWN_HITS_MINOR, [(55, 50)]);
    set(&mut table, PAWN_HITS_ROOK, [(75, 40)]);
    set(&mut table, PAWN_HITS_QUEEN, [(65, 40)]);
    set(&mut table, MINOR_HITS_ROOK, [(45, 25)]);
    set(&mut table, MINOR_HITS_QUEEN, [(40, 25)]);
    set(&mut table, ROOK_HITS_QUEEN, [(40, 25)]);
    set(&mut table, HANGING_PIECE, [(30, 25)]);
    set(&mut table, HANGING_PAWN, [(8, 15)]);
    set(&mut table, TEMPO, [(14, 8)]);
    table
}
