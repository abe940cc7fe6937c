//! `dts bridge solve`: what the cards of a position are worth.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use dts_bridge::{
    Card, CardValue, Deal, NameError, Question, Reply, Seat, Situation, Solution, SolveError, Solver,
    SolverOptions, Strain, read_cards,
};
use dts_engine::Report;
use serde_json::{Map, Value, json};

use crate::bridge_batch::{self, exit_code, report, why};
use crate::bridge_deals::{Deals, refuse_single_search_options, show_deal};
use crate::bridge_par::seat;
use crate::options::{SearchOptions, Stop, Watching};

/// `dts bridge solve`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("strategy", |arg| arg.default_value("dts-adaptive")), mut_arg("hash", |arg| arg.help(bridge_batch::HASH)))]
pub(crate) struct SolveOptions {
    /// A deal in PBN, LIN or the form of DDS hands files, a file of deals, or - for standard input
    #[arg(value_name = "DEAL")]
    deal: String,
    /// What is trump: S, H, D, C, NT [default: what the record says]
    #[arg(long, value_name = "STRAIN", value_parser = strain)]
    trump: Option<Strain>,
    /// Who leads, or has led, to the trick: N, E, S, W [default: what the record says]
    #[arg(long, value_name = "SEAT", value_parser = seat)]
    leader: Option<Seat>,
    /// The cards on the table in the order in which they were played, as in "SK H4"; they may be missing from the hands or still stand
    /// in them
    #[arg(long, value_name = "CARDS", default_value = "", hide_default_value = true, value_parser = cards)]
    played: Played,
    /// Which cards are told: all, the best, or one of the best
    #[arg(long, value_name = "WHICH", default_value = "all")]
    cards: Which,
    #[command(flatten)]
    search: SearchOptions,
}

/// Cards on the table.
#[derive(Clone, Debug)]
struct Played(Vec<Card>);

/// Which cards are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    /// Every legal card
    All,
    /// All that take as many tricks as possible
    Best,
    /// One of them, which is found soonest
    One,
}

/// Reads a strain's name.
pub(crate) fn strain(name: &str) -> Result<Strain, NameError> {
    name.parse()
}

fn cards(text: &str) -> Result<Played, NameError> {
    read_cards(text).map(Played)
}

pub(crate) fn run(options: &SolveOptions) -> anyhow::Result<ExitCode> {
    options.search.check()?;
    let deals = Deals::read(&options.deal)?;
    let mut situations = Vec::new();
    for record in &deals.records {
        let place = || deals.place(record);
        let of = record.contract;
        let trump = options
            .trump
            .or(of.map(|of| of.strain))
            .ok_or_else(|| anyhow!("{}: what is trump is not told; accepted: --trump S|H|D|C|NT", place()))?;
        let leader = options
            .leader
            .or(of.map(|of| of.declarer.next()))
            .ok_or_else(|| anyhow!("{}: who leads is not told; accepted: --leader N|E|S|W", place()))?;
        let situation = Situation::new(record.deal, trump, leader, &options.played.0);
        situations.push(situation.with_context(place)?);
    }
    match situations.as_slice() {
        [situation] => solve_one(options, &deals, situation),
        _ => solve_all(options, &deals, &situations),
    }
}

/// Searches one position with all processors.
fn solve_one(options: &SolveOptions, deals: &Deals, situation: &Situation) -> anyhow::Result<ExitCode> {
    let record = &deals.records[0];
    let stop = Stop::on_interrupt();
    let limits = options.search.limits(&stop);
    let search = options.search.search();
    let mut solver =
        Solver::new(SolverOptions { search, table_mebibytes: bridge_batch::mebibytes(&options.search) })?;
    let watching = Watching::new("bridge".to_owned(), &limits);
    let found = match options.cards {
        Which::One => solver.solve(situation, &limits).map(|solution| one(situation, &solution)),
        Which::All | Which::Best => solver.solve_cards(situation, &limits).map(|values| values.cards),
    };
    drop(watching);
    options.search.write_trace(solver.report())?;
    match (found, solver.report()) {
        (Ok(values), Some(report)) => {
            print(options, &record.deal, situation, values, report, &mut io::stdout().lock())?;
            Ok(ExitCode::SUCCESS)
        }
        (Err(SolveError::Stopped(reason)), _) => {
            crate::complain(&format!("{}: stopped: {}", deals.place(record), why(reason)));
            Ok(exit_code(reason))
        }
        (Err(error), _) => Err(anyhow!(error)).with_context(|| deals.place(record)),
        (Ok(_), None) => Ok(ExitCode::SUCCESS),
    }
}

