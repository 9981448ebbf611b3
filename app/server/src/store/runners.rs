//! Machines that run labs.

use std::time::Duration;

use protocol::{DeviceClass, LabName, Offer};

use super::audit::{AuditAction, note};
use super::{
    JsonText, RunnerId, Secret, Store, StoreError, TokenHash, UserId, UtcMs, Viewer, Word, clean_name, clean_text,
};

/// What every runner token starts with.
pub const PREFIX: &str = "vr_";
pub const NAME_MAX: usize = 80;

/// How long a new token is good: forgotten ones end by themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lifetime {
    Month,
    #[default]
    HalfYear,
    Year,
}

impl Lifetime {
    pub const ALL: [Self; 3] = [Self::Month, Self::HalfYear, Self::Year];

    pub const fn days(self) -> u32 {
        match self {
            Self::Month => 30,
            Self::HalfYear => 180,
            Self::Year => 365,
        }
    }

    pub fn of_days(days: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|lifetime| lifetime.days() == days)
    }
}

/// One day of a [`Lifetime`].
pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug)]
pub struct NewRunner {
    pub id: RunnerId,
    pub token: Secret,
    pub expires_ms: UtcMs,
}

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Runner {
    pub id: RunnerId,
    pub name: String,
    /// Ed25519, 32 bytes; `None` until the runner has shown itself.
    pub public_key: Option<Vec<u8>>,
    /// What the runner says about its machine; for people, never for grading.
    pub facts: JsonText,
    pub created_ms: UtcMs,
    pub last_seen_ms: Option<UtcMs>,
    pub revoked_ms: Option<UtcMs>,
    /// From this moment on its token opens nothing; `None` for a token that was made without an end.
    pub expires_ms: Option<UtcMs>,
    /// It gets no job while this is set.
    pub paused_ms: Option<UtcMs>,
    pub device_class: Option<Word<DeviceClass>>,
    pub memory_bytes: Option<i64>,
    /// [`Offered`], as it came with the last question for a job.
    pub offer: Option<JsonText>,
}

impl Runner {
    /// What it said with its last question for a job.
    pub fn offered(&self) -> Offered {
        self.offer.as_ref().and_then(|offer| offer.parse().ok()).unwrap_or_default()
    }

    /// Whether its token opens anything at this moment.
    pub fn is_live(&self, now: UtcMs) -> bool {
        self.revoked_ms.is_none() && self.expires_ms.is_none_or(|end| end > now)
    }
}

/// SQL: runner `w` has a token that opens something at the moment `$now`. As [`Runner::is_live`].
macro_rules! live {
    ($now:literal) => {
        concat!("(w.revoked_ms IS NULL AND (w.expires_ms IS NULL OR w.expires_ms > ", $now, "))")
    };
}
pub(crate) use live;

/// The columns of [`Runner`].
macro_rules! columns {
    () => {
        "id, name, public_key, facts, created_ms, last_seen_ms, revoked_ms, expires_ms, paused_ms, device_class, \
         memory_bytes, offer"
    };
}

/// What a runner offers: its labs, and what jobs may need beside them.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Offered {
    pub labs: Vec<LabName>,
    pub offer: Offer,
}

#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The token is bound to another key. A new key needs a new token.
    #[error("the runner's token is bound to another key")]
    OtherKey,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// With a token of the usual lifetime.
pub async fn register(store: &Store, name: &str, by: Option<UserId>) -> Result<NewRunner, StoreError> {
    register_for(store, name, by, Lifetime::default()).await
}

/// `by` is whose learners the runner serves; without anybody (on the command line) it serves all.
pub async fn register_for(
    store: &Store,
    name: &str,
    by: Option<UserId>,
    lifetime: Lifetime,
) -> Result<NewRunner, StoreError> {
    let (id, token, now) = (RunnerId::new(), Secret::random(PREFIX)?, store.now());
    let expires_ms = now.plus(DAY * lifetime.days());
    let sql = "INSERT INTO runners (id, name, token_hash, facts, created_by, created_ms, expires_ms) \
               VALUES ($1, $2, $3, '{}', $4, $5, $6)";
    write!(store, c => sqlx::query(sql)
        .bind(id).bind(clean_text(name.trim(), NAME_MAX)).bind(token.hash()).bind(by).bind(now).bind(expires_ms)
        .execute(c).await.map(drop))?;
    Ok(NewRunner { id, token, expires_ms })
}

/// Whose token this is, if it works; notes that the runner was seen.
pub async fn authenticate(store: &Store, token: &str) -> Result<Option<Runner>, StoreError> {
    let sql = concat!(
        "UPDATE runners AS w SET last_seen_ms = $2 WHERE token_hash = $1 AND ",
        live!("$2"),
        " RETURNING ",
        columns!()
    );
    Ok(write!(store, c => sqlx::query_as(sql)
        .bind(TokenHash::of(token)).bind(store.now()).fetch_optional(c).await)?)
}

