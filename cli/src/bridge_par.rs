//! `dts bridge par`: the score when both sides bid as well as they play.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use dts_bridge::{
    NameError, Par, ParContract, Partnership, Question, Reply, Seat, UnknownVulnerable, Vulnerable,
    dealer_par,
};
use serde_json::{Map, Value, json};

use crate::bridge_batch::{self, report};
use crate::bridge_deals::{Deals, refuse_single_search_options};
use crate::bridge_table;
use crate::options::SearchOptions;

/// `dts bridge par`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("strategy", |arg| arg.default_value("dts-adaptive")), mut_arg("hash", |arg| arg.help(bridge_batch::HASH)))]
pub(crate) struct ParOptions {
    /// A deal in PBN, LIN or the form of DDS hands files, a file of deals, or - for standard input
    #[arg(value_name = "DEAL")]
    deal: String,
    /// Who is vulnerable: none, ns, ew, both [default: what the record says]
    #[arg(long, value_name = "WHO", value_parser = vulnerable)]
    vulnerable: Option<Vulnerable>,
    /// Who speaks first: N, E, S, W [default: what the record says, else N]
    #[arg(long, value_name = "SEAT", value_parser = seat)]
    dealer: Option<Seat>,
    #[command(flatten)]
    search: SearchOptions,
}

fn vulnerable(name: &str) -> Result<Vulnerable, UnknownVulnerable> {
    name.parse()
}

/// Reads a seat's name.
pub(crate) fn seat(name: &str) -> Result<Seat, NameError> {
    name.parse()
}

/// The cards of a hand in a whole deal: contracts promise some of 13 tricks.
const WHOLE: usize = 13;

pub(crate) fn run(options: &ParOptions) -> anyhow::Result<ExitCode> {
    options.search.check()?;
    refuse_single_search_options(&options.search)?;
    let deals = Deals::read(&options.deal)?;
    let mut conditions = Vec::new();
    for record in &deals.records {
        let tricks = record.deal.tricks().with_context(|| deals.place(record))?;
        if tricks != WHOLE {
            bail!("{}: {tricks} cards a hand have no par; accepted: 13 cards a hand", deals.place(record));
        }
        let unknown = || {
            anyhow!(
                "{}: who is vulnerable is not told; accepted: --vulnerable none|ns|ew|both",
                deals.place(record)
            )
        };
        let vulnerable = options.vulnerable.or(record.vulnerable).ok_or_else(unknown)?;
        conditions.push((vulnerable, options.dealer.or(record.dealer).unwrap_or(Seat::North)));
    }
    let questions = deals.records.iter().map(|record| Question::Table(record.deal));
    bridge_batch::run(&options.search, &deals, questions, |solved, out| {
        let deal = &deals.records[solved.index].deal;
        let (vulnerable, dealer) = conditions[solved.index];
        let Reply::Table(table) = &solved.reply else { return Ok(()) };
        let par = dealer_par(table, vulnerable, dealer);
        if options.search.json {
            let mut object = Map::new();
            object.insert("deal".into(), json!(deal.to_string()));
            object.insert("vulnerable".into(), json!(vulnerable.to_string()));
            object.insert("dealer".into(), json!(dealer.letter()));
            object.insert("score".into(), json!(par.score));
            let contracts: Vec<_> = together(&par)
                .map(|(of, by)| json!({ "contract": of.to_string(), "by": by, "tricks": of.tricks }))
                .collect();
            object.insert("contracts".into(), json!(contracts));
            options.search.fields(Some(&report(solved)), &mut object);
            writeln!(out, "{}", Value::Object(object))?;
            return Ok(());
        }
        if solved.index > 0 {
            writeln!(out)?;
        }
        bridge_table::show(deal, table, out)?;
        writeln!(out, "dealer    {dealer}, {}", vulnerable_in_words(vulnerable))?;
        let score = match par.score {
            0 => "0: everybody passes".to_owned(),
            score if score > 0 => format!("NS {score:+}"),
            score => format!("EW {:+}", -score),
        };
        writeln!(out, "par       {}", options.search.strong(&score))?;
        for (at, (contract, by)) in together(&par).enumerate() {
            let label = if at == 0 { "contracts" } else { "" };
            writeln!(out, "{label:<9} {:<5} by {by:<2}  {}", contract.to_string(), result(contract))?;
        }
        options.search.show_cost(&report(solved), out)?;
        Ok(())
    })
}

/// The contracts with who may play them: a side, if either hand may, else a seat.
fn together(par: &Par) -> impl Iterator<Item = (&ParContract, String)> {
    par.contracts.iter().filter_map(|contract| {
        let is_partners = |other: &&ParContract| {
            (other.level, other.strain, other.declarer)
                == (contract.level, contract.strain, contract.declarer.partner())
        };
        match par.contracts.iter().find(is_partners) {
            Some(partner) => (contract.declarer < partner.declarer)
                .then(|| (contract, contract.declarer.side().to_string())),
            None => Some((contract, contract.declarer.letter().to_string())),
        }
    })
}

fn vulnerable_in_words(vulnerable: Vulnerable) -> &'static str {
    match (vulnerable.includes(Partnership::NorthSouth), vulnerable.includes(Partnership::EastWest)) {
        (false, false) => "nobody vulnerable",
        (true, false) => "NS vulnerable",
        (false, true) => "EW vulnerable",
        (true, true) => "everybody vulnerable",
    }
}

/// How a contract ends.
fn result(contract: &ParContract) -> String {
    match i32::from(contract.tricks) - i32::from(contract.level) - 6 {
        0 => "made".to_owned(),
        over if over > 0 => format!("made with {over} more"),
        under => format!("{} down", -under),
    }
}
