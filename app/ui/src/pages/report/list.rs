//! My reports: CPU and GPU evidence in two columns, and the way to hand one in.

use evidence::{EvidenceClass, Lang};
use leptos::prelude::*;

use super::given::Given;
use super::points::Points;
use super::{ClassPoints, ReportItem, Trouble};
use crate::pages::class::{UnreadList, UnreadReport};
use crate::words;

#[component]
pub fn ReportsPage(
    lang: Lang,
    heading: String,
    /// The reader's own reports: then there is a form.
    own: bool,
    items: Vec<ReportItem>,
    /// With comments that the reader has not seen.
    unread: Vec<UnreadReport>,
    /// The reader's points in class.
    points: Vec<ClassPoints>,
    trouble: Option<Trouble>,
) -> impl IntoView {
    let of = |class: EvidenceClass| items.iter().filter(|item| item.class == class).cloned().collect::<Vec<_>>();
    let rest: Vec<ReportItem> =
        items.iter().filter(|item| !matches!(item.class, EvidenceClass::Cpu | EvidenceClass::Gpu)).cloned().collect();
    let (cpu, gpu) = (of(EvidenceClass::Cpu), of(EvidenceClass::Gpu));
    view! {
        <main id="main" class="wide">
            <h1>{heading}</h1>
            {own.then(|| view! { <Upload lang trouble /> })}
            <UnreadList lang unread />
            <Points lang classes=points />
            <div class="twocol evidence-columns">
                <div data-column="cpu">
                    <h2>
                        <span class="badge cpu">{words::class(EvidenceClass::Cpu, lang)}</span>
                    </h2>
                    <Items items=cpu lang empty=lang.pick("还没有 CPU 证据。运行一个实验试试。", "No CPU evidence yet. Run a lab.") />
                </div>
                <div data-column="gpu">
                    <h2>
                        <span class="badge gpu">{words::class(EvidenceClass::Gpu, lang)}</span>
                    </h2>
                    <Items items=gpu lang empty=lang.pick("还没有 GPU 证据。在 GPU 上测量后提交 JSON。", "No GPU evidence yet. Measure on a GPU and hand in the JSON.") />
                </div>
            </div>
            {(!rest.is_empty())
                .then(|| {
                    view! {
                        <h2 id="unproven">{lang.pick("理论与未证实", "Theory and unproven")}</h2>
                        <Items items=rest lang empty="" />
                    }
                })}
        </main>
    }
    .into_any()
}

#[component]
fn Items(items: Vec<ReportItem>, lang: Lang, empty: &'static str) -> impl IntoView {
    if items.is_empty() {
        return view! { <p class="empty">{empty}</p> }.into_any();
    }
    let rows = items
        .into_iter()
        .map(|item| {
            let points = match (item.outcome.as_deref(), item.earned, item.possible) {
                (Some("graded"), Some(earned), Some(possible)) => format!("{earned} / {possible}"),
                (Some(_), ..) => lang.pick("不是证据", "not evidence").to_owned(),
                (None, ..) if item.held => lang.pick("◷ 稍后公布", "◷ shown later").to_owned(),
                (None, ..) => lang.pick("等待评分", "waiting for its grade").to_owned(),
            };
            view! {
                <li>
                    <a href=format!("/{}/reports/{}", lang.code(), item.id)>
                        {lang.pick("实验 ", "Lab ")} {item.lab}
                    </a>
                    " · "
                    {points}
                    <small>{item.created} " · " {words::origin(&item.origin, lang)}</small>
                </li>
            }
        })
        .collect_view();
    view! { <ul class="report-list">{rows}</ul> }.into_any()
}

#[component]
fn Upload(lang: Lang, trouble: Option<Trouble>) -> impl IntoView {
    let pasted = trouble.as_ref().map(|trouble| trouble.pasted.clone()).unwrap_or_default();
    view! {
        <section class="card" aria-label=lang.pick("提交报告", "Hand in a report")>
            <header>
                <b>{lang.pick("提交报告", "Hand in a report")}</b>
                <span>{lang.pick("课程任一实验写出的 JSON（*_mb 按 MiB 读），或 vramlab-report/v1", "the JSON that any lab of the course wrote (*_mb is read as MiB), or vramlab-report/v1")}</span>
            </header>
            <form
                class="body drop"
                method="post"
                enctype="multipart/form-data"
                action=format!("/{}/reports", lang.code())
            >
                {trouble.map(|trouble| view! { <Refused trouble lang /> })}
                <Given
                    lang
                    file=lang.pick("选择文件，或拖到这里", "Choose a file, or drop it here")
                    act=lang.pick("提交", "Hand in")
                    text=pasted
                />
                <p class="hint">
                    {lang.pick("在笔记本里写报告：", "From a notebook: ")}
                    <a href="/kit/vramlab_report.py" download>
                        "vramlab_report.py"
                    </a>
                    {lang.pick("（一个文件，只用标准库；测量、检查、提交） · 格式：", " (one file, standard library only: measures, checks, hands in) · the schema: ")}
                    <a href="/schema/report-v1.json">"report-v1.json"</a>
                </p>
            </form>
        </section>
    }
    .into_any()
}

#[component]
fn Refused(trouble: Trouble, lang: Lang) -> impl IntoView {
    view! {
        <div class="problem" role="alert">
            <p>
                <b>{lang.pick("读不出报告：", "No report could be read: ")}</b>
                {trouble.message}
            </p>
            <p>{lang.pick("应为 ", "Expected ")} {trouble.expected} {lang.pick("，实际是 ", ", found ")} {trouble.found}</p>
            <p>{trouble.fix}</p>
        </div>
    }
    .into_any()
}
