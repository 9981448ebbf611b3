//! Two grades of one report, side by side: what a newer grader sees otherwise.

use crate::grade::{Grade, Outcome, PartPoints};
use crate::{Check, CheckStatus};

/// What became of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It passed and fails now.
    NowFails,
    /// It failed and passes now.
    NowPasses,
    /// It was not made before, and fails.
    NewFails,
    /// It was not made before, and passes.
    NewPasses,
    /// It is not made any more; it had failed.
    GoneFailed,
    /// It is not made any more; it had passed.
    GonePassed,
}

/// A check that came out differently.
#[derive(Debug, Clone)]
pub struct CheckChange<'a> {
    pub change: Change,
    /// The newer of the two, where there is one.
    pub check: &'a Check,
}

/// Old and new of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartChange {
    pub old: PartPoints,
    pub new: PartPoints,
}

/// The difference of two grades.
#[derive(Debug, Clone)]
pub struct GradeDiff<'a> {
    pub cpu: PartChange,
    pub gpu: PartChange,
    pub outcome: (Outcome, Outcome),
    /// In the order of the newer grade; what is gone stands last.
    pub checks: Vec<CheckChange<'a>>,
    /// The recomputed decisions, where they differ.
    pub decision: Option<(Option<&'a str>, Option<&'a str>)>,
}

impl GradeDiff<'_> {
    /// Whether anything that a learner sees of points, checks and decision differs.
    pub fn is_empty(&self) -> bool {
        self.cpu.old == self.cpu.new
            && self.gpu.old == self.gpu.new
            && self.outcome.0 == self.outcome.1
            && self.checks.is_empty()
            && self.decision.is_none()
    }
}

/// Compares two grades of the same report. Checks are the same when id and pointer are.
pub fn diff<'a>(old: &'a Grade, new: &'a Grade) -> GradeDiff<'a> {
    let was = |check: &Check| old.checks.iter().find(|other| same(other, check));
    let now = new.checks.iter().filter_map(|check| {
        let change = match (was(check).map(|old| old.status), check.status) {
            (Some(CheckStatus::Pass), CheckStatus::Fail) => Change::NowFails,
            (Some(CheckStatus::Fail), CheckStatus::Pass) => Change::NowPasses,
            (Some(_), _) => return None,
            (None, CheckStatus::Fail) => Change::NewFails,
            (None, CheckStatus::Pass) => Change::NewPasses,
        };
        Some(CheckChange { change, check })
    });
    let gone = old.checks.iter().filter(|check| !new.checks.iter().any(|other| same(other, check))).map(|check| {
        let change = if check.failed() { Change::GoneFailed } else { Change::GonePassed };
        CheckChange { change, check }
    });
    let decisions = (old.decision.recomputed.as_deref(), new.decision.recomputed.as_deref());
    GradeDiff {
        cpu: PartChange { old: old.points.cpu, new: new.points.cpu },
        gpu: PartChange { old: old.points.gpu, new: new.points.gpu },
        outcome: (old.outcome, new.outcome),
        checks: now.chain(gone).collect(),
        decision: (decisions.0 != decisions.1).then_some(decisions),
    }
}

fn same(a: &Check, b: &Check) -> bool {
    a.id == b.id && a.pointer == b.pointer
}
