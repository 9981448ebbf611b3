//! A text of one's own: pasted, dropped, or chosen as a file.

use leptos::prelude::*;

use super::browser;
use crate::html;

/// `then` gets every new text; `value` is what is shown.
#[component]
pub fn PasteArea(
    name: &'static str,
    rows: &'static str,
    label: &'static str,
    placeholder: &'static str,
    /// What a file dialogue offers, and how its field is called.
    accept: &'static str,
    file: &'static str,
    value: RwSignal<String>,
    then: Callback<String>,
) -> impl IntoView {
    view! {
        <textarea
            name=name
            rows=rows
            spellcheck="false"
            aria-label=label
            placeholder=placeholder
            prop:value=move || value.get()
            on:input=move |event| then.run(event_target_value(&event))
            on:dragover=|event| event.prevent_default()
            on:drop=move |event| {
                event.prevent_default();
                browser::dropped_text(&event, move |text| then.run(text));
            }
            inner_html=html::textarea(&value.get_untracked())
        ></textarea>
        <input
            type="file"
            class="js-only"
            accept=accept
            aria-label=file
            on:change=move |event| browser::chosen_text(&event, move |text| then.run(text))
        />
    }
    .into_any()
}
