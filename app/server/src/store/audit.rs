//! What instructors did to other people's things. Appended, never changed.

use serde::Serialize;

use super::{AuditId, ClassId, JsonText, Store, StoreError, UserId, UtcMs, Viewer, clean_text};

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
        GradebookExported = "gradebook_exported",
        ReportRegraded = "report_regraded",
        DrillOpened = "drill_opened",
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
    let sql = "INSERT INTO audit_log (id, actor_id, class_id, action, subject, detail, at_ms) \
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let detail = JsonText::of(detail)?;
    write!(store, c => sqlx::query(sql)
        .bind(AuditId::new()).bind(actor).bind(class).bind(action).bind(clean_text(subject, 200)).bind(detail)
        .bind(store.now()).execute(c).await.map(drop))?;
    Ok(())
}

/// The newest entries of the viewer and of the classes that they teach; none for a learner.
pub async fn list(store: &Store, viewer: Viewer, limit: u32) -> Result<Vec<AuditEntry>, StoreError> {
    let sql = "SELECT a.id, a.actor_id, u.display_name AS actor, a.class_id, a.action, a.subject, a.detail, a.at_ms \
               FROM audit_log a JOIN users u ON u.id = a.actor_id \
               WHERE $2 AND (a.actor_id = $1 OR EXISTS (SELECT 1 FROM memberships t \
                 WHERE t.class_id = a.class_id AND t.user_id = $1 AND t.role = 'instructor')) \
               ORDER BY a.at_ms DESC, a.id DESC LIMIT $3";
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(i64::from(limit)).fetch_all(c).await)?)
}
