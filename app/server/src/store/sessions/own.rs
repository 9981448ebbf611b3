use std::{fmt, str::FromStr, time::Duration};

use tower_sessions::session::Id;

use crate::store::{IdError, Store, StoreError, UserId, UtcMs, secret::sha256_hex};

/// How stale "last seen" may be: writing it on every request would make each page view a write.
const LAST_SEEN_STEP: Duration = Duration::from_secs(300);

/// Names a session without opening it: the hash of its cookie. It may be shown in a form of its owner.
#[derive(Clone, PartialEq, Eq, sqlx::Type)]
#[sqlx(transparent)]
pub struct SessionKey(String);

impl SessionKey {
    pub fn of(id: &Id) -> Self {
        Self(sha256_hex(id.to_string().as_bytes()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("«hidden»")
    }
}

impl FromStr for SessionKey {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let hex = text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if hex { Ok(Self(text.to_owned())) } else { Err(IdError { found: text.chars().take(64).collect() }) }
    }
}

/// One line of "where I am signed in".
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct OwnSession {
    pub key: SessionKey,
    pub user_agent: String,
    pub created_ms: UtcMs,
    pub last_seen_ms: UtcMs,
    pub expires_ms: UtcMs,
}

/// The user's own live sessions, last seen first.
pub async fn list(store: &Store, user: UserId) -> Result<Vec<OwnSession>, StoreError> {
    let sql = "SELECT key, user_agent, created_ms, last_seen_ms, expires_ms FROM sessions \
               WHERE user_id = $1 AND expires_ms > $2 ORDER BY last_seen_ms DESC, created_ms DESC, key";
    Ok(read!(store, c => sqlx::query_as(sql).bind(user).bind(store.now()).fetch_all(c).await)?)
}

/// Ends one session of this user; false when there is none of that name among theirs.
pub async fn end(store: &Store, user: UserId, key: &SessionKey) -> Result<bool, StoreError> {
    let sql = "DELETE FROM sessions WHERE user_id = $1 AND key = $2";
    let done = write!(store, c => sqlx::query(sql).bind(user).bind(key).execute(c).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Ends every session of this user but `keep`, and says how many.
pub async fn end_others(store: &Store, user: UserId, keep: &SessionKey) -> Result<u64, StoreError> {
    let sql = "DELETE FROM sessions WHERE user_id = $1 AND key <> $2";
    Ok(write!(store, c => sqlx::query(sql).bind(user).bind(keep).execute(c).await.map(|d| d.rows_affected()))?)
}

/// Moves "last seen" on, at most every five minutes.
pub async fn touch(store: &Store, key: &SessionKey) -> Result<(), StoreError> {
    let now = store.now();
    let stale = "SELECT EXISTS (SELECT 1 FROM sessions WHERE key = $1 AND last_seen_ms < $2)";
    let before = now.minus(LAST_SEEN_STEP);
    let (stale,): (bool,) = read!(store, c => sqlx::query_as(stale).bind(key).bind(before).fetch_one(c).await)?;
    if stale {
        let sql = "UPDATE sessions SET last_seen_ms = $2 WHERE key = $1";
        write!(store, c => sqlx::query(sql).bind(key).bind(now).execute(c).await.map(drop))?;
    }
    Ok(())
}
