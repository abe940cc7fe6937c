//! Makes the weights of the evaluation: plays games against itself, and fits the weights to how they ended.
//!
//! ```text
//! cargo run --release -p dts-chess --example tune -- play GAMES NODES SEED > games.txt
//! cargo run --release -p dts-chess --example tune -- fit games.txt EPOCHS INERTIA > games/chess/src/evaluation/weights.rs
//! ```
//!
//! `play` starts every game with some random moves, searches so many nodes a move, and prints the quiet positions: FEN, how the game
//! ended for White (0, 0.5, 1), and the search's value in centipawns from White's side.
//!
//! `fit` minimises the squared difference between what a position's value promises (a logistic curve of it) and what came of it: a
//! blend of the game's end and the search's value. Every weight is drawn towards what it was as if by so many positions as INERTIA
//! says, so that those of which few positions speak stay near. The last tenth of the positions is kept apart: the error on
//! it tells how much inertia is enough. With INERTIA 0 EPOCHS 0 the file is what the weights are.

use std::error::Error;
use std::fmt::Write as _;
use std::process::ExitCode;

use cozy_chess::Board;
use dts_chess::{
    Engine, EngineOptions, FEATURES, Position, Question, ROWS, Score, best_exchange, features, parse_fen,
    perft, weight_of,
};
use dts_engine::{Limits, Side, Strategy};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["play", games, nodes, seed] => play(games, nodes, seed),
        ["fit", file, epochs, inertia] => fit(file, epochs, inertia),
        _ => Err("usage: tune play GAMES NODES SEED | tune fit FILE EPOCHS INERTIA".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A fixed generator, so that a seed means the same games for ever (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Moves that every game begins with, drawn at random.
const RANDOM_MOVES: usize = 8;
/// Games whose opening is more one-sided than this are not played.
const MOST_ONE_SIDED: i32 = 150;
/// A game is over when the value has been beyond this for some moves.
const DECIDED: i32 = 900;
const DECIDED_MOVES: u32 = 4;
const LONGEST: usize = 300;

fn play(games: &str, nodes: &str, seed: &str) -> Result<(), Box<dyn Error>> {
    let (games, nodes): (u32, u64) = (games.parse()?, nodes.parse()?);
    let mut random = Random(seed.parse()?);
    let mut engine = Engine::new(EngineOptions {
        strategy: Strategy::Sequential,
        table_mebibytes: 4,
        ..EngineOptions::default()
    })?;
    let mut played = 0;
    while played < games {
        if let Some(text) = play_one(&mut engine, nodes, &mut random)? {
            print!("{text}");
            played += 1;
        }
    }
    Ok(())
}

/// One game, as its quiet positions; none if its opening was no good.
fn play_one(engine: &mut Engine, nodes: u64, random: &mut Random) -> Result<Option<String>, Box<dyn Error>> {
    engine.set_board(Board::startpos());
    for _ in 0..RANDOM_MOVES + random.below(2) {
        let moves = perft::moves(engine.position().board());
        if moves.is_empty() {
            return Ok(None);
        }
        engine.play(moves[random.below(moves.len())])?;
    }
    let mut seen: Vec<(String, i32)> = Vec::new();
    let mut decided = 0;
    let mut result = 0.5;
    for ply in 0..LONGEST {
        let position = engine.position().clone();
        let white = position.side() == Side::Max;
        let found = engine.search(Question::default(), &Limits::new().with_nodes(nodes), |_| {})?;
        let Some(best) = found.best else {
            if position.in_check() {
                result = if white { 0.0 } else { 1.0 };
            }
            break;
        };
        let own = match found.score {
            Score::Centipawns(value) => value,
            Score::Mate(moves) => 10_000 * moves.signum(),
        };
        if ply == 0 && own.abs() > MOST_ONE_SIDED {
            return Ok(None);
        }
        decided = if own.abs() >= DECIDED { decided + 1 } else { 0 };
        let value = if white { own } else { -own };
        if decided >= DECIDED_MOVES {
            result = if value > 0 { 1.0 } else { 0.0 };
            break;
        }
        let board = position.board();
        if engine.repetitions() >= 2 || board.halfmove_clock() >= 100 {
            break;
        }
        let takes = board.occupied().has(best.to) || best.promotion.is_some();
        if !position.in_check() && !takes && own.abs() < DECIDED && best_exchange(board) <= 0 {
            seen.push((board.to_string(), value));
        }
        engine.play(best)?;
    }
    let mut text = String::new();
    for (fen, value) in seen {
        writeln!(text, "{fen};{result};{value}")?;
    }
    Ok(Some(text))
}

/// A position to learn from.
struct Sample {
    features: Vec<(u16, i16)>,
    /// Share of the middle game, and of the endgame with its scale.
    shares: (f32, f32),
    result: f32,
    value: f32,
}

/// How much the game's end counts beside the search's value.
const RESULT_SHARE: f32 = 0.6;
/// How much the slope that one position contributes changes with a centipawn: p(1-p) squared, over the curve.
const CURVATURE: f64 = 0.0625 / 170.0;

fn fit(file: &str, epochs: &str, inertia: &str) -> Result<(), Box<dyn Error>> {
    let (epochs, inertia): (usize, f64) = (epochs.parse()?, inertia.parse()?);
    let mut samples = Vec::new();
    for line in std::fs::read_to_string(file)?.lines() {
        let mut fields = line.split(';');
        let (Some(fen), Some(result), Some(value)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let counts = features(&Position::new(parse_fen(fen)?));
        let middle = counts.phase as f32 / 24.0;
        samples.push(Sample {
            features: counts.features,
            shares: (middle, (1.0 - middle) * counts.scale as f32 / 64.0),
            result: result.parse()?,
            value: value.parse()?,
        });
    }
    let (samples, apart) = samples.split_at(samples.len() / 10 * 9);
    let start: Vec<[f64; 2]> =
        (0..FEATURES).map(weight_of).map(|(middle, end)| [middle.into(), end.into()]).collect();
    let mut weights = start.clone();
    let curve = best_curve(samples, &weights);
    eprintln!(
        "{} positions, 1 / {curve:.1} a centipawn, error {:.6}",
        samples.len(),
        error(samples, &weights, curve)
    );

    let mut moments = vec![[[0.0_f64; 2]; 2]; FEATURES];
    for epoch in 0..epochs {
        let mut slopes = vec![[0.0_f64; 2]; FEATURES];
        for sample in samples {
            let promised = promise(value_of(sample, &weights), curve);
            let wanted = target(sample, curve);
            let slope = f64::from((promised - wanted) * promised * (1.0 - promised));
            for &(feature, count) in &sample.features {
                let count = f64::from(count) * slope;
                slopes[usize::from(feature)][0] += count * f64::from(sample.shares.0);
                slopes[usize::from(feature)][1] += count * f64::from(sample.shares.1);
            }
        }
        let rate = if epoch * 4 < epochs * 3 { 1.0 } else { 0.2 };
        for feature in 0..FEATURES {
            for half in 0..2 {
                let pull = (weights[feature][half] - start[feature][half]) * inertia * CURVATURE;
                let slope = slopes[feature][half] + pull;
                // Adam, over all positions at once.
                let [mean, square] = &mut moments[feature][half];
                *mean = 0.9 * *mean + 0.1 * slope;
                *square = 0.999 * *square + 0.001 * slope * slope;
                let (mean_now, square_now) = (
                    *mean / (1.0 - 0.9_f64.powi(epoch as i32 + 1)),
                    *square / (1.0 - 0.999_f64.powi(epoch as i32 + 1)),
                );
                weights[feature][half] -= rate * mean_now / (square_now.sqrt() + 1e-9);
            }
        }
        if epoch % 20 == 19 {
            let (own, others) = (error(samples, &weights, curve), error(apart, &weights, curve));
            eprintln!("epoch {}: error {own:.6}, on those kept apart {others:.6}", epoch + 1);
        }
    }
    print!("{}", table(&weights, samples.len(), inertia));
    Ok(())
}

fn value_of(sample: &Sample, weights: &[[f64; 2]]) -> f32 {
    let (mut middle, mut end) = (0.0, 0.0);
    for &(feature, count) in &sample.features {
        middle += weights[usize::from(feature)][0] * f64::from(count);
        end += weights[usize::from(feature)][1] * f64::from(count);
    }
    middle as f32 * sample.shares.0 + end as f32 * sample.shares.1
}

fn promise(value: f32, curve: f32) -> f32 {
    1.0 / (1.0 + (-value / curve).exp())
}

fn target(sample: &Sample, curve: f32) -> f32 {
    RESULT_SHARE * sample.result + (1.0 - RESULT_SHARE) * promise(sample.value, curve)
}

fn error(samples: &[Sample], weights: &[[f64; 2]], curve: f32) -> f64 {
    let sum: f64 = samples
        .iter()
        .map(|sample| f64::from(promise(value_of(sample, weights), curve) - target(sample, curve)).powi(2))
        .sum();
    sum / samples.len().max(1) as f64
}

/// The curve that fits the ends of the games best, with the weights as they are.
fn best_curve(samples: &[Sample], weights: &[[f64; 2]]) -> f32 {
    let of = |curve: f32| -> f64 {
        let sum: f64 = samples
            .iter()
            .map(|sample| f64::from(promise(value_of(sample, weights), curve) - sample.result).powi(2))
            .sum();
        sum
    };
    let candidates = (10..80).map(|tens| tens as f32 * 5.0);
    candidates.min_by(|&one, &other| of(one).total_cmp(&of(other))).unwrap_or(150.0)
}

/// The weights as a file of Rust.
fn table(weights: &[[f64; 2]], positions: usize, inertia: f64) -> String {
    let mut text = String::from(
        "//! The weights of the features, in centipawns: for the middle game, and for the endgame.\n//!\n",
    );
    text += &format!(
        "//! Made by `examples/tune.rs`: fitted with inertia {inertia} to {positions} quiet positions of games that the engine\n\
         //! played against itself.\n\n"
    );
    text += "use super::feature::FEATURES;\nuse crate::score::Pair;\n\n";
    text += "/// The weights by feature, see [`super::feature`].\npub(crate) const WEIGHTS: [Pair; FEATURES] = {\n";
    text += "    let mut weights = [Pair::ZERO; FEATURES];\n    let mut at = 0;\n    while at < FEATURES {\n";
    text += "        weights[at] = Pair::new(TABLE[at].0, TABLE[at].1);\n        at += 1;\n    }\n    weights\n};\n\n";
    text += "#[rustfmt::skip]\nconst TABLE: [(i32, i32); FEATURES] = [\n";
    for &(name, from, count) in ROWS {
        text += &format!("    // {name}\n");
        for row in weights[from..from + count].chunks(8) {
            text += "   ";
            for [middle, end] in row {
                text += &format!(" ({}, {}),", middle.round(), end.round());
            }
            text += "\n";
        }
    }
    text += "];\n";
    text
}
