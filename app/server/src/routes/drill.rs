//! The intuition drill: a question, its answer, and what is kept of them.

mod api;
mod judge;
mod sets;
mod submit;
mod words;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::middleware;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use evidence::Lang;
use ledger::drill::{self as engine, Topic, schedule};
use leptos::prelude::*;
use serde::Deserialize;
use ui::Client;
use ui::drill::{Asked as Card, Sent};
use ui::pages::drill::{AnswerLine, AnswerPage, DrillPage, Own, QuestionPage, Topics, Typed};
use ui::shell::Section;

use super::account::answer::{self, Answer, Failure, iso, unavailable};
use crate::auth::CurrentUser;
use crate::http::{AppState, Reader};
use crate::store::drill::{self, Asked};
use crate::store::{DrillQuestionId, StoreError, User};

pub use judge::percent;

use judge::Marked;
use submit::{Refusal, Submitted};

/// So many answers stand under the question.
const RECENT: u32 = 20;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/{lang}/tools/drill", get(show).post(receive))
        .route("/{lang}/tools/drill/questions/{id}", get(question))
        .route("/{lang}/tools/drill/answers/{id}", get(answered))
        .route("/{lang}/tools/drill/sets/{id}", get(sets::show).post(sets::next))
        .route_layer(middleware::from_fn(answer::known_language))
        .route("/api/v1/drill/answers", post(api::answer))
}

impl From<ledger::LedgerError> for Failure {
    fn from(error: ledger::LedgerError) -> Self {
        unavailable(error)
    }
}

#[derive(Deserialize)]
struct Chosen {
    #[serde(default)]
    topic: String,
}

/// The topic that a query or a form names; `None` for any.
fn chosen(id: &str) -> Result<Option<Topic>, Failure> {
    match id {
        "" => Ok(None),
        id => Topic::from_id(id).map(Some).ok_or(Failure::NotFound),
    }
}

/// A question to start with. For who is signed in it is written down, and goes on while its time runs.
async fn show(State(app): State<AppState>, reader: Reader, Query(query): Query<Chosen>) -> Answer {
    let (lang, topic) = (reader.lang, chosen(&query.topic)?);
    let (card, reason, own) = match &reader.user {
        None => {
            let question = engine::question(seed()?, topic.as_slice())?;
            (words::card(&question, &query.topic, None, app.store.now(), app.store.now(), lang), None, None)
        }
        Some(user) => {
            let (asked, reason) = next(&app, user, topic).await?;
            let question = judge::draw(&asked)?;
            let card = words::card(&question, &query.topic, Some(&asked), asked.asked_ms, app.store.now(), lang);
            (card, reason.map(|reason| words::reason(reason, lang)), Some(own(&app, user, lang).await?))
        }
    };
    let topics = topics(query.topic, lang);
    Ok(page(&app, &reader, StatusCode::OK, move || {
        view! { <DrillPage lang asked=card typed=Typed::default() topics reason own /> }
    }))
}

/// What the learner is asked now: the question that still runs, or a new one on the topic that is due.
async fn next(app: &AppState, user: &User, topic: Option<Topic>) -> Result<(Asked, Option<schedule::Reason>), Failure> {
    if let Some(running) = drill::running(&app.store, user.id).await?
        && topic.is_none_or(|topic| topic == running.topic.0)
    {
        return Ok((running, None));
    }
    let (topic, reason) = match topic {
        Some(topic) => (topic, None),
        None => {
            let attempts = drill::attempts(&app.store, user.id).await?;
            let next = schedule::next(&attempts, app.store.now().0.unsigned_abs());
            (next.topic, Some(next.reason))
        }
    };
    Ok((drill::ask(&app.store, user.id, topic, seed()?).await?, reason))
}

/// Seeds come from the system: nobody guesses the next question.
pub fn seed() -> Result<u64, StoreError> {
    getrandom::u64().map_err(|_| StoreError::NoRandomness)
}

async fn own(app: &AppState, user: &User, lang: Lang) -> Result<Own, StoreError> {
    let attempts = drill::attempts(&app.store, user.id).await?;
    let standings = words::standings(&attempts, app.store.now(), lang);
    let answers = drill::history(&app.store, user.viewer(), user.id, RECENT).await?;
    let answers: Vec<AnswerLine> = answers.iter().map(|answer| words::line(answer, lang)).collect();
    let sets = drill::own_sets(&app.store, user.id).await?.into_iter().map(words::set).collect();
    Ok(Own { sets, standings, answers })
}

