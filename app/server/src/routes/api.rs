//! Reports over the REST API, for the command line, notebooks and curl; and the published schema.

mod ledger;
mod openapi;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Json, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use evidence::export::{self, Judged};
use evidence::{Grade, GradeLine, Lang, MAX_BYTES};
use serde::Serialize;

use crate::auth::{AuthRejection, TokenUser};
use crate::grading::{self, Received};
use crate::http::page::preferred;
use crate::http::{AppState, Problem};
use crate::store::api_tokens::Scope;
use crate::store::reports::{self, Filter, ReportRow};
use crate::store::{ReportId, StoreError, grades};

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/v1/reports", post(submit).layer(DefaultBodyLimit::max(MAX_BYTES + 1)).merge(get(list)))
        .route("/api/v1/reports/{id}", get(one))
        .route("/api/v1/reports/{id}/results.json", get(results))
        .route("/api/v1/reports/{id}/junit.xml", get(junit))
        .route("/schema/report-v1.json", get(schema))
        .route("/kit/vramlab_report.py", get(kit))
}

/// What needs neither account nor token.
pub fn open() -> Router<AppState> {
    ledger::routes().route("/api/v1/openapi.json", get(|| async { Json(openapi::document()) }))
}

/// A stored report with what the grader says of it.
#[derive(Serialize, utoipa::ToSchema)]
struct Submitted {
    id: String,
    /// The page of the report.
    url: String,
    /// Whether these bytes were new.
    new: bool,
    /// Whether a class holds the grade back; then none stands here.
    held: bool,
    #[serde(flatten)]
    line: Option<GradeLine>,
}

/// Messages come in the language that `Accept-Language` asks for; English when it does not.
fn language(headers: &HeaderMap) -> Lang {
    if headers.contains_key(header::ACCEPT_LANGUAGE) { preferred(headers) } else { Lang::En }
}

/// `POST /api/v1/reports` with the JSON itself as the body.
async fn submit(
    State(app): State<AppState>,
    token: TokenUser,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Response> {
    token.require(Scope::SubmitReports).map_err(IntoResponse::into_response)?;
    app.auth.limits.upload(token.user.id).map_err(|limited| AuthRejection::Limited(limited).into_response())?;
    let lang = language(&headers);
    let received = grading::store_and_grade(&app.store, &token.user, body.to_vec())
        .await
        .map_err(|error| Problem::internal(error).into_response())?;
    match received {
        Received::Graded { id, new, grade } => {
            let status = if new { StatusCode::CREATED } else { StatusCode::OK };
            let url = format!("{}/{}/reports/{id}", app.config.origin, lang.code());
            let line = grade.map(|grade| GradeLine::graded("", &grade, lang));
            Ok((status, Json(Submitted { id: id.to_string(), url, new, held: line.is_none(), line })).into_response())
        }
        Received::Unreadable(error) => {
            let line = GradeLine::unreadable("", "upload", &error, lang);
            let check = line.checks.first();
            let detail =
                format!("{} {}", error.message(lang), check.map(|check| check.fix.as_str()).unwrap_or_default());
            Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail.trim()).at(error.pointer()).into_response())
        }
    }
}

/// A stored report.
#[derive(Serialize, utoipa::ToSchema)]
struct Listed {
    id: String,
    lab: Option<String>,
    shape: String,
    class: String,
    provenance: String,
    sha256: String,
    created_at: Option<String>,
}

impl From<ReportRow> for Listed {
    fn from(row: ReportRow) -> Self {
        Self {
            id: row.id.to_string(),
            shape: row.shape.id().to_owned(),
            class: row.class.id().to_owned(),
            provenance: row.provenance.id().to_owned(),
            created_at: row.created_ms.rfc3339(),
            lab: row.lab,
            sha256: row.sha256,
        }
    }
}

/// Own reports, newest first.
async fn list(State(app): State<AppState>, token: TokenUser) -> Result<Json<Vec<Listed>>, Response> {
    token.require(Scope::ReadReports).map_err(IntoResponse::into_response)?;
    let filter = Filter { user: Some(token.user.id), lab: None };
    let rows = reports::list(&app.store, token.viewer(), filter)
        .await
        .map_err(|error| Problem::internal(error).into_response())?;
    Ok(Json(rows.into_iter().map(Listed::from).collect()))
}

/// The counting grade of a report that the token's owner may see.
async fn grade_of(app: &AppState, token: &TokenUser, id: &str) -> Result<Grade, Response> {
    token.require(Scope::ReadReports).map_err(IntoResponse::into_response)?;
    let missing = || Problem::not_found().into_response();
    let id: ReportId = id.parse().map_err(|_| missing())?;
    let broken = |error: StoreError| Problem::internal(error).into_response();
    let viewer = token.viewer();
    let Some(row) = grades::latest(&app.store, viewer, id).await.map_err(broken)? else {
        reports::get(&app.store, viewer, id).await.map_err(broken)?.ok_or_else(missing)?;
        let held = grades::is_graded(&app.store, id).await.map_err(broken)?;
        let (status, detail) = if held {
            (StatusCode::FORBIDDEN, "the class has not released this grade yet")
        } else {
            (StatusCode::NOT_FOUND, "the report waits for its grade")
        };
        return Err(Problem::new(status, detail).into_response());
    };
    row.grade.parse().map_err(|error| Problem::internal(error).into_response())
}

/// One report's grade.
async fn one(
    State(app): State<AppState>,
    token: TokenUser,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Json<GradeLine>, Response> {
    let grade = grade_of(&app, &token, &id).await?;
    Ok(Json(GradeLine::graded("", &grade, language(&headers))))
}

/// The grade as Gradescope's `results.json`.
async fn results(
    State(app): State<AppState>,
    token: TokenUser,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Response> {
    let grade = grade_of(&app, &token, &id).await?;
    Ok(Json(export::gradescope(&[(&id, Judged::Grade(&grade))], language(&headers))).into_response())
}

/// The grade as JUnit XML.
async fn junit(
    State(app): State<AppState>,
    token: TokenUser,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Response> {
    let grade = grade_of(&app, &token, &id).await?;
    let xml = export::junit(&[(&id, Judged::Grade(&grade))], language(&headers));
    Ok(([(header::CONTENT_TYPE, "application/xml; charset=utf-8")], xml).into_response())
}

async fn schema() -> Response {
    let schema = evidence::report_v1_schema();
    ([(header::CONTENT_TYPE, "application/schema+json")], schema.to_string()).into_response()
}

/// The helper for notebooks: one file, to be kept beside the notebook.
async fn kit() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/x-python; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"vramlab_report.py\""),
    ];
    (headers, include_str!("../../kit/vramlab_report.py")).into_response()
}
