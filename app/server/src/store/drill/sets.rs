use ledger::LedgerError;
use ledger::drill::{self, MAX_SET, Question, Topic};

use super::{Answer, Asked, answers, asked};
use crate::store::{ClassId, DrillQuestionId, DrillSetId, Store, StoreError, UserId, UtcMs, Viewer, Word};

/// What makes the questions of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Plan {
    seed: i64,
    questions: i64,
}

impl Plan {
    /// How many questions there are.
    pub fn count(self) -> usize {
        usize::try_from(self.questions).unwrap_or_default()
    }

    /// The questions, the same for everybody.
    ///
    /// # Errors
    /// As `drill::set`.
    pub fn draw(self) -> Result<Vec<Question>, LedgerError> {
        drill::set(self.seed.cast_unsigned(), self.count())
    }
}

/// The same questions for everybody in a class.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Set {
    pub id: DrillSetId,
    pub class_id: ClassId,
    pub class: String,
    #[sqlx(flatten)]
    pub plan: Plan,
    pub created_ms: UtcMs,
    /// Answers of the class's learners so far.
    pub answers: i64,
}

/// A set as one of its learners sees it.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct OwnSet {
    pub id: DrillSetId,
    pub class: String,
    #[sqlx(flatten)]
    pub plan: Plan,
    pub created_ms: UtcMs,
    /// Own answers so far, and those of them that passed.
    pub answered: i64,
    pub passed: i64,
}

/// One learner's answer to one question of a set.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct SetAnswer {
    pub user_id: UserId,
    pub position: i64,
    pub answer: f64,
    pub exact: f64,
    pub relative_error: f64,
    pub in_time: bool,
    pub passed: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// There is no such class among those that this instructor teaches.
    #[error("no such class of this instructor")]
    NotTaught,
    #[error("a set has 1 to {MAX_SET} questions")]
    Count,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for SetError {
    fn from(err: sqlx::Error) -> Self {
        Self::Store(err.into())
    }
}

/// Opens a set for a class that the viewer teaches.
pub async fn open_set(
    store: &Store,
    viewer: Viewer,
    class: ClassId,
    seed: u64,
    count: usize,
) -> Result<DrillSetId, SetError> {
    let questions = i64::try_from(count).ok().filter(|_| (1..=MAX_SET).contains(&count)).ok_or(SetError::Count)?;
    let id = DrillSetId::new();
    let sql = concat!(
        "INSERT INTO drill_sets (id, class_id, opened_by, seed, questions, created_ms) \
         SELECT $4, $3, $1, $5, $6, $7 WHERE ",
        allowed!(may_edit, "$3")
    );
    let done = write!(store, c => sqlx::query(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(id).bind(seed.cast_signed()).bind(questions)
        .bind(store.now()).execute(c).await.map(|done| done.rows_affected()))?;
    if done == 0 { Err(SetError::NotTaught) } else { Ok(id) }
}

/// Sets of classes that the viewer teaches. Answers of who left the class do not count.
const TAUGHT: &str = concat!(
    "SELECT s.id, s.class_id, c.name AS class, s.seed, s.questions, s.created_ms, \
    (SELECT COUNT(*) FROM drill_questions q JOIN drill_answers a ON a.question_id = q.id \
     JOIN memberships l ON l.user_id = q.user_id AND l.class_id = s.class_id AND l.role = 'learner' \
     WHERE q.set_id = s.id) AS answers \
    FROM drill_sets s JOIN classes c ON c.id = s.class_id \
    JOIN memberships t ON t.class_id = s.class_id WHERE t.user_id = $1 AND ",
    rights!(help),
    " AND "
);

/// The sets of a class that the viewer teaches, newest first; otherwise none.
pub async fn sets_of_class(store: &Store, viewer: Viewer, class: ClassId) -> Result<Vec<Set>, StoreError> {
    let sql = sqlx::AssertSqlSafe(format!("{TAUGHT} s.class_id = $3 ORDER BY s.created_ms DESC, s.id DESC"));
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).fetch_all(c).await)?)
}

/// A set of a class that the viewer teaches.
pub async fn set(store: &Store, viewer: Viewer, id: DrillSetId) -> Result<Option<Set>, StoreError> {
    let sql = sqlx::AssertSqlSafe(format!("{TAUGHT} s.id = $3"));
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(id).fetch_optional(c).await)?)
}

