//! How far a learner is with each lesson.

use super::{Progress, Store, StoreError, UserId, UtcMs, Viewer};

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct LessonProgress {
    pub lesson: String,
    pub state: Progress,
    pub updated_ms: UtcMs,
}

/// Opening a lesson again does not undo "done".
pub async fn opened(store: &Store, user: UserId, lesson: &str) -> Result<(), StoreError> {
    // Asked first, because a page view should not become a write.
    let sql = "SELECT EXISTS (SELECT 1 FROM lesson_progress WHERE user_id = $1 AND lesson = $2)";
    let (known,): (bool,) = read!(store, c => sqlx::query_as(sql).bind(user).bind(lesson).fetch_one(c).await)?;
    if known {
        return Ok(());
    }
    let sql = "INSERT INTO lesson_progress (user_id, lesson, state, updated_ms) VALUES ($1, $2, 'opened', $3) \
               ON CONFLICT (user_id, lesson) DO NOTHING";
    write!(store, c => sqlx::query(sql).bind(user).bind(lesson).bind(store.now()).execute(c).await.map(drop))?;
    Ok(())
}

/// The learner's own mark, on or off.
pub async fn mark(store: &Store, user: UserId, lesson: &str, done: bool) -> Result<(), StoreError> {
    let state = if done { Progress::Done } else { Progress::Opened };
    let sql = "INSERT INTO lesson_progress (user_id, lesson, state, updated_ms) VALUES ($1, $2, $3, $4) \
               ON CONFLICT (user_id, lesson) DO UPDATE SET state = excluded.state, updated_ms = excluded.updated_ms";
    write!(store, c => sqlx::query(sql)
        .bind(user).bind(lesson).bind(state).bind(store.now()).execute(c).await.map(drop))?;
    Ok(())
}

pub async fn list(store: &Store, viewer: Viewer, user: UserId) -> Result<Vec<LessonProgress>, StoreError> {
    let sql = concat!(
        "SELECT lesson, state, updated_ms FROM lesson_progress p WHERE p.user_id = $3 AND ",
        visible!("p.user_id"),
        " ORDER BY lesson"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(user).fetch_all(c).await)?)
}
