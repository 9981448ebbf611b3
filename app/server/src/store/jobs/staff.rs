//! The queue as those see it who look after it: what runs and waits, and the jobs that machines could not do.

use super::{Job, MAX_CLAIMS, PATIENCE, learner::columns};
use crate::store::{
    JobId, LogKind, Store, StoreError, UserId, Viewer,
    audit::{AuditAction, note},
};

/// A job with the names that its learner's teachers know.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct StaffJob {
    #[sqlx(flatten)]
    pub job: Job,
    pub learner: String,
    /// The runner of the last hand-out, while the job knows it.
    pub runner: Option<String>,
}

/// The viewer looks after job `j`: of a learner whose work they may see, or an instructor's own.
macro_rules! looked_after {
    ($user:literal) => {
        concat!("(($2 AND ", $user, " = $1) OR ", taught!($user), ")")
    };
}

/// An entry of the audit log about a learner's job, in a class in which the viewer sees that learner.
macro_rules! staff_note {
    ($tx:ident, $now:expr, $viewer:expr, $learner:expr, $action:expr, $lab:expr) => {{
        let sql = concat!(
            "SELECT t.class_id FROM memberships seen JOIN memberships t ON t.class_id = seen.class_id \
             WHERE seen.user_id = $3 AND seen.role = 'learner' AND t.user_id = $1 AND ",
            rights!(may_grade),
            " ORDER BY t.class_id LIMIT 1"
        );
        let class: Option<($crate::store::ClassId,)> = sqlx::query_as(sql)
            .bind($viewer.id())
            .bind($viewer.teaches())
            .bind($learner)
            .fetch_optional(&mut *$tx)
            .await?;
        let (subject, detail) = ($learner.to_string(), serde_json::json!({ "lab": $lab }));
        note!($tx, $now, $viewer.id(), class.map(|(id,)| id), $action, &subject, &detail);
    }};
}

macro_rules! staff_columns {
    () => {
        columns!(
            ", (SELECT u.display_name FROM users u WHERE u.id = j.user_id) AS learner, \
              (SELECT w.name FROM runners w WHERE w.id = j.runner_id) AS runner"
        )
    };
}

/// What runs, then what waits, in the order of their turns.
pub async fn in_line(store: &Store, viewer: Viewer, limit: u32) -> Result<Vec<StaffJob>, StoreError> {
    let sql = concat!(
        staff_columns!(),
        "j.state IN ('leased', 'queued') AND ",
        looked_after!("j.user_id"),
        " ORDER BY j.state, position, j.claimed_ms, j.id LIMIT $4"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(store.now().minus(PATIENCE)).bind(i64::from(limit))
        .fetch_all(c).await)?)
}

/// Jobs that ended as a failure of machines and that nobody has looked at yet, the latest first.
pub async fn dead(store: &Store, viewer: Viewer, limit: u32) -> Result<Vec<StaffJob>, StoreError> {
    let sql = concat!(
        staff_columns!(),
        "j.state = 'failed_infra' AND j.dismissed_ms IS NULL AND ",
        looked_after!("j.user_id"),
        " ORDER BY j.finished_ms DESC, j.id LIMIT $4"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(store.now().minus(PATIENCE)).bind(i64::from(limit))
        .fetch_all(c).await)?)
}

/// Queues a failed job again, with as many hand-outs as a new one. Reports of its earlier runs count no more. False
/// when there is none that the viewer looks after.
pub async fn requeue(store: &Store, viewer: Viewer, job: JobId) -> Result<bool, StoreError> {
    let now = store.now();
    let sql = concat!(
        "UPDATE jobs SET state = 'queued', stage = 'queued', claims_allowed = claims + $4, not_before_ms = 0, \
           finished_ms = NULL, dismissed_ms = NULL, runner_id = NULL, nonce = NULL, lease_until_ms = NULL, \
           failure = NULL, message = '' \
         WHERE id = $3 AND state = 'failed_infra' AND ",
        looked_after!("jobs.user_id"),
        " RETURNING user_id, lab, claims"
    );
    in_tx!(store, tx => {
        let done: Option<(UserId, String, i64)> = sqlx::query_as(sql)
            .bind(viewer.id()).bind(viewer.teaches()).bind(job).bind(MAX_CLAIMS).fetch_optional(&mut *tx).await?;
        let Some((learner, lab, claims)) = done else { return Ok(false) };
        log!(tx, now, job, claims, LogKind::Requeued, "");
        staff_note!(tx, now, viewer, learner, AuditAction::JobRequeued, &lab);
        Ok::<_, StoreError>(true)
    })
}

/// Takes a failed job off the list; it stays failed. False when there is none that the viewer looks after.
pub async fn dismiss(store: &Store, viewer: Viewer, job: JobId) -> Result<bool, StoreError> {
    let now = store.now();
    let sql = concat!(
        "UPDATE jobs SET dismissed_ms = $4 WHERE id = $3 AND state = 'failed_infra' AND dismissed_ms IS NULL AND ",
        looked_after!("jobs.user_id"),
        " RETURNING user_id, lab"
    );
    in_tx!(store, tx => {
        let done: Option<(UserId, String)> = sqlx::query_as(sql)
            .bind(viewer.id()).bind(viewer.teaches()).bind(job).bind(now).fetch_optional(&mut *tx).await?;
        let Some((learner, lab)) = done else { return Ok(false) };
        staff_note!(tx, now, viewer, learner, AuditAction::JobDismissed, &lab);
        Ok::<_, StoreError>(true)
    })
}
