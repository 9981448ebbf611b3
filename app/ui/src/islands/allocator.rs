//! The caching allocator, step by step: segments and blocks drawn to scale, counters over time.

use evidence::Lang;
use ledger::allocator::{BlockView, Operation, SegmentView, Step, Use};
use ledger::units;
use leptos::either::Either;
use leptos::prelude::*;

use super::inputs::{Choice, Number};
use super::share::{Share, keep_in_url};
use crate::chart::Curve;
use crate::html;
use crate::state::allocator::{DIVISIONS, MIB, PERCENT};
use crate::state::{self, AllocatorState};

/// A script and settings → the memory after each operation.
#[island]
pub fn AllocatorStory(state: AllocatorState, lang: Lang) -> impl IntoView {
    let script = RwSignal::new(state.script.clone());
    let capacity = RwSignal::new(state.capacity_mib);
    let max_split = RwSignal::new(state.max_split_mib);
    let divisions = RwSignal::new(state.divisions);
    let collection = RwSignal::new(state.gc_percent);
    let expandable = RwSignal::new(if state.expandable { "on" } else { "off" }.to_owned());
    let step = RwSignal::new(state.step);
    let problems = state.problems.iter().map(|problem| problem.text(lang)).collect::<Vec<_>>();
    let typed = script.get_untracked();
    let told = Memo::new(move |_| AllocatorState {
        script: script.get(),
        capacity_mib: capacity.get(),
        max_split_mib: max_split.get(),
        divisions: divisions.get(),
        gc_percent: collection.get(),
        expandable: expandable.get() == "on",
        step: 1,
        problems: Vec::new(),
    });
    // The whole script runs again only when it or a setting changes, not at every step of the hand.
    let steps = Memo::new(move |_| told.get().evaluate().map_err(|why| state::pick(&why, lang)));
    let count = move || steps.with(|steps| steps.as_ref().map_or(0, |steps| steps.len() as u64));
    let address = Memo::new(move |_| {
        let now = AllocatorState { step: step.get(), ..told.get() };
        format!("/{}/tools/allocator{}", lang.code(), state::query(&now.pairs()))
    });
    keep_in_url(address);
    let turn = move |by: i64| step.set(step.get_untracked().saturating_add_signed(by).clamp(1, count().max(1)));
    let on_off = vec![
        ("off".to_owned(), lang.pick("关", "Off").to_owned()),
        ("on".to_owned(), lang.pick("开", "On").to_owned()),
    ];
    view! {
        <section
            class="card ledger story"
            aria-label=lang.pick("缓存分配器", "Caching allocator")
            on:keydown=move |event| {
                // Inside a field the arrows move the cursor.
                if event.target().is_some_and(|target| super::browser::is_field(&target)) {
                    return;
                }
                match event.key().as_str() {
                    "ArrowLeft" => turn(-1),
                    "ArrowRight" => turn(1),
                    _ => {}
                }
            }
        >
            <header>
                <b>{lang.pick("缓存分配器", "Caching allocator")}</b>
                <span>{lang.pick("按 PyTorch 的规则模拟", "simulated by PyTorch's rules")}</span>
                <Share address lang />
            </header>
            <form class="body" method="get" action=format!("/{}/tools/allocator", lang.code())>
                {problems.into_iter().map(|text| view! { <p class="problem" role="alert">{text}</p> }).collect_view()}
                <div class="fields">
                    <label class="script">
                        <span>
                            {lang
                                .pick(
                                    "脚本：alloc 名字 大小，free 名字，later 名字，empty",
                                    "Script: alloc NAME SIZE, free NAME, later NAME, empty",
                                )}
                        </span>
                        <textarea
                            name="script"
                            rows="9"
                            spellcheck="false"
                            prop:value=move || script.get()
                            on:input=move |event| script.set(event_target_value(&event))
                            inner_html=html::textarea(&typed)
                        ></textarea>
                    </label>
                    <Number
                        name="capacity_mib"
                        label=lang.pick("显存 MiB（0 = 无限）", "Device memory in MiB (0: no end)")
                        value=capacity
                        slider=(16, 4096)
                        bounds=MIB
                    />
                    <Number
                        name="max_split_mib"
                        label=lang.pick("max_split_size_mb（0 = 不限）", "max_split_size_mb (0: none)")
                        value=max_split
                        slider=(1, 512)
                        bounds=MIB
                    />
                    <Number
                        name="divisions"
                        label=lang.pick("roundup_power2_divisions（0 = 关）", "roundup_power2_divisions (0: off)")
                        value=divisions
                        slider=(1, 32)
                        bounds=DIVISIONS
                    />
                    <Number
                        name="gc_percent"
                        label=lang.pick("回收阈值 %（0 = 关）", "Collection threshold in percent (0: off)")
                        value=collection
                        slider=(1, 100)
                        bounds=PERCENT
                    />
                    <Choice
                        name="expandable"
                        label=lang.pick("expandable_segments", "expandable_segments")
                        options=on_off
                        value=expandable
                    />
                    <label class="number">
                        <span>{lang.pick("第几步（← →）", "Step (← →)")}</span>
                        <span class="row">
                            <button type="button" class="button quiet js-only" on:click=move |_| turn(-1)>
                                "←"
                            </button>
                            <input
                                type="number"
                                name="step"
                                min="1"
                                max=move || count().to_string()
                                value=step.get_untracked().to_string()
                                prop:value=move || step.get().to_string()
                                on:change=move |event| {
                                    if let Ok(number) = event_target_value(&event).trim().parse::<u64>() {
                                        step.set(number.clamp(1, count().max(1)));
                                    }
                                }
                            />
                            <button type="button" class="button quiet js-only" on:click=move |_| turn(1)>
                                "→"
                            </button>
                        </span>
                    </label>
                    <button class="button no-js" type="submit">{lang.pick("计算", "Compute")}</button>
                </div>
                {move || match steps.get() {
                    Ok(steps) => Either::Left(view! { <Moment steps at=step.get() lang /> }),
                    Err(why) => Either::Right(view! { <p class="problem" role="alert">{why}</p> }),
                }}
            </form>
        </section>
    }
}

