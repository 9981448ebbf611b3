//! Points of a class: a pair of columns for each kind of work, CPU evidence and GPU evidence never added.

use evidence::Lang;
use leptos::prelude::*;

use crate::pages::account::When;

/// Credit of one lab in one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Score {
    pub lab: String,
    /// What stands; none where nothing was handed in or set.
    pub credit: Option<String>,
    pub possible: i64,
    /// Credit of the best and of the latest attempt, where there is one.
    pub best: Option<String>,
    pub latest: Option<String>,
    pub attempts: usize,
    /// What the counting attempt counts, where that is not 100.
    pub percent: Option<i64>,
    pub by_hand: bool,
    /// The learner has dates of their own.
    pub extended: bool,
}

/// Both columns of one kind of work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pair {
    pub cpu: Vec<Score>,
    pub gpu: Vec<Score>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GradebookRow {
    pub user: String,
    pub login: String,
    pub display_name: String,
    /// One for each kind of work of the table.
    pub pairs: Vec<Pair>,
    pub last: Option<String>,
}

/// The gradebook of a class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GradebookTable {
    /// Names of the kinds of work.
    pub chains: Vec<&'static str>,
    pub rows: Vec<GradebookRow>,
    /// The latest attempt counts, not the best one.
    pub latest_counts: bool,
}

#[component]
pub fn Gradebook(lang: Lang, class: String, table: GradebookTable) -> impl IntoView {
    let GradebookTable { chains, rows, latest_counts } = table;
    let at = format!("/{}/class/{class}", lang.code());
    let empty = rows.is_empty();
    let rows = rows.into_iter().map(|row| view! { <Row lang at=at.clone() row /> }).collect_view();
    let names = chains.iter().map(|name| view! { <th colspan="2" scope="colgroup">{*name}</th> }).collect_view();
    let columns = chains
        .iter()
        .map(|_| {
            view! {
                <th>
                    <span class="badge cpu">"■ " {lang.pick("CPU 可确认", "CPU-provable")}</span>
                </th>
                <th>
                    <span class="badge gpu">"◆ " {lang.pick("GPU 证据", "GPU evidence")}</span>
                </th>
            }
        })
        .collect_view();
    let counts = if latest_counts {
        lang.pick(
            "每格：计入最近一次的得分 / 满分，下面是最好与最近。",
            "Each line: the latest attempt counts, earned / possible; best and latest below it.",
        )
    } else {
        lang.pick(
            "每格：计入最好一次的得分 / 满分，下面是最好与最近。",
            "Each line: the best attempt counts, earned / possible; best and latest below it.",
        )
    };
    view! {
        <h2 id="gradebook">{lang.pick("成绩册", "Gradebook")}</h2>
        {if empty {
            view! {
                <p class="empty">{lang.pick("还没有学习者加入。", "No learner has joined yet.")}</p>
            }
                .into_any()
        } else {
            view! {
                <div class="table" tabindex="0">
                    <table class="gradebook">
                        <thead>
                            <tr>
                                <th rowspan="2">{lang.pick("学习者", "Learner")}</th>
                                {names}
                                <th rowspan="2">{lang.pick("最近提交", "Last handed in")}</th>
                                <td rowspan="2"></td>
                            </tr>
                            <tr>{columns}</tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
                <p class="hint">
                    {counts}
                    {lang
                        .pick(
                            "✎ 人工设定；% 为提前、迟交的折算；» 为个人延期。两栏从不相加。",
                            " ✎ set by hand; % is what an early or late attempt counts; » dates of their own. The columns are never added.",
                        )}
                </p>
                <p class="actions">
                    <a class="button quiet" href=format!("{at}/gradebook.csv") download>
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
fn Row(lang: Lang, at: String, row: GradebookRow) -> impl IntoView {
    let learner = format!("{at}/learners/{}", row.user);
    let cells = row
        .pairs
        .into_iter()
        .map(|pair| {
            view! {
                <td>
                    <Scores lang learner=learner.clone() scores=pair.cpu />
                </td>
                <td>
                    <Scores lang learner=learner.clone() scores=pair.gpu />
                </td>
            }
        })
        .collect_view();
    view! {
        <tr>
            <td>
                <b><a href=learner.clone()><bdi>{row.display_name.clone()}</bdi></a></b>
                <br />
                <small>{row.login}</small>
            </td>
            {cells}
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
fn Scores(lang: Lang, learner: String, scores: Vec<Score>) -> impl IntoView {
    if scores.is_empty() {
        return "—".into_any();
    }
    let lines = scores
        .into_iter()
        .map(|score| {
            let marks: Vec<String> = [
                score.by_hand.then(|| "✎".to_owned()),
                score.percent.map(|percent| format!("{percent} %")),
                score.extended.then(|| "»".to_owned()),
            ]
            .into_iter()
            .flatten()
            .collect();
            let below = match (score.attempts, &score.best, &score.latest) {
                (0, ..) | (_, None, _) | (_, _, None) => lang.pick("没有提交", "nothing handed in").to_owned(),
                (1, Some(best), _) => match lang {
                    Lang::Zh => format!("1 次：{best}"),
                    Lang::En => format!("1 attempt: {best}"),
                },
                (n, Some(best), Some(latest)) => match lang {
                    Lang::Zh => format!("{n} 次：最好 {best}，最近 {latest}"),
                    Lang::En => format!("{n} attempts: best {best}, latest {latest}"),
                },
            };
            view! {
                <div class="score">
                    <a href=format!("{learner}/{}", score.lab)><bdi>{score.lab.clone()}</bdi></a> " "
                    <b>{score.credit.clone().unwrap_or_else(|| "—".to_owned())}</b> {format!(" / {}", score.possible)}
                    {(!marks.is_empty()).then(|| view! { <span class="marks">{format!(" {}", marks.join(" · "))}</span> })}
                    <small>{below}</small>
                </div>
            }
        })
        .collect_view();
    lines.into_any()
}
