//! Random kalah boards, each known by a number.

use dts_kalah::position::{Position, Row, Side};
use dts_kalah::sowing::Sowing;
use dts_kalah::{Board, Player};

/// Numbers that look random and are the same on every machine (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers that belong to `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound` less one.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.draw() % bound
    }
}

/// A board of `pits` a side with up to `most` stones on the pits, unevenly spread, and something in the stores, so that a search
/// that forgets what is banked is found out. It may be a finished one.
///
/// # Panics
/// If no board has so many pits.
#[must_use]
pub fn small_board(random: &mut Random, pits: usize, most: u64) -> Board {
    let mut rows = [vec![0_u16; pits], vec![0_u16; pits]];
    for _ in 0..1 + random.below(most) {
        // Half of the stones lie on one side's first pits.
        let (side, pit) = if random.below(2) == 0 {
            (random.below(2) as usize, random.below(pits as u64) as usize)
        } else {
            (0, random.below(1 + pits as u64 / 2) as usize)
        };
        rows[side][pit.min(pits - 1)] += 1;
    }
    if random.below(2) == 0 {
        rows.swap(0, 1);
    }
    let stores = [random.below(9) as u16, random.below(9) as u16];
    let to_move = if random.below(2) == 0 { Player::A } else { Player::B };
    Board::new(&rows[0], stores[0], &rows[1], stores[1], to_move).expect("a small board")
}

/// The fast position of a board, with nothing banked. `Max` is A.
///
/// # Panics
/// If the board is not of the sowing's size, or holds too many stones.
#[must_use]
pub fn position<R: Row>(sowing: &Sowing<R>, board: &Board) -> Position<R> {
    let row = |player| board.row(player).iter().map(|&stones| u32::from(stones)).collect::<Vec<_>>();
    let side = if board.to_move() == Player::A { Side::Max } else { Side::Min };
    sowing.position(&row(Player::A), &row(Player::B), 0, side).expect("a small board")
}
