//! The budget grid: of a report that is sent and forgotten, and of a stored one.

use axum::Router;
use axum::extract::{DefaultBodyLimit, Multipart, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, body::Bytes};
use evidence::budget::{Axes, Axis, Grid};
use evidence::{MAX_BYTES, ReadError};
use leptos::prelude::*;
use ui::pages::{BudgetAsked, BudgetPage, BudgetReport};
use ui::shell::Section;

use crate::answers::{self, BudgetAxes, BudgetRefusal};
use crate::auth::{AuthRejection, ClientIp, CurrentUser};
use crate::http::{AppState, Problem, Reader};
use crate::store::{ReportId, reports};

/// A file and the same text once more, with the form around them.
const FORM_LIMIT: usize = 2 * MAX_BYTES + (64 << 10);
/// An axis as a list; longer ones are refused where they are read.
const MAX_AXIS: usize = 1000;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/{lang}/tools/budget", get(empty).post(sent).layer(DefaultBodyLimit::max(FORM_LIMIT)))
        .route("/{lang}/reports/{id}/budget", get(stored))
}

/// For machines: needs no account and keeps nothing.
pub fn open() -> Router<AppState> {
    Router::new().route("/api/v1/budget", post(asked).layer(DefaultBodyLimit::max(MAX_BYTES + 1)))
}

type Answered = Result<Grid, BudgetRefusal>;

/// Off the threads that answer pages.
async fn computed(report: Vec<u8>, axes: BudgetAxes) -> Result<Answered, StatusCode> {
    tokio::task::spawn_blocking(move || answers::budget(&report, &axes)).await.map_err(|error| {
        tracing::error!(%error, "a budget grid failed");
        StatusCode::INTERNAL_SERVER_ERROR
    })
}

/// The axes as they were typed, the recommended ones where none were.
fn texts(axes: &BudgetAxes) -> [String; 3] {
    let default = Axes::default();
    let text = |given: &Option<String>, axis| given.clone().unwrap_or_else(|| default.text(axis));
    [text(&axes.caps, Axis::Memory), text(&axes.rates, Axis::Throughput), text(&axes.losses, Axis::Loss)]
}

fn page(app: &AppState, reader: &Reader, section: Section, asked: BudgetAsked, answer: Option<Answered>) -> Response {
    let lang = reader.lang;
    let answer = answer.map(|answer| answer.map_err(|refusal| refusal.lines(lang)));
    let wrong = answer.as_ref().is_some_and(Result::is_err);
    let status = if wrong { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    reader.page_with(app, status, section, lang.pick("显存预算网格", "Budget grid"), [], move || {
        view! { <BudgetPage lang asked answer /> }
    })
}

async fn empty(State(app): State<AppState>, reader: Reader) -> Response {
    let asked = BudgetAsked { axes: texts(&BudgetAxes::default()), report: BudgetReport::Sent(String::new()) };
    page(&app, &reader, Section::Tools, asked, None)
}

/// A report that is sent as a form. Its text goes back into the form, so that the axes can be changed.
async fn sent(State(app): State<AppState>, from: ClientIp, mut reader: Reader, form: Multipart) -> Response {
    if let Err(limited) = app.auth.limits.compute(from) {
        return AuthRejection::Limited(limited).into_response();
    }
    let (report, axes) = match read(form).await {
        Ok(read) => read,
        Err(status) => return status.into_response(),
    };
    let text = String::from_utf8_lossy(&report).into_owned();
    let answer = if text.trim().is_empty() {
        Err(ReadError::Empty.into())
    } else {
        match computed(report, axes.clone()).await {
            Ok(answer) => answer,
            Err(status) => return status.into_response(),
        }
    };
    // The page has another language, although the form's answer has no address.
    reader.path = "/tools/budget".to_owned();
    let text = if text.len() > MAX_BYTES { String::new() } else { text };
    let asked = BudgetAsked { axes: texts(&axes), report: BudgetReport::Sent(text) };
    page(&app, &reader, Section::Tools, asked, Some(answer))
}

async fn read(mut form: Multipart) -> Result<(Vec<u8>, BudgetAxes), StatusCode> {
    let (mut file, mut pasted, mut axes) = (Vec::new(), Vec::new(), BudgetAxes::default());
    while let Some(field) = form.next_field().await.map_err(|error| error.status())? {
        let name = field.name().unwrap_or_default().to_owned();
        let bytes = field.bytes().await.map_err(|error| error.status())?;
        let list = |bytes: &[u8]| match bytes.len() {
            0..=MAX_AXIS => Ok(Some(String::from_utf8_lossy(bytes).into_owned())),
            _ => Err(StatusCode::UNPROCESSABLE_ENTITY),
        };
        match name.as_str() {
            "file" => file = bytes.to_vec(),
            "text" => pasted = bytes.to_vec(),
            "caps" => axes.caps = list(&bytes)?,
            "rates" => axes.rates = list(&bytes)?,
            "losses" => axes.losses = list(&bytes)?,
            _ => {}
        }
    }
    // A chosen file wins over the text that stands in the form; an empty file field is no choice.
    Ok((if file.is_empty() { pasted } else { file }, axes))
}

/// The grid of a stored report, for those who may read it.
async fn stored(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Query(axes): Query<BudgetAxes>,
) -> Response {
    let Ok(id) = id.parse::<ReportId>() else { return StatusCode::NOT_FOUND.into_response() };
    let found = async {
        let row = reports::get(&app.store, user.viewer(), id).await?;
        let raw = reports::raw(&app.store, user.viewer(), id).await?;
        Ok::<_, crate::store::StoreError>(row.zip(raw))
    };
    let (row, raw) = match found.await {
        Ok(Some(found)) => found,
        Ok(None) => return StatusCode::NOT_FOUND.into_response(),
        Err(error) => {
            tracing::error!(%error, "a stored report could not be read");
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
    };
    let answer = match computed(raw, axes.clone()).await {
        Ok(answer) => answer,
        Err(status) => return status.into_response(),
    };
    let lab = row.lab.unwrap_or_else(|| row.shape.id().to_owned());
    let asked = BudgetAsked { axes: texts(&axes), report: BudgetReport::Stored { id: id.to_string(), lab } };
    page(&app, &reader, Section::Reports, asked, Some(answer))
}

/// `POST /api/v1/budget?caps=…&rates=…&losses=…` with the report as the body.
async fn asked(
    State(app): State<AppState>,
    from: ClientIp,
    Query(axes): Query<BudgetAxes>,
    body: Bytes,
) -> Result<Json<Grid>, Response> {
    app.auth.limits.compute(from).map_err(|limited| AuthRejection::Limited(limited).into_response())?;
    let answer = computed(body.to_vec(), axes)
        .await
        .map_err(|status| Problem::new(status, "the server failed; nothing was lost, try again").into_response())?;
    answer.map(Json).map_err(|refusal| Problem::from(refusal).into_response())
}

impl From<BudgetRefusal> for Problem {
    fn from(refusal: BudgetRefusal) -> Self {
        let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, refusal.lines(evidence::Lang::En).join(". "));
        match refusal {
            BudgetRefusal::Report(error) => problem.at(error.pointer()),
            BudgetRefusal::Grid(_) => problem,
        }
    }
}
