//! What happened to a job, line by line, for its page and for whoever looks into a failure.

use super::super::{JobId, LogKind, Store, StoreError, UtcMs, Viewer};

/// Lines that one job keeps. Its own story needs a few dozen; more are a program that talks too much.
pub(super) const LINES: i64 = 1000;
/// What a program says ends here, so that the story of its job has room.
pub(super) const NOTE_LINES: i64 = 900;
/// Characters of a line that a lab's program says.
pub(super) const NOTE_MAX: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct LogLine {
    pub seq: i64,
    pub at_ms: UtcMs,
    /// The hand-out that it belongs to; 0 before the first.
    pub attempt: i64,
    pub kind: LogKind,
    pub body: String,
}

/// `log!(tx, now, job, attempt, kind, note, body)`: the next line, in the transaction of what it tells. The caller holds
/// the row of the job, so that numbers are given one after the other.
macro_rules! log {
    ($tx:ident, $now:expr, $job:expr, $attempt:expr, $kind:expr, $note:expr, $body:expr) => {{
        let note: Option<i64> = $note;
        let most = if note.is_some() { $crate::store::jobs::log::NOTE_LINES } else { $crate::store::jobs::log::LINES };
        sqlx::query(
            "INSERT INTO job_log (job_id, seq, at_ms, attempt, kind, note, body) \
             SELECT CAST($1 AS TEXT), last.seq + 1, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS TEXT), \
               CAST($5 AS BIGINT), CAST($6 AS TEXT) \
             FROM (SELECT COALESCE(MAX(seq), 0) AS seq FROM job_log WHERE job_id = $1) last WHERE last.seq < $7",
        )
        .bind($job)
        .bind($now)
        .bind($attempt)
        .bind($kind)
        .bind(note)
        .bind($body)
        .bind(most)
        .execute(&mut *$tx)
        .await?
    }};
    ($tx:ident, $now:expr, $job:expr, $attempt:expr, $kind:expr, $body:expr) => {
        log!($tx, $now, $job, $attempt, $kind, None, $body)
    };
}

/// The lines behind `seq`, oldest first; none of a job that the viewer may not see.
pub async fn log_after(store: &Store, viewer: Viewer, job: JobId, seq: i64) -> Result<Vec<LogLine>, StoreError> {
    let sql = concat!(
        "SELECT l.seq, l.at_ms, l.attempt, l.kind, l.body FROM job_log l JOIN jobs j ON j.id = l.job_id \
         WHERE l.job_id = $3 AND l.seq > $4 AND ",
        visible!("j.user_id"),
        " ORDER BY l.seq"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(job).bind(seq).fetch_all(c).await)?)
}
