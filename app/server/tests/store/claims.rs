//! Many runners at one queue.

use std::collections::HashSet;

use server::store::{JobId, Role, jobs, runners};

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
        let runner = runners::register(&bed.store, "gpu-1", None).await.expect("a runner").id;
        let mut workers = tokio::task::JoinSet::new();
        for _ in 0..WORKERS {
            let store = bed.store.clone();
            workers.spawn(async move {
                let mut claimed = Vec::<JobId>::new();
                while let Some(job) = jobs::claim(&store, runner, &["rmsnorm"]).await.expect("an answer") {
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
}
