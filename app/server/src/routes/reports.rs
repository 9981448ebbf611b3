//! A learner's reports: the list, the upload, one report.

mod comments;
mod credits;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Multipart, Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use evidence::{Grade, Lang, MAX_BYTES, ReadError};
use leptos::prelude::*;
use serde::Deserialize;
use ui::pages::class::UnreadReport;
use ui::pages::report::{ClassPoints, ReportFacts, ReportItem, Threads, Trouble};
use ui::shell::Section;

use super::account::answer::iso;
use super::class::unread_line;
use crate::auth::CurrentUser;
use crate::grading::{self, Received};
use crate::http::{AppState, Reader};
use crate::store::comments as store_comments;
use crate::store::grades::HeldLab;
use crate::store::reports::{self, Filter, ReportRow};
use crate::store::{ReportId, StoreError, UserId, grades, users};

/// A file of the largest size that is read, with its form around it.
const UPLOAD_LIMIT: usize = MAX_BYTES + (64 << 10);

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/{lang}/reports", get(list).post(upload).layer(DefaultBodyLimit::max(UPLOAD_LIMIT)))
        .route("/{lang}/reports/{id}", get(one))
        .route("/{lang}/reports/{id}/comments", get(back).post(comments::send))
        .route("/{lang}/reports/{id}/raw.json", get(raw))
}

#[derive(Deserialize)]
struct Whose {
    user: Option<String>,
}

async fn list(app: State<AppState>, user: CurrentUser, reader: Reader, Query(whose): Query<Whose>) -> Response {
    show_list(&app, &user, &reader, whose.user.as_deref(), None).await
}

/// The list, with what went wrong with an upload on top.
async fn show_list(
    app: &AppState,
    user: &CurrentUser,
    reader: &Reader,
    whose: Option<&str>,
    trouble: Option<Trouble>,
) -> Response {
    let owner: UserId = match whose.map(str::parse) {
        None => user.id,
        Some(Ok(id)) => id,
        Some(Err(_)) => return StatusCode::NOT_FOUND.into_response(),
    };
    let (items, name, points) = match items(app, user, reader.lang, owner).await {
        Ok(Some(found)) => found,
        Ok(None) => return StatusCode::NOT_FOUND.into_response(),
        Err(error) => return unavailable(&error),
    };
    let (lang, own) = (reader.lang, owner == user.id);
    let title = lang.pick("报告", "Reports");
    let status = if trouble.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    // The reader's own unread threads lead the own list; an instructor's stand on the page of the class.
    let unread = match unread(app, user, owner).await {
        Ok(unread) => unread,
        Err(error) => return unavailable(&error),
    };
    let heading = if own { lang.pick("我的报告", "My reports").to_owned() } else { name };
    reader.page_with(app, status, Section::Reports, title, [], move || {
        view! { <ui::pages::report::ReportsPage lang heading own items unread points trouble /> }
    })
}

/// Of the reports of this list, those with comments that the reader has not seen.
async fn unread(app: &AppState, user: &CurrentUser, owner: UserId) -> Result<Vec<UnreadReport>, StoreError> {
    let unread = store_comments::unread(&app.store, user.viewer(), None).await?;
    Ok(unread.into_iter().filter(|one| one.user_id == owner).map(unread_line).collect())
}

async fn items(
    app: &AppState,
    user: &CurrentUser,
    lang: Lang,
    owner: UserId,
) -> Result<Option<(Vec<ReportItem>, String, Vec<ClassPoints>)>, StoreError> {
    let Some(person) = users::get(&app.store, user.viewer(), owner).await? else { return Ok(None) };
    let filter = Filter { user: Some(owner), lab: None };
    let rows = reports::list(&app.store, user.viewer(), filter).await?;
    let grades = grades::latest_of_user(&app.store, user.viewer(), owner).await?;
    let own = owner == user.id;
    let held = if own { grades::held_labs(&app.store, owner).await? } else { Vec::new() };
    let points = if own { credits::of_learner(&app.store, user, lang, &held).await? } else { Vec::new() };
    let items = rows
        .into_iter()
        .map(|row| {
            let grade = grades.iter().find(|grade| grade.report_id == row.id);
            ReportItem {
                held: held.iter().any(|held| row.lab.as_ref() == Some(&held.lab)),
                id: row.id.to_string(),
                lab: lab_name(&row),
                class: *row.class,
                created: day(row.created_ms),
                origin: row.provenance.id().to_owned(),
                outcome: grade.map(|grade| grade.outcome.id().to_owned()),
                earned: grade.map(|grade| grade.cpu_earned + grade.gpu_earned),
                possible: grade.map(|grade| grade.cpu_possible + grade.gpu_possible),
            }
        })
        .collect();
    Ok(Some((items, person.display_name, points)))
}

