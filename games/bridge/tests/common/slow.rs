//! Plain minimax by the rules, with nothing of the solver in it.

use dts_bridge::{Card, Partnership, Situation};

/// The tricks that North and South win from here on, the trick on the table included.
pub(crate) fn minimax(situation: &Situation) -> u8 {
    let side = situation.to_play().side();
    let values = situation.legal_cards().iter().map(|card| after(situation, card));
    match side {
        Partnership::NorthSouth => values.max(),
        Partnership::EastWest => values.min(),
    }
    .unwrap_or(0)
}

/// The same once `card` is played.
pub(crate) fn after(situation: &Situation, card: Card) -> u8 {
    let next = situation.clone().play(card).expect("a legal card");
    let won = next.table().is_empty() && next.leader().side() == Partnership::NorthSouth;
    u8::from(won) + minimax(&next)
}

/// The tricks of the side to play, with each card that it may play.
pub(crate) fn all_cards(situation: &Situation) -> Vec<(Card, u8)> {
    let left = situation.tricks_left() as u8;
    let of_side = |value| match situation.to_play().side() {
        Partnership::NorthSouth => value,
        Partnership::EastWest => left - value,
    };
    situation.legal_cards().iter().map(|card| (card, of_side(after(situation, card)))).collect()
}
