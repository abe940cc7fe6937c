//! What the machine itself can give: searches that share nothing.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::progress::Clock;
use crate::statistics::median;
use crate::store::{read_table, write_table};
use crate::{Error, Failure, Progress};

/// How much work this machine does with P independent one-processor searches at once, against one alone.
///
/// Cores share memory, caches, a power budget, and on a rented machine other people's work. A parallel search
/// without any loss could not be faster than this.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ceiling {
    /// How many searches ran at once.
    pub processors: usize,
    /// Seconds of one search alone: the mean over the positions of the median over the repeats.
    pub alone: f64,
    /// The same of the longest of the searches at once.
    pub together: f64,
    /// The greatest speedup to be hoped for: P searches' worth of work over the time they took. The mean over the positions of the
    /// median over the repeats, each of which compares two times measured one after the other.
    pub ceiling: f64,
}

impl Ceiling {
    /// The ceiling at `processors` from the seconds of one search alone and of as many at once.
    pub fn new(processors: usize, alone: f64, together: f64) -> Ceiling {
        Ceiling { processors, alone, together, ceiling: processors as f64 * alone / together }
    }
}

/// One measurement: a line of `ceiling-runs.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CeilingRun {
    /// The position's name.
    pub position: String,
    /// Which repeat, from 1.
    pub repeat: u32,
    /// How many searches ran at once.
    pub processors: usize,
    /// Seconds of the longest of them.
    pub time: f64,
}

/// The file in an experiment's directory that keeps what was measured.
const RUNS: &str = "ceiling-runs.csv";

