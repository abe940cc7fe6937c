//! The experiment: positions x strategies x processors x repeats.
//!
//! # In which order
//!
//! A shared machine drifts: its clock speed, its temperature and its other users change while an experiment
//! runs. What is compared must therefore be measured close together, and what is averaged far apart:
//!
//! - All configurations of a position run one after the other. A speedup is a ratio of two of them, so whatever
//!   slows the machine for longer than such a block slows both and cancels.
//! - The repeats are the outermost loop. Two repeats of a configuration lie a whole pass over all positions
//!   apart, so that a disturbance (a neighbour that takes one of two cores hurts two processors and not one,
//!   and does not cancel) hits one repeat of a few positions, and the median drops it. With the repeats inside,
//!   it would hit all repeats of one position. The price is that rows are ready only in the last pass.
//! - Every second block runs backwards (from one position to the next, and from one repeat to the next), so
//!   that no configuration is always the one that finds the machine warm or cold, and a steady drift within a block
//!   favours one processor as often as many.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use crate::error::RunName;
use crate::progress::Clock;
use crate::statistics::mean;
use crate::store::{Identity, Store};
use crate::{
    Backend, COMMIT, Ceiling, Disagreement, Error, Measurement, Plot, Progress, Row, RunRow, Subject,
    Summary, Timeline, Trial, VERSION, processor_model, report, slowest,
};

/// What to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// What is searched, in words, for the title of the plot: `kalah 6x4, depth 14`.
    pub title: String,
    /// Every option of the search that a result may depend on, by name. An interrupted experiment is only
    /// taken up again with the same ones.
    pub options: BTreeMap<String, String>,
    /// The strategies to compare.
    pub strategies: Vec<String>,
    /// The numbers of processors. One processor is added if it is missing, for the speedup is over it.
    pub processors: Vec<usize>,
    /// How often each configuration runs.
    pub repeats: u32,
    /// What searches.
    pub backend: Backend,
    /// The seed of the first repeat.
    pub seed: u64,
    /// What the simulator charges for; `none` on threads.
    pub cost_model: String,
    /// Whether all runs of a position must find the same value: so it is, but for searches whose values depend on what a table
    /// remembers or on the order of events.
    pub values_agree: bool,
    /// What the machine itself can give, to be drawn beside the speedups and written to `ceiling.csv`; may be
    /// empty.
    pub ceilings: Vec<Ceiling>,
}

impl Default for Experiment {
    /// One repeat of `dts` at 1 processor, on threads, seed 1.
    fn default() -> Experiment {
        Experiment {
            title: String::new(),
            options: BTreeMap::new(),
            strategies: vec!["dts".to_owned()],
            processors: vec![1],
            repeats: 1,
            backend: Backend::Threads,
            seed: 1,
            cost_model: "none".to_owned(),
            values_agree: true,
            ceilings: Vec::new(),
        }
    }
}

