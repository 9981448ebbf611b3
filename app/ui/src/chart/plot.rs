//! A plot: lines over two axes, with the points that have a name.
//!
//! Places are percentages of the drawing, so that letters keep their size on every screen; only the lines themselves
//! are stretched.

use evidence::Lang;
use ledger::calculators::{Mark, Plot};

use super::axis::{Scale, anchor, label, percent, with_unit};
use crate::markup::Markup;
use crate::state::pick;

/// Points of a line that are drawn as dots; more would hide the line.
const MOST_DOTS: usize = 64;
/// Kinds of strokes in the style.
const STROKES: usize = 3;

/// The lines of a plot, its marks numbered and named below.
pub fn plot(out: &mut Markup, plot: &Plot, lang: Lang) {
    let points = || {
        let marks = plot.marks.iter().map(|mark| (mark.x, mark.y));
        plot.lines.iter().flat_map(|line| line.points.iter().copied()).chain(marks)
    };
    let across = Scale::over(&plot.along, points().map(|(x, _)| x));
    let up = Scale::over(&plot.up, points().map(|(_, y)| y)).map(Scale::upward);
    let (Some(across), Some(up)) = (across, up) else { return };
    out.element("figure", &[("class", "curve")], &mut |out| {
        out.leaf("figcaption", &[], &pick(&plot.name, lang));
        out.element("div", &[("class", "frame")], &mut |out| {
            out.leaf("span", &[("class", "up")], &pick(&plot.up.name, lang));
            out.element("svg", &[("class", "rows"), ("aria-hidden", "true")], &mut |out| {
                for (at, label) in up.ticks() {
                    let place = [("x", "100%"), ("y", &percent(1.0 - at)), ("dy", "4"), ("text-anchor", "end")];
                    out.leaf("text", &place, &label);
                }
            });
            let told = told(plot, lang);
            out.element("svg", &[("class", "area"), ("role", "img"), ("aria-label", &told)], &mut |out| {
                drawing(out, plot, &across, &up);
            });
            out.element("svg", &[("class", "columns"), ("aria-hidden", "true")], &mut |out| {
                for (at, label) in across.ticks() {
                    out.leaf("text", &[("x", &percent(at)), ("y", "14"), ("text-anchor", anchor(at))], &label);
                }
            });
            out.leaf("span", &[("class", "along")], &pick(&plot.along.name, lang));
        });
        legend(out, plot, lang);
    });
}

fn drawing(out: &mut Markup, plot: &Plot, across: &Scale, up: &Scale) {
    out.element("g", &[("class", "grid")], &mut |out| {
        for (at, _) in up.ticks() {
            let y = percent(1.0 - at);
            out.leaf("line", &[("x1", "0"), ("x2", "100%"), ("y1", &y), ("y2", &y)], "");
        }
    });
    let stretched =
        [("viewBox", "0 0 1000 1000"), ("preserveAspectRatio", "none"), ("width", "100%"), ("height", "100%")];
    out.element("svg", &stretched, &mut |out| {
        for (at, line) in plot.lines.iter().enumerate() {
            let place =
                |(x, y): &(f64, f64)| format!("{:.1},{:.1}", across.place(*x) * 1000.0, (1.0 - up.place(*y)) * 1000.0);
            let points = line.points.iter().map(place).collect::<Vec<_>>().join(" ");
            out.leaf("polyline", &[("class", &stroke(at)), ("points", &points)], "");
        }
    });
    for (at, line) in plot.lines.iter().enumerate().filter(|(_, line)| line.points.len() <= MOST_DOTS) {
        for (x, y) in &line.points {
            let (cx, cy) = (percent(across.place(*x)), percent(1.0 - up.place(*y)));
            let title = format!("{}, {}", with_unit(*x, plot.along.measure), with_unit(*y, plot.up.measure));
            out.element("circle", &[("class", &stroke(at)), ("cx", &cx), ("cy", &cy), ("r", "3")], &mut |out| {
                out.leaf("title", &[], &title);
            });
        }
    }
    pins(out, &plot.marks, across, up);
}

/// Names of the lines, where there are several, and of the marks with their numbers.
fn legend(out: &mut Markup, plot: &Plot, lang: Lang) {
    let (along, up) = (plot.along.measure, plot.up.measure);
    out.element("ul", &[("class", "legend")], &mut |out| {
        for (at, line) in plot.lines.iter().enumerate().filter(|_| plot.lines.len() > 1) {
            out.element("li", &[], &mut |out| {
                out.element("svg", &[("class", "key"), ("aria-hidden", "true")], &mut |out| {
                    let ends = [("x1", "0"), ("x2", "100%"), ("y1", "50%"), ("y2", "50%")];
                    out.element("g", &[("class", &stroke(at))], &mut |out| out.leaf("line", &ends, ""));
                });
                out.text(&pick(&line.name, lang));
            });
        }
        for (at, mark) in plot.marks.iter().enumerate() {
            out.element("li", &[("data-mark", &mark.id)], &mut |out| {
                out.leaf("b", &[("class", "pin")], &(at + 1).to_string());
                out.text(&pick(&mark.name, lang));
                out.text(" ");
                let numbers = format!("({}, {})", with_unit(mark.x, along), with_unit(mark.y, up));
                out.leaf("span", &[("class", "n")], &numbers);
            });
        }
    });
}

fn stroke(at: usize) -> String {
    format!("s{}", at % STROKES)
}

/// Where the number of a mark stands: of marks that lie close together the highest has it above, the next below, the
/// others beside.
fn aside(places: &[(f64, f64)], at: usize) -> (&'static str, &'static str) {
    const ASIDE: [(&str, &str); 4] = [("0", "-10"), ("0", "20"), ("14", "5"), ("-14", "5")];
    let (x, y) = places[at];
    let above = places.iter().enumerate().filter(|(other, (other_x, other_y))| {
        let close = (other_x - x).abs() < 0.05 && (other_y - y).abs() < 0.12;
        close && (*other_y < y || (*other_y == y && *other < at))
    });
    ASIDE[above.count() % ASIDE.len()]
}

/// Rings with numbers.
fn pins(out: &mut Markup, marks: &[Mark], across: &Scale, up: &Scale) {
    let places: Vec<(f64, f64)> = marks.iter().map(|mark| (across.place(mark.x), 1.0 - up.place(mark.y))).collect();
    for (at, (x, y)) in places.iter().enumerate() {
        let (dx, dy) = aside(&places, at);
        let (x, y) = (percent(*x), percent(*y));
        out.element("g", &[("class", "mark")], &mut |out| {
            out.leaf("circle", &[("cx", &x), ("cy", &y), ("r", "5.5")], "");
            let beside = [("x", &*x), ("y", &*y), ("dx", dx), ("dy", dy), ("text-anchor", "middle")];
            out.leaf("text", &beside, &(at + 1).to_string());
        });
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_close_marks_stand_apart() {
        // The second lies just above the first, the third on the first, the last far away.
        let places = [(0.9, 0.5), (0.9, 0.45), (0.9, 0.5), (0.1, 0.5)];
        let found: Vec<&str> = (0..4).map(|at| aside(&places, at).1).collect();
        assert_eq!(found, ["20", "-10", "5", "-10"]);
    }
}
