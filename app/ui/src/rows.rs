//! The frame of a table: it scrolls by itself where it is wider than the page.

use leptos::prelude::*;

/// Rows under a head of class and name; the class of numbers is `n`.
#[component]
pub fn Rows(
    #[prop(optional)] class: &'static str,
    #[prop(optional)] caption: Option<&'static str>,
    head: Vec<(&'static str, &'static str)>,
    children: Children,
) -> impl IntoView {
    let head = head
        .into_iter()
        .map(|(class, name)| {
            // A column of buttons or marks has no name: an empty header would be read out as one.
            if name.trim().is_empty() {
                view! { <td></td> }.into_any()
            } else {
                view! { <th class=(!class.is_empty()).then_some(class)>{name}</th> }.into_any()
            }
        })
        .collect_view();
    view! {
        <div class="table" tabindex="0">
            <table class=(!class.is_empty()).then_some(class)>
                {caption.map(|caption| view! { <caption>{caption}</caption> })}
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{children()}</tbody>
            </table>
        </div>
    }
    .into_any()
}
