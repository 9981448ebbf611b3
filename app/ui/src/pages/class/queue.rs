//! The queue of lab runs for those who look after it: runners, what runs and waits, and what machines could not do.

use evidence::Lang;
use leptos::prelude::*;

use crate::islands::LogLine;
use crate::pages::account::{Act, When};
use crate::rows::Rows;

#[derive(Debug, Clone)]
pub struct QueueRunner {
    pub id: String,
    pub name: String,
    pub connected: bool,
    pub paused: bool,
    /// Backend, device class, memory, labels, labs.
    pub offers: String,
}

#[derive(Debug, Clone)]
pub struct QueueJob {
    pub id: String,
    pub learner: String,
    pub lab: String,
    /// What it asks of a runner.
    pub needs: String,
    pub queued: String,
    /// 1 is next; none while it runs.
    pub place: Option<i64>,
    pub runner: Option<String>,
}

#[derive(Debug, Clone)]
pub struct DeadJob {
    pub id: String,
    pub learner: String,
    pub lab: String,
    pub ended: String,
    /// The lines of its log that tell of hand-outs and their ends.
    pub story: Vec<LogLine>,
}

/// A class that the reader teaches, and whether its jobs go first.
#[derive(Debug, Clone)]
pub struct FirstClass {
    pub id: String,
    pub name: String,
    pub first: bool,
}

#[component]
pub fn QueuePage(
    lang: Lang,
    runners: Vec<QueueRunner>,
    line: Vec<QueueJob>,
    dead: Vec<DeadJob>,
    classes: Vec<FirstClass>,
) -> impl IntoView {
    view! {
        <main id="main" class="wide">
            <p>
                <a href=format!("/{}/class", lang.code())>{lang.pick("← 班级", "← Classes")}</a>
            </p>
            <h1>{lang.pick("任务队列", "The queue")}</h1>
            <p class="lead">
                {lang
                    .pick(
                        "学习者轮流：每人一个，再轮下一个；教师自己的任务和优先的班级先走，但等满十分钟的任务不再排在任何人的优先之后。",
                        "Learners take turns, one job each; an instructor's own jobs and classes that go first come earlier, but a job that has waited ten minutes waits behind nobody's priority.",
                    )}
            </p>
            <Machines lang runners />
            <Line lang line />
            <Dead lang dead />
            <Classes lang classes />
        </main>
    }
    .into_any()
}

#[component]
fn Machines(lang: Lang, runners: Vec<QueueRunner>) -> impl IntoView {
    let at = format!("/{}/class/queue/pause", lang.code());
    let (any_open, any_paused) = (runners.iter().any(|r| !r.paused), runners.iter().any(|r| r.paused));
    let action = at.clone();
    let rows = runners
        .into_iter()
        .map(|runner| {
            let state = match (runner.paused, runner.connected) {
                (true, _) => view! { <span class="badge warn">"‖ " {lang.pick("已暂停", "paused")}</span> },
                (false, true) => view! { <span class="badge ok">"✓ " {lang.pick("已连接", "connected")}</span> },
                (false, false) => {
                    view! { <span class="badge theory">"… " {lang.pick("没有连接", "not connected")}</span> }
                }
            };
            let (paused, label) = if runner.paused {
                ("false", lang.pick("恢复", "Let it go on"))
            } else {
                ("true", lang.pick("暂停", "Pause"))
            };
            let value = format!("{paused} {}", runner.id);
            view! {
                <tr data-runner=runner.id>
                    <td data-label=lang.pick("名称", "Name")><bdi>{runner.name.clone()}</bdi></td>
                    <td data-label=lang.pick("状态", "State")>{state}</td>
                    <td data-label=lang.pick("能做什么", "What it has")>{runner.offers}</td>
                    <td>
                        <Act action=action.clone() label name="set" value about=runner.name />
                    </td>
                </tr>
            }
        })
        .collect_view();
    let head = vec![
        ("", lang.pick("名称", "Name")),
        ("", lang.pick("状态", "State")),
        ("", lang.pick("能做什么", "What it has")),
        ("", ""),
    ];
    view! {
        <h2 id="runners">{lang.pick("Runner", "Runners")}</h2>
        <p>
            {lang
                .pick(
                    "暂停的 runner 不再领取任务，正在跑的会跑完；学习者的页面会说明。",
                    "A paused runner takes no job and finishes what it has; the pages of learners say so.",
                )}
        </p>
        {if any_open || any_paused {
            view! { <Rows class="queue stacked" head>{rows}</Rows> }.into_any()
        } else {
            view! { <p class="empty">{lang.pick("还没有 runner。", "No runners yet.")}</p> }.into_any()
        }}
        <div class="actions">
            {any_open
                .then(|| {
                    view! { <Act action=at.clone() label=lang.pick("全部暂停", "Pause all") name="set" value="true" /> }
                })}
            {any_paused
                .then(|| {
                    view! {
                        <Act action=at.clone() label=lang.pick("全部恢复", "Let all go on") name="set" value="false" />
                    }
                })}
        </div>
    }
    .into_any()
}

