//! Horizontal bars of computed numbers, with the numbers in words beside them.

use leptos::prelude::*;

use crate::lesson::Figure;
use crate::words;

/// A figure block: one bar per row, drawn to one scale.
#[component]
pub fn Bars(figure: Figure) -> impl IntoView {
    let most = figure.bars.iter().map(|bar| bar.value).fold(0.0_f64, f64::max);
    let rows = figure
        .bars
        .into_iter()
        .map(|bar| {
            let width = if most > 0.0 { (bar.value / most * 1000.0).max(2.0) } else { 0.0 };
            view! {
                <div class="bar-row">
                    <span class="bar-label">{bar.label}</span>
                    <svg class="bar-line" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
                        <rect class=words::object_class(&bar.object) width=format!("{width:.1}") height="20" />
                    </svg>
                    <span class="computed" tabindex="0" title=bar.formula>
                        {bar.text}
                    </span>
                </div>
            }
        })
        .collect_view();
    view! {
        <figure class="bars">
            <div class="bar-rows">{rows}</div>
            <figcaption>{figure.caption}</figcaption>
        </figure>
    }
    .into_any()
}
