use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::position::{Position, Side};
use crate::sowing::Sowing;
use crate::{Board, Player, Rules};

/// The future difference by plain minimax over the plain model.
fn minimax(rules: &Rules, board: &Board, known: &mut HashMap<Vec<u16>, i32>) -> i32 {
    let rows: Vec<u16> =
        [board.to_move(), board.to_move().other()].iter().flat_map(|&p| board.row(p)).copied().collect();
    if let Some(&value) = known.get(&rows) {
        return value;
    }
    let gained = |after: &Board| {
        let by = |player| i32::from(after.store(player)) - i32::from(board.store(player));
        by(board.to_move()) - by(board.to_move().other())
    };
    let mut over = *board;
    let value = if over.settle(rules).is_some() {
        gained(&over)
    } else {
        let after_move = |pit| {
            let mut after = *board;
            let played = after.play(rules, pit).unwrap();
            let future = if played.over() { 0 } else { minimax(rules, &after, known) };
            gained(&after) + if after.to_move() == board.to_move() { future } else { -future }
        };
        board.legal(rules).into_iter().map(after_move).max().unwrap()
    };
    known.insert(rows, value);
    value
}

/// Every row of `pits` with `sum` stones.
fn rows(pits: usize, sum: u16) -> Vec<Vec<u16>> {
    if pits == 1 {
        return vec![vec![sum]];
    }
    (0..=sum)
        .flat_map(|first| {
            rows(pits - 1, sum - first).into_iter().map(move |rest| [vec![first], rest].concat())
        })
        .collect()
}

fn word<R: Row>(row: &[u16]) -> R {
    (0..).zip(row).fold(R::ZERO, |word, (pit, &stones)| word.plus(R::single(pit, stones.into())))
}

/// Every position with `stones` on `pits` a side, the mover's row first.
fn positions(pits: usize, stones: u16) -> impl Iterator<Item = (Vec<u16>, Vec<u16>)> {
    (0..=stones).flat_map(move |sum| {
        let others = rows(pits, stones - sum);
        rows(pits, sum)
            .into_iter()
            .flat_map(move |own| others.clone().into_iter().map(move |other| (own.clone(), other)))
    })
}

fn check_all<R: Row>(rules: Rules, pits: usize, stones: u16) {
    let database = Database::build(rules, pits as u32, stones.into(), Build::default()).unwrap();
    let mut known = HashMap::new();
    for (own, other) in (0..=stones).flat_map(|stones| positions(pits, stones)) {
        let board = Board::new(&own, 0, &other, 0, Player::A).unwrap();
        let value = minimax(&rules, &board, &mut known);
        assert_eq!(database.get::<R>(word(&own), word(&other)), Some(value as i8), "{rules} {board}");
    }
}

#[test]
fn every_entry_is_the_value_by_minimax() {
    for rules in Rules::all() {
        for (pits, stones) in [(1, 16), (2, 12), (3, 9), (4, 6), (5, 5), (6, 4)] {
            check_all::<u64>(rules, pits, stones);
        }
        check_all::<u128>(rules, 3, 7);
        check_all::<u128>(rules, 7, 3);
    }
}

/// A small generator, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((u128::from(mixed ^ mixed >> 29) * u128::from(end)) >> 64) as u64
    }

    /// `stones` dropped into `pits` pits.
    fn pits(&mut self, pits: usize, stones: u16) -> Vec<u16> {
        let mut board = vec![0; pits];
        // Heaps as well as scattered stones.
        let mut left = stones;
        while left > 0 {
            let heap = if self.below(2) == 0 { 1 } else { 1 + self.below(left.into()) as u16 };
            board[self.below(pits as u64) as usize] += heap;
            left -= heap;
        }
        board
    }
}

fn check_random<R: Row>(rules: Rules, pits: usize, stones: u16, count: usize) {
    let database = Database::build(rules, pits as u32, stones.into(), Build::default()).unwrap();
    let mut known = HashMap::new();
    let mut random = Random(u64::from(stones));
    for _ in 0..count {
        let stones = stones - random.below(4) as u16;
        let board = random.pits(2 * pits, stones);
        let (own, other) = board.split_at(pits);
        let board = Board::new(own, 0, other, 0, Player::A).unwrap();
        let value = minimax(&rules, &board, &mut known);
        assert_eq!(database.get::<R>(word(own), word(other)), Some(value as i8), "{rules} {board}");
    }
}

