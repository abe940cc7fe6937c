//! The commands of the UCI protocol as text: what a line asks for.
//!
//! Words that mean nothing are passed over one at a time, as the protocol asks: nothing in a line is an error by itself.

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Who is it, and which options are there?
    Uci,
    /// Is it still there, and done with what was asked before?
    IsReady,
    /// What comes next belongs to another game.
    NewGame,
    /// A position: a FEN or `startpos`, and the moves since.
    Position { start: String, moves: Vec<String> },
    /// A setting.
    SetOption { name: String, value: Option<String> },
    /// A search.
    Go(Box<Go>),
    /// End the search.
    Stop,
    /// The move that was pondered on has been played.
    PonderHit,
    /// End the program.
    Quit,
    /// Known, and nothing is to be done.
    Nothing,
    /// No word of it is known.
    Unknown,
}

/// The arguments of `go`. Numbers are as they were given: clocks may be negative.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Go {
    pub(crate) searchmoves: Vec<String>,
    pub(crate) ponder: bool,
    pub(crate) infinite: bool,
    pub(crate) wtime: Option<i64>,
    pub(crate) btime: Option<i64>,
    pub(crate) winc: Option<i64>,
    pub(crate) binc: Option<i64>,
    pub(crate) movestogo: Option<i64>,
    pub(crate) depth: Option<i64>,
    pub(crate) nodes: Option<i64>,
    pub(crate) mate: Option<i64>,
    pub(crate) movetime: Option<i64>,
}

/// Understands a line.
pub(crate) fn understand(line: &str) -> Line {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.is_empty() {
        return Line::Nothing;
    }
    for (place, word) in words.iter().enumerate() {
        let rest = &words[place + 1..];
        return match *word {
            "uci" => Line::Uci,
            "isready" => Line::IsReady,
            "ucinewgame" => Line::NewGame,
            "position" => position(rest),
            "setoption" => set_option(rest),
            "go" => Line::Go(Box::new(go(rest))),
            "stop" => Line::Stop,
            "ponderhit" => Line::PonderHit,
            "quit" => Line::Quit,
            "debug" | "register" => Line::Nothing,
            _ => continue,
        };
    }
    Line::Unknown
}

/// `startpos` or `fen` and its fields, then perhaps `moves`.
fn position(words: &[&str]) -> Line {
    let begin = words.iter().position(|word| matches!(*word, "startpos" | "fen"));
    let Some(begin) = begin else {
        return Line::Position { start: String::new(), moves: Vec::new() };
    };
    let rest = &words[begin + 1..];
    let end = rest.iter().position(|word| *word == "moves").unwrap_or(rest.len());
    let start = if words[begin] == "fen" { rest[..end].join(" ") } else { "startpos".to_owned() };
    let moves = rest.iter().skip(end + 1).map(|&word| word.to_owned()).collect();
    Line::Position { start, moves }
}

/// `name` and the words of a name, then perhaps `value` and the words of a value.
fn set_option(words: &[&str]) -> Line {
    let begin = words.iter().position(|word| *word == "name").map_or(0, |place| place + 1);
    let words = &words[begin..];
    let end = words.iter().position(|word| *word == "value").unwrap_or(words.len());
    let value = (end < words.len()).then(|| words[end + 1..].join(" "));
    Line::SetOption { name: words[..end].join(" "), value }
}

/// A whole number; one that is too large or too small is the largest or the smallest.
fn number(word: &str) -> Option<i64> {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    match word.parse() {
        Ok(number) => Some(number),
        Err(error) => match error.kind() {
            PosOverflow => Some(i64::MAX),
            NegOverflow => Some(i64::MIN),
            _ => None,
        },
    }
}

