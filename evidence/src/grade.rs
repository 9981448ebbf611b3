//! From a document and a rubric to a grade.

use serde::{Deserialize, Serialize};

use crate::check::{self, sheet::Sheet};
use crate::decide::{self, Basis, Recomputed};
use crate::import;
use crate::reconcile::{self, Line};
use crate::report::Budget;
use crate::rubric::{Part, Rubric, RubricItem};
use crate::stage::Stage;
use crate::{Check, Document, EvidenceClass, EvidenceLevel, Phrase, Provenance, Shape};

/// Version of the grader; it changes whenever a grade could.
pub const GRADER: &str = "2.0";

/// What stands around a report.
#[derive(Debug, Clone, Default)]
pub struct GradeContext<'a> {
    pub provenance: Provenance,
    /// Other reports of the same learner. Those that the graded one builds on are found by shape and content.
    pub linked: &'a [&'a Document],
}

/// Why a report is no evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// A preflight or dry run.
    DryRun,
    /// No candidate carries a measured number.
    NoMeasurement,
    /// A projection of what a run would give.
    Projection,
    /// The shape is recognised, but there is no grading for it yet.
    ShapeNotGraded,
    /// No known shape; the nearest one and what it lacks are named.
    NotRecognised,
    /// It names a lab that the catalogue does not hold.
    UnknownLab,
    /// Model, shape and device are all left empty: its numbers belong to no workload.
    UnstatedWorkload,
}

/// What became of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Graded,
    NotEvidence { why: Why },
}

impl Outcome {
    pub const fn id(self) -> &'static str {
        match self {
            Outcome::Graded => "graded",
            Outcome::NotEvidence { .. } => "not_evidence",
        }
    }
}

/// Points of one part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PartPoints {
    pub earned: u32,
    pub possible: u32,
}

/// Points, the two parts apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Points {
    pub earned: u32,
    pub possible: u32,
    /// What arithmetic and logic prove, whatever device ran.
    pub cpu: PartPoints,
    /// What only a GPU proves.
    pub gpu: PartPoints,
}

/// Why an item's points are out of reach for this report, whatever its checks say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blocked {
    /// The item needs class `gpu`, and a level that is reached with one.
    NeedsGpu,
    /// The rubric does not accept this provenance for the GPU part.
    NeedsProvenance,
    /// The report is no evidence.
    NotEvidence,
}

/// One rubric item and what it earned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemScore {
    pub id: String,
    pub title: Phrase,
    pub part: Part,
    pub earned: u32,
    pub possible: u32,
    pub blocked: Option<Blocked>,
    /// Ids of the checks that cost the points.
    pub lost_to: Vec<String>,
}

/// The decision as the report says it, and as its numbers give it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DecisionLine {
    /// The report's word, whatever it is.
    pub said: Option<String>,
    /// `accept`, `tune` or `reject` from the report's numbers and thresholds; absent where nothing is to be decided.
    pub recomputed: Option<String>,
    /// The recomputed decision's reason and next step.
    pub reason: Option<String>,
    pub next_action: Option<String>,
}

/// What the grader concludes about a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grade {
    pub grader: String,
    pub shape: Shape,
    pub lab: String,
    pub class: EvidenceClass,
    pub level: EvidenceLevel,
    /// Id of the provenance: `runner`, `upload`, `browser`.
    pub provenance: String,
    pub outcome: Outcome,
    pub checks: Vec<Check>,
    pub points: Points,
    pub items: Vec<ItemScore>,
    pub decision: DecisionLine,
    pub reconciliation: Vec<Line>,
}

/// Grades a document under a rubric. Pure and deterministic: the same input gives the same grade.
pub fn grade(doc: &Document, rubric: &Rubric, ctx: &GradeContext<'_>) -> Grade {
    let outcome = outcome(doc, rubric);
    let recomputed = match outcome {
        // Its numbers may still be sound among themselves; that is said, and proves nothing.
        Outcome::Graded | Outcome::NotEvidence { why: Why::UnstatedWorkload } => {
            decide::recompute(doc, rubric, ctx.linked)
        }
        Outcome::NotEvidence { .. } => Recomputed { basis: Basis::Nothing, decision: None },
    };
    let class = match outcome {
        Outcome::Graded => doc.report.evidence_class(),
        Outcome::NotEvidence { why: Why::Projection } => EvidenceClass::Theory,
        Outcome::NotEvidence { .. } => EvidenceClass::Unproven,
    };
    let limits = decide::merged(doc.report.budget.as_ref(), &rubric.thresholds);
    let mut sheet = Sheet {
        doc,
        recomputed: &recomputed,
        class,
        limits: &limits,
        linked: ctx.linked,
        asks_for_numbers: rubric.items.iter().any(|item| item.needs.iter().any(|id| id == check::NUMBERS)),
        checks: Vec::new(),
    };
    match outcome {
        Outcome::Graded => check::examine(&mut sheet),
        Outcome::NotEvidence { why } => check::refuse(&mut sheet, why),
    }
    let reconciliation = match outcome {
        Outcome::Graded => reconcile::reconcile(&sheet, rubric.rule),
        Outcome::NotEvidence { .. } => Vec::new(),
    };
    let checks = sheet.checks;
    // A report that calls itself a calculation, a preflight or a simulation proves nothing of the GPU it names.
    let reach = if doc.report.level.needs_gpu() { class } else { EvidenceClass::Unproven };
    let items: Vec<ItemScore> = rubric
        .items
        .iter()
        .map(|item| score(item, &checks, blocked(item, outcome, reach, rubric, &ctx.provenance)))
        .collect();
    let said = &doc.paper.said;
    Grade {
        grader: GRADER.to_owned(),
        shape: doc.shape,
        lab: doc.report.lab.clone(),
        class,
        level: level(doc, outcome, class),
        provenance: ctx.provenance.id().to_owned(),
        outcome,
        points: total(&items),
        items,
        decision: DecisionLine {
            said: said.word.clone(),
            recomputed: recomputed.decision.as_ref().map(|decision| decision.decision.id().to_owned()),
            reason: recomputed.decision.as_ref().map(|decision| decision.reason.clone()),
            next_action: recomputed.decision.as_ref().and_then(|decision| decision.next_action.clone()),
        },
        reconciliation,
        checks,
    }
}

