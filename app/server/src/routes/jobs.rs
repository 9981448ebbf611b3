//! Lab runs of a learner: enqueue, watch, withdraw.

use std::convert::Infallible;
use std::time::Duration;

use axum::Router;
use axum::extract::{Form, Json, Path, State};
use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use evidence::Lang;
use futures_util::StreamExt as _;
use futures_util::stream::{self, Stream};
use leptos::prelude::*;
use protocol::{KernelLanguage, KernelSource};
use serde::Deserialize;
use ui::islands::JobState as Shown;
use ui::shell::Section;

use super::job_state::shown;
use crate::auth::{AuthRejection, CurrentUser};
use crate::http::streams::MOST;
use crate::http::{ApiJson, AppState, Problem, Reader};
use crate::store::jobs::{self, EnqueueError};
use crate::store::{JobId, JsonText, StoreError, Viewer, kernels};

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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    lab: String,
    #[serde(default)]
    params: protocol::Params,
    /// The learner's own, for a lab with an exercise.
    #[serde(default)]
    kernel: Option<KernelSource>,
}

/// The island's button.
async fn run(State(app): State<AppState>, user: CurrentUser, ApiJson(run): ApiJson<Run>) -> Response {
    match enqueue(&app, &user, &run).await {
        Ok(id) => match state(&app, user.viewer(), id).await {
            Ok(Some(job)) => (StatusCode::CREATED, Json(job)).into_response(),
            Ok(None) => Problem::not_found().into_response(),
            Err(error) => Problem::internal(error).into_response(),
        },
        Err(response) => response,
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
    let params = fields.into_iter().filter(|(_, value)| !value.trim().is_empty());
    let Some(params) = protocol_params(params) else { return StatusCode::UNPROCESSABLE_ENTITY.into_response() };
    match enqueue(&app, user, &Run { lab, params, kernel: None }).await {
        Ok(id) => Redirect::to(&format!("/{}/jobs/{id}", reader.lang.code())).into_response(),
        Err(response) => response.status().into_response(),
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
) -> Result<JobId, Response> {
    let run = Run { lab: lab.to_owned(), params: protocol::Params::default(), kernel: Some(kernel) };
    enqueue(app, user, &run).await
}

async fn enqueue(app: &AppState, user: &CurrentUser, run: &Run) -> Result<JobId, Response> {
    let lab = labs::lab(&run.lab).filter(|lab| lab.kind == labs::LabKind::Program);
    let Some(lab) = lab else {
        return Err(Problem::bad_request(format!("lab {} cannot be run here", run.lab)).at("/lab").into_response());
    };
    if run.kernel.as_ref().is_some_and(|kernel| lab.exercise.is_none() || kernel.language != KernelLanguage::Cuda) {
        let detail =
            format!("lab {} takes {}", run.lab, lab.exercise.as_ref().map_or("no kernel", |_| "a kernel in cuda"));
        return Err(Problem::bad_request(detail).at("/kernel").into_response());
    }
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
            return Err(Problem::bad_request(detail).at(format!("/params/{name}")).into_response());
        }
    }
    app.auth.limits.run(user.id).map_err(|limited| AuthRejection::Limited(limited).into_response())?;
    let params = JsonText::of(&run.params).map_err(|error| Problem::internal(error).into_response())?;
    jobs::enqueue(&app.store, user.id, &run.lab, &params, run.kernel.as_ref()).await.map_err(|error| match error {
        EnqueueError::TooMany { active, limit } => Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            format!("{active} of your jobs wait or run; at most {limit} may. Let one finish or cancel it."),
        )
        .into_response(),
        EnqueueError::NoUser => Problem::unauthorized().into_response(),
        EnqueueError::Store(error) => Problem::internal(error).into_response(),
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

/// The job whenever it changes, and `end` when nothing more will come.
async fn events(
    State(app): State<AppState>,
    user: CurrentUser,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let id: JobId = id.parse().map_err(|_| Problem::not_found())?;
    let place = app.streams.take(user.id).ok_or_else(|| {
        Problem::new(StatusCode::TOO_MANY_REQUESTS, format!("at most {MOST} streams at a time: close another tab"))
    })?;
    let first = state(&app, user.viewer(), id).await.map_err(Problem::internal)?.ok_or_else(Problem::not_found)?;
    let stop = app.stop.clone();
    let viewer = user.viewer();
    let changes = stream::unfold(Next::Send(first), move |next| {
        let app = app.clone();
        // The place is held as long as the stream is.
        let _place = &place;
        async move {
            let (event, next) = match next {
                Next::Over => return None,
                Next::Send(job) => (serde_json::to_string(&job).unwrap_or_default(), Next::after(job)),
                Next::End => ("end".to_owned(), Next::Over),
                Next::Wait(last) => match changed(&app, viewer, id, &last).await {
                    Some(job) => (serde_json::to_string(&job).unwrap_or_default(), Next::after(job)),
                    // The store failed or the job is gone: the browser connects again and finds out.
                    None => return None,
                },
            };
            Some((Ok(Event::default().data(event)), next))
        }
    });
    let over = async move {
        tokio::select! { () = stop.cancelled() => {}, () = tokio::time::sleep(LONGEST) => {} }
    };
    Ok(Sse::new(changes.take_until(Box::pin(over))).keep_alive(KeepAlive::default()))
}

enum Next {
    Send(Shown),
    Wait(Shown),
    End,
    Over,
}

impl Next {
    fn after(job: Shown) -> Self {
        if matches!(job.state.as_str(), "graded" | "failed" | "cancelled") { Self::End } else { Self::Wait(job) }
    }
}

async fn changed(app: &AppState, viewer: Viewer, id: JobId, last: &Shown) -> Option<Shown> {
    loop {
        tokio::time::sleep(LOOK).await;
        match state(app, viewer, id).await {
            Ok(Some(job)) if job != *last => return Some(job),
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(error) => {
                tracing::warn!(%error, "a job cannot be read for its stream");
                return None;
            }
        }
    }
}

async fn cancel(State(app): State<AppState>, user: CurrentUser, Path(id): Path<String>) -> Result<StatusCode, Problem> {
    let id = id.parse().map_err(|_| Problem::not_found())?;
    match jobs::cancel(&app.store, user.viewer(), id).await.map_err(Problem::internal)? {
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
    match jobs::cancel(&app.store, user.viewer(), id).await {
        Ok(_) => Redirect::to(&format!("/{}/jobs/{id}", reader.lang.code())).into_response(),
        Err(error) => {
            tracing::error!(%error, "a job was not cancelled");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

/// A job on a page of its own; without JavaScript it reloads itself while the job runs.
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
    let kernel = match kernels::lab_of(&app.store, user.viewer(), id).await {
        Ok(lab) => lab,
        Err(error) => {
            tracing::error!(%error, "a job page failed");
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
    };
    let running = matches!(Next::after(job.clone()), Next::Wait(_));
    let lang: Lang = reader.lang;
    let mut response = reader.page(&app, Section::Labs, lang.pick("运行", "Run"), move || {
        view! { <ui::pages::lab::JobPage job kernel lang /> }
    });
    if running && let Ok(value) = "3".parse() {
        response.headers_mut().insert(header::REFRESH, value);
    }
    response
}
