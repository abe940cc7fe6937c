use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::*;
use crate::{Failure, Simulated, Traced};

/// A search whose time is looked up: 960 at one processor, shorter with more, disturbed as the test says.
struct Fake {
    positions: Vec<String>,
    /// The runs asked for: position, strategy, processors, repeat.
    asked: Vec<(usize, String, usize, u32)>,
    /// What a run gives instead of the usual.
    disturb: Box<Disturb>,
    /// Whether it keeps records of who worked when.
    traces: bool,
}

type Disturb = dyn FnMut(&Trial<'_>, &mut Measurement) -> Result<(), Failure>;

impl Fake {
    fn new(disturb: impl FnMut(&Trial<'_>, &mut Measurement) -> Result<(), Failure> + 'static) -> Fake {
        let positions = vec!["a".into(), "b, \"quoted\"".into()];
        Fake { positions, asked: Vec::new(), disturb: Box::new(disturb), traces: false }
    }

    fn calm() -> Fake {
        Fake::new(|_, _| Ok(()))
    }
}

impl Subject for Fake {
    fn positions(&self) -> Vec<String> {
        self.positions.clone()
    }

    fn run(&mut self, trial: &Trial<'_>) -> Result<Measurement, Failure> {
        self.asked.push((trial.position, trial.strategy.to_owned(), trial.processors, trial.repeat));
        assert_eq!(trial.seed, 6 + u64::from(trial.repeat));
        let many = trial.processors as u64;
        let mut measurement = Measurement {
            value: 10 + trial.position as i64,
            nodes: 1000 + 100 * (many - 1),
            time: 960.0 * (trial.position + 1) as f64 / many as f64,
            idle_share: 0.125 * (many - 1) as f64,
            splits: 2 * (many - 1),
            stops: many - 1,
            depth: Some(12),
            simulated: Some(Simulated { work: 1000.0, critical_path: 230.0 }),
        };
        (self.disturb)(trial, &mut measurement)?;
        Ok(measurement)
    }

    fn trace(&mut self, trial: &Trial<'_>) -> Result<Option<Traced>, Failure> {
        if !self.traces {
            return Ok(None);
        }
        let measurement = self.run(trial)?;
        let events =
            br#"[{"name":"search","ph":"B","ts":0,"pid":0,"tid":0},{"ph":"E","ts":480,"pid":0,"tid":0}]"#;
        Ok(Some(Traced { measurement, events: events.to_vec(), cut: false }))
    }
}

fn experiment() -> Experiment {
    Experiment {
        title: "a fake".into(),
        options: BTreeMap::from([("depth".to_owned(), "12".to_owned())]),
        strategies: vec!["dts".into(), "pvs".into()],
        processors: vec![1, 4],
        repeats: 3,
        backend: Backend::Simulated,
        seed: 7,
        cost_model: "split=3".into(),
        ..Experiment::default()
    }
}

/// A directory for one test, taken away at its end.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Directory {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("dts-bench-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Directory(std::env::temp_dir().join(name))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn quiet(_: Event<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Stops an experiment after some runs.
fn stop_after(runs: usize) -> impl FnMut(Event<'_>) -> ControlFlow<()> {
    move |event| match event {
        Event::Progress(progress) if progress.done == runs => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    }
}

#[test]
fn rows_are_medians_over_the_repeats() {
    let mut fake = Fake::new(|trial, measurement| {
        if trial.position == 0 && trial.strategy == "dts" && trial.processors == 4 {
            let index = trial.repeat as usize - 1;
            measurement.time = [400.0, 300.0, 330.0][index];
            measurement.nodes = [1200, 1700, 1000][index];
            measurement.idle_share = [0.5, 0.25, 0.125][index];
            measurement.splits = [5, 9, 7][index];
            measurement.stops = [1, 0, 2][index];
        }
        Ok(())
    });
    let outcome = experiment().run(&mut fake, None, &mut quiet).unwrap();
    let row = &outcome.rows[1];
    assert_eq!((row.position.as_str(), row.strategy.as_str(), row.processors), ("a", "dts", 4));
    assert_eq!(
        *row,
        Row {
            position: "a".into(),
            strategy: "dts".into(),
            processors: 4,
            backend: Backend::Simulated,
            value: 10,
            nodes: 1200,
            time: 330.0,
            speedup: 960.0 / 330.0,
            node_ratio: 1.2,
            idle_share: 0.25,
            splits: 7,
            stops: 1,
            repeats: 3,
            spread: 100.0 / 330.0,
            seed: 7,
            version: VERSION.into(),
            depth: Some(12),
            work: Some(1000.0),
            critical_path: Some(230.0),
            prediction: Some(480.0),
        }
    );
    let names: Vec<_> = outcome.rows.iter().map(|row| (row.strategy.as_str(), row.processors)).collect();
    let of_one = [("dts", 1), ("dts", 4), ("pvs", 1), ("pvs", 4)];
    assert_eq!(names, [of_one, of_one].concat());
}

#[test]
fn a_row_is_one_line_of_json() {
    let outcome = experiment().run(&mut Fake::calm(), None, &mut quiet).unwrap();
    assert_eq!(
        serde_json::to_string(&outcome.rows[7]).unwrap(),
        format!(
            r#"{{"position":"b, \"quoted\"","strategy":"pvs","processors":4,"backend":"simulated","value":11,"nodes":1300,"time":480.0,"speedup":4.0,"node_ratio":1.3,"idle_share":0.375,"splits":6,"stops":3,"repeats":3,"spread":0.0,"seed":7,"version":"{VERSION}","depth":12,"work":1000.0,"critical_path":230.0,"prediction":480.0}}"#
        )
    );
}

#[test]
fn configurations_are_interleaved_and_every_second_block_runs_backwards() {
    let mut fake = Fake::calm();
    experiment().run(&mut fake, None, &mut quiet).unwrap();
    let block = |position: usize, repeat: u32, backwards: bool| {
        let mut block = [("dts", 1), ("dts", 4), ("pvs", 1), ("pvs", 4)]
            .map(|(strategy, processors)| (position, strategy.to_owned(), processors, repeat));
        if backwards {
            block.reverse();
        }
        block
    };
    let blocks = [
        block(0, 1, false),
        block(1, 1, true),
        block(0, 2, true),
        block(1, 2, false),
        block(0, 3, false),
        block(1, 3, true),
    ];
    assert_eq!(fake.asked, blocks.concat());
}

#[test]
fn the_summary_weighs_positions_and_times() {
    // Position a: speedup 4; position b, twice as long: speedup 1.
    let mut fake = Fake::new(|trial, measurement| {
        if trial.position == 1 {
            measurement.time = 1920.0;
        }
        Ok(())
    });
    let outcome = experiment().run(&mut fake, None, &mut quiet).unwrap();
    let summary = &outcome.summary[1];
    assert_eq!((summary.strategy.as_str(), summary.processors, summary.positions), ("dts", 4, 2));
    assert_eq!(summary.speedup_mean, 2.5);
    assert!((summary.speedup_geometric_mean - 2.0).abs() < 1e-12);
    assert_eq!((summary.speedup_min, summary.speedup_max), (1.0, 4.0));
    // Two values 3 apart: the standard error is 1.5.
    assert!((summary.speedup_high95.unwrap() - (2.5 + 12.7062 * 1.5)).abs() < 1e-9);
    assert_eq!(summary.node_ratio_mean, 1.3);
    assert_eq!(summary.idle_share_mean, 0.375);
    assert_eq!(summary.total_time_ratio, 2880.0 / 2160.0);
    assert_eq!(outcome.summary[0].speedup_low95, Some(1.0));
}

/// The times of the DTS paper's table 4 at 1 and 16 processors, whose means it prints or others have computed.
#[test]
fn the_summary_of_the_papers_times_is_the_papers() {
    const TIMES: [(f64, f64); 24] = [
        (2830.0, 311.0),
        (2849.0, 274.0),
        (3274.0, 239.0),
        (2308.0, 208.0),
        (1584.0, 178.0),
        (4294.0, 452.0),
        (1888.0, 187.0),
        (7275.0, 680.0),
        (3940.0, 398.0),
        (2431.0, 187.0),
        (3062.0, 247.0),
        (2518.0, 219.0),
        (2131.0, 192.0),
        (1871.0, 191.0),
        (2648.0, 243.0),
        (2347.0, 182.0),
        (4884.0, 814.0),
        (646.0, 84.0),
        (2983.0, 226.0),
        (7473.0, 530.0),
        (3626.0, 237.0),
        (2560.0, 264.0),
        (2039.0, 206.0),
        (2563.0, 178.0),
    ];
    let mut fake = Fake::new(|trial, measurement| {
        let (alone, sixteen) = TIMES[trial.position];
        measurement.time = if trial.processors == 1 { alone } else { sixteen };
        measurement.idle_share = 0.0;
        Ok(())
    });
    fake.positions = (1..=24).map(|number| number.to_string()).collect();
    let experiment = Experiment { processors: vec![1, 16], repeats: 1, ..experiment() };
    let outcome = experiment.run(&mut fake, None, &mut quiet).unwrap();
    let summary = &outcome.summary[1];
    let printed = |value: f64| format!("{value:.2}");
    assert_eq!(printed(summary.speedup_mean), "11.05");
    assert_eq!(printed(summary.speedup_geometric_mean), "10.82");
    assert_eq!(printed(summary.total_time_ratio), "10.69");
    assert_eq!(printed(summary.speedup_min), "6.00");
    assert_eq!(printed(summary.speedup_max), "15.30");
}

#[test]
fn one_processor_is_added_and_said() {
    let experiment = Experiment { processors: vec![4, 2, 4], ..experiment() };
    let mut notes = Vec::new();
    let mut observe = |event: Event<'_>| {
        if let Event::Note(note) = event {
            notes.push(note.to_owned());
        }
        ControlFlow::Continue(())
    };
    let outcome = experiment.run(&mut Fake::calm(), None, &mut observe).unwrap();
    assert_eq!(notes.len(), 1);
    assert!(notes[0].starts_with("1 processor is measured as well"), "{}", notes[0]);
    assert_eq!(outcome.rows[..3].iter().map(|row| row.processors).collect::<Vec<_>>(), [1, 2, 4]);
}

#[test]
fn rows_are_told_once_each_and_as_soon_as_they_are_complete() {
    let mut told = Vec::new();
    let mut done = 0;
    let mut observe = |event: Event<'_>| {
        match event {
            Event::Progress(progress) => {
                done = progress.done;
                assert_eq!(progress.total, 24);
                assert_eq!(progress.left.is_some(), done > 0);
                if done == 24 {
                    assert_eq!(progress.left, Some(Duration::ZERO));
                }
            }
            Event::Row(row) => {
                told.push((done + 1, row.position.clone(), row.strategy.clone(), row.processors))
            }
            Event::Note(note) => panic!("{note}"),
        }
        ControlFlow::Continue(())
    };
    let outcome = experiment().run(&mut Fake::calm(), None, &mut observe).unwrap();
    // Run 17 is the first of the last repeat; the last block runs backwards, so its first strategy waits for
    // the run at one processor.
    let when: Vec<_> = told.iter().map(|(done, ..)| *done).collect();
    assert_eq!(when, [17, 18, 19, 20, 22, 22, 24, 24]);
    assert_eq!(told.len(), outcome.rows.len());
}

