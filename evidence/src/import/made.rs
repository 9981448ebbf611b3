//! The end of every importer: what it read, put together as a report and the paper beside it.

use serde_json::Value;

use super::values::Reader;
use super::{Paper, Place, Said};
use crate::report::{Boundary, BoundaryKind, Source};
use crate::{Budget, Candidate, Decision, DeviceFacts, EvidenceLevel, Meaning, Report, Shape, Status, Workload};

/// Faults past this many are dropped: a file full of them is told once.
const MAX_FAULTS: usize = 100;

/// What an importer read of a file.
pub(super) struct Made {
    pub(super) lab: String,
    pub(super) workload: Workload,
    pub(super) level: EvidenceLevel,
    pub(super) level_word: Option<String>,
    pub(super) devices: Vec<(String, String)>,
    pub(super) device: Option<DeviceFacts>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) places: Vec<Place>,
    pub(super) budget: Budget,
    pub(super) projected: bool,
}

impl Made {
    /// The report, and what the file looks like; the faults are those that the reader met on the way.
    pub(super) fn report(self, shape: Shape, sha256: &str, reader: Reader<'_>) -> (Report, Paper) {
        let report = Report {
            schema: crate::SchemaId::V1,
            lab: self.lab,
            workload: self.workload,
            level: self.level,
            device: self.device,
            roofline: None,
            ledger: Vec::new(),
            boundaries: boundaries(&self.candidates),
            candidates: self.candidates,
            budget: (self.budget != Budget::default()).then_some(self.budget),
            decision: decision(reader.raw),
            source: Some(source(shape, sha256)),
            learner_code: None,
            conditions: None,
        };
        let mut faults = reader.faults;
        faults.truncate(MAX_FAULTS);
        let paper = Paper {
            faults,
            places: self.places,
            said: Said::read(reader.raw),
            devices: self.devices,
            level_word: self.level_word,
            projected: self.projected,
        };
        (report, paper)
    }
}

fn boundaries(candidates: &[Candidate]) -> Vec<Boundary> {
    candidates
        .iter()
        .filter(|candidate| matches!(candidate.status, Status::Oom | Status::PartialOom))
        .map(|candidate| Boundary {
            kind: BoundaryKind::Oom,
            candidate: candidate.name.clone(),
            requested_bytes: None,
            message: candidate.error.clone(),
        })
        .collect()
}

/// The decision in the schema's words; a word outside them is kept in [`Said`] alone.
pub(super) fn decision(raw: &Value) -> Option<Decision> {
    let said = Said::read(raw);
    let Meaning::Concludes(decision) = Meaning::of(said.word.as_deref()?)? else { return None };
    Some(Decision { decision, reason: said.reason.unwrap_or_default(), next_action: said.next_action })
}

pub(super) fn source(shape: Shape, sha256: &str) -> Source {
    Source { shape: shape.id().to_owned(), sha256: sha256.to_owned() }
}
