//! A recorded tree is the game's own, whatever is searched in it, and a file is either that tree or an error.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use dts_engine::conformance::{Conformance, minimax};
use dts_engine::table::Table;
use dts_engine::{
    Answer, Attempt, CostModel, Game, Limits, Memory, Node, Opening, Options, Plan, Range, Scope, Searcher,
    Side, SplitPolicy, Strategy, scout_first,
};
use dts_kalah::{Board, Depth, Evaluation, Horizon, Order, Rules};
use dts_synthetic::{
    FileFault, Kind, Misfit, NodeCost, RecordError, RecordPhase, Recorded, Recording, Replayed, Shape, Tree,
    TreeFileError, record,
};

/// A tree of kalah, with keys or without.
fn kalah(board: &str, plies: u32, below: u32, keys: bool) -> Recorded {
    let board: Board = board.parse().expect("a board");
    let (game, root) = horizon(&board, Depth::Moves);
    let key = |position: &_| Some(game.key(position));
    let recording = Recording {
        game: "kalah",
        description: "a test",
        plies,
        below,
        key: keys.then_some(&key),
        ..Recording::default()
    };
    record(&game, &(), root, &recording).expect("a tree")
}

fn horizon(board: &Board, depth: Depth) -> (Horizon<u64>, dts_kalah::position::Position<u64>) {
    Horizon::of(Rules::SEED, board, Evaluation::Difference, depth, Order::ExtraTurnsFirst)
        .expect("a board that fits")
}

const BOARDS: [&str; 4] = [
    "2,2,2,0 | 2,2,2,0 A",
    "0,1,2,3 | 3,0,1,7 B",
    "1,0,0,5,1,2 | 0,2,1,1,0,9 A",
    "3,3,3,3,3,3,0 | 3,3,3,3,3,3,0 A",
];

#[test]
fn the_value_is_that_of_the_game_at_the_same_depth() {
    for board in BOARDS {
        let parsed: Board = board.parse().expect("a board");
        let (game, root) = horizon(&parsed, Depth::Moves);
        for (plies, below) in [(1, 0), (1, 4), (2, 3), (4, 0), (4, 2), (3, 4)] {
            let wanted = minimax(&game, &(), &root, (plies + below) as i32);
            for keys in [false, true] {
                let recorded = kalah(board, plies, below, keys);
                assert_eq!(recorded.value(), wanted, "{board}, {plies} and {below}");
                assert_eq!((recorded.plies(), recorded.below()), (plies, below));
                assert!(recorded.depth() <= plies && recorded.cost() >= u64::from(recorded.leaves()));
            }
        }
    }
}

#[test]
fn depth_may_count_something_else_than_plies() {
    for board in BOARDS {
        let board: Board = board.parse().expect("a board");
        let (game, root) = horizon(&board, Depth::Turns);
        let recording = Recording { plies: 3, below: 1, ..Recording::default() };
        let recorded = record(&game, &(), root, &recording).expect("a tree");
        assert_eq!(recorded.value(), minimax(&game, &(), &root, 4), "{board}");
    }
}

#[test]
fn a_recorded_tree_keeps_the_promises() {
    for (number, board) in BOARDS.into_iter().enumerate() {
        let keys = number % 2 == 1;
        let recorded = Arc::new(kalah(board, 4, 2, keys));
        assert_eq!(recorded.has_keys(), keys);
        let kit = Conformance { depth: recorded.depth() as i32, games: 3, ..Conformance::default() };
        let game = || Replayed::new(Arc::clone(&recorded));
        kit.check(game, || keys.then(|| Table::new(1).expect("a mebibyte")), &[game().root()]);
    }
}

