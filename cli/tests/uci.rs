//! What goes wrong in chess engines that speak UCI, as their users have reported it, tried on the real program through pipes. The
//! numbers are those of the reports in the project's list of pitfalls.

mod common;

use std::time::{Duration, Instant};

use common::uci::Session;

/// Long enough for an engine to end a search that it should not end.
const A_WHILE: Duration = Duration::from_millis(400);

#[test]
fn it_says_who_it_is_and_what_can_be_set() {
    let mut session = Session::new();
    session.send("uci");
    insta::assert_snapshot!(session.until("uciok").join("\n"));
    assert!(session.ready().is_empty());
    assert!(session.quit().success());
}

/// 1: an infinite search ends by itself, because there is nothing left to search or because of a stop that came before it.
#[test]
fn an_infinite_search_ends_when_told_to() {
    let mut session = Session::new();
    session.send("position fen 8/5kR1/8/3K4/8/8/8/8 b - - 0 143\nstop\ngo infinite");
    session.is_quiet_for(A_WHILE);
    session.send("stop");
    assert_eq!(session.found().best, "f7g7");
    session.send("stop\nstop\nponderhit\nposition fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1\ngo infinite");
    session.is_quiet_for(A_WHILE);
    session.send("stop");
    let found = session.found();
    assert_eq!((found.best.as_str(), found.score().as_str()), ("d1d8", "mate 1"));
    assert!(session.quit().success());
}

/// 2: `isready` is not answered during a search, or ends it.
#[test]
fn it_is_ready_during_a_search() {
    let mut session = Session::new();
    session.send("go infinite");
    for _ in 0..10 {
        session.send("isready");
        let lines = session.until("readyok");
        assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
    }
    session.is_quiet_for(A_WHILE);
    session.send("stop");
    session.found();
    assert!(session.quit().success());
}

/// 3: what is sent right after `stop` is done before the old search has ended.
#[test]
fn commands_are_done_in_order() {
    let mut session = Session::new();
    session.send("go infinite\nstop\nposition startpos moves d2d4\ngo infinite");
    let white = session.found();
    assert!(["1", "2"].contains(&&white.best[1..2]), "{white:?}");
    session.is_quiet_for(A_WHILE);
    session.send("stop");
    let black = session.found();
    for line in &black.lines {
        let first = line.split(" pv ").nth(1).or(line.strip_prefix("bestmove ")).expect("a move");
        assert!(["7", "8"].contains(&&first[1..2]), "{line}");
    }
    // Many at once, and a `go` while another search runs: each has its best move.
    session.send(&"go infinite\nstop\nucinewgame\nposition startpos moves e2e4\n".repeat(20));
    session.send("go infinite\ngo depth 3\ngo ponder\nsetoption name Threads value 2\ngo depth 2");
    for _ in 0..24 {
        session.found();
    }
    assert!(session.quit().success());
}

/// 4: no move is legal: a panic, an illegal move, nothing at all, or a processor that runs hot.
#[test]
fn without_legal_moves_there_is_no_best_move() {
    let mate = "position fen 1nb5/1p1pk1p1/5n2/1p2K3/4p3/2b5/5r2/r7 w - - 6 28";
    let stalemate = "position fen 7k/7p/7P/8/1K6/8/B7/8 b - - 0 53";
    let mut session = Session::new();
    for (position, score) in [(mate, "mate 0"), (stalemate, "cp 0")] {
        for go in ["go depth 20", "go wtime 1000 btime 1000", "go movetime 50", "go nodes 1", "go mate 3"] {
            let found = session.search(&format!("{position}\n{go}"));
            assert_eq!((found.best.as_str(), found.score().as_str()), ("(none)", score), "{go}");
            assert_eq!(found.number("depth"), 0);
        }
        session.send(&format!("{position}\ngo infinite"));
        session.is_quiet_for(Duration::from_millis(100));
        let before = processor_time(&session);
        session.is_quiet_for(A_WHILE);
        assert!(processor_time(&session) - before <= 5, "it waits without working");
        session.send("stop");
        assert_eq!(session.found().best, "(none)");
    }
    assert!(session.quit().success());
}

