//! The seed's program as people meet it: a game against B, or B against itself, on any console.
//!
//! What is shown and asked stands here; how a turn is chosen comes from outside, and so does where the text
//! goes, so that a script can play the part of a person.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use dts_engine::write_whole;

use crate::board::{Board, BoardError, Landing, Played, Player, Swept};
use crate::record::{Counts, Record};
use crate::rules::{Rules, Sweep};

/// What came back from a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A line, without its end. One that holds an escape character or is just `q` means leaving, too.
    Line(String),
    /// Someone wants to leave the game: the escape key, for a console that sees keys.
    Leave,
    /// Nothing more will ever be answered.
    End,
}

/// Where the program shows its text and asks.
pub trait Console {
    /// Shows text as it is, line ends included.
    fn show(&mut self, text: &str) -> io::Result<()>;

    /// Shows a prompt and waits for an answer to it.
    fn ask(&mut self, prompt: &str) -> io::Result<Answer>;
}

/// What to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Pits a side.
    pub pits: usize,
    /// Stones in each to start with.
    pub stones: u16,
    /// The rules.
    pub rules: Rules,
    /// Who begins: A is the person, unless the program plays both sides; B is always the program.
    pub first: Player,
    /// Whether the program plays A as well.
    pub both_program: bool,
    /// Where the record of the game is kept.
    pub log: PathBuf,
}

/// The seed's game: six pits, six stones, A begins, the record in `lastgame.klh`.
impl Default for Options {
    fn default() -> Options {
        Options {
            pits: 6,
            stones: 6,
            rules: Rules::SEED,
            first: Player::A,
            both_program: false,
            log: PathBuf::from("lastgame.klh"),
        }
    }
}

