//! Segments and their blocks, drawn to one scale.

use evidence::Lang;
use ledger::allocator::{BlockView, SegmentView, Use, View};
use ledger::units;
use leptos::prelude::*;

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
#[component]
pub fn Segments(view: View, touched: Option<u64>, lang: Lang) -> impl IntoView {
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
    let shown = segments.iter().map(|segment| segment.size).sum::<u64>();
    let rest = (all > ROWS).then(|| {
        let (count, bytes) = (units::group((all - ROWS) as u64), units::human_binary(whole - shown));
        view! {
            <p class="hint">
                {match lang {
                    Lang::Zh => format!("另有 {count} 个较小的段，共 {bytes}。"),
                    Lang::En => format!("{count} smaller segments more, {bytes} in all."),
                }}
            </p>
        }
    });
    let rows = segments
        .into_iter()
        .map(|segment| {
            let now = inside(&segment);
            view! { <Segment segment now named=now || !crowded widest lang /> }
        })
        .collect_view();
    view! {
        <div class=if crowded { "segments crowded" } else { "segments" }>{rows}</div>
        {rest}
        <ul class="legend">
            <li>
                <i class="swatch o-activation"></i>
                {lang.pick("已分配", "Allocated")}
            </li>
            <li>
                <i class="swatch o-optimizer-temporary"></i>
                {lang.pick("等待释放", "Awaiting free")}
            </li>
            <li>
                <i class="swatch o-free"></i>
                {lang.pick("空闲", "Free")}
            </li>
        </ul>
    }
    .into_any()
}

fn across(bytes: u64, widest: u64) -> u64 {
    u64::try_from(u128::from(bytes) * u128::from(WIDTH) / u128::from(widest.max(1))).unwrap_or(WIDTH)
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
        let next = (across(from, widest), across(to, widest));
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

#[component]
fn Segment(segment: SegmentView, now: bool, named: bool, widest: u64, lang: Lang) -> impl IntoView {
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
    let paths = USES.map(|(used, class)| view! { <path class=class d=path(&segment, used, widest) /> }).collect_view();
    view! {
        <div class=if now { "segment now" } else { "segment" }>
            <span class="name">{label.clone()}</span>
            <svg viewBox="0 0 100000 40" preserveAspectRatio="none" role="img" aria-label=format!("{label}: {list}")>
                {paths}
            </svg>
            {named.then(|| view! { <span class="blocks">{list}</span> })}
        </div>
    }
    .into_any()
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
