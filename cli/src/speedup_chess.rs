//! Chess positions for `dts speedup`.

use anyhow::{Context, bail};
use dts_bench::{Failure, Trial};
use dts_chess::{Engine, EngineOptions, Profile, Question, epd};
use dts_engine::{CostModel, Limits, SplitPolicy, Value};

use crate::options::{Stop, TopologyOptions};
use crate::speedup::{Chosen, Positioned, Positions, Searched, SpeedupOptions, measurement, text_of};
use crate::speedup_work::{depths_for, listed};

/// As deep as `--depth` goes.
const DEEPEST: i32 = 100;

/// Nodes for which one processor searches a position if neither depth nor work is asked for.
const WORK: u64 = 300_000;

/// The 24 positions of the paper.
const PAPER: &str = include_str!("../../games/chess/data/dts24.epd");

/// Those of them that `quick` stands for: two from the opening, the worst of the paper's table 6 and its best.
const QUICK: [usize; 4] = [1, 8, 17, 21];

/// A position and its FEN.
type Named = (String, String);

/// Chess positions to be searched, each from a fresh table.
struct ChessPositions {
    positions: Vec<Named>,
    profile: Profile,
    depths: Vec<Option<i32>>,
    hash: usize,
    pin: bool,
    simulate: Option<CostModel>,
    topology: TopologyOptions,
    stop: Stop,
}

impl Positions for ChessPositions {
    fn names(&self) -> Vec<String> {
        self.positions.iter().map(|(name, _)| name.clone()).collect()
    }

    fn search(&self, trial: &Trial<'_>, trace_events: usize) -> Result<Searched, Failure> {
        let (_, fen) = &self.positions[trial.position];
        let mut engine = Engine::new(EngineOptions {
            profile: self.profile,
            table_mebibytes: self.hash,
            threads: trial.processors,
            strategy: trial.strategy.parse()?,
            policy: self.topology.put_into(SplitPolicy::default()),
            pin: self.pin,
            simulate: self.simulate,
            trace_events,
        })?;
        engine.set_position(fen, &[])?;
        let limits = self.stop.limits();
        search_position(&mut engine, self.depths[trial.position], &limits)
    }
}

/// Searches the engine's position to a depth, or to the end, within `limits`. A search that these end early is no measurement.
pub(crate) fn search_position(
    engine: &mut Engine,
    depth: Option<i32>,
    limits: &Limits,
) -> Result<Searched, Failure> {
    let limits = match depth {
        Some(depth) => limits.clone().with_depth(depth),
        None => limits.clone(),
    };
    let found = engine.search(Question::default(), &limits, |_| {})?;
    let report = found.report.ok_or("the game is over there, so there is nothing to search")?;
    let state = report.state.as_ref().filter(|state| report.stopped.is_none() && state.range.is_exact());
    let value: Value = state.ok_or("the search was stopped")?.range.lower;
    Ok((measurement(value, &report, depth), report.traces))
}

impl Chosen {
    /// An experiment with the positions that the options name.
    pub(crate) fn chess(options: &SpeedupOptions, stop: Stop) -> anyhow::Result<Chosen> {
        let positions = positions(&options.positions)?;
        let profile = options.profile;
        let hash = options.hash as usize;
        let work = options.work.unwrap_or(WORK);
        let depths = match options.depth {
            Some(depth) if depth > DEEPEST => {
                bail!("--depth: {depth} plies of chess are too many; accepted: up to {DEEPEST}")
            }
            Some(depth) => vec![Some(depth); positions.len()],
            None => depths_for(work, DEEPEST, &positions, &stop, |(_, fen), depth, search, limits| {
                let mut engine = Engine::new(EngineOptions {
                    profile,
                    table_mebibytes: hash,
                    strategy: search.strategy,
                    ..EngineOptions::default()
                })?;
                engine.set_position(fen, &[])?;
                let found = engine.search(Question::default(), &limits.clone().with_depth(depth), |_| {})?;
                Ok(found.nodes)
            })?,
        };
        let what = match options.depth {
            Some(depth) => format!("depth {depth}"),
            None => format!("{work} nodes each"),
        };
        Ok(Chosen {
            title: format!("chess, {} positions, {what}, {profile} search", positions.len()),
            options: [
                ("game", "chess".to_owned()),
                ("profile", profile.to_string()),
                ("depth", listed(&depths)),
                ("hash", hash.to_string()),
                ("pin", options.pin.to_string()),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
            // What a table remembers of another line, or a reduction tried at another moment, may change a value.
            values_agree: profile == Profile::Classic && hash == 0,
            depths: depths.clone(),
            subject: Box::new(Positioned(ChessPositions {
                positions,
                profile,
                depths,
                hash,
                pin: options.pin,
                simulate: options.simulate(),
                topology: options.topology,
                stop,
            })),
        })
    }
}

/// The positions of the set or the file `name`.
fn positions(name: &str) -> anyhow::Result<Vec<Named>> {
    let (text, place) = text_of(name, &["quick", "full", "dts24"].map(|set| (set, PAPER)))?;
    let tasks = epd::parse(&text).with_context(|| place.clone())?;
    let mut positions: Vec<Named> =
        tasks.into_iter().map(|task| (task.id, format!("{:#}", task.board))).collect();
    if name == "quick" {
        positions = QUICK.map(|number| positions[number - 1].clone()).into();
    }
    for (at, (id, _)) in positions.iter().enumerate() {
        if positions[..at].iter().any(|(other, _)| other == id) {
            bail!("{place}: the id `{id}` is there twice; accepted: one position an id");
        }
    }
    if positions.is_empty() {
        bail!("{place}: no position; accepted: one position a line, as FEN or EPD");
    }
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_is_stopped_is_no_measurement() {
        let mut engine = Engine::new(EngineOptions::default()).expect("an engine");
        let mut nodes = |limits: &Limits| {
            let searched = search_position(&mut engine, Some(6), limits);
            searched.map(|(measurement, _)| measurement.nodes).map_err(|error| error.to_string())
        };
        // It has values of the depths before by then.
        assert_eq!(nodes(&Limits::new().with_nodes(1_500)), Err("the search was stopped".to_owned()));
        assert!(nodes(&Limits::new()).is_ok_and(|nodes| nodes > 1_500));
    }

    #[test]
    fn the_sets_are_there() {
        let names = |name| positions(name).expect(name).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names("dts24").len(), 24);
        assert_eq!(names("full"), names("dts24"));
        assert_eq!(names("quick")[2], "DTS.17 25...Rg5");
    }
}
