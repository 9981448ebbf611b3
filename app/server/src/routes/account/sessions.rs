//! Ending one's own sign-ins.

use axum::Form;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect};
use serde::Deserialize;
use tower_sessions::Session;

use super::answer::{Answer, Failure};
use super::own;
use crate::auth::{CurrentUser, session};
use crate::http::{AppState, Reader};
use crate::store::sessions::{self, SessionKey};

#[derive(Deserialize)]
pub struct Which {
    key: String,
}

pub async fn end(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    session: Session,
    Form(which): Form<Which>,
) -> Answer {
    let key: SessionKey = which.key.parse().map_err(|_| Failure::NotFound)?;
    if key == user.session {
        session::end(&session).await?;
        return Ok(Redirect::to(&format!("/{}/", reader.lang.code())).into_response());
    }
    if !sessions::end(&app.store, user.id, &key).await? {
        return Err(Failure::NotFound);
    }
    Ok(own::done(&reader, "session", "sessions"))
}

pub async fn end_others(State(app): State<AppState>, user: CurrentUser, reader: Reader) -> Answer {
    sessions::end_others(&app.store, user.id, &user.session).await?;
    Ok(own::done(&reader, "sessions", "sessions"))
}
