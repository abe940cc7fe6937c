//! Files that are there as a whole or not at all.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Writes a file so that `path` is at any time the old one or the new one as a whole: into another file beside it, which takes its
/// place once `write` has succeeded. If anything fails, nothing is left behind.
///
/// A link at `path` is replaced, not what it points to.
///
/// ```
/// use std::io::Write;
///
/// let path = std::env::temp_dir().join(format!("dts-whole-file-{}", std::process::id()));
/// dts_engine::write_whole(&path, |file| file.write_all(b"all of it"))?;
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// assert!(dts_engine::write_whole(&path, |_| Err(std::io::Error::other("no"))).is_err());
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If `path` does not end in the name of a file, the file beside it cannot be made or put in its place, or `write` fails.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"));
    };
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    let unfinished = path.with_file_name(hidden);
    let written = File::create(&unfinished)
        .and_then(|mut file| write(&mut file))
        .and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        // What went wrong is worth reporting, not that the remains could not be removed either.
        let _ = fs::remove_file(&unfinished);
    }
    written
}
