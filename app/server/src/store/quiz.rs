//! Answers to the questions in lessons. All are kept; the latest one counts.

use super::{AnswerId, JsonText, Store, StoreError, UserId, UtcMs, Viewer};

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Answer {
    pub id: AnswerId,
    pub user_id: UserId,
    pub lesson: String,
    pub quiz: String,
    pub question: String,
    pub answer: JsonText,
    pub correct: bool,
    pub created_ms: UtcMs,
}

/// A question's place in the course.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub lesson: &'a str,
    pub quiz: &'a str,
    pub question: &'a str,
}

pub async fn answer(
    store: &Store,
    user: UserId,
    at: Question<'_>,
    answer: &JsonText,
    correct: bool,
) -> Result<AnswerId, StoreError> {
    let id = AnswerId::new();
    let sql = "INSERT INTO quiz_answers (id, user_id, lesson, quiz, question, answer, correct, created_ms) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    write!(store, c => sqlx::query(sql)
        .bind(id).bind(user).bind(at.lesson).bind(at.quiz).bind(at.question).bind(answer).bind(correct)
        .bind(store.now()).execute(c).await.map(drop))?;
    Ok(id)
}

/// The latest answer to each question of a lesson, in the order in which they were given.
pub async fn latest(store: &Store, viewer: Viewer, user: UserId, lesson: &str) -> Result<Vec<Answer>, StoreError> {
    let sql = concat!(
        "SELECT id, user_id, lesson, quiz, question, answer, correct, created_ms FROM quiz_answers a \
         WHERE a.user_id = $3 AND a.lesson = $4 AND NOT EXISTS (SELECT 1 FROM quiz_answers n \
           WHERE n.user_id = a.user_id AND n.lesson = a.lesson AND n.quiz = a.quiz AND n.question = a.question \
           AND (n.created_ms, n.id) > (a.created_ms, a.id)) AND ",
        visible!("a.user_id"),
        " ORDER BY a.created_ms, a.id"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(user).bind(lesson).fetch_all(c).await)?)
}

/// Every answer to the questions of a lesson, oldest first.
pub async fn history(store: &Store, viewer: Viewer, user: UserId, lesson: &str) -> Result<Vec<Answer>, StoreError> {
    let sql = concat!(
        "SELECT id, user_id, lesson, quiz, question, answer, correct, created_ms FROM quiz_answers a \
         WHERE a.user_id = $3 AND a.lesson = $4 AND ",
        visible!("a.user_id"),
        " ORDER BY a.created_ms, a.id"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(user).bind(lesson).fetch_all(c).await)?)
}
