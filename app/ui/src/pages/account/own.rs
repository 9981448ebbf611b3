//! One's own account on one page.

use evidence::Lang;
use leptos::prelude::*;

use super::form::{Act, Field, Problems, Summary, When};
use super::sessions::{SessionLine, Sessions};
use super::tokens::{TokenLine, TokenTyped, Tokens};

/// A class that the learner is in, or that the instructor teaches.
#[derive(Debug, Clone)]
pub struct ClassName {
    pub name: String,
    /// The class's id, for who teaches it: it has a page.
    pub taught: Option<String>,
    pub since: String,
}

/// Everything that the account page shows.
#[derive(Debug, Clone)]
pub struct Own {
    pub login: String,
    pub display_name: String,
    pub instructor: bool,
    pub classes: Vec<ClassName>,
    pub sessions: Vec<SessionLine>,
    pub tokens: Vec<TokenLine>,
}

/// Which form of the page has a problem, and what was typed into it.
#[derive(Debug, Clone, Default)]
pub struct Forms {
    pub code: String,
    pub join: Problems,
    pub password: Problems,
    pub token: TokenTyped,
    pub tokens: Problems,
}

#[component]
pub fn AccountPage(lang: Lang, own: Own, notice: Option<&'static str>, forms: Forms) -> impl IntoView {
    let at = move |path: &str| format!("/{}/{path}", lang.code());
    let role = if own.instructor { lang.pick("教师", "Instructor") } else { lang.pick("学习者", "Learner") };
    let instructor = own.instructor;
    view! {
        <main id="main" class="narrow">
            <h1><bdi>{own.display_name.clone()}</bdi></h1>
            <p class="facts">
                <span class="badge">{role}</span>
                <span>{lang.pick("登录名 ", "login name ")} <b>{own.login.clone()}</b></span>
            </p>
            {notice.map(|text| view! { <p class="notice" role="status">{text}</p> })}
            <div class="actions">
                {instructor
                    .then(|| view! { <a class="button" href=at("class")>{lang.pick("班级", "Classes")}</a> })}
                <a class="button quiet" href=at("reports")>
                    {lang.pick("我的报告", "My reports")}
                </a>
                <Act action=at("sign-out") label=lang.pick("退出登录", "Sign out") />
            </div>
            <Classes lang classes=own.classes instructor code=forms.code problems=forms.join />
            <ChangePassword lang login=own.login problems=forms.password />
            <Sessions lang sessions=own.sessions />
            <Tokens lang tokens=own.tokens instructor typed=forms.token problems=forms.tokens />
        </main>
    }
    .into_any()
}

#[component]
fn Classes(lang: Lang, classes: Vec<ClassName>, instructor: bool, code: String, problems: Problems) -> impl IntoView {
    let empty = classes.is_empty();
    let rows = classes
        .into_iter()
        .map(|class| {
            let name = class.name.clone();
            let since = match class.taught {
                Some(_) => lang.pick("建立于 ", "created "),
                None => lang.pick("加入于 ", "joined "),
            };
            let title = match class.taught {
                Some(id) => view! { <a href=format!("/{}/class/{id}", lang.code())><bdi>{name}</bdi></a> }.into_any(),
                None => view! { <b><bdi>{name}</bdi></b> }.into_any(),
            };
            view! {
                <li>
                    {title}
                    <small>{since} <When iso=class.since /></small>
                </li>
            }
        })
        .collect_view();
    view! {
        <h2 id="classes">{lang.pick("班级", "Classes")}</h2>
        <Summary lang problems=problems.clone() />
        {empty.then(|| view! { <p class="empty">{lang.pick("还不在任何班级里。", "In no class yet.")}</p> })}
        <ul class="report-list">{rows}</ul>
        {(!instructor)
            .then(|| {
                view! {
                    <form class="row-form" method="post" action=format!("/{}/account/classes", lang.code())>
                        <Field
                            form="join"
                            name="code"
                            label=lang.pick("另一个班级的加入码", "Join code of another class")
                            value=code
                            problems
                        />
                        <button type="submit" class="button quiet">
                            {lang.pick("加入", "Join")}
                        </button>
                    </form>
                }
            })}
    }
    .into_any()
}

#[component]
fn ChangePassword(lang: Lang, login: String, problems: Problems) -> impl IntoView {
    view! {
        <h2 id="password">{lang.pick("修改密码", "Change the password")}</h2>
        <Summary lang problems=problems.clone() />
        <form class="form" method="post" action=format!("/{}/account/password", lang.code())>
            <input type="text" name="login" value=login autocomplete="username" hidden readonly />
            <Field
                form="change"
                name="old"
                label=lang.pick("现在的密码", "Current password")
                kind="password"
                autocomplete="current-password"
                problems=problems.clone()
            />
            <Field
                form="change"
                name="new"
                label=lang.pick("新密码", "New password")
                kind="password"
                autocomplete="new-password"
                hint=lang.pick("至少 10 个字符。", "At least 10 characters.")
                problems
            />
            <label class="row">
                <span>
                    <input type="checkbox" name="revoke_tokens" value="yes" />
                    " "
                    {lang.pick("同时吊销我的 API 令牌", "Also revoke my API tokens")}
                </span>
            </label>
            <p class="hint">
                {lang.pick("修改之后，其他设备上的登录全部结束；这里保持登录。", "Every other device is signed out; this one stays signed in.")}
            </p>
            <button type="submit" class="button">
                {lang.pick("修改密码", "Change it")}
            </button>
        </form>
    }
    .into_any()
}