/// The processor time of the program, in hundredths of a second; 0 where the system does not tell.
fn processor_time(session: &Session) -> u64 {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{}/stat", session.id())) else { return 0 };
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    fields[11..=12].iter().map(|field| field.parse::<u64>().expect("a number")).sum()
}

/// 5: an en-passant square where nothing can be captured: a crash, another key, a repetition missed.
#[test]
fn an_en_passant_square_counts_only_where_a_pawn_can_be_captured() {
    let mut session = Session::new();
    for (with, without) in [
        (
            "rnbqkb1r/ppp3pp/3p1n2/3P4/8/2P5/PP3PPP/RNBQKB1R w KQkq e6",
            "rnbqkb1r/ppp3pp/3p1n2/3P4/8/2P5/PP3PPP/RNBQKB1R w KQkq -",
        ),
        ("q6k/8/8/3pP3/8/8/8/7K w - d6 0 1", "q6k/8/8/3pP3/8/8/8/7K w - - 0 1"),
    ] {
        let mut search =
            |fen: &str| session.search(&format!("ucinewgame\nposition fen {fen}\ngo depth 7")).essence();
        assert_eq!(search(with), search(without), "{with}");
    }
    // After the moves the first position has been there twice before, but for the square: a draw at once.
    let fen = "position fen 7k/8/8/3pP3/q7/8/8/7K w - d6 0 1";
    let moves = "h1g1 h8g8 g1h1 g8h8 h1g1 h8g8 g1h1";
    let repeated = session.search(&format!("{fen} moves {moves}\ngo searchmoves a1a2 depth 1"));
    assert!(repeated.best.len() == 4, "{repeated:?}");
    assert!(session.quit().success());
}

/// 6: illegal moves, wrong positions, text that is none of both.
#[test]
fn what_is_wrong_is_said_and_the_position_before_is_kept() {
    let mut session = Session::new();
    let good = "position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
    session.send(good);
    assert!(session.ready().is_empty());
    let wrong = [
        "position fen r4rk1/1R5p/3p1q2/p1pP4/P7/7P/6P1/1R1Q3K b - - 0 24 moves b8e8",
        "position startpos moves e2e4 e7e5 é2é4",
        "position startpos moves e2e4 ♔♔",
        "position startpos moves 0000",
        "position startpos moves e7e8q",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen",
        "position fen moves e2e4",
        "position",
        "position fen ééééééé w - - 0 1",
        "position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - many 1",
        "position fen 3R2k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1",
        "setoption name Hash value",
        "setoption name Hash value 0",
        "setoption name Hash value -1",
        "setoption name Hash value 99999999999999999999",
        "setoption name Hash",
        "setoption name",
        "setoption",
        "setoption name Größe value é",
        "setoption name Threads value 0",
        "setoption name Strategy value guess",
        "setoption name Profile value",
        "setoption name Ponder value perhaps",
        "play",
    ];
    let mut all = String::new();
    for line in wrong {
        session.send(line);
        let said = session.ready();
        assert!(said.len() == 1 && said[0].starts_with("info string "), "{line}: {said:?}");
        all.push_str(&format!("> {line}\n{}\n", said[0]));
    }
    insta::assert_snapshot!(all);
    session.send_bytes(b"\xff\xfe\x00 go\xff\n\n   \t");
    session.send(&format!("position startpos moves {}", "x".repeat(100_000)));
    session.ready();
    assert_eq!(session.search("go depth 3").best, "d1d8");
    assert!(session.quit().success());
}

/// 6 as well: words that mean nothing are passed over one at a time, and no number is too large.
#[test]
fn words_that_mean_nothing_are_passed_over() {
    let mut session = Session::new();
    for go in [
        "go quickly depth three depth 2",
        "go depth 2 wtime btime winc",
        "go movetime 20 nodes",
        "go ponderhit nodes 500",
        "go depth 99999999999999999999 nodes 2000",
        "go nodes 99999999999999999999 depth 2",
        "go mate 99999999999999999999 depth 2",
        "go wtime 99999999999999999999 btime 99999999999999999999 winc 99999999999999999999 movestogo 99999999999999999999 depth 2",
        "go movetime 99999999999999999999 depth 2",
        "go depth 0",
        "go depth -7",
        "go nodes 0",
        "go nodes -5",
        "go movetime -1",
        "go searchmoves depth 2",
        "go searchmoves é♔ depth 2",
    ] {
        session.search(go);
    }
    // `ponder` has no argument: the clock that follows counts when the move has been played.
    session.send("go ponder wtime 50 btime 50");
    session.is_quiet_for(A_WHILE);
    session.send("ponderhit");
    session.found();
    session.send("joho isready");
    session.until("readyok");
    session.send("debug on\nregister later");
    assert!(session.ready().is_empty());
    assert!(session.quit().success());
}

