//! One-time links: the set-up of an instructor, the reset of a forgotten password. The token is stored hashed.

use std::time::Duration;

use super::{
    LinkId, LinkPurpose, Secret, Store, StoreError, TokenHash, UserId, UtcMs, Viewer,
    api_tokens::revoke_all_tokens,
    error::is_unique,
    users::{LoginName, NewUser, insert_user},
};

/// Both kinds live for half an hour.
pub const LIFETIME: Duration = Duration::from_secs(30 * 60);

/// A link that was just made; the token is in no other place.
#[derive(Debug)]
pub struct NewLink {
    pub token: Secret,
    pub expires: UtcMs,
}

#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// Unknown, used, replaced or expired: the same answer for all.
    #[error("the link is not valid any more")]
    NotValid,
    #[error("the login name is taken")]
    LoginTaken,
    /// The account is no learner of a class that the issuer teaches.
    #[error("no such learner of this instructor")]
    NotTaught,
    #[error("no instructor has this login name")]
    NoInstructor,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for LinkError {
    fn from(err: sqlx::Error) -> Self {
        Self::Store(err.into())
    }
}

/// A link that makes one instructor. Earlier set-up links end.
pub async fn issue_setup(store: &Store) -> Result<NewLink, LinkError> {
    let token = Secret::random("")?;
    let now = store.now();
    let expires = now.plus(LIFETIME);
    in_tx!(store, tx => {
        sqlx::query("UPDATE one_time_links SET expires_ms = $1 WHERE purpose = 'setup' AND expires_ms > $1")
            .bind(now).execute(&mut *tx).await?;
        sqlx::query(
            "INSERT INTO one_time_links (id, token_hash, purpose, created_ms, expires_ms) VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(LinkId::new()).bind(token.hash()).bind(LinkPurpose::Setup).bind(now).bind(expires)
        .execute(&mut *tx).await?;
        Ok(NewLink { token, expires })
    })
}

/// A link that sets a new password for a learner whom the viewer teaches. Earlier reset links of the learner end.
pub async fn issue_reset(store: &Store, viewer: Viewer, learner: UserId) -> Result<NewLink, LinkError> {
    let token = Secret::random("")?;
    let now = store.now();
    let expires = now.plus(LIFETIME);
    in_tx!(store, tx => {
        // Only learners: an instructor must not be able to take over a colleague's account.
        let made = sqlx::query(
            "INSERT INTO one_time_links (id, token_hash, purpose, user_id, issued_by, created_ms, expires_ms) \
             SELECT $4, $5, 'reset', $3, $1, $6, $7 WHERE $2 AND EXISTS (SELECT 1 FROM memberships seen \
               JOIN users u ON u.id = seen.user_id AND u.role = 'learner' \
               JOIN memberships t ON t.class_id = seen.class_id AND t.role = 'instructor' \
               WHERE seen.user_id = $3 AND seen.role = 'learner' AND t.user_id = $1)",
        )
        .bind(viewer.id()).bind(viewer.teaches()).bind(learner)
        .bind(LinkId::new()).bind(token.hash()).bind(now).bind(expires)
        .execute(&mut *tx).await?.rows_affected();
        if made == 0 {
            return Err(LinkError::NotTaught);
        }
        sqlx::query(
            "UPDATE one_time_links SET expires_ms = $2 \
             WHERE user_id = $1 AND purpose = 'reset' AND expires_ms > $2 AND token_hash <> $3",
        )
        .bind(learner).bind(now).bind(token.hash()).execute(&mut *tx).await?;
        Ok(NewLink { token, expires })
    })
}

/// A link that sets a new password for an instructor, asked for by whoever runs the server. Earlier ones end.
pub async fn issue_instructor_reset(store: &Store, login: &LoginName) -> Result<NewLink, LinkError> {
    let token = Secret::random("")?;
    let now = store.now();
    let expires = now.plus(LIFETIME);
    in_tx!(store, tx => {
        let found: Option<(UserId,)> =
            sqlx::query_as("SELECT id FROM users WHERE login_key = $1 AND role = 'instructor'")
                .bind(login.key()).fetch_optional(&mut *tx).await?;
        let Some((user,)) = found else { return Err(LinkError::NoInstructor) };
        sqlx::query("UPDATE one_time_links SET expires_ms = $2 WHERE user_id = $1 AND expires_ms > $2")
            .bind(user).bind(now).execute(&mut *tx).await?;
        sqlx::query(
            "INSERT INTO one_time_links (id, token_hash, purpose, user_id, created_ms, expires_ms) \
             VALUES ($1, $2, 'reset', $3, $4, $5)",
        )
        .bind(LinkId::new()).bind(token.hash()).bind(user).bind(now).bind(expires)
        .execute(&mut *tx).await?;
        Ok(NewLink { token, expires })
    })
}

/// Would this link still work? For showing its form; the answer is decided again when it is used.
pub async fn is_valid(store: &Store, token: &str, purpose: LinkPurpose) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM one_time_links \
               WHERE token_hash = $1 AND purpose = $2 AND used_ms IS NULL AND expires_ms > $3)";
    let (valid,): (bool,) = read!(store, c => sqlx::query_as(sql)
        .bind(TokenHash::of(token)).bind(purpose).bind(store.now()).fetch_one(c).await)?;
    Ok(valid)
}

