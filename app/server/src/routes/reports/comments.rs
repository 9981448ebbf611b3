//! Threads under the checks of a report.

use axum::Form;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use evidence::Grade;
use serde::Deserialize;
use ui::pages::report::{Entry, EntryKind, Thread, Threads};

use super::{Loaded, load, shown, unavailable};
use crate::auth::CurrentUser;
use crate::http::{AppState, Reader};
use crate::routes::account::answer::iso;
use crate::store::comments::{self, Comment, CommentError, CommentKind, Place};
use crate::store::{ReportId, StoreError};

/// A thread's place as it is kept.
type Key = (String, String);

/// The threads of a report, laid beside the checks of its grade; what the reader had not seen is seen now.
pub async fn threads(
    app: &AppState,
    user: &CurrentUser,
    report: ReportId,
    grade: Option<&Grade>,
    fresh: Option<String>,
) -> Result<Threads, StoreError> {
    let entries = comments::of_report(&app.store, user.viewer(), report).await?;
    if let Some(last) = entries.iter().filter(|entry| entry.unread).map(|entry| entry.created_ms).max() {
        comments::seen(&app.store, user.viewer(), report, last).await?;
    }
    let mut threads: Vec<(Key, Thread)> = Vec::new();
    for comment in entries {
        let key = (comment.check_id.clone(), comment.pointer.clone());
        let at = match threads.iter().position(|(there, _)| *there == key) {
            Some(at) => at,
            None => {
                threads.push((key.clone(), empty(key)));
                threads.len() - 1
            }
        };
        threads[at].1.entries.push(entry(comment));
    }
    let mut of_check = |key: Key| match threads.iter().position(|(there, _)| *there == key) {
        Some(at) => threads.swap_remove(at).1,
        None => empty(key),
    };
    let of_checks = grade.into_iter().flat_map(|grade| &grade.checks).map(|check| {
        let place = Place { check: &check.id, pointer: &check.pointer };
        of_check(place.kept())
    });
    let of_checks = of_checks.collect();
    Ok(Threads {
        report: report.to_string(),
        of_checks,
        others: threads.into_iter().map(|(_, thread)| thread).collect(),
        fresh,
    })
}

fn empty((check, pointer): Key) -> Thread {
    Thread { check, pointer, entries: Vec::new(), refused: None }
}

fn entry(comment: Comment) -> Entry {
    Entry {
        id: comment.id.to_string(),
        author: comment.author,
        learner: comment.own,
        kind: match comment.kind {
            CommentKind::Said => EntryKind::Said,
            CommentKind::Resolved => EntryKind::Resolved,
            CommentKind::Reopened => EntryKind::Reopened,
        },
        body: comment.body,
        at: iso(comment.created_ms),
        unread: comment.unread,
    }
}

#[derive(Deserialize)]
pub struct Sent {
    check: String,
    #[serde(default)]
    pointer: String,
    #[serde(default)]
    body: String,
    #[serde(default)]
    mark: String,
}

/// Says something about a check, or closes its thread, or opens it again.
pub async fn send(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Form(sent): Form<Sent>,
) -> Response {
    let Ok(id) = id.parse::<ReportId>() else { return StatusCode::NOT_FOUND.into_response() };
    let mut loaded = match load(&app, &user, id, None).await {
        Ok(Some(loaded)) => loaded,
        Ok(None) => return StatusCode::NOT_FOUND.into_response(),
        Err(error) => return unavailable(&error),
    };
    let place = Place { check: &sent.check, pointer: &sent.pointer };
    // Only about what the page shows: a check of the grade, or a thread that is there.
    let Some(thread) = find(&mut loaded, &place.kept()) else { return StatusCode::NOT_FOUND.into_response() };
    let talked = !thread.entries.is_empty();
    let done = match sent.mark.as_str() {
        "" => comments::say(&app.store, user.viewer(), id, place, &sent.body).await,
        "resolve" | "reopen" if talked => {
            comments::mark(&app.store, user.viewer(), id, place, sent.mark == "resolve").await
        }
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    let lang = reader.lang;
    let why = match done {
        Ok(comment) => {
            let to = format!("/{}/reports/{id}?said={comment}#comment-{comment}", lang.code());
            return Redirect::to(&to).into_response();
        }
        Err(CommentError::Empty) => lang.pick("还没有写内容。", "Nothing is written yet.").to_owned(),
        Err(CommentError::TooLong) => format!(
            "{} {}",
            lang.pick("太长了，字数上限是", "Too long; the limit in characters is"),
            comments::BODY_MAX
        ),
        Err(CommentError::Full) => format!(
            "{} {}",
            lang.pick("这份报告的讨论已满，条数上限是", "This report takes no more entries; the limit is"),
            comments::ENTRIES_MAX
        ),
        Err(CommentError::NoReport) => return StatusCode::NOT_FOUND.into_response(),
        Err(error) => return unavailable(&error),
    };
    thread.refused = Some((sent.body, why));
    shown(&app, &reader, StatusCode::UNPROCESSABLE_ENTITY, loaded)
}

fn find<'a>(loaded: &'a mut Loaded, key: &Key) -> Option<&'a mut Thread> {
    let threads = &mut loaded.threads;
    let all = threads.of_checks.iter_mut().chain(&mut threads.others);
    all.into_iter().find(|thread| thread.check == key.0 && thread.pointer == key.1)
}
