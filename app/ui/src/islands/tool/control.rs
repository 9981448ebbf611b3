//! The inputs of a calculator as controls.

use evidence::Lang;
use ledger::calculators::{Input, Kind};
use leptos::prelude::*;

use crate::islands::inputs::{Choice, Decimal, Number};
use crate::state::pick;

/// An input and what is typed.
#[derive(Clone, Copy)]
pub enum Field {
    Whole(RwSignal<u64>),
    Decimal(RwSignal<f64>),
    Choice(RwSignal<String>),
}

impl Field {
    /// What a text means for an input; what cannot be read takes the default.
    pub fn of(input: &Input, typed: String) -> Self {
        match &input.kind {
            Kind::Whole { default, .. } => Field::Whole(RwSignal::new(typed.trim().parse().unwrap_or(*default))),
            Kind::Decimal { default, .. } => Field::Decimal(RwSignal::new(typed.trim().parse().unwrap_or(*default))),
            Kind::Choice { .. } => Field::Choice(RwSignal::new(typed)),
        }
    }

    pub fn text(self) -> String {
        match self {
            Field::Whole(value) => value.get().to_string(),
            Field::Decimal(value) => value.get().to_string(),
            Field::Choice(value) => value.get(),
        }
    }
}

/// The least and the most that a slider reaches: some doublings around the default.
fn reach(default: u64, min: u64, max: u64) -> (u64, u64) {
    let low = (default / 64).max(min).max(1);
    (low, default.max(8).saturating_mul(64).min(max).max(low.saturating_mul(2)))
}

#[component]
pub fn Control(input: &'static Input, field: Field, hidden: Signal<bool>, lang: Lang) -> impl IntoView {
    let (name, label) = (input.id.to_string(), pick(&input.name, lang));
    let with_unit = |unit: &str| if unit.is_empty() { label.clone() } else { format!("{label} ({unit})") };
    let control = match (&input.kind, field) {
        (Kind::Whole { unit, default, min, max }, Field::Whole(value)) => {
            let label = with_unit(unit);
            view! { <Number name label value slider=reach(*default, *min, *max) bounds=(*min, *max) /> }.into_any()
        }
        (Kind::Decimal { unit, min, max, .. }, Field::Decimal(value)) => {
            let label = with_unit(unit);
            view! { <Decimal name label value bounds=(*min, *max) /> }.into_any()
        }
        (Kind::Choice { options, .. }, Field::Choice(value)) => {
            let options = options.iter().map(|option| (option.id.to_string(), pick(&option.name, lang))).collect();
            view! { <Choice name label options value /> }.into_any()
        }
        _ => ().into_any(),
    };
    view! { <div hidden=move || hidden.get()>{control}</div> }.into_any()
}
