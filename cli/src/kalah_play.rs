//! `dts kalah play` and `dts kalah replay`.

use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Once;

use anyhow::{Context, anyhow};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use dts_kalah::program::{Answer, Console, Options, Session, SessionError};
use dts_kalah::record::{CountsError, Record, Replay, replay as replay_record};
use dts_kalah::{Board, Player, Rules};
use serde::Serialize;

use crate::kalah_rules::RulesOptions;

/// Who makes the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum First {
    /// A, the person
    Human,
    /// B, the program
    Program,
}

/// Play kalah against the program; it is B, you are A
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct PlayOptions {
    /// Pits a side, 1 to 12
    #[arg(long, value_name = "M", default_value_t = 6)]
    pub(crate) pits: usize,
    /// Stones in each pit, 1 to 20
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub(crate) stones: u16,
    /// Who makes the first move
    #[arg(long, value_name = "WHO", default_value = "human")]
    pub(crate) first: First,
    /// Let the program play A as well, and watch
    #[arg(long)]
    pub(crate) both_program: bool,
    /// Where the record of the game is kept
    #[arg(long, value_name = "FILE", default_value = "lastgame.klh")]
    pub(crate) log: PathBuf,
    /// The rules.
    #[command(flatten)]
    pub(crate) rules: RulesOptions,
}

/// Check a game record and print every position of it
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ReplayOptions {
    /// The record; - is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Pits a side, 1 to 12
    #[arg(long, value_name = "M", default_value_t = 6)]
    pub(crate) pits: usize,
    /// Stones in each pit, 1 to 20
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub(crate) stones: u16,
    /// Print one JSON object a position
    #[arg(long)]
    pub(crate) json: bool,
    /// The rules.
    #[command(flatten)]
    pub(crate) rules: RulesOptions,
}

/// Plays a game; `chooser` gives a whole turn for the side to move.
pub(crate) fn play(
    options: &PlayOptions,
    chooser: impl FnMut(&Board) -> anyhow::Result<Vec<usize>>,
) -> anyhow::Result<ExitCode> {
    let options = Options {
        pits: options.pits,
        stones: options.stones,
        rules: options.rules.rules(),
        first: match options.first {
            First::Human => Player::A,
            First::Program => Player::B,
        },
        both_program: options.both_program,
        log: options.log.clone(),
    };
    let keyboard = io::stdin().is_terminal();
    if keyboard && io::stdout().is_terminal() {
        run(options, &mut Terminal::new(), chooser)
    } else {
        let (input, output) = (io::stdin().lock(), io::stdout().lock());
        run(options, &mut Lines { input, output, echo: !keyboard }, chooser)
    }
}

fn run(
    options: Options,
    console: &mut impl Console,
    chooser: impl FnMut(&Board) -> anyhow::Result<Vec<usize>>,
) -> anyhow::Result<ExitCode> {
    match Session::new(options, console, chooser).run() {
        Ok(_) => Ok(ExitCode::SUCCESS),
        Err(SessionError::Chooser(error)) => Err(error),
        // Nobody looks any more: the record is written, so this is another way to leave.
        Err(SessionError::Console(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => Err(anyhow!("{error}")),
    }
}

/// A console of lines: a file, a pipe, or a terminal whose output goes elsewhere.
struct Lines<R, W> {
    input: R,
    output: W,
    /// Whether to write out what was read, so that the output reads like a conversation.
    echo: bool,
}

impl<R: BufRead, W: Write> Console for Lines<R, W> {
    fn show(&mut self, text: &str) -> io::Result<()> {
        self.output.write_all(text.as_bytes())
    }

    fn ask(&mut self, prompt: &str) -> io::Result<Answer> {
        self.output.write_all(prompt.as_bytes())?;
        self.output.flush()?;
        let mut line = Vec::new();
        let answer = loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            // An escape leaves at once, without waiting for the end of the line.
            match buffer.iter().position(|&byte| byte == b'\n' || byte == 0x1b) {
                Some(at) => {
                    let escape = buffer[at] == 0x1b;
                    line.extend_from_slice(&buffer[..at]);
                    self.input.consume(at + 1);
                    break if escape { Answer::Leave } else { Answer::Line(text_of(&line)) };
                }
                None if buffer.is_empty() => {
                    break if line.is_empty() { Answer::End } else { Answer::Line(text_of(&line)) };
                }
                None => {
                    let read = buffer.len();
                    line.extend_from_slice(buffer);
                    self.input.consume(read);
                }
            }
        };
        if self.echo {
            match &answer {
                Answer::Line(line) => writeln!(self.output, "{}", line.trim_end())?,
                Answer::Leave | Answer::End => writeln!(self.output)?,
            }
        }
        Ok(answer)
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Puts the terminal back as it was, if a prompt has changed it; for handlers of signals and panics.
pub(crate) fn restore_terminal() {
    // There is nobody left to tell about a failure.
    let _ = disable_raw_mode();
}

/// A real terminal. It sees single keys, but only while it asks: whatever else happens, it is as it was.
struct Terminal(());

impl Terminal {
    fn new() -> Terminal {
        static HANDLERS: Once = Once::new();
        HANDLERS.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                restore_terminal();
                before(panic);
            }));
            // A program that handles its signals itself keeps its handler, and calls `restore_terminal` in it.
            let _ = ctrlc::try_set_handler(|| {
                restore_terminal();
                std::process::exit(130);
            });
        });
        Terminal(())
    }
}

