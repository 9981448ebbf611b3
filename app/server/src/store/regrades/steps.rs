use super::{LineState, RegradeState};
use crate::store::grades::Earned;
use crate::store::{GradeId, GradeOutcome, JsonText, RegradeId, ReportId, Store, StoreError};

/// What is to be done next, over all classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A report to grade, with the grade that counted when the regrade began.
    Grade { regrade: RegradeId, report: ReportId, old: JsonText },
    /// Grades to append.
    Publish(RegradeId),
}

/// The next piece of work for a grader of this version, the oldest regrade first. Regrades that need another version
/// are closed as outdated, and one without waiting reports becomes ready.
pub async fn next(store: &Store, grader_version: &str) -> Result<Option<Next>, StoreError> {
    // A publication is finished whatever the version: its grades are made and say which grader made them.
    let publishing = "SELECT id FROM regrades WHERE state = 'publishing' ORDER BY created_ms, id LIMIT 1";
    let publishing: Option<(RegradeId,)> = read!(store, c => sqlx::query_as(publishing).fetch_optional(c).await)?;
    if let Some((id,)) = publishing {
        return Ok(Some(Next::Publish(id)));
    }
    let open = "SELECT id, state, grader_version FROM regrades WHERE state IN ('running', 'ready') \
                ORDER BY created_ms, id";
    let open: Vec<(RegradeId, RegradeState, String)> = read!(store, c => sqlx::query_as(open).fetch_all(c).await)?;
    for (id, state, version) in open {
        if version != grader_version {
            set_state(store, id, state, RegradeState::Outdated).await?;
            continue;
        }
        if state == RegradeState::Ready {
            continue;
        }
        let sql = "SELECT l.report_id, g.grade FROM regrade_lines l JOIN grades g ON g.id = l.old_grade_id \
                   WHERE l.regrade_id = $1 AND l.state = 'waiting' ORDER BY l.report_id LIMIT 1";
        let waiting: Option<(ReportId, JsonText)> =
            read!(store, c => sqlx::query_as(sql).bind(id).fetch_optional(c).await)?;
        match waiting {
            Some((report, old)) => return Ok(Some(Next::Grade { regrade: id, report, old })),
            None => set_state(store, id, state, RegradeState::Ready).await?,
        }
    }
    Ok(None)
}

/// Another process may have done it already; then nothing happens.
async fn set_state(store: &Store, id: RegradeId, from: RegradeState, to: RegradeState) -> Result<(), StoreError> {
    let sql = "UPDATE regrades SET state = $3 WHERE id = $1 AND state = $2";
    Ok(write!(store, c => sqlx::query(sql).bind(id).bind(from).bind(to).execute(c).await.map(drop))?)
}

/// What the grader made of a report.
#[derive(Clone, Debug)]
pub enum Judged {
    /// Exactly the grade that counts, version and all: there is nothing to append.
    Identical,
    Graded {
        /// Whether points, checks or decision differ from the grade that counts.
        changed: bool,
        outcome: GradeOutcome,
        cpu: Earned,
        gpu: Earned,
        grade: JsonText,
    },
    /// The bytes are no report for this grader.
    Failed,
}

/// Writes the new grade beside the old one. A line that does not wait any more stays as it is.
pub async fn write(store: &Store, regrade: RegradeId, report: ReportId, judged: &Judged) -> Result<(), StoreError> {
    let (state, graded) = match judged {
        Judged::Identical => (LineState::Same, None),
        Judged::Failed => (LineState::Failed, None),
        Judged::Graded { changed, outcome, cpu, gpu, grade } => {
            let state = if *changed { LineState::Changed } else { LineState::Same };
            (state, Some((*outcome, *cpu, *gpu, grade)))
        }
    };
    let points = |of: fn(&(GradeOutcome, Earned, Earned, &JsonText)) -> u32| graded.as_ref().map(|g| i64::from(of(g)));
    let sql = "UPDATE regrade_lines SET state = $3, outcome = $4, cpu_earned = $5, cpu_possible = $6, \
               gpu_earned = $7, gpu_possible = $8, grade = $9 \
               WHERE regrade_id = $1 AND report_id = $2 AND state = 'waiting'";
    Ok(write!(store, c => sqlx::query(sql).bind(regrade).bind(report).bind(state)
        .bind(graded.map(|g| g.0))
        .bind(points(|g| g.1.earned)).bind(points(|g| g.1.possible))
        .bind(points(|g| g.2.earned)).bind(points(|g| g.2.possible))
        .bind(graded.map(|g| g.3)).execute(c).await.map(drop))?)
}

/// Appends so many of the new grades; `false` when none is left and the regrade is published. A report whose counting
/// grade is another by now keeps that one.
pub async fn publish_some(store: &Store, id: RegradeId, limit: u32) -> Result<bool, StoreError> {
    let now = store.now();
    let lock = sqlx::AssertSqlSafe(format!(
        "SELECT id FROM regrades WHERE id = $1 AND state = 'publishing'{}",
        store.db.for_update()
    ));
    in_tx!(store, tx => {
        // Two processes take turns; the second sees what the first has done.
        let held: Option<(RegradeId,)> = sqlx::query_as(lock).bind(id).fetch_optional(&mut *tx).await?;
        if held.is_none() {
            return Ok(false);
        }
        let reports: Vec<(ReportId,)> = sqlx::query_as(
            "SELECT report_id FROM regrade_lines WHERE regrade_id = $1 AND state IN ('same', 'changed') \
               AND grade IS NOT NULL ORDER BY report_id LIMIT $2",
        )
        .bind(id).bind(i64::from(limit)).fetch_all(&mut *tx).await?;
        if reports.is_empty() {
            sqlx::query("UPDATE regrades SET state = 'published' WHERE id = $1").bind(id).execute(&mut *tx).await?;
            return Ok(false);
        }
        for (report,) in reports {
            let grade = GradeId::new();
            let appended = sqlx::query(
                "INSERT INTO grades (id, report_id, class, grader_version, outcome, cpu_earned, cpu_possible, \
                   gpu_earned, gpu_possible, grade, created_ms) \
                 SELECT $1, r.id, r.class, x.grader_version, l.outcome, l.cpu_earned, l.cpu_possible, \
                   l.gpu_earned, l.gpu_possible, l.grade, $4 \
                 FROM regrade_lines l JOIN regrades x ON x.id = l.regrade_id JOIN reports r ON r.id = l.report_id \
                   JOIN grades o ON o.id = l.old_grade_id \
                 WHERE l.regrade_id = $2 AND l.report_id = $3 AND NOT EXISTS (SELECT 1 FROM grades n \
                   WHERE n.report_id = r.id AND (n.created_ms, n.id) > (o.created_ms, o.id))",
            )
            .bind(grade).bind(id).bind(report).bind(now).execute(&mut *tx).await?.rows_affected();
            let (state, new) = if appended == 1 { (LineState::Published, Some(grade)) } else { (LineState::Overtaken, None) };
            // The new grade is where grades are; it is not kept twice.
            sqlx::query(
                "UPDATE regrade_lines SET state = $3, new_grade_id = $4, grade = CASE WHEN $4 IS NULL THEN grade END \
                 WHERE regrade_id = $1 AND report_id = $2",
            )
            .bind(id).bind(report).bind(state).bind(new).execute(&mut *tx).await?;
        }
        Ok(true)
    })
}
