//! One class: shown, opened and closed, its code replaced.

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use evidence::Lang;
use leptos::prelude::*;
use serde::Deserialize;
use serde_json::json;
use ui::pages::class::{ClassPage, DrillSets, OneClass};

use super::{drill, flows, gradebook, list, members};
use crate::auth::{CurrentUser, Staff};
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Failure, Trouble};
use crate::store::audit::{self, AuditAction};
use crate::store::classes::{self, Class, ClassError};
use crate::store::{ClassId, Role, grades};

/// The class of the address, if the reader teaches or assists it.
pub async fn taught(app: &AppState, user: &CurrentUser, id: &str) -> Result<Class, Failure> {
    let id: ClassId = id.parse().map_err(|_| Failure::NotFound)?;
    classes::get(&app.store, user.viewer(), id).await?.ok_or(Failure::NotFound)
}

impl From<ClassError> for Failure {
    fn from(error: ClassError) -> Self {
        match error {
            ClassError::Store(error) => error.into(),
            ClassError::NotTaught | ClassError::NameEmpty => Self::NotFound,
        }
    }
}

#[derive(Deserialize)]
pub struct Arrival {
    done: Option<String>,
}

fn notice(done: &str, lang: Lang) -> Option<&'static str> {
    Some(match done {
        "code" => {
            lang.pick("加入码已更换；旧的不再有效。", "The code is replaced; the old one opens nothing any more.")
        }
        "opened" => lang.pick("班级已开放加入。", "The class is open."),
        "closed" => lang.pick("班级已关闭加入；成员不受影响。", "The class is closed to new learners; members stay."),
        "rights" => lang.pick("权限已保存。", "The rights are saved."),
        "removed" => lang.pick("已移出班级。", "The learner has left the class."),
        _ => return None,
    })
}

pub async fn show(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Query(arrival): Query<Arrival>,
) -> Answer {
    let class = taught(&app, &user, &id).await?;
    let notice = arrival.done.as_deref().and_then(|done| notice(done, reader.lang));
    page(&app, &user, &reader, class, notice, drill::blank(), Trouble::none()).await
}

/// The page, with what was typed to open a set in it.
pub async fn page(
    app: &AppState,
    user: &CurrentUser,
    reader: &Reader,
    class: Class,
    notice: Option<&'static str>,
    mut drill: DrillSets,
    trouble: Trouble,
) -> Answer {
    let mut reader = reader.clone();
    reader.path = format!("/class/{}", class.id);
    let lang = reader.lang;
    drill.sets = drill::lines(app, user, class.id).await?;
    let members = classes::members(&app.store, user.viewer(), class.id).await?;
    let sheet = grades::sheet(&app.store, user.viewer(), class.id, None).await?;
    let title = class.name.clone();
    let class = OneClass {
        flows: if class.may_grade { Some(flows::of_class(app, user, class.id).await?) } else { None },
        gradebook: gradebook::table(&members, &sheet, lang),
        members: members::lines(members),
        staff: members::staff(app, user, class.id).await?,
        may_edit: class.may_edit,
        may_grade: class.may_grade,
        teaches: class.teaches(),
        instructor: user.role == Role::Instructor,
        drill,
        card: list::card(class, lang, &app.config.origin),
    };
    Ok(trouble.page(app, &reader, &title, move || {
        view! { <ClassPage lang class notice /> }
    }))
}

/// The address of a form, opened as a page.
pub async fn back(reader: Reader, Path((_, id)): Path<(String, String)>) -> Result<Redirect, Failure> {
    let id: ClassId = id.parse().map_err(|_| Failure::NotFound)?;
    Ok(Redirect::to(&format!("/{}/class/{id}", reader.lang.code())))
}

/// Back to the page of the class.
pub fn done(reader: &Reader, class: ClassId, what: &str) -> Response {
    Redirect::to(&format!("/{}/class/{class}?done={what}", reader.lang.code())).into_response()
}

pub async fn rotate(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
) -> Answer {
    let id: ClassId = id.parse().map_err(|_| Failure::NotFound)?;
    classes::rotate_code(&app.store, user.viewer(), id).await?;
    audit::record(&app.store, user.id, Some(id), AuditAction::CodeRotated, &id.to_string(), &json!({})).await?;
    Ok(done(&reader, id, "code"))
}

#[derive(Deserialize)]
pub struct Open {
    open: bool,
}

pub async fn set_open(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Form(Open { open }): Form<Open>,
) -> Answer {
    let id: ClassId = id.parse().map_err(|_| Failure::NotFound)?;
    classes::set_open(&app.store, user.viewer(), id, open).await?;
    let action = if open { AuditAction::JoinOpened } else { AuditAction::JoinClosed };
    audit::record(&app.store, user.id, Some(id), action, &id.to_string(), &json!({})).await?;
    Ok(done(&reader, id, if open { "opened" } else { "closed" }))
}
