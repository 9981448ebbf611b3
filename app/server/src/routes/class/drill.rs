//! Sets of the drill: opening one for a class, and how the class answered.

use axum::Form;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect};
use evidence::Lang;
use ledger::drill::{MAX_SET, Question};
use leptos::prelude::*;
use serde::Deserialize;
use serde_json::json;
use ui::pages::class::{BUCKETS, Distribution, DistributionPage, DrillLine, DrillSets, LearnerLine, Spread};
use ui::state::pick;

use super::one::{self, taught};
use crate::auth::{CurrentUser, Staff};
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Failure, Trouble, iso};
use crate::routes::drill::{percent, seed};
use crate::store::audit::{self, AuditAction};
use crate::store::classes::{self, Member};
use crate::store::drill::{self, Set, SetAnswer, SetError};
use crate::store::{ClassId, DrillSetId, StoreError};

/// The form as it is shown first.
pub fn blank() -> DrillSets {
    DrillSets { count: "10".to_owned(), ..DrillSets::default() }
}

pub async fn lines(app: &AppState, user: &CurrentUser, class: ClassId) -> Result<Vec<DrillLine>, StoreError> {
    let line = |set: Set| DrillLine {
        id: set.id.to_string(),
        opened: iso(set.created_ms),
        questions: set.plan.count(),
        answers: set.answers,
    };
    Ok(drill::sets_of_class(&app.store, user.viewer(), class).await?.into_iter().map(line).collect())
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Wanted {
    count: String,
    seed: String,
}

impl Wanted {
    /// The number of questions and the seed, if one was typed; or which field is wrong.
    fn read(&self, lang: Lang) -> Result<(usize, Option<u64>), Trouble> {
        let count = self.count.trim().parse().ok().filter(|count| (1..=MAX_SET).contains(count));
        let Some(count) = count else {
            let text = match lang {
                Lang::Zh => format!("题数是 1 到 {MAX_SET} 的整数。"),
                Lang::En => format!("The number of questions is 1 to {MAX_SET}."),
            };
            return Err(Trouble::field("count", text));
        };
        match self.seed.trim() {
            "" => Ok((count, None)),
            typed => match typed.parse() {
                Ok(seed) => Ok((count, Some(seed))),
                Err(_) => Err(Trouble::field(
                    "seed",
                    lang.pick("种子是 0 到 2⁶⁴ − 1 的整数。", "A seed is a whole number from 0 to 2⁶⁴ − 1."),
                )),
            },
        }
    }
}

/// Opens a set; the same seed gives the same questions again.
pub async fn open(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Form(wanted): Form<Wanted>,
) -> Answer {
    let class = taught(&app, &user, &id).await?;
    let (count, typed) = match wanted.read(reader.lang) {
        Ok(wanted) => wanted,
        Err(trouble) => {
            let problems = trouble.problems.clone();
            let drill = DrillSets { count: wanted.count, seed: wanted.seed, problems, ..DrillSets::default() };
            return one::page(&app, &user, &reader, class, None, drill, trouble).await;
        }
    };
    let seed = match typed {
        Some(seed) => seed,
        None => seed()?,
    };
    let set = drill::open_set(&app.store, user.viewer(), class.id, seed, count).await.map_err(|error| match error {
        SetError::Store(error) => error.into(),
        SetError::NotTaught | SetError::Count => Failure::NotFound,
    })?;
    let detail = json!({ "seed": seed.to_string(), "questions": count });
    audit::record(&app.store, user.id, Some(class.id), AuditAction::DrillOpened, &set.to_string(), &detail).await?;
    Ok(Redirect::to(&format!("/{}/class/{}/drill/{set}", reader.lang.code(), class.id)).into_response())
}

/// How the class answered a set.
pub async fn show(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id, set)): Path<(String, String, String)>,
) -> Answer {
    let class = taught(&app, &user, &id).await?;
    let lang = reader.lang;
    let set: DrillSetId = set.parse().map_err(|_| Failure::NotFound)?;
    let set = drill::set(&app.store, user.viewer(), set).await?.filter(|set| set.class_id == class.id);
    let set = set.ok_or(Failure::NotFound)?;
    let answers = drill::answers_of_set(&app.store, user.viewer(), set.id).await?;
    let members = classes::members(&app.store, user.viewer(), class.id).await?;
    let questions = set.plan.draw()?;
    let numbered = questions.iter().zip(1_i64..);
    let distribution = Distribution {
        class: class.id.to_string(),
        class_name: class.name,
        link: format!("{}/{}/tools/drill/sets/{}", app.config.origin, lang.code(), set.id),
        opened: iso(set.created_ms),
        questions: numbered.map(|(question, number)| spread(question, number, &answers, lang)).collect(),
        learners: members.into_iter().map(|member| learner(member, &answers)).collect(),
    };
    Ok(Trouble::none().page(&app, &reader, lang.pick("题组的分布", "How the class answered"), move || {
        view! { <DistributionPage lang set=distribution /> }
    }))
}

