//! What upsets the queue from outside: a clock that jumps, a file that somebody else holds.

use std::time::Duration;

use server::store::{
    Clock, JobState, Role, UtcMs,
    jobs::{self, HeldError, LEASE, Limits, Needs},
    reports,
};

use crate::bed::Bed;
use crate::queue::{HOUR, WIDE, beat, claim, fail, finish, queue, story, view};

on_both_engines! {
    /// The clock is set forward by a day while a job runs.
    async fn a_clock_that_jumps_forward(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let (a, b) = (bed.runner("a", None).await, bed.runner("b", None).await);
        for taken in [false, true] {
            let job = queue(&bed, &lin).await;
            let held = claim(&bed, a, &WIDE).await.expect("the job");
            bed.clock.advance(HOUR * 24);
            assert_eq!(jobs::expire(&bed.store).await.expect("swept"), []);
            assert_eq!(view(&bed, &lin, job).await.state, JobState::Queued, "not stuck");
            if taken {
                let second = claim(&bed, b, &WIDE).await.expect("the job again");
                assert!(matches!(beat(&bed, a, &held).await, Err(HeldError::LeaseLost)));
                assert!(matches!(finish(&bed, a, &held).await, Err(HeldError::LeaseLost)));
                finish(&bed, b, &second).await.expect("one report");
            } else {
                // Its runner lives: the next heartbeat takes it back, and nobody else gets it.
                beat(&bed, a, &held).await.expect("held again");
                assert!(claim(&bed, b, &WIDE).await.is_none());
                finish(&bed, a, &held).await.expect("one report");
            }
            assert_eq!(view(&bed, &lin, job).await.state, JobState::Done);
        }
        let all = reports::list(&bed.store, lin.viewer(), reports::Filter::default()).await.expect("a list");
        assert_eq!(all.len(), 2, "one of each job");
    }

    /// The clock is set back by a day: leases and rests of the future end in their own time, not a day later.
    async fn a_clock_that_jumps_back(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let (a, b) = (bed.runner("a", None).await, bed.runner("b", None).await);
        let (dead, alive, resting) = (queue(&bed, &lin).await, queue(&bed, &lin).await, queue(&bed, &lin).await);
        let mut held = Vec::new();
        for runner in [a, b, b] {
            held.push(claim(&bed, runner, &WIDE).await.expect("a job"));
        }
        assert_eq!(held.iter().map(|held| held.id).collect::<Vec<_>>(), [dead, alive, resting]);
        fail(&bed, b, &held[2]).await;
        bed.clock.set(UtcMs(bed.clock.now().0 - 24 * 3_600_000));
        assert!(claim(&bed, a, &WIDE).await.is_none(), "both are held, one rests");
        beat(&bed, b, &held[1]).await.expect("it lives");
        bed.clock.advance(LEASE);
        beat(&bed, b, &held[1]).await.expect("it lives");
        let again = claim(&bed, b, &WIDE).await.expect("the job of the dead runner");
        assert_eq!((again.id, again.attempt), (dead, 2));
        for held in [&held[1], &again] {
            finish(&bed, b, held).await.expect("stored");
        }
        bed.clock.advance(Duration::from_secs(600));
        let rested = claim(&bed, a, &WIDE).await.expect("the one that rested");
        assert_eq!(rested.id, resting);
        // The hour's count is not closed by jobs of the future.
        let few = Limits { hourly: 1, ..WIDE };
        bed.job_with(lin.id, "rmsnorm", Needs::default(), &few).await.expect("queued");
    }
}

/// Another process holds the file: for a while, and for longer than anybody waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_locked_database_loses_nothing() {
    let bed = Bed::sqlite().await;
    let lin = bed.user("lin", Role::Learner).await;
    let (job, runner) = (queue(&bed, &lin).await, bed.runner("r", None).await);
    let pool = sqlx::SqlitePool::connect(&format!("sqlite:{}", bed.url)).await.expect("a pool");
    let mut other = pool.acquire().await.expect("a connection");

    sqlx::query("BEGIN EXCLUSIVE").execute(&mut *other).await.expect("locked");
    let refused = jobs::claim(&bed.store, runner, &WIDE).await;
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(view(&bed, &lin, job).await.claims, 0);
    sqlx::query("ROLLBACK").execute(&mut *other).await.expect("free");

    sqlx::query("BEGIN EXCLUSIVE").execute(&mut *other).await.expect("locked");
    let store = bed.store.clone();
    let waiting = tokio::spawn(async move { jobs::claim(&store, runner, &WIDE).await });
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert!(!waiting.is_finished(), "nobody writes into a locked file");
    }
    sqlx::query("ROLLBACK").execute(&mut *other).await.expect("free");
    let held = waiting.await.expect("no panic").expect("an answer").expect("the job");
    assert_eq!((held.id, held.attempt), (job, 1));
    finish(&bed, runner, &held).await.expect("stored");
    assert_eq!(story(&bed, &lin, job).await.len(), 3, "queued, claimed, reported: each once");
}
