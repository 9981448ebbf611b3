//! What every test stands on: an empty store on one engine, a clock that it moves, and people.

use std::sync::Arc;

use server::{
    auth::{Auth, Limits, TrustedProxies, password::PasswordHasher},
    store::{
        ClassId, Clock, JobId, JsonText, ManualClock, ReportId, Role, RunnerId, Store, User, UserId, UtcMs,
        classes::{self, JoinCode},
        jobs::{self, Needs, NewJob},
        reports::{self, NewReport, UploadedBy},
        runners::{self, Offered},
        users::{self, LoginName, NewUser},
    },
};
use tempfile::TempDir;

use crate::cluster;

/// 2026-03-01T00:00:00Z
pub const START: UtcMs = UtcMs(1_772_323_200_000);

pub struct Bed {
    pub store: Store,
    pub clock: Arc<ManualClock>,
    pub url: String,
    _folder: Option<TempDir>,
}

impl Bed {
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data").join("vramlab.sqlite");
        Self::open(path.to_str().expect("a plain path").to_owned(), Some(folder)).await
    }

    pub async fn postgres() -> Option<Self> {
        Some(Self::open(cluster::new_database().await?, None).await)
    }

    async fn open(url: String, folder: Option<TempDir>) -> Self {
        let clock = Arc::new(ManualClock::at(START));
        let store = Store::open_with_clock(&url, clock.clone()).await.expect("an open store");
        Self { store, clock, url, _folder: folder }
    }

    pub async fn reopen(&self) -> Store {
        let clock: Arc<dyn Clock> = self.clock.clone();
        Store::open_with_clock(&self.url, clock).await.expect("an open store")
    }

    /// With hashes that cost nothing.
    pub fn auth(&self) -> Auth {
        Auth {
            store: self.store.clone(),
            hasher: PasswordHasher::with_cost(4, 64, 1).expect("a valid cost"),
            limits: Arc::new(Limits::default()),
            proxies: TrustedProxies::default(),
        }
    }

    pub async fn user(&self, login: &str, role: Role) -> User {
        let login = LoginName::parse(login).expect("a login name");
        let new = NewUser { login: &login, display_name: login.as_str(), role, password_hash: "$none" };
        let id = users::create(&self.store, &new).await.expect("an account");
        self.reload(id).await
    }

    pub async fn instructor(&self, login: &str) -> User {
        self.user(login, Role::Instructor).await
    }

    pub async fn reload(&self, id: UserId) -> User {
        users::for_sign_in(&self.store, id).await.expect("an answer").expect("the account")
    }

    /// A class of this instructor and the code that opens it.
    pub async fn class(&self, of: &User, name: &str) -> (ClassId, JoinCode) {
        let id = classes::create(&self.store, of.id, name).await.expect("a class");
        let class = classes::get(&self.store, of.viewer(), id).await.expect("an answer").expect("own class");
        (id, JoinCode::parse(&class.join_code).expect("a code"))
    }

    pub async fn learner(&self, login: &str, code: &JoinCode) -> User {
        let user = self.user(login, Role::Learner).await;
        classes::join(&self.store, code, user.id).await.expect("a member");
        user
    }

    pub async fn report(&self, user: UserId, raw: &[u8]) -> ReportId {
        reports::upload(&self.store, user, cpu_report(raw), UploadedBy::File).await.expect("stored").id()
    }

    pub async fn job(&self, user: UserId, lab: &str) -> JobId {
        self.job_with(user, lab, Needs::default(), &jobs::Limits::default()).await.expect("queued")
    }

    pub async fn job_with(
        &self,
        user: UserId,
        lab: &str,
        needs: Needs,
        limits: &jobs::Limits,
    ) -> Result<JobId, jobs::EnqueueError> {
        let params = json("{}");
        jobs::enqueue(&self.store, user, &NewJob { lab, params: &params, needs, kernel: None }, limits).await
    }

    /// A runner with lab rmsnorm on the processor.
    pub async fn runner(&self, name: &str, by: Option<UserId>) -> RunnerId {
        self.runner_with(name, by, json_as(r#"{"labs":["rmsnorm"],"offer":{"backends":["cpu"],"device_class":"cpu"}}"#))
            .await
    }

    pub async fn runner_with(&self, name: &str, by: Option<UserId>, offered: Offered) -> RunnerId {
        let made = runners::register(&self.store, name, by).await.expect("a runner");
        let seen = runners::authenticate(&self.store, made.token.reveal()).await.expect("an answer").expect("known");
        runners::offer(&self.store, &seen, &offered).await.expect("noted");
        made.id
    }

    /// Runs a statement behind the store's back, as a mistake of ours or a curious operator would.
    pub async fn sql(&self, statement: &str) -> Result<u64, sqlx::Error> {
        let statement = sqlx::AssertSqlSafe(statement.to_owned());
        if self.url.starts_with("postgres") {
            let pool = sqlx::PgPool::connect(&self.url).await?;
            Ok(sqlx::query(statement).execute(&pool).await?.rows_affected())
        } else {
            let pool = sqlx::SqlitePool::connect(&format!("sqlite:{}", self.url)).await?;
            Ok(sqlx::query(statement).execute(&pool).await?.rows_affected())
        }
    }

    /// Every text of a column, to see what is really on disk.
    pub async fn column(&self, table: &str, column: &str) -> Vec<String> {
        let statement = sqlx::AssertSqlSafe(format!("SELECT {column} FROM {table}"));
        if self.url.starts_with("postgres") {
            let pool = sqlx::PgPool::connect(&self.url).await.expect("a pool");
            sqlx::query_scalar(statement).fetch_all(&pool).await.expect("texts")
        } else {
            let pool = sqlx::SqlitePool::connect(&format!("sqlite:{}", self.url)).await.expect("a pool");
            sqlx::query_scalar(statement).fetch_all(&pool).await.expect("texts")
        }
    }
}

pub fn json(text: &str) -> JsonText {
    let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    JsonText::of(&value).expect("JSON")
}

pub fn json_as<T: serde::de::DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("JSON")
}

/// A report of class `cpu` as far as the store looks.
pub fn cpu_report(raw: &[u8]) -> NewReport<'_> {
    NewReport {
        raw,
        shape: evidence::Shape::V1,
        lab: Some("rmsnorm"),
        class: evidence::EvidenceClass::Cpu,
        level: Some(evidence::EvidenceLevel::CpuBenchmark),
        device: None,
    }
}

/// One body, two tests: `name::sqlite` and `name::postgres`.
macro_rules! on_both_engines {
    ($($(#[$doc:meta])* async fn $name:ident($bed:ident: Bed) $body:block)+) => { $(
        $(#[$doc])*
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            async fn body($bed: $crate::bed::Bed) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn sqlite() {
                body($crate::bed::Bed::sqlite().await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn postgres() {
                if let Some(bed) = $crate::bed::Bed::postgres().await {
                    body(bed).await;
                }
            }
        }
    )+ };
}