/// 7: positions without their counters, or with a move number of zero.
#[test]
fn counters_may_be_missing() {
    let mut session = Session::new();
    let mut found = Vec::new();
    for counters in ["", " 0", " 0 1", " 0 0"] {
        let fen = format!("4k3/8/8/8/8/8/8/4K2R w K -{counters}");
        found.push(session.search(&format!("ucinewgame\nposition fen {fen}\ngo depth 6")).essence());
    }
    assert!(found.iter().all(|lines| *lines == found[0]), "{found:#?}");
    assert!(session.quit().success());
}

/// 8: a mate shown in plies, as centipawns, or with the wrong sign.
#[test]
fn mates_are_counted_in_moves() {
    let mut session = Session::new();
    for (fen, score) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "mate 1"),
        ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", "mate 2"),
        ("7k/R7/8/8/8/8/8/1R5K b - - 0 1", "mate -1"),
        ("8/8/8/8/8/1k6/8/K6r w - - 0 1", "mate 0"),
    ] {
        for _ in 0..2 {
            // The second time with what the table remembers.
            assert_eq!(session.search(&format!("position fen {fen}\ngo depth 8")).score(), score, "{fen}");
        }
    }
    // Found by a quiet sacrifice, after which every reply loses.
    session.send("setoption name Profile value classic");
    let found = session.search("position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1\ngo mate 2");
    assert_eq!((found.best.as_str(), found.score().as_str()), ("a1a6", "mate 2"));
    assert!(session.quit().success());
}

/// 9: time losses.
#[test]
fn clocks_are_kept() {
    let mut session = Session::new();
    for go in [
        "go wtime 120 btime 5000 movestogo 1",
        "go wtime 1000 btime 1000 movestogo 500 winc 10000",
        "go wtime 100 btime 100 winc 0 binc 0",
        "go wtime 500 btime 500 movestogo 2",
    ] {
        session.search(go);
    }
    // Nothing left: the first thing found is the move, and the first iteration the only one.
    for go in [
        "go wtime -30 btime 1000",
        "go wtime 0 btime 1000 winc 5000",
        "go wtime 5 btime 1000",
        "go wtime 8 movestogo 40",
    ] {
        assert_eq!(session.search(go).number("depth"), 1, "{go}");
    }
    // The other side's clock is not ours.
    assert_eq!(
        session.search("position startpos moves e2e4\ngo wtime -30 btime 100000 depth 4").number("depth"),
        4
    );
    assert!(session.quit().success());
}

/// 10: Hash and Threads set during a search or again and again.
#[test]
fn the_table_and_the_threads_are_changed_when_nothing_is_searched() {
    let mut session = Session::new();
    session.send("go infinite\nsetoption name Hash value 1\nsetoption name Threads value 2\nisready");
    session.until("readyok");
    session.is_quiet_for(A_WHILE);
    session.send("stop");
    session.found();
    assert!(session.ready().is_empty());
    session.send("setoption name Threads value 1");
    // A table of 1 MiB is full of what leaves one of 128 nearly empty.
    let mut used = |before: &str| session.search(&format!("{before}\ngo nodes 150000")).number("hashfull");
    let small = used("ucinewgame\nposition startpos");
    let large = used("setoption name Hash value 128\nucinewgame");
    let small_again = used("setoption name Hash value 32\nsetoption name Hash value 1");
    let after_a_game = used("ucinewgame\nucinewgame");
    assert!(small > 10 * large.max(1), "{small} {large}");
    assert!(
        small_again > 10 * large.max(1) && after_a_game > 10 * large.max(1),
        "{small_again} {after_a_game}"
    );
    for threads in [4, 1, 3, 8, 2] {
        session.search(&format!(
            "setoption name Threads value {threads}\nsetoption name Hash value {threads}\ngo depth 5"
        ));
    }
    session.send("setoption name Clear Hash");
    assert!(session.ready().is_empty());
    assert!(session.quit().success());
}

