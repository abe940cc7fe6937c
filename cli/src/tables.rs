//! `dts tables`: the six tables of the paper, its figures beside ours.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use dts_bench::{Backend, COMMIT, Experiment, Method, Outcome, PaperTables, VERSION};
use dts_chess::Profile;
use dts_engine::{CostModel, MOST_PROCESSORS, Strategy, write_whole};

use crate::experiment_run::{Ended, how_it_ended, progress_bar, run_experiment};
use crate::options::{Stop, cores};
use crate::speedup::BackendName;
use crate::speedup_work::listed;
use crate::tables_game::{Effort, HowSearched, PaperGame};

/// `dts tables`.
#[derive(Debug, clap::Args)]
pub(crate) struct TablesOptions {
    /// Which tables: 1 PVS, 2 EPVS, 3 DTS, 4 times, 5 nodes, 6 speedups by position, or all
    #[arg(long, value_name = "1..6|all", value_delimiter = ',', default_value = "all", value_parser = tables)]
    table: Vec<Tables>,
    /// How much work each position is
    #[arg(long, value_name = "EFFORT", default_value = "quick")]
    effort: Effort,
    /// What searches
    #[arg(long, value_name = "BACKEND", default_value = "simulated")]
    backend: BackendName,
    /// Numbers of processors [default: 1,2,4,8,16, with threads up to the cores]
    #[arg(long, value_name = "1,2,4", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=MOST_PROCESSORS as i64))]
    processors: Vec<u16>,
    /// How chess is searched: classic is the kind of search that the paper measured
    #[arg(long, value_name = "PROFILE", default_value = "classic", value_parser = str::parse::<Profile>)]
    profile: Profile,
    /// Searches each position with an empty table and nothing learnt, not as part of the game
    #[arg(long)]
    fresh: bool,
    /// Strategies that the paper does not have, each with a table of its own: dts-adaptive, ybw, lazy-smp, abdada
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = str::parse::<Strategy>)]
    also: Vec<Strategy>,
    /// How often each configuration plays the game; medians are shown
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: u32,
    /// The transposition table of each configuration, in MiB; all of them are there at once [default: 32, with --effort full 128]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    hash: Option<u32>,
    /// Binds each of the program's threads to a core of its own
    #[arg(long)]
    pin: bool,
    /// What things cost in a simulation, a node being 1000: "split 20000, message 500"; what is left out costs what it does by
    /// default
    #[arg(long, value_name = "COSTS", value_parser = str::parse::<CostModel>)]
    costs: Option<CostModel>,
    /// How the tables are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Prints one JSON object a line, as --format json does
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Writes tables.txt, tables.csv, tables.json and tables.html there, and what dts speedup writes; an interrupted run goes on
    /// where it stopped
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// One table, or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tables {
    All,
    One(u8),
}

