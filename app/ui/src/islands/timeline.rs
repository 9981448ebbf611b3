//! A step over time: the picture, and what is alive at the moment that a hand holds.

use evidence::Lang;
use ledger::units;
use leptos::prelude::*;

use crate::chart::{Areas, objects};
use crate::state::pick;
use crate::tools::Timeline;
use crate::words;

/// Starts at the peak.
#[component]
pub fn TimelineView(timeline: Timeline, capacity: Option<u64>, lang: Lang) -> impl IntoView {
    let at = RwSignal::new(timeline.peak as u64);
    let (last, order) = (timeline.moments.len().saturating_sub(1), objects(&timeline));
    let moments = StoredValue::new(timeline.moments.clone());
    let name = move || moments.with_value(|all| all.get(at.get() as usize).map(|it| pick(&it.name, lang)));
    let alive = move || {
        let parts = moments.with_value(|all| all.get(at.get() as usize).map(|it| it.parts.clone())).unwrap_or_default();
        let sum = parts.iter().fold(0_u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
        let line = |object: &String| {
            let bytes = parts.iter().find(|(id, _)| id == object).map_or(0, |(_, bytes)| *bytes);
            view! {
                <li>
                    <i class=format!("swatch {}", words::object_class(object))></i>
                    {words::object(object, lang)}
                    " "
                    <b>{units::gib(bytes)}</b>
                </li>
            }
        };
        let lines = order.iter().map(line).collect_view();
        view! {
            <ul class="legend">
                {lines} <li>
                    {lang.pick("合计 ", "together ")} <b>{units::gib(sum)}</b>
                </li>
            </ul>
        }
    };
    let label = lang.pick("一步之内各对象的占用", "What each object takes through the step");
    view! {
        <figure class="timeline">
            <figcaption>{label}</figcaption>
            <Areas timeline capacity at label=label.to_owned() lang />
            <label class="js-only">
                <input
                    type="range"
                    aria-label=lang.pick("时刻", "Moment")
                    min="0"
                    max=last.to_string()
                    step="1"
                    value=at.get_untracked().to_string()
                    prop:value=move || at.get().to_string()
                    aria-valuetext=name
                    on:input=move |event| {
                        if let Ok(place) = event_target_value(&event).parse::<u64>() {
                            at.set(place.min(last as u64));
                        }
                    }
                />
            </label>
            <p class="moment">{name}</p>
            {alive}
        </figure>
    }
    .into_any()
}
