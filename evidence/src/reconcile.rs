//! Reconciliation: the predicted ledger beside measured bytes, line by line.

use serde::{Deserialize, Serialize};

use crate::check::floor::{self, Floor};
use crate::check::sheet::Sheet;
use crate::{Candidate, DecisionRule, Event, Workload};

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// One object of the ledger.
    Object,
    /// The sum of the objects beside the measured allocated peak of one candidate.
    Allocated,
    /// The measured reserved peak of one candidate.
    Reserved,
}

/// One line of the reconciliation. Bytes are exact for predictions, rounded as the report rounds them for measurements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub kind: LineKind,
    /// Which kind of thing; absent for a total.
    pub object: Option<ledger::Object>,
    /// Which thing of that kind, as a slug; for a total the candidate's name.
    pub part: String,
    pub predicted_bytes: Option<u64>,
    pub measured_bytes: Option<u64>,
    /// The arithmetic of the prediction with its numbers filled in.
    pub formula: String,
    /// The prediction rests on an assumption that the report does not record.
    pub assumption: bool,
}

impl Line {
    /// Measured minus predicted, where both are known: what the ledger does not explain.
    pub fn unexplained_bytes(&self) -> Option<i64> {
        let (measured, predicted) = (self.measured_bytes?, self.predicted_bytes?);
        i64::try_from(measured).ok()?.checked_sub(i64::try_from(predicted).ok()?)
    }
}

pub(crate) fn reconcile(sheet: &Sheet<'_>, rule: DecisionRule) -> Vec<Line> {
    let mut lines: Vec<Line> = sheet
        .doc
        .report
        .ledger
        .iter()
        .map(|line| Line {
            kind: LineKind::Object,
            object: Some(line.object),
            part: line.part.clone(),
            predicted_bytes: Some(line.bytes),
            measured_bytes: line.measured_bytes,
            formula: line.formula.clone(),
            assumption: false,
        })
        .collect();
    if matches!(sheet.doc.report.workload, Workload::Kernel(_)) {
        lines.extend(sheet.doc.report.candidates.iter().flat_map(|candidate| peaks(sheet, candidate)));
    }
    if !matches!(sheet.doc.report.workload, Workload::Training(_)) || rule == DecisionRule::None {
        return lines;
    }
    let floor = floor::of(sheet);
    if let Some(floor) = floor.filter(|_| lines.is_empty()) {
        lines.extend(objects(floor));
    }
    for (candidate, _) in sheet.candidates() {
        lines.extend(totals(candidate, floor));
    }
    lines
}

/// The measured peak of a run with a timeline beside what the ledger predicts for the objects that were there then.
fn peaks(sheet: &Sheet<'_>, candidate: &Candidate) -> Vec<Line> {
    let Some(last) = candidate.timeline.last() else { return Vec::new() };
    let mut alive: Vec<&str> = Vec::new();
    let mut highest: (u64, Vec<&str>) = (0, Vec::new());
    for step in &candidate.timeline {
        match step.event {
            Event::Allocate => alive.push(&step.part),
            Event::Free => alive.retain(|part| *part != step.part),
        }
        if step.phase == last.phase && step.allocated_bytes > highest.0 {
            highest = (step.allocated_bytes, alive.clone());
        }
    }
    let line = |part: &str| sheet.doc.report.ledger.iter().find(|line| line.part == part).map(|line| line.bytes);
    let predicted = highest.1.iter().try_fold(0_u64, |sum, part| sum.checked_add(line(part)?));
    let total = |kind, predicted_bytes, measured_bytes: Option<u64>, formula| {
        measured_bytes.map(|bytes| Line {
            kind,
            object: None,
            part: candidate.name.clone(),
            predicted_bytes,
            measured_bytes: Some(bytes),
            formula,
            assumption: false,
        })
    };
    let allocated =
        total(LineKind::Allocated, predicted, candidate.metrics.peak_allocated_bytes, highest.1.join(" + "));
    let reserved = total(LineKind::Reserved, None, candidate.metrics.peak_reserved_bytes, String::new());
    allocated.into_iter().chain(reserved).collect()
}

/// What AdamW keeps at its step.
fn objects(floor: Floor) -> Vec<Line> {
    use ledger::Object::{Gradient, OptimizerState, OptimizerTemporary, Parameter};
    let formula = format!("{} × {} B", ledger::units::group(floor.parameters), floor.width);
    let line = |object, part: &str, assumption| Line {
        kind: LineKind::Object,
        object: Some(object),
        part: part.to_owned(),
        predicted_bytes: Some(floor.temporary()),
        measured_bytes: None,
        formula: formula.clone(),
        assumption,
    };
    let mut lines = vec![
        line(Parameter, "weights", false),
        line(Gradient, "gradients", false),
        line(OptimizerState, "adam_m", false),
        line(OptimizerState, "adam_v", false),
    ];
    if floor.foreach {
        lines.push(line(OptimizerTemporary, "foreach_temporary", true));
    }
    lines
}

fn totals(candidate: &Candidate, floor: Option<Floor>) -> Vec<Line> {
    let metrics = &candidate.metrics;
    let mut lines = Vec::new();
    if let Some(allocated) = metrics.peak_allocated_bytes {
        lines.push(Line {
            kind: LineKind::Allocated,
            object: None,
            part: candidate.name.clone(),
            predicted_bytes: floor.map(|floor| floor.step()),
            measured_bytes: Some(allocated),
            formula: floor.map_or_else(String::new, |floor| {
                let width = floor.width * if floor.foreach { 5 } else { 4 };
                format!("{} × {width} B", ledger::units::group(floor.parameters))
            }),
            assumption: floor.is_some_and(|floor| floor.foreach),
        });
    }
    if let Some(reserved) = metrics.peak_reserved_bytes {
        lines.push(Line {
            kind: LineKind::Reserved,
            object: None,
            part: candidate.name.clone(),
            predicted_bytes: None,
            measured_bytes: Some(reserved),
            formula: String::new(),
            assumption: false,
        });
    }
    lines
}
