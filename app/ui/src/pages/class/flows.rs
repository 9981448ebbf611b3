//! The ways out of a gradebook's page: regrades, files, statistics; what waits for an answer; reports that look alike.

use evidence::Lang;
use leptos::prelude::*;

use crate::pages::account::When;
use crate::rows::Rows;

/// Two reports of two learners.
#[derive(Debug, Clone)]
pub struct CopyPair {
    pub lab: String,
    /// Id, name and time; the earlier one first.
    pub first: (String, String, String),
    pub second: (String, String, String),
    /// Pairs of times that were compared and their largest difference; `None`: the same bytes.
    pub jitter: Option<(i64, String)>,
}

/// A report with comments that the reader has not seen.
#[derive(Debug, Clone)]
pub struct UnreadReport {
    pub report: String,
    pub name: String,
    pub lab: String,
    pub entries: i64,
    pub last: String,
}

#[derive(Debug, Clone, Default)]
pub struct ClassFlows {
    /// Labs that somebody of the class handed something in for.
    pub labs: Vec<String>,
    pub copies: Vec<CopyPair>,
    pub unread: Vec<UnreadReport>,
}

#[component]
pub fn Flows(lang: Lang, class: String, flows: ClassFlows) -> impl IntoView {
    let at = format!("/{}/class/{class}", lang.code());
    let statistics = flows
        .labs
        .iter()
        .map(|lab| {
            view! {
                <a href=format!("{at}/labs/{lab}/statistics")><bdi>{lab.clone()}</bdi></a>
                " "
            }
        })
        .collect_view();
    view! {
        <p class="actions">
            <a class="button quiet" href=format!("{at}/regrades")>
                {lang.pick("重新评分", "Regrade")}
            </a>
            <a class="button quiet" href=format!("{at}/import")>
                {lang.pick("导入与导出 CSV", "CSV in and out")}
            </a>
        </p>
        {(!flows.labs.is_empty())
            .then(|| view! { <p class="hint">{lang.pick("统计：", "Statistics: ")} {statistics}</p> })}
        <UnreadList lang unread=flows.unread />
        <Copies lang copies=flows.copies />
    }
    .into_any()
}

/// What somebody wrote that the reader has not seen; nothing when there is nothing.
#[component]
pub fn UnreadList(lang: Lang, unread: Vec<UnreadReport>) -> impl IntoView {
    if unread.is_empty() {
        return ().into_any();
    }
    let rows = unread
        .into_iter()
        .map(|one| {
            let count = match (lang, one.entries) {
                (Lang::Zh, n) => format!("{n} 条未读"),
                (Lang::En, n) => format!("{n} unread"),
            };
            view! {
                <li>
                    <a href=format!("/{}/reports/{}", lang.code(), one.report)>
                        <bdi>{one.name}</bdi>
                        " · "
                        {lang.pick("实验 ", "lab ")}
                        {one.lab}
                    </a>
                    " "
                    <span class="badge warn">"● " {count}</span>
                    <small><When iso=one.last /></small>
                </li>
            }
        })
        .collect_view();
    view! {
        <h2 id="unread">{lang.pick("未读的讨论", "Unread comments")}</h2>
        <ul class="report-list">{rows}</ul>
    }
    .into_any()
}

#[component]
fn Copies(lang: Lang, copies: Vec<CopyPair>) -> impl IntoView {
    if copies.is_empty() {
        return ().into_any();
    }
    let report = move |(id, name, at): (String, String, String)| {
        view! {
            <a href=format!("/{}/reports/{id}", lang.code())><bdi>{name}</bdi></a>
            <br />
            <small><When iso=at /></small>
        }
    };
    let rows = copies
        .into_iter()
        .map(|pair| {
            let why = match (&pair.jitter, lang) {
                (None, lang) => lang.pick("逐字节相同", "the same bytes").to_owned(),
                (Some((times, most)), Lang::Zh) => format!("字节不同，{times} 个时间相差至多 {most}"),
                (Some((times, most)), Lang::En) => format!("other bytes, {times} times within {most}"),
            };
            view! {
                <tr>
                    <td><bdi>{pair.lab}</bdi></td>
                    <td>{report(pair.first)}</td>
                    <td>{report(pair.second)}</td>
                    <td>{why}</td>
                </tr>
            }
        })
        .collect_view();
    let head = vec![
        ("", lang.pick("实验", "Lab")),
        ("", lang.pick("较早", "Earlier")),
        ("", lang.pick("较晚", "Later")),
        ("", lang.pick("依据", "Why")),
    ];
    view! {
        <h2 id="copies">{lang.pick("相似的报告", "Reports that look alike")}</h2>
        <p class="hint">
            {lang
                .pick(
                    "allocated 峰值和 loss 在同一脚本下本来就相同；时间不会。这里列出的报告，时间比重复测量应有的差别更接近。是否抄袭由您判断，分数不受影响。",
                    "Allocated peaks and losses of one script agree anyway; times do not. In these reports they agree more closely than repeated measurements would. Whether it is a copy is yours to judge; no points depend on it.",
                )}
        </p>
        <Rows head>{rows}</Rows>
    }
    .into_any()
}
