//! Which card is tried first.
//!
//! The weights come from B. Haglund's and S. Hein's description of their solver (section 5), by the seat of the hand to play: what
//! matters is whether the trick can be won, how cheaply, and how few answers the opponents have. They were then changed one at a time,
//! up and down, and what made the trees of some dozen deals smaller was kept.

use super::position::{NO_TRUMP, Position};
use crate::cards::{bottom, lane};

/// A card with its weight: sorts by weight.
pub(crate) type Weighed = u16;

/// The place of a weighed card.
#[inline(always)]
pub(crate) fn card_of(weighed: Weighed) -> u8 {
    (weighed & 63) as u8
}

#[inline(always)]
fn weigh(card: u8, weight: i32) -> Weighed {
    ((weight + 512).clamp(0, 1023 - FIRST_OF_SUIT) as u16) << 6 | u16::from(card)
}

/// What the first card of each suit gains when any suit may be played, so that the first moves tried are of different suits.
const FIRST_OF_SUIT: i32 = 60;

/// Strength of a hand that can play neither the suit led nor a trump.
const WEAKEST: u32 = 64;

/// The strength of a card in a trick, the strongest 0: trumps before the suit led before all others.
#[inline(always)]
pub(crate) fn strength(card: u8, led: u8, trump: u8) -> u32 {
    let (suit, rank) = (card >> 4, u32::from(card & 15));
    if suit == trump {
        rank
    } else if suit == led {
        16 + rank
    } else {
        WEAKEST
    }
}

/// The strength of the best card that a hand can play to a trick.
#[inline(always)]
pub(crate) fn best_strength(hand: u64, led: u8, trump: u8) -> u32 {
    let following = lane(hand, led);
    if following != 0 {
        following.trailing_zeros() + if led == trump { 0 } else { 16 }
    } else if trump != NO_TRUMP && lane(hand, trump) != 0 {
        lane(hand, trump).trailing_zeros()
    } else {
        WEAKEST
    }
}

/// The rank of a card as in the description: 14 for an ace, 2 for a deuce.
#[inline(always)]
fn rank(card: u8) -> i32 {
    14 - i32::from(card & 15)
}

/// Weighs `candidates`: the cards of the hand to lead, or those of the second hand if it follows suit.
#[inline]
pub(crate) fn weigh_all(position: &Position, candidates: u64, list: &mut List) {
    list.count = 0;
    let trick = Trick::of(position);
    match position.on_table() {
        0 => leads(position, candidates, list),
        _ => each(candidates, list, |card| second_hand(position, trick, card)),
    }
}

/// Weighed cards, in any order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    cards: [Weighed; 16],
    count: u8,
}

impl Default for List {
    #[inline(always)]
    fn default() -> List {
        List { cards: [0; 16], count: 0 }
    }
}

impl List {
    #[inline(always)]
    fn push(&mut self, card: u8, weight: i32) {
        if let Some(place) = self.cards.get_mut(usize::from(self.count)) {
            *place = weigh(card, weight);
            self.count += 1;
        }
    }

    /// Raises the best of the cards pushed since there were `from`.
    #[inline(always)]
    fn raise_best(&mut self, from: u8) {
        let cards = &mut self.cards[usize::from(from)..usize::from(self.count)];
        let mut best = 0;
        for &card in cards.iter() {
            best = best.max(card);
        }
        for card in cards {
            *card += if *card == best { (FIRST_OF_SUIT << 6) as Weighed } else { 0 };
        }
    }

    /// The card of the greatest weight among those of `untried`. Most nodes need one or two: to find them one by one costs less than to
    /// sort.
    #[inline(always)]
    pub(crate) fn best(&self, untried: u64) -> u8 {
        let mut best = 0;
        for &card in &self.cards[..usize::from(self.count & 15)] {
            let weight = if untried >> card_of(card) & 1 != 0 { card } else { 0 };
            best = best.max(weight);
        }
        card_of(best)
    }
}

#[inline(always)]
fn each(candidates: u64, list: &mut List, weight: impl Fn(u8) -> i32) {
    let mut left = candidates;
    while left != 0 {
        let card = left.trailing_zeros() as u8;
        left &= left - 1;
        list.push(card, weight(card));
    }
}

/// Suit by suit, with the best card of each suit raised.
#[inline(always)]
fn by_suit(candidates: u64, list: &mut List, mut weigh_suit: impl FnMut(u8, u64, &mut List)) {
    for suit in 0..4u8 {
        let cards = lane(candidates, suit);
        if cards != 0 {
            let from = list.count;
            weigh_suit(suit, cards, list);
            list.raise_best(from);
        }
    }
}

