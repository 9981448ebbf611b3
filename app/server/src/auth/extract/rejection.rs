use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};

use crate::{
    auth::Limited,
    http::Problem,
    store::{UtcMs, api_tokens::Scope},
};

/// Why a guard refused. It rides in the response's extensions too, so that a layer can draw the page for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthRejection {
    /// A page for signed-in people: the way leads over sign-in and back to `next`.
    SignIn {
        next: String,
    },
    /// The same on the API.
    NoSession,
    /// Signed in, but this is for instructors.
    InstructorsOnly {
        api: bool,
    },
    /// No bearer token, or one that opens nothing.
    BadToken,
    /// A runner's token that has ended by itself.
    TokenExpired {
        at: UtcMs,
    },
    /// The token may not do this.
    Scope {
        needed: Scope,
    },
    /// Not from one of our pages.
    CrossSite,
    CrossSiteApi,
    Limited(Limited),
    /// The store did not answer; the cause is in the log.
    Unavailable,
}

impl AuthRejection {
    /// The form that fits the path: pages and the API answer differently.
    pub(crate) fn for_path(self, path: &str) -> Self {
        match self {
            Self::CrossSite if is_api(path) => Self::CrossSiteApi,
            Self::SignIn { .. } if is_api(path) => Self::NoSession,
            Self::InstructorsOnly { .. } => Self::InstructorsOnly { api: is_api(path) },
            other => other,
        }
    }

    pub(crate) fn unavailable(err: impl std::error::Error + 'static) -> Self {
        tracing::error!(error = &err as &dyn std::error::Error, "the store did not answer a guard");
        Self::Unavailable
    }

    /// Stable word for the machine-readable answer.
    pub fn code(&self) -> &'static str {
        match self {
            Self::SignIn { .. } | Self::NoSession => "sign_in_needed",
            Self::InstructorsOnly { .. } => "instructors_only",
            Self::BadToken => "bad_token",
            Self::TokenExpired { .. } => "token_expired",
            Self::Scope { .. } => "scope_missing",
            Self::CrossSite | Self::CrossSiteApi => "cross_site",
            Self::Limited(_) => "too_many_requests",
            Self::Unavailable => "unavailable",
        }
    }

    pub fn status(&self) -> StatusCode {
        match self {
            Self::SignIn { .. } => StatusCode::SEE_OTHER,
            Self::NoSession | Self::BadToken | Self::TokenExpired { .. } => StatusCode::UNAUTHORIZED,
            Self::InstructorsOnly { .. } | Self::Scope { .. } | Self::CrossSite | Self::CrossSiteApi => {
                StatusCode::FORBIDDEN
            }
            Self::Limited(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn is_page(&self) -> bool {
        matches!(self, Self::SignIn { .. } | Self::InstructorsOnly { api: false } | Self::CrossSite)
    }
}

pub(crate) fn is_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

impl IntoResponse for AuthRejection {
    fn into_response(self) -> Response {
        let mut response = match &self {
            Self::SignIn { next } => Redirect::to(&sign_in_url(next)).into_response(),
            page if page.is_page() => page.status().into_response(),
            api => problem(api),
        };
        match &self {
            Self::BadToken | Self::TokenExpired { .. } => {
                let challenge = HeaderValue::from_static("Bearer realm=\"vramlab\"");
                response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            }
            Self::Limited(limited) => {
                response.headers_mut().insert(header::RETRY_AFTER, limited.retry_after_s().into());
            }
            _ => {}
        }
        response.extensions_mut().insert(self);
        response
    }
}

fn problem(rejection: &AuthRejection) -> Response {
    let detail = match rejection {
        AuthRejection::SignIn { .. } | AuthRejection::NoSession | AuthRejection::BadToken => {
            return Problem::unauthorized().into_response();
        }
        AuthRejection::TokenExpired { at } => {
            let detail = format!(
                "this runner's token ended at {}; register the runner again on the class page and put the new token into \
                 its token file",
                at.rfc3339().unwrap_or_default()
            );
            return Problem::new(rejection.status(), detail).of_kind(protocol::TOKEN_EXPIRED).into_response();
        }
        AuthRejection::InstructorsOnly { .. } => "this is for instructors".to_owned(),
        AuthRejection::Scope { needed } => format!("the token lacks the scope {needed}"),
        AuthRejection::CrossSite | AuthRejection::CrossSiteApi => {
            "a change must come from a page of this site, or carry a token: Authorization: Bearer …".to_owned()
        }
        AuthRejection::Limited(limited) => {
            format!("too many requests; try again in {} s", limited.retry_after_s())
        }
        AuthRejection::Unavailable => "the server could not look you up; try again".to_owned(),
    };
    Problem::new(rejection.status(), detail).into_response()
}

/// The sign-in page in the language of the page that was asked for.
fn sign_in_url(next: &str) -> String {
    let language = if next == "/en" || next.starts_with("/en/") { "en" } else { "zh" };
    let mut encoded = String::with_capacity(next.len());
    for byte in next.bytes() {
        use std::fmt::Write;
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => encoded.push(byte.into()),
            // Writing to a String cannot fail.
            _ => drop(std::write!(encoded, "%{byte:02X}")),
        }
    }
    format!("/{language}/sign-in?next={encoded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_in_comes_back_to_the_page() {
        for (next, expected) in [
            ("/en/reports", "/en/sign-in?next=/en/reports"),
            ("/zh/reports?lab=76&x=显", "/zh/sign-in?next=/zh/reports%3Flab%3D76%26x%3D%E6%98%BE"),
            ("/teach", "/zh/sign-in?next=/teach"),
            ("/english", "/zh/sign-in?next=/english"),
        ] {
            assert_eq!(sign_in_url(next), expected);
        }
    }

    #[test]
    fn pages_and_api_answer_differently() {
        let page = AuthRejection::SignIn { next: "/en/reports".into() };
        for (rejection, path, status) in [
            (page.clone(), "/en/reports", StatusCode::SEE_OTHER),
            (page, "/api/v1/reports", StatusCode::UNAUTHORIZED),
            (AuthRejection::BadToken, "/api/v1/reports", StatusCode::UNAUTHORIZED),
            (AuthRejection::CrossSite, "/api/v1/reports", StatusCode::FORBIDDEN),
            (AuthRejection::CrossSite, "/en/sign-in", StatusCode::FORBIDDEN),
            (AuthRejection::InstructorsOnly { api: false }, "/api/v1/classes", StatusCode::FORBIDDEN),
        ] {
            let response = rejection.for_path(path).into_response();
            assert_eq!(response.status(), status, "{path}");
            let json = response.headers().get(header::CONTENT_TYPE).is_some_and(|t| t == "application/problem+json");
            assert_eq!(json, is_api(path), "{path}");
            assert!(response.extensions().get::<AuthRejection>().is_some());
        }
    }
}
