//! Operator tables: what `key_averages().table()` printed, sorted by the time that matters.

use evidence::Lang;
use evidence::trace::{OperatorRow, ProfiledTable};
use ledger::units;
use leptos::prelude::*;

use super::time;

/// Rows that are listed.
const LISTED: usize = 40;

#[component]
pub fn Tables(lang: Lang, tables: Vec<ProfiledTable>) -> impl IntoView {
    tables.into_iter().map(|table| view! { <One lang table /> }).collect_view().into_any()
}

#[component]
fn One(lang: Lang, table: ProfiledTable) -> impl IntoView {
    let title = match table.name.as_str() {
        "" => lang.pick("算子表", "Operator table").to_owned(),
        name => format!("{} · {name}", lang.pick("算子表", "Operator table")),
    };
    let totals = [("CPU", table.table.self_cpu_total_ns), ("GPU", table.table.self_device_total_ns)];
    let totals = totals.into_iter().filter_map(|(name, ns)| Some(format!("Σ self {name} {}", time::human(ns?))));
    let totals = totals.collect::<Vec<_>>().join(" · ");
    let outside = table.outside_share().zip(table.step_time_ms).zip(table.step_ns()).map(|((outside, timed), step)| {
        let (inside, outside) = (time::human(step), time::percent(outside));
        match lang {
            Lang::Zh => format!(
                "脚本计时每步 {timed} ms，ProfilerStep* 平均只有 {inside}：{outside} 的时间在 step 之外，即停止 profiler 和导出 trace。"
            ),
            Lang::En => format!(
                "The script timed {timed} ms a step, and ProfilerStep* takes {inside}: {outside} of the time lies outside of the steps, where the profiler stops and writes its trace."
            ),
        }
    });
    let skipped = table.table.skipped;
    let mut rows: Vec<(OperatorRow, Option<f64>)> =
        table.table.rows.iter().map(|row| (row.clone(), table.device_share(row))).collect();
    rows.sort_by_key(|(row, _)| std::cmp::Reverse((row.self_device_ns.unwrap_or(0), row.self_cpu_ns.unwrap_or(0))));
    let rows = rows.into_iter().take(LISTED).map(|(row, part)| view! { <Row row part /> }).collect_view();
    let label = title.clone();
    view! {
        <section class="card names" aria-label=label>
            <header>
                <b>{title}</b>
                <span>{totals}</span>
            </header>
            <div class="body">
                {outside.map(|text| view! { <p>{text}</p> })} <div class="table" tabindex="0">
                    <table class="names">
                        <thead>
                            <tr>
                                <th scope="col">{lang.pick("名字", "name")}</th>
                                <th scope="col" class="n">{lang.pick("GPU 自身", "self GPU")}</th>
                                <th scope="col" class="n">"%"</th>
                                <th scope="col" class="n">{lang.pick("CPU 自身", "self CPU")}</th>
                                <th scope="col" class="n">{lang.pick("次数", "calls")}</th>
                                <th scope="col" class="n">{lang.pick("GPU 显存 自身", "self GPU memory")}</th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div> {(skipped > 0)
                    .then(|| {
                        let text = match lang {
                            Lang::Zh => format!("{skipped} 行与表头对不上，已略去。"),
                            Lang::En => format!("{skipped} rows do not fit the head and are left out."),
                        };
                        view! { <p class="hint">{text}</p> }
                    })} <p class="hint">
                    {lang
                        .pick(
                            "占比可以超过 100 %：Command Buffer Full 这类等待行会把排队时间算进去。profiler 下的时间只作相对比较。",
                            "Shares can exceed 100 %: rows that wait, such as Command Buffer Full, hold queueing time. Times under the profiler are compared with each other only.",
                        )}
                </p>
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn Row(row: OperatorRow, part: Option<f64>) -> impl IntoView {
    let ns = |ns: Option<u64>| ns.map_or_else(|| "–".to_owned(), time::human);
    let memory = row.self_device_bytes.map_or_else(
        || "–".to_owned(),
        |bytes| {
            let sign = if bytes < 0 { "−" } else { "" };
            format!("{sign}{}", units::human_binary(bytes.unsigned_abs()))
        },
    );
    view! {
        <tr>
            <th scope="row">
                <code>{row.name}</code>
            </th>
            <td class="n">{ns(row.self_device_ns)}</td>
            <td class="n">{part.map_or_else(|| "–".to_owned(), time::percent)}</td>
            <td class="n">{ns(row.self_cpu_ns)}</td>
            <td class="n">{row.calls.map_or_else(|| "–".to_owned(), units::group)}</td>
            <td class="n">{memory}</td>
        </tr>
    }
    .into_any()
}
