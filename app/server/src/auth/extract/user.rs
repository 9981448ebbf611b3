use axum::{
    extract::{FromRef, FromRequestParts, OriginalUri},
    http::request::Parts,
};
use tower_sessions::Session;

use super::AuthRejection;
use crate::{
    auth::{Auth, session},
    store::{
        Role, User, Viewer, classes,
        sessions::{self, SessionKey},
        users,
    },
};

/// Whoever is signed in in this browser.
#[derive(Clone, Debug)]
pub struct CurrentUser {
    pub user: User,
    /// This session's name in the user's list.
    pub session: SessionKey,
    /// Helps to teach a class, whatever the account is.
    pub assists: bool,
}

impl CurrentUser {
    pub fn viewer(&self) -> Viewer {
        self.user.viewer()
    }
}

impl std::ops::Deref for CurrentUser {
    type Target = User;
    fn deref(&self) -> &User {
        &self.user
    }
}

/// A page that everybody may read, and that knows its reader.
#[derive(Clone, Debug)]
pub struct MaybeUser(pub Option<CurrentUser>);

/// A signed-in instructor.
#[derive(Clone, Debug)]
pub struct Instructor(pub CurrentUser);

/// Somebody signed in who teaches, or assists some class. What they may do in which class is the store's to say.
#[derive(Clone, Debug)]
pub struct Staff(pub CurrentUser);

impl std::ops::Deref for Staff {
    type Target = CurrentUser;
    fn deref(&self) -> &CurrentUser {
        &self.0
    }
}

impl std::ops::Deref for Instructor {
    type Target = CurrentUser;
    fn deref(&self) -> &CurrentUser {
        &self.0
    }
}

async fn find(parts: &Parts, auth: &Auth) -> Result<Option<CurrentUser>, AuthRejection> {
    // Routes outside the session layer know nobody.
    let Some(session) = parts.extensions.get::<Session>() else { return Ok(None) };
    let Some((id, epoch, key)) = session::holder(session).await.map_err(AuthRejection::unavailable)? else {
        return Ok(None);
    };
    let user = users::for_sign_in(&auth.store, id).await.map_err(AuthRejection::unavailable)?;
    // An older epoch: the password was changed since, so this sign-in is void.
    let Some(user) = user.filter(|user| user.auth_epoch == epoch) else {
        session::end(session).await.map_err(AuthRejection::unavailable)?;
        return Ok(None);
    };
    sessions::touch(&auth.store, &key).await.map_err(AuthRejection::unavailable)?;
    let assists = user.role == Role::Learner
        && classes::assists(&auth.store, user.id).await.map_err(AuthRejection::unavailable)?;
    Ok(Some(CurrentUser { user, session: key, assists }))
}

impl<S> FromRequestParts<S> for MaybeUser
where
    Auth: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = AuthRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthRejection> {
        // Layout, middleware and handler may all ask; the store is asked once.
        if let Some(found) = parts.extensions.get::<MaybeUser>() {
            return Ok(found.clone());
        }
        let found = MaybeUser(find(parts, &Auth::from_ref(state)).await?);
        parts.extensions.insert(found.clone());
        Ok(found)
    }
}

impl<S> FromRequestParts<S> for CurrentUser
where
    Auth: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = AuthRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthRejection> {
        let MaybeUser(user) = MaybeUser::from_request_parts(parts, state).await?;
        user.ok_or_else(|| {
            let uri = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |uri| &uri.0);
            // After a form, the page to come back to is the one that shows it; the form's own path has none.
            let next = match (parts.method.is_safe(), uri.path_and_query()) {
                (true, Some(next)) => next.to_string(),
                _ => uri.path().to_owned(),
            };
            AuthRejection::SignIn { next }.for_path(uri.path())
        })
    }
}

impl<S> FromRequestParts<S> for Instructor
where
    Auth: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = AuthRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthRejection> {
        let user = CurrentUser::from_request_parts(parts, state).await?;
        if user.role == Role::Instructor {
            return Ok(Self(user));
        }
        Err(instructors_only(parts))
    }
}

fn instructors_only(parts: &Parts) -> AuthRejection {
    let uri = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |uri| &uri.0);
    AuthRejection::InstructorsOnly { api: false }.for_path(uri.path())
}

impl<S> FromRequestParts<S> for Staff
where
    Auth: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = AuthRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthRejection> {
        let user = CurrentUser::from_request_parts(parts, state).await?;
        if user.role == Role::Instructor || user.assists { Ok(Self(user)) } else { Err(instructors_only(parts)) }
    }
}