/// The arguments of `go`, in any order.
fn go(words: &[&str]) -> Go {
    let mut go = Go::default();
    let mut moves_follow = false;
    let mut words = words.iter().peekable();
    while let Some(&word) = words.next() {
        let place = match word {
            "searchmoves" => {
                moves_follow = true;
                continue;
            }
            "ponder" => {
                go.ponder = true;
                moves_follow = false;
                continue;
            }
            "infinite" => {
                go.infinite = true;
                moves_follow = false;
                continue;
            }
            "wtime" => &mut go.wtime,
            "btime" => &mut go.btime,
            "winc" => &mut go.winc,
            "binc" => &mut go.binc,
            "movestogo" => &mut go.movestogo,
            "depth" => &mut go.depth,
            "nodes" => &mut go.nodes,
            "mate" => &mut go.mate,
            "movetime" => &mut go.movetime,
            _ => {
                if moves_follow {
                    go.searchmoves.push(word.to_owned());
                }
                continue;
            }
        };
        moves_follow = false;
        // Without a number the word alone is passed over: the next one may be an argument of its own.
        if let Some(given) = words.peek().and_then(|next| number(next)) {
            *place = Some(given);
            words.next();
        }
    }
    go
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(text: &str) -> Go {
        match understand(text) {
            Line::Go(go) => *go,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn arguments_of_go_come_in_any_order() {
        let all = go(
            "go searchmoves e2e4 d2d4 wtime 1000 btime -5 winc 10 binc 20 movestogo 3 depth 4 nodes 5 mate 6 movetime 7 ponder",
        );
        assert_eq!(
            all,
            Go {
                searchmoves: vec!["e2e4".into(), "d2d4".into()],
                ponder: true,
                infinite: false,
                wtime: Some(1000),
                btime: Some(-5),
                winc: Some(10),
                binc: Some(20),
                movestogo: Some(3),
                depth: Some(4),
                nodes: Some(5),
                mate: Some(6),
                movetime: Some(7),
            }
        );
        assert_eq!(go("go ponder wtime 1000"), Go { ponder: true, wtime: Some(1000), ..Go::default() });
        assert_eq!(go("go infinite searchmoves e2e4").searchmoves, ["e2e4"]);
    }

    #[test]
    fn words_that_mean_nothing_are_passed_over_one_at_a_time() {
        assert_eq!(go("go quickly depth depth 3"), Go { depth: Some(3), ..Go::default() });
        assert_eq!(go("go wtime btime 7"), Go { btime: Some(7), ..Go::default() });
        assert_eq!(go("go depth three movetime 9"), Go { movetime: Some(9), ..Go::default() });
        assert_eq!(go("go nodes 99999999999999999999").nodes, Some(i64::MAX));
        assert_eq!(go("go wtime -99999999999999999999").wtime, Some(i64::MIN));
        assert_eq!(understand("joho isready"), Line::IsReady);
        assert_eq!(understand("  \t "), Line::Nothing);
        assert_eq!(understand("häßlich"), Line::Unknown);
    }

    #[test]
    fn options_may_have_names_of_several_words_and_no_value() {
        let option = |name: &str, value: Option<&str>| Line::SetOption {
            name: name.to_owned(),
            value: value.map(str::to_owned),
        };
        assert_eq!(understand("setoption name Clear Hash"), option("Clear Hash", None));
        assert_eq!(understand("setoption name Move Overhead value 30"), option("Move Overhead", Some("30")));
        assert_eq!(understand("setoption name Hash value"), option("Hash", Some("")));
        assert_eq!(understand("setoption"), option("", None));
    }

    #[test]
    fn positions_have_moves_or_not() {
        let position = |start: &str, moves: &[&str]| Line::Position {
            start: start.to_owned(),
            moves: moves.iter().map(|&text| text.to_owned()).collect(),
        };
        assert_eq!(understand("position startpos"), position("startpos", &[]));
        assert_eq!(understand("position startpos moves e2e4 é"), position("startpos", &["e2e4", "é"]));
        assert_eq!(understand("position fen 8/8 w moves"), position("8/8 w", &[]));
        assert_eq!(understand("position"), position("", &[]));
    }
}
