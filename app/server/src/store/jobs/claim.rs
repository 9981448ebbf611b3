use protocol::Nonce;

use super::{LEASE, LEASE_EXPIRED, MAX_CLAIMS};
use crate::store::{JobId, JsonText, RunnerId, Store, StoreError, UserId};

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

/// Whom a runner ($1) works for: who registered it and the learners of the classes that they teach. A runner that
/// nobody registered works for all.
const SERVES: &str = "EXISTS (SELECT 1 FROM runners w WHERE w.id = $1 AND (w.created_by IS NULL \
    OR w.created_by = j.user_id OR EXISTS (SELECT 1 FROM memberships seen JOIN memberships t \
      ON t.class_id = seen.class_id AND t.role = 'instructor' AND t.user_id = w.created_by \
      WHERE seen.user_id = j.user_id AND seen.role = 'learner')))";

/// Hands the oldest waiting job of these labs, of somebody whom the runner serves, to the runner; a job whose lease ran
/// out waits again.
pub async fn claim(store: &Store, runner: RunnerId, labs: &[&str]) -> Result<Option<Claimed>, StoreError> {
    expire(store).await?;
    if labs.is_empty() {
        return Ok(None);
    }
    let nonce = random_nonce()?;
    let now = store.now();
    // The statement's text depends on the number of labs alone.
    let places: Vec<String> = (6..6 + labs.len()).map(|n| format!("${n}")).collect();
    let sql = format!(
        "UPDATE jobs SET state = 'leased', stage = 'claimed', times = '[]', runner_id = $1, nonce = $2, \
           claimed_ms = $3, lease_until_ms = $4, claims = claims + 1 \
         WHERE id = (SELECT j.id FROM jobs j WHERE (j.state = 'queued' OR (j.state = 'leased' AND j.lease_until_ms <= $3)) \
           AND j.claims < $5 AND j.lab IN ({}) AND {SERVES} ORDER BY j.created_ms, j.id LIMIT 1{}) \
         RETURNING id, user_id, lab, params, claims",
        places.join(", "),
        store.db.skip_locked(),
    );
    let row: Option<Row> = write!(store, c => {
        let mut query = sqlx::query_as(sqlx::AssertSqlSafe(sql))
            .bind(runner).bind(nonce.to_string()).bind(now).bind(now.plus(LEASE)).bind(MAX_CLAIMS);
        for lab in labs {
            query = query.bind(*lab);
        }
        query.fetch_optional(c).await
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

/// Ends jobs whose lease ran out for the last time. Called before every claim and by the server's timer.
pub async fn expire(store: &Store) -> Result<Vec<JobId>, StoreError> {
    let now = store.now();
    let any = "SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 'leased' AND lease_until_ms <= $1 AND claims >= $2)";
    let (any,): (bool,) = read!(store, c => sqlx::query_as(any).bind(now).bind(MAX_CLAIMS).fetch_one(c).await)?;
    if !any {
        return Ok(Vec::new());
    }
    let sql = "UPDATE jobs SET state = 'failed_infra', stage = 'failed', failure = $3, finished_ms = $1 \
               WHERE state = 'leased' AND lease_until_ms <= $1 AND claims >= $2 RETURNING id";
    let ended: Vec<(JobId,)> = write!(store, c => sqlx::query_as(sql)
        .bind(now).bind(MAX_CLAIMS).bind(LEASE_EXPIRED).fetch_all(c).await)?;
    Ok(ended.into_iter().map(|(id,)| id).collect())
}

fn random_nonce() -> Result<Nonce, StoreError> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|_| StoreError::NoRandomness)?;
    Ok(Nonce::from_bytes(bytes))
}
