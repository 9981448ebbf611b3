//! A server whose queue is filled and read through its store, without people and pages.

use server::store::jobs::{self, Job, Limits, Needs, NewJob};
use server::store::reports::{self, Filter};
use server::store::users::{self, LoginName, NewUser};
use server::store::{JobId, JobState, JsonText, Role, Store, UserId, Viewer, grades, runners};

use crate::{Server, until};

/// No learner of a scene meets these.
const WIDE: Limits = Limits { active: 100_000, running: 100_000, hourly: 100_000 };

pub struct Scene {
    pub server: Server,
    pub store: Store,
}

/// How a run stands for those who count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// On its way.
    Open,
    /// Reported, with so many grades.
    Ended { grades: usize },
    /// Machines failed it as often as they may.
    Dead,
    /// It has an end that nobody asked for, or is not there.
    Lost,
}

impl Scene {
    /// # Panics
    /// When server or store cannot be started.
    pub async fn start() -> Self {
        let server = Server::start();
        let path = server.database();
        let store = Store::open(&path.to_string_lossy()).await.unwrap_or_else(|error| panic!("{error}"));
        let scene = Self { server, store };
        // Without one the server makes a link for the first at every start, and cannot where nothing can be written.
        scene.account("teacher", Role::Instructor).await;
        scene
    }

    /// # Panics
    /// When the store refuses.
    pub async fn learner(&self, login: &str) -> UserId {
        self.account(login, Role::Learner).await
    }

    async fn account(&self, login: &str, role: Role) -> UserId {
        let name = LoginName::parse(login).unwrap_or_else(|error| panic!("{login}: {error}"));
        let new = NewUser { login: &name, display_name: login, role, password_hash: "$none" };
        users::create(&self.store, &new).await.unwrap_or_else(|error| panic!("{login}: {error}"))
    }

    /// The token of a new runner that serves everybody.
    ///
    /// # Panics
    /// When the store refuses.
    pub async fn runner_token(&self, name: &str) -> String {
        let made = runners::register(&self.store, name, None).await.unwrap_or_else(|error| panic!("{error}"));
        made.token.reveal().to_owned()
    }

    /// A run of lab rmsnorm that measures a small input for at most so many samples.
    ///
    /// # Panics
    /// When the store refuses.
    pub async fn queue(&self, user: UserId, samples: u32) -> JobId {
        let params = serde_json::json!({ "rows": 64, "hidden": 256, "samples": samples, "seconds": 2 });
        let params = JsonText::of(&params).unwrap_or_else(|error| panic!("{error}"));
        let new = NewJob { lab: "rmsnorm", params: &params, needs: Needs::default(), kernel: None };
        jobs::enqueue(&self.store, user, &new, &WIDE).await.unwrap_or_else(|error| panic!("{error}"))
    }

    /// # Panics
    /// When the store does not answer.
    pub async fn job(&self, user: UserId, id: JobId) -> Option<Job> {
        jobs::get(&self.store, Viewer::Learner(user), id).await.unwrap_or_else(|error| panic!("{error}"))
    }

    /// # Panics
    /// When the store does not answer.
    pub async fn outcome(&self, user: UserId, id: JobId) -> Outcome {
        let Some(job) = self.job(user, id).await else { return Outcome::Lost };
        match (job.state, job.report_id) {
            (JobState::Queued | JobState::Leased, _) => Outcome::Open,
            (JobState::FailedInfra, _) => Outcome::Dead,
            (JobState::Done, Some(report)) => {
                let viewer = Viewer::Learner(user);
                let grades = grades::of_report(&self.store, viewer, report).await;
                match grades.unwrap_or_else(|error| panic!("{error}")).len() {
                    // Stored and not yet graded.
                    0 => Outcome::Open,
                    grades => Outcome::Ended { grades },
                }
            }
            _ => Outcome::Lost,
        }
    }

    /// Waits until the learner's runs are graded: each once, and nothing beside.
    ///
    /// # Panics
    /// When that does not come about.
    pub async fn graded_once(&self, user: UserId, runs: &[JobId]) {
        for run in runs {
            let end = until("the run is graded", || async {
                let outcome = self.outcome(user, *run).await;
                (outcome != Outcome::Open).then_some(outcome)
            });
            assert_eq!(end.await, Outcome::Ended { grades: 1 }, "{run}");
        }
        assert_eq!(self.reports(user).await, runs.len(), "one report of each run");
    }

    /// # Panics
    /// When the store does not answer.
    pub async fn reports(&self, user: UserId) -> usize {
        let all = reports::list(&self.store, Viewer::Learner(user), Filter::default()).await;
        all.unwrap_or_else(|error| panic!("{error}")).len()
    }
}
