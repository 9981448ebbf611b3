//! The budget grid of a report: the form, the heat map, and what flips the decision.

mod flips;
mod heat;

use evidence::Lang;
use evidence::budget::{Axis, Grid};
use leptos::prelude::*;

use super::report::Given;
use crate::words;

/// What a reader asked: the axes as typed, and the report.
#[derive(Debug, Clone)]
pub struct BudgetAsked {
    /// Caps, rates and losses, as lists.
    pub axes: [String; 3],
    pub report: BudgetReport,
}

/// Where the report comes from.
#[derive(Debug, Clone)]
pub enum BudgetReport {
    /// Pasted or sent with the form; its text comes back in the form, because nothing is stored.
    Sent(String),
    /// A stored report: its id, and the lab it is about.
    Stored { id: String, lab: String },
}

/// The page; with an answer once a report was given. Sentences say why there is none.
#[component]
pub fn BudgetPage(lang: Lang, asked: BudgetAsked, answer: Option<Result<Grid, Vec<String>>>) -> impl IntoView {
    let stored = match &asked.report {
        BudgetReport::Stored { id, lab } => Some((id.clone(), lab.clone())),
        BudgetReport::Sent(_) => None,
    };
    let (problems, grid) = match answer {
        None => (Vec::new(), None),
        Some(Err(why)) => (why, None),
        Some(Ok(grid)) => (Vec::new(), Some(grid)),
    };
    let problem = (!problems.is_empty()).then(|| {
        let lines = problems.into_iter().map(|line| view! { <p>{line}</p> }).collect_view();
        view! { <div class="problem" role="alert">{lines}</div> }
    });
    view! {
        <main id="main" class="wide tool">
            <h1>{lang.pick("显存预算网格", "Budget grid")}</h1>
            <p class="lead">
                {lang
                    .pick(
                        "实验 75 的判断，换一格预算再判一次：显存上限、最低吞吐、loss 上限各给几档，看结论在哪里变，是哪条线翻转了它。",
                        "Lab 75's decision once for every budget: some levels of the memory cap, the throughput floor and the loss ceiling, where the decision changes, and which of them flips it.",
                    )}
            </p>
            {stored
                .map(|(id, lab)| {
                    view! {
                        <p class="hint">
                            <a href=format!("/{}/reports/{id}", lang.code())>
                                {lang.pick("报告：实验 ", "Report: lab ")} {lab}
                            </a>
                        </p>
                    }
                })}
            {problem}
            <AskForm lang asked />
            {grid.map(|grid| view! { <Answer lang grid /> })}
        </main>
    }
    .into_any()
}

#[component]
fn AskForm(lang: Lang, asked: BudgetAsked) -> impl IntoView {
    let BudgetAsked { axes: [caps, rates, losses], report } = asked;
    let field = |axis: Axis, label: &'static str, value: String| {
        view! {
            <label>
                <span>{label}</span>
                <input type="text" name=axis.input() value=value maxlength="400" spellcheck="false" autocomplete="off" />
            </label>
        }
    };
    let fields = view! {
        <div class="fields">
            {field(Axis::Memory, lang.pick("显存上限（MiB）", "Memory caps (MiB)"), caps)}
            {field(Axis::Throughput, lang.pick("最低吞吐（样本/s）", "Throughput floors (samples/s)"), rates)}
            {field(Axis::Loss, lang.pick("loss 上限", "Loss ceilings"), losses)}
        </div>
        <p class="hint">
            {lang
                .pick(
                    "每个轴最多 10 档，用逗号隔开：数字是绝对值，0.7x 是基线的倍数，+2% 是比基线多 2 %。清空一个轴就不限制它。",
                    "Up to 10 levels an axis, separated by commas: a number is absolute, 0.7x is times the baseline, +2% is 2 % above it. An empty axis limits nothing.",
                )}
        </p>
    };
    let compute = lang.pick("计算", "Compute");
    match report {
        BudgetReport::Stored { id, .. } => view! {
            <form class="card budget-form" method="get" action=format!("/{}/reports/{id}/budget", lang.code())>
                <div class="body">
                    {fields} <p>
                        <button class="button" type="submit">
                            {compute}
                        </button>
                    </p>
                </div>
            </form>
        }
        .into_any(),
        BudgetReport::Sent(text) => view! {
            <form
                class="card budget-form"
                method="post"
                enctype="multipart/form-data"
                action=format!("/{}/tools/budget", lang.code())
            >
                <div class="body">
                    {fields} <Given lang file=lang.pick("报告文件", "A report's file") act=compute text /> <p class="hint">
                        {lang
                            .pick(
                                "76、75 或 vramlab-report/v1，至多 1 MiB。服务器算完就丢，不保存，也不评分。",
                                "A 76, a 75 or a vramlab-report/v1, 1 MiB at most. The server computes and keeps nothing; it is not handed in.",
                            )}
                    </p>
                </div>
            </form>
        }
        .into_any(),
    }
}

