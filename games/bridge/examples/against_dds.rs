//! Our solver against the DDS library (Debian's `libdds0` 2.9.0), by CPU time, one thread each, in turns.
//!
//!     cargo run --release -p dts-bridge --example against_dds -- [SUITE,...] [--divide N] [--ours]
//!
//! Suites: tables, singles, leads, hard-tables, hard-singles, thomas1. `--divide N` takes every Nth board only; `--ours` leaves the
//! library out.

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Duration;

use common::dds::Dds;
use common::{Random, data, random_deal, records};
use dts_bridge::{Deal, Seat, Situation, Solver, SolverOptions, Strain};
use dts_engine::Limits;

#[repr(C)]
struct TimeSpec {
    seconds: std::ffi::c_long,
    nanoseconds: std::ffi::c_long,
}

// SAFETY: this is how the C library declares it.
unsafe extern "C" {
    fn clock_gettime(clock: std::ffi::c_int, time: *mut TimeSpec) -> std::ffi::c_int;
}

const PROCESS_CPU_TIME: std::ffi::c_int = 2;

/// The CPU time of this process, all its threads together.
fn cpu() -> Duration {
    let mut time = TimeSpec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the types are those of 64-bit Linux, and `time` outlives the call.
    let code = unsafe { clock_gettime(PROCESS_CPU_TIME, &mut time) };
    assert_eq!(code, 0, "clock_gettime");
    Duration::new(time.seconds as u64, time.nanoseconds as u32)
}

struct Board {
    deal: Deal,
    /// A single solve; none for a table.
    single: Option<(Strain, Seat)>,
}

fn boards(suite: &str) -> Vec<Board> {
    let whole = |deal| Board { deal, single: None };
    let column = |name: &str| -> Vec<Deal> {
        records(&data(name)).iter().map(|record| record[1].parse().expect("a deal")).collect()
    };
    let singles = |name: &str| -> Vec<Board> {
        let text = data(name);
        let board = |record: &Vec<&str>| Board {
            deal: record[1].parse().expect("a deal"),
            single: Some((record[2].parse().expect("a strain"), record[3].parse().expect("a seat"))),
        };
        records(&text).iter().map(board).collect()
    };
    let random = || {
        let mut random = Random(2026);
        (0..100).map(|_| random_deal(&mut random, 13)).collect::<Vec<_>>()
    };
    match suite {
        "tables" => random().into_iter().map(whole).collect(),
        "singles" => random()
            .into_iter()
            .enumerate()
            .flat_map(|(at, deal)| {
                Strain::ALL.map(|strain| Board { deal, single: Some((strain, Seat::ALL[at % 4])) })
            })
            .collect(),
        "leads" => singles("a_dds_list1000_leads.tsv"),
        "hard-tables" => column("f_hard20.tsv").into_iter().map(whole).collect(),
        "hard-singles" => singles("f_hard_single20.tsv"),
        "thomas1" => column("a_dds_thomas1.tsv").into_iter().map(whole).collect(),
        _ => panic!("unknown suite {suite}"),
    }
}

fn main() {
    let mut suites = "tables,singles,leads,hard-tables,hard-singles".to_owned();
    let (mut divide, mut ours_only) = (1, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--divide" => divide = words.next().and_then(|word| word.parse().ok()).expect("a number"),
            "--ours" => ours_only = true,
            _ => suites = word,
        }
    }
    let dds = if ours_only { None } else { Dds::load() };
    if dds.is_none() {
        eprintln!("without the DDS library");
    }
    let mut solver = Solver::new(SolverOptions::default()).expect("a solver");
    let limits = Limits::new();
    for suite in suites.split(',') {
        let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
        let mut nodes = 0;
        let mut checksum = 0u64;
        let boards: Vec<Board> = boards(suite).into_iter().step_by(divide).collect();
        for board in &boards {
            let began = cpu();
            let found = match board.single {
                None => {
                    let (found, cost) = solver.table(&board.deal, &limits).expect("a table");
                    nodes += cost.nodes;
                    Strain::ALL.map(|strain| Seat::ALL.map(|seat| found.tricks(strain, seat)))
                }
                Some((strain, leader)) => {
                    let situation = Situation::new(board.deal, strain, leader, &[]).expect("a position");
                    let solution = solver.solve(&situation, &limits).expect("a solution");
                    nodes += solution.cost.nodes;
                    [[solution.tricks; 4]; 5]
                }
            };
            let middle = cpu();
            ours += middle - began;
            checksum = found
                .iter()
                .flatten()
                .fold(checksum, |sum, &tricks| sum.wrapping_mul(31) + u64::from(tricks));
            if let Some(dds) = &dds {
                let wanted = match board.single {
                    None => dds.table(&board.deal),
                    Some((strain, leader)) => {
                        let situation = Situation::new(board.deal, strain, leader, &[]).expect("a position");
                        [[dds.solve(&situation, 1)[0].1; 4]; 5]
                    }
                };
                theirs += cpu() - middle;
                assert_eq!(found, wanted, "{suite}: {}", board.deal);
            }
        }
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        println!(
            "{suite:13} {:5} boards  ours {:8.3} s  {:11} nodes {:6.1} ns  theirs {:8.3} s  ratio {ratio:.3}  [{:x}]",
            boards.len(),
            ours.as_secs_f64(),
            nodes,
            ours.as_secs_f64() * 1e9 / nodes as f64,
            theirs.as_secs_f64(),
            checksum & 0xffff_ffff,
        );
    }
    if dds.is_some() {
        common::dds::leave();
    }
}
