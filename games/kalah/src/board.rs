//! The plain model of a kalah board: slow, and clear enough to be checked against the rules by reading.
//!
//! Everything faster in this crate is tested against it.

use std::fmt;
use std::str::FromStr;

use crate::rules::{Capture, End, Origin, Rules, Sweep};

/// A side. A sits below in diagrams and begins by default; B is the seed's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Player {
    /// The side whose pits have the numbers 0..M-1.
    A,
    /// The side whose pits have the numbers M+1..2M.
    B,
}

impl Player {
    /// The opponent.
    pub const fn other(self) -> Player {
        match self {
            Player::A => Player::B,
            Player::B => Player::A,
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Player::A => "A",
            Player::B => "B",
        })
    }
}

/// A kalah position of 1 to 12 pits a side; the rules are passed to what depends on them.
///
/// Pits and stores are numbered as in the seed: with M pits a side, A's pits are 0..M-1, his store is M, B's
/// pits are M+1..2M and his store is 2M+1. An elementary move is the number of the pit it empties.
///
/// ```
/// use dts_kalah::{Board, Player, Rules};
///
/// let mut board = Board::start(6, 6)?;
/// assert_eq!(board.to_string(), "6,6,6,6,6,6,0 | 6,6,6,6,6,6,0 A");
///
/// // Six stones from pit 0 reach A's store: he moves again.
/// let played = board.play(&Rules::SEED, 0)?;
/// assert!(played.extra_turn());
/// assert_eq!(board.to_move(), Player::A);
/// assert_eq!(board, "0,7,7,7,7,7,1 | 6,6,6,6,6,6,0 A".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    pits: usize,
    /// A's pits, his store, B's pits, his store; what lies beyond 2M+1 stays zero.
    desk: [u16; 2 * Board::MAX_PITS + 2],
    to_move: Player,
}

/// Where the last stone of a move fell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Landing {
    /// In the mover's store: he moves again unless the game is over.
    Store,
    /// In an empty pit of the mover, with a capture: it and the stones opposite went to his store.
    Capture {
        /// The stones that lay opposite; the mover's own last stone comes on top.
        opposite: u16,
    },
    /// In an empty pit of the mover whose opposite pit is empty too, under rules where that captures nothing.
    OwnEmpty,
    /// In any other pit.
    Elsewhere,
}

/// What went to the stores when the game was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Swept {
    /// Stones that went to A's store.
    pub a: u16,
    /// Stones that went to B's store.
    pub b: u16,
}

/// What an elementary move did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Played {
    /// Who moved.
    pub player: Player,
    /// The pit he emptied.
    pub pit: usize,
    /// The stones that lay in it.
    pub stones: u16,
    /// Where the last one fell.
    pub landing: Landing,
    /// How often the hand came back to the pit it started from, be it to sow it or to pass over it.
    pub laps: u16,
    /// What was swept, if the move ended the game.
    pub swept: Option<Swept>,
}

impl Played {
    /// Whether the mover has another move.
    pub fn extra_turn(&self) -> bool {
        self.landing == Landing::Store && !self.over()
    }

    /// How many stones a capture brought to the mover's store, his own last stone included; 0 without one.
    pub fn captured(&self) -> u16 {
        match self.landing {
            Landing::Capture { opposite } => opposite + 1,
            _ => 0,
        }
    }

    /// Whether the move ended the game.
    pub fn over(&self) -> bool {
        self.swept.is_some()
    }
}

/// A move that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// The number is not that of a pit of the side to move.
    #[error("{pit} is no pit of {player}'s; accepted: {}", list(.legal))]
    NotOwn {
        /// The number asked for.
        pit: usize,
        /// The side to move.
        player: Player,
        /// What it may play.
        legal: Vec<usize>,
    },
    /// The pit holds no stones.
    #[error("pit {pit} is empty; accepted: {}", list(.legal))]
    Empty {
        /// The number asked for.
        pit: usize,
        /// What may be played.
        legal: Vec<usize>,
    },
}

fn list(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// A board that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// Too few or too many pits.
    #[error("{0} pits a side; accepted: 1 to {max}", max = Board::MAX_PITS)]
    Pits(usize),
    /// Too few or too many stones in each pit to start with.
    #[error("{0} stones a pit; accepted: 1 to {max}", max = Board::MAX_START)]
    Stones(u16),
    /// The rows differ in length.
    #[error("A has {a} pits and B {b}; accepted: as many for both, 1 to {max}", max = Board::MAX_PITS)]
    Rows {
        /// A's pits.
        a: usize,
        /// B's pits.
        b: usize,
    },
    /// A pit or a store holds too many stones.
    #[error("{place}: {stones} stones; accepted: 0 to {max}")]
    TooMany {
        /// Which pit or store.
        place: String,
        /// What it holds.
        stones: u16,
        /// What it may hold.
        max: u16,
    },
    /// The text form is wrong at one place.
    #[error("column {column}, {place}: {wrong}; accepted: {accepted}")]
    Text {
        /// Where, counted in characters from 1.
        column: usize,
        /// Which part of the board stands there.
        place: String,
        /// What is wrong with it.
        wrong: String,
        /// What would be right.
        accepted: String,
    },
}

