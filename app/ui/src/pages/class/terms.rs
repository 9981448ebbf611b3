//! The labs of a class: dates, release, and which attempt counts.

use evidence::Lang;
use leptos::prelude::*;

use super::back::Back;
use crate::pages::account::{Act, Problems, Summary, When};
use crate::rows::Rows;

/// Dates as a form shows and sends them: `2026-03-01T09:30` in UTC, percentages as typed; empty where not set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatesTyped {
    pub open: String,
    pub early: String,
    pub early_percent: String,
    pub due: String,
    pub late_percent: String,
    pub closed: String,
}

/// When learners see points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownName {
    AtOnce,
    Held,
    /// RFC 3339, and whether it has come.
    At(String, bool),
}

/// A lab in the list of a class.
#[derive(Debug, Clone)]
pub struct LabTermsLine {
    pub id: String,
    pub title: String,
    pub chain: &'static str,
    /// RFC 3339.
    pub due: Option<String>,
    pub closed: Option<String>,
    pub shown: ShownName,
    pub extensions: usize,
}

#[component]
fn Shown(lang: Lang, shown: ShownName) -> impl IntoView {
    match shown {
        ShownName::AtOnce => {
            view! { <span class="badge ok">"✓ " {lang.pick("立即可见", "shown at once")}</span> }.into_any()
        }
        ShownName::Held => {
            view! { <span class="badge warn">"✕ " {lang.pick("暂不公布", "held back")}</span> }.into_any()
        }
        ShownName::At(iso, come) => {
            let (class, mark) = if come { ("badge ok", "✓ ") } else { ("badge warn", "◷ ") };
            view! { <span class=class>{mark} {lang.pick("公布于 ", "shown from ")} <When iso /></span> }.into_any()
        }
    }
}

#[component]
pub fn LabTermsPage(
    lang: Lang,
    class: String,
    name: String,
    labs: Vec<LabTermsLine>,
    latest_counts: bool,
    may_edit: bool,
    notice: Option<&'static str>,
) -> impl IntoView {
    let at = format!("/{}/class/{class}", lang.code());
    let head = vec![
        ("", lang.pick("实验", "Lab")),
        ("", lang.pick("类别", "Kind")),
        ("", lang.pick("到期", "Due")),
        ("", lang.pick("截止", "Closes")),
        ("", lang.pick("分数与反馈", "Points and feedback")),
        ("n", lang.pick("延期", "Extensions")),
    ];
    let moment = |iso: Option<String>| match iso {
        Some(iso) => view! { <When iso /> }.into_any(),
        None => "—".into_any(),
    };
    let rows = labs
        .into_iter()
        .map(|lab| {
            view! {
                <tr>
                    <td>
                        <a href=format!("{at}/labs/{}", lab.id)>{lab.id.clone()}</a>
                        " "
                        {lab.title}
                    </td>
                    <td>{lab.chain}</td>
                    <td>{moment(lab.due)}</td>
                    <td>{moment(lab.closed)}</td>
                    <td>
                        <Shown lang shown=lab.shown />
                    </td>
                    <td class="n">{lab.extensions}</td>
                </tr>
            }
        })
        .collect_view();
    let counting = format!("{at}/counting");
    view! {
        <main id="main" class="wide">
            <Back lang class name />
            <h1>{lang.pick("实验的日期与公布", "Dates and release of the labs")}</h1>
            {notice.map(|text| view! { <p class="notice" role="status">{text}</p> })}
            <Rows head>{rows}</Rows>
            <h2 id="counting">{lang.pick("哪一次提交计分", "Which attempt counts")}</h2>
            <p>
                {if latest_counts {
                    lang.pick("计入最近一次。", "The latest attempt counts.")
                } else {
                    lang.pick("计入最好一次（按时段折算之后）。", "The best attempt counts, after early and late credit.")
                }}
            </p>
            {may_edit
                .then(|| {
                    if latest_counts {
                        view! { <Act action=counting label=lang.pick("改为计入最好一次", "Let the best one count") name="counting" value="best" /> }
                            .into_any()
                    } else {
                        view! { <Act action=counting label=lang.pick("改为计入最近一次", "Let the latest one count") name="counting" value="latest" /> }
                            .into_any()
                    }
                })}
        </main>
    }
    .into_any()
}