fn learner(member: Member, answers: &[SetAnswer]) -> LearnerLine {
    let own = answers.iter().filter(|answer| answer.user_id == member.user_id);
    let passed = own.clone().filter(|answer| answer.passed).count();
    LearnerLine { display_name: member.display_name, login: member.login, answered: own.count(), passed }
}

fn spread(question: &Question, number: i64, answers: &[SetAnswer], lang: Lang) -> Spread {
    let own: Vec<&SetAnswer> = answers.iter().filter(|answer| answer.position == number).collect();
    let mut buckets = [0; BUCKETS];
    for answer in &own {
        if let Some(count) = buckets.get_mut(bucket(answer)) {
            *count += 1;
        }
    }
    let errors = own.iter().map(|answer| answer.relative_error).collect();
    Spread {
        heading: format!("{number} · {}", pick(&question.topic.name(), lang)),
        text: pick(&question.text, lang),
        exact: pick(&question.unit.write(question.answer()), lang),
        answers: own.len(),
        passed: own.iter().filter(|answer| answer.passed).count(),
        late: own.iter().filter(|answer| !answer.in_time).count(),
        median: median(errors).map(percent),
        buckets,
    }
}

/// Up to 5 %, 20 %, 50 %, a factor of two, farther. A relative error cannot tell a third from nothing; the factor can.
fn bucket(answer: &SetAnswer) -> usize {
    // As generous as the score: what is exactly 20 % off passes.
    const ROUNDING: f64 = 1e-9;
    let factor = (answer.answer / answer.exact).max(answer.exact / answer.answer);
    match answer.relative_error - ROUNDING {
        ..=0.05 => 0,
        ..=0.2 => 1,
        ..=0.5 => 2,
        _ if factor - ROUNDING <= 2.0 => 3,
        _ => 4,
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len() % 2 == 1 { Some(upper) } else { Some((values.get(middle.checked_sub(1)?)? + upper) / 2.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::UserId;

    fn answer(factor: f64) -> SetAnswer {
        let (answer, relative_error) = (8.0 * factor, (factor - 1.0_f64).abs());
        SetAnswer {
            user_id: UserId::new(),
            position: 1,
            answer,
            exact: 8.0,
            relative_error,
            in_time: true,
            passed: relative_error <= 0.2,
        }
    }

    #[test]
    fn buckets_go_by_error_and_then_by_factor() {
        for (factor, expected) in [
            (1.0, 0),
            (1.05, 0),
            (0.95, 0),
            (1.06, 1),
            (1.2, 1),
            (0.8, 1),
            (0.75, 2),
            (1.5, 2),
            (0.5, 2),
            (1.9, 3),
            (2.0, 3),
            (2.1, 4),
            (0.49, 4),
            (0.001, 4),
            (1_024.0, 4),
        ] {
            assert_eq!(bucket(&answer(factor)), expected, "{factor}");
        }
    }

    #[test]
    fn medians() {
        for (values, expected) in [
            (vec![], None),
            (vec![0.3], Some(0.3)),
            (vec![9.0, 0.0, 1.0], Some(1.0)),
            (vec![1.0, 0.0, 9.0, 2.0], Some(1.5)),
        ] {
            assert_eq!(median(values.clone()), expected, "{values:?}");
        }
    }
}
