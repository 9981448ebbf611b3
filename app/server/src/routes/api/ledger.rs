//! The ledgers over REST: the same inputs as a share link, as a query or as a JSON object.

use axum::Router;
use axum::body::Bytes;
use axum::extract::{FromRequest, Path, Query, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Json, extract::DefaultBodyLimit};
use ledger::snapshot::{read_snapshot, replay};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::answers::{self, Pairs, Refusal};
use crate::auth::{AuthRejection, ClientIp};
use crate::http::{ApiJson, AppState, Problem};

/// Larger snapshots are replayed on the command line.
const MAX_SNAPSHOT: usize = 64 << 20;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/v1/ledger/models", get(|| async { answers::models().map(Json).map_err(Problem::from) }))
        .route("/api/v1/ledger/cards", get(|| async { Json(answers::cards()) }))
        .route("/api/v1/ledger/inference", both(answers::inference))
        .route("/api/v1/ledger/serving", both(answers::serving))
        .route("/api/v1/ledger/training", both(answers::training))
        .route("/api/v1/ledger/parallel", both(answers::parallel))
        .route("/api/v1/ledger/plans", costly(answers::plan))
        .route("/api/v1/ledger/allocator/scripts", both(answers::script))
        .route("/api/v1/ledger/fewest", costly(answers::fewest))
        .route("/api/v1/ledger/decisions", costly(answers::decide))
        .route("/api/v1/ledger/calculators", get(|| async { Json(answers::calculators()) }))
        .route("/api/v1/ledger/calculators/{id}", get(calculate).post(calculate))
        .route("/api/v1/ledger/allocator/replays", post(replays).layer(DefaultBodyLimit::max(MAX_SNAPSHOT)))
}

/// A ledger by `GET` with a query and by `POST` with a JSON object.
fn both<A: Serialize + Send + 'static>(
    answer: impl Fn(&Pairs) -> Result<A, Refusal> + Clone + Send + Sync + 'static,
) -> MethodRouter<AppState> {
    let handler = move |Inputs(pairs): Inputs| {
        let answer = answer.clone();
        async move { computed(move || answer(&pairs)).await }
    };
    get(handler.clone()).post(handler)
}

/// As [`both`], limited per network: a search takes a core for a while.
fn costly<A: Serialize + Send + 'static>(
    answer: impl Fn(&Pairs) -> Result<A, Refusal> + Clone + Send + Sync + 'static,
) -> MethodRouter<AppState> {
    let handler = move |State(app): State<AppState>, from: ClientIp, Inputs(pairs): Inputs| {
        let answer = answer.clone();
        async move {
            match app.auth.limits.compute(from) {
                Ok(()) => computed(move || answer(&pairs)).await,
                Err(limited) => AuthRejection::Limited(limited).into_response(),
            }
        }
    };
    get(handler.clone()).post(handler)
}

async fn calculate(Path(id): Path<String>, Inputs(pairs): Inputs) -> Response {
    computed(move || answers::calculate(&id, &pairs)).await
}

/// Off the threads that answer pages: a ledger is quick, a plan or a replay is not.
async fn computed<A: Serialize + Send + 'static>(
    work: impl FnOnce() -> Result<A, Refusal> + Send + 'static,
) -> Response {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(answer)) => Json(answer).into_response(),
        Ok(Err(refusal)) => Problem::from(refusal).into_response(),
        Err(error) => Problem::internal(error).into_response(),
    }
}

/// `POST` a snapshot's bytes.
async fn replays(State(app): State<AppState>, from: ClientIp, body: Bytes) -> Response {
    if let Err(limited) = app.auth.limits.compute(from) {
        return AuthRejection::Limited(limited).into_response();
    }
    let work = move || read_snapshot(&body).map(|snapshot| replay(&snapshot));
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(replay)) => Json(replay).into_response(),
        Ok(Err(error)) => Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()).into_response(),
        Err(error) => Problem::internal(error).into_response(),
    }
}

/// Inputs of a ledger, from a query or from a JSON object of texts, numbers and (for `config`) an object.
struct Inputs(Pairs);

impl<S: Send + Sync> FromRequest<S> for Inputs {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let query = request.uri().query().unwrap_or_default();
        let Query(mut pairs) = Query::<Pairs>::try_from_uri(request.uri())
            .map_err(|_| Problem::bad_request(format!("the query cannot be read: {} bytes", query.len())))?;
        if request.method() == axum::http::Method::POST {
            let ApiJson(fields) = ApiJson::<Map<String, Value>>::from_request(request, state).await?;
            for (key, value) in fields {
                let text = match value {
                    Value::String(text) => text,
                    Value::Number(_) | Value::Bool(_) | Value::Object(_) => value.to_string(),
                    Value::Null | Value::Array(_) => {
                        let detail = "expected a text, a number, true or false, or an object for config";
                        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail).at(pointer(&key)));
                    }
                };
                pairs.push((key, text));
            }
        }
        Ok(Self(pairs))
    }
}

/// The place of an input in the JSON object.
fn pointer(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, refusal.to_string());
        match refusal.key() {
            Some(key) => problem.at(pointer(key)),
            None => problem,
        }
    }
}
