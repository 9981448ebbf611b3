//! The intuition drill: questions as they were asked, the first answer to each, and sets that a class shares.
//!
//! A question's row is written when it is shown and never changed: time runs by this server's clock, whatever a browser
//! says, and an answer that is sent twice counts once.

use ledger::drill::{Attempt, Question, Score, Topic, Unit};

use super::{DrillQuestionId, DrillSetId, Store, StoreError, UserId, UtcMs, Viewer, Word};

mod sets;

pub use sets::{
    OwnSet, Plan, Set, SetAnswer, SetError, answers_of_set, ask_in_set, open_set, own_answers, own_set, own_sets, set,
    sets_of_class,
};

/// How long a question may be thought about.
pub const LIMIT_MS: i64 = 60_000;

/// What page and answer may take on their way beside that.
pub const GRACE_MS: i64 = 3_000;

/// Of a longer history the newest answers count.
const HISTORY: i64 = 10_000;

/// Unanswered questions are forgotten after a day.
const FORGOTTEN_MS: i64 = 86_400_000;

/// A question that a learner was asked.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Asked {
    pub id: DrillQuestionId,
    pub user_id: UserId,
    pub set_id: Option<DrillSetId>,
    /// Counts from 1 within the set.
    pub position: Option<i64>,
    pub topic: Word<Topic>,
    seed: i64,
    pub asked_ms: UtcMs,
}

impl Asked {
    /// With the topic it gives the question again.
    pub fn seed(&self) -> u64 {
        self.seed.cast_unsigned()
    }

    /// What is left of the time at `now`.
    pub fn left_ms(&self, now: UtcMs) -> i64 {
        left_ms(self.asked_ms, now)
    }
}

/// What is left of the time of a question asked at `asked`: 0 to [`LIMIT_MS`].
pub fn left_ms(asked: UtcMs, now: UtcMs) -> i64 {
    LIMIT_MS.saturating_sub(now.0.saturating_sub(asked.0)).clamp(0, LIMIT_MS)
}

/// Whether an answer at `now` is in time.
pub fn in_time(asked: UtcMs, now: UtcMs) -> bool {
    now.0.saturating_sub(asked.0) <= LIMIT_MS + GRACE_MS
}

/// The first answer to a question.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Answer {
    #[sqlx(flatten)]
    pub asked: Asked,
    pub answer: f64,
    pub exact: f64,
    /// Of both.
    pub unit: Word<Unit>,
    pub relative_error: f64,
    pub in_time: bool,
    /// Close enough and in time.
    pub passed: bool,
    pub answered_ms: UtcMs,
}

macro_rules! asked {
    () => {
        "q.id, q.user_id, q.set_id, q.position, q.topic, q.seed, q.asked_ms"
    };
}

macro_rules! answers {
    () => {
        concat!(
            "SELECT ",
            asked!(),
            ", a.answer, a.exact, a.unit, a.relative_error, a.in_time, a.passed, a.answered_ms \
             FROM drill_questions q JOIN drill_answers a ON a.question_id = q.id WHERE "
        )
    };
}
use {answers, asked};

/// Asks a question outside any set; the time runs from now.
pub async fn ask(store: &Store, user: UserId, topic: Topic, seed: u64) -> Result<Asked, StoreError> {
    let (id, now) = (DrillQuestionId::new(), store.now());
    in_tx!(store, tx => {
        sqlx::query(
            "DELETE FROM drill_questions WHERE user_id = $1 AND set_id IS NULL AND asked_ms < $2 AND NOT EXISTS \
             (SELECT 1 FROM drill_answers a WHERE a.question_id = drill_questions.id)",
        )
        .bind(user).bind(now.0.saturating_sub(FORGOTTEN_MS)).execute(&mut *tx).await?;
        sqlx::query("INSERT INTO drill_questions (id, user_id, topic, seed, asked_ms) VALUES ($1, $2, $3, $4, $5)")
            .bind(id).bind(user).bind(Word(topic)).bind(seed.cast_signed()).bind(now)
            .execute(&mut *tx).await?;
        Ok::<_, StoreError>(())
    })?;
    let seed = seed.cast_signed();
    Ok(Asked { id, user_id: user, set_id: None, position: None, topic: Word(topic), seed, asked_ms: now })
}

