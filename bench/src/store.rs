//! The directory of an experiment: what it is (`experiment.json`) and every run made so far (`rows.csv`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Backend, Error, RunRow, slowest};

/// All that the rows of an experiment depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    pub(crate) title: String,
    pub(crate) options: BTreeMap<String, String>,
    pub(crate) positions: Vec<String>,
    pub(crate) strategies: Vec<String>,
    pub(crate) processors: Vec<usize>,
    pub(crate) repeats: u32,
    pub(crate) backend: Backend,
    pub(crate) seed: u64,
    pub(crate) version: String,
    pub(crate) commit: String,
    pub(crate) processor_model: String,
    pub(crate) cost_model: String,
}

/// An open directory: runs are added one by one and are on disk before the next one starts.
#[derive(Debug)]
pub(crate) struct Store {
    directory: PathBuf,
    rows: File,
}

impl Store {
    const IDENTITY: &str = "experiment.json";
    const ROWS: &str = "rows.csv";

    /// Opens a directory for an experiment, making it if need be, and reads the runs already made.
    pub(crate) fn open(directory: &Path, identity: &Identity) -> Result<(Store, Vec<RunRow>), Error> {
        fs::create_dir_all(directory).map_err(|source| Error::file(directory, source))?;
        let path = directory.join(Self::ROWS);
        // Whose rows they are is looked at before anything is written: a directory that is refused stays as it was.
        let has_rows = fs::metadata(&path).is_ok_and(|file| file.len() > 0);
        let known = match read_if_there(&directory.join(Self::IDENTITY))? {
            Some(text) if has_rows => Some(compare(directory, &text, identity)?),
            // An experiment that ended before its first row has left nothing to be mixed up.
            Some(_) => None,
            None if has_rows => {
                return Err(Error::OtherExperiment {
                    directory: directory.to_owned(),
                    differences: vec![format!("no {} says which", Self::IDENTITY)],
                });
            }
            None => None,
        };
        let rows = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let rows = rows.map_err(|source| Error::file(&path, source))?;
        match rows.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::InUse { directory: directory.to_owned() });
            }
            // A file system without locks is no reason not to measure.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(source)) => return Err(Error::file(&path, source)),
        }
        if known.is_none() {
            // A record that an earlier experiment has left behind is not of this one's searches.
            match fs::remove_file(directory.join(slowest::FILE)) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(Error::file(directory, error));
                }
                _ => {}
            }
        }
        if known.as_ref() != Some(identity) {
            let text = serde_json::to_string_pretty(identity).expect("an identity is plain data");
            replace(&directory.join(Self::IDENTITY), format!("{text}\n").as_bytes())?;
        }
        let runs = read_runs(&path, &rows)?;
        Ok((Store { directory: directory.to_owned(), rows }, runs))
    }

    /// Where it is.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Adds a run, in one write, so that only the last line can ever be cut.
    pub(crate) fn append(&mut self, run: &RunRow) -> Result<(), Error> {
        let path = self.directory.join(Self::ROWS);
        let write = |mut file: &File| {
            let header = file.metadata()?.len() == 0;
            file.write_all(&csv_bytes(std::slice::from_ref(run), header))?;
            file.flush()
        };
        write(&self.rows).map_err(|source| Error::file(&path, source))
    }

    /// Writes `rows.csv` anew with the comparisons that were not known when a run was made.
    pub(crate) fn complete(&self, runs: &[RunRow]) -> Result<(), Error> {
        self.write(Self::ROWS, &csv_bytes(runs, true))
    }

    /// Writes a table into the directory.
    pub(crate) fn table<T: Serialize>(&self, name: &str, rows: &[T]) -> Result<(), Error> {
        self.write(name, &csv_bytes(rows, true))
    }

    /// Writes a file into the directory, whole or not at all.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> Result<(), Error> {
        replace(&self.directory.join(name), content)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Closing is not enough: a process that another thread is just starting holds a copy of the file until
        // it runs its own program.
        let _ = self.rows.unlock();
    }
}

