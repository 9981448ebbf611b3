//! Waiting for conditions.

use std::time::{Duration, Instant};

/// How long anything may take on a machine with two slow cores that also builds something else.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// How long a condition rests between two looks.
const REST: Duration = Duration::from_millis(15);

tokio::task_local! {
    static LIMIT: Duration;
}

/// Gives everything that is awaited inside another deadline than [`DEADLINE`].
pub async fn within<T>(limit: Duration, what: impl Future<Output = T>) -> T {
    LIMIT.scope(limit, what).await
}

/// Looks until the condition gives a value; fails the test at the deadline with `what`.
pub async fn until<T, F, Fut>(what: &str, mut look: F) -> T
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    let start = Instant::now();
    let limit = LIMIT.try_with(|limit| *limit).unwrap_or(DEADLINE);
    loop {
        if let Some(value) = look().await {
            return value;
        }
        assert!(start.elapsed() < limit, "not within {} s: {what}", limit.as_secs());
        tokio::time::sleep(REST).await;
    }
}
