//! Tricks that a side is sure of, seen without search at the start of a trick, and the cards that this rests on.

use super::position::{NO_TRUMP, Position};
use crate::cards::{LANE, PACK, above, bottom, count, lane, tops};

/// Tricks that a side wins at least, whatever the other side does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sure {
    pub(crate) tricks: u32,
    /// The cards that won by rank, or at least the lowest of each suit.
    pub(crate) proof: u64,
}

impl Sure {
    const NOTHING: Sure = Sure { tricks: 0, proof: 0 };
}

/// The highest `count` cards of one suit's cards, as far as there are so many.
#[inline(always)]
fn highest(mut cards: u64, wanted: u32) -> u64 {
    let all = cards;
    if wanted >= count(cards) {
        return all;
    }
    for _ in 0..wanted {
        cards &= cards.wrapping_sub(1);
    }
    all & !cards
}

/// No opponent can ruff, however often the suit is led.
const ALWAYS: u32 = 13;

/// The opponents' trumps that are left, and how often a suit can be led before one of them ruffs.
#[derive(Clone, Copy)]
struct Ruffs {
    left: u32,
    right: u32,
}

impl Ruffs {
    #[inline(always)]
    fn after(self, rounds: u32) -> Ruffs {
        Ruffs { left: self.left.saturating_sub(rounds), right: self.right.saturating_sub(rounds) }
    }

    #[inline(always)]
    fn are_over(self) -> bool {
        self.left | self.right == 0
    }

    /// By the lengths of a suit.
    #[inline(always)]
    fn safe_rounds(self, lengths: u32) -> u32 {
        let left = if self.left > 0 { left(lengths) } else { ALWAYS };
        let right = if self.right > 0 { right(lengths) } else { ALWAYS };
        left.min(right)
    }
}

// Whose length is whose, beginning with the hand to lead.
#[inline(always)]
fn own(lengths: u32) -> u32 {
    lengths & 15
}
#[inline(always)]
fn left(lengths: u32) -> u32 {
    lengths >> 4 & 15
}
#[inline(always)]
fn partner(lengths: u32) -> u32 {
    lengths >> 8 & 15
}
#[inline(always)]
fn right(lengths: u32) -> u32 {
    lengths >> 12
}

/// Quick tricks: what the side of the hand to lead wins before it loses the lead, at most as far as `enough`.
///
/// The hand to lead draws trumps as far as its own run of top trumps goes and cashes its top cards in all suits. If it can then
/// reach its partner's top card in some suit, he cashes his. He plays low meanwhile, and throws what he does not need.
#[inline]
pub(crate) fn quick_tricks(position: &Position, enough: u32) -> Sure {
    let all = position.all();
    let leader = position.hand(0);
    let dummy = position.hand(2);
    let trump = position.trump();
    let mut ruffs = Ruffs { left: 0, right: 0 };
    if trump != NO_TRUMP {
        let lengths = position.lengths(trump);
        ruffs = Ruffs { left: left(lengths), right: right(lengths) };
        if ruffs.are_over() {
            let trumps = own(lengths).max(partner(lengths));
            if trumps >= enough {
                return Sure { tricks: trumps, proof: 0 };
            }
        }
    }
    // The cards of each hand that are higher than those of all other hands.
    let runs = leader & above(all & !leader);
    let beyond = all & !runs;
    let partners_runs = dummy & above(beyond & !dummy);
    if runs | partners_runs == 0 {
        return Sure::NOTHING;
    }

    let mut tricks = 0;
    let mut proof = 0;
    // How often the hand to lead leads each suit, four bits each.
    let mut rounds = 0u32;
    let first = if trump == NO_TRUMP { 0 } else { trump };
    for turn in 0..4 {
        let suit = (first + turn) & 3;
        let run = lane(runs, suit);
        if run == 0 {
            continue;
        }
        let is_trump = suit == trump;
        let lengths = position.lengths(suit);
        let length = count(run);
        let longest = left(lengths).max(right(lengths)).max(partner(lengths));
        let safe = if is_trump { ALWAYS } else { ruffs.safe_rounds(lengths) };
        // When nobody else has a card of the suit left, low cards win as well.
        let won =
            if length >= longest && (is_trump || ruffs.are_over()) { own(lengths) } else { length.min(safe) };
        rounds |= won << (suit * 4);
        if tricks + won >= enough {
            // No more cards than needed: fewer that matter.
            proof |= highest(run, (enough - tricks).min(longest)) << (suit * 16);
            return Sure { tricks: enough, proof };
        }
        tricks += won;
        proof |= highest(run, won.min(longest)) << (suit * 16);
        if is_trump {
            ruffs = ruffs.after(won);
        }
    }
    if partners_runs == 0 {
        return Sure { tricks, proof };
    }
    with_partner(position, runs, partners_runs, rounds, ruffs, Sure { tricks, proof })
}

