//! `vramlab grade FILE…`: grade reports without a server.

use std::path::{Path, PathBuf};

use evidence::{Document, GradeContext, GradeLine, Lang, MAX_BYTES, Provenance, read, show};

use super::out::outln;

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
/// With `json` one object per line goes to standard output, otherwise readable text. Returns the exit status: 0 when
/// every file was graded, 1 when one is no evidence or no report, 2 when no file is named.
pub fn run(files: &[PathBuf], json: bool, lang: Lang) -> u8 {
    if files.is_empty() {
        eprintln!("{}", lang.pick("用法：vramlab grade 文件… [--json]", "usage: vramlab grade FILE… [--json]"));
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
    let mut status = GRADED;
    for (index, (file, read)) in read.iter().enumerate() {
        let (line, text) = match read {
            Read::Document(doc) => {
                let ctx = GradeContext { provenance: Provenance::Upload, linked: &linked };
                let grade = labs::grade(doc, &ctx);
                (GradeLine::graded(file, &grade, lang), show::text(file, &grade, lang))
            }
            Read::Refused(line) => ((**line).clone(), show::refused(line, lang)),
        };
        if !line.is_graded() {
            status = NOT_EVIDENCE;
        }
        if json {
            match serde_json::to_string(&line) {
                Ok(line) => outln!("{line}"),
                Err(error) => eprintln!("{file}: {error}"),
            }
        } else {
            let gap = if index > 0 { "\n" } else { "" };
            crate::cli::out::write(format_args!("{gap}{text}"));
        }
    }
    status
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
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
