//! The caching allocator, step by step: a script or a real trace, under its own settings and under others.

mod segments;
mod telling;

use std::sync::Arc;

use evidence::Lang;
use ledger::{Text, units};
use leptos::prelude::*;

use super::browser::{self, FileRead};
use super::inputs::{Choice, Number};
use super::share::{CopyTables, Share, keep_in_url};
use super::steps::{Steps, turn};
use crate::html;
use crate::state::allocator::{DIVISIONS, MIB, PERCENT};
use crate::state::tale::{self, Run, Trace};
use crate::state::{self, AllocatorState};

pub use telling::{Telling, Told};

/// Names of the two runs, as the form says which one is drawn.
fn drawn_options(lang: Lang) -> Vec<(String, String)> {
    vec![
        ("again".to_owned(), lang.pick("这些设置", "These settings").to_owned()),
        ("first".to_owned(), lang.pick("记录 / 默认", "As recorded / defaults").to_owned()),
    ]
}

/// A script or a snapshot, and settings → the memory after each operation.
#[island]
pub fn AllocatorStory(
    state: AllocatorState,
    lang: Lang,
    /// Inside a lesson: the page's own address stays as it is.
    embedded: bool,
) -> impl IntoView {
    let script = RwSignal::new(state.script.clone());
    let capacity = RwSignal::new(state.capacity_mib);
    let max_split = RwSignal::new(state.max_split_mib);
    let divisions = RwSignal::new(state.divisions);
    let collection = RwSignal::new(state.gc_percent);
    let on_off = |on: bool| if on { "on" } else { "off" }.to_owned();
    let expandable = RwSignal::new(on_off(state.expandable));
    let drawn = RwSignal::new(if state.first { "first" } else { "again" }.to_owned());
    let step = RwSignal::new(state.step);
    let trace = RwSignal::new(None::<Trace>);
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
        first: drawn.get() == "first",
        problems: Vec::new(),
    });
    // A run is told again only when its operations or its settings change, not at every step of the hand.
    let share = move |run: Result<Run, Text>| run.map(|run| Told(Arc::new(run))).map_err(|why| state::pick(&why, lang));
    let first = Memo::new(move |_| share(trace.with(|trace| Run::first(&script.get(), trace.as_ref()))));
    let under = Memo::new(move |_| AllocatorState { first: false, ..told.get() });
    let again = Memo::new(move |_| share(trace.with(|trace| under.with(|state| Run::again(state, trace.as_ref())))));
    let count = Signal::derive(move || again.with(|run| run.as_ref().map_or(0, |run| run.0.count())));
    let address = Memo::new(move |_| {
        // A link brings no snapshot, so its step would mean nothing.
        let at = if trace.with(Option::is_some) { 1 } else { step.get() };
        let now = AllocatorState { step: at, ..told.get() };
        format!("/{}/tools/allocator{}", lang.code(), state::query(&now.pairs()))
    });
    if !embedded {
        keep_in_url(address);
    }
    let show = move |form: AllocatorState| {
        capacity.set(form.capacity_mib);
        max_split.set(form.max_split_mib);
        divisions.set(form.divisions);
        collection.set(form.gc_percent);
        expandable.set(on_off(form.expandable));
        step.set(1);
    };
    let off_on = vec![
        ("off".to_owned(), lang.pick("关", "Off").to_owned()),
        ("on".to_owned(), lang.pick("开", "On").to_owned()),
    ];
    view! {
        <section
            class="card ledger story"
            aria-label=lang.pick("缓存分配器", "Caching allocator")
            on:keydown=move |event| turn(&event, step, count.get_untracked())
        >
            <header>
                <b>{lang.pick("缓存分配器", "Caching allocator")}</b>
                <span>{lang.pick("按 PyTorch 的规则模拟", "simulated by PyTorch's rules")}</span>
                <Share address lang />
            </header>
            <form class="body" method="get" action=format!("/{}/tools/allocator", lang.code())>
                {problems.into_iter().map(|text| view! { <p class="problem" role="alert">{text}</p> }).collect_view()}
                <Load trace show=Callback::new(show) lang />
                <div class="fields">
                    <label class="script" hidden=move || trace.with(Option::is_some)>
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
                    <Choice name="expandable" label="expandable_segments" options=off_on value=expandable />
                    <Number
                        name="capacity_mib"
                        label=lang.pick("显存 MiB（0 = 无限）", "Device memory in MiB (0: no end)")
                        value=capacity
                        slider=(16, 131_072)
                        bounds=MIB
                    />
                    <Number
                        name="gc_percent"
                        label=lang.pick("回收阈值 %（0 = 关）", "Collection threshold in percent (0: off)")
                        value=collection
                        slider=(1, 100)
                        bounds=PERCENT
                    />
                    <Choice
                        name="drawn"
                        label=lang.pick("画哪一次运行", "Which run is drawn")
                        options=drawn_options(lang)
                        value=drawn
                    />
                    <button class="button no-js" type="submit">{lang.pick("计算", "Compute")}</button>
                </div>
                <Steps step count lang />
                <Telling first again step drawn=Signal::derive(move || drawn.get() == "first") lang />
            </form>
            <footer class="js-only">
                <CopyTables lang />
            </footer>
        </section>
    }
}

