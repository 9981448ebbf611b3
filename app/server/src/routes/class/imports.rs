//! Spreadsheets that come in: looked at first, applied when somebody says so.

mod plan;

use axum::extract::{Multipart, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use evidence::Part;
use leptos::prelude::*;
use serde::Deserialize;
use serde_json::json;
use ui::pages::class::{ChangeState, ImportCard, ImportChange, ImportPage, ImportPlan, ImportsPage};

use super::Grader;
use super::exports::points;
use super::flows::graded;
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Failure, Trouble, iso, unavailable};
use crate::store::classes::Class;
use crate::store::grades::{self, Sheet};
use crate::store::imports::{self, ImportRow};
use crate::store::overrides::{self, Cell, OverrideError};
use crate::store::{ClassId, ImportId, JsonText};
use plan::{Change, Plan};

pub use plan::MAX_BYTES;

pub async fn list(
    State(app): State<AppState>,
    user: Grader,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
) -> Answer {
    let class = graded(&app, &user, &id).await?;
    listed(&app, &user, &reader, class, None).await
}

async fn listed(app: &AppState, user: &Grader, reader: &Reader, class: Class, problem: Option<String>) -> Answer {
    let lang = reader.lang;
    let mut reader = reader.clone();
    reader.path = format!("/class/{}/import", class.id);
    let card = |row: ImportRow| {
        let changes = row.plan.parse::<Plan>().map_or(0, |plan| plan.changes.len());
        ImportCard {
            id: row.id.to_string(),
            file: row.file,
            author: row.author,
            created: iso(row.created_ms),
            applied: row.applied_ms.is_some(),
            changes,
        }
    };
    let all = imports::list(&app.store, user.viewer(), class.id).await?.into_iter().map(card).collect::<Vec<_>>();
    let trouble = problem.as_ref().map_or_else(Trouble::none, |text| Trouble::field("", text.clone()));
    let (id, name) = (class.id.to_string(), class.name);
    Ok(trouble.page(app, &reader, lang.pick("导入与导出 CSV", "CSV in and out"), move || {
        view! { <ImportsPage lang class=id class_name=name imports=all problem /> }
    }))
}

/// Takes a file and says what it would change. Nothing changes.
pub async fn receive(
    State(app): State<AppState>,
    user: Grader,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    form: Multipart,
) -> Answer {
    let class = graded(&app, &user, &id).await?;
    let (file, bytes) = match read_form(form).await {
        Ok(read) => read,
        Err(status) => return Ok(status.into_response()),
    };
    let attempts = grades::attempts(&app.store, user.viewer(), class.id).await?;
    let sheet = grades::sheet(&app.store, user.viewer(), class.id, None).await?;
    let name = file.clone();
    let planned = tokio::task::spawn_blocking(move || plan::read(&bytes, &name, &attempts, &sheet));
    let plan = match planned.await.map_err(|_| Failure::Unavailable)? {
        Ok(plan) => plan,
        Err(why) => return listed(&app, &user, &reader, class, Some(why.get(reader.lang).to_owned())).await,
    };
    let text = JsonText::of(&plan)?;
    let kept = imports::keep(&app.store, user.viewer(), class.id, &file, &text).await?;
    Ok(to(&reader, class.id, kept.ok_or(Failure::NotFound)?, ""))
}

async fn read_form(mut form: Multipart) -> Result<(String, Vec<u8>), StatusCode> {
    while let Some(field) = form.next_field().await.map_err(|error| error.status())? {
        if field.name() == Some("file") {
            let name = field.file_name().unwrap_or("file.csv").to_owned();
            return Ok((name, field.bytes().await.map_err(|error| error.status())?.to_vec()));
        }
    }
    Err(StatusCode::BAD_REQUEST)
}

fn to(reader: &Reader, class: ClassId, id: ImportId, query: &str) -> Response {
    Redirect::to(&format!("/{}/class/{class}/import/{id}{query}", reader.lang.code())).into_response()
}

async fn find(app: &AppState, user: &Grader, class: ClassId, id: &str) -> Result<ImportRow, Failure> {
    let id: ImportId = id.parse().map_err(|_| Failure::NotFound)?;
    imports::get(&app.store, user.viewer(), class, id).await?.ok_or(Failure::NotFound)
}

