//! Game records in the notation of the seed's `lastgame.klh`, and their replay.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::str::FromStr;

use crate::board::{Board, Landing, MoveError, Played, Player, Swept};
use crate::rules::{Rules, Sweep};

/// What one side played while it was its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The ply it belongs to, from 1; a ply is a turn of A's and the turn of B's after it.
    pub ply: usize,
    /// Whose turn.
    pub player: Player,
    /// The elementary moves, at least one.
    pub moves: Vec<usize>,
    /// The line of the record it stands in, from 1.
    pub line: usize,
}

/// What a record claims lies in the stores at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// A's stones.
    pub a: u32,
    /// B's stones.
    pub b: u32,
}

/// A game as it was written down; whether it keeps to the rules only [`replay`] can say.
///
/// ```text
///  1) A: 0 3      B: 11
///  2) A: 5        B: 7
/// final: A 32, B 40
/// ```
///
/// The last line may be missing: the game was left unfinished. Where B began, A's place in the first ply is blank.
/// Reading is more lenient than writing: commas between moves, several plies a line, blank lines, `final` with
/// other marks around the two numbers, and the line ends of any system are all understood, and so is a text
/// without any ply, a game that was left before the first move.
///
/// ```
/// use dts_kalah::{Player, record::Record};
///
/// let record: Record = "1) A: 0,3 B: 11\r\n2) A: 5 B: 7\r\nfinal: A - 32, B - 40\r\n".parse()?;
/// assert_eq!(record.to_string(), " 1) A: 0 3      B: 11\n 2) A: 5        B: 7\nfinal: A 32, B 40\n");
///
/// let mut record = Record::default();
/// record.push(Player::B, 7);
/// record.push(Player::B, 8);
/// record.push(Player::A, 5);
/// assert_eq!(record.to_string(), " 1) A:          B: 7 8\n 2) A: 5\n");
/// # Ok::<(), dts_kalah::record::RecordError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Record {
    turns: Vec<Turn>,
    counts: Option<(Counts, usize)>,
}

/// A record that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {wrong}; accepted: {accepted}")]
pub struct RecordError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub wrong: String,
    /// What would be right.
    pub accepted: &'static str,
}

impl Record {
    /// The turns, in the order they were played.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// Who began; `None` without any move.
    pub fn first(&self) -> Option<Player> {
        self.turns.first().map(|turn| turn.player)
    }

    /// The counts the record claims.
    pub fn counts(&self) -> Option<Counts> {
        self.counts.map(|(counts, _)| counts)
    }

    /// Adds an elementary move, to the turn under way if it is the same side's.
    pub fn push(&mut self, player: Player, pit: usize) {
        let ply = match self.turns.last_mut() {
            Some(turn) if turn.player == player => {
                turn.moves.push(pit);
                return;
            }
            Some(turn) if player == Player::A => turn.ply + 1,
            Some(turn) => turn.ply,
            None => 1,
        };
        // A record that is written has one ply a line.
        self.turns.push(Turn { ply, player, moves: vec![pit], line: ply });
    }

    /// Closes the record with what lies in the stores.
    pub fn finish(&mut self, counts: Counts) {
        let plies = self.turns.last().map_or(0, |turn| turn.ply);
        self.counts = Some((counts, plies + 1));
    }

    /// The record's lines, without their ends.
    pub fn lines(&self) -> Vec<String> {
        let text = |player: Player, ply: usize| {
            let of_ply = self.turns.iter().find(|turn| turn.player == player && turn.ply == ply);
            let moves = of_ply.map_or(&[][..], |turn| &turn.moves);
            moves.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
        };
        let plies = 1..=self.turns.last().map_or(0, |turn| turn.ply);
        let width = plies.clone().map(|ply| text(Player::A, ply).len()).max().unwrap_or(0).max(7);
        let mut lines = Vec::new();
        for ply in plies {
            let (a, b) = (text(Player::A, ply), text(Player::B, ply));
            lines.push(if b.is_empty() {
                format!("{ply:2}) A: {a}")
            } else {
                format!("{ply:2}) A: {a:width$}  B: {b}")
            });
        }
        if let Some(Counts { a, b }) = self.counts() {
            lines.push(format!("final: A {a}, B {b}"));
        }
        lines
    }
}

