//! Running a lab: press, see the queue, the stages with their times, and the grade.

use evidence::Lang;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::browser;

/// What the server says about a job, at once and whenever it changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobState {
    pub id: String,
    /// `queued`, `running`, `graded`, `failed` or `cancelled`
    pub state: String,
    /// Jobs before this one.
    pub position: Option<u64>,
    /// Stages with the time each began or took, in the order they came.
    pub stages: Vec<StageState>,
    /// Where the report is, once it is graded.
    pub report: Option<String>,
    /// `■ CPU` or `◆ GPU`, derived from device facts.
    pub class: Option<String>,
    /// What went wrong, in words; an infrastructure failure costs no attempt.
    pub message: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageState {
    pub name: String,
    pub took_ms: Option<u64>,
}

/// The names of stages, in order.
const STAGES: [&str; 5] = ["queued", "compiling", "checking", "measuring", "graded"];

/// A button, then the job as it goes.
#[island]
pub fn LabRun(lab: String, title: String, lang: Lang) -> impl IntoView {
    let job = RwSignal::new(None::<JobState>);
    let trouble = RwSignal::new(None::<&'static str>);
    let busy = RwSignal::new(false);
    let action = format!("/{}/labs/{lab}/jobs", lang.code());
    let page = format!("/{}/labs/{lab}", lang.code());
    let name = lab.clone();
    let run = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        trouble.set(None);
        let body = serde_json::json!({ "lab": name }).to_string();
        browser::post("/api/v1/jobs".to_owned(), body, move |answer| {
            let state = answer.map_err(|(status, _)| status);
            match state.and_then(|text| serde_json::from_str::<JobState>(&text).map_err(|_| 0)) {
                Ok(state) => {
                    let url = format!("/api/v1/jobs/{}/events", state.id);
                    job.set(Some(state));
                    browser::listen(&url, move |data| {
                        if let Ok(state) = serde_json::from_str::<JobState>(&data) {
                            busy.set(!is_over(&state));
                            job.set(Some(state));
                        }
                    });
                }
                Err(status) => {
                    busy.set(false);
                    trouble.set(Some(why(status, lang)));
                }
            }
        });
    };
    view! {
        <section class="card lab-run" aria-label=lang.pick("实验", "Lab")>
            <header>
                <b>{lang.pick("实验 ", "Lab ")} {title}</b>
                <span>
                    <a href=page>{lang.pick("说明", "About")}</a>
                </span>
            </header>
            <div class="body">
                <form method="post" action=action on:submit=run>
                    <button class="button" type="submit" disabled=move || busy.get()>
                        {lang.pick("▶ 运行", "▶ Run")}
                    </button>
                    <span class="hint">
                        {lang
                            .pick(
                                "在教师的 runner 上执行；证据类别由设备事实决定。",
                                "Runs on the instructor's runner; the evidence class follows from device facts.",
                            )}
                    </span>
                </form>
                <p class="problem" role="alert" hidden=move || trouble.with(Option::is_none)>
                    {move || trouble.get()}
                </p>
                <div aria-live="polite">{move || job.get().map(|job| view! { <JobView job lang /> })}</div>
            </div>
        </section>
    }
}

fn is_over(job: &JobState) -> bool {
    matches!(job.state.as_str(), "graded" | "failed" | "cancelled")
}

fn why(status: u16, lang: Lang) -> &'static str {
    match status {
        401 => lang.pick("请先登录，再运行实验。", "Sign in first, then run the lab."),
        403 => lang.pick("这个账号不能运行实验，请联系教师。", "This account may not run labs; ask your instructor."),
        429 => lang.pick("排队的作业太多，请等前一个结束。", "Too many jobs waiting; let the previous one finish."),
        _ => lang
            .pick("没有送达，请检查网络后再试。", "That did not reach the server; check the connection and try again."),
    }
}

/// The stages of a job and where they ended.
#[component]
pub fn JobView(job: JobState, lang: Lang) -> impl IntoView {
    let over = is_over(&job);
    let stages = STAGES
        .iter()
        .map(|name| {
            let at = job.stages.iter().position(|stage| stage.name == *name);
            let current = at.is_some_and(|at| at + 1 == job.stages.len()) && !over;
            let class = match (at, current) {
                (None, _) => "todo",
                (Some(_), true) => "now",
                (Some(_), false) => "past",
            };
            let took = at.and_then(|at| job.stages.get(at)?.took_ms).map(|ms| format!("{ms} ms"));
            let note = if *name == "queued" && current {
                job.position.map(|n| match lang {
                    Lang::Zh => format!("前面还有 {n} 个"),
                    Lang::En => format!("{n} before you"),
                })
            } else {
                took
            };
            view! {
                <li class=class data-stage=*name aria-current=current.then_some("step")>
                    {stage(name, lang)}
                    <small>{note}</small>
                </li>
            }
        })
        .collect_view();
    view! {
        <ol class="stages" data-job=job.id data-state=job.state.clone()>
            {stages}
        </ol>
        {job
            .message
            .map(|message| {
                view! {
                    <p class="problem" role="alert">
                        {message}
                        {(job.state == "failed")
                            .then_some(lang.pick(" 不计入提交次数。", " No attempt is spent."))}
                    </p>
                }
            })}
        {job
            .report
            .map(|report| {
                let class = job.class.unwrap_or_default();
                view! {
                    <p>
                        <a class="button report-link" href=format!("/{}/reports/{report}", lang.code())>
                            {lang.pick("查看报告", "Open the report")}
                        </a>
                        " "
                        <span class="badge">{class}</span>
                    </p>
                }
            })}
    }
}

fn stage(name: &str, lang: Lang) -> &'static str {
    match name {
        "queued" => lang.pick("排队", "queued"),
        "compiling" => lang.pick("编译", "compiling"),
        "checking" => lang.pick("检查", "checking"),
        "measuring" => lang.pick("测量", "measuring"),
        _ => lang.pick("评分", "graded"),
    }
}
