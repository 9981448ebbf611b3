//! An answer of the island.

use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use evidence::Lang;
use serde::Deserialize;
use ui::drill::{Judged, Sent};

use super::judge::{self, Marked};
use super::submit::{Refusal, Submitted, submit};
use super::words;
use crate::auth::MaybeUser;
use crate::http::{ApiJson, AppState, Problem};
use crate::store::drill;

#[derive(Deserialize)]
pub struct In {
    #[serde(default)]
    lang: Lang,
}

pub async fn answer(
    State(app): State<AppState>,
    MaybeUser(user): MaybeUser,
    Query(In { lang }): Query<In>,
    ApiJson(sent): ApiJson<Sent>,
) -> Result<Json<Judged>, Problem> {
    let next = |set| words::next(&sent.chosen, set, lang);
    match submit(&app, user.as_deref(), &sent).await {
        Ok(Submitted::Judged { question, marked }) => {
            Ok(Json(judge::judged(&question, &marked, judge::not_kept(lang), next(None), lang)))
        }
        Ok(Submitted::Kept { id, first }) => {
            let Some(user) = user else { return Err(Problem::not_found()) };
            let kept = drill::answered(&app.store, user.viewer(), id).await.map_err(Problem::internal)?;
            let kept = kept.ok_or_else(Problem::not_found)?;
            let question = judge::draw(&kept.asked).map_err(Problem::internal)?;
            let note = match first {
                true => {
                    let attempts = drill::attempts(&app.store, user.id).await.map_err(Problem::internal)?;
                    words::kept(&kept, &attempts, app.store.now(), lang)
                }
                false => judge::first_counts(lang),
            };
            let marked = Marked::kept(&kept, &question);
            Ok(Json(judge::judged(&question, &marked, note, next(kept.asked.set_id), lang)))
        }
        Err(Refusal::Unread { error, .. }) => {
            let text = ui::state::pick(&error.text(), lang);
            Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, text).at("/answer"))
        }
        Err(Refusal::NoTopic) => {
            Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "expected the id of a topic").at("/topic"))
        }
        Err(Refusal::NotFound) => Err(Problem::not_found()),
        // The cause is in the log already.
        Err(Refusal::Failed(_)) => Err(Problem::internal("an answer of the drill could not be judged")),
    }
}
