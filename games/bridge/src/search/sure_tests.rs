//! Sure tricks are sure, and rest on no more than what they say.

use dts_engine::Side;

use super::position::{NO_TRUMP, Position};
use super::proofs::{Random, minimax};
use super::sure::{Sure, last_trick, later_tricks, quick_tricks, sure_trumps};

fn holds(position: &Position, value: i32, side: Side, sure: Sure, what: &str) {
    let wins = match side {
        Side::Max => value as u32,
        Side::Min => (i32::from(position.left()) - value) as u32,
    };
    assert!(sure.tricks <= wins, "{what}: {sure:x?}, but {side:?} wins {wins} of {position:x?}");
}

#[test]
fn sure_tricks_are_sure() {
    let mut random = Random(7);
    let mut seen = [0; 4];
    for at in 0..30_000u32 {
        let position = random.position(1 + (at % 4) as u8);
        let side = position.side();
        let value = minimax(&position);
        if position.left() == 1 {
            assert_eq!(i32::from(last_trick(&position).0), value, "{position:x?}");
            continue;
        }
        for enough in 1..=u32::from(position.left()) {
            let quick = quick_tricks(&position, enough);
            let later = later_tricks(&position, enough);
            holds(&position, value, side, quick, "quick tricks");
            holds(&position, value, side.opposite(), later, "later tricks");
            seen[0] += quick.tricks;
            seen[1] += later.tricks;
            if position.trump() != NO_TRUMP {
                let trumps = sure_trumps(&position, 0);
                holds(&position, value, side, trumps, "sure trumps");
                seen[2] += trumps.tricks;
            }
        }
    }
    assert!(seen[..3].iter().all(|&tricks| tricks > 10_000), "{seen:?}");
}
