//! Machines that run labs.

use super::{JsonText, RunnerId, Secret, Store, StoreError, TokenHash, UserId, UtcMs, Viewer, clean_name, clean_text};

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
    let sql = "UPDATE runners SET last_seen_ms = $2 WHERE token_hash = $1 AND revoked_ms IS NULL \
               RETURNING id, name, public_key, facts, created_ms, last_seen_ms, revoked_ms";
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

/// The runners that the viewer registered, newest first; none for a learner.
pub async fn list(store: &Store, viewer: Viewer) -> Result<Vec<Runner>, StoreError> {
    let sql = "SELECT id, name, public_key, facts, created_ms, last_seen_ms, revoked_ms FROM runners \
               WHERE $2 AND created_by = $1 ORDER BY created_ms DESC, id DESC";
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
