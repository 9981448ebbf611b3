//! Whose turn it is, what is tried again, and who sees what.

use std::time::Duration;

use protocol::{FailureKind, Note, Stage};
use server::store::{
    JobId, JobState, LogKind, Role, RunnerId, User, Word, audit,
    audit::AuditAction,
    classes,
    jobs::{self, Claimed, EnqueueError, HeldError, Limits, MAX_CLAIMS, Needs, PATIENCE, Prospect, RETRY_AFTER},
    reports, runners,
};

use crate::bed::{Bed, START, cpu_report, json_as};

/// Nobody meets these.
pub const WIDE: Limits = Limits { active: 1000, running: 1000, hourly: 1000 };
pub const HOUR: Duration = Duration::from_secs(3600);

pub async fn queue(bed: &Bed, user: &User) -> JobId {
    bed.clock.advance(Duration::from_millis(1));
    bed.job_with(user.id, "rmsnorm", Needs::default(), &WIDE).await.expect("queued")
}

pub async fn claim(bed: &Bed, runner: RunnerId, limits: &Limits) -> Option<Claimed> {
    jobs::claim(&bed.store, runner, limits).await.expect("an answer")
}

pub async fn view(bed: &Bed, user: &User, job: JobId) -> jobs::Job {
    jobs::get(&bed.store, user.viewer(), job).await.expect("an answer").expect("the job")
}

pub async fn fail(bed: &Bed, runner: RunnerId, held: &Claimed) -> JobState {
    let kind = FailureKind::ChildCrashed;
    jobs::fail(&bed.store, runner, held.id, &held.nonce, kind, "signal 11").await.expect("held")
}

pub async fn finish(bed: &Bed, runner: RunnerId, held: &Claimed) -> Result<jobs::Finished, HeldError> {
    let raw = format!("{{\"of\":\"{}\"}}", held.id);
    jobs::finish(&bed.store, runner, held.id, &held.nonce, cpu_report(raw.as_bytes()), &[9; 64], &[]).await
}

pub async fn beat(bed: &Bed, runner: RunnerId, held: &Claimed) -> Result<jobs::Lease, HeldError> {
    jobs::heartbeat(&bed.store, runner, held.id, &held.nonce, Stage::Measuring, &[], &[]).await
}

/// Fails every hand-out that a job has.
async fn wear_out(bed: &Bed, runner: RunnerId) -> Vec<Claimed> {
    let mut handed = Vec::new();
    for _ in 0..MAX_CLAIMS {
        let held = claim(bed, runner, &WIDE).await.expect("the job");
        fail(bed, runner, &held).await;
        bed.clock.advance(RETRY_AFTER * 4);
        handed.push(held);
    }
    handed
}

pub async fn story(bed: &Bed, user: &User, job: JobId) -> Vec<(i64, LogKind, String)> {
    let lines = jobs::log_after(&bed.store, user.viewer(), job, 0).await.expect("the log");
    lines.into_iter().map(|line| (line.attempt, line.kind, line.body)).collect()
}