impl Board {
    /// The most pits a side.
    pub const MAX_PITS: usize = 12;
    /// The most stones in each pit to start with.
    pub const MAX_START: u16 = 20;
    /// The most stones a pit of a set-up position may hold; moves may heap up more.
    pub const MAX_PIT: u16 = 255;
    /// The most stones a store of a set-up position may hold; play may bring more.
    pub const MAX_STORE: u16 = 1000;

    /// The starting position: `pits` a side (1 to 12), `stones` in each (1 to 20), A to move.
    pub fn start(pits: usize, stones: u16) -> Result<Board, BoardError> {
        if !(1..=Board::MAX_START).contains(&stones) {
            return Err(BoardError::Stones(stones));
        }
        let row = vec![stones; pits];
        Board::new(&row, 0, &row, 0, Player::A)
    }

    /// Any position: each side's pits from his first, and his store.
    pub fn new(
        a: &[u16],
        store_a: u16,
        b: &[u16],
        store_b: u16,
        to_move: Player,
    ) -> Result<Board, BoardError> {
        let pits = a.len();
        if pits != b.len() {
            return Err(BoardError::Rows { a: pits, b: b.len() });
        }
        if !(1..=Board::MAX_PITS).contains(&pits) {
            return Err(BoardError::Pits(pits));
        }
        let mut board = Board { pits, desk: [0; 2 * Board::MAX_PITS + 2], to_move };
        board.desk[..pits].copy_from_slice(a);
        board.desk[pits] = store_a;
        board.desk[pits + 1..=2 * pits].copy_from_slice(b);
        board.desk[2 * pits + 1] = store_b;
        for at in 0..2 * pits + 2 {
            let max = if at % (pits + 1) == pits { Board::MAX_STORE } else { Board::MAX_PIT };
            if board.desk[at] > max {
                let player = if at <= pits { Player::A } else { Player::B };
                let place = if at % (pits + 1) == pits { store(player) } else { pit(at, player) };
                return Err(BoardError::TooMany { place, stones: board.desk[at], max });
            }
        }
        Ok(board)
    }

    /// How many pits a side has.
    pub fn pits(&self) -> usize {
        self.pits
    }

    /// The side to move; once the game is over, the side that would have been.
    pub fn to_move(&self) -> Player {
        self.to_move
    }

    /// The same position with `player` to move.
    pub fn with_to_move(self, player: Player) -> Board {
        Board { to_move: player, ..self }
    }

    /// The number of a player's first pit.
    pub fn first_pit(&self, player: Player) -> usize {
        match player {
            Player::A => 0,
            Player::B => self.pits + 1,
        }
    }

    /// A player's pits, from his first.
    pub fn row(&self, player: Player) -> &[u16] {
        let first = self.first_pit(player);
        &self.desk[first..first + self.pits]
    }

    /// What a player has in his store.
    pub fn store(&self, player: Player) -> u16 {
        self.desk[self.store_of(player)]
    }

    /// The store of the side to move less the opponent's.
    pub fn difference(&self) -> i32 {
        i32::from(self.store(self.to_move)) - i32::from(self.store(self.to_move.other()))
    }

    /// All stones, those in the stores included.
    pub fn total(&self) -> u32 {
        self.desk.iter().map(|&stones| u32::from(stones)).sum()
    }

    fn store_of(&self, player: Player) -> usize {
        self.first_pit(player) + self.pits
    }

    /// The pit over against `pit`.
    fn opposite(&self, pit: usize) -> usize {
        2 * self.pits - pit
    }

    fn row_is_empty(&self, player: Player) -> bool {
        self.row(player).iter().all(|&stones| stones == 0)
    }

    /// Whether the game is over here, swept or not.
    pub fn is_over(&self, rules: &Rules) -> bool {
        match rules.end {
            End::AnyRow => self.row_is_empty(Player::A) || self.row_is_empty(Player::B),
            End::CannotMove => self.row_is_empty(self.to_move),
        }
    }

    /// The elementary moves of the side to move in ascending order; none if the game is over.
    ///
    /// ```
    /// use dts_kalah::{Board, Rules};
    ///
    /// let board: Board = "0,6,6 , 0 | 6,0,6 , 0 B".parse()?;
    /// assert_eq!(board.legal(&Rules::SEED), [4, 6]);
    /// # Ok::<(), dts_kalah::BoardError>(())
    /// ```
    pub fn legal(&self, rules: &Rules) -> Vec<usize> {
        if self.is_over(rules) {
            return Vec::new();
        }
        let first = self.first_pit(self.to_move);
        (first..first + self.pits).filter(|&pit| self.desk[pit] > 0).collect()
    }

    /// Plays an elementary move; if it ends the game, sweeps the rows as the rules say.
    ///
    /// A move that cannot be played leaves the board as it was.
    pub fn play(&mut self, rules: &Rules, pit: usize) -> Result<Played, MoveError> {
        let mut played = self.sow(rules, pit)?;
        played.swept = self.sweep_if_over(rules, played.player);
        Ok(played)
    }