/// The format of the seed's sample game, byte for byte.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines().iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

const SHAPE: &str = "`1) A: 0 3  B: 11` a ply and `final: A 32, B 40` at the end";

/// A ply as far as it has been read: the line of its number, and A's and B's moves with the lines they stand in.
struct Ply {
    line: usize,
    turns: [Option<(usize, Vec<usize>)>; 2],
}

impl FromStr for Record {
    type Err = RecordError;

    fn from_str(text: &str) -> Result<Record, RecordError> {
        // By number, not by place: the seed prints its game in two columns.
        let mut plies: BTreeMap<usize, Ply> = BTreeMap::new();
        let mut counts = None;
        // The ply being read, and the side whose moves stand here.
        let mut current: Option<(usize, Option<Player>)> = None;

        for (index, content) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = index + 1;
            let fail = |wrong: String| RecordError { line, wrong, accepted: SHAPE };
            let mut rest = content;
            loop {
                // The end-of-file mark of old systems counts as a blank.
                rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == '\u{1a}');
                if rest.is_empty() {
                    break;
                }
                let word = leading(rest, |c| c.is_alphabetic());
                let digits = leading(rest, |c| c.is_ascii_digit());
                if word.eq_ignore_ascii_case("final") {
                    if counts.is_some() {
                        return Err(fail("a second `final`".into()));
                    }
                    counts = Some((read_counts(&rest[word.len()..]).map_err(fail)?, line));
                    break;
                } else if !word.is_empty() {
                    let player = match word {
                        "A" | "a" => Player::A,
                        "B" | "b" => Player::B,
                        _ => return Err(fail(format!("`{word}` is not understood"))),
                    };
                    let Some(after) = rest[word.len()..].trim_start().strip_prefix(':') else {
                        return Err(fail(format!("`{word}` without a colon after it")));
                    };
                    let Some((number, side)) = &mut current else {
                        return Err(fail(format!("`{word}:` before the number of the ply")));
                    };
                    let ply = plies.get_mut(number).expect("the ply being read");
                    if ply.turns[player as usize].is_some() {
                        return Err(fail(format!("ply {number} has {player}'s moves twice")));
                    }
                    ply.turns[player as usize] = Some((line, Vec::new()));
                    *side = Some(player);
                    rest = after;
                } else if !digits.is_empty() {
                    let number: usize =
                        digits.parse().map_err(|_| fail(format!("the number {digits} is too large")))?;
                    rest = &rest[digits.len()..];
                    if let Some(after) = rest.trim_start().strip_prefix(')') {
                        let ply = Ply { line, turns: [None, None] };
                        if plies.insert(number, ply).is_some() {
                            return Err(fail(format!("a second ply {number}")));
                        }
                        current = Some((number, None));
                        rest = after;
                    } else if let Some((ply, Some(player))) = current {
                        let turn =
                            &mut plies.get_mut(&ply).expect("the ply being read").turns[player as usize];
                        turn.as_mut().expect("the turn being read").1.push(number);
                    } else {
                        return Err(fail(format!("move {number} before `A:` or `B:`")));
                    }
                } else {
                    let found = rest.chars().next().expect("not empty");
                    return Err(fail(format!("`{found}` is not understood")));
                }
            }
        }

        let last = plies.len();
        let mut turns = Vec::new();
        for (expected, (number, ply)) in (1..).zip(plies) {
            let fail = |wrong: String| RecordError { line: ply.line, wrong, accepted: SHAPE };
            if number != expected {
                return Err(fail(format!("ply {number} where ply {expected} should follow")));
            }
            let any =
                |side: &Option<(usize, Vec<usize>)>| side.as_ref().is_some_and(|turn| !turn.1.is_empty());
            match ply.turns.each_ref().map(any) {
                [false, false] => return Err(fail(format!("ply {number} has no moves"))),
                [false, true] if number > 1 => return Err(fail(format!("ply {number} has no moves of A's"))),
                [true, false] if number < last => {
                    return Err(fail(format!("ply {number} has no moves of B's")));
                }
                _ => {}
            }
            for (player, turn) in [Player::A, Player::B].into_iter().zip(ply.turns) {
                if let Some((line, moves)) = turn
                    && !moves.is_empty()
                {
                    turns.push(Turn { ply: number, player, moves, line });
                }
            }
        }
        Ok(Record { turns, counts })
    }
}

