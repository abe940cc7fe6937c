//! Double-dummy bridge as the engine sees it.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

use dts_engine::{
    Answer, Game, HIGHEST, LOWEST, Memory, Node, Opening, Proof, Range, Side, Value, Window,
    table::TableError,
};

use super::killers::Killers;
use super::order::{self, List, Trick};
use super::owners::Owners;
use super::pattern::{Bounds, Holding, Pattern};
use super::patterns::{DEAL_AT, Patterns};
use super::position::{NO_TRUMP, Position};
use super::sure::{self, Sure};
use crate::card::Card;
use crate::cards::{LANE, above, bottom, count, lane, touching};
use crate::deal::Situation;

/// Double-dummy bridge to the last trick. Max is North and South, values are the tricks that they win.
#[derive(Clone, Copy, Debug)]
pub struct DoubleDummy {
    /// Subtrees with so few tricks left are searched by recursion.
    grain: u8,
}

impl DoubleDummy {
    /// The game; subtrees with at most `grain` tricks left are not split.
    #[must_use]
    pub fn new(grain: u8) -> Self {
        DoubleDummy { grain }
    }
}

/// What a value rests on: the cards that won a trick by rank, or at least the lowest of them in each suit. All lower cards of the
/// suit could lie otherwise, as long as the suit lengths stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ranks(pub(crate) u64);

impl Proof for Ranks {
    #[inline(always)]
    fn join(&mut self, other: &Self) {
        self.0 |= other.0;
    }
}

/// What all processors share.
pub struct Shared {
    patterns: Patterns,
    owners: Owners,
    /// Tells deals apart: patterns of other deals would hold, but hardly ever fit.
    deal: AtomicU32,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("patterns", &self.patterns).finish_non_exhaustive()
    }
}

impl Shared {
    /// For searches of `situation` and what may come of it, with a table of patterns of at most so many MiB.
    ///
    /// # Errors
    /// If the machine does not have the memory.
    pub fn new(mebibytes: usize, situation: &Situation) -> Result<Shared, TableError> {
        let shared = Shared::of_no_deal(mebibytes)?;
        shared.set_deal(&situation.position().1);
        Ok(shared)
    }

    /// For deals that [`Shared::set_deal`] tells.
    pub(crate) fn of_no_deal(mebibytes: usize) -> Result<Shared, TableError> {
        Ok(Shared { patterns: Patterns::new(mebibytes)?, owners: Owners::new(), deal: AtomicU32::new(0) })
    }

    /// From now on positions of this deal are searched. Nobody may be searching meanwhile.
    pub(crate) fn set_deal(&self, hands: &[u64; 4]) {
        self.owners.set(hands);
        self.patterns.restart();
        self.deal.fetch_add(1, Ordering::Relaxed);
    }

    /// What the table finds patterns by: the shape, the leader and the trumps.
    #[inline(always)]
    fn key(&self, position: &Position) -> u64 {
        // The clubs follow from the other suits and the number of cards.
        position.shape & 0xffff_ffff_ffff
            | u64::from(position.left()) << 48
            | u64::from(position.turn()) << 52
            | u64::from(position.trump()) << 54
            | u64::from(self.deal.load(Ordering::Relaxed)) << DEAL_AT
    }

    #[inline(always)]
    fn holding(&self, all: u64) -> Holding {
        Holding::new(
            self.owners.of(all, 0),
            self.owners.of(all, 1),
            self.owners.of(all, 2),
            self.owners.of(all, 3),
        )
    }
}

/// One processor's memory.
#[derive(Debug)]
pub struct Local {
    killers: Killers,
}

const NO_CARD: u8 = 63;

/// The cards that a node has not tried.
#[derive(Clone, Copy, Debug)]
pub struct Untried {
    cards: u64,
    list: List,
    is_weighed: bool,
    /// Tried first, before any card is weighed.
    hint: u8,
}

impl Default for Untried {
    #[inline(always)]
    fn default() -> Self {
        Untried { cards: 0, list: List::default(), is_weighed: false, hint: NO_CARD }
    }
}

/// By seven cards of a suit: where the first, the second and so on of them stand, three bits each, and above [`COUNT_AT`] how many
/// they are.
static PLACES: [u32; 128] = {
    let mut all = [0; 128];
    let mut cards = 0;
    while cards < 128 {
        let (mut count, mut place) = (0, 0);
        while place < 7 {
            if cards >> place & 1 != 0 {
                all[cards] |= (place as u32) << (3 * count);
                count += 1;
            }
            place += 1;
        }
        all[cards] |= count << COUNT_AT;
        cards += 1;
    }
    all
};
const COUNT_AT: u32 = 24;

