//! Agreement with the DDS library, where it is installed.

mod common;

use common::dds::Dds;
use common::{Random, listed, random_deal, random_ending};
use dts_bridge::{Seat, Situation, Solver, SolverOptions, Strain};
use dts_engine::{CostModel, Limits, Options};

fn solver(processors: usize, simulate: bool) -> Solver {
    let search = Options {
        processors,
        simulate: simulate.then(CostModel::default),
        wake_after: 0,
        ..Options::default()
    };
    Solver::new(SolverOptions { search, table_mebibytes: 16 }).expect("a solver")
}

fn endings(dds: &Dds, seed: u64, count: usize) {
    let mut random = Random(seed);
    let mut solver = solver(1, false);
    for at in 0..count {
        let situation = random_ending(&mut random, 2 + at % 7);
        let values = solver.solve_cards(&situation, &Limits::new()).expect("values");
        assert_eq!(listed(&values), dds.solve(&situation, 3), "{situation:?}");
    }
}

fn deals(dds: &Dds, seed: u64, count: usize) {
    let mut random = Random(seed);
    let mut solver = solver(1, false);
    for at in 0..count {
        let deal = random_deal(&mut random, 13);
        let (strain, leader) = (Strain::ALL[at % 5], Seat::ALL[at / 5 % 4]);
        let situation = Situation::new(deal, strain, leader, &[]).expect("a position");
        let solution = solver.solve(&situation, &Limits::new()).expect("a value");
        assert_eq!(solution.tricks, dds.solve(&situation, 1)[0].1, "{situation:?}");
    }
}

/// One board with several processors.
fn several_processors(dds: &Dds, seed: u64, count: usize) {
    for (processors, simulate) in [(2, false), (4, false), (16, true)] {
        let mut random = Random(seed);
        let mut solver = solver(processors, simulate);
        for at in 0..count {
            let deal = random_deal(&mut random, 13);
            let situation =
                Situation::new(deal, Strain::ALL[at % 5], Seat::ALL[at % 4], &[]).expect("a position");
            let solution = solver.solve(&situation, &Limits::new()).expect("a value");
            assert_eq!(solution.tricks, dds.solve(&situation, 1)[0].1, "{processors}: {situation:?}");
        }
    }
}

/// Not the usual harness: the library keeps its memory in globals, and does not survive the usual end of a program.
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let asks = |name: &str| arguments.iter().any(|argument| argument == name);
    if asks("--list") {
        return;
    }
    let Some(dds) = Dds::load() else {
        eprintln!("skipped: the DDS library is not installed (Debian: apt-get install libdds0)");
        return;
    };
    if asks("--ignored") || asks("--include-ignored") {
        endings(&dds, 31, 20_000);
        deals(&dds, 32, 20_000);
        several_processors(&dds, 33, 200);
    } else {
        endings(&dds, 21, 1_500);
        deals(&dds, 22, 60);
        several_processors(&dds, 23, 5);
    }
    println!("agreement with the DDS library: ok");
    common::dds::leave();
}
