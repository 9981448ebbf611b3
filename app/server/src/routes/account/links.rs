//! One-time links: the set-up of the first instructor, the reset of a password.
//!
//! The token is part of the address. It is never logged, the pages do not repeat it, and [`super::answer::guard_secret`]
//! keeps it out of caches and `Referer`.

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use evidence::Lang;
use leptos::prelude::*;
use serde::Deserialize;
use tower_sessions::Session;
use ui::pages::account::{LinkEnded, ResetPage, SetUpPage};
use ui::shell::Section;

use super::answer::{Answer, Trouble};
use super::{sign_up, words};
use crate::auth::accounts::{self, NewAccount};
use crate::auth::{AuthRejection, ClientIp};
use crate::http::{AppState, Reader};
use crate::store::{LinkPurpose, links};

#[derive(Deserialize)]
pub struct Chosen {
    lang: Option<String>,
}

/// The language that the page's own switch chose, before the browser's.
fn speak(mut reader: Reader, chosen: &Chosen) -> Reader {
    if let Some(lang) = chosen.lang.as_deref().and_then(Lang::from_code) {
        reader.lang = lang;
    }
    reader
}

pub async fn show_setup(
    State(app): State<AppState>,
    reader: Reader,
    ip: ClientIp,
    Path(token): Path<String>,
    Query(chosen): Query<Chosen>,
) -> Answer {
    let reader = speak(reader, &chosen);
    if let Err(limited) = app.auth.limits.codes(ip) {
        return Ok(AuthRejection::Limited(limited).into_response());
    }
    if !links::is_valid(&app.store, &token, LinkPurpose::Setup).await? {
        return Ok(ended(&app, &reader, true));
    }
    Ok(setup_page(&app, &reader, String::new(), String::new(), Trouble::none()))
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Person {
    login: String,
    display_name: String,
    password: String,
}

// The extractors are what the answer depends on; a struct of them would only rename them.
#[allow(clippy::too_many_arguments)]
pub async fn set_up(
    State(app): State<AppState>,
    reader: Reader,
    ip: ClientIp,
    Path(token): Path<String>,
    Query(chosen): Query<Chosen>,
    session: Session,
    headers: HeaderMap,
    Form(typed): Form<Person>,
) -> Answer {
    let reader = speak(reader, &chosen);
    let lang = reader.lang;
    let account = NewAccount { login: &typed.login, display_name: &typed.display_name, password: &typed.password };
    let trouble = match app.auth.limits.codes(ip) {
        Err(limited) => Trouble::limited(&limited, lang),
        Ok(()) => match accounts::set_up(&app.auth, &token, account).await {
            Ok(user) => {
                sign_up::enter(&app, user, &session, &headers).await?;
                return Ok(Redirect::to(&format!("/{}/class", lang.code())).into_response());
            }
            Err(error) => match words::link_use(error, lang)? {
                Some(trouble) => trouble,
                None => return Ok(ended(&app, &reader, true)),
            },
        },
    };
    Ok(setup_page(&app, &reader, typed.login, typed.display_name, trouble))
}

fn setup_page(app: &AppState, reader: &Reader, login: String, display_name: String, trouble: Trouble) -> Response {
    let (lang, problems) = (reader.lang, trouble.problems.clone());
    trouble.page(app, reader, lang.pick("创建教师", "Create the instructor"), move || {
        view! { <SetUpPage lang login display_name problems /> }
    })
}

pub async fn show_reset(
    State(app): State<AppState>,
    reader: Reader,
    ip: ClientIp,
    Path(token): Path<String>,
    Query(chosen): Query<Chosen>,
) -> Answer {
    let reader = speak(reader, &chosen);
    if let Err(limited) = app.auth.limits.codes(ip) {
        return Ok(AuthRejection::Limited(limited).into_response());
    }
    reset_page(&app, &reader, &token, Trouble::none()).await
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct NewPassword {
    password: String,
}

pub async fn reset(
    State(app): State<AppState>,
    reader: Reader,
    ip: ClientIp,
    Path(token): Path<String>,
    Query(chosen): Query<Chosen>,
    Form(typed): Form<NewPassword>,
) -> Answer {
    let reader = speak(reader, &chosen);
    let lang = reader.lang;
    let trouble = match app.auth.limits.codes(ip) {
        Err(limited) => Trouble::limited(&limited, lang),
        Ok(()) => match accounts::reset_password(&app.auth, &token, &typed.password).await {
            // Not signed in by the link: whoever set the password shows that they know it.
            Ok(_) => return Ok(Redirect::to(&format!("/{}/sign-in?done=reset", lang.code())).into_response()),
            Err(error) => match words::link_use(error, lang)? {
                Some(trouble) => trouble,
                None => return Ok(ended(&app, &reader, false)),
            },
        },
    };
    reset_page(&app, &reader, &token, trouble).await
}

async fn reset_page(app: &AppState, reader: &Reader, token: &str, trouble: Trouble) -> Answer {
    let Some(login) = links::login_of_reset(&app.store, token).await? else {
        return Ok(ended(app, reader, false));
    };
    let (lang, problems) = (reader.lang, trouble.problems.clone());
    Ok(trouble.page(app, reader, lang.pick("设置新密码", "Set a new password"), move || {
        view! { <ResetPage lang login problems /> }
    }))
}

fn ended(app: &AppState, reader: &Reader, setup: bool) -> Response {
    let lang = reader.lang;
    let title = lang.pick("链接已失效", "Link not valid");
    reader.page_with(app, StatusCode::GONE, Section::Account, title, [], move || {
        view! { <LinkEnded lang setup /> }
    })
}