/// The lowest of the `count` highest cards of one suit's cards, 0 if `count` is. Without a branch that depends on the cards.
#[inline(always)]
fn lowest_of_suit(cards: u64, count: u8) -> u64 {
    let (upper, lower) = (PLACES[(cards & 127) as usize], PLACES[(cards >> 7 & 127) as usize]);
    let count = u32::from(count);
    let in_upper = upper >> COUNT_AT;
    let is_upper = count <= in_upper;
    let (places, first) = if is_upper { (upper, 0) } else { (lower, in_upper) };
    let place = places >> (((count - first).saturating_sub(1) * 3) & 31) & 7;
    u64::from(count > 0) << (place + if is_upper { 0 } else { 7 })
}

/// The same for each suit.
#[inline(always)]
fn lowest_of(all: u64, counts: [u8; 4]) -> u64 {
    lowest_of_suit(lane(all, 0), counts[0])
        | lowest_of_suit(lane(all, 1), counts[1]) << 16
        | lowest_of_suit(lane(all, 2), counts[2]) << 32
        | lowest_of_suit(lane(all, 3), counts[3]) << 48
}

/// How many of the highest cards of each suit matter if `proof` does: as few as say the same.
#[inline(always)]
fn counts_of(position: &Position, all: u64, proof: u64) -> [u8; 4] {
    let mut counts = [0; 4];
    for suit in 0..4u8 {
        let Some(lowest) = sure::lowest(proof, suit) else { continue };
        let cards = lane(all, suit);
        let last = 1 << bottom(cards);
        // Where all lower cards are one hand's, its length tells as much.
        let mut rest = 0;
        for hand in position.hands {
            let held = lane(hand, suit);
            if held & last == 0 {
                rest |= held;
            }
        }
        if rest != 0 {
            let lowest = lowest.min(bottom(rest));
            counts[usize::from(suit)] = count(cards & ((2 << lowest) - 1)) as u8;
        }
    }
    counts
}

/// A side's sure tricks as an answer.
#[inline(always)]
fn answer_of(position: &Position, side: Side, sure: Sure) -> Answer<Ranks> {
    let won = Value::from(position.won());
    let tricks = sure.tricks as Value;
    let mut answer = Answer::unknown();
    match side {
        Side::Max => {
            answer.range = Range::at_least(won + tricks);
            answer.lower_proof = Ranks(sure.proof);
        }
        Side::Min => {
            answer.range = Range::at_most(won + Value::from(position.left()) - tricks);
            answer.upper_proof = Ranks(sure.proof);
        }
    }
    answer
}

/// How many tricks a side needs for its end of the window.
#[inline(always)]
fn needed(position: &Position, side: Side, window: Window) -> Value {
    let won = Value::from(position.won());
    match side {
        Side::Max => window.beta - won,
        Side::Min => won + Value::from(position.left()) - window.alpha,
    }
}

impl DoubleDummy {
    /// Looks at a position in which no card lies on the table: its answer, as an error, if there is one without searching its moves.
    #[inline(always)]
    fn look(&self, position: &Position, window: Window, shared: &Shared) -> Result<(), Answer<Ranks>> {
        let won = Value::from(position.won());
        let left = Value::from(position.left());
        if won >= window.beta {
            return Err(Answer::range(Range::at_least(won)));
        }
        if won + left <= window.alpha {
            return Err(Answer::range(Range::at_most(won + left)));
        }
        if left == 1 {
            let (ours, proof) = sure::last_trick(position);
            let range = Range::exact(won + Value::from(ours));
            return Err(Answer { range, lower_proof: Ranks(proof), upper_proof: Ranks(proof) });
        }
        let key = shared.key(position);
        shared.patterns.prefetch(key);
        let side = position.side();
        let enough = needed(position, side, window);
        if enough <= left {
            let quick = sure::quick_tricks(position, enough as u32);
            if quick.tricks as Value >= enough {
                return Err(answer_of(position, side, quick));
            }
            let trump = position.trump();
            if trump != NO_TRUMP
                && enough <= position.length(0, trump).max(position.length(2, trump)) as Value
            {
                let trumps = sure::sure_trumps(position, 0);
                if trumps.tricks as Value >= enough {
                    return Err(answer_of(position, side, trumps));
                }
            }
        }
        let enough = needed(position, side.opposite(), window);
        let trump = position.trump();
        let most = if trump == NO_TRUMP {
            left
        } else {
            position.length(1, trump).max(position.length(3, trump)) as Value
        };
        if enough <= most {
            let later = sure::later_tricks(position, enough as u32);
            if later.tricks as Value >= enough {
                return Err(answer_of(position, side.opposite(), later));
            }
        }
        let all = position.all();
        let holding = shared.holding(all);
        let known = shared.patterns.find(key, holding, window.beta - won, window.alpha - won);
        if let Some(known) = known {
            let proof = Ranks(lowest_of(all, known.counts));
            let Bounds { lower, upper } = known.bounds;
            let mut answer = Answer::unknown();
            if won + Value::from(lower) >= window.beta {
                answer.range.lower = won + Value::from(lower);
                answer.lower_proof = proof;
            } else {
                answer.range.upper = won + Value::from(upper);
                answer.upper_proof = proof;
            }
            return Err(answer);
        }
        Ok(())
    }