fn lab_name(row: &ReportRow) -> String {
    row.lab.clone().unwrap_or_else(|| row.shape.id().to_owned())
}

/// `2026-11-30 09:41 UTC`
pub fn day(at: crate::store::UtcMs) -> String {
    let text = at.rfc3339().unwrap_or_default();
    let minute = text.get(..16).unwrap_or(&text).replace('T', " ");
    format!("{minute} UTC")
}

/// A file or a pasted text.
async fn upload(app: State<AppState>, user: CurrentUser, reader: Reader, form: Multipart) -> Response {
    if let Err(limited) = app.auth.limits.upload(user.id) {
        return crate::auth::AuthRejection::Limited(limited).into_response();
    }
    let raw = match read_form(form).await {
        Ok(raw) if !raw.is_empty() => raw,
        Ok(_) => return refuse(&app, &user, &reader, &ReadError::Empty, String::new()).await,
        Err(status) => return status.into_response(),
    };
    let pasted = String::from_utf8(raw.clone()).unwrap_or_default();
    match grading::store_and_grade(&app.store, &user, raw).await {
        Ok(Received::Graded { id, .. }) => {
            Redirect::to(&format!("/{}/reports/{id}", reader.lang.code())).into_response()
        }
        Ok(Received::Unreadable(error)) => refuse(&app, &user, &reader, &error, pasted).await,
        Err(error) => unavailable(&error),
    }
}

/// The form's own text comes back with the error, so that nothing is lost.
async fn refuse(app: &AppState, user: &CurrentUser, reader: &Reader, error: &ReadError, pasted: String) -> Response {
    let lang = reader.lang;
    let trouble = Trouble {
        message: error.message(lang),
        expected: error.expected().get(lang).to_owned(),
        found: error.found().get(lang).to_owned(),
        fix: error.fix().get(lang).to_owned(),
        pasted,
    };
    show_list(app, user, reader, None, Some(trouble)).await
}

async fn read_form(mut form: Multipart) -> Result<Vec<u8>, StatusCode> {
    let mut pasted = Vec::new();
    while let Some(field) = form.next_field().await.map_err(|error| error.status())? {
        let name = field.name().unwrap_or_default().to_owned();
        let bytes = field.bytes().await.map_err(|error| error.status())?;
        match name.as_str() {
            // A chosen file wins over pasted text; an empty file field is no choice.
            "file" if !bytes.is_empty() => return Ok(bytes.to_vec()),
            "text" => pasted = bytes.to_vec(),
            _ => {}
        }
    }
    let blank = pasted.iter().all(u8::is_ascii_whitespace);
    Ok(if blank { Vec::new() } else { pasted })
}

#[derive(Deserialize)]
struct Arrival {
    said: Option<String>,
}

async fn one(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Query(arrival): Query<Arrival>,
) -> Response {
    let Ok(id) = id.parse::<ReportId>() else { return StatusCode::NOT_FOUND.into_response() };
    match load(&app, &user, id, arrival.said).await {
        Ok(Some(loaded)) => shown(&app, &reader, StatusCode::OK, loaded),
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(error) => unavailable(&error),
    }
}

/// The page of a report.
fn shown(app: &AppState, reader: &Reader, status: StatusCode, loaded: Loaded) -> Response {
    let Loaded { facts, grade, threads, report, raw } = loaded;
    let mut reader = reader.clone();
    reader.path = format!("/reports/{}", facts.id);
    let lang = reader.lang;
    let title = format!("{} {}", lang.pick("报告", "Report"), facts.lab);
    reader.page_with(app, status, Section::Reports, &title, [], move || {
        view! { <ui::pages::report::ReportPage lang facts grade threads report raw /> }
    })
}

