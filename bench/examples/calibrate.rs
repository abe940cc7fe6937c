//! What things cost on this machine, in the node times of a game: prints a cost model for the simulator, as `--costs` of
//! `dts speedup --backend simulated` takes it. `calibrate kalah|synthetic [rounds]`
//!
//! - A node: the time of a search by one processor over its nodes.
//! - A split, with the join that answers it, and a ply copied: branches handed over from one thread to another, at different plies
//!   of small trees without a grain; the times are laid on handovers and plies by least squares. Times of more than three times the
//!   median are those of a thread that was interrupted, and do not count.
//! - A look for work that finds none, and the pause before the next: by a thread without work.
//! - What goes from core to core: a flag raised by one thread until another has seen it, and a lock with some cache lines behind it
//!   that two threads take in turns. Half of a flag's time is laid on its sender and half on its reader.
//!
//! - What a node costs more while another processor is at work (crowding): searches of some seconds by one and by two processors in
//!   turns, of positions that no comparison with simulations is made on. The least time of either a position, and of their ratios the
//!   mean.
//!
//! Where nothing else is said the least of many times is taken, so that a busy machine does little harm. A move selected costs nothing of its own: it is
//! part of the node.

#[path = "../benches/plain/mod.rs"]
#[allow(dead_code)]
mod plain;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Instant;

use dts_bench::least_squares;
use dts_engine::calibration::{Handover, handovers};
use dts_engine::{CostModel, Game, Limits, Options, Plan, Report, Searcher};
use dts_kalah::{Board, Endgames, Rules, Solver, SolverOptions};
use dts_synthetic::{Shape, Tree};

/// Repetitions of each measurement, if nothing else is asked for.
const ROUNDS: usize = 15;
/// Handovers a round and position.
const HANDOVERS: u64 = 50;
/// A grain that nothing is below.
const NO_GRAIN: i32 = -1;

/// Nanoseconds.
struct Costs {
    split: f64,
    ply_copied: f64,
    idle_poll: f64,
}

/// Hands work over in a game, which has no grain, at these positions.
fn hand_over<G: Game>(
    game: &dyn Fn() -> (G, G::Shared),
    roots: &[G::Position],
    depth: i32,
    rounds: usize,
) -> Costs {
    let mut all: Vec<Handover> = Vec::new();
    for root in roots {
        let (game, shared) = game();
        all.extend(handovers(game, shared, root, depth, rounds as u64 * HANDOVERS));
    }
    let together = |handover: &Handover| (handover.split + handover.join) as f64;
    let mut times: Vec<f64> = all.iter().map(together).collect();
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    let observations: Vec<_> = all
        .iter()
        .filter(|handover| together(handover) <= 3.0 * median)
        .map(|handover| ([1.0, handover.plies as f64], together(handover)))
        .collect();
    let [split, ply_copied] = least_squares(&observations).expect("handovers at different plies");
    eprintln!(
        "{} handovers of {median:.0} ns (median), of {:.1} plies copied (mean); {} of them longer than three times the median",
        all.len(),
        all.iter().map(|handover| handover.plies as f64).sum::<f64>() / all.len() as f64,
        all.len() - observations.len()
    );
    let mut looks: Vec<u64> = all.iter().map(|handover| handover.look).collect();
    looks.sort_unstable();
    Costs { split, ply_copied, idle_poll: looks[looks.len() / 2] as f64 }
}

fn least(rounds: usize, measure: impl FnMut() -> f64) -> f64 {
    std::iter::repeat_with(measure).take(rounds.max(1)).fold(f64::INFINITY, f64::min)
}

/// Looks at a flag before its thread gives way: some milliseconds, so that the system takes threads on one core apart.
const LONGEST_SPIN: u32 = 100_000;

/// A flag on cache lines of its own.
#[repr(align(128))]
#[derive(Default)]
struct Flag(AtomicU32);

impl Flag {
    fn raise(&self) {
        self.0.fetch_or(1, Ordering::Release);
    }