#[component]
fn Answer(lang: Lang, grid: Grid) -> impl IntoView {
    let own = grid.own.as_ref().map(|own| {
        let word = words::decision(own.decision.id(), lang);
        let best = own.best.clone().unwrap_or_else(|| lang.pick("无", "none").to_owned());
        view! {
            <p>
                {lang.pick("报告自己的限制下：", "Under the report's own limits: ")}
                <b data-own=own.decision.id()>{word}</b>
                " · "
                {lang.pick("最佳 ", "best ")}
                <b>{best}</b>
                " · "
                <code>{own.reason.clone()}</code>
            </p>
        }
    });
    let without = grid.without_reference.iter().map(|axis| flips::name(*axis, lang)).collect::<Vec<_>>();
    let without = (!without.is_empty()).then(|| {
        let text = match lang {
            Lang::Zh => format!("基线没有这些数字，相对档位无从计算，因此不限制：{}", without.join("、")),
            Lang::En => {
                format!("The baseline lacks the number, so relative levels limit nothing: {}", without.join(", "))
            }
        };
        view! { <p class="hint" role="note">{text}</p> }
    });
    view! {
        <section class="card" aria-label=lang.pick("网格", "The grid")>
            <header>
                <b>{lang.pick("网格", "The grid")}</b>
                <span>{counts(&grid, lang)}</span>
            </header>
            <div class="body">
                {own} {without} <p class="verdict">
                    <b>{stable(&grid, lang)}</b>
                </p> <heat::HeatMap lang grid=grid.clone() />
            </div>
        </section>
        <section class="card" aria-label=lang.pick("翻转", "What flips it")>
            <header>
                <b>{lang.pick("哪条线翻转结论", "What flips the decision")}</b>
                <span>{lang.pick("一次动一个轴，其余按报告自己的限制", "one axis at a time, the others as the report states them")}</span>
            </header>
            <div class="body">
                <flips::Flips lang grid />
            </div>
        </section>
    }
    .into_any()
}

/// `27 scenarios: 6 accept, 21 reject`
fn counts(grid: &Grid, lang: Lang) -> String {
    let summary = &grid.summary;
    let list = summary.decision_counts.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>();
    match lang {
        Lang::Zh => format!("{} 个场景：{}", summary.scenario_count, list.join("、")),
        Lang::En => format!("{} scenarios: {}", summary.scenario_count, list.join(", ")),
    }
}

fn stable(grid: &Grid, lang: Lang) -> &'static str {
    let summary = &grid.summary;
    match (summary.decision_stable, summary.best_candidate_stable && summary.feasible_set_stable) {
        (true, true) => lang.pick(
            "稳定：结论、最佳候选和可行集合处处相同。",
            "Stable: decision, best candidate and feasible set are the same everywhere.",
        ),
        (true, false) => lang.pick(
            "结论处处相同，但最佳候选或可行集合会变。",
            "The decision is the same everywhere; the best candidate or the feasible set is not.",
        ),
        (false, _) => lang.pick("敏感：结论取决于预算。", "Sensitive: the decision hangs on the budget."),
    }
}
