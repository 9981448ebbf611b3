//! Points as files: out for a spreadsheet or a learning platform, and in again, looked at before anything changes.

use evidence::Lang;
use leptos::prelude::*;

use super::back::Back;
use crate::pages::account::{Act, When};
use crate::rows::Rows;

/// A file that came in before.
#[derive(Debug, Clone)]
pub struct ImportCard {
    pub id: String,
    pub file: String,
    pub author: String,
    pub created: String,
    pub applied: bool,
    pub changes: usize,
}

#[component]
pub fn ImportsPage(
    lang: Lang,
    class: String,
    class_name: String,
    imports: Vec<ImportCard>,
    problem: Option<String>,
) -> impl IntoView {
    let at = format!("/{}/class/{class}", lang.code());
    let none = imports.is_empty();
    let rows = imports
        .into_iter()
        .map(|one| {
            let state = if one.applied {
                lang.pick("✓ 已应用", "✓ applied")
            } else {
                lang.pick("○ 未应用", "○ not applied")
            };
            view! {
                <tr>
                    <td>
                        <a href=format!("{at}/import/{}", one.id)><bdi>{one.file}</bdi></a>
                        <br />
                        <small><When iso=one.created /> " · " <bdi>{one.author}</bdi></small>
                    </td>
                    <td class="n">{one.changes}</td>
                    <td>{state}</td>
                </tr>
            }
        })
        .collect_view();
    let head =
        vec![("", lang.pick("文件", "File")), ("n", lang.pick("改动", "Changes")), ("", lang.pick("状态", "State"))];
    view! {
        <main id="main" class="wide">
            <Back lang class name=class_name />
            <h1>{lang.pick("导入与导出 CSV", "CSV in and out")}</h1>
            <h2>{lang.pick("导出", "Out")}</h2>
            <ul>
                <li>
                    <a href=format!("{at}/canvas.csv") download>{lang.pick("Canvas 成绩册", "Canvas gradebook")}</a>
                    <p class="hint">
                        {lang
                            .pick(
                                "Student、ID、SIS User ID、SIS Login ID、Section，然后每个实验的每个部分一列。Canvas 按 SIS Login ID（登录名）对应学生；ID 与 SIS User ID 我们不知道，留空。",
                                "Student, ID, SIS User ID, SIS Login ID, Section, then one column per part of a lab. Canvas finds students by SIS Login ID, the login name; ID and SIS User ID are not ours to know and stay empty.",
                            )}
                    </p>
                </li>
                <li>
                    <a href=format!("{at}/attempts.csv") download>{lang.pick("每次提交一行", "One row per attempt")}</a>
                    <p class="hint">
                        {lang
                            .pick(
                                "以 submission_id 为键。改动其中的 cpu_points 或 gpu_points，再在下面导入。",
                                "Keyed by submission_id. Change cpu_points or gpu_points in it and bring it in below.",
                            )}
                    </p>
                </li>
            </ul>
            <h2>{lang.pick("导入", "In")}</h2>
            {problem.map(|text| view! { <p class="problem" role="alert">{text}</p> })}
            <form class="row-form" method="post" enctype="multipart/form-data" action=format!("{at}/import")>
                <label>
                    {lang.pick("CSV 文件（UTF-8，至多 1 MiB）", "CSV file (UTF-8, 1 MiB at most)")}
                    <input type="file" name="file" accept=".csv,text/csv" required />
                </label>
                <button type="submit" class="button">{lang.pick("先看会改什么", "See what it would change")}</button>
            </form>
            <p class="hint">
                {lang
                    .pick(
                        "必需的列：submission_id，以及 cpu_points 与 gpu_points 中的一列；可选 reason。与已有得分相同的格子不改动；不同的成为手工给分，署您的名。",
                        "Columns needed: submission_id and one of cpu_points and gpu_points; reason may be there. Cells that equal the points of the attempt change nothing; others become points set by hand, in your name.",
                    )}
            </p>
            {(!none).then(|| view! { <Rows head>{rows}</Rows> })}
        </main>
    }
    .into_any()
}

