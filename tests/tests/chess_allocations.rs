//! A search of chess allocates nothing per node. One test only, for the counter counts what the whole process allocates.

use dts_chess::{Chess, ChessMemory, Position, Profile, parse_fen};
use dts_engine::{Options, Plan, Searcher, Strategy};
use dts_tests::{Counting, Yielding, check_allocations};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One of so many nodes gives way to the other thread.
const YIELDS: u64 = 512;

#[test]
fn a_search_allocates_nothing_per_node() {
    let board = parse_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let root = Position::new(board.expect("a position"));
    for (profile, large) in [(Profile::Classic, 5), (Profile::Modern, 12)] {
        for (strategy, processors) in [(Strategy::Sequential, 1), (Strategy::Dts, 1), (Strategy::Dts, 2)] {
            let options = Options { processors, strategy, wake_after: 0, ..Options::default() };
            // A grain that holds nothing, the usual one, and one that holds everything.
            for grain in [Some(-100), None, Some(100)] {
                if grain == Some(100) && processors > 1 {
                    // Nothing to split.
                    continue;
                }
                let what = format!("{profile}, {strategy}, {processors} processors, grain {grain:?}");
                let game = Chess::new(profile, processors);
                let game = match grain {
                    Some(depth) => game.with_grain(depth),
                    None => game,
                };
                // Without a table: the same search is made again and again.
                let memory = ChessMemory::new(None);
                let mut searcher =
                    Searcher::new(Yielding::new(game, YIELDS), memory, options.clone()).expect("threads");
                let (small, large) = ((root.clone(), Plan::fixed(1)), (root.clone(), Plan::fixed(large)));
                check_allocations(&what, &mut searcher, small, large);
            }
        }
    }
}
