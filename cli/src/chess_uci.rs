//! `dts chess uci`: the engine for any chess program that speaks UCI.
//!
//! One thread reads and one searches. The one that reads answers by itself what cannot wait: `stop`, `ponderhit`, `quit`, and `isready`
//! during a search. Everything else the other one does in the order in which it came, so that a position that is sent right after
//! `stop` is not searched before the old search has told its move.

use std::io::{self, BufRead};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;

use anyhow::Context;

use crate::chess_uci_player::{Player, Task, say};
use crate::chess_uci_running::Running;
use crate::chess_uci_settings;
use crate::chess_uci_words::{Line, understand};

/// Stack of the thread that searches: the search calls itself at the deepest plies.
const STACK: usize = 32 << 20;

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let mut player = Player::new()?;
    let (sender, tasks) = mpsc::channel();
    let searching = thread::Builder::new()
        .name("dts chess search".to_owned())
        .stack_size(STACK)
        .spawn(move || player.work(&tasks))
        .context("the thread that searches cannot be started")?;
    let mut session = Session { sender, running: Vec::new() };
    let read = session.read(io::stdin().lock());
    // Whether it was told to quit, nobody writes any more, or nothing can be read: what runs is ended.
    session.stop();
    drop(session);
    if searching.join().is_err() {
        anyhow::bail!("the thread that searches has ended by a fault");
    }
    read.context("standard input")?;
    Ok(ExitCode::SUCCESS)
}

/// The side of a session that reads.
struct Session {
    sender: Sender<Task>,
    /// Searches that were asked for and may not have ended.
    running: Vec<Arc<Running>>,
}

impl Session {
    /// Reads until it is told to quit or there is no more.
    fn read(&mut self, mut input: impl BufRead) -> io::Result<()> {
        let mut line = Vec::new();
        loop {
            line.clear();
            if input.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            // What is no text is no command either, but may stand beside one.
            let line = understand(&String::from_utf8_lossy(&line));
            if line == Line::Quit || !self.obey(line) {
                return Ok(());
            }
        }
    }

    /// Does it or has it done; false if nobody is left to do anything.
    fn obey(&mut self, line: Line) -> bool {
        self.running.retain(|running| !running.is_finished());
        let task = match line {
            Line::Uci => {
                let version = env!("CARGO_PKG_VERSION");
                say(&format!(
                    "id name dts {version}\nid author the dts authors\n{}uciok",
                    chess_uci_settings::list()
                ));
                return true;
            }
            Line::IsReady if !self.running.is_empty() => {
                say("readyok");
                return true;
            }
            Line::Stop => {
                self.stop();
                return true;
            }
            Line::PonderHit => {
                self.running.iter().for_each(|running| running.hit());
                return true;
            }
            Line::Unknown => {
                say(
                    "info string unknown command; known are: uci, isready, ucinewgame, position, go, stop, ponderhit, setoption, quit",
                );
                return true;
            }
            Line::Nothing | Line::Quit => return true,
            Line::IsReady => Task::Ready,
            Line::NewGame => Task::NewGame,
            Line::Position { start, moves } => Task::Position { start, moves },
            Line::SetOption { name, value } => Task::SetOption { name, value },
            Line::Go(go) => {
                // Nothing else would end a search without end once there is another to be asked about.
                self.running
                    .iter()
                    .filter(|running| running.is_open_ended())
                    .for_each(|running| running.stop());
                let running = Arc::new(Running::new(&go));
                self.running.push(Arc::clone(&running));
                Task::Go(go, running)
            }
        };
        self.sender.send(task).is_ok()
    }

    fn stop(&self) {
        self.running.iter().for_each(|running| running.stop());
    }
}
