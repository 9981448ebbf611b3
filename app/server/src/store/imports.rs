//! Spreadsheets that came in: what they would change is worked out when they arrive, and kept until it is applied.

use serde_json::Value;

use super::audit::{AuditAction, note};
use super::{ClassId, ImportId, JsonText, Store, StoreError, UserId, UtcMs, Viewer, clean_text};

const FILE_MAX: usize = 200;
/// So many of a class are listed.
const LISTED: i64 = 10;

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct ImportRow {
    pub id: ImportId,
    pub class_id: ClassId,
    pub author_id: UserId,
    pub author: String,
    pub file: String,
    pub plan: JsonText,
    pub created_ms: UtcMs,
    pub applied_ms: Option<UtcMs>,
}

/// Keeps a plan; `None` where the viewer may not grade the class.
pub async fn keep(
    store: &Store,
    viewer: Viewer,
    class: ClassId,
    file: &str,
    plan: &JsonText,
) -> Result<Option<ImportId>, StoreError> {
    let id = ImportId::new();
    let sql = concat!(
        "INSERT INTO grade_imports (id, class_id, author_id, file, plan, created_ms) \
         SELECT $4, c.id, $1, $5, $6, $7 FROM classes c WHERE c.id = $3 AND ",
        allowed!(may_grade, "$3")
    );
    let file = clean_text(file, FILE_MAX);
    let done = write!(store, c => sqlx::query(sql).bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(id)
        .bind(file).bind(plan).bind(store.now()).execute(c).await.map(|done| done.rows_affected()))?;
    Ok((done == 1).then_some(id))
}

macro_rules! columns {
    () => {
        "SELECT i.id, i.class_id, i.author_id, u.display_name AS author, i.file, i.plan, i.created_ms, i.applied_ms \
         FROM grade_imports i JOIN users u ON u.id = i.author_id WHERE i.class_id = $3 AND "
    };
}

/// One of a class whose learners the viewer may grade.
pub async fn get(store: &Store, viewer: Viewer, class: ClassId, id: ImportId) -> Result<Option<ImportRow>, StoreError> {
    let sql = concat!(columns!(), allowed!(may_grade, "$3"), " AND i.id = $4");
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(id).fetch_optional(c).await)?)
}

/// The newest of a class whose learners the viewer may grade.
pub async fn list(store: &Store, viewer: Viewer, class: ClassId) -> Result<Vec<ImportRow>, StoreError> {
    let sql = concat!(columns!(), allowed!(may_grade, "$3"), " ORDER BY i.created_ms DESC, i.id DESC LIMIT $4");
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(LISTED).fetch_all(c).await)?)
}

/// All of its changes are made. The log tells it once, with the detail of who was first.
pub async fn applied(store: &Store, viewer: Viewer, import: &ImportRow, detail: &Value) -> Result<(), StoreError> {
    let now = store.now();
    in_tx!(store, tx => {
        let sql = "UPDATE grade_imports SET applied_ms = $2 WHERE id = $1 AND applied_ms IS NULL";
        let done = sqlx::query(sql).bind(import.id).bind(now).execute(&mut *tx).await?.rows_affected();
        if done == 1 {
            let subject = import.id.to_string();
            note!(tx, now, viewer.id(), import.class_id, AuditAction::GradesImported, &subject, detail);
        }
        Ok(())
    })
}
