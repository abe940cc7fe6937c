//! Endings against plain minimax: every card, any number of processors.

mod common;

use common::{Random, listed, random_ending, slow};
use dts_bridge::{Solver, SolverOptions};
use dts_engine::{CostModel, Limits, Options};

fn compare(processors: usize, simulate: bool, seed: u64, endings: usize, longest: usize) {
    let search = Options {
        processors,
        simulate: simulate.then(CostModel::default),
        wake_after: 0,
        ..Options::default()
    };
    let mut solver = Solver::new(SolverOptions { search, table_mebibytes: 1 }).expect("a solver");
    let mut random = Random(seed);
    for at in 0..endings {
        let situation = random_ending(&mut random, 1 + at % longest);
        let wanted = slow::all_cards(&situation);
        let solution = solver.solve(&situation, &Limits::new()).expect("a solution");
        let best = wanted.iter().map(|&(_, tricks)| tricks).max().expect("cards");
        assert_eq!(solution.tricks, best, "{situation:?}");
        assert!(
            wanted.contains(&(solution.best, best)),
            "{} is no best card of {situation:?}",
            solution.best
        );
        let values = solver.solve_cards(&situation, &Limits::new()).expect("a solution");
        assert_eq!(listed(&values), wanted, "{situation:?}");
    }
}

#[test]
fn one_processor() {
    compare(1, false, 1, 3_000, 4);
}

#[test]
fn five_cards() {
    compare(1, false, 5, 200, 5);
}

#[test]
fn two_and_four_threads() {
    compare(2, false, 2, 300, 4);
    compare(4, false, 3, 300, 4);
}

#[test]
fn sixteen_simulated() {
    compare(16, true, 4, 300, 4);
}