/// What an experiment tells while it runs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something the user should know about how his request was understood.
    Note(&'a str),
    /// A run is done, or the experiment is about to start.
    Progress(&'a Progress),
    /// All repeats of a configuration are done, and those of its partner at one processor.
    Row(&'a Row),
}

/// The result of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// One row a configuration: by position, then strategy, then processors.
    pub rows: Vec<Row>,
    /// One line a (strategy, processors).
    pub summary: Vec<Summary>,
}

impl Experiment {
    /// Runs the experiment.
    ///
    /// With a directory, every run is written to its `rows.csv` as it comes, runs already there are not made
    /// again, and `summary.csv`, `speedup.svg`, `trace.json` and `report.html` are written at the end. The observer is told
    /// what happens and may stop the experiment after any run; what is done is kept.
    pub fn run(
        &self,
        subject: &mut dyn Subject,
        directory: Option<&Path>,
        observer: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Outcome, Error> {
        let plan = Plan::new(self, subject.positions())?;
        let mut store = None;
        let mut runs = Runs::new(&plan);
        if let Some(directory) = directory {
            let (opened, old) = Store::open(directory, &plan.identity)?;
            store = Some(opened);
            for (index, run) in old.into_iter().enumerate() {
                // The header is line 1.
                runs.take_up(run)
                    .map_err(|error| error.in_file(&directory.join("rows.csv"), index as u64 + 2))?;
            }
        }
        self.measure(&plan, &mut runs, subject, store.as_mut(), observer)?;

        let outcome = runs.outcome();
        if let Some(store) = &store {
            store.complete(&runs.compared())?;
            store.table("summary.csv", &outcome.summary)?;
            if !self.ceilings.is_empty() {
                store.table("ceiling.csv", &self.ceilings)?;
            }
            let plot = self.plot().draw(&outcome.summary)?;
            store.write("speedup.svg", plot.as_bytes())?;
            let timeline = self.timeline(&plan, &outcome, subject, store)?;
            let page = report::page(&plan.identity, &outcome, &plot, timeline.as_ref());
            store.write("report.html", page.as_bytes())?;
        }
        Ok(outcome)
    }

    /// What the processors did in the search that the report shows: from the directory if it is there, else from one
    /// more run, after all that is measured.
    fn timeline(
        &self,
        plan: &Plan,
        outcome: &Outcome,
        subject: &mut dyn Subject,
        store: &Store,
    ) -> Result<Option<Timeline>, Error> {
        let Some(row) = slowest::slowest(outcome) else { return Ok(None) };
        if let Some(timeline) = slowest::find(store.directory(), row) {
            return Ok(Some(timeline));
        }
        let position = plan.identity.positions.iter().position(|name| *name == row.position);
        let kind = plan.kind(&row.strategy, row.processors);
        let (Some(position), Some(kind)) = (position, kind) else {
            unreachable!("a row is part of its plan")
        };
        let trial = plan.trial(Key { position, kind, repeat: 1 });
        let name = run_name(trial.strategy, trial.processors, 1);
        let failed = |source| Error::Run {
            run: format!("position {}, {name}, once more for its timeline", row.position),
            source,
        };
        let Some(traced) = subject.trace(&trial).map_err(failed)? else { return Ok(None) };
        if self.values_agree && traced.measurement.value != row.value {
            return Err(Error::ValuesDiffer(Box::new(Disagreement {
                position: row.position.clone(),
                first: name.clone(),
                first_value: row.value,
                second: name,
                second_value: traced.measurement.value,
            })));
        }
        slowest::keep(store, row, &traced).map(Some)
    }

    /// The plot that [`Experiment::run`] writes, to be changed and drawn again.
    pub fn plot(&self) -> Plot {
        let unit = match self.backend {
            Backend::Threads => "threads",
            Backend::Simulated => "simulated processors",
        };
        Plot {
            title: format!("Speedup: {}, {unit}", self.title),
            ceilings: self.ceilings.clone(),
            ..Plot::default()
        }
    }

    fn measure(
        &self,
        plan: &Plan,
        runs: &mut Runs<'_>,
        subject: &mut dyn Subject,
        mut store: Option<&mut Store>,
        observer: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let resumed = runs.done.len();
        let mut clock = Clock::default();
        let mut tell = |event: Event<'_>, runs: &Runs<'_>| match observer(event) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Stopped { done: runs.done.len(), total: plan.total() }),
        };
        for note in &plan.notes {
            tell(Event::Note(note), runs)?;
        }
        let mut left = plan.order().filter(|key| !runs.done.contains_key(key)).collect::<Vec<_>>();
        left.reverse();
        for position in 0..plan.identity.positions.len() {
            for row in runs.ready(position) {
                tell(Event::Row(&row), runs)?;
            }
        }
        loop {
            let progress = Progress {
                done: runs.done.len(),
                total: plan.total(),
                resumed,
                left: clock.predict(left.iter().map(|key| (key.position, key.kind))),
            };
            tell(Event::Progress(&progress), runs)?;
            let Some(key) = left.pop() else { return Ok(()) };

            let trial = plan.trial(key);
            let started = Instant::now();
            let measurement = subject.run(&trial);
            clock.record(key.position, key.kind, started.elapsed());
            let run = plan.row(key, &trial, measurement)?;
            // A run that disagrees is kept as well: it is the proof of a bug that may not show itself again soon.
            if let Some(store) = store.as_deref_mut() {
                store.append(&runs.compare(key, run.clone()))?;
            }
            runs.add(key, run)?;
            for row in runs.ready(key.position) {
                tell(Event::Row(&row), runs)?;
            }
        }
    }
}

