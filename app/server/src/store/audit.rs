//! What instructors did to other people's things. Appended, never changed.

use serde::Serialize;

use super::{AuditId, ClassId, JsonText, Store, StoreError, UserId, UtcMs, Viewer};

kinds! {
    AuditAction {
        ClassCreated = "class_created",
        CodeRotated = "code_rotated",
        JoinOpened = "join_opened",
        JoinClosed = "join_closed",
        MemberRemoved = "member_removed",
        ResetIssued = "reset_issued",
        RunnerRegistered = "runner_registered",
        RunnerRevoked = "runner_revoked",
        JobCancelled = "job_cancelled",
        JobRequeued = "job_requeued",
        JobDismissed = "job_dismissed",
        RunnerPaused = "runner_paused",
        RunnerResumed = "runner_resumed",
        PrioritySet = "priority_set",
        GradebookExported = "gradebook_exported",
        ReportRegraded = "report_regraded",
        DrillOpened = "drill_opened",
        RightsSet = "rights_set",
        CountingSet = "counting_set",
        DatesSet = "dates_set",
        ExtensionSet = "extension_set",
        ExtensionRemoved = "extension_removed",
        ReleaseSet = "release_set",
        PointsSet = "points_set",
        PointsWithdrawn = "points_withdrawn",
        RegradeStarted = "regrade_started",
        RegradePublished = "regrade_published",
        RegradeDiscarded = "regrade_discarded",
        GradesImported = "grades_imported",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct AuditEntry {
    pub id: AuditId,
    pub actor_id: UserId,
    pub actor: String,
    pub class_id: Option<ClassId>,
    pub action: AuditAction,
    pub subject: String,
    /// The name of the account, where the subject is one.
    pub subject_name: Option<String>,
    pub detail: JsonText,
    pub at_ms: UtcMs,
}

/// `subject` names what was acted on (an id or a name); `detail` is free JSON without secrets.
pub async fn record(
    store: &Store,
    actor: UserId,
    class: Option<ClassId>,
    action: AuditAction,
    subject: &str,
    detail: &impl Serialize,
) -> Result<(), StoreError> {
    let now = store.now();
    in_tx!(store, tx => {
        note!(tx, now, actor, class, action, subject, detail);
        Ok(())
    })
}

/// `note!(tx, now, actor, class, action, subject, detail)`: an entry of the log in the transaction of what it tells.
macro_rules! note {
    ($tx:ident, $now:expr, $actor:expr, $class:expr, $action:expr, $subject:expr, $detail:expr) => {
        sqlx::query(
            "INSERT INTO audit_log (id, actor_id, class_id, action, subject, detail, at_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind($crate::store::AuditId::new())
        .bind($actor)
        .bind($class)
        .bind($action)
        .bind($crate::store::clean_text($subject, 200))
        .bind($crate::store::JsonText::of($detail)?)
        .bind($now)
        .execute(&mut *$tx)
        .await?
    };
}
pub(crate) use note;

macro_rules! columns {
    () => {
        "SELECT a.id, a.actor_id, u.display_name AS actor, a.class_id, a.action, a.subject, \
         (SELECT s.display_name FROM users s WHERE s.id = a.subject) AS subject_name, a.detail, a.at_ms \
         FROM audit_log a JOIN users u ON u.id = a.actor_id WHERE "
    };
}

/// The newest entries of the viewer and of the classes whose learners' work they may see; none for a learner.
pub async fn list(store: &Store, viewer: Viewer, limit: u32) -> Result<Vec<AuditEntry>, StoreError> {
    let sql = concat!(
        columns!(),
        "(($2 AND a.actor_id = $1) OR ",
        allowed!(may_grade, "a.class_id"),
        ") ORDER BY a.at_ms DESC, a.id DESC LIMIT $3"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(i64::from(limit)).fetch_all(c).await)?)
}

/// The entries of a class whose learners' work the viewer may see, newest first; those older than `before`, if given.
pub async fn of_class(
    store: &Store,
    viewer: Viewer,
    class: ClassId,
    before: Option<AuditId>,
    limit: u32,
) -> Result<Vec<AuditEntry>, StoreError> {
    let sql = concat!(
        columns!(),
        "a.class_id = $3 AND ",
        allowed!(may_grade, "$3"),
        // The id breaks ties of one millisecond, so that no entry falls between two pages.
        " AND ($5 IS NULL OR EXISTS (SELECT 1 FROM audit_log b WHERE b.id = $5 AND b.class_id = $3 \
          AND (a.at_ms, a.id) < (b.at_ms, b.id))) ORDER BY a.at_ms DESC, a.id DESC LIMIT $4"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(i64::from(limit)).bind(before)
        .fetch_all(c).await)?)
}