#[test]
fn every_shape_of_tree_is_recorded_as_it_is() {
    let shapes = [
        Shape { width: 5, depth: 6, gains: 9, ..Shape::default() },
        Shape { width: 6, depth: 6, narrowest: Some(1), early_leaves: 0.2, forced: 0.2, ..Shape::default() },
        Shape { width: 4, depth: 7, extra_turns: 0.4, step: 5, ..Shape::default() },
        Shape { width: 5, depth: 5, kind: Kind::Planted { first: 0.6 }, ..Shape::default() },
    ];
    for (seed, shape) in (0..).zip(shapes) {
        let tree = Tree::new(shape, seed).expect("a possible shape");
        let wanted = minimax(&tree, &None, &tree.root(), shape.depth as i32);
        let recording = Recording { plies: 3, below: shape.depth - 3, ..Recording::default() };
        let recorded = Arc::new(record(&tree, &None, tree.root(), &recording).expect("a tree"));
        assert_eq!(recorded.value(), wanted);
        let replayed = Replayed::new(Arc::clone(&recorded));
        assert_eq!(minimax(&replayed, &None, &replayed.root(), 3), wanted);
    }
}

/// The nodes and the work in virtual time of a search with one processor.
fn alone(recorded: &Arc<Recorded>) -> (u64, f64) {
    let replayed = Replayed::new(Arc::clone(recorded));
    let (root, plan) = (replayed.root(), Plan::fixed(recorded.depth() as i32));
    let options = Options { simulate: Some(CostModel::default()), ..Options::default() };
    let mut searcher = Searcher::new(replayed, None, options).expect("no threads needed");
    let report = searcher.search(root, plan, &Limits::new()).expect("no panic");
    assert_eq!(report.state.expect("a result").range, Range::exact(recorded.value()));
    (report.nodes, report.virtual_time.expect("a simulation").work)
}

#[test]
fn leaves_cost_what_their_searches_did() {
    // A leaf with no ply below it is one node.
    let flat = Arc::new(kalah(BOARDS[3], 5, 0, false));
    assert_eq!(flat.cost(), u64::from(flat.leaves()));
    let (nodes, work) = alone(&flat);
    assert_eq!(work, nodes as f64);
    // The same search of the game is of about as many nodes as the work of the replayed one.
    let deep = Arc::new(kalah(BOARDS[3], 4, 5, false));
    let (_, work) = alone(&deep);
    let (game, root) = horizon(&BOARDS[3].parse().expect("a board"), Depth::Moves);
    let mut searcher = Searcher::new(game, (), Options::default()).expect("threads");
    let real = searcher.search(root, Plan::fixed(9), &Limits::new()).expect("no panic");
    let ratio = work / real.nodes as f64;
    assert!((0.5..2.0).contains(&ratio), "{work} for {} nodes", real.nodes);
    // What a game adds to the cost of nodes is part of it.
    let cost = |cost| {
        let shape = Shape { width: 8, depth: 5, cost, ..Shape::default() };
        let tree = Tree::new(shape, 1).expect("a possible shape");
        let recording = Recording { plies: 2, below: 3, ..Recording::default() };
        record(&tree, &None, tree.root(), &recording).expect("a tree").cost() as f64
    };
    let ratio = cost(NodeCost::HeavyTailed) / cost(NodeCost::Constant);
    assert!((4.0..6.0).contains(&ratio), "{ratio}");
}

#[test]
fn any_number_of_processors_finds_the_value() {
    let recorded = Arc::new(kalah(BOARDS[3], 6, 2, true));
    for processors in [1, 2, 7, 16] {
        for strategy in Strategy::ALL {
            for simulate in [None, Some(CostModel::default())] {
                let replayed = Replayed::new(Arc::clone(&recorded));
                let (root, plan) = (replayed.root(), Plan::fixed(recorded.depth() as i32));
                let options = Options { processors, strategy, simulate, wake_after: 0, ..Options::default() };
                let table = Table::new(1).expect("a mebibyte");
                let mut searcher = Searcher::new(replayed, Some(table), options).expect("threads");
                let report = searcher.search(root, plan, &Limits::new()).expect("no panic");
                assert_eq!(report.state.expect("a result").range, Range::exact(recorded.value()));
            }
        }
    }
}