/// 11: wins thrown away by repetition, and draws seen where there are none.
#[test]
fn the_game_before_counts() {
    let mut session = Session::new();
    let lasker = "position fen 8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1 moves a1a2 a7a8 a2a1";
    let found = session.search(&format!("{lasker}\ngo depth 24"));
    assert_eq!(found.best, "a8b7", "{found:?}");
    // White has won, but for a position that comes for the third time.
    let twice = "position fen 7k/8/8/8/8/8/2Q5/K7 w - - 0 1 moves c2c3 h8g8 c3c2 g8h8 c2c3 h8g8 c3c2";
    let repeat = session.search(&format!("{twice}\ngo searchmoves g8h8 depth 1"));
    assert_eq!((repeat.best.as_str(), repeat.score().as_str()), ("g8h8", "cp 0"));
    let other = session.search(&format!("{twice}\ngo searchmoves g8f7 depth 6"));
    assert_ne!(other.score(), "cp 0", "{other:?}");
    // A mate with the fiftieth move is a mate.
    let mate = session.search("position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 99 80\ngo depth 4");
    assert_eq!((mate.best.as_str(), mate.score().as_str()), ("d1d8", "mate 1"));
    assert!(session.quit().success());
}

/// 12: `ponderhit` taken for a stop or not heard, `searchmoves` not known.
#[test]
fn pondering_becomes_a_search_with_limits() {
    let mut session = Session::new();
    for (go, limit) in [
        ("go ponder wtime 1000 btime 1000 movetime 200", 0),
        ("go ponder wtime 1000 btime 1000", 0),
        ("go ponder depth 3", 0),
        ("go ponder nodes 20", 0),
        ("go ponder mate 1 movetime 10", 0),
    ] {
        session.send(&format!("ucinewgame\nposition startpos\n{go}"));
        session.is_quiet_for(A_WHILE);
        session.send("ponderhit");
        let found = session.found();
        assert!(found.number("depth") >= limit, "{go}");
        // Missed: a stop.
        session.send(go);
        session.is_quiet_for(Duration::from_millis(50));
        session.send("stop\nponderhit");
        session.found();
    }
    // A hit does not end a search whose time has not come, nor one without limits.
    session.send("go ponder movetime 3600000\nponderhit");
    session.is_quiet_for(A_WHILE);
    session.send("stop");
    session.found();
    session.send("go ponder infinite\nponderhit");
    session.is_quiet_for(A_WHILE);
    session.send("stop");
    session.found();
    // Right at once.
    session.send("go ponder wtime 100 btime 100\nponderhit");
    session.found();
    assert!(session.quit().success());
}

/// Programs show it beside the depth.
#[test]
fn the_deepest_ply_is_told() {
    let mut session = Session::new();
    session.send("setoption name Profile value classic\nposition fen 7k/8/5n2/4p3/4P3/8/8/4K3 w - - 0 1");
    let found = session.search("go depth 1");
    assert!(found.last.starts_with("info depth 1 seldepth 3 multipv 1 score "), "{found:?}");
    assert!(session.quit().success());
}

#[test]
fn only_some_moves_are_searched() {
    let mut session = Session::new();
    assert_eq!(session.search("go searchmoves a2a3 depth 5").best, "a2a3");
    assert_eq!(session.search("go depth 4 searchmoves e2e5 h2h3 x9 infinite9 e7e5").best, "h2h3");
    let both = session.search("setoption name MultiPV value 5\ngo searchmoves a2a3 h2h4 depth 3");
    assert!(["a2a3", "h2h4"].contains(&both.best.as_str()), "{both:?}");
    let numbers: Vec<_> = both.lines.iter().filter(|line| line.contains(" multipv 2 ")).collect();
    assert!(!numbers.is_empty() && !both.last.contains(" multipv 3 "), "{both:?}");
    assert!(session.quit().success());
}