/// An experiment that has been checked, with its lists in order.
#[derive(Debug)]
struct Plan {
    identity: Identity,
    values_agree: bool,
    notes: Vec<String>,
}

/// One run of the plan: indices of its position and of its (strategy, processors), and the repeat from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    position: usize,
    kind: usize,
    repeat: u32,
}

impl Plan {
    fn new(experiment: &Experiment, positions: Vec<String>) -> Result<Plan, Error> {
        let wrong = |what: &str| Err(Error::Plan(what.to_owned()));
        let mut names = BTreeSet::new();
        for name in &positions {
            if name.is_empty() || name.contains(char::is_control) {
                return wrong("a position's name must not be empty and must hold no control characters");
            }
            if !names.insert(name) {
                return wrong(&format!("two positions have the name `{name}`"));
            }
        }
        if positions.is_empty() {
            return wrong("there is no position to search");
        }
        let mut strategies = Vec::new();
        for strategy in &experiment.strategies {
            if !strategies.contains(strategy) {
                strategies.push(strategy.clone());
            }
        }
        if strategies.is_empty() {
            return wrong("there is no strategy to measure");
        }
        if experiment.repeats == 0 {
            return wrong("at least one repeat is needed");
        }
        let mut processors: BTreeSet<usize> = experiment.processors.iter().copied().collect();
        if processors.contains(&0) {
            return wrong("a search needs at least 1 processor");
        }
        let mut notes = Vec::new();
        if processors.insert(1) {
            notes.push(
                "1 processor is measured as well: the speedup is the time at 1 over the time at more".into(),
            );
        }
        let identity = Identity {
            title: experiment.title.clone(),
            options: experiment.options.clone(),
            positions,
            strategies,
            processors: processors.into_iter().collect(),
            repeats: experiment.repeats,
            backend: experiment.backend,
            seed: experiment.seed,
            version: VERSION.to_owned(),
            commit: COMMIT.to_owned(),
            processor_model: processor_model(),
            cost_model: experiment.cost_model.clone(),
        };
        Ok(Plan { identity, values_agree: experiment.values_agree, notes })
    }

    /// How many (strategy, processors) there are.
    fn kinds(&self) -> usize {
        self.identity.strategies.len() * self.identity.processors.len()
    }

    /// The index of a (strategy, processors), strategy by strategy.
    fn kind(&self, strategy: &str, processors: usize) -> Option<usize> {
        let strategy = self.identity.strategies.iter().position(|known| known == strategy)?;
        let place = self.identity.processors.binary_search(&processors).ok()?;
        Some(strategy * self.identity.processors.len() + place)
    }

    /// The same strategy at one processor, which the sorted list begins with.
    fn alone(&self, kind: usize) -> usize {
        kind - kind % self.identity.processors.len()
    }

    fn total(&self) -> usize {
        self.identity.positions.len() * self.kinds() * self.identity.repeats as usize
    }

    /// The runs in the order in which they are made; why this one, see the top of the file.
    fn order(&self) -> impl Iterator<Item = Key> {
        (1..=self.identity.repeats).flat_map(move |repeat| {
            (0..self.identity.positions.len()).flat_map(move |position| {
                let backwards = (position as u64 + u64::from(repeat)).is_multiple_of(2);
                (0..self.kinds()).map(move |place| {
                    let kind = if backwards { self.kinds() - 1 - place } else { place };
                    Key { position, kind, repeat }
                })
            })
        })
    }

