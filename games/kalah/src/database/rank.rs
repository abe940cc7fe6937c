//! The numbers of rows and of positions.
//!
//! The *id* of a row counts the rows before it, which have fewer stones or, with as many, fewer in the first pit
//! where the two differ. With `R(l)` the stones in the pits from `l` on and M pits,
//!
//! `id = C(R(0) + M, M) - 1 - sum over l in 1..M of C(R(l) + M - l - 1, M - l)`.
//!
//! Two things follow from this order. A move that stays within the mover's row leads to a smaller id. And a stone
//! more in each of the first k pits keeps the order of rows.

use std::any::Any;

use crate::position::{LANE_BITS, Row};

/// C(stones + pits, pits): the number of rows of `pits` with at most `stones`, if it fits.
pub(super) fn up_to(pits: u32, stones: u32) -> Option<u64> {
    // After step i the product is C(stones + i, i), so every division is exact.
    let count = (1..=u128::from(pits)).try_fold(1u128, |count, i| {
        let next = count.checked_mul(u128::from(stones) + i)? / i;
        Some(next)
    })?;
    u64::try_from(count).ok()
}

/// What the number of stones in a row decides.
#[derive(Clone, Copy)]
struct Sum {
    /// The id of the last row with that many stones.
    last: u32,
    /// How many rows the mover may have against such a row.
    width: u32,
    /// `start = base + width * id`, modulo 2^64.
    base: u64,
}

/// The tables for one board and one number of stones.
pub(super) struct Ranks {
    pits: usize,
    stones: usize,
    sums: Box<[Sum]>,
    /// `[(l - 1) * (stones + 1) + R(l)]`: the term of pit `l` in the formula of ids.
    terms: Box<[u32]>,
    /// The terms of two pits `l` (odd) and `l + 1` together, at `[l / 2][R(l) | R(l + 1) << SUM_BITS]`, as long as
    /// sums have that many bits; and so many pits that a `u64` holds them.
    pairs: Option<Box<[[u32; 1 << (2 * SUM_BITS)]; 3]>>,
}

/// Bits of a sum of stones that `Ranks::pairs` has room for: half of a lane, so that two fit one.
const SUM_BITS: u32 = LANE_BITS / 2;

impl Ranks {
    /// The memory the tables take.
    pub(super) fn bytes(_pits: u32, stones: u32) -> u64 {
        let side = u64::from(stones) + 1;
        side * 16 + 11 * side * 4 + 3 * 4 * (1 << (2 * SUM_BITS))
    }

    /// `None` if there is no memory, or if the ids do not fit 32 bits.
    pub(super) fn new(pits: u32, stones: u32) -> Option<Ranks> {
        let rows = |stones: u32| up_to(pits, stones).and_then(|count| u32::try_from(count).ok());
        let mut sums = Vec::new();
        sums.try_reserve_exact(stones as usize + 1).ok()?;
        let mut start = 0u64;
        let mut first = 0u64;
        for sum in 0..=stones {
            let (width, end) = (rows(stones - sum)?, rows(sum)?);
            let base = start.wrapping_sub(first * u64::from(width));
            sums.push(Sum { last: end - 1, width, base });
            start += (u64::from(end) - first) * u64::from(width);
            first = u64::from(end);
        }
        let stride = stones as usize + 1;
        let mut terms = Vec::new();
        terms.try_reserve_exact(11 * stride).ok()?;
        for pit in 1..=11 {
            // C(R + M - l - 1, M - l) rows of M - l pits hold at most R - 1.
            let term = |rest: u32| match rest.checked_sub(1) {
                Some(less) if pit < pits => {
                    up_to(pits - pit, less).and_then(|count| u32::try_from(count).ok())
                }
                _ => Some(0),
            };
            for rest in 0..=stones {
                terms.push(term(rest)?);
            }
        }
        let pairs = (stones < 1 << SUM_BITS && pits <= u64::LANES).then(|| {
            let mut pairs = Box::new([[0; 1 << (2 * SUM_BITS)]; 3]);
            let term = |pit: usize, rest: usize| terms[(pit - 1) * stride..][..stride].get(rest).copied();
            for (pair, table) in pairs.iter_mut().enumerate() {
                for (key, sum) in table.iter_mut().enumerate() {
                    let (first, second) = (key & ((1 << SUM_BITS) - 1), key >> SUM_BITS);
                    // No row has `second` above `first`, or `first` above `stones`.
                    if let (Some(one), Some(other)) = (term(2 * pair + 1, first), term(2 * pair + 2, second))
                    {
                        *sum = one.wrapping_add(other);
                    }
                }
            }
            pairs
        });
        Some(Ranks {
            pits: pits as usize,
            stones: stones as usize,
            sums: sums.into(),
            terms: terms.into(),
            pairs,
        })
    }

    pub(super) fn pits(&self) -> usize {
        self.pits
    }

    pub(super) fn stones(&self) -> usize {
        self.stones
    }

    /// The ids of the rows with `sum` stones.
    pub(super) fn ids(&self, sum: usize) -> std::ops::Range<usize> {
        let first = sum.checked_sub(1).map_or(0, |less| self.sums[less].last + 1);
        first as usize..self.sums[sum].last as usize + 1
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.ids(self.stones).end
    }

    /// The id of a row.
    #[inline]
    pub(super) fn id<R: Row>(&self, row: R) -> u32 {
        self.id_and_sum(row).0
    }

    /// The id of a row, and what its sum decides.
    #[inline(always)]
    fn id_and_sum<R: Row>(&self, row: R) -> (u32, &Sum) {
        // The compiler knows which it is.
        let narrow = (&row as &dyn Any).downcast_ref::<u64>();
        if let (Some(&row), Some(pairs)) = (narrow, &self.pairs) {
            // Ten bits above the top lane and on are the sums of the pits from 1, from 2, ...: in the upper word of
            // this product. The top lane itself has the sum of all.
            const ONES: u64 = u64::ONES << (u64::BITS - u64::LANES * LANE_BITS);
            const KEY: u64 = (1 << (2 * SUM_BITS)) - 1;
            let product = u128::from(row) * u128::from(ONES);
            let by_sum = &self.sums[(product as u64 >> (u64::BITS - LANE_BITS)) as usize];
            let rest = (product >> u64::BITS) as u64;
            let keys = rest | rest >> SUM_BITS;
            let term = |pair: usize| pairs[pair][(keys >> (2 * LANE_BITS * pair as u32) & KEY) as usize];
            return (by_sum.last.wrapping_sub(term(0) + term(1)).wrapping_sub(term(2)), by_sum);
        }
        let sums = row.prefix_sums();
        let sum = sums.lane_at((R::LANES - 1) * LANE_BITS);
        let by_sum = &self.sums[sum as usize];
        let mut id = by_sum.last;
        for (pit, terms) in self.terms.chunks_exact(self.stones + 1).enumerate().take(self.pits - 1) {
            id = id.wrapping_sub(terms[(sum - sums.lane_at(pit as u32 * LANE_BITS)) as usize]);
        }
        (id, by_sum)
    }

    /// The place of the position's entry.
    #[inline(always)]
    pub(super) fn index<R: Row>(&self, own: R, other: R) -> usize {
        let (own, _) = self.id_and_sum(own);
        let (other, sum) = self.id_and_sum(other);
        sum.base.wrapping_add(u64::from(other) * u64::from(sum.width)).wrapping_add(u64::from(own)) as usize
    }
}
