//! The classic profile without a table finds the value of plain minimax, whoever searches. The minimax here is written on its own,
//! straight from the rules of the profile.

use cozy_chess::{Board, Piece};
use dts_chess::{Chess, ChessMemory, MATE, Position, Profile, epd, evaluate, exchange_value};
use dts_engine::{Approach, CostModel, Limits, Options, Plan, Range, Searcher, Side, Strategy};

/// Beyond every value.
const FAR: i32 = 1_000_000;

fn is_dead(board: &Board) -> bool {
    let count = |piece| board.pieces(piece).len();
    let dark = board.pieces(Piece::Bishop) & cozy_chess::BitBoard::DARK_SQUARES;
    let bishops_alike = dark.is_empty() || dark == board.pieces(Piece::Bishop);
    count(Piece::Pawn) + count(Piece::Rook) + count(Piece::Queen) == 0
        && (count(Piece::Knight) == 0 && bishops_alike
            || count(Piece::Knight) == 1 && count(Piece::Bishop) == 0)
}

/// The value of the last position of `path` for its mover: nothing is left out but what the profile leaves out, and, if `bounds` has
/// what both sides can be sure of, what cannot matter.
fn minimax(path: &mut Vec<Board>, depth: i32, bounds: Option<(i32, i32)>) -> i32 {
    let board = path[path.len() - 1].clone();
    let ply = path.len() as i32 - 1;
    let moves = dts_chess::perft::moves(&board);
    let in_check = !board.checkers().is_empty();
    if ply > 0 {
        let earlier = &path[..path.len() - 1];
        let clock_is_out = board.halfmove_clock() >= 100 && !(moves.is_empty() && in_check);
        if clock_is_out || is_dead(&board) || earlier.iter().any(|before| before.same_position(&board)) {
            return 0;
        }
    }
    // A node in check has one more ply.
    let searched = depth + i32::from(in_check);
    let quiet = searched <= 0;
    if moves.is_empty() && in_check {
        return ply - MATE;
    }
    if moves.is_empty() && !quiet {
        return 0;
    }
    let mut best = -FAR;
    if quiet && !in_check {
        let white = evaluate(&Position::new(board.clone()));
        best = if board.side_to_move() == cozy_chess::Color::White { white } else { -white };
        if bounds.is_some_and(|(_, other)| best >= other) {
            return best;
        }
    }
    for chosen in moves {
        if quiet && !in_check {
            let own = board.colors(board.side_to_move());
            let takes = board.occupied().has(chosen.to) && !own.has(chosen.to);
            let is_pawn = board.pieces(Piece::Pawn).has(chosen.from);
            let en_passant = is_pawn && !takes && chosen.from.file() != chosen.to.file();
            let promotes = chosen.promotion == Some(Piece::Queen);
            let small = chosen.promotion.is_some() && !promotes;
            if small || !(takes || en_passant || promotes) || exchange_value(&board, chosen) < 0 {
                continue;
            }
        }
        let mut next = board.clone();
        next.play(chosen);
        path.push(next);
        let child = if quiet { depth - 1 } else { searched - 1 };
        let below = bounds.map(|(own, other)| (-other, -own.max(best)));
        best = best.max(-minimax(path, child, below));
        path.pop();
        if bounds.is_some_and(|(_, other)| best >= other) {
            break;
        }
    }
    best
}

fn check(positions: usize, depth: i32, processors: &[usize]) {
    let suites = [
        include_str!("../data/bratko_kopec.epd"),
        include_str!("../data/kaufman25.epd"),
        include_str!("../data/wac.epd"),
    ];
    let tasks = suites.iter().flat_map(|suite| epd::parse(suite).expect("a suite"));
    // Every third: the suites begin with what is alike.
    for task in tasks.step_by(3).take(positions) {
        let root = Position::new(task.board.clone());
        let bounds = (depth > 1).then_some((-FAR, FAR));
        let own = minimax(&mut vec![task.board.clone()], depth, bounds);
        let value = if root.side() == Side::Max { own } else { -own };
        for strategy in Strategy::ALL {
            let threads = processors.iter().map(|&count| (count, None));
            for (processors, simulate) in threads.chain([(16, Some(CostModel::default()))]) {
                for approach in [Approach::Open, Approach::Zero { guess: 0, step: 1 }] {
                    if approach != Approach::Open && simulate.is_some() {
                        continue;
                    }
                    let options =
                        Options { processors, strategy, simulate, wake_after: 0, ..Options::default() };
                    let game = Chess::new(Profile::Classic, processors);
                    let mut searcher = Searcher::new(game, ChessMemory::new(None), options).expect("threads");
                    let report = searcher
                        .search(root.clone(), Plan::fixed(depth).with(approach), &Limits::new())
                        .expect("no panic");
                    let found = report.state.expect("a result").range;
                    assert_eq!(
                        found,
                        Range::exact(value),
                        "{}: {strategy}, {processors} processors, simulated: {}, {approach:?}",
                        task.board,
                        simulate.is_some()
                    );
                }
            }
        }
    }
}

#[test]
fn classic_is_minimax_at_depth_one() {
    check(20, 1, &[1, 2]);
}

#[test]
fn classic_is_minimax_at_depth_three() {
    check(6, 3, &[1, 2, 4]);
}

#[test]
#[ignore = "slow: many minutes"]
fn classic_is_minimax_at_depth_four() {
    check(50, 4, &[1, 2, 4]);
}