#[test]
fn an_interrupted_experiment_goes_on_where_it_stopped() {
    for stop in [0, 1, 5, 23] {
        let directory = Directory::new();
        let error =
            experiment().run(&mut Fake::calm(), Some(&directory.0), &mut stop_after(stop)).unwrap_err();
        assert_eq!(error.to_string(), format!("stopped after {stop} of 24 runs"));
        assert!(!directory.file("summary.csv").exists());

        let mut again = Fake::calm();
        let mut resumed = None;
        let mut observe = |event: Event<'_>| {
            if let Event::Progress(progress) = event {
                resumed = Some(progress.resumed);
            }
            ControlFlow::Continue(())
        };
        let outcome = experiment().run(&mut again, Some(&directory.0), &mut observe).unwrap();
        assert_eq!((again.asked.len(), resumed), (24 - stop, Some(stop)));
        assert_eq!(outcome, experiment().run(&mut Fake::calm(), None, &mut quiet).unwrap());

        // Once more: nothing is left to run, the files and the rows come out again.
        let before = directory.read("rows.csv");
        let mut idle = Fake::calm();
        let mut rows = Vec::new();
        let mut observe = |event: Event<'_>| {
            if let Event::Row(row) = event {
                rows.push(row.clone());
            }
            ControlFlow::Continue(())
        };
        experiment().run(&mut idle, Some(&directory.0), &mut observe).unwrap();
        assert!(idle.asked.is_empty());
        assert_eq!(rows, outcome.rows);
        assert_eq!(directory.read("rows.csv"), before);
    }
}

