//! The ledger as a table: object, phase, formula, bytes.

use evidence::Lang;
use ledger::{Entry, units};
use leptos::prelude::*;

use crate::words;

/// One row per entry and a double rule above the total.
#[component]
pub fn LedgerTable(entries: Vec<Entry>, total: u64, total_label: &'static str, lang: Lang) -> impl IntoView {
    let rows = entries
        .into_iter()
        .map(|entry| {
            let object = entry.object.id();
            let from = words::phase(entry.span.from.id(), lang);
            let to = words::phase(entry.span.to.id(), lang);
            let span = if from == to { from.to_owned() } else { format!("{from} → {to}") };
            view! {
                <tr>
                    <td>
                        <i class=format!("swatch {}", words::object_class(object))></i>
                        {words::part(&entry.part, object, lang)}
                    </td>
                    <td>{span}</td>
                    <td class="formula">{entry.formula}</td>
                    <td class="n" title=format!("{} B", units::group(entry.bytes))>
                        {units::decimal(entry.bytes, units::GIB, 3)}
                    </td>
                    <td class="n gb">{units::decimal(entry.bytes, units::GB, 3)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="table" tabindex="0">
            <table class="entries">
                <thead>
                    <tr>
                        <th>{lang.pick("对象", "Object")}</th>
                        <th>{lang.pick("阶段", "Phase")}</th>
                        <th class="formula">{lang.pick("公式", "Formula")}</th>
                        <th class="n">"GiB"</th>
                        <th class="n gb">"GB"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
                <tfoot>
                    <tr>
                        <td>{total_label}</td>
                        <td></td>
                        <td class="formula">{format!("{} B", units::group(total))}</td>
                        <td class="n">{units::decimal(total, units::GIB, 3)}</td>
                        <td class="n gb">{units::decimal(total, units::GB, 3)}</td>
                    </tr>
                </tfoot>
            </table>
        </div>
    }
}
