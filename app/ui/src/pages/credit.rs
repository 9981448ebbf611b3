//! Why a part of a lab counts what it counts: the attempts on the dates of the lab, and points set by hand.

use evidence::{Lang, Part};
use leptos::prelude::*;

use super::account::When;
use crate::rows::Rows;

/// Where an attempt lies on the dates of its lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepName {
    BeforeOpening,
    Early,
    OnTime,
    Late,
    Closed,
}

impl StepName {
    pub fn name(self, lang: Lang) -> &'static str {
        match self {
            Self::BeforeOpening => lang.pick("开放之前", "before opening"),
            Self::Early => lang.pick("提前", "early"),
            Self::OnTime => lang.pick("按时", "on time"),
            Self::Late => lang.pick("迟交", "late"),
            Self::Closed => lang.pick("已截止", "after closing"),
        }
    }
}

/// A graded report as an attempt. Points by time are text: hundredths without what is not needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptLine {
    pub report: String,
    /// RFC 3339.
    pub at: String,
    pub earned: i64,
    pub step: StepName,
    pub percent: i64,
    pub credit: String,
    pub best: bool,
    pub latest: bool,
    /// It is what the part counts.
    pub counts: bool,
}

/// Points set by hand, or taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandLine {
    pub points: Option<String>,
    pub reason: String,
    pub author: String,
    pub at: String,
}

/// One part of a lab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditLine {
    pub part: Part,
    pub possible: i64,
    /// What stands; none where there is neither an attempt nor points by hand.
    pub credit: Option<String>,
    pub by_hand: bool,
    /// In order of time.
    pub attempts: Vec<AttemptLine>,
    /// Newest first.
    pub history: Vec<HandLine>,
    /// What an attempt of this moment would count.
    pub now: (StepName, i64),
}

/// The mark of a part, the same wherever it stands.
#[component]
pub fn PartBadge(lang: Lang, part: Part) -> impl IntoView {
    match part {
        Part::Cpu => {
            view! { <span class="badge cpu">"■ " {lang.pick("CPU 可确认", "CPU-provable")}</span> }
        }
        Part::Gpu => {
            view! { <span class="badge gpu">"◆ " {lang.pick("GPU 证据", "GPU evidence")}</span> }
        }
    }
}

#[component]
pub fn Credit(
    lang: Lang,
    line: CreditLine,
    /// Whether attempts lead to their reports.
    #[prop(default = true)]
    links: bool,
) -> impl IntoView {
    let part = line.part;
    let id = match part {
        Part::Cpu => "cpu",
        Part::Gpu => "gpu",
    };
    let credit = line.credit.clone().unwrap_or_else(|| "—".to_owned());
    view! {
        <section class="credit" data-part=id data-credit=credit.clone()>
            <p class="answer">
                <span>
                    <PartBadge lang part />
                    " "
                    <strong>{format!("{credit} / {}", line.possible)}</strong>
                </span>
                {line.by_hand.then(|| view! { <span class="badge warn">"✎ " {lang.pick("人工设定", "set by hand")}</span> })}
            </p>
            <p class="why">{why(&line, lang)}</p>
            {(!line.history.is_empty()).then(|| view! { <History lang history=line.history.clone() /> })}
            {(!line.attempts.is_empty()).then(|| view! { <Attempts lang attempts=line.attempts.clone() links /> })}
            <p class="hint">{now(line.now, lang)}</p>
        </section>
    }
    .into_any()
}

/// The sentence about what counts.
fn why(line: &CreditLine, lang: Lang) -> String {
    if let (true, Some(set)) = (line.by_hand, line.history.first()) {
        return match lang {
            Lang::Zh => format!("由 {} 设定，理由：{}", set.author, set.reason),
            Lang::En => format!("Set by {}: {}", set.author, set.reason),
        };
    }
    let Some(attempt) = line.attempts.iter().find(|attempt| attempt.counts) else {
        return match line.part {
            Part::Cpu => lang.pick("还没有计入的提交。", "Nothing handed in yet.").to_owned(),
            Part::Gpu => lang
                .pick(
                    "还没有 GPU 类报告：这一部分只能由 GPU 证据得分。",
                    "No report of class GPU yet: only GPU evidence earns this part.",
                )
                .to_owned(),
        };
    };
    let which = match (attempt.best, attempt.latest) {
        (true, true) => lang.pick("计入最好的一次，也是最近一次", "The best attempt counts, which is also the latest"),
        (false, true) => lang.pick("计入最近一次", "The latest attempt counts"),
        _ => lang.pick("计入最好的一次", "The best attempt counts"),
    };
    let at = attempt.at.get(..16).unwrap_or(&attempt.at).replace('T', " ");
    let step = attempt.step.name(lang);
    match lang {
        Lang::Zh => format!(
            "{which}：{at} UTC 提交，{step}，{} 分 × {} % = {} 分。",
            attempt.earned, attempt.percent, attempt.credit
        ),
        Lang::En => format!(
            "{which}: handed in {at} UTC, {step}, {} points × {} % = {}.",
            attempt.earned, attempt.percent, attempt.credit
        ),
    }
}

fn now((step, percent): (StepName, i64), lang: Lang) -> String {
    let step = step.name(lang);
    match lang {
        Lang::Zh => format!("现在提交：{step}，计 {percent} %。"),
        Lang::En => format!("Handed in now: {step}, {percent} % of its points."),
    }
}

#[component]
fn History(lang: Lang, history: Vec<HandLine>) -> impl IntoView {
    let lines = history
        .into_iter()
        .map(|line| {
            let what = match line.points {
                Some(points) => match lang {
                    Lang::Zh => format!("✎ {points} 分"),
                    Lang::En => format!("✎ {points} points"),
                },
                None => lang.pick("↶ 撤回", "↶ taken back").to_owned(),
            };
            view! {
                <li>
                    <b>{what}</b>
                    " · "
                    <bdi>{line.reason}</bdi>
                    <small><bdi>{line.author}</bdi> " · " <When iso=line.at /></small>
                </li>
            }
        })
        .collect_view();
    view! { <ul class="report-list by-hand">{lines}</ul> }.into_any()
}

#[component]
fn Attempts(lang: Lang, attempts: Vec<AttemptLine>, links: bool) -> impl IntoView {
    let head = vec![
        ("", lang.pick("提交时间", "Handed in")),
        ("", lang.pick("时段", "Step")),
        ("n", lang.pick("得分", "Points")),
        ("n", "%"),
        ("n", lang.pick("计分", "Credit")),
        ("", ""),
    ];
    let rows = attempts
        .into_iter()
        .map(|attempt| {
            let marks: Vec<&str> = [
                (attempt.best, lang.pick("最好", "best")),
                (attempt.latest, lang.pick("最近", "latest")),
                (attempt.counts, lang.pick("✓ 计入", "✓ counts")),
            ]
            .into_iter()
            .filter_map(|(is, mark)| is.then_some(mark))
            .collect();
            let when = view! { <When iso=attempt.at /> };
            view! {
                <tr>
                    <td>
                        {if links {
                            view! { <a href=format!("/{}/reports/{}", lang.code(), attempt.report)>{when}</a> }.into_any()
                        } else {
                            when.into_any()
                        }}
                    </td>
                    <td>{attempt.step.name(lang)}</td>
                    <td class="n">{attempt.earned}</td>
                    <td class="n">{attempt.percent}</td>
                    <td class="n">{attempt.credit}</td>
                    <td>{marks.join(" · ")}</td>
                </tr>
            }
        })
        .collect_view();
    view! { <Rows head>{rows}</Rows> }.into_any()
}
