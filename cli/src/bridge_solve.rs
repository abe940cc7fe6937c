//! `dts bridge solve`: what the cards of a position are worth.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use dts_bridge::{
    Card, CardValue, NameError, Seat, Situation, SolveError, Solver, SolverOptions, Strain, read_cards,
};
use serde_json::{Map, Value, json};

use crate::bridge_batch::{exit_code, why};
use crate::bridge_deals::{Deals, show_deal};
use crate::bridge_par::seat;
use crate::options::{SearchOptions, Stop, Watching};

/// `dts bridge solve`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("strategy", |arg| arg.default_value("dts-adaptive")), mut_arg("hash", |arg| arg.default_value("128")))]
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
    let stop = Stop::on_interrupt();
    let search = options.search.search();
    let mut solver = Solver::new(SolverOptions { search, table_mebibytes: options.search.hash as usize })?;
    let mut out = io::stdout().lock();
    for (record, situation) in deals.records.iter().zip(&situations) {
        let limits = options.search.limits(&stop);
        let watching = Watching::new("bridge".to_owned(), &limits);
        let found = match options.cards {
            Which::One => solver.solve(situation, &limits).map(|solution| {
                let equals = situation.equals(solution.best);
                vec![CardValue { card: solution.best, equals, tricks: solution.tricks }]
            }),
            Which::All | Which::Best => solver.solve_cards(situation, &limits).map(|values| values.cards),
        };
        drop(watching);
        let mut values = match found {
            Ok(values) => values,
            Err(SolveError::Stopped(reason)) => {
                options.search.write_trace(solver.report())?;
                crate::complain(&format!("{}: stopped: {}", deals.place(record), why(reason)));
                return Ok(exit_code(reason));
            }
            Err(error) => return Err(anyhow!(error)).with_context(|| deals.place(record)),
        };
        let tricks = values.iter().map(|value| value.tricks).max().unwrap_or(0);
        if options.cards == Which::Best {
            values.retain(|value| value.tricks == tricks);
        }
        if options.search.json {
            let mut object = as_json(&record.deal.to_string(), situation, tricks, &values, &options.played.0);
            options.search.fields(solver.report(), &mut object);
            writeln!(out, "{}", Value::Object(object))?;
        } else {
            if record != &deals.records[0] {
                writeln!(out)?;
            }
            show(options, situation, tricks, &values, &mut out)?;
            if let Some(report) = solver.report() {
                options.search.show_cost(report, &mut out)?;
            }
        }
        options.search.write_trace(solver.report())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn names(cards: impl Iterator<Item = Card>) -> Vec<String> {
    cards.map(|card| card.to_string()).collect()
}

fn as_json(
    deal: &str,
    situation: &Situation,
    tricks: u8,
    values: &[CardValue],
    played: &[Card],
) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("deal".into(), json!(deal));
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
