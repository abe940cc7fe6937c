//! Files that are there as a whole or not at all.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Writes a file so that `path` is at any time the old one or the new one as a whole: into another file beside it, which takes its
/// place once `write` has succeeded. If anything fails, nothing is left behind.
///
/// What a link at `path` points to is replaced, and the link stays. What is there and is no regular file, a device or a pipe, is written to
/// as it is.
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
    let target = match fs::metadata(path) {
        Ok(there) if there.is_dir() => {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "a directory, not a file"));
        }
        Ok(there) if !there.is_file() => {
            return write(&mut fs::OpenOptions::new().write(true).open(path)?);
        }
        Ok(_) => fs::canonicalize(path)?,
        // Nothing is there, or a link to nothing.
        Err(_) => fs::read_link(path).map_or_else(|_| path.to_owned(), |link| beside(path, link)),
    };
    let path = target.as_path();
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

/// What a link at `path` says, seen from where the program is.
fn beside(path: &Path, link: PathBuf) -> PathBuf {
    path.parent().map_or_else(|| link.clone(), |directory| directory.join(&link))
}

#[cfg(all(test, unix, not(dts_loom)))]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::{FileTypeExt, symlink};

    /// A directory of this test's own.
    fn directory(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("dts-whole-file-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a directory");
        path
    }

    #[test]
    fn a_link_stays_and_what_it_points_to_is_replaced() {
        let directory = directory("links");
        let (real, link) = (directory.join("real"), directory.join("link"));
        for old in [true, false] {
            let _ = fs::remove_file(&link);
            if old {
                fs::write(&real, "old").expect("a file")
            } else {
                fs::remove_file(&real).expect("it is there")
            }
            symlink("real", &link).expect("a link");
            write_whole(&link, |file| file.write_all(b"new")).expect("written");
            assert_eq!(fs::read_to_string(&real).expect("a file"), "new");
            assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
        }
        fs::remove_dir_all(&directory).expect("it is ours");
    }

    #[test]
    fn a_device_is_written_to_and_stays_one() {
        let device = Path::new("/dev/null");
        write_whole(device, |file| file.write_all(b"gone")).expect("written");
        assert!(fs::metadata(device).expect("a device").file_type().is_char_device());
        let directory = directory("directory");
        assert_eq!(
            write_whole(&directory, |_| Ok(())).expect_err("a directory").kind(),
            io::ErrorKind::IsADirectory
        );
        fs::remove_dir_all(&directory).expect("it is ours");
    }
}
