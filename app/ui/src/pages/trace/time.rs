//! Where the time went: by device, by category, by step, and what the profiler cost.

use evidence::Lang;
use evidence::trace::{Category, CategoryTime, DeviceTime, Overhead, StepTime, share};
use ledger::units;
use leptos::prelude::*;

/// Steps that are listed; of more the first and the last matter least.
const LISTED: usize = 50;

/// A time as it is read at a glance.
pub fn human(ns: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "µs")];
    match UNITS.into_iter().find(|(unit, _)| ns >= *unit) {
        Some((unit, name)) => format!("{} {name}", units::decimal(ns, unit, 3)),
        None => format!("{ns} ns"),
    }
}

pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

pub fn category(category: Category, lang: Lang) -> &'static str {
    match category {
        Category::Kernel => lang.pick("GPU kernel", "GPU kernels"),
        Category::Memcpy => lang.pick("GPU 拷贝 memcpy", "GPU copies (memcpy)"),
        Category::Memset => lang.pick("GPU 填充 memset", "GPU fills (memset)"),
        Category::CpuOp => lang.pick("CPU 算子", "CPU operators"),
        Category::Runtime => lang.pick("CUDA runtime 调用", "CUDA runtime calls"),
        Category::Annotation => lang.pick("标注（step、optimizer…）", "annotations (steps, optimizer …)"),
        Category::GpuAnnotation => lang.pick("标注在 GPU 上的投影", "annotations as seen on the GPU"),
        Category::PythonFunction => lang.pick("Python 函数", "Python functions"),
        Category::Overhead => lang.pick("profiler 自报开销", "overhead the profiler reports"),
        Category::Other => lang.pick("其他", "other"),
    }
}

/// A bar, its name, and the number in words.
#[component]
fn Bar(label: String, part: f64, text: String, device: bool) -> impl IntoView {
    // What is there is seen; what is not there is not.
    let width = if part > 0.0 { (part * 1000.0).clamp(2.0, 1000.0) } else { 0.0 };
    let width = format!("{width:.1}");
    view! {
        <div class="bar-row">
            <span class="bar-label">{label}</span>
            <svg class="bar-line" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
                <rect class=if device { "time device" } else { "time" } width=width height="20" />
            </svg>
            <span class="n">{text}</span>
        </div>
    }
    .into_any()
}

#[component]
pub fn Devices(lang: Lang, devices: Vec<DeviceTime>) -> impl IntoView {
    if devices.is_empty() {
        let text = lang.pick(
            "trace 里没有 GPU 事件：只录了 CPU（activities 没有 CUDA），或没有可用的 CUPTI。",
            "No events of a GPU: only the CPU was recorded (activities without CUDA), or there was no CUPTI.",
        );
        return view! { <p class="problem">{text}</p> }.into_any();
    }
    devices
        .into_iter()
        .map(|device| {
            let (busy, window) = (human(device.busy_ns), human(device.window_ns));
            let name = format!("GPU {}", device.device);
            let told = match lang {
                Lang::Zh => format!("忙 {busy}，共 {window}"),
                Lang::En => format!("busy for {busy} of {window}"),
            };
            let overlap = match (lang, device.copy_ns) {
                (Lang::Zh, 0) => "没有拷贝".to_owned(),
                (Lang::En, 0) => "no copies".to_owned(),
                (Lang::Zh, copies) => format!(
                    "拷贝 {}，其中 {} 与 kernel 同时进行，露在外面 {}",
                    human(copies),
                    human(device.overlap_ns),
                    human(copies.saturating_sub(device.overlap_ns))
                ),
                (Lang::En, copies) => format!(
                    "copies for {}, {} of it beside kernels, {} exposed",
                    human(copies),
                    human(device.overlap_ns),
                    human(copies.saturating_sub(device.overlap_ns))
                ),
            };
            view! {
                <div class="answer" data-device=device.device.to_string()>
                    <span>
                        <small>{name} " "</small>
                        <strong class="busy">{percent(device.busy_share())}</strong>
                        <small>" " {told}</small>
                    </span>
                    <span>
                        <small>{lang.pick("拷贝被掩盖 ", "copies hidden ")}</small>
                        <strong class="hidden-share">{percent(device.hidden_share())}</strong>
                        <small>" " {overlap}</small>
                    </span>
                </div>
            }
        })
        .collect_view()
        .into_any()
}