fn leading(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !belongs(c)).unwrap_or(text.len())]
}

/// Reads what stands after `final`: two numbers, A's first unless the letters say otherwise.
fn read_counts(text: &str) -> Result<Counts, String> {
    let mut rest = text;
    let mut label = None;
    let mut found: Vec<(Option<Player>, u32)> = Vec::new();
    while let Some(next) = rest.chars().next() {
        let word = leading(rest, |c| c.is_alphabetic());
        let digits = leading(rest, |c| c.is_ascii_digit());
        if !word.is_empty() {
            match word.to_ascii_lowercase().as_str() {
                "a" => label = Some(Player::A),
                "b" => label = Some(Player::B),
                "count" | "counts" | "score" => {}
                _ => return Err(format!("`{word}` after `final` is not understood")),
            }
            rest = &rest[word.len()..];
        } else if !digits.is_empty() {
            let number = digits.parse().map_err(|_| format!("the number {digits} is too large"))?;
            found.push((label.take(), number));
            rest = &rest[digits.len()..];
        } else if next.is_whitespace() || "-–—:;,.=\u{1a}".contains(next) {
            rest = &rest[next.len_utf8()..];
        } else {
            return Err(format!("`{next}` after `final` is not understood"));
        }
    }
    match found[..] {
        [(None | Some(Player::A), a), (None | Some(Player::B), b)] => Ok(Counts { a, b }),
        [(Some(Player::B), b), (Some(Player::A), a)] => Ok(Counts { a, b }),
        _ => Err("no two counts, one for A and one for B, after `final`".into()),
    }
}

/// A position of a replayed game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The ply, from 1; 0 at the start.
    pub ply: usize,
    /// The elementary move that led here; `None` at the start and where the rows have been swept.
    pub played: Option<Played>,
    /// What happened, in words; empty if nothing worth telling did.
    pub note: String,
    /// The position itself. After a move that ends the game it is the one before the sweep.
    pub board: Board,
}

/// A replayed game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// Every position, from the start; when the game is over, one more after the sweep.
    pub positions: Vec<Position>,
    /// Whether the game was played to its end.
    pub over: bool,
    claimed: Option<(Counts, usize)>,
}

/// A record that breaks the rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, ply {ply}, {player}'s move {pit}: {fault}")]
pub struct ReplayError {
    /// The line, from 1.
    pub line: usize,
    /// The ply, from 1.
    pub ply: usize,
    /// Whose turn the record says it is.
    pub player: Player,
    /// The elementary move.
    pub pit: usize,
    /// What is wrong with it.
    #[source]
    pub fault: Fault,
}

/// How a move of a record breaks the rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The move cannot be played.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The other side is to move.
    #[error("it is not {0}'s turn")]
    NotHisTurn(Player),
    /// The turn was over before this move.
    #[error("the turn was over with the move before it")]
    TurnOver,
    /// The turn goes on after this move, but the record gives the opponent's next.
    #[error("it earns an extra move that the record does not have")]
    ExtraMissing,
}

/// A record whose last line is not what the replay comes to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: final A {}, B {}, but the moves come to A {a}, B {b}{}",
    claimed.a, claimed.b, if *over { "" } else { " (and the game is not over)" })]
pub struct CountsError {
    /// The line of the final counts, from 1.
    pub line: usize,
    /// What the record claims.
    pub claimed: Counts,
    /// What A has.
    pub a: u16,
    /// What B has.
    pub b: u16,
    /// Whether the game was over.
    pub over: bool,
}