#[test]
fn the_speedup_is_about_that_of_the_game() {
    let (plies, below) = (6, 4);
    let recorded = Arc::new(kalah("6,6,6,6,6,6,0 | 6,6,6,6,6,6,0 A", plies, below, false));
    let replayed = |processors| {
        let game = Replayed::new(Arc::clone(&recorded));
        let policy = game.split_policy(SplitPolicy::default());
        let simulate = Some(CostModel::default());
        let options = Options { processors, policy, simulate, ..Options::default() };
        let (root, plan) = (game.root(), Plan::fixed(recorded.depth() as i32));
        let mut searcher = Searcher::new(game, None, options).expect("no threads needed");
        let report = searcher.search(root, plan, &Limits::new()).expect("no panic");
        report.virtual_time.expect("a simulation").time
    };
    let real = |processors| {
        let board = "6,6,6,6,6,6,0 | 6,6,6,6,6,6,0 A".parse().expect("a board");
        let (game, root) = horizon(&board, Depth::Moves);
        let options = Options { processors, simulate: Some(CostModel::default()), ..Options::default() };
        let mut searcher = Searcher::new(game.with_grain(2), (), options).expect("no threads needed");
        let plan = Plan::fixed((plies + below) as i32);
        let report = searcher.search(root, plan, &Limits::new()).expect("no panic");
        report.virtual_time.expect("a simulation").time
    };
    let (of_tree, of_game) = (replayed(1) / replayed(16), real(1) / real(16));
    let ratio = of_tree / of_game;
    assert!((0.7..1.4).contains(&ratio), "{of_tree} replayed, {of_game} in the game");
}

#[test]
fn a_table_saves_nodes() {
    let recorded = Arc::new(kalah(BOARDS[3], 8, 0, true));
    let nodes = |table: Option<Table>| {
        let replayed = Replayed::new(Arc::clone(&recorded));
        let (root, plan) = (replayed.root(), Plan::fixed(recorded.depth() as i32));
        let mut searcher = Searcher::new(replayed, table, Options::default()).expect("threads");
        searcher.search(root, plan, &Limits::new()).expect("no panic").nodes
    };
    let (with, without) = (nodes(Some(Table::new(1).expect("a mebibyte"))), nodes(None));
    assert!(with < without, "{with} nodes instead of {without}");
}

#[test]
fn a_table_holds_the_outermost_values() {
    for value in [-524_287, 524_287] {
        let game = Odd { value, ..ODD };
        let key = |position: &u32| Some(u64::from(*position));
        let recording = Recording { plies: 5, below: 1, key: Some(&key), ..Recording::default() };
        let recorded = Arc::new(record(&game, &(), 1, &recording).expect("a tree"));
        let table = Table::new(1).expect("a mebibyte");
        let replayed = Replayed::new(Arc::clone(&recorded));
        let root = replayed.root();
        let mut searcher = Searcher::new(replayed, Some(table), Options::default()).expect("threads");
        for _ in 0..2 {
            let report = searcher.search(root, Plan::fixed(5), &Limits::new()).expect("no panic");
            assert_eq!(report.state.expect("a result").range, Range::exact(value));
        }
    }
}

#[test]
fn the_same_recording_gives_the_same_bytes() {
    for (board, keys) in BOARDS.into_iter().zip([false, true, true, false]) {
        let [one, other] = [kalah(board, 4, 3, keys), kalah(board, 4, 3, keys)].map(|tree| tree.to_bytes());
        assert_eq!(one, other);
        let again = Recorded::from_bytes(&one).expect("what was written");
        assert_eq!(again, kalah(board, 4, 3, keys));
        assert_eq!(again.to_bytes(), one);
    }
}

