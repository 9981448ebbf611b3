//! A stored job as its learner sees it.

use evidence::EvidenceClass;
use protocol::Stage;
use ui::islands::{JobState as Shown, LogLine, StageState, Wait};

use super::account::answer::iso;
use crate::store::jobs::{self, Job, LEASE_EXPIRED, Needs, Prospect};
use crate::store::{JobId, JobState, Store, StoreError, Viewer, grades, reports};

/// Stages a learner sees, in order; the runner's claiming and reporting belong to their neighbours.
fn name(stage: Stage) -> Option<&'static str> {
    match stage {
        Stage::Claimed | Stage::Compiling => Some("compiling"),
        Stage::Checking => Some("checking"),
        Stage::Measuring | Stage::Reporting => Some("measuring"),
        _ => None,
    }
}

/// State, position, stages with their times, and where the report is.
pub async fn shown(store: &Store, viewer: Viewer, job: &Job) -> Result<Shown, StoreError> {
    let graded = match job.report_id {
        // The job is the viewer's to see; whether its points are shown is asked where they are.
        Some(report) => grades::is_graded(store, report).await?,
        None => false,
    };
    let class = match job.report_id {
        Some(report) => reports::get(store, viewer, report).await?.map(|row| mark(*row.class)),
        None => None,
    };
    let state = match job.state {
        JobState::Queued => "queued",
        JobState::Leased => "running",
        JobState::Done if graded => "graded",
        JobState::Done => "running",
        JobState::FailedInfra | JobState::FailedLab => "failed",
        JobState::Cancelled => "cancelled",
    };
    Ok(Shown {
        id: job.id.to_string(),
        lab: job.lab.clone(),
        state: state.to_owned(),
        position: job.position.and_then(|at| u64::try_from(at - 1).ok()),
        stages: stages(job, graded)?,
        report: job.report_id.filter(|_| graded).map(|id| id.to_string()),
        class: class.filter(|_| graded),
        message: message(job),
        wait: wait(store, job).await?,
    })
}

/// What it waits for beside its turn.
async fn wait(store: &Store, job: &Job) -> Result<Option<Wait>, StoreError> {
    if job.state != JobState::Queued {
        return Ok(None);
    }
    Ok(match jobs::prospect(store, job.id).await? {
        Prospect::Nobody => Some(Wait::Runner { needs: needs(&job.needs) }),
        Prospect::Paused => Some(Wait::Pause),
        Prospect::Runner => (job.not_before_ms > store.now()).then(|| Wait::Retry { at: iso(job.not_before_ms) }),
    })
}

/// `CUDA, GPU, 16 GiB, room-2`
pub fn needs(needs: &Needs) -> String {
    let memory = u64::try_from(needs.memory_bytes).ok().filter(|bytes| *bytes > 0);
    let parts = [
        needs.backend.as_deref().map(str::to_uppercase),
        needs.class.map(|class| class.id().to_uppercase()),
        memory.map(ledger::units::gib),
        needs.label.clone(),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The lines behind `seq`, as pages show them.
pub async fn log_after(store: &Store, viewer: Viewer, job: JobId, seq: i64) -> Result<Vec<LogLine>, StoreError> {
    let lines = jobs::log_after(store, viewer, job, seq).await?;
    Ok(lines.into_iter().map(line).collect())
}

fn line(line: jobs::LogLine) -> LogLine {
    LogLine {
        seq: line.seq,
        at: iso(line.at_ms),
        attempt: line.attempt,
        kind: line.kind.id().to_owned(),
        body: line.body,
    }
}

fn stages(job: &Job, graded: bool) -> Result<Vec<StageState>, StoreError> {
    let mut stages: Vec<StageState> = Vec::new();
    let waited = job.claimed_ms.map(|claimed| u64::try_from(claimed.0 - job.created_ms.0).unwrap_or(0));
    let queued = job.state == JobState::Queued;
    stages.push(StageState { name: "queued".to_owned(), took_ms: waited.filter(|_| !queued) });
    if queued {
        return Ok(stages);
    }
    for time in job.stage_times()? {
        if let Some(name) = name(time.stage) {
            add(&mut stages, name, Some(time.elapsed_ms));
        }
    }
    if let Some(now) = name(*job.stage) {
        add(&mut stages, now, None);
    }
    if graded {
        add(&mut stages, "graded", None);
    }
    Ok(stages)
}

/// Adds the time of a stage to the one already shown under its name.
fn add(stages: &mut Vec<StageState>, name: &str, took_ms: Option<u64>) {
    match stages.iter_mut().find(|stage| stage.name == name) {
        Some(stage) => {
            if let Some(more) = took_ms {
                stage.took_ms = Some(stage.took_ms.unwrap_or(0).saturating_add(more));
            }
        }
        None => stages.push(StageState { name: name.to_owned(), took_ms }),
    }
}

fn message(job: &Job) -> Option<String> {
    let failed = matches!(job.state, JobState::FailedInfra | JobState::FailedLab);
    match (failed, job.failure.as_deref()) {
        (false, _) => None,
        (true, Some(LEASE_EXPIRED)) => Some("lease_expired".to_owned()),
        (true, Some(kind)) if job.message.is_empty() => Some(kind.to_owned()),
        // The lab's own words need no name before them.
        (true, Some(kind)) if kind == protocol::FailureKind::Lab.id() => Some(job.message.clone()),
        (true, Some(kind)) => Some(format!("{kind}: {}", job.message)),
        (true, None) => Some(job.message.clone()),
    }
}

fn mark(class: EvidenceClass) -> String {
    match class {
        EvidenceClass::Cpu => "■ CPU",
        EvidenceClass::Gpu => "◆ GPU",
        EvidenceClass::Theory => "┄",
        EvidenceClass::Unproven => "○",
    }
    .to_owned()
}
