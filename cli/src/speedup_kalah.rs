//! Boards of kalah for `dts speedup`.

use anyhow::{Context, bail};
use dts_bench::{Failure, Trial};
use dts_engine::{CostModel, Options, SplitPolicy};
use dts_kalah::{
    Board, Depth, Endgames, Evaluation, Rules, Solver, SolverOptions, analyse, speedup_boards, split_policy,
};

use crate::options::{Stop, TopologyOptions};
use crate::speedup::{Chosen, Positioned, Positions, Searched, SpeedupOptions, measurement, text_of};
use crate::speedup_work::{depths_for, listed};

/// As deep as `--depth` goes.
const DEEPEST: i32 = 200;

/// Kalah boards to be searched.
struct KalahBoards {
    boards: Vec<(String, Board)>,
    rules: Rules,
    /// How deep each board is searched; none is to the end.
    depths: Vec<Option<i32>>,
    hash: usize,
    database_stones: u32,
    pin: bool,
    simulate: Option<CostModel>,
    topology: TopologyOptions,
    stop: Stop,
}

impl Positions for KalahBoards {
    fn names(&self) -> Vec<String> {
        self.boards.iter().map(|(name, _)| name.clone()).collect()
    }

    fn search(&self, trial: &Trial<'_>, trace_events: usize) -> Result<Searched, Failure> {
        let (_, board) = &self.boards[trial.position];
        let search = Options {
            simulate: self.simulate,
            policy: self.topology.put_into(SplitPolicy::default()),
            processors: trial.processors,
            strategy: trial.strategy.parse()?,
            pin: self.pin,
            trace_events,
            ..Options::default()
        };
        let limits = self.stop.limits();
        let depth = self.depths[trial.position];
        let solution = match depth {
            Some(depth) => {
                analyse(self.rules, board, depth, Depth::Moves, Evaluation::Difference, search, &limits)?
            }
            None => {
                let endgames = match self.database_stones {
                    0 => Endgames::None,
                    stones => Endgames::Stones(stones),
                };
                let options = SolverOptions {
                    search: Options { policy: self.topology.put_into(split_policy()), ..search },
                    table_mebibytes: self.hash,
                    endgames,
                    ..SolverOptions::default()
                };
                Solver::new(self.rules, board, options)?.value(board, &limits)?
            }
        };
        let value = solution.value();
        let report = solution.report.ok_or("the game is over there, so there is nothing to search")?;
        let value = value.filter(|_| report.stopped.is_none()).ok_or("the search was stopped")?;
        Ok((measurement(value, &report, depth), report.traces))
    }
}

impl Chosen {
    /// An experiment with `boards`.
    pub(crate) fn kalah(
        options: &SpeedupOptions,
        boards: Vec<(String, Board)>,
        stop: Stop,
    ) -> anyhow::Result<Chosen> {
        let rules = options.rules.rules();
        let (what, depth) = match (options.depth, options.work) {
            (Some(depth), _) => (format!("depth {depth}"), depth.to_string()),
            (None, Some(work)) => (format!("{work} nodes each"), String::new()),
            (None, None) => ("solved".to_owned(), "to the end".to_owned()),
        };
        let depths = match options.work {
            Some(work) => depths_for(work, DEEPEST, &boards, &stop, |(_, board), depth, search, limits| {
                let solution =
                    analyse(rules, board, depth, Depth::Moves, Evaluation::Difference, search, limits)?;
                Ok(solution.report.map_or(0, |report| report.nodes))
            })?,
            None => vec![options.depth; boards.len()],
        };
        let depth = if options.work.is_some() { listed(&depths) } else { depth };
        Ok(Chosen {
            title: format!("kalah, {} boards, {what}, rules {rules}", boards.len()),
            options: [
                ("game", "kalah".to_owned()),
                ("rules", rules.to_string()),
                ("depth", depth),
                ("hash", options.hash.to_string()),
                ("database_stones", options.database_stones.to_string()),
                ("pin", options.pin.to_string()),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
            values_agree: true,
            depths: depths.clone(),
            subject: Box::new(Positioned(KalahBoards {
                boards,
                rules,
                depths,
                hash: options.hash as usize,
                database_stones: options.database_stones,
                pin: options.pin,
                simulate: options.simulate(),
                topology: options.topology,
                stop,
            })),
        })
    }
}

/// The boards of the set or the file `name`.
pub(crate) fn boards(name: &str) -> anyhow::Result<Vec<(String, Board)>> {
    let sets = [("quick", speedup_boards(false)), ("full", speedup_boards(true))];
    let (text, place) = text_of(name, &sets)?;
    let mut boards: Vec<(String, Board)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        if line.trim().is_empty() {
            continue;
        }
        let (name, board) = match line.split_once(':') {
            // Blanks stand for the name, so that the columns of errors are those of the line.
            Some((name, board)) => {
                (name.trim().to_owned(), format!("{:1$}{board}", "", name.chars().count() + 1))
            }
            None => (format!("line {}", number + 1), line.to_owned()),
        };
        let board = board.parse().with_context(|| format!("{place}, line {}", number + 1))?;
        if boards.iter().any(|(other, _)| *other == name) {
            bail!(
                "{place}, line {}: the name `{name}` is there twice; accepted: one position a name",
                number + 1
            );
        }
        boards.push((name, board));
    }
    if boards.is_empty() {
        bail!("{place}: no position; accepted: one board a line");
    }
    Ok(boards)
}
