//! `cargo xtask shots`: pictures of the pages.

use std::path::PathBuf;

use crate::sh;

/// The README's two pictures, or with `all` every page in every form.
pub fn run(all: bool, out: Option<PathBuf>) -> sh::Result {
    let folder = match (all, out) {
        (_, Some(out)) => std::path::absolute(&out).map_err(|error| format!("{}: {error}", out.display()))?,
        (true, None) => sh::root().join("target/shots"),
        (false, None) => sh::root().join("xtask/shots"),
    };
    let what = if all { "all" } else { "readme" };
    let folder = folder.to_string_lossy().into_owned();
    sh::cargo("pictures", &["run", "--quiet", "-p", "e2e", "--example", "shots", "--", what, &folder])
}
