//! A position of the search, in a few machine words.

use dts_engine::Side;

use crate::card::{Card, Strain};
use crate::cards::{LANE, PACK, lane};

/// The number that stands for "no trumps" where a suit is expected.
pub(crate) const NO_TRUMP: u8 = Strain::NoTrump as u8;

// Where the bytes of a position's last word stand.
const TURN: u32 = 0;
const ON_TABLE: u32 = 8;
const LED: u32 = 16;
const WINNING: u32 = 24;
const WINNER: u32 = 32;
const TRUMP: u32 = 40;
const LEFT: u32 = 48;
const WON: u32 = 56;
/// Stands with the winner: whether the best card beats another one of its suit. If it wins, it wins by rank. This and the card stay where
/// they are when the trick is complete, until the next lead.
const BY_RANK: u32 = WINNER + 7;

/// The cards of four hands and the trick that is being played.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The cards in hand, by seat; those on the table are no longer there.
    pub(crate) hands: [u64; 4],
    /// The lengths of the suits, four bits each: seat by seat within spades, then hearts, diamonds, clubs.
    pub(crate) shape: u64,
    /// Everything else, a byte each: see the functions that read it. In one word, because bytes that are written one by one and
    /// then copied together stall the processor.
    state: u64,
}

/// Reads the bytes of a position's last word.
trait State {
    fn byte(self, at: u32) -> u8;
}

impl State for u64 {
    #[inline(always)]
    fn byte(self, at: u32) -> u8 {
        (self >> at) as u8
    }
}

/// The last two words of a position after the hand to play has played a card.
#[inline(always)]
fn with_card(shape: u64, state: u64, card: u8) -> (u64, u64) {
    let (seat, on_table) = (state.byte(TURN), state.byte(ON_TABLE));
    let suit = card >> 4;
    let shape = shape - (1 << (suit * 16 + seat * 4));
    let trick = if on_table == 0 {
        u64::from(card) << WINNING | u64::from(seat) << WINNER | u64::from(suit) << LED
    } else {
        let best = state.byte(WINNING);
        let same = suit == best >> 4;
        let beats = if same { card < best } else { suit == state.byte(TRUMP) };
        let kept = state & (0xff << WINNING | 0xff << WINNER | 0xff << LED);
        let led = state & 0xff << LED;
        let now = led | u64::from(card) << WINNING | u64::from(seat) << WINNER;
        let trick = if beats { now } else { kept };
        // Whoever beats a card of another suit does not beat it by rank.
        trick | u64::from(same) << BY_RANK
    };
    let kept = state & (0xff << TRUMP | 0xff << LEFT | 0xff << WON);
    let state = if on_table == 3 {
        let leader = trick >> WINNER & 3;
        (kept | trick & (0xff << WINNING | 1 << BY_RANK) | leader << TURN) + ((leader & 1 ^ 1) << WON)
            - (1 << LEFT)
    } else {
        kept | trick | u64::from((seat + 1) & 3) << TURN | u64::from(on_table + 1) << ON_TABLE
    };
    (shape, state)
}

impl Position {
    /// The position at the start of a trick that `leader` leads to. All hands have `left` cards.
    pub(crate) fn new(hands: [u64; 4], leader: u8, trump: u8, left: u8) -> Position {
        let mut shape = 0;
        for (seat, hand) in hands.iter().enumerate() {
            for suit in 0..4 {
                shape |= u64::from(lane(*hand, suit).count_ones()) << (usize::from(suit) * 16 + seat * 4);
            }
        }
        let state = u64::from(leader) << TURN | u64::from(trump) << TRUMP | u64::from(left) << LEFT;
        Position { hands, shape, state }
    }

    #[inline(always)]
    fn byte(&self, at: u32) -> u8 {
        (self.state >> at) as u8
    }

    /// Who plays next.
    #[inline(always)]
    pub(crate) fn turn(&self) -> u8 {
        self.byte(TURN)
    }

    /// How many cards lie on the table, 0 to 3.
    #[inline(always)]
    pub(crate) fn on_table(&self) -> u8 {
        self.byte(ON_TABLE)
    }

    /// The suit led, if any card lies on the table.
    #[inline(always)]
    pub(crate) fn led(&self) -> u8 {
        self.byte(LED)
    }

    /// The place of the best card on the table.
    #[inline(always)]
    pub(crate) fn winning(&self) -> u8 {
        self.byte(WINNING)
    }

    /// Who played the best card on the table.
    #[inline(always)]
    pub(crate) fn winner(&self) -> u8 {
        self.byte(WINNER) & 3
    }

    /// The trump suit, or [`NO_TRUMP`].
    #[inline(always)]
    pub(crate) fn trump(&self) -> u8 {
        self.byte(TRUMP)
    }