/// Every answer to a set of a class that the viewer teaches, by those who are in the class; otherwise none.
pub async fn answers_of_set(store: &Store, viewer: Viewer, id: DrillSetId) -> Result<Vec<SetAnswer>, StoreError> {
    let sql = concat!(
        "SELECT q.user_id, q.position, a.answer, a.exact, a.relative_error, a.in_time, a.passed \
               FROM drill_sets s JOIN drill_questions q ON q.set_id = s.id \
               JOIN drill_answers a ON a.question_id = q.id \
               JOIN memberships l ON l.user_id = q.user_id AND l.class_id = s.class_id AND l.role = 'learner' \
               JOIN memberships t ON t.class_id = s.class_id \
               WHERE s.id = $3 AND t.user_id = $1 AND ",
        rights!(may_grade),
        " ORDER BY q.position, q.user_id"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(id).fetch_all(c).await)?)
}

const OWN: &str = "SELECT s.id, c.name AS class, s.seed, s.questions, s.created_ms, \
    (SELECT COUNT(*) FROM drill_questions q JOIN drill_answers a ON a.question_id = q.id \
     WHERE q.set_id = s.id AND q.user_id = $1) AS answered, \
    (SELECT COUNT(*) FROM drill_questions q JOIN drill_answers a ON a.question_id = q.id \
     WHERE q.set_id = s.id AND q.user_id = $1 AND a.passed) AS passed \
    FROM drill_sets s JOIN classes c ON c.id = s.class_id \
    JOIN memberships l ON l.class_id = s.class_id AND l.role = 'learner' WHERE l.user_id = $1";

/// The sets of the classes that this learner is in, newest first.
pub async fn own_sets(store: &Store, user: UserId) -> Result<Vec<OwnSet>, StoreError> {
    let sql = sqlx::AssertSqlSafe(format!("{OWN} ORDER BY s.created_ms DESC, s.id DESC"));
    Ok(read!(store, c => sqlx::query_as(sql).bind(user).fetch_all(c).await)?)
}

/// One of them.
pub async fn own_set(store: &Store, user: UserId, id: DrillSetId) -> Result<Option<OwnSet>, StoreError> {
    let sql = sqlx::AssertSqlSafe(format!("{OWN} AND s.id = $2"));
    Ok(read!(store, c => sqlx::query_as(sql).bind(user).bind(id).fetch_optional(c).await)?)
}

/// The learner's own answers to a set, by position.
pub async fn own_answers(store: &Store, user: UserId, set: DrillSetId) -> Result<Vec<Answer>, StoreError> {
    let sql = concat!(answers!(), "q.user_id = $1 AND q.set_id = $2 ORDER BY q.position");
    Ok(read!(store, c => sqlx::query_as(sql).bind(user).bind(set).fetch_all(c).await)?)
}

/// Asks a learner of the class one question of a set, once: asked again, the first time of asking stays. `None` where
/// the learner is not in the class.
pub async fn ask_in_set(
    store: &Store,
    user: UserId,
    set: DrillSetId,
    position: usize,
    topic: Topic,
    seed: u64,
) -> Result<Option<Asked>, StoreError> {
    let Ok(position) = i64::try_from(position) else { return Ok(None) };
    let sql = "INSERT INTO drill_questions (id, user_id, set_id, position, topic, seed, asked_ms) \
               SELECT $3, $1, s.id, $4, $5, $6, $7 FROM drill_sets s \
               JOIN memberships l ON l.class_id = s.class_id AND l.role = 'learner' \
               WHERE s.id = $2 AND l.user_id = $1 AND $4 BETWEEN 1 AND s.questions \
               ON CONFLICT (user_id, set_id, position) DO NOTHING";
    write!(store, c => sqlx::query(sql)
        .bind(user).bind(set).bind(DrillQuestionId::new()).bind(position).bind(Word(topic)).bind(seed.cast_signed())
        .bind(store.now()).execute(c).await.map(drop))?;
    in_set(store, user, set, position).await
}

/// The question of a set as it was asked.
async fn in_set(store: &Store, user: UserId, set: DrillSetId, position: i64) -> Result<Option<Asked>, StoreError> {
    let sql = concat!(
        "SELECT ",
        asked!(),
        " FROM drill_questions q WHERE q.user_id = $1 AND q.set_id = $2 AND q.position = $3"
    );
    Ok(read!(store, c => sqlx::query_as(sql).bind(user).bind(set).bind(position).fetch_optional(c).await)?)
}
