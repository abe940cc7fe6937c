//! Patterns: what a bound rests on, in relative ranks.
//!
//! A bound that was found for one position holds for every position with the same suit lengths, the same leader and the same owners
//! of the highest cards of each suit, as far down as a card mattered. A pattern is these owners and the bounds, in two words.

/// Bits of a suit's owners that a pattern keeps: two for each of the highest twelve. The thirteenth never matters: where all cards
/// but one are known, so is the last.
const SUIT_BITS: u32 = 24;
const SUIT: u64 = (1 << SUIT_BITS) - 1;
/// Above the owners of two suits: how many cards matter in each of them, four bits each.
const COUNTS: u32 = 48;
/// Above the counts of the first word: the bounds, four bits each.
const LOWER: u32 = 56;
const UPPER: u32 = 60;
/// Above the counts of the second word: the best move.
const BEST: u32 = 56;
/// Says that there is no best move.
const NO_BEST: u64 = 0x3f;

/// By the counts of two suits: the bits of their owners that matter.
static MASKS: [u64; 256] = {
    let mut masks = [0; 256];
    let mut counts = 0;
    while counts < 256 {
        let (first, second) = (counts & 15, counts >> 4);
        let first = if first > 12 { SUIT } else { (1 << (2 * first)) - 1 };
        let second = if second > 12 { SUIT } else { (1 << (2 * second)) - 1 };
        masks[counts] = first | second << SUIT_BITS;
        counts += 1;
    }
    masks
};

/// The owners of all cards left, by relative rank: spades and hearts in the first word, diamonds and clubs in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holding(pub(crate) [u64; 2]);

impl Holding {
    /// From each suit's owners, two bits each, the highest card in the lowest bits.
    #[inline(always)]
    pub(crate) fn new(suits: [u64; 4]) -> Holding {
        Holding([
            suits[0] & SUIT | (suits[1] & SUIT) << SUIT_BITS,
            suits[2] & SUIT | (suits[3] & SUIT) << SUIT_BITS,
        ])
    }
}

/// The words of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(pub(crate) [u64; 2]);

/// Fits no position and is no pattern.
pub(crate) const NOTHING: u64 = 0;

/// What is known of the tricks that North and South will still win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) lower: u8,
    pub(crate) upper: u8,
}

impl Bounds {
    /// Whether these say all that `other` says.
    #[inline(always)]
    fn imply(self, other: Bounds) -> bool {
        self.lower >= other.lower && self.upper <= other.upper
    }
}

#[inline(always)]
pub(crate) fn mask(word: u64) -> u64 {
    MASKS[(word >> COUNTS & 0xff) as usize]
}

/// The bounds in the first word. The upper one is kept as its distance from 15, so that no pattern has a first word of zero.
#[inline(always)]
pub(crate) fn bounds(first: u64) -> Bounds {
    Bounds { lower: (first >> LOWER & 15) as u8, upper: 15 - (first >> UPPER) as u8 }
}

#[inline(always)]
fn with_bounds(first: u64, bounds: Bounds) -> u64 {
    first & ((1 << LOWER) - 1) | u64::from(bounds.lower) << LOWER | u64::from(15 - bounds.upper) << UPPER
}

/// Whether the owners that matter in a word of a pattern are those of a holding's word.
#[inline(always)]
pub(crate) fn fits(word: u64, holding: u64) -> bool {
    (word ^ holding) & mask(word) == 0
}

/// The best move in the second word: its suit and relative rank.
#[inline(always)]
pub(crate) fn best(second: u64) -> Option<(u8, u8)> {
    let best = second >> BEST & 0x3f;
    (best != NO_BEST).then_some(((best >> 4) as u8, (best & 15) as u8))
}

/// How many cards matter in each suit.
#[inline(always)]
pub(crate) fn counts(words: [u64; 2]) -> [u8; 4] {
    let of = |word: u64, second: u32| (word >> (COUNTS + 4 * second) & 15) as u8;
    [of(words[0], 0), of(words[0], 1), of(words[1], 0), of(words[1], 1)]
}

impl Pattern {
    /// The pattern of the `counts` highest cards of each suit of `holding`.
    #[inline(always)]
    pub(crate) fn new(holding: Holding, counts: [u8; 4], bounds: Bounds, best: Option<(u8, u8)>) -> Pattern {
        debug_assert!(counts.iter().all(|&count| count <= 12), "a pattern of {counts:?} cards");
        let counts = counts.map(u64::from);
        let best = best.map_or(NO_BEST, |(suit, rank)| u64::from(suit) << 4 | u64::from(rank));
        let pairs = [counts[0] | counts[1] << 4, counts[2] | counts[3] << 4];
        let word = |at: usize| holding.0[at] & MASKS[pairs[at] as usize] | pairs[at] << COUNTS;
        Pattern([with_bounds(word(0), bounds), word(1) | best << BEST])
    }

    /// The bounds.
    #[inline(always)]
    pub(crate) fn bounds(self) -> Bounds {
        bounds(self.0[0])
    }

    /// Whether every position that fits `other` fits this one.
    #[inline(always)]
    fn covers(self, other: Pattern) -> bool {
        let within = |at: usize| {
            let mask = mask(self.0[at]);
            mask & !self::mask(other.0[at]) == 0 && (self.0[at] ^ other.0[at]) & mask == 0
        };
        within(0) && within(1)
    }

    /// What becomes of this pattern, which is kept, when `new` is to be kept as well.
    #[inline(always)]
    pub(crate) fn meet(self, new: Pattern) -> Meeting {
        let covers = self.covers(new);
        if covers && self.bounds().imply(new.bounds()) {
            return Meeting::NewIsKnown;
        }
        if new.covers(self) {
            if covers {
                let (ours, theirs) = (self.bounds(), new.bounds());
                let bounds =
                    Bounds { lower: ours.lower.max(theirs.lower), upper: ours.upper.min(theirs.upper) };
                return Meeting::Becomes(Pattern([with_bounds(new.0[0], bounds), new.0[1]]));
            }
            if new.bounds().imply(self.bounds()) {
                return Meeting::Becomes(new);
            }
        }
        Meeting::Both
    }
}

/// What becomes of two patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meeting {
    /// The one that is kept says all that the new one says.
    NewIsKnown,
    /// The one that is kept is replaced.
    Becomes(Pattern),
    /// Each says something that the other does not.
    Both,
}