/// What the partner can cash of a suit once he has the lead, if it goes on being safe: how much, and what he wins with.
#[inline(always)]
fn partners_tricks(
    position: &Position,
    suit: u8,
    runs: u64,
    run: u64,
    rounds: u32,
    ruffs: Ruffs,
) -> (u32, u64) {
    let lengths = position.lengths(suit);
    let kept = partner(lengths).saturating_sub(rounds);
    // Top cards of the hand to lead that it cannot cash stand above his.
    if kept == 0 || count(lane(runs, suit)) > rounds {
        return (0, 0);
    }
    let length = count(run);
    let is_trump = suit == position.trump();
    let safe = if is_trump { ALWAYS } else { ruffs.safe_rounds(lengths).saturating_sub(rounds) };
    let longest = left(lengths).max(right(lengths)).max(own(lengths));
    let won = if rounds + length >= longest && (is_trump || ruffs.are_over()) {
        kept
    } else {
        length.min(kept).min(safe)
    };
    (won, highest(run, won))
}

/// The same, going on from what the hand to lead can do alone.
#[inline]
fn with_partner(
    position: &Position,
    runs: u64,
    partners_runs: u64,
    rounds: u32,
    ruffs: Ruffs,
    alone: Sure,
) -> Sure {
    let Sure { mut tricks, mut proof } = alone;
    let rounds = |suit: u8| rounds >> (suit * 4) & 15;
    let mut has_entry = false;
    for suit in 0..4 {
        let run = lane(partners_runs, suit);
        if run != 0
            && own(position.lengths(suit)) > rounds(suit)
            && partners_tricks(position, suit, runs, run, rounds(suit), ruffs).0 > 0
        {
            has_entry = true;
            break;
        }
    }
    if !has_entry {
        return alone;
    }
    let mut later = ruffs;
    let trump = position.trump();
    let first = if trump == NO_TRUMP { 0 } else { trump };
    for turn in 0..4 {
        let suit = (first + turn) & 3;
        let run = lane(partners_runs, suit);
        if run == 0 {
            continue;
        }
        let (won, cards) = partners_tricks(position, suit, runs, run, rounds(suit), later);
        tricks += won;
        proof |= cards << (suit * 16);
        if suit == trump {
            later = later.after(won);
        }
    }
    Sure { tricks: tricks.min(u32::from(position.left())), proof }
}

/// What the opponents of the hand to lead win at least.
#[inline]
pub(crate) fn later_tricks(position: &Position, enough: u32) -> Sure {
    if position.trump() == NO_TRUMP {
        later_without_trumps(position, enough)
    } else {
        sure_trumps(position, 1)
    }
}

/// Tricks that one side wins with its trumps sooner or later: that of the hand so many places after the one to lead.
#[inline]
pub(crate) fn sure_trumps(position: &Position, places: u8) -> Sure {
    let side = [position.hand(places), position.hand(places + 2)];
    // Each before the one that plays after it.
    let others = [position.hand(places + 3), position.hand(places + 1)];
    let trump = position.trump();
    let hands = [lane(side[0], trump), lane(side[1], trump)];
    let theirs = [lane(others[0], trump), lane(others[1], trump)];
    let ours = hands[0] | hands[1];
    let against = theirs[0] | theirs[1];
    let shift = trump * 16;
    if ours == 0 {
        return Sure::NOTHING;
    }
    let longest = count(hands[0]).max(count(hands[1]));
    if against == 0 {
        return Sure { tricks: longest, proof: 0 };
    }
    // The side's trumps that are higher than all others.
    let higher = (against & against.wrapping_neg()) - 1;
    let tops = ours & higher;
    if tops != 0 {
        let per_hand = [count(hands[0] & higher), count(hands[1] & higher)];
        let best = usize::from(per_hand[1] > per_hand[0]);
        // All of the side's tops count: the hand with fewer of them may be what makes them tops.
        return Sure { tricks: per_hand[best], proof: tops << shift };
    }
    // The highest trump is theirs, the second highest ours: guarded and behind it, or with the third as well.
    let all = ours | against;
    let first = all & all.wrapping_neg();
    let rest = all & !first;
    let second = rest & rest.wrapping_neg();
    for at in 0..2 {
        if hands[at] & second == 0 {
            continue;
        }
        // Whoever leads now may be made to lead away from it; the opponents have won a trick before they lead.
        let behind = places == 1 && theirs[at] & first != 0 && count(hands[at]) >= 2;
        if behind {
            return Sure { tricks: 1, proof: second << shift };
        }
        let others = rest & !second;
        let third = others & others.wrapping_neg();
        if hands[at] & third != 0 {
            return Sure { tricks: 1, proof: third << shift };
        }
    }
    Sure::NOTHING
}