/// The level a report reaches. One that is not graded keeps what it says of itself.
fn level(doc: &Document, outcome: Outcome, class: EvidenceClass) -> EvidenceLevel {
    match outcome {
        Outcome::Graded => doc.report.level.capped(class),
        Outcome::NotEvidence { why: Why::NoMeasurement } => EvidenceLevel::Preflight,
        Outcome::NotEvidence { .. } => doc.report.level,
    }
}

fn outcome(doc: &Document, rubric: &Rubric) -> Outcome {
    let why = if doc.is_dry_run() {
        Why::DryRun
    } else if doc.shape == Shape::Unrecognised {
        Why::NotRecognised
    } else if !doc.shape.is_graded() {
        Why::ShapeNotGraded
    } else if doc.paper.projected {
        Why::Projection
    } else if !doc.report.has_measurement()
        && doc.paper.faults.is_empty()
        && !doc.is_stage(Stage::Merge)
        && !doc.report.is_calculated()
        && crate::import::citations(&doc.raw).is_empty()
    {
        Why::NoMeasurement
    } else if *rubric == Rubric::empty() {
        Why::UnknownLab
    } else if import::states_nothing(doc.shape, &doc.raw) {
        Why::UnstatedWorkload
    } else {
        return Outcome::Graded;
    };
    Outcome::NotEvidence { why }
}

fn blocked(
    item: &RubricItem,
    outcome: Outcome,
    reach: EvidenceClass,
    rubric: &Rubric,
    provenance: &Provenance,
) -> Option<Blocked> {
    if outcome != Outcome::Graded {
        return Some(Blocked::NotEvidence);
    }
    if item.part == Part::Cpu {
        return None;
    }
    if reach != EvidenceClass::Gpu {
        return Some(Blocked::NeedsGpu);
    }
    (!rubric.gpu_provenance.iter().any(|id| id == provenance.id())).then_some(Blocked::NeedsProvenance)
}

fn score(item: &RubricItem, checks: &[Check], blocked: Option<Blocked>) -> ItemScore {
    let mut lost_to: Vec<String> = Vec::new();
    for id in &item.checks {
        if checks.iter().any(|check| check.failed() && check.id == *id) {
            lost_to.push(id.clone());
        }
    }
    for id in &item.needs {
        let passed =
            checks.iter().any(|check| check.id == *id) && !checks.iter().any(|check| check.failed() && check.id == *id);
        if !passed && !lost_to.contains(id) {
            lost_to.push(id.clone());
        }
    }
    let earned = if blocked.is_none() && lost_to.is_empty() { item.points } else { 0 };
    ItemScore {
        id: item.id.clone(),
        title: item.title.clone(),
        part: item.part,
        earned,
        possible: item.points,
        blocked,
        lost_to,
    }
}

fn total(items: &[ItemScore]) -> Points {
    let sum = |part: Part| {
        items.iter().filter(|item| item.part == part).fold(PartPoints::default(), |sum, item| PartPoints {
            earned: sum.earned.saturating_add(item.earned),
            possible: sum.possible.saturating_add(item.possible),
        })
    };
    let (cpu, gpu) = (sum(Part::Cpu), sum(Part::Gpu));
    Points {
        earned: cpu.earned.saturating_add(gpu.earned),
        possible: cpu.possible.saturating_add(gpu.possible),
        cpu,
        gpu,
    }
}

/// The limits that apply to a report under a rubric: its own first.
pub fn limits(doc: &Document, rubric: &Rubric) -> Budget {
    decide::merged(doc.report.budget.as_ref(), &rubric.thresholds)
}
