//! What the tests of the program share: a directory to run it in, and running it.
// Every test file is a program of its own and uses some of it.
#![allow(dead_code)]

pub(crate) mod uci;

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A directory of its own for a test, gone afterwards.
pub(crate) struct Directory(pub(crate) PathBuf);

impl Directory {
    pub(crate) fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("dts-cli-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a directory");
        Directory(path)
    }

    /// The names of all files in it.
    pub(crate) fn files(&self) -> Vec<String> {
        let all = fs::read_dir(&self.0).expect("the directory");
        let mut names: Vec<_> =
            all.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The text of a file in it.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).expect(name)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs the program in `directory` with `input` on its standard input.
pub(crate) fn dts(directory: &Path, arguments: &[impl AsRef<OsStr>], input: impl AsRef<[u8]>) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dts"))
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = input.as_ref().to_vec();
    // From a thread, for the program may print before it has read everything; it may also have ended before it does.
    let writer = std::thread::spawn(move || {
        let _ = pipe.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("no panic");
    output
}

/// The words of a command line; quotes keep words together.
pub(crate) fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

/// Whether the interrupt is in one of a process's sets of signals, as the system tells; true of a process that has ended.
#[cfg(target_os = "linux")]
pub(crate) fn has_interrupt(process: &str, set: &str) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{process}/status")) else { return true };
    let mask = status.lines().find_map(|line| line.strip_prefix(set));
    let ended = status.lines().any(|line| line.starts_with("State:") && line.contains('Z'));
    const INTERRUPT: u64 = 1 << 1;
    ended
        || mask
            .is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & INTERRUPT != 0))
}