/// What an operation was, in words.
fn told(step: &Step, lang: Lang) -> String {
    let asked = match &step.operation {
        Operation::Allocate { name, size, stream: 0 } => format!("alloc {name} {}", units::human_binary(*size)),
        Operation::Allocate { name, size, stream } => {
            format!("alloc {name} {} stream {stream}", units::human_binary(*size))
        }
        Operation::Free { name } => format!("free {name}"),
        Operation::FreeLater { name } => format!("later {name}"),
        Operation::EmptyCache => "empty".to_owned(),
    };
    let mut parts = vec![asked];
    let outcome = &step.outcome;
    if outcome.rounded > 0 {
        parts.push(format!("{} {}", lang.pick("取整为", "rounded to"), units::human_binary(outcome.rounded)));
    }
    if outcome.from_driver > 0 {
        parts.push(format!(
            "{} {}",
            lang.pick("向驱动要了", "from the driver"),
            units::human_binary(outcome.from_driver)
        ));
    }
    if outcome.to_driver > 0 {
        parts.push(format!(
            "{} {}",
            lang.pick("还给驱动", "back to the driver"),
            units::human_binary(outcome.to_driver)
        ));
    }
    if outcome.retried {
        parts.push(lang.pick("先清空缓存再试", "cache emptied, tried again").to_owned());
    }
    if outcome.out_of_memory {
        parts.push(lang.pick("显存不足", "out of memory").to_owned());
    }
    parts.join(" · ")
}