/// Whose password a valid reset link would set: the login name, to judge the new password against.
pub(crate) async fn login_of_reset(store: &Store, token: &str) -> Result<Option<String>, StoreError> {
    let sql = "SELECT u.login FROM one_time_links l JOIN users u ON u.id = l.user_id \
               WHERE l.token_hash = $1 AND l.purpose = 'reset' AND l.used_ms IS NULL AND l.expires_ms > $2";
    let row: Option<(String,)> = read!(store, c => sqlx::query_as(sql)
        .bind(TokenHash::of(token)).bind(store.now()).fetch_optional(c).await)?;
    Ok(row.map(|(login,)| login))
}

/// Taking the link is one statement: of any number of simultaneous uses exactly one gets the row.
macro_rules! take_link {
    ($tx:ident, $token:expr, $purpose:expr, $now:expr) => {{
        let taken: Option<(Option<UserId>,)> = sqlx::query_as(
            "UPDATE one_time_links SET used_ms = $3 \
             WHERE token_hash = $1 AND purpose = $2 AND used_ms IS NULL AND expires_ms > $3 RETURNING user_id",
        )
        .bind(TokenHash::of($token))
        .bind($purpose)
        .bind($now)
        .fetch_optional(&mut *$tx)
        .await?;
        match taken {
            Some((user,)) => user,
            None => return Err(LinkError::NotValid),
        }
    }};
}

/// Uses a set-up link. When the login name is taken the link stays good.
pub async fn use_setup(store: &Store, token: &str, new: &NewUser<'_>) -> Result<UserId, LinkError> {
    let now = store.now();
    in_tx!(store, tx => {
        take_link!(tx, token, LinkPurpose::Setup, now);
        match insert_user!(tx, now, new) {
            Ok(user) => Ok(user),
            Err(err) if is_unique(&err) => return Err(LinkError::LoginTaken),
            Err(err) => return Err(err.into()),
        }
    })
}

/// Uses a reset link: the new hash is in place, and every session and API token of the account has ended. A password is
/// reset when somebody else may know it, and tokens could have been made with it.
pub async fn use_reset(store: &Store, token: &str, password_hash: &str) -> Result<UserId, LinkError> {
    let now = store.now();
    in_tx!(store, tx => {
        let Some(user) = take_link!(tx, token, LinkPurpose::Reset, now) else { return Err(LinkError::NotValid) };
        sqlx::query("UPDATE users SET password_hash = $2, auth_epoch = auth_epoch + 1 WHERE id = $1")
            .bind(user).bind(password_hash).execute(&mut *tx).await?;
        sqlx::query("DELETE FROM sessions WHERE user_id = $1").bind(user).execute(&mut *tx).await?;
        revoke_all_tokens!(tx, user, now);
        Ok(user)
    })
}
