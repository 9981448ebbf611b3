//! Sets of a class, as a learner sees them: their own answers alone.

use evidence::Lang;
use leptos::prelude::*;

use super::standing::{AnswerLine, Answers};
use crate::pages::account::{Act, When};
use crate::rows::Rows;

/// A set of one of the reader's classes.
#[derive(Debug, Clone)]
pub struct SetLine {
    pub id: String,
    pub class: String,
    pub opened: String,
    pub questions: usize,
    pub answered: i64,
    pub passed: i64,
}

#[component]
pub fn Sets(lang: Lang, sets: Vec<SetLine>) -> impl IntoView {
    let some = !sets.is_empty();
    let rows = sets
        .into_iter()
        .map(|set| {
            view! {
                <tr>
                    <td>
                        <a href=format!("/{}/tools/drill/sets/{}", lang.code(), set.id)>
                            <bdi>{set.class}</bdi>
                        </a>
                    </td>
                    <td>
                        <When iso=set.opened />
                    </td>
                    <td class="n">{set.answered} " / " {set.questions}</td>
                    <td class="n">{set.passed}</td>
                </tr>
            }
        })
        .collect_view();
    some.then(|| {
        let head = vec![
            ("", lang.pick("班级", "Class")),
            ("", lang.pick("布置于", "Opened")),
            ("n", lang.pick("已答", "Answered")),
            ("n", lang.pick("通过", "Passed")),
        ];
        view! {
            <h2 id="sets">{lang.pick("班级的题组", "Sets of your classes")}</h2>
            <Rows head>{rows}</Rows>
        }
    })
    .into_any()
}

/// What a learner can do next in a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetStep {
    /// The question of that number is next.
    Ask(usize),
    Done,
}

#[component]
pub fn SetPage(lang: Lang, set: SetLine, answers: Vec<AnswerLine>, step: SetStep) -> impl IntoView {
    let at = format!("/{}/tools/drill/sets/{}", lang.code(), set.id);
    let (questions, class, some) = (set.questions, set.class, !answers.is_empty());
    view! {
        <main id="main" class="wide tool">
            <p class="hint">
                <a href=format!("/{}/tools/drill", lang.code())>"← " {lang.pick("显存直觉练习", "Intuition drill")}</a>
            </p>
            <h1>{lang.pick("题组：", "Set: ")} <bdi>{class}</bdi></h1>
            <p class="lead">
                {match lang {
                    Lang::Zh => format!("{questions} 道题，全班相同。每题 60 秒，从打开题目时算起；只算第一次回答。"),
                    Lang::En => format!(
                        "{questions} questions, the same for the whole class. Each has 60 seconds from when it is opened; the first answer counts.",
                    ),
                }}
            </p>
            <p class="answer">
                <span>
                    <small>{lang.pick("已答", "answered")}</small>
                    " "
                    <strong>{set.answered} " / " {questions}</strong>
                </span>
                <span>
                    <small>{lang.pick("通过", "passed")}</small>
                    " "
                    <strong>{set.passed}</strong>
                </span>
            </p>
            {match step {
                SetStep::Ask(number) => {
                    let label = lang.pick("打开下一题", "Open the next question");
                    let about = format!("{number} / {questions}");
                    view! { <Act action=at label about class="button" /> }.into_any()
                }
                SetStep::Done => {
                    view! {
                        <p class="notice" role="status">
                            {lang.pick("全部答完了。", "All questions are answered.")}
                        </p>
                    }
                        .into_any()
                }
            }}
            {some.then(|| view! { <Answers lang answers /> })}
        </main>
    }
    .into_any()
}
