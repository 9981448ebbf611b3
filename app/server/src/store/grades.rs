//! Grades: appended, never changed. The newest one of a report counts.

use evidence::EvidenceClass;

use super::{GradeId, GradeOutcome, JsonText, ReportId, Store, StoreError, UserId, UtcMs, Viewer, Word};

mod attempts;
mod effective;
mod gradebook;

pub use attempts::{AttemptLine, NewestGrade, attempts, newest};
pub use effective::{Effective, HeldLab, Sheet, effective, held_labs, sheet};
pub use gradebook::{GradebookLine, gradebook};

/// Points of one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Earned {
    pub earned: u32,
    pub possible: u32,
}

#[derive(Clone, Debug)]
pub struct NewGrade<'a> {
    pub report: ReportId,
    pub grader_version: &'a str,
    pub outcome: GradeOutcome,
    pub cpu: Earned,
    /// Zero earned unless the report's class is `gpu`: the database refuses anything else.
    pub gpu: Earned,
    /// The whole grade, as the pages show it.
    pub grade: JsonText,
}

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct GradeRow {
    pub id: GradeId,
    pub report_id: ReportId,
    pub class: Word<EvidenceClass>,
    pub grader_version: String,
    pub outcome: GradeOutcome,
    pub cpu_earned: i64,
    pub cpu_possible: i64,
    pub gpu_earned: i64,
    pub gpu_possible: i64,
    pub grade: JsonText,
    pub created_ms: UtcMs,
}

#[derive(Debug, thiserror::Error)]
pub enum GradeError {
    #[error("no such report")]
    NoReport,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for GradeError {
    fn from(err: sqlx::Error) -> Self {
        Self::Store(err.into())
    }
}

/// Appends a grade and, when the report came from a job, moves the job to its last stage. A grade that says what the
/// counting one says is that one: graded twice at the same moment, a report has one grade.
pub async fn append(store: &Store, new: &NewGrade<'_>) -> Result<GradeId, GradeError> {
    let (id, now) = (GradeId::new(), store.now());
    // Whoever grades the same report waits here, and then sees this grade.
    let lock = sqlx::AssertSqlSafe(format!("SELECT id FROM reports WHERE id = $1{}", store.db.for_update()));
    in_tx!(store, tx => {
        let report: Option<(ReportId,)> = sqlx::query_as(lock).bind(new.report).fetch_optional(&mut *tx).await?;
        if report.is_none() {
            return Err(GradeError::NoReport);
        }
        let same: Option<(GradeId,)> = sqlx::query_as(
            "SELECT g.id FROM grades g WHERE g.report_id = $1 AND g.grader_version = $2 AND g.outcome = $3 \
               AND g.cpu_earned = $4 AND g.gpu_earned = $5 AND g.grade = $6 \
               AND NOT EXISTS (SELECT 1 FROM grades n WHERE n.report_id = $1 \
                 AND (n.created_ms, n.id) > (g.created_ms, g.id))",
        )
        .bind(new.report).bind(new.grader_version).bind(new.outcome)
        .bind(i64::from(new.cpu.earned)).bind(i64::from(new.gpu.earned)).bind(&new.grade)
        .fetch_optional(&mut *tx).await?;
        if let Some((same,)) = same {
            return Ok(same);
        }
        sqlx::query(
            "INSERT INTO grades (id, report_id, class, grader_version, outcome, cpu_earned, cpu_possible, \
               gpu_earned, gpu_possible, grade, created_ms) \
             SELECT $1, r.id, r.class, $3, $4, $5, $6, $7, $8, $9, $10 FROM reports r WHERE r.id = $2",
        )
        .bind(id).bind(new.report).bind(new.grader_version).bind(new.outcome)
        .bind(i64::from(new.cpu.earned)).bind(i64::from(new.cpu.possible))
        .bind(i64::from(new.gpu.earned)).bind(i64::from(new.gpu.possible))
        .bind(&new.grade).bind(now)
        .execute(&mut *tx).await?;
        sqlx::query(
            "UPDATE jobs SET stage = 'graded' WHERE state = 'done' \
             AND id = (SELECT job_id FROM reports WHERE id = $1)",
        )
        .bind(new.report).execute(&mut *tx).await?;
        Ok(id)
    })
}

macro_rules! columns {
    () => {
        "SELECT g.id, g.report_id, g.class, g.grader_version, g.outcome, g.cpu_earned, g.cpu_possible, \
         g.gpu_earned, g.gpu_possible, g.grade, g.created_ms FROM grades g JOIN reports r ON r.id = g.report_id WHERE "
    };
}

/// A visible report's grades: the learner's own only once the class shows them. `$4` is the present.
macro_rules! shown {
    () => {
        concat!(
            columns!(),
            visible!("r.user_id"),
            " AND (r.user_id <> $1 OR NOT ",
            held!("r.user_id", "r.lab", "$4"),
            ")"
        )
    };
}

/// Every grade of a report that the viewer is shown, newest first: the first one counts.
pub async fn of_report(store: &Store, viewer: Viewer, report: ReportId) -> Result<Vec<GradeRow>, StoreError> {
    let sql = concat!(shown!(), " AND g.report_id = $3 ORDER BY g.created_ms DESC, g.id DESC");
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(report).bind(store.now()).fetch_all(c).await)?)
}

/// The counting grade of a report that the viewer is shown.
pub async fn latest(store: &Store, viewer: Viewer, report: ReportId) -> Result<Option<GradeRow>, StoreError> {
    let sql = concat!(shown!(), " AND g.report_id = $3 ORDER BY g.created_ms DESC, g.id DESC LIMIT 1");
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(report).bind(store.now()).fetch_optional(c).await)?)
}

/// The counting grade of each of one learner's reports that the viewer is shown, newest report first.
pub async fn latest_of_user(store: &Store, viewer: Viewer, user: UserId) -> Result<Vec<GradeRow>, StoreError> {
    let sql = concat!(
        shown!(),
        " AND r.user_id = $3 AND NOT EXISTS (SELECT 1 FROM grades n WHERE n.report_id = g.report_id \
          AND (n.created_ms, n.id) > (g.created_ms, g.id)) ORDER BY r.created_ms DESC, r.id DESC"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(user).bind(store.now()).fetch_all(c).await)?)
}

/// Has the report a grade, shown or not? What it says stays with those who may read it.
pub async fn is_graded(store: &Store, report: ReportId) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM grades WHERE report_id = $1)";
    let (graded,): (bool,) = read!(store, c => sqlx::query_as(sql).bind(report).fetch_one(c).await)?;
    Ok(graded)
}
