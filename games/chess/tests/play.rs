//! What a program that plays chess with this crate relies on: mates, draws by rule, the engine's interface.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use dts_chess::{Engine, EngineOptions, Known, Profile, Question, Score, parse_move};
use dts_engine::{Limits, Strategy};

fn engine(profile: Profile, threads: usize) -> Engine {
    Engine::new(EngineOptions { profile, threads, table_mebibytes: 4, ..EngineOptions::default() })
        .expect("an engine")
}

fn search(engine: &mut Engine, depth: i32) -> dts_chess::Found {
    engine.search(Question::default(), &Limits::new().with_depth(depth), |_| {}).expect("no panic")
}

#[test]
fn mates_are_found_and_counted_in_moves() {
    let mates = [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
        ("8/8/8/8/8/1k6/7r/K7 b - - 0 1", 1),
        ("r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 1", 2),
        ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", 3),
        // Two rooks on the ladder.
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2),
    ];
    for profile in Profile::ALL {
        for threads in [1, 2] {
            let mut engine = engine(profile, threads);
            for (fen, moves) in mates {
                engine.new_game();
                engine.set_position(fen, &[]).expect(fen);
                // Reductions may need more depth than the mate is away.
                let found = search(&mut engine, 2 * moves + if profile == Profile::Classic { 0 } else { 8 });
                assert_eq!(found.score, Score::Mate(moves), "{fen} {profile} {threads}");
                let line = &found.lines[0];
                assert_eq!(line.known, Known::Exactly);
                assert_eq!(line.moves.len(), 2 * moves as usize - 1, "{fen} {profile} {:?}", line.moves);
            }
        }
    }
}

#[test]
fn being_mated_is_negative() {
    for profile in Profile::ALL {
        let mut engine = engine(profile, 1);
        engine.set_position("7k/R7/8/8/8/8/8/1R4K1 b - - 0 1", &[]).expect("a position");
        assert_eq!(search(&mut engine, 5).score, Score::Mate(-1), "{profile}");
    }
}

#[test]
fn positions_without_moves_have_no_best_move() {
    let mut engine = engine(Profile::Modern, 1);
    engine.set_position("1nb5/1p1pk1p1/5n2/1p2K3/4p3/2b5/5r2/r7 w - - 6 28", &[]).expect("mated");
    let found = search(&mut engine, 20);
    assert_eq!((found.best, found.score, found.depth), (None, Score::Mate(0), 0));
    engine.set_position("7k/7p/7P/8/1K6/8/B7/8 b - - 0 53", &[]).expect("stalemated");
    let found = search(&mut engine, 20);
    assert_eq!((found.best, found.score), (None, Score::Centipawns(0)));
}

#[test]
fn what_cannot_be_won_is_a_draw() {
    for profile in Profile::ALL {
        let mut engine = engine(profile, 1);
        for fen in [
            "8/8/4k3/8/8/3NK3/8/8 w - - 0 1",
            "8/8/4k3/8/8/3BK3/8/8 b - - 0 1",
            "8/4b3/4k3/8/8/4K3/8/2B5 w - - 0 1",
            // The pawn is lost at once, and nothing else is left.
            "8/8/8/8/8/1k6/1p6/1K6 w - - 0 1",
        ] {
            engine.set_position(fen, &[]).expect(fen);
            assert_eq!(search(&mut engine, 6).score, Score::Centipawns(0), "{fen} {profile}");
        }
    }
}

#[test]
fn fifty_moves_are_a_draw_but_a_mate_on_the_last_is_one() {
    for profile in Profile::ALL {
        let mut engine = engine(profile, 1);
        // A rook more, and one move left.
        engine.set_position("8/8/4k3/8/8/3RK3/8/8 w - - 99 90", &[]).expect("a position");
        assert_eq!(search(&mut engine, 6).score, Score::Centipawns(0));
        engine.new_game();
        engine.set_position("8/8/4k3/8/8/3RK3/8/8 w - - 0 90", &[]).expect("a position");
        assert_ne!(search(&mut engine, 6).score, Score::Centipawns(0));
        engine.set_position("7k/8/6K1/8/8/8/8/R7 w - - 99 90", &[]).expect("a position");
        assert_eq!(search(&mut engine, 4).score, Score::Mate(1));
    }
}