/// 13: a best move without a line of information before it. `found` asks for one.
#[test]
fn a_search_says_something_however_short_it_is() {
    let mut session = Session::new();
    for go in [
        "go movetime 1",
        "go movetime 0",
        "go nodes 1",
        "go depth 1",
        "go wtime 1 btime 1",
        "go infinite\nstop",
    ] {
        for _ in 0..5 {
            let found = session.search(&format!("ucinewgame\n{go}"));
            let line = found.after("pv").unwrap_or_else(|| panic!("{go}: {found:?}"));
            assert_eq!(line[0], found.best, "{go}");
        }
    }
    assert!(session.quit().success());
}

/// 14: fifty moves are counted wherever moves are made.
#[test]
fn fifty_moves_are_a_draw() {
    let mut session = Session::new();
    for (position, is_draw) in [
        ("position fen 8/8/8/4k3/8/8/8/4K2R w - - 99 80", true),
        ("position fen 8/8/8/4k3/8/8/8/4K2R w - - 97 80 moves e1e2 e5d5", true),
        ("position fen 8/8/8/4k3/8/8/8/4K2R w K - 98 80 moves e1g1", true),
        ("position fen 8/8/8/4k3/8/8/8/4K2R w - - 20 80", false),
        ("position fen 8/8/8/4k3/8/8/P7/4K2R w - - 99 80", false),
        ("position fen 8/8/8/4k3/8/8/P7/4K2R w - - 98 80 moves a2a3 e5d5", false),
    ] {
        let found = session.search(&format!("ucinewgame\n{position}\ngo depth 5"));
        assert_eq!(found.score() == "cp 0", is_draw, "{position}: {found:?}");
    }
    assert!(session.quit().success());
}

/// Castling is understood either way and written as asked.
#[test]
fn castling_is_written_as_the_variant_has_it() {
    let mut session = Session::new();
    let position = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    assert_eq!(session.search(&format!("{position}\ngo searchmoves e1g1 depth 1")).best, "e1g1");
    assert_eq!(session.search(&format!("{position}\ngo searchmoves e1h1 depth 1")).best, "e1g1");
    session.send("setoption name UCI_Chess960 value true");
    let found = session.search(&format!("{position}\ngo searchmoves e1g1 depth 1"));
    assert_eq!((found.best.as_str(), found.after("pv").expect("a line")[0]), ("e1h1", "e1h1"));
    let shredder = "position fen bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1 moves f2f4 f7f5";
    session.search(&format!("{shredder}\ngo depth 4"));
    assert!(session.quit().success());
}

#[test]
fn every_strategy_and_profile_plays() {
    let mut session = Session::new();
    session.send("setoption name Threads value 2\nposition fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1");
    for profile in ["classic", "modern"] {
        session.send(&format!("setoption name Profile value {profile}"));
        for strategy in ["sequential", "pvs", "epvs", "dts", "dts-adaptive", "ybw", "lazy-smp", "abdada"] {
            let found =
                session.search(&format!("setoption name Strategy value {strategy}\nucinewgame\ngo depth 4"));
            assert_eq!((found.best.as_str(), found.score().as_str()), ("d1d8", "mate 1"), "{strategy}");
        }
    }
    session.send("setoption name Pin value true");
    session.search("go depth 4");
    assert!(session.quit().success());
}

/// A session that ends in any way ends the program and its threads, with one best move for every search.
#[test]
fn an_end_of_input_is_the_end() {
    for last in [
        "",
        "go infinite",
        "go ponder",
        "go movetime 3600000",
        "go depth 3",
        "setoption name Threads value 4\ngo infinite",
    ] {
        let mut session = Session::new();
        session.send(last);
        assert!(session.close().success(), "{last}");
        let mut session = Session::new();
        session.send(last);
        assert!(session.quit().success(), "{last}");
    }
}

/// A thousand searches without end, each ended after a moment of its own: one best move each.
#[test]
#[ignore = "slow: a thousand searches"]
fn a_thousand_searches_are_stopped() {
    let mut session = Session::new();
    let mut times = Vec::new();
    session.send("setoption name Threads value 2");
    session.ready();
    for number in 0..1_000_u64 {
        session.send("go infinite");
        std::thread::sleep(Duration::from_millis(number % 23));
        let began = Instant::now();
        session.send("stop");
        session.found();
        times.push(began.elapsed());
    }
    times.sort();
    println!("stopped within {:?} (median), {:?} (99 %), {:?} (all)", times[500], times[990], times[999]);
    assert!(session.quit().success());
}
