//! Tokens for the command line and notebooks: shown once, stored hashed, limited to scopes, revocable.

use super::{ApiTokenId, Secret, Store, StoreError, TokenHash, UserId, UtcMs, clean_text};

mod scope;

pub use scope::{Scope, Scopes};

/// What every token starts with, so that secret scanners recognise it.
pub const PREFIX: &str = "vl_";
/// How much of a token the list shows: the prefix and six characters.
const SHOWN: usize = 9;
const NAME_MAX: usize = 80;
/// "Last used" is written at most this often.
const LAST_USED_STEP: std::time::Duration = std::time::Duration::from_secs(60);

#[derive(Debug)]
pub struct NewToken {
    pub id: ApiTokenId,
    pub token: Secret,
}

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct ApiToken {
    pub id: ApiTokenId,
    pub name: String,
    /// The token's first characters, to tell one from another.
    pub prefix: String,
    pub scopes: Scopes,
    pub created_ms: UtcMs,
    pub last_used_ms: Option<UtcMs>,
}

/// Who a token speaks for, and what it may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenHolder {
    pub token: ApiTokenId,
    pub user: UserId,
    pub scopes: Scopes,
}

pub async fn create(store: &Store, user: UserId, name: &str, scopes: Scopes) -> Result<NewToken, StoreError> {
    let (id, token) = (ApiTokenId::new(), Secret::random(PREFIX)?);
    let shown: String = token.reveal().chars().take(SHOWN).collect();
    let sql = "INSERT INTO api_tokens (id, user_id, name, prefix, token_hash, scopes, created_ms) \
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    write!(store, c => sqlx::query(sql)
        .bind(id).bind(user).bind(clean_text(name.trim(), NAME_MAX)).bind(shown).bind(token.hash())
        .bind(scopes).bind(store.now()).execute(c).await.map(drop))?;
    Ok(NewToken { id, token })
}

/// The user's own tokens that still work, newest first.
pub async fn list(store: &Store, user: UserId) -> Result<Vec<ApiToken>, StoreError> {
    let sql = "SELECT id, name, prefix, scopes, created_ms, last_used_ms FROM api_tokens \
               WHERE user_id = $1 AND revoked_ms IS NULL ORDER BY created_ms DESC, id DESC";
    Ok(read!(store, c => sqlx::query_as(sql).bind(user).fetch_all(c).await)?)
}

/// False when the user has no such live token.
pub async fn revoke(store: &Store, user: UserId, id: ApiTokenId) -> Result<bool, StoreError> {
    let sql = "UPDATE api_tokens SET revoked_ms = $3 WHERE id = $2 AND user_id = $1 AND revoked_ms IS NULL";
    let done = write!(store, c => sqlx::query(sql)
        .bind(user).bind(id).bind(store.now()).execute(c).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// `revoke_all_tokens!(tx, user, now)`: every token of the account ends with the transaction that changes its password.
macro_rules! revoke_all_tokens {
    ($tx:ident, $user:expr, $now:expr) => {
        sqlx::query("UPDATE api_tokens SET revoked_ms = $2 WHERE user_id = $1 AND revoked_ms IS NULL")
            .bind($user)
            .bind($now)
            .execute(&mut *$tx)
            .await?
    };
}
pub(crate) use revoke_all_tokens;

/// Whose token this is, if it works; notes the use.
pub async fn authenticate(store: &Store, token: &str) -> Result<Option<TokenHolder>, StoreError> {
    let sql = "SELECT id, user_id, scopes, last_used_ms FROM api_tokens WHERE token_hash = $1 AND revoked_ms IS NULL";
    let row: Option<(ApiTokenId, UserId, Scopes, Option<UtcMs>)> =
        read!(store, c => sqlx::query_as(sql).bind(TokenHash::of(token)).fetch_optional(c).await)?;
    let Some((id, user, scopes, last)) = row else { return Ok(None) };
    let now = store.now();
    if last.is_none_or(|last| last < now.minus(LAST_USED_STEP)) {
        let sql = "UPDATE api_tokens SET last_used_ms = $2 WHERE id = $1";
        write!(store, c => sqlx::query(sql).bind(id).bind(now).execute(c).await.map(drop))?;
    }
    Ok(Some(TokenHolder { token: id, user, scopes }))
}
