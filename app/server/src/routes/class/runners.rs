//! Registering and revoking the machines that run labs.

use axum::Form;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect};
use evidence::Lang;
use leptos::prelude::*;
use serde::Deserialize;
use serde_json::json;
use ui::pages::class::{ClassForms, End, LifetimeChoice, RunnerLine, RunnerTokenPage};

use super::list;
use crate::auth::Instructor;
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Failure, Trouble, iso, unstored};
use crate::store::audit::{self, AuditAction};
use crate::store::runners::{DAY, Lifetime};
use crate::store::{RunnerId, StoreError, UtcMs, clean_name, runners};

pub async fn lines(app: &AppState, user: &Instructor) -> Result<Vec<RunnerLine>, StoreError> {
    let rows = runners::list(&app.store, user.viewer()).await?;
    let now = app.store.now();
    let line = |runner: runners::Runner| RunnerLine {
        end: runner.expires_ms.map_or(End::Never, |at| end(at, now)),
        id: runner.id.to_string(),
        name: runner.name,
        bound: runner.public_key.is_some(),
        created: iso(runner.created_ms),
        last_seen: runner.last_seen_ms.map(iso),
        revoked: runner.revoked_ms.is_some(),
    };
    Ok(rows.into_iter().map(line).collect())
}

fn end(at: UtcMs, now: UtcMs) -> End {
    let left = at.0.saturating_sub(now.0);
    if left <= 0 {
        return End::Over { iso: iso(at) };
    }
    let day = i64::try_from(DAY.as_millis()).unwrap_or(i64::MAX);
    End::In { iso: iso(at), days: left / day }
}

/// What the form of a new runner offers, with one of them chosen.
pub fn choices(chosen: Lifetime) -> Vec<LifetimeChoice> {
    let choice = |lifetime: Lifetime| LifetimeChoice { days: lifetime.days(), chosen: lifetime == chosen };
    Lifetime::ALL.map(choice).into()
}

#[derive(Deserialize)]
pub struct NewRunner {
    name: String,
    /// As text: what is no lifetime is told beside the field.
    days: Option<String>,
}

impl NewRunner {
    fn lifetime(&self) -> Option<Lifetime> {
        let Some(days) = &self.days else { return Some(Lifetime::default()) };
        Lifetime::of_days(days.parse().ok()?)
    }
}

pub async fn register(
    State(app): State<AppState>,
    user: Instructor,
    reader: Reader,
    Form(typed): Form<NewRunner>,
) -> Answer {
    let lang = reader.lang;
    let Some(lifetime) = typed.lifetime() else {
        let known = Lifetime::ALL.map(|lifetime| lifetime.days().to_string());
        let text = match lang {
            Lang::Zh => format!("从 {} 天中选一个。", known.join("、")),
            Lang::En => format!("Choose one of {} days.", known.join(", ")),
        };
        let trouble = Trouble::field("days", text);
        let forms = ClassForms { runner: typed.name, runners: trouble.problems.clone(), ..ClassForms::default() };
        return list::page(&app, &user, &reader, None, forms, trouble).await;
    };
    let Some(name) = clean_name(&typed.name, runners::NAME_MAX) else {
        let text = lang.pick(
            "给 runner 起个名字，至少有一个字母、汉字或数字。",
            "Give the runner a name with a letter or digit in it.",
        );
        let trouble = Trouble::field("name", text);
        let forms = ClassForms {
            runner: typed.name,
            lifetimes: choices(lifetime),
            runners: trouble.problems.clone(),
            ..ClassForms::default()
        };
        return list::page(&app, &user, &reader, None, forms, trouble).await;
    };
    let made = runners::register_for(&app.store, &name, Some(user.id), lifetime).await?;
    let (subject, detail) = (made.id.to_string(), json!({ "name": name, "days": lifetime.days() }));
    audit::record(&app.store, user.id, None, AuditAction::RunnerRegistered, &subject, &detail).await?;
    let (token, origin) = (made.token.reveal().to_owned(), app.config.origin.clone());
    let until = iso(made.expires_ms);
    let title = lang.pick("新 runner", "New runner");
    Ok(unstored(Trouble::none().page(&app, &reader, title, move || {
        view! { <RunnerTokenPage lang name token until origin /> }
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
