//! What all routes share.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::FromRef;
use ui::shell::AssetNames;

use crate::auth::Auth;
use crate::course::Course;
use crate::store::Store;

use super::Pages;
use super::streams::Streams;

pub type AppState = Arc<App>;

/// One running server.
pub struct App {
    pub course: Course,
    pub pages: Pages,
    pub assets: AssetNames,
    pub store: Store,
    pub auth: Auth,
    pub config: Config,
    pub streams: Arc<Streams>,
    /// Told whenever a job may have become free to take: runners that wait for one ask again.
    pub queue_moved: tokio::sync::Notify,
    /// Cancelled when the server shuts down, so that open streams end.
    pub stop: tokio_util::sync::CancellationToken,
}

impl FromRef<AppState> for Auth {
    fn from_ref(app: &AppState) -> Self {
        app.auth.clone()
    }
}

/// What the command line decided.
#[derive(Debug, Clone)]
pub struct Config {
    pub data: PathBuf,
    /// The address that links name, e.g. `https://course.example`.
    pub origin: String,
    /// How much of the queue one learner may take.
    pub queue: crate::store::jobs::Limits,
}
