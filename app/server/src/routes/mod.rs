//! Every route, one file per kind of thing.

mod account;
mod api;
mod budget;
mod class;
mod credit;
mod drill;
mod job_state;
mod jobs;
mod kernel;
mod labs;
mod quiz;
mod reading;
mod reports;
mod runner;
mod snapshot;
mod tools;
mod trace;

use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware;
use axum::routing::get;
use tokio::task::JoinHandle;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::auth::{csrf, session};
use crate::http::{AppState, assets, errors, front, security};

/// Largest body of a form or a JSON request; uploads of reports have their own limit.
const BODY_LIMIT: usize = 256 << 10;

/// How long a body may stand still between two pieces.
const BODY_TIME: Duration = Duration::from_secs(30);

/// The whole application.
pub fn router(app: AppState) -> Router {
    // Assets are compressed already; streams must not wait for a compressor.
    let compress = CompressionLayer::new().quality(tower_http::CompressionLevel::Precise(4)).compress_when(
        SizeAbove::new(512)
            .and(NotForContentType::IMAGES)
            .and(NotForContentType::SSE)
            .and(NotForContentType::const_new("application/wasm")),
    );
    Router::new()
        .merge(reading::routes())
        .merge(quiz::routes())
        .merge(account::routes())
        .merge(class::routes())
        .merge(tools::routes())
        .merge(budget::routes())
        .merge(trace::routes())
        .merge(drill::routes())
        .merge(reports::routes())
        .merge(labs::routes())
        .merge(kernel::routes())
        .merge(jobs::routes())
        .merge(api::routes())
        .merge(runner::routes())
        .layer(compress.clone())
        .layer(middleware::from_fn_with_state(app.clone(), errors::draw))
        .layer(middleware::from_fn(csrf::same_origin))
        .layer(session::layer(app.store.clone()))
        // Arithmetic for everybody: knows no session and changes nothing, so other sites may ask as well.
        .merge(api::open().merge(budget::open()).layer(compress))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(RequestBodyTimeoutLayer::new(BODY_TIME))
        .route("/assets/{name}", get(assets::serve))
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(ready))
        .layer(middleware::from_fn_with_state(app.clone(), front::serve))
        .layer(middleware::from_fn_with_state(app.clone(), security::headers))
        .with_state(app)
}

async fn ready(axum::extract::State(app): axum::extract::State<AppState>) -> (StatusCode, &'static str) {
    match app.store.ping().await {
        Ok(()) => (StatusCode::OK, "ready"),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer"),
    }
}

/// How often expired leases and forgotten reports are looked for.
const SWEEP: Duration = Duration::from_secs(5);

/// Work that goes on beside requests; each task ends when the server stops.
pub fn background(app: &AppState) -> Vec<JoinHandle<()>> {
    vec![tokio::spawn(sweep(app.clone())), tokio::spawn(crate::regrade::work(app.clone()))]
}

/// Ends jobs whose last lease ran out, forgets what expired, grades what a stop left ungraded.
async fn sweep(app: AppState) {
    let mut ticks = tokio::time::interval(SWEEP);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = app.stop.cancelled() => return,
        }
        if let Err(error) = crate::store::sweep(&app.store).await {
            tracing::warn!(%error, "the store was not swept");
        }
        if let Err(error) = crate::grading::catch_up(&app.store, &app.stop).await {
            tracing::warn!(%error, "ungraded reports were not looked for");
        }
    }
}
