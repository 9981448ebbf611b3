//! Names by time: calls of the host, kernels, copies.

use evidence::Lang;
use evidence::trace::{Category, NameTime, share};
use ledger::units;
use leptos::prelude::*;

use super::time;

/// So many are open to the eye; the rest stand behind a fold.
const OPEN: usize = 12;

#[component]
pub fn Names(lang: Lang, title: &'static str, names: Vec<NameTime>) -> impl IntoView {
    if names.is_empty() {
        return ().into_any();
    }
    let most = names.first().map_or(0, |name| name.self_ns);
    let bytes = names.iter().any(|name| name.bytes > 0);
    let host = names.iter().any(|name| name.category.is_host());
    let mut rest = names;
    let open: Vec<NameTime> = rest.drain(..rest.len().min(OPEN)).collect();
    let more = rest.len();
    view! {
        <section class="card names" aria-label=title>
            <header>
                <b>{title}</b>
            </header>
            <div class="body">
                <Listed lang names=open most host bytes />
                {(more > 0)
                    .then(|| {
                        view! {
                            <details>
                                <summary>{format!("+ {more}")}</summary>
                                <Listed lang names=rest most host bytes />
                            </details>
                        }
                    })}
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn Listed(lang: Lang, names: Vec<NameTime>, most: u64, host: bool, bytes: bool) -> impl IntoView {
    let rows = names
        .into_iter()
        .map(|name| {
            let width = format!("{:.1}", (share(name.self_ns, most) * 1000.0).max(2.0));
            let class = if name.category.is_device() { "time device" } else { "time" };
            let kind = match name.category {
                Category::CpuOp | Category::Kernel | Category::Memcpy => None,
                other => Some(time::category(other, lang)),
            };
            view! {
                <tr>
                    <th scope="row">
                        <code>{name.name}</code>
                        {kind.map(|kind| view! { <small class="hint">" " {kind}</small> })}
                        <svg class="bar-line" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
                            <rect class=class width=width height="20" />
                        </svg>
                    </th>
                    <td class="n">{time::human(name.self_ns)}</td>
                    {host.then(|| view! { <td class="n">{time::human(name.sum_ns)}</td> })}
                    <td class="n">{units::group(name.calls)}</td>
                    <td class="n">{time::human(name.longest_ns)}</td>
                    {bytes.then(|| view! { <td class="n">{units::human_binary(name.bytes)}</td> })}
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="table" tabindex="0">
            <table class="names">
                <thead>
                    <tr>
                        <th scope="col">{lang.pick("名字", "name")}</th>
                        <th scope="col" class="n">{if host { lang.pick("自身", "self") } else { lang.pick("合计", "total") }}</th>
                        {host.then(|| view! { <th scope="col" class="n">{lang.pick("合计", "total")}</th> })}
                        <th scope="col" class="n">{lang.pick("次数", "calls")}</th>
                        <th scope="col" class="n">{lang.pick("最长", "longest")}</th>
                        {bytes.then(|| view! { <th scope="col" class="n">{lang.pick("字节", "bytes")}</th> })}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
