//! The allocator's counters over the time of a trace.

use evidence::Lang;
use evidence::trace::{MemoryPoint, MemoryTrack};
use ledger::units;
use leptos::prelude::*;

use super::time;

/// The drawing in its own units, with room above the highest line.
const WIDTH: f64 = 4000.0;
const HEIGHT: f64 = 1280.0;
const MARGIN: f64 = 40.0;

/// A staircase over time.
fn path(points: &[MemoryPoint], span: u64, most: u64, of: fn(&MemoryPoint) -> u64) -> String {
    let x = |at: u64| at as f64 / span.max(1) as f64 * WIDTH;
    let y = |bytes: u64| HEIGHT - bytes as f64 / most.max(1) as f64 * (HEIGHT - MARGIN);
    let mut drawn = String::new();
    for (at, point) in points.iter().enumerate() {
        let step = if at == 0 { "M" } else { "H" };
        let then = if at == 0 { " " } else { "V" };
        drawn += &format!("{step}{:.0}{then}{:.0}", x(point.at_ns), y(of(point)));
    }
    drawn + &format!("H{WIDTH}")
}

#[component]
pub fn Track(lang: Lang, track: MemoryTrack, span: u64) -> impl IntoView {
    let most = track.peak_reserved_bytes.max(track.peak.allocated_bytes);
    let peak = track.peak;
    let size = |bytes: u64| format!("{} ({} B)", units::human_binary(bytes), units::group(bytes));
    let step = track.peak_step.map(|step| format!(" · ProfilerStep#{step}")).unwrap_or_default();
    let (allocated, reserved) = (size(peak.allocated_bytes), size(peak.reserved_bytes));
    let told = match lang {
        Lang::Zh => {
            format!("allocated 峰值 {allocated}，在第 {}{step}；那一刻 reserved {reserved}", time::human(peak.at_ns))
        }
        Lang::En => {
            format!(
                "allocated peaks at {allocated}, after {}{step}; reserved is {reserved} then",
                time::human(peak.at_ns)
            )
        }
    };
    let title = format!("{} {}", track.kind.to_uppercase(), track.device);
    let mark = format!("{:.0}", peak.at_ns as f64 / span.max(1) as f64 * WIDTH);
    let lines = [
        ("line-reserved", "reserved", path(&track.points, span, most, |point| point.reserved_bytes)),
        ("line-allocated", "allocated", path(&track.points, span, most, |point| point.allocated_bytes)),
    ];
    let paths = lines.iter().map(|(class, _, d)| view! { <path class=*class d=d.clone() /> }).collect_view();
    let legend = lines
        .iter()
        .map(|(class, name, _)| {
            view! {
                <li>
                    <svg class="key" viewBox="0 0 40 10" aria-hidden="true">
                        <path class=*class d="M0 5H40" />
                    </svg>
                    {*name}
                </li>
            }
        })
        .collect_view();
    view! {
        <section class="card" aria-label=lang.pick("显存", "Memory")>
            <header>
                <b>{lang.pick("显存计数", "Memory counters")} " · " {title}</b>
                <span>{format!("{} {}", units::group(track.events), lang.pick("个 [memory] 事件", "[memory] events"))}</span>
            </header>
            <div class="body">
                <p data-peak=peak.allocated_bytes.to_string()>{told.clone()}</p>
                <figure class="lines">
                    <div class="plot">
                        <span class="high">{units::human_binary(most)}</span>
                        <span class="low">"0"</span>
                        <svg viewBox="0 0 4000 1280" preserveAspectRatio="none" role="img" aria-label=told>
                            {paths}
                            <line class="mark" x1=mark.clone() x2=mark y1="0" y2="1280" />
                        </svg>
                    </div>
                    <div class="scale">
                        <span>"0"</span>
                        <span>{lang.pick("时间", "time")}</span>
                        <span>{time::human(span)}</span>
                    </div>
                    <ul class="legend">{legend}</ul>
                </figure>
            </div>
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_staircase_stands_until_the_next_event_and_to_the_end() {
        let points = [(0, 0), (50, 8), (75, 4)];
        let points = points.map(|(at_ns, allocated_bytes)| MemoryPoint { at_ns, allocated_bytes, reserved_bytes: 0 });
        let drawn = path(&points, 100, 8, |point| point.allocated_bytes);
        assert_eq!(drawn, "M0 1280H2000V40H3000V660H4000");
    }
}