#[component]
fn Line(lang: Lang, line: Vec<QueueJob>) -> impl IntoView {
    let empty = line.is_empty();
    let rows = line
        .into_iter()
        .map(|job| {
            let row = job.id.clone();
            let state = match (job.place, &job.runner) {
                (Some(place), _) => format!("{} {place}", lang.pick("排队", "waits,")),
                (None, Some(runner)) => format!("{} {runner}", lang.pick("在跑：", "runs on")),
                (None, None) => lang.pick("在跑", "runs").to_owned(),
            };
            view! {
                <tr data-job=row>
                    <td>
                        <a href=format!("/{}/jobs/{}", lang.code(), job.id)>
                            <When iso=job.queued />
                        </a>
                    </td>
                    <td data-label=lang.pick("学习者", "Learner")><bdi>{job.learner.clone()}</bdi></td>
                    <td data-label=lang.pick("实验", "Lab")>{job.lab}</td>
                    <td data-label=lang.pick("要求", "Needs")>{job.needs}</td>
                    <td data-label=lang.pick("状态", "State")>{state}</td>
                    <td>
                        <Act
                            action=format!("/{}/class/queue/cancel", lang.code())
                            label=lang.pick("取消", "Cancel")
                            name="id"
                            value=job.id.clone()
                            about=job.learner
                        />
                    </td>
                </tr>
            }
        })
        .collect_view();
    let head = vec![
        ("", lang.pick("排队时间", "Queued")),
        ("", lang.pick("学习者", "Learner")),
        ("", lang.pick("实验", "Lab")),
        ("", lang.pick("要求", "Needs")),
        ("", lang.pick("状态", "State")),
        ("", ""),
    ];
    view! {
        <h2 id="line">{lang.pick("在跑与在等", "Running and waiting")}</h2>
        {if empty {
            view! { <p class="empty">{lang.pick("没有任务在跑或在等。", "Nothing runs or waits.")}</p> }.into_any()
        } else {
            view! { <Rows class="queue stacked" head>{rows}</Rows> }.into_any()
        }}
    }
    .into_any()
}

#[component]
fn Dead(lang: Lang, dead: Vec<DeadJob>) -> impl IntoView {
    let empty = dead.is_empty();
    let rows = dead
        .into_iter()
        .map(|job| {
            let row = job.id.clone();
            let story = job
                .story
                .iter()
                .map(|line| view! { <div data-kind=line.kind.clone()>{line.words(lang)}</div> })
                .collect_view();
            view! {
                <tr data-job=row>
                    <td>
                        <a href=format!("/{}/jobs/{}", lang.code(), job.id)>
                            <When iso=job.ended />
                        </a>
                    </td>
                    <td data-label=lang.pick("学习者", "Learner")><bdi>{job.learner.clone()}</bdi></td>
                    <td data-label=lang.pick("实验", "Lab")>{job.lab}</td>
                    <td class="detail" data-label=lang.pick("每一次的经过", "What each attempt came to")>{story}</td>
                    <td class="actions">
                        <Act
                            action=format!("/{}/class/queue/requeue", lang.code())
                            label=lang.pick("重新排队", "Queue again")
                            name="id"
                            value=job.id.clone()
                            about=job.learner.clone()
                        />
                        <Act
                            action=format!("/{}/class/queue/dismiss", lang.code())
                            label=lang.pick("划掉", "Dismiss")
                            name="id"
                            value=job.id.clone()
                            about=job.learner
                        />
                    </td>
                </tr>
            }
        })
        .collect_view();
    let head = vec![
        ("", lang.pick("结束于", "Ended")),
        ("", lang.pick("学习者", "Learner")),
        ("", lang.pick("实验", "Lab")),
        ("", lang.pick("每一次的经过", "What each attempt came to")),
        ("", ""),
    ];
    view! {
        <h2 id="dead">{lang.pick("机器没能完成的任务", "What the machines could not do")}</h2>
        <p>
            {lang
                .pick(
                    "基础设施故障自动重试，三次之后落到这里。它不计入提交次数；修好机器后可以让它重新排队。",
                    "A failure of the machine is retried by itself; after three attempts the job comes here. It cost its learner nothing; queue it again when the machine is well.",
                )}
        </p>
        {if empty {
            view! { <p class="empty">{lang.pick("没有。", "None.")}</p> }.into_any()
        } else {
            view! { <Rows class="queue stacked" head>{rows}</Rows> }.into_any()
        }}
    }
    .into_any()
}

#[component]
fn Classes(lang: Lang, classes: Vec<FirstClass>) -> impl IntoView {
    let rows = classes
        .into_iter()
        .map(|class| {
            let (first, label) = if class.first {
                ("false", lang.pick("不再优先", "No longer first"))
            } else {
                ("true", lang.pick("优先", "Goes first"))
            };
            let value = format!("{first} {}", class.id);
            view! {
                <li>
                    <bdi>{class.name.clone()}</bdi>
                    " "
                    {class.first.then(|| view! { <span class="badge ok">"↑ " {lang.pick("优先", "goes first")}</span> })}
                    <Act
                        action=format!("/{}/class/queue/priority", lang.code())
                        label
                        name="set"
                        value
                        about=class.name
                    />
                </li>
            }
        })
        .collect_view();
    view! {
        <h2 id="first">{lang.pick("哪个班先走", "Which class goes first")}</h2>
        <ul class="report-list">{rows}</ul>
    }
    .into_any()
}