    fn wait(&self) {
        let mut looks = 0_u32;
        while self.0.load(Ordering::Relaxed) == 0 {
            looks = looks.saturating_add(1);
            // On a busy machine the other thread may want this very core.
            if looks < LONGEST_SPIN { std::hint::spin_loop() } else { thread::yield_now() }
        }
        self.0.swap(0, Ordering::Acquire);
    }
}

/// A cache line of data.
#[repr(align(64))]
#[derive(Clone, Copy, Default)]
struct Line(u64);

/// Turns that two threads take before the clock is looked at.
const TURNS: u32 = 100;

/// Nanoseconds of a turn of two threads, each of which raises the other's flag once it has changed so many cache lines under a lock;
/// none is without the lock.
fn turn(rounds: usize, lines: Option<usize>) -> f64 {
    let flags = [Flag::default(), Flag::default()];
    let data = Mutex::new(vec![Line::default(); lines.unwrap_or(0)]);
    let take_turn = |mine: usize| {
        flags[mine].wait();
        if lines.is_some() {
            data.lock().expect("nobody panics").iter_mut().for_each(|line| line.0 += 1);
        }
        flags[1 - mine].raise();
    };
    let batches = rounds * 50;
    thread::scope(|scope| {
        scope.spawn(|| (0..batches as u32 * TURNS).for_each(|_| take_turn(1)));
        flags[0].raise();
        least(batches, || {
            let began = Instant::now();
            (0..TURNS).for_each(|_| take_turn(0));
            began.elapsed().as_nanos() as f64 / f64::from(2 * TURNS)
        })
    })
}

/// Nanoseconds of a node of an exact search of kalah.
fn kalah_node(rounds: usize) -> f64 {
    let board = Board::start(6, 3).expect("a board of usual size");
    least(rounds.div_ceil(3), || {
        let options =
            SolverOptions { table_mebibytes: 64, endgames: Endgames::None, ..SolverOptions::default() };
        let mut solver = Solver::new(Rules::SEED, &board, options).expect("a small table");
        let solution = solver.value(&board, &Limits::new()).expect("no panic");
        let report = solution.report.expect("a search");
        report.elapsed.as_nanos() as f64 / report.nodes as f64
    })
}

/// Nanoseconds of a node of an artificial tree of the usual shape.
fn synthetic_node(rounds: usize) -> f64 {
    let shape = Shape::default();
    let tree = Tree::new(shape, 1).expect("the usual shape");
    let root = tree.root();
    let mut searcher = Searcher::new(tree, None, Options::default()).expect("one processor");
    least(rounds.div_ceil(3), || {
        let plan = Plan::fixed(shape.depth as i32);
        let report = searcher.search(root, plan, &Limits::new()).expect("no panic");
        report.elapsed.as_nanos() as f64 / report.nodes as f64
    })
}

/// Nodes of a search whose nodes' time is taken: enough to fill the table and the caches.
const NODES: u64 = 8_000_000;

/// How much longer, as a share, a node takes while another processor searches too. `search` searches a position so many nodes long on
/// so many processors.
fn crowding<M>(
    rounds: usize,
    positions: usize,
    mut search: impl FnMut(usize, usize, &Limits) -> Report<M>,
) -> f64 {
    let mut node = |position, processors| {
        let limits = Limits::new();
        limits.set_nodes(Some(NODES));
        let report = search(position, processors, &limits);
        let at_work = report.elapsed.as_secs_f64() * processors as f64 - report.total().idle.as_secs_f64();
        at_work / report.nodes as f64
    };
    let of_position = (0..positions).map(|position| {
        let [mut one, mut two] = [f64::INFINITY; 2];
        for _ in 0..rounds.max(1) {
            one = one.min(node(position, 1));
            two = two.min(node(position, 2));
        }
        eprintln!(
            "position {}: a node takes {:.1} ns of one processor and {:.1} ns of two, {:.3} times as much",
            position + 1,
            one * 1e9,
            two * 1e9,
            two / one
        );
        two / one
    });
    of_position.sum::<f64>() / positions as f64 - 1.0
}

