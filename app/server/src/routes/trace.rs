//! A profiler trace that is sent as a form: read while it arrives, summed up, forgotten.

use std::io::{self, Read};

use axum::Router;
use axum::body::Bytes;
use axum::extract::multipart::Field;
use axum::extract::{DefaultBodyLimit, Multipart, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use evidence::Lang;
use evidence::trace::{Reading, TraceError, read};
use leptos::prelude::*;
use tokio::sync::{Semaphore, mpsc};
use ui::pages::{TracePage, TraceRead};
use ui::shell::Section;

use crate::auth::{AuthRejection, ClientIp};
use crate::http::{AppState, Reader};

/// The largest file that is taken, as it is sent; larger ones are read on the command line.
const MAX_MIB: u64 = 512;
const FORM_LIMIT: usize = ((MAX_MIB << 20) + (64 << 10)) as usize;
/// Pieces that wait between the connection and the parser.
const WAITING: usize = 16;
/// Traces that are read at one time: each may hold a hundred megabytes of spans.
static READING: Semaphore = Semaphore::const_new(2);

pub fn routes() -> Router<AppState> {
    Router::new().route("/{lang}/tools/trace", get(empty).post(sent).layer(DefaultBodyLimit::max(FORM_LIMIT)))
}

type Answer = Option<Result<TraceRead, Vec<String>>>;

fn page(app: &AppState, reader: &Reader, status: StatusCode, answer: Answer) -> Response {
    let lang = reader.lang;
    let title = lang.pick("Profiler trace 读数", "Reading a profiler trace");
    reader.page_with(app, status, Section::Tools, title, [], move || {
        view! { <TracePage lang limit_mib=MAX_MIB answer /> }
    })
}

async fn empty(State(app): State<AppState>, reader: Reader) -> Response {
    page(&app, &reader, StatusCode::OK, None)
}

async fn sent(State(app): State<AppState>, from: ClientIp, mut reader: Reader, form: Multipart) -> Response {
    if let Err(limited) = app.auth.limits.compute(from) {
        return AuthRejection::Limited(limited).into_response();
    }
    // The page has another language, although the form's answer has no address.
    reader.path = "/tools/trace".to_owned();
    let lang = reader.lang;
    let Ok(_turn) = READING.try_acquire() else {
        let busy = lang
            .pick("正在读取别的 trace，请过一会儿再传。", "Other traces are being read; send yours again in a moment.");
        return page(&app, &reader, StatusCode::SERVICE_UNAVAILABLE, Some(Err(vec![busy.to_owned()])));
    };
    match receive(form).await {
        Ok(read) => page(&app, &reader, StatusCode::OK, Some(Ok(read))),
        Err(Refused::Trace(error)) => {
            let lines = vec![error.message(lang), error.fix().get(lang).to_owned()];
            page(&app, &reader, StatusCode::UNPROCESSABLE_ENTITY, Some(Err(lines)))
        }
        Err(Refused::Form(StatusCode::PAYLOAD_TOO_LARGE)) => {
            let line = match lang {
                Lang::Zh => format!("文件超过 {MAX_MIB} MiB：用 .json.gz 上传，或在本机运行 vramlab trace。"),
                Lang::En => {
                    format!("The file is larger than {MAX_MIB} MiB: send it as .json.gz, or run vramlab trace.")
                }
            };
            page(&app, &reader, StatusCode::PAYLOAD_TOO_LARGE, Some(Err(vec![line])))
        }
        Err(Refused::Form(status)) => status.into_response(),
    }
}

enum Refused {
    Trace(TraceError),
    Form(StatusCode),
}

/// The first field that holds anything: a file, or a pasted table.
async fn receive(mut form: Multipart) -> Result<TraceRead, Refused> {
    let status = |error: axum::extract::multipart::MultipartError| Refused::Form(error.status());
    while let Some(mut field) = form.next_field().await.map_err(status)? {
        if !matches!(field.name(), Some("file" | "text")) {
            continue;
        }
        let name = field.file_name().unwrap_or_default().chars().take(80).collect();
        // An empty file field is no choice, and a field of blanks no text.
        while let Some(first) = field.chunk().await.map_err(status)? {
            if first.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            return Ok(TraceRead { name, reading: parse(first, field).await? });
        }
    }
    Err(Refused::Trace(TraceError::Empty))
}

/// Feeds the parser, which runs on a thread of its own, as fast as it reads.
async fn parse(first: Bytes, mut field: Field<'_>) -> Result<Reading, Refused> {
    let (feed, pieces) = mpsc::channel(WAITING);
    let parser = tokio::task::spawn_blocking(move || read(Pieces { pieces, piece: Bytes::new() }));
    let mut next = Some(first);
    let mut broken = None;
    let mut wanted = true;
    while let Some(piece) = next {
        // A parser that has its answer wants no more. The rest is still taken, so that the browser shows the answer
        // instead of a connection that broke.
        if wanted {
            wanted = feed.send(Ok(piece)).await.is_ok();
        }
        next = match field.chunk().await {
            Ok(piece) => piece,
            Err(error) => {
                broken = Some(error.status());
                if wanted {
                    let _ = feed.send(Err(io::Error::other("the upload ended"))).await;
                }
                None
            }
        };
    }
    drop(feed);
    let read = parser.await.map_err(|error| {
        tracing::error!(%error, "a trace could not be read");
        Refused::Form(StatusCode::INTERNAL_SERVER_ERROR)
    })?;
    match broken {
        Some(status) => Err(Refused::Form(status)),
        None => read.map_err(Refused::Trace),
    }
}

/// What arrives, as a reader that waits.
struct Pieces {
    pieces: mpsc::Receiver<io::Result<Bytes>>,
    piece: Bytes,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.pieces.blocking_recv() {
                Some(piece) => self.piece = piece?,
                None => return Ok(0),
            }
        }
        let count = buffer.len().min(self.piece.len());
        buffer[..count].copy_from_slice(&self.piece.split_to(count));
        Ok(count)
    }
}
