//! Signing in.

use evidence::Lang;
use leptos::prelude::*;

use super::form::{Field, Problems, Summary};

/// `next` is where the reader goes on afterwards; `notice` says what just happened.
#[component]
pub fn SignInPage(
    lang: Lang,
    login: String,
    next: String,
    notice: Option<&'static str>,
    problems: Problems,
) -> impl IntoView {
    view! {
        <main id="main" class="narrow">
            <h1>{lang.pick("登录", "Sign in")}</h1>
            {notice.map(|text| view! { <p class="notice" role="status">{text}</p> })}
            <Summary lang problems=problems.clone() />
            <form class="form" method="post" action=format!("/{}/sign-in", lang.code())>
                <input type="hidden" name="next" value=next />
                <Field
                    form="sign-in"
                    name="login"
                    label=lang.pick("登录名", "Login name")
                    autocomplete="username"
                    value=login
                    problems=problems.clone()
                />
                <Field
                    form="sign-in"
                    name="password"
                    label=lang.pick("密码", "Password")
                    kind="password"
                    autocomplete="current-password"
                    problems
                />
                <button type="submit" class="button">
                    {lang.pick("登录", "Sign in")}
                </button>
            </form>
            <h2>{lang.pick("还没有账号？", "No account yet?")}</h2>
            <p>
                {lang.pick("拿着班级的加入码", "With the join code of your class, ")}
                <a href=format!("/{}/sign-up", lang.code())>{lang.pick("注册", "sign up")}</a>
                {lang.pick("。", ".")}
            </p>
            <p class="hint">
                {lang
                    .pick(
                        "忘记密码：请教师在班级页面生成一个一次性重设链接；教师忘记时，请服务器管理者生成。本系统不发邮件。",
                        "Forgot the password? Your instructor can issue a one-time reset link on the class page; for an instructor, whoever runs the server can. No e-mail is sent.",
                    )}
            </p>
        </main>
    }
    .into_any()
}
