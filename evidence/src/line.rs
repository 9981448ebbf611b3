//! One line about one file: what `vramlab grade --json` prints and the HTTP interface returns.

use serde::{Deserialize, Serialize};

use crate::grade::{DecisionLine, Grade, PartPoints};
use crate::{CheckStatus, Lang, ReadError, check};

/// A check in the reader's language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CheckLine {
    pub id: String,
    /// `note`, `warning`, `error`.
    pub severity: String,
    /// `pass`, `fail`.
    pub status: String,
    pub pointer: String,
    pub expected: String,
    pub found: String,
    pub message: String,
    pub fix: String,
}

/// The object printed for each file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GradeLine {
    pub file: String,
    /// Absent when the file could not be read.
    pub shape: Option<String>,
    pub lab: Option<String>,
    pub class: Option<String>,
    pub level: Option<String>,
    pub provenance: String,
    /// `graded`, `not_evidence`, `invalid`.
    pub outcome: String,
    pub decision: DecisionLine,
    pub points: PartPoints,
    pub checks: Vec<CheckLine>,
}

impl GradeLine {
    /// The line about a graded file.
    pub fn graded(file: &str, grade: &Grade, lang: Lang) -> Self {
        Self {
            file: file.to_owned(),
            shape: Some(grade.shape.id().to_owned()),
            lab: (!grade.lab.is_empty()).then(|| grade.lab.clone()),
            class: Some(grade.class.id().to_owned()),
            level: Some(grade.level.id().to_owned()),
            provenance: grade.provenance.clone(),
            outcome: grade.outcome.id().to_owned(),
            decision: grade.decision.clone(),
            points: PartPoints { earned: grade.points.earned, possible: grade.points.possible },
            checks: grade
                .checks
                .iter()
                .map(|check| CheckLine {
                    id: check.id.clone(),
                    severity: check.severity.id().to_owned(),
                    status: check.status.id().to_owned(),
                    pointer: check.pointer.clone(),
                    expected: check.expected(lang).to_owned(),
                    found: check.found(lang).to_owned(),
                    message: check.message(lang).to_owned(),
                    fix: check.fix(lang).to_owned(),
                })
                .collect(),
        }
    }

    /// The line about a file that is not a report: the reason stands as its one check.
    pub fn unreadable(file: &str, provenance: &str, error: &ReadError, lang: Lang) -> Self {
        Self::refused(
            file,
            provenance,
            CheckLine {
                id: "readable".to_owned(),
                severity: "error".to_owned(),
                status: CheckStatus::Fail.id().to_owned(),
                pointer: error.pointer().to_owned(),
                expected: error.expected().get(lang).to_owned(),
                found: error.found().get(lang).to_owned(),
                message: error.message(lang),
                fix: error.fix().get(lang).to_owned(),
            },
        )
    }

    /// The line about a file that could not even be opened.
    pub fn unopened(file: &str, provenance: &str, why: &str, lang: Lang) -> Self {
        let fix = check::rule("readable").map_or("", |rule| rule.fix(lang));
        Self::refused(
            file,
            provenance,
            CheckLine {
                id: "readable".to_owned(),
                severity: "error".to_owned(),
                status: CheckStatus::Fail.id().to_owned(),
                pointer: String::new(),
                expected: lang.pick("可读取的文件", "a file that can be read").to_owned(),
                found: why.to_owned(),
                message: format!("{}{why}", lang.pick("文件打不开：", "The file cannot be opened: ")),
                fix: fix.to_owned(),
            },
        )
    }

    fn refused(file: &str, provenance: &str, check: CheckLine) -> Self {
        Self {
            file: file.to_owned(),
            shape: None,
            lab: None,
            class: None,
            level: None,
            provenance: provenance.to_owned(),
            outcome: "invalid".to_owned(),
            decision: DecisionLine::default(),
            points: PartPoints::default(),
            checks: vec![check],
        }
    }

    /// Whether the file was graded: what the command's exit status tells.
    pub fn is_graded(&self) -> bool {
        self.outcome == "graded"
    }
}
