//! Pages of the calculators; their state is the query.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use leptos::prelude::*;
use ui::Client;
use ui::shell::Section;
use ui::state::{AllocatorState, InferenceState, TrainingState};

use crate::http::{AppState, Reader};

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/{lang}/tools", get(list))
        .route("/{lang}/tools/inference", get(inference))
        .route("/{lang}/tools/training", get(training))
        .route("/{lang}/tools/allocator", get(allocator))
        .route("/{lang}/tools/{tool}", get(one))
}

async fn list(State(app): State<AppState>, reader: Reader) -> Response {
    let (lang, pages) = (reader.lang, app.course.route.pages.clone());
    reader.page(&app, Section::Tools, lang.pick("账本", "Ledgers"), move || {
        view! { <ui::pages::ToolsPage lang pages /> }
    })
}

/// Fields that a plain form leaves empty count as not given.
fn given(fields: Vec<(String, String)>) -> Vec<(String, String)> {
    fields.into_iter().filter(|(_, value)| !value.trim().is_empty()).collect()
}

async fn inference(
    State(app): State<AppState>,
    reader: Reader,
    Query(fields): Query<Vec<(String, String)>>,
) -> Response {
    let (lang, state) = (reader.lang, InferenceState::from_pairs(&given(fields)));
    let title = lang.pick("推理账本", "Inference ledger");
    reader.page_with(&app, StatusCode::OK, Section::Tools, title, [Client::Core], move || {
        view! { <ui::pages::InferencePage lang state /> }
    })
}

async fn training(
    State(app): State<AppState>,
    reader: Reader,
    Query(fields): Query<Vec<(String, String)>>,
) -> Response {
    let (lang, state) = (reader.lang, TrainingState::from_pairs(&given(fields)));
    let title = lang.pick("训练账本", "Training ledger");
    reader.page_with(&app, StatusCode::OK, Section::Tools, title, [Client::Core], move || {
        view! { <ui::pages::TrainingPage lang state /> }
    })
}

async fn allocator(
    State(app): State<AppState>,
    reader: Reader,
    Query(fields): Query<Vec<(String, String)>>,
) -> Response {
    let (lang, state) = (reader.lang, AllocatorState::from_pairs(&given(fields)));
    let title = lang.pick("缓存分配器", "Caching allocator");
    reader.page_with(&app, StatusCode::OK, Section::Tools, title, [Client::Stories], move || {
        view! { <ui::pages::AllocatorPage lang state /> }
    })
}

/// Any other calculator, or a page of Markdown beside them.
async fn one(
    State(app): State<AppState>,
    reader: Reader,
    Path((code, name)): Path<(String, String)>,
    Query(fields): Query<Vec<(String, String)>>,
) -> Response {
    let Some(tool) = ui::tools::find(&name) else {
        return super::reading::page(&app, reader, &code, &format!("tools/{name}")).await;
    };
    let (lang, pairs) = (reader.lang, given(fields));
    let title = ui::state::pick(&tool.title, lang);
    reader.page_with(&app, StatusCode::OK, Section::Tools, &title, [tool.client], move || {
        view! { <ui::pages::ToolPage lang tool pairs /> }
    })
}
