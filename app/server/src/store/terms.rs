//! What a class asks of a lab: its dates, those of single learners, when points are shown, and which attempt counts.

use serde::Serialize;

use super::{ClassId, Counting, Release, Store, StoreError, UserId, UtcMs, Viewer, audit::AuditAction, audit::note};
use crate::credit::{Timeline, TimelineError};

/// When learners see points and feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    AtOnce,
    Held,
    /// From this instant on.
    At(UtcMs),
}

impl Shown {
    /// Whether learners see nothing yet.
    pub fn holds(self, now: UtcMs) -> bool {
        match self {
            Self::AtOnce => false,
            Self::Held => true,
            Self::At(at) => at > now,
        }
    }

    fn columns(self) -> (Release, Option<UtcMs>) {
        match self {
            Self::AtOnce => (Release::AtOnce, None),
            Self::Held => (Release::Held, None),
            Self::At(at) => (Release::At, Some(at)),
        }
    }
}

/// The terms of one lab in a class.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Terms {
    pub lab: String,
    #[sqlx(flatten)]
    pub timeline: Timeline,
    release: Release,
    release_ms: Option<UtcMs>,
}

impl Terms {
    pub fn shown(&self) -> Shown {
        match (self.release, self.release_ms) {
            (Release::AtOnce, _) => Shown::AtOnce,
            (Release::At, Some(at)) => Shown::At(at),
            (Release::Held | Release::At, _) => Shown::Held,
        }
    }
}

/// The dates of one learner.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Extension {
    pub user_id: UserId,
    pub lab: String,
    #[sqlx(flatten)]
    pub timeline: Timeline,
}

#[derive(Debug, thiserror::Error)]
pub enum TermsError {
    /// There is no such class, or learner in it, for which the viewer may do this.
    #[error("not allowed in this class")]
    NotAllowed,
    #[error(transparent)]
    Timeline(#[from] TimelineError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for TermsError {
    fn from(err: sqlx::Error) -> Self {
        Self::Store(err.into())
    }
}

macro_rules! dates {
    () => {
        "open_ms, early_ms, early_percent, due_ms, late_percent, closed_ms"
    };
}

/// The labs of a class for which something was set, for everybody who belongs to it.
pub async fn of_class(store: &Store, viewer: Viewer, class: ClassId) -> Result<Vec<Terms>, StoreError> {
    let sql = concat!(
        "SELECT lab, ",
        dates!(),
        ", release, release_ms FROM lab_terms WHERE class_id = $3 AND ",
        allowed!(belong, "$3"),
        " ORDER BY lab"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).fetch_all(c).await)?)
}

/// The extensions of a class: the viewer's own, or all for who may see its learners' work.
pub async fn extensions(store: &Store, viewer: Viewer, class: ClassId) -> Result<Vec<Extension>, StoreError> {
    let sql = concat!(
        "SELECT user_id, lab, ",
        dates!(),
        " FROM lab_extensions WHERE class_id = $3 AND (user_id = $1 OR ",
        allowed!(may_grade, "$3"),
        ") ORDER BY lab, user_id"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).fetch_all(c).await)?)
}

macro_rules! bind_dates {
    ($query:expr, $dates:expr) => {
        $query
            .bind($dates.open_ms)
            .bind($dates.early_ms)
            .bind($dates.early_percent)
            .bind($dates.due_ms)
            .bind($dates.late_percent)
            .bind($dates.closed_ms)
    };
}

/// The assignments of an upsert.
macro_rules! moved {
    () => {
        "open_ms = excluded.open_ms, early_ms = excluded.early_ms, early_percent = excluded.early_percent, \
         due_ms = excluded.due_ms, late_percent = excluded.late_percent, closed_ms = excluded.closed_ms"
    };
}

/// Sets the dates of a lab. Every credit follows, because none is stored.
pub async fn set_dates(
    store: &Store,
    viewer: Viewer,
    class: ClassId,
    lab: &str,
    dates: &Timeline,
) -> Result<(), TermsError> {
    dates.check()?;
    let now = store.now();
    let sql = concat!(
        "INSERT INTO lab_terms (class_id, lab, ",
        dates!(),
        ", release) SELECT $3, $4, $5, $6, $7, $8, $9, $10, 'at_once' WHERE ",
        allowed!(may_edit, "$3"),
        " ON CONFLICT (class_id, lab) DO UPDATE SET ",
        moved!()
    );
    let old = concat!("SELECT ", dates!(), " FROM lab_terms WHERE class_id = $1 AND lab = $2");
    in_tx!(store, tx => {
        let before: Option<Timeline> = sqlx::query_as(old).bind(class).bind(lab).fetch_optional(&mut *tx).await?;
        let query = sqlx::query(sql).bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(lab);
        if bind_dates!(query, dates).execute(&mut *tx).await?.rows_affected() == 0 {
            return Err(TermsError::NotAllowed);
        }
        let detail = serde_json::json!({ "before": before, "after": dates });
        note!(tx, now, viewer.id(), class, AuditAction::DatesSet, lab, &detail);
        Ok(())
    })
}

