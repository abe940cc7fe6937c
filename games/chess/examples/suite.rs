//! Measures strength on test suites, and speed.
//!
//! ```text
//! cargo run --release -p dts-chess --example suite -- solve games/chess/data/wac.epd 1000 [THREADS] [PROFILE]
//! cargo run --release -p dts-chess --example suite -- speed 1000 [THREADS] [PROFILE]
//! cargo run --release -p dts-chess --example suite -- depth 10 [THREADS] [PROFILE]
//! cargo run --release -p dts-chess --example suite -- simulated 8 16 [PROFILE]
//! ```
//!
//! `solve` searches every position of a suite for so many milliseconds, or, with an `n` behind the number, so many nodes, and
//! counts those whose last best move is right: nodes are the fair measure on a machine that others use as well. `speed`
//! searches the 24 positions of the paper for so many milliseconds each, `depth` to a fixed depth: nodes per second. `simulated`
//! searches them to a depth with one and with so many virtual processors: speedup and nodes of each. The table is empty before each
//! position.

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use dts_chess::{Engine, EngineOptions, Found, Profile, Question, epd};
use dts_engine::{CostModel, Limits, Strategy};

const POSITIONS: &str = include_str!("../data/dts24_fen.csv");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["solve", file, limit, rest @ ..] => solve(file, limit, rest),
        ["speed", milliseconds, rest @ ..] => milliseconds.parse().map_err(Box::from).and_then(|milliseconds| {
            speed(|| Limits::new().with_time(Duration::from_millis(milliseconds)), rest)
        }),
        ["depth", depth, rest @ ..] => {
            depth.parse().map_err(Box::from).and_then(|depth| speed(|| Limits::new().with_depth(depth), rest))
        }
        ["simulated", depth, processors, rest @ ..] => simulated(depth, processors, rest),
        _ => Err("usage: suite solve FILE MILLISECONDS-or-NODESn | speed MILLISECONDS | depth PLIES, then [THREADS] [PROFILE]; or simulated PLIES PROCESSORS [PROFILE]".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn engine(rest: &[&str]) -> Result<Engine, Box<dyn Error>> {
    let threads = rest.first().map_or(Ok(1), |text| text.parse())?;
    let profile: Profile = rest.get(1).map_or(Ok(Profile::Modern), |text| text.parse())?;
    let strategy = if threads == 1 { Strategy::Sequential } else { Strategy::Dts };
    Ok(Engine::new(EngineOptions {
        threads,
        profile,
        strategy,
        table_mebibytes: 64,
        ..EngineOptions::default()
    })?)
}

fn solve(file: &str, limit: &str, rest: &[&str]) -> Result<(), Box<dyn Error>> {
    let tasks = epd::parse(&std::fs::read_to_string(file)?)?;
    let limits = || -> Result<Limits, std::num::ParseIntError> {
        Ok(match limit.strip_suffix('n') {
            Some(nodes) => Limits::new().with_nodes(nodes.parse()?),
            None => Limits::new().with_time(Duration::from_millis(limit.parse()?)),
        })
    };
    let mut engine = engine(rest)?;
    let mut solved = 0;
    let mut depths = 0;
    for task in &tasks {
        engine.new_game();
        engine.set_board(task.board.clone());
        let found = engine.search(Question::default(), &limits()?, |_| {})?;
        depths += found.depth;
        if found.best.is_some_and(|best| task.is_solved_by(best)) {
            solved += 1;
        } else {
            println!(
                "{} not solved: {} {} depth {}",
                task.id,
                found.best_text().unwrap_or_default(),
                found.score,
                found.depth
            );
        }
    }
    let mean = f64::from(depths) / tasks.len().max(1) as f64;
    println!("solved {solved} of {} (mean depth {mean:.1})", tasks.len());
    Ok(())
}

fn speed(limits: impl Fn() -> Limits, rest: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut engine = engine(rest)?;
    let (mut nodes, mut seconds) = (0, 0.0);
    for line in POSITIONS.lines().skip(1) {
        let fen = line.split(',').nth(6).unwrap_or_default();
        engine.new_game();
        engine.set_position(fen, &[])?;
        let found = engine.search(Question::default(), &limits(), |_| {})?;
        nodes += found.nodes;
        seconds += found.elapsed.as_secs_f64();
        println!(
            "{:>3} depth {:>2} {:>10} nodes {:>8.3} s {} {}",
            line.split(',').next().unwrap_or_default(),
            found.depth,
            found.nodes,
            found.elapsed.as_secs_f64(),
            found.best_text().unwrap_or_default(),
            found.score
        );
    }
    println!("{nodes} nodes in {seconds:.2} s: {:.0} a second", nodes as f64 / seconds);
    Ok(())
}

/// Speedups of Dynamic Tree Splitting in virtual time.
fn simulated(depth: &str, processors: &str, rest: &[&str]) -> Result<(), Box<dyn Error>> {
    let (depth, processors): (i32, usize) = (depth.parse()?, processors.parse()?);
    let profile: Profile = rest.first().map_or(Ok(Profile::Classic), |text| text.parse())?;
    let engine = |threads| {
        Engine::new(EngineOptions {
            profile,
            threads,
            table_mebibytes: 64,
            simulate: Some(CostModel::default()),
            ..EngineOptions::default()
        })
    };
    let (mut alone, mut together) = (engine(1)?, engine(processors)?);
    let (mut sum, mut logarithms, mut count) = (0.0, 0.0, 0);
    for line in POSITIONS.lines().skip(1) {
        let fen = line.split(',').nth(6).unwrap_or_default();
        let search = |engine: &mut Engine| -> Result<Found, Box<dyn Error>> {
            engine.new_game();
            engine.set_position(fen, &[])?;
            Ok(engine.search(Question::default(), &Limits::new().with_depth(depth), |_| {})?)
        };
        let (one, many) = (search(&mut alone)?, search(&mut together)?);
        let speedup = one.elapsed.as_secs_f64() / many.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        println!(
            "{:>3} {:>10} nodes, speedup {speedup:>6.2}, nodes x {:.2}",
            line.split(',').next().unwrap_or_default(),
            one.nodes,
            many.nodes as f64 / one.nodes.max(1) as f64
        );
        sum += speedup;
        logarithms += speedup.ln();
        count += 1;
    }
    let count = f64::from(count.max(1));
    println!("speedup: arithmetic mean {:.2}, geometric {:.2}", sum / count, (logarithms / count).exp());
    Ok(())
}
