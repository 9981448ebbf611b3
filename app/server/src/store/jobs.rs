//! The queue of lab runs. A runner holds a job by a lease; whatever dies, the job is claimed again or ends as an
//! infrastructure failure, and only a graded report costs an attempt.

use std::time::Duration;

use protocol::{FailureKind, Nonce, Stage, StageTime};
use subtle::ConstantTimeEq;

use super::{JobId, JobState, JsonText, ReportId, RunnerId, StoreError, UserId, UtcMs, Word};

#[macro_use]
mod log;
#[macro_use]
mod order;
#[macro_use]
mod staff;

mod claim;
mod hold;
mod learner;

pub use claim::{Claimed, claim, expire};
pub use hold::{Assignment, Finished, HeldError, Lease, assignment, fail, finish, heartbeat};
pub use learner::{EnqueueError, attempts, cancel, enqueue, get, list};
pub use log::{LogLine, log_after};
pub use order::{CONNECTED, Prospect, prospect};
pub use staff::{StaffJob, dead, dismiss, in_line, requeue};

/// A runner that is silent for this long has lost its job.
pub const LEASE: Duration = Duration::from_secs(60);
/// So often a job is handed out before it ends as an infrastructure failure.
pub const MAX_CLAIMS: i64 = 3;
/// The wait before a job whose machine failed is handed out again; it doubles with every failure.
pub const RETRY_AFTER: Duration = Duration::from_secs(5);
/// Who has waited for this long waits behind nobody's priority any more.
pub const PATIENCE: Duration = Duration::from_secs(600);
/// `failure` of a job whose last lease ran out.
pub const LEASE_EXPIRED: &str = "lease_expired";

/// `jobs.priority` of a class that goes first, and of an instructor's own jobs.
const CLASS_FIRST: i64 = 1;
const INSTRUCTOR: i64 = 2;

const MESSAGE_MAX: usize = 2000;

/// How much of the queue one learner may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Jobs that wait or run.
    pub active: u32,
    /// Jobs that run at the same time.
    pub running: u32,
    /// Jobs in any sixty minutes. Cancelled ones and those that a machine failed do not count.
    pub hourly: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { active: 5, running: 2, hourly: 60 }
    }
}

/// What a job asks of its runner beside the lab.
#[derive(Clone, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct Needs {
    #[sqlx(rename = "needs_backend")]
    pub backend: Option<String>,
    #[sqlx(rename = "needs_class")]
    pub class: Option<Word<protocol::DeviceClass>>,
    #[sqlx(rename = "needs_memory_bytes")]
    pub memory_bytes: i64,
    #[sqlx(rename = "needs_label")]
    pub label: Option<String>,
}

/// A run that a learner asks for.
#[derive(Clone, Debug)]
pub struct NewJob<'a> {
    pub lab: &'a str,
    pub params: &'a JsonText,
    pub needs: Needs,
    /// The learner's own, for a lab with an exercise.
    pub kernel: Option<&'a protocol::KernelSource>,
}

/// A job as its learner and their instructor see it. Nonce and lease stay inside.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Job {
    pub id: JobId,
    pub user_id: UserId,
    pub lab: String,
    pub params: JsonText,
    #[sqlx(flatten)]
    pub needs: Needs,
    pub state: JobState,
    pub stage: Word<Stage>,
    /// `Vec<protocol::StageTime>` of the present or last run.
    pub times: JsonText,
    pub created_ms: UtcMs,
    pub claimed_ms: Option<UtcMs>,
    pub finished_ms: Option<UtcMs>,
    /// After a failure of the machine: handed out again no earlier than this.
    pub not_before_ms: UtcMs,
    /// How often it was handed out.
    pub claims: i64,
    /// `protocol::FailureKind::id()` or [`LEASE_EXPIRED`].
    pub failure: Option<String>,
    pub message: String,
    /// 1 is next; only while queued. Others' turns are counted, not told.
    pub position: Option<i64>,
    pub report_id: Option<ReportId>,
}

impl Job {
    pub fn stage_times(&self) -> Result<Vec<StageTime>, StoreError> {
        self.times.parse()
    }
}

/// What decides whether somebody holds a job.
#[derive(sqlx::FromRow)]
pub(crate) struct Holding {
    pub(crate) user_id: UserId,
    pub(crate) state: JobState,
    pub(crate) stage: Word<Stage>,
    pub(crate) runner_id: Option<RunnerId>,
    pub(crate) nonce: Option<String>,
    pub(crate) claims: i64,
    pub(crate) claims_allowed: i64,
}

impl Holding {
    /// Was the last claim this runner's, with this nonce? An expired lease still is, until somebody else claims.
    pub(crate) fn last_claim_is(&self, runner: RunnerId, nonce: &Nonce) -> bool {
        let given = nonce.to_string();
        let same = self.nonce.as_deref().map(|own| own.as_bytes().ct_eq(given.as_bytes()).into());
        self.runner_id == Some(runner) && same == Some(true)
    }

    /// Held, or lost and claimed by nobody since: the work is not thrown away.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, JobState::Leased | JobState::Queued)
    }
}

/// A retry can help only when the machine was at fault.
fn worth_a_retry(kind: FailureKind) -> bool {
    kind.class() == protocol::FailureClass::Infrastructure
}

/// How long a job rests after its `claims`-th hand-out failed. A runner that was asked to stop says nothing about the
/// next one.
fn rest(kind: FailureKind, claims: i64) -> Duration {
    match kind {
        FailureKind::RunnerStopped => Duration::ZERO,
        _ => RETRY_AFTER * 2_u32.pow(u32::try_from(claims - 1).unwrap_or(0).min(6)),
    }
}

/// The longest rest; a clock that jumped back makes none longer.
const LONGEST_REST: Duration = Duration::from_secs(5 * 64);
