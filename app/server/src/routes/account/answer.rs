//! What the routes of accounts and classes have in common.

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use evidence::Lang;
use leptos::prelude::IntoView;
use ui::pages::account::Problems;
use ui::shell::Section;

use crate::auth::Limited;
use crate::http::{AppState, Reader};
use crate::store::{StoreError, UtcMs};

/// A page or a redirect, or why there is none.
pub type Answer = Result<Response, Failure>;

#[derive(Debug)]
pub enum Failure {
    /// There is no such thing, or it is not the reader's to see: the two look the same.
    NotFound,
    /// The store did not answer; the cause is in the log.
    Unavailable,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND.into_response(),
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        }
    }
}

/// Logs a fault of ours. None of these errors carries a token or a password.
pub fn unavailable(error: impl std::error::Error + 'static) -> Failure {
    tracing::error!(error = &error as &dyn std::error::Error, "a page could not be answered");
    Failure::Unavailable
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        unavailable(error)
    }
}

impl From<tower_sessions::session::Error> for Failure {
    fn from(error: tower_sessions::session::Error) -> Self {
        unavailable(error)
    }
}

/// Why a form comes back: status, what is wrong by field, and when to try again.
#[derive(Debug)]
pub struct Trouble {
    status: StatusCode,
    pub problems: Problems,
    retry_after_s: Option<u64>,
}

impl Trouble {
    /// The form as it is shown first.
    pub fn none() -> Self {
        Self { status: StatusCode::OK, problems: Problems::none(), retry_after_s: None }
    }

    pub fn field(field: &'static str, message: impl Into<String>) -> Self {
        let problems = Problems::one(field, message);
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, problems, retry_after_s: None }
    }

    pub fn limited(limited: &Limited, lang: Lang) -> Self {
        let seconds = limited.retry_after_s();
        let text = match lang {
            Lang::Zh => format!("试得太频繁了，请在 {seconds} 秒后再试。"),
            Lang::En => format!("Too many tries. Try again in {seconds} s."),
        };
        let status = StatusCode::TOO_MANY_REQUESTS;
        Self { status, problems: Problems::one("", text), retry_after_s: Some(seconds) }
    }

    /// Too many passwords are being checked at this moment.
    pub fn busy(lang: Lang) -> Self {
        let text = lang.pick("服务器正忙，请几秒后再试一次。", "The server is busy. Try again in a few seconds.");
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self { status, problems: Problems::one("", text), retry_after_s: Some(5) }
    }

    /// The page of the form, with this trouble's status and headers.
    pub fn page<V: IntoView + 'static>(
        &self,
        app: &AppState,
        reader: &Reader,
        title: &str,
        body: impl FnOnce() -> V + Send + 'static,
    ) -> Response {
        let mut response = reader.page_with(app, self.status, Section::Account, title, [], body);
        if let Some(seconds) = self.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// Keeps a page that shows a secret out of every cache.
pub fn unstored(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Middleware: `/xx/…` of a language that is not spoken here is no page.
pub async fn known_language(request: Request, next: Next) -> Response {
    let first = request.uri().path().trim_start_matches('/').split('/').next().unwrap_or_default();
    match Lang::from_code(first) {
        Some(_) => next.run(request).await,
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Middleware for addresses that are secrets: they are not cached, and a `Referer` names this server alone.
/// Not `no-referrer`: that would also blank the `Origin` by which older browsers show where a form comes from.
pub async fn guard_secret(request: Request, next: Next) -> Response {
    let mut response = unstored(next.run(request).await);
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("strict-origin"));
    response
}

/// A moment as pages and files write it.
pub fn iso(at: UtcMs) -> String {
    at.rfc3339().unwrap_or_default()
}
