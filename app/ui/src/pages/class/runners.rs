//! Machines that run labs.

use evidence::Lang;
use leptos::prelude::*;

use crate::pages::account::{Act, Command, Field, Problems, SecretText, Summary, When};
use crate::rows::Rows;

#[derive(Debug, Clone)]
pub struct RunnerLine {
    pub id: String,
    pub name: String,
    /// Whether it has shown its key.
    pub bound: bool,
    pub created: String,
    pub last_seen: Option<String>,
    pub revoked: bool,
    pub end: End,
}

/// When a runner's token ends by itself.
#[derive(Debug, Clone)]
pub enum End {
    /// It was made before tokens ended.
    Never,
    /// In so many whole days.
    In {
        iso: String,
        days: i64,
    },
    Over {
        iso: String,
    },
}

/// A lifetime that a new token can have.
#[derive(Debug, Clone)]
pub struct LifetimeChoice {
    pub days: u32,
    pub chosen: bool,
}

#[component]
pub fn Runners(
    lang: Lang,
    runners: Vec<RunnerLine>,
    name: String,
    lifetimes: Vec<LifetimeChoice>,
    problems: Problems,
) -> impl IntoView {
    let choices = lifetimes
        .into_iter()
        .map(|LifetimeChoice { days, chosen }| {
            view! {
                <option value=days selected=chosen>
                    {days} {lang.pick(" 天", " days")}
                </option>
            }
        })
        .collect_view();
    let days_problem = problems.of("days");
    let empty = runners.is_empty();
    let head = columns(lang);
    let rows = runners.into_iter().map(|runner| view! { <Row lang runner /> }).collect_view();
    view! {
        <h2 id="runners">{lang.pick("Runner", "Runners")}</h2>
        <p>
            {lang
                .pick(
                    "Runner 在你的机器上执行实验，报告由它签名。它在哪种设备上跑，就是哪种证据：CPU 后端的报告永远进 CPU 栏。你登记的 runner 只领取你自己和你所教班级学习者的任务；别的教师看不到它，也不能吊销它。",
                    "A runner executes labs on a machine of yours and signs the reports. The device that ran decides the evidence: a report of the CPU backend always lands in the CPU column. A runner that you register takes only jobs of yours and of learners of the classes you teach; other instructors neither see nor revoke it.",
                )}
        </p>
        <p>
            <a href=format!("/{}/class/queue", lang.code())>
                {lang.pick("任务队列：暂停、失败的任务、谁在等", "The queue: pausing, failed jobs, who waits")}
            </a>
        </p>
        {if empty {
            view! { <p class="empty">{lang.pick("还没有 runner。", "No runners yet.")}</p> }.into_any()
        } else {
            view! {
                <Rows class="stacked" head=head.map(|name| ("", name)).to_vec()>
                    {rows}
                </Rows>
            }
                .into_any()
        }}
        <Summary lang problems=problems.clone() />
        <form class="row-form" method="post" action=format!("/{}/class/runners", lang.code())>
            <Field form="runner" name="name" label=lang.pick("新 runner 的名称", "Name of a new runner") value=name problems />
            <label for="runner-days">
                {lang.pick("令牌有效期", "Its token is good for")}
                <select
                    id="runner-days"
                    name="days"
                    aria-invalid=days_problem.is_some().then_some("true")
                    aria-describedby=days_problem.is_some().then_some("runner-days-problem")
                >
                    {choices}
                </select>
                {days_problem.map(|text| view! { <small class="problem" id="runner-days-problem">{text}</small> })}
            </label>
            <button type="submit" class="button">
                {lang.pick("登记", "Register")}
            </button>
        </form>
    }
    .into_any()
}

/// The last is for the button.
fn columns(lang: Lang) -> [&'static str; 6] {
    [
        lang.pick("名称", "Name"),
        lang.pick("状态", "State"),
        lang.pick("登记于", "Registered"),
        lang.pick("令牌有效到", "Token good until"),
        lang.pick("最近连接", "Last seen"),
        "",
    ]
}