/// The terminal's raw mode, as long as this lives.
struct Raw;

impl Raw {
    fn enter() -> io::Result<Raw> {
        enable_raw_mode()?;
        Ok(Raw)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        restore_terminal();
    }
}

impl Console for Terminal {
    fn show(&mut self, text: &str) -> io::Result<()> {
        io::stdout().write_all(text.as_bytes())
    }

    fn ask(&mut self, prompt: &str) -> io::Result<Answer> {
        let mut output = io::stdout();
        output.write_all(prompt.as_bytes())?;
        output.flush()?;
        let raw = Raw::enter()?;
        let mut line = String::new();
        let answer = loop {
            if let Event::Key(key) = crossterm::event::read()? {
                match typed(&mut line, key) {
                    Typed::Answer(answer) => break answer,
                    Typed::Echo(text) => {
                        output.write_all(text.as_bytes())?;
                        output.flush()?;
                    }
                }
            }
        };
        drop(raw);
        output.write_all(b"\n")?;
        Ok(answer)
    }
}

/// What a key did.
#[derive(Debug, PartialEq, Eq)]
enum Typed {
    /// It ended the prompt.
    Answer(Answer),
    /// It changed the line; this shows the change.
    Echo(String),
}

/// Edits a line by a key.
fn typed(line: &mut String, key: KeyEvent) -> Typed {
    /// More than anything to be typed here needs.
    const LONGEST: usize = 40;
    let nothing = Typed::Echo(String::new());
    if key.kind == KeyEventKind::Release {
        return nothing;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Esc => Typed::Answer(Answer::Leave),
        KeyCode::Char('c') if control => Typed::Answer(Answer::Leave),
        KeyCode::Char('d') if control && line.is_empty() => Typed::Answer(Answer::End),
        // A line end typed while the program was thinking arrives as control and j.
        KeyCode::Char('j') if control => Typed::Answer(Answer::Line(std::mem::take(line))),
        KeyCode::Enter => Typed::Answer(Answer::Line(std::mem::take(line))),
        KeyCode::Char('q' | 'Q') if line.is_empty() && !control => Typed::Answer(Answer::Leave),
        KeyCode::Backspace if line.pop().is_some() => Typed::Echo("\u{8} \u{8}".to_string()),
        KeyCode::Char(c) if !control && line.len() < LONGEST => {
            line.push(c);
            Typed::Echo(c.to_string())
        }
        _ => nothing,
    }
}

/// Checks a record and prints its positions.
///
/// A record that cannot be read or breaks the rules is bad input, and nothing is printed; one whose final counts
/// are not what the moves come to is printed and fails the check.
pub(crate) fn replay(options: &ReplayOptions) -> anyhow::Result<ExitCode> {
    let (name, text) = read(&options.file)?;
    let (printed, wrong) = replayed(options, &name, &text)?;
    match io::stdout().write_all(printed.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            return Err(error).context("cannot write the positions");
        }
        _ => {}
    }
    Ok(match wrong {
        None => ExitCode::SUCCESS,
        Some(wrong) => {
            eprintln!("{name}: {wrong}");
            ExitCode::from(1)
        }
    })
}

