use super::LineState;
use crate::store::{JsonText, RegradeId, ReportId, Store, StoreError, UtcMs, Viewer};

/// One report of a regrade, old and new.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct RegradeLine {
    pub report_id: ReportId,
    pub login: String,
    pub display_name: String,
    pub lab: Option<String>,
    pub created_ms: UtcMs,
    pub state: LineState,
    pub old_version: String,
    pub old: JsonText,
    /// `None` while it waits, and when it could not be graded.
    pub new: Option<JsonText>,
}

/// So many reports of a regrade that the viewer may see, after the first `skip`: what changed first, then what could
/// not be graded, then the rest.
pub async fn lines(
    store: &Store,
    viewer: Viewer,
    id: RegradeId,
    skip: u32,
    limit: u32,
) -> Result<Vec<RegradeLine>, StoreError> {
    let sql = concat!(
        "SELECT l.report_id, u.login, u.display_name, r.lab, r.created_ms, l.state, o.grader_version AS old_version, \
           o.grade AS old, COALESCE(n.grade, l.grade) AS new \
         FROM regrades x JOIN regrade_lines l ON l.regrade_id = x.id JOIN reports r ON r.id = l.report_id \
           JOIN users u ON u.id = r.user_id JOIN grades o ON o.id = l.old_grade_id \
           LEFT JOIN grades n ON n.id = l.new_grade_id \
         WHERE x.id = $3 AND ",
        allowed!(may_grade, "x.class_id"),
        " ORDER BY CASE l.state WHEN 'changed' THEN 0 WHEN 'published' THEN 0 WHEN 'overtaken' THEN 1 \
           WHEN 'failed' THEN 1 WHEN 'same' THEN 2 ELSE 3 END, u.display_name, u.login_key, r.created_ms, r.id \
         LIMIT $4 OFFSET $5"
    );
    Ok(read!(store, c => sqlx::query_as(sql).bind(viewer.id()).bind(viewer.teaches()).bind(id)
        .bind(i64::from(limit)).bind(i64::from(skip)).fetch_all(c).await)?)
}