/// Crowding in exact searches of kalah that share a table.
fn kalah_crowding(rounds: usize) -> f64 {
    let boards = [(6, 4), (5, 5), (7, 4), (8, 3)]
        .map(|(pits, stones)| Board::start(pits, stones).expect("usual sizes"));
    crowding(rounds, boards.len(), |position, processors, limits| {
        let usual = SolverOptions::default();
        let search = Options { processors, ..usual.search.clone() };
        let options = SolverOptions { search, table_mebibytes: 64, endgames: Endgames::None, ..usual };
        let board = &boards[position];
        let mut solver = Solver::new(Rules::SEED, board, options).expect("a small table");
        solver.value(board, limits).expect("no panic").report.expect("a search")
    })
}

/// Crowding in artificial trees.
fn synthetic_crowding(rounds: usize) -> f64 {
    let wide = Shape { depth: 10, ..Shape::default() };
    let shapes = [wide, Shape { width: 6, depth: 20, ..wide }, Shape { width: 12, depth: 14, ..wide }];
    crowding(rounds, shapes.len(), |position, processors, limits| {
        let shape = shapes[position];
        let tree = Tree::new(shape, 101).expect("shapes like the usual one");
        let root = tree.root();
        let options = Options { processors, ..Options::default() };
        let mut searcher = Searcher::new(tree, None, options).expect("two processors");
        searcher.search(root, Plan::fixed(shape.depth as i32), limits).expect("no panic")
    })
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let game = arguments.next().unwrap_or_default();
    let rounds = arguments.next().map_or(ROUNDS, |text| text.parse().expect("a number of rounds"));
    let (node, costs, crowding) = match &*game {
        "kalah" => {
            let roots: Vec<_> = plain::positions().into_iter().map(|(_, board)| board).collect();
            let costs = hand_over(&|| (plain::game(Some(NO_GRAIN)), ()), &roots, 10, rounds);
            (kalah_node(rounds), costs, kalah_crowding(rounds))
        }
        "synthetic" => {
            let shape = Shape { depth: 10, grain: 0, ..Shape::default() };
            let tree = || Tree::new(shape, 1).expect("a shape like the usual one");
            let costs = hand_over(&|| (tree(), None), &[tree().root()], shape.depth as i32, rounds);
            (synthetic_node(rounds), costs, synthetic_crowding(rounds))
        }
        _ => {
            eprintln!("calibrate: `{game}`: accepted: kalah or synthetic, then the rounds if wanted");
            std::process::exit(2);
        }
    };
    let [message, bare, few] = [None, Some(0), Some(2)].map(|lines| turn(rounds, lines));
    let pause = least(rounds * 100, || {
        let began = Instant::now();
        (0..10).for_each(|_| thread::yield_now());
        began.elapsed().as_nanos() as f64 / 10.0
    });
    eprintln!(
        "nanoseconds: node {node:.0}, split and join {:.0}, ply {:.0}, flag raised until seen {message:.0}, lock {:.0}, lock and two \
         cache lines {:.0}, look for work {:.0}, then a pause of {pause:.0}; crowding {crowding:.3} of a node",
        costs.split,
        costs.ply_copied,
        bare - message,
        few - message,
        costs.idle_poll,
    );
    let in_nodes = |nanoseconds: f64| (nanoseconds.max(0.0) / node * 1e3).round() as u64;
    let model = CostModel {
        node: 1_000,
        selected: 0,
        split: in_nodes(costs.split),
        ply_copied: in_nodes(costs.ply_copied),
        message: in_nodes(message / 2.0),
        lock: in_nodes(few - message),
        idle_poll: in_nodes(costs.idle_poll + pause).max(1),
        crowding: (crowding.max(0.0) * 1e3).round() as u64,
        ..CostModel::default()
    };
    println!("{model}");
}