/// What the leading hand sees of a suit.
#[inline]
fn leads(position: &Position, candidates: u64, list: &mut List) {
    let trump = position.trump();
    let hands = [position.hand(0), position.hand(1), position.hand(2), position.hand(3)];
    let trumps_of = |hand: u64| if trump == NO_TRUMP { 0 } else { lane(hand, trump) };
    let trumps = [trumps_of(hands[0]), trumps_of(hands[1]), trumps_of(hands[2]), trumps_of(hands[3])];
    let all = position.all();
    let depth = i32::from(position.left()) * 4 - 4;
    by_suit(candidates, list, |suit, cards, list| {
        let held = [lane(hands[0], suit), lane(hands[1], suit), lane(hands[2], suit), lane(hands[3], suit)];
        let [own, left, partner, right] = held;
        let everything = lane(all, suit);
        let first = everything & everything.wrapping_neg();
        let rest = everything & !first;
        let second = rest & rest.wrapping_neg();
        let is_side_suit = trump != NO_TRUMP && suit != trump;
        let ruffs = |places: usize| is_side_suit && held[places] == 0 && trumps[places] != 0;
        let count = |cards: u64| if cards == 0 { depth + 4 } else { cards.count_ones() as i32 * 4 };
        let mut delta = -((count(left) + count(right)) * 46) / 15;
        if ruffs(1) || ruffs(3) {
            delta -= 10;
        }
        if right & (first | second) != 0 {
            delta -= 18;
        }
        let own_length = own.count_ones();
        if is_side_suit && own_length == 1 && trumps[0] != 0 && partner & first != 0 && partner & !first != 0
        {
            delta += 16;
        }
        let lone_top = |cards: u64| cards != 0 && cards & !first == 0;
        let opponents_lone_top = lone_top(left) || lone_top(right);
        let partners_best = best_strength(hands[2], suit, trump);
        let opponents_best = best_strength(hands[1], suit, trump).min(best_strength(hands[3], suit, trump));
        let mut left_to_tell = cards;
        while left_to_tell != 0 {
            let place = left_to_tell.trailing_zeros() as u8;
            let bit = left_to_tell & left_to_tell.wrapping_neg();
            left_to_tell &= left_to_tell - 1;
            let card = suit << 4 | place;
            let rank = rank(card);
            let ours = strength(card, suit, trump).min(partners_best);
            let wins = ours < opponents_best;
            let weight = if wins {
                if opponents_lone_top {
                    40 - rank
                } else if own & first != 0 {
                    if partner & second != 0 {
                        58 - rank
                    } else if bit == first {
                        23
                    } else {
                        19 - rank
                    }
                } else if partner & first != 0 {
                    if own & second != 0 { 42 - rank } else { 35 - rank }
                } else if bit == second && own & !second & above_next(everything, second) != 0 {
                    40
                } else {
                    30 - rank
                }
            } else if opponents_lone_top {
                29 - rank
            } else if own & first != 0 {
                if partner & second != 0 {
                    44 - rank
                } else if bit == first {
                    25
                } else {
                    13 - rank
                }
            } else if partner & first != 0 {
                if own & second != 0 { 44 - rank } else { 21 - rank }
            } else if bit == second && own & !second & above_next(everything, second) != 0 {
                29
            } else {
                13 - rank
            };
            list.push(card, weight + delta);
        }
    });
}

/// The card of a suit that is next below `card`.
#[inline(always)]
fn above_next(everything: u64, card: u64) -> u64 {
    let lower = everything & !(card | (card - 1));
    lower & lower.wrapping_neg()
}

/// The trick on the table: how strong it can become without the card to be played.
#[derive(Clone, Copy)]
pub(crate) struct Trick {
    /// For the side of the hand to play.
    pub(crate) ours: u32,
    /// For the other side.
    pub(crate) theirs: u32,
}

impl Trick {
    #[inline(always)]
    pub(crate) fn of(position: &Position) -> Trick {
        let (led, trump) = (position.led(), position.trump());
        let best = strength(position.winning(), led, trump);
        let is_partners = (position.winner() ^ position.turn()) & 1 == 0;
        let (mut ours, mut theirs) = if is_partners { (best, WEAKEST) } else { (WEAKEST, best) };
        if position.on_table() < 3 {
            theirs = theirs.min(best_strength(position.hand(1), led, trump));
        }
        if position.on_table() < 2 {
            ours = ours.min(best_strength(position.hand(2), led, trump));
        }
        Trick { ours, theirs }
    }

    /// Whether the hand's side wins the trick with a card of this strength if everybody plays the best he can.
    #[inline(always)]
    fn is_won_by(self, strength: u32) -> bool {
        self.ours.min(strength) < self.theirs
    }
}

/// Whether a card of the hand to play has a lower one that is as good.
#[inline(always)]
fn has_equal(position: &Position, card: u8) -> bool {
    let own = lane(position.hand(0), card >> 4);
    let others = lane(position.others(), card >> 4);
    let bit = 1 << (card & 15);
    let lower = own & !(bit | (bit - 1));
    let next = lower & lower.wrapping_neg();
    next != 0 && others & (next - 1) & !(bit - 1) == 0
}

