//! All classes of an instructor, and making one.

use axum::Form;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect};
use evidence::Lang;
use leptos::prelude::*;
use serde::Deserialize;
use serde_json::json;
use ui::pages::class::{ClassCard, ClassForms, ClassesPage};

use super::runners;
use crate::auth::Instructor;
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Trouble, iso, unavailable};
use crate::store::audit::{self, AuditAction};
use crate::store::classes::{self, Class, ClassError, JoinCode};
use crate::store::runners::Lifetime;

#[derive(Deserialize)]
pub struct Arrival {
    done: Option<String>,
}

pub async fn show(
    State(app): State<AppState>,
    user: Instructor,
    reader: Reader,
    Query(arrival): Query<Arrival>,
) -> Answer {
    let lang = reader.lang;
    let notice = match arrival.done.as_deref() {
        Some("revoked") => Some(lang.pick(
            "Runner 已吊销；它手上的任务会被重新领取。",
            "The runner is revoked; jobs that it holds will be claimed again.",
        )),
        _ => None,
    };
    page(&app, &user, &reader, notice, ClassForms::default(), Trouble::none()).await
}

/// The page, with one form's trouble in it.
pub async fn page(
    app: &AppState,
    user: &Instructor,
    reader: &Reader,
    notice: Option<&'static str>,
    mut forms: ClassForms,
    trouble: Trouble,
) -> Answer {
    if forms.lifetimes.is_empty() {
        forms.lifetimes = runners::choices(Lifetime::default());
    }
    let mut reader = reader.clone();
    "/class".clone_into(&mut reader.path);
    let lang = reader.lang;
    let classes: Vec<ClassCard> = classes::taught(&app.store, user.viewer())
        .await?
        .into_iter()
        .map(|class| card(class, lang, &app.config.origin))
        .collect();
    let runners = runners::lines(app, user).await?;
    Ok(trouble.page(app, &reader, lang.pick("班级", "Classes"), move || {
        view! { <ClassesPage lang classes runners notice forms /> }
    }))
}

pub fn card(class: Class, lang: Lang, origin: &str) -> ClassCard {
    let code = JoinCode::parse(&class.join_code).map(|code| code.to_string());
    ClassCard {
        id: class.id.to_string(),
        name: class.name,
        sign_up: format!("{origin}/{}/sign-up?code={}", lang.code(), class.join_code),
        code: code.unwrap_or(class.join_code),
        open: class.join_open,
        learners: class.learners,
        created: iso(class.created_ms),
    }
}

pub async fn back(reader: Reader) -> Redirect {
    Redirect::to(&format!("/{}/class", reader.lang.code()))
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Named {
    pub name: String,
}

pub async fn create(State(app): State<AppState>, user: Instructor, reader: Reader, Form(typed): Form<Named>) -> Answer {
    let lang = reader.lang;
    let id = match classes::create(&app.store, user.id, &typed.name).await {
        Ok(id) => id,
        Err(ClassError::NameEmpty) => {
            let trouble = Trouble::field(
                "name",
                lang.pick(
                    "给班级起个名字，至少有一个字母、汉字或数字。",
                    "Give the class a name with a letter or digit in it.",
                ),
            );
            let forms = ClassForms { class: typed.name, classes: trouble.problems.clone(), ..ClassForms::default() };
            return page(&app, &user, &reader, None, forms, trouble).await;
        }
        Err(ClassError::Store(error)) => return Err(error.into()),
        // The account stopped being an instructor between guard and statement.
        Err(error @ ClassError::NotTaught) => return Err(unavailable(error)),
    };
    let detail = json!({ "name": typed.name.trim() });
    audit::record(&app.store, user.id, Some(id), AuditAction::ClassCreated, &id.to_string(), &detail).await?;
    Ok(Redirect::to(&format!("/{}/class/{id}", lang.code())).into_response())
}
