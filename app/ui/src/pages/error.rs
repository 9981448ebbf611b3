//! What went wrong, and the way on.

use evidence::Lang;
use leptos::prelude::*;

#[component]
pub fn ErrorPage(lang: Lang, title: &'static str, #[prop(into)] detail: String, home: String) -> impl IntoView {
    view! {
        <main id="main" class="narrow">
            <h1>{title}</h1>
            <p class="lead">{detail}</p>
            <p class="actions">
                <a class="button" href=home.clone()>{lang.pick("回到课程", "Back to the course")}</a>
                <a class="button quiet" href=format!("{home}reports")>{lang.pick("我的报告", "My reports")}</a>
            </p>
        </main>
    }
    .into_any()
}
