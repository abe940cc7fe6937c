//! A chess program's side of a UCI session with the real program, through pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Nothing that is waited for takes so long, however busy the machine is: a test that fails by this has hung.
const LONG: Duration = Duration::from_secs(60);

/// A session, and all that was said in it.
pub(crate) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Best moves told so far, and searches asked for.
    told: usize,
    asked: usize,
    /// What the search that runs has said so far.
    said: Vec<String>,
}

impl Session {
    pub(crate) fn new() -> Session {
        let mut child = Command::new(env!("CARGO_BIN_EXE_dts"))
            .args(["chess", "uci"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the program starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                if sender.send(line.expect("text")).is_err() {
                    return;
                }
            }
        });
        Session { child, input, lines, told: 0, asked: 0, said: Vec::new() }
    }

    /// Sends lines in one piece.
    pub(crate) fn send(&mut self, lines: &str) {
        self.send_bytes(lines.as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, lines: &[u8]) {
        self.asked += lines.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"go")).count();
        let input = self.input.as_mut().expect("the session is open");
        input.write_all(lines).and_then(|()| input.write_all(b"\n")).expect("the program reads");
        input.flush().expect("the program reads");
    }

    fn next_within(&mut self, time: Duration) -> Option<String> {
        match self.lines.recv_timeout(time) {
            Ok(line) => {
                if line.starts_with("info depth") || line.starts_with("bestmove") {
                    self.said.push(line.clone());
                }
                if line.starts_with("bestmove") {
                    self.told += 1;
                    assert!(self.told <= self.asked, "a best move that nobody asked for: {line}");
                }
                Some(line)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the program has ended"),
        }
    }

    /// All lines up to the first that begins with `word`, that one the last.
    pub(crate) fn until(&mut self, word: &str) -> Vec<String> {
        let mut seen: Vec<String> = Vec::new();
        loop {
            let line =
                self.next_within(LONG).unwrap_or_else(|| panic!("waited for {word} and saw {seen:#?}"));
            let is_last = line.starts_with(word);
            seen.push(line);
            if is_last {
                return seen;
            }
        }
    }

    /// What a search says up to its best move. Before that there has to be a line with a score.
    pub(crate) fn found(&mut self) -> Found {
        self.until("bestmove");
        let lines = std::mem::take(&mut self.said);
        let last = lines.iter().rfind(|line| line.contains(" score "));
        let last = last.unwrap_or_else(|| panic!("no line with a score: {lines:#?}")).clone();
        let mut words = lines.last().expect("the best move").split(' ').skip(1);
        let best = words.next().expect("a move").to_owned();
        Found { best, last, lines }
    }

    /// Sends, and waits for what a search finds.
    pub(crate) fn search(&mut self, lines: &str) -> Found {
        self.send(lines);
        self.found()
    }

    /// Waits until everything sent has been done; what was said meanwhile.
    pub(crate) fn ready(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// No best move comes within `time`.
    pub(crate) fn is_quiet_for(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            if let Some(line) = self.next_within(left) {
                assert!(!line.starts_with("bestmove"), "{line}");
            }
        }
    }

    /// The program's process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Closes the program's standard input and waits for its end; every search has told one best move by then.
    pub(crate) fn close(mut self) -> ExitStatus {
        self.input = None;
        self.end()
    }

    /// The same by `quit`.
    pub(crate) fn quit(mut self) -> ExitStatus {
        self.send("quit");
        self.end()
    }

    fn end(mut self) -> ExitStatus {
        let began = Instant::now();
        while let Ok(line) = self.lines.recv_timeout(LONG) {
            self.told += usize::from(line.starts_with("bestmove"));
        }
        assert_eq!(self.told, self.asked, "one best move a search");
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            assert!(began.elapsed() < LONG, "the program does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // If a test has failed the program may still search.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a search has said.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) best: String,
    /// The last line with a score.
    pub(crate) last: String,
    pub(crate) lines: Vec<String>,
}

impl Found {
    /// The words after `name` in the last line with a score.
    pub(crate) fn after(&self, name: &str) -> Option<Vec<&str>> {
        let mut words = self.last.split(' ').skip_while(|word| *word != name);
        words.next()?;
        Some(words.collect())
    }

    /// A number of that line.
    pub(crate) fn number(&self, name: &str) -> i64 {
        let words = self.after(name).unwrap_or_else(|| panic!("no {name} in {}", self.last));
        words[0].parse().unwrap_or_else(|_| panic!("{name} in {}", self.last))
    }

    /// The score, as in `cp 31`.
    pub(crate) fn score(&self) -> String {
        self.after("score").expect("a score")[..2].join(" ")
    }

    /// The lines without figures that differ from run to run.
    pub(crate) fn essence(&self) -> Vec<String> {
        let of = |line: &String| {
            let mut words = line.split(' ');
            let mut kept = Vec::new();
            while let Some(word) = words.next() {
                if matches!(word, "time" | "nps") {
                    words.next();
                } else {
                    kept.push(word);
                }
            }
            kept.join(" ")
        };
        self.lines.iter().map(of).collect()
    }
}