#[test]
fn a_recording_is_watched_and_stopped() {
    let (game, root) = horizon(&BOARDS[3].parse().expect("a board"), Depth::Moves);
    let last = Cell::new(None);
    let calls = Cell::new(0);
    let progress = |now: dts_synthetic::RecordProgress| {
        if let Some(before) = last.replace(Some(now)) {
            assert!(now.phase == RecordPhase::Costs || before.phase == RecordPhase::Values);
            assert!(now.done >= before.done || now.phase != before.phase);
            assert!(now.done <= now.total && now.nodes >= before.nodes);
        }
        calls.set(calls.get() + 1);
    };
    let recording = Recording { plies: 4, below: 6, progress: Some(&progress), ..Recording::default() };
    record(&game, &(), root, &recording).expect("a tree");
    assert!(calls.get() > 10, "{} calls", calls.get());
    assert!(last.get().is_some_and(|last| last.phase == RecordPhase::Costs && last.done == last.total));
    let asked = Cell::new(0);
    let stop = || asked.replace(asked.get() + 1) >= 3;
    let recording = Recording { plies: 4, below: 6, stop: Some(&stop), ..Recording::default() };
    assert_eq!(record(&game, &(), root, &recording), Err(RecordError::Stopped));
    assert_eq!(asked.get(), 4);
}

/// A tree of two moves a node, in which something is odd.
#[derive(Clone, Copy, Debug)]
struct Odd {
    /// The second move is a null move: it never counts in a search with the full window.
    null_move: bool,
    value: i32,
    /// Nodes of the last ply have no moves and are not answered.
    silent: bool,
    inexact: bool,
    /// Some moves are searched deeper than others, all with scouts first.
    extends: bool,
}

const ODD: Odd = Odd { null_move: false, value: 0, silent: false, inexact: false, extends: false };

impl Game for Odd {
    type Position = u32;
    type Move = u32;
    type Source = u32;
    type Proof = ();
    type Shared = ();
    type Local = ();

    fn local(&self, _: usize) {}

    fn side(&self, position: &u32) -> Side {
        if position.is_multiple_of(2) { Side::Max } else { Side::Min }
    }

    fn open(&self, node: &Node<'_, u32>, source: &mut u32, _: &mut Memory<'_, Self>) -> Opening<()> {
        let last = node.depth <= 0;
        *source = if last { 0 } else { 2 };
        match last && !self.silent {
            true if self.inexact => Opening::Answered(Answer::range(Range { lower: 0, upper: 1 })),
            true if self.extends => Opening::Answered(Answer::exact((node.position() * 7 % 23) as i32)),
            true => Opening::Answered(Answer::exact(self.value)),
            false => Opening::Search(Answer::unknown()),
        }
    }

    fn select(&self, _: &u32, source: &mut u32) -> Option<u32> {
        *source = source.checked_sub(1)?;
        Some(*source)
    }

    fn play(&self, position: &u32, chosen: u32) -> u32 {
        position.wrapping_mul(2).wrapping_add(chosen)
    }

    fn moves_left(&self, _: &u32, source: &u32) -> u32 {
        *source
    }

    fn attempt(
        &self,
        node: &Node<'_, u32>,
        chosen: u32,
        number: u32,
        tries: u32,
        last: Option<Range>,
    ) -> Attempt {
        if self.extends {
            let extension = i32::from(node.position() % 5 == 1);
            let side = self.side(node.position());
            return scout_first(side, node.window, node.depth - 1 + extension, number, tries, last);
        }
        match last {
            None => Attempt::Search { depth: node.depth - 1, scope: Scope::Real },
            Some(_) if tries > 0 && self.null_move && chosen == 0 => Attempt::Discard,
            Some(_) => Attempt::Count,
        }
    }
}

fn refused(game: &Odd, recording: &Recording<'_, u32>) -> String {
    record(game, &(), 1, recording).expect_err("not to be recorded").to_string()
}

#[test]
fn the_depth_of_the_first_attempt_counts() {
    let game = Odd { extends: true, ..ODD };
    for root in 1..40 {
        for (plies, below) in [(1, 4), (3, 2), (4, 0), (5, 3)] {
            let recording = Recording { plies, below, ..Recording::default() };
            let recorded = record(&game, &(), root, &recording).expect("a tree");
            assert_eq!(recorded.value(), minimax(&game, &(), &root, (plies + below) as i32), "{root}");
        }
    }
}

