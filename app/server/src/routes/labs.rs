//! The catalogue of labs, and one lab with the reader's own runs.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use labs::{Lab, LabKind};
use leptos::prelude::*;
use ui::pages::lab::{LabFacts, ParamField, RunItem};
use ui::shell::Section;

use super::job_state::shown;
use crate::course::render_text;
use crate::http::{AppState, Reader};
use crate::store::{StoreError, jobs};

/// Own runs that a lab page lists.
const RUNS: u32 = 10;

pub fn routes() -> Router<AppState> {
    Router::new().route("/{lang}/labs", get(list)).route("/{lang}/labs/{id}", get(one))
}

fn facts(lab: &Lab, reader: &Reader) -> LabFacts {
    let lang = reader.lang;
    LabFacts {
        id: lab.id.clone(),
        title: lab.title(lang).to_owned(),
        summary: lab.summary(lang).to_owned(),
        task: lab.task.clone(),
        program: lab.kind == LabKind::Program,
        shapes: lab.shapes.iter().map(|shape| shape.id().to_owned()).collect(),
        backends: lab.backends.clone(),
        params: lab
            .params
            .iter()
            .map(|param| ParamField {
                name: param.name.clone(),
                default: param.default,
                min: param.min,
                max: param.max,
            })
            .collect(),
        kernel: lab.exercise.as_ref().map(|exercise| exercise.kernel.clone()),
        items: lab
            .rubric
            .items
            .iter()
            .map(|item| (item.title.get(lang).to_owned(), item.part == evidence::Part::Gpu, item.points))
            .collect(),
    }
}

async fn list(State(app): State<AppState>, reader: Reader) -> Response {
    let lang = reader.lang;
    let tasks = app.course.route.tasks.iter().filter(|task| !task.labs.is_empty());
    let tasks: Vec<_> = tasks
        .map(|task| {
            let labs = task.labs.iter().filter_map(|lab| labs::lab(&lab.id)).map(|lab| facts(lab, &reader)).collect();
            (task.id.clone(), task.title.get(lang).to_owned(), labs)
        })
        .collect();
    reader.page(&app, Section::Labs, lang.pick("实验", "Labs"), move || {
        view! { <ui::pages::lab::LabsPage tasks lang /> }
    })
}

async fn one(State(app): State<AppState>, reader: Reader, Path((_, id)): Path<(String, String)>) -> Response {
    let Some(lab) = labs::lab(&id) else { return StatusCode::NOT_FOUND.into_response() };
    let runs = match runs(&app, &reader, &id).await {
        Ok(runs) => runs,
        Err(error) => {
            tracing::error!(%error, "a lab's runs cannot be read");
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
    };
    let lang = reader.lang;
    let text = render_text(lab.readme(lang), lang);
    let facts = facts(lab, &reader);
    let (title, program, signed_in) = (facts.title.clone(), facts.program, reader.user.is_some());
    reader.page_with(&app, StatusCode::OK, Section::Labs, &title, program.then_some(ui::Client::Runs), move || {
        view! { <ui::pages::lab::LabPage lab=facts text runs signed_in lang /> }
    })
}

async fn runs(app: &AppState, reader: &Reader, lab: &str) -> Result<Vec<RunItem>, StoreError> {
    let Some(user) = &reader.user else { return Ok(Vec::new()) };
    let mut runs = Vec::new();
    for job in jobs::list(&app.store, user.viewer(), user.id, RUNS).await? {
        if job.lab == lab {
            let started = super::reports::day(job.created_ms);
            runs.push(RunItem { started, job: shown(&app.store, user.viewer(), &job).await? });
        }
    }
    Ok(runs)
}
