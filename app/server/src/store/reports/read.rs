use super::ReportRow;
use crate::store::{ReportId, Store, StoreError, UserId, Viewer};

/// Which of the visible reports are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter<'a> {
    pub user: Option<UserId>,
    pub lab: Option<&'a str>,
}

/// Another learner's report with the same bytes.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Twin {
    pub report_id: ReportId,
    pub user_id: UserId,
    pub display_name: String,
}

macro_rules! columns {
    () => {
        "SELECT r.id, r.user_id, r.job_id, r.sha256, r.shape, r.lab, r.class, r.level, r.provenance, \
         r.device_backend, r.device_kind, r.device_name, r.runner_id, r.created_ms FROM reports r WHERE "
    };
}

/// The visible reports, newest first.
pub async fn list(store: &Store, viewer: Viewer, filter: Filter<'_>) -> Result<Vec<ReportRow>, StoreError> {
    const ORDER: &str = " ORDER BY r.created_ms DESC, r.id DESC";
    // Two texts, because `$3 IS NULL OR …` would keep SQLite from using the index by learner.
    let of_one = concat!(columns!(), visible!("r.user_id"), " AND ($3 IS NULL OR r.lab = $3) AND r.user_id = $4");
    let of_all = concat!(columns!(), visible!("r.user_id"), " AND ($3 IS NULL OR r.lab = $3)");
    let sql = sqlx::AssertSqlSafe(format!("{}{ORDER}", if filter.user.is_some() { of_one } else { of_all }));
    Ok(read!(store, c => {
        let query = sqlx::query_as(sql).bind(viewer.id()).bind(viewer.teaches()).bind(filter.lab);
        match filter.user {
            Some(user) => query.bind(user).fetch_all(c).await,
            None => query.fetch_all(c).await,
        }
    })?)
}

pub async fn get(store: &Store, viewer: Viewer, id: ReportId) -> Result<Option<ReportRow>, StoreError> {
    let sql = concat!(columns!(), visible!("r.user_id"), " AND r.id = $3");
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(id).fetch_optional(c).await)?)
}

/// The exact bytes that arrived.
pub async fn raw(store: &Store, viewer: Viewer, id: ReportId) -> Result<Option<Vec<u8>>, StoreError> {
    let sql = concat!("SELECT r.raw FROM reports r WHERE r.id = $3 AND ", visible!("r.user_id"));
    let row: Option<(Vec<u8>,)> = read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(id).fetch_optional(c).await)?;
    Ok(row.map(|(raw,)| raw))
}

/// Row and bytes for the grader, which acts for nobody.
pub async fn raw_for_grading(store: &Store, id: ReportId) -> Result<Option<(ReportRow, Vec<u8>)>, StoreError> {
    let row: Option<ReportRow> = {
        let sql = concat!(columns!(), "r.id = $1");
        read!(store, c => sqlx::query_as(sql).bind(id).fetch_optional(c).await)?
    };
    let Some(row) = row else { return Ok(None) };
    let sql = "SELECT raw FROM reports WHERE id = $1";
    let (raw,): (Vec<u8>,) = read!(store, c => sqlx::query_as(sql).bind(id).fetch_one(c).await)?;
    Ok(Some((row, raw)))
}

/// Reports that were stored but not graded: the server stopped in between. Oldest first.
pub async fn ungraded(store: &Store) -> Result<Vec<ReportId>, StoreError> {
    let sql = "SELECT r.id FROM reports r WHERE NOT EXISTS (SELECT 1 FROM grades g WHERE g.report_id = r.id) \
               ORDER BY r.created_ms, r.id";
    let rows: Vec<(ReportId,)> = read!(store, c => sqlx::query_as(sql).fetch_all(c).await)?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Identical files of other learners whose work the viewer may see; nothing for a learner.
pub async fn twins(store: &Store, viewer: Viewer, id: ReportId) -> Result<Vec<Twin>, StoreError> {
    let sql = concat!(
        "SELECT o.id AS report_id, o.user_id, u.display_name FROM reports r \
         JOIN reports o ON o.sha256 = r.sha256 AND o.user_id <> r.user_id JOIN users u ON u.id = o.user_id \
         WHERE r.id = $3 AND ",
        visible!("r.user_id"),
        " AND ",
        visible!("o.user_id"),
        " ORDER BY o.created_ms, o.id"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(id).fetch_all(c).await)?)
}