/// A record's name for messages, and its text.
fn read(file: &Path) -> anyhow::Result<(String, String)> {
    let (name, bytes) = if file == Path::new("-") {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes);
        ("standard input".to_string(), read)
    } else {
        (file.display().to_string(), std::fs::read(file))
    };
    let bytes = bytes.map_err(|error| anyhow!("{name}: cannot be read: {error}"))?;
    Ok((name, text_of(&bytes)))
}

/// What to print for a record, and whether its final counts are wrong.
fn replayed(
    options: &ReplayOptions,
    name: &str,
    text: &str,
) -> anyhow::Result<(String, Option<CountsError>)> {
    let rules = options.rules.rules();
    let start = Board::start(options.pits, options.stones)?;
    let record: Record = text.parse().map_err(|error| anyhow!("{name}: {error}"))?;
    let start = start.with_to_move(record.first().unwrap_or(Player::A));
    let game = replay_record(&record, &start, &rules).map_err(|error| anyhow!("{name}: {error}"))?;
    let printed = if options.json { json(&game, &rules)? } else { table(options, &game, &rules) };
    Ok((printed, game.check_counts().err()))
}

fn table(options: &ReplayOptions, game: &Replay, rules: &Rules) -> String {
    let ReplayOptions { pits, stones, .. } = options;
    let (a, b) = (game.end().store(Player::A), game.end().store(Player::B));
    let state = if game.over { "The game is over" } else { "The game is not over" };
    format!(
        "Kalah, {pits} pits a side, {stones} stones in each, rules {rules}.\n\n{game}\n{state}: A {a}, B {b}.\n"
    )
}

/// A position in JSON.
#[derive(Serialize)]
struct Row<'a> {
    ply: usize,
    side: Option<String>,
    pit: Option<usize>,
    note: &'a str,
    a: &'a [u16],
    store_a: u16,
    b: &'a [u16],
    store_b: u16,
    rules: &'a str,
}

