use axum::{
    extract::{FromRef, FromRequestParts},
    http::request::Parts,
};

use super::{AuthRejection, bearer, token::refused};
use crate::{
    auth::Auth,
    store::runners::{self, Runner},
};

/// The runner that the bearer token belongs to.
#[derive(Clone, Debug)]
pub struct RunnerAuth(pub Runner);

impl<S> FromRequestParts<S> for RunnerAuth
where
    Auth: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = AuthRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthRejection> {
        let auth = Auth::from_ref(state);
        let token = bearer(&parts.headers).filter(|t| t.starts_with(runners::PREFIX)).map(str::to_owned);
        let Some(token) = token else { return Err(refused(parts, state, AuthRejection::BadToken).await) };
        if let Some(runner) = runners::authenticate(&auth.store, &token).await.map_err(AuthRejection::unavailable)? {
            return Ok(Self(runner));
        }
        let end = runners::expired(&auth.store, &token).await.map_err(AuthRejection::unavailable)?;
        let why = end.map_or(AuthRejection::BadToken, |at| AuthRejection::TokenExpired { at });
        Err(refused(parts, state, why).await)
    }
}