#[test]
fn a_line_cut_anywhere_is_run_again() {
    let directory = Directory::new();
    experiment().run(&mut Fake::calm(), Some(&directory.0), &mut stop_after(3)).unwrap_err();
    let text = directory.read("rows.csv");
    let lines: Vec<usize> = text.match_indices('\n').map(|(end, _)| end + 1).collect();
    for length in 0..=text.len() {
        fs::write(directory.file("rows.csv"), &text[..length]).unwrap();
        let kept = lines.iter().filter(|end| **end <= length).count().saturating_sub(1);
        let mut again = Fake::calm();
        let error = experiment().run(&mut again, Some(&directory.0), &mut stop_after(4)).unwrap_err();
        assert!(matches!(error, Error::Stopped { done: 4, total: 24 }), "cut at {length}: {error}");
        assert_eq!(again.asked.len(), 4 - kept, "cut at {length}");
        let rows = directory.read("rows.csv");
        assert_eq!(rows.lines().count(), 5, "cut at {length}: {rows}");
        assert!(rows.starts_with(&text), "cut at {length}: {rows}");
    }
}

#[test]
fn the_files_hold_what_they_should() {
    let directory = Directory::new();
    let fake = &mut Fake::calm();
    experiment().run(fake, Some(&directory.0), &mut stop_after(24)).unwrap_err();
    let header = "position,strategy,processors,backend,value,nodes,time,speedup,node_ratio,idle_share,splits,stops,\
                  repeats,spread,seed,version,repeat,commit,processor_model,cost_model,depth,work,\
                  critical_path,prediction";
    let text = directory.read("rows.csv");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], header);
    assert!(lines[1].starts_with("a,dts,1,simulated,10,1000,960.0,1.0,1.0,0.0,0,0,3,,7,"), "{}", lines[1]);
    // Backwards: four processors before one, so nothing to compare with yet.
    assert!(
        lines[5].starts_with("\"b, \"\"quoted\"\"\",pvs,4,simulated,11,1300,480.0,,,0.375,6,3,3,,7,"),
        "{}",
        lines[5]
    );
    assert!(
        lines[5].contains(&format!(",{VERSION},1,{COMMIT},"))
            && lines[5].ends_with(",split=3,12,1000.0,230.0,480.0"),
        "{}",
        lines[5]
    );

    experiment().run(fake, Some(&directory.0), &mut quiet).unwrap();
    let text = directory.read("rows.csv");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[5].contains(",480.0,4.0,1.3,0.375,"), "{}", lines[5]);
    let summary = directory.read("summary.csv");
    let lines: Vec<&str> = summary.lines().collect();
    assert_eq!(
        lines[0],
        "strategy,processors,positions,speedup_mean,speedup_geometric_mean,speedup_min,speedup_max,speedup_low95,\
         speedup_high95,node_ratio_mean,idle_share_mean,total_time_ratio,spread_median,parallelism_mean,\
         time_over_prediction_mean,repeats_low95,repeats_high95"
    );
    assert_eq!(lines[2], "dts,4,2,4.0,4.0,4.0,4.0,4.0,4.0,1.3,0.375,4.0,0.0,4.3478260869565215,0.75,4.0,4.0");
    assert_eq!(lines.len(), 5);
    assert!(directory.read("speedup.svg").contains("Speedup: a fake, simulated processors"));
    let report = directory.read("report.html");
    assert!(report.contains("<tr><td class=\"text\">b, &quot;quoted&quot;<td class=\"text\">pvs<td>11<td>12<td>1000<td>1920<td>4.00\n"), "{report}");
    assert!(
        report.contains("<tr><td class=\"text\">depth<td class=\"text\">12\n") && report.contains("<svg "),
        "{report}"
    );
    if let Some(plots) = std::env::var_os("DTS_PLOTS") {
        fs::copy(directory.file("report.html"), PathBuf::from(plots).join("report.html")).unwrap();
    }
    let mut files: Vec<_> = fs::read_dir(&directory.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["experiment.json", "report.html", "rows.csv", "speedup.svg", "summary.csv"]);
}

