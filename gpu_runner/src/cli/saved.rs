//! Benchmarks under a name: one report for each lab, in a folder.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use evidence::{Document, MAX_BYTES, Report};

/// A name that is a folder's and nothing else.
pub fn parse_name(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if text.is_empty() || text.len() > 64 || text.starts_with('.') || !text.chars().all(plain) {
        return Err("expected 1 to 64 of the letters a-z, A-Z, 0-9, -, _ and ., not beginning with a dot".to_owned());
    }
    Ok(text.to_owned())
}

/// Reads a report file; no more of it than a report may have.
pub fn read(path: &Path) -> Result<(Vec<u8>, Document), String> {
    let place = path.display();
    let file = fs::File::open(path).map_err(|error| format!("{place}: {error}"))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| format!("{place}: {error}"))?;
    let document = evidence::read(&bytes).map_err(|error| format!("{place}: {error}"))?;
    Ok((bytes, document))
}

/// The reports under a name in `folder`, or the one report file of that path; by lab.
pub fn reports(name: &str, folder: &Path) -> Result<Vec<Report>, String> {
    let path = Path::new(name);
    if path.is_file() {
        return Ok(vec![read(path)?.1.report]);
    }
    let saved = parse_name(name).map(|name| folder.join(name)).ok().filter(|saved| saved.is_dir());
    let saved = saved.ok_or_else(|| {
        let known = names(folder).join(", ");
        let known = if known.is_empty() { "none".to_owned() } else { known };
        format!("{name}: neither a report file nor a benchmark in {}; there are: {known}", folder.display())
    })?;
    let entries = fs::read_dir(&saved).map_err(|error| format!("{}: {error}", saved.display()))?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(format!("{}: no report in it", saved.display()));
    }
    files.iter().map(|file| Ok(read(file)?.1.report)).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| parse_name(name).is_ok())
        .collect();
    names.sort();
    names
}
