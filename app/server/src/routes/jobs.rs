//! Lab runs of a learner: enqueue, watch, withdraw.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::Router;
use axum::extract::{Form, Json, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use evidence::Lang;
use futures_util::StreamExt as _;
use futures_util::stream::{self, Stream};
use leptos::prelude::*;
use protocol::{KernelLanguage, KernelSource};
use serde::Deserialize;
use ui::islands::{JobState as Shown, Refusal};
use ui::shell::Section;

use super::account::answer::iso;
use super::job_state::{self, shown};
use crate::auth::{AuthRejection, CurrentUser};
use crate::http::streams::MOST;
use crate::http::{ApiJson, AppState, Problem, Reader};
use crate::store::jobs::{self, EnqueueError, Needs, NewJob};
use crate::store::{JobId, JsonText, StoreError, Viewer, Word, kernels};

/// How long one stream lasts. A browser connects again by itself, and is asked again who it is.
const LONGEST: Duration = Duration::from_secs(600);
/// How often a stream looks for news. Any web process may hold the stream, so the store is asked, not a channel.
const LOOK: Duration = Duration::from_millis(400);

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/{lang}/labs/{id}/jobs", post(run_form))
        .route("/{lang}/jobs/{id}", get(page))
        .route("/{lang}/jobs/{id}/cancel", post(cancel_form))
        .route("/api/v1/jobs", post(run))
        .route("/api/v1/jobs/{id}", get(one).delete(cancel))
        .route("/api/v1/jobs/{id}/events", get(events))
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Run {
    lab: String,
    #[serde(default)]
    params: protocol::Params,
    /// The learner's own, for a lab with an exercise.
    #[serde(default)]
    kernel: Option<KernelSource>,
    #[serde(default)]
    needs: Wanted,
}

/// What a run asks of its runner beside the lab.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    /// One that the lab runs on.
    backend: Option<String>,
    device_class: Option<protocol::DeviceClass>,
    memory_bytes: Option<u64>,
    label: Option<protocol::LabName>,
}

/// The field of the form that asks for a backend; no parameter has this name.
const BACKEND: &str = "needs-backend";

/// Why a run was not queued.
pub enum Refused {
    /// Too many runs.
    Now(Refusal),
    Otherwise(Response),
}

impl From<Response> for Refused {
    fn from(response: Response) -> Self {
        Self::Otherwise(response)
    }
}

/// The island's button.
async fn run(State(app): State<AppState>, user: CurrentUser, ApiJson(run): ApiJson<Run>) -> Response {
    match enqueue(&app, &user, &run).await {
        Ok(id) => match state(&app, user.viewer(), id).await {
            Ok(Some(job)) => (StatusCode::CREATED, Json(job)).into_response(),
            Ok(None) => Problem::not_found().into_response(),
            Err(error) => Problem::internal(error).into_response(),
        },
        Err(Refused::Now(refusal)) => {
            let after = match &refusal {
                Refusal::TooOften { wait_s, .. } => Some(*wait_s),
                Refusal::TooMany { .. } => None,
            };
            let mut response = Problem::refused(refusal).into_response();
            if let Some(seconds) = after {
                response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
            }
            response
        }
        Err(Refused::Otherwise(response)) => response,
    }
}

