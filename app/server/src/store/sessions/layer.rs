use async_trait::async_trait;
use time::OffsetDateTime;
use tower_sessions::{
    ExpiredDeletion, SessionStore,
    session::{Id, Record},
    session_store::{Error, Result},
};

use super::SessionKey;
use crate::store::{JsonText, Store, StoreError, UserId, UtcMs, clean_text};

/// Keys of the session's data; user and user agent have columns of their own.
pub(crate) const USER: &str = "user";
/// The account's `auth_epoch` when the session began.
pub(crate) const EPOCH: &str = "epoch";
pub(crate) const USER_AGENT: &str = "user_agent";

/// The table `sessions` as the session layer wants it. The table holds a hash of the cookie, not the cookie.
#[derive(Clone, Debug)]
pub struct SessionRows {
    store: Store,
}

impl SessionRows {
    pub fn new(store: Store) -> Self {
        Self { store }
    }
}

fn backend(err: impl Into<StoreError>) -> Error {
    Error::Backend(err.into().to_string())
}

fn expires(record: &Record) -> UtcMs {
    let ms = record.expiry_date.unix_timestamp_nanos() / 1_000_000;
    UtcMs(i64::try_from(ms).unwrap_or(i64::MAX))
}

fn columns(record: &Record) -> Result<(JsonText, Option<UserId>, String)> {
    let text = |key: &str| record.data.get(key).and_then(|v| v.as_str());
    let data = JsonText::of(&record.data).map_err(|e| Error::Encode(e.to_string()))?;
    let user = text(USER).and_then(|id| id.parse().ok());
    Ok((data, user, clean_text(text(USER_AGENT).unwrap_or_default(), 200)))
}

#[async_trait]
impl SessionStore for SessionRows {
    async fn create(&self, record: &mut Record) -> Result<()> {
        let (data, user, agent) = columns(record)?;
        let now = self.store.now();
        loop {
            let sql = "INSERT INTO sessions (key, user_id, data, user_agent, created_ms, last_seen_ms, expires_ms) \
                       VALUES ($1, $2, $3, $4, $5, $5, $6) ON CONFLICT (key) DO NOTHING";
            let rows = write!(self.store, c => sqlx::query(sql)
                .bind(SessionKey::of(&record.id))
                .bind(user)
                .bind(&data)
                .bind(&agent)
                .bind(now)
                .bind(expires(record))
                .execute(c)
                .await
                .map(|done| done.rows_affected()))
            .map_err(backend)?;
            if rows == 1 {
                return Ok(());
            }
            record.id = Id::default();
        }
    }

    /// Only an existing row is written: a session that was ended while its request ran stays ended.
    async fn save(&self, record: &Record) -> Result<()> {
        let (data, user, agent) = columns(record)?;
        let sql = "UPDATE sessions SET user_id = $2, data = $3, user_agent = $4, last_seen_ms = $5, expires_ms = $6 \
                   WHERE key = $1";
        write!(self.store, c => sqlx::query(sql)
            .bind(SessionKey::of(&record.id))
            .bind(user)
            .bind(&data)
            .bind(&agent)
            .bind(self.store.now())
            .bind(expires(record))
            .execute(c)
            .await
            .map(drop))
        .map_err(backend)
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let sql = "SELECT data, expires_ms FROM sessions WHERE key = $1 AND expires_ms > $2";
        let row: Option<(JsonText, UtcMs)> = read!(self.store, c => sqlx::query_as(sql)
            .bind(SessionKey::of(id))
            .bind(self.store.now())
            .fetch_optional(c)
            .await)
        .map_err(backend)?;
        let Some((data, expires)) = row else { return Ok(None) };
        Ok(Some(Record {
            id: *id,
            data: data.parse().map_err(|e| Error::Decode(e.to_string()))?,
            expiry_date: OffsetDateTime::from_unix_timestamp_nanos(i128::from(expires.0) * 1_000_000)
                .map_err(|e| Error::Decode(e.to_string()))?,
        }))
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        write!(self.store, c => sqlx::query("DELETE FROM sessions WHERE key = $1")
            .bind(SessionKey::of(id))
            .execute(c)
            .await
            .map(drop))
        .map_err(backend)
    }
}

#[async_trait]
impl ExpiredDeletion for SessionRows {
    async fn delete_expired(&self) -> Result<()> {
        write!(self.store, c => sqlx::query("DELETE FROM sessions WHERE expires_ms <= $1")
            .bind(self.store.now())
            .execute(c)
            .await
            .map(drop))
        .map_err(backend)
    }
}
