//! One report: decision said and recomputed, points, reconciliation, checks, the document.

use evidence::{DecisionLine, Grade, Lang, Outcome, Report};
use leptos::prelude::*;

use super::ReportFacts;
use super::checks::Checks;
use super::measured::Measured;
use super::points::Held;
use super::raise::Raise;
use super::reconciliation::Reconciliation;
use super::threads::Threads;
use crate::pages::credit::{Credit, CreditLine};
use crate::pages::kernel_resources::Resources;
use crate::words;

#[component]
pub fn ReportPage(
    lang: Lang,
    facts: ReportFacts,
    grade: Option<Grade>,
    threads: Threads,
    /// The report as it was read; none where it is not one.
    report: Option<Report>,
    raw: String,
) -> impl IntoView {
    let title = facts.title.as_ref().map_or_else(|| facts.lab.clone(), |(zh, en)| lang.pick(zh, en).to_owned());
    let measured = report.map(|report| view! { <Measured report lang /> }).into_any();
    view! {
        <main id="main" class="wide report">
            <h1>
                {title} " " <small class="hint">{lang.pick("实验 ", "lab ")} {facts.lab.clone()}</small>
            </h1>
            <Facts facts=facts.clone() lang />
            <Credits lang credits=facts.credits.clone() />
            {match grade {
                Some(grade) => view! { <Graded grade threads measured facts=facts.clone() lang /> }.into_any(),
                None if facts.held.is_some() => {
                    let until = facts.held.clone().flatten();
                    view! {
                        <p class="lead" role="status">
                            {lang.pick("报告已保存并已评分。", "The report is stored and graded. ")}
                            <Held lang until />
                        </p>
                        {measured}
                    }
                        .into_any()
                }
                None => {
                    view! {
                        <p class="lead" role="status">
                            {lang.pick("报告已保存，正在等待评分；稍后刷新本页。", "The report is stored and waits for its grade; reload in a moment.")}
                        </p>
                        {measured}
                    }
                        .into_any()
                }
            }}
            {facts.own_kernel.clone().map(|code| view! { <Resources lang code /> })}
            {facts
                .has_budget
                .then(|| {
                    view! {
                        <p>
                            <a href=format!("/{}/reports/{}/budget", lang.code(), facts.id)>
                                {lang.pick("换一格预算再判断：预算网格", "Decide it under other budgets: the budget grid")}
                            </a>
                        </p>
                    }
                })}
            <details class="document">
                <summary>{lang.pick("原始 JSON（绝对路径已隐去）", "Raw JSON (absolute paths shortened)")}</summary>
                <pre class="raw" tabindex="0">{raw}</pre>
            </details>
            <p class="hint">
                <a href=format!("/{}/reports/{}/raw.json", lang.code(), facts.id)>
                    {lang.pick("下载原始字节", "Download the exact bytes")}
                </a>
                " · SHA-256 "
                <code>{facts.sha256.clone()}</code>
            </p>
        </main>
    }
    .into_any()
}

#[component]
fn Facts(facts: ReportFacts, lang: Lang) -> impl IntoView {
    let twins = facts
        .twins
        .iter()
        .map(|(id, name)| {
            view! {
                <a href=format!("/{}/reports/{id}", lang.code())>{name.clone()}</a>
                " "
            }
        })
        .collect_view();
    view! {
        <p class="facts">
            <span class=words::class_badge(facts.class)>{words::class(facts.class, lang)}</span>
            <span class="badge theory">{words::origin(&facts.origin, lang)}</span>
            {facts.level.map(|level| view! { <span class="badge theory">{words::level(&level, lang)}</span> })}
            {facts.device.map(|device| view! { <span>{device}</span> })}
            {facts
                .own_kernel
                .map(|code| {
                    view! {
                        <span class="badge warn own-kernel">
                            "✎ " {lang.pick("学习者自己的核 ", "the learner's own kernel ")} <code>{code.kernel}</code>
                        </span>
                    }
                })}
            <span>{facts.created}</span>
            {facts.owner.map(|owner| view! { <span>{lang.pick("学习者：", "Learner: ")} <b>{owner}</b></span> })}
        </p>
        {(!facts.twins.is_empty())
            .then(|| {
                view! {
                    <p class="problem">
                        {lang.pick("与其他学习者的文件逐字节相同：", "Byte for byte the file of another learner: ")} {twins}
                    </p>
                }
            })}
    }
    .into_any()
}