#[component]
pub fn Categories(lang: Lang, mut categories: Vec<CategoryTime>) -> impl IntoView {
    let counted = |time: &CategoryTime| time.once_ns.unwrap_or(time.sum_ns);
    categories.sort_by_key(|time| std::cmp::Reverse((time.once_ns.is_some(), counted(time))));
    let most = categories.iter().map(counted).max().unwrap_or(0);
    let rows = categories
        .into_iter()
        .map(|time| {
            let events = units::group(time.events);
            let text = match (lang, time.once_ns) {
                (Lang::Zh, Some(_)) => format!("{} · {events} 次", human(counted(&time))),
                (Lang::En, Some(_)) => format!("{} · {events} events", human(counted(&time))),
                (Lang::Zh, None) => format!("Σ {} · {events} 次", human(time.sum_ns)),
                (Lang::En, None) => format!("Σ {} · {events} events", human(time.sum_ns)),
            };
            let label = category(time.category, lang).to_owned();
            view! { <Bar label part=share(counted(&time), most) text device=time.category.is_device() /> }
        })
        .collect_view();
    view! {
        <figure class="bars" aria-label=lang.pick("按类别的时间", "Time by category")>
            <div class="bar-rows">{rows}</div>
            <figcaption>
                {lang
                    .pick(
                        "每一刻只计一次：GPU 上是各设备区间的并集，主机上是每个线程最内层的调用。Σ 是时长之和，与别的类别重复。",
                        "Every moment counts once: on a GPU the union of its intervals, on the host the innermost call of each thread. Σ adds durations up and repeats other categories' time.",
                    )}
            </figcaption>
        </figure>
    }
    .into_any()
}

#[component]
pub fn Steps(lang: Lang, steps: Vec<StepTime>, overhead: Option<Overhead>) -> impl IntoView {
    let Some(overhead) = overhead else {
        let text = lang.pick(
            "没有 ProfilerStep：循环里没有调用 prof.step()，因此无法分步，也无法估计 profiler 的占比。",
            "There is no ProfilerStep: prof.step() was not called in the loop, so there are no steps, and no share of the profiler.",
        );
        return view! { <p class="hint">{text}</p> }.into_any();
    };
    let more = steps.len().saturating_sub(LISTED);
    let rows = steps
        .into_iter()
        .take(LISTED)
        .map(|step| {
            view! {
                <tr>
                    <th scope="row">{step.number.to_string()}</th>
                    <td class="n">{human(step.duration_ns)}</td>
                    <td class="n">{percent(share(step.device_busy_ns, step.duration_ns))}</td>
                    <td class="n">{step.gap_ns.map_or_else(|| "–".to_owned(), human)}</td>
                </tr>
            }
        })
        .collect_view();
    let costs = [
        (
            lang.pick("step 之间的间隙（prof.step() 与回调）", "gaps between steps (prof.step() and its handler)"),
            overhead.gaps_ns,
        ),
        (
            lang.pick("profiler 自报开销（缓冲、队列满）", "overhead the profiler reports (buffers, full queues)"),
            overhead.reported_ns,
        ),
        (lang.pick("带 profiler 名字的事件", "events with the profiler's name"), overhead.profiler_ns),
        (lang.pick("step 内的 cudaDeviceSynchronize", "cudaDeviceSynchronize inside steps"), overhead.synchronize_ns),
        (lang.pick("step 内导出 trace", "writing the trace inside steps"), overhead.export_ns),
    ];
    let costs = costs
        .into_iter()
        .map(|(label, ns)| {
            let part = share(ns, overhead.window_ns);
            view! { <Bar label=label.to_owned() part text=format!("{} · {}", human(ns), percent(part)) device=false /> }
        })
        .collect_view();
    let told = match lang {
        Lang::Zh => format!(
            "至多 {} 可能来自 profiler：{} / {}",
            percent(overhead.share()),
            human(overhead.once_ns),
            human(overhead.window_ns)
        ),
        Lang::En => format!(
            "at most {} may be the profiler's: {} of {}",
            percent(overhead.share()),
            human(overhead.once_ns),
            human(overhead.window_ns)
        ),
    };
    view! {
        <section class="card" aria-label=lang.pick("步", "Steps")>
            <header>
                <b>{lang.pick("步与 profiler 的占比", "Steps, and the profiler's share")}</b>
                <span data-overhead=format!("{:.6}", overhead.share())>{told}</span>
            </header>
            <div class="body">
                <div class="table" tabindex="0">
                    <table>
                        <thead>
                            <tr>
                                <th scope="col">ProfilerStep</th>
                                <th scope="col" class="n">{lang.pick("时长", "duration")}</th>
                                <th scope="col" class="n">{lang.pick("GPU 忙", "GPU busy")}</th>
                                <th scope="col" class="n">{lang.pick("到下一步", "to the next")}</th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
                {(more > 0).then(|| view! { <p class="hint">{format!("+ {more}")}</p> })}
                <div class="bar-rows">{costs}</div>
                <p class="hint">
                    {lang
                        .pick(
                            "这些行会重叠，合计只算一次。cudaDeviceSynchronize 也可能是脚本自己的 torch.cuda.synchronize()。profiler 下的时间不与不带 profiler 的时间比较。",
                            "The rows overlap and the total counts time once. cudaDeviceSynchronize may be the script's own torch.cuda.synchronize(). Times under the profiler are never put beside times without it.",
                        )}
                </p>
            </div>
        </section>
    }
    .into_any()
}