    /// Stores what a search of a position without cards on the table has found.
    #[inline(always)]
    fn store(&self, position: &Position, answer: &Answer<Ranks>, shared: &Shared) {
        let all = position.all();
        let won = Value::from(position.won());
        let left = position.left();
        let lower = (answer.range.lower - won).clamp(0, Value::from(left)) as u8;
        let upper = (answer.range.upper.min(won + Value::from(left)) - won).clamp(0, Value::from(left)) as u8;
        let holding = shared.holding(all);
        let key = shared.key(position);
        if lower > 0 {
            let counts = counts_of(position, all, answer.lower_proof.0);
            let bounds = Bounds { lower, upper: left };
            shared.patterns.store(key, Pattern::new(holding, counts, bounds));
        }
        if upper < left {
            let counts = counts_of(position, all, answer.upper_proof.0);
            let bounds = Bounds { lower: 0, upper };
            shared.patterns.store(key, Pattern::new(holding, counts, bounds));
        }
    }
}

/// Whether a killer is kept for the hand that is to choose from these cards: the one that leads, and the second if it follows suit. For
/// discards killers do harm, and the late hands know what to do.
#[inline(always)]
fn has_killer(position: &Position, cards: u64) -> bool {
    match position.on_table() {
        0 => true,
        1 => lane(cards, position.led()) != 0,
        _ => false,
    }
}

/// Whether the side of the hand to play is sure to win the trick on the table, and the card that would do so by rank.
#[inline(always)]
fn sure_of_the_trick(position: &Position) -> Option<u64> {
    let (led, trump) = (position.led(), position.trump());
    let Trick { ours, theirs } = Trick::of(position);
    let ours = ours.min(order::best_strength(position.hand(0), led, trump));
    if ours >= theirs {
        return None;
    }
    // A ruff wins by rank only if somebody else ruffs, or has ruffed, as well.
    let by_ruff_alone = ours < 16 && led != trump && theirs >= 16 && position.winning() >> 4 != trump;
    let suit = if ours < 16 { trump } else { led };
    Some(if by_ruff_alone { 0 } else { 1 << (suit * 16 + (ours & 15) as u8) })
}

impl Game for DoubleDummy {
    type Position = Position;
    type Move = Card;
    type Source = Untried;
    type Proof = Ranks;
    type Shared = Shared;
    type Local = Local;

    fn local(&self, _: usize) -> Local {
        Local { killers: Killers::new() }
    }

    #[inline(always)]
    fn side(&self, position: &Position) -> Side {
        position.side()
    }

