//! What a report measured: times against the roofline, how the device fared, and the memory of each variant over its run.

use std::collections::BTreeMap;

use evidence::{Candidate, Conditions, Event, Lang, MemoryStep, Report, Roofline, Timer};
use ledger::units;
use leptos::prelude::*;

use crate::chart::{Between, areas, objects};
use crate::markup::Markup;
use crate::rows::Rows;
use crate::tools::{Moment, Timeline};
use crate::words;

/// A picture of more steps than a screen has columns says no more, and a report may hold very many.
const DRAWN: usize = 2_000;

/// Nothing where the report measured no operation by time, no memory and no device.
#[component]
pub fn Measured(report: Report, lang: Lang) -> impl IntoView {
    let Report { roofline, conditions, candidates, .. } = report;
    let timed = candidates.iter().any(|candidate| candidate.metrics.time_ms.is_some());
    let traced = candidates.iter().any(|candidate| !candidate.timeline.is_empty());
    (timed || traced || roofline.is_some() || conditions.is_some()).then(|| {
        let timer = candidates.iter().find_map(|candidate| candidate.metrics.timer);
        view! {
            <section class="card measurement" aria-label=lang.pick("测量", "Measurement")>
                <header>
                    <b>{lang.pick("测量", "Measurement")}</b>
                    <span>{timer.map(|timer| clock(timer, lang))}</span>
                </header>
                <div class="body">
                    {timed.then(|| view! { <Times candidates=candidates.clone() lang /> })}
                    {roofline.map(|roofline| view! { <Reach roofline lang /> })}
                    {conditions.map(|conditions| view! { <Fared conditions lang /> })}
                    {traced.then(|| view! { <Memories candidates lang /> })}
                </div>
            </section>
        }
    })
}

fn clock(timer: Timer, lang: Lang) -> &'static str {
    match timer {
        Timer::Host => lang.pick("由主机时钟计时（前后同步）", "timed by the host's clock around synchronised work"),
        Timer::DeviceEvents => lang.pick("由设备事件计时", "timed by events on the device"),
    }
}

#[component]
fn Times(candidates: Vec<Candidate>, lang: Lang) -> impl IntoView {
    let head = [
        ("", lang.pick("实现", "Variant")),
        ("n", lang.pick("中位时间", "Median time")),
        ("n", lang.pick("95% 区间", "95% interval")),
        ("n", lang.pick("样本", "Samples")),
        ("n", lang.pick("应搬运的字节", "Bytes it must move")),
        ("n", lang.pick("达到 roofline", "Of the roofline")),
    ];
    let labels = head.map(|(_, name)| name);
    let rows = candidates
        .into_iter()
        .filter_map(|candidate| {
            let metrics = candidate.metrics;
            let time = metrics.spread.as_ref().map(|spread| spread.median_ms).or(metrics.time_ms)?;
            let interval = metrics.spread.as_ref().and_then(|spread| spread.interval);
            let interval = interval
                .map(|it| format!("{} – {} ms", units::significant(it.low_ms), units::significant(it.high_ms)));
            let samples = metrics.spread.as_ref().map(|spread| units::group(spread.samples));
            let noisy = metrics.spread.as_ref().is_some_and(|spread| spread.noisy);
            let moved = metrics.reached.as_ref().map(|reached| units::human_binary(reached.bytes));
            let share = metrics.reached.as_ref().and_then(|reached| reached.fraction);
            let share = share.map(|share| format!("{} %", units::significant(share * 100.0)));
            let cell = move |at: usize, text: Option<String>| {
                view! { <td class="n" data-label=labels[at]>{text.unwrap_or_else(|| "—".to_owned())}</td> }
            };
            Some(view! {
                <tr>
                    <td>
                        <b><bdi>{candidate.name}</bdi></b>
                        {noisy
                            .then(|| {
                                view! {
                                    " "
                                    <span class="badge warn noisy">{lang.pick("噪声大：仅供参考", "noisy: indicates only")}</span>
                                }
                            })}
                    </td>
                    {cell(1, Some(format!("{} ms", units::significant(time))))}
                    {cell(2, interval)}
                    {cell(3, samples)}
                    {cell(4, moved)}
                    {cell(5, share)}
                </tr>
            })
        })
        .collect_view();
    view! { <Rows class="stacked" head=head.to_vec()>{rows}</Rows> }
}

