//! What a learner's kernel takes of a card, by NVIDIA's compiler: on the page of the kernel and on that of its report.

use evidence::{KernelResources, Lang, LearnerCode, TargetResources};
use ledger::occupancy::Limit;
use leptos::prelude::*;

/// Of a kernel in CUDA C++; nobody compiles another for a card.
#[component]
pub fn Resources(lang: Lang, code: LearnerCode) -> impl IntoView {
    if code.language != "cuda" {
        return ().into_any();
    }
    view! {
        <section class="card kernel-resources" aria-label=lang.pick("在显卡上占用的资源", "What it takes of a card")>
            <header>
                <b>{lang.pick("在显卡上占用的资源", "What it takes of a card")}</b>
                <span>{lang.pick("由编译器给出，没有在 GPU 上运行", "from the compiler; run on no GPU")}</span>
            </header>
            <div class="body">
                {match code.resources {
                    Some(found) => view! { <Found lang found /> }.into_any(),
                    None => view! { <Absent lang /> }.into_any(),
                }}
            </div>
        </section>
    }
    .into_any()
}

/// Whoever runs the machine can change it.
#[component]
fn Absent(lang: Lang) -> impl IntoView {
    view! {
        <p class="hint">
            {lang
                .pick(
                    "运行这个核的机器没有 NVIDIA 编译器（NVRTC），因此不知道寄存器、共享内存和溢出；检查结果不受影响。有了它就能知道，不需要 GPU。运行服务的老师可以安装：",
                    "The machine that ran this kernel has no NVIDIA compiler (NVRTC), so registers, shared memory and spills are not known; the checks are the same without it. It needs no GPU. Whoever runs the runner can install it: ",
                )}
            <code>"pip install --target nvrtc nvidia-cuda-nvrtc-cu12"</code>
            {lang.pick("，再以 ", " and start it with ")}
            <code>"gpu_runner serve --nvrtc nvrtc"</code>
            {lang.pick(" 启动。", ".")}
        </p>
    }
    .into_any()
}

#[component]
fn Found(lang: Lang, found: KernelResources) -> impl IntoView {
    let KernelResources { compiler, block_threads, targets, refused } = found;
    view! {
        {refused
            .map(|why| {
                view! {
                    <p>
                        <span class="badge warn">{lang.pick("✕ 显卡上不能编译", "✕ does not compile for a card")}</span>
                        " "
                        {lang
                            .pick(
                                "它在处理器上编译并检查过；下面是 NVIDIA 编译器的话。",
                                "On the processor it compiled and was checked; this is what NVIDIA's compiler says.",
                            )}
                    </p>
                    <pre class="said" tabindex="0">{why}</pre>
                }
            })}
        {(!targets.is_empty()).then(|| view! { <Table lang targets=targets.clone() /> })}
        <p class="hint">
            {compiler}
            {match lang {
                Lang::Zh => {
                    format!("；每块 {block_threads} 个线程。占用率 = 一个 SM 同时驻留的 warp ÷ 最多能驻留的 warp，按该架构的上限算出，不是测量。")
                }
                Lang::En => {
                    format!(
                        "; {block_threads} threads a block. Occupancy = warps that a multiprocessor holds at once ÷ the most it can hold, counted from the limits of the architecture, not measured.",
                    )
                }
            }}
        </p>
    }
    .into_any()
}

#[component]
fn Table(lang: Lang, targets: Vec<TargetResources>) -> impl IntoView {
    let bytes = |bytes: u64| format!("{bytes} B");
    type Cell = fn(&TargetResources) -> u64;
    let plain: [(&str, Cell, bool); 6] = [
        (lang.pick("寄存器 / 线程", "Registers a thread"), |target| target.registers_per_thread, false),
        (lang.pick("静态共享内存 / 块", "Static shared memory a block"), |target| target.shared_bytes, true),
        (lang.pick("本地内存 / 线程", "Local memory a thread"), |target| target.local_bytes, true),
        (lang.pick("溢出写", "Spill stores"), |target| target.spill_store_bytes, true),
        (lang.pick("溢出读", "Spill loads"), |target| target.spill_load_bytes, true),
        (lang.pick("每块最多线程", "Most threads a block"), |target| target.max_threads_per_block, false),
    ];
    let row = |name: &str, cells: Vec<String>| {
        let cells = cells.into_iter().map(|cell| view! { <td class="n">{cell}</td> }).collect_view();
        view! {
            <tr>
                <th scope="row">{name.to_owned()}</th>
                {cells}
            </tr>
        }
    };
    let each = |cell: &dyn Fn(&TargetResources) -> String| targets.iter().map(cell).collect::<Vec<_>>();
    let plain = plain.map(|(name, cell, is_bytes)| {
        row(name, each(&|target| if is_bytes { bytes(cell(target)) } else { cell(target).to_string() }))
    });
    let held = each(&|target| {
        let (blocks, warps) = (target.blocks_per_multiprocessor, target.warps_per_multiprocessor);
        match lang {
            Lang::Zh => format!("{blocks} 块，{warps} warp"),
            Lang::En => format!("{blocks} blocks, {warps} warps"),
        }
    });
    let share = each(&|target| target.occupancy_percent().map_or("—".to_owned(), |percent| format!("{percent}%")));
    let ends = each(&|target| {
        let names: Vec<&str> = target.limited_by.iter().map(|limit| limit_name(*limit, lang)).collect();
        names.join(lang.pick("、", ", "))
    });
    view! {
        <div class="table" tabindex="0">
        <table>
            <thead>
                <tr>
                    <th scope="col">{lang.pick("编译目标", "Compiled for")}</th>
                    {targets
                        .iter()
                        .map(|target| {
                            view! {
                                <th scope="col" class="n">
                                    {format!("sm_{}", target.capability)}
                                </th>
                            }
                        })
                        .collect_view()}
                </tr>
            </thead>
            <tbody>
                {plain.into_iter().collect_view()} {row(lang.pick("同时驻留 / SM", "Held at once, a SM"), held)}
                {row(lang.pick("占用率", "Occupancy"), share)} {row(lang.pick("受限于", "Limited by"), ends)}
            </tbody>
        </table>
        </div>
    }
    .into_any()
}

fn limit_name(limit: Limit, lang: Lang) -> &'static str {
    match limit {
        Limit::Threads => lang.pick("线程", "threads"),
        Limit::Blocks => lang.pick("块数", "blocks"),
        Limit::Registers => lang.pick("寄存器", "registers"),
        Limit::SharedMemory => lang.pick("共享内存", "shared memory"),
    }
}
