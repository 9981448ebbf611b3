//! Registering and revoking the machines that run labs.

use axum::Form;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect};
use leptos::prelude::*;
use serde::Deserialize;
use serde_json::json;
use ui::pages::class::{ClassForms, RunnerLine, RunnerTokenPage};

use super::list::{self, Named};
use crate::auth::Instructor;
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Failure, Trouble, iso, unstored};
use crate::store::audit::{self, AuditAction};
use crate::store::{RunnerId, StoreError, clean_name, runners};

pub async fn lines(app: &AppState, user: &Instructor) -> Result<Vec<RunnerLine>, StoreError> {
    let rows = runners::list(&app.store, user.viewer()).await?;
    let line = |runner: runners::Runner| RunnerLine {
        id: runner.id.to_string(),
        name: runner.name,
        bound: runner.public_key.is_some(),
        created: iso(runner.created_ms),
        last_seen: runner.last_seen_ms.map(iso),
        revoked: runner.revoked_ms.is_some(),
    };
    Ok(rows.into_iter().map(line).collect())
}

pub async fn register(
    State(app): State<AppState>,
    user: Instructor,
    reader: Reader,
    Form(typed): Form<Named>,
) -> Answer {
    let lang = reader.lang;
    let Some(name) = clean_name(&typed.name, runners::NAME_MAX) else {
        let text = lang.pick(
            "给 runner 起个名字，至少有一个字母、汉字或数字。",
            "Give the runner a name with a letter or digit in it.",
        );
        let trouble = Trouble::field("name", text);
        let forms = ClassForms { runner: typed.name, runners: trouble.problems.clone(), ..ClassForms::default() };
        return list::page(&app, &user, &reader, None, forms, trouble).await;
    };
    let made = runners::register(&app.store, &name, Some(user.id)).await?;
    let (subject, detail) = (made.id.to_string(), json!({ "name": name }));
    audit::record(&app.store, user.id, None, AuditAction::RunnerRegistered, &subject, &detail).await?;
    let (token, origin) = (made.token.reveal().to_owned(), app.config.origin.clone());
    let title = lang.pick("新 runner", "New runner");
    Ok(unstored(Trouble::none().page(&app, &reader, title, move || {
        view! { <RunnerTokenPage lang name token origin /> }
    })))
}

#[derive(Deserialize)]
pub struct Which {
    id: String,
}

pub async fn revoke(State(app): State<AppState>, user: Instructor, reader: Reader, Form(which): Form<Which>) -> Answer {
    let id: RunnerId = which.id.parse().map_err(|_| Failure::NotFound)?;
    if !runners::revoke(&app.store, user.viewer(), id).await? {
        return Err(Failure::NotFound);
    }
    audit::record(&app.store, user.id, None, AuditAction::RunnerRevoked, &id.to_string(), &json!({})).await?;
    Ok(Redirect::to(&format!("/{}/class?done=revoked#runners", reader.lang.code())).into_response())
}