fn topics(chosen: String, lang: Lang) -> Topics {
    let any =
        (String::new(), lang.pick("全部（由间隔重复或随机决定）", "All (by repetition, or at random)").to_owned());
    let each = Topic::ALL.map(|topic| (topic.id().to_owned(), ui::state::pick(&topic.name(), lang)));
    Topics { all: std::iter::once(any).chain(each).collect(), chosen }
}

fn page<V: IntoView + 'static>(
    app: &AppState,
    reader: &Reader,
    status: StatusCode,
    body: impl FnOnce() -> V + Send + 'static,
) -> Response {
    let title = reader.lang.pick("显存直觉练习", "Intuition drill");
    reader.page_with(app, status, Section::Tools, title, [Client::Drill], body)
}

/// An answer, sent as a plain form.
async fn receive(State(app): State<AppState>, reader: Reader, Form(sent): Form<Sent>) -> Answer {
    let lang = reader.lang;
    match submit::submit(&app, reader.user.as_deref(), &sent).await {
        Ok(Submitted::Kept { id, first }) => {
            let again = if first { "" } else { "&again=1" };
            let topic = Topic::from_id(&sent.chosen).map(Topic::id).unwrap_or_default();
            let at = format!("/{}/tools/drill/answers/{id}?topic={topic}{again}", lang.code());
            Ok(Redirect::to(&at).into_response())
        }
        Ok(Submitted::Judged { question, marked }) => {
            let judged =
                judge::judged(&question, &marked, judge::not_kept(lang), words::next(&sent.chosen, None, lang), lang);
            let (heading, text) =
                (ui::state::pick(&question.topic.name(), lang), ui::state::pick(&question.text, lang));
            Ok(reader.page(&app, Section::Tools, lang.pick("显存直觉练习", "Intuition drill"), move || {
                view! { <AnswerPage lang heading text judged given=None /> }
            }))
        }
        Err(Refusal::Unread { question, asked, asked_ms, error }) => {
            let now = app.store.now();
            let card = words::card(&question, &sent.chosen, asked.as_ref(), asked_ms, now, lang);
            let typed = Typed { text: sent.answer, problem: Some(ui::state::pick(&error.text(), lang)) };
            Ok(ask(&app, &reader, StatusCode::UNPROCESSABLE_ENTITY, card, typed))
        }
        Err(Refusal::NoTopic | Refusal::NotFound) => Err(Failure::NotFound),
        Err(Refusal::Failed(failure)) => Err(failure),
    }
}

fn ask(app: &AppState, reader: &Reader, status: StatusCode, card: Card, typed: Typed) -> Response {
    let lang = reader.lang;
    page(app, reader, status, move || view! { <QuestionPage lang asked=card typed /> })
}

/// A question of one's own that waits for its answer.
async fn question(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
) -> Answer {
    let id: DrillQuestionId = id.parse().map_err(|_| Failure::NotFound)?;
    let asked = drill::question(&app.store, user.id, id).await?.ok_or(Failure::NotFound)?;
    if drill::answered(&app.store, user.viewer(), id).await?.is_some() {
        let at = format!("/{}/tools/drill/answers/{id}", reader.lang.code());
        return Ok(Redirect::to(&at).into_response());
    }
    let drawn = judge::draw(&asked)?;
    let card = words::card(&drawn, "", Some(&asked), asked.asked_ms, app.store.now(), reader.lang);
    Ok(ask(&app, &reader, StatusCode::OK, card, Typed::default()))
}

#[derive(Deserialize)]
struct Arrival {
    #[serde(default)]
    topic: String,
    again: Option<String>,
}

/// An answer that is kept, for who gave it and who teaches them.
async fn answered(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Query(arrival): Query<Arrival>,
) -> Answer {
    let lang = reader.lang;
    let id: DrillQuestionId = id.parse().map_err(|_| Failure::NotFound)?;
    let kept = drill::answered(&app.store, user.viewer(), id).await?.ok_or(Failure::NotFound)?;
    let question = judge::draw(&kept.asked)?;
    let note = if arrival.again.is_some() { judge::first_counts(lang) } else { String::new() };
    let judged = judge::judged(
        &question,
        &Marked::kept(&kept, &question),
        note,
        words::next(&arrival.topic, kept.asked.set_id, lang),
        lang,
    );
    let (heading, text) = (words::heading(&kept.asked, lang), ui::state::pick(&question.text, lang));
    let given = Some(iso(kept.answered_ms));
    Ok(reader.page(&app, Section::Tools, lang.pick("显存直觉练习", "Intuition drill"), move || {
        view! { <AnswerPage lang heading text judged given /> }
    }))
}
