use std::time::Duration;

use protocol::Stage;

use super::{CLASS_FIRST, INSTRUCTOR, Job, Limits, NewJob, PATIENCE};
use crate::store::kernels::keep_kernel;
use crate::store::{
    JobId, LogKind, Role, Store, StoreError, UserId, UtcMs, Viewer, Word,
    audit::{AuditAction, note},
};

#[derive(Debug, thiserror::Error)]
pub enum EnqueueError {
    #[error("{active} jobs wait or run; {limit} may")]
    TooMany { active: i64, limit: u32 },
    /// So many in the last sixty minutes; the next one may start at that time.
    #[error("{limit} jobs in an hour; the next may start at {next:?}")]
    TooOften { limit: u32, next: UtcMs },
    #[error("no such account")]
    NoUser,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for EnqueueError {
    fn from(err: sqlx::Error) -> Self {
        Self::Store(err.into())
    }
}

/// What an hourly limit counts over.
const HOUR: Duration = Duration::from_secs(3600);

/// Puts a run into the queue, behind the learner's others, with the learner's own kernel if it runs one.
pub async fn enqueue(store: &Store, user: UserId, new: &NewJob<'_>, limits: &Limits) -> Result<JobId, EnqueueError> {
    let (id, now) = (JobId::new(), store.now());
    let lock = format!("SELECT role FROM users WHERE id = $1{}", store.db.for_update());
    in_tx!(store, tx => {
        // Holding the learner's row makes counting and inserting one step for two tabs that press Run together.
        let learner: Option<(Role,)> =
            sqlx::query_as(sqlx::AssertSqlSafe(lock)).bind(user).fetch_optional(&mut *tx).await?;
        let Some((role,)) = learner else { return Err(EnqueueError::NoUser) };
        let (active,): (i64,) =
            sqlx::query_as("SELECT COUNT(*) FROM jobs WHERE user_id = $1 AND state IN ('queued', 'leased')")
                .bind(user).fetch_one(&mut *tx).await?;
        if active >= i64::from(limits.active) {
            return Err(EnqueueError::TooMany { active, limit: limits.active });
        }
        // The oldest of the last `hourly` jobs has to leave the hour. A job from the future of a clock that jumped back
        // would close the queue for longer than an hour: it does not count.
        let oldest: Option<(UtcMs,)> = sqlx::query_as(
            "SELECT created_ms FROM jobs WHERE user_id = $1 AND state NOT IN ('cancelled', 'failed_infra') \
             AND created_ms > $2 AND created_ms <= $3 ORDER BY created_ms DESC LIMIT 1 OFFSET $4",
        )
        .bind(user).bind(now.minus(HOUR)).bind(now).bind(i64::from(limits.hourly) - 1)
        .fetch_optional(&mut *tx).await?;
        if let Some((oldest,)) = oldest {
            return Err(EnqueueError::TooOften { limit: limits.hourly, next: oldest.plus(HOUR) });
        }
        let (class_first,): (bool,) = sqlx::query_as(
            "SELECT EXISTS (SELECT 1 FROM memberships m JOIN classes c ON c.id = m.class_id \
             WHERE m.user_id = $1 AND m.role = 'learner' AND c.priority > 0)",
        )
        .bind(user).fetch_one(&mut *tx).await?;
        let priority = match role {
            Role::Instructor => INSTRUCTOR,
            Role::Learner if class_first => CLASS_FIRST,
            Role::Learner => 0,
        };
        sqlx::query(
            "INSERT INTO jobs (id, user_id, lab, params, state, stage, times, created_ms, claims, message, priority, \
               needs_backend, needs_class, needs_memory_bytes, needs_label) \
             VALUES ($1, $2, $3, $4, 'queued', $5, '[]', $6, 0, '', $7, $8, $9, $10, $11)",
        )
        .bind(id).bind(user).bind(new.lab).bind(new.params).bind(Word(Stage::Queued)).bind(now).bind(priority)
        .bind(new.needs.backend.as_deref()).bind(new.needs.class).bind(new.needs.memory_bytes)
        .bind(new.needs.label.as_deref())
        .execute(&mut *tx).await?;
        if let Some(kernel) = new.kernel {
            keep_kernel!(tx, id, kernel);
        }
        log!(tx, now, id, 0_i64, LogKind::Queued, "");
        Ok(id)
    })
}

/// `$3`: the moment before which waiting jobs have waited long enough ([`PATIENCE`]).
macro_rules! columns {
    ($($more:literal)?) => {
        concat!(
            "SELECT j.id, j.user_id, j.lab, j.params, j.needs_backend, j.needs_class, j.needs_memory_bytes, \
             j.needs_label, j.state, j.stage, j.times, j.created_ms, j.claimed_ms, j.finished_ms, j.not_before_ms, \
             j.claims, j.failure, j.message, r.id AS report_id, CASE WHEN j.state = 'queued' THEN ",
            place!("j.id", "$3"),
            " END AS position",
            $($more,)?
            " FROM jobs j LEFT JOIN reports r ON r.job_id = j.id WHERE "
        )
    };
}
pub(super) use columns;

pub async fn get(store: &Store, viewer: Viewer, id: JobId) -> Result<Option<Job>, StoreError> {
    let sql = concat!(columns!(), visible!("j.user_id"), " AND j.id = $4");
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(store.now().minus(PATIENCE)).bind(id)
        .fetch_optional(c).await)?)
}

