//! `dts trace`: a picture of what each processor did when.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use dts_bench::Timeline;
use dts_engine::write_whole;

/// `dts trace`.
#[derive(Debug, clap::Args)]
pub(crate) struct TraceOptions {
    /// A file that --trace has written, or trace.json of an experiment; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Writes the picture there, a page around it if the name ends with .html [default: the picture to standard
    /// output]
    #[arg(long, value_name = "FILE.svg|FILE.html")]
    out: Option<PathBuf>,
}

pub(crate) fn run(options: &TraceOptions) -> anyhow::Result<ExitCode> {
    let draw = match &options.out {
        None => Timeline::draw,
        Some(path) => match path.extension().and_then(OsStr::to_str) {
            Some("svg") => Timeline::draw,
            Some("html") => Timeline::page,
            _ => bail!("--out {}: accepted: a name that ends with .svg or .html", path.display()),
        },
    };
    let (text, path) = if options.file == Path::new("-") {
        let mut text = Vec::new();
        io::stdin().read_to_end(&mut text).context("standard input: cannot be read")?;
        (text, Path::new("standard input"))
    } else {
        let path = options.file.as_path();
        let text = std::fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        (text, path)
    };
    let drawn = draw(&Timeline::read(path, &text)?);
    match &options.out {
        None => io::stdout().lock().write_all(drawn.as_bytes())?,
        Some(path) => {
            write_whole(path, |file| file.write_all(drawn.as_bytes()))
                .with_context(|| format!("{}: cannot be written", path.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