#[test]
fn random_entries_of_larger_boards_are_the_values_by_minimax() {
    for rules in Rules::all() {
        check_random::<u64>(rules, 6, 12, 10);
        check_random::<u64>(rules, 2, 40, 20);
        check_random::<u64>(rules, 1, 127, 100);
        check_random::<u64>(rules, 4, 14, 20);
        check_random::<u128>(rules, 12, 4, 20);
        check_random::<u128>(rules, 8, 6, 20);
    }
}

/// Every entry is the best of those its moves lead to. Boards so large that blocks are made in several parts.
#[test]
fn every_entry_follows_from_its_moves() {
    fn check<R: Row>(rules: Rules, pits: u32, stones: u16) {
        let how = Build { threads: 2, ..Build::default() };
        let database = Database::build(rules, pits, stones.into(), how).unwrap();
        let sowing = Sowing::<R>::new(rules, pits).unwrap();
        let all: Vec<Vec<R>> =
            (0..=stones).map(|sum| rows(pits as usize, sum).iter().map(|row| word(row)).collect()).collect();
        let pairs = (0..=stones).flat_map(|own| (0..=stones - own).map(move |other| (own, other)));
        for (sum, other_sum) in pairs {
            for (&own, &other) in all[usize::from(sum)]
                .iter()
                .flat_map(|own| all[usize::from(other_sum)].iter().map(move |other| (own, other)))
            {
                let position = Position { own, other, banked: 0, side: Side::Max };
                let value_after = |pit| {
                    let next = sowing.play(&position, pit);
                    let future = i16::from(database.get(next.own, next.other).unwrap());
                    next.banked + if next.side == Side::Max { future } else { -future }
                };
                let value = if is_over(rules, sum.into(), other_sum.into()) {
                    swept(rules, sum.into(), other_sum.into()) as i16
                } else {
                    position.moves().map(value_after).max().unwrap()
                };
                assert_eq!(database.get(own, other), Some(value as i8), "{rules} {own:x?} {other:x?}");
            }
        }
    }
    check::<u64>(Rules::SEED, 6, 12);
    check::<u64>(Rules::EMPTY_CAPTURE, 4, 19);
    for rules in Rules::all() {
        check::<u64>(rules, 3, 17);
        check::<u128>(rules, 10, 4);
    }
}

#[test]
fn every_position_has_its_own_index() {
    fn check<R: Row>(pits: usize, stones: u16) {
        let ranks = Ranks::new(pits as u32, stones.into()).unwrap();
        let all: Vec<_> = (0..=stones).flat_map(|stones| positions(pits, stones)).collect();
        assert_eq!(all.len() as u64, Database::positions(pits as u32, stones.into()).unwrap());
        let mut taken = vec![false; all.len()];
        for (own, other) in all {
            let index = ranks.index::<R>(word(&own), word(&other));
            assert!(!std::mem::replace(&mut taken[index], true), "{own:?} {other:?}");
        }
    }
    for (pits, stones) in [(1, 127), (2, 20), (3, 12), (4, 8), (5, 7), (6, 6)] {
        check::<u64>(pits, stones);
        check::<u128>(pits, stones);
    }
    check::<u128>(7, 5);
    check::<u128>(12, 3);
}

#[test]
fn ids_count_rows_in_order() {
    for (pits, stones) in [(1, 9), (2, 9), (3, 9), (6, 9), (12, 5)] {
        let ranks = Ranks::new(pits as u32, stones.into()).unwrap();
        let mut id = 0;
        for sum in 0..=stones {
            for row in rows(pits, sum) {
                assert_eq!(ranks.id::<u128>(word(&row)), id, "{row:?}");
                if pits <= 6 {
                    assert_eq!(ranks.id::<u64>(word(&row)), id, "{row:?}");
                }
                id += 1;
            }
            assert_eq!(ranks.ids(sum.into()).end, id as usize);
        }
        assert_eq!(ranks.rows(), id as usize);
    }
}

