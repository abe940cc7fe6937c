//! How much faster hard single boards are solved by several processors.
//!
//!     cargo run --release -p dts-bridge --example speedup -- [--divide N] [--simulate P,...]
//!
//! Two threads against one, in turns; or with `--simulate`, the speedups of so many virtual processors by strategy.

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Duration;

use common::{data, records};
use dts_bridge::{Situation, Solver, SolverOptions};
use dts_engine::{CostModel, Limits, Options, Strategy};

fn boards(divide: usize) -> Vec<Situation> {
    let text = data("f_hard_single20.tsv");
    let board = |record: &Vec<&str>| {
        let deal = record[1].parse().expect("a deal");
        let (strain, leader) = (record[2].parse().expect("a strain"), record[3].parse().expect("a seat"));
        Situation::new(deal, strain, leader, &[]).expect("a position")
    };
    records(&text).iter().step_by(divide).map(board).collect()
}

/// The time and the nodes of one board, with a solver that knows nothing of it.
fn solve(situation: &Situation, search: &Options) -> (Duration, u64, u8) {
    let options = SolverOptions { search: search.clone(), ..SolverOptions::default() };
    let mut solver = Solver::new(options).expect("a solver");
    let solution = solver.solve(situation, &Limits::new()).expect("a solution");
    (solution.cost.elapsed, solution.cost.nodes, solution.tricks)
}

fn main() {
    let (mut divide, mut simulated) = (1, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().expect("a value");
        match word.as_str() {
            "--divide" => divide = value().parse().expect("a number"),
            "--simulate" => simulated = value().split(',').map(|p| p.parse().expect("a number")).collect(),
            _ => panic!("{word}?"),
        }
    }
    let boards = boards(divide);
    if simulated.is_empty() {
        let mut total = [Duration::ZERO; 2];
        for board in &boards {
            let found = [1, 2].map(|processors| solve(board, &Options { processors, ..Options::default() }));
            assert_eq!(found[0].2, found[1].2, "one and two processors differ");
            total = [0, 1].map(|at| total[at] + found[at].0);
        }
        let ratio = total[0].as_secs_f64() / total[1].as_secs_f64();
        println!("one thread {:.3?}, two {:.3?}: {ratio:.2} times as fast", total[0], total[1]);
        return;
    }
    let simulate = Some(CostModel::default());
    let alone: Vec<_> =
        boards.iter().map(|board| solve(board, &Options { simulate, ..Options::default() })).collect();
    for strategy in [Strategy::Dts, Strategy::DtsAdaptive] {
        for &processors in &simulated {
            let (mut speedups, mut nodes) = (0.0, 0.0);
            for (board, alone) in boards.iter().zip(&alone) {
                let found = solve(board, &Options { strategy, processors, simulate, ..Options::default() });
                assert_eq!(found.2, alone.2, "{processors} processors differ from one");
                speedups += alone.0.as_secs_f64() / found.0.as_secs_f64();
                nodes += found.1 as f64 / alone.1 as f64;
            }
            let count = boards.len() as f64;
            println!(
                "{:12} P = {processors:2}: mean speedup {:5.2}, nodes {:.2} times those of one",
                strategy.name(),
                speedups / count,
                nodes / count
            );
        }
    }
}
