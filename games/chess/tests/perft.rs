//! The counts of perft that others have published.

use dts_chess::{parse_fen, perft};

/// Compares every count of a suite up to `depth` and up to `most` lines; how many were compared.
fn check(suite: &str, depth: u32, most: u64, threads: usize) -> usize {
    let mut compared = 0;
    for line in suite.lines().filter(|line| !line.is_empty()) {
        let mut fields = line.split(';');
        let fen = fields.next().unwrap_or_default().trim();
        let board = parse_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        for field in fields {
            let (name, count) = field.trim().split_once(' ').expect("a depth and a count");
            let at: u32 = name.trim_start_matches('D').parse().expect("a depth");
            let wanted: u64 = count.trim().parse().expect("a count");
            if at <= depth && wanted <= most {
                assert_eq!(perft::count_with(&board, at, threads), wanted, "{fen} at depth {at}");
                compared += 1;
            }
        }
    }
    compared
}

const STANDARD: &str = include_str!("../data/perftsuite_standard128.epd");
const FISCHER: &str = include_str!("../data/perft_fischer960.epd");

#[test]
fn standard_positions_to_depth_four() {
    assert!(check(STANDARD, 4, 5_000_000, 1) > 500);
}

#[test]
fn fischer_positions_to_depth_three() {
    assert!(check(FISCHER, 3, 50_000, 1) > 2_500);
}

#[test]
fn threads_count_the_same() {
    let board =
        parse_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").expect("kiwipete");
    for depth in 0..=4 {
        let alone = perft::count(&board, depth);
        for threads in [0, 1, 2, 3, 7] {
            assert_eq!(perft::count_with(&board, depth, threads), alone);
        }
    }
    assert!(perft::divide(&board, 0, 2).is_empty());
    assert_eq!(perft::divide(&board, 1, 2).len(), 48);
}

#[test]
#[ignore = "slow: minutes"]
fn standard_positions_as_listed() {
    check(STANDARD, 6, u64::MAX, 2);
}

#[test]
#[ignore = "slow: minutes"]
fn fischer_positions_to_depth_four() {
    assert_eq!(check(FISCHER, 4, u64::MAX, 2), 960 * 4);
}
