//! Signing up with the code of a class.

use evidence::Lang;
use leptos::prelude::*;

use super::form::{Field, Problems, Summary};

/// What was typed, but for the password.
#[derive(Debug, Clone, Default)]
pub struct SignUpTyped {
    pub code: String,
    pub login: String,
    pub display_name: String,
}

#[component]
pub fn SignUpPage(lang: Lang, typed: SignUpTyped, problems: Problems) -> impl IntoView {
    view! {
        <main id="main" class="narrow">
            <h1>{lang.pick("注册", "Sign up")}</h1>
            <p class="lead">
                {lang
                    .pick(
                        "用班级的加入码注册。之后你的学习进度、测验答案与报告都会保留在自己名下。",
                        "Sign up with the join code of your class. Your progress, quiz answers and reports are then kept under your own name.",
                    )}
            </p>
            <Summary lang problems=problems.clone() />
            <form class="form" method="post" action=format!("/{}/sign-up", lang.code())>
                <Field
                    form="sign-up"
                    name="code"
                    label=lang.pick("加入码", "Join code")
                    value=typed.code
                    hint=lang.pick("十个字符，大小写与连字符都不要紧。", "Ten characters; case and hyphens do not matter.")
                    problems=problems.clone()
                />
                <PersonFields lang login=typed.login display_name=typed.display_name problems />
                <button type="submit" class="button">
                    {lang.pick("注册", "Sign up")}
                </button>
            </form>
            <p class="hint">
                {lang.pick("已有账号？", "Already have an account? ")}
                <a href=format!("/{}/sign-in", lang.code())>{lang.pick("登录", "Sign in")}</a>
                {lang.pick("，再到“我的账号”里加入另一个班级。", ", then join another class under “My account”.")}
            </p>
        </main>
    }
    .into_any()
}

/// Login name, display name and a new password: the same for learners and for the first instructor.
#[component]
pub fn PersonFields(lang: Lang, login: String, display_name: String, problems: Problems) -> impl IntoView {
    view! {
        <Field
            form="person"
            name="login"
            label=lang.pick("登录名", "Login name")
            autocomplete="username"
            value=login
            hint=lang.pick("3–64 个字符：小写字母 a–z、数字 0–9 与 . _ - @ +", "3 to 64 of a–z, 0–9 and . _ - @ +")
            problems=problems.clone()
        />
        <Field
            form="person"
            name="display_name"
            label=lang.pick("显示名", "Display name")
            autocomplete="name"
            value=display_name
            hint=lang.pick("教师在成绩册里看到的名字，任何文字都可以。", "The name in the gradebook, in any script.")
            problems=problems.clone()
        />
        <NewPassword lang problems />
    }
    .into_any()
}

/// The field of a new password, with the rule beside it.
#[component]
pub fn NewPassword(lang: Lang, problems: Problems) -> impl IntoView {
    view! {
        <Field
            form="person"
            name="password"
            label=lang.pick("密码", "Password")
            kind="password"
            autocomplete="new-password"
            hint=lang.pick("至少 10 个字符；长度比花样更重要。", "At least 10 characters; length matters more than symbols.")
            problems
        />
    }
    .into_any()
}
