//! Our own schema: strict, with the pointer of what does not fit.

use serde_json::Value;
use serde_path_to_error::Segment;

use super::{Form, MAX_ENTRIES, Paper, Place, Run, Said};
use crate::read::pointer_of;
use crate::{ReadError, Report};

pub(super) fn import(raw: &Value) -> Result<(Report, Paper), ReadError> {
    let report: Report = deserialize(raw)?;
    for (pointer, count) in [("/candidates", report.candidates.len()), ("/ledger", report.ledger.len())] {
        if count > MAX_ENTRIES {
            return Err(ReadError::TooMany { pointer: pointer.to_owned(), count, limit: MAX_ENTRIES });
        }
    }
    for (index, candidate) in report.candidates.iter().enumerate() {
        let count = candidate.timeline.len();
        if count > MAX_ENTRIES {
            let pointer = format!("/candidates/{index}/timeline");
            return Err(ReadError::TooMany { pointer, count, limit: MAX_ENTRIES });
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    let places = report
        .candidates
        .iter()
        .enumerate()
        .map(|(index, candidate)| Place {
            pointer: format!("/candidates/{index}"),
            form: Form::V1,
            renamed: Vec::new(),
            runs: candidate
                .runs
                .iter()
                .map(|metrics| Run { ok: true, metrics: metrics.clone(), loss: None, eval_loss: None })
                .collect(),
            faulty: false,
            unnamed: candidate.name.is_empty() || !seen.insert(candidate.name.as_str()),
        })
        .collect();
    let mut paper = Paper { places, said: Said::read(raw), ..Paper::default() };
    paper.faults = super::ranges::faults(&report, &mut paper.places);
    paper.level_word = Some(report.level.id().to_owned());
    Ok((report, paper))
}

fn deserialize(raw: &Value) -> Result<Report, ReadError> {
    serde_path_to_error::deserialize(raw).map_err(|error: serde_path_to_error::Error<serde_json::Error>| {
        let mut segments: Vec<String> = error
            .path()
            .iter()
            .filter_map(|segment| match segment {
                Segment::Seq { index } => Some(index.to_string()),
                Segment::Map { key } => Some(key.clone()),
                Segment::Enum { variant } => Some(variant.clone()),
                Segment::Unknown => None,
            })
            .collect();
        let detail = error.inner().to_string();
        // An unknown field is told by its name; the path ends at the object that holds it.
        if let Some(name) = detail.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next())
            && segments.last().map(String::as_str) != Some(name)
        {
            segments.push(name.to_owned());
        }
        ReadError::Schema { pointer: pointer_of(&segments), detail }
    })
}

/// Reads a report of the own schema from its JSON.
impl Report {
    /// # Errors
    ///
    /// [`ReadError::Schema`] with the JSON pointer of the first thing that does not fit.
    pub fn from_value(raw: &Value) -> Result<Self, ReadError> {
        deserialize(raw)
    }
}
