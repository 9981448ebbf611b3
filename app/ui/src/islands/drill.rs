//! A question of the drill: the clock runs here, the server judges.

use std::time::Duration;

use evidence::Lang;
use leptos::prelude::*;

use super::browser;
use crate::drill::{Asked, Judged, Outcome, Sent};
use crate::rows::Rows;

/// Seconds of a question.
const LIMIT_S: u32 = 60;

/// The question and one field. As a plain form it is sent to the page of the drill.
#[island]
pub fn DrillCard(
    asked: Asked,
    lang: Lang,
    /// What was typed and why it could not be read.
    typed: String,
    problem: Option<String>,
) -> impl IntoView {
    let typed = RwSignal::new(typed);
    let problem = RwSignal::new(problem);
    let judged = RwSignal::new(None::<Judged>);
    let busy = RwSignal::new(false);
    let left = count_down(asked.left_ms, judged);
    let question = asked.clone();
    let send = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        let sent = Sent {
            question: question.id.clone().unwrap_or_default(),
            seed: question.seed,
            topic: question.topic.clone(),
            chosen: question.chosen.clone(),
            asked_ms: question.asked_ms,
            answer: typed.get_untracked(),
        };
        let body = serde_json::to_string(&sent).unwrap_or_default();
        let url = format!("/api/v1/drill/answers?lang={}", lang.code());
        browser::post(url, body, move |answer| {
            busy.set(false);
            let read = answer.and_then(|text| serde_json::from_str(&text).map_err(|_| (0, String::new())));
            match read {
                Ok(answer) => {
                    problem.set(None);
                    judged.set(Some(answer));
                }
                Err((status, body)) => problem.set(Some(why(status, &body, lang))),
            }
        });
    };
    let asks = asked.text.clone();
    let heading = asked.heading.clone();
    let label = match asked.unit.as_str() {
        "" => lang.pick("你的估计", "Your estimate").to_owned(),
        unit => lang.pick("你的估计，单位 ", "Your estimate in ").to_owned() + unit,
    };
    let hint = match asked.unit.as_str() {
        "" => lang.pick("一个整数。误差不超过 20 % 就算通过。", "A whole number. Within 20 % passes."),
        _ => lang.pick(
            "也可以写别的单位，例如 12.9 GB。误差不超过 20 % 就算通过。",
            "Other units may be written out, such as 12.9 GB. Within 20 % passes.",
        ),
    };
    view! {
        <section class="card drill" aria-label=lang.pick("题目", "Question")>
            <header>
                <b>{heading}</b>
                <span class="clock js-only" hidden=move || judged.with(Option::is_some)>
                    <progress
                        max=LIMIT_S.to_string()
                        value=left.get_untracked().to_string()
                        prop:value=move || left.get().to_string()
                        aria-label=lang.pick("剩余秒数", "Seconds left")
                    ></progress>
                    <b class=move || if left.get() <= 10 { "n few" } else { "n" }>{move || left.get()} " s"</b>
                </span>
            </header>
            <div class="body">
                <p class="ask" id="drill-question">
                    {asks}
                </p>
                <form
                    class="row-form"
                    method="post"
                    action=format!("/{}/tools/drill", lang.code())
                    hidden=move || judged.with(Option::is_some)
                    on:submit=send
                >
                    <input type="hidden" name="question" value=asked.id.clone().unwrap_or_default() />
                    <input type="hidden" name="seed" value=asked.seed.to_string() />
                    <input type="hidden" name="topic" value=asked.topic.clone() />
                    <input type="hidden" name="chosen" value=asked.chosen.clone() />
                    <input type="hidden" name="asked_ms" value=asked.asked_ms.to_string() />
                    <label>
                        {label}
                        <input
                            name="answer"
                            value=typed.get_untracked()
                            required
                            autofocus
                            maxlength="40"
                            autocomplete="off"
                            autocapitalize="none"
                            spellcheck="false"
                            aria-describedby="drill-question drill-hint"
                            aria-invalid=move || problem.with(Option::is_some).then_some("true")
                            on:input=move |event| typed.set(event_target_value(&event))
                        />
                    </label>
                    <button type="submit" class="button" disabled=move || busy.get()>
                        {lang.pick("提交", "Answer")}
                    </button>
                </form>
                <p class="problem" role="alert" hidden=move || problem.with(Option::is_none)>
                    {move || problem.get()}
                </p>
                <p class="hint" id="drill-hint" hidden=move || judged.with(Option::is_some)>
                    {hint}
                    " "
                    <span class="no-js">
                        {lang
                            .pick(
                                "60 秒从出题时算起，以服务器的时钟为准；超时仍可作答，但不算通过。",
                                "The 60 seconds run from when the question was asked, by the server's clock; afterwards an answer is accepted but does not pass.",
                            )}
                    </span>
                </p>
                <p class="hint" role="status">
                    {move || {
                        (left.get() == 0 && judged.with(Option::is_none))
                            .then_some(
                                lang
                                    .pick(
                                        "时间到。仍可作答，但不算通过。",
                                        "Time is up. An answer is still accepted, but it does not pass.",
                                    ),
                            )
                    }}
                </p>
                {move || judged.get().map(|judged| view! { <DrillResult judged lang fresh=true /> })}
            </div>
        </section>
    }
    .into_any()
}

