//! One stacked bar against a capacity.

use leptos::prelude::*;

use crate::words;

/// A part of the bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The memory object's id.
    pub object: String,
    pub bytes: u64,
}

/// A stacked bar. The scale is the larger of the sum and the capacity; a line marks the capacity.
#[component]
pub fn Stack(parts: Vec<Part>, capacity: Option<u64>, label: String) -> impl IntoView {
    let sum: u64 = parts.iter().map(|part| part.bytes).fold(0, u64::saturating_add);
    let scale = sum.max(capacity.unwrap_or(0)).max(1) as f64;
    let across = |bytes: u64| bytes as f64 / scale * 1000.0;
    let mut x = 0.0;
    let rects = parts
        .into_iter()
        .map(|part| {
            let width = across(part.bytes);
            let rect = view! {
                <rect
                    class=words::object_class(&part.object)
                    x=format!("{x:.2}")
                    width=format!("{:.2}", (width - 1.5).max(0.5))
                    y="4"
                    height="40"
                />
            };
            x += width;
            rect
        })
        .collect_view();
    let over = capacity.is_some_and(|capacity| sum > capacity);
    let mark = capacity.map(|capacity| {
        let x = across(capacity).min(998.0);
        view! { <rect class="cap" x=format!("{x:.2}") y="0" width="2" height="48" /> }
    });
    view! {
        <svg
            class=if over { "stack over" } else { "stack" }
            viewBox="0 0 1000 48"
            preserveAspectRatio="none"
            role="img"
            aria-label=label
        >
            <rect class="o-free" x="0" y="4" width="1000" height="40" />
            {rects}
            {mark}
        </svg>
    }
    .into_any()
}