    /// Plays an elementary move without looking whether it ended the game.
    pub(crate) fn sow(&mut self, rules: &Rules, pit: usize) -> Result<Played, MoveError> {
        let player = self.to_move;
        let own_store = self.store_of(player);
        let other_store = self.store_of(player.other());
        let own_pits = self.first_pit(player)..own_store;

        if self.is_over(rules) {
            return Err(MoveError::Over);
        }
        if !own_pits.contains(&pit) {
            return Err(MoveError::NotOwn { pit, player, legal: self.legal(rules) });
        }
        if self.desk[pit] == 0 {
            return Err(MoveError::Empty { pit, legal: self.legal(rules) });
        }

        let stones = std::mem::take(&mut self.desk[pit]);
        let mut hand = stones;
        let mut laps = 0;
        let mut at = pit;
        while hand > 0 {
            at = (at + 1) % (2 * self.pits + 2);
            if at == other_store {
                continue;
            }
            if at == pit {
                laps += 1;
                if rules.origin == Origin::Skipped {
                    continue;
                }
            }
            self.desk[at] += 1;
            hand -= 1;
        }

        let landing = if at == own_store {
            Landing::Store
        } else if own_pits.contains(&at) && self.desk[at] == 1 {
            let opposite = self.desk[self.opposite(at)];
            if opposite > 0 || rules.capture == Capture::Empty {
                self.desk[own_store] += opposite + 1;
                self.desk[at] = 0;
                self.desk[self.opposite(at)] = 0;
                Landing::Capture { opposite }
            } else {
                Landing::OwnEmpty
            }
        } else {
            Landing::Elsewhere
        };
        if landing != Landing::Store {
            self.to_move = player.other();
        }
        Ok(Played { player, pit, stones, landing, laps, swept: None })
    }

    /// Sweeps a position that is over already, as a set-up one may be; `None` if the game goes on.
    ///
    /// Nobody knows who made the last move here: where the rules give the stones to the finisher, it counts as
    /// made by the opponent of the side to move. Where the rules give them to nobody they stay on the pits.
    ///
    /// ```
    /// use dts_kalah::{Board, Rules, Swept};
    ///
    /// let mut board: Board = "0,0,0,0,0,0,0 | 0,0,1,0,0,0,0 A".parse()?;
    /// assert_eq!(board.settle(&Rules::SEED), Some(Swept { a: 0, b: 1 }));
    /// assert_eq!(board.to_string(), "0,0,0,0,0,0,0 | 0,0,0,0,0,0,1 A");
    /// # Ok::<(), dts_kalah::BoardError>(())
    /// ```
    pub fn settle(&mut self, rules: &Rules) -> Option<Swept> {
        self.sweep_if_over(rules, self.to_move.other())
    }

    pub(crate) fn sweep_if_over(&mut self, rules: &Rules, finisher: Player) -> Option<Swept> {
        if !self.is_over(rules) {
            return None;
        }
        let mut swept = Swept::default();
        if rules.sweep != Sweep::None {
            for owner in [Player::A, Player::B] {
                let stones = self.row(owner).iter().sum::<u16>();
                let taker = if rules.sweep == Sweep::Finisher { finisher } else { owner };
                match taker {
                    Player::A => swept.a += stones,
                    Player::B => swept.b += stones,
                }
                let first = self.first_pit(owner);
                self.desk[first..first + self.pits].fill(0);
            }
            self.desk[self.pits] += swept.a;
            self.desk[2 * self.pits + 1] += swept.b;
        }
        Some(swept)
    }

    /// The board in two rows as on the screen of the seed's program: B on top with his store at the left, A
    /// below with his store at the right, the numbers of the pits over and under them.
    ///
    /// ```
    /// use dts_kalah::Board;
    ///
    /// let rows = [
    ///     "          6   5   4",
    ///     "B   0     4   4   4",
    ///     "          4   4   4     0   A",
    ///     "          0   1   2",
    /// ];
    /// assert!(Board::start(3, 4)?.diagram().lines().eq(rows));
    /// # Ok::<(), dts_kalah::BoardError>(())
    /// ```
    pub fn diagram(&self) -> String {
        let cells =
            |numbers: &mut dyn Iterator<Item = usize>| numbers.map(|n| format!("{n:4}")).collect::<String>();
        let b_numbers = || (self.pits + 1..=2 * self.pits).rev();
        let on_desk = |pit: usize| usize::from(self.desk[pit]);
        format!(
            "       {}\nB{:4}  {}\n       {}  {:4}   A\n       {}\n",
            cells(&mut b_numbers()),
            self.store(Player::B),
            cells(&mut b_numbers().map(on_desk)),
            cells(&mut (0..self.pits).map(on_desk)),
            self.store(Player::A),
            cells(&mut (0..self.pits)),
        )
    }
}

/// `6,6,6,6,6,6,0 | 6,6,6,6,6,6,0 A`: A's pits from his first and his store, the same of B, whose turn.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |player: Player| {
            let row = self.row(player).iter().map(|stones| format!("{stones},")).collect::<String>();
            format!("{row}{}", self.store(player))
        };
        write!(f, "{} | {} {}", side(Player::A), side(Player::B), self.to_move)
    }
}

