//! Pages about labs and their runs.

use evidence::Lang;
use leptos::prelude::*;

use crate::islands::{JobLive, JobState, LabRun, LogLine};

/// What a lab page needs of a lab.
#[derive(Debug, Clone)]
pub struct LabFacts {
    pub id: String,
    pub title: String,
    pub summary: String,
    pub task: String,
    /// It has a program that a runner executes; otherwise it is run elsewhere and handed in.
    pub program: bool,
    pub shapes: Vec<String>,
    pub backends: Vec<String>,
    pub params: Vec<ParamField>,
    /// The kernel that a learner may write.
    pub kernel: Option<String>,
    /// Title, needs a GPU, points.
    pub items: Vec<(String, bool, u32)>,
}

#[derive(Debug, Clone)]
pub struct ParamField {
    pub name: String,
    pub default: u64,
    pub min: u64,
    pub max: u64,
}

/// One of the reader's runs.
#[derive(Debug, Clone)]
pub struct RunItem {
    pub started: String,
    pub job: JobState,
}

/// Labs in the order of the course: the Task's path and title, and its labs.
#[component]
pub fn LabsPage(tasks: Vec<(String, String, Vec<LabFacts>)>, lang: Lang) -> impl IntoView {
    let groups = tasks
        .into_iter()
        .map(|(task, title, labs)| {
            view! {
                <h2>
                    <a href=format!("/{}/{task}", lang.code())>{title}</a>
                </h2>
                <LabRows labs lang />
            }
        })
        .collect_view();
    view! {
        <main id="main" class="narrow">
            <h1>{lang.pick("实验", "Labs")}</h1>
            <p class="lead">
                {lang
                    .pick(
                        "账本预测，实验测量。每份报告都标明设备与证据类别；“跑起来了”不等于“更好”。",
                        "The ledger predicts, a lab measures. Every report names its device and class of evidence; “it ran” is not “it is better”.",
                    )}
            </p>
            {groups}
        </main>
    }
    .into_any()
}

#[component]
fn LabRows(labs: Vec<LabFacts>, lang: Lang) -> impl IntoView {
    let rows = labs
        .into_iter()
        .map(|lab| {
            view! {
                <li>
                    <a href=format!("/{}/labs/{}", lang.code(), lab.id)>
                        <b>{lab.title}</b>
                    </a>
                    " "
                    <span class="badge theory">{lab.id}</span>
                    " "
                    <span class="badge theory">
                        {if lab.program {
                            lang.pick("可在 runner 上执行", "runs on a runner")
                        } else {
                            lang.pick("在自己的机器上跑，提交 JSON", "run it yourself, hand in the JSON")
                        }}
                    </span>
                    <small>{lab.summary}</small>
                </li>
            }
        })
        .collect_view();
    view! { <ul class="report-list">{rows}</ul> }.into_any()
}

#[component]
pub fn LabPage(lab: LabFacts, text: String, runs: Vec<RunItem>, signed_in: bool, lang: Lang) -> impl IntoView {
    let items = lab
        .items
        .into_iter()
        .map(|(title, gpu, points)| {
            view! {
                <tr>
                    <td>
                        <span class=if gpu { "badge gpu" } else { "badge cpu" }>{if gpu { "◆ GPU" } else { "■ CPU" }}</span>
                    </td>
                    <td>{title}</td>
                    <td class="n">{format!("{points} {}", lang.pick("分", "points"))}</td>
                </tr>
            }
        })
        .collect_view();
    let (id, program) = (lab.id.clone(), lab.program);
    view! {
        <main id="main" class="narrow lab">
            <h1>{lab.title.clone()} " " <small class="hint">{lab.id.clone()}</small></h1>
            <p class="lead">{lab.summary}</p>
            {program.then(|| view! { <LabRun lab=id.clone() title=lab.title.clone() lang /> })}
            {(program && !signed_in)
                .then(|| {
                    view! {
                        <p class="hint">
                            <a href=format!("/{0}/sign-in?next=/{0}/labs/{id}", lang.code())>{lang.pick("登录", "Sign in")}</a>
                            {lang.pick("后才能运行。", " to run it.")}
                        </p>
                    }
                })}
            {(program && signed_in && !lab.params.is_empty()).then(|| view! { <Params lab=id.clone() params=lab.params.clone() backends=lab.backends.clone() lang /> })}
            {lab
                .kernel
                .map(|kernel| {
                    view! {
                        <p>
                            <a class="button quiet" href=format!("/{}/labs/{}/kernel", lang.code(), lab.id)>
                                {lang.pick("自己写核 ", "Write the kernel ")} <code>{kernel}</code>
                            </a>
                        </p>
                    }
                })}
            {(!program)
                .then(|| {
                    view! {
                        <p>
                            <a class="button" href=format!("/{}/reports", lang.code())>
                                {lang.pick("提交这个实验的 JSON", "Hand in this lab's JSON")}
                            </a>
                        </p>
                    }
                })}
            {(!runs.is_empty()).then(|| view! { <Runs runs lang /> })}
            <div class="prose" inner_html=text></div>
            <h2 id="points">{lang.pick("评分项", "What earns points")}</h2>
            <table>
                <tbody>{items}</tbody>
            </table>
        </main>
    }
    .into_any()
}