/// The address of a form, opened as a page.
async fn back(reader: Reader, Path((_, id)): Path<(String, String)>) -> Response {
    match id.parse::<ReportId>() {
        Ok(id) => Redirect::to(&format!("/{}/reports/{id}", reader.lang.code())).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Everything that the page of a report shows.
struct Loaded {
    facts: ReportFacts,
    grade: Option<Grade>,
    threads: Threads,
    report: Option<evidence::Report>,
    raw: String,
}

async fn load(
    app: &AppState,
    user: &CurrentUser,
    id: ReportId,
    fresh: Option<String>,
) -> Result<Option<Loaded>, StoreError> {
    let viewer = user.viewer();
    let Some(row) = reports::get(&app.store, viewer, id).await? else { return Ok(None) };
    let Some(raw) = reports::raw(&app.store, viewer, id).await? else { return Ok(None) };
    let history = grades::of_report(&app.store, viewer, id).await?;
    let grade = history.first().map(|row| row.grade.parse::<Grade>()).transpose()?;
    let twins = reports::twins(&app.store, viewer, id).await?;
    let owner = users::get(&app.store, viewer, row.user_id).await?;
    let own = row.user_id == user.id;
    let held = if own && grade.is_none() && grades::is_graded(&app.store, id).await? {
        let labs = grades::held_labs(&app.store, user.id).await?;
        let until = labs.iter().find(|held| Some(&held.lab) == row.lab.as_ref()).and_then(HeldLab::until);
        Some(until.map(iso))
    } else {
        None
    };
    let credits = credits::of_report(&app.store, user, &row).await?;
    let lab = lab_name(&row);
    let accepted = labs::lab(&lab).map(|lab| lab.rubric.gpu_provenance.clone()).unwrap_or_default();
    let document = evidence::read(&raw).ok();
    let facts = ReportFacts {
        id: row.id.to_string(),
        title: labs::lab(&lab).map(|lab| (lab.title(Lang::Zh).to_owned(), lab.title(Lang::En).to_owned())),
        lab,
        class: *row.class,
        level: row.level.map(|level| level.id().to_owned()),
        origin: row.provenance.id().to_owned(),
        device: row.device_name.clone(),
        own_kernel: document.as_ref().and_then(|doc| doc.report.learner_code.clone()),
        created: day(row.created_ms),
        graded: history.first().map(|grade| day(grade.created_ms)),
        grader: history.first().map(|grade| grade.grader_version.clone()),
        sha256: row.sha256.clone(),
        has_budget: document.as_ref().is_some_and(evidence::budget::applies),
        owner: owner.filter(|owner| owner.id != user.id).map(|owner| owner.display_name),
        twins: twins.into_iter().map(|twin| (twin.report_id.to_string(), twin.display_name)).collect(),
        held,
        accepted,
        credits,
    };
    let threads = comments::threads(app, user, id, grade.as_ref(), fresh).await?;
    let raw = tokio::task::spawn_blocking(move || pretty(&raw)).await.unwrap_or_default();
    Ok(Some(Loaded { facts, grade, threads, report: document.map(|document| document.report), raw }))
}

/// So much of a document is shown; the whole of it can be downloaded.
const SHOWN: usize = 64 << 10;

/// The document for people: indented where it is JSON, and without the paths of somebody's machine.
fn pretty(raw: &[u8]) -> String {
    let mut value: serde_json::Value = match serde_json::from_slice(raw) {
        Ok(value) => value,
        Err(_) => return String::from_utf8_lossy(raw).into_owned(),
    };
    shorten_paths(&mut value);
    let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
    if text.len() > SHOWN {
        text.truncate(text.floor_char_boundary(SHOWN));
        text.push_str("\n…");
    }
    text
}

/// `/home/me/course/results/76.json` → `…/76.json`
fn shorten_paths(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::String(text) => {
            // A bound, because what is left could be found again.
            for _ in 0..8 {
                let Some(path) = evidence::absolute_path(text) else { break };
                let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
                *text = text.replace(&path, &format!("…/{last}"));
            }
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(shorten_paths),
        serde_json::Value::Object(map) => map.values_mut().for_each(shorten_paths),
        _ => {}
    }
}

/// The exact bytes, to keep or to grade elsewhere.
async fn raw(State(app): State<AppState>, user: CurrentUser, Path((_, id)): Path<(String, String)>) -> Response {
    let Ok(id) = id.parse::<ReportId>() else { return StatusCode::NOT_FOUND.into_response() };
    match reports::raw(&app.store, user.viewer(), id).await {
        Ok(Some(raw)) => {
            let headers = [
                (header::CONTENT_TYPE, "application/json".to_owned()),
                (header::CONTENT_DISPOSITION, format!("attachment; filename=\"report-{id}.json\"")),
            ];
            (headers, raw).into_response()
        }
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(error) => unavailable(&error),
    }
}

fn unavailable(error: &dyn std::fmt::Display) -> Response {
    tracing::error!(%error, "a report page failed");
    StatusCode::SERVICE_UNAVAILABLE.into_response()
}

#[cfg(test)]
mod tests {
    use super::pretty;

    #[test]
    fn the_shown_copy_names_no_machine() {
        let shown =
            pretty(br#"{"source": "/home/me/results/76.json", "n": 1.50, "list": ["C:\\me\\a.json", "rel/b.json"]}"#);
        assert!(shown.contains("…/76.json") && shown.contains("…/a.json") && shown.contains("rel/b.json"), "{shown}");
        assert!(!shown.contains("home"), "{shown}");
        assert_eq!(pretty(b"not json"), "not json");
    }
}
