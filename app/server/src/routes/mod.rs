//! Every route, one file per kind of thing.

mod reading;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware;
use axum::routing::get;
use tokio::task::JoinHandle;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};

use crate::http::{App, AppState, assets, security};

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
        .layer(compress)
        .route("/assets/{name}", get(assets::serve))
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(ready))
        .layer(middleware::from_fn(security::headers))
        .with_state(app)
}

async fn ready(axum::extract::State(app): axum::extract::State<AppState>) -> (StatusCode, &'static str) {
    match app.store.ping().await {
        Ok(()) => (StatusCode::OK, "ready"),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer"),
    }
}

/// Work that goes on beside requests; each task ends when the server stops.
pub fn background(_app: &App) -> Vec<JoinHandle<()>> {
    Vec::new()
}