#[test]
fn the_game_before_counts_for_repetition() {
    // Black is lost but for a repetition.
    let start = "7k/8/8/8/8/6Q1/8/K7 w - - 0 1";
    let circle = ["g3g2", "h8h7", "g2g3", "h7h8"];
    let twice = [circle, circle].concat();
    for profile in Profile::ALL {
        let mut engine = engine(profile, 1);
        engine.set_position(start, &twice).expect("legal moves");
        assert_eq!(engine.repetitions(), 2);
        // Going back for the second time is not enough, for the third it is.
        engine.set_position(start, &twice[..3]).expect("legal moves");
        let Score::Centipawns(value) = search(&mut engine, 4).score else { panic!("no mate is so near") };
        assert!(value < -500, "{value}");
        engine.new_game();
        engine.set_position(start, &twice[..7]).expect("legal moves");
        let found = search(&mut engine, 4);
        assert_eq!(found.score, Score::Centipawns(0));
        assert_eq!(found.best_text().as_deref(), Some("h7h8"));
    }
}

#[test]
fn wrong_positions_and_moves_leave_the_engine_as_it_was() {
    let mut engine = engine(Profile::Modern, 1);
    engine.set_position("startpos", &["e2e4", "e7e5"]).expect("legal moves");
    let before = engine.position().board().clone();
    assert!(
        engine
            .set_position("startpos", &["e2e4", "e7e4"])
            .unwrap_err()
            .to_string()
            .starts_with("move number 2: ")
    );
    assert!(engine.set_position("nonsense", &[]).is_err());
    assert!(
        engine
            .set_position("r4rk1/1R5p/3p1q2/p1pP4/P7/7P/6P1/1R1Q3K b - - 0 24", &["b8e8"])
            .unwrap_err()
            .to_string()
            .contains("b8e8")
    );
    assert_eq!(engine.position().board(), &before);
}

#[test]
fn only_the_wanted_moves_are_searched() {
    for threads in [1, 2] {
        let mut engine = engine(Profile::Modern, threads);
        engine.set_position("startpos", &[]).expect("the start");
        let board = engine.position().board().clone();
        let only = ["a2a3", "h2h4"].map(|text| parse_move(&board, text).expect("legal")).to_vec();
        let illegal =
            cozy_chess::Move { from: cozy_chess::Square::E2, to: cozy_chess::Square::E5, promotion: None };
        let question = Question { only: [only.clone(), vec![illegal]].concat(), lines: 5 };
        let found = engine.search(question, &Limits::new().with_depth(5), |_| {}).expect("no panic");
        assert_eq!(found.lines.len(), 2);
        assert!(only.contains(&found.best.expect("a move")));
        let question = Question { only: only.clone(), lines: 1 };
        let found = engine.search(question, &Limits::new().with_depth(5), |_| {}).expect("no panic");
        assert!(only.contains(&found.best.expect("a move")));
    }
}

#[test]
fn several_lines_come_best_first() {
    let mut engine = engine(Profile::Modern, 1);
    engine
        .set_position("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 1", &[])
        .expect("a position");
    let question = Question { lines: 3, ..Question::default() };
    let found = engine.search(question, &Limits::new().with_depth(4), |_| {}).expect("no panic");
    assert_eq!(found.lines.len(), 3);
    assert_eq!(found.score, Score::Mate(1));
    assert_eq!(found.best_text().as_deref(), Some("f3f7"));
    assert!(found.lines[1].moves[0] != found.lines[0].moves[0]);
}

/// Programs show several lines while they analyse. Told from the value of every move, three of them cost fifteen times as much as one.
#[test]
fn three_lines_cost_about_three_times_as_much_as_one() {
    for fen in ["startpos", "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"] {
        let nodes = [1, 3].map(|lines| {
            let mut engine = engine(Profile::Modern, 1);
            engine.set_position(fen, &[]).expect(fen);
            let question = Question { lines, ..Question::default() };
            let found = engine.search(question, &Limits::new().with_depth(9), |_| {}).expect("no panic");
            assert_eq!(found.lines.len(), lines);
            assert!(found.lines.iter().all(|line| line.depth == 9 && line.known == Known::Exactly));
            found.nodes
        });
        assert!(nodes[1] < 5 * nodes[0], "{fen}: {nodes:?}");
    }
}