/// Measures the ceiling at several numbers of processors. `at_once(position, n)` searches a position `n` times at once
/// and tells the seconds of the longest of these searches; see [`processes_at_once`].
///
/// All numbers of a position are measured one after the other, and every second such block backwards, for the reasons given for
/// experiments. With a directory, which must be that of the experiment, each block is kept there as it is done, and blocks already
/// there are not measured again. The observer is told before every search and may stop it.
pub fn ceilings(
    positions: &[String],
    processors: &[usize],
    repeats: u32,
    directory: Option<&Path>,
    at_once: &mut dyn FnMut(usize, usize) -> Result<f64, Failure>,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Vec<Ceiling>, Error> {
    let numbers: Vec<usize> =
        processors.iter().copied().chain([1]).collect::<BTreeSet<_>>().into_iter().collect();
    let path = directory.map(|directory| directory.join(RUNS));
    let mut runs: Vec<CeilingRun> = match &path {
        Some(path) => read_table(path)?,
        None => Vec::new(),
    };
    let measured = |runs: &[CeilingRun], position: &str, repeat: u32| {
        numbers.iter().all(|&count| find(runs, position, repeat, count).is_some())
    };
    let mut blocks: Vec<(u32, usize)> = (1..=repeats.max(1))
        .flat_map(|repeat| (0..positions.len()).map(move |position| (repeat, position)))
        .collect();
    let total = blocks.len() * numbers.len();
    blocks.retain(|&(repeat, position)| !measured(&runs, &positions[position], repeat));
    let resumed = total - blocks.len() * numbers.len();
    let mut clock = Clock::default();
    let mut left: Vec<(u32, usize, usize)> = Vec::new();
    for &(repeat, position) in &blocks {
        let backwards = (position as u64 + u64::from(repeat)).is_multiple_of(2);
        for place in 0..numbers.len() {
            left.push((repeat, position, if backwards { numbers.len() - 1 - place } else { place }));
        }
    }
    left.reverse();
    let mut block = Vec::new();
    loop {
        let progress = Progress {
            done: total - left.len(),
            total,
            resumed,
            left: clock.predict(left.iter().map(|&(_, position, kind)| (position, kind))),
        };
        if observer(&progress).is_break() {
            return Err(Error::Stopped { done: progress.done, total });
        }
        let Some((repeat, position, kind)) = left.pop() else { break };
        let (name, count) = (&positions[position], numbers[kind]);
        let began = Instant::now();
        let time = at_once(position, count).map_err(|source| Error::Run {
            run: format!("the ceiling, position {name}, {count} at once (repeat {repeat})"),
            source,
        })?;
        clock.record(position, kind, began.elapsed());
        block.push(CeilingRun { position: name.clone(), repeat, processors: count, time });
        if block.len() == numbers.len() {
            runs.append(&mut block);
            if let Some(path) = &path {
                write_table(path, &runs)?;
            }
        }
    }
    Ok(numbers.iter().map(|&count| ceiling(&runs, positions, repeats.max(1), count)).collect())
}

fn find(runs: &[CeilingRun], position: &str, repeat: u32, count: usize) -> Option<f64> {
    let mut of = runs.iter();
    of.find(|run| (&*run.position, run.repeat, run.processors) == (position, repeat, count))
        .map(|run| run.time)
}

fn ceiling(runs: &[CeilingRun], positions: &[String], repeats: u32, count: usize) -> Ceiling {
    let mut sums = [0.0; 3];
    for position in positions {
        let pairs: Vec<(f64, f64)> = (1..=repeats)
            .filter_map(|repeat| {
                Some((find(runs, position, repeat, 1)?, find(runs, position, repeat, count)?))
            })
            .collect();
        let of = |what: fn(&(f64, f64)) -> f64| median(&mut pairs.iter().map(what).collect::<Vec<_>>());
        sums[0] += of(|pair| pair.0);
        sums[1] += of(|pair| pair.1);
        sums[2] += count as f64 * of(|pair| pair.0 / pair.1);
    }
    let [alone, together, ceiling] = sums.map(|sum| sum / positions.len() as f64);
    Ceiling { processors: count, alone, together, ceiling }
}

/// Runs `count` processes at once for [`ceilings`]: separate ones, so that they share no allocator, table or cache line. `command`
/// makes the command of one, `input` is what each reads, and `time` finds the seconds in what one prints: its search's own, so that
/// the start of a process does not count. The longest is returned.
pub fn processes_at_once(
    count: usize,
    input: &str,
    mut command: impl FnMut() -> Command,
    time: impl Fn(&str) -> Result<f64, Failure>,
) -> Result<f64, Failure> {
    let mut group = Group(Vec::with_capacity(count));
    for _ in 0..count {
        group.0.push(command().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?);
    }
    for child in &mut group.0 {
        if let Some(mut to) = child.stdin.take() {
            match to.write_all(input.as_bytes()) {
                // One that has ended before it read all says by its status what was wrong.
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error.into()),
                _ => {}
            }
        }
    }
    let mut longest = 0.0_f64;
    for child in &mut group.0 {
        let mut printed = String::new();
        if let Some(mut from) = child.stdout.take() {
            from.read_to_string(&mut printed)?;
        }
        let status = child.wait()?;
        if !status.success() {
            return Err(format!("a search of the ceiling ended with {status}").into());
        }
        longest = longest.max(time(&printed)?);
    }
    if longest > 0.0 { Ok(longest) } else { Err("a search of the ceiling took no time".into()) }
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
    use std::fs;

    use super::*;

    fn go_on(_: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn names() -> Vec<String> {
        vec!["short".to_owned(), "long".to_owned()]
    }

    #[test]
    fn the_numbers_are_interleaved_and_the_positions_ceilings_averaged() {
        let mut calls = Vec::new();
        let mut progress = Vec::new();
        let result = ceilings(
            &names(),
            &[4, 2, 4],
            3,
            None,
            &mut |position, count| {
                calls.push((position, count));
                // A disturbance that lasts for the second repeat of a position does not count.
                let disturbed = if (7..=9).contains(&calls.len()) { 10.0 } else { 1.0 };
                let slower =
                    if position == 0 { [0.0, 1.0, 1.25, 0.0, 2.0] } else { [0.0, 8.0, 8.0, 0.0, 32.0] };
                Ok(disturbed * slower[count])
            },
            &mut |at| {
                progress.push((at.done, at.total));
                ControlFlow::Continue(())
            },
        );
        let (up, down) = ([1, 2, 4], [4, 2, 1]);
        let block = |position, order: [usize; 3]| order.map(|count| (position, count));
        let wanted =
            [block(0, up), block(1, down), block(0, down), block(1, up), block(0, up), block(1, down)];
        assert_eq!(calls, wanted.concat());
        assert_eq!(progress, (0..=18).map(|done| (done, 18)).collect::<Vec<_>>());
        let wanted = [
            Ceiling { processors: 1, alone: 4.5, together: 4.5, ceiling: 1.0 },
            Ceiling { processors: 2, alone: 4.5, together: 4.625, ceiling: (1.6 + 2.0) / 2.0 },
            Ceiling { processors: 4, alone: 4.5, together: 17.0, ceiling: (2.0 + 1.0) / 2.0 },
        ];
        assert_eq!(result.unwrap(), wanted);
    }

    #[test]
    fn what_is_in_the_directory_is_not_measured_again() {
        let directory = std::env::temp_dir().join(format!("dts-bench-ceiling-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let _ = fs::remove_file(directory.join(RUNS));
        let mut calls = 0;
        let mut measure = |repeats: u32, fails_at: usize| {
            let before = calls;
            let result = ceilings(
                &names(),
                &[1, 2],
                repeats,
                Some(&directory),
                &mut |_, count| {
                    calls += 1;
                    if calls == fails_at { Err("interrupted".into()) } else { Ok(count as f64) }
                },
                &mut go_on,
            );
            (result, calls - before)
        };
        // The fourth call is the second of the second block: the block is begun anew.
        let (result, calls) = measure(1, 4);
        assert!(matches!(result, Err(Error::Run { .. })));
        assert_eq!(calls, 4);
        assert_eq!(measure(1, 0).1, 2);
        assert_eq!(measure(1, 0).1, 0);
        let (result, calls) = measure(2, 0);
        assert_eq!((result.unwrap()[1], calls), (Ceiling::new(2, 1.0, 2.0), 4));
        let text = fs::read_to_string(directory.join(RUNS)).unwrap();
        assert_eq!(
            text.lines().take(3).collect::<Vec<_>>(),
            ["position,repeat,processors,time", "short,1,1,1.0", "short,1,2,2.0"]
        );
        assert_eq!(text.lines().count(), 9);
        fs::write(directory.join(RUNS), "position,repeat,processors,time\nshort,1,one,1.0\n").unwrap();
        let error = measure(1, 0).0.unwrap_err().to_string();
        assert!(error.contains("ceiling-runs.csv, line 2: "), "{error}");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn the_observer_stops_it() {
        let result = ceilings(&names(), &[2], 1, None, &mut |_, _| Ok(1.0), &mut |progress| {
            if progress.done == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(matches!(result, Err(Error::Stopped { done: 3, total: 4 })));
    }

    #[test]
    fn one_alone_has_a_ceiling_of_one() {
        let result = ceilings(&names(), &[], 0, None, &mut |_, _| Ok(3.0), &mut go_on).unwrap();
        assert_eq!(result, [Ceiling { processors: 1, alone: 3.0, together: 3.0, ceiling: 1.0 }]);
    }

    #[test]
    fn a_process_that_fails_is_an_error() {
        // Cargo is there wherever tests run.
        let cargo = || Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        let with = |argument: &'static str, time: f64| {
            processes_at_once(
                2,
                "not read",
                || {
                    let mut command = cargo();
                    command.arg(argument).stderr(Stdio::null());
                    command
                },
                |printed| if printed.starts_with("cargo ") { Ok(time) } else { Err("no version".into()) },
            )
        };
        assert_eq!(with("--version", 2.5).unwrap(), 2.5);
        assert_eq!(with("--version", 0.0).unwrap_err().to_string(), "a search of the ceiling took no time");
        assert_eq!(with("--help", 1.0).unwrap_err().to_string(), "no version");
        let error = with("--no-such-option", 1.0).unwrap_err();
        assert!(error.to_string().starts_with("a search of the ceiling ended with"), "{error}");
        assert!(processes_at_once(1, "", || Command::new("no such program"), |_| Ok(1.0)).is_err());
    }
}
