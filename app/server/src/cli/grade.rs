//! `vramlab grade FILE…`: grade reports without a server.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use evidence::export::{self, Judged};
use evidence::{Document, Grade, GradeContext, GradeLine, Lang, MAX_BYTES, Provenance, read, show};

use super::out::outln;

/// What is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// One JSON object per line
    Json,
    /// One `results.json` of Gradescope
    Gradescope,
    /// One JUnit XML document
    Junit,
}

/// Everything was graded.
const GRADED: u8 = 0;
/// A file is no evidence, or no report.
const NOT_EVIDENCE: u8 = 1;
/// The arguments make no sense.
const USAGE: u8 = 2;

enum Read {
    Document(Box<Document>),
    /// Not a report, told in the reader's language.
    Refused(Box<GradeLine>),
}

/// Grades each file; files handed in together are each other's linked reports (a 73 beside its 76).
///
/// As text or lines of JSON each file is printed when it is graded; the forms of other graders are one document. Returns
/// the exit status: 0 when every file was graded, 1 when one is no evidence or no report, 2 when no file is named.
pub fn run(files: &[PathBuf], format: Format, lang: Lang) -> u8 {
    if files.is_empty() {
        let usage =
            lang.pick("用法：vramlab grade 文件… [--format 格式]", "usage: vramlab grade FILE… [--format FORMAT]");
        eprintln!("{usage}");
        return USAGE;
    }
    let read: Vec<(String, Read)> = files.iter().map(|path| (path.display().to_string(), open(path, lang))).collect();
    let linked: Vec<&Document> = read
        .iter()
        .filter_map(|(_, read)| match read {
            Read::Document(doc) => Some(&**doc),
            Read::Refused(_) => None,
        })
        .collect();
    let ctx = GradeContext { provenance: Provenance::Upload, linked: &linked };
    let mut status = GRADED;
    let mut graded: Vec<(&str, Graded<'_>)> = Vec::new();
    for (index, (file, read)) in read.iter().enumerate() {
        let one = match read {
            Read::Document(doc) => Graded::Grade(Box::new(labs::grade(doc, &ctx))),
            Read::Refused(line) => Graded::Refused(line),
        };
        if !one.is_evidence() {
            status = NOT_EVIDENCE;
        }
        match format {
            Format::Text => {
                let gap = if index > 0 { "\n" } else { "" };
                crate::cli::out::write(format_args!("{gap}{}", one.text(file, lang)));
            }
            Format::Json => match serde_json::to_string(&one.line(file, lang)) {
                Ok(line) => outln!("{line}"),
                Err(error) => eprintln!("{file}: {error}"),
            },
            Format::Gradescope | Format::Junit => graded.push((file, one)),
        }
    }
    let judged: Vec<(&str, Judged<'_>)> = graded.iter().map(|(file, one)| (*file, one.judged())).collect();
    match format {
        Format::Gradescope => outln!("{:#}", export::gradescope(&judged, lang)),
        Format::Junit => crate::cli::out::write(format_args!("{}", export::junit(&judged, lang))),
        Format::Text | Format::Json => {}
    }
    status
}

/// What became of a file.
enum Graded<'a> {
    Grade(Box<Grade>),
    Refused(&'a GradeLine),
}

impl Graded<'_> {
    fn judged(&self) -> Judged<'_> {
        match self {
            Graded::Grade(grade) => Judged::Grade(grade),
            Graded::Refused(line) => Judged::Refused(line),
        }
    }

    fn is_evidence(&self) -> bool {
        matches!(self, Graded::Grade(grade) if grade.outcome == evidence::Outcome::Graded)
    }

    fn line(&self, file: &str, lang: Lang) -> GradeLine {
        match self {
            Graded::Grade(grade) => GradeLine::graded(file, grade, lang),
            Graded::Refused(line) => (*line).clone(),
        }
    }

    fn text(&self, file: &str, lang: Lang) -> String {
        match self {
            Graded::Grade(grade) => show::text(file, grade, lang),
            Graded::Refused(line) => show::refused(line, lang),
        }
    }
}

fn open(path: &Path, lang: Lang) -> Read {
    let file = path.display().to_string();
    let provenance = Provenance::Upload.id();
    match bytes(path) {
        Err(error) => Read::Refused(Box::new(GradeLine::unopened(&file, provenance, &error.to_string(), lang))),
        Ok(bytes) => match read(&bytes) {
            Ok(doc) => Read::Document(Box::new(doc)),
            Err(error) => Read::Refused(Box::new(GradeLine::unreadable(&file, provenance, &error, lang))),
        },
    }
}

/// The file's bytes, one more than the limit at most: enough to see that it is too large.
pub(super) fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    // A pipe would be waited for, and a device never ends.
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("not a file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