/// What the device reached in the same run: the two limits that the shares are taken from.
#[component]
fn Reach(roofline: Roofline, lang: Lang) -> impl IntoView {
    let giga = |rate: f64| units::significant(rate / 1e9);
    view! {
        <p class="roofline">
            {lang.pick("同一次运行中测得的 roofline：复制 ", "Roofline measured in the same run: copy ")}
            <b>{format!("{} GB/s", giga(roofline.copy_bytes_per_s))}</b>
            {format!(" ({})", units::human_binary(roofline.copy_bytes))}
            {lang.pick("，32 位乘加 ", ", 32-bit multiply-add ")}
            <b>{format!("{} GFLOP/s", giga(roofline.fma_flops_per_s))}</b>
            {lang.pick("。高于 100 % 表示数据来自缓存，或上限测低了。", ". Above 100 % the data came from a cache, or the limit was measured too low.")}
        </p>
    }
}

#[component]
fn Fared(conditions: Conditions, lang: Lang) -> impl IntoView {
    let steady = conditions.is_steady();
    let held = conditions.held_back_by.join(", ");
    let clock = if conditions.clock_fallen_mhz < conditions.clock_highest_mhz {
        format!("{} → {} MHz", conditions.clock_highest_mhz, conditions.clock_fallen_mhz)
    } else {
        format!("{} MHz", conditions.clock_highest_mhz)
    };
    view! {
        <p class="conditions">
            <span class=if steady { "badge ok" } else { "badge warn" }>
                {if steady {
                    lang.pick("设备稳定", "device steady")
                } else {
                    lang.pick("设备不稳定：时间不宜相互比较", "device not steady: do not compare its times")
                }}
            </span>
            {lang.pick(" 时钟 ", " clock ")} <b>{clock}</b>
            {conditions
                .temperature_highest_c
                .map(|degrees| format!("{}{degrees} °C", lang.pick("，最高温度 ", ", highest temperature ")))}
            {(!held.is_empty()).then(|| view! { {lang.pick("，受限于 ", ", held back by ")} <code>{held}</code> })}
            {format!(" · {} {}", units::group(conditions.samples), lang.pick("次采样", "samples"))}
        </p>
    }
}

#[component]
fn Memories(candidates: Vec<Candidate>, lang: Lang) -> impl IntoView {
    candidates
        .into_iter()
        .filter(|candidate| !candidate.timeline.is_empty())
        .enumerate()
        .map(|(place, candidate)| view! { <Memory candidate open=place == 0 lang /> })
        .collect_view()
}