    #[inline(always)]
    fn open(
        &self,
        node: &Node<'_, Position>,
        source: &mut Untried,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<Ranks> {
        let position = node.position();
        debug_assert!(position.is_sound(), "{position:?}");
        if position.left() == 0 {
            return Opening::Answered(Answer::exact(Value::from(position.won())));
        }
        if !node.is_root() {
            if position.on_table() == 0 {
                if let Err(answer) = self.look(position, node.window, memory.shared) {
                    return Opening::Answered(answer);
                }
            } else {
                let side = position.side();
                if needed(position, side, node.window) == 1
                    && let Some(proof) = sure_of_the_trick(position)
                {
                    return Opening::Answered(answer_of(position, side, Sure { tricks: 1, proof }));
                }
            }
        }
        let cards = position.legal() & !touching(position.hand(0), position.others());
        source.cards = cards;
        source.is_weighed = false;
        source.hint = NO_CARD;
        if cards & (cards - 1) != 0 && has_killer(position, cards) {
            let is_there = |card: &u8| cards >> card & 1 != 0;
            let hint = memory.local.killers.get(position).filter(is_there);
            source.hint = hint.unwrap_or(NO_CARD);
        }
        Opening::Search(Answer::unknown())
    }

    #[inline(always)]
    fn select(&self, position: &Position, source: &mut Untried) -> Option<Card> {
        if source.cards == 0 {
            return None;
        }
        let card = if source.hint != NO_CARD && source.cards >> source.hint & 1 != 0 {
            std::mem::replace(&mut source.hint, NO_CARD)
        } else if source.cards & (source.cards - 1) == 0 {
            source.cards.trailing_zeros() as u8
        } else if position.on_table() >= 1 && lane(source.cards, position.led()) == 0 {
            order::discarding(position, source.cards)
        } else if position.on_table() >= 2 {
            order::following(position, source.cards)
        } else {
            if !source.is_weighed {
                order::weigh_all(position, source.cards, &mut source.list);
                source.is_weighed = true;
            }
            source.list.best(source.cards)
        };
        source.cards &= !(1 << card);
        Some(Card::at(card))
    }

    #[inline(always)]
    fn play(&self, position: &Position, chosen: Card) -> Position {
        position.advance(chosen)
    }

    #[inline]
    fn moves_left(&self, _: &Position, source: &Untried) -> u32 {
        source.cards.count_ones()
    }

    #[inline]
    fn lift(&self, position: &Position, chosen: Card, answer: &mut Answer<Ranks>) {
        self.lift_from(position, chosen, &position.advance(chosen), answer);
    }

    /// At the end of a trick the winner counts if he won by rank. And where a bound needs all cards of a hand, one of several equal cards
    /// has stood for all of them: if some of them count, all must.
    #[inline(always)]
    fn lift_from(&self, position: &Position, chosen: Card, next: &Position, answer: &mut Answer<Ranks>) {
        let won_by_rank = next.won_by_rank();
        answer.lower_proof.0 |= won_by_rank;
        answer.upper_proof.0 |= won_by_rank;
        let far = match position.side() {
            Side::Max if answer.range.upper < HIGHEST => &mut answer.upper_proof.0,
            Side::Min if answer.range.lower > LOWEST => &mut answer.lower_proof.0,
            _ => return,
        };
        let suit = chosen.index() >> 4;
        let place = u32::from(chosen.index() & 15);
        let cards = lane(*far, suit);
        if cards >> place == 0 {
            return;
        }
        let lowest = bottom(cards);
        let own = lane(position.hand(0), suit);
        let lower = !((2 << place) - 1);
        let others = lane(position.others(), suit) & lower;
        let equal = own & lower & (others & others.wrapping_neg()).wrapping_sub(1);
        if equal != 0 {
            let last = bottom(equal);
            let next = others.trailing_zeros();
            if lowest < last && lowest < next {
                *far |= 1 << (u32::from(suit) * 16 + last);
            }
        }
    }

    #[inline(always)]
    fn settle(&self, position: &Position, source: &mut Untried, chosen: Card, answer: &Answer<Ranks>) {
        if source.cards == 0 {
            return;
        }
        let far = match position.side() {
            Side::Max if answer.range.upper < HIGHEST => answer.upper_proof.0,
            Side::Min if answer.range.lower > LOWEST => answer.lower_proof.0,
            _ => return,
        };
        let suit = chosen.index() >> 4;
        let place = u32::from(chosen.index() & 15);
        let cards = lane(far, suit);
        if cards >> place == 0 {
            // The card did not matter, so all those that do not matter are as good.
            let same = if cards == 0 { LANE } else { LANE & !((2 << bottom(cards)) - 1) };
            source.cards &= !(same << (suit * 16));
        }
    }

    #[inline(always)]
    fn leave(
        &self,
        node: &Node<'_, Position>,
        answer: &Answer<Ranks>,
        best: Option<Card>,
        memory: &mut Memory<'_, Self>,
    ) {
        let position = node.position();
        let cut = match position.side() {
            Side::Max => answer.range.lower >= node.window.beta,
            Side::Min => answer.range.upper <= node.window.alpha,
        };
        let best = best.filter(|_| cut);
        if let Some(best) = best.filter(|best| has_killer(position, best.bit())) {
            memory.local.killers.put(position, best.index());
        }
        if position.on_table() == 0 {
            self.store(position, answer, memory.shared);
        }
    }

    #[inline]
    fn grain(&self, node: &Node<'_, Position>) -> bool {
        node.position().left() <= self.grain
    }

    #[inline]
    fn work(&self, node: &Node<'_, Position>) -> f32 {
        let position = node.position();
        let cards = 4 * i32::from(position.left()) - i32::from(position.on_table());
        (cards.clamp(0, 52) as f32 * 0.35).exp2()
    }

    /// What has been won, and half of what is left, and more for whoever has the highest cards.
    #[inline]
    fn estimate(&self, position: &Position) -> Option<Value> {
        let [north, east, south, west] = position.hands;
        let (ours, theirs) = (north | south, east | west);
        let tops = |own: u64, others: u64| (own & above(others)).count_ones() as Value;
        let left = Value::from(position.left());
        let share = (left + tops(ours, theirs) - tops(theirs, ours)) / 2;
        Some(Value::from(position.won()) + share.clamp(0, left))
    }

    #[inline]
    fn key(&self, position: &Position) -> Option<u64> {
        Some(position.hash())
    }

    #[inline]
    fn banked(&self, position: &Position) -> Value {
        Value::from(position.won())
    }
}
