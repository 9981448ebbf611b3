//! Objects stacked over the moments of a step, with the peak marked.

use evidence::Lang;
use leptos::prelude::*;

use crate::tools::Timeline;
use crate::words;

/// The drawing in its own units: integers all the way.
const WIDTH: u64 = 10_000;
const HEIGHT: u64 = 1_000;

/// The objects of a timeline, from the bottom of the stack up: in the order of the word list.
pub fn objects(timeline: &Timeline) -> Vec<String> {
    let known = ledger::Object::ALL.iter().map(|object| object.id());
    let appears = |id: &&str| timeline.moments.iter().any(|moment| moment.parts.iter().any(|(object, _)| object == id));
    known.filter(appears).map(str::to_owned).collect()
}

/// `part` of `whole` on a scale of `length`.
fn scaled(part: u64, whole: u64, length: u64) -> u64 {
    let place = u128::from(part) * u128::from(length) / u128::from(whole.max(1));
    u64::try_from(place).unwrap_or(length).min(length)
}

/// Percent with one decimal, as SVG takes it.
fn percent(place: u64) -> String {
    format!("{}.{}%", place / 100, place / 10 % 10)
}

/// The stacked areas. `at` is the moment that a hand holds.
#[component]
pub fn Areas(timeline: Timeline, capacity: Option<u64>, at: RwSignal<u64>, label: String, lang: Lang) -> impl IntoView {
    let order = objects(&timeline);
    let (moments, peak) = (timeline.moments, timeline.peak);
    let last = moments.len().saturating_sub(1) as u64;
    let x = move |at: usize| scaled(at as u64, last, WIDTH);
    let bytes = |at: usize, object: &str| {
        let parts = moments.get(at).map(|moment| moment.parts.as_slice()).unwrap_or_default();
        parts.iter().find(|(id, _)| id == object).map_or(0, |(_, bytes)| *bytes)
    };
    let total = |at: usize| order.iter().fold(0_u64, |sum, object| sum.saturating_add(bytes(at, object)));
    let highest = (0..moments.len()).map(total).max().unwrap_or(0);
    // A capacity far above everything would press the picture flat.
    let capacity = capacity.filter(|capacity| *capacity / 3 <= highest);
    // Room above the peak for its name.
    let scale = highest.max(capacity.unwrap_or(0)) / 20 * 23;
    let y = |bytes: u64| HEIGHT - scaled(bytes, scale, HEIGHT);
    let mut floor = vec![0_u64; moments.len()];
    let areas = order
        .iter()
        .map(|object| {
            let mut upper = String::new();
            let mut lower = Vec::new();
            for (at, under) in floor.iter_mut().enumerate() {
                let top = under.saturating_add(bytes(at, object));
                upper.push_str(&format!("{},{} ", x(at), y(top)));
                lower.push(format!("{},{}", x(at), y(*under)));
                *under = top;
            }
            lower.reverse();
            view! { <polygon class=words::object_class(object) points=format!("{upper}{}", lower.join(" ")) /> }
        })
        .collect_view();
    let phases = runs(&moments.iter().map(|moment| moment.phase).collect::<Vec<_>>());
    let borders = phases
        .iter()
        .skip(1)
        .map(|(_, from, _)| {
            let place = percent((x(from - 1) + x(*from)) / 2);
            view! { <line class="border" x1=place.clone() x2=place y1="0" y2="88%" /> }
        })
        .collect_view();
    let count = phases.len();
    let names = phases
        .iter()
        .enumerate()
        .map(|(place, (phase, from, to))| {
            let (at, anchor) = match place {
                0 => (0, "start"),
                _ if place + 1 == count => (WIDTH, "end"),
                _ => ((x(*from) + x(*to)) / 2, "middle"),
            };
            view! { <text x=percent(at) y="97%" text-anchor=anchor>{words::phase(phase, lang)}</text> }
        })
        .collect_view();
    let limit = capacity.map(|capacity| {
        let place = percent(y(capacity) * 88 / 10);
        let text = format!("{} {}", lang.pick("卡", "card"), ledger::units::gib(capacity));
        view! {
            <line class="limit" x1="0" x2="100%" y1=place.clone() y2=place.clone() />
            <text x="0.5%" y=place dy="-4">
                {text}
            </text>
        }
    });
    let anchor = if x(peak) > WIDTH / 2 { "end" } else { "start" };
    let mark = format!("▲ {} {}", lang.pick("峰值", "peak"), ledger::units::gib(total(peak)));
    let peak_at = percent(x(peak));
    view! {
        <svg class="areas" role="img" aria-label=label>
            <svg viewBox="0 0 10000 1000" preserveAspectRatio="none" width="100%" height="88%">
                {areas}
            </svg>
            {borders}
            {limit}
            <line class="mark" x1=peak_at.clone() x2=peak_at.clone() y1="0" y2="88%" />
            <text class="mark" x=peak_at y="7%" dx=if anchor == "end" { "-6" } else { "6" } text-anchor=anchor>
                {mark}
            </text>
            <line
                class="hand"
                x1=move || percent(scaled(at.get(), last, WIDTH))
                x2=move || percent(scaled(at.get(), last, WIDTH))
                y1="0"
                y2="88%"
            />
            {names}
        </svg>
    }
    .into_any()
}

/// Runs of equal neighbours: what, first place, last place.
fn runs(all: &[&'static str]) -> Vec<(&'static str, usize, usize)> {
    let mut runs: Vec<(&'static str, usize, usize)> = Vec::new();
    for (at, phase) in all.iter().enumerate() {
        match runs.last_mut() {
            Some((same, _, to)) if same == phase => *to = at,
            _ => runs.push((phase, at, at)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_runs() {
        assert_eq!(runs(&["a", "b", "b", "a"]), [("a", 0, 0), ("b", 1, 2), ("a", 3, 3)]);
        assert!(runs(&[]).is_empty());
    }

    #[test]
    fn places_stay_on_the_drawing() {
        assert_eq!(scaled(3, 4, WIDTH), 7_500);
        assert_eq!(scaled(u64::MAX, 1, WIDTH), WIDTH);
        assert_eq!(scaled(0, 0, WIDTH), 0);
        assert_eq!((percent(10_000), percent(1_234)), ("100.0%".to_owned(), "12.3%".to_owned()));
    }
}