#[test]
fn progress_is_told_and_limits_are_kept() {
    let mut engine = engine(Profile::Modern, 2);
    engine.set_position("startpos", &[]).expect("the start");
    let told = Arc::new(AtomicU32::new(0));
    let deepest = Arc::clone(&told);
    let began = Instant::now();
    let limits = Limits::new().with_time(Duration::from_millis(200));
    let found = engine
        .search(Question::default(), &limits, move |seen| {
            assert!(!seen.lines.is_empty());
            deepest.fetch_max(seen.depth as u32, Ordering::Relaxed);
        })
        .expect("no panic");
    assert!(began.elapsed() < Duration::from_millis(1_500), "{:?}", began.elapsed());
    assert!(told.load(Ordering::Relaxed) >= 4);
    assert!(found.best.is_some() && found.ponder.is_some());
    let found = engine.search(Question::default(), &Limits::new().with_nodes(1), |_| {}).expect("no panic");
    assert!(found.best.is_some());
}

#[test]
fn a_stop_ends_a_search_without_limits() {
    let mut engine = engine(Profile::Modern, 2);
    engine.set_position("startpos", &[]).expect("the start");
    let limits = Limits::new();
    let from_elsewhere = limits.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        from_elsewhere.stop();
    });
    assert!(engine.search(Question::default(), &limits, |_| {}).expect("no panic").best.is_some());
    stopper.join().expect("no panic");
}

#[test]
fn options_change_between_searches() {
    let mut engine = engine(Profile::Modern, 1);
    engine.set_position("startpos", &["d2d4"]).expect("legal");
    for (threads, table_mebibytes, strategy, profile) in [
        (2, 16, Strategy::Ybw, Profile::Classic),
        (1, 1, Strategy::Sequential, Profile::Modern),
        (3, 0, Strategy::DtsAdaptive, Profile::Modern),
        (2, 2, Strategy::Dts, Profile::Classic),
    ] {
        let options =
            EngineOptions { threads, table_mebibytes, strategy, profile, ..EngineOptions::default() };
        engine.set_options(options).expect("there is room");
        assert!(search(&mut engine, 3).best.is_some());
    }
    let wrong = EngineOptions { threads: 0, ..EngineOptions::default() };
    assert!(engine.set_options(wrong).is_err());
    assert!(search(&mut engine, 3).best.is_some());
    let wrong = EngineOptions { table_mebibytes: usize::MAX, ..EngineOptions::default() };
    assert!(engine.set_options(wrong).is_err());
    assert!(search(&mut engine, 3).best.is_some());
}

#[test]
fn the_selective_depth_counts_quiescence_and_checks() {
    for threads in [1, 2] {
        let mut engine = engine(Profile::Classic, threads);
        for (fen, depth, selective_depth) in [
            // Kings that are far from everything.
            ("k7/p7/P7/8/8/8/8/K7 w - - 0 1", 1, 1),
            ("k7/p7/P7/8/8/8/8/K7 w - - 0 1", 3, 3),
            // A pawn is taken after the last move, with check after one of them, and the king steps aside.
            ("7k/8/5n2/4p3/4P3/8/8/4K3 w - - 0 1", 1, 3),
            // After a check one move more.
            ("k7/8/8/8/8/8/7R/K7 w - - 0 1", 1, 2),
            ("4k3/8/4K3/8/8/8/8/8 w - - 0 1", 1, 1),
        ] {
            engine.set_position(fen, &[]).expect(fen);
            assert_eq!(
                search(&mut engine, depth).selective_depth,
                selective_depth,
                "{fen} {depth} {threads}"
            );
        }
        // Nothing to search.
        engine.set_position("7k/7p/7P/8/1K6/8/B7/8 b - - 0 53", &[]).expect("stalemated");
        assert_eq!(search(&mut engine, 3).selective_depth, 0);
    }
}

/// A null move would be black's only good one: a bishop alone is no help in zugzwang.
#[test]
fn a_quiet_move_into_zugzwang_is_found() {
    let mut engine = engine(Profile::Modern, 1);
    // P. Morphy: mate in two.
    engine.set_position("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", &[]).expect("a position");
    let found = search(&mut engine, 10);
    assert_eq!((found.score, found.best_text().as_deref()), (Score::Mate(2), Some("a1a6")));
}
