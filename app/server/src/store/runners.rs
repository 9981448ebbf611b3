//! Machines that run labs.

use protocol::{DeviceClass, LabName, Offer};

use super::audit::{AuditAction, note};
use super::{
    JsonText, RunnerId, Secret, Store, StoreError, TokenHash, UserId, UtcMs, Viewer, Word, clean_name, clean_text,
};

/// What every runner token starts with.
pub const PREFIX: &str = "vr_";
pub const NAME_MAX: usize = 80;

#[derive(Debug)]
pub struct NewRunner {
    pub id: RunnerId,
    pub token: Secret,
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
    /// It gets no job while this is set.
    pub paused_ms: Option<UtcMs>,
    pub device_class: Option<Word<DeviceClass>>,
    pub memory_bytes: Option<i64>,
    /// [`Offered`], as it came with the last question for a job.
    pub offer: Option<JsonText>,
}

/// The columns of [`Runner`].
macro_rules! columns {
    () => {
        "id, name, public_key, facts, created_ms, last_seen_ms, revoked_ms, paused_ms, device_class, memory_bytes, offer"
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

/// `by` is whose learners the runner serves; without anybody (on the command line) it serves all.
pub async fn register(store: &Store, name: &str, by: Option<UserId>) -> Result<NewRunner, StoreError> {
    let (id, token) = (RunnerId::new(), Secret::random(PREFIX)?);
    let sql = "INSERT INTO runners (id, name, token_hash, facts, created_by, created_ms) \
               VALUES ($1, $2, $3, '{}', $4, $5)";
    write!(store, c => sqlx::query(sql)
        .bind(id).bind(clean_text(name.trim(), NAME_MAX)).bind(token.hash()).bind(by).bind(store.now())
        .execute(c).await.map(drop))?;
    Ok(NewRunner { id, token })
}

/// Whose token this is, if it works; notes that the runner was seen.
pub async fn authenticate(store: &Store, token: &str) -> Result<Option<Runner>, StoreError> {
    let sql = concat!(
        "UPDATE runners SET last_seen_ms = $2 WHERE token_hash = $1 AND revoked_ms IS NULL RETURNING ",
        columns!()
    );
    Ok(write!(store, c => sqlx::query_as(sql)
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