#[test]
fn a_ceiling_is_written_and_drawn() {
    let directory = Directory::new();
    let with_ceiling = Experiment { ceilings: vec![Ceiling::new(4, 2.0, 2.5)], ..experiment() };
    with_ceiling.run(&mut Fake::calm(), Some(&directory.0), &mut quiet).unwrap();
    assert_eq!(directory.read("ceiling.csv"), "processors,alone,together,ceiling\n4,2.0,2.5,3.2\n");
    assert!(directory.read("speedup.svg").contains("separate searches on this machine"));
}

#[test]
fn more_repeats_build_on_fewer() {
    let directory = Directory::new();
    experiment().run(&mut Fake::calm(), Some(&directory.0), &mut quiet).unwrap();
    let mut again = Fake::calm();
    let more = Experiment { repeats: 5, ..experiment() };
    let outcome = more.run(&mut again, Some(&directory.0), &mut quiet).unwrap();
    assert_eq!(again.asked.len(), 2 * 2 * 4);
    assert!(outcome.rows.iter().all(|row| row.repeats == 5));
    assert_eq!(directory.read("rows.csv").matches(",3,,").count(), 0);
    // Fewer would throw measurements away.
    let error = experiment().run(&mut Fake::calm(), Some(&directory.0), &mut quiet).unwrap_err();
    assert!(error.to_string().contains("(repeats: 5 there, 3 here)"), "{error}");
}

