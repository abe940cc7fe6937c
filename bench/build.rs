//! Tells the library which commit it is built from: rows of an experiment name it.

use std::process::Command;

fn main() {
    // Everything that a measurement may depend on: the commit, and uncommitted changes to any source.
    for path in ["build.rs", "src", "../engine", "../games", "../cli/src", "../Cargo.lock"] {
        println!("cargo:rerun-if-changed={path}");
    }
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    // Without locks: a build must not get in the way of a commit.
    let status = ["--no-optional-locks", "status", "--porcelain", "--untracked-files=no", "--"];
    let sources = ["..", ":!../docs", ":!../*.md"];
    let changed = git(&[&status[..], &sources[..]].concat());
    let dirty = if changed.is_some_and(|list| !list.is_empty()) { "-dirty" } else { "" };
    println!("cargo:rustc-env=DTS_COMMIT={commit}{dirty}");
}

/// What `git` prints, or nothing where there is no git or no repository (a source archive).
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