/// Plays a record from `start` and gives every position after every elementary move.
///
/// The last turn may stop short of an extra move it has earned: so it does where a game was left.
///
/// ```
/// use dts_kalah::record::{Record, replay};
/// use dts_kalah::{Board, Rules};
///
/// let record: Record = "1) A: 0 3 B: 11\n2) A: 2".parse()?;
/// let game = replay(&record, &Board::start(6, 6)?, &Rules::SEED)?;
/// assert_eq!(game.positions.len(), 5);
/// assert_eq!(game.positions[1].note, "extra");
/// assert_eq!(game.end().to_string(), "1,8,0,2,9,9,3 | 8,8,8,8,0,7,1 B");
///
/// let record: Record = "1) A: 0 3 B: 11 9".parse()?;
/// let error = replay(&record, &Board::start(6, 6)?, &Rules::SEED).unwrap_err();
/// assert_eq!(error.to_string(), "line 1, ply 1, B's move 9: the turn was over with the move before it");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn replay(record: &Record, start: &Board, rules: &Rules) -> Result<Replay, ReplayError> {
    let mut board = *start;
    let mut positions = vec![Position { ply: 0, played: None, note: "start".into(), board }];
    let mut swept = sweep(&mut board, rules, start.to_move().other(), 0, &mut positions);

    for (index, turn) in record.turns.iter().enumerate() {
        let (ply, player) = (turn.ply, turn.player);
        for (at, &pit) in turn.moves.iter().enumerate() {
            let fail = |fault| ReplayError { line: turn.line, ply, player, pit, fault };
            if !swept && board.to_move() != player {
                return Err(fail(if at > 0 { Fault::TurnOver } else { Fault::NotHisTurn(player) }));
            }
            let played = board.sow(rules, pit).map_err(|error| fail(error.into()))?;
            let over = board.is_over(rules);
            positions.push(Position { ply, played: Some(played), note: note(&played, over), board });
            swept = sweep(&mut board, rules, player, ply, &mut positions);
            let last_of_turn = at + 1 == turn.moves.len();
            if !swept && last_of_turn && board.to_move() == player && index + 1 < record.turns.len() {
                return Err(fail(Fault::ExtraMissing));
            }
        }
    }
    Ok(Replay { positions, over: swept, claimed: record.counts })
}

/// Ends the game if it is over here, with one more position.
fn sweep(
    board: &mut Board,
    rules: &Rules,
    finisher: Player,
    ply: usize,
    positions: &mut Vec<Position>,
) -> bool {
    let Some(swept) = board.sweep_if_over(rules, finisher) else {
        return false;
    };
    let note = match rules.sweep {
        Sweep::None => "game over, the stones left do not count".to_string(),
        _ if swept == Swept::default() => "game over".to_string(),
        Sweep::Owner => "game over, rows swept to their owners".to_string(),
        Sweep::Finisher => format!("game over, rows swept to {finisher}"),
    };
    positions.push(Position { ply, played: None, note, board: *board });
    true
}

fn note(played: &Played, over: bool) -> String {
    let mut note = match played.landing {
        Landing::Store if !over => "extra".to_string(),
        Landing::Capture { opposite } => format!("capture {opposite}+1"),
        Landing::OwnEmpty => "own empty pit, opposite empty: no capture".to_string(),
        Landing::Store | Landing::Elsewhere => String::new(),
    };
    if played.laps > 0 {
        let blank = if note.is_empty() { "" } else { " " };
        write!(note, "{blank}lap({} stones)", played.stones).expect("writing to a string");
    }
    note
}

impl Replay {
    /// The last position.
    pub fn end(&self) -> &Board {
        &self.positions.last().expect("a replay has its start").board
    }

    /// Compares the counts the record claims, if it does, with the stores at the end.
    pub fn check_counts(&self) -> Result<(), CountsError> {
        let (a, b) = (self.end().store(Player::A), self.end().store(Player::B));
        match self.claimed {
            Some((claimed, line)) if claimed != (Counts { a: a.into(), b: b.into() }) => {
                Err(CountsError { line, claimed, a, b, over: self.over })
            }
            _ => Ok(()),
        }
    }
}