/// Where a change stands against the points of now.
fn state(change: &Change, sheet: &Sheet, applied: bool) -> ChangeState {
    let now = sheet.line(change.user, &change.lab, change.part).and_then(|line| line.standing.credit());
    if now == Some(change.after) {
        ChangeState::Made
    } else if now == change.before && !applied {
        ChangeState::Waits
    } else {
        ChangeState::Overtaken
    }
}

#[derive(Deserialize)]
pub struct Arrival {
    done: Option<String>,
}

pub async fn show(
    State(app): State<AppState>,
    user: Grader,
    reader: Reader,
    Path((_, class, id)): Path<(String, String, String)>,
    Query(arrival): Query<Arrival>,
) -> Answer {
    let class = graded(&app, &user, &class).await?;
    let row = find(&app, &user, class.id, &id).await?;
    let plan: Plan = row.plan.parse()?;
    let sheet = grades::sheet(&app.store, user.viewer(), class.id, None).await?;
    let lang = reader.lang;
    let notice = (arrival.done.as_deref() == Some("applied"))
        .then(|| lang.pick("已应用；每处改动都记入操作记录。", "Applied; every change is in the audit log."));
    let line = |change: Change| ImportChange {
        state: state(&change, &sheet, row.applied_ms.is_some()),
        line: change.line,
        report: change.report.to_string(),
        name: change.name,
        lab: change.lab,
        gpu: change.part == Part::Gpu,
        before: change.before.map(points),
        after: points(change.after),
        reason: change.reason,
    };
    let page = ImportPlan {
        class: class.id.to_string(),
        class_name: class.name,
        id: row.id.to_string(),
        file: row.file,
        author: row.author,
        created: iso(row.created_ms),
        applied: row.applied_ms.map(iso),
        changes: plan.changes.into_iter().map(line).collect(),
        refused: plan.refused.into_iter().map(|refused| (refused.line, refused.why.get(lang).to_owned())).collect(),
        unchanged: plan.unchanged,
    };
    let title = lang.pick("导入", "Import");
    Ok(Trouble::none().page(&app, &reader, title, move || view! { <ImportPage lang plan=page notice /> }))
}

/// Sets the points of the plan that are still waiting. Sent twice, or again after a stop in between, it goes on where
/// it was: what stands already is not set again.
pub async fn apply(
    State(app): State<AppState>,
    user: Grader,
    reader: Reader,
    Path((_, class, id)): Path<(String, String, String)>,
) -> Answer {
    let class = graded(&app, &user, &class).await?;
    let row = find(&app, &user, class.id, &id).await?;
    if row.applied_ms.is_none() {
        let plan: Plan = row.plan.parse()?;
        let sheet = grades::sheet(&app.store, user.viewer(), class.id, None).await?;
        let (mut made, mut overtaken) = (0, 0);
        for change in &plan.changes {
            match state(change, &sheet, false) {
                ChangeState::Made => continue,
                ChangeState::Overtaken => overtaken += 1,
                ChangeState::Waits => {
                    let cell = Cell { class: class.id, learner: change.user, lab: &change.lab, part: change.part };
                    match overrides::set(&app.store, user.viewer(), cell, Some(change.after), &change.reason).await {
                        Ok(_) => made += 1,
                        // The learner has left the class since.
                        Err(OverrideError::NotAllowed) => overtaken += 1,
                        Err(error) => return Err(unavailable(error)),
                    }
                }
            }
        }
        let detail =
            json!({ "file": row.file, "changed": made, "overtaken": overtaken, "refused": plan.refused.len() });
        imports::applied(&app.store, user.viewer(), &row, &detail).await?;
    }
    Ok(to(&reader, class.id, row.id, "?done=applied"))
}

/// The address of a form, opened as a page.
pub async fn back(reader: Reader, Path((_, class, id)): Path<(String, String, String)>) -> Result<Response, Failure> {
    let class: ClassId = class.parse().map_err(|_| Failure::NotFound)?;
    let id: ImportId = id.parse().map_err(|_| Failure::NotFound)?;
    Ok(to(&reader, class, id, ""))
}
