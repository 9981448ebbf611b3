//! Changing one's own password.

use axum::Form;
use axum::extract::State;
use axum::http::HeaderMap;
use serde::Deserialize;
use tower_sessions::Session;
use ui::pages::account::Forms;

use super::answer::{Answer, Trouble};
use super::{own, words};
use crate::auth::accounts::{self, ChangePasswordError};
use crate::auth::{ClientIp, CurrentUser, session};
use crate::http::{AppState, Reader};

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Typed {
    old: String,
    new: String,
    /// A ticked box.
    revoke_tokens: Option<String>,
}

pub async fn change(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    ip: ClientIp,
    session: Session,
    headers: HeaderMap,
    Form(typed): Form<Typed>,
) -> Answer {
    let lang = reader.lang;
    // The old password can be guessed at here as it can at sign-in, so both count together.
    let trouble = match app.auth.limits.sign_in(ip, &user.login) {
        Err(limited) => Trouble::limited(&limited, lang),
        Ok(attempt) => {
            let revoke = typed.revoke_tokens.is_some();
            let changed = accounts::change_password(&app.auth, &user, &typed.old, &typed.new, revoke).await;
            if !matches!(changed, Err(ChangePasswordError::OldWrong)) {
                app.auth.limits.forgive(attempt);
            }
            match changed {
                Ok(changed) => {
                    session::start(&session, &changed, &headers).await?;
                    return Ok(own::done(&reader, "password", "password"));
                }
                Err(error) => words::change_password(error, lang)?,
            }
        }
    };
    let forms = Forms { password: trouble.problems.clone(), ..own::forms() };
    own::page(&app, &user, &reader, None, forms, trouble).await
}