#[component]
fn Params(lab: String, params: Vec<ParamField>, backends: Vec<String>, lang: Lang) -> impl IntoView {
    let backends = backends
        .into_iter()
        .map(|backend| view! { <option value=backend.clone()>{backend.to_uppercase()}</option> })
        .collect_view();
    let fields = params
        .into_iter()
        .map(|param| {
            view! {
                <label>
                    {param.name.clone()}
                    <input
                        type="number"
                        name=param.name
                        min=param.min.to_string()
                        max=param.max.to_string()
                        placeholder=param.default.to_string()
                    />
                </label>
            }
        })
        .collect_view();
    view! {
        <details class="params">
            <summary>{lang.pick("改参数再运行", "Run with other parameters")}</summary>
            <form class="row-form" method="post" action=format!("/{}/labs/{lab}/jobs", lang.code())>
                {fields}
                <label>
                    {lang.pick("后端", "backend")}
                    <select name="needs-backend">
                        <option value="">{lang.pick("任意", "any")}</option>
                        {backends}
                    </select>
                </label>
                <button class="button quiet" type="submit">{lang.pick("▶ 运行", "▶ Run")}</button>
            </form>
        </details>
    }
    .into_any()
}

#[component]
fn Runs(runs: Vec<RunItem>, lang: Lang) -> impl IntoView {
    let rows = runs
        .into_iter()
        .map(|run| {
            let state = match run.job.state.as_str() {
                "queued" => lang.pick("排队中", "queued"),
                "running" => lang.pick("运行中", "running"),
                "graded" => lang.pick("已评分", "graded"),
                "failed" => lang.pick("基础设施故障", "infrastructure failure"),
                _ => lang.pick("已取消", "cancelled"),
            };
            view! {
                <li>
                    <a href=format!("/{}/jobs/{}", lang.code(), run.job.id)>{run.started}</a>
                    " · "
                    {state}
                </li>
            }
        })
        .collect_view();
    view! {
        <h2 id="runs">{lang.pick("我的运行", "My runs")}</h2>
        <ul class="report-list">{rows}</ul>
    }
    .into_any()
}

/// One run on a page of its own. Without JavaScript it reloads itself while the run goes on.
#[component]
pub fn JobPage(
    job: JobState,
    log: Vec<LogLine>,
    /// The lab whose kernel the learner wrote.
    kernel: Option<String>,
    lang: Lang,
) -> impl IntoView {
    let back = kernel.map(|lab| format!("/{}/labs/{lab}/kernel?job={}", lang.code(), job.id));
    let open = matches!(job.state.as_str(), "queued" | "running");
    let cancel = format!("/{}/jobs/{}/cancel", lang.code(), job.id);
    view! {
        <main id="main" class="narrow">
            <h1>{lang.pick("运行", "Run")}</h1>
            <JobLive job log lang />
            {back
                .map(|href| {
                    view! {
                        <p>
                            <a class="button quiet" href=href>
                                {lang.pick("回到核的源代码", "Back to the kernel")}
                            </a>
                        </p>
                    }
                })}
            {open
                .then(|| {
                    view! {
                        <noscript>
                            <meta http-equiv="refresh" content="3" />
                        </noscript>
                    }
                })}
            {open
                .then(|| {
                    view! {
                        <form method="post" action=cancel>
                            <button class="button danger" type="submit">{lang.pick("取消", "Cancel")}</button>
                        </form>
                    }
                })}
        </main>
    }
    .into_any()
}
