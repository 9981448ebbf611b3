use protocol::Nonce;

use super::{LEASE, LEASE_EXPIRED, LONGEST_REST, Limits, PATIENCE};
use crate::store::runners::live;
use crate::store::{JobId, JsonText, LogKind, RunnerId, Store, StoreError, UserId};

/// What a runner is told about its new job.
#[derive(Clone, Debug)]
pub struct Claimed {
    pub id: JobId,
    pub user_id: UserId,
    pub lab: String,
    pub params: JsonText,
    pub nonce: Nonce,
    /// 1 for the first hand-out.
    pub attempt: i64,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: JobId,
    user_id: UserId,
    lab: String,
    params: JsonText,
    claims: i64,
}

/// Who loses the race for the last free place of a learner tries again this often; then the next question of the runner
/// does.
const TRIES: usize = 4;

/// Hands the next job in line that the runner may and can take to the runner, as it last described itself
/// (`runners::offer`).
pub async fn claim(store: &Store, runner: RunnerId, limits: &Limits) -> Result<Option<Claimed>, StoreError> {
    expire(store).await?;
    for _ in 0..TRIES {
        match hand_out(store, runner, limits).await {
            Ok(claimed) => return Ok(claimed),
            Err(ClaimError::Overtaken) => {}
            Err(ClaimError::Store(error)) => return Err(error),
        }
    }
    Ok(None)
}

enum ClaimError {
    /// Another runner took a job of the same learner, whose places are now full.
    Overtaken,
    Store(StoreError),
}

impl From<sqlx::Error> for ClaimError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<StoreError> for ClaimError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

async fn hand_out(store: &Store, runner: RunnerId, limits: &Limits) -> Result<Option<Claimed>, ClaimError> {
    let nonce = random_nonce()?;
    let (now, running) = (store.now(), i64::from(limits.running));
    let next = concat!(
        "UPDATE jobs SET state = 'leased', stage = 'claimed', times = '[]', runner_id = $1, nonce = $2, \
           claimed_ms = $3, lease_until_ms = $4, claims = claims + 1 \
         WHERE id = (SELECT j.id FROM jobs j WHERE j.state = 'queued' AND j.not_before_ms <= $3 \
           AND EXISTS (SELECT 1 FROM runners w WHERE w.id = $1 AND w.paused_ms IS NULL AND ",
        live!("$3"),
        " AND ",
        serves!(),
        " AND ",
        able!(),
        ") AND (SELECT COUNT(*) FROM jobs r WHERE r.user_id = j.user_id AND r.state = 'leased') < $5 ORDER BY ",
        rank!("$6"),
        " DESC, ",
        served!(),
        ", j.created_ms, j.id LIMIT 1"
    );
    let next = format!("{next}{}) RETURNING id, user_id, lab, params, claims", store.db.skip_locked());
    let row: Option<Row> = in_tx!(store, tx => {
        let row: Option<Row> = sqlx::query_as(sqlx::AssertSqlSafe(next))
            .bind(runner).bind(nonce.to_string()).bind(now).bind(now.plus(LEASE)).bind(running)
            .bind(now.minus(PATIENCE))
            .fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(None) };
        // The row of the learner's turn makes two runners that serve one learner go one after the other.
        sqlx::query(
            "INSERT INTO queue_turns (user_id, served) \
             VALUES ($1, (SELECT COALESCE(MAX(q.served), 0) + 1 FROM queue_turns q)) \
             ON CONFLICT (user_id) DO UPDATE SET served = excluded.served",
        )
        .bind(row.user_id).execute(&mut *tx).await?;
        let (taken,): (i64,) =
            sqlx::query_as("SELECT COUNT(*) FROM jobs WHERE user_id = $1 AND state = 'leased'")
                .bind(row.user_id).fetch_one(&mut *tx).await?;
        if taken > running {
            return Err(ClaimError::Overtaken);
        }
        let (name,): (String,) =
            sqlx::query_as("SELECT name FROM runners WHERE id = $1").bind(runner).fetch_one(&mut *tx).await?;
        log!(tx, now, row.id, row.claims, LogKind::Claimed, name);
        Ok::<_, ClaimError>(Some(row))
    })?;
    Ok(row.map(|row| Claimed {
        id: row.id,
        user_id: row.user_id,
        lab: row.lab,
        params: row.params,
        nonce,
        attempt: row.claims,
    }))
}

/// Looks after leases: a job whose lease ran out waits again, or ends when it was handed out often enough; these are
/// named. Called before every claim and by the server's timer.
pub async fn expire(store: &Store) -> Result<Vec<JobId>, StoreError> {
    let now = store.now();
    // Moments further ahead than any lease or rest were written before the clock jumped back.
    let (lease_end, rest_end) = (now.plus(LEASE * 2), now.plus(LONGEST_REST * 2));
    let any = "SELECT EXISTS (SELECT 1 FROM jobs WHERE (state = 'leased' AND (lease_until_ms <= $1 \
               OR lease_until_ms > $2)) OR (state = 'queued' AND not_before_ms > $3))";
    let (any,): (bool,) = read!(store, c => sqlx::query_as(any)
        .bind(now).bind(lease_end).bind(rest_end).fetch_one(c).await)?;
    if !any {
        return Ok(Vec::new());
    }
    // What another process is looking after, or a late report is ending, is left to it.
    let lost = format!(
        "id IN (SELECT id FROM jobs WHERE state = 'leased' AND lease_until_ms <= $1{})",
        store.db.skip_locked()
    );
    in_tx!(store, tx => {
        // Whoever lives renews the lease within its time; whoever died loses it then.
        sqlx::query("UPDATE jobs SET lease_until_ms = $1 WHERE state = 'leased' AND lease_until_ms > $2")
            .bind(now.plus(LEASE)).bind(lease_end).execute(&mut *tx).await?;
        sqlx::query("UPDATE jobs SET not_before_ms = $1 WHERE state = 'queued' AND not_before_ms > $2")
            .bind(now.plus(LONGEST_REST)).bind(rest_end).execute(&mut *tx).await?;
        let ended: Vec<(JobId, i64)> = sqlx::query_as(sqlx::AssertSqlSafe(format!(
            "UPDATE jobs SET state = 'failed_infra', stage = 'failed', failure = $2, message = '', finished_ms = $1 \
             WHERE claims >= claims_allowed AND {lost} RETURNING id, claims"
        )))
        .bind(now).bind(LEASE_EXPIRED).fetch_all(&mut *tx).await?;
        // Runner and nonce stay: until somebody else claims it, the work of a runner that comes back counts.
        let waiting: Vec<(JobId, i64)> = sqlx::query_as(sqlx::AssertSqlSafe(format!(
            "UPDATE jobs SET state = 'queued', stage = 'queued', lease_until_ms = NULL \
             WHERE claims < claims_allowed AND {lost} RETURNING id, claims"
        )))
        .bind(now).fetch_all(&mut *tx).await?;
        for (job, attempt) in ended.iter().chain(&waiting) {
            log!(tx, now, *job, *attempt, LogKind::Lost, "");
        }
        for (job, attempt) in &ended {
            log!(tx, now, *job, *attempt, LogKind::Ended, LEASE_EXPIRED);
        }
        Ok(ended.into_iter().map(|(id, _)| id).collect())
    })
}

fn random_nonce() -> Result<Nonce, StoreError> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|_| StoreError::NoRandomness)?;
    Ok(Nonce::from_bytes(bytes))
}
