//! How a class stands in one lab: points of both parts apart, the checks that failed most, who has evidence of a GPU.

use evidence::Lang;
use leptos::prelude::*;

use super::back::Back;
use crate::chart::{Column, Tally};
use crate::rows::Rows;

/// Learners by points of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointSpread {
    pub possible: i64,
    /// Points, or a range of them, and learners.
    pub columns: Vec<Column>,
    /// Learners with points of this part.
    pub learners: u64,
    /// Hundredths of a point.
    pub median: Option<i64>,
}

/// A check and how many learners' newest reports fail it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCheck {
    pub id: String,
    pub title: String,
    pub learners: u64,
}

/// Learners by what their best evidence is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    pub gpu: u64,
    pub cpu: u64,
    /// Something handed in that is neither.
    pub other: u64,
    pub nothing: u64,
}

#[derive(Debug, Clone)]
pub struct LabStatistics {
    pub class: String,
    pub class_name: String,
    pub lab: String,
    pub title: String,
    pub learners: u64,
    pub cpu: PointSpread,
    pub gpu: PointSpread,
    pub failed: Vec<FailedCheck>,
    pub coverage: Coverage,
}

#[component]
pub fn StatisticsPage(lang: Lang, lab: LabStatistics) -> impl IntoView {
    let learners = match (lang, lab.learners) {
        (Lang::Zh, n) => format!("{n} 位学习者"),
        (Lang::En, 1) => "1 learner".to_owned(),
        (Lang::En, n) => format!("{n} learners"),
    };
    view! {
        <main id="main" class="wide">
            <Back lang class=lab.class name=lab.class_name />
            <h1>
                {lab.title} " " <small class="hint">{lang.pick("实验 ", "lab ")} {lab.lab} " · " {learners}</small>
            </h1>
            <h2>{lang.pick("证据", "Evidence")}</h2>
            <Covered lang coverage=lab.coverage />
            <h2>
                <span class="badge cpu">"■ " {lang.pick("CPU 可确认部分", "CPU-provable part")}</span>
            </h2>
            <Points lang class="cpu" spread=lab.cpu />
            <h2>
                <span class="badge gpu">"◆ " {lang.pick("GPU 部分", "GPU part")}</span>
            </h2>
            <Points lang class="gpu" spread=lab.gpu />
            <h2>{lang.pick("最常不通过的检查", "The checks that fail most")}</h2>
            <Failed lang failed=lab.failed />
        </main>
    }
    .into_any()
}

/// Rows of names and counts beside a plot; what nobody has stands in the plot alone.
fn points_table(head: [(&'static str, &'static str); 2], columns: &[Column]) -> impl IntoView + use<> {
    let held: Vec<Column> = columns.iter().filter(|(_, count)| *count > 0).cloned().collect();
    table(head, &held)
}

/// Rows of names and counts beside a plot.
fn table(head: [(&'static str, &'static str); 2], columns: &[Column]) -> impl IntoView + use<> {
    let rows = columns
        .iter()
        .map(|(name, count)| view! { <tr><td>{name.clone()}</td><td class="n">{count.to_string()}</td></tr> })
        .collect_view();
    view! { <Rows head=head.to_vec()>{rows}</Rows> }
}

#[component]
fn Covered(lang: Lang, coverage: Coverage) -> impl IntoView {
    let columns = vec![
        (lang.pick("◆ GPU", "◆ GPU").to_owned(), coverage.gpu),
        (lang.pick("■ 只有 CPU", "■ CPU only").to_owned(), coverage.cpu),
        (lang.pick("其他", "other").to_owned(), coverage.other),
        (lang.pick("没有", "none").to_owned(), coverage.nothing),
    ];
    let head = [("", lang.pick("最好的证据", "Best evidence")), ("n", lang.pick("学习者", "Learners"))];
    view! {
        <div class="statistics">
            <Tally
                title=lang.pick("学习者，按最好的证据", "Learners by their best evidence").to_owned()
                class="classes"
                columns=columns.clone()
            />
            {table(head, &columns)}
        </div>
    }
    .into_any()
}

#[component]
fn Points(lang: Lang, class: &'static str, spread: PointSpread) -> impl IntoView {
    if spread.learners == 0 {
        return view! { <p class="empty">{lang.pick("还没有得分。", "No points yet.")}</p> }.into_any();
    }
    let title = match lang {
        Lang::Zh => format!("学习者，按得分（满分 {}）", spread.possible),
        Lang::En => format!("Learners by points (of {})", spread.possible),
    };
    let median = spread.median.map(|hundredths| {
        let points = format!("{}.{:02}", hundredths / 100, hundredths % 100);
        let points = points.trim_end_matches('0').trim_end_matches('.').to_owned();
        view! { <p class="hint">{lang.pick("中位数 ", "median ")} <b>{points}</b></p> }
    });
    let head = [("", lang.pick("得分", "Points")), ("n", lang.pick("学习者", "Learners"))];
    view! {
        <div class="statistics">
            <div>
                <Tally title class columns=spread.columns.clone() />
                {median}
            </div>
            {points_table(head, &spread.columns)}
        </div>
    }
    .into_any()
}

#[component]
fn Failed(lang: Lang, failed: Vec<FailedCheck>) -> impl IntoView {
    if failed.is_empty() {
        return view! { <p class="empty">{lang.pick("没有不通过的检查。", "No check fails.")}</p> }.into_any();
    }
    // Titles are too long for the axis; the number leads from the plot to the table.
    let columns = failed.iter().enumerate().map(|(at, check)| ((at + 1).to_string(), check.learners)).collect();
    let rows = failed
        .into_iter()
        .enumerate()
        .map(|(at, check)| {
            view! {
                <tr data-check=check.id>
                    <td class="n">{at + 1}</td>
                    <td>{check.title}</td>
                    <td class="n">{check.learners}</td>
                </tr>
            }
        })
        .collect_view();
    let head = vec![("n", "#"), ("", lang.pick("检查", "Check")), ("n", lang.pick("学习者", "Learners"))];
    view! {
        <div class="statistics">
            <Tally
                title=lang.pick("最新报告未通过的学习者", "Learners whose newest report fails it").to_owned()
                class="lost"
                columns
            />
            <Rows head>{rows}</Rows>
        </div>
    }
    .into_any()
}
