//! What a position is worth without search.
//!
//! The value is a sum of features times weights, each weight one for the middle game and one for the endgame, blended by the pieces
//! left. The same code counts the features for the tuner ([`features`]) and adds the weights up for the search.

mod feature;
mod judge;
mod weights;

use cozy_chess::{Color, Piece, Square};
use dts_engine::Value;

use crate::pawns::PawnCache;
use crate::position::Position;
use crate::score::Pair;

pub use feature::{FEATURES, ROWS};
use judge::{Recorder, scale_of};
use weights::WEIGHTS;

/// A weight in centipawns: for the middle game, and for the endgame.
pub type Weight = (i32, i32);

/// Material and place of every piece: what a position keeps the sum of.
static PLACED: [Pair; 384] = {
    let mut table = [Pair::ZERO; 384];
    let mut at = 0;
    while at < 384 {
        let material = if at / 64 < 5 { WEIGHTS[feature::MATERIAL + at / 64] } else { Pair::ZERO };
        table[at] = material.plus(WEIGHTS[feature::PLACE + at]);
        at += 1;
    }
    table
};

/// Material and place of a piece, from its own side.
#[inline(always)]
pub(crate) fn placed(piece: Piece, color: Color, square: Square) -> Pair {
    PLACED[piece as usize * 64 + square.relative_to(color) as usize]
}

/// The sum of weights, White's less Black's.
struct Sum(Pair);

impl Recorder for Sum {
    #[inline(always)]
    fn add(&mut self, color: Color, feature: usize, count: i32) {
        match color {
            Color::White => self.0 += WEIGHTS[feature] * count,
            Color::Black => self.0 -= WEIGHTS[feature] * count,
        }
    }
}

/// The value from White's side, with the pawn structure from the cache.
#[inline]
pub(crate) fn judge_cached(position: &Position, cache: &mut PawnCache) -> Value {
    let board = position.board();
    let white = board.colored_pieces(Color::White, Piece::Pawn);
    let black = board.colored_pieces(Color::Black, Piece::Pawn);
    let pawns = cache.get(white, black, || {
        let mut sum = Sum(Pair::ZERO);
        let passed = judge::pawns(board, &mut sum);
        (sum.0, passed)
    });
    let mut sum = Sum(position.sum + pawns.sum);
    judge::pieces(board, cozy_chess::BitBoard(pawns.passed), &mut sum);
    blend(position, sum.0)
}

/// What is kept from move to move: material and places, and nothing that would have to be looked for.
pub(crate) fn sketch(position: &Position) -> Value {
    blend(position, position.sum)
}

/// Both values as one, by the pieces that are left.
#[inline(always)]
fn blend(position: &Position, sum: Pair) -> Value {
    let full = crate::position::FULL_PHASE;
    let phase = i32::from(position.phase).clamp(0, full);
    let end = sum.end() * scale_of(position.board(), sum.end()) / 64;
    let value = (sum.middle() * phase + end * (full - phase)) / full;
    value.clamp(-crate::mate::MOST_JUDGED, crate::mate::MOST_JUDGED)
}

/// The value of a position without search, in centipawns from White's side.
#[must_use]
pub fn evaluate(position: &Position) -> Value {
    let mut sum = Sum(position.sum);
    let passed = judge::pawns(position.board(), &mut sum);
    judge::pieces(position.board(), passed, &mut sum);
    blend(position, sum.0)
}

/// The features of a position, for tuning.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// How often each feature is there, White's less Black's; those that are not are left out.
    pub features: Vec<(u16, i16)>,
    /// How much of the middle game is left, from 0 to 24.
    pub phase: i32,
    /// How much the endgame's value counts, from 0 to 64.
    pub scale: i32,
}

struct Counter([i16; FEATURES]);

impl Recorder for Counter {
    fn add(&mut self, color: Color, feature: usize, count: i32) {
        let count = count as i16;
        self.0[feature] += if color == Color::White { count } else { -count };
    }
}

/// Counts the features of a position.
#[must_use]
pub fn features(position: &Position) -> Counts {
    let board = position.board();
    let mut counter = Counter([0; FEATURES]);
    for color in Color::ALL {
        for piece in Piece::ALL {
            for square in board.colored_pieces(color, piece) {
                let place = square.relative_to(color) as usize;
                counter.add(color, feature::PLACE + piece as usize * 64 + place, 1);
                if piece != Piece::King {
                    counter.add(color, feature::MATERIAL + piece as usize, 1);
                }
            }
        }
    }
    let passed = judge::pawns(board, &mut counter);
    judge::pieces(board, passed, &mut counter);
    let counted = counter.0.iter().enumerate().filter(|&(_, &count)| count != 0);
    let features = counted.map(|(feature, &count)| (feature as u16, count)).collect();
    let end: i32 = sum_of(&features).end();
    Counts {
        features,
        phase: i32::from(position.phase).clamp(0, crate::position::FULL_PHASE),
        scale: scale_of(board, end),
    }
}

fn sum_of(features: &Vec<(u16, i16)>) -> Pair {
    let mut sum = Pair::ZERO;
    for &(feature, count) in features {
        sum += WEIGHTS[usize::from(feature)] * i32::from(count);
    }
    sum
}

/// The weight of a feature.
///
/// # Panics
/// If there is no such feature: there are [`FEATURES`].
#[must_use]
pub fn weight_of(feature: usize) -> Weight {
    (WEIGHTS[feature].middle(), WEIGHTS[feature].end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite() -> impl Iterator<Item = Position> {
        let lines = include_str!("../../data/wac.epd")
            .lines()
            .chain(include_str!("../../data/kaufman25.epd").lines());
        lines.map(|line| {
            let fen: Vec<_> = line.split_whitespace().take(4).collect();
            Position::new(crate::parse_fen(&fen.join(" ")).expect("a position of the suite"))
        })
    }

    /// The board with colours and ranks exchanged.
    fn mirrored(position: &Position) -> Position {
        let text = position.board().to_string();
        let mut fields = text.split(' ');
        let ranks: Vec<_> = fields.next().unwrap_or_default().split('/').rev().collect();
        let swap = |text: &str| -> String {
            let swapped = |letter: char| {
                if letter.is_ascii_uppercase() {
                    letter.to_ascii_lowercase()
                } else {
                    letter.to_ascii_uppercase()
                }
            };
            text.chars().map(swapped).collect()
        };
        let side = if fields.next() == Some("w") { "b" } else { "w" };
        let rights = swap(fields.next().unwrap_or("-"));
        let fen = format!("{} {side} {rights} - 0 1", swap(&ranks.join("/")));
        Position::new(crate::parse_fen(&fen).expect("a mirrored position"))
    }

    #[test]
    fn both_sides_are_judged_alike() {
        for position in suite() {
            let mirrored = mirrored(&position);
            assert_eq!(
                evaluate(&position),
                -evaluate(&mirrored),
                "{} {}",
                position.board(),
                mirrored.board()
            );
        }
    }

    #[test]
    fn the_cache_changes_nothing() {
        let mut cache = PawnCache::new();
        for position in suite() {
            assert_eq!(judge_cached(&position, &mut cache), evaluate(&position));
            assert_eq!(judge_cached(&position, &mut cache), evaluate(&position));
        }
    }

    #[test]
    fn the_features_times_the_weights_are_the_value() {
        for position in suite() {
            let counts = features(&position);
            let sum = sum_of(&counts.features);
            assert_eq!(blend(&position, sum), evaluate(&position), "{}", position.board());
        }
    }
}
