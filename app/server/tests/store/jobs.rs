use std::time::Duration;

use protocol::{FailureKind, Nonce, Stage, StageTime};
use server::store::{
    GradeOutcome, JobId, JobState, Role, RunnerId, User, grades,
    grades::{Earned, NewGrade},
    jobs::{self, Claimed, EnqueueError, Finished, HeldError, LEASE, Limits, MAX_CLAIMS, Needs, RETRY_AFTER},
    reports,
};

use crate::bed::{Bed, cpu_report, json, json_as};

const SIGNATURE: [u8; 64] = [9; 64];
const TIMES: [StageTime; 1] = [StageTime { stage: Stage::Measuring, elapsed_ms: 1250 }];

async fn runner(bed: &Bed, name: &str) -> RunnerId {
    bed.runner(name, None).await
}

async fn claim(bed: &Bed, runner: RunnerId) -> Option<Claimed> {
    jobs::claim(&bed.store, runner, &Limits::default()).await.expect("an answer")
}

async fn view(bed: &Bed, user: &User, job: JobId) -> jobs::Job {
    jobs::get(&bed.store, user.viewer(), job).await.expect("an answer").expect("the job")
}

async fn finish(bed: &Bed, runner: RunnerId, job: JobId, nonce: &Nonce, raw: &[u8]) -> Result<Finished, HeldError> {
    jobs::finish(&bed.store, runner, job, nonce, cpu_report(raw), &SIGNATURE, &TIMES).await
}

async fn grade(bed: &Bed, finished: Finished, outcome: GradeOutcome) {
    let points = Earned { earned: 3, possible: 5 };
    let new = NewGrade {
        report: finished.id(),
        grader_version: "1",
        outcome,
        cpu: points,
        gpu: Earned { earned: 0, possible: 5 },
        grade: json("{}"),
    };
    grades::append(&bed.store, &new).await.expect("graded");
}

