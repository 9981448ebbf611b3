//! Walking through a story: by buttons, by a slider, by keys, or by itself.

use std::time::Duration;

use evidence::Lang;
use leptos::ev;
use leptos::prelude::*;

use super::browser;

/// How many steps a page key goes.
const PAGE: i64 = 100;
/// Between two steps of a story that plays.
const BEAT: Duration = Duration::from_millis(600);

/// Goes `by` steps from `step`, and stays between 1 and `count`.
fn gone(step: u64, by: i64, count: u64) -> u64 {
    step.saturating_add_signed(by).clamp(1, count.max(1))
}

/// The step that a key leads to.
fn by_key(key: &str, step: u64, count: u64) -> Option<u64> {
    Some(match key {
        "ArrowLeft" => gone(step, -1, count),
        "ArrowRight" => gone(step, 1, count),
        "PageUp" => gone(step, -PAGE, count),
        "PageDown" => gone(step, PAGE, count),
        "Home" => 1,
        "End" => count.max(1),
        _ => return None,
    })
}

/// What a key does, unless a field has the keyboard.
pub fn turn(event: &ev::KeyboardEvent, step: RwSignal<u64>, count: u64) {
    let held = event.ctrl_key() || event.alt_key() || event.meta_key() || event.shift_key();
    if held || event.target().is_some_and(|target| browser::is_field(&target)) {
        return;
    }
    if let Some(next) = by_key(&event.key(), step.get_untracked(), count) {
        event.prevent_default();
        step.set(next);
    }
}

/// The number of the step, with everything that changes it.
#[component]
pub fn Steps(step: RwSignal<u64>, #[prop(into)] count: Signal<u64>, lang: Lang) -> impl IntoView {
    let playing = RwSignal::new(false);
    let beat = StoredValue::new(None::<IntervalHandle>);
    let rest = move || {
        playing.set(false);
        if let Some(handle) = beat.get_value() {
            handle.clear();
        }
        beat.set_value(None);
    };
    let play = move |_| {
        if playing.get_untracked() {
            return rest();
        }
        if step.get_untracked() >= count.get_untracked() {
            step.set(1);
        }
        let tick = move || match step.get_untracked() < count.get_untracked() {
            true => step.update(|step| *step += 1),
            false => rest(),
        };
        playing.set(true);
        beat.set_value(set_interval_with_handle(tick, BEAT).ok());
    };
    let goes = move |by: i64| move |_| step.set(gone(step.get_untracked(), by, count.get_untracked()));
    let typed = move |text: String| {
        if let Ok(number) = text.trim().parse::<u64>() {
            step.set(number.clamp(1, count.get_untracked().max(1)));
        }
    };
    view! {
        <div class="steps">
            <span class="walk js-only">
                <button type="button" class="button quiet" aria-label=lang.pick("上一步", "Step back") on:click=goes(-1)>
                    "←"
                </button>
                <button type="button" class="button quiet" aria-label=lang.pick("下一步", "Step on") on:click=goes(1)>
                    "→"
                </button>
                <button type="button" class="button quiet play" aria-pressed=move || playing.get().to_string() on:click=play>
                    {move || if playing.get() { lang.pick("暂停", "Pause") } else { lang.pick("播放", "Play") }}
                </button>
            </span>
            <input
                type="range"
                class="js-only"
                min="1"
                max=move || count.get().max(1).to_string()
                step="1"
                aria-label=lang.pick("第几步", "Step")
                value=step.get_untracked().to_string()
                prop:value=move || step.get().to_string()
                on:input=move |event| typed(event_target_value(&event))
            />
            <label>
                <span>{lang.pick("第几步", "Step")}</span>
                <input
                    type="number"
                    name="step"
                    min="1"
                    max=move || count.get().max(1).to_string()
                    value=step.get_untracked().to_string()
                    prop:value=move || step.get().to_string()
                    on:change=move |event| typed(event_target_value(&event))
                />
                <span>{move || format!("/ {}", ledger::units::group(count.get()))}</span>
            </label>
            <small class="js-only">
                {lang.pick("← → 一步；PageUp / PageDown 一百步；Home / End 两头", "← → one step; PageUp / PageDown a hundred; Home / End to the ends")}
            </small>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_inside_the_story() {
        for (key, from, to) in [
            ("ArrowLeft", 1, Some(1)),
            ("ArrowLeft", 7, Some(6)),
            ("ArrowRight", 250, Some(250)),
            ("PageDown", 7, Some(107)),
            ("PageDown", 200, Some(250)),
            ("PageUp", 107, Some(7)),
            ("Home", 99, Some(1)),
            ("End", 99, Some(250)),
            ("x", 99, None),
        ] {
            assert_eq!(by_key(key, from, 250), to, "{key}");
        }
        assert_eq!(by_key("End", 1, 0), Some(1), "an empty story has a first step");
    }
}
