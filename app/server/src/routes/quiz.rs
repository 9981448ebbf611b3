//! Quiz answers: judged here, kept for those who are signed in.

use axum::extract::{Json, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Form, Router};
use evidence::Lang;
use leptos::prelude::*;
use serde::Deserialize;
use ui::lesson::{Block, Quiz, Verdict};
use ui::shell::Section;

use crate::auth::MaybeUser;
use crate::http::{ApiJson, AppState, Problem, Reader};
use crate::store::{JsonText, StoreError, UserId, quiz};

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/{lang}/quiz/{task}", post(form_of_task))
        .route("/{lang}/quiz/{task}/{lesson}", post(form_of_lesson))
        .route("/api/v1/quiz_answers", post(answer))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    lang: Lang,
    lesson: String,
    quiz: String,
    question: String,
    chosen: Vec<usize>,
}

/// One answer of the island.
async fn answer(
    State(app): State<AppState>,
    MaybeUser(user): MaybeUser,
    ApiJson(answer): ApiJson<Answer>,
) -> Result<Json<Verdict>, Problem> {
    let key = app
        .course
        .quiz_key(answer.lang, &answer.lesson, &answer.quiz)
        .ok_or_else(|| Problem::bad_request("no such quiz").at("/quiz"))?;
    let mut verdict = key
        .judge(&answer.question, &answer.chosen)
        .ok_or_else(|| Problem::bad_request("no such question or choice").at("/chosen"))?;
    if let Some(user) = user {
        keep(&app, user.id, &answer.lesson, &answer.quiz, &verdict).await.map_err(Problem::internal)?;
        verdict.kept = true;
    }
    Ok(Json(verdict))
}

async fn keep(app: &AppState, user: UserId, lesson: &str, quiz: &str, verdict: &Verdict) -> Result<(), StoreError> {
    let at = quiz::Question { lesson, quiz, question: &verdict.question };
    quiz::answer(&app.store, user, at, &JsonText::of(&verdict.chosen)?, verdict.right).await?;
    Ok(())
}

#[derive(Deserialize)]
struct Which {
    quiz: String,
}

async fn form_of_task(
    app: State<AppState>,
    reader: Reader,
    Path((_, task)): Path<(String, String)>,
    which: Query<Which>,
    fields: Form<Vec<(String, String)>>,
) -> Response {
    form(app.0, reader, task, which.0.quiz, fields.0).await
}

async fn form_of_lesson(
    app: State<AppState>,
    reader: Reader,
    Path((_, task, lesson)): Path<(String, String, String)>,
    which: Query<Which>,
    fields: Form<Vec<(String, String)>>,
) -> Response {
    form(app.0, reader, format!("{task}/{lesson}"), which.0.quiz, fields.0).await
}

/// The whole quiz, sent without JavaScript.
async fn form(app: AppState, reader: Reader, lesson: String, id: String, fields: Vec<(String, String)>) -> Response {
    let lang = reader.lang;
    let (Some(quiz), Some(key)) = (find(&app, lang, &lesson, &id), app.course.quiz_key(lang, &lesson, &id)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut verdicts = Vec::new();
    for question in &quiz.questions {
        let chosen: Vec<usize> = fields
            .iter()
            .filter(|(name, _)| *name == question.id)
            .filter_map(|(_, value)| value.parse().ok())
            .collect();
        let Some(verdict) = key.judge(&question.id, &chosen) else { continue };
        if let Some(user) = &reader.user
            && let Err(error) = keep(&app, user.id, &lesson, &id, &verdict).await
        {
            tracing::error!(%error, "a quiz answer was not kept");
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
        verdicts.push(verdict);
    }
    let signed_in = reader.user.is_some();
    reader.page(&app, Section::Course, lang.pick("小测", "Quiz"), move || {
        view! { <ui::pages::QuizResult lang quiz verdicts signed_in /> }
    })
}

fn find(app: &AppState, lang: Lang, lesson: &str, id: &str) -> Option<Quiz> {
    app.course.page(lang, lesson)?.blocks.iter().find_map(|block| match block {
        Block::Quiz(quiz) if quiz.id == id => Some(quiz.clone()),
        _ => None,
    })
}
