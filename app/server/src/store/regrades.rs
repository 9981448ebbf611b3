//! Regrades: the stored reports of a class through one version of the grader. Old and new stand side by side until
//! somebody publishes; then grades are appended. Work is done in small steps by whoever calls [`next`], and what a stop
//! left undone is still there.

use serde_json::json;

use super::audit::{AuditAction, note};
use super::{ClassId, RegradeId, Store, StoreError, UserId, UtcMs, Viewer};

mod lines;
mod steps;

pub use lines::{RegradeLine, lines};
pub use steps::{Judged, Next, next, publish_some, write};

kinds! {
    /// Where a regrade stands. `Outdated`: the grader changed before it was published.
    RegradeState {
        Running = "running", Ready = "ready", Publishing = "publishing", Published = "published",
        Discarded = "discarded", Outdated = "outdated",
    }
    /// Where one report of it stands. `Overtaken`: another grade counted by the time of publishing.
    LineState {
        Waiting = "waiting", Same = "same", Changed = "changed", Failed = "failed", Published = "published",
        Overtaken = "overtaken",
    }
}

/// A regrade with its counts.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Regrade {
    pub id: RegradeId,
    pub class_id: ClassId,
    /// `None`: every lab.
    pub lab: Option<String>,
    pub grader_version: String,
    pub state: RegradeState,
    pub started_by: UserId,
    pub author: String,
    pub created_ms: UtcMs,
    pub decided_ms: Option<UtcMs>,
    pub total: i64,
    pub waiting: i64,
    pub same: i64,
    pub changed: i64,
    pub failed: i64,
    pub published: i64,
    pub overtaken: i64,
}

impl Regrade {
    pub fn done(&self) -> i64 {
        self.total - self.waiting
    }
}

#[derive(Debug, thiserror::Error)]
pub enum RegradeError {
    #[error("the class's learners are not the viewer's to grade")]
    NotAllowed,
    #[error("no graded report to grade anew")]
    Empty,
    #[error("it is not in a state for that")]
    NotNow,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for RegradeError {
    fn from(err: sqlx::Error) -> Self {
        Self::Store(err.into())
    }
}

/// Lines up the graded reports of a class's learners, of one lab or of all. An earlier regrade of the class that was
/// not published is discarded: two would grade the same reports twice.
pub async fn start(
    store: &Store,
    viewer: Viewer,
    class: ClassId,
    lab: Option<&str>,
    grader_version: &str,
) -> Result<RegradeId, RegradeError> {
    let (id, now) = (RegradeId::new(), store.now());
    in_tx!(store, tx => {
        let class_there: Option<(ClassId,)> =
            sqlx::query_as(concat!("SELECT c.id FROM classes c WHERE c.id = $3 AND ", allowed!(may_grade, "c.id")))
                .bind(viewer.id()).bind(viewer.teaches()).bind(class).fetch_optional(&mut *tx).await?;
        if class_there.is_none() {
            return Err(RegradeError::NotAllowed);
        }
        sqlx::query(
            "DELETE FROM regrade_lines WHERE regrade_id IN \
               (SELECT id FROM regrades WHERE class_id = $1 AND state IN ('running', 'ready'))",
        )
        .bind(class).execute(&mut *tx).await?;
        sqlx::query(
            "UPDATE regrades SET state = 'discarded', decided_by = $2, decided_ms = $3 \
             WHERE class_id = $1 AND state IN ('running', 'ready')",
        )
        .bind(class).bind(viewer.id()).bind(now).execute(&mut *tx).await?;
        sqlx::query(
            "INSERT INTO regrades (id, class_id, lab, grader_version, state, started_by, created_ms) \
             VALUES ($1, $2, $3, $4, 'running', $5, $6)",
        )
        .bind(id).bind(class).bind(lab).bind(grader_version).bind(viewer.id()).bind(now).execute(&mut *tx).await?;
        let lined = sqlx::query(
            "INSERT INTO regrade_lines (regrade_id, report_id, old_grade_id, state) \
             SELECT $1, r.id, g.id, 'waiting' FROM reports r JOIN grades g ON g.report_id = r.id \
             WHERE ($3 IS NULL OR r.lab = $3) \
               AND EXISTS (SELECT 1 FROM memberships m WHERE m.class_id = $2 AND m.user_id = r.user_id \
                 AND m.role = 'learner') \
               AND NOT EXISTS (SELECT 1 FROM grades n WHERE n.report_id = g.report_id \
                 AND (n.created_ms, n.id) > (g.created_ms, g.id))",
        )
        .bind(id).bind(class).bind(lab).execute(&mut *tx).await?.rows_affected();
        // Rolled back: the earlier one stays as well.
        if lined == 0 {
            return Err(RegradeError::Empty);
        }
        let detail = json!({ "lab": lab, "to": grader_version, "reports": lined });
        note!(tx, now, viewer.id(), class, AuditAction::RegradeStarted, &id.to_string(), &detail);
        Ok(id)
    })
}

macro_rules! columns {
    () => {
        "SELECT x.id, x.class_id, x.lab, x.grader_version, x.state, x.started_by, u.display_name AS author, \
           x.created_ms, x.decided_ms, COUNT(l.report_id) AS total, \
           COUNT(CASE WHEN l.state = 'waiting' THEN 1 END) AS waiting, \
           COUNT(CASE WHEN l.state = 'same' THEN 1 END) AS same, \
           COUNT(CASE WHEN l.state = 'changed' THEN 1 END) AS changed, \
           COUNT(CASE WHEN l.state = 'failed' THEN 1 END) AS failed, \
           COUNT(CASE WHEN l.state = 'published' THEN 1 END) AS published, \
           COUNT(CASE WHEN l.state = 'overtaken' THEN 1 END) AS overtaken \
         FROM regrades x JOIN users u ON u.id = x.started_by LEFT JOIN regrade_lines l ON l.regrade_id = x.id WHERE "
    };
}

const GROUP: &str = " GROUP BY x.id, x.class_id, x.lab, x.grader_version, x.state, x.started_by, u.display_name, \
                     x.created_ms, x.decided_ms ORDER BY x.created_ms DESC, x.id DESC LIMIT 20";

/// The newest regrades of a class whose learners the viewer may grade.
pub async fn list(store: &Store, viewer: Viewer, class: ClassId) -> Result<Vec<Regrade>, StoreError> {
    let sql = sqlx::AssertSqlSafe(format!(
        "{}{GROUP}",
        concat!(columns!(), "x.class_id = $3 AND ", allowed!(may_grade, "x.class_id"))
    ));
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).fetch_all(c).await)?)
}

