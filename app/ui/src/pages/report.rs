//! Pages about reports.

mod checks;
mod given;
mod list;
mod measured;
mod one;
mod points;
mod raise;
mod reconciliation;
mod threads;

use evidence::{EvidenceClass, LearnerCode};

use super::credit::CreditLine;

pub(super) use given::Given;
pub use list::ReportsPage;
pub use one::ReportPage;
pub use points::{ClassPoints, LabPoints};
pub use threads::{Entry, EntryKind, Thread, Threads};

/// A line of the list.
#[derive(Debug, Clone)]
pub struct ReportItem {
    pub id: String,
    pub lab: String,
    pub class: EvidenceClass,
    pub created: String,
    pub origin: String,
    pub outcome: Option<String>,
    pub earned: Option<i64>,
    pub possible: Option<i64>,
    /// The class shows it later.
    pub held: bool,
}

/// Why a file was not taken, with the text that was pasted.
#[derive(Debug, Clone)]
pub struct Trouble {
    pub message: String,
    pub expected: String,
    pub found: String,
    pub fix: String,
    pub pasted: String,
}

/// What a report page says beside the grade.
#[derive(Debug, Clone)]
pub struct ReportFacts {
    pub id: String,
    pub lab: String,
    /// The lab's title in Chinese and English.
    pub title: Option<(String, String)>,
    pub class: EvidenceClass,
    pub level: Option<String>,
    pub origin: String,
    pub device: Option<String>,
    /// The kernel that the learner wrote, where one ran.
    pub own_kernel: Option<LearnerCode>,
    pub created: String,
    pub graded: Option<String>,
    pub grader: Option<String>,
    pub sha256: String,
    /// Whose it is, when the reader is somebody else.
    pub owner: Option<String>,
    /// Whether it compares strategies, so that the budget grid can be opened for it.
    pub has_budget: bool,
    /// Identical files of other learners: id and name. For instructors only.
    pub twins: Vec<(String, String)>,
    /// The class shows grade and points later: `Some`, with the instant where it is settled.
    pub held: Option<Option<String>>,
    /// Provenances whose reports earn the GPU part of the lab.
    pub accepted: Vec<String>,
    /// What the lab counts in each class of the learner: name and parts.
    pub credits: Vec<(String, Vec<CreditLine>)>,
}
