//! Chess positions from an argument, a file or standard input.

use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, bail};
use dts_chess::{Board, EngineOptions, Profile, UnknownProfile, parse_fen};

use crate::options::SearchOptions;

/// The text of a file, or of standard input if it is `-`, and what to call it.
pub(crate) fn read(file: &str) -> anyhow::Result<(String, String)> {
    let mut bytes = Vec::new();
    let name = if file == "-" { "standard input" } else { file };
    if file == "-" {
        io::stdin().read_to_end(&mut bytes).context("standard input")?;
    } else {
        bytes = std::fs::read(file).with_context(|| file.to_owned())?;
    }
    let text = String::from_utf8(bytes).with_context(|| format!("{name}: no text in UTF-8"))?;
    Ok((name.to_owned(), text))
}

/// The positions that an argument names: a FEN, `startpos`, a file of them or `-`, one a line.
pub(crate) fn positions(given: &str) -> anyhow::Result<Vec<Board>> {
    if given == "-" || Path::new(given).is_file() {
        let (name, text) = read(given)?;
        let boards: anyhow::Result<Vec<_>> = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
            .map(|(number, line)| {
                position(line).with_context(|| format!("{name}, line {}: `{}`", number + 1, line.trim()))
            })
            .collect();
        let boards = boards?;
        if boards.is_empty() {
            bail!("{name}: no position; accepted: one FEN a line");
        }
        return Ok(boards);
    }
    // A position has several fields; a single word is more likely the name of a file that is not there.
    if given.split_whitespace().count() == 1 && !given.trim().eq_ignore_ascii_case("startpos") {
        bail!(
            "`{given}` is neither a file nor a position; accepted: a FEN, startpos, a file of positions, - for standard input"
        );
    }
    Ok(vec![position(given).with_context(|| format!("FEN `{given}`"))?])
}

fn position(text: &str) -> anyhow::Result<Board> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("startpos") { Ok(Board::startpos()) } else { Ok(parse_fen(text)?) }
}

/// The engine that a command's options ask for.
pub(crate) fn set_up(search: &SearchOptions, profile: Profile) -> EngineOptions {
    let options = search.search();
    EngineOptions {
        profile,
        table_mebibytes: search.mebibytes() as usize,
        threads: options.processors,
        strategy: options.strategy,
        policy: options.policy,
        pin: options.pin,
        simulate: options.simulate,
        trace_events: options.trace_events,
    }
}

/// Reads a profile's name.
pub(crate) fn profile(name: &str) -> Result<Profile, UnknownProfile> {
    name.parse()
}