    fn trial(&self, key: Key) -> Trial<'_> {
        let processors = self.identity.processors.len();
        Trial {
            position: key.position,
            strategy: &self.identity.strategies[key.kind / processors],
            processors: self.identity.processors[key.kind % processors],
            repeat: key.repeat,
            seed: self.identity.seed.wrapping_add(u64::from(key.repeat - 1)),
        }
    }

    /// The row of a run, or why there is none.
    fn row(
        &self,
        key: Key,
        trial: &Trial<'_>,
        measurement: Result<Measurement, crate::Failure>,
    ) -> Result<RunRow, Error> {
        let position = &self.identity.positions[key.position];
        let name =
            || format!("position {position}, {}", run_name(trial.strategy, trial.processors, trial.repeat));
        let measurement = measurement.map_err(|source| Error::Run { run: name(), source })?;
        if let Some(what) = measurement.flaw() {
            return Err(Error::Measurement { run: name(), what });
        }
        let Measurement { value, nodes, time, idle_share, splits, stops, depth, simulated } = measurement;
        Ok(RunRow {
            position: position.clone(),
            strategy: trial.strategy.to_owned(),
            processors: trial.processors,
            backend: self.identity.backend,
            value,
            nodes,
            time,
            speedup: None,
            node_ratio: None,
            idle_share,
            splits,
            stops,
            repeats: self.identity.repeats,
            spread: None,
            seed: trial.seed,
            version: self.identity.version.clone(),
            repeat: trial.repeat,
            commit: self.identity.commit.clone(),
            processor_model: self.identity.processor_model.clone(),
            cost_model: self.identity.cost_model.clone(),
            depth,
            work: simulated.map(|simulated| simulated.work),
            critical_path: simulated.map(|simulated| simulated.critical_path),
            prediction: simulated.map(|simulated| simulated.prediction(trial.processors)),
        })
    }
}

fn run_name(strategy: &str, processors: usize, repeat: u32) -> RunName {
    RunName { strategy: strategy.to_owned(), processors, repeat }
}

/// The runs made so far.
#[derive(Debug)]
struct Runs<'a> {
    plan: &'a Plan,
    done: HashMap<Key, RunRow>,
    /// The keys in the order in which the runs were made, for `rows.csv` keeps it.
    order: Vec<Key>,
    /// The first run of each position: all others must agree with its value.
    first: HashMap<usize, Key>,
    /// The configurations, as (position, kind), whose rows have been handed out.
    told: BTreeSet<(usize, usize)>,
}

/// Why a row of `rows.csv` is not taken up.
#[derive(Debug)]
enum Refusal {
    Unknown(String),
    Disagreement(Box<Disagreement>),
}

impl Refusal {
    fn in_file(self, path: &Path, line: u64) -> Error {
        match self {
            Refusal::Unknown(what) => Error::Malformed { path: path.to_owned(), line: Some(line), what },
            Refusal::Disagreement(disagreement) => Error::ValuesDiffer(disagreement),
        }
    }
}

