//! What the machine itself can give: searches that share nothing.

use std::io;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::statistics::median;

/// How much work this machine does with P independent one-processor searches at once, against one alone.
///
/// Cores share memory, caches, a power budget, and on a rented machine other people's work. A parallel search
/// without any loss could not be faster than this.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ceiling {
    /// How many searches ran at once.
    pub processors: usize,
    /// The median seconds of one search alone.
    pub alone: f64,
    /// The median seconds until the last of the searches at once was done.
    pub together: f64,
    /// The greatest speedup to be hoped for: P searches' worth of work over the time they took.
    pub ceiling: f64,
}

impl Ceiling {
    /// The ceiling at `processors` from the seconds of one search alone and of as many at once.
    pub fn new(processors: usize, alone: f64, together: f64) -> Ceiling {
        Ceiling { processors, alone, together, ceiling: processors as f64 * alone / together }
    }
}

/// Measures the ceiling at several numbers of processors. `at_once(n)` runs the same search `n` times at once
/// and tells how many seconds passed until the last was done; see [`processes_at_once`].
///
/// The numbers are interleaved, up and down again in turn, for the reasons given for experiments.
pub fn ceilings<E>(
    processors: &[usize],
    repeats: u32,
    mut at_once: impl FnMut(usize) -> Result<f64, E>,
) -> Result<Vec<Ceiling>, E> {
    let mut seconds: Vec<(usize, Vec<f64>)> = processors.iter().map(|count| (*count, Vec::new())).collect();
    seconds.push((1, Vec::new()));
    seconds.sort_by_key(|(count, _)| *count);
    seconds.dedup_by_key(|(count, _)| *count);
    for _ in 0..repeats.max(1) {
        for (count, times) in &mut seconds {
            times.push(at_once(*count)?);
        }
        seconds.reverse();
    }
    seconds.sort_by_key(|(count, _)| *count);
    let medians: Vec<(usize, f64)> =
        seconds.iter_mut().map(|(count, times)| (*count, median(times))).collect();
    let alone = medians.iter().find(|(count, _)| *count == 1).expect("one alone is always measured").1;
    Ok(medians.into_iter().map(|(processors, together)| Ceiling::new(processors, alone, together)).collect())
}

/// Runs processes for [`ceilings`]: separate ones, so that they share no allocator, table or cache line.
/// `command` makes the command of one; its output is thrown away, its errors are passed on.
///
/// Seconds count from before the first start, so let the search take long against the start of a process.
pub fn processes_at_once(mut command: impl FnMut() -> Command) -> impl FnMut(usize) -> io::Result<f64> {
    move |count| {
        let started = Instant::now();
        let mut group = Group(Vec::with_capacity(count));
        for _ in 0..count {
            group.0.push(command().stdin(Stdio::null()).stdout(Stdio::null()).spawn()?);
        }
        for child in &mut group.0 {
            let status = child.wait()?;
            if !status.success() {
                return Err(io::Error::other(format!("a search of the ceiling ended with {status}")));
            }
        }
        Ok(started.elapsed().as_secs_f64())
    }
}

/// Processes that do not outlive an error.
#[derive(Debug)]
struct Group(Vec<Child>);

impl Drop for Group {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that has ended and been waited for is left alone by the library.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_interleaved_and_the_medians_compared() {
        let mut calls = Vec::new();
        let result = ceilings(&[4, 2, 4], 3, |count| {
            calls.push(count);
            // The second pass is disturbed.
            let disturbance = if (4..=6).contains(&calls.len()) { 100.0 } else { 0.0 };
            Ok::<f64, io::Error>(disturbance + if count == 4 { 2.0 } else { 1.0 })
        });
        assert_eq!(calls, [1, 2, 4, 4, 2, 1, 1, 2, 4]);
        let result = result.unwrap();
        let expected = [(1, 1.0), (2, 1.0), (4, 2.0)];
        assert_eq!(result, expected.map(|(processors, together)| Ceiling::new(processors, 1.0, together)));
        assert_eq!(result.iter().map(|measured| measured.ceiling).collect::<Vec<_>>(), [1.0, 2.0, 2.0]);
    }

    #[test]
    fn one_alone_has_a_ceiling_of_one() {
        let result = ceilings(&[], 0, |_| Ok::<f64, io::Error>(3.0)).unwrap();
        assert_eq!(result, [Ceiling { processors: 1, alone: 3.0, together: 3.0, ceiling: 1.0 }]);
    }

    #[test]
    fn a_process_that_fails_is_an_error() {
        // Cargo is there wherever tests run.
        let cargo = || Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        let with = |argument: &'static str| {
            processes_at_once(move || {
                let mut command = cargo();
                command.arg(argument).stderr(Stdio::null());
                command
            })
        };
        assert!(with("--version")(2).unwrap() > 0.0);
        let error = with("--no-such-option")(2).unwrap_err();
        assert!(error.to_string().starts_with("a search of the ceiling ended with"), "{error}");
        assert!(processes_at_once(|| Command::new("no such program"))(1).is_err());
    }
}
