use protocol::{FailureKind, KernelSource, Nonce, Note, Stage, StageTime};

use super::{Holding, LEASE, MESSAGE_MAX, log::NOTE_MAX, rest, worth_a_retry};
use crate::store::{
    JobId, JobState, JsonText, LogKind, ReportId, ReportOrigin, RunnerId, Store, StoreError, UtcMs, Word, clean_lines,
    clean_text, kernels,
    reports::{Columns, NewReport, Signed, insert_report},
};

#[derive(Debug, thiserror::Error)]
pub enum HeldError {
    /// The job was claimed by somebody else, has ended, or never was this runner's.
    #[error("the runner does not hold this job")]
    LeaseLost,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for HeldError {
    fn from(err: sqlx::Error) -> Self {
        Self::Store(err.into())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    pub until: UtcMs,
    /// Stop and send nothing more.
    pub cancelled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    Stored(ReportId),
    /// The same report had arrived; the first answer was lost on its way.
    Already(ReportId),
}

impl Finished {
    pub fn id(self) -> ReportId {
        match self {
            Self::Stored(id) | Self::Already(id) => id,
        }
    }
}

/// The row, held until the transaction ends, if its last claim is this runner's with this nonce.
macro_rules! held {
    ($tx:ident, $sql:expr, $job:expr, $runner:expr, $nonce:expr) => {{
        let row: Option<Holding> =
            sqlx::query_as(sqlx::AssertSqlSafe($sql)).bind($job).fetch_optional(&mut *$tx).await?;
        match row {
            Some(row) if row.last_claim_is($runner, $nonce) => row,
            _ => return Err(HeldError::LeaseLost),
        }
    }};
}

fn holding_sql(store: &Store) -> String {
    format!(
        "SELECT user_id, state, stage, runner_id, nonce, claims, claims_allowed FROM jobs WHERE id = $1{}",
        store.db.for_update()
    )
}

/// Renews the holder's lease and notes where the run stands. A runner whose lease ran out, and whose job nobody else
/// has claimed, holds it again.
pub async fn heartbeat(
    store: &Store,
    runner: RunnerId,
    job: JobId,
    nonce: &Nonce,
    stage: Stage,
    times: &[StageTime],
    notes: &[Note],
) -> Result<Lease, HeldError> {
    let now = store.now();
    let until = now.plus(LEASE);
    let (sql, times) = (holding_sql(store), JsonText::of(&times)?);
    in_tx!(store, tx => {
        let row = held!(tx, sql, job, runner, nonce);
        match row.state {
            JobState::Leased => {}
            JobState::Queued => {
                log!(tx, now, job, row.claims, LogKind::Back, "");
            }
            JobState::Cancelled => return Ok(Lease { until, cancelled: true }),
            _ => return Err(HeldError::LeaseLost),
        }
        sqlx::query("UPDATE jobs SET state = 'leased', lease_until_ms = $2, stage = $3, times = $4 WHERE id = $1")
            .bind(job).bind(until).bind(Word(stage)).bind(times).execute(&mut *tx).await?;
        if stage != *row.stage {
            log!(tx, now, job, row.claims, LogKind::Stage, stage.id());
        }
        if !notes.is_empty() {
            let (kept,): (Option<i64>,) =
                sqlx::query_as("SELECT MAX(note) FROM job_log WHERE job_id = $1 AND attempt = $2")
                    .bind(job).bind(row.claims).fetch_one(&mut *tx).await?;
            for note in notes.iter().filter(|note| kept.is_none_or(|kept| i64::from(note.number) > kept)) {
                let body = clean_text(&note.text, NOTE_MAX);
                log!(tx, now, job, row.claims, LogKind::Note, Some(i64::from(note.number)), body);
            }
        }
        Ok(Lease { until, cancelled: false })
    })
}

/// Stores the holder's report and ends the job, both or neither. The caller has verified the signature.
#[allow(clippy::too_many_arguments)]
pub async fn finish(
    store: &Store,
    runner: RunnerId,
    job: JobId,
    nonce: &Nonce,
    new: NewReport<'_>,
    signature: &[u8],
    times: &[StageTime],
) -> Result<Finished, HeldError> {
    let now = store.now();
    let (sql, times) = (holding_sql(store), JsonText::of(&times)?);
    let columns = Columns::of(new, ReportOrigin::Runner, Some(Signed { job, runner, signature }));
    in_tx!(store, tx => {
        let row = held!(tx, sql, job, runner, nonce);
        if row.state == JobState::Done {
            let sql = "SELECT id FROM reports WHERE job_id = $1 AND sha256 = $2";
            let same: Option<(ReportId,)> =
                sqlx::query_as(sql).bind(job).bind(&columns.sha256).fetch_optional(&mut *tx).await?;
            return same.map(|(id,)| Finished::Already(id)).ok_or(HeldError::LeaseLost);
        }
        if !row.is_open() {
            return Err(HeldError::LeaseLost);
        }
        insert_report!(tx, row.user_id, now, columns);
        sqlx::query(
            "UPDATE jobs SET state = 'done', stage = 'grading', times = $2, finished_ms = $3, lease_until_ms = NULL \
             WHERE id = $1",
        )
        .bind(job).bind(times).bind(now).execute(&mut *tx).await?;
        log!(tx, now, job, row.claims, LogKind::Reported, "");
        Ok(Finished::Stored(columns.id))
    })
}

/// The holder could not produce a report. When the machine was at fault and hand-outs are left, the job waits again,
/// longer after every failure.
pub async fn fail(
    store: &Store,
    runner: RunnerId,
    job: JobId,
    nonce: &Nonce,
    kind: FailureKind,
    message: &str,
) -> Result<JobState, HeldError> {
    let now = store.now();
    let (sql, message) = (holding_sql(store), clean_lines(message, MESSAGE_MAX));
    in_tx!(store, tx => {
        let row = held!(tx, sql, job, runner, nonce);
        if row.state != JobState::Leased {
            return Err(HeldError::LeaseLost);
        }
        let (state, stage, finished) = if !worth_a_retry(kind) {
            (JobState::FailedLab, Stage::Failed, Some(now))
        } else if row.claims < row.claims_allowed {
            (JobState::Queued, Stage::Queued, None)
        } else {
            (JobState::FailedInfra, Stage::Failed, Some(now))
        };
        // Without runner and nonce the same hand-out cannot fail twice.
        sqlx::query(
            "UPDATE jobs SET state = $2, stage = $3, failure = $4, message = $5, finished_ms = $6, not_before_ms = $7, \
               runner_id = NULL, nonce = NULL, lease_until_ms = NULL WHERE id = $1",
        )
        .bind(job).bind(state).bind(Word(stage)).bind(kind.id()).bind(message.as_str()).bind(finished)
        .bind(now.plus(rest(kind, row.claims)))
        .execute(&mut *tx).await?;
        log!(tx, now, job, row.claims, LogKind::Failed, format!("{kind}: {}", message.lines().next().unwrap_or_default()));
        if finished.is_some() {
            log!(tx, now, job, row.claims, LogKind::Ended, kind.id());
        }
        Ok(state)
    })
}

/// What a runner's report must be about, and the nonce that its signature must cover.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub lab: String,
    pub params: JsonText,
    pub nonce: Nonce,
    pub needs_backend: Option<String>,
    /// The learner's own, which the runner was given.
    pub kernel: Option<KernelSource>,
}

/// The runner's assignment, while the job's last claim is this runner's.
pub async fn assignment(store: &Store, runner: RunnerId, job: JobId) -> Result<Option<Assignment>, StoreError> {
    let sql =
        "SELECT lab, params, nonce, needs_backend FROM jobs WHERE id = $1 AND runner_id = $2 AND nonce IS NOT NULL";
    let row: Option<(String, JsonText, String, Option<String>)> =
        read!(store, c => sqlx::query_as(sql).bind(job).bind(runner).fetch_optional(c).await)?;
    let Some((lab, params, nonce, needs_backend)) = row else { return Ok(None) };
    let Ok(nonce) = nonce.parse() else { return Ok(None) };
    Ok(Some(Assignment { lab, params, nonce, needs_backend, kernel: kernels::of_job(store, job).await? }))
}
