//! `dts bridge table`: the tricks of every declarer in every strain.

use std::io::{self, Write};
use std::process::ExitCode;

use dts_bridge::{Deal, Question, Reply, Seat, Strain, TrickTable};
use serde_json::{Map, Value, json};

use crate::bridge_batch::{self, report};
use crate::bridge_deals::{Deals, refuse_single_search_options, show_deal};
use crate::options::SearchOptions;

/// `dts bridge table`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("strategy", |arg| arg.default_value("dts-adaptive")), mut_arg("hash", |arg| arg.help(bridge_batch::HASH)))]
pub(crate) struct TableOptions {
    /// A deal in PBN, LIN or the form of DDS hands files, a file of deals, or - for standard input
    #[arg(value_name = "DEAL")]
    deal: String,
    #[command(flatten)]
    search: SearchOptions,
}

pub(crate) fn run(options: &TableOptions) -> anyhow::Result<ExitCode> {
    options.search.check()?;
    refuse_single_search_options(&options.search)?;
    let deals = Deals::read(&options.deal)?;
    deals.check_lengths()?;
    let questions = deals.records.iter().map(|record| Question::Table(record.deal));
    bridge_batch::run(&options.search, &deals, questions, |solved, out| {
        let deal = &deals.records[solved.index].deal;
        let Reply::Table(table) = &solved.reply else { return Ok(()) };
        if options.search.json {
            let mut object = Map::new();
            object.insert("deal".into(), json!(deal.to_string()));
            object.insert("table".into(), as_json(table));
            options.search.fields(Some(&report(solved)), &mut object);
            writeln!(out, "{}", Value::Object(object))?;
            return Ok(());
        }
        if solved.index > 0 {
            writeln!(out)?;
        }
        show(deal, table, out)?;
        options.search.show_cost(&report(solved), out)?;
        Ok(())
    })
}

fn as_json(table: &TrickTable) -> Value {
    let of = |seat: Seat| -> Map<String, Value> {
        Strain::ALL
            .map(|strain| (strain.to_string(), json!(table.tricks(strain, seat))))
            .into_iter()
            .collect()
    };
    let seats: Map<String, Value> =
        Seat::ALL.map(|seat| (seat.letter().to_string(), Value::Object(of(seat)))).into_iter().collect();
    Value::Object(seats)
}

/// The hands, and below them the tricks.
pub(crate) fn show(deal: &Deal, table: &TrickTable, out: &mut impl Write) -> io::Result<()> {
    show_deal(deal, out)?;
    for line in table.to_string().lines() {
        writeln!(out, "{line}")?;
    }
    writeln!(out)
}
