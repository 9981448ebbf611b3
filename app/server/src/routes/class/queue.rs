//! The queue for those who look after it.

use axum::Form;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use leptos::prelude::*;
use serde::Deserialize;
use ui::pages::class::{DeadJob, FirstClass, QueueJob, QueuePage, QueueRunner};

use super::Grader;
use crate::auth::Instructor;
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Failure, Trouble, iso};
use crate::routes::job_state::{log_after, needs};
use crate::store::jobs::{self, CONNECTED, StaffJob};
use crate::store::runners::{self, Runner};
use crate::store::{ClassId, JobId, LogKind, RunnerId, StoreError, UtcMs, Viewer, classes};

/// Jobs that one page lists of each kind.
const LINES: u32 = 100;

pub async fn show(State(app): State<AppState>, user: Grader, reader: Reader) -> Answer {
    let (lang, viewer, now) = (reader.lang, user.viewer(), app.store.now());
    let runners = runners::list(&app.store, viewer).await?;
    let runners: Vec<QueueRunner> =
        runners.into_iter().filter(|runner| runner.is_live(now)).map(|runner| machine(runner, now)).collect();
    let line = jobs::in_line(&app.store, viewer, LINES).await?.into_iter().map(waiting).collect();
    let mut dead = Vec::new();
    for job in jobs::dead(&app.store, viewer, LINES).await? {
        dead.push(failed(&app, viewer, job).await?);
    }
    let classes = classes::taught(&app.store, viewer).await?;
    let classes = classes
        .into_iter()
        .filter(classes::Class::teaches)
        .map(|class| FirstClass { id: class.id.to_string(), first: class.goes_first, name: class.name })
        .collect();
    let title = lang.pick("任务队列", "The queue");
    Ok(Trouble::none().page(&app, &reader, title, move || view! { <QueuePage lang runners line dead classes /> }))
}

fn machine(runner: Runner, now: UtcMs) -> QueueRunner {
    let offered = runner.offered();
    let memory = runner.memory_bytes.and_then(|bytes| u64::try_from(bytes).ok()).map(ledger::units::gib);
    let backends = offered.offer.backends.iter().map(|backend| backend.as_str().to_uppercase());
    let labels = offered.offer.labels.iter().map(|label| format!("#{label}"));
    let labs = offered.labs.iter().map(ToString::to_string);
    let parts: Vec<String> = backends.chain(memory).chain(labels).chain(labs).collect();
    let connected = runner.last_seen_ms.is_some_and(|seen| seen >= now.minus(CONNECTED) && seen <= now.plus(CONNECTED));
    QueueRunner {
        id: runner.id.to_string(),
        name: runner.name,
        connected,
        paused: runner.paused_ms.is_some(),
        offers: parts.join(" · "),
    }
}

fn waiting(job: StaffJob) -> QueueJob {
    QueueJob {
        id: job.job.id.to_string(),
        learner: job.learner,
        lab: job.job.lab,
        needs: needs(&job.job.needs),
        queued: iso(job.job.created_ms),
        place: job.job.position,
        runner: job.runner,
    }
}

async fn failed(app: &AppState, viewer: Viewer, job: StaffJob) -> Result<DeadJob, StoreError> {
    let tells = [LogKind::Claimed, LogKind::Failed, LogKind::Lost, LogKind::Requeued].map(LogKind::id);
    let mut story = log_after(&app.store, viewer, job.job.id, 0).await?;
    story.retain(|line| tells.contains(&line.kind.as_str()));
    Ok(DeadJob {
        id: job.job.id.to_string(),
        learner: job.learner,
        lab: job.job.lab,
        ended: job.job.finished_ms.map(iso).unwrap_or_default(),
        story,
    })
}

pub async fn back(reader: Reader) -> Redirect {
    to_queue(&reader)
}

fn to_queue(reader: &Reader) -> Redirect {
    Redirect::to(&format!("/{}/class/queue", reader.lang.code()))
}

/// `true` or `false`, and of what; without it, of all.
#[derive(Deserialize)]
pub struct Set {
    set: String,
}

impl Set {
    fn parse(&self) -> Result<(bool, Option<&str>), Failure> {
        let (word, which) = match self.set.split_once(' ') {
            Some((word, which)) => (word, Some(which)),
            None => (self.set.as_str(), None),
        };
        Ok((word.parse().map_err(|_| Failure::NotFound)?, which))
    }
}

pub async fn pause(State(app): State<AppState>, user: Instructor, reader: Reader, Form(typed): Form<Set>) -> Answer {
    let (paused, which) = typed.parse()?;
    let which: Option<RunnerId> = which.map(str::parse).transpose().map_err(|_| Failure::NotFound)?;
    let changed = runners::set_paused(&app.store, user.viewer(), which, paused).await?;
    // A button pressed twice changes nothing the second time; a runner of somebody else is not found.
    let own = match which {
        Some(id) if changed == 0 => runners::list(&app.store, user.viewer())
            .await?
            .iter()
            .any(|runner| runner.id == id && runner.revoked_ms.is_none()),
        _ => true,
    };
    if paused { done(own, &reader) } else { moved(&app, own, &reader) }
}

pub async fn priority(State(app): State<AppState>, user: Instructor, reader: Reader, Form(typed): Form<Set>) -> Answer {
    let (first, which) = typed.parse()?;
    let class: ClassId = which.ok_or(Failure::NotFound)?.parse().map_err(|_| Failure::NotFound)?;
    match classes::set_priority(&app.store, user.viewer(), class, first).await {
        Ok(()) => Ok(to_queue(&reader).into_response()),
        Err(classes::ClassError::Store(error)) => Err(error.into()),
        Err(_) => Err(Failure::NotFound),
    }
}

#[derive(Deserialize)]
pub struct Which {
    id: String,
}

impl Which {
    fn job(&self) -> Result<JobId, Failure> {
        self.id.parse().map_err(|_| Failure::NotFound)
    }
}

/// Back to the queue when something was there to do.
fn done(done: bool, reader: &Reader) -> Result<Response, Failure> {
    if done { Ok(to_queue(reader).into_response()) } else { Err(Failure::NotFound) }
}

/// The same, for what a runner that waits for a job may now get.
fn moved(app: &AppState, moved: bool, reader: &Reader) -> Result<Response, Failure> {
    if moved {
        app.queue_moved.notify_waiters();
    }
    done(moved, reader)
}

pub async fn requeue(State(app): State<AppState>, user: Grader, reader: Reader, Form(which): Form<Which>) -> Answer {
    moved(&app, jobs::requeue(&app.store, user.viewer(), which.job()?).await?, &reader)
}

pub async fn dismiss(State(app): State<AppState>, user: Grader, reader: Reader, Form(which): Form<Which>) -> Answer {
    done(jobs::dismiss(&app.store, user.viewer(), which.job()?).await?, &reader)
}

pub async fn cancel(State(app): State<AppState>, user: Grader, reader: Reader, Form(which): Form<Which>) -> Answer {
    moved(&app, jobs::cancel(&app.store, user.viewer(), which.job()?).await?, &reader)
}