#[component]
fn Row(lang: Lang, runner: RunnerLine) -> impl IntoView {
    let name = runner.name.clone();
    let [name_of, state_of, registered, good_until, seen, _] = columns(lang);
    let over = matches!(runner.end, End::Over { .. });
    let state = match (runner.revoked, runner.bound) {
        (false, _) if over => view! { <span class="badge bad">"✕ " {lang.pick("令牌已过期", "token expired")}</span> },
        (true, _) => view! { <span class="badge bad">"✕ " {lang.pick("已吊销", "revoked")}</span> },
        (false, true) => view! { <span class="badge ok">"✓ " {lang.pick("已绑定密钥", "key bound")}</span> },
        (false, false) => {
            view! { <span class="badge theory">"… " {lang.pick("等待第一次连接", "waiting for its first call")}</span> }
        }
    };
    let revoke = (!runner.revoked).then(|| {
        view! {
            <Act
                action=format!("/{}/class/runners/revoke", lang.code())
                label=lang.pick("吊销", "Revoke")
                name="id"
                value=runner.id.clone()
                class="button danger"
                about=name.clone()
            />
        }
    });
    view! {
        <tr>
            <td data-label=name_of><bdi>{name.clone()}</bdi></td>
            <td data-label=state_of>{state}</td>
            <td data-label=registered>
                <When iso=runner.created />
            </td>
            <td data-label=good_until>{until(lang, runner.end)}</td>
            <td data-label=seen>
                {match runner.last_seen {
                    Some(iso) => view! { <When iso /> }.into_any(),
                    None => lang.pick("从未", "never").into_any(),
                }}
            </td>
            <td>{revoke}</td>
        </tr>
    }
    .into_any()
}

fn until(lang: Lang, end: End) -> AnyView {
    match end {
        End::Never => lang.pick("没有期限", "no end").into_any(),
        End::Over { iso } => view! { <When iso /> }.into_any(),
        End::In { iso, days } => {
            let left = match (lang, days) {
                (Lang::Zh, ..1) => "不到一天".to_owned(),
                (Lang::En, ..1) => "less than a day left".to_owned(),
                (Lang::Zh, _) => format!("还有 {days} 天"),
                (Lang::En, 1) => "1 day left".to_owned(),
                (Lang::En, _) => format!("{days} days left"),
            };
            view! {
                <When iso />
                <br />
                <small class="hint">{left}</small>
            }
            .into_any()
        }
    }
}

/// The only page that ever shows a runner's token.
#[component]
pub fn RunnerTokenPage(lang: Lang, name: String, token: String, until: String, origin: String) -> impl IntoView {
    view! {
        <main id="main" class="narrow">
            <h1>{lang.pick("Runner 已登记：", "Runner registered: ")} <bdi>{name.clone()}</bdi></h1>
            <SecretText lang text=token />
            <p>
                {lang
                    .pick(
                        "在 GPU 机器上把令牌存进只有 runner 可读的文件，然后启动：",
                        "On the GPU machine, put the token into a file that only the runner can read, then start it:",
                    )}
            </p>
            <Command text=format!("gpu_runner serve --server {origin} --token-file runner.token") />
            <p>
                {lang.pick("令牌有效到 ", "The token is good until ")} <When iso=until />
                {lang
                    .pick(
                        "。之后服务器不再接受它，runner 会停下并说明原因；那时在这里登记一个新的。",
                        ". After that the server refuses it, and the runner stops and says why; register a new one here then.",
                    )}
            </p>
            <p class="hint">
                {lang
                    .pick(
                        "第一次连接会把 runner 的公钥绑定到这个令牌；换密钥需要新的令牌。",
                        "The first call binds the runner's public key to this token; a new key needs a new token.",
                    )}
            </p>
            <p class="actions">
                <a class="button" href=format!("/{}/class#runners", lang.code())>
                    {lang.pick("我已保存，回到班级", "I have saved it, back to the classes")}
                </a>
            </p>
        </main>
    }
    .into_any()
}