impl<'a> Runs<'a> {
    fn new(plan: &'a Plan) -> Runs<'a> {
        Runs { plan, done: HashMap::new(), order: Vec::new(), first: HashMap::new(), told: BTreeSet::new() }
    }

    /// Adds a run that an earlier run of the program made.
    fn take_up(&mut self, run: RunRow) -> Result<(), Refusal> {
        let identity = &self.plan.identity;
        let unknown = |what: &str| Err(Refusal::Unknown(what.to_owned()));
        let position = identity.positions.iter().position(|name| *name == run.position);
        let (Some(position), Some(kind)) = (position, self.plan.kind(&run.strategy, run.processors)) else {
            return unknown("this run is no part of the experiment");
        };
        if !(1..=identity.repeats).contains(&run.repeat) {
            return unknown("this repeat is no part of the experiment");
        }
        let key = Key { position, kind, repeat: run.repeat };
        if let Some(flaw) = run.flaw() {
            return Err(Refusal::Unknown(flaw));
        }
        let others = [
            ("backend", run.backend.name().to_owned(), identity.backend.name().to_owned()),
            ("seed", run.seed.to_string(), identity.seed.wrapping_add(u64::from(run.repeat - 1)).to_string()),
            ("version", run.version.clone(), identity.version.clone()),
            ("commit", run.commit.clone(), identity.commit.clone()),
            ("cost_model", run.cost_model.clone(), identity.cost_model.clone()),
        ];
        for (column, found, own) in others {
            if found != own {
                return unknown(&format!("{column} `{found}`; accepted: this run's, `{own}`"));
            }
        }
        if self.done.contains_key(&key) {
            return unknown("this run stands in the file twice");
        }
        self.add(key, run).map_err(Refusal::Disagreement)
    }

    fn add(&mut self, key: Key, run: RunRow) -> Result<(), Box<Disagreement>> {
        let first = self.done.get(self.first.entry(key.position).or_insert(key));
        if let Some(first) = first.filter(|first| self.plan.values_agree && first.value != run.value) {
            let name = |run: &RunRow| run_name(&run.strategy, run.processors, run.repeat);
            return Err(Box::new(Disagreement {
                position: run.position.clone(),
                first: name(first),
                first_value: first.value,
                second: name(&run),
                second_value: run.value,
            }));
        }
        self.done.insert(key, run);
        self.order.push(key);
        Ok(())
    }

    /// A run with its comparisons, if its partner at one processor has been made (or is itself).
    fn compare(&self, key: Key, mut run: RunRow) -> RunRow {
        let partner = Key { kind: self.plan.alone(key.kind), ..key };
        if partner == key {
            run.compare(&run.clone());
        } else if let Some(alone) = self.done.get(&partner) {
            run.compare(alone);
        }
        run
    }

    /// All runs with their comparisons, in the order in which they were made.
    fn compared(&self) -> Vec<RunRow> {
        let repeats = self.plan.identity.repeats;
        let runs = self.order.iter().map(|key| (*key, self.done[key].clone()));
        runs.map(|(key, run)| self.compare(key, RunRow { repeats, ..run })).collect()
    }

    /// The repeats of a configuration, if all of them have been made.
    fn repeats(&self, position: usize, kind: usize) -> Option<Vec<&RunRow>> {
        (1..=self.plan.identity.repeats)
            .map(|repeat| self.done.get(&Key { position, kind, repeat }))
            .collect()
    }

    fn row(&self, position: usize, kind: usize) -> Option<Row> {
        let runs = self.repeats(position, kind)?;
        let alone = self.repeats(position, self.plan.alone(kind))?;
        Some(Row::of(&runs, &alone, self.plan.identity.seed))
    }

    /// The rows of a position that have become complete since they were last asked for.
    fn ready(&mut self, position: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        for kind in 0..self.plan.kinds() {
            if !self.told.contains(&(position, kind))
                && let Some(row) = self.row(position, kind)
            {
                self.told.insert((position, kind));
                rows.push(row);
            }
        }
        rows
    }

    /// The result, when every run has been made.
    fn outcome(&self) -> Outcome {
        let kinds = self.plan.kinds();
        let rows: Vec<Row> = (0..self.plan.identity.positions.len())
            .flat_map(|position| (0..kinds).map(move |kind| (position, kind)))
            .map(|(position, kind)| self.row(position, kind).expect("every run has been made"))
            .collect();
        let of_kind = |kind: usize| rows.iter().skip(kind).step_by(kinds).collect::<Vec<_>>();
        let summary = (0..kinds).map(|kind| {
            let repeats = self.means_of_repeats(kind);
            Summary::of(&of_kind(kind), &of_kind(self.plan.alone(kind)), &repeats)
        });
        Outcome { summary: summary.collect(), rows }
    }

    /// The mean speedup over the positions in each repeat, when every run has been made.
    fn means_of_repeats(&self, kind: usize) -> Vec<f64> {
        let positions = self.plan.identity.positions.len();
        let time = |position, kind, repeat| self.done[&Key { position, kind, repeat }].time;
        let speedup =
            |position, repeat| time(position, self.plan.alone(kind), repeat) / time(position, kind, repeat);
        let mean_of =
            |repeat| mean(&(0..positions).map(|position| speedup(position, repeat)).collect::<Vec<_>>());
        (1..=self.plan.identity.repeats).map(mean_of).collect()
    }
}

#[cfg(test)]
mod tests;
