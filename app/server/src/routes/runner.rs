//! What runners say: identity, claims, heartbeats, reports, failures.

use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Json, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{post, put};
use evidence::{Report, Workload};
use protocol::{
    Claim, ClaimRequest, Failure, Heartbeat, Identity, LabName, Lease, Offer, PublicKey, Receipt, SignedReport, Stage,
};

use crate::auth::RunnerAuth;
use crate::grading;
use crate::http::{ApiJson, AppState, Problem};
use crate::store::jobs::{self, Assignment, Claimed, HeldError};
use crate::store::runners::{self, IdentityError};
use crate::store::{JobId, JsonText, RunnerId, StoreError, kernels, sha256_hex};

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/v1/runner/identity", put(identity))
        .route("/api/v1/runner/claims", post(claim))
        .route("/api/v1/runner/jobs/{id}/heartbeats", post(heartbeat))
        .route("/api/v1/runner/jobs/{id}/reports", post(report))
        .route("/api/v1/runner/jobs/{id}/failures", post(failure))
        .layer(DefaultBodyLimit::max(protocol::limits::REQUEST_BYTES))
}

fn lost() -> Problem {
    Problem::new(StatusCode::CONFLICT, "this runner does not hold the job")
}

fn held(error: HeldError) -> Problem {
    match error {
        HeldError::LeaseLost => lost(),
        HeldError::Store(error) => Problem::internal(error),
    }
}

fn job_id(id: &str) -> Result<JobId, Problem> {
    id.parse().map_err(|_| lost())
}

/// First use binds the key to the token.
async fn identity(
    State(app): State<AppState>,
    RunnerAuth(runner): RunnerAuth,
    ApiJson(identity): ApiJson<Identity>,
) -> Result<StatusCode, Problem> {
    let facts = JsonText::of(&identity.facts).map_err(Problem::internal)?;
    match runners::bind_identity(&app.store, runner.id, identity.public_key.as_bytes(), &identity.name, &facts).await {
        Ok(()) => Ok(StatusCode::NO_CONTENT),
        Err(IdentityError::OtherKey) => Err(Problem::new(
            StatusCode::CONFLICT,
            "this token is bound to another key; register the runner again to get a new token",
        )),
        Err(IdentityError::Store(error)) => Err(Problem::internal(error)),
    }
}

async fn claim(
    State(app): State<AppState>,
    RunnerAuth(runner): RunnerAuth,
    ApiJson(request): ApiJson<ClaimRequest>,
) -> Result<Response, Problem> {
    if runner.public_key.is_none() {
        return Err(Problem::new(StatusCode::CONFLICT, "name your public key first: PUT /api/v1/runner/identity"));
    }
    let offered = runners::Offered { labs: request.labs, offer: request.offer };
    runners::offer(&app.store, &runner, &offered).await.map_err(Problem::internal)?;
    let wait = Duration::from_millis(request.wait_ms).min(LONGEST_WAIT);
    let Some(claimed) = next(&app, runner.id, wait).await.map_err(Problem::internal)? else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let broken = |error: &dyn std::fmt::Display| Problem::internal(error);
    let claim = Claim {
        job_id: claimed.id.to_string().parse().map_err(|error| broken(&error))?,
        lab: claimed.lab.parse().map_err(|error| broken(&error))?,
        params: claimed.params.parse().map_err(|error| broken(&error))?,
        nonce: claimed.nonce,
        lease_ms: lease_ms(),
        attempt: u32::try_from(claimed.attempt).unwrap_or(u32::MAX),
        kernel: kernels::of_job(&app.store, claimed.id).await.map_err(Problem::internal)?,
    };
    Ok(Json(claim).into_response())
}

/// A question is not left open for longer, whatever the runner allows: proxies close what is silent.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The next job, as soon as there is one. Another web process may have queued it, so the store is asked at the end again.
async fn next(app: &AppState, runner: RunnerId, wait: Duration) -> Result<Option<Claimed>, StoreError> {
    let end = tokio::time::Instant::now() + wait;
    loop {
        // Listening before looking: what is queued in between is not missed.
        let moved = app.queue_moved.notified();
        tokio::pin!(moved);
        moved.as_mut().enable();
        let claimed = jobs::claim(&app.store, runner, &app.config.queue).await?;
        if claimed.is_some() || app.stop.is_cancelled() || tokio::time::Instant::now() >= end {
            return Ok(claimed);
        }
        tokio::select! {
            () = moved => {}
            () = tokio::time::sleep_until(end) => {}
            () = app.stop.cancelled() => {}
        }
    }
}

fn lease_ms() -> u64 {
    u64::try_from(jobs::LEASE.as_millis()).unwrap_or(u64::MAX)
}

async fn heartbeat(
    State(app): State<AppState>,
    RunnerAuth(runner): RunnerAuth,
    Path(id): Path<String>,
    ApiJson(beat): ApiJson<Heartbeat>,
) -> Result<Json<Lease>, Problem> {
    let id = job_id(&id)?;
    let lease = jobs::heartbeat(&app.store, runner.id, id, &beat.nonce, beat.stage, &beat.times, &beat.notes);
    let lease = lease.await.map_err(held)?;
    Ok(Json(Lease { lease_ms: lease_ms(), cancelled: lease.cancelled }))
}

