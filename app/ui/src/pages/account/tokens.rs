//! API tokens: for the command line and notebooks.

use evidence::Lang;
use leptos::prelude::*;

use super::form::{Act, Field, Problems, Summary, When};
use super::secret::{Command, SecretText};

#[derive(Debug, Clone)]
pub struct TokenLine {
    pub id: String,
    pub name: String,
    /// The token's first characters.
    pub prefix: String,
    pub scopes: String,
    pub created: String,
    pub last_used: Option<String>,
}

/// One thing that a token may be allowed to do.
#[derive(Debug, Clone)]
pub struct ScopeChoice {
    pub id: &'static str,
    pub chosen: bool,
}

/// The form of a new token as it was sent, or as it starts.
#[derive(Debug, Clone, Default)]
pub struct TokenTyped {
    pub name: String,
    pub scopes: Vec<ScopeChoice>,
}

fn scope_text(id: &str, lang: Lang) -> &'static str {
    match id {
        "reports:read" => lang.pick("读取自己的报告与评分", "read own reports and grades"),
        "reports:submit" => lang.pick("提交报告", "submit reports"),
        "jobs:run" => lang.pick("运行实验", "run labs"),
        "gradebook:read" => lang.pick("读取自己班级的成绩册", "read the gradebook of own classes"),
        _ => "",
    }
}

#[component]
pub fn Tokens(
    lang: Lang,
    tokens: Vec<TokenLine>,
    instructor: bool,
    typed: TokenTyped,
    problems: Problems,
) -> impl IntoView {
    let at = move |path: &str| format!("/{}/account/tokens{path}", lang.code());
    let empty = tokens.is_empty();
    let rows = tokens
        .into_iter()
        .map(|token| {
            let name = token.name.clone();
            view! {
                <tr>
                    <td>
                        <bdi>{name.clone()}</bdi> <br />
                        <code>{token.prefix} "…"</code>
                    </td>
                    <td>
                        <code>{token.scopes}</code>
                    </td>
                    <td>
                        <When iso=token.created />
                    </td>
                    <td>
                        {match token.last_used {
                            Some(iso) => view! { <When iso /> }.into_any(),
                            None => lang.pick("从未", "never").into_any(),
                        }}
                    </td>
                    <td>
                        <Act
                            action=at("/revoke")
                            label=lang.pick("吊销", "Revoke")
                            name="id"
                            value=token.id
                            class="button danger"
                            about=name
                        />
                    </td>
                </tr>
            }
        })
        .collect_view();
    let scopes = typed
        .scopes
        .into_iter()
        .filter(|scope| instructor || scope.id != "gradebook:read")
        .map(|scope| {
            view! {
                <label class="row">
                    <span>
                        <input type="checkbox" name="scope" value=scope.id checked=scope.chosen />
                        " "
                        {scope_text(scope.id, lang)}
                        " "
                        <code>{scope.id}</code>
                    </span>
                </label>
            }
        })
        .collect_view();
    let scope_problem = problems.of("scope");
    view! {
        <h2 id="tokens">{lang.pick("API 令牌", "API tokens")}</h2>
        <p>
            {lang
                .pick(
                    "给命令行与 notebook 用，例如用 curl 提交报告。令牌只显示一次，可以随时吊销。",
                    "For the command line and notebooks, for instance to submit a report with curl. A token is shown once and can be revoked at any time.",
                )}
        </p>
        <Summary lang problems=problems.clone() />
        {empty.then(|| view! { <p class="empty">{lang.pick("还没有令牌。", "No tokens yet.")}</p> })}
        {(!empty)
            .then(|| {
                view! {
                    <div class="table">
                        <table>
                            <thead>
                                <tr>
                                    <th>{lang.pick("名称", "Name")}</th>
                                    <th>{lang.pick("可以做", "May")}</th>
                                    <th>{lang.pick("生成于", "Created")}</th>
                                    <th>{lang.pick("最近使用", "Last used")}</th>
                                    <th></th>
                                </tr>
                            </thead>
                            <tbody>{rows}</tbody>
                        </table>
                    </div>
                }
            })}
        <form class="form" method="post" action=at("")>
            <Field
                form="token"
                name="name"
                label=lang.pick("新令牌的名称", "Name of a new token")
                value=typed.name
                hint=lang.pick("说明用在哪里，例如：实验室工作站。", "Where it will be used, for instance: lab workstation.")
                problems=problems.clone()
            />
            <fieldset>
                <legend>{lang.pick("它可以做什么", "What it may do")}</legend>
                {scopes}
                {scope_problem.map(|text| view! { <small class="problem">{text}</small> })}
            </fieldset>
            <button type="submit" class="button">
                {lang.pick("生成令牌", "Make a token")}
            </button>
        </form>
    }
    .into_any()
}

/// The only page that ever shows the token.
#[component]
pub fn TokenMadePage(lang: Lang, name: String, token: String, origin: String, submits: bool) -> impl IntoView {
    let command = if submits {
        format!("curl -H \"Authorization: Bearer {token}\" --data-binary @report.json {origin}/api/v1/reports")
    } else {
        format!("curl -H \"Authorization: Bearer {token}\" {origin}/api/v1/reports")
    };
    view! {
        <main id="main" class="narrow">
            <h1>{lang.pick("新令牌：", "New token: ")} <bdi>{name.clone()}</bdi></h1>
            <SecretText lang text=token />
            <p>
                {if submits {
                    lang.pick("提交一份报告：", "Submit a report:")
                } else {
                    lang.pick("这样使用：", "Use it like this:")
                }}
            </p>
            <Command text=command />
            <p class="actions">
                <a class="button" href=format!("/{}/account#tokens", lang.code())>
                    {lang.pick("我已保存，回到账号", "I have saved it, back to my account")}
                </a>
            </p>
        </main>
    }
    .into_any()
}