/// A game that could not go on.
#[derive(Debug, thiserror::Error)]
pub enum SessionError<E> {
    /// The board asked for cannot be.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The console failed.
    #[error("the console: {0}")]
    Console(#[from] io::Error),
    /// No turn could be chosen.
    #[error("{0}")]
    Chooser(E),
    /// The chosen turn cannot be played, stops short of an extra move, or goes on after its end.
    #[error("the turn {turn:?} chosen for {player} is not a whole turn")]
    Turn {
        /// Whose turn.
        player: Player,
        /// The elementary moves chosen.
        turn: Vec<usize>,
    },
    /// The record could not be written.
    #[error("cannot write the record {}: {source}", path.display())]
    Record {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The last position.
    pub board: Board,
    /// Everything that was played.
    pub record: Record,
    /// Whether the game was played to its end; otherwise someone left, or the input ended.
    pub over: bool,
}

/// One game from the start to its end, or until someone leaves.
///
/// The record is written before the first move, which shows at once whether it can be, and after every
/// elementary move, so that the game so far can be replayed however the session ends. An unfinished game has
/// no line with final counts.
///
/// ```
/// use std::io;
/// use dts_kalah::program::{Answer, Console, Options, Session};
/// use dts_kalah::{Board, Evaluation, Rules, reference};
///
/// /// Presses ENTER for ever.
/// struct Patient(String);
/// impl Console for Patient {
///     fn show(&mut self, text: &str) -> io::Result<()> {
///         self.0.push_str(text);
///         Ok(())
///     }
///     fn ask(&mut self, prompt: &str) -> io::Result<Answer> {
///         self.show(prompt)?;
///         self.show("\n")?;
///         Ok(Answer::Line(String::new()))
///     }
/// }
///
/// let log = std::env::temp_dir().join(format!("session-{}.klh", std::process::id()));
/// let options = Options { pits: 2, stones: 2, both_program: true, log: log.clone(), ..Options::default() };
/// let mut console = Patient(String::new());
/// let choose = |board: &Board| -> Result<_, std::convert::Infallible> {
///     Ok(reference::compound_choice(board, &Rules::SEED, 9, Evaluation::Difference).1)
/// };
/// let outcome = Session::new(options, &mut console, choose).run()?;
/// assert!(outcome.over);
/// assert!(console.0.contains("B wins by 2."));
/// assert_eq!(std::fs::read_to_string(&log)?, outcome.record.to_string());
/// # std::fs::remove_file(log)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Session<'a, C, F> {
    options: Options,
    console: &'a mut C,
    chooser: F,
    record: Record,
}

/// Whether the game goes on after a prompt.
enum Next {
    Go,
    Leave,
}

impl<'a, C, F, E> Session<'a, C, F>
where
    C: Console,
    F: FnMut(&Board) -> Result<Vec<usize>, E>,
{
    /// A session that has not begun. The chooser is asked for a whole turn of the side to move.
    pub fn new(options: Options, console: &'a mut C, chooser: F) -> Session<'a, C, F> {
        Session { options, console, chooser, record: Record::default() }
    }

    /// Plays the game.
    pub fn run(mut self) -> Result<Outcome, SessionError<E>> {
        let Options { pits, stones, rules, first, both_program, .. } = self.options;
        let mut board = Board::start(pits, stones)?.with_to_move(first);
        self.save()?;

        let sides = if both_program {
            "The program plays both sides: ENTER makes its next move"
        } else {
            "You are A, below; the program is B: ENTER makes its next move"
        };
        let log = self.options.log.display().to_string();
        self.console.show(&format!(
            "Kalah, {pits} pits a side, {stones} stones in each, rules {rules}.\n\
             {sides}; q or ESC leaves.\nThe record goes to {log}.\n"
        ))?;
        self.screen(&board)?;

        while !board.is_over(&rules) {
            let next = if both_program || board.to_move() == Player::B {
                self.program_turn(&mut board)?
            } else {
                self.human_move(&mut board)?
            };
            if let Next::Leave = next {
                break;
            }
        }

        let (a, b) = (board.store(Player::A), board.store(Player::B));
        let over = board.is_over(&rules);
        if over {
            self.record.finish(Counts { a: a.into(), b: b.into() });
            self.save()?;
            let winner = match (a.cmp(&b), both_program) {
                (std::cmp::Ordering::Equal, _) => "It is a draw.".to_string(),
                (std::cmp::Ordering::Greater, false) => format!("You win by {}.", a - b),
                (std::cmp::Ordering::Less, false) => format!("The program wins by {}.", b - a),
                (std::cmp::Ordering::Greater, true) => format!("A wins by {}.", a - b),
                (std::cmp::Ordering::Less, true) => format!("B wins by {}.", b - a),
            };
            self.console.show(&format!("The game is over: A {a}, B {b}. {winner}\n"))?;
        } else {
            self.console.show(&format!("The game was left with A {a}, B {b}.\n"))?;
        }
        self.console.show(&format!("The record is in {log}.\n"))?;
        Ok(Outcome { board, record: self.record, over })
    }

    /// Asks the person for one elementary move until it is one that can be played.
    fn human_move(&mut self, board: &mut Board) -> Result<Next, SessionError<E>> {
        let rules = self.options.rules;
        loop {
            let Some(line) = self.ask("Your move: ")? else {
                return Ok(Next::Leave);
            };
            let complaint = match line.parse() {
                Ok(pit) => match board.play(&rules, pit) {
                    Ok(played) => {
                        self.played(board, &played)?;
                        return Ok(Next::Go);
                    }
                    Err(error) => error.to_string(),
                },
                Err(_) => {
                    let legal = board.legal(&rules).iter().map(usize::to_string).collect::<Vec<_>>();
                    let found =
                        if line.is_empty() { "no number".into() } else { format!("`{line}` is no pit") };
                    format!("{found}; accepted: {}", legal.join(", "))
                }
            };
            self.console.show(&format!("{complaint}\n"))?;
        }
    }

    /// Lets the program choose a turn and plays it, one elementary move for each ENTER.
    fn program_turn(&mut self, board: &mut Board) -> Result<Next, SessionError<E>> {
        self.console.show("Thinking...\n")?;
        let turn = (self.chooser)(board).map_err(SessionError::Chooser)?;
        if !is_whole_turn(board, &self.options.rules, &turn) {
            return Err(SessionError::Turn { player: board.to_move(), turn });
        }
        for (at, &pit) in turn.iter().enumerate() {
            let list = turn[at..].iter().map(|pit| format!("{pit} ")).collect::<String>();
            if self.ask(&format!("My move: {list}"))?.is_none() {
                return Ok(Next::Leave);
            }
            let played = board.play(&self.options.rules, pit).expect("a move of a whole turn");
            self.played(board, &played)?;
        }
        Ok(Next::Go)
    }

    /// An answer without the blanks around it; `None` if it means leaving.
    fn ask(&mut self, prompt: &str) -> io::Result<Option<String>> {
        Ok(match self.console.ask(prompt)? {
            Answer::Line(line) if line.contains('\u{1b}') || line.trim().eq_ignore_ascii_case("q") => None,
            Answer::Line(line) => Some(line.trim().to_string()),
            Answer::Leave | Answer::End => None,
        })
    }

    /// Records a move, tells what it did and shows the board after it.
    fn played(&mut self, board: &Board, played: &Played) -> Result<(), SessionError<E>> {
        self.record.push(played.player, played.pit);
        self.save()?;
        let mut said = match played.landing {
            Landing::Capture { opposite } => format!("captured {opposite} and the last stone"),
            _ if played.extra_turn() => "extra turn".to_string(),
            _ => String::new(),
        };
        if let Some(Swept { a, b }) = played.swept {
            let left = match self.options.rules.sweep {
                Sweep::None => "the stones left do not count".to_string(),
                _ => format!("of the stones left A takes {a}, B {b}"),
            };
            said = if said.is_empty() { left } else { format!("{said}; {left}") };
        }
        let said = if said.is_empty() { ".".to_string() } else { format!(": {said}.") };
        self.console.show(&format!("{} plays {}{said}\n", played.player, played.pit))?;
        self.screen(board)?;
        Ok(())
    }

    /// The board with the latest plies of the record beside it.
    fn screen(&mut self, board: &Board) -> io::Result<()> {
        let lines = self.record.lines();
        let diagram = board.diagram();
        let width = diagram.lines().map(str::len).max().unwrap_or(0);
        let latest = lines.len().saturating_sub(diagram.lines().count());
        let beside = lines[latest..].iter().map(String::as_str).chain(std::iter::repeat(""));
        let mut text = String::from("\n");
        for (row, ply) in diagram.lines().zip(beside) {
            text += format!("{row:width$}    {ply}").trim_end();
            text += "\n";
        }
        text += "\n";
        self.console.show(&text)
    }

    fn save(&self) -> Result<(), SessionError<E>> {
        let path = &self.options.log;
        save(&self.record, path).map_err(|source| SessionError::Record { path: path.clone(), source })
    }
}

/// Whether these moves are a turn from its beginning to its end.
fn is_whole_turn(board: &Board, rules: &Rules, turn: &[usize]) -> bool {
    let mut board = *board;
    let mut goes_on = true;
    for &pit in turn {
        match board.play(rules, pit) {
            Ok(played) if goes_on => goes_on = played.extra_turn(),
            _ => return false,
        }
    }
    !goes_on
}

/// Writes a record so that the file is at any time either the old or the new one as a whole.
///
/// Something that is not a plain file, such as a terminal or `/dev/null`, is written to as it is.
pub fn save(record: &Record, path: &Path) -> io::Result<()> {
    let text = record.to_string();
    let target = match fs::metadata(path) {
        Ok(found) if !found.is_file() => {
            return File::options().write(true).open(path)?.write_all(text.as_bytes());
        }
        // A link stays one: what it points to is replaced.
        Ok(_) => fs::canonicalize(path)?,
        Err(_) => path.to_path_buf(),
    };
    write_whole(&target, |file| file.write_all(text.as_bytes()))
}
