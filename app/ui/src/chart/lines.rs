//! Sizes over the steps of a story: staircases on one scale, and a mark at the step that is looked at.

use std::sync::Arc;

use ledger::units;
use leptos::prelude::*;

use super::whole::scaled;

/// The drawing in its own units.
const WIDTH: u64 = 4000;
const HEIGHT: u64 = 1280;
/// Above the highest line.
const MARGIN: u64 = 40;
/// Columns at most: of the steps that share one, the extremes are drawn.
const COLUMNS: usize = 800;

/// A line: its name, its class in the style sheet, and bytes by step, the beginning first.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub name: String,
    pub class: &'static str,
    pub bytes: Arc<[u64]>,
}

fn across(step: usize, last: usize) -> u64 {
    scaled(step as u64, last as u64, WIDTH)
}

fn down(bytes: u64, most: u64) -> u64 {
    HEIGHT - scaled(bytes, most, HEIGHT - MARGIN)
}

/// The staircase as a path.
fn path(bytes: &[u64], most: u64) -> String {
    let last = bytes.len().saturating_sub(1);
    let mut drawn = String::new();
    for (column, steps) in bytes.chunks(bytes.len().div_ceil(COLUMNS).max(1)).enumerate() {
        let x = across(column * bytes.len().div_ceil(COLUMNS).max(1), last);
        drawn += &if column == 0 { format!("M{x} ") } else { format!("H{x}V") };
        let (low, high) = steps.iter().fold((u64::MAX, 0), |(low, high), now| (low.min(*now), high.max(*now)));
        let end = steps.last().copied().unwrap_or(0);
        drawn += &down(steps[0], most).to_string();
        if steps.len() > 1 {
            drawn += &format!("V{}V{}V{}", down(high, most), down(low, most), down(end, most));
        }
    }
    drawn
}

/// Several lines over the same steps. The mark moves alone; the lines are drawn once.
#[component]
pub fn Lines(title: String, along: &'static str, lines: Vec<Line>, #[prop(into)] at: Signal<u64>) -> impl IntoView {
    let most = lines.iter().flat_map(|line| line.bytes.iter().copied()).max().unwrap_or(0);
    let last = lines.iter().map(|line| line.bytes.len().saturating_sub(1)).max().unwrap_or(0);
    let peaks: Vec<String> = lines
        .iter()
        .map(|line| format!("{} ≤ {}", line.name, units::human_binary(line.bytes.iter().copied().max().unwrap_or(0))))
        .collect();
    let label = format!("{title}: {}; {along} 0–{last}", peaks.join(", "));
    let paths = lines.iter().map(|line| view! { <path class=line.class d=path(&line.bytes, most) /> }).collect_view();
    let legend = lines
        .into_iter()
        .map(|Line { name, class, bytes }| {
            let here = move || bytes.get((at.get() as usize).min(last)).copied().map(units::human_binary);
            view! {
                <li>
                    <svg class="key" viewBox="0 0 40 10" aria-hidden="true">
                        <path class=class d="M0 5H40" />
                    </svg>
                    {name}
                    " "
                    <b>{here}</b>
                </li>
            }
        })
        .collect_view();
    let mark = move || across((at.get() as usize).min(last), last).to_string();
    view! {
        <figure class="lines">
            <figcaption>{title}</figcaption>
            <div class="plot">
                <span class="high">{units::human_binary(most)}</span>
                <span class="low">"0"</span>
                <svg viewBox="0 0 4000 1280" preserveAspectRatio="none" role="img" aria-label=label>
                    {paths}
                    <line class="mark" x1=mark x2=mark y1="0" y2="1280" />
                </svg>
            </div>
            <div class="scale">
                <span>"0"</span>
                <span>{along}</span>
                <span>{units::group(last as u64)}</span>
            </div>
            <ul class="legend">{legend}</ul>
        </figure>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_staircase_stands_until_the_next_step() {
        assert_eq!(path(&[0, 8, 4], 8), "M0 1280H2000V40H4000V660");
        assert_eq!(path(&[], 1), "");
        assert_eq!(path(&[3], 3), "M0 40");
    }

    #[test]
    fn no_extreme_of_a_long_story_is_lost() {
        let mut bytes = vec![1; 100_000];
        bytes[54_321] = 9;
        bytes[77_777] = 0;
        let drawn = path(&bytes, 9);
        assert!(drawn.contains("V40V") && drawn.contains("V1280V"), "both ends are drawn");
        assert!(drawn.len() < 60_000, "{}", drawn.len());
    }
}