/// Whole seconds that are left; stands still once the question is judged.
fn count_down(left_ms: u32, judged: RwSignal<Option<Judged>>) -> RwSignal<u32> {
    let left = RwSignal::new(left_ms.div_ceil(1_000));
    Effect::new(move |_| {
        let end = browser::now_ms() + f64::from(left_ms);
        let tick = move || {
            if judged.with_untracked(Option::is_none) {
                let now = ((end - browser::now_ms()).max(0.0) / 1_000.0).ceil() as u32;
                if left.get_untracked() != now {
                    left.set(now);
                }
            }
        };
        // The page is left for the next question: the browser ends the clock.
        let _ = set_interval_with_handle(tick, Duration::from_millis(200));
    });
    left
}

/// Why an answer was not judged. The server's own words where it has some.
fn why(status: u16, body: &str, lang: Lang) -> String {
    let said = serde_json::from_str::<serde_json::Value>(body).ok();
    let said = said.as_ref().and_then(|problem| problem["detail"].as_str());
    match (status, said) {
        (422, Some(said)) => said.to_owned(),
        _ => lang
            .pick(
                "没有送达，请检查网络后再试一次；你写的还在。",
                "That did not reach the server. Check the connection and try again; what you typed is still here.",
            )
            .to_owned(),
    }
}

/// An answer beside the ledger's, the rule that would have done, and the worked ledger.
#[component]
pub fn DrillResult(
    judged: Judged,
    lang: Lang,
    /// It has just arrived: the keyboard goes to the next question.
    fresh: bool,
) -> impl IntoView {
    let (badge, word) = match judged.outcome {
        Outcome::Passed => ("badge ok", lang.pick("✓ 通过", "✓ Passed")),
        Outcome::Late => {
            ("badge warn", lang.pick("◷ 够准，但超时：不算通过", "◷ Close enough, but over time: not passed"))
        }
        Outcome::Missed => ("badge bad", lang.pick("✕ 没有通过", "✕ Not passed")),
    };
    let next = NodeRef::<leptos::html::A>::new();
    Effect::new(move |_| {
        if let Some(link) = next.get().filter(|_| fresh) {
            let _ = link.focus();
        }
    });
    let lines = judged
        .worked
        .into_iter()
        .map(|line| {
            view! {
                <tr>
                    <td>{line.name}</td>
                    <td class="n">{line.value}</td>
                    <td class="formula">{line.formula}</td>
                </tr>
            }
        })
        .collect_view();
    let assumptions = judged.assumptions.into_iter().map(|text| view! { <li>{text}</li> }).collect_view();
    let head =
        vec![("", lang.pick("项", "Line")), ("n", lang.pick("值", "Value")), ("formula", lang.pick("公式", "Formula"))];
    view! {
        <div class="verdict">
            <div role="status">
                <span class=badge>{word}</span>
                <span class="kept-mark">{judged.kept}</span>
                <p class="answer">
                    <span>
                        <small>{lang.pick("你的估计", "your estimate")}</small>
                        " "
                        <strong>{judged.yours}</strong>
                    </span>
                    <span>
                        <small>{lang.pick("账本", "ledger")}</small>
                        " "
                        <strong>{judged.exact}</strong>
                    </span>
                    <span>
                        <small>{lang.pick("相对误差", "relative error")}</small>
                        " "
                        <strong>{judged.relative_error}</strong>
                    </span>
                    <span>
                        <small>{lang.pick("用时", "time")}</small>
                        " "
                        <strong>{judged.seconds} " s"</strong>
                    </span>
                </p>
                {judged.slip.map(|slip| view! { <p>{slip}</p> })}
            </div>
            <p class="actions">
                <a class="button" href=judged.next node_ref=next>
                    {lang.pick("下一题", "Next")}
                </a>
            </p>
            <p>
                <b>{lang.pick("心算法则：", "Rule of thumb: ")}</b>
                {judged.rule}
                <br />
                <span class="formula">{judged.rule_formula}</span>
            </p>
            <Rows caption=lang.pick("账本怎么算", "How the ledger finds it") head>{lines}</Rows>
            <details class="assumptions" open>
                <summary>{lang.pick("假设", "Assumptions")}</summary>
                <ul>{assumptions}</ul>
            </details>
        </div>
    }
    .into_any()
}