#[test]
fn rows_of_another_experiment_are_refused_and_left_alone() {
    let directory = Directory::new();
    experiment().run(&mut Fake::calm(), Some(&directory.0), &mut stop_after(2)).unwrap_err();
    let before = (directory.read("rows.csv"), directory.read("experiment.json"));
    let others = [
        (
            Experiment { options: BTreeMap::from([("depth".into(), "14".into())]), ..experiment() },
            "option depth: 12 there, 14 here",
        ),
        (
            Experiment { options: BTreeMap::new(), seed: 8, ..experiment() },
            "option depth: 12 there, missing here; seed: 7 there, 8 here",
        ),
        (Experiment { processors: vec![1, 2, 4], ..experiment() }, "processors: [1,4] there, [1,2,4] here"),
        (Experiment { backend: Backend::Threads, ..experiment() }, "backend: simulated there, threads here"),
    ];
    for (other, difference) in others {
        let error = other.run(&mut Fake::calm(), Some(&directory.0), &mut quiet).unwrap_err();
        assert!(matches!(error, Error::OtherExperiment { .. }));
        let text = error.to_string();
        assert!(text.contains(&format!("holds rows of another experiment ({difference})")), "{text}");
        assert!(!text.contains('\n'));
    }
    assert_eq!((directory.read("rows.csv"), directory.read("experiment.json")), before);

    fs::remove_file(directory.file("experiment.json")).unwrap();
    let error = experiment().run(&mut Fake::calm(), Some(&directory.0), &mut quiet).unwrap_err();
    assert!(error.to_string().contains("(no experiment.json says which)"), "{error}");
    assert_eq!(directory.read("rows.csv"), before.0);
}

#[test]
fn broken_files_are_named_with_the_line() {
    let directory = Directory::new();
    experiment().run(&mut Fake::calm(), Some(&directory.0), &mut stop_after(3)).unwrap_err();
    let text = directory.read("rows.csv");
    let line = |number: usize| text.lines().nth(number - 1).unwrap();
    let run = || experiment().run(&mut Fake::calm(), Some(&directory.0), &mut quiet).unwrap_err();
    let cases = [
        (text.replacen(",960.0,", ",soon,", 1), "rows.csv, line 2: not a row of an experiment"),
        (text.replacen("a,dts,4", "c,dts,4", 1), "rows.csv, line 3: this run is no part of the experiment"),
        (text.replacen("a,dts,4", "a,dts,2", 1), "rows.csv, line 3: this run is no part of the experiment"),
        (text.replacen(",960.0,", ",NaN,", 1), "rows.csv, line 2: time NaN; accepted: a number above 0"),
        (text.replacen(",960.0,", ",-5,", 1), "rows.csv, line 2: time -5; accepted: a number above 0"),
        (
            text.replacen(&format!(",{COMMIT},"), ",0123456,", 1),
            "rows.csv, line 2: commit `0123456`; accepted: this run's, `",
        ),
        (format!("{text}{}\n", line(4)), "rows.csv, line 5: this run stands in the file twice"),
        (
            text.replacen("position,", "place,", 1),
            "rows.csv, line 1: other columns than this version writes (missing: position; unknown: place)",
        ),
    ];
    for (broken, expected) in cases {
        fs::write(directory.file("rows.csv"), &broken).unwrap();
        let error = run();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert_eq!(directory.read("rows.csv"), broken);
    }
    fs::write(directory.file("experiment.json"), "{\n\"title\": 3}").unwrap();
    let error = run().to_string();
    assert!(error.contains("experiment.json, line 2: not the description of an experiment"), "{error}");
}

