use super::{ClassError, JoinCode};
use crate::store::{
    ClassId, Membership, Store, StoreError, UserId, UtcMs, Viewer,
    error::is_unique,
    users::{NewUser, insert_user},
};

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Member {
    pub user_id: UserId,
    pub login: String,
    pub display_name: String,
    pub joined_ms: UtcMs,
}

#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// Unknown, replaced or closed: the three look the same from outside.
    #[error("the join code opens no class")]
    Code,
    #[error("the login name is taken")]
    LoginTaken,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for JoinError {
    fn from(err: sqlx::Error) -> Self {
        Self::Store(err.into())
    }
}

const BY_CODE: &str = "SELECT id FROM classes WHERE join_code = $1 AND join_open";

/// Does the code open a class now? Asked before the costly hash of a sign-up.
pub async fn code_is_open(store: &Store, code: &JoinCode) -> Result<bool, StoreError> {
    let found: Option<(ClassId,)> =
        read!(store, c => sqlx::query_as(BY_CODE).bind(code.as_str()).fetch_optional(c).await)?;
    Ok(found.is_some())
}

macro_rules! class_of {
    ($tx:ident, $code:expr) => {{
        let class: Option<(ClassId,)> = sqlx::query_as(BY_CODE).bind($code.as_str()).fetch_optional(&mut *$tx).await?;
        let Some((class,)) = class else { return Err(JoinError::Code) };
        class
    }};
}

macro_rules! insert_member {
    ($tx:ident, $class:expr, $user:expr, $now:expr) => {
        sqlx::query(
            "INSERT INTO memberships (class_id, user_id, role, joined_ms) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (class_id, user_id) DO NOTHING",
        )
        .bind($class)
        .bind($user)
        .bind(Membership::Learner)
        .bind($now)
        .execute(&mut *$tx)
        .await?
    };
}

/// A new learner in the class that the code opens: account and membership, or neither. The code is judged first, so
/// that only who holds one learns which names are taken.
pub async fn sign_up(store: &Store, code: &JoinCode, new: &NewUser<'_>) -> Result<(UserId, ClassId), JoinError> {
    let now = store.now();
    in_tx!(store, tx => {
        let class = class_of!(tx, code);
        let user = match insert_user!(tx, now, new) {
            Ok(user) => user,
            Err(err) if is_unique(&err) => return Err(JoinError::LoginTaken),
            Err(err) => return Err(err.into()),
        };
        insert_member!(tx, class, user, now);
        Ok((user, class))
    })
}

/// An existing learner enters another class; doing it twice changes nothing.
pub async fn join(store: &Store, code: &JoinCode, user: UserId) -> Result<ClassId, JoinError> {
    let now = store.now();
    in_tx!(store, tx => {
        let class = class_of!(tx, code);
        insert_member!(tx, class, user, now);
        Ok(class)
    })
}

/// The learners of a class whose work the viewer may see, by name; otherwise none.
pub async fn members(store: &Store, viewer: Viewer, class: ClassId) -> Result<Vec<Member>, StoreError> {
    let sql = concat!(
        "SELECT u.id AS user_id, u.login, u.display_name, m.joined_ms FROM users u \
         JOIN memberships m ON m.user_id = u.id AND m.role = 'learner' WHERE m.class_id = $3 AND ",
        allowed!(may_grade, "$3"),
        " ORDER BY u.display_name, u.login_key"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).fetch_all(c).await)?)
}

/// Takes a learner or assistant out of a class that the viewer teaches. Their account and reports stay theirs.
pub async fn remove_member(store: &Store, viewer: Viewer, class: ClassId, user: UserId) -> Result<(), ClassError> {
    let sql = concat!(
        "DELETE FROM memberships WHERE class_id = $3 AND user_id = $4 AND role <> 'instructor' AND ",
        allowed!(teach, "$3")
    );
    let done = write!(store, c => sqlx::query(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(user)
        .execute(c).await.map(|d| d.rows_affected()))?;
    if done == 0 { Err(ClassError::NotTaught) } else { Ok(()) }
}
