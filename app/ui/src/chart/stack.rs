//! One stacked bar against a capacity.

use super::whole::scaled;
use crate::markup::Markup;
use crate::words;

/// Width of the drawing in its own units.
const WIDTH: u64 = 100_000;
const GAP: u64 = 150;
const HAIR: u64 = 50;

/// A part of the bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The memory object's id.
    pub object: String,
    pub bytes: u64,
}

/// A stacked bar. The scale is the larger of the sum and the capacity; a line marks the capacity.
pub fn stack(out: &mut Markup, parts: &[Part], capacity: Option<u64>, label: &str) {
    let sum: u64 = parts.iter().map(|part| part.bytes).fold(0, u64::saturating_add);
    let scale = sum.max(capacity.unwrap_or(0)).max(1);
    let over = capacity.is_some_and(|capacity| sum > capacity);
    let class = if over { "stack over" } else { "stack" };
    let drawing = [
        ("class", class),
        ("viewBox", "0 0 100000 48"),
        ("preserveAspectRatio", "none"),
        ("role", "img"),
        ("aria-label", label),
    ];
    out.element("svg", &drawing, &mut |out| {
        let mut rect = |class: &str, x: u64, y: &str, width: u64, height: &str| {
            let (x, width) = (x.to_string(), width.to_string());
            let place = [("class", class), ("x", &x), ("y", y), ("width", &width), ("height", height)];
            out.leaf("rect", &place, "");
        };
        rect("o-free", 0, "4", WIDTH, "40");
        let mut before = 0_u64;
        for part in parts {
            let (from, to) = (scaled(before, scale, WIDTH), scaled(before.saturating_add(part.bytes), scale, WIDTH));
            before = before.saturating_add(part.bytes);
            // A gap between parts, and never less than a hair's breadth.
            rect(&words::object_class(&part.object), from, "4", (to - from).saturating_sub(GAP).max(HAIR), "40");
        }
        if let Some(capacity) = capacity {
            rect("cap", scaled(capacity, scale, WIDTH).min(WIDTH - 2 * GAP), "0", 2 * GAP, "48");
        }
    });
}