on_both_engines! {
    async fn from_queue_to_grade(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let job = bed.job(lin.id, "rmsnorm").await;
        let queued = view(&bed, &lin, job).await;
        assert_eq!((queued.state, queued.stage.0, queued.position), (JobState::Queued, Stage::Queued, Some(1)));

        let runner = runner(&bed, "cpu-1").await;
        let others = bed.runner_with("r", None, json_as(r#"{"labs":["attention","rmsnormx"],"offer":{}}"#)).await;
        assert!(claim(&bed, others).await.is_none(), "only labs that the runner has");
        let claimed = claim(&bed, runner).await.expect("the job");
        assert_eq!((claimed.id, claimed.user_id, claimed.attempt), (job, lin.id, 1));
        assert!(claim(&bed, runner).await.is_none(), "it is held");

        jobs::heartbeat(&bed.store, runner, job, &claimed.nonce, Stage::Measuring, &TIMES, &[]).await.expect("held");
        let running = view(&bed, &lin, job).await;
        assert_eq!((running.state, running.stage.0, running.position), (JobState::Leased, Stage::Measuring, None));
        assert_eq!(running.stage_times().expect("times"), TIMES);

        let asked = jobs::assignment(&bed.store, runner, job).await.expect("an answer").expect("held");
        assert_eq!((asked.lab.as_str(), asked.params.as_str(), &asked.nonce), ("rmsnorm", "{}", &claimed.nonce));
        let finished = finish(&bed, runner, job, &claimed.nonce, b"{}").await.expect("finished");
        let done = view(&bed, &lin, job).await;
        assert_eq!((done.state, done.stage.0, done.report_id), (JobState::Done, Stage::Grading, Some(finished.id())));
        assert_eq!(reports::ungraded(&bed.store).await.expect("a list"), [finished.id()]);

        grade(&bed, finished, GradeOutcome::Graded).await;
        assert_eq!(view(&bed, &lin, job).await.stage.0, Stage::Graded);
        assert_eq!(reports::ungraded(&bed.store).await.expect("a list"), []);
    }

    async fn positions_move_up(bed: Bed) {
        let (lin, wen) = (bed.user("lin", Role::Learner).await, bed.user("wen", Role::Learner).await);
        let runner = runner(&bed, "cpu-1").await;
        let mut queued = Vec::new();
        for user in [&lin, &wen, &lin] {
            queued.push((user, bed.job(user.id, "rmsnorm").await));
            bed.clock.advance(Duration::from_secs(1));
        }
        for expected in [[Some(1), Some(2), Some(3)], [None, Some(1), Some(2)], [None, None, Some(1)]] {
            for ((user, job), position) in queued.iter().zip(expected) {
                assert_eq!(view(&bed, user, *job).await.position, position);
            }
            claim(&bed, runner).await.expect("the first in line");
        }
    }

    async fn a_lost_lease_is_claimed_again(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let job = bed.job(lin.id, "rmsnorm").await;
        let (a, b) = (runner(&bed, "a").await, runner(&bed, "b").await);
        let first = claim(&bed, a).await.expect("the job");

        bed.clock.advance(LEASE - Duration::from_millis(1));
        assert!(claim(&bed, b).await.is_none(), "A still holds it");
        let lease = jobs::heartbeat(&bed.store, a, job, &first.nonce, Stage::Measuring, &TIMES, &[]).await.expect("held");
        assert_eq!((lease.until, lease.cancelled), (bed.store.now().plus(LEASE), false));
        bed.clock.advance(LEASE - Duration::from_millis(1));
        assert!(claim(&bed, b).await.is_none(), "the heartbeat renewed it");

        bed.clock.advance(Duration::from_millis(1));
        let second = claim(&bed, b).await.expect("the job again");
        assert_eq!((second.id, second.attempt), (job, 2));
        assert_ne!(second.nonce, first.nonce);

        // A wakes up: nothing that it sends counts any more.
        let late = jobs::heartbeat(&bed.store, a, job, &first.nonce, Stage::Measuring, &TIMES, &[]).await;
        assert!(matches!(late, Err(HeldError::LeaseLost)));
        assert!(matches!(finish(&bed, a, job, &first.nonce, b"{}").await, Err(HeldError::LeaseLost)));
        assert!(matches!(finish(&bed, a, job, &second.nonce, b"{}").await, Err(HeldError::LeaseLost)));
        assert!(matches!(finish(&bed, b, job, &first.nonce, b"{}").await, Err(HeldError::LeaseLost)));
        let failed = jobs::fail(&bed.store, a, job, &first.nonce, FailureKind::ChildCrashed, "late").await;
        assert!(matches!(failed, Err(HeldError::LeaseLost)));
        assert!(jobs::assignment(&bed.store, a, job).await.expect("an answer").is_none());
        finish(&bed, b, job, &second.nonce, b"{}").await.expect("B holds it");
    }

    /// The same runner claims its own lost job: the nonce alone tells the two runs apart.
    async fn an_old_nonce_of_the_same_runner_is_refused(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let job = bed.job(lin.id, "rmsnorm").await;
        let a = runner(&bed, "a").await;
        let first = claim(&bed, a).await.expect("the job");
        bed.clock.advance(LEASE);
        let second = claim(&bed, a).await.expect("the job again");
        assert!(matches!(finish(&bed, a, job, &first.nonce, b"{}").await, Err(HeldError::LeaseLost)));
        finish(&bed, a, job, &second.nonce, b"{}").await.expect("held");
    }

    /// Nobody else came: the work is not thrown away.
    async fn a_late_report_of_an_unclaimed_job_counts(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let job = bed.job(lin.id, "rmsnorm").await;
        let a = runner(&bed, "a").await;
        let held = claim(&bed, a).await.expect("the job");
        bed.clock.advance(LEASE * 5);
        finish(&bed, a, job, &held.nonce, b"{}").await.expect("stored");
    }

    /// The answer to a report got lost, and the runner sends it again.
    async fn the_same_report_twice_is_one(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let job = bed.job(lin.id, "rmsnorm").await;
        let a = runner(&bed, "a").await;
        let held = claim(&bed, a).await.expect("the job");
        let first = finish(&bed, a, job, &held.nonce, b"{}").await.expect("stored");
        assert_eq!(finish(&bed, a, job, &held.nonce, b"{}").await.expect("known"), Finished::Already(first.id()));
        assert!(matches!(finish(&bed, a, job, &held.nonce, b"{ }").await, Err(HeldError::LeaseLost)), "another report");
        let listed = reports::list(&bed.store, lin.viewer(), reports::Filter::default()).await.expect("a list");
        assert_eq!(listed.len(), 1);
    }

    async fn a_job_that_kills_every_runner_ends(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let job = bed.job(lin.id, "rmsnorm").await;
        let a = runner(&bed, "a").await;
        for attempt in 1..=MAX_CLAIMS {
            assert_eq!(claim(&bed, a).await.map(|c| c.attempt), Some(attempt));
            assert_eq!(jobs::expire(&bed.store).await.expect("swept"), [], "the lease runs");
            bed.clock.advance(LEASE);
        }
        assert_eq!(jobs::expire(&bed.store).await.expect("swept"), [job]);
        assert!(claim(&bed, a).await.is_none());
        let ended = view(&bed, &lin, job).await;
        assert_eq!((ended.state, ended.stage.0), (JobState::FailedInfra, Stage::Failed));
        assert_eq!(ended.failure.as_deref(), Some(jobs::LEASE_EXPIRED));
        assert_eq!(jobs::attempts(&bed.store, lin.viewer(), lin.id, "rmsnorm").await.expect("a count"), 0);
    }

    async fn failures(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let a = runner(&bed, "a").await;
        // kind, states after each hand-out
        let cases: &[(FailureKind, &[JobState])] = &[
            (FailureKind::ChildCrashed, &[JobState::Queued, JobState::Queued, JobState::FailedInfra]),
            (FailureKind::RunnerStopped, &[JobState::Queued, JobState::Queued, JobState::FailedInfra]),
            (FailureKind::Parameters, &[JobState::FailedLab]),
            (FailureKind::Lab, &[JobState::FailedLab]),
        ];
        for (kind, states) in cases {
            let job = bed.job(lin.id, "rmsnorm").await;
            for expected in *states {
                // The rest after the first failure, and after the second.
                bed.clock.advance(RETRY_AFTER * 2);
                let held = claim(&bed, a).await.expect("the job");
                let state = jobs::fail(&bed.store, a, job, &held.nonce, *kind, "out\u{0} of luck").await.expect("held");
                assert_eq!(state, *expected, "{kind:?}");
                let again = jobs::fail(&bed.store, a, job, &held.nonce, *kind, "twice").await;
                assert!(matches!(again, Err(HeldError::LeaseLost)));
            }
            bed.clock.advance(RETRY_AFTER * 4);
            assert!(claim(&bed, a).await.is_none());
            let ended = view(&bed, &lin, job).await;
            assert_eq!((ended.failure.as_deref(), ended.message.as_str()), (Some(kind.id()), "out of luck"));
            bed.clock.advance(Duration::from_secs(1));
        }
        assert_eq!(jobs::attempts(&bed.store, lin.viewer(), lin.id, "rmsnorm").await.expect("a count"), 0);
    }

    /// Only a graded report costs an attempt.
    async fn attempts_are_graded_reports(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let a = runner(&bed, "a").await;
        for (n, (outcome, spent)) in
            [(GradeOutcome::NotEvidence, 0), (GradeOutcome::Graded, 1), (GradeOutcome::Graded, 2)].into_iter().enumerate()
        {
            let job = bed.job(lin.id, "rmsnorm").await;
            let held = claim(&bed, a).await.expect("the job");
            let finished = finish(&bed, a, job, &held.nonce, format!("{{\"n\":{n}}}").as_bytes()).await.expect("stored");
            grade(&bed, finished, outcome).await;
            // A regrade is no second attempt.
            grade(&bed, finished, outcome).await;
            let count = jobs::attempts(&bed.store, lin.viewer(), lin.id, "rmsnorm").await.expect("a count");
            assert_eq!(count, spent);
        }
    }

    async fn a_cancelled_job_stops_its_runner(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let a = runner(&bed, "a").await;
        let (waiting, running) = (bed.job(lin.id, "rmsnorm").await, {
            bed.clock.advance(Duration::from_secs(1));
            bed.job(lin.id, "rmsnorm").await
        });
        assert!(jobs::cancel(&bed.store, lin.viewer(), waiting).await.expect("an answer"));
        assert!(!jobs::cancel(&bed.store, lin.viewer(), waiting).await.expect("an answer"), "once");
        let held = claim(&bed, a).await.expect("the other job");
        assert_eq!(held.id, running);
        assert!(jobs::cancel(&bed.store, lin.viewer(), running).await.expect("an answer"));
        let lease = jobs::heartbeat(&bed.store, a, running, &held.nonce, Stage::Measuring, &TIMES, &[]).await.expect("told");
        assert!(lease.cancelled);
        assert!(matches!(finish(&bed, a, running, &held.nonce, b"{}").await, Err(HeldError::LeaseLost)));
        bed.clock.advance(LEASE);
        assert!(claim(&bed, a).await.is_none());
    }

    /// Many tabs press Run together.
    async fn a_learner_has_few_jobs_at_a_time(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let mut tabs = tokio::task::JoinSet::new();
        for _ in 0..12 {
            let (store, user) = (bed.store.clone(), lin.id);
            tabs.spawn(async move {
                let new = jobs::NewJob { lab: "rmsnorm", params: &json("{}"), needs: Needs::default(), kernel: None };
                jobs::enqueue(&store, user, &new, &Limits::default()).await
            });
        }
        let results = tabs.join_all().await;
        assert_eq!(results.iter().filter(|r| r.is_ok()).count(), Limits::default().active as usize);
        assert!(results.iter().filter_map(|r| r.as_ref().err()).all(|e| matches!(e, EnqueueError::TooMany { .. })));
    }
}
