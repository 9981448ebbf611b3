//! Machines that run labs.

use evidence::Lang;
use leptos::prelude::*;

use crate::pages::account::{Act, Command, Field, Problems, SecretText, Summary, When};

#[derive(Debug, Clone)]
pub struct RunnerLine {
    pub id: String,
    pub name: String,
    /// Whether it has shown its key.
    pub bound: bool,
    pub created: String,
    pub last_seen: Option<String>,
    pub revoked: bool,
}

#[component]
pub fn Runners(lang: Lang, runners: Vec<RunnerLine>, name: String, problems: Problems) -> impl IntoView {
    let empty = runners.is_empty();
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
                <div class="table">
                    <table>
                        <thead>
                            <tr>
                                <th>{lang.pick("名称", "Name")}</th>
                                <th>{lang.pick("状态", "State")}</th>
                                <th>{lang.pick("登记于", "Registered")}</th>
                                <th>{lang.pick("最近连接", "Last seen")}</th>
                                <td></td>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            }
                .into_any()
        }}
        <Summary lang problems=problems.clone() />
        <form class="row-form" method="post" action=format!("/{}/class/runners", lang.code())>
            <Field form="runner" name="name" label=lang.pick("新 runner 的名称", "Name of a new runner") value=name problems />
            <button type="submit" class="button">
                {lang.pick("登记", "Register")}
            </button>
        </form>
    }
    .into_any()
}

#[component]
fn Row(lang: Lang, runner: RunnerLine) -> impl IntoView {
    let name = runner.name.clone();
    let state = match (runner.revoked, runner.bound) {
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
            <td><bdi>{name.clone()}</bdi></td>
            <td>{state}</td>
            <td>
                <When iso=runner.created />
            </td>
            <td>
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

/// The only page that ever shows a runner's token.
#[component]
pub fn RunnerTokenPage(lang: Lang, name: String, token: String, origin: String) -> impl IntoView {
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