#[component]
fn Graded(grade: Grade, threads: Threads, measured: AnyView, facts: ReportFacts, lang: Lang) -> impl IntoView {
    let evidence = matches!(grade.outcome, Outcome::Graded);
    let points = grade.points;
    let items = grade
        .items
        .iter()
        .map(|item| {
            let part = match item.part {
                evidence::Part::Cpu => ("badge cpu", "■ CPU"),
                evidence::Part::Gpu => ("badge gpu", "◆ GPU"),
            };
            let why = item.blocked.map(|blocked| match blocked {
                evidence::Blocked::NeedsGpu => lang.pick("需要 GPU 证据", "needs GPU evidence"),
                evidence::Blocked::NeedsProvenance => lang.pick("此来源不计 GPU 分", "this provenance earns no GPU points"),
                evidence::Blocked::NotEvidence => lang.pick("不是证据", "not evidence"),
            });
            view! {
                <tr>
                    <td>
                        <span class=part.0>{part.1}</span>
                    </td>
                    <td>{item.title.get(lang).to_owned()} {why.map(|why| view! { <small class="hint">" — " {why}</small> })}</td>
                    <td class="n">{format!("{} / {}", item.earned, item.possible)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        {evidence.then(|| view! { <Decision line=grade.decision.clone() lang /> })}
        {(!evidence)
            .then(|| {
                view! {
                    <p class="problem not-evidence" role="status">
                        <b>{lang.pick("不是证据。", "Not evidence. ")}</b>
                        {lang
                            .pick(
                                "这份文件没有可以评分的测量；下面的检查说明原因和下一步。不计入提交次数。",
                                "There is no measurement in this file to grade; the checks below say why and what to do. No attempt is spent.",
                            )}
                    </p>
                }
            })}
        <section class="card" aria-label=lang.pick("评分", "Grade")>
            <header>
                <b>{lang.pick("评分", "Grade")}</b>
                <span>
                    {facts
                        .grader
                        .clone()
                        .map(|version| format!("{} {version}", lang.pick("评分器", "grader")))}
                    {lang.pick(" · CPU 可确认部分与 GPU 部分分别计分", " · CPU-provable part and GPU part apart")}
                </span>
            </header>
            <div class="body">
                <div class="answer">
                    <span>
                        <strong>{format!("{} / {}", points.earned, points.possible)}</strong>
                        <small>{lang.pick(" 分", " points")}</small>
                    </span>
                    <span>
                        <small>{lang.pick("CPU 可确认 ", "CPU-provable ")}</small>
                        <strong class="cpu-points">{format!("{} / {}", points.cpu.earned, points.cpu.possible)}</strong>
                    </span>
                    <span>
                        <small>{lang.pick("GPU 部分 ", "GPU part ")}</small>
                        <strong class="gpu-points">{format!("{} / {}", points.gpu.earned, points.gpu.possible)}</strong>
                    </span>
                </div>
                <table>
                    <tbody>{items}</tbody>
                </table>
            </div>
        </section>
        {(!grade.reconciliation.is_empty())
            .then(|| view! { <Reconciliation lines=grade.reconciliation.clone() lang /> })}
        {measured}
        <Raise lang grade=grade.clone() accepted=facts.accepted />
        <Checks checks=grade.checks threads lang />
    }
    .into_any()
}

/// What the lab counts in each class of the learner.
#[component]
fn Credits(lang: Lang, credits: Vec<(String, Vec<CreditLine>)>) -> impl IntoView {
    credits
        .into_iter()
        .map(|(class, lines)| {
            let lines = lines.into_iter().map(|line| view! { <Credit lang line /> }).collect_view();
            view! {
                <section class="card credits" aria-label=lang.pick("班级里的得分", "Points in class")>
                    <header>
                        <b>{lang.pick("班级里的得分", "Points in class")}</b>
                        <span><bdi>{class}</bdi></span>
                    </header>
                    <div class="body">{lines}</div>
                </section>
            }
        })
        .collect_view()
}

#[component]
fn Decision(line: DecisionLine, lang: Lang) -> impl IntoView {
    let none = lang.pick("报告未写", "none stated");
    let said = line.said.as_deref().map_or_else(|| none.to_owned(), |word| words::decision(word, lang));
    let nothing = lang.pick("没有可比较的内容，因此不作判断", "nothing to compare, so nothing to decide");
    let recomputed = line.recomputed.as_deref().map_or_else(|| nothing.to_owned(), |word| words::decision(word, lang));
    let agree = line.recomputed.is_some() && line.said == line.recomputed;
    view! {
        <div class="twocol decision" data-said=line.said.clone() data-recomputed=line.recomputed.clone()>
            <div>
                <h2>{lang.pick("报告的结论", "Your report says")}</h2>
                <span class="badge warn said">{said}</span>
            </div>
            <div>
                <h2>{lang.pick("由数字重新计算", "Recomputed from the numbers")}</h2>
                <span class=if agree { "badge ok recomputed" } else { "badge warn recomputed" }>{recomputed}</span>
                {agree.then(|| view! { <b>{lang.pick(" 一致", " confirmed")}</b> })}
                {line.reason.map(|reason| view! { <p><code>{reason}</code></p> })}
                {line
                    .next_action
                    .map(|next| view! { <p class="hint">{lang.pick("下一步：", "Next: ")} <code>{next}</code></p> })}
            </div>
        </div>
    }
    .into_any()
}
