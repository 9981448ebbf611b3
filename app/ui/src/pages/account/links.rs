//! Pages behind one-time links. Their forms post to the page's own address, so the token stands nowhere in the text.

use evidence::Lang;
use leptos::prelude::*;

use super::form::{Problems, Summary};
use super::sign_up::{NewPassword, PersonFields};

/// The same page in the other language, and how long the link lives.
#[component]
fn LinkFoot(lang: Lang) -> impl IntoView {
    let other = lang.other();
    view! {
        <p class="hint">
            {lang
                .pick(
                    "这个链接自生成起 30 分钟内有效，成功用过一次就作废；填错不会用掉它。",
                    "The link is valid for 30 minutes from when it was made and works once; a mistake in the form does not use it up.",
                )} " "
            <a href=format!("?lang={}", other.code()) hreflang=other.pick("zh-CN", "en") lang=other.pick("zh-CN", "en")>
                {other.pick("中文", "English")}
            </a>
        </p>
    }
    .into_any()
}

/// Makes the first instructor.
#[component]
pub fn SetUpPage(lang: Lang, login: String, display_name: String, problems: Problems) -> impl IntoView {
    view! {
        <main id="main" class="narrow">
            <h1>{lang.pick("创建教师账号", "Create an instructor")}</h1>
            <p class="lead">
                {lang
                    .pick(
                        "教师建立班级、发放加入码、登记 GPU runner，并查看成绩册。",
                        "The instructor makes classes, hands out join codes, registers GPU runners and keeps the gradebook.",
                    )}
            </p>
            <Summary lang problems=problems.clone() />
            <form class="form" method="post" action=format!("?lang={}", lang.code())>
                <PersonFields lang login display_name problems />
                <button type="submit" class="button">
                    {lang.pick("创建并登录", "Create and sign in")}
                </button>
            </form>
            <LinkFoot lang />
        </main>
    }
    .into_any()
}

/// Sets a new password for the account that the link is for.
#[component]
pub fn ResetPage(lang: Lang, login: String, problems: Problems) -> impl IntoView {
    view! {
        <main id="main" class="narrow">
            <h1>{lang.pick("设置新密码", "Set a new password")}</h1>
            <p class="lead">
                {lang.pick("账号：", "Account: ")} <b>{login.clone()}</b>
                {lang.pick("。设置之后，所有已登录的设备都会退出，所有 API 令牌都会吊销。", ". Afterwards every signed-in device is signed out and all API tokens are revoked.")}
            </p>
            <Summary lang problems=problems.clone() />
            <form class="form" method="post" action=format!("?lang={}", lang.code())>
                <input type="text" name="login" value=login autocomplete="username" hidden readonly />
                <NewPassword lang problems />
                <button type="submit" class="button">
                    {lang.pick("设置新密码", "Set the password")}
                </button>
            </form>
            <LinkFoot lang />
        </main>
    }
    .into_any()
}

/// The link is used, replaced, expired or was never one: the same page for all.
#[component]
pub fn LinkEnded(lang: Lang, setup: bool) -> impl IntoView {
    let todo = if setup {
        lang.pick(
            "如果还没有教师账号，请重新启动服务器，它会打印一个新的链接；再添一位教师，用 vramlab instructor-link。如果已经有账号，直接登录即可。",
            "If there is no instructor yet, restart the server: it prints a new link; for a further one there is vramlab instructor-link. If you have an account, simply sign in.",
        )
    } else {
        lang.pick(
            "请教师在班级页面再生成一个重设链接；教师自己的，由服务器管理者用 vramlab instructor-link --reset 生成。如果密码已经改好，直接登录即可。",
            "Ask your instructor for a new reset link from the class page; an instructor asks whoever runs the server, who has vramlab instructor-link --reset. If the password is changed already, simply sign in.",
        )
    };
    view! {
        <main id="main" class="narrow">
            <h1>{lang.pick("这个链接已经失效", "This link is not valid any more")}</h1>
            <p class="lead">
                {lang
                    .pick(
                        "一次性链接用过一次、被新链接取代或过了 30 分钟就失效。",
                        "A one-time link ends when it is used, when a newer one replaces it, or after 30 minutes.",
                    )}
            </p>
            <p>{todo}</p>
            <p class="actions">
                <a class="button" href=format!("/{}/sign-in", lang.code())>
                    {lang.pick("去登录", "Sign in")}
                </a>
            </p>
        </main>
    }
    .into_any()
}
