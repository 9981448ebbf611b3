//! A memory snapshot that is sent as a form, for readers without JavaScript: read, replayed, forgotten.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Multipart, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, post};
use ledger::Text;
use leptos::prelude::*;
use ui::pages::{Replayed, SnapshotPage};
use ui::shell::Section;
use ui::state::AllocatorState;
use ui::state::tale::{MAX_FILE, Run, Trace};

use crate::auth::{AuthRejection, ClientIp};
use crate::http::{AppState, Reader};

/// Fields beside the file, and what a form puts between its parts.
const AROUND: usize = 64 << 10;
/// A setting is a number or a word.
const MAX_FIELD: usize = 256;

type Pairs = Vec<(String, String)>;

/// `POST` beside the page of the allocator.
pub fn route() -> MethodRouter<AppState> {
    post(replay).layer(DefaultBodyLimit::max(MAX_FILE + AROUND))
}

async fn replay(State(app): State<AppState>, from: ClientIp, reader: Reader, form: Multipart) -> Response {
    if let Err(limited) = app.auth.limits.compute(from) {
        return AuthRejection::Limited(limited).into_response();
    }
    let (name, file, fields) = match read(form).await {
        Ok(read) => read,
        Err(status) => return status.into_response(),
    };
    let lang = reader.lang;
    // A large trace takes a while: off the threads that answer pages.
    let work = move || tell(name, &file, &fields);
    let (state, told) = match tokio::task::spawn_blocking(work).await {
        Ok(told) => told,
        Err(error) => {
            tracing::error!(%error, "a snapshot could not be replayed");
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
    };
    let status = if told.is_ok() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let replayed = told.map_err(|why| ui::state::pick(&why, lang));
    let title = lang.pick("缓存分配器", "Caching allocator");
    reader.page_with(&app, status, Section::Tools, title, [], move || {
        view! { <SnapshotPage lang state replayed /> }
    })
}

async fn read(mut form: Multipart) -> Result<(String, Vec<u8>, Pairs), StatusCode> {
    let (mut name, mut file, mut fields) = (String::new(), Vec::new(), Vec::new());
    while let Some(field) = form.next_field().await.map_err(|error| error.status())? {
        let key = field.name().unwrap_or_default().to_owned();
        let of_file = field.file_name().unwrap_or_default().chars().take(80).collect();
        let bytes = field.bytes().await.map_err(|error| error.status())?;
        if key == "snapshot" {
            (name, file) = (of_file, bytes.to_vec());
        } else if bytes.len() > MAX_FIELD {
            return Err(StatusCode::UNPROCESSABLE_ENTITY);
        } else {
            fields.push((key, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    fields.retain(|(_, value)| !value.trim().is_empty());
    Ok((name, file, fields))
}

/// The snapshot under its own settings, and under those of the form where it says otherwise.
fn tell(name: String, file: &[u8], fields: &Pairs) -> (AllocatorState, Result<Replayed, Text>) {
    let trace = match Trace::read(name, file) {
        Ok(trace) => trace,
        Err(why) => return (AllocatorState::from_pairs(fields), Err(why)),
    };
    let own = AllocatorState::showing(&trace.snapshot.settings).pairs();
    let pairs: Pairs = own.into_iter().map(|(key, value)| (key.to_owned(), value)).chain(fields.clone()).collect();
    let state = AllocatorState::from_pairs(&pairs);
    let runs = Run::first(&state.script, Some(&trace))
        .and_then(|first| Run::again(&state, Some(&trace)).map(|again| (Arc::new(first), Arc::new(again))));
    (state, runs.map(|(first, again)| Replayed { name: trace.name, first, again }))
}
