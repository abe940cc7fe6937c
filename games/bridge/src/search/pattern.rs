//! Patterns: what a bound rests on, in relative ranks.
//!
//! A bound that was found for one position holds for every position with the same suit lengths, the same leader and the same owners
//! of the highest cards of each suit, as far down as a card mattered. A pattern is these owners and the bounds, in two words; the
//! table keeps a third, the mask of the first, so that looking at a pattern that does not fit takes next to no time.

/// Cards of a suit whose owners stand in the first word of a pattern, two bits each; those of the next six stand in the second. The
/// thirteenth never matters: where all cards but one are known, so is the last.
const HALF: u32 = 6;
/// The most cards of a suit that matter.
const MOST: u8 = 12;
/// Bits of a suit's owners in one word.
const SUIT_BITS: u32 = 2 * HALF;
const SUIT: u64 = (1 << SUIT_BITS) - 1;
/// In the first word above the owners: how many cards matter in each suit, four bits each, taken from 15 so that no pattern has a first
/// word of zero.
const COUNTS: u32 = 4 * SUIT_BITS;
/// In the second word above the owners: the bounds, four bits each.
const LOWER: u32 = COUNTS;
const UPPER: u32 = LOWER + 4;

/// By the counts of two suits, as they are stored: the bits of their owners that matter, in the first word and in the second.
const fn masks(second_word: bool) -> [u64; 256] {
    let mut masks = [0; 256];
    let mut counts = 0;
    while counts < 256 {
        let mut at = 0;
        while at < 2 {
            let mut count = 15 - (counts as u32 >> (4 * at) & 15);
            if second_word {
                count = count.saturating_sub(HALF);
            }
            if count > HALF {
                count = HALF;
            }
            masks[counts] |= ((1 << (2 * count)) - 1) << (at * SUIT_BITS);
            at += 1;
        }
        counts += 1;
    }
    masks
}

static FIRST_MASKS: [u64; 256] = masks(false);
static SECOND_MASKS: [u64; 256] = masks(true);

/// The owners of all cards left, by relative rank, in two words as those of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holding(pub(crate) [u64; 2]);

impl Holding {
    /// From each suit's owners, two bits each, the highest card in the lowest bits.
    #[inline(always)]
    pub(crate) fn new(spades: u64, hearts: u64, diamonds: u64, clubs: u64) -> Holding {
        let word = |shift: u32| {
            spades >> shift & SUIT
                | (hearts >> shift & SUIT) << SUIT_BITS
                | (diamonds >> shift & SUIT) << (2 * SUIT_BITS)
                | (clubs >> shift & SUIT) << (3 * SUIT_BITS)
        };
        Holding([word(0), word(SUIT_BITS)])
    }

    /// The bucket of the patterns that fit and in which cards of exactly these suits matter, a bit each.
    #[inline(always)]
    pub(crate) fn bucket(self, suits: u32) -> u32 {
        bucket(self.0[0], suits)
    }
}

/// The bucket of a pattern: the suits in which cards matter, and the owners of the highest of them.
#[inline(always)]
fn bucket(first: u64, suits: u32) -> u32 {
    let mut owners = 0;
    for suit in 0..4 {
        let owner = (first >> (suit * SUIT_BITS) & 3) as u32;
        owners |= if suits >> suit & 1 != 0 { owner << (2 * suit) } else { 0 };
    }
    owners | suits << 8 | 1 << 12
}

/// Stands for no bucket.
pub(crate) const NO_BUCKET: u32 = 0;

/// The words of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(pub(crate) [u64; 2]);

/// A first word that is no pattern's.
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

/// The bits of one of the words that matter, by the counts in the first word.
#[inline(always)]
fn mask(masks: &[u64; 256], first: u64) -> u64 {
    masks[(first >> COUNTS & 0xff) as usize] | masks[(first >> (COUNTS + 8)) as usize] << (2 * SUIT_BITS)
}

/// The bits of the first word that matter.
#[inline(always)]
pub(crate) fn first_mask(first: u64) -> u64 {
    mask(&FIRST_MASKS, first)
}

/// Whether the highest cards that matter have the owners that `holding` says; `mask` is that of the first word.
#[inline(always)]
pub(crate) fn first_fits(first: u64, mask: u64, holding: Holding) -> bool {
    (first ^ holding.0[0]) & mask == 0
}

/// The same for the lower ones.
#[inline(always)]
pub(crate) fn second_fits(first: u64, second: u64, holding: Holding) -> bool {
    (second ^ holding.0[1]) & mask(&SECOND_MASKS, first) == 0
}

/// The bounds in the second word.
#[inline(always)]
pub(crate) fn bounds(second: u64) -> Bounds {
    Bounds { lower: (second >> LOWER & 15) as u8, upper: (second >> UPPER & 15) as u8 }
}

#[inline(always)]
fn with_bounds(second: u64, bounds: Bounds) -> u64 {
    second & !(0xff << LOWER) | u64::from(bounds.lower) << LOWER | u64::from(bounds.upper) << UPPER
}

/// How many cards matter in each suit, from the first word.
#[inline(always)]
pub(crate) fn counts(first: u64) -> [u8; 4] {
    let of = |suit: u32| 15 - (first >> (COUNTS + 4 * suit) & 15) as u8;
    [of(0), of(1), of(2), of(3)]
}

impl Pattern {
    /// The pattern of the `counts` highest cards of each suit of `holding`.
    #[inline(always)]
    pub(crate) fn new(holding: Holding, counts: [u8; 4], bounds: Bounds) -> Pattern {
        debug_assert!(counts.iter().all(|&count| count <= MOST), "a pattern of {counts:?} cards");
        let [spades, hearts, diamonds, clubs] = counts;
        let counts =
            u64::from(spades) | u64::from(hearts) << 4 | u64::from(diamonds) << 8 | u64::from(clubs) << 12;
        let counts = (0xffff - counts) << COUNTS;
        let first = holding.0[0] & mask(&FIRST_MASKS, counts) | counts;
        let second = holding.0[1] & mask(&SECOND_MASKS, counts);
        Pattern([first, with_bounds(second, bounds)])
    }

    /// The suits in which cards matter, a bit each.
    #[inline(always)]
    pub(crate) fn suits(self) -> u32 {
        let counts = counts(self.0[0]);
        (0..4).map(|suit| u32::from(counts[suit] > 0) << suit).sum()
    }

    /// Where to look for it among many of its shape.
    #[inline(always)]
    pub(crate) fn bucket(self) -> u32 {
        bucket(self.0[0], self.suits())
    }

    /// The bounds.
    #[inline(always)]
    pub(crate) fn bounds(self) -> Bounds {
        bounds(self.0[1])
    }

    /// Whether every position that fits `other` fits this one.
    #[inline(always)]
    fn covers(self, other: Pattern) -> bool {
        let mine = mask(&FIRST_MASKS, self.0[0]);
        let also = mask(&SECOND_MASKS, self.0[0]);
        mine & !mask(&FIRST_MASKS, other.0[0]) == 0
            && (self.0[0] ^ other.0[0]) & mine == 0
            && also & !mask(&SECOND_MASKS, other.0[0]) == 0
            && (self.0[1] ^ other.0[1]) & also == 0
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
                return Meeting::Becomes(Pattern([new.0[0], with_bounds(new.0[1], bounds)]));
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