#[inline(always)]
fn second_hand(position: &Position, trick: Trick, card: u8) -> i32 {
    let rank = rank(card);
    let led = position.led();
    let place = u32::from(card & 15);
    let winning = u32::from(position.winning() & 15);
    let third = lane(position.hand(1), led);
    let fourth = lane(position.hand(2), led);
    let leader = lane(position.hand(3), led);
    let beats = place < winning;
    if trick.is_won_by(strength(card, position.led(), position.trump())) {
        if fourth != 0 && fourth.trailing_zeros() < winning && fourth.trailing_zeros() < place {
            // The partner can win it.
            if bottom(fourth) < place {
                return 37 - rank;
            };
            if third == 0 || fourth.trailing_zeros() < third.trailing_zeros() {
                return 68 - rank;
            }
        }
        if beats {
            if third != 0 && bottom(third) < place {
                75 - rank
            } else if leader == 0 || place < leader.trailing_zeros() {
                62 - rank
            } else if has_equal(position, card) {
                60 - rank
            } else {
                45 - rank
            }
        } else if third != 0 && has_equal(position, card) {
            50 - rank
        } else {
            45 - rank
        }
    } else if third != 0 && bottom(third) < place {
        8 - rank
    } else if beats {
        if has_equal(position, card) { 20 - rank } else { 10 - rank }
    } else {
        -rank
    }
}

/// The card of the suit led that the third or the fourth hand tries first, of those untried: the cheapest that wins if one can win,
/// the lowest if the partner wins or nothing helps. A rule and no weights: these hands are most of the nodes.
#[inline(always)]
pub(crate) fn following(position: &Position, untried: u64) -> u8 {
    let led = position.led();
    let cards = lane(untried, led);
    let lowest = bottom(cards) as u8;
    let winning = position.winning();
    let is_partners = (position.winner() ^ position.turn()) & 1 == 0;
    let is_last = position.on_table() == 3;
    let place = if winning >> 4 != led || is_last && is_partners {
        lowest
    } else {
        let mut to_beat = u32::from(winning & 15);
        let beating = cards & ((1 << to_beat) - 1);
        let mut is_enough = false;
        if !is_last {
            let trump = position.trump();
            let fourth = best_strength(position.hand(1), led, trump);
            // Behind all cards of the suit is where who cannot follow stands.
            let fourth = if led != trump { fourth.saturating_sub(16) } else { fourth }.min(16);
            is_enough = is_partners && to_beat < fourth;
            to_beat = if is_partners { fourth } else { to_beat.min(fourth) };
        }
        let winners = cards & ((1 << to_beat) - 1);
        if is_enough || beating == 0 {
            lowest
        } else if winners != 0 {
            bottom(winners) as u8
        } else {
            bottom(beating) as u8
        }
    };
    led << 4 | place
}

/// The card that a hand without the suit led tries first, of those untried. It ruffs as cheaply as it can where that may win a trick that
/// is not won already, and throws the lowest card of a long suit otherwise. A rule and no weights, as the late hands follow suit.
#[inline(always)]
pub(crate) fn discarding(position: &Position, untried: u64) -> u8 {
    let (led, trump) = (position.led(), position.trump());
    let trumps = if trump == NO_TRUMP { 0 } else { lane(untried, trump) };
    let others = untried & !(trumps << ((trump * 16) & 63));
    if trumps != 0 {
        let Trick { ours, theirs } = Trick::of(position);
        let stronger = |than: u32| if than < 16 { trumps & ((1 << than) - 1) } else { trumps };
        let on_top = stronger(strength(position.winning(), led, trump));
        let winners = on_top & stronger(theirs);
        let ruffs = ours >= theirs && (on_top != 0 || position.on_table() == 1);
        if ruffs || others == 0 {
            let best = if winners != 0 {
                winners
            } else if on_top != 0 {
                on_top
            } else {
                trumps
            };
            return trump << 4 | bottom(best) as u8;
        }
    }
    let (own, all) = (position.hand(0), position.all());
    let (mut best, mut most) = (0, i32::MIN);
    for suit in 0..4u8 {
        let cards = lane(others, suit);
        if cards != 0 {
            let place = bottom(cards);
            let length = position.length(0, suit) as i32;
            let mut weight = place as i32 * 4 + length * 10;
            let everything = lane(all, suit);
            let rest = everything & everything.wrapping_sub(1);
            if length == 2 && lane(own, suit) & rest & rest.wrapping_neg() != 0 {
                weight -= 8;
            }
            if weight > most {
                (best, most) = (suit << 4 | place as u8, weight);
            }
        }
    }
    best
}
