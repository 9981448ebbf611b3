//! The way back to the class.

use evidence::Lang;
use leptos::prelude::*;

#[component]
pub fn Back(lang: Lang, class: String, name: String) -> impl IntoView {
    view! {
        <p class="hint">
            <a href=format!("/{}/class/{class}", lang.code())>"← " <bdi>{name}</bdi></a>
        </p>
    }
}