/// The same without JavaScript.
async fn run_form(
    State(app): State<AppState>,
    reader: Reader,
    Path((_, lab)): Path<(String, String)>,
    Form(fields): Form<Vec<(String, String)>>,
) -> Response {
    let Some(user) = &reader.user else { return reader.sign_in_for(&format!("labs/{lab}")) };
    // A field left empty means the lab's own default.
    let filled = fields.into_iter().filter(|(_, value)| !value.trim().is_empty());
    let (needs, params): (Vec<_>, Vec<_>) = filled.partition(|(name, _)| name == BACKEND);
    let Some(params) = protocol_params(params.into_iter()) else {
        return StatusCode::UNPROCESSABLE_ENTITY.into_response();
    };
    let needs = Wanted { backend: needs.into_iter().next().map(|(_, backend)| backend), ..Wanted::default() };
    match enqueue(&app, user, &Run { lab: lab.clone(), params, needs, kernel: None }).await {
        Ok(id) => Redirect::to(&format!("/{}/jobs/{id}", reader.lang.code())).into_response(),
        Err(Refused::Now(refusal)) => {
            let lang = reader.lang;
            let (title, detail) = (lang.pick("现在不能运行", "Not now"), refusal.words(lang));
            let home = format!("/{}/", lang.code());
            reader.page_with(&app, StatusCode::TOO_MANY_REQUESTS, Section::Labs, title, [], move || {
                view! { <ui::pages::ErrorPage lang title detail home /> }
            })
        }
        Err(Refused::Otherwise(response)) => response.status().into_response(),
    }
}

fn protocol_params(fields: impl Iterator<Item = (String, String)>) -> Option<protocol::Params> {
    let map: serde_json::Map<String, serde_json::Value> = fields
        .map(|(name, value)| Some((name, serde_json::Value::from(value.trim().parse::<u64>().ok()?))))
        .collect::<Option<_>>()?;
    serde_json::from_value(serde_json::Value::Object(map)).ok()
}

/// A run of a lab with a kernel that the learner wrote.
pub async fn enqueue_kernel(
    app: &AppState,
    user: &CurrentUser,
    lab: &str,
    kernel: KernelSource,
) -> Result<JobId, Refused> {
    // A runner of another kind would refuse it.
    let needs = Wanted { backend: Some(kernel.language.backend().to_owned()), ..Wanted::default() };
    let run = Run { lab: lab.to_owned(), kernel: Some(kernel), needs, ..Run::default() };
    enqueue(app, user, &run).await
}

async fn enqueue(app: &AppState, user: &CurrentUser, run: &Run) -> Result<JobId, Refused> {
    let lab = labs::lab(&run.lab).filter(|lab| lab.kind == labs::LabKind::Program);
    let Some(lab) = lab else {
        return Err(Problem::bad_request(format!("lab {} cannot be run here", run.lab))
            .at("/lab")
            .into_response()
            .into());
    };
    let takes = |language: KernelLanguage| lab.exercise.as_ref().is_some_and(|it| it.starter(language.id()).is_some());
    if run.kernel.as_ref().is_some_and(|kernel| !takes(kernel.language)) {
        let languages: Vec<&str> =
            KernelLanguage::ALL.into_iter().filter(|it| takes(*it)).map(KernelLanguage::id).collect();
        let detail = match languages.as_slice() {
            [] => format!("lab {} takes no kernel", run.lab),
            known => format!("lab {} takes a kernel in {}", run.lab, known.join(" or ")),
        };
        return Err(Problem::bad_request(detail).at("/kernel").into_response().into());
    }
    let needs = needs(lab, &run.needs).map_err(IntoResponse::into_response)?;
    let values = serde_json::to_value(&run.params).unwrap_or_default();
    for (name, value) in values.as_object().into_iter().flatten() {
        let param = lab.params.iter().find(|param| param.name == *name);
        let fits = param.is_some_and(|param| value.as_u64().is_some_and(|v| (param.min..=param.max).contains(&v)));
        if !fits {
            let expected = match param {
                Some(param) => format!("expected a whole number from {} to {}", param.min, param.max),
                None => {
                    let known: Vec<_> = lab.params.iter().map(|param| param.name.as_str()).collect();
                    format!("expected one of {}", known.join(", "))
                }
            };
            let detail = format!("parameter {name}: {expected}, found {value}");
            return Err(Problem::bad_request(detail).at(format!("/params/{name}")).into_response().into());
        }
    }
    app.auth.limits.run(user.id).map_err(|limited| AuthRejection::Limited(limited).into_response())?;
    let params = JsonText::of(&run.params).map_err(|error| Problem::internal(error).into_response())?;
    let new = NewJob { lab: &run.lab, params: &params, needs, kernel: run.kernel.as_ref() };
    let queued = jobs::enqueue(&app.store, user.id, &new, &app.config.queue).await;
    app.queue_moved.notify_waiters();
    queued.map_err(|error| match error {
        EnqueueError::TooMany { limit, .. } => Refused::Now(Refusal::TooMany { limit }),
        EnqueueError::TooOften { limit, next } => {
            let wait_ms = u64::try_from(next.0 - app.store.now().0).unwrap_or(0);
            Refused::Now(Refusal::TooOften { limit, wait_s: wait_ms.div_ceil(1000).max(1), at: iso(next) })
        }
        EnqueueError::NoUser => Problem::unauthorized().into_response().into(),
        EnqueueError::Store(error) => Problem::internal(error).into_response().into(),
    })
}

