//! The fields in which a report is given: a file, or its text.

use evidence::Lang;
use leptos::prelude::*;

use crate::html;

#[component]
pub fn Given(
    lang: Lang,
    /// What stands before the file's field.
    file: &'static str,
    /// What the button does.
    act: &'static str,
    /// The text that was sent last.
    text: String,
) -> impl IntoView {
    view! {
        <p class="row-form">
            <label>
                {file}
                <input type="file" name="file" accept=".json,application/json" />
            </label>
            <button class="button" type="submit">
                {act}
            </button>
        </p>
        <details open=!text.is_empty()>
            <summary>{lang.pick("或者粘贴 JSON", "or paste the JSON")}</summary>
            <textarea
                name="text"
                rows="8"
                spellcheck="false"
                aria-label="JSON"
                inner_html=html::textarea(&text)
            ></textarea>
        </details>
    }
    .into_any()
}
