//! Accounts.

use super::{Role, Store, StoreError, UserId, UtcMs, Viewer, api_tokens::revoke_all_tokens, error::is_unique};

/// A login name in the form that is stored: 3 to 64 of `a–z 0–9 . _ - @ +`, any case.
///
/// ASCII alone, because the engines fold the case of other letters differently; the display name takes any script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginName {
    shown: String,
    key: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginNameError {
    #[error("{found} characters; {min} to {max} are allowed")]
    Length { found: usize, min: usize, max: usize },
    #[error("the character {found:?} is not allowed")]
    Character { found: char },
}

impl LoginName {
    pub const MIN: usize = 3;
    pub const MAX: usize = 64;

    pub fn parse(text: &str) -> Result<Self, LoginNameError> {
        let shown = text.trim();
        let found = shown.chars().count();
        if !(Self::MIN..=Self::MAX).contains(&found) {
            return Err(LoginNameError::Length { found, min: Self::MIN, max: Self::MAX });
        }
        match shown.chars().find(|c| !c.is_ascii_alphanumeric() && !".-_@+".contains(*c)) {
            Some(found) => Err(LoginNameError::Character { found }),
            None => Ok(Self { shown: shown.to_owned(), key: shown.to_ascii_lowercase() }),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.shown
    }

    /// What makes two spellings the same login.
    pub fn key(&self) -> &str {
        &self.key
    }
}

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct User {
    pub id: UserId,
    pub login: String,
    pub display_name: String,
    pub role: Role,
    /// Grows when the password changes; a session or link made under an older one is void.
    pub auth_epoch: i64,
    pub created_ms: UtcMs,
}

impl User {
    pub fn viewer(&self) -> Viewer {
        Viewer::new(self.id, self.role)
    }
}

/// What is stored of a new account.
pub struct NewUser<'a> {
    pub login: &'a LoginName,
    pub display_name: &'a str,
    pub role: Role,
    pub password_hash: &'a str,
}

/// `insert_user!(tx, now, new)` gives `Ok(UserId)` or the database's error. A macro so that each transaction that
/// makes an account shares one statement on either engine.
macro_rules! insert_user {
    ($tx:ident, $now:expr, $new:expr) => {{
        let id = $crate::store::UserId::new();
        sqlx::query(
            "INSERT INTO users (id, login, login_key, display_name, role, password_hash, auth_epoch, created_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, 0, $7)",
        )
        .bind(id)
        .bind($new.login.as_str())
        .bind($new.login.key())
        .bind($new.display_name)
        .bind($new.role)
        .bind($new.password_hash)
        .bind($now)
        .execute(&mut *$tx)
        .await
        .map(|_| id)
    }};
}
pub(crate) use insert_user;

/// Why no account was made.
#[derive(Debug, thiserror::Error)]
pub enum CreateUserError {
    #[error("the login name is taken")]
    LoginTaken,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for CreateUserError {
    fn from(err: sqlx::Error) -> Self {
        if is_unique(&err) { Self::LoginTaken } else { Self::Store(err.into()) }
    }
}

/// Makes an account that belongs to no class yet (command line, demo data).
pub async fn create(store: &Store, new: &NewUser<'_>) -> Result<UserId, CreateUserError> {
    let now = store.now();
    in_tx!(store, tx => Ok(insert_user!(tx, now, new)?))
}

/// The account of a session or token; restricted by the secret that led to the id.
pub async fn for_sign_in(store: &Store, id: UserId) -> Result<Option<User>, StoreError> {
    let sql = "SELECT id, login, display_name, role, auth_epoch, created_ms FROM users WHERE id = $1";
    Ok(read!(store, c => sqlx::query_as(sql).bind(id).fetch_optional(c).await)?)
}

/// The stored hash beside the account that it opens.
#[derive(sqlx::FromRow)]
pub(crate) struct Credentials {
    pub(crate) id: UserId,
    pub(crate) password_hash: String,
    pub(crate) auth_epoch: i64,
}

pub(crate) async fn credentials(store: &Store, login: &LoginName) -> Result<Option<Credentials>, StoreError> {
    let sql = "SELECT id, password_hash, auth_epoch FROM users WHERE login_key = $1";
    Ok(read!(store, c => sqlx::query_as(sql).bind(login.key()).fetch_optional(c).await)?)
}

pub(crate) async fn credentials_of(store: &Store, id: UserId) -> Result<Option<Credentials>, StoreError> {
    let sql = "SELECT id, password_hash, auth_epoch FROM users WHERE id = $1";
    Ok(read!(store, c => sqlx::query_as(sql).bind(id).fetch_optional(c).await)?)
}

/// Replaces the hash if nobody else did since `epoch` was read, ends every session (and, if asked to, every API token)
/// and gives the new epoch.
pub(crate) async fn replace_password(
    store: &Store,
    id: UserId,
    epoch: i64,
    password_hash: &str,
    revoke_tokens: bool,
) -> Result<Option<i64>, StoreError> {
    let now = store.now();
    in_tx!(store, tx => {
        let next: Option<(i64,)> = sqlx::query_as(
            "UPDATE users SET password_hash = $3, auth_epoch = auth_epoch + 1 \
             WHERE id = $1 AND auth_epoch = $2 RETURNING auth_epoch",
        )
        .bind(id)
        .bind(epoch)
        .bind(password_hash)
        .fetch_optional(&mut *tx)
        .await?;
        if next.is_some() {
            sqlx::query("DELETE FROM sessions WHERE user_id = $1").bind(id).execute(&mut *tx).await?;
            if revoke_tokens {
                revoke_all_tokens!(tx, id, now);
            }
        }
        Ok(next.map(|(epoch,)| epoch))
    })
}

/// Is there anybody who can run the course? Without one, a set-up link is due.
pub async fn any_instructor(store: &Store) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM users WHERE role = 'instructor')";
    let (any,): (bool,) = read!(store, c => sqlx::query_as(sql).fetch_one(c).await)?;
    Ok(any)
}

/// One account, if the viewer may know it.
pub async fn get(store: &Store, viewer: Viewer, id: UserId) -> Result<Option<User>, StoreError> {
    let sql = concat!(
        "SELECT id, login, display_name, role, auth_epoch, created_ms FROM users WHERE id = $3 AND ",
        visible!("users.id")
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(id).fetch_optional(c).await)?)
}
