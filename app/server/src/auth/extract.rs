//! Extractors: a handler's signature says who may call it.

use axum::http::{HeaderMap, header};

mod rejection;
mod runner;
mod token;
mod user;

pub use rejection::AuthRejection;
pub use runner::RunnerAuth;
pub use token::TokenUser;
pub use user::{CurrentUser, Instructor, MaybeUser, Staff};

/// The token of `Authorization: Bearer …`.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
