//! Classes, the codes that open them, and who belongs to them.

use super::audit::{AuditAction, note};
use super::{ClassId, Counting, Membership, Store, StoreError, UserId, UtcMs, Viewer, clean_name, error::is_unique};

mod assistants;
mod code;
mod members;

pub use assistants::{Rights, Staff, assists, set_rights, staff};
pub use code::JoinCode;
pub use members::{JoinError, Member, code_is_open, join, members, remove_member, sign_up};

const NAME_MAX: usize = 120;

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Class {
    pub id: ClassId,
    pub name: String,
    pub owner_id: UserId,
    pub join_code: String,
    pub join_open: bool,
    pub created_ms: UtcMs,
    pub learners: i64,
    /// Which attempt of a learner counts.
    pub counting: Counting,
    /// Jobs of its learners go before those of other classes.
    pub goes_first: bool,
    /// What the viewer is in it, and may do.
    pub own: Membership,
    pub may_edit: bool,
    pub may_grade: bool,
}

impl Class {
    /// Whether the viewer teaches it: says who belongs to it, and who helps.
    pub fn teaches(&self) -> bool {
        self.own == Membership::Instructor
    }
}

/// A class as its learner sees it: without the code.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct OwnClass {
    pub id: ClassId,
    pub name: String,
    pub joined_ms: UtcMs,
}

#[derive(Debug, thiserror::Error)]
pub enum ClassError {
    /// There is no such class among those that this instructor teaches.
    #[error("no such class of this instructor")]
    NotTaught,
    #[error("a class needs a name with a letter or digit")]
    NameEmpty,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for ClassError {
    fn from(err: sqlx::Error) -> Self {
        Self::Store(err.into())
    }
}

/// Makes a class that is open to join; the instructor owns and teaches it.
pub async fn create(store: &Store, instructor: UserId, name: &str) -> Result<ClassId, ClassError> {
    let name = clean_name(name, NAME_MAX).ok_or(ClassError::NameEmpty)?;
    let (id, now) = (ClassId::new(), store.now());
    let code = JoinCode::random()?;
    in_tx!(store, tx => {
        let made = sqlx::query(
            "INSERT INTO classes (id, name, owner_id, join_code, join_open, created_ms) \
             SELECT $1, $2, $3, $4, TRUE, $5 WHERE EXISTS \
               (SELECT 1 FROM users WHERE id = $3 AND role = 'instructor')",
        )
        .bind(id).bind(name.as_str()).bind(instructor).bind(code.as_str()).bind(now)
        .execute(&mut *tx).await?.rows_affected();
        if made == 0 {
            return Err(ClassError::NotTaught);
        }
        sqlx::query(
            "INSERT INTO memberships (class_id, user_id, role, joined_ms, may_edit, may_grade) \
             VALUES ($1, $2, $3, $4, TRUE, TRUE)",
        )
        .bind(id).bind(instructor).bind(Membership::Instructor).bind(now)
        .execute(&mut *tx).await?;
        Ok(id)
    })
}

const TAUGHT: &str = concat!(
    "SELECT c.id, c.name, c.owner_id, c.join_code, c.join_open, c.created_ms, \
       (SELECT COUNT(*) FROM memberships l WHERE l.class_id = c.id AND l.role = 'learner') AS learners, \
       c.counting, c.priority > 0 AS goes_first, t.role AS own, t.may_edit, t.may_grade \
     FROM classes c JOIN memberships t ON t.class_id = c.id WHERE t.user_id = $1 AND ",
    rights!(help)
);

/// The classes that the viewer teaches or assists, newest first; none for a learner.
pub async fn taught(store: &Store, viewer: Viewer) -> Result<Vec<Class>, StoreError> {
    let sql = sqlx::AssertSqlSafe(format!("{TAUGHT} ORDER BY c.created_ms DESC, c.id DESC"));
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).fetch_all(c).await)?)
}

/// One class that the viewer teaches or assists.
pub async fn get(store: &Store, viewer: Viewer, id: ClassId) -> Result<Option<Class>, StoreError> {
    let sql = sqlx::AssertSqlSafe(format!("{TAUGHT} AND c.id = $3"));
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(id).fetch_optional(c).await)?)
}

/// The classes that this learner is in.
pub async fn of_learner(store: &Store, user: UserId) -> Result<Vec<OwnClass>, StoreError> {
    let sql = "SELECT c.id, c.name, m.joined_ms FROM classes c JOIN memberships m ON m.class_id = c.id \
               WHERE m.user_id = $1 AND m.role = 'learner' ORDER BY m.joined_ms, c.id";
    Ok(read!(store, c => sqlx::query_as(sql).bind(user).fetch_all(c).await)?)
}

/// Replaces the code; the old one opens nothing from now on. Says the new one.
pub async fn rotate_code(store: &Store, viewer: Viewer, class: ClassId) -> Result<JoinCode, ClassError> {
    let sql = concat!("UPDATE classes SET join_code = $4 WHERE id = $3 AND ", allowed!(may_edit, "$3"));
    loop {
        let code = JoinCode::random()?;
        let done = write!(store, c => sqlx::query(sql)
            .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(code.as_str())
            .execute(c).await.map(|d| d.rows_affected()));
        match done {
            Ok(0) => return Err(ClassError::NotTaught),
            Ok(_) => return Ok(code),
            // Another class has this code: one in 10¹⁴, and then the next draw decides.
            Err(err) if is_unique(&err) => {}
            Err(err) => return Err(err.into()),
        }
    }
}

/// Opens or closes the class to new learners; the code itself stays.
pub async fn set_open(store: &Store, viewer: Viewer, class: ClassId, open: bool) -> Result<(), ClassError> {
    let sql = concat!("UPDATE classes SET join_open = $4 WHERE id = $3 AND ", allowed!(may_edit, "$3"));
    let done = write!(store, c => sqlx::query(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(open)
        .execute(c).await.map(|d| d.rows_affected()))?;
    if done == 0 { Err(ClassError::NotTaught) } else { Ok(()) }
}

/// Lets the jobs of a class that the viewer teaches go before others', or no longer; for jobs that are queued from now
/// on.
pub async fn set_priority(store: &Store, viewer: Viewer, class: ClassId, first: bool) -> Result<(), ClassError> {
    let now = store.now();
    let sql = concat!("UPDATE classes SET priority = $4 WHERE id = $3 AND ", allowed!(teach, "$3"));
    in_tx!(store, tx => {
        let done = sqlx::query(sql)
            .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(i64::from(first))
            .execute(&mut *tx).await?.rows_affected();
        if done == 0 {
            return Err(ClassError::NotTaught);
        }
        let detail = serde_json::json!({ "first": first });
        note!(tx, now, viewer.id(), Some(class), AuditAction::PrioritySet, &class.to_string(), &detail);
        Ok(())
    })
}