/// The newest question outside any set that the learner has neither answered nor let run out.
pub async fn running(store: &Store, user: UserId) -> Result<Option<Asked>, StoreError> {
    let sql = concat!(
        "SELECT ",
        asked!(),
        " FROM drill_questions q WHERE q.user_id = $1 AND q.set_id IS NULL AND q.asked_ms > $2 AND NOT EXISTS \
         (SELECT 1 FROM drill_answers a WHERE a.question_id = q.id) ORDER BY q.asked_ms DESC, q.id DESC LIMIT 1"
    );
    let since = store.now().0.saturating_sub(LIMIT_MS);
    Ok(read!(store, c => sqlx::query_as(sql).bind(user).bind(since).fetch_optional(c).await)?)
}

/// A question that this learner was asked.
pub async fn question(store: &Store, user: UserId, id: DrillQuestionId) -> Result<Option<Asked>, StoreError> {
    let sql = concat!("SELECT ", asked!(), " FROM drill_questions q WHERE q.id = $1 AND q.user_id = $2");
    Ok(read!(store, c => sqlx::query_as(sql).bind(id).bind(user).fetch_optional(c).await)?)
}

/// Keeps the first answer to a question that the learner was asked; says whether it was this one. `score` is what the
/// ledger makes of it; whether it came in time is decided here.
pub async fn answer(store: &Store, asked: &Asked, question: &Question, score: &Score) -> Result<bool, StoreError> {
    let now = store.now();
    let in_time = in_time(asked.asked_ms, now);
    let sql = "INSERT INTO drill_answers \
               (question_id, answer, exact, unit, relative_error, in_time, passed, answered_ms) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (question_id) DO NOTHING";
    let done = write!(store, c => sqlx::query(sql)
        .bind(asked.id).bind(score.answer).bind(score.exact).bind(Word(question.unit)).bind(score.relative_error)
        .bind(in_time).bind(in_time && score.passed).bind(now)
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(done > 0)
}

/// The answer to a question, for who gave it and who teaches them.
pub async fn answered(store: &Store, viewer: Viewer, id: DrillQuestionId) -> Result<Option<Answer>, StoreError> {
    let sql = concat!(answers!(), "q.id = $3 AND ", visible!("q.user_id"));
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(id).fetch_optional(c).await)?)
}

/// A learner's answers, newest first.
pub async fn history(store: &Store, viewer: Viewer, user: UserId, limit: u32) -> Result<Vec<Answer>, StoreError> {
    let sql = concat!(
        answers!(),
        "q.user_id = $3 AND ",
        visible!("q.user_id"),
        " ORDER BY a.answered_ms DESC, q.id DESC LIMIT $4"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(user).bind(i64::from(limit)).fetch_all(c).await)?)
}

/// What spaced repetition goes by: the learner's own answers, in sets and outside, oldest first.
pub async fn attempts(store: &Store, user: UserId) -> Result<Vec<Attempt>, StoreError> {
    let sql = "SELECT q.topic, a.passed, a.answered_ms FROM drill_questions q \
               JOIN drill_answers a ON a.question_id = q.id \
               WHERE q.user_id = $1 ORDER BY a.answered_ms DESC, q.id DESC LIMIT $2";
    let mut rows: Vec<(Word<Topic>, bool, UtcMs)> =
        read!(store, c => sqlx::query_as(sql).bind(user).bind(HISTORY).fetch_all(c).await)?;
    rows.reverse();
    let attempt = |(topic, passed, at): (Word<Topic>, bool, UtcMs)| Attempt {
        topic: topic.0,
        passed,
        at: u64::try_from(at.0).unwrap_or_default(),
    };
    Ok(rows.into_iter().map(attempt).collect())
}
