//! A profiler trace, summed up: the form, and what the trace says.

mod memory;
mod names;
mod tables;
mod time;

use evidence::Lang;
use evidence::trace::{Reading, Trace};
use ledger::units;
use leptos::prelude::*;

/// What was read of a file.
#[derive(Debug, Clone)]
pub struct TraceRead {
    /// The file's name, as the browser sends it.
    pub name: String,
    pub reading: Reading,
}

/// The page; with an answer once a file was sent. Sentences say why there is none.
#[component]
pub fn TracePage(lang: Lang, limit_mib: u64, answer: Option<Result<TraceRead, Vec<String>>>) -> impl IntoView {
    let (problems, read) = match answer {
        None => (Vec::new(), None),
        Some(Err(why)) => (why, None),
        Some(Ok(read)) => (Vec::new(), Some(read)),
    };
    let problem = (!problems.is_empty()).then(|| {
        let lines = problems.into_iter().map(|line| view! { <p>{line}</p> }).collect_view();
        view! { <div class="problem" role="alert">{lines}</div> }
    });
    let answer = read.map(|TraceRead { name, reading }| match reading {
        Reading::Trace(trace) => view! { <Told lang name trace=*trace /> }.into_any(),
        Reading::Tables(tables) => view! { <tables::Tables lang tables /> }.into_any(),
    });
    view! {
        <main id="main" class="wide tool trace">
            <h1>{lang.pick("Profiler trace 读数", "Reading a profiler trace")}</h1>
            <p class="lead">
                {lang
                    .pick(
                        "实验 74 的 trace 里有什么：时间花在哪一类，GPU 忙了多久，拷贝有没有藏在计算后面，显存峰值在哪一刻，profiler 自己占了多少。",
                        "What lab 74's trace holds: which kind of work took the time, how busy the GPU was, whether copies hide behind kernels, when memory peaked, and what the profiler itself cost.",
                    )}
            </p>
            {problem}
            <TraceForm lang limit_mib />
            {answer}
        </main>
    }
    .into_any()
}

#[component]
fn TraceForm(lang: Lang, limit_mib: u64) -> impl IntoView {
    let limit = match lang {
        Lang::Zh => format!(
            "export_chrome_trace 的 .json 或 .json.gz，至多 {limit_mib} MiB（解压后至多 2 GiB）；也收 74 的 profile 报告。服务器边收边读，读完就丢；几百 MiB 要等浏览器传完，再加几秒。更大的文件用 vramlab trace。"
        ),
        Lang::En => format!(
            "The .json or .json.gz of export_chrome_trace, {limit_mib} MiB at most (2 GiB unpacked), or a profile report of lab 74. The server reads while it receives and keeps nothing; some hundred MiB take as long as the browser sends them and a few seconds more. Larger files: vramlab trace."
        ),
    };
    view! {
        <form class="card" method="post" enctype="multipart/form-data" action=format!("/{}/tools/trace", lang.code())>
            <div class="body">
                <p class="row-form">
                    <label>
                        {lang.pick("trace 文件", "A trace file")}
                        <input type="file" name="file" accept=".json,.gz,.txt,application/json,application/gzip" />
                    </label>
                    <button class="button" type="submit">
                        {lang.pick("读取", "Read it")}
                    </button>
                </p>
                <p class="hint">{limit}</p>
                <details>
                    <summary>{lang.pick("或者粘贴 key_averages().table() 的文本", "or paste the text of key_averages().table()")}</summary>
                    <textarea
                        name="text"
                        rows="8"
                        spellcheck="false"
                        aria-label=lang.pick("算子表", "The operator table")
                    ></textarea>
                </details>
            </div>
        </form>
    }
    .into_any()
}

#[component]
fn Told(lang: Lang, name: String, trace: Trace) -> impl IntoView {
    let packed = if trace.compressed { lang.pick("（gzip）", " (gzip)") } else { "" };
    let (events, size) = (units::group(trace.events), units::human_binary(trace.bytes));
    let facts = match lang {
        Lang::Zh => format!("{size}{packed} · {events} 个事件 · 时间跨度 {}", time::human(trace.span_ns)),
        Lang::En => format!("{size}{packed} · {events} events · spans {}", time::human(trace.span_ns)),
    };
    let devices = trace.device_names.iter().map(|device| format!("GPU {}: {}", device.id, device.name));
    let devices = devices.collect::<Vec<_>>().join(" · ");
    let left_out = trace.first_left_out.as_ref().map(|first| {
        let count = units::group(trace.left_out);
        let text = match lang {
            Lang::Zh => format!(
                "{count} 个事件无法使用，已略去；第一个在第 {} 字节：{} 应为 {}，实为 {}",
                first.offset, first.field, first.expected, first.found
            ),
            Lang::En => format!(
                "{count} events could not be used and are left out; the first at byte {}: {} expected {}, found {}",
                first.offset, first.field, first.expected, first.found
            ),
        };
        view! { <p class="problem">{text}</p> }
    });
    let copies = trace.copies.clone();
    view! {
        <section class="card" aria-label=lang.pick("概览", "Overview")>
            <header>
                <b>{if name.is_empty() { "trace".to_owned() } else { name }}</b>
                <span>{facts}</span>
            </header>
            <div class="body">
                {(!devices.is_empty()).then(|| view! { <p class="hint">{devices}</p> })} {left_out}
                <time::Devices lang devices=trace.devices.clone() />
                <time::Categories lang categories=trace.categories.clone() />
            </div>
        </section>
        <time::Steps lang steps=trace.steps.clone() overhead=trace.overhead />
        {trace.memory.iter().map(|track| view! { <memory::Track lang track=track.clone() span=trace.span_ns /> }).collect_view()}
        <names::Names lang title=lang.pick("主机侧调用（按自身时间）", "Calls of the host, by self time") names=trace.operators.clone() />
        <names::Names lang title=lang.pick("Kernel（按时间）", "Kernels, by time") names=trace.kernels.clone() />
        <names::Names lang title=lang.pick("拷贝与填充（按时间）", "Copies and fills, by time") names=copies />
        {trace
            .names_merged
            .then(|| {
                view! {
                    <p class="hint">
                        {lang.pick("名字太多，超出的合并为 …", "There are too many names; those beyond the bound are summed up as …")}
                    </p>
                }
            })}
    }
    .into_any()
}
