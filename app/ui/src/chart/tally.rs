//! Counts side by side: one column for each, on one scale, with the count above and its name below.

use leptos::prelude::*;

/// A column: its name and its count.
pub type Column = (String, u64);

/// Above the highest column there is room for its count, in percent of the drawing.
const HEADROOM: f64 = 14.0;

/// Columns of counts. Letters keep their size; places are percentages. `class` colours the columns.
#[component]
pub fn Tally(title: String, class: &'static str, columns: Vec<Column>) -> impl IntoView {
    let most = columns.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let told: Vec<String> = columns.iter().map(|(name, count)| format!("{name}: {count}")).collect();
    let label = format!("{title}: {}", told.join(", "));
    let slot = 100.0 / columns.len().max(1) as f64;
    let middle = move |at: usize| format!("{:.3}%", (at as f64 + 0.5) * slot);
    let bars = columns
        .iter()
        .enumerate()
        .map(|(at, (_, count))| {
            let (top, height) = span(*count, most);
            view! {
                <rect x=format!("{:.3}%", at as f64 * slot + slot * 0.12) width=format!("{:.3}%", slot * 0.76) y=format!("{top:.3}%") height=format!("{height:.3}%") />
                <text x=middle(at) y=format!("{top:.3}%") dy="-4" text-anchor="middle">
                    {count.to_string()}
                </text>
            }
        })
        .collect_view();
    let names = columns
        .iter()
        .enumerate()
        .map(|(at, (name, _))| view! { <text x=middle(at) y="14" text-anchor="middle">{name.clone()}</text> })
        .collect_view();
    view! {
        <figure class="tally">
            <figcaption>{title}</figcaption>
            <svg class=format!("bars {class}") role="img" aria-label=label>
                {bars}
            </svg>
            <svg class="names" aria-hidden="true">
                {names}
            </svg>
        </figure>
    }
    .into_any()
}

/// Top and height of a column, in percent.
fn span(count: u64, most: u64) -> (f64, f64) {
    let height = count as f64 / most as f64 * (100.0 - HEADROOM);
    (100.0 - height, height)
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn columns_stand_on_one_ground_and_one_scale() {
        for (count, top, height) in [(8, 14.0, 86.0), (4, 57.0, 43.0), (0, 100.0, 0.0)] {
            assert_eq!(span(count, 8), (top, height), "{count}");
        }
    }
}
