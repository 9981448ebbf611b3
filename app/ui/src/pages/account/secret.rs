//! Secrets that are shown once.

use evidence::Lang;
use leptos::prelude::*;

/// A secret, selected by one click, with the warning that it will not be seen again.
#[component]
pub fn SecretText(lang: Lang, text: String) -> impl IntoView {
    view! {
        <p>
            {lang
                .pick(
                    "只显示这一次。离开本页之后只能重新生成，服务器只存它的哈希。",
                    "Shown this once. After you leave the page it can only be made anew: the server keeps a hash of it.",
                )}
        </p>
        <p class="secret">{text}</p>
    }
    .into_any()
}

/// A command line to copy.
#[component]
pub fn Command(text: String) -> impl IntoView {
    view! {
        <figure class="code">
            <pre>
                <code>{text}</code>
            </pre>
        </figure>
    }
    .into_any()
}