fn needs(lab: &labs::Lab, wanted: &Wanted) -> Result<Needs, Problem> {
    if let Some(backend) = wanted.backend.as_ref().filter(|backend| !lab.backends.contains(backend)) {
        let detail = format!("lab {} runs on {}; found {backend:?}", lab.id, lab.backends.join(", "));
        return Err(Problem::bad_request(detail).at("/needs/backend"));
    }
    let memory_bytes = i64::try_from(wanted.memory_bytes.unwrap_or(0))
        .map_err(|_| Problem::bad_request(format!("expected at most {} bytes", i64::MAX)).at("/needs/memory_bytes"))?;
    Ok(Needs {
        backend: wanted.backend.clone(),
        class: wanted.device_class.map(Word),
        memory_bytes,
        label: wanted.label.as_ref().map(|label| label.as_str().to_owned()),
    })
}

async fn state(app: &AppState, viewer: Viewer, id: JobId) -> Result<Option<Shown>, StoreError> {
    match jobs::get(&app.store, viewer, id).await? {
        Some(job) => Ok(Some(shown(&app.store, viewer, &job).await?)),
        None => Ok(None),
    }
}

async fn one(State(app): State<AppState>, user: CurrentUser, Path(id): Path<String>) -> Result<Json<Shown>, Problem> {
    let id = id.parse().map_err(|_| Problem::not_found())?;
    let job = state(&app, user.viewer(), id).await.map_err(Problem::internal)?;
    job.map(Json).ok_or_else(Problem::not_found)
}

#[derive(Deserialize)]
struct After {
    /// The last line of the log that a page has already, when it connects for the first time.
    #[serde(default)]
    after: i64,
}

/// The job whenever it changes, each new line of its log as an event `log` with its number, and `end` when nothing more
/// will come. All of it is read from the store: whoever connects again, to whichever server, misses nothing.
async fn events(
    State(app): State<AppState>,
    user: CurrentUser,
    Path(id): Path<String>,
    Query(after): Query<After>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let id: JobId = id.parse().map_err(|_| Problem::not_found())?;
    let place = app.streams.take(user.id).ok_or_else(|| {
        Problem::new(StatusCode::TOO_MANY_REQUESTS, format!("at most {MOST} streams at a time: close another tab"))
    })?;
    let viewer = user.viewer();
    state(&app, viewer, id).await.map_err(Problem::internal)?.ok_or_else(Problem::not_found)?;
    let seen = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(after.after);
    let stop = app.stop.clone();
    let follower = Follower { app, viewer, id, last: None, seen, ready: VecDeque::new(), over: false };
    let changes = stream::unfold(follower, move |mut follower| {
        // The place is held as long as the stream is.
        let _place = &place;
        async move {
            let event = follower.next().await?;
            Some((Ok(event), follower))
        }
    });
    let over = async move {
        tokio::select! { () = stop.cancelled() => {}, () = tokio::time::sleep(LONGEST) => {} }
    };
    Ok(Sse::new(changes.take_until(Box::pin(over))).keep_alive(KeepAlive::default()))
}

