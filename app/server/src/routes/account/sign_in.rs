//! Signing in and out.

use axum::Form;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use leptos::prelude::*;
use serde::Deserialize;
use tower_sessions::Session;
use ui::pages::account::SignInPage;

use super::answer::{Answer, Trouble};
use super::words;
use crate::auth::accounts::{self, SignInError};
use crate::auth::{ClientIp, session};
use crate::http::{AppState, Reader};

#[derive(Deserialize)]
pub struct Arrival {
    #[serde(default)]
    next: String,
    done: Option<String>,
}

pub async fn show(State(app): State<AppState>, reader: Reader, Query(arrival): Query<Arrival>) -> Response {
    let next = onward(&arrival.next, &reader);
    if reader.user.is_some() {
        return Redirect::to(&next).into_response();
    }
    let notice = (arrival.done.as_deref() == Some("reset"))
        .then(|| reader.lang.pick("新密码已设置，请用它登录。", "The new password is set. Sign in with it."));
    page(&app, &reader, String::new(), next, notice, Trouble::none())
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Typed {
    login: String,
    password: String,
    next: String,
}

pub async fn sign_in(
    State(app): State<AppState>,
    mut reader: Reader,
    ip: ClientIp,
    session: Session,
    headers: HeaderMap,
    Form(typed): Form<Typed>,
) -> Answer {
    "/sign-in".clone_into(&mut reader.path);
    let (lang, next) = (reader.lang, onward(&typed.next, &reader));
    let attempt = match app.auth.limits.sign_in(ip, &typed.login) {
        Ok(attempt) => attempt,
        Err(limited) => {
            return Ok(page(&app, &reader, typed.login, next, None, Trouble::limited(&limited, lang)));
        }
    };
    let signed_in = accounts::sign_in(&app.auth, &typed.login, &typed.password).await;
    if !matches!(signed_in, Err(SignInError::Refused)) {
        app.auth.limits.forgive(attempt);
    }
    let trouble = match signed_in {
        Ok(user) => {
            session::start(&session, &user, &headers).await?;
            return Ok(Redirect::to(&next).into_response());
        }
        // One answer for both, so that nobody learns which login names exist.
        Err(SignInError::Refused) => {
            Trouble::field("", lang.pick("登录名与密码不匹配。", "Login name and password do not belong together."))
        }
        Err(SignInError::Hash(error)) => words::hash(error, lang)?,
        Err(SignInError::Store(error)) => return Err(error.into()),
    };
    Ok(page(&app, &reader, typed.login, next, None, trouble))
}

pub async fn sign_out(reader: Reader, session: Session) -> Answer {
    session::end(&session).await?;
    Ok(Redirect::to(&format!("/{}/", reader.lang.code())).into_response())
}

/// Where the reader goes on: the page that asked for the sign-in, or the course.
fn onward(next: &str, reader: &Reader) -> String {
    match session::return_path(next) {
        None | Some("/") => format!("/{}/", reader.lang.code()),
        Some(path) => path.to_owned(),
    }
}

fn page(
    app: &AppState,
    reader: &Reader,
    login: String,
    next: String,
    notice: Option<&'static str>,
    trouble: Trouble,
) -> Response {
    let (lang, problems) = (reader.lang, trouble.problems.clone());
    trouble.page(app, reader, lang.pick("登录", "Sign in"), move || {
        view! { <SignInPage lang login next notice problems /> }
    })
}
