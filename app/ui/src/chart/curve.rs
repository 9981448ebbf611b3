//! One curve of numbers without a unit of their own.

use ledger::Text;
use ledger::calculators::{Axis, Measure, Plot};
use leptos::prelude::*;

use super::plot::PlotView;
use crate::Lang;

/// One line; its name and what runs along it are in the reader's language already.
#[component]
pub fn Curve(name: String, along: String, points: Vec<(f64, f64)>) -> impl IntoView {
    // One text for both languages, so either will do.
    let text = |text: &str| Text::new(text.to_owned(), text.to_owned());
    let axis = |name: &str| Axis::linear(text(name), Measure::Count);
    let plot = Plot::new("curve", text(&name), axis(&along), axis(&name)).line("curve", text(&name), points);
    view! { <PlotView plot lang=Lang::En /> }
}