fn tables(text: &str) -> Result<Tables, String> {
    match text.parse() {
        Ok(number @ 1..=6) => Ok(Tables::One(number)),
        _ if text == "all" => Ok(Tables::All),
        _ => Err("accepted: numbers from 1 to 6, or all".to_owned()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One line a figure
    Csv,
    /// One object a table
    Json,
}

impl TablesOptions {
    /// The numbers of the tables, in order.
    fn numbers(&self) -> Vec<u8> {
        (1..=6)
            .filter(|&number| self.table.contains(&Tables::All) || self.table.contains(&Tables::One(number)))
            .collect()
    }

    /// The strategies that these tables need, and those beyond.
    fn strategies(&self) -> Vec<Strategy> {
        let numbers = self.numbers();
        let needed = [
            (Strategy::Pvs, numbers.contains(&1)),
            (Strategy::Epvs, numbers.contains(&2)),
            (Strategy::Dts, numbers.iter().any(|number| *number >= 3)),
        ];
        let mut strategies: Vec<Strategy> =
            needed.into_iter().filter(|(_, needed)| *needed).map(|(strategy, _)| strategy).collect();
        for &strategy in &self.also {
            if !strategies.contains(&strategy) {
                strategies.push(strategy);
            }
        }
        strategies
    }

    fn processors(&self) -> Vec<usize> {
        if !self.processors.is_empty() {
            return self.processors.iter().map(|&count| usize::from(count)).collect();
        }
        let most = if self.backend == BackendName::Simulated { 16 } else { cores() };
        [1, 2, 4, 8, 16].into_iter().filter(|&count| count <= most).collect()
    }

    fn hash(&self) -> u32 {
        self.hash.unwrap_or(match self.effort {
            Effort::Quick => 32,
            Effort::Full => 128,
        })
    }

    fn simulate(&self) -> Option<CostModel> {
        (self.backend == BackendName::Simulated).then(|| self.costs.unwrap_or_default())
    }

    fn check(&self) -> anyhow::Result<()> {
        if self.pin && self.backend == BackendName::Simulated {
            bail!("--pin: virtual processors have no cores; leave it out, or say --backend threads");
        }
        if self.costs.is_some() && self.backend == BackendName::Threads {
            bail!("--costs: threads take the time they take; leave it out, or say --backend simulated");
        }
        if self.also.contains(&Strategy::Sequential) {
            bail!("--also: sequential is what all others are compared with; leave it out");
        }
        Ok(())
    }

    /// How the figures are made, in words.
    fn method(&self, depths: &[Option<i32>], outcome: &Outcome) -> Method {
        let alone: Vec<f64> =
            outcome.rows.iter().filter(|row| row.processors == 1).map(|row| row.nodes as f64).collect();
        let mean = alone.iter().sum::<f64>() / alone.len().max(1) as f64;
        let sorted = |end: fn(i32, i32) -> i32| depths.iter().flatten().copied().reduce(end).unwrap_or(0);
        let carried = if self.fresh {
            "each position from an empty table"
        } else {
            "the positions as one game in order, table and history carried on"
        };
        let backend = match self.simulate() {
            Some(costs) => format!("simulated processors in virtual time ({costs})"),
            None => format!("threads on {} cores", cores()),
        };
        let small = match self.effort {
            Effort::Quick => ", too few for many processors to share: --effort full has forty times as many",
            Effort::Full => "",
        };
        Method {
            sentence: format!(
                "{} profile, {backend}; {carried}, {} MiB; depths {} to {}, fixed beforehand by a rule that favours no number of \
                 processors (effort {}), {:.2} million nodes a position at one processor{small}; dts {VERSION}, commit {COMMIT}.",
                self.profile,
                self.hash(),
                sorted(i32::min),
                sorted(i32::max),
                self.effort.name(),
                mean / 1e6,
            ),
            backend: self.kind(),
            repeats: self.repeat,
        }
    }

    fn kind(&self) -> Backend {
        match self.backend {
            BackendName::Simulated => Backend::Simulated,
            BackendName::Threads => Backend::Threads,
        }
    }

    fn title(&self) -> String {
        let fresh = if self.fresh { ", fresh" } else { "" };
        format!("the paper's 24 positions, {} search, effort {}{fresh}", self.profile, self.effort.name())
    }
}

pub(crate) fn run(options: &TablesOptions) -> anyhow::Result<ExitCode> {
    options.check()?;
    let stop = Stop::on_interrupt();
    let mut game = PaperGame::new(
        HowSearched {
            profile: options.profile,
            effort: options.effort,
            hash: options.hash() as usize,
            fresh: options.fresh,
            pin: options.pin,
            simulate: options.simulate(),
        },
        stop.clone(),
    );
    let depths = game.depths();
    let experiment = Experiment {
        title: options.title(),
        options: [
            ("game", "the paper's 24 positions".to_owned()),
            ("profile", options.profile.to_string()),
            ("depth", listed(&depths)),
            ("hash", options.hash().to_string()),
            ("fresh", options.fresh.to_string()),
            ("pin", options.pin.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        strategies: options.strategies().iter().map(ToString::to_string).collect(),
        processors: options.processors(),
        repeats: options.repeat,
        backend: options.kind(),
        cost_model: options.simulate().map_or("none".to_owned(), |costs| costs.to_string()),
        // What a table remembers of another line may change a value.
        values_agree: false,
        ..Experiment::default()
    };
    let bar = progress_bar();
    let outcome =
        run_experiment(&experiment, &mut game, options.out.as_deref(), &bar, &stop, &mut |_| Ok(()));
    bar.finish_and_clear();
    let outcome = match how_it_ended(outcome, &stop, options.out.is_some())? {
        Ended::Whole(outcome) => outcome,
        Ended::Early(code) => return Ok(code),
    };
    let tables = PaperTables::of(&outcome, &options.numbers(), &options.method(&depths, &outcome));
    let mut out = io::stdout().lock();
    if let Some(directory) = &options.out {
        write_files(&tables, directory, &options.title())?;
    }
    match if options.json { Format::Json } else { options.format } {
        Format::Text => {
            write!(out, "{}", as_text(&tables))?;
            if let Some(directory) = &options.out {
                writeln!(
                    out,
                    "\ntables.html, tables.txt, tables.csv, tables.json and report.html are in {}",
                    directory.display()
                )?;
            }
        }
        Format::Csv => out.write_all(&tables.csv())?,
        Format::Json => write!(out, "{}", as_json(&tables)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn as_text(tables: &PaperTables) -> String {
    let mut text = tables.tables.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    for verdict in tables.verdicts() {
        text.push_str(&format!("\n{verdict}"));
    }
    text.push('\n');
    text
}

fn as_json(tables: &PaperTables) -> serde_json::Result<String> {
    let mut text = String::new();
    for table in &tables.tables {
        text.push_str(&serde_json::to_string(table)?);
        text.push('\n');
    }
    Ok(text)
}

fn write_files(tables: &PaperTables, directory: &Path, title: &str) -> anyhow::Result<()> {
    let page = tables.page(&format!("The tables of Dynamic Tree Splitting: {title}"))?;
    let files: [(&str, Vec<u8>); 4] = [
        ("tables.txt", as_text(tables).into_bytes()),
        ("tables.csv", tables.csv()),
        ("tables.json", as_json(tables)?.into_bytes()),
        ("tables.html", page.into_bytes()),
    ];
    for (name, content) in files {
        let path = directory.join(name);
        write_whole(&path, |file| file.write_all(&content))
            .with_context(|| format!("{}: cannot be written", path.display()))?;
    }
    Ok(())
}
