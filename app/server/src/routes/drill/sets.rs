//! A set of a class, for its learners. Opening a question is a form: the clock runs from then.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect};
use leptos::prelude::*;
use ui::pages::drill::{AnswerLine, SetPage, SetStep};
use ui::shell::Section;

use super::words;
use crate::auth::CurrentUser;
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Failure};
use crate::store::DrillSetId;
use crate::store::drill::{self, OwnSet};

/// The number of the first question without an answer.
fn step(set: &OwnSet, answers: &[drill::Answer]) -> SetStep {
    let answered = |number: usize| answers.iter().any(|answer| answer.asked.position == i64::try_from(number).ok());
    (1..=set.plan.count()).find(|number| !answered(*number)).map_or(SetStep::Done, SetStep::Ask)
}

pub async fn show(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
) -> Answer {
    let lang = reader.lang;
    let id: DrillSetId = id.parse().map_err(|_| Failure::NotFound)?;
    let Some(set) = drill::own_set(&app.store, user.id, id).await? else {
        // Whoever opened it gets the other side of it.
        let set = drill::set(&app.store, user.viewer(), id).await?.ok_or(Failure::NotFound)?;
        return Ok(Redirect::to(&format!("/{}/class/{}/drill/{id}", lang.code(), set.class_id)).into_response());
    };
    let answers = drill::own_answers(&app.store, user.id, id).await?;
    let step = step(&set, &answers);
    let lines: Vec<AnswerLine> = answers.iter().map(|answer| words::line(answer, lang)).collect();
    let set = words::set(set);
    Ok(reader.page(&app, Section::Tools, lang.pick("题组", "Set"), move || {
        view! { <SetPage lang set answers=lines step /> }
    }))
}

/// Asks the next question of the set; one that waits for its answer is shown again, with its clock.
pub async fn next(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
) -> Answer {
    let id: DrillSetId = id.parse().map_err(|_| Failure::NotFound)?;
    let set = drill::own_set(&app.store, user.id, id).await?.ok_or(Failure::NotFound)?;
    let answers = drill::own_answers(&app.store, user.id, id).await?;
    let base = format!("/{}/tools/drill", reader.lang.code());
    let SetStep::Ask(number) = step(&set, &answers) else {
        return Ok(Redirect::to(&format!("{base}/sets/{id}")).into_response());
    };
    let questions = set.plan.draw()?;
    let question = questions.get(number.saturating_sub(1)).ok_or(Failure::NotFound)?;
    let asked = drill::ask_in_set(&app.store, user.id, id, number, question.topic, question.seed).await?;
    let asked = asked.ok_or(Failure::NotFound)?;
    Ok(Redirect::to(&format!("{base}/questions/{}", asked.id)).into_response())
}