/// The opponents' tricks at no trump.
#[inline]
fn later_without_trumps(position: &Position, enough: u32) -> Sure {
    let all = position.all();
    let own = position.hand(0);
    let side = own | position.hand(2);
    let tops = tops(all);
    let lost = tops & !side;
    if lost == 0 {
        return Sure::NOTHING;
    }
    // Suits that the hand to lead can lead and in which his side has the highest card.
    let mut can_wait = false;
    let mut suits_lost = 0;
    for suit in 0..4u8 {
        if lane(own, suit) != 0 {
            if lane(tops & side, suit) != 0 {
                can_wait = true;
            } else {
                suits_lost |= LANE << (suit * 16);
            }
        }
    }
    if !can_wait {
        // Whatever is led, the opponent with the highest card can win and cash all his top cards.
        let mut least = u32::MAX;
        let mut proof = lost & suits_lost;
        for places in [1, 3] {
            let hand = position.hand(places);
            if hand & lost & suits_lost == 0 {
                continue;
            }
            let runs = hand & above(all & !hand);
            let count = runs.count_ones();
            if enough <= 1 {
                least = 1;
            } else {
                least = least.min(count);
                proof |= runs;
            }
        }
        return Sure { tricks: least.min(u32::from(position.left())), proof };
    }
    // At some time the leading side has no more suits in which it has the highest card.
    let mut most = 0;
    for suit in 0..4u8 {
        if lane(tops & side, suit) != 0 {
            most += position.length(0, suit).max(position.length(2, suit));
        }
    }
    let left = u32::from(position.left());
    if most >= left {
        return Sure::NOTHING;
    }
    // Each opponent can keep his top cards until then, unless he has too many of them to keep.
    let mut reachable = 0;
    for suit in 0..4u8 {
        if lane(side, suit) != 0 {
            reachable |= LANE << (suit * 16);
        }
    }
    let lost = lost & reachable;
    let kept = |places: u8| (position.hand(places) & lost).count_ones() <= left - most;
    if kept(1) && kept(3) {
        return Sure { tricks: 1, proof: lost };
    }
    Sure::NOTHING
}

/// The last trick, in which every hand has one card: whether North and South win it, and the card that does if it does so by rank.
#[inline]
pub(crate) fn last_trick(position: &Position) -> (bool, u64) {
    debug_assert!(position.all() & !PACK == 0 && position.left() == 1);
    let card = |places: u8| position.hand(places).trailing_zeros() as u8;
    let mut best = card(0);
    let mut winner = position.turn();
    let mut by_rank = false;
    for places in 1..4 {
        let next = card(places);
        if next >> 4 == best >> 4 {
            by_rank = true;
            if next < best {
                (best, winner) = (next, (position.turn() + places) & 3);
            }
        } else if next >> 4 == position.trump() {
            by_rank = false;
            (best, winner) = (next, (position.turn() + places) & 3);
        }
    }
    (winner & 1 == 0, if by_rank { 1 << best } else { 0 })
}

/// The lowest card that matters of each suit, from the cards that do: what a threshold is made of.
#[inline(always)]
pub(crate) fn lowest(proof: u64, suit: u8) -> Option<u32> {
    let cards = lane(proof, suit);
    (cards != 0).then(|| bottom(cards))
}