#[component]
fn Moment(steps: Vec<Step>, at: u64, lang: Lang) -> impl IntoView {
    let last = steps.len().saturating_sub(1);
    let at = usize::try_from(at.saturating_sub(1)).unwrap_or(last).min(last);
    let Some(step) = steps.get(at) else {
        return view! { <p class="empty">{lang.pick("脚本是空的。", "The script is empty.")}</p> }.into_any();
    };
    let stats = step.after.stats;
    let number = |zh: &'static str, en: &'static str, bytes: u64| {
        view! {
            <span>
                <small>{lang.pick(zh, en)} " "</small>
                <strong>{units::human_binary(bytes)}</strong>
            </span>
        }
    };
    let widest = step.after.segments.iter().map(|segment| segment.size).max().unwrap_or(1);
    let segments = step
        .after
        .segments
        .iter()
        .map(|segment| view! { <Segment segment=segment.clone() widest lang /> })
        .collect_view();
    let over_time = |of: fn(&Step) -> u64| {
        steps
            .iter()
            .enumerate()
            .map(|(at, step)| (at as f64 + 1.0, of(step) as f64 / units::MIB as f64))
            .collect::<Vec<_>>()
    };
    let along = lang.pick("步", "Step").to_owned();
    view! {
        <p class="ask" aria-live="polite">
            {format!("{} / {}: {}", at + 1, steps.len(), told(step, lang))}
        </p>
        <output class="answer">
            {number("已分配", "Allocated", stats.allocated)} {number("已保留", "Reserved", stats.reserved)}
            {number("分裂的空闲块", "Inactive split", stats.inactive_split)}
            {number("峰值保留", "Peak reserved", stats.peak_reserved)}
        </output>
        <div class="segments">{segments}</div>
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
        <Curve name=lang.pick("已保留（MiB）", "Reserved (MiB)").to_owned() along=along.clone() points=over_time(|step| step.after.stats.reserved) />
        <Curve name=lang.pick("已分配（MiB）", "Allocated (MiB)").to_owned() along points=over_time(|step| step.after.stats.allocated) />
    }
    .into_any()
}

/// Width of the drawing of the widest segment.
const WIDTH: u64 = 100_000;

fn across(bytes: u64, widest: u64) -> u64 {
    u64::try_from(u128::from(bytes) * u128::from(WIDTH) / u128::from(widest.max(1))).unwrap_or(WIDTH)
}

fn class(used: Use) -> &'static str {
    match used {
        Use::Allocated => "o-activation",
        Use::AwaitingFree => "o-optimizer-temporary",
        Use::Free => "o-free",
        Use::Unmapped => "unmapped",
    }
}

#[component]
fn Segment(segment: SegmentView, widest: u64, lang: Lang) -> impl IntoView {
    let words = |block: &BlockView| {
        let state = match block.used {
            Use::Allocated => block.name.clone().unwrap_or_default(),
            Use::AwaitingFree => lang.pick("等待释放", "awaiting free").to_owned(),
            Use::Free => lang.pick("空闲", "free").to_owned(),
            Use::Unmapped => lang.pick("未映射", "unmapped").to_owned(),
        };
        format!("{state} {}", units::human_binary(block.size))
    };
    let pool = if segment.small { lang.pick("小池", "small pool") } else { lang.pick("大池", "large pool") };
    let label = format!("{pool}, {}", units::human_binary(segment.size));
    let list = segment.blocks.iter().map(words).collect::<Vec<_>>().join(" · ");
    let rects = segment
        .blocks
        .iter()
        .map(|block| {
            let x = across(block.address - segment.address, widest);
            let width = across(block.size, widest).saturating_sub(150).max(80);
            view! {
                <rect class=class(block.used) x=x.to_string() width=width.to_string() y="2" height="36">
                    <title>{words(block)}</title>
                </rect>
            }
        })
        .collect_view();
    view! {
        <div class="segment">
            <span class="name">{label.clone()}</span>
            <svg viewBox="0 0 100000 40" preserveAspectRatio="none" role="img" aria-label=format!("{label}: {list}")>
                {rects}
            </svg>
            <span class="blocks">{list}</span>
        </div>
    }
    .into_any()
}
