//! A plot: lines over two axes, with the points that have a name.
//!
//! Places are percentages of the drawing, so that letters keep their size on every screen; only the lines themselves
//! are stretched.

use evidence::Lang;
use ledger::calculators::{Mark, Plot, Series};
use leptos::prelude::*;

use super::axis::{Scale, label, with_unit};
use crate::state::pick;

/// Points of a line that are drawn as dots; more would hide the line.
const MOST_DOTS: usize = 64;
/// Kinds of strokes in the style.
const STROKES: usize = 3;

/// The lines of a plot, its marks numbered and named below.
#[component]
pub fn PlotView(plot: Plot, lang: Lang) -> impl IntoView {
    let points = || {
        let marks = plot.marks.iter().map(|mark| (mark.x, mark.y));
        plot.lines.iter().flat_map(|line| line.points.iter().copied()).chain(marks)
    };
    let across = Scale::over(&plot.along, points().map(|(x, _)| x));
    let up = Scale::over(&plot.up, points().map(|(_, y)| y)).map(Scale::upward);
    let (Some(across), Some(up)) = (across, up) else { return ().into_any() };
    let told = told(&plot, lang);
    let lines = plot.lines.iter().enumerate().map(|(at, line)| polyline(line, at, &across, &up)).collect_view();
    let dots = plot.lines.iter().enumerate().map(|(at, line)| dots(&plot, line, at, &across, &up)).collect_view();
    let marks = pins(&plot.marks, &across, &up);
    let columns = across.ticks().into_iter();
    let columns = columns.map(|(at, label)| view! { <text x=percent(at) y="14" text-anchor=anchor(at)>{label}</text> });
    let across_lines = up.ticks().into_iter().map(|(at, _)| {
        view! { <line x1="0" x2="100%" y1=percent(1.0 - at) y2=percent(1.0 - at) /> }
    });
    let rows = up.ticks().into_iter();
    let rows =
        rows.map(|(at, label)| view! { <text x="100%" y=percent(1.0 - at) dy="4" text-anchor="end">{label}</text> });
    view! {
        <figure class="curve">
            <figcaption>{pick(&plot.name, lang)}</figcaption>
            <div class="frame">
                <span class="up">{pick(&plot.up.name, lang)}</span>
                <svg class="rows" aria-hidden="true">{rows.collect_view()}</svg>
                <svg class="area" role="img" aria-label=told>
                    <g class="grid">{across_lines.collect_view()}</g>
                    <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" width="100%" height="100%">
                        {lines}
                    </svg>
                    {dots}
                    {marks}
                </svg>
                <svg class="columns" aria-hidden="true">{columns.collect_view()}</svg>
                <span class="along">{pick(&plot.along.name, lang)}</span>
            </div>
            {legend(&plot, lang)}
        </figure>
    }
    .into_any()
}

/// Names of the lines, where there are several, and of the marks with their numbers.
fn legend(plot: &Plot, lang: Lang) -> AnyView {
    let (along, up) = (plot.along.measure, plot.up.measure);
    let several = plot.lines.len() > 1;
    let lines = plot.lines.iter().enumerate().filter(|_| several).map(|(at, line)| {
        view! {
            <li>
                <svg class="key" aria-hidden="true">
                    <line class=stroke(at) x1="0" x2="100%" y1="50%" y2="50%" />
                </svg>
                {pick(&line.name, lang)}
            </li>
        }
    });
    let marks = plot.marks.iter().enumerate().map(|(at, mark)| {
        view! {
            <li data-mark=mark.id.to_string()>
                <b class="pin">{at + 1}</b>
                {pick(&mark.name, lang)}
                " "
                <span class="n">{format!("({}, {})", with_unit(mark.x, along), with_unit(mark.y, up))}</span>
            </li>
        }
    });
    view! {
        <ul class="legend">{lines.collect_view()} {marks.collect_view()}</ul>
    }
    .into_any()
}

fn stroke(at: usize) -> String {
    format!("s{}", at % STROKES)
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// A label at an end stays inside the drawing.
pub(super) fn anchor(at: f64) -> &'static str {
    match at {
        _ if at < 0.06 => "start",
        _ if at > 0.94 => "end",
        _ => "middle",
    }
}

fn polyline(line: &Series, at: usize, across: &Scale, up: &Scale) -> AnyView {
    let place = |(x, y): &(f64, f64)| format!("{:.1},{:.1}", across.place(*x) * 1000.0, (1.0 - up.place(*y)) * 1000.0);
    let points = line.points.iter().map(place).collect::<Vec<_>>().join(" ");
    view! { <polyline class=stroke(at) points=points /> }.into_any()
}

fn dots(plot: &Plot, line: &Series, at: usize, across: &Scale, up: &Scale) -> AnyView {
    let shown = if line.points.len() <= MOST_DOTS { line.points.as_slice() } else { &[] };
    let dots = shown.iter().map(|(x, y)| {
        let title = format!("{}, {}", with_unit(*x, plot.along.measure), with_unit(*y, plot.up.measure));
        view! {
            <circle class=stroke(at) cx=percent(across.place(*x)) cy=percent(1.0 - up.place(*y)) r="3">
                <title>{title}</title>
            </circle>
        }
    });
    dots.collect_view().into_any()
}

/// Rings with numbers. Of marks that lie close together the first has its number above, the next below, beside.
fn pins(marks: &[Mark], across: &Scale, up: &Scale) -> AnyView {
    const ASIDE: [(&str, &str); 4] = [("0", "-10"), ("0", "20"), ("14", "5"), ("-14", "5")];
    let places: Vec<(f64, f64)> = marks.iter().map(|mark| (across.place(mark.x), 1.0 - up.place(mark.y))).collect();
    let pins = places.iter().enumerate().map(|(at, (x, y))| {
        let close = places[..at].iter().filter(|other| (other.0 - x).abs() < 0.05 && (other.1 - y).abs() < 0.12);
        let (dx, dy) = ASIDE[close.count() % ASIDE.len()];
        view! {
            <g class="mark">
                <circle cx=percent(*x) cy=percent(*y) r="5.5" />
                <text x=percent(*x) y=percent(*y) dx=dx dy=dy text-anchor="middle">
                    {at + 1}
                </text>
            </g>
        }
    });
    pins.collect_view().into_any()
}

/// The picture in words: between which numbers each line runs.
fn told(plot: &Plot, lang: Lang) -> String {
    let lines = plot.lines.iter().filter_map(|line| {
        let (first, last) = (line.points.first()?, line.points.last()?);
        let ends = |(x, y): &(f64, f64)| format!("({}, {})", label(*x, plot.along.measure), label(*y, plot.up.measure));
        Some(format!("{}: {} … {}", pick(&line.name, lang), ends(first), ends(last)))
    });
    let axes = format!("{} / {}", pick(&plot.up.name, lang), pick(&plot.along.name, lang));
    let told = [pick(&plot.name, lang), axes].into_iter().chain(lines);
    told.collect::<Vec<_>>().join("; ")
}
