//! The account page, and joining another class.

use axum::Form;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use evidence::Lang;
use leptos::prelude::*;
use serde::Deserialize;
use ui::pages::account::{AccountPage, ClassName, Forms, Own, SessionLine, TokenLine};

use super::answer::{Answer, Trouble, iso};
use super::{tokens, words};
use crate::auth::{ClientIp, CurrentUser};
use crate::http::{AppState, Reader};
use crate::store::classes::{self, JoinCode, JoinError};
use crate::store::{Role, StoreError, api_tokens, sessions};

#[derive(Deserialize)]
pub struct Arrival {
    #[serde(default)]
    code: String,
    done: Option<String>,
}

pub async fn show(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    Query(arrival): Query<Arrival>,
) -> Answer {
    let notice = arrival.done.as_deref().and_then(|done| notice(done, reader.lang));
    let forms = Forms { code: arrival.code, ..forms() };
    page(&app, &user, &reader, notice, forms, Trouble::none()).await
}

/// What just happened, by a word of ours in the address.
fn notice(done: &str, lang: Lang) -> Option<&'static str> {
    Some(match done {
        "joined" => lang.pick("已加入班级。", "You are in the class now."),
        "password" => lang.pick(
            "密码已修改；其他设备上的登录都已结束。",
            "The password is changed; every other device is signed out.",
        ),
        "session" => lang.pick("那一处登录已结束。", "That device is signed out."),
        "sessions" => lang.pick("其他登录都已结束。", "All other devices are signed out."),
        "revoked" => lang.pick("令牌已吊销。", "The token is revoked."),
        _ => return None,
    })
}

/// The page's forms before anybody typed.
pub fn forms() -> Forms {
    Forms { token: tokens::fresh(), ..Forms::default() }
}

/// The account page, with one form's trouble in it.
pub async fn page(
    app: &AppState,
    user: &CurrentUser,
    reader: &Reader,
    notice: Option<&'static str>,
    forms: Forms,
    trouble: Trouble,
) -> Answer {
    let own = read(app, user).await?;
    let mut reader = reader.clone();
    "/account".clone_into(&mut reader.path);
    let lang = reader.lang;
    Ok(trouble.page(app, &reader, lang.pick("我的账号", "My account"), move || {
        view! { <AccountPage lang own notice forms /> }
    }))
}

async fn read(app: &AppState, user: &CurrentUser) -> Result<Own, StoreError> {
    let instructor = user.role == Role::Instructor;
    let mut list: Vec<ClassName> = classes::of_learner(&app.store, user.id)
        .await?
        .into_iter()
        .map(|class| ClassName { name: class.name, taught: None, since: iso(class.joined_ms) })
        .collect();
    for class in classes::taught(&app.store, user.viewer()).await? {
        let taught = Some(class.id.to_string());
        list.push(ClassName { name: class.name, taught, since: iso(class.created_ms) });
    }
    let sessions = sessions::list(&app.store, user.id)
        .await?
        .into_iter()
        .map(|session| SessionLine {
            here: session.key == user.session,
            key: session.key.as_str().to_owned(),
            user_agent: session.user_agent,
            created: iso(session.created_ms),
            last_seen: iso(session.last_seen_ms),
        })
        .collect();
    let tokens = api_tokens::list(&app.store, user.id)
        .await?
        .into_iter()
        .map(|token| TokenLine {
            id: token.id.to_string(),
            name: token.name,
            prefix: token.prefix,
            scopes: token.scopes.to_string(),
            created: iso(token.created_ms),
            last_used: token.last_used_ms.map(iso),
        })
        .collect();
    Ok(Own {
        login: user.login.clone(),
        display_name: user.display_name.clone(),
        instructor,
        classes: list,
        sessions,
        tokens,
    })
}

/// The address of a form, opened as a page.
pub async fn back(reader: Reader) -> Redirect {
    Redirect::to(&format!("/{}/account", reader.lang.code()))
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Code {
    code: String,
}

/// Joins another class; doing it twice changes nothing.
pub async fn join(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    ip: ClientIp,
    Form(typed): Form<Code>,
) -> Answer {
    let lang = reader.lang;
    let trouble = match app.auth.limits.codes(ip) {
        Err(limited) => Trouble::limited(&limited, lang),
        Ok(()) => match enter(&app, &user, &typed.code).await {
            Ok(()) => return Ok(done(&reader, "joined", "classes")),
            Err(JoinError::Store(error)) => return Err(error.into()),
            // An account that exists cannot collide with a login name.
            Err(JoinError::Code | JoinError::LoginTaken) => words::code(lang),
        },
    };
    let forms = Forms { code: typed.code, join: trouble.problems.clone(), ..forms() };
    page(&app, &user, &reader, None, forms, trouble).await
}

async fn enter(app: &AppState, user: &CurrentUser, code: &str) -> Result<(), JoinError> {
    let code = JoinCode::parse(code).ok_or(JoinError::Code)?;
    classes::join(&app.store, &code, user.id).await.map(drop)
}

/// Back to the account page, at the part that changed.
pub fn done(reader: &Reader, what: &str, part: &str) -> Response {
    Redirect::to(&format!("/{}/account?done={what}#{part}", reader.lang.code())).into_response()
}
