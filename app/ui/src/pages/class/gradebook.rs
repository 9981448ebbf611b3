//! Points of a class: CPU evidence and GPU evidence in columns of their own, never added.

use evidence::Lang;
use leptos::prelude::*;

use crate::pages::account::When;

/// Points of one lab in one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Score {
    pub lab: String,
    pub earned: i64,
    pub possible: i64,
    /// Graded reports of this evidence class.
    pub reports: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GradebookRow {
    pub user: String,
    pub login: String,
    pub display_name: String,
    pub cpu: Vec<Score>,
    pub gpu: Vec<Score>,
    pub last: Option<String>,
}

#[component]
pub fn Gradebook(lang: Lang, class: String, rows: Vec<GradebookRow>) -> impl IntoView {
    let empty = rows.is_empty();
    let rows = rows.into_iter().map(|row| view! { <Row lang row /> }).collect_view();
    view! {
        <h2 id="gradebook">{lang.pick("成绩册", "Gradebook")}</h2>
        {if empty {
            view! {
                <p class="empty">{lang.pick("还没有学习者加入。", "No learner has joined yet.")}</p>
            }
                .into_any()
        } else {
            view! {
                <div class="table">
                    <table>
                        <thead>
                            <tr>
                                <th>{lang.pick("学习者", "Learner")}</th>
                                <th>
                                    <span class="badge cpu">"■ " {lang.pick("CPU 可确认", "CPU-provable")}</span>
                                </th>
                                <th>
                                    <span class="badge gpu">"◆ " {lang.pick("GPU 证据", "GPU evidence")}</span>
                                </th>
                                <th>{lang.pick("最近活动", "Last activity")}</th>
                                <th></th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
                <p class="hint">
                    {lang
                        .pick(
                            "每个实验取计入的最好一次：得分 / 满分（该类证据的报告数）。两栏从不相加。",
                            "Per lab the best counting grade: points earned / possible (number of reports of that class). The columns are never added.",
                        )}
                </p>
                <p class="actions">
                    <a class="button quiet" href=format!("/{}/class/{class}/gradebook.csv", lang.code()) download>
                        {lang.pick("下载 CSV", "Download CSV")}
                    </a>
                </p>
            }
                .into_any()
        }}
    }
    .into_any()
}

#[component]
fn Row(lang: Lang, row: GradebookRow) -> impl IntoView {
    view! {
        <tr>
            <td>
                <b><bdi>{row.display_name.clone()}</bdi></b>
                <br />
                <small>{row.login}</small>
            </td>
            <td>
                <Scores lang scores=row.cpu />
            </td>
            <td>
                <Scores lang scores=row.gpu />
            </td>
            <td>
                {match row.last {
                    Some(iso) => view! { <When iso /> }.into_any(),
                    None => "—".into_any(),
                }}
            </td>
            <td>
                <a href=format!("/{}/reports?user={}", lang.code(), row.user)>{lang.pick("报告", "Reports")}</a>
            </td>
        </tr>
    }
    .into_any()
}

#[component]
fn Scores(lang: Lang, scores: Vec<Score>) -> impl IntoView {
    if scores.is_empty() {
        return "—".into_any();
    }
    let lines = scores
        .into_iter()
        .map(|score| {
            let reports = match (lang, score.reports) {
                // A report of any device can earn what arithmetic and logic prove.
                (Lang::Zh, 0) if score.earned > 0 => "（凭其他类别的报告）".to_owned(),
                (Lang::En, 0) if score.earned > 0 => " (from reports of another class)".to_owned(),
                (Lang::Zh, 0) => "（没有报告）".to_owned(),
                (Lang::En, 0) => " (no report)".to_owned(),
                (Lang::Zh, n) => format!("（{n} 份）"),
                (Lang::En, 1) => " (1 report)".to_owned(),
                (Lang::En, n) => format!(" ({n} reports)"),
            };
            view! {
                <div>
                    <bdi>{score.lab.clone()}</bdi> " " <b>{score.earned}</b> {format!(" / {}", score.possible)} <small>{reports}</small>
                </div>
            }
        })
        .collect_view();
    lines.into_any()
}
