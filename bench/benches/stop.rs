//! How long a search takes to return once it is stopped from another thread: the exact search of kalah with 6 pits and 6
//! stones, stopped at random moments. Prints the median, the 99th percentile and the most, with one processor and with two.
//!
//! Wall-clock time, so a busy machine shows in it: the load is printed beside. `stop [rounds]`

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use dts_engine::{Limits, Options};
use dts_kalah::{Board, Endgames, Rules, Solver, SolverOptions};

/// Stops a number of processors.
const ROUNDS: usize = 500;
/// Moments at which searches are stopped, in microseconds: the iterations that prepare, and well into the last one.
const MOMENTS: std::ops::Range<u64> = 100..30_000;
/// Stones of the database, so that its lookups are part of what is stopped.
const DATABASE: u32 = 12;

/// A generator of the same moments in every run (splitmix64).
struct Moments(u64);

impl Moments {
    fn next(&mut self) -> Duration {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        Duration::from_micros(MOMENTS.start + (x ^ x >> 31) % (MOMENTS.end - MOMENTS.start))
    }
}

fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or_default().to_owned()
}

/// The times from a stop to the return of the search that was stopped.
fn latencies(processors: usize, rounds: usize) -> Vec<Duration> {
    let board = Board::start(6, 6).expect("a board of usual size");
    let search = Options { processors, ..Options::default() };
    let endgames = Endgames::Stones(DATABASE);
    let options = SolverOptions { search, table_mebibytes: 64, endgames, ..SolverOptions::default() };
    let mut solver = Solver::new(Rules::SEED, &board, options).expect("room for a small table");

    let (to_stopper, jobs) = mpsc::channel::<(Limits, Duration)>();
    let (to_main, stops) = mpsc::channel::<Instant>();
    let stopper = thread::spawn(move || {
        for (limits, wait) in jobs {
            thread::sleep(wait);
            let stopped = Instant::now();
            limits.stop();
            to_main.send(stopped).expect("the main thread waits for this");
        }
    });
    let mut moments = Moments(1);
    let mut latencies = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let limits = Limits::new();
        to_stopper.send((limits.clone(), moments.next())).expect("the stopper waits for this");
        let solution = solver.value(&board, &limits).expect("a board of usual size");
        let returned = Instant::now();
        assert!(solution.value().is_none(), "a search that takes hours was over in no time");
        latencies.push(returned.saturating_duration_since(stops.recv().expect("the stopper answers")));
    }
    drop(to_stopper);
    stopper.join().expect("the stopper does not panic");
    latencies.sort_unstable();
    latencies
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rounds = match arguments.iter().find_map(|argument| argument.parse().ok()) {
        Some(rounds) => rounds,
        None if arguments.iter().any(|argument| argument == "--test") => 5,
        None => ROUNDS,
    };
    println!(
        "{:<12} {:>7} {:>10} {:>10} {:>10}   load before and after",
        "processors", "stops", "median", "99 %", "most"
    );
    let cores = thread::available_parallelism().map_or(1, usize::from);
    for processors in [1, 2].into_iter().filter(|&processors| processors <= cores) {
        let before = load();
        let latencies = latencies(processors, rounds);
        let at = |share: f64| {
            latencies[((rounds as f64 * share).ceil() as usize).clamp(1, rounds) - 1].as_secs_f64() * 1e6
        };
        let (median, late, most) = (at(0.5), at(0.99), at(1.0));
        println!(
            "{processors:<12} {rounds:>7} {median:>7.0} us {late:>7.0} us {most:>7.0} us   {before} {}",
            load()
        );
    }
}
