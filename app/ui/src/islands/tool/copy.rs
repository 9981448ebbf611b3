//! The answer as a text: copied, or downloaded where there is no JavaScript.

use evidence::Lang;
use leptos::prelude::*;

use crate::islands::browser;
use crate::islands::share::copied_words;
use crate::tools::text::{self, Format};
use crate::tools::{Answer, Pairs, Tool};

#[component]
pub fn CopyAs(
    tool: &'static Tool,
    pairs: Memo<Pairs>,
    answer: Memo<Result<Answer, String>>,
    address: Memo<String>,
    lang: Lang,
) -> impl IntoView {
    let copied = RwSignal::new(None::<Format>);
    let one = move |format: Format| {
        let href = move || {
            let address = address.get();
            let join = if address.contains('?') { '&' } else { '?' };
            format!("{address}{join}as={}", format.id())
        };
        let copy = move |event: leptos::ev::MouseEvent| {
            event.prevent_default();
            let written = answer.with_untracked(|answer| {
                answer.as_ref().ok().map(|answer| text::write(tool, &pairs.get_untracked(), answer, format, lang))
            });
            if let Some(written) = written {
                browser::copy(written);
                copied.set(Some(format));
            }
        };
        view! {
            <a href=href on:click=copy>
                {format.name()}
            </a>
        }
    };
    view! {
        <p class="copy-as">
            {lang.pick("复制为", "Copy as")} {Format::ALL.map(one).to_vec().collect_view()}
            <span role="status">{move || copied_words(copied.get(), lang)}</span>
        </p>
    }
    .into_any()
}
