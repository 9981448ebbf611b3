//! The state of a calculator as a link.

use std::time::Duration;

use evidence::Lang;
use leptos::prelude::*;

use super::browser;

/// How long a hand may rest before the address follows; browsers refuse more than a few changes a second.
const REST: Duration = Duration::from_millis(250);

/// Keeps the page's address equal to the state.
pub fn keep_in_url(address: Memo<String>) {
    Effect::new(move |before: Option<(String, Option<TimeoutHandle>)>| {
        let next = address.get();
        let Some((last, waiting)) = before else { return (next, None) };
        if let Some(waiting) = waiting {
            waiting.clear();
        }
        let timer = (last != next)
            .then(|| {
                let next = next.clone();
                set_timeout_with_handle(move || browser::replace_query(&next), REST).ok()
            })
            .flatten();
        (next, timer)
    });
}

/// A link to this state that can be copied.
#[component]
pub fn Share(address: Memo<String>, lang: Lang) -> impl IntoView {
    let copied = RwSignal::new(false);
    view! {
        <span class="tools">
            <a class="share" href=move || address.get()>
                {lang.pick("链接", "Link")}
            </a>
            <button
                type="button"
                class="js-only"
                on:click=move |_| {
                    browser::copy(browser::link_here(&address.get_untracked()));
                    copied.set(true);
                }
            >
                {move || if copied.get() { lang.pick("已复制", "Copied") } else { lang.pick("复制链接", "Copy link") }}
            </button>
        </span>
    }
}
