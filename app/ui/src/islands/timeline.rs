//! A step over time: the picture, and what is alive at the moment that a hand holds.

use evidence::Lang;
use ledger::units;
use leptos::prelude::*;

use crate::chart::{Between, areas, hand, objects};
use crate::markup::Markup;
use crate::state::pick;
use crate::tools::{Moment, Timeline};
use crate::words;

/// Shown while there is a timeline; each new one is held at its peak.
#[component]
pub fn TimelineView(timeline: Memo<Option<Timeline>>, capacity: Signal<Option<u64>>, lang: Lang) -> impl IntoView {
    let read = move |read: &dyn Fn(&Timeline) -> String| {
        timeline.with(|timeline| timeline.as_ref().map(read)).unwrap_or_default()
    };
    let peak = move || timeline.with(|timeline| timeline.as_ref().map_or(0, |timeline| timeline.peak));
    let at = RwSignal::new(peak());
    Effect::new(move |_| at.set(peak()));
    let last = move || timeline.with(|it| it.as_ref().map_or(0, |it| it.moments.len().saturating_sub(1)));
    let label = lang.pick("一步之内各对象的占用", "What each object takes through the step");
    let picture =
        move || read(&|timeline| Markup::of(|out| areas(out, timeline, capacity.get(), Between::Slope, label, lang)));
    let held = move || Markup::of(|out| hand(out, at.get() as u64, last() as u64));
    let name =
        move || read(&|timeline| timeline.moments.get(at.get()).map(|it| pick(&it.name, lang)).unwrap_or_default());
    let alive = move || {
        read(&|timeline| match timeline.moments.get(at.get()) {
            Some(moment) => Markup::of(|out| alive(out, moment, &objects(timeline), lang)),
            None => String::new(),
        })
    };
    view! {
        <figure class="timeline" hidden=move || timeline.with(Option::is_none)>
            <figcaption>{label}</figcaption>
            <div class="over">
                <div inner_html=picture></div>
                <svg class="areas js-only" aria-hidden="true" inner_html=held></svg>
            </div>
            <label class="js-only">
                <input
                    type="range"
                    aria-label=lang.pick("时刻", "Moment")
                    min="0"
                    max=move || last().to_string()
                    step="1"
                    value=at.get_untracked().to_string()
                    prop:value=move || at.get().to_string()
                    aria-valuetext=name
                    on:input=move |event| {
                        if let Ok(place) = event_target_value(&event).parse::<usize>() {
                            at.set(place.min(last()));
                        }
                    }
                />
            </label>
            <p class="moment">{name}</p>
            <ul class="legend" inner_html=alive></ul>
        </figure>
    }
    .into_any()
}

/// What each object takes at a moment, in the order of the picture.
fn alive(out: &mut Markup, moment: &Moment, order: &[String], lang: Lang) {
    let mut line = |name: &str, object: Option<&str>, bytes: u64| {
        out.element("li", &[], &mut |out| {
            if let Some(object) = object {
                out.leaf("i", &[("class", &format!("swatch {}", words::object_class(object)))], "");
            }
            out.text(name);
            out.text(" ");
            out.leaf("b", &[], &units::gib(bytes));
        });
    };
    let mut sum = 0_u64;
    for object in order {
        let bytes = moment.parts.iter().find(|(id, _)| id == object).map_or(0, |(_, bytes)| *bytes);
        sum = sum.saturating_add(bytes);
        line(words::object(object, lang).unwrap_or(object), Some(object), bytes);
    }
    line(lang.pick("合计", "together"), None, sum);
}