/// One reader's way through a job.
struct Follower {
    app: AppState,
    viewer: Viewer,
    id: JobId,
    /// The state that was sent last.
    last: Option<Shown>,
    /// The number of the line that was sent last.
    seen: i64,
    ready: VecDeque<Event>,
    over: bool,
}

impl Follower {
    /// `None` after the end, and when the store failed or the job is gone: the browser connects again and finds out.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.over {
                return None;
            }
            if self.last.is_some() {
                tokio::time::sleep(LOOK).await;
            }
            self.look()
                .await
                .inspect_err(|error| tracing::warn!(%error, "a job cannot be read for its stream"))
                .ok()??;
        }
    }

    async fn look(&mut self) -> Result<Option<()>, StoreError> {
        // The state first: its last line was written together with what ended it, and is read after it.
        let Some(job) = state(&self.app, self.viewer, self.id).await? else { return Ok(None) };
        for line in job_state::log_after(&self.app.store, self.viewer, self.id, self.seen).await? {
            self.seen = line.seq;
            let data = serde_json::to_string(&line).unwrap_or_default();
            self.ready.push_back(Event::default().event("log").id(line.seq.to_string()).data(data));
        }
        if self.last.as_ref() != Some(&job) {
            self.ready.push_back(Event::default().data(serde_json::to_string(&job).unwrap_or_default()));
        }
        if is_over(&job) {
            self.ready.push_back(Event::default().data("end"));
            self.over = true;
        }
        self.last = Some(job);
        Ok(Some(()))
    }
}

fn is_over(job: &Shown) -> bool {
    matches!(job.state.as_str(), "graded" | "failed" | "cancelled")
}

async fn cancel(State(app): State<AppState>, user: CurrentUser, Path(id): Path<String>) -> Result<StatusCode, Problem> {
    let id = id.parse().map_err(|_| Problem::not_found())?;
    let cancelled = jobs::cancel(&app.store, user.viewer(), id).await.map_err(Problem::internal)?;
    app.queue_moved.notify_waiters();
    match cancelled {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Problem::not_found()),
    }
}

async fn cancel_form(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
) -> Response {
    let Ok(id) = id.parse::<JobId>() else { return StatusCode::NOT_FOUND.into_response() };
    let cancelled = jobs::cancel(&app.store, user.viewer(), id).await;
    app.queue_moved.notify_waiters();
    match cancelled {
        Ok(_) => Redirect::to(&format!("/{}/jobs/{id}", reader.lang.code())).into_response(),
        Err(error) => {
            tracing::error!(%error, "a job was not cancelled");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

/// A job on a page of its own.
async fn page(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
) -> Response {
    let Ok(id) = id.parse::<JobId>() else { return StatusCode::NOT_FOUND.into_response() };
    let job = match state(&app, user.viewer(), id).await {
        Ok(Some(job)) => job,
        Ok(None) => return StatusCode::NOT_FOUND.into_response(),
        Err(error) => {
            tracing::error!(%error, "a job page failed");
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
    };
    let read = async {
        Ok::<_, StoreError>((
            job_state::log_after(&app.store, user.viewer(), id, 0).await?,
            kernels::get(&app.store, user.viewer(), id).await?.map(|_| job.lab.clone()),
        ))
    };
    let (log, kernel) = match read.await {
        Ok(both) => both,
        Err(error) => {
            tracing::error!(%error, "a job page failed");
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
    };
    let lang: Lang = reader.lang;
    let title = lang.pick("运行", "Run");
    reader.page_with(&app, StatusCode::OK, Section::Labs, title, [ui::Client::Runs], move || {
        view! { <ui::pages::lab::JobPage job log kernel lang /> }
    })
}
