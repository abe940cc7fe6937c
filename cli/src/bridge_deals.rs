//! Bridge deals from an argument, a file or standard input, and how people read them.

use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use dts_bridge::{Deal, FormatError, Record, read_records};

use crate::options::SearchOptions;

/// What an argument names: records, and what to call their place.
#[derive(Debug)]
pub(crate) struct Deals {
    name: String,
    pub(crate) records: Vec<Record>,
}

/// The forms of deals.
const FORMS: &str = "PBN (\"N:AKQ.. ...\"), LIN (\"md|1S...\") or a DDS hands file (\"PBN 0 0 0 0 ...\")";

impl Deals {
    /// The records of a file, of standard input if it is `-`, or of the text of a deal.
    pub(crate) fn read(given: &str) -> anyhow::Result<Deals> {
        let (name, text) = if given == "-" {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).context("standard input: cannot be read")?;
            ("standard input".to_owned(), text_of(bytes, "standard input")?)
        } else if Path::new(given).is_dir() {
            bail!("{given}: a directory; accepted: a file of deals, a deal, - for standard input");
        } else if Path::new(given).exists() {
            let bytes = std::fs::read(given).with_context(|| format!("{given}: cannot be read"))?;
            (given.to_owned(), text_of(bytes, given)?)
        } else if given.contains([':', '|', '"', '[', '\n']) {
            ("DEAL".to_owned(), given.to_owned())
        } else {
            bail!(
                "`{given}` is neither a file nor a deal; accepted: {FORMS}, a file of such, - for standard input"
            );
        };
        match read_records(&text) {
            Ok(records) => Ok(Deals { name, records }),
            Err(FormatError::Empty) => bail!("{name}: no deal; accepted: {FORMS}"),
            Err(FormatError::Line { line, error }) => Err(anyhow!("{}: {error}", place(&name, line))),
            Err(error) => Err(anyhow!("{name}: {error}")),
        }
    }

    /// Where a line of it is.
    pub(crate) fn line(&self, line: usize) -> String {
        place(&self.name, line)
    }

    /// Where a record is.
    pub(crate) fn place(&self, record: &Record) -> String {
        self.line(record.line)
    }

    /// Refuses deals whose hands are not equally long.
    pub(crate) fn check_lengths(&self) -> anyhow::Result<()> {
        for record in &self.records {
            record.deal.tricks().with_context(|| self.place(record))?;
        }
        Ok(())
    }
}

fn place(name: &str, line: usize) -> String {
    if name == "DEAL" && line == 1 { name.to_owned() } else { format!("{name}, line {line}") }
}

fn text_of(bytes: Vec<u8>, name: &str) -> anyhow::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        anyhow!("{}: no text in UTF-8; accepted: {FORMS}", place(name, line))
    })
}

/// The hands as people draw them, as a block of its own.
pub(crate) fn show_deal(deal: &Deal, out: &mut impl Write) -> io::Result<()> {
    for line in deal.diagram().lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(out)
}

/// Refuses options without effect where boards are shared out among processors.
pub(crate) fn refuse_single_search_options(search: &SearchOptions) -> anyhow::Result<()> {
    let all = [("--trace", search.trace.is_some()), ("--counters", search.counters), ("--pin", search.pin)];
    if let Some((option, _)) = all.into_iter().find(|(_, given)| *given) {
        bail!(
            "{option}: boards are shared out among processors here; accepted: with dts bridge solve and one position"
        );
    }
    Ok(())
}