fn pit(number: usize, player: Player) -> String {
    format!("pit {number} ({player}'s)")
}

fn store(player: Player) -> String {
    format!("{player}'s store")
}

/// Reads what [`Display`](fmt::Display) writes, with any blanks between its parts.
impl FromStr for Board {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Board, BoardError> {
        let wrong = |at: usize, place: String, wrong: String, accepted: String| BoardError::Text {
            column: text[..at].chars().count() + 1,
            place,
            wrong,
            accepted,
        };
        const SHAPE: &str = "A's pits and store | B's pits and store, whose turn, \
                             as in 6,6,6,6,6,6,0 | 6,6,6,6,6,6,0 A";

        let bar = text.find('|').ok_or_else(|| {
            let found = if text.trim().is_empty() { "nothing stands here" } else { "there is no `|`" };
            wrong(text.trim_end().len(), "the board".into(), found.into(), SHAPE.into())
        })?;
        if let Some(second) = text[bar + 1..].find('|') {
            let at = bar + 1 + second;
            return Err(wrong(at, "the board".into(), "a second `|`".into(), SHAPE.into()));
        }

        // Whose turn stands at the very end: the letters after B's store.
        let end = text.trim_end().len();
        let turn_at = bar + 1 + text[bar + 1..end].trim_end_matches(char::is_alphabetic).len();
        let to_move = match &text[turn_at..end] {
            "A" | "a" => Player::A,
            "B" | "b" => Player::B,
            "" => {
                let found = "it is missing".to_string();
                return Err(wrong(end, "whose turn".into(), found, "A or B at the end".into()));
            }
            other => {
                return Err(wrong(turn_at, "whose turn".into(), format!("`{other}`"), "A or B".into()));
            }
        };

