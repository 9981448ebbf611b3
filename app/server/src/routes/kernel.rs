//! Writing a kernel for a lab: the editor's page, and sending what was written.

use axum::Router;
use axum::extract::{Form, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use evidence::LearnerCode;
use labs::{KernelExercise, Lab};
use leptos::prelude::*;
use protocol::{KernelError, KernelLanguage, KernelSource, KernelText};
use serde::Deserialize;
use ui::pages::kernel::{KernelFacts, KernelOutcome};
use ui::shell::Section;

use super::job_state::shown;
use super::jobs::{Refused, enqueue_kernel};
use crate::http::{AppState, Reader};
use crate::store::{JobId, ReportId, StoreError, Viewer, jobs, kernels, reports};

pub fn routes() -> Router<AppState> {
    Router::new().route("/{lang}/labs/{id}/kernel", get(show).post(send))
}

#[derive(Deserialize, Default)]
struct Asked {
    /// The run whose kernel is shown; the reader's last one otherwise.
    job: Option<String>,
    /// Shows what the exercise starts with.
    fresh: Option<String>,
    /// The one the reader writes in; the one of the last run otherwise.
    language: Option<String>,
}

/// What the field holds: language and text.
struct Written {
    language: KernelLanguage,
    text: String,
    outcome: Option<KernelOutcome>,
}

impl Written {
    fn starter(exercise: &KernelExercise, language: KernelLanguage) -> Option<Self> {
        Some(Self { language, text: exercise.starter(language.id())?.to_owned(), outcome: None })
    }
}

/// Those that the exercise can be written in, in their order.
fn languages(exercise: &KernelExercise) -> impl Iterator<Item = KernelLanguage> {
    KernelLanguage::ALL.into_iter().filter(|language| exercise.starter(language.id()).is_some())
}

fn exercise(id: &str) -> Option<(&'static Lab, &'static KernelExercise)> {
    let lab = labs::lab(id)?;
    Some((lab, lab.exercise.as_ref()?))
}

async fn show(
    State(app): State<AppState>,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Query(asked): Query<Asked>,
) -> Response {
    let Some((lab, exercise)) = exercise(&id) else { return StatusCode::NOT_FOUND.into_response() };
    match written(&app, &reader, lab, exercise, &asked).await {
        Ok(Some(written)) => page(&app, &reader, StatusCode::OK, (lab, exercise), written, None),
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(error) => {
            tracing::error!(%error, "a kernel cannot be read");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

/// What the field holds, and what became of it. `None` for a run that is not the reader's to see, and for a language that
/// the exercise does not have.
async fn written(
    app: &AppState,
    reader: &Reader,
    lab: &Lab,
    exercise: &KernelExercise,
    asked: &Asked,
) -> Result<Option<Written>, StoreError> {
    let wanted = match &asked.language {
        None => None,
        Some(id) => match KernelLanguage::from_id(id) {
            Some(language) => Some(language),
            None => return Ok(None),
        },
    };
    let starter = || Written::starter(exercise, wanted.or_else(|| languages(exercise).next())?);
    let Some(user) = reader.user.as_ref().filter(|_| asked.fresh.is_none()) else { return Ok(starter()) };
    let Some(job) = &asked.job else {
        let last = kernels::latest(&app.store, user.id, &lab.id, wanted).await?;
        let last = last.map(|source| Written { language: source.language, text: source.text.into(), outcome: None });
        return Ok(last.or_else(starter));
    };
    let Ok(job) = job.parse::<JobId>() else { return Ok(None) };
    let viewer = user.viewer();
    let (source, row) = (kernels::get(&app.store, viewer, job).await?, jobs::get(&app.store, viewer, job).await?);
    let Some((source, row)) = source.zip(row).filter(|(_, row)| row.lab == lab.id) else { return Ok(None) };
    let state = shown(&app.store, viewer, &row).await?;
    let code = match row.report_id.filter(|_| state.report.is_some()) {
        Some(report) => learner_code(app, viewer, report).await?,
        None => None,
    };
    let outcome =
        KernelOutcome { job: state.id, state: state.state, report: state.report, message: state.message, code };
    Ok(Some(Written { language: source.language, text: source.text.into(), outcome: Some(outcome) }))
}

async fn learner_code(app: &AppState, viewer: Viewer, report: ReportId) -> Result<Option<LearnerCode>, StoreError> {
    let raw = reports::raw(&app.store, viewer, report).await?;
    Ok(raw.and_then(|raw| evidence::read(&raw).ok()?.report.learner_code))
}

#[derive(Deserialize)]
struct Sent {
    kernel: String,
    language: Option<String>,
}

async fn send(
    State(app): State<AppState>,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Form(sent): Form<Sent>,
) -> Response {
    let Some(exercise) = exercise(&id) else { return StatusCode::NOT_FOUND.into_response() };
    let Some(user) = &reader.user else { return reader.sign_in_for(&format!("labs/{id}/kernel")) };
    // A browser sends the lines of a form with CR LF.
    let text = sent.kernel.replace("\r\n", "\n");
    let named = sent.language.as_deref().map(KernelLanguage::from_id);
    let language = named.unwrap_or_else(|| languages(exercise.1).next());
    let Some(language) = language.filter(|language| exercise.1.starter(language.id()).is_some()) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let again = |text: String| Written { language, text, outcome: None };
    let source = match KernelText::try_from(text.clone()) {
        Ok(text) => KernelSource { language, text },
        Err(error) => {
            let problem = Some(refusal(&error, &reader));
            return page(&app, &reader, StatusCode::UNPROCESSABLE_ENTITY, exercise, again(text), problem);
        }
    };
    match enqueue_kernel(&app, user, &id, source).await {
        Ok(job) => Redirect::to(&format!("/{}/jobs/{job}", reader.lang.code())).into_response(),
        Err(refused) => {
            let lang = reader.lang;
            let (status, why) = match refused {
                Refused::Now(refusal) => (StatusCode::TOO_MANY_REQUESTS, refusal.words(lang)),
                Refused::Otherwise(response) => (
                    response.status(),
                    lang.pick("现在不能运行，请稍后再试。", "It cannot run now; try again later.").to_owned(),
                ),
            };
            let problem = format!("{why}{}", lang.pick("源代码还在下面。", " Your source is kept below."));
            page(&app, &reader, status, exercise, again(text), Some(problem))
        }
    }
}

fn refusal(error: &KernelError, reader: &Reader) -> String {
    let most = protocol::limits::KERNEL_BYTES / 1024;
    match error {
        KernelError::Length { found: 0 } => reader.lang.pick("没有源代码。", "There is no source.").to_owned(),
        KernelError::Length { found } => match reader.lang {
            evidence::Lang::Zh => format!("源代码有 {found} 字节，最多 {most} KiB。"),
            evidence::Lang::En => format!("The source has {found} bytes; at most {most} KiB."),
        },
        KernelError::Control { line } => match reader.lang {
            evidence::Lang::Zh => format!("第 {line} 行有控制字符，只能是文本。"),
            evidence::Lang::En => format!("Line {line} has a control character; expected text."),
        },
    }
}

fn page(
    app: &AppState,
    reader: &Reader,
    status: StatusCode,
    (lab, exercise): (&Lab, &KernelExercise),
    written: Written,
    problem: Option<String>,
) -> Response {
    let lang = reader.lang;
    let Written { language, text, outcome } = written;
    let facts = KernelFacts {
        lab: lab.id.clone(),
        lab_title: lab.title(lang).to_owned(),
        kernel: exercise.kernel.clone(),
        text: exercise.text(lang).to_owned(),
        changed: exercise.starter(language.id()) != Some(text.as_str()),
        language: language.id(),
        languages: languages(exercise).map(KernelLanguage::id).collect(),
        source: text,
        bytes: protocol::limits::KERNEL_BYTES,
        outcome,
        problem,
        editor: (app.assets.editor_script.clone(), app.assets.editor_style.clone()),
    };
    let title = format!("{} · {}", exercise.kernel, lab.title(lang));
    reader.page_with(app, status, Section::Labs, &title, [], move || {
        view! { <ui::pages::kernel::KernelPage lang facts /> }
    })
}
