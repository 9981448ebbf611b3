//! Inputs that calculators share: slider plus typed number, choices, and the model with its `config.json`.

use evidence::Lang;
use ledger::catalogue;
use leptos::prelude::*;

use crate::html;
use crate::state::{self, ModelSource};

/// Steps of a slider per doubling of its value.
const PER_OCTAVE: f64 = 4.0;

/// A whole number by slider (logarithmic: memory questions span orders of magnitude) and by typing.
#[component]
pub fn Number(
    #[prop(into)] name: String,
    #[prop(into)] label: String,
    value: RwSignal<u64>,
    /// The ends of the slider; typed numbers may lie beyond them.
    slider: (u64, u64),
    /// What may be typed.
    bounds: (u64, u64),
) -> impl IntoView {
    let (low, high) = slider;
    let last = position(high, low);
    let typed = move |text: String| {
        if let Ok(number) = text.trim().parse::<u64>() {
            value.set(number.clamp(bounds.0, bounds.1));
        }
    };
    view! {
        <label class="number">
            <span>{label.clone()}</span>
            <span class="row">
                <input
                    type="range"
                    class="js-only"
                    aria-label=label.clone()
                    min="0"
                    max=last.to_string()
                    step="1"
                    value=position(value.get_untracked(), low).to_string()
                    prop:value=move || position(value.get(), low).to_string()
                    aria-valuetext=move || ledger::units::group(value.get())
                    on:input=move |event| {
                        if let Ok(at) = event_target_value(&event).parse::<u64>() {
                            value.set(at_position(at, low, high));
                        }
                    }
                />
                <input
                    type="number"
                    name=name
                    min=bounds.0.to_string()
                    max=bounds.1.to_string()
                    step="1"
                    inputmode="numeric"
                    value=value.get_untracked().to_string()
                    prop:value=move || value.get().to_string()
                    on:change=move |event| typed(event_target_value(&event))
                />
            </span>
        </label>
    }
}

/// Where a value stands on the slider.
fn position(value: u64, low: u64) -> u64 {
    ((value.max(1) as f64 / low.max(1) as f64).log2() * PER_OCTAVE).round().max(0.0) as u64
}

/// The value of a place on the slider. Full octaves are exact powers.
fn at_position(at: u64, low: u64, high: u64) -> u64 {
    let value = low.max(1) as f64 * (at as f64 / PER_OCTAVE).exp2();
    (value.round() as u64).clamp(low, high)
}

/// A decimal number by typing.
#[cfg(feature = "tools")]
#[component]
pub fn Decimal(
    #[prop(into)] name: String,
    #[prop(into)] label: String,
    value: RwSignal<f64>,
    bounds: (f64, f64),
) -> impl IntoView {
    let typed = move |text: String| {
        if let Some(number) = text.trim().parse::<f64>().ok().filter(|number| number.is_finite()) {
            value.set(number.clamp(bounds.0, bounds.1));
        }
    };
    view! {
        <label class="number">
            <span>{label}</span>
            <input
                type="number"
                name=name
                min=bounds.0.to_string()
                max=bounds.1.to_string()
                step="any"
                inputmode="decimal"
                value=value.get_untracked().to_string()
                prop:value=move || value.get().to_string()
                on:change=move |event| typed(event_target_value(&event))
            />
        </label>
    }
}

/// One of some choices; `options` are (id, text).
#[component]
pub fn Choice(
    #[prop(into)] name: String,
    #[prop(into)] label: String,
    options: Vec<(String, String)>,
    value: RwSignal<String>,
) -> impl IntoView {
    let chosen = value.get_untracked();
    let options = options
        .into_iter()
        .map(|(id, text)| {
            let selected = id == chosen;
            view! { <option value=id selected=selected>{text}</option> }
        })
        .collect_view();
    view! {
        <label>
            <span>{label}</span>
            <select
                name=name
                prop:value=move || value.get()
                on:change=move |event| value.set(event_target_value(&event))
            >
                {options}
            </select>
        </label>
    }
}

/// The model by name, or by a `config.json` that is pasted, dropped or chosen.
#[component]
pub fn ModelInput(source: RwSignal<ModelSource>, lang: Lang) -> impl IntoView {
    let name = RwSignal::new(source.get_untracked().name);
    let config = RwSignal::new(source.get_untracked().config);
    let open = !config.get_untracked().is_empty();
    Effect::new(move |_| {
        let next = ModelSource { name: name.get(), config: config.get() };
        if source.get_untracked() != next {
            source.set(next);
        }
    });
    // What an unknown family's file has in common with the others is filled in already.
    let form = move || format!("/{}/tools/model{}", lang.code(), state::query(&state::shape_of(&config.get())));
    let mut options: Vec<(String, String)> =
        catalogue::models().iter().map(|entry| (entry.name.clone(), entry.name.clone())).collect();
    options.sort();
    view! {
        <Choice name="model" label=lang.pick("模型", "Model") options value=name />
        <details class="config" open=open>
            <summary>{lang.pick("用自己的 config.json", "Use your own config.json")}</summary>
            <p>
                <a href=format!("/{}/tools/catalogue", lang.code())>
                    {lang.pick("查目录", "Search the catalogue")}
                </a>
                " · "
                <a href=form>{lang.pick("没有 config.json：填数字", "No config.json: type the numbers in")}</a>
            </p>
            <textarea
                name="config"
                rows="5"
                spellcheck="false"
                placeholder=lang
                    .pick(
                        "粘贴 config.json，或把文件拖到这里；清空就回到上面的模型",
                        "Paste config.json or drop the file here; empty it to return to the model above",
                    )
                prop:value=move || config.get()
                on:input=move |event| config.set(event_target_value(&event))
                on:dragover=|event| event.prevent_default()
                on:drop=move |event| {
                    event.prevent_default();
                    super::browser::dropped_text(&event, move |text| config.set(text));
                }
                inner_html=html::textarea(&config.get_untracked())
            ></textarea>
            <input
                type="file"
                class="js-only"
                accept=".json,application/json"
                aria-label="config.json"
                on:change=move |event| {
                    super::browser::chosen_text(&event, move |text| config.set(text));
                }
            />
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_the_slider_is_a_value_that_returns_to_its_place() {
        for (low, high) in [(1_u64, 512_u64), (128, 1_048_576)] {
            let last = position(high, low);
            for at in (0..=last).filter(|at| at % 4 == 0) {
                let value = at_position(at, low, high);
                assert_eq!(position(value, low), at, "{low} {high} {at}");
            }
            assert_eq!(at_position(last, low, high), high);
        }
        assert_eq!(at_position(24, 128, 1_048_576), 8192);
    }
}
