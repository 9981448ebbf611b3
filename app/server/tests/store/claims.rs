//! Many runners at one queue.

use std::collections::HashSet;

use server::store::{
    JobId, Role, User, classes,
    jobs::{self, LEASE, Limits},
};

const JOBS: usize = 320;
const WORKERS: usize = 16;

on_both_engines! {
    async fn sixteen_workers_claim_each_job_once(bed: Bed) {
        // Two jobs of each learner, as one learner may only have a few at a time.
        let mut queued = HashSet::new();
        for n in 0..JOBS / 2 {
            let user = bed.user(&format!("learner{n}"), Role::Learner).await;
            queued.insert(bed.job(user.id, "rmsnorm").await);
            queued.insert(bed.job(user.id, "rmsnorm").await);
        }
        let runner = bed.runner("gpu-1", None).await;
        let mut workers = tokio::task::JoinSet::new();
        for _ in 0..WORKERS {
            let store = bed.store.clone();
            workers.spawn(async move {
                let mut claimed = Vec::<JobId>::new();
                while let Some(job) = jobs::claim(&store, runner, &Limits::default()).await.expect("an answer") {
                    assert_eq!(job.attempt, 1);
                    claimed.push(job.id);
                }
                claimed
            });
        }
        let claimed: Vec<JobId> = workers.join_all().await.concat();
        assert_eq!(claimed.len(), JOBS, "none lost, none twice");
        assert_eq!(claimed.into_iter().collect::<HashSet<_>>(), queued);
    }

    /// Registering a runner is an instructor's; it sees the jobs of nobody else's learners.
    async fn a_runner_serves_the_learners_of_its_instructor(bed: Bed) {
        let (mei, kai) = (bed.instructor("mei").await, bed.instructor("kai").await);
        let ((class, code), (_, others)) = (bed.class(&mei, "A").await, bed.class(&kai, "B").await);
        let (lin, wen) = (bed.learner("lin", &code).await, bed.learner("wen", &others).await);
        let (alone, former) = (bed.user("alone", Role::Learner).await, bed.learner("former", &code).await);
        classes::remove_member(&bed.store, mei.viewer(), class, former.id).await.expect("removed");
        let runner = async |by: Option<&User>| bed.runner("r", by.map(|by| by.id)).await;
        let (of_mei, of_kai, of_lin, of_all) =
            (runner(Some(&mei)).await, runner(Some(&kai)).await, runner(Some(&lin)).await, runner(None).await);
        for (owner, served) in [
            (&lin, [true, false, true, true]),
            (&wen, [false, true, false, true]),
            (&alone, [false, false, false, true]),
            (&former, [false, false, false, true]),
            (&mei, [true, false, false, true]),
        ] {
            let job = bed.job(owner.id, "rmsnorm").await;
            for (runner, served) in [of_mei, of_kai, of_lin, of_all].into_iter().zip(served) {
                let claimed = jobs::claim(&bed.store, runner, &Limits::default()).await.expect("an answer");
                assert_eq!(claimed.map(|c| c.id), served.then_some(job), "{}", owner.login);
                bed.clock.advance(LEASE);
                // Waits again, for the next runner, however often it was handed out.
                bed.sql("UPDATE jobs SET claims = 0").await.expect("reset");
            }
            jobs::cancel(&bed.store, owner.viewer(), job).await.expect("cancelled");
        }
    }
}