#[test]
fn a_tree_that_is_too_large_is_refused_before_it_is_searched() {
    let nodes = Cell::new(0);
    let progress = |now: dts_synthetic::RecordProgress| nodes.set(now.nodes);
    let recording = Recording { plies: 30, below: 30, progress: Some(&progress), ..Recording::default() };
    assert_eq!(record(&ODD, &(), 1, &recording), Err(RecordError::Misfit(Misfit::TooManyNodes)));
    assert!(nodes.get() <= 1 << 24, "{} nodes", nodes.get());
}

#[test]
fn what_cannot_be_recorded_says_why() {
    let two = Recording { plies: 1, below: 1, ..Recording::default() };
    assert!(record(&ODD, &(), 1, &two).is_ok());
    assert_eq!(
        refused(&Odd { null_move: true, ..ODD }, &two),
        "the move 0, 1 plies below the root, does not count in every search; accepted: games whose searches skip no \
         move (no null moves, no pruning that looks at the window)"
    );
    assert_eq!(
        refused(&Odd { value: 1 << 19, ..ODD }, &two),
        "the tree: the value 524288 is out of range; accepted: -524287 to 524287"
    );
    assert_eq!(
        refused(&Odd { silent: true, ..ODD }, &two),
        "2 plies below the root there is neither a move nor a value; accepted: games that answer such nodes"
    );
    assert_eq!(
        refused(&Odd { inexact: true, ..ODD }, &two),
        "the full window found 0 to 1 and no value, 1 plies below the root; accepted: games whose values are well defined"
    );
    assert_eq!(refused(&ODD, &Recording { plies: 0, ..two }), "plies 0 is out of range; accepted: 1 to 60");
    assert_eq!(
        refused(&ODD, &Recording { below: 201, ..two }),
        "plies below 201 is out of range; accepted: 0 to 200"
    );
    let long = "x".repeat(4097);
    assert_eq!(
        refused(&ODD, &Recording { description: &long, ..two }),
        "the description is 4097 bytes long; accepted: up to 4096"
    );
    let same = |_: &u32| Some(7);
    assert!(record(&ODD, &(), 1, &Recording { key: Some(&same), ..two }).is_ok());
    let tree = Tree::new(Shape { width: 5, depth: 4, ..Shape::default() }, 1).expect("a shape");
    let recording = Recording { plies: 3, below: 1, key: Some(&|_: &_| Some(7)), ..Recording::default() };
    assert!(matches!(
        record(&tree, &None, tree.root(), &recording),
        Err(RecordError::Misfit(Misfit::Key(_)))
    ));
    let over = horizon(&"0,0,3 | 1,0,2 A".parse().expect("a board"), Depth::Moves);
    assert_eq!(
        record(&over.0, &(), over.1, &Recording::default()),
        Err(RecordError::Misfit(Misfit::NoMoves))
    );
}

/// A small file, with keys.
fn small() -> Vec<u8> {
    let bytes = kalah(BOARDS[0], 3, 2, true).to_bytes();
    assert!(bytes.len() < 1_000, "{} bytes", bytes.len());
    bytes
}

/// With a checksum that is right.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 4;
    let checksum = crc32fast::hash(&bytes[..end]).to_le_bytes();
    bytes[end..].copy_from_slice(&checksum);
    bytes
}