/// The signature is checked against the exact bytes before anything is believed of them.
async fn report(
    State(app): State<AppState>,
    RunnerAuth(runner): RunnerAuth,
    Path(id): Path<String>,
    ApiJson(signed): ApiJson<SignedReport>,
) -> Result<Json<Receipt>, Problem> {
    let id = job_id(&id)?;
    let key = stored_key(runner.public_key.as_deref()).ok_or_else(lost)?;
    let asked = jobs::assignment(&app.store, runner.id, id).await.map_err(Problem::internal)?.ok_or_else(lost)?;
    let job = protocol_id(id)?;
    signed.verify(&key, &job, &asked.nonce).map_err(|_| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "the signature does not cover this report, job and nonce")
            .at("/signature_base64")
    })?;
    let signature = signed.signature.as_bytes().to_owned();
    let (raw, document) = grading::parse(signed.report).await.map_err(Problem::internal)?;
    let document = document.map_err(|error| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.message(evidence::Lang::En)).at(error.pointer())
    })?;
    answers(&document.report, &asked, &runner.offered().offer)?;
    let facts = grading::facts(&document, &raw);
    let finished =
        jobs::finish(&app.store, runner.id, id, &asked.nonce, facts, &signature, &signed.times).await.map_err(held)?;
    app.queue_moved.notify_waiters();
    // The report is safe now; should grading fail, the background work grades it later.
    if let Err(error) = grading::grade_stored(&app.store, finished.id()).await {
        tracing::error!(%error, "a runner's report was stored and not yet graded");
    }
    Ok(Json(Receipt { job_id: job, stage: Stage::Graded }))
}

/// Parameters that are sizes of a kernel; others (a seed, a number of samples) have no place in its shape.
const SIZES: [&str; 2] = ["rows", "hidden"];

/// A signature says who sent a report, not that it is the one that was asked for: the lab, a backend that the lab runs
/// on, that its runner offers and that the job needs, and the sizes that the learner chose.
fn answers(report: &Report, asked: &Assignment, offer: &Offer) -> Result<(), Problem> {
    let refuse =
        |pointer: &str, detail: String| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail).at(pointer.to_owned());
    if report.lab != asked.lab {
        return Err(refuse("/lab", format!("the job is of lab {}; the report is of {:?}", asked.lab, report.lab)));
    }
    // What a learner wrote ran, and nothing else: told by the hash of its text.
    let ran = report.learner_code.as_ref().map(|code| code.sha256.clone());
    let given = asked.kernel.as_ref().map(|kernel| sha256_hex(kernel.text.as_str().as_bytes()));
    if ran != given {
        let detail = match &given {
            Some(sha256) => {
                format!("the job runs the learner's kernel with SHA-256 {sha256}; the report names another or none")
            }
            None => "the job runs no learner's kernel; the report names one".to_owned(),
        };
        return Err(refuse("/learner_code", detail));
    }
    let lab = labs::lab(&asked.lab).ok_or_else(|| refuse("/lab", format!("there is no lab {}", asked.lab)))?;
    // By the name that it has in a report, which is also the one in a lab's file.
    let backend = report.device.as_ref().and_then(|device| serde_json::to_value(device.backend).ok());
    let found = backend.as_ref().and_then(|backend| backend.as_str()).unwrap_or("none");
    if !lab.backends.iter().any(|own| own == found) {
        let detail = format!("lab {} runs on {}; the report names {found}", lab.id, lab.backends.join(", "));
        return Err(refuse("/device/backend", detail));
    }
    // A job is matched with what its runner said it has; a report from elsewhere is not the run that was handed out.
    if !offer.backends.iter().any(|own| own.as_str() == found) {
        let own: Vec<&str> = offer.backends.iter().map(LabName::as_str).collect();
        let own = if own.is_empty() { "no backend".to_owned() } else { own.join(", ") };
        let detail = format!("the runner asked for jobs with {own}; the report names {found}");
        return Err(refuse("/device/backend", detail));
    }
    if let Some(needed) = asked.needs_backend.as_deref().filter(|needed| *needed != found) {
        return Err(refuse("/device/backend", format!("the job needs {needed}; the report names {found}")));
    }
    if let Workload::Kernel(kernel) = &report.workload {
        let params: serde_json::Map<String, serde_json::Value> = asked.params.parse().map_err(Problem::internal)?;
        for name in SIZES {
            let chosen = params.get(name).and_then(serde_json::Value::as_u64);
            let found = kernel.shape.get(name).copied();
            if let Some(chosen) = chosen.filter(|chosen| Some(*chosen) != found) {
                let found = found.map_or("none".to_owned(), |found| found.to_string());
                let detail = format!("the job asks for {name} {chosen}; the report has {found}");
                return Err(refuse(&format!("/workload/kernel/shape/{name}"), detail));
            }
        }
    }
    Ok(())
}

fn stored_key(bytes: Option<&[u8]>) -> Option<PublicKey> {
    PublicKey::from_bytes(bytes?.try_into().ok()?).ok()
}

fn protocol_id(id: JobId) -> Result<protocol::JobId, Problem> {
    id.to_string().parse().map_err(|_| lost())
}

async fn failure(
    State(app): State<AppState>,
    RunnerAuth(runner): RunnerAuth,
    Path(id): Path<String>,
    ApiJson(failure): ApiJson<Failure>,
) -> Result<StatusCode, Problem> {
    let id = job_id(&id)?;
    jobs::fail(&app.store, runner.id, id, &failure.nonce, failure.kind, &failure.message).await.map_err(held)?;
    app.queue_moved.notify_waiters();
    Ok(StatusCode::NO_CONTENT)
}