#[component]
fn Memory(candidate: Candidate, open: bool, lang: Lang) -> impl IntoView {
    let steps = candidate.timeline;
    let count = units::group(steps.len() as u64);
    let reserved = steps.iter().filter_map(|step| step.reserved_bytes).max();
    let used = steps.iter().filter_map(|step| step.device_used_bytes).max();
    let picture = (steps.len() <= DRAWN).then(|| timeline(&steps));
    let label = lang.pick("运行中各对象的显存", "What each object takes through the run");
    view! {
        <details open=open class="memory">
            <summary>
                <bdi>{candidate.name}</bdi>
                {format!(" · {} · {count} {}", lang.pick("测得的显存时间线", "measured timeline of the memory"), lang.pick("步", "steps"))}
            </summary>
            {match picture {
                Some(timeline) => {
                    view! {
                        <figure class="timeline">
                            <div inner_html=Markup::of(|out| areas(out, &timeline, None, Between::Step, label, lang))></div>
                            <figcaption>{lang.pick("峰值时：", "At the peak: ")}</figcaption>
                            <ul class="legend">
                                <AtPeak timeline lang />
                            </ul>
                        </figure>
                    }
                        .into_any()
                }
                None => {
                    view! {
                        <p class="hint">
                            {lang.pick("步数太多，不画出；全部都在原始 JSON 里。", "Too many steps to draw; all of them stand in the raw JSON.")}
                        </p>
                    }
                        .into_any()
                }
            }}
            {(reserved.is_some() || used.is_some())
                .then(|| {
                    let peak = |name: &str, bytes: Option<u64>| {
                        bytes.map(|bytes| format!("{name} {} ", units::human_binary(bytes)))
                    };
                    view! {
                        <p class="hint">
                            {peak(lang.pick("分配器 reserved 峰值", "allocator's reserved peak"), reserved)}
                            {peak(lang.pick("设备已用峰值", "device's used peak"), used)}
                        </p>
                    }
                })}
        </details>
    }
    .into_any()
}

#[component]
fn AtPeak(timeline: Timeline, lang: Lang) -> impl IntoView {
    let parts = timeline.moments.get(timeline.peak).map(|moment| moment.parts.clone()).unwrap_or_default();
    let bytes = |object: &String| parts.iter().find(|(id, _)| id == object).map_or(0, |(_, bytes)| *bytes);
    objects(&timeline)
        .into_iter()
        .map(|object| {
            view! {
                <li>
                    <i class=format!("swatch {}", words::object_class(&object))></i>
                    {words::object(&object, lang)}
                    " "
                    <b>{units::human_binary(bytes(&object))}</b>
                </li>
            }
        })
        .collect_view()
}

/// What is alive after each step. An object freed beyond what it had stays at nothing: the check of the timeline says so.
fn timeline(steps: &[MemoryStep]) -> Timeline {
    let mut alive: BTreeMap<&str, u64> = BTreeMap::new();
    let mut moments = Vec::with_capacity(steps.len());
    let (mut peak, mut most) = (0, 0);
    for (at, step) in steps.iter().enumerate() {
        let bytes = alive.entry(step.object.id()).or_default();
        *bytes = match step.event {
            Event::Allocate => bytes.saturating_add(step.bytes),
            Event::Free => bytes.saturating_sub(step.bytes),
        };
        let total = alive.values().fold(0_u64, |sum, bytes| sum.saturating_add(*bytes));
        if total > most {
            (peak, most) = (at, total);
        }
        moments.push(Moment {
            name: ledger::Text::new(step.part.clone(), step.part.clone()),
            phase: step.phase.id(),
            parts: alive.iter().map(|(object, bytes)| ((*object).to_owned(), *bytes)).collect(),
        });
    }
    Timeline { moments, peak }
}

#[cfg(test)]
mod tests {
    use ledger::Object;

    use super::*;

    #[test]
    fn objects_come_and_go_and_the_peak_is_found() {
        let step = |event, object, bytes| MemoryStep {
            event,
            phase: ledger::Phase::Forward,
            object,
            part: "x".to_owned(),
            bytes,
            allocated_bytes: 0,
            reserved_bytes: None,
            device_used_bytes: None,
        };
        let (take, give) = (Event::Allocate, Event::Free);
        let (weights, scratch) = (Object::Parameter, Object::Temporary);
        let line =
            timeline(&[step(take, weights, 8), step(take, scratch, 4), step(give, scratch, 9), step(take, weights, 1)]);
        assert_eq!(line.peak, 1);
        let alive = |object: Object| line.moments[3].parts.iter().find(|(id, _)| id == object.id());
        assert_eq!(alive(weights).map(|(_, bytes)| *bytes), Some(9));
        assert_eq!(alive(scratch).map(|(_, bytes)| *bytes), Some(0));
        assert_eq!(timeline(&[]).moments.len(), 0);
    }
}
