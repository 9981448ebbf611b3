//! Points set by hand. Appended, never changed: the newest row of a part counts, and one without points takes back.

use evidence::Part;

use super::{
    ClassId, OverrideId, Store, StoreError, UserId, UtcMs, Viewer, Word, audit::AuditAction, audit::note, clean_text,
};

/// Longest reason, characters.
pub const REASON_MAX: usize = 500;
/// Most points that can be set, hundredths of a point: the database's own limit.
pub const HUNDREDTHS_MAX: i64 = 100_000;

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct OverrideRow {
    pub id: OverrideId,
    pub user_id: UserId,
    pub lab: String,
    pub part: Word<Part>,
    /// Hundredths of a point; `None`: taken back.
    pub hundredths: Option<i64>,
    pub reason: String,
    pub author_id: UserId,
    pub author: String,
    pub created_ms: UtcMs,
}

#[derive(Debug, thiserror::Error)]
pub enum OverrideError {
    /// There is no such learner in a class whose points the viewer may set.
    #[error("not allowed in this class")]
    NotAllowed,
    #[error("an override needs a reason with a letter or digit in it")]
    NoReason,
    #[error("points are 0 to {} ", HUNDREDTHS_MAX / 100)]
    Points,
    /// There is nothing to take back.
    #[error("no points are set")]
    NothingSet,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for OverrideError {
    fn from(err: sqlx::Error) -> Self {
        Self::Store(err.into())
    }
}

/// One part of a lab of a learner in a class.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    pub class: ClassId,
    pub learner: UserId,
    pub lab: &'a str,
    pub part: Part,
}

/// Sets the points of a part, whether or not anything was handed in; `None` takes back what was set.
pub async fn set(
    store: &Store,
    viewer: Viewer,
    cell: Cell<'_>,
    hundredths: Option<i64>,
    reason: &str,
) -> Result<OverrideId, OverrideError> {
    let reason = clean_text(reason.trim(), REASON_MAX);
    if !reason.chars().any(char::is_alphanumeric) {
        return Err(OverrideError::NoReason);
    }
    if hundredths.is_some_and(|points| !(0..=HUNDREDTHS_MAX).contains(&points)) {
        return Err(OverrideError::Points);
    }
    let (id, now) = (OverrideId::new(), store.now());
    // Whoever sets points in this class waits here, so that of two at once the second sees the first.
    let lock = sqlx::AssertSqlSafe(format!("SELECT id FROM classes WHERE id = $1{}", store.db.for_update()));
    let sql = concat!(
        "INSERT INTO point_overrides (id, class_id, user_id, lab, part, hundredths, reason, author_id, created_ms) \
         SELECT $4, $3, m.user_id, $6, $7, $8, $9, $1, $10 FROM memberships m \
         WHERE m.class_id = $3 AND m.user_id = $5 AND m.role = 'learner' AND ",
        allowed!(may_grade, "$3")
    );
    let newest = "SELECT hundredths FROM point_overrides WHERE class_id = $1 AND user_id = $2 AND lab = $3 \
                  AND part = $4 ORDER BY created_ms DESC, id DESC LIMIT 1";
    in_tx!(store, tx => {
        let _: Option<(ClassId,)> = sqlx::query_as(lock).bind(cell.class).fetch_optional(&mut *tx).await?;
        let before: Option<(Option<i64>,)> = sqlx::query_as(newest)
            .bind(cell.class).bind(cell.learner).bind(cell.lab).bind(Word(cell.part))
            .fetch_optional(&mut *tx).await?;
        let before = before.and_then(|(points,)| points);
        let done = sqlx::query(sql)
            .bind(viewer.id()).bind(viewer.teaches()).bind(cell.class).bind(id).bind(cell.learner).bind(cell.lab)
            .bind(Word(cell.part)).bind(hundredths).bind(reason.as_str()).bind(now)
            .execute(&mut *tx).await?;
        if done.rows_affected() == 0 {
            return Err(OverrideError::NotAllowed);
        }
        // After the right was seen: a stranger does not learn whether points are set.
        if hundredths.is_none() && before.is_none() {
            return Err(OverrideError::NothingSet);
        }
        let action = if hundredths.is_some() { AuditAction::PointsSet } else { AuditAction::PointsWithdrawn };
        let detail = serde_json::json!({
            "lab": cell.lab, "part": cell.part, "before_hundredths": before, "hundredths": hundredths,
            "reason": reason,
        });
        note!(tx, now, viewer.id(), cell.class, action, &cell.learner.to_string(), &detail);
        Ok(id)
    })
}

/// Everything that was set in a class, newest first: for who may see its learners' work, and to a learner what is their
/// own and shown.
pub async fn history(
    store: &Store,
    viewer: Viewer,
    class: ClassId,
    learner: Option<UserId>,
) -> Result<Vec<OverrideRow>, StoreError> {
    let sql = concat!(
        "SELECT o.id, o.user_id, o.lab, o.part, o.hundredths, o.reason, o.author_id, u.display_name AS author, \
           o.created_ms FROM point_overrides o JOIN users u ON u.id = o.author_id \
         JOIN memberships m ON m.class_id = o.class_id AND m.user_id = o.user_id AND m.role = 'learner' \
         WHERE o.class_id = $3 AND ($4 IS NULL OR o.user_id = $4) AND (",
        allowed!(may_grade, "$3"),
        " OR (o.user_id = $1 AND NOT ",
        held!("o.user_id", "o.lab", "$5"),
        ")) ORDER BY o.created_ms DESC, o.id DESC"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(learner).bind(store.now())
        .fetch_all(c).await)?)
}