on_both_engines! {
    /// Fifty jobs of one learner, and two who come later.
    async fn learners_take_turns(bed: Bed) {
        let (lin, wen, ada) =
            (bed.user("lin", Role::Learner).await, bed.user("wen", Role::Learner).await, bed.user("ada", Role::Learner).await);
        let runner = bed.runner("r", None).await;
        let mut many = Vec::new();
        for _ in 0..50 {
            many.push(queue(&bed, &lin).await);
        }
        let two = [queue(&bed, &wen).await, queue(&bed, &wen).await];
        let one = queue(&bed, &ada).await;
        let expected = [many[0], two[0], one, many[1], two[1], many[2], many[3]];
        for (place, job) in expected.iter().enumerate() {
            let owner = if two.contains(job) { &wen } else if *job == one { &ada } else { &lin };
            assert_eq!(view(&bed, owner, *job).await.position, Some(place as i64 + 1), "the place that was promised");
        }
        for (n, job) in expected.iter().enumerate() {
            assert_eq!(claim(&bed, runner, &WIDE).await.map(|held| held.id), Some(*job), "hand-out {n}");
        }
        // Who comes back goes before the one who was just served, and before none of the others.
        let again = queue(&bed, &ada).await;
        assert_eq!(view(&bed, &ada, again).await.position, Some(1));
        assert_eq!(claim(&bed, runner, &WIDE).await.map(|held| held.id), Some(again));
    }

    async fn priorities_end_with_patience(bed: Bed) {
        let mei = bed.instructor("mei").await;
        let ((class, code), (_, other)) = (bed.class(&mei, "first").await, bed.class(&mei, "other").await);
        let (lin, wen) = (bed.learner("lin", &code).await, bed.learner("wen", &other).await);
        classes::set_priority(&bed.store, mei.viewer(), class, true).await.expect("set");
        let stranger = classes::set_priority(&bed.store, lin.viewer(), class, false).await;
        assert!(matches!(stranger, Err(classes::ClassError::NotTaught)));
        let runner = bed.runner("r", None).await;

        let plain = queue(&bed, &wen).await;
        let (first, own) = (queue(&bed, &lin).await, queue(&bed, &mei).await);
        for expected in [own, first, plain] {
            let held = claim(&bed, runner, &WIDE).await.expect("a job");
            assert_eq!(held.id, expected);
            finish(&bed, runner, &held).await.expect("stored");
        }
        // A new job of the instructor every minute: the learner's comes through all the same.
        let patient = queue(&bed, &wen).await;
        let mut before = 0;
        loop {
            queue(&bed, &mei).await;
            let held = claim(&bed, runner, &WIDE).await.expect("a job");
            if held.id == patient {
                break;
            }
            finish(&bed, runner, &held).await.expect("stored");
            before += 1;
            bed.clock.advance(Duration::from_secs(60));
            assert!(before <= PATIENCE.as_secs() / 60, "starved");
        }
        assert_eq!(before, PATIENCE.as_secs() / 60, "and not before its patience ended");
    }

    /// Many runners at once: a learner never holds more of them than the limit, and the rest go to others.
    async fn few_runners_for_one_learner(bed: Bed) {
        let (lin, wen) = (bed.user("lin", Role::Learner).await, bed.user("wen", Role::Learner).await);
        let limits = Limits { running: 2, ..WIDE };
        for _ in 0..8 {
            queue(&bed, &lin).await;
        }
        queue(&bed, &wen).await;
        let mut runners = tokio::task::JoinSet::new();
        for n in 0..8 {
            let (store, runner) = (bed.store.clone(), bed.runner(&format!("r{n}"), None).await);
            runners.spawn(async move {
                let mut held = Vec::new();
                for _ in 0..3 {
                    held.extend(jobs::claim(&store, runner, &limits).await.expect("an answer").map(|c| (runner, c)));
                }
                held
            });
        }
        let held: Vec<_> = runners.join_all().await.concat();
        let of = |user: &User| held.iter().filter(|(_, c)| c.user_id == user.id).count();
        assert_eq!((of(&lin), of(&wen)), (2, 1));
        // A place that is free is taken at once: by an end, and by a cancelled run.
        let mine: Vec<_> = held.iter().filter(|(_, c)| c.user_id == lin.id).collect();
        let (runner, first) = mine[0];
        finish(&bed, *runner, first).await.expect("stored");
        assert!(claim(&bed, *runner, &limits).await.is_some());
        assert!(claim(&bed, *runner, &limits).await.is_none());
        assert!(jobs::cancel(&bed.store, lin.viewer(), mine[1].1.id).await.expect("an answer"));
        assert!(claim(&bed, *runner, &limits).await.is_some());
    }

    async fn so_many_in_an_hour(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let limits = Limits { hourly: 3, ..WIDE };
        let runner = bed.runner("r", None).await;
        let add = async || bed.job_with(lin.id, "rmsnorm", Needs::default(), &limits).await;
        let mut queued = Vec::new();
        for _ in 0..3 {
            queued.push(add().await.expect("within the hour's"));
            bed.clock.advance(Duration::from_secs(60));
        }
        let refused = add().await;
        let next = START.plus(HOUR);
        assert!(matches!(refused, Err(EnqueueError::TooOften { limit: 3, next: n }) if n == next), "{refused:?}");
        // Cancelled, waiting or running, it is free at once.
        let held = claim(&bed, runner, &WIDE).await.expect("the first");
        for job in [held.id, queued[2]] {
            assert!(jobs::cancel(&bed.store, lin.viewer(), job).await.expect("an answer"));
            add().await.expect("free");
            assert!(matches!(add().await, Err(EnqueueError::TooOften { .. })));
        }
        // The machine's fault is not the learner's.
        let worn = wear_out(&bed, runner).await;
        assert_eq!(view(&bed, &lin, worn[0].id).await.state, JobState::FailedInfra);
        add().await.expect("free");
        bed.clock.set(next.plus(HOUR));
        add().await.expect("another hour");
    }

    async fn a_failed_machine_rests_longer_each_time(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let (job, runner) = (queue(&bed, &lin).await, bed.runner("r", None).await);
        for (attempt, rest) in [(1, RETRY_AFTER), (2, RETRY_AFTER * 2)] {
            let held = claim(&bed, runner, &WIDE).await.expect("the job");
            assert_eq!((held.attempt, fail(&bed, runner, &held).await), (attempt, JobState::Queued));
            let seen = view(&bed, &lin, job).await;
            assert_eq!((seen.not_before_ms, seen.position), (bed.store.now().plus(rest), Some(1)));
            bed.clock.advance(rest - Duration::from_millis(1));
            assert!(claim(&bed, runner, &WIDE).await.is_none(), "it rests");
            bed.clock.advance(Duration::from_millis(1));
        }
        // A runner that is asked to stop is no reason to wait.
        let held = claim(&bed, runner, &WIDE).await.expect("the job");
        assert_eq!(fail(&bed, runner, &held).await, JobState::FailedInfra);
        let other = queue(&bed, &lin).await;
        let held = claim(&bed, runner, &WIDE).await.expect("the other");
        jobs::fail(&bed.store, runner, other, &held.nonce, FailureKind::RunnerStopped, "").await.expect("held");
        assert_eq!(claim(&bed, runner, &WIDE).await.map(|held| held.id), Some(other));
    }

    async fn what_no_machine_could_do_comes_to_the_teacher(bed: Bed) {
        let (mei, kai) = (bed.instructor("mei").await, bed.instructor("kai").await);
        let (_, code) = bed.class(&mei, "A").await;
        let lin = bed.learner("lin", &code).await;
        let (job, runner) = (queue(&bed, &lin).await, bed.runner("r", None).await);
        let worn = wear_out(&bed, runner).await;
        for (user, listed) in [(&mei, 1), (&kai, 0), (&lin, 0)] {
            assert_eq!(jobs::dead(&bed.store, user.viewer(), 10).await.expect("a list").len(), listed, "{}", user.login);
        }
        let told = story(&bed, &mei, job).await;
        for attempt in 1..=MAX_CLAIMS {
            assert!(told.contains(&(attempt, LogKind::Claimed, "r".to_owned())), "{told:?}");
            assert!(told.contains(&(attempt, LogKind::Failed, "child_crashed: signal 11".to_owned())), "{told:?}");
        }
        for stranger in [&kai, &lin] {
            assert!(!jobs::requeue(&bed.store, stranger.viewer(), job).await.expect("an answer"));
            assert!(!jobs::dismiss(&bed.store, stranger.viewer(), job).await.expect("an answer"));
        }
        assert!(jobs::requeue(&bed.store, mei.viewer(), job).await.expect("an answer"));
        assert!(!jobs::requeue(&bed.store, mei.viewer(), job).await.expect("an answer"), "it waits");

        // The fence: nothing of an earlier hand-out is taken, before the next one and after it.
        let late = async |held: &Claimed| {
            assert!(matches!(finish(&bed, runner, held).await, Err(HeldError::LeaseLost)));
            assert!(matches!(beat(&bed, runner, held).await, Err(HeldError::LeaseLost)));
            let failed = jobs::fail(&bed.store, runner, held.id, &held.nonce, FailureKind::Lab, "late").await;
            assert!(matches!(failed, Err(HeldError::LeaseLost)));
        };
        for held in &worn {
            late(held).await;
        }
        let fourth = claim(&bed, runner, &WIDE).await.expect("again");
        assert_eq!((fourth.id, fourth.attempt), (job, MAX_CLAIMS + 1));
        for held in &worn {
            late(held).await;
        }
        fail(&bed, runner, &fourth).await;
        bed.clock.advance(RETRY_AFTER * 16);
        let fifth = claim(&bed, runner, &WIDE).await.expect("as many hand-outs as a new one");
        finish(&bed, runner, &fifth).await.expect("stored");
        let all = reports::list(&bed.store, lin.viewer(), reports::Filter::default()).await.expect("a list");
        assert_eq!(all.len(), 1);

        // Another ends the same way and is dismissed.
        let second = queue(&bed, &lin).await;
        wear_out(&bed, runner).await;
        assert!(jobs::dismiss(&bed.store, mei.viewer(), second).await.expect("an answer"));
        assert!(!jobs::dismiss(&bed.store, mei.viewer(), second).await.expect("an answer"), "once");
        assert!(jobs::dead(&bed.store, mei.viewer(), 10).await.expect("a list").is_empty());
        assert_eq!(view(&bed, &lin, second).await.state, JobState::FailedInfra);
        let done: Vec<_> = audit::list(&bed.store, mei.viewer(), 10).await.expect("the log");
        let done: Vec<_> = done.iter().map(|entry| (entry.action, entry.subject_name.as_deref())).collect();
        for action in [AuditAction::JobRequeued, AuditAction::JobDismissed] {
            assert!(done.contains(&(action, Some("lin"))), "{done:?}");
        }
    }

    async fn a_paused_runner_finishes_and_takes_nothing(bed: Bed) {
        let (mei, kai) = (bed.instructor("mei").await, bed.instructor("kai").await);
        let (_, code) = bed.class(&mei, "A").await;
        let lin = bed.learner("lin", &code).await;
        let (a, b) = (bed.runner("a", Some(mei.id)).await, bed.runner("b", Some(mei.id)).await);
        let (first, second) = (queue(&bed, &lin).await, queue(&bed, &lin).await);
        let held = claim(&bed, a, &WIDE).await.expect("the first");
        let pause = async |who: &User, which, paused| {
            runners::set_paused(&bed.store, who.viewer(), which, paused).await.expect("an answer")
        };
        assert_eq!(pause(&kai, Some(a), true).await + pause(&lin, None, true).await, 0, "not theirs");
        assert_eq!(pause(&mei, Some(a), true).await, 1);
        assert!(claim(&bed, a, &WIDE).await.is_none());
        assert_eq!(jobs::prospect(&bed.store, second).await.expect("an answer"), Prospect::Runner, "b could");
        assert_eq!(pause(&mei, None, true).await, 1, "b as well");
        assert!(claim(&bed, b, &WIDE).await.is_none());
        assert_eq!(jobs::prospect(&bed.store, second).await.expect("an answer"), Prospect::Paused);

        beat(&bed, a, &held).await.expect("what runs goes on");
        finish(&bed, a, &held).await.expect("and is taken");
        assert_eq!(view(&bed, &lin, first).await.state, JobState::Done);
        assert_eq!(pause(&mei, None, false).await, 2);
        assert_eq!(claim(&bed, b, &WIDE).await.map(|held| held.id), Some(second));
    }

    async fn jobs_find_the_runner_that_has_what_they_need(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let offers = [
            r#"{"labs":["rmsnorm"],"offer":{"backends":["cpu"],"device_class":"cpu","memory_bytes":8000000000}}"#,
            r#"{"labs":["rmsnorm"],"offer":{"backends":["wgpu"],"device_class":"cpu","labels":["room-2"]}}"#,
            r#"{"labs":["rmsnorm"],"offer":{"backends":["cuda"],"device_class":"gpu","memory_bytes":80000000000}}"#,
            r#"{"labs":["attention"],"offer":{"backends":["cuda"],"device_class":"gpu","memory_bytes":80000000000,"labels":["room-2"]}}"#,
        ];
        let needs = |backend: &str, class, memory_bytes, label: &str| Needs {
            backend: (!backend.is_empty()).then(|| backend.to_owned()),
            class,
            memory_bytes,
            label: (!label.is_empty()).then(|| label.to_owned()),
        };
        let (cpu, gpu) = (Some(Word(protocol::DeviceClass::Cpu)), Some(Word(protocol::DeviceClass::Gpu)));
        // Before any runner: nobody could.
        let lonely = queue(&bed, &lin).await;
        assert_eq!(jobs::prospect(&bed.store, lonely).await.expect("an answer"), Prospect::Nobody);
        assert!(jobs::cancel(&bed.store, lin.viewer(), lonely).await.expect("an answer"));
        let mut runners = Vec::new();
        for (n, offer) in offers.iter().enumerate() {
            runners.push(bed.runner_with(&format!("r{n}"), None, json_as(offer)).await);
        }
        for (needs, able) in [
            (Needs::default(), [true, true, true, false]),
            (needs("cuda", None, 0, ""), [false, false, true, false]),
            (needs("", gpu, 0, ""), [false, false, true, false]),
            (needs("", cpu, 0, ""), [true, true, false, false]),
            (needs("", None, 8_000_000_000, ""), [true, false, true, false]),
            (needs("", None, 8_000_000_001, ""), [false, false, true, false]),
            (needs("", None, 0, "room-2"), [false, true, false, false]),
            (needs("cuda", None, 0, "room-2"), [false; 4]),
            (needs("", gpu, i64::MAX, ""), [false; 4]),
        ] {
            let job = bed.job_with(lin.id, "rmsnorm", needs.clone(), &WIDE).await.expect("queued");
            let hope = if able.contains(&true) { Prospect::Runner } else { Prospect::Nobody };
            assert_eq!(jobs::prospect(&bed.store, job).await.expect("an answer"), hope, "{needs:?}");
            for (runner, able) in runners.iter().zip(able) {
                let held = claim(&bed, *runner, &WIDE).await;
                assert_eq!(held.is_some(), able, "{needs:?}");
                if let Some(held) = held {
                    let stopped = FailureKind::RunnerStopped;
                    jobs::fail(&bed.store, *runner, job, &held.nonce, stopped, "").await.expect("held");
                    bed.sql("UPDATE jobs SET claims = 0").await.expect("reset");
                }
            }
            assert!(jobs::cancel(&bed.store, lin.viewer(), job).await.expect("an answer"));
        }
        // Connected is who spoke within the last minute.
        let job = queue(&bed, &lin).await;
        for runner in &runners {
            bed.sql(&format!("UPDATE runners SET last_seen_ms = 0 WHERE id = '{runner}'")).await.expect("set");
        }
        assert_eq!(jobs::prospect(&bed.store, job).await.expect("an answer"), Prospect::Nobody);
    }

    /// What a page shows comes in numbered lines; whoever asks behind a number gets the rest.
    async fn the_log_goes_on_where_it_stood(bed: Bed) {
        let (lin, wen) = (bed.user("lin", Role::Learner).await, bed.user("wen", Role::Learner).await);
        let (job, runner) = (queue(&bed, &lin).await, bed.runner("r", None).await);
        let held = claim(&bed, runner, &WIDE).await.expect("the job");
        let note = |number: u32, text: &str| Note { number, text: text.to_owned() };
        let say = async |stage, notes: &[Note]| {
            jobs::heartbeat(&bed.store, runner, job, &held.nonce, stage, &[], notes).await.expect("held");
        };
        say(Stage::Compiling, &[note(0, "a")]).await;
        // The answer got lost: the same lines again, and one more.
        say(Stage::Compiling, &[note(0, "a"), note(1, "b\u{202e}")]).await;
        say(Stage::Measuring, &[]).await;
        let lines = story(&bed, &lin, job).await;
        let shown: Vec<_> = lines.iter().map(|(attempt, kind, body)| (*attempt, *kind, body.as_str())).collect();
        let expected = [
            (0, LogKind::Queued, ""),
            (1, LogKind::Claimed, "r"),
            (1, LogKind::Stage, "compiling"),
            (1, LogKind::Note, "a"),
            (1, LogKind::Note, "b"),
            (1, LogKind::Stage, "measuring"),
        ];
        assert_eq!(shown, expected);
        let rest = jobs::log_after(&bed.store, lin.viewer(), job, 4).await.expect("the log");
        assert_eq!(rest.iter().map(|line| line.seq).collect::<Vec<_>>(), [5, 6]);
        assert!(jobs::log_after(&bed.reopen().await, wen.viewer(), job, 0).await.expect("an answer").is_empty());
        assert_eq!(jobs::log_after(&bed.reopen().await, lin.viewer(), job, 0).await.expect("the log").len(), 6);
        // A program that does not stop talking fills its log and nothing else.
        for round in 0..40 {
            let notes: Vec<Note> = (0..32).map(|n| note(2 + round * 32 + n, "x")).collect();
            say(Stage::Measuring, &notes).await;
        }
        assert_eq!(story(&bed, &lin, job).await.len(), 900);
        finish(&bed, runner, &held).await.expect("stored");
        let last = story(&bed, &lin, job).await.pop().expect("a line");
        assert_eq!(last, (1, LogKind::Reported, String::new()), "the job ends as any other");
    }
}
