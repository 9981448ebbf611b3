//! Signing up with the code of a class.

use axum::Form;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use leptos::prelude::*;
use serde::Deserialize;
use tower_sessions::Session;
use ui::pages::account::{SignUpPage, SignUpTyped};

use super::answer::{Answer, Failure, Trouble};
use super::words;
use crate::auth::accounts::{self, NewAccount};
use crate::auth::{ClientIp, session};
use crate::http::{AppState, Reader};
use crate::store::classes::JoinCode;
use crate::store::{UserId, users};

#[derive(Deserialize)]
pub struct Prefilled {
    #[serde(default)]
    code: String,
}

pub async fn show(State(app): State<AppState>, reader: Reader, Query(prefilled): Query<Prefilled>) -> Response {
    let code = JoinCode::parse(&prefilled.code).map(|code| code.to_string()).unwrap_or_default();
    if reader.user.is_some() {
        // Who has an account joins with it.
        return Redirect::to(&format!("/{}/account?code={code}#classes", reader.lang.code())).into_response();
    }
    page(&app, &reader, SignUpTyped { code, ..SignUpTyped::default() }, Trouble::none())
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Typed {
    code: String,
    login: String,
    display_name: String,
    password: String,
}

pub async fn sign_up(
    State(app): State<AppState>,
    mut reader: Reader,
    ip: ClientIp,
    session: Session,
    headers: HeaderMap,
    Form(typed): Form<Typed>,
) -> Answer {
    "/sign-up".clone_into(&mut reader.path);
    let lang = reader.lang;
    let account = NewAccount { login: &typed.login, display_name: &typed.display_name, password: &typed.password };
    let trouble = match app.auth.limits.codes(ip) {
        Err(limited) => Trouble::limited(&limited, lang),
        Ok(()) => match accounts::sign_up(&app.auth, &typed.code, account).await {
            Ok((user, _)) => {
                enter(&app, user, &session, &headers).await?;
                return Ok(Redirect::to(&format!("/{}/", lang.code())).into_response());
            }
            Err(error) => words::sign_up(error, lang)?,
        },
    };
    let typed = SignUpTyped { code: typed.code, login: typed.login, display_name: typed.display_name };
    Ok(page(&app, &reader, typed, trouble))
}

/// Signs a new account in.
pub async fn enter(app: &AppState, user: UserId, session: &Session, headers: &HeaderMap) -> Result<(), Failure> {
    let user = users::for_sign_in(&app.store, user).await?.ok_or(Failure::NotFound)?;
    Ok(session::start(session, &user, headers).await?)
}

fn page(app: &AppState, reader: &Reader, typed: SignUpTyped, trouble: Trouble) -> Response {
    let (lang, problems) = (reader.lang, trouble.problems.clone());
    trouble.page(app, reader, lang.pick("注册", "Sign up"), move || {
        view! { <SignUpPage lang typed problems /> }
    })
}