/// When a token ended by itself: why [`authenticate`] knows nobody by it. A revoked one is not told from one that never was.
pub async fn expired(store: &Store, token: &str) -> Result<Option<UtcMs>, StoreError> {
    let sql = "SELECT expires_ms FROM runners WHERE token_hash = $1 AND revoked_ms IS NULL AND expires_ms <= $2";
    Ok(read!(store, c => sqlx::query_scalar(sql)
        .bind(TokenHash::of(token)).bind(store.now()).fetch_optional(c).await)?)
}

/// Binds the key on first use; later calls with the same key refresh facts and, if it can be read, the name.
pub async fn bind_identity(
    store: &Store,
    runner: RunnerId,
    public_key: &[u8; 32],
    name: &str,
    facts: &JsonText,
) -> Result<(), IdentityError> {
    let sql = "UPDATE runners SET public_key = $2, name = COALESCE($3, name), facts = $4 \
               WHERE id = $1 AND revoked_ms IS NULL AND (public_key IS NULL OR public_key = $2)";
    let done = write!(store, c => sqlx::query(sql)
        .bind(runner).bind(public_key.as_slice()).bind(clean_name(name, NAME_MAX)).bind(facts)
        .execute(c).await.map(|d| d.rows_affected()))
    .map_err(StoreError::from)?;
    if done == 0 { Err(IdentityError::OtherKey) } else { Ok(()) }
}

/// Notes what a runner has, if it is news; jobs are matched with it in SQL.
pub async fn offer(store: &Store, runner: &Runner, offered: &Offered) -> Result<(), StoreError> {
    let text = JsonText::of(offered)?;
    if runner.offer.as_ref() == Some(&text) {
        return Ok(());
    }
    let memory = offered.offer.memory_bytes.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
    let lists = [("lab", &offered.labs), ("backend", &offered.offer.backends), ("label", &offered.offer.labels)];
    in_tx!(store, tx => {
        // The row first: two questions of one runner at a time go one after the other.
        sqlx::query("UPDATE runners SET offer = $2, device_class = $3, memory_bytes = $4 WHERE id = $1")
            .bind(runner.id).bind(&text).bind(offered.offer.device_class.map(Word)).bind(memory)
            .execute(&mut *tx).await?;
        sqlx::query("DELETE FROM runner_offers WHERE runner_id = $1").bind(runner.id).execute(&mut *tx).await?;
        for (kind, names) in lists {
            for name in names {
                sqlx::query(
                    "INSERT INTO runner_offers (runner_id, kind, value) VALUES ($1, $2, $3) \
                     ON CONFLICT (runner_id, kind, value) DO NOTHING",
                )
                .bind(runner.id).bind(kind).bind(name.as_str()).execute(&mut *tx).await?;
            }
        }
        Ok::<_, StoreError>(())
    })
}

/// Pauses one runner of the viewer's own, or all of them, or lets them go on. A paused runner finishes what it has and
/// gets nothing new. Says how many this changed.
pub async fn set_paused(
    store: &Store,
    viewer: Viewer,
    which: Option<RunnerId>,
    paused: bool,
) -> Result<usize, StoreError> {
    let now = store.now();
    let sql = "UPDATE runners SET paused_ms = $4 WHERE $2 AND created_by = $1 AND revoked_ms IS NULL \
               AND ($3 IS NULL OR id = $3) AND (paused_ms IS NULL) = $5 RETURNING id, name";
    let action = if paused { AuditAction::RunnerPaused } else { AuditAction::RunnerResumed };
    in_tx!(store, tx => {
        let changed: Vec<(RunnerId, String)> = sqlx::query_as(sql)
            .bind(viewer.id()).bind(viewer.teaches()).bind(which).bind(paused.then_some(now)).bind(paused)
            .fetch_all(&mut *tx).await?;
        for (id, name) in &changed {
            note!(tx, now, viewer.id(), None::<super::ClassId>, action, &id.to_string(), &serde_json::json!({ "name": name }));
        }
        Ok::<_, StoreError>(changed.len())
    })
}

/// The runners that the viewer registered, newest first; none for a learner.
pub async fn list(store: &Store, viewer: Viewer) -> Result<Vec<Runner>, StoreError> {
    let sql =
        concat!("SELECT ", columns!(), " FROM runners WHERE $2 AND created_by = $1 ORDER BY created_ms DESC, id DESC");
    Ok(read!(store, c => sqlx::query_as(sql).bind(viewer.id()).bind(viewer.teaches()).fetch_all(c).await)?)
}

/// Ends the token of a runner of the viewer's own. What it holds is claimed again when its leases run out. False when
/// there was none.
pub async fn revoke(store: &Store, viewer: Viewer, id: RunnerId) -> Result<bool, StoreError> {
    let sql = "UPDATE runners SET revoked_ms = $4 WHERE id = $3 AND $2 AND created_by = $1 AND revoked_ms IS NULL";
    let done = write!(store, c => sqlx::query(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(id).bind(store.now())
        .execute(c).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}
