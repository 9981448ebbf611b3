//! The file of settings: TOML, one key for each setting.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Arg;
use toml::{Spanned, Value};

use crate::{key, value};

/// No file of settings is longer.
const LIMIT: u64 = 64 << 10;
/// Above this two names are near enough to take one for the other; clap's own bound.
const NEAR: f64 = 0.7;

pub struct File {
    pub path: PathBuf,
    entries: BTreeMap<String, Entry>,
}

pub struct Entry {
    pub line: usize,
    /// As they would stand on the command line.
    pub values: Vec<OsString>,
}

impl File {
    /// Everything that is wrong is told at once, each with its line.
    pub fn read(path: &Path, known: &[Arg]) -> Result<Self, Vec<String>> {
        let text = text(path).map_err(|why| vec![format!("{}: {why}", path.display())])?;
        // The parser's own picture of the line is left out: the line may hold what should not be shown.
        let table: BTreeMap<Spanned<String>, Spanned<Value>> = toml::from_str(&text).map_err(|error| {
            let (line, column) = position(&text, &error.span().unwrap_or_default());
            vec![format!("{}:{line}:{column}: {}", path.display(), error.message())]
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let (mut entries, mut wrong) = (BTreeMap::new(), Vec::new());
        for (name, found) in table {
            let at = |span: Range<usize>| {
                let (line, column) = position(&text, &span);
                format!("{}:{line}:{column}", path.display())
            };
            let Some(arg) = known.iter().find(|arg| key(arg).as_deref() == Some(name.get_ref().as_str())) else {
                wrong.push(format!("{}: {}", at(name.span()), unknown(name.get_ref(), known)));
                continue;
            };
            match value::read(arg, found.get_ref(), folder) {
                Ok(values) => {
                    let (line, _) = position(&text, &name.span());
                    entries.insert(name.into_inner(), Entry { line, values });
                }
                Err(why) => {
                    let told = value::short(&found.get_ref().to_string());
                    wrong.push(format!("{}: {} = {told}: {why}", at(found.span()), name.get_ref()));
                }
            }
        }
        if wrong.is_empty() { Ok(Self { path: path.to_owned(), entries }) } else { Err(wrong) }
    }

    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }
}

fn text(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    // One byte more than allowed, so that a longer one shows.
    file.take(LIMIT + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LIMIT {
        return Err(format!("more than {LIMIT} bytes; no file of settings is that long"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        format!("byte {place} is not UTF-8 text")
    })
}

/// The value of an unknown key is never repeated: it may be a secret.
fn unknown(name: &str, known: &[Arg]) -> String {
    let names: Vec<String> = known.iter().filter_map(key).collect();
    let near = names
        .iter()
        .map(|other| (strsim::jaro(name, other), other))
        .filter(|(likeness, _)| *likeness > NEAR)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    let guess = near.map_or_else(String::new, |(_, other)| format!("did you mean {other}? "));
    format!("{}: there is no such setting; {guess}There are: {}", value::short(name), names.join(", "))
}

/// Line and column, both from 1.
fn position(text: &str, span: &Range<usize>) -> (usize, usize) {
    let before = text.get(..span.start).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}