pub async fn get(store: &Store, viewer: Viewer, id: RegradeId) -> Result<Option<Regrade>, StoreError> {
    let sql = sqlx::AssertSqlSafe(format!(
        "{}{GROUP}",
        concat!(columns!(), "x.id = $3 AND ", allowed!(may_grade, "x.class_id"))
    ));
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(id).fetch_optional(c).await)?)
}

/// `decided!(tx, now, viewer, id, action)`: the entry of the log about what became of a regrade.
macro_rules! decided {
    ($tx:ident, $now:ident, $viewer:ident, $id:ident, $action:expr) => {{
        let sql = "SELECT x.class_id, x.lab, x.grader_version, COUNT(l.report_id), \
                     COUNT(CASE WHEN l.state = 'changed' THEN 1 END) \
                   FROM regrades x LEFT JOIN regrade_lines l ON l.regrade_id = x.id WHERE x.id = $1 \
                   GROUP BY x.class_id, x.lab, x.grader_version";
        let (class, lab, to, reports, changed): (ClassId, Option<String>, String, i64, i64) =
            sqlx::query_as(sql).bind($id).fetch_one(&mut *$tx).await?;
        let detail = json!({ "lab": lab, "to": to, "reports": reports, "changed": changed });
        note!($tx, $now, $viewer.id(), class, $action, &$id.to_string(), &detail);
    }};
}

/// From now on the new grades are appended, step by step. Only what is complete, and only for the grader it was made
/// with.
pub async fn publish(store: &Store, viewer: Viewer, id: RegradeId, grader_version: &str) -> Result<(), RegradeError> {
    let now = store.now();
    in_tx!(store, tx => {
        let sql = concat!(
            "UPDATE regrades SET state = 'publishing', decided_by = $1, decided_ms = $4 \
             WHERE id = $3 AND state = 'ready' AND grader_version = $5 AND ",
            allowed!(may_grade, "class_id")
        );
        let done = sqlx::query(sql).bind(viewer.id()).bind(viewer.teaches()).bind(id).bind(now).bind(grader_version)
            .execute(&mut *tx).await?.rows_affected();
        if done == 0 {
            return Err(RegradeError::NotNow);
        }
        decided!(tx, now, viewer, id, AuditAction::RegradePublished);
        Ok(())
    })
}

/// Forgets an unpublished regrade and its new grades.
pub async fn discard(store: &Store, viewer: Viewer, id: RegradeId) -> Result<(), RegradeError> {
    let now = store.now();
    in_tx!(store, tx => {
        let sql = concat!(
            "UPDATE regrades SET state = 'discarded', decided_by = $1, decided_ms = $4 \
             WHERE id = $3 AND state IN ('running', 'ready', 'outdated') AND ",
            allowed!(may_grade, "class_id")
        );
        let done = sqlx::query(sql).bind(viewer.id()).bind(viewer.teaches()).bind(id).bind(now)
            .execute(&mut *tx).await?.rows_affected();
        if done == 0 {
            return Err(RegradeError::NotNow);
        }
        decided!(tx, now, viewer, id, AuditAction::RegradeDiscarded);
        sqlx::query("DELETE FROM regrade_lines WHERE regrade_id = $1").bind(id).execute(&mut *tx).await?;
        Ok(())
    })
}
