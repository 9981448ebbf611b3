use axum::{
    extract::{FromRef, FromRequestParts},
    http::request::Parts,
};

use super::{AuthRejection, bearer};
use crate::{
    auth::{Auth, ClientIp},
    store::{
        ApiTokenId, User, Viewer,
        api_tokens::{self, Scope, Scopes},
        users,
    },
};

/// Whoever the API token speaks for.
#[derive(Clone, Debug)]
pub struct TokenUser {
    pub user: User,
    pub scopes: Scopes,
    pub token: ApiTokenId,
}

impl TokenUser {
    pub fn viewer(&self) -> Viewer {
        self.user.viewer()
    }

    pub fn require(&self, needed: Scope) -> Result<(), AuthRejection> {
        if self.scopes.has(needed) { Ok(()) } else { Err(AuthRejection::Scope { needed }) }
    }
}

/// `why`, or that there were too many of them: guessing is hopeless at 256 bits; the limit keeps a misconfigured script from
/// hammering the store.
pub(super) async fn refused<S>(parts: &mut Parts, state: &S, why: AuthRejection) -> AuthRejection
where
    Auth: FromRef<S>,
    S: Send + Sync,
{
    match ClientIp::from_request_parts(parts, state).await {
        Ok(ip) => match Auth::from_ref(state).limits.bad_token(ip) {
            Ok(()) => why,
            Err(limited) => AuthRejection::Limited(limited),
        },
        Err(_) => why,
    }
}

impl<S> FromRequestParts<S> for TokenUser
where
    Auth: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = AuthRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthRejection> {
        let auth = Auth::from_ref(state);
        let token = bearer(&parts.headers).filter(|t| t.starts_with(api_tokens::PREFIX)).map(str::to_owned);
        let holder = match token {
            Some(token) => api_tokens::authenticate(&auth.store, &token).await.map_err(AuthRejection::unavailable)?,
            None => None,
        };
        let Some(holder) = holder else { return Err(refused(parts, state, AuthRejection::BadToken).await) };
        let user = users::for_sign_in(&auth.store, holder.user).await.map_err(AuthRejection::unavailable)?;
        let user = user.ok_or(AuthRejection::BadToken)?;
        Ok(Self { user, scopes: holder.scopes, token: holder.token })
    }
}