/// A table with a line for every position.
impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pits = self.end().pits();
        let cells = |values: &mut dyn Iterator<Item = String>| {
            values.map(|value| format!("{value:>4}")).collect::<String>()
        };
        let numbers = |player| {
            let first = self.end().first_pit(player);
            cells(&mut (first..first + pits).map(|number| number.to_string()))
        };
        let (a, b) = (numbers(Player::A), numbers(Player::B));
        writeln!(f, "ply side pit  {a}     A  {b}     B")?;
        for Position { ply, played, note, board } in &self.positions {
            let (side, pit) =
                played.as_ref().map_or_else(Default::default, |p| (p.player.to_string(), p.pit.to_string()));
            let row = |player| cells(&mut board.row(player).iter().map(u16::to_string));
            let line = format!(
                "{ply:3} {side:>4} {pit:>3}  {}  {:4}  {}  {:4}   {note}",
                row(Player::A),
                board.store(Player::A),
                row(Player::B),
                board.store(Player::B),
            );
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(text: &str) -> Record {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn moves(record: &Record) -> Vec<(usize, Player, Vec<usize>)> {
        record.turns().iter().map(|turn| (turn.ply, turn.player, turn.moves.clone())).collect()
    }

    #[test]
    fn forms_of_the_moves() {
        let expected = [
            (1, Player::A, vec![0, 3]),
            (1, Player::B, vec![11]),
            (2, Player::A, vec![5]),
            (2, Player::B, vec![7]),
            (3, Player::A, vec![2]),
        ];
        for text in [
            " 1) A: 0 3      B: 11\n 2) A: 5        B: 7\n 3) A: 2\n",
            "1) A: 0,3 B: 11\r\n\r\n2) A: 5 B: 7\r\n3) A: 2, B:\r\n\u{1a}",
            "\u{feff}1 )a:0, 3,b :11 3) A: 2\n2)\nA: 5\n B: 7",
            " 1) A: 0 3   B: 11     3) A: 2   B:\n 2) A: 5     B: 7     final: A - 32, B - 40",
        ] {
            assert_eq!(moves(&record(text)), expected, "{text}");
        }
        assert_eq!(record("2) A: 5\n\n1) A: 0 3\nB: 11").turns()[1].line, 4);
    }

    #[test]
    fn forms_of_the_counts() {
        for line in [
            "final: A 32, B 40",
            "final: A - 32, B - 40",
            "  FINAL counts 32 40",
            "Final 32:40",
            "final: B 40 A 32",
            "final score: a=32; b=40.",
            "final counts: 32 – 40\r",
        ] {
            assert_eq!(
                record(&format!("1) A: 0\n{line}\n")).counts(),
                Some(Counts { a: 32, b: 40 }),
                "{line}"
            );
        }
        assert_eq!(record("1) A: 0").counts(), None);
    }

    #[test]
    fn a_game_left_before_the_first_move() {
        for text in ["", "\n", " \r\n\u{1a}"] {
            assert_eq!(record(text), Record::default());
        }
        assert_eq!(Record::default().to_string(), "");
        assert_eq!(Record::default().first(), None);
    }

    #[test]
    fn b_may_begin_and_either_may_end() {
        let mut built = Record::default();
        for (player, pit) in
            [(Player::B, 10), (Player::A, 0), (Player::A, 11), (Player::B, 9), (Player::A, 1)]
        {
            built.push(player, pit);
        }
        assert_eq!(built.to_string(), " 1) A:          B: 10\n 2) A: 0 11     B: 9\n 3) A: 1\n");
        assert_eq!(built.first(), Some(Player::B));
        assert_eq!(record(&built.to_string()), built);
        built.finish(Counts { a: 3, b: 1 });
        assert!(built.to_string().ends_with("\n 3) A: 1\nfinal: A 3, B 1\n"));
        assert_eq!(record(&built.to_string()), built);
    }

    #[test]
    fn errors_name_the_line() {
        let message = |text: &str| {
            let error = text.parse::<Record>().unwrap_err();
            assert_eq!(error.accepted, SHAPE);
            format!("{}: {}", error.line, error.wrong)
        };
        assert_eq!(message("1) A: 0\n2) C: 3"), "2: `C` is not understood");
        assert_eq!(message("1) A 0"), "1: `A` without a colon after it");
        assert_eq!(message("\nA: 0"), "2: `A:` before the number of the ply");
        assert_eq!(message("1) A: 0 B: 7\n2) 5"), "2: move 5 before `A:` or `B:`");
        assert_eq!(message("1) A: 0 ; B: 7"), "1: `;` is not understood");
        assert_eq!(message("1) A: 0 A: 7"), "1: ply 1 has A's moves twice");
        assert_eq!(message("1) A: 0 B: 7\n1) A: 1"), "2: a second ply 1");
        assert_eq!(message("1) A: 0 B: 7\n\n3) A: 1"), "3: ply 3 where ply 2 should follow");
        assert_eq!(message("0) A: 0 B: 7"), "1: ply 0 where ply 1 should follow");
        assert_eq!(message("1) A: 0 B: 7\n2) A: B: 1"), "2: ply 2 has no moves of A's");
        assert_eq!(message("1) A: 0\n2) A: 1"), "1: ply 1 has no moves of B's");
        assert_eq!(message("1) A: 0 B: 7\n2)"), "2: ply 2 has no moves");
        assert_eq!(message("1) A: 99999999999999999999"), "1: the number 99999999999999999999 is too large");
        assert_eq!(
            message("1) A: 0\nfinal: A 32"),
            "2: no two counts, one for A and one for B, after `final`"
        );
        assert_eq!(message("final: A 3 A 2"), "1: no two counts, one for A and one for B, after `final`");
        assert_eq!(message("final: 1 2 3"), "1: no two counts, one for A and one for B, after `final`");
        assert_eq!(message("final: white 1 2"), "1: `white` after `final` is not understood");
        assert_eq!(message("final: 1/2"), "1: `/` after `final` is not understood");
        assert_eq!(message("final: 1 2\nfinal: 1 2"), "2: a second `final`");
        assert_eq!(
            "1) A: x".parse::<Record>().unwrap_err().to_string(),
            "line 1: `x` is not understood; accepted: `1) A: 0 3  B: 11` a ply and `final: A 32, B 40` at the end"
        );
    }

    fn fault(text: &str) -> String {
        let start = Board::start(6, 6).unwrap();
        let start = start.with_to_move(record(text).first().unwrap());
        replay(&record(text), &start, &Rules::SEED).unwrap_err().to_string()
    }

    #[test]
    fn moves_against_the_rules_name_line_and_move() {
        assert_eq!(
            fault(" 1) A: 0 3      B: 11\n\n 2) A: 3        B: 7\n 3) A: 3\n"),
            "line 4, ply 3, A's move 3: pit 3 is empty; accepted: 0, 1, 2, 4, 5"
        );
        assert_eq!(
            fault("1) A: 0 3 B: 11\n2) A: 9 B: 7"),
            "line 2, ply 2, A's move 9: 9 is no pit of A's; accepted: 0, 1, 2, 3, 4, 5"
        );
        assert_eq!(
            fault("1) A: 0 0 B: 11"),
            "line 1, ply 1, A's move 0: pit 0 is empty; accepted: 1, 2, 3, 4, 5"
        );
        assert_eq!(
            fault("1) A: 0 3 4 B: 11"),
            "line 1, ply 1, A's move 4: the turn was over with the move before it"
        );
        assert_eq!(
            fault("1) A: 0 B: 11"),
            "line 1, ply 1, A's move 0: it earns an extra move that the record does not have"
        );
        let error = replay(&record("1) A: B: 7"), &Board::start(6, 6).unwrap(), &Rules::SEED).unwrap_err();
        assert_eq!(error.to_string(), "line 1, ply 1, B's move 7: it is not B's turn");
    }

    #[test]
    fn no_move_follows_the_end() {
        let over: Board = "0,1,4 | 0,2,10 A".parse().unwrap();
        for rules in Rules::all() {
            let error = replay(&record("1) A: 1 B: 4"), &over, &rules).unwrap_err();
            assert_eq!(error.to_string(), "line 1, ply 1, B's move 4: the game is over", "{rules}");
        }
    }

    #[test]
    fn a_game_may_be_left_in_the_middle_of_a_turn() {
        let game = replay(&record("1) A: 0"), &Board::start(6, 6).unwrap(), &Rules::SEED).unwrap();
        assert_eq!((game.over, game.positions.len()), (false, 2));
        assert_eq!(game.end().to_string(), "0,7,7,7,7,7,1 | 6,6,6,6,6,6,0 A");
    }

    #[test]
    fn the_end_is_told_as_the_rules_have_it() {
        let start: Board = "0,2,4 | 0,1,10 A".parse().unwrap();
        let ends = |rules: &str| {
            let game = replay(&record("1) A: 1"), &start, &rules.parse().unwrap()).unwrap();
            let last = game.positions.last().unwrap();
            (game.over, game.positions.len(), last.note.clone(), game.end().to_string())
        };
        let end = |note: &str, board: &str| (true, 3, note.to_string(), board.to_string());
        assert_eq!(ends("seed"), end("game over, rows swept to their owners", "0,0,5 | 0,0,12 B"));
        assert_eq!(ends("seed,sweep=finisher"), end("game over, rows swept to A", "0,0,7 | 0,0,10 B"));
        assert_eq!(
            ends("seed,sweep=none"),
            end("game over, the stones left do not count", "0,0,5 | 1,1,10 B")
        );
        assert_eq!(ends("seed,end=cannot-move"), (false, 2, String::new(), "0,0,5 | 1,1,10 B".to_string()));
        let notes = |text: &str, board: &str| {
            let game = replay(&record(text), &board.parse().unwrap(), &Rules::SEED).unwrap();
            game.positions.iter().map(|position| position.note.clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            notes("1) A: 0", "1,0,4 | 1,1,10 A"),
            ["start", "capture 1+1", "game over, rows swept to their owners"]
        );
        assert_eq!(notes("1) A: 0", "1,0,4 | 1,0,10 A"), ["start", "capture 1+1", "game over"]);
        assert_eq!(
            notes("1) A: 0", "1,0,4 | 0,1,10 A"),
            ["start", "own empty pit, opposite empty: no capture"]
        );
        assert_eq!(
            notes("1) A: 0", "13,1,0,0,0,0,4 | 0,1,0,0,0,0,10 A"),
            ["start", "capture 1+1 lap(13 stones)"]
        );
        let start: Board = "0,0,4 | 1,0,10 A".parse().unwrap();
        let game = replay(&Record::default(), &start, &Rules::SEED).unwrap();
        assert_eq!((game.over, game.end().to_string().as_str()), (true, "0,0,4 | 0,0,11 A"));
        let start: Board = "0,1,4 | 0,1,10 A".parse().unwrap();
        let finisher = Rules { sweep: Sweep::Finisher, ..Rules::SEED };
        let game = replay(&record("1) A: 1"), &start, &finisher).unwrap();
        assert_eq!(game.end().to_string(), "0,0,6 | 0,0,10 A");
        // No extra move where the game is over.
        assert_eq!(
            notes("1) A: 1", "0,1,4 | 0,1,10 A"),
            ["start", "", "game over, rows swept to their owners"]
        );
    }

    #[test]
    fn wrong_counts_are_found() {
        let check = |text: &str, board: &str| {
            let game = replay(&record(text), &board.parse().unwrap(), &Rules::SEED).unwrap();
            game.check_counts().map_err(|error| error.to_string())
        };
        let (over, going_on) = ("0,2,4 | 0,1,10 A", "1,2,4 | 0,1,10 A");
        assert_eq!(check("1) A: 1", over), Ok(()));
        assert_eq!(check("1) A: 1\nfinal: A 5, B 12", over), Ok(()));
        assert_eq!(
            check("1) A: 1\n\nfinal: A 12, B 5", over),
            Err("line 3: final A 12, B 5, but the moves come to A 5, B 12".to_string())
        );
        assert_eq!(check("1) A: 1\nfinal: A 5, B 10", going_on), Ok(()));
        assert_eq!(
            check("1) A: 1\nfinal: A 6, B 12", going_on),
            Err("line 2: final A 6, B 12, but the moves come to A 5, B 10 (and the game is not over)"
                .to_string())
        );
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            turns in proptest::collection::vec(proptest::collection::vec(0..25_usize, 1..6), 0..12),
            b_begins: bool,
            counts in proptest::option::of((0..500_u32, 0..500_u32)),
        ) {
            let mut built = Record::default();
            let mut player = if b_begins { Player::B } else { Player::A };
            for turn in turns {
                for pit in turn {
                    built.push(player, pit);
                }
                player = player.other();
            }
            if let Some((a, b)) = counts {
                built.finish(Counts { a, b });
            }
            prop_assert_eq!(built.to_string().parse(), Ok(built));
        }

        #[test]
        fn no_text_breaks_the_reader(text in "[ 0-9AB:),\\-\nfinal]{0,60}") {
            let _ = text.parse::<Record>();
        }
    }
}
