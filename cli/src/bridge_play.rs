//! `dts bridge play`: the value after every card of a record.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use dts_bridge::{Card, Contract, Partnership, Play, PlayError, Question, Reply, Seat, Situation, Strain};
use serde_json::{Map, Value, json};

use crate::bridge_batch::{self, report};
use crate::bridge_deals::{Deals, refuse_single_search_options, show_deal};
use crate::bridge_par::seat;
use crate::bridge_solve::strain;
use crate::options::SearchOptions;

/// `dts bridge play`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("strategy", |arg| arg.default_value("dts-adaptive")), mut_arg("hash", |arg| arg.help(bridge_batch::HASH)))]
pub(crate) struct PlayOptions {
    /// A file of records in LIN, PBN or the form of DDS hands files, or - for standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// What is trump: S, H, D, C, NT [default: what the record says]
    #[arg(long, value_name = "STRAIN", value_parser = strain)]
    trump: Option<Strain>,
    /// Who declares: N, E, S, W [default: what the record says]
    #[arg(long, value_name = "SEAT", value_parser = seat)]
    declarer: Option<Seat>,
    #[command(flatten)]
    search: SearchOptions,
}

pub(crate) fn run(options: &PlayOptions) -> anyhow::Result<ExitCode> {
    options.search.check()?;
    refuse_single_search_options(&options.search)?;
    let deals = Deals::read(&options.file)?;
    deals.check_lengths()?;
    let mut plays = Vec::new();
    for record in &deals.records {
        let Some(contract) = record.contract_with(options.trump, options.declarer) else {
            bail!(
                "{}: what is trump and who declares is not told; accepted: a record with a contract, or --trump and --declarer",
                deals.place(record)
            );
        };
        let play = record.play(contract).map_err(|error| {
            let text = error.to_string();
            // The place has the line already.
            let what = text.strip_prefix(&format!("line {}: ", error.line())).unwrap_or(&text);
            let accepted = match error {
                PlayError::Leader { .. } => "; accepted: a play that begins with the hand after the declarer",
                PlayError::Missing { .. } => "; accepted: four cards a trick, only the last may have fewer",
                _ => "",
            };
            anyhow!("{}: {what}{accepted}", deals.line(error.line()))
        })?;
        plays.push((contract, play));
    }
    let questions = plays.iter().map(|(_, play)| Question::Play(play.clone()));
    bridge_batch::run(&options.search, &deals, questions, |solved, out| {
        let (contract, play) = &plays[solved.index];
        let Reply::Play(tricks) = &solved.reply else { return Ok(()) };
        if options.search.json {
            let mut object = Map::new();
            object.insert("deal".into(), json!(play.deal.to_string()));
            object.insert("trump".into(), json!(play.strain.letters()));
            object.insert("declarer".into(), json!(play.declarer.letter()));
            let played: Vec<_> = play.cards.iter().map(Card::to_string).collect();
            object.insert("played".into(), json!(played));
            object.insert("tricks".into(), json!(tricks));
            options.search.fields(Some(&report(solved)), &mut object);
            writeln!(out, "{}", Value::Object(object))?;
            return Ok(());
        }
        if solved.index > 0 {
            writeln!(out)?;
        }
        show(options, contract, play, tricks, out)?;
        options.search.show_cost(&report(solved), out)?;
        Ok(())
    })
}

/// A card that cost its side tricks.
#[derive(Clone, Copy, Debug)]
struct Mistake {
    player: Seat,
    card: Card,
    cost: u8,
}

/// The cards with their players, trick by trick, and the declarer's tricks after each.
fn tricks_of(play: &Play, values: &[u8]) -> anyhow::Result<Vec<Vec<(Seat, Card, u8)>>> {
    let mut situation = Situation::new(play.deal, play.strain, play.declarer.next(), &[])?;
    let mut tricks: Vec<Vec<_>> = Vec::new();
    for (&card, &value) in play.cards.iter().zip(values.iter().skip(1)) {
        if situation.table().is_empty() {
            tricks.push(Vec::new());
        }
        let player = situation.to_play();
        if let Some(trick) = tricks.last_mut() {
            trick.push((player, card, value));
        }
        situation = situation.play(card)?;
    }
    Ok(tricks)
}

fn many(tricks: u32) -> String {
    format!("{tricks} {}", if tricks == 1 { "trick" } else { "tricks" })
}

fn show(
    options: &PlayOptions,
    contract: &Contract,
    play: &Play,
    values: &[u8],
    out: &mut impl Write,
) -> anyhow::Result<()> {
    show_deal(&play.deal, out)?;
    let side = play.declarer.side();
    writeln!(out, "contract  {contract}")?;
    let mut before = values.first().copied().unwrap_or(0);
    writeln!(out, "tricks    {} for {side} before the lead", before)?;
    writeln!(out)?;
    writeln!(out, "{:>4}  {:<31} {:>3}", "trick", "cards", side.to_string())?;
    let mut mistakes = Vec::new();
    for (number, trick) in tricks_of(play, values)?.into_iter().enumerate() {
        write!(out, "{:>4} ", number + 1)?;
        let mut notes = Vec::new();
        let last = trick.last().map_or(before, |&(_, _, value)| value);
        let places = 4 - trick.len();
        for (player, card, value) in trick {
            let is_mistake = value != before;
            let text = format!("{} {card}{}", player.letter(), if is_mistake { "?" } else { "" });
            let padded = format!("{text:<7}");
            write!(out, " {}", if is_mistake { options.search.strong(&padded) } else { padded })?;
            if is_mistake {
                let mistake = Mistake { player, card, cost: before.abs_diff(value) };
                notes.push(format!("{card} costs {} {}", player.side(), many(mistake.cost.into())));
                mistakes.push(mistake);
            }
            before = value;
        }
        let gap = " ".repeat(places * 8);
        let line = format!("{gap} {last:>3}  {}", notes.join(", "));
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(out)?;
    writeln!(out, "tricks    {} for {side} after the last card", before)?;
    for side in [Partnership::NorthSouth, Partnership::EastWest] {
        let own: Vec<_> = mistakes.iter().filter(|mistake| mistake.player.side() == side).collect();
        let cost: u32 = own.iter().map(|mistake| u32::from(mistake.cost)).sum();
        let cards: Vec<_> =
            own.iter().map(|mistake| format!("{} {}", mistake.player.letter(), mistake.card)).collect();
        let list = if cards.is_empty() { String::new() } else { format!(": {}", cards.join(", ")) };
        writeln!(out, "{side} lost   {}{list}", many(cost))?;
    }
    Ok(())
}