/// Checks that the rows there are this experiment's. More repeats than before are welcome: the rows of the first ones
/// stay what they are.
fn compare(directory: &Path, text: &str, here: &Identity) -> Result<Identity, Error> {
    let malformed = |error: serde_json::Error| Error::Malformed {
        path: directory.join(Store::IDENTITY),
        line: Some(error.line() as u64),
        what: format!("not the description of an experiment ({error})"),
    };
    let there: Identity = serde_json::from_str(text).map_err(malformed)?;
    let grown = Identity { repeats: there.repeats.max(here.repeats), ..there.clone() };
    let grown = if grown.repeats == here.repeats { &grown } else { &there };
    let (old, new) = (flatten(grown), flatten(here));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let shown = |value: Option<&String>| value.map_or("missing".to_owned(), Clone::clone);
    let differences: Vec<String> = names
        .into_iter()
        .filter(|name| old.get(*name) != new.get(*name))
        .map(|name| format!("{name}: {} there, {} here", shown(old.get(name)), shown(new.get(name))))
        .collect();
    if differences.is_empty() {
        Ok(there)
    } else {
        Err(Error::OtherExperiment { directory: directory.to_owned(), differences })
    }
}

/// The fields of an identity as text, each option a field of its own.
fn flatten(identity: &Identity) -> BTreeMap<String, String> {
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let Ok(Value::Object(mut fields)) = serde_json::to_value(identity) else {
        unreachable!("an identity is plain data with named fields")
    };
    fields.remove("options");
    let options = identity.options.iter().map(|(name, value)| (format!("option {name}"), value.clone()));
    fields.into_iter().map(|(name, value)| (name, text(value))).chain(options).collect()
}

/// Reads the runs made so far and takes away a last line that an interruption cut.
fn read_runs(path: &Path, file: &File) -> Result<Vec<RunRow>, Error> {
    let mut text = fs::read(path).map_err(|source| Error::file(path, source))?;
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    if whole < text.len() {
        text.truncate(whole);
        file.set_len(whole as u64).map_err(|source| Error::file(path, source))?;
    }
    check_columns(path, &text)?;
    rows(path, &text)
}

/// Refuses the rows of a version that wrote other columns: rows of two shapes in one file could be read by nobody.
fn check_columns(path: &Path, text: &[u8]) -> Result<(), Error> {
    let malformed = |what: String| Error::Malformed { path: path.to_owned(), line: Some(1), what };
    let mut reader = csv::Reader::from_reader(text);
    let header = reader.headers().map_err(|error| malformed(format!("not a header ({error})")))?;
    let there: Vec<&str> = header.iter().collect();
    if text.is_empty() || there == RunRow::COLUMNS {
        return Ok(());
    }
    let named = |names: &[&str], others: &[&str]| {
        let list: Vec<&str> = names.iter().copied().filter(|name| !others.contains(name)).collect();
        if list.is_empty() { "none".to_owned() } else { list.join(", ") }
    };
    Err(malformed(format!(
        "other columns than this version writes (missing: {}; unknown: {}); name another directory, or remove this \
         one's experiment.json and rows.csv to begin again",
        named(&RunRow::COLUMNS, &there),
        named(&there, &RunRow::COLUMNS),
    )))
}

/// The rows of a table that was written whole; none if there is no such file.
pub(crate) fn read_table<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    rows(path, read_if_there(path)?.unwrap_or_default().as_bytes())
}

/// Writes a table whole.
pub(crate) fn write_table<T: Serialize>(path: &Path, rows: &[T]) -> Result<(), Error> {
    replace(path, &csv_bytes(rows, true))
}

fn rows<T: DeserializeOwned>(path: &Path, text: &[u8]) -> Result<Vec<T>, Error> {
    let mut reader = csv::Reader::from_reader(text);
    let rows = reader.deserialize().map(|row| {
        row.map_err(|error: csv::Error| Error::Malformed {
            path: path.to_owned(),
            line: error.position().map(csv::Position::line),
            what: format!("not a row of an experiment ({error})"),
        })
    });
    rows.collect()
}

fn read_if_there(path: &Path) -> Result<Option<String>, Error> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file(path, error)),
    }
}

/// Puts a whole file in a file's place: a reader, or a crash, finds the old one or the new one.
fn replace(path: &Path, content: &[u8]) -> Result<(), Error> {
    dts_engine::write_whole(path, |file| file.write_all(content)).map_err(|source| Error::file(path, source))
}

pub(crate) fn csv_bytes<T: Serialize>(rows: &[T], header: bool) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().has_headers(header).from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).expect("rows are flat");
    }
    writer.into_inner().expect("writing to memory succeeds")
}
