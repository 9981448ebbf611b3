//! Two histograms over one axis, before and after, with the levels of a code between them.

use evidence::Lang;
use ledger::calculators::{Axis, Measure};
use ledger::formats::Histogram;
use ledger::{Text, units};

use super::axis::{Scale, anchor, percent};
use crate::markup::Markup;

/// Side of the square in which paths are drawn; the page stretches it.
const SIDE: f64 = 1000.0;
const STRETCHED: [(&str, &str); 2] = [("viewBox", "0 0 1000 1000"), ("preserveAspectRatio", "none")];

/// The numbers that a scale can hold, and whose they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Ladder<'a> {
    pub name: &'a str,
    pub levels: &'a [f64],
}

/// Bars over the same bins and the same heights (logarithmic: a bin of one number is still seen), one above the other.
pub fn histograms(out: &mut Markup, before: &Histogram, after: &Histogram, ladders: &[Ladder<'_>], lang: Lang) {
    let most = before.counts.iter().chain(&after.counts).copied().max().unwrap_or(0);
    let values = Axis::linear(Text::new("值", "Value"), Measure::Ratio);
    let Some(across) = Scale::over(&values, [before.low, before.high].into_iter()) else { return };
    let full = units::group(most);
    let caption = match lang {
        Lang::Zh => format!("量化前后的分布：区间相同，高度为计数的对数，满高 {full} 个；中间是码的取值"),
        Lang::En => format!(
            "Before and after: the same bins, heights are logarithms of counts, {full} at full height; between them what the code can hold"
        ),
    };
    let bars = |out: &mut Markup, name: &str, class: &str, histogram: &Histogram| {
        let used = histogram.counts.iter().filter(|count| **count > 0).count();
        let told = match lang {
            Lang::Zh => format!("{name}：{} 个区间中 {used} 个有数", histogram.counts.len()),
            Lang::En => format!("{name}: numbers in {used} of {} bins", histogram.counts.len()),
        };
        let drawing = [("class", class), ("role", "img"), ("aria-label", &told), STRETCHED[0], STRETCHED[1]];
        out.leaf("span", &[("class", "name")], name);
        out.element("svg", &drawing, &mut |out| out.leaf("path", &[("d", &outline(histogram, most))], ""));
    };
    out.element("figure", &[("class", "histograms")], &mut |out| {
        out.leaf("figcaption", &[], &caption);
        out.element("div", &[("class", "frame")], &mut |out| {
            bars(out, lang.pick("之前", "Before"), "bins before", before);
            for Ladder { name, levels } in ladders {
                out.leaf("span", &[("class", "name")], name);
                let drawing = [("class", "ladder"), ("aria-hidden", "true"), STRETCHED[0], STRETCHED[1]];
                out.element("svg", &drawing, &mut |out| out.leaf("path", &[("d", &rungs(levels, &across))], ""));
            }
            bars(out, lang.pick("之后", "After"), "bins after", after);
            out.element("svg", &[("class", "columns"), ("aria-hidden", "true")], &mut |out| {
                for (at, label) in across.ticks() {
                    out.leaf("text", &[("x", &percent(at)), ("y", "14"), ("text-anchor", anchor(at))], &label);
                }
            });
        });
    });
}

/// A stroke for every level that lies on the axis.
fn rungs(levels: &[f64], across: &Scale) -> String {
    let places = levels.iter().map(|level| across.place(*level) * SIDE);
    places.filter(|x| (-0.5..=SIDE + 0.5).contains(x)).map(|x| format!("M{x:.1},0V{SIDE}")).collect()
}

/// All bars as one path; a bin without numbers has none.
fn outline(histogram: &Histogram, most: u64) -> String {
    let width = SIDE / histogram.counts.len().max(1) as f64;
    let full = (most as f64).ln_1p();
    let bars = histogram.counts.iter().enumerate().filter(|(_, count)| **count > 0);
    bars.map(|(at, count)| {
        let (left, height) = (at as f64 * width, (*count as f64).ln_1p() / full * SIDE);
        format!("M{left:.1},{SIDE}v-{height:.1}h{:.1}v{height:.1}z", width * 0.9)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_high_as_the_logarithm_of_its_count() {
        let histogram = Histogram { low: 0.0, high: 4.0, counts: vec![3, 0, 15, 1] };
        // ln 4, ln 16 and ln 2 of ln 16.
        let expected = "M0.0,1000v-500.0h225.0v500.0zM500.0,1000v-1000.0h225.0v1000.0zM750.0,1000v-250.0h225.0v250.0z";
        assert_eq!(outline(&histogram, 15), expected);
    }
}