/// One learner's jobs, newest first.
pub async fn list(store: &Store, viewer: Viewer, user: UserId, limit: u32) -> Result<Vec<Job>, StoreError> {
    let sql = concat!(
        columns!(),
        visible!("j.user_id"),
        " AND j.user_id = $4 ORDER BY j.created_ms DESC, j.id DESC LIMIT $5"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(store.now().minus(PATIENCE)).bind(user).bind(i64::from(limit))
        .fetch_all(c).await)?)
}

/// Withdraws a job that waits or runs: its place, its turn and its part of the hour are free at once, and its runner
/// learns it from the next heartbeat. False when there was none.
pub async fn cancel(store: &Store, viewer: Viewer, id: JobId) -> Result<bool, StoreError> {
    let sql = concat!(
        "UPDATE jobs SET state = 'cancelled', stage = 'cancelled', finished_ms = $4, lease_until_ms = NULL \
         WHERE id = $3 AND state IN ('queued', 'leased') AND ",
        visible!("jobs.user_id"),
        " RETURNING user_id, lab, claims"
    );
    let now = store.now();
    in_tx!(store, tx => {
        let done: Option<(UserId, String, i64)> = sqlx::query_as(sql)
            .bind(viewer.id()).bind(viewer.teaches()).bind(id).bind(now).fetch_optional(&mut *tx).await?;
        let Some((owner, lab, claims)) = done else { return Ok(false) };
        log!(tx, now, id, claims, LogKind::Cancelled, "");
        if owner != viewer.id() {
            staff_note!(tx, now, viewer, owner, AuditAction::JobCancelled, &lab);
        }
        Ok::<_, StoreError>(true)
    })
}

/// Attempts that a learner has spent on a lab: jobs whose report was graded as evidence. Failures, cancelled jobs and
/// reports that are no evidence cost nothing.
pub async fn attempts(store: &Store, viewer: Viewer, user: UserId, lab: &str) -> Result<i64, StoreError> {
    let sql = concat!(
        "SELECT COUNT(*) FROM jobs j JOIN reports r ON r.job_id = j.id WHERE j.user_id = $3 AND j.lab = $4 \
         AND EXISTS (SELECT 1 FROM grades g WHERE g.report_id = r.id AND g.outcome = 'graded') AND ",
        visible!("j.user_id")
    );
    let (spent,): (i64,) = read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(user).bind(lab).fetch_one(c).await)?;
    Ok(spent)
}