#[test]
fn counts() {
    let count = |pits, stones| Database::positions(pits, stones).unwrap();
    assert_eq!(count(6, 12), 2_704_156);
    assert_eq!(count(6, 14), 9_657_700);
    assert_eq!(count(6, 16), 30_421_755);
    assert_eq!(count(6, 18), 86_493_225);
    assert_eq!(count(6, 20), 225_792_840);
    // The sum over the layers of C(s + 2M - 1, 2M - 1).
    let layer = |s: u64| (1..=11).fold(1, |product, i| product * (s + i) / i);
    assert_eq!(count(6, 18), (0..=18).map(layer).sum());
    assert!(Database::bytes(6, 18).unwrap() > 86_493_225);
    assert!(Database::build_bytes(6, 18, 2).unwrap() > Database::bytes(6, 18).unwrap());
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |pits, stones| Database::build(Rules::SEED, pits, stones, Build::default()).unwrap_err();
    assert!(matches!(refused(0, 3), DatabaseError::Pits(0)));
    assert!(matches!(refused(13, 3), DatabaseError::Pits(13)));
    assert!(matches!(refused(6, 128), DatabaseError::Stones(128)));
    assert!(matches!(refused(12, 127), DatabaseError::TooLarge { pits: 12, stones: 127 }));
    // 2^48 bytes and more: no machine gives so much.
    assert!(matches!(refused(6, 100), DatabaseError::Memory { .. }));
    assert!(matches!(refused(12, 40), DatabaseError::Memory { .. }));
}

#[test]
fn more_stones_have_no_entry() {
    let database = Database::build(Rules::SEED, 6, 3, Build::default()).unwrap();
    assert_eq!(database.get::<u64>(word(&[0, 0, 0, 0, 0, 2]), word(&[1, 0, 0, 0, 0, 0])), Some(-1));
    assert_eq!(database.get::<u64>(word(&[0, 0, 0, 0, 0, 2]), word(&[2, 0, 0, 0, 0, 0])), None);
    assert_eq!(database.get::<u64>(word(&[60, 60, 60, 60, 60, 60]), word(&[1, 0, 0, 0, 0, 0])), None);
}

#[test]
fn threads_do_not_change_a_byte() {
    for rules in [Rules::SEED, Rules::EMPTY_CAPTURE] {
        for (pits, stones) in [(6, 11), (4, 16), (2, 40)] {
            let build = |threads| {
                Database::build(rules, pits, stones, Build { threads, ..Build::default() }).unwrap().entries
            };
            let alone = build(1);
            assert!(alone == build(2) && alone == build(4), "{rules} {pits} {stones}");
        }
    }
}

#[test]
fn a_build_reports_and_stops() {
    use std::sync::Mutex;
    use std::sync::atomic::Ordering;

    let reports = Mutex::new(Vec::new());
    let stop = AtomicBool::new(false);
    let note = |progress: Progress| reports.lock().unwrap().push(progress);
    let is_wanted = || stop.load(Ordering::Relaxed);
    let how = Build { threads: 2, stop: Some(&is_wanted), progress: Some(&note) };
    Database::build(Rules::SEED, 6, 10, how).unwrap();
    let reports = std::mem::take(&mut *reports.lock().unwrap());
    let total = Database::positions(6, 10).unwrap();
    assert!(reports.len() > 10);
    assert!(reports.is_sorted_by_key(|progress| progress.done));
    assert!(reports.iter().all(|progress| progress.total == total && progress.layer <= 10));
    assert!(reports.iter().rev().skip(1).all(|progress| progress.done < total));
    assert_eq!(reports.last(), Some(&Progress { layer: 10, done: total, total }));

    let halt = |progress: Progress| stop.store(progress.done > total / 2, Ordering::Relaxed);
    let how = Build { threads: 2, stop: Some(&is_wanted), progress: Some(&halt) };
    assert!(matches!(Database::build(Rules::SEED, 6, 10, how), Err(DatabaseError::Stopped)));
}

/// A directory of its own for a test, removed at its end.
struct Directory(PathBuf);