#[test]
fn a_directory_is_used_by_one_run_at_a_time() {
    let directory = Directory::new();
    let mut inner = None;
    let mut observe = |_: Event<'_>| {
        inner.get_or_insert_with(|| {
            experiment().run(&mut Fake::calm(), Some(&directory.0), &mut quiet).unwrap_err().to_string()
        });
        ControlFlow::Continue(())
    };
    experiment().run(&mut Fake::calm(), Some(&directory.0), &mut observe).unwrap();
    assert!(inner.unwrap().ends_with("is in use by another run"));
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let directory = Directory::new();
    fs::write(&directory.0, "a file").unwrap();
    let error = experiment().run(&mut Fake::calm(), Some(&directory.0), &mut quiet).unwrap_err();
    assert_eq!(error.to_string(), directory.0.display().to_string());
    assert!(std::error::Error::source(&error).is_some());
    fs::remove_file(&directory.0).unwrap();
}

#[test]
fn two_values_of_one_position_are_an_error_that_stays() {
    let directory = Directory::new();
    let mut fake = Fake::new(|trial, measurement| {
        if (trial.position, trial.strategy, trial.processors, trial.repeat) == (1, "pvs", 4, 2) {
            measurement.value = -3;
        }
        Ok(())
    });
    let error = experiment().run(&mut fake, Some(&directory.0), &mut quiet).unwrap_err();
    let text = error.to_string();
    let Error::ValuesDiffer(disagreement) = error else { panic!("{error:?}") };
    assert_eq!((disagreement.first_value, disagreement.second_value), (11, -3));
    assert_eq!(
        text,
        "position b, \"quoted\": pvs at 4 processors (repeat 1) gave 11, pvs at 4 processors (repeat 2) gave -3"
    );
    // The proof is kept, and found again, even if the search no longer does it.
    let again = experiment().run(&mut Fake::calm(), Some(&directory.0), &mut quiet).unwrap_err();
    assert_eq!(again.to_string(), text);
    assert!(!directory.file("summary.csv").exists());
}

#[test]
fn searches_that_fail_or_measure_nothing_are_named() {
    let run = |fake: &mut Fake| experiment().run(fake, None, &mut quiet).unwrap_err();
    let error = run(&mut Fake::new(
        |trial, _| {
            if trial.processors == 4 { Err("out of memory".into()) } else { Ok(()) }
        },
    ));
    assert_eq!(error.to_string(), "position a, dts at 4 processors (repeat 1)");
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "out of memory");

    let measures = |change: fn(&mut Measurement)| {
        run(&mut Fake::new(move |_, measurement| {
            change(measurement);
            Ok(())
        }))
        .to_string()
    };
    for (error, expected) in [
        (measures(|measurement| measurement.time = 0.0), "a time of 0 cannot be compared"),
        (measures(|measurement| measurement.time = -1.0), "a time of -1 cannot be compared"),
        (measures(|measurement| measurement.time = f64::NAN), "a time of NaN cannot be compared"),
        (measures(|measurement| measurement.time = f64::INFINITY), "a time of inf cannot be compared"),
        (measures(|measurement| measurement.nodes = 0), "no node was searched"),
        (measures(|measurement| measurement.idle_share = 1.5), "an idle share of 1.5 is not between 0 and 1"),
    ] {
        assert!(
            error.starts_with(&format!("position a, dts at 1 processor (repeat 1): {expected}")),
            "{error}"
        );
    }
}

