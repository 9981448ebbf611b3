//! A curve: points joined by lines, with its ends in words.

use leptos::prelude::*;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 320.0;

/// How a number stands at an axis.
fn label(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if size == 0.0 => "0".to_owned(),
        _ if size >= 1e15 => format!("{value:.2e}"),
        _ if size >= 1e9 => format!("{:.3} G", value / 1e9),
        _ if size >= 1e6 => format!("{:.3} M", value / 1e6),
        _ if size >= 1e4 => format!("{:.1} k", value / 1e3),
        _ if size >= 100.0 => format!("{value:.0}"),
        _ if size >= 0.01 => format!("{value:.3}").trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => format!("{value:.2e}"),
    }
}

/// The ends of some numbers, apart.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low < high { (low, high) } else { (low - 0.5, low + 0.5) }
}

/// Whether a logarithmic scale shows more: positive numbers over more than two orders of magnitude.
fn wide((low, high): (f64, f64)) -> bool {
    low > 0.0 && high / low > 100.0
}

fn place(value: f64, (low, high): (f64, f64)) -> f64 {
    let scale = |value: f64| if wide((low, high)) { value.ln() } else { value };
    (scale(value) - scale(low)) / (scale(high) - scale(low))
}

/// One curve with a dot at each point; the numbers of a point show when it is pointed at or read aloud.
#[component]
pub fn Curve(name: String, along: String, points: Vec<(f64, f64)>) -> impl IntoView {
    let points: Vec<(f64, f64)> = points.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
    if points.is_empty() {
        return ().into_any();
    }
    let (across, up) = (ends(points.iter().map(|point| point.0)), ends(points.iter().map(|point| point.1)));
    let at = |(x, y): &(f64, f64)| {
        (20.0 + place(*x, across) * (WIDTH - 40.0), HEIGHT - 16.0 - place(*y, up) * (HEIGHT - 32.0))
    };
    let path = points.iter().map(at).map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ");
    let dots = points
        .iter()
        .map(|point| {
            let (x, y) = at(point);
            let title = format!("{along} {}: {}", label(point.0), label(point.1));
            view! {
                <circle cx=format!("{x:.1}") cy=format!("{y:.1}") r="5">
                    <title>{title}</title>
                </circle>
            }
        })
        .collect_view();
    let text = format!("{name}: {} … {}; {along} {} … {}", label(up.0), label(up.1), label(across.0), label(across.1));
    view! {
        <figure class="curve">
            <figcaption>{name}</figcaption>
            <div class="plot">
                <span class="high">{label(up.1)}</span>
                <span class="low">{label(up.0)}</span>
                <svg viewBox="0 0 1000 320" preserveAspectRatio="none" role="img" aria-label=text>
                    <polyline points=path />
                    {dots}
                </svg>
            </div>
            <div class="scale">
                <span>{label(across.0)}</span>
                <span>{along}</span>
                <span>{label(across.1)}</span>
            </div>
        </figure>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_place_between_the_ends() {
        assert_eq!(place(5.0, (0.0, 10.0)), 0.5);
        assert!((place(10.0, (1.0, 1000.0)) - 1.0 / 3.0).abs() < 1e-12, "three orders of magnitude: logarithmic");
        assert_eq!(ends([3.0].into_iter()), (2.5, 3.5));
    }
}
