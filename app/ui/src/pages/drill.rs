//! The drill: a question for everybody, and what is kept for who is signed in.

use evidence::Lang;
use leptos::prelude::*;

use super::account::When;
use crate::drill::{Asked, Judged, Outcome};
use crate::islands::{DrillCard, DrillResult};

mod sets;
mod standing;

pub use sets::{SetLine, SetPage, SetStep};
pub use standing::{AnswerLine, Own, StandingLine};

use sets::Sets;
use standing::{History, Standings};

/// A question on its way back because the answer could not be read.
#[derive(Debug, Clone, Default)]
pub struct Typed {
    pub text: String,
    pub problem: Option<String>,
}

/// The topics that can be chosen: id and name; the first is all of them.
#[derive(Debug, Clone)]
pub struct Topics {
    pub all: Vec<(String, String)>,
    /// The id of the chosen one; empty for all.
    pub chosen: String,
}

#[component]
pub fn DrillPage(
    lang: Lang,
    asked: Asked,
    typed: Typed,
    topics: Topics,
    /// Why this topic was chosen, where it was.
    reason: Option<&'static str>,
    own: Option<Own>,
) -> impl IntoView {
    let signed_out = own.is_none();
    view! {
        <main id="main" class="wide tool">
            <h1>{title(lang)}</h1>
            <p class="lead">
                {lang
                    .pick(
                        "一道真实的显存题，60 秒心算；误差不超过 20 % 就算通过。之后给出账本的算法和一条心算法则。",
                        "A realistic memory question, a minute of mental arithmetic; within 20 % passes. Then the ledger's way, and a rule of thumb.",
                    )}
            </p>
            <TopicChoice lang topics />
            {reason.map(|reason| view! { <p class="hint">{reason}</p> })}
            <DrillCard asked lang typed=typed.text problem=typed.problem />
            {signed_out
                .then(|| {
                    view! {
                        <p class="hint">
                            <a href=format!(
                                "/{0}/sign-in?next=/{0}/tools/drill",
                                lang.code(),
                            )>{lang.pick("登录", "Sign in")}</a>
                            {lang
                                .pick(
                                    "后会保留记录，并按间隔重复再问你答错的题。",
                                    " to keep a history and be asked again, at growing intervals, what went wrong.",
                                )}
                        </p>
                    }
                })}
            {own
                .map(|own| {
                    view! {
                        <Sets lang sets=own.sets />
                        <Standings lang standings=own.standings />
                        <History lang answers=own.answers />
                    }
                })}
        </main>
    }
    .into_any()
}

fn title(lang: Lang) -> &'static str {
    lang.pick("显存直觉练习", "Intuition drill")
}

#[component]
fn TopicChoice(lang: Lang, topics: Topics) -> impl IntoView {
    let options = topics
        .all
        .into_iter()
        .map(|(id, name)| {
            let selected = id == topics.chosen;
            view! { <option value=id selected=selected>{name}</option> }
        })
        .collect_view();
    view! {
        <form class="row-form" method="get" action=format!("/{}/tools/drill", lang.code())>
            <label>
                {lang.pick("主题", "Topic")} <select name="topic">{options}</select>
            </label>
            <button type="submit" class="button quiet">
                {lang.pick("按此出题", "Ask about it")}
            </button>
        </form>
    }
    .into_any()
}

/// One question on a page of its own: one of a set, or one whose answer could not be read.
#[component]
pub fn QuestionPage(lang: Lang, asked: Asked, typed: Typed) -> impl IntoView {
    view! {
        <main id="main" class="wide tool">
            <h1>{title(lang)}</h1>
            <DrillCard asked lang typed=typed.text problem=typed.problem />
        </main>
    }
    .into_any()
}

/// An answer that was judged, with its question.
#[component]
pub fn AnswerPage(
    lang: Lang,
    heading: String,
    text: String,
    judged: Judged,
    /// When it was given, for one that is kept.
    given: Option<String>,
) -> impl IntoView {
    view! {
        <main id="main" class="wide tool">
            <p class="hint">
                <a href=format!("/{}/tools/drill", lang.code())>"← " {title(lang)}</a>
            </p>
            <h1>{heading}</h1>
            {given.map(|iso| view! { <p class="hint"><When iso /></p> })}
            <section class="card drill" aria-label=lang.pick("题目", "Question")>
                <div class="body">
                    <p class="ask">{text}</p>
                    <DrillResult judged lang fresh=false />
                </div>
            </section>
        </main>
    }
    .into_any()
}

/// A badge for lists.
fn badge(outcome: Outcome, lang: Lang) -> AnyView {
    let (class, word) = match outcome {
        Outcome::Passed => ("badge ok", lang.pick("✓ 通过", "✓ passed")),
        Outcome::Late => ("badge warn", lang.pick("◷ 超时", "◷ over time")),
        Outcome::Missed => ("badge bad", lang.pick("✕ 未通过", "✕ not passed")),
    };
    view! { <span class=class>{word}</span> }.into_any()
}