fn json(game: &Replay, rules: &Rules) -> anyhow::Result<String> {
    let rules = &rules.to_string();
    let mut lines = String::new();
    for position in &game.positions {
        let board = &position.board;
        let row = Row {
            ply: position.ply,
            side: position.played.map(|played| played.player.to_string()),
            pit: position.played.map(|played| played.pit),
            note: &position.note,
            a: board.row(Player::A),
            store_a: board.store(Player::A),
            b: board.row(Player::B),
            store_b: board.store(Player::B),
            rules,
        };
        writeln!(lines, "{}", serde_json::to_string(&row)?)?;
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use dts_kalah::{Evaluation, reference};

    use super::*;

    const SAMPLE: &str = include_str!("../../games/kalah/tests/data/sample_game.txt");

    #[derive(Debug, Parser)]
    enum Command {
        Play(PlayOptions),
        Replay(ReplayOptions),
    }

    fn play_options(line: &str) -> PlayOptions {
        match Command::try_parse_from(format!("dts play {line}").split_whitespace()) {
            Ok(Command::Play(options)) => options,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn replay_options(line: &str) -> ReplayOptions {
        match Command::try_parse_from(format!("dts replay {line}").split_whitespace()) {
            Ok(Command::Replay(options)) => options,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn options_are_those_of_the_seed_unless_said_otherwise() {
        use clap::CommandFactory;
        Command::command().debug_assert();
        let options = play_options("");
        assert_eq!((options.pits, options.stones, options.first), (6, 6, First::Human));
        assert_eq!((options.both_program, options.log.to_str()), (false, Some("lastgame.klh")));
        let options =
            play_options("--pits 4 --stones 3 --first program --both-program --log x --rules emptycap");
        assert_eq!((options.pits, options.stones, options.first), (4, 3, First::Program));
        assert_eq!((options.both_program, options.log.to_str()), (true, Some("x")));
        assert_eq!(options.rules.rules(), Rules::EMPTY_CAPTURE);
    }

    fn lines(input: &[u8]) -> (Vec<Answer>, String) {
        let mut console = Lines { input, output: Vec::new(), echo: true };
        let mut answers = Vec::new();
        while answers.last() != Some(&Answer::End) {
            answers.push(console.ask("? ").expect("an answer"));
        }
        (answers, String::from_utf8(console.output).expect("text"))
    }

    #[test]
    fn a_pipe_is_read_by_lines() {
        let line = |text: &str| Answer::Line(text.to_string());
        let (answers, shown) = lines(b"0\r\n\n 3 \nq");
        assert_eq!(answers, [line("0\r"), line(""), line(" 3 "), line("q"), Answer::End]);
        assert_eq!(shown, "? 0\n? \n?  3\n? q\n? \n");
        assert_eq!(lines(b"12\x1b0\n").0, [Answer::Leave, line("0"), Answer::End]);
        assert_eq!(lines(b"\xff\n").0, [line("\u{fffd}"), Answer::End]);
        assert_eq!(lines(b"").0, [Answer::End]);
    }

    #[test]
    fn an_escape_does_not_wait_for_the_end_of_the_line() {
        /// A pipe that stays open: reading on after what has been sent would block for ever.
        struct Open(&'static [u8]);
        impl Read for Open {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                panic!("it would block")
            }
        }
        impl BufRead for Open {
            fn fill_buf(&mut self) -> io::Result<&[u8]> {
                assert!(!self.0.is_empty(), "it would block");
                Ok(self.0)
            }
            fn consume(&mut self, read: usize) {
                self.0 = &self.0[read..];
            }
        }
        let mut console = Lines { input: Open(b"1\x1b"), output: Vec::new(), echo: true };
        assert_eq!(console.ask("? ").expect("an answer"), Answer::Leave);
    }

    fn press(line: &mut String, code: KeyCode) -> Typed {
        typed(line, KeyEvent::new(code, KeyModifiers::NONE))
    }

    fn control(line: &mut String, letter: char) -> Typed {
        typed(line, KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL))
    }

    #[test]
    fn keys_edit_the_line() {
        let echo = |text: &str| Typed::Echo(text.to_string());
        let mut line = String::new();
        assert_eq!(press(&mut line, KeyCode::Backspace), echo(""));
        assert_eq!(press(&mut line, KeyCode::Char('1')), echo("1"));
        assert_eq!(press(&mut line, KeyCode::Char('q')), echo("q"));
        assert_eq!(press(&mut line, KeyCode::Backspace), echo("\u{8} \u{8}"));
        assert_eq!(press(&mut line, KeyCode::Char('0')), echo("0"));
        assert_eq!(press(&mut line, KeyCode::Left), echo(""));
        assert_eq!(control(&mut line, 'a'), echo(""));
        assert_eq!(control(&mut line, 'd'), echo(""));
        let released = KeyEvent::new_with_kind(KeyCode::Esc, KeyModifiers::NONE, KeyEventKind::Release);
        assert_eq!(typed(&mut line, released), echo(""));
        assert_eq!(press(&mut line, KeyCode::Enter), Typed::Answer(Answer::Line("10".to_string())));
        assert_eq!(line, "");
        line.push('2');
        assert_eq!(control(&mut line, 'j'), Typed::Answer(Answer::Line("2".to_string())));
        for _ in 0..100 {
            press(&mut line, KeyCode::Char('9'));
        }
        assert_eq!(line.len(), 40);
    }

    #[test]
    fn keys_that_leave() {
        for code in [KeyCode::Esc, KeyCode::Char('q'), KeyCode::Char('Q')] {
            assert_eq!(press(&mut String::new(), code), Typed::Answer(Answer::Leave));
        }
        assert_eq!(press(&mut "1".to_string(), KeyCode::Esc), Typed::Answer(Answer::Leave));
        assert_eq!(control(&mut "1".to_string(), 'c'), Typed::Answer(Answer::Leave));
        assert_eq!(control(&mut String::new(), 'd'), Typed::Answer(Answer::End));
        assert_eq!(control(&mut String::new(), 'q'), Typed::Echo(String::new()));
    }

    #[test]
    fn a_game_over_a_pipe() {
        let log = std::env::temp_dir().join(format!("dts-cli-kalah-{}.klh", std::process::id()));
        let options =
            Options { pits: 3, stones: 2, both_program: true, log: log.clone(), ..Options::default() };
        let chooser =
            |board: &Board| Ok(reference::compound_choice(board, &Rules::SEED, 4, Evaluation::Difference).1);
        let mut console = Lines { input: &b"\n".repeat(100)[..], output: Vec::new(), echo: true };
        let code = run(options.clone(), &mut console, chooser).expect("a game");
        assert_eq!(code, ExitCode::SUCCESS);
        let shown = String::from_utf8(console.output).expect("text");
        assert!(shown.contains("The game is over: "), "{shown}");
        let written = std::fs::read_to_string(&log).expect("a record");
        let (printed, wrong) =
            replayed(&replay_options("- --pits 3 --stones 2"), "-", &written).expect("a replay");
        assert_eq!(wrong, None);
        let last = shown.lines().find(|line| line.starts_with("The game is over: ")).expect("the result");
        assert!(last.starts_with(printed.lines().last().expect("the result")), "{last}\n{printed}");

        let mut console = Lines { input: &b""[..], output: Vec::new(), echo: true };
        let failing = |_: &Board| Err(anyhow!("no turn"));
        let error = run(options.clone(), &mut console, failing).expect_err("no turn");
        assert_eq!(error.to_string(), "no turn");
        let error = run(Options { pits: 0, ..options }, &mut console, failing).expect_err("no board");
        assert_eq!(error.to_string(), "0 pits a side; accepted: 1 to 12");
        std::fs::remove_file(log).expect("the record");
    }

    #[test]
    fn a_replay_in_json_has_an_object_a_position() {
        let (printed, wrong) = replayed(&replay_options("- --json"), "-", SAMPLE).expect("a replay");
        assert_eq!(wrong, None);
        let lines = printed.lines().collect::<Vec<_>>();
        assert_eq!(lines.len(), 47);
        assert_eq!(
            lines[0],
            r#"{"ply":0,"side":null,"pit":null,"note":"start","a":[6,6,6,6,6,6],"store_a":0,"b":[6,6,6,6,6,6],"store_b":0,"rules":"seed"}"#
        );
        assert_eq!(
            lines[13],
            r#"{"ply":5,"side":"B","pit":12,"note":"capture 11+1","a":[5,0,1,2,12,1],"store_a":6,"b":[3,12,1,12,0,0],"store_b":17,"rules":"seed"}"#
        );
        assert_eq!(
            lines[46],
            r#"{"ply":13,"side":null,"pit":null,"note":"game over, rows swept to their owners","a":[0,0,0,0,0,0],"store_a":32,"b":[0,0,0,0,0,0],"store_b":40,"rules":"seed"}"#
        );
    }

    #[test]
    fn a_replay_for_people_names_its_rules_and_the_result() {
        let (printed, wrong) = replayed(&replay_options("- --sweep none"), "-", SAMPLE).expect("a replay");
        let lines = printed.lines().collect::<Vec<_>>();
        assert_eq!(lines[0], "Kalah, 6 pits a side, 6 stones in each, rules seed,sweep=none.");
        assert_eq!(lines[lines.len() - 1], "The game is over: A 32, B 37.");
        let wrong = wrong.expect("other counts").to_string();
        assert_eq!(wrong, "line 14: final A 32, B 40, but the moves come to A 32, B 37");
        let (printed, wrong) = replayed(&replay_options("-"), "-", "1) A: 0").expect("a replay");
        assert!(printed.ends_with("\nThe game is not over: A 1, B 0.\n"), "{printed}");
        assert_eq!(wrong, None);
        let (printed, _) = replayed(&replay_options("-"), "-", "1) A: B: 7").expect("a replay");
        assert!(printed.ends_with("\nThe game is not over: A 0, B 1.\n"), "{printed}");
    }

    #[test]
    fn errors_name_the_input() {
        let message = |line: &str, text: &str| {
            let options = replay_options(line);
            replayed(&options, "game.klh", text).expect_err("bad input").to_string()
        };
        assert_eq!(
            message("-", "1) A: x"),
            "game.klh: line 1: `x` is not understood; accepted: `1) A: 0 3  B: 11` a ply and \
             `final: A 32, B 40` at the end"
        );
        assert_eq!(
            message("-", "1) A: 0 3 B: 11\n2) A: 6"),
            "game.klh: line 2, ply 2, A's move 6: 6 is no pit of A's; accepted: 0, 1, 2, 3, 4, 5"
        );
        assert_eq!(message("- --stones 21", "1) A: 0"), "21 stones a pit; accepted: 1 to 20");
        let error = read(Path::new("/none/such")).expect_err("no file").to_string();
        assert!(error.starts_with("/none/such: cannot be read: "), "{error}");
    }
}