    /// Tricks that are not complete, the one on the table included.
    #[inline(always)]
    pub(crate) fn left(&self) -> u8 {
        self.byte(LEFT)
    }

    /// Tricks that North and South have won.
    #[inline(always)]
    pub(crate) fn won(&self) -> u8 {
        self.byte(WON)
    }

    /// Who moves: North and South are Max.
    #[inline(always)]
    pub(crate) fn side(&self) -> Side {
        if self.turn() & 1 == 0 { Side::Max } else { Side::Min }
    }

    /// All cards in hand.
    #[inline(always)]
    pub(crate) fn all(&self) -> u64 {
        self.hands[0] | self.hands[1] | self.hands[2] | self.hands[3]
    }

    /// The hand of the seat so many places after the one that plays next.
    #[inline(always)]
    pub(crate) fn hand(&self, places: u8) -> u64 {
        self.hands[usize::from((self.turn() + places) & 3)]
    }

    /// How many cards of a suit the seat so many places after the one that plays next has.
    #[inline(always)]
    pub(crate) fn length(&self, places: u8, suit: u8) -> u32 {
        self.lengths(suit) >> (places * 4) & 15
    }

    /// The cards that must be told apart from those of the hand to play: those of the other hands, and the best one on the table.
    /// A card on the table that is beaten is as good as gone.
    #[inline(always)]
    pub(crate) fn others(&self) -> u64 {
        let hands = self.hand(1) | self.hand(2) | self.hand(3);
        if self.on_table() == 0 { hands } else { hands | 1 << self.winning() }
    }

    /// A hash, the same for the same position of a deal.
    #[inline]
    pub(crate) fn hash(&self) -> u64 {
        let of_trick = 0xff << ON_TABLE | 0xff << LED | 0xff << WINNING | 3 << WINNER;
        let trick = if self.on_table() == 0 { self.state & !(of_trick | 1 << BY_RANK) } else { self.state };
        let mixed = (self.all() ^ trick.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ trick ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }

    /// The cards that the rules allow the hand to play.
    #[inline(always)]
    pub(crate) fn legal(&self) -> u64 {
        let own = self.hand(0);
        if self.on_table() == 0 {
            return own;
        }
        let following = own & LANE << (self.led() * 16);
        if following == 0 { own } else { following }
    }

    /// The position after the hand to play has played `card`.
    #[inline(always)]
    pub(crate) fn play(&self, card: Card) -> Position {
        let (shape, state) = with_card(self.shape, self.state, card.index());
        Position { hands: self.hands_without(card.bit()), shape, state }
    }

    /// The hands without some cards. Of all hands, whoever has them: a word that is written and then copied together with others
    /// stalls the processor.
    #[inline(always)]
    fn hands_without(&self, gone: u64) -> [u64; 4] {
        let [north, east, south, west] = self.hands;
        [north & !gone, east & !gone, south & !gone, west & !gone]
    }

    /// The position after `card` and after those cards of the same trick that hands must follow with because they have no other: a hand
    /// without a choice is no node.
    #[inline(always)]
    pub(crate) fn advance(&self, card: Card) -> Position {
        let mut gone = card.bit();
        let (mut shape, mut state) = with_card(self.shape, self.state, card.index());
        // The hands lose all the cards at the end.
        while state.byte(ON_TABLE) != 0 {
            let following = self.hands[usize::from(state.byte(TURN) & 3)] & LANE << (state.byte(LED) * 16);
            if following == 0 || following & (following - 1) != 0 {
                break;
            }
            let only = following.trailing_zeros() as u8;
            gone |= 1 << only;
            (shape, state) = with_card(shape, state, only);
        }
        Position { hands: self.hands_without(gone), shape, state }
    }

    /// At the start of a trick, the card that won the one before, if it did so by rank.
    #[inline(always)]
    pub(crate) fn won_by_rank(&self) -> u64 {
        let is_new = self.state & (0xff << ON_TABLE | 1 << BY_RANK) == 1 << BY_RANK;
        u64::from(is_new) << (self.winning() & 63)
    }

    /// The lengths of a suit, four bits each, beginning with the hand that plays next.
    #[inline(always)]
    pub(crate) fn lengths(&self, suit: u8) -> u32 {
        u32::from(((self.shape >> (suit * 16)) as u16).rotate_right(u32::from(self.turn()) * 4))
    }

    /// Whether the words hold together: for tests and assertions.
    pub(crate) fn is_sound(&self) -> bool {
        let count: u32 = self.hands.iter().map(|hand| hand.count_ones()).sum();
        let wanted = u32::from(self.left()) * 4 - u32::from(self.on_table());
        self.all() & !PACK == 0 && self.all().count_ones() == count && count == wanted
    }
}
