//! Pages of the calculators; their state is the query.

use axum::Router;
use axum::extract::{DefaultBodyLimit, Form, Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use evidence::Lang;
use leptos::prelude::*;
use serde::Deserialize;
use ui::Client;
use ui::shell::Section;
use ui::state::{AllocatorState, PagingState, QuantisationState};
use ui::tools::text::{self, Format};
use ui::tools::{Pairs, Tool};

use crate::http::{AppState, Reader};

/// A pasted tensor of the longest text, with room for its encoding as a form: a space stays one byte, a comma becomes
/// three, the end of a line six.
const TENSOR_FORM: usize = 4 * ledger::formats::MAX_TEXT;

pub fn routes() -> Router<AppState> {
    let pasting = get(quantisation).post(quantise).layer(DefaultBodyLimit::max(TENSOR_FORM));
    Router::new()
        .route("/{lang}/tools", get(list))
        .route("/{lang}/tools/", get(slash))
        .route("/{lang}/tools/catalogue", get(catalogue))
        .route("/{lang}/tools/quantisation", pasting)
        .route("/{lang}/tools/allocator", get(allocator).merge(super::snapshot::route()))
        .route("/{lang}/tools/kv", get(paging))
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

async fn allocator(
    State(app): State<AppState>,
    reader: Reader,
    Query(fields): Query<Vec<(String, String)>>,
) -> Response {
    let (lang, state) = (reader.lang, AllocatorState::from_pairs(&given(fields)));
    let title = lang.pick("缓存分配器", "Caching allocator");
    reader.page_with(&app, StatusCode::OK, Section::Tools, title, [Client::Allocator], move || {
        view! { <ui::pages::AllocatorPage lang state /> }
    })
}

async fn slash(reader: Reader) -> Redirect {
    Redirect::permanent(&format!("/{}/tools", reader.lang.code()))
}

#[derive(Deserialize)]
struct Search {
    #[serde(default)]
    q: String,
}

async fn catalogue(State(app): State<AppState>, reader: Reader, Query(search): Query<Search>) -> Response {
    let lang = reader.lang;
    // Longer than any name: what is cut off finds nothing anyway.
    let search: String = search.q.chars().take(80).collect();
    reader.page(&app, Section::Tools, lang.pick("模型目录", "Models"), move || {
        view! { <ui::pages::CataloguePage lang search /> }
    })
}

async fn quantisation(
    State(app): State<AppState>,
    reader: Reader,
    Query(fields): Query<Vec<(String, String)>>,
) -> Response {
    quantised(&app, reader, QuantisationState::from_pairs(&given(fields)))
}

/// The form, sent without a script. What fits a link is shown under that link; nothing is kept.
async fn quantise(State(app): State<AppState>, reader: Reader, Form(fields): Form<Vec<(String, String)>>) -> Response {
    let state = QuantisationState::from_pairs(&given(fields));
    if state.is_left_out() || !state.problems.is_empty() {
        return quantised(&app, reader, state);
    }
    let query = ui::state::query(&state.pairs());
    Redirect::to(&format!("/{}/tools/quantisation{query}", reader.lang.code())).into_response()
}

fn quantised(app: &AppState, mut reader: Reader, state: QuantisationState) -> Response {
    // Also after a form: the page has another language.
    reader.path = "/tools/quantisation".to_owned();
    let lang = reader.lang;
    let title = lang.pick("量化误差与离群值", "Quantisation error and outliers");
    reader.page_with(app, StatusCode::OK, Section::Tools, title, [Client::Quantisation], move || {
        view! { <ui::pages::QuantisationPage lang state /> }
    })
}

async fn paging(State(app): State<AppState>, reader: Reader, Query(fields): Query<Vec<(String, String)>>) -> Response {
    let (lang, state) = (reader.lang, PagingState::from_pairs(&given(fields)));
    let title = lang.pick("KV Cache 与分页", "KV cache and paging");
    reader.page_with(&app, StatusCode::OK, Section::Tools, title, [Client::Paging], move || {
        view! { <ui::pages::PagingPage lang state /> }
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
    let (lang, mut pairs) = (reader.lang, given(fields));
    if let Some(at) = pairs.iter().position(|(key, _)| key == "as") {
        let format = pairs.swap_remove(at).1;
        return as_text(tool, pairs, &format, lang);
    }
    let title = ui::state::pick(&tool.title, lang);
    reader.page_with(&app, StatusCode::OK, Section::Tools, &title, [tool.client], move || {
        view! { <ui::pages::ToolPage lang tool pairs /> }
    })
}

/// The answer as a file, for those without JavaScript.
fn as_text(tool: &Tool, pairs: Pairs, format: &str, lang: Lang) -> Response {
    let (pairs, _) = ui::tools::split_change(pairs);
    let Some(format) = Format::parse(format) else {
        let known = Format::ALL.map(Format::id).join(", ");
        return (StatusCode::BAD_REQUEST, format!("as: {known}\n")).into_response();
    };
    let pairs = ui::tools::pairs_of(tool, &pairs);
    match tool.run(&pairs) {
        Ok(answer) => {
            let kind = match format {
                Format::Markdown => "text/markdown; charset=utf-8",
                Format::Csv => "text/csv; charset=utf-8",
                Format::Json => "application/json",
            };
            let name = format!("attachment; filename=\"{}.{}\"", tool.id, format.id());
            let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, name.as_str())];
            (headers, text::write(tool, &pairs, &answer, format, lang)).into_response()
        }
        Err(why) => (StatusCode::UNPROCESSABLE_ENTITY, ui::state::pick(&why, lang)).into_response(),
    }
}
