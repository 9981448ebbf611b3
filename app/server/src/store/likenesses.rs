//! Reports of different learners that are the same: byte for byte, or but for their digits. What is compared of a report
//! is worked out once and kept, so that a new report is held against a few hundred small rows.

use evidence::{Likeness, Print};

use super::reports::ReportRow;
use super::{ClassId, JsonText, ReportId, Store, StoreError, UserId, UtcMs, Viewer};

/// A report is compared with so many of the newest of the same workload.
const COMPARED: i64 = 500;
/// So many pairs of a class are listed.
const LISTED: i64 = 200;

/// The kept numbers of another learner's report.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Kept {
    pub report_id: ReportId,
    pub print: JsonText,
}

/// A report that is like the one at hand.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub other: ReportId,
    pub likeness: Likeness,
}

/// The oldest report that was not looked at yet.
pub async fn unprinted(store: &Store) -> Result<Option<ReportId>, StoreError> {
    let sql = "SELECT r.id FROM reports r WHERE NOT EXISTS (SELECT 1 FROM report_prints p WHERE p.report_id = r.id) \
               ORDER BY r.created_ms, r.id LIMIT 1";
    let row: Option<(ReportId,)> = read!(store, c => sqlx::query_as(sql).fetch_optional(c).await)?;
    Ok(row.map(|(id,)| id))
}

/// The newest reports of others with the same workload.
pub async fn comparable(store: &Store, not: UserId, workload: &str) -> Result<Vec<Kept>, StoreError> {
    let sql = "SELECT report_id, print FROM report_prints WHERE workload = $1 AND user_id <> $2 \
               ORDER BY created_ms DESC, report_id LIMIT $3";
    Ok(read!(store, c => sqlx::query_as(sql).bind(workload).bind(not).bind(COMPARED).fetch_all(c).await)?)
}

/// Keeps the numbers of a report and what it is like. A report that another process looked at meanwhile stays.
pub async fn write(
    store: &Store,
    report: &ReportRow,
    print: Option<&Print>,
    found: &[Found],
) -> Result<(), StoreError> {
    let text = JsonText::of(&print)?;
    in_tx!(store, tx => {
        sqlx::query(
            "INSERT INTO report_prints (report_id, user_id, workload, print, created_ms) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (report_id) DO NOTHING",
        )
        .bind(report.id).bind(report.user_id).bind(print.map(|print| print.workload.as_str())).bind(text)
        .bind(report.created_ms).execute(&mut *tx).await?;
        for Found { other, likeness } in found {
            sqlx::query(
                "INSERT INTO report_likenesses (report_id, other_id, times, largest_difference) \
                 VALUES ($1, $2, $3, $4) ON CONFLICT (report_id, other_id) DO NOTHING",
            )
            .bind(report.id).bind(other).bind(i64::try_from(likeness.times).unwrap_or(i64::MAX))
            .bind(likeness.largest_difference).execute(&mut *tx).await?;
        }
        Ok(())
    })
}

/// Two reports of two learners of a class; the earlier one first.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Pair {
    pub lab: Option<String>,
    pub first_report: ReportId,
    pub first_name: String,
    pub first_ms: UtcMs,
    pub second_report: ReportId,
    pub second_name: String,
    pub second_ms: UtcMs,
    /// `None`: the files are the same, byte for byte.
    pub times: Option<i64>,
    pub largest_difference: Option<f64>,
}

impl Pair {
    /// Equality joins find a pair fast, in either order.
    fn in_order(self) -> Self {
        if (self.first_ms, self.first_report) <= (self.second_ms, self.second_report) {
            return self;
        }
        Self {
            first_report: self.second_report,
            first_name: self.second_name,
            first_ms: self.second_ms,
            second_report: self.first_report,
            second_name: self.first_name,
            second_ms: self.first_ms,
            ..self
        }
    }
}

/// The pairs of a class whose learners the viewer may see, newest first.
pub async fn of_class(store: &Store, viewer: Viewer, class: ClassId) -> Result<Vec<Pair>, StoreError> {
    let sql = concat!(
        "WITH mine AS (SELECT r.id, r.user_id, r.lab, r.sha256, r.created_ms, u.display_name \
           FROM reports r JOIN users u ON u.id = r.user_id JOIN memberships m ON m.user_id = r.user_id \
           WHERE m.class_id = $3 AND m.role = 'learner' AND ",
        allowed!(may_grade, "m.class_id"),
        "), pairs AS ( \
           SELECT a.id AS x, b.id AS y, CAST(NULL AS BIGINT) AS times, CAST(NULL AS DOUBLE PRECISION) AS largest \
             FROM mine a JOIN mine b ON b.sha256 = a.sha256 AND b.user_id <> a.user_id AND a.id < b.id \
           UNION ALL \
           SELECT l.report_id AS x, l.other_id AS y, l.times, l.largest_difference AS largest FROM report_likenesses l \
             JOIN mine a ON a.id = l.report_id JOIN mine b ON b.id = l.other_id WHERE a.sha256 <> b.sha256) \
         SELECT a.lab, a.id AS first_report, a.display_name AS first_name, a.created_ms AS first_ms, \
           b.id AS second_report, b.display_name AS second_name, b.created_ms AS second_ms, \
           p.times, p.largest AS largest_difference \
         FROM pairs p JOIN mine a ON a.id = p.x JOIN mine b ON b.id = p.y \
         ORDER BY CASE WHEN a.created_ms > b.created_ms THEN a.created_ms ELSE b.created_ms END DESC, a.id, b.id \
         LIMIT $4"
    );
    let pairs: Vec<Pair> = read!(store, c => sqlx::query_as(sql).bind(viewer.id()).bind(viewer.teaches()).bind(class)
        .bind(LISTED).fetch_all(c).await)?;
    Ok(pairs.into_iter().map(Pair::in_order).collect())
}
