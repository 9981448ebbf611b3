//! An answer, from a form or from the island.

use ledger::LedgerError;
use ledger::drill::{self as engine, Question, Topic, TypedError};
use ui::drill::Sent;

use super::judge::{self, Marked};
use crate::http::AppState;
use crate::routes::account::answer::Failure;
use crate::store::drill::{self, Asked};
use crate::store::{DrillQuestionId, StoreError, User, UtcMs};

pub enum Submitted {
    /// It stands under the question's id; `first` says whether it was this answer that counted.
    Kept { id: DrillQuestionId, first: bool },
    /// Of somebody who is not signed in: judged, and forgotten.
    Judged { question: Box<Question>, marked: Marked },
}

pub enum Refusal {
    Unread {
        question: Box<Question>,
        asked: Option<Asked>,
        asked_ms: UtcMs,
        error: TypedError,
    },
    NoTopic,
    /// There is no such question, or it was asked of somebody else.
    NotFound,
    Failed(Failure),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<LedgerError> for Refusal {
    fn from(error: LedgerError) -> Self {
        Self::Failed(error.into())
    }
}

/// Judges an answer, and keeps it where the question was written down for this user. Then question and time of asking
/// are the store's; what the browser says of them is used only where nothing is kept.
pub async fn submit(app: &AppState, user: Option<&User>, sent: &Sent) -> Result<Submitted, Refusal> {
    let asked = match user {
        Some(user) if !sent.question.is_empty() => {
            let id: DrillQuestionId = sent.question.parse().map_err(|_| Refusal::NotFound)?;
            Some(drill::question(&app.store, user.id, id).await?.ok_or(Refusal::NotFound)?)
        }
        _ => None,
    };
    let (question, asked_ms) = match &asked {
        Some(asked) => (judge::draw(asked)?, asked.asked_ms),
        None => {
            let topic = Topic::from_id(&sent.topic).ok_or(Refusal::NoTopic)?;
            (engine::question(sent.seed, &[topic])?, UtcMs(sent.asked_ms))
        }
    };
    let question = Box::new(question);
    let answer = match engine::parse(&sent.answer, question.unit) {
        Ok(answer) => answer,
        Err(error) => return Err(Refusal::Unread { question, asked, asked_ms, error }),
    };
    let score = engine::score(&question, answer);
    match asked {
        Some(asked) => {
            let first = drill::answer(&app.store, &asked, &question, &score).await?;
            Ok(Submitted::Kept { id: asked.id, first })
        }
        None => {
            let marked = Marked::now(&score, &question, asked_ms, app.store.now());
            Ok(Submitted::Judged { question, marked })
        }
    }
}
