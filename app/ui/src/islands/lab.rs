//! Running a lab: press, see the queue, the stages with their times, the log, and the grade.
//!
//! What is shown comes from events of the server. Which run a page follows stands in its address (`?job=…`), so that a
//! reload goes on with it.

use evidence::Lang;
use leptos::prelude::*;
use serde::Deserialize;

use super::browser;

mod said;

pub use said::{JobState, LogLine, Refusal, StageState, Wait};
use said::{is_over, stage};

/// The names of stages, in order.
const STAGES: [&str; 5] = ["queued", "compiling", "checking", "measuring", "graded"];

/// A run that a page follows: its state, its log, and the stream that brings both.
#[derive(Clone, Copy)]
struct Followed {
    job: RwSignal<Option<JobState>>,
    log: RwSignal<Vec<LogLine>>,
}

impl Followed {
    fn new(job: Option<JobState>, log: Vec<LogLine>) -> Self {
        Self { job: RwSignal::new(job), log: RwSignal::new(log) }
    }

    /// Listens behind the last line that is known. When the stream breaks, the browser names that line by itself.
    fn listen(self, id: &str) {
        let last = self.log.with_untracked(|log| log.last().map_or(0, |line| line.seq));
        let url = format!("/api/v1/jobs/{id}/events?after={last}");
        browser::listen(&url, move |event, data| match event {
            "log" => {
                if let Ok(line) = serde_json::from_str::<LogLine>(data) {
                    self.log.update(|log| {
                        if log.last().is_none_or(|last| last.seq < line.seq) {
                            log.push(line);
                        }
                    });
                }
            }
            _ => {
                if let Ok(state) = serde_json::from_str::<JobState>(data) {
                    self.job.set(Some(state));
                }
            }
        });
    }

    fn is_running(self) -> bool {
        self.job.with(|job| job.as_ref().is_some_and(|job| !is_over(job)))
    }
}

/// A button, then the job as it goes.
#[island]
pub fn LabRun(lab: String, title: String, lang: Lang) -> impl IntoView {
    let followed = Followed::new(None, Vec::new());
    let trouble = RwSignal::new(None::<String>);
    let sending = RwSignal::new(false);
    let busy = move || sending.get() || followed.is_running();
    let action = format!("/{}/labs/{lab}/jobs", lang.code());
    let page = format!("/{}/labs/{lab}", lang.code());
    // After a reload the run goes on here.
    if let Some(id) = browser::query_value("job") {
        let lab = lab.clone();
        browser::get(format!("/api/v1/jobs/{id}"), move |answer| {
            let state = answer.and_then(|text| serde_json::from_str::<JobState>(&text).map_err(|_| 0));
            if let Ok(state) = state
                && state.lab == lab
            {
                let id = state.id.clone();
                followed.job.set(Some(state));
                followed.listen(&id);
            }
        });
    }
    let name = lab.clone();
    let run = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if sending.get_untracked() || followed.job.with_untracked(|job| job.as_ref().is_some_and(|job| !is_over(job))) {
            return;
        }
        sending.set(true);
        trouble.set(None);
        let body = serde_json::json!({ "lab": name }).to_string();
        browser::post("/api/v1/jobs".to_owned(), body, move |answer| {
            sending.set(false);
            match answer.and_then(|text| serde_json::from_str::<JobState>(&text).map_err(|_| (0, String::new()))) {
                Ok(state) => {
                    let id = state.id.clone();
                    browser::set_query_value("job", &id);
                    followed.log.set(Vec::new());
                    followed.job.set(Some(state));
                    followed.listen(&id);
                }
                Err((status, text)) => trouble.set(Some(why(status, &text, lang))),
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
                    <button class="button" type="submit" disabled=busy>
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
                <div aria-live="polite">
                    {move || followed.job.get().map(|job| view! { <JobView job lang /> })}
                </div>
                {move || log_view(followed.log.get(), lang)}
            </div>
        </section>
    }
}

/// The run of a page of its own.
#[island]
pub fn JobLive(job: JobState, log: Vec<LogLine>, lang: Lang) -> impl IntoView {
    let (id, over) = (job.id.clone(), is_over(&job));
    let followed = Followed::new(Some(job), log);
    if !over {
        followed.listen(&id);
    }
    view! {
        <section class="lab-run">
            <div aria-live="polite">
                {move || followed.job.get().map(|job| view! { <JobView job lang /> })}
            </div>
            {move || log_view(followed.log.get(), lang)}
        </section>
    }
}

fn log_view(log: Vec<LogLine>, lang: Lang) -> Option<impl IntoView> {
    let lines = log
        .iter()
        .map(|line| {
            let at = line.at.get(11..19).unwrap_or_default().to_owned();
            view! {
                <li data-kind=line.kind.clone()>
                    <time datetime=line.at.clone()>{at}</time>
                    " "
                    {line.words(lang)}
                </li>
            }
        })
        .collect_view();
    (!log.is_empty()).then(|| {
        view! {
            <details class="job-log" open>
                <summary>{lang.pick("经过（UTC）", "Log (UTC)")}</summary>
                <ol>{lines}</ol>
            </details>
        }
    })
}

/// The server says by itself why a run is not queued now.
fn why(status: u16, body: &str, lang: Lang) -> String {
    #[derive(Deserialize)]
    struct Problem {
        refusal: Refusal,
    }
    if let Ok(problem) = serde_json::from_str::<Problem>(body) {
        return problem.refusal.words(lang);
    }
    match status {
        401 => lang.pick("请先登录，再运行实验。", "Sign in first, then run the lab."),
        403 => lang.pick("这个账号不能运行实验，请联系教师。", "This account may not run labs; ask your instructor."),
        429 => lang.pick("试得太频繁了，请稍后再试。", "Too many tries; wait a little."),
        _ => lang
            .pick("没有送达，请检查网络后再试。", "That did not reach the server; check the connection and try again."),
    }
    .to_owned()
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
        {job.wait.map(|wait| view! { <p class="notice" role="status">{wait.words(lang)}</p> })}
        {job
            .message
            .map(|message| {
                view! {
                    <p class="problem" role="alert">
                        {message}
                        {(job.state == "failed")
                            .then_some(lang.pick("\n不计入提交次数。", "\nNo attempt is spent."))}
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