#[test]
fn impossible_plans_are_refused() {
    let refuse = |experiment: Experiment, positions: &[&str], expected: &str| {
        let mut fake = Fake::calm();
        fake.positions = positions.iter().map(|name| (*name).to_owned()).collect();
        let error = experiment.run(&mut fake, None, &mut quiet).unwrap_err();
        assert!(matches!(error, Error::Plan(_)) && error.to_string().contains(expected), "{error}");
        assert!(fake.asked.is_empty());
    };
    refuse(experiment(), &[], "there is no position");
    refuse(experiment(), &["a", "b", "a"], "two positions have the name `a`");
    refuse(experiment(), &["a\nb"], "no control characters");
    refuse(experiment(), &[""], "must not be empty");
    refuse(Experiment { strategies: vec![], ..experiment() }, &["a"], "no strategy");
    refuse(Experiment { repeats: 0, ..experiment() }, &["a"], "at least one repeat");
    refuse(Experiment { processors: vec![0, 1], ..experiment() }, &["a"], "at least 1 processor");
}

#[test]
fn a_strategy_named_twice_is_measured_once() {
    let experiment =
        Experiment { strategies: ["dts", "pvs", "dts"].map(str::to_owned).to_vec(), ..experiment() };
    let outcome = experiment.run(&mut Fake::calm(), None, &mut quiet).unwrap();
    assert_eq!(outcome.summary.len(), 4);
}

/// An experiment of an earlier version, before there was work in the rows.
#[test]
fn rows_with_fewer_columns_are_refused_and_left_alone() {
    let directory = Directory::new();
    experiment().run(&mut Fake::calm(), Some(&directory.0), &mut stop_after(3)).unwrap_err();
    let older = directory.read("rows.csv").replace(",depth,work,critical_path,prediction", "");
    let older = older.replace(",12,1000.0,230.0,1230.0", "").replace(",12,1000.0,230.0,480.0", "");
    fs::write(directory.file("rows.csv"), &older).unwrap();
    let error = experiment().run(&mut Fake::calm(), Some(&directory.0), &mut quiet).unwrap_err().to_string();
    let expected = "rows.csv, line 1: other columns than this version writes (missing: depth, work, critical_path, \
                    prediction; unknown: none); name another directory, or remove";
    assert!(error.contains(expected), "{error}");
    assert_eq!(directory.read("rows.csv"), older);
}