impl Directory {
    fn new(test: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("dts-kalah-database-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Directory(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_file_reads_back() {
    let directory = Directory::new("reads-back");
    let path = directory.0.join("3-8.db");
    for rules in Rules::all() {
        let database = Database::build(rules, 3, 8, Build::default()).unwrap();
        database.save(&path).unwrap();
        let read = Database::load(&path, rules, 3, 8).unwrap();
        assert!(read.entries == database.entries && read.rules == rules);
        assert_eq!((read.pits(), read.stones()), (3, 8));
    }
    // Nothing else is left behind.
    assert_eq!(std::fs::read_dir(&directory.0).unwrap().count(), 1);
}

#[test]
fn a_file_that_is_not_the_one_wanted_is_refused() {
    let directory = Directory::new("refused");
    let path = directory.0.join("a.db");
    let database = Database::build(Rules::SEED, 2, 6, Build::default()).unwrap();
    database.save(&path).unwrap();
    let good = std::fs::read(&path).unwrap();
    assert_eq!(good.len(), 36 + 210);

    let load = |rules, pits, stones| Database::load(&path, rules, pits, stones);
    let message = |result: Result<Database, DatabaseError>| {
        result.unwrap_err().to_string().replace(directory.0.to_str().unwrap(), "DIR")
    };
    let other = load(Rules::EMPTY_CAPTURE, 2, 6);
    assert_eq!(message(other), "DIR/a.db: a database for the rules `seed`; wanted: `emptycap`");
    for (pits, stones) in [(2, 7), (2, 5), (3, 6), (1, 6)] {
        let wanted = format!("wanted: {stones} on {pits}");
        let size = "DIR/a.db: a database of up to 6 stones on 2 pits a side";
        assert_eq!(message(load(Rules::SEED, pits, stones)), format!("{size}; {wanted}"));
    }

    let with = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        load(Rules::SEED, 2, 6)
    };
    let fault = |result| match result {
        Err(DatabaseError::File { fault, .. }) => fault,
        other => panic!("{other:?}"),
    };
    // Any bit of the file wrong, any length wrong: never a database.
    for byte in 0..good.len() {
        for bit in 0..8 {
            let mut bad = good.clone();
            bad[byte] ^= 1 << bit;
            let fault = fault(with(&bad));
            match byte {
                0..8 => assert_eq!(fault, FileFault::Foreign),
                8..12 => assert!(matches!(fault, FileFault::Version { wanted: 1, .. })),
                12..36 => assert_eq!(fault, FileFault::Header),
                _ => assert_eq!(fault, FileFault::Entries),
            }
        }
    }
    for length in 0..good.len() {
        let wanted = if length < 36 { 36 } else { good.len() as u64 };
        let expected = match length {
            0..8 => FileFault::Foreign,
            _ => FileFault::Length { found: length as u64, wanted },
        };
        assert_eq!(fault(with(&good[..length])), expected);
    }
    let long = [&good[..], &[0]].concat();
    assert_eq!(message(with(&long)), "DIR/a.db: damaged: 247 bytes long instead of 246");
    assert_eq!(
        message(with(b"PNG and much else that is no database at all")),
        "DIR/a.db: not a kalah database"
    );
    let mut newer = good.clone();
    newer[8] = 2;
    let format = "DIR/a.db: a kalah database of format 2; this program reads format 1";
    assert_eq!(message(with(&newer)), format);
    let mut damaged = good.clone();
    damaged[100] ^= 1;
    assert_eq!(message(with(&damaged)), "DIR/a.db: damaged: the checksum of its entries is wrong");
    with(&good).unwrap();

    std::fs::remove_file(&path).unwrap();
    assert!(message(load(Rules::SEED, 2, 6)).starts_with("DIR/a.db: cannot read the database: "));
    let nowhere = directory.0.join("none/b.db");
    let unwritten = database.save(&nowhere).unwrap_err();
    assert!(matches!(unwritten, DatabaseError::Io { action: "write", .. }));
    let is_directory = database.save(&directory.0).unwrap_err();
    assert!(matches!(is_directory, DatabaseError::Io { action: "write", .. }));
}
