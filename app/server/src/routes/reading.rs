//! Home, Tasks, lessons, pages outside the Tasks, the reader's marks, the theme.

use axum::Router;
use axum::extract::{Form, Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use evidence::Lang;
use serde::Deserialize;
use ui::shell::{Fill, Hole};

use crate::auth::{CurrentUser, session};
use crate::http::page::{Theme, answer, preferred};
use crate::http::{AppState, Reader};
use crate::store::{Progress, StoreError, progress, quiz};

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/", get(root))
        .route("/theme", post(theme))
        .route("/{lang}/", get(home))
        .route("/{lang}/progress", post(mark))
        .route("/{lang}/{task}", get(task))
        .route("/{lang}/{task}/{lesson}", get(lesson))
}

async fn root(headers: HeaderMap) -> Redirect {
    Redirect::to(&format!("/{}/", preferred(&headers).code()))
}

async fn home(app: State<AppState>, reader: Reader, Path(lang): Path<String>) -> Response {
    page(&app, reader, &lang, "").await
}

async fn task(app: State<AppState>, reader: Reader, Path((lang, task)): Path<(String, String)>) -> Response {
    page(&app, reader, &lang, &task).await
}

async fn lesson(
    app: State<AppState>,
    reader: Reader,
    Path((lang, task, lesson)): Path<(String, String, String)>,
) -> Response {
    page(&app, reader, &lang, &format!("{task}/{lesson}")).await
}

/// A page of Markdown, or none.
pub(super) async fn page(app: &AppState, reader: Reader, lang: &str, path: &str) -> Response {
    let found = Lang::from_code(lang).and_then(|lang| app.pages.get(lang, path));
    let Some(page) = found else { return StatusCode::NOT_FOUND.into_response() };
    let mut fill = reader.fill();
    if let Some(user) = &reader.user {
        match marks(app, user, path, reader.lang, fill).await {
            Ok(filled) => fill = filled,
            Err(error) => {
                tracing::error!(%error, "the reader's marks cannot be read");
                return StatusCode::SERVICE_UNAVAILABLE.into_response();
            }
        }
    }
    answer(StatusCode::OK, &page.template, &fill, page.islands)
}

/// Fills in what this reader finished and answered; only pages of the Tasks have such marks.
async fn marks(app: &AppState, user: &CurrentUser, path: &str, lang: Lang, mut fill: Fill) -> Result<Fill, StoreError> {
    let in_task = app.course.page(lang, path).is_some_and(|page| page.task.is_some());
    if !in_task {
        return Ok(fill);
    }
    progress::opened(&app.store, user.id, path).await?;
    let done: Vec<String> = progress::list(&app.store, user.viewer(), user.id)
        .await?
        .into_iter()
        .filter(|lesson| lesson.state == Progress::Done)
        .map(|lesson| lesson.lesson)
        .collect();
    for task in &app.course.route.tasks {
        let finished = task.lessons.iter().filter(|lesson| done.contains(&lesson.path)).count();
        if !task.lessons.is_empty() {
            fill = fill.text(Hole::Count(task.id.clone()), &format!("{finished} / "));
        }
        if done.contains(&task.id) || (finished > 0 && finished == task.lessons.len()) {
            fill = fill.text(Hole::Mark(task.id.clone()), "done");
        }
    }
    for lesson in done {
        fill = fill.text(Hole::Mark(lesson), "done");
    }
    let answers = quiz::latest(&app.store, user.viewer(), user.id, path).await?;
    let mut quizzes: Vec<&str> = answers.iter().map(|answer| answer.quiz.as_str()).collect();
    quizzes.sort_unstable();
    quizzes.dedup();
    for quiz in quizzes {
        let own = || answers.iter().filter(|answer| answer.quiz == quiz);
        let right = own().filter(|answer| answer.correct).count();
        let text = match lang {
            Lang::Zh => format!("你上次的答案已保存：{} 题中答对 {right} 题。", own().count()),
            Lang::En => format!("Your last answers are kept: {right} of {} right.", own().count()),
        };
        fill = fill.text(Hole::Answers(format!("{path}#{quiz}")), &text);
    }
    Ok(fill)
}

#[derive(Deserialize)]
struct Mark {
    lesson: String,
}

/// Marks a lesson as finished, and leads back to it.
async fn mark(State(app): State<AppState>, reader: Reader, Form(form): Form<Mark>) -> Response {
    if app.course.page(reader.lang, &form.lesson).is_none_or(|page| page.task.is_none()) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let Some(user) = &reader.user else { return reader.sign_in_for(&form.lesson) };
    if let Err(error) = progress::mark(&app.store, user.id, &form.lesson, true).await {
        tracing::error!(%error, "a lesson was not marked");
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    Redirect::to(&format!("/{}/{}", reader.lang.code(), form.lesson)).into_response()
}

#[derive(Deserialize)]
struct Switch {
    back: String,
}

/// Light, dark, automatic, in turn, for readers without JavaScript.
async fn theme(headers: HeaderMap, Form(form): Form<Switch>) -> Response {
    let next = Theme::of(&headers).next().name();
    let mut response = Redirect::to(session::return_path(&form.back).unwrap_or("/")).into_response();
    let cookie = format!("theme={next}; Path=/; Max-Age=31536000; SameSite=Lax");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}
