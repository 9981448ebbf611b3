//! The queue of lab runs. A runner holds a job by a lease; whatever dies, the job is claimed again or ends as an
//! infrastructure failure, and only a graded report costs an attempt.

use std::time::Duration;

use protocol::{FailureKind, Nonce, Stage, StageTime};
use subtle::ConstantTimeEq;

use super::{JobId, JobState, JsonText, ReportId, RunnerId, StoreError, UserId, UtcMs, Word};

mod claim;
mod hold;
mod learner;

pub use claim::{Claimed, claim, expire};
pub use hold::{Assignment, Finished, HeldError, Lease, assignment, fail, finish, heartbeat};
pub use learner::{EnqueueError, attempts, cancel, enqueue, get, list};

/// A runner that is silent for this long has lost its job.
pub const LEASE: Duration = Duration::from_secs(60);
/// So often a job is handed out before it ends as an infrastructure failure.
pub const MAX_CLAIMS: i64 = 3;
/// Jobs of one learner that may wait or run at a time.
pub const MAX_ACTIVE: i64 = 3;
/// `failure` of a job whose last lease ran out.
pub const LEASE_EXPIRED: &str = "lease_expired";

const MESSAGE_MAX: usize = 2000;

/// A job as its learner and their instructor see it. Nonce and lease stay inside.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Job {
    pub id: JobId,
    pub user_id: UserId,
    pub lab: String,
    pub params: JsonText,
    pub state: JobState,
    pub stage: Word<Stage>,
    /// `Vec<protocol::StageTime>` of the present or last run.
    pub times: JsonText,
    pub created_ms: UtcMs,
    pub claimed_ms: Option<UtcMs>,
    pub finished_ms: Option<UtcMs>,
    /// How often it was handed out.
    pub claims: i64,
    /// `protocol::FailureKind::id()` or [`LEASE_EXPIRED`].
    pub failure: Option<String>,
    pub message: String,
    /// 1 is next; only while queued.
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
    pub(crate) runner_id: Option<RunnerId>,
    pub(crate) nonce: Option<String>,
    pub(crate) claims: i64,
}

impl Holding {
    /// Was the last claim this runner's, with this nonce? An expired lease still is, until somebody else claims.
    pub(crate) fn last_claim_is(&self, runner: RunnerId, nonce: &Nonce) -> bool {
        let given = nonce.to_string();
        let same = self.nonce.as_deref().map(|own| own.as_bytes().ct_eq(given.as_bytes()).into());
        self.runner_id == Some(runner) && same == Some(true)
    }
}

/// A retry can help only when the machine was at fault.
fn worth_a_retry(kind: FailureKind) -> bool {
    kind.class() == protocol::FailureClass::Infrastructure
}
