//! A quiz: answers are judged by the server, and kept for those who are signed in.

use evidence::Lang;
use leptos::prelude::*;

use super::browser;
use crate::lesson::{Question, Quiz, Verdict};

/// All questions of one quiz; as a plain form it is sent as a whole.
#[island]
pub fn QuizCard(quiz: Quiz, lang: Lang) -> impl IntoView {
    let action = format!("/{}/quiz/{}?quiz={}", lang.code(), quiz.lesson, quiz.id);
    let (lesson, id) = (quiz.lesson.clone(), quiz.id.clone());
    let questions = quiz
        .questions
        .into_iter()
        .map(|question| view! { <Ask question lesson=lesson.clone() quiz=id.clone() lang /> })
        .collect_view();
    view! {
        <section class="card quiz" id=format!("quiz-{id}") aria-label=lang.pick("小测", "Quiz")>
            <header>
                <b>{lang.pick("小测", "Quiz")}</b>
                <span>{lang.pick("登录后答案会保留", "sign in to keep your answers")}</span>
            </header>
            <form class="body" method="post" action=action>
                {questions}
                <button class="button no-js" type="submit">{lang.pick("提交答案", "Check all")}</button>
            </form>
        </section>
    }
}

#[component]
fn Ask(question: Question, lesson: String, quiz: String, lang: Lang) -> impl IntoView {
    let chosen = RwSignal::new(Vec::<usize>::new());
    let verdict = RwSignal::new(None::<Verdict>);
    let trouble = RwSignal::new(None::<String>);
    let id = question.id.clone();
    let several = question.several;
    let choices = question
        .choices
        .iter()
        .enumerate()
        .map(|(at, html)| {
            let name = id.clone();
            let mark = move || {
                verdict.with(|verdict| {
                    let verdict = verdict.as_ref()?;
                    let correct = verdict.correct.contains(&at);
                    let picked = verdict.chosen.contains(&at);
                    Some(match (correct, picked) {
                        (true, _) => "right",
                        (false, true) => "wrong",
                        (false, false) => "plain",
                    })
                })
            };
            let why = move || {
                verdict.with(|verdict| verdict.as_ref().and_then(|v| v.why.get(at).cloned()).unwrap_or_default())
            };
            view! {
                <li data-mark=mark>
                    <label>
                        <input
                            type=if several { "checkbox" } else { "radio" }
                            name=name
                            value=at.to_string()
                            on:change=move |event| {
                                let on = event_target_checked(&event);
                                chosen
                                    .update(|chosen| {
                                        if !several {
                                            chosen.clear();
                                        }
                                        chosen.retain(|other| *other != at);
                                        if on {
                                            chosen.push(at);
                                        }
                                    });
                            }
                        />
                        <span inner_html=html.clone()></span>
                    </label>
                    <p class="why" hidden=move || verdict.with(Option::is_none) inner_html=why></p>
                </li>
            }
        })
        .collect_view();
    let send = {
        let (lesson, quiz, id) = (lesson, quiz, id.clone());
        move |_| {
            let body = serde_json::json!({
                "lang": lang.code(), "lesson": lesson, "quiz": quiz, "question": id, "chosen": chosen.get_untracked(),
            });
            browser::post("/api/v1/quiz_answers".to_owned(), body.to_string(), move |answer| {
                match answer.ok().and_then(|text| serde_json::from_str::<Verdict>(&text).ok()) {
                    Some(judged) => {
                        trouble.set(None);
                        verdict.set(Some(judged));
                    }
                    None => trouble.set(Some(
                        lang.pick(
                            "没有送达，请检查网络后再试一次；选择还在。",
                            "That did not reach the server. Check the connection and try again; your choice is still here.",
                        )
                        .to_owned(),
                    )),
                }
            });
        }
    };
    view! {
        <fieldset class="question" data-question=id>
            <legend inner_html=question.text></legend>
            <ol class="choices">{choices}</ol>
            <button
                type="button"
                class="button quiet js-only"
                disabled=move || chosen.with(Vec::is_empty)
                on:click=send
            >
                {lang.pick("核对", "Check")}
            </button>
            <p class="problem" role="alert" hidden=move || trouble.with(Option::is_none)>
                {move || trouble.get()}
            </p>
            <div class="verdict" aria-live="polite" hidden=move || verdict.with(Option::is_none)>
                <span class=move || if verdict.with(|v| v.as_ref().is_some_and(|v| v.right)) { "badge ok" } else { "badge bad" }>
                    {move || {
                        if verdict.with(|v| v.as_ref().is_some_and(|v| v.right)) {
                            lang.pick("✓ 正确", "✓ Right")
                        } else {
                            lang.pick("✕ 不对", "✕ Not quite")
                        }
                    }}
                </span>
                <span class="kept-mark">
                    {move || verdict.with(|v| v.as_ref().is_some_and(|v| v.kept)).then_some(lang.pick("已保存", "saved"))}
                </span>
                <p inner_html=move || verdict.with(|v| v.as_ref().map(|v| v.explain.clone()).unwrap_or_default())></p>
            </div>
        </fieldset>
    }
}

/// A question with its verdict, without anything to press.
#[component]
pub fn Answered(question: Question, lang: Lang, verdict: Option<Verdict>) -> impl IntoView {
    let right = verdict.as_ref().is_some_and(|verdict| verdict.right);
    let open = verdict.is_none();
    let choices = question
        .choices
        .iter()
        .enumerate()
        .map(|(at, html)| {
            let mark = verdict.as_ref().map(|v| match (v.correct.contains(&at), v.chosen.contains(&at)) {
                (true, _) => "right",
                (false, true) => "wrong",
                (false, false) => "plain",
            });
            let picked = verdict.as_ref().is_some_and(|v| v.chosen.contains(&at));
            let why = verdict.as_ref().and_then(|v| v.why.get(at).cloned()).unwrap_or_default();
            view! {
                <li data-mark=mark>
                    <span class="pick">{if picked { "●" } else { "○" }}</span>
                    <span inner_html=html.clone()></span>
                    <p class="why" inner_html=why></p>
                </li>
            }
        })
        .collect_view();
    let badge = match (open, right) {
        (true, _) => view! { <span class="badge theory">{lang.pick("未作答", "not answered")}</span> },
        (false, true) => view! { <span class="badge ok">{lang.pick("✓ 正确", "✓ Right")}</span> },
        (false, false) => view! { <span class="badge bad">{lang.pick("✕ 不对", "✕ Not quite")}</span> },
    };
    view! {
        <section class="question answered">
            <p class="legend" inner_html=question.text></p>
            <ol class="choices">{choices}</ol>
            {badge}
            {verdict.map(|verdict| view! { <p inner_html=verdict.explain></p> })}
        </section>
    }
}