#[test]
fn a_file_that_was_cut_short_is_refused() {
    let bytes = small();
    for length in 0..bytes.len() {
        assert!(Recorded::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        if length >= 4 {
            assert!(
                Recorded::from_bytes(&sealed(bytes[..length].to_vec())).is_err(),
                "{length} bytes, sealed"
            );
        }
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(Recorded::from_bytes(&longer).is_err());
    assert!(Recorded::from_bytes(&sealed(longer)).is_err());
}

#[test]
fn a_file_with_a_changed_byte_is_refused() {
    let bytes = small();
    for at in 0..bytes.len() {
        for flip in 1..=255 {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            assert!(Recorded::from_bytes(&changed).is_err(), "byte {at} ^ {flip}");
        }
    }
}

#[test]
fn a_forged_file_is_refused_or_is_another_tree() {
    let bytes = small();
    let mut trees = 0;
    for at in 0..bytes.len() - 4 {
        for flip in 1..=255 {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            let changed = sealed(changed);
            if let Ok(recorded) = Recorded::from_bytes(&changed) {
                // Another text, cost or key: then it is written as it was read.
                assert_eq!(recorded.to_bytes(), changed);
                let recorded = Arc::new(recorded);
                let game = Replayed::new(Arc::clone(&recorded));
                assert_eq!(minimax(&game, &None, &game.root(), 3), recorded.value());
                trees += 1;
            }
        }
    }
    assert!(trees > 0);
}

/// The error of the small file with `bytes` from byte `at` on.
fn fault(at: usize, bytes: &[u8]) -> String {
    let mut changed = small();
    changed[at..at + bytes.len()].copy_from_slice(bytes);
    Recorded::from_bytes(&sealed(changed)).expect_err("a fault").to_string()
}

#[test]
fn faults_name_the_place_and_what_is_accepted() {
    let nodes = 28 + "kalah".len() + "a test".len();
    let all = [
        (fault(0, b"d"), "byte 0: not a recorded tree; accepted: a file that `dts synthetic record` wrote"),
        (fault(8, &[2]), "byte 8: a recorded tree of format 2; accepted: format 1"),
        (fault(12, &[255; 4]), "byte 12: 4294967295 nodes; accepted: up to 16777216"),
        (fault(16, &[99]), "byte 16: the value 99; accepted: 1, which the nodes come to"),
        (fault(20, &[61]), "byte 20: 61 plies; accepted: 1 to 60"),
        (fault(21, &[201]), "byte 21: 201 plies below; accepted: 0 to 200"),
        (fault(22, &[2]), "byte 22: 2 0; accepted: 0 0 or 1 0"),
        (fault(24, &[255, 255]), "byte 28: the game's name of 65535 bytes; accepted: up to 4096"),
        (
            fault(28, &[255]),
            "byte 28: the game's name: invalid utf-8 sequence of 1 bytes from index 0; accepted: UTF-8",
        ),
        (
            fault(nodes, &[0]),
            "byte 39, node 0: the root has no moves; accepted: a tree with something to search",
        ),
        (fault(nodes, &[0x80, 0]), "byte 39: a number in more bytes than it needs; accepted: the fewest"),
        (fault(nodes, &[255; 6]), "byte 39: a number of more than 5 bytes; accepted: up to 5"),
        (fault(nodes, &[0x80, 0x80, 0x01]), "byte 39, node 0: a node has 8192 moves; accepted: up to 1022"),
    ];
    for (found, wanted) in all {
        assert_eq!(found, wanted);
    }
    assert_eq!(
        Recorded::from_bytes(&small()[..20]),
        Err(FileFault::Short { found: 20, least: 32 }),
        "cut short within the header"
    );
}

/// A file of its own for a test, gone afterwards.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        Scratch(std::env::temp_dir().join(format!("dts-replay-{}-{name}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed does no harm.
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn a_tree_is_saved_and_loaded() {
    let file = Scratch::new("tree.dtst");
    let recorded = kalah(BOARDS[2], 4, 3, true);
    recorded.save(&file.0).expect("a file");
    recorded.save(&file.0).expect("a file in the place of another");
    assert_eq!(Recorded::load(&file.0).expect("what was saved"), recorded);
    fs::write(&file.0, b"DTS-TREE and nothing else").expect("a file");
    let error = Recorded::load(&file.0).expect_err("no tree").to_string();
    assert_eq!(error, format!("{}: cut short after 25 bytes; accepted: at least 32", file.0.display()));
    let nowhere = file.0.join("in a file");
    assert!(matches!(Recorded::load(&nowhere), Err(TreeFileError::Io { action: "read", .. })));
    assert!(matches!(recorded.save(&nowhere), Err(TreeFileError::Io { action: "write", .. })));
    assert!(matches!(Recorded::load(std::env::temp_dir()), Err(TreeFileError::Io { .. })));
}