/// Shares positions out among the processors.
fn solve_all(options: &SolveOptions, deals: &Deals, situations: &[Situation]) -> anyhow::Result<ExitCode> {
    refuse_single_search_options(&options.search)?;
    let questions = situations.iter().cloned().map(|situation| match options.cards {
        Which::One => Question::Value(situation),
        Which::All | Which::Best => Question::Cards(situation),
    });
    bridge_batch::run(&options.search, deals, questions, |solved, out| {
        let situation = &situations[solved.index];
        let values = match &solved.reply {
            Reply::Value(solution) => one(situation, solution),
            Reply::Cards(values) => values.cards.clone(),
            _ => return Ok(()),
        };
        if solved.index > 0 && !options.search.json {
            writeln!(out)?;
        }
        let deal = &deals.records[solved.index].deal;
        Ok(print(options, deal, situation, values, &report(solved), out)?)
    })
}

/// A best card with those that are worth the same.
fn one(situation: &Situation, solution: &Solution) -> Vec<CardValue> {
    let equals = situation.equals(solution.best);
    vec![CardValue { card: solution.best, equals, tricks: solution.tricks }]
}

fn print(
    options: &SolveOptions,
    deal: &Deal,
    situation: &Situation,
    mut values: Vec<CardValue>,
    report: &Report<Card>,
    out: &mut impl Write,
) -> io::Result<()> {
    let tricks = values.iter().map(|value| value.tricks).max().unwrap_or(0);
    if options.cards == Which::Best {
        values.retain(|value| value.tricks == tricks);
    }
    if options.search.json {
        let mut object = as_json(deal, situation, tricks, &values, &options.played.0);
        options.search.fields(Some(report), &mut object);
        return writeln!(out, "{}", Value::Object(object));
    }
    show(options, situation, tricks, &values, out)?;
    options.search.show_cost(report, out)
}

fn names(cards: impl Iterator<Item = Card>) -> Vec<String> {
    cards.map(|card| card.to_string()).collect()
}

fn as_json(
    deal: &Deal,
    situation: &Situation,
    tricks: u8,
    values: &[CardValue],
    played: &[Card],
) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("deal".into(), json!(deal.to_string()));
    object.insert("trump".into(), json!(situation.strain().letters()));
    object.insert("leader".into(), json!(situation.leader().letter()));
    object.insert("played".into(), json!(names(played.iter().copied())));
    object.insert("to_play".into(), json!(situation.to_play().letter()));
    object.insert("tricks".into(), json!(tricks));
    let cards: Vec<_> = values
        .iter()
        .map(|of| {
            json!({ "card": of.card.to_string(), "equals": names(of.equals.iter()), "tricks": of.tricks })
        })
        .collect();
    object.insert("cards".into(), json!(cards));
    object
}

fn show(
    options: &SolveOptions,
    situation: &Situation,
    tricks: u8,
    values: &[CardValue],
    out: &mut impl Write,
) -> io::Result<()> {
    show_deal(situation.deal(), out)?;
    let trump = situation.strain().suit().map_or("none".to_owned(), |suit| suit.to_string());
    writeln!(out, "trumps    {trump}")?;
    let leader = situation.leader();
    if situation.table().is_empty() {
        writeln!(out, "to lead   {leader}")?;
    } else {
        let on_table = situation.table().iter().enumerate();
        let words: Vec<_> =
            on_table.map(|(at, card)| format!("{} {card}", leader.plus(at).letter())).collect();
        writeln!(out, "on table  {}", words.join(", "))?;
        writeln!(out, "to play   {}", situation.to_play())?;
    }
    let count = format!("{tricks} of {} for {}", situation.tricks_left(), situation.to_play().side());
    writeln!(out, "tricks    {}", options.search.strong(&count))?;
    writeln!(out)?;
    writeln!(out, "card  tricks  equals")?;
    for of in values {
        let equals = names(of.equals.iter()).join(" ");
        let mark = if of.tricks == tricks { "*" } else { " " };
        let line = format!("{:<4}  {:>5}{mark}  {equals}", of.card.to_string(), of.tricks);
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(out)
}
