//! One stacked bar against a capacity.

use leptos::prelude::*;

use crate::words;

/// Width of the drawing in its own units: integers all the way, no float reaches the browser's code.
const WIDTH: u64 = 100_000;
const GAP: u64 = 150;
const HAIR: u64 = 50;

/// Where `bytes` of `scale` lie on the drawing.
fn across(bytes: u64, scale: u64) -> u64 {
    let place = u128::from(bytes) * u128::from(WIDTH) / u128::from(scale.max(1));
    u64::try_from(place).unwrap_or(WIDTH).min(WIDTH)
}

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
    let scale = sum.max(capacity.unwrap_or(0)).max(1);
    let mut before = 0_u64;
    let rects = parts
        .into_iter()
        .map(|part| {
            let (from, to) = (across(before, scale), across(before.saturating_add(part.bytes), scale));
            before = before.saturating_add(part.bytes);
            // A gap between parts, and never less than a hair's breadth.
            let width = (to - from).saturating_sub(GAP).max(HAIR);
            view! {
                <rect
                    class=words::object_class(&part.object)
                    x=from.to_string()
                    width=width.to_string()
                    y="4"
                    height="40"
                />
            }
        })
        .collect_view();
    let over = capacity.is_some_and(|capacity| sum > capacity);
    let mark = capacity.map(|capacity| {
        let x = across(capacity, scale).min(WIDTH - 2 * GAP);
        view! { <rect class="cap" x=x.to_string() y="0" width=(2 * GAP).to_string() height="48" /> }
    });
    view! {
        <svg
            class=if over { "stack over" } else { "stack" }
            viewBox="0 0 100000 48"
            preserveAspectRatio="none"
            role="img"
            aria-label=label
        >
            <rect class="o-free" x="0" y="4" width="100000" height="40" />
            {rects}
            {mark}
        </svg>
    }
}
