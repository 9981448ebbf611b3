//! Who is next, and which runner could take a job: SQL that claiming, positions and pages share.

use std::time::Duration;

use super::super::{JobId, Store, StoreError, runners::live};

/// The rank of job `j`: what waited past the moment `$past` is behind nobody's priority.
macro_rules! rank {
    ($past:literal) => {
        concat!("(CASE WHEN j.created_ms <= ", $past, " THEN 2 ELSE j.priority END)")
    };
}

/// When the learner of job `j` was served last.
macro_rules! served {
    () => {
        "COALESCE((SELECT t.served FROM queue_turns t WHERE t.user_id = j.user_id), 0)"
    };
}

/// The place of job `$job` in line if nothing changed: by rank, then one job of every learner in turn, beginning with
/// whoever was served longest ago; of one learner the oldest first.
macro_rules! place {
    ($job:literal, $past:literal) => {
        concat!(
            "(SELECT line.place FROM (SELECT q.id, ROW_NUMBER() OVER \
               (ORDER BY q.job_rank DESC, q.turn, q.served, q.created_ms, q.id) AS place \
             FROM (SELECT j.id, j.created_ms, ",
            rank!($past),
            " AS job_rank, ",
            served!(),
            " AS served, ROW_NUMBER() OVER (PARTITION BY j.user_id, ",
            rank!($past),
            " ORDER BY j.created_ms, j.id) AS turn FROM jobs j WHERE j.state = 'queued') q) line WHERE line.id = ",
            $job,
            ")"
        )
    };
}

/// Runner `w` works for the learner of job `j`: it serves who registered it and the learners of the classes that they
/// teach. A runner that nobody registered serves all.
macro_rules! serves {
    () => {
        "(w.created_by IS NULL OR w.created_by = j.user_id OR EXISTS (SELECT 1 FROM memberships seen \
          JOIN memberships t ON t.class_id = seen.class_id AND t.role = 'instructor' AND t.user_id = w.created_by \
          WHERE seen.user_id = j.user_id AND seen.role = 'learner'))"
    };
}

/// Runner `w` has what job `j` needs.
macro_rules! able {
    () => {
        "(EXISTS (SELECT 1 FROM runner_offers o WHERE o.runner_id = w.id AND o.kind = 'lab' AND o.value = j.lab) \
          AND (j.needs_backend IS NULL OR EXISTS (SELECT 1 FROM runner_offers o \
            WHERE o.runner_id = w.id AND o.kind = 'backend' AND o.value = j.needs_backend)) \
          AND (j.needs_class IS NULL OR w.device_class = j.needs_class) \
          AND COALESCE(w.memory_bytes, 0) >= j.needs_memory_bytes \
          AND (j.needs_label IS NULL OR EXISTS (SELECT 1 FROM runner_offers o \
            WHERE o.runner_id = w.id AND o.kind = 'label' AND o.value = j.needs_label)))"
    };
}

/// A runner that said nothing for so long is not connected.
pub const CONNECTED: Duration = Duration::from_secs(60);

/// What a waiting job may hope for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prospect {
    /// A connected runner could take it.
    Runner,
    /// Those that could are paused.
    Paused,
    /// No connected runner has what it needs.
    Nobody,
}

pub async fn prospect(store: &Store, job: JobId) -> Result<Prospect, StoreError> {
    let sql = concat!(
        "SELECT COUNT(*), COUNT(CASE WHEN w.paused_ms IS NULL THEN 1 END) FROM runners w, jobs j WHERE j.id = $1 \
         AND w.last_seen_ms BETWEEN $2 AND $3 AND ",
        live!("$4"),
        " AND ",
        serves!(),
        " AND ",
        able!()
    );
    let now = store.now();
    // A clock that jumped leaves moments in the future behind; they say as little as those long ago.
    let (any, open): (i64, i64) = read!(store, c => sqlx::query_as(sql)
        .bind(job).bind(now.minus(CONNECTED)).bind(now.plus(CONNECTED)).bind(now).fetch_one(c).await)?;
    Ok(match (any, open) {
        (_, 1..) => Prospect::Runner,
        (1.., _) => Prospect::Paused,
        _ => Prospect::Nobody,
    })
}
