//! Inputs that calculators share: slider plus typed number, and choices.

use leptos::prelude::*;

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