/// Sets when learners see points and feedback of a lab.
pub async fn set_release(
    store: &Store,
    viewer: Viewer,
    class: ClassId,
    lab: &str,
    shown: Shown,
) -> Result<(), TermsError> {
    let (now, (release, at)) = (store.now(), shown.columns());
    let sql = concat!(
        "INSERT INTO lab_terms (class_id, lab, release, release_ms) SELECT $3, $4, $5, $6 WHERE ",
        allowed!(may_edit, "$3"),
        " ON CONFLICT (class_id, lab) DO UPDATE SET release = excluded.release, release_ms = excluded.release_ms"
    );
    in_tx!(store, tx => {
        let done = sqlx::query(sql)
            .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(lab).bind(release).bind(at)
            .execute(&mut *tx).await?;
        if done.rows_affected() == 0 {
            return Err(TermsError::NotAllowed);
        }
        note!(tx, now, viewer.id(), class, AuditAction::ReleaseSet, lab, &shown);
        Ok(())
    })
}

/// Gives one learner dates of their own: needs both rights, for it is a date and about a learner.
pub async fn extend(
    store: &Store,
    viewer: Viewer,
    class: ClassId,
    lab: &str,
    learner: UserId,
    dates: &Timeline,
) -> Result<(), TermsError> {
    dates.check()?;
    let now = store.now();
    let sql = concat!(
        "INSERT INTO lab_extensions (class_id, lab, user_id, ",
        dates!(),
        ") SELECT $3, $4, m.user_id, $6, $7, $8, $9, $10, $11 FROM memberships m \
         WHERE m.class_id = $3 AND m.user_id = $5 AND m.role = 'learner' AND ",
        allowed!(may_edit, "$3"),
        " AND ",
        allowed!(may_grade, "$3"),
        " ON CONFLICT (class_id, lab, user_id) DO UPDATE SET ",
        moved!()
    );
    in_tx!(store, tx => {
        let query = sqlx::query(sql).bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(lab).bind(learner);
        if bind_dates!(query, dates).execute(&mut *tx).await?.rows_affected() == 0 {
            return Err(TermsError::NotAllowed);
        }
        let detail = serde_json::json!({ "lab": lab, "after": dates });
        note!(tx, now, viewer.id(), class, AuditAction::ExtensionSet, &learner.to_string(), &detail);
        Ok(())
    })
}

/// Puts a learner back on the dates of the class.
pub async fn end_extension(
    store: &Store,
    viewer: Viewer,
    class: ClassId,
    lab: &str,
    learner: UserId,
) -> Result<(), TermsError> {
    let now = store.now();
    let sql = concat!(
        "DELETE FROM lab_extensions WHERE class_id = $3 AND lab = $4 AND user_id = $5 AND ",
        allowed!(may_edit, "$3"),
        " AND ",
        allowed!(may_grade, "$3")
    );
    in_tx!(store, tx => {
        let done = sqlx::query(sql)
            .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(lab).bind(learner)
            .execute(&mut *tx).await?;
        if done.rows_affected() == 0 {
            return Err(TermsError::NotAllowed);
        }
        let detail = serde_json::json!({ "lab": lab });
        note!(tx, now, viewer.id(), class, AuditAction::ExtensionRemoved, &learner.to_string(), &detail);
        Ok(())
    })
}

/// Which attempt counts in a class.
pub async fn set_counting(store: &Store, viewer: Viewer, class: ClassId, counting: Counting) -> Result<(), TermsError> {
    let now = store.now();
    let sql = concat!("UPDATE classes SET counting = $4 WHERE id = $3 AND ", allowed!(may_edit, "$3"));
    in_tx!(store, tx => {
        let done = sqlx::query(sql)
            .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(counting)
            .execute(&mut *tx).await?;
        if done.rows_affected() == 0 {
            return Err(TermsError::NotAllowed);
        }
        note!(tx, now, viewer.id(), class, AuditAction::CountingSet, &class.to_string(), &counting);
        Ok(())
    })
}