/// Chooses or drops a snapshot, which stays in the browser, and goes back to the script.
#[component]
fn Load(trace: RwSignal<Option<Trace>>, show: Callback<AllocatorState>, lang: Lang) -> impl IntoView {
    let problem = RwSignal::new(None::<String>);
    let over = RwSignal::new(false);
    let loaded = move |file: FileRead| {
        let read = match file.content {
            Ok(bytes) => Trace::read(file.name, &bytes),
            Err(size) => Err(tale::unreadable(size)),
        };
        match read {
            Ok(read) => {
                problem.set(None);
                show.run(AllocatorState::showing(&read.snapshot.settings));
                trace.set(Some(read));
            }
            Err(why) => problem.set(Some(state::pick(&why, lang))),
        }
    };
    let about = move || {
        trace.get().map(|now| {
            let devices = now.devices();
            let choice = (devices.len() > 1).then(|| {
                let options = devices
                    .into_iter()
                    .map(|device| view! { <option value=device.to_string() selected=device == now.device>{device.to_string()}</option> })
                    .collect_view();
                view! {
                    <label>
                        {lang.pick("设备 ", "Device ")}
                        <select
                            aria-label=lang.pick("设备", "Device")
                            on:change=move |event| {
                                if let Ok(device) = event_target_value(&event).parse() {
                                    trace.update(|trace| trace.iter_mut().for_each(|trace| trace.device = device));
                                }
                            }
                        >
                            {options}
                        </select>
                    </label>
                }
            });
            let (events, left_out) = (now.snapshot.traces.get(now.device).map_or(0, Vec::len) as u64, now.left_out());
            let left_out = (left_out > 0).then(|| {
                let count = units::group(left_out);
                match lang {
                    Lang::Zh => format!("，前 {count} 个略去"),
                    Lang::En => format!(", the first {count} left out"),
                }
            });
            let words = match lang {
                Lang::Zh => format!("{} 个事件", units::group(events)),
                Lang::En => format!("{} events", units::group(events)),
            };
            view! {
                <p class="loaded">
                    <b>{now.name}</b>
                    " · "
                    {words}
                    {left_out}
                    " "
                    {choice}
                    <button
                        type="button"
                        class="button quiet"
                        on:click=move |_| {
                            trace.set(None);
                            show.run(AllocatorState::from_pairs(&[]));
                        }
                    >
                        {lang.pick("回到脚本", "Back to the script")}
                    </button>
                </p>
            }
        })
    };
    view! {
        <div
            class=move || if over.get() { "drop js-only over" } else { "drop js-only" }
            on:dragover=move |event| {
                event.prevent_default();
                over.set(true);
            }
            on:dragleave=move |_| over.set(false)
            on:drop=move |event| {
                event.prevent_default();
                over.set(false);
                browser::dropped_bytes(&event, tale::MAX_FILE as f64, loaded);
            }
        >
            <label class="snapshot">
                <span>
                    {lang
                        .pick(
                            "真实快照：选择或拖入 torch.cuda.memory._dump_snapshot 的 pickle（≤ 64 MiB）。文件只在本机读取，不上传；链接里只有设置。",
                            "A real snapshot: choose or drop a pickle of torch.cuda.memory._dump_snapshot (64 MiB at most). It is read here and not sent; a link holds the settings only.",
                        )}
                </span>
                <input
                    type="file"
                    accept=".pickle,.pkl"
                    on:change=move |event| browser::chosen_bytes(&event, tale::MAX_FILE as f64, loaded)
                />
            </label>
            {about}
            {move || problem.get().map(|text| view! { <p class="problem" role="alert">{text}</p> })}
        </div>
    }
    .into_any()
}
