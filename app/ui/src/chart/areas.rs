//! Objects stacked over the moments of a step, with the peak marked.

use evidence::Lang;
use ledger::units;

use super::whole::scaled;
use crate::markup::Markup;
use crate::tools::Timeline;
use crate::words;

/// The drawing in its own units: integers all the way.
const WIDTH: u64 = 10_000;
const HEIGHT: u64 = 1_000;

/// The objects of a timeline, from the bottom of the stack up: in the order of the word list.
pub fn objects(timeline: &Timeline) -> Vec<String> {
    let known = ledger::Object::ALL.iter().map(|object| object.id());
    let appears = |id: &&str| timeline.moments.iter().any(|moment| moment.parts.iter().any(|(object, _)| object == id));
    known.filter(appears).map(str::to_owned).collect()
}

/// Percent with one decimal, as SVG takes it.
fn percent(place: u64) -> String {
    format!("{}.{}%", place / 100, place / 10 % 10)
}

/// What lies between two moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Between {
    /// A phase of a step, in which bytes gather or go.
    Slope,
    /// Nothing: each moment is an allocation or a free, and lasts until the next.
    #[cfg(feature = "ssr")]
    Step,
}

impl Between {
    /// How many places of the drawing a moment takes beyond its own.
    const fn lasts(self) -> usize {
        match self {
            Between::Slope => 0,
            #[cfg(feature = "ssr")]
            Between::Step => 1,
        }
    }
}

/// The stacked areas. A capacity is drawn where it is not far above everything.
pub fn areas(out: &mut Markup, timeline: &Timeline, capacity: Option<u64>, between: Between, label: &str, lang: Lang) {
    let order = objects(timeline);
    let (moments, peak) = (&timeline.moments, timeline.peak);
    let lasts = between.lasts();
    let last = (moments.len() + lasts).saturating_sub(1) as u64;
    let x = |at: usize| scaled(at as u64, last, WIDTH);
    let bytes = |at: usize, object: &str| {
        let parts = moments.get(at).map(|moment| moment.parts.as_slice()).unwrap_or_default();
        parts.iter().find(|(id, _)| id == object).map_or(0, |(_, bytes)| *bytes)
    };
    let total = |at: usize| order.iter().fold(0_u64, |sum, object| sum.saturating_add(bytes(at, object)));
    let highest = (0..moments.len()).map(total).max().unwrap_or(0);
    let capacity = capacity.filter(|capacity| *capacity / 3 <= highest);
    // Room above the peak for its name.
    let scale = highest.max(capacity.unwrap_or(0)) / 20 * 23;
    let y = |bytes: u64| HEIGHT - scaled(bytes, scale, HEIGHT);
    out.element("svg", &[("class", "areas"), ("role", "img"), ("aria-label", label)], &mut |out| {
        let stretched =
            [("viewBox", "0 0 10000 1000"), ("preserveAspectRatio", "none"), ("width", "100%"), ("height", "88%")];
        out.element("svg", &stretched, &mut |out| {
            let mut floor = vec![0_u64; moments.len()];
            for object in &order {
                let (mut upper, mut lower) = (String::new(), Vec::new());
                for (at, under) in floor.iter_mut().enumerate() {
                    let top = under.saturating_add(bytes(at, object));
                    for place in at..=at + lasts {
                        upper.push_str(&format!("{},{} ", x(place), y(top)));
                        lower.push(format!("{},{}", x(place), y(*under)));
                    }
                    *under = top;
                }
                lower.reverse();
                upper.push_str(&lower.join(" "));
                out.leaf("polygon", &[("class", &words::object_class(object)), ("points", &upper)], "");
            }
        });
        let phases = runs(&moments.iter().map(|moment| moment.phase).collect::<Vec<_>>());
        for (place, (phase, from, to)) in phases.iter().enumerate() {
            if *from > 0 {
                upright(out, "border", (x(from - 1 + lasts) + x(*from)) / 2);
            }
            let (at, anchor) = match place {
                0 => (0, "start"),
                _ if place + 1 == phases.len() => (WIDTH, "end"),
                _ => ((x(*from) + x(*to)) / 2, "middle"),
            };
            let place = [("x", &*percent(at)), ("y", "97%"), ("text-anchor", anchor)];
            out.leaf("text", &place, words::phase(phase, lang));
        }
        if let Some(capacity) = capacity {
            let place = percent(y(capacity) * 88 / 10);
            let ends = [("class", "limit"), ("x1", "0"), ("x2", "100%"), ("y1", &*place), ("y2", &*place)];
            out.leaf("line", &ends, "");
            let text = format!("{} {}", lang.pick("卡", "card"), size(capacity));
            out.leaf("text", &[("x", "0.5%"), ("y", &place), ("dy", "-4")], &text);
        }
        upright(out, "mark", x(peak));
        let (anchor, aside) = if x(peak) > WIDTH / 2 { ("end", "-6") } else { ("start", "6") };
        let place = [("class", "mark"), ("x", &*percent(x(peak))), ("y", "7%"), ("dx", aside), ("text-anchor", anchor)];
        let text = format!("▲ {} {}", lang.pick("峰值", "peak"), size(total(peak)));
        out.leaf("text", &place, &text);
    });
}

/// GiB as a card is told in; the fitting unit where that would round the number away.
fn size(bytes: u64) -> String {
    if bytes < units::GIB { units::human_binary(bytes) } else { units::gib(bytes) }
}

/// A line from the top of the drawing to its floor.
pub fn upright(out: &mut Markup, class: &str, at: u64) {
    let at = percent(at);
    out.leaf("line", &[("class", class), ("x1", &at), ("x2", &at), ("y1", "0"), ("y2", "88%")], "");
}

/// The line of the moment that a hand holds, over the drawing.
pub fn hand(out: &mut Markup, at: u64, last: u64) {
    upright(out, "hand", scaled(at, last, WIDTH));
}

/// Runs of equal neighbours: what, first place, last place.
fn runs(all: &[&'static str]) -> Vec<(&'static str, usize, usize)> {
    let mut runs: Vec<(&'static str, usize, usize)> = Vec::new();
    for (at, phase) in all.iter().enumerate() {
        match runs.last_mut() {
            Some((same, _, to)) if same == phase => *to = at,
            _ => runs.push((phase, at, at)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_runs() {
        assert_eq!(runs(&["a", "b", "b", "a"]), [("a", 0, 0), ("b", 1, 2), ("a", 3, 3)]);
        assert!(runs(&[]).is_empty());
    }

    #[test]
    fn percents_have_one_decimal() {
        assert_eq!((percent(10_000), percent(1_234)), ("100.0%".to_owned(), "12.3%".to_owned()));
    }
}