#[test]
fn on_threads_there_is_no_work_and_no_prediction() {
    let directory = Directory::new();
    let threads = Experiment { backend: Backend::Threads, ..experiment() };
    let mut fake = Fake::new(|_, measurement| {
        (measurement.simulated, measurement.depth) = (None, None);
        Ok(())
    });
    let outcome = threads.run(&mut fake, Some(&directory.0), &mut quiet).unwrap();
    let row = serde_json::to_string(&outcome.rows[1]).unwrap();
    assert!(row.ends_with(r#""depth":null,"work":null,"critical_path":null,"prediction":null}"#), "{row}");
    assert_eq!(outcome.summary[1].time_over_prediction_mean, None);
    let rows = directory.read("rows.csv");
    assert!(rows.lines().skip(1).all(|line| line.ends_with(",split=3,,,,")), "{rows}");
    let report = directory.read("report.html");
    assert!(!report.contains("C + W/P"), "{report}");
}

#[test]
fn the_spread_is_of_repeats() {
    let once = Experiment { repeats: 1, ..experiment() };
    assert_eq!(once.run(&mut Fake::calm(), None, &mut quiet).unwrap().summary[1].spread_median, None);
    let mut fake = Fake::new(|trial, measurement| {
        // Position a: 100, 110, 120; position b: 100 always.
        measurement.time = 100.0 + if trial.position == 0 { 10.0 * f64::from(trial.repeat - 1) } else { 0.0 };
        Ok(())
    });
    let outcome = experiment().run(&mut fake, None, &mut quiet).unwrap();
    assert_eq!(outcome.summary[1].spread_median, Some((20.0 / 110.0 + 0.0) / 2.0));
}

#[test]
fn work_that_is_no_number_is_named() {
    let mut fake = Fake::new(|_, measurement| {
        measurement.simulated = Some(Simulated { work: 3.0, critical_path: f64::NAN });
        Ok(())
    });
    let error = experiment().run(&mut fake, None, &mut quiet).unwrap_err().to_string();
    assert!(error.ends_with("work of 3 and a critical path of NaN are not both above 0"), "{error}");
}

#[test]
fn the_slowest_position_is_recorded_once_after_all_measurements() {
    let directory = Directory::new();
    let traces = || Fake { traces: true, ..Fake::calm() };
    let mut fake = traces();
    experiment().run(&mut fake, Some(&directory.0), &mut quiet).unwrap();
    // Position b takes twice as long as a; dts and pvs are equally fast, and dts was named first.
    assert_eq!(fake.asked.len(), 2 * 4 * 3 + 1);
    assert_eq!(fake.asked.last(), Some(&(1, "dts".to_owned(), 4, 1)));
    let record = directory.read("trace.json");
    let about = "{\"otherData\":{\"position\":\"b, \\\"quoted\\\"\",\"strategy\":\"dts\",\"processors\":4,\
                 \"backend\":\"simulated\",\"seed\":7,\"time\":480.0,\"cut\":false},\n\"traceEvents\":[";
    assert!(record.starts_with(about), "{record}");
    let report = directory.read("report.html");
    assert!(report.contains("who worked when") && report.contains("<svg class=\"timeline\""), "{report}");

    // Taken up again, the record is there; without it, it is made again and nothing else is.
    let mut again = traces();
    experiment().run(&mut again, Some(&directory.0), &mut quiet).unwrap();
    assert!(again.asked.is_empty());
    assert_eq!(directory.read("report.html"), report);
    for broken in [None, Some("{"), Some(&record.replace("\"seed\":7", "\"seed\":8"))] {
        match broken {
            None => fs::remove_file(directory.file("trace.json")).unwrap(),
            Some(text) => fs::write(directory.file("trace.json"), text).unwrap(),
        }
        let mut again = traces();
        experiment().run(&mut again, Some(&directory.0), &mut quiet).unwrap();
        assert_eq!(again.asked.len(), 1);
        assert_eq!(directory.read("trace.json"), record);
    }

    // A record that another experiment has left behind is not taken for one of this.
    for file in ["experiment.json", "rows.csv"] {
        fs::remove_file(directory.file(file)).unwrap();
    }
    experiment().run(&mut Fake::calm(), Some(&directory.0), &mut quiet).unwrap();
    assert!(!directory.file("trace.json").exists());
    assert!(!directory.read("report.html").contains("who worked when"));
}

#[test]
fn a_recorded_search_has_to_find_the_same_value() {
    let directory = Directory::new();
    let mut runs = 0;
    let mut fake = Fake::new(move |_, measurement| {
        runs += 1;
        if runs > 2 * 4 * 3 {
            measurement.value = -1;
        }
        Ok(())
    });
    fake.traces = true;
    let error = experiment().run(&mut fake, Some(&directory.0), &mut quiet).unwrap_err();
    assert!(matches!(error, Error::ValuesDiffer(_)), "{error}");
}

#[test]
fn the_verdict_comes_first() {
    let directory = Directory::new();
    let mut fake = Fake::new(|trial, measurement| {
        if trial.strategy == "pvs" && trial.processors == 4 {
            measurement.time *= if trial.position == 0 { 1.5 } else { 1.6 };
        }
        Ok(())
    });
    experiment().run(&mut fake, Some(&directory.0), &mut quiet).unwrap();
    let report = directory.read("report.html");
    let verdict = "<p class=\"verdict\"><strong>dts is fastest at 4 processors: 4.00, pvs 2.58.</strong></p>";
    let place = |text: &str| report.find(text).unwrap_or_else(|| panic!("{text}: {report}"));
    assert!(place(verdict) < place("Speedup over one processor, mean of 2 positions"));
    assert!(place("<td class=\"best\">\u{2605} 4.00") < place("<div class=\"plot\">"));
    for foreign in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!report.replace("http://www.w3.org/2000/svg", "").contains(foreign), "{foreign}: {report}");
    }
}

#[test]
fn an_experiment_that_ended_before_its_first_row_is_not_in_the_way() {
    let directory = Directory::new();
    let mut stopped = |_: Event<'_>| ControlFlow::Break(());
    assert!(experiment().run(&mut Fake::calm(), Some(&directory.0), &mut stopped).is_err());
    assert_eq!(directory.read("rows.csv").lines().count(), 0);
    let other = Experiment { repeats: 7, ..experiment() };
    let outcome =
        other.run(&mut Fake::calm(), Some(&directory.0), &mut quiet).expect("it is as if nothing were there");
    assert_eq!(outcome.rows[0].repeats, 7);
}
