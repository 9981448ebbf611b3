//! Where a learner stands, and what they answered.

use evidence::Lang;
use leptos::prelude::*;

use super::{badge, sets::SetLine};
use crate::drill::Outcome;
use crate::pages::account::When;
use crate::rows::Rows;

/// What is kept of the reader.
#[derive(Debug, Clone)]
pub struct Own {
    pub sets: Vec<SetLine>,
    pub standings: Vec<StandingLine>,
    pub answers: Vec<AnswerLine>,
}

/// One topic.
#[derive(Debug, Clone)]
pub struct StandingLine {
    pub topic: String,
    pub name: String,
    /// 1 to 5; 0 before the first answer.
    pub level: u8,
    /// When it is due again; `None` once it is.
    pub due: Option<String>,
    pub attempts: u32,
    pub passed: u32,
}

/// One answer.
#[derive(Debug, Clone)]
pub struct AnswerLine {
    pub id: String,
    pub given: String,
    pub heading: String,
    pub yours: String,
    pub exact: String,
    pub relative_error: String,
    pub outcome: Outcome,
}

#[component]
pub fn Standings(lang: Lang, standings: Vec<StandingLine>) -> impl IntoView {
    let rows = standings
        .into_iter()
        .map(|line| {
            let href = format!("/{}/tools/drill?topic={}", lang.code(), line.topic);
            let due = match (line.level, line.due) {
                (0, _) => "—".into_any(),
                (_, Some(iso)) => view! { <When iso /> }.into_any(),
                (_, None) => lang.pick("现在", "now").into_any(),
            };
            let level = if line.level == 0 { "—".to_owned() } else { format!("{} / 5", line.level) };
            view! {
                <tr>
                    <td>
                        <a href=href>{line.name}</a>
                    </td>
                    <td class="n">{level}</td>
                    <td>{due}</td>
                    <td class="n">{line.attempts}</td>
                    <td class="n">{line.passed}</td>
                </tr>
            }
        })
        .collect_view();
    let head = vec![
        ("", lang.pick("主题", "Topic")),
        ("n", lang.pick("级别", "Level")),
        ("", lang.pick("到期", "Due")),
        ("n", lang.pick("答过", "Attempts")),
        ("n", lang.pick("通过", "Passed")),
    ];
    view! {
        <h2 id="standing">{lang.pick("你的进度", "Your standing")}</h2>
        <Rows head>{rows}</Rows>
        <p class="hint">
            {lang
                .pick(
                    "五级间隔：1 分钟、10 分钟、1 天、3 天、7 天。答对升一级，答错回到第一级；没到期就答对不改变级别。",
                    "Five levels, due after 1 minute, 10 minutes, 1, 3 and 7 days. A pass moves a topic up, a miss back to the first; a pass before it is due changes nothing.",
                )}
        </p>
    }
    .into_any()
}

#[component]
pub fn History(lang: Lang, answers: Vec<AnswerLine>) -> impl IntoView {
    let empty = answers.is_empty();
    view! {
        <h2 id="history">{lang.pick("最近的回答", "Recent answers")}</h2>
        {if empty {
            view! { <p class="empty">{lang.pick("还没有。", "None yet.")}</p> }.into_any()
        } else {
            view! { <Answers lang answers /> }.into_any()
        }}
    }
    .into_any()
}

/// Answers with the way to each.
#[component]
pub fn Answers(lang: Lang, answers: Vec<AnswerLine>) -> impl IntoView {
    let rows = answers
        .into_iter()
        .map(|line| {
            view! {
                <tr>
                    <td>
                        <a href=format!("/{}/tools/drill/answers/{}", lang.code(), line.id)>{line.heading}</a>
                    </td>
                    <td>
                        <When iso=line.given />
                    </td>
                    <td class="n">{line.yours}</td>
                    <td class="n">{line.exact}</td>
                    <td class="n">{line.relative_error}</td>
                    <td>{badge(line.outcome, lang)}</td>
                </tr>
            }
        })
        .collect_view();
    let head = vec![
        ("", lang.pick("题目", "Question")),
        ("", lang.pick("时间", "When")),
        ("n", lang.pick("估计", "Estimate")),
        ("n", lang.pick("账本", "Ledger")),
        ("n", lang.pick("相对误差", "Relative error")),
        ("", lang.pick("结果", "Result")),
    ];
    view! {
        <Rows head>{rows}</Rows>
    }
    .into_any()
}
