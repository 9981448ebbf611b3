use protocol::{KernelSource, Stage};

use super::{Job, MAX_ACTIVE};
use crate::store::kernels::keep_kernel;
use crate::store::{JobId, JsonText, Store, StoreError, UserId, Viewer, Word};

#[derive(Debug, thiserror::Error)]
pub enum EnqueueError {
    #[error("{active} jobs wait or run; {limit} may")]
    TooMany { active: i64, limit: i64 },
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

/// Puts a run at the end of the queue, with the learner's own kernel if it runs one.
pub async fn enqueue(
    store: &Store,
    user: UserId,
    lab: &str,
    params: &JsonText,
    kernel: Option<&KernelSource>,
) -> Result<JobId, EnqueueError> {
    let (id, now) = (JobId::new(), store.now());
    let lock = format!("SELECT id FROM users WHERE id = $1{}", store.db.for_update());
    in_tx!(store, tx => {
        // Holding the learner's row makes counting and inserting one step for two tabs that press Run together.
        let learner: Option<(UserId,)> =
            sqlx::query_as(sqlx::AssertSqlSafe(lock)).bind(user).fetch_optional(&mut *tx).await?;
        if learner.is_none() {
            return Err(EnqueueError::NoUser);
        }
        let (active,): (i64,) =
            sqlx::query_as("SELECT COUNT(*) FROM jobs WHERE user_id = $1 AND state IN ('queued', 'leased')")
                .bind(user).fetch_one(&mut *tx).await?;
        if active >= MAX_ACTIVE {
            return Err(EnqueueError::TooMany { active, limit: MAX_ACTIVE });
        }
        sqlx::query(
            "INSERT INTO jobs (id, user_id, lab, params, state, stage, times, created_ms, claims, message) \
             VALUES ($1, $2, $3, $4, 'queued', $5, '[]', $6, 0, '')",
        )
        .bind(id).bind(user).bind(lab).bind(params).bind(Word(Stage::Queued)).bind(now)
        .execute(&mut *tx).await?;
        if let Some(kernel) = kernel {
            keep_kernel!(tx, id, kernel);
        }
        Ok(id)
    })
}

macro_rules! columns {
    () => {
        "SELECT j.id, j.user_id, j.lab, j.params, j.state, j.stage, j.times, j.created_ms, j.claimed_ms, \
         j.finished_ms, j.claims, j.failure, j.message, r.id AS report_id, \
         CASE WHEN j.state = 'queued' THEN (SELECT COUNT(*) FROM jobs q WHERE q.state = 'queued' \
           AND (q.created_ms, q.id) <= (j.created_ms, j.id)) END AS position \
         FROM jobs j LEFT JOIN reports r ON r.job_id = j.id WHERE "
    };
}

pub async fn get(store: &Store, viewer: Viewer, id: JobId) -> Result<Option<Job>, StoreError> {
    let sql = concat!(columns!(), visible!("j.user_id"), " AND j.id = $3");
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(id).fetch_optional(c).await)?)
}

/// One learner's jobs, newest first.
pub async fn list(store: &Store, viewer: Viewer, user: UserId, limit: u32) -> Result<Vec<Job>, StoreError> {
    let sql = concat!(
        columns!(),
        visible!("j.user_id"),
        " AND j.user_id = $3 ORDER BY j.created_ms DESC, j.id DESC LIMIT $4"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(user).bind(i64::from(limit)).fetch_all(c).await)?)
}

/// Withdraws a job that waits or runs; its runner learns it from the next heartbeat. False when there was none.
pub async fn cancel(store: &Store, viewer: Viewer, id: JobId) -> Result<bool, StoreError> {
    let sql = concat!(
        "UPDATE jobs SET state = 'cancelled', stage = 'cancelled', finished_ms = $4, lease_until_ms = NULL \
         WHERE id = $3 AND state IN ('queued', 'leased') AND ",
        visible!("jobs.user_id")
    );
    let done = write!(store, c => sqlx::query(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(id).bind(store.now())
        .execute(c).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
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