/// A change that a file asks for.
#[derive(Debug, Clone)]
pub struct ImportChange {
    pub line: u64,
    pub report: String,
    pub name: String,
    pub lab: String,
    pub gpu: bool,
    /// Points as text; `None`: nothing stood there.
    pub before: Option<String>,
    pub after: String,
    pub reason: String,
    /// What became of it, or would now.
    pub state: ChangeState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeState {
    /// It would be made.
    Waits,
    /// The points stand.
    Made,
    /// Other points stand there now: it is not made.
    Overtaken,
}

#[derive(Debug, Clone)]
pub struct ImportPlan {
    pub class: String,
    pub class_name: String,
    pub id: String,
    pub file: String,
    pub author: String,
    pub created: String,
    pub applied: Option<String>,
    pub changes: Vec<ImportChange>,
    /// Line and reason.
    pub refused: Vec<(u64, String)>,
    pub unchanged: u64,
}

/// The dry run of a file, and afterwards what became of it.
#[component]
pub fn ImportPage(lang: Lang, plan: ImportPlan, notice: Option<&'static str>) -> impl IntoView {
    let all = format!("/{}/class/{}/import", lang.code(), plan.class);
    let counts = match lang {
        Lang::Zh => {
            format!("{} 处改动 · {} 行不变 · {} 行被拒绝", plan.changes.len(), plan.unchanged, plan.refused.len())
        }
        Lang::En => format!(
            "{} changes · {} rows without one · {} rows refused",
            plan.changes.len(),
            plan.unchanged,
            plan.refused.len()
        ),
    };
    let waits = plan.changes.iter().any(|change| change.state == ChangeState::Waits);
    let (some, refused_some) = (!plan.changes.is_empty(), !plan.refused.is_empty());
    let rows = plan.changes.into_iter().map(|change| view! { <Row lang change /> }).collect_view();
    let refused = plan
        .refused
        .into_iter()
        .map(|(line, why)| view! { <tr><td class="n">{line}</td><td>{why}</td></tr> })
        .collect_view();
    let head = vec![
        ("n", lang.pick("行", "Line")),
        ("", lang.pick("学习者", "Learner")),
        ("", lang.pick("实验与部分", "Lab and part")),
        ("n", lang.pick("现在", "Now")),
        ("n", lang.pick("之后", "Then")),
        ("", lang.pick("理由", "Reason")),
        ("", lang.pick("状态", "State")),
    ];
    let why = vec![("n", lang.pick("行", "Line")), ("", lang.pick("为什么", "Why"))];
    view! {
        <main id="main" class="wide">
            <p class="hint">
                <a href=all.clone()>"← " {lang.pick("导入与导出 CSV", "CSV in and out")} " · " <bdi>{plan.class_name}</bdi></a>
            </p>
            <h1><bdi>{plan.file}</bdi></h1>
            {notice.map(|text| view! { <p class="notice" role="status">{text}</p> })}
            <p class="facts">
                {match plan.applied {
                    Some(at) => view! { <span class="badge ok">"✓ " {lang.pick("已应用 ", "applied ")} <When iso=at /></span> }.into_any(),
                    None => view! { <span class="badge warn">"○ " {lang.pick("试算，还没有改动任何得分", "dry run: nothing has changed yet")}</span> }.into_any(),
                }}
                <span><bdi>{plan.author}</bdi></span>
                <When iso=plan.created />
            </p>
            <p>{counts}</p>
            {waits
                .then(|| {
                    view! {
                        <Act
                            action=format!("{all}/{}/apply", plan.id)
                            label=lang.pick("应用这些改动", "Apply these changes")
                            class="button"
                        />
                    }
                })}
            {some.then(|| view! { <Rows head>{rows}</Rows> })}
            {refused_some
                .then(|| {
                    view! {
                        <h2>{lang.pick("被拒绝的行", "Rows refused")}</h2>
                        <Rows head=why>{refused}</Rows>
                    }
                })}
        </main>
    }
    .into_any()
}

#[component]
fn Row(lang: Lang, change: ImportChange) -> impl IntoView {
    let part = if change.gpu { ("badge gpu", "◆ GPU") } else { ("badge cpu", "■ CPU") };
    let state = match change.state {
        ChangeState::Waits => lang.pick("○ 会改动", "○ would change"),
        ChangeState::Made => lang.pick("✓ 已是此分", "✓ stands"),
        ChangeState::Overtaken => lang.pick("✕ 此后得分又有变动，不改", "✕ other points stand there since; not made"),
    };
    view! {
        <tr>
            <td class="n">{change.line}</td>
            <td>
                <a href=format!("/{}/reports/{}", lang.code(), change.report)><bdi>{change.name}</bdi></a>
            </td>
            <td><bdi>{change.lab}</bdi> " " <span class=part.0>{part.1}</span></td>
            <td class="n">{change.before.unwrap_or_else(|| "—".to_owned())}</td>
            <td class="n"><b>{change.after}</b></td>
            <td>{change.reason}</td>
            <td>{state}</td>
        </tr>
    }
    .into_any()
}
