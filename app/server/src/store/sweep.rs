use std::time::Duration;

use tower_sessions::ExpiredDeletion;

use super::{JobId, Store, StoreError, jobs, sessions::SessionRows};

/// Used and expired links are kept this long, to answer "who reset my password?".
const LINKS_KEPT: Duration = Duration::from_secs(90 * 24 * 3600);

/// What the server's timer does every minute or so: ends jobs that lost their last lease (and names them), forgets
/// expired sessions and old links. Any number of processes may do it at once.
pub async fn sweep(store: &Store) -> Result<Vec<JobId>, StoreError> {
    let ended = jobs::expire(store).await?;
    // The session layer's error type says only a text; it is the store's own error.
    SessionRows::new(store.clone()).delete_expired().await.map_err(|e| StoreError::Sessions(e.to_string()))?;
    let before = store.now().minus(LINKS_KEPT);
    let sql = "DELETE FROM one_time_links WHERE expires_ms < $1";
    write!(store, c => sqlx::query(sql).bind(before).execute(c).await.map(drop))?;
    Ok(ended)
}