        let side = |player: Player, from: usize, to: usize, first: usize| {
            let mut values = Vec::new();
            let mut at = from;
            let fields = text[from..to].split(',').count();
            for (index, field) in text[from..to].split(',').enumerate() {
                let (place, max) = if index + 1 == fields {
                    (store(player), Board::MAX_STORE)
                } else {
                    (pit(first + index, player), Board::MAX_PIT)
                };
                let number = field.trim();
                let start = at + (field.len() - field.trim_start().len());
                let value = number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse::<u16>());
                match value {
                    Some(Ok(value)) if value <= max => values.push(value),
                    _ => {
                        let found = if number.is_empty() {
                            "nothing stands here".to_string()
                        } else {
                            format!("`{number}`")
                        };
                        return Err(wrong(start, place, found, format!("a number of stones, 0 to {max}")));
                    }
                }
                at += field.len() + 1;
            }
            let store = values.pop().unwrap_or_default();
            if !(1..=Board::MAX_PITS).contains(&values.len()) {
                let found = format!("{} pits and a store", values.len());
                let accepted = format!("1 to {} pits and a store", Board::MAX_PITS);
                return Err(wrong(from, format!("{player}'s row"), found, accepted));
            }
            Ok((values, store))
        };
        let (a, store_a) = side(Player::A, 0, bar, 0)?;
        let (b, store_b) = side(Player::B, bar + 1, turn_at, a.len() + 1)?;
        if a.len() != b.len() {
            let found = format!("{} pits where A has {}", b.len(), a.len());
            return Err(wrong(bar + 1, "B's row".into(), found, "as many pits for both".into()));
        }
        Board::new(&a, store_a, &b, store_b, to_move)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn board(text: &str) -> Board {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// Plays a move of A's on the board with these two sides and tells the board after it.
    fn after(rules: &Rules, sides: &str, pit: usize) -> (Played, String) {
        let mut board = board(sides);
        let played = board.play(rules, pit).unwrap_or_else(|error| panic!("{sides}, {pit}: {error}"));
        (played, board.to_string())
    }

    fn seed(sides: &str, pit: usize) -> (Played, String) {
        after(&Rules::SEED, sides, pit)
    }

    #[test]
    fn worked_examples_of_the_seed() {
        let mut board = Board::start(6, 6).unwrap();
        let played = board.play(&Rules::SEED, 0).unwrap();
        assert_eq!((played.landing, played.extra_turn()), (Landing::Store, true));
        assert_eq!(board.to_string(), "0,7,7,7,7,7,1 | 6,6,6,6,6,6,0 A");
        let played = board.play(&Rules::SEED, 1).unwrap();
        assert_eq!((played.landing, played.extra_turn()), (Landing::Elsewhere, false));
        assert_eq!(board.to_string(), "0,0,8,8,8,8,2 | 7,7,6,6,6,6,0 B");
        board.play(&Rules::SEED, 7).unwrap();
        assert_eq!(board.to_string(), "1,0,8,8,8,8,2 | 0,8,7,7,7,7,1 A");
        let played = board.play(&Rules::SEED, 0).unwrap();
        assert_eq!((played.landing, played.captured()), (Landing::Capture { opposite: 7 }, 8));
        assert_eq!(board.to_string(), "0,0,8,8,8,8,10 | 0,8,7,7,0,7,1 B");
    }

    #[test]
    fn the_other_row_counts_for_its_owner_when_a_row_is_empty() {
        // realmofra/mancala#103; the last stone in the store asks for no further move (open_spiel#841).
        let (played, end) = seed("0,0,0,0,0,1,20 | 2,0,0,0,0,3,22 A", 5);
        assert_eq!(end, "0,0,0,0,0,0,21 | 0,0,0,0,0,0,27 A");
        assert_eq!(played.swept, Some(Swept { a: 0, b: 5 }));
        assert_eq!((played.landing, played.extra_turn(), played.over()), (Landing::Store, false, true));
    }

    #[test]
    fn capture_needs_stones_opposite() {
        // realmofra/mancala#175 and #176.
        let (played, end) = seed("1,0,0,4,0,0,0 | 0,0,0,0,2,2,0 A", 0);
        assert_eq!((played.landing, played.captured()), (Landing::Capture { opposite: 2 }, 3));
        assert_eq!(end, "0,0,0,4,0,0,3 | 0,0,0,0,0,2,0 B");
        let (played, end) = seed("1,0,0,4,0,0,0 | 0,0,0,0,0,2,0 A", 0);
        assert_eq!((played.landing, played.captured()), (Landing::OwnEmpty, 0));
        assert_eq!(end, "0,1,0,4,0,0,0 | 0,0,0,0,0,2,0 B");
        let (played, end) = after(&Rules::EMPTY_CAPTURE, "1,0,0,4,0,0,0 | 0,0,0,0,0,2,0 A", 0);
        assert_eq!((played.landing, played.captured()), (Landing::Capture { opposite: 0 }, 1));
        assert_eq!(end, "0,0,0,4,0,0,1 | 0,0,0,0,0,2,0 B");
    }

    #[test]
    fn the_opponents_store_is_passed_over() {
        // realmofra/mancala#215.
        let (played, end) = seed("1,0,0,0,0,8,0 | 1,0,0,0,0,0,9 A", 5);
        assert_eq!(played.landing, Landing::Elsewhere);
        assert_eq!(end, "2,0,0,0,0,0,1 | 2,1,1,1,1,1,9 B");
        // With an empty first pit the last stone captures what was just sown opposite, and A has no stones left.
        let (played, end) = seed("0,0,0,0,0,8,0 | 1,0,0,0,0,0,9 A", 5);
        assert_eq!(played.landing, Landing::Capture { opposite: 1 });
        assert_eq!(end, "0,0,0,0,0,0,3 | 0,0,0,0,0,0,15 B");
        // The same for B: A's store is passed over.
        let (played, end) = seed("0,2,0,0,0,0,9 | 0,0,0,0,0,8,0 B", 12);
        assert_eq!(played.landing, Landing::Capture { opposite: 1 });
        assert_eq!(end, "0,0,0,0,0,0,16 | 0,0,0,0,0,0,3 A");
    }

    #[test]
    fn the_last_pit_captures_as_well() {
        // cypreess/py-mancala#4: a last stone in the own empty sixth pit goes to the store with those opposite.
        let (played, end) = seed("1,0,0,0,1,0,7 | 1,1,0,0,0,0,0 A", 4);
        assert_eq!(played.captured(), 2);
        assert_eq!(end, "1,0,0,0,0,0,9 | 0,1,0,0,0,0,0 B");
    }

    #[test]
    fn a_long_chain_is_one_turn() {
        // Kaggle/kaggle-environments#1194: there is no limit on extra turns.
        let mut board = board("4,0,0,3,2,1,0 | 1,1,1,1,1,1,0 A");
        for pit in [5, 4, 5, 3, 5] {
            let played = board.play(&Rules::SEED, pit).unwrap();
            assert!(played.extra_turn(), "{pit}: {board}");
            assert_eq!(played.captured(), 0);
            assert_eq!(board.to_move(), Player::A);
        }
        assert_eq!(board.to_string(), "4,0,0,0,1,0,5 | 1,1,1,1,1,1,0 A");
        assert!(!board.play(&Rules::SEED, 4).unwrap().extra_turn());
        assert_eq!(board.to_string(), "4,0,0,0,0,0,7 | 0,1,1,1,1,1,0 B");
    }

    #[test]
    fn after_the_last_pit_of_b_comes_the_first_of_a() {
        // Kaggle/kaggle-environments#1396.
        let (played, end) = seed("0,0,0,0,9,0,0 | 0,1,0,0,0,1,5 A", 4);
        assert_eq!(played.landing, Landing::Capture { opposite: 2 });
        assert_eq!(end, "0,0,0,0,0,1,4 | 1,2,1,1,1,0,5 B");
        let (played, end) = seed("1,0,0,0,9,0,0 | 0,1,0,0,0,1,5 A", 4);
        assert_eq!(played.landing, Landing::Elsewhere);
        assert_eq!(end, "2,0,0,0,0,1,1 | 1,2,1,1,1,2,5 B");
    }

    #[test]
    fn a_set_up_position_may_be_over() {
        // LifesLight/CMancala, "Prevent starting terminal positions in custom board".
        for turn in ["A", "B"] {
            let mut over = board(&format!("0,0,0,0,0,0,3 | 0,0,1,0,0,0,4 {turn}"));
            assert!(over.is_over(&Rules::SEED));
            assert_eq!(over.legal(&Rules::SEED), []);
            assert_eq!(over.play(&Rules::SEED, 9), Err(MoveError::Over));
            assert_eq!(over.settle(&Rules::SEED), Some(Swept { a: 0, b: 1 }));
            assert_eq!(over.to_string(), format!("0,0,0,0,0,0,3 | 0,0,0,0,0,0,5 {turn}"));
            assert_eq!(over.settle(&Rules::SEED), Some(Swept::default()));
        }
        let cannot_move = Rules { end: End::CannotMove, ..Rules::SEED };
        assert_eq!(board("0,0,3 | 0,1,4 B").settle(&cannot_move), None);
        assert_eq!(board("0,0,3 | 0,1,4 B").legal(&cannot_move), [4]);
        assert_eq!(board("0,0,3 | 0,1,4 A").settle(&cannot_move), Some(Swept { a: 0, b: 1 }));
        let finisher = Rules { sweep: Sweep::Finisher, ..Rules::SEED };
        assert_eq!(board("0,0,3 | 0,1,4 B").settle(&finisher), Some(Swept { a: 1, b: 0 }));
        let nobody = Rules { sweep: Sweep::None, ..Rules::SEED };
        let mut over = board("0,0,3 | 0,1,4 B");
        assert_eq!(over.settle(&nobody), Some(Swept::default()));
        assert_eq!(over, board("0,0,3 | 0,1,4 B"));
        assert_eq!(board("1,0,3 | 0,1,4 B").settle(&Rules::SEED), None);
    }

    #[test]
    fn a_lap_of_thirteen_stones_ends_in_the_emptied_pit_and_captures() {
        let (played, end) = seed("13,0,0,0,0,0,0 | 1,1,1,1,1,1,0 A", 0);
        assert_eq!((played.landing, played.laps), (Landing::Capture { opposite: 2 }, 1));
        assert_eq!(end, "0,1,1,1,1,1,4 | 2,2,2,2,2,0,0 B");
        let skipped = Rules { origin: Origin::Skipped, ..Rules::SEED };
        let (played, end) = after(&skipped, "13,0,0,0,0,0,0 | 1,1,1,1,1,1,0 A", 0);
        assert_eq!((played.landing, played.laps), (Landing::Elsewhere, 1));
        assert_eq!(end, "0,2,1,1,1,1,1 | 2,2,2,2,2,2,0 B");
    }

    #[test]
    fn more_than_one_lap() {
        let (played, end) = seed("0,0,0,15,0,0,0 | 1,1,1,1,1,1,0 A", 3);
        assert_eq!((played.landing, played.laps, played.stones), (Landing::Elsewhere, 1, 15));
        assert_eq!(end, "1,1,1,1,2,2,1 | 2,2,2,2,2,2,0 B");
        let (played, end) = seed("0,0,0,0,0,27,0 | 1,1,1,1,1,1,0 A", 5);
        assert_eq!((played.landing, played.laps), (Landing::Store, 2));
        assert_eq!(end, "2,2,2,2,2,2,3 | 3,3,3,3,3,3,0 A");
        let (played, _) = seed("0,0,0,0,0,12,0 | 1,1,1,1,1,1,0 A", 5);
        assert_eq!(played.laps, 0);
        let (played, end) = seed("0,0,0,0,0,41,0 | 1,1,1,1,1,1,7 A", 5);
        assert_eq!((played.landing, played.laps), (Landing::Elsewhere, 3));
        assert_eq!(end, "3,3,3,3,3,3,4 | 5,4,4,4,4,4,7 B");
        // Under "origin skipped" a round is 12 stones long.
        let skipped = Rules { origin: Origin::Skipped, ..Rules::SEED };
        let (played, end) = after(&skipped, "0,0,0,0,0,25,0 | 1,1,1,1,1,1,0 A", 5);
        assert_eq!((played.landing, played.laps), (Landing::Store, 2));
        assert_eq!(end, "2,2,2,2,2,0,3 | 3,3,3,3,3,3,0 A");
        let (played, _) = after(&skipped, "0,0,0,0,0,12,0 | 1,1,1,1,1,1,0 A", 5);
        assert_eq!(played.laps, 0);
    }

    #[test]
    fn the_smallest_board() {
        let mut board = Board::start(1, 3).unwrap();
        let played = board.play(&Rules::SEED, 0).unwrap();
        assert_eq!(played.landing, Landing::Capture { opposite: 4 });
        assert_eq!(played.swept, Some(Swept { a: 0, b: 0 }));
        assert_eq!(board.to_string(), "0,6 | 0,0 B");
    }

    #[test]
    fn who_takes_the_opponents_last_stones_keeps_his_row() {
        // Turn 13B of the sample game.
        let before = "3,0,0,0,0,0,32 | 0,3,0,0,1,0,33 B";
        let (played, end) = seed(before, 11);
        assert_eq!((played.captured(), played.swept), (4, Some(Swept { a: 0, b: 3 })));
        assert_eq!(end, "0,0,0,0,0,0,32 | 0,0,0,0,0,0,40 A");
        for (sweep, end) in [
            (Sweep::Finisher, "0,0,0,0,0,0,32 | 0,0,0,0,0,0,40 A"),
            (Sweep::None, "0,0,0,0,0,0,32 | 0,3,0,0,0,0,37 A"),
        ] {
            assert_eq!(after(&Rules { sweep, ..Rules::SEED }, before, 11).1, end, "{sweep}");
        }
        // The mover empties his own row: the opponent, or the finisher, or nobody gets the rest.
        for (sweep, end) in [
            (Sweep::Owner, "0,0,5 | 0,0,12 B"),
            (Sweep::Finisher, "0,0,7 | 0,0,10 B"),
            (Sweep::None, "0,0,5 | 1,1,10 B"),
        ] {
            assert_eq!(after(&Rules { sweep, ..Rules::SEED }, "0,2,4 | 0,1,10 A", 1).1, end, "{sweep}");
        }
        // A last stone in the store makes the mover the finisher as well.
        let finisher = Rules { sweep: Sweep::Finisher, ..Rules::SEED };
        assert_eq!(after(&finisher, "0,1,4 | 0,1,10 A", 1).1, "0,0,6 | 0,0,10 A");
    }

    #[test]
    fn a_game_that_ends_only_when_the_mover_cannot_move() {
        let rules = Rules { end: End::CannotMove, ..Rules::SEED };
        // A's own row is empty, but it is B's turn: the game goes on until A is to move.
        let (played, end) = after(&rules, "0,2,4 | 0,1,10 A", 1);
        assert_eq!((played.swept, end.as_str()), (None, "0,0,5 | 1,1,10 B"));
        let (played, end) = after(&rules, &end, 4);
        assert_eq!((played.swept, end.as_str()), (None, "0,0,5 | 1,0,11 B"));
        let (played, end) = after(&rules, &end, 3);
        assert_eq!((played.landing, played.swept), (Landing::OwnEmpty, Some(Swept { a: 0, b: 1 })));
        assert_eq!(end, "0,0,5 | 0,0,12 A");
        // An extra turn with nothing to play it with ends the game at once.
        let (played, end) = after(&rules, "0,1,4 | 0,1,10 A", 1);
        assert_eq!((played.extra_turn(), played.swept), (false, Some(Swept { a: 0, b: 1 })));
        assert_eq!(end, "0,0,5 | 0,0,11 A");
    }

    #[test]
    fn moves_that_cannot_be_played() {
        let mut board = board("0,6,6,0 | 6,0,6,0 A");
        let before = board;
        let mut message = |pit| board.play(&Rules::SEED, pit).unwrap_err().to_string();
        assert_eq!(message(0), "pit 0 is empty; accepted: 1, 2");
        assert_eq!(message(3), "3 is no pit of A's; accepted: 1, 2");
        assert_eq!(message(4), "4 is no pit of A's; accepted: 1, 2");
        assert_eq!(message(99), "99 is no pit of A's; accepted: 1, 2");
        assert_eq!(board, before);
        let mut board = before.with_to_move(Player::B);
        let mut message = |pit| board.play(&Rules::SEED, pit).unwrap_err().to_string();
        assert_eq!(message(5), "pit 5 is empty; accepted: 4, 6");
        assert_eq!(message(1), "1 is no pit of B's; accepted: 4, 6");
        assert_eq!(message(7), "7 is no pit of B's; accepted: 4, 6");
    }

    #[test]
    fn boards_that_cannot_be() {
        let start = |pits, stones| Board::start(pits, stones).unwrap_err().to_string();
        assert_eq!(start(0, 6), "0 pits a side; accepted: 1 to 12");
        assert_eq!(start(13, 6), "13 pits a side; accepted: 1 to 12");
        assert_eq!(start(6, 0), "0 stones a pit; accepted: 1 to 20");
        assert_eq!(start(6, 21), "21 stones a pit; accepted: 1 to 20");
        assert_eq!(Board::start(12, 20).unwrap().total(), 480);
        let new = |a: &[u16], store| Board::new(a, store, &[1, 255], 0, Player::A).unwrap_err().to_string();
        assert_eq!(new(&[1], 0), "A has 1 pits and B 2; accepted: as many for both, 1 to 12");
        assert_eq!(new(&[1, 256], 0), "pit 1 (A's): 256 stones; accepted: 0 to 255");
        assert_eq!(new(&[1, 1], 1001), "A's store: 1001 stones; accepted: 0 to 1000");
    }

    #[test]
    fn text_is_read_with_any_blanks() {
        let expected = Board::new(&[1, 20, 3], 1000, &[0, 5, 255], 7, Player::B).unwrap();
        for text in [
            "1,20,3,1000 | 0,5,255,7 B",
            "  1 ,20, 3,1000|0,5,255,7 b  ",
            "1,20,3,1000|\t0,5,255 ,7   B\n",
            "1,20,3,1000|0,5,255,7B",
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        assert_eq!(expected.to_string(), "1,20,3,1000 | 0,5,255,7 B");
    }

    #[test]
    fn text_errors_name_the_column() {
        let message = |text: &str| text.parse::<Board>().unwrap_err().to_string();
        let shape = "accepted: A's pits and store | B's pits and store, whose turn, as in \
                     6,6,6,6,6,6,0 | 6,6,6,6,6,6,0 A";
        assert_eq!(message("  "), format!("column 1, the board: nothing stands here; {shape}"));
        assert_eq!(message("6,6,0 A"), format!("column 8, the board: there is no `|`; {shape}"));
        assert_eq!(message("6,0 | 6,0 | A"), format!("column 11, the board: a second `|`; {shape}"));
        assert_eq!(
            message("6,6,0 | 6,6,0"),
            "column 14, whose turn: it is missing; accepted: A or B at the end"
        );
        assert_eq!(message("6,6,0 | 6,6,0 North"), "column 15, whose turn: `North`; accepted: A or B");
        assert_eq!(
            message("6,x,0 | 6,6,0 A"),
            "column 3, pit 1 (A's): `x`; accepted: a number of stones, 0 to 255"
        );
        assert_eq!(
            message("6,6,0 | 6, -1,0 A"),
            "column 12, pit 4 (B's): `-1`; accepted: a number of stones, 0 to 255"
        );
        assert_eq!(
            message("6,,0 | 6,6,0 A"),
            "column 3, pit 1 (A's): nothing stands here; accepted: a number of stones, 0 to 255"
        );
        assert_eq!(
            message("6,256,0 | 6,6,0 A"),
            "column 3, pit 1 (A's): `256`; accepted: a number of stones, 0 to 255"
        );
        assert_eq!(
            message("6,6,0 | 6,6,99999 A"),
            "column 13, B's store: `99999`; accepted: a number of stones, 0 to 1000"
        );
        assert_eq!(
            message("6,6,0 | 6,6,0 0 A"),
            "column 13, B's store: `0 0`; accepted: a number of stones, 0 to 1000"
        );
        assert_eq!(
            message("6,6,6,0 | 6,6,0 A"),
            "column 10, B's row: 2 pits where A has 3; accepted: as many pits for both"
        );
        assert_eq!(
            message("6 | 6 A"),
            "column 1, A's row: 0 pits and a store; accepted: 1 to 12 pits and a store"
        );
        assert_eq!(
            message("1,1,1,1,1,1,1,1,1,1,1,1,1,0 | 6,0 A"),
            "column 1, A's row: 13 pits and a store; accepted: 1 to 12 pits and a store"
        );
    }

    #[test]
    fn two_rows_for_people() {
        let board = board("0,10,3,0,12,6,8 | 3,12,1,12,0,111,7 A");
        let rows = [
            "         12  11  10   9   8   7",
            "B   7   111   0  12   1  12   3",
            "          0  10   3   0  12   6     8   A",
            "          0   1   2   3   4   5",
        ];
        assert_eq!(board.diagram().lines().collect::<Vec<_>>(), rows);
    }

    /// The board seen by the opponent: rows and stores change places.
    fn swapped(board: &Board) -> Board {
        let side = |player| (board.row(player), board.store(player));
        let ((a, store_a), (b, store_b)) = (side(Player::A), side(Player::B));
        Board::new(b, store_b, a, store_a, board.to_move.other()).unwrap()
    }

    fn any_board() -> impl Strategy<Value = Board> {
        let row = |pits| proptest::collection::vec(0..30_u16, pits);
        (1..=Board::MAX_PITS)
            .prop_flat_map(move |pits| (row(pits), row(pits), 0..50_u16, 0..50_u16, any::<bool>()))
            .prop_map(|(a, b, store_a, store_b, a_moves)| {
                let to_move = if a_moves { Player::A } else { Player::B };
                Board::new(&a, store_a, &b, store_b, to_move).unwrap()
            })
    }

    fn any_rules() -> impl Strategy<Value = Rules> {
        proptest::sample::select(Rules::all().collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn text_and_board_are_one(board in any_board()) {
            prop_assert_eq!(board.to_string().parse(), Ok(board));
        }

        #[test]
        fn stones_are_kept_and_sides_are_alike(mut board in any_board(), rules in any_rules(), picks: [u8; 40]) {
            let total = board.total();
            for pick in picks {
                let legal = board.legal(&rules);
                prop_assert_eq!(legal.is_empty(), board.is_over(&rules));
                if legal.is_empty() {
                    break;
                }
                let pit = legal[usize::from(pick) % legal.len()];
                let mut mirror = swapped(&board);
                let played = board.play(&rules, pit).unwrap();
                let mirrored = mirror.play(&rules, (pit + board.pits() + 1) % (2 * board.pits() + 2)).unwrap();
                prop_assert_eq!(swapped(&mirror), board);
                prop_assert_eq!(mirrored.landing, played.landing);
                prop_assert_eq!(mirrored.swept, played.swept.map(|Swept { a, b }| Swept { a: b, b: a }));
                prop_assert_eq!(board.total(), total);
                prop_assert_eq!(played.over(), board.is_over(&rules));
                if played.over() && rules.sweep != Sweep::None {
                    prop_assert_eq!(board.row(Player::A).iter().chain(board.row(Player::B)).sum::<u16>(), 0);
                }
            }
        }
    }
}
