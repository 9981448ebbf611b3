//! Segments and their blocks, drawn to one scale.

use evidence::Lang;
use ledger::allocator::{BlockView, SegmentView, Use, View};
use ledger::units;

use crate::chart::scaled;
use crate::markup::Markup;

/// Width of the drawing of the widest segment.
const WIDTH: u64 = 100_000;
/// Between two blocks.
const GAP: u64 = 150;
/// Segments that are drawn at most.
const ROWS: usize = 24;
/// With more segments than this, only the touched one names its blocks.
const CROWD: usize = 12;
/// Blocks of a segment that are named at most.
const NAMED: usize = 12;

const USES: [(Use, &str); 4] = [
    (Use::Allocated, "o-activation"),
    (Use::AwaitingFree, "o-optimizer-temporary"),
    (Use::Free, "o-free"),
    (Use::Unmapped, "unmapped"),
];

/// The memory at one moment: the largest segments where there are many, and always the one that was touched.
pub fn segments(out: &mut Markup, view: View, touched: Option<u64>, lang: Lang) {
    let View { mut segments, .. } = view;
    let widest = segments.iter().map(|segment| segment.size).max().unwrap_or(1);
    let inside = |segment: &SegmentView| {
        touched.is_some_and(|address| (segment.address..segment.address + segment.size).contains(&address))
    };
    let (all, whole) = (segments.len(), segments.iter().map(|segment| segment.size).sum::<u64>());
    if all > ROWS {
        segments.sort_by_key(|segment| std::cmp::Reverse((inside(segment), segment.size)));
        segments.truncate(ROWS);
        segments.sort_by_key(|segment| segment.address);
    }
    let crowded = all > CROWD;
    out.element("div", &[("class", if crowded { "segments crowded" } else { "segments" })], &mut |out| {
        for segment in &segments {
            let now = inside(segment);
            one(out, segment, now, now || !crowded, widest, lang);
        }
    });
    if all > ROWS {
        let shown = segments.iter().map(|segment| segment.size).sum::<u64>();
        let (count, bytes) = (units::group((all - ROWS) as u64), units::human_binary(whole - shown));
        let rest = match lang {
            Lang::Zh => format!("另有 {count} 个较小的段，共 {bytes}。"),
            Lang::En => format!("{count} smaller segments more, {bytes} in all."),
        };
        out.leaf("p", &[("class", "hint")], &rest);
    }
    let legend = [
        ("swatch o-activation", lang.pick("已分配", "Allocated")),
        ("swatch o-optimizer-temporary", lang.pick("等待释放", "Awaiting free")),
        ("swatch o-free", lang.pick("空闲", "Free")),
    ];
    out.element("ul", &[("class", "legend")], &mut |out| {
        for (class, name) in legend {
            out.element("li", &[], &mut |out| {
                out.leaf("i", &[("class", class)], "");
                out.text(name);
            });
        }
    });
}

/// All blocks of one use as one path: a real segment has thousands. Those too narrow to be told apart are one.
fn path(segment: &SegmentView, used: Use, widest: u64) -> String {
    let mut drawn = String::new();
    let mut bar: Option<(u64, u64)> = None;
    let draw = |(from, to): (u64, u64)| {
        let width = (to - from).saturating_sub(GAP).max(GAP / 2);
        format!("M{from} 2h{width}v36h-{width}z")
    };
    for block in segment.blocks.iter().filter(|block| block.used == used) {
        let (from, to) = (block.address - segment.address, block.address - segment.address + block.size);
        let next = (scaled(from, widest, WIDTH), scaled(to, widest, WIDTH));
        bar = match bar {
            Some((start, end)) if next.0 < end + GAP && next.1 - next.0 < 2 * GAP => Some((start, next.1)),
            Some(done) => {
                drawn += &draw(done);
                Some(next)
            }
            None => Some(next),
        };
    }
    drawn + &bar.map(draw).unwrap_or_default()
}

fn one(out: &mut Markup, segment: &SegmentView, now: bool, named: bool, widest: u64, lang: Lang) {
    let words = |block: &BlockView| {
        let state = match block.used {
            Use::Allocated => block.name.as_deref().unwrap_or(lang.pick("已分配", "allocated")),
            Use::AwaitingFree => lang.pick("等待释放", "awaiting free"),
            Use::Free => lang.pick("空闲", "free"),
            Use::Unmapped => lang.pick("未映射", "unmapped"),
        };
        format!("{state} {}", units::human_binary(block.size))
    };
    let pool = if segment.small { lang.pick("小池", "small pool") } else { lang.pick("大池", "large pool") };
    let label = format!("{pool}, {}", units::human_binary(segment.size));
    let mut list = segment.blocks.iter().take(NAMED).map(words).collect::<Vec<_>>().join(" · ");
    if segment.blocks.len() > NAMED {
        list += &format!(" · … +{}", segment.blocks.len() - NAMED);
    }
    let said = format!("{label}: {list}");
    let drawing =
        [("viewBox", "0 0 100000 40"), ("preserveAspectRatio", "none"), ("role", "img"), ("aria-label", &said)];
    out.element("div", &[("class", if now { "segment now" } else { "segment" })], &mut |out| {
        out.leaf("span", &[("class", "name")], &label);
        out.element("svg", &drawing, &mut |out| {
            for (used, class) in USES {
                out.leaf("path", &[("class", class), ("d", &path(segment, used, widest))], "");
            }
        });
        if named {
            out.leaf("span", &[("class", "blocks")], &list);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_lie_to_scale_and_dust_is_one_bar() {
        let block = |address, size, used| BlockView { address, size, requested: 0, used, name: None };
        let mut segment = SegmentView {
            address: 100,
            size: 1000,
            stream: 0,
            small: false,
            pool: (0, 0),
            expandable: false,
            blocks: vec![block(100, 500, Use::Allocated), block(600, 500, Use::Free)],
        };
        assert_eq!(path(&segment, Use::Allocated, 1000), "M0 2h49850v36h-49850z");
        assert_eq!(path(&segment, Use::Free, 2000), "M25000 2h24850v36h-24850z");
        assert_eq!(path(&segment, Use::Unmapped, 1000), "");
        segment.blocks = (0..1000).map(|at| block(100 + at, 1, Use::Allocated)).collect();
        assert_eq!(path(&segment, Use::Allocated, 1000).matches('M').count(), 1);
    }
}