/// The fields of dates, for a class or for one learner.
#[component]
pub fn Dates(lang: Lang, form: &'static str, typed: DatesTyped, problems: Problems) -> impl IntoView {
    let when = move |name: &'static str, label: &'static str, hint: &'static str, value: String| {
        let id = format!("{form}-{name}");
        let problem = problems.of(name);
        let kind = if name.ends_with("percent") { "number" } else { "datetime-local" };
        view! {
            <label for=id.clone()>
                {label}
                <input
                    id=id.clone()
                    name=name
                    type=kind
                    value=value
                    min=(kind == "number").then_some("0")
                    max=(kind == "number").then_some("200")
                    aria-invalid=problem.is_some().then_some("true")
                    aria-describedby=format!("{id}-hint")
                />
                <small class="hint" id=format!("{id}-hint")>{hint}</small>
                {problem.map(|text| view! { <small class="problem">{text}</small> })}
            </label>
        }
    };
    view! {
        <div class="fields">
            {when("open", lang.pick("开放（UTC）", "Opens (UTC)"), lang.pick("之前提交的不计分", "what is handed in before counts nothing"), typed.open)}
            {when("early", lang.pick("提前截至（UTC）", "Early until (UTC)"), lang.pick("含这一分钟", "this instant included"), typed.early)}
            {when("early_percent", lang.pick("提前计 %", "Early counts %"), "100 – 200", typed.early_percent)}
            {when("due", lang.pick("到期（UTC）", "Due (UTC)"), lang.pick("到此计 100 %", "100 % up to here"), typed.due)}
            {when("late_percent", lang.pick("迟交计 %", "Late counts %"), lang.pick("0 – 100；留空则到期后不计", "0 – 100; empty: nothing after due"), typed.late_percent)}
            {when("closed", lang.pick("截止（UTC）", "Closes (UTC)"), lang.pick("之后不计分", "nothing counts after"), typed.closed)}
        </div>
    }
    .into_any()
}

/// The page of one lab of a class.
#[derive(Debug, Clone)]
pub struct OneLabTerms {
    pub class: String,
    pub name: String,
    pub lab: String,
    pub title: String,
    pub dates: DatesTyped,
    pub shown: ShownName,
    /// The instant of release as the form shows it.
    pub at: String,
    pub may_edit: bool,
    /// Learners with dates of their own: id, name, and when theirs is due.
    pub extensions: Vec<(String, String, Option<String>)>,
}

#[component]
pub fn OneLabTermsPage(
    lang: Lang,
    terms: OneLabTerms,
    notice: Option<&'static str>,
    problems: Problems,
) -> impl IntoView {
    let at = format!("/{}/class/{}/labs/{}", lang.code(), terms.class, terms.lab);
    let learners = format!("/{}/class/{}/learners", lang.code(), terms.class);
    let lab = terms.lab.clone();
    let extensions = terms
        .extensions
        .into_iter()
        .map(|(user, name, due)| {
            view! {
                <li>
                    <a href=format!("{learners}/{user}/{lab}")><bdi>{name}</bdi></a>
                    <small>
                        {lang.pick("到期 ", "due ")}
                        {match due {
                            Some(iso) => view! { <When iso /> }.into_any(),
                            None => "—".into_any(),
                        }}
                    </small>
                </li>
            }
        })
        .collect::<Vec<_>>();
    let release = format!("{at}/release");
    let about = terms.lab.clone();
    let act = move |label: &'static str, value: &'static str| {
        view! { <Act action=release.clone() label name="release" value about=about.clone() /> }
    };
    view! {
        <main id="main" class="wide">
            <p class="hint">
                <a href=format!("/{}/class/{}/labs", lang.code(), terms.class)>
                    "← " <bdi>{terms.name.clone()}</bdi> " · " {lang.pick("实验的日期与公布", "Dates and release of the labs")}
                </a>
            </p>
            <h1>{terms.title} " " <small class="hint">{lang.pick("实验 ", "lab ")} {terms.lab.clone()}</small></h1>
            {notice.map(|text| view! { <p class="notice" role="status">{text}</p> })}
            <h2 id="release">{lang.pick("公布分数与反馈", "Release of points and feedback")}</h2>
            <p>
                <Shown lang shown=terms.shown />
            </p>
            {terms
                .may_edit
                .then(|| {
                    view! {
                        <div class="actions">
                            {act(lang.pick("立即公布", "Show now"), "at_once")}
                            {act(lang.pick("暂不公布", "Hold back"), "held")}
                        </div>
                        <form class="row-form" method="post" action=format!("{at}/release")>
                            <input type="hidden" name="release" value="at" />
                            <label>
                                {lang.pick("在这一刻公布（UTC）", "Show from (UTC)")}
                                <input type="datetime-local" name="at" value=terms.at.clone() required />
                            </label>
                            <button type="submit" class="button quiet">{lang.pick("定时公布", "Set the time")}</button>
                            {problems.of("at").map(|text| view! { <small class="problem">{text}</small> })}
                        </form>
                    }
                })}
            <h2 id="dates">{lang.pick("日期", "Dates")}</h2>
            <p class="hint">
                {lang
                    .pick(
                        "每次提交按提交时间折算；日期改动后全部重新计算。什么都不填：一直开放，计 100 %。",
                        "Each attempt counts by when it was handed in; when dates move, every credit is computed anew. All empty: open, at 100 %.",
                    )}
            </p>
            <Summary lang problems=problems.clone() />
            <form method="post" action=format!("{at}/dates")>
                <Dates lang form="dates" typed=terms.dates problems />
                {terms
                    .may_edit
                    .then(|| view! { <p class="actions"><button type="submit" class="button">{lang.pick("保存日期", "Save the dates")}</button></p> })}
            </form>
            {(!extensions.is_empty())
                .then(|| {
                    view! {
                        <h2 id="extensions">{lang.pick("延期", "Extensions")}</h2>
                        <ul class="report-list">{extensions}</ul>
                    }
                })}
        </main>
    }
    .into_any()
}
