//! Proofs hold: where only cards move that a proof calls irrelevant, the bound stays.

use dts_engine::{Answer, Game, HIGHEST, LOWEST, Memory, Node, Opening, Proof, Range, Side, Window};

use super::double_dummy::{DoubleDummy, Local, Ranks, Shared};
use super::position::Position;
use super::sure::lowest;
use crate::card::Card;

/// A plain search by the functions of the game, that keeps the proofs.
fn search(
    game: &DoubleDummy,
    shared: &Shared,
    local: &mut Local,
    path: &mut Vec<Position>,
    window: Window,
) -> Answer<Ranks> {
    let mut source = Default::default();
    let node = Node::at(path, 0, 0, window);
    if let Opening::Answered(answer) = game.open(&node, &mut source, &mut Memory { shared, local }) {
        return answer;
    }
    let position = *node.position();
    let side = position.side();
    let mut near = Answer::unknown();
    let mut far: Option<Answer<Ranks>> = None;
    let mut best = None;
    let mut cut = false;
    while let Some(card) = game.select(&position, &mut source) {
        path.push(game.play(&position, card));
        let mut answer = search(game, shared, local, path, window);
        path.pop();
        game.lift(&position, card, &mut answer);
        game.settle(&position, &mut source, card, &answer);
        let mut all = far.take().unwrap_or(answer);
        all.lower_proof.join(&answer.lower_proof);
        all.upper_proof.join(&answer.upper_proof);
        all.range = match side {
            Side::Max => Range { lower: LOWEST, upper: all.range.upper.max(answer.range.upper) },
            Side::Min => Range { lower: all.range.lower.min(answer.range.lower), upper: HIGHEST },
        };
        far = Some(all);
        cut = match side {
            Side::Max => answer.range.lower >= window.beta,
            Side::Min => answer.range.upper <= window.alpha,
        };
        if cut {
            best = Some(card);
            near = match side {
                Side::Max => Answer { range: Range::at_least(answer.range.lower), ..answer },
                Side::Min => Answer { range: Range::at_most(answer.range.upper), ..answer },
            };
            break;
        }
    }
    let answer = if cut { near } else { far.expect("a node has moves") };
    game.leave(&Node::at(path, 0, 0, window), &answer, best, &mut Memory { shared, local });
    answer
}

/// The value of a position by plain minimax over the rules.
pub(super) fn minimax(position: &Position) -> i32 {
    if position.left() == 0 {
        return i32::from(position.won());
    }
    let mut legal = position.legal();
    let mut best = None;
    while legal != 0 {
        let value = minimax(&position.play(Card::at(legal.trailing_zeros() as u8)));
        legal &= legal - 1;
        best = Some(match (best, position.side()) {
            (None, _) => value,
            (Some(best), Side::Max) => value.max(best),
            (Some(best), Side::Min) => value.min(best),
        });
    }
    best.expect("a card")
}

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % end
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }

    /// A random position at the start of a trick.
    pub(super) fn position(&mut self, left: u8) -> Position {
        let mut cards: Vec<u8> = (0..64).filter(|place| place & 15 < 13).collect();
        self.shuffle(&mut cards);
        let mut hands = [0u64; 4];
        for (at, card) in cards.iter().take(usize::from(left) * 4).enumerate() {
            hands[at % 4] |= 1 << card;
        }
        Position::new(hands, self.below(4) as u8, self.below(5) as u8, left)
    }

    /// The same position with the cards below the lowest that matters of each suit dealt again, the lengths kept.
    fn other_arrangement(&mut self, position: &Position, proof: Ranks) -> Position {
        let mut hands = position.hands;
        for suit in 0..4u8 {
            let from = lowest(proof.0, suit).map_or(0, |lowest| lowest + 1);
            let small = (0x1fffu64 >> from << from) << (suit * 16);
            let mut cards: Vec<u64> =
                (0..64).map(|place| 1 << place).filter(|bit| position.all() & small & bit != 0).collect();
            self.shuffle(&mut cards);
            let mut cards = cards.into_iter();
            for hand in &mut hands {
                let count = (*hand & small).count_ones() as usize;
                *hand = *hand & !small | cards.by_ref().take(count).sum::<u64>();
            }
        }
        Position::new(hands, position.turn(), position.trump(), position.left())
    }
}

fn check(seed: u64, endings: usize, longest: usize) {
    let game = DoubleDummy::new(0);
    let mut random = Random(seed);
    let shared = Shared::of_no_deal(1).expect("a mebibyte");
    let mut local = game.local(0);
    let mut moved = 0;
    for at in 0..endings {
        let position = random.position(2 + (at % (longest - 1)) as u8);
        shared.set_deal(&position.hands);
        let value = minimax(&position);
        for beta in 1..=i32::from(position.left()) {
            let window = Window::zero(beta);
            let answer = search(&game, &shared, &mut local, &mut vec![position], window);
            assert!(answer.range.contains(value), "{answer:?} for {value} of {position:?}");
            assert!(window.is_answered_by(answer.range), "{answer:?} in {window:?}");
            let proof = if answer.range.lower >= beta { answer.lower_proof } else { answer.upper_proof };
            let other = random.other_arrangement(&position, proof);
            moved += usize::from(other.hands != position.hands);
            let value = minimax(&other);
            assert!(answer.range.contains(value), "{answer:?} of {position:x?} does not hold for {other:x?}");
        }
    }
    assert!(moved > endings / 2, "{moved}");
}

#[test]
fn irrelevant_cards_do_not_matter() {
    check(1, 6_000, 3);
    check(4, 300, 4);
}

#[test]
#[ignore = "slow: a minute"]
fn irrelevant_cards_do_not_matter_at_all() {
    check(2, 100_000, 4);
    check(3, 1_000, 5);
}
