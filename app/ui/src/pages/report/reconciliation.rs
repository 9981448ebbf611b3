//! Reconciliation 对账: predicted bytes beside measured bytes, drawn to one scale.

use evidence::{Lang, Line, LineKind};
use ledger::units;
use leptos::prelude::*;

use crate::words;

#[component]
pub fn Reconciliation(lines: Vec<Line>, lang: Lang) -> impl IntoView {
    let most = lines.iter().flat_map(|line| [line.predicted_bytes, line.measured_bytes]).flatten().max().unwrap_or(0);
    let rows = lines.into_iter().map(|line| view! { <Row line most lang /> }).collect_view();
    view! {
        <section class="card reconciliation" aria-label=lang.pick("对账", "Reconciliation")>
            <header>
                <b>{lang.pick("对账", "Reconciliation")}</b>
                <span>
                    {lang
                        .pick(
                            "斜线为账本预测，实心为测量；同一比例尺",
                            "hatched is predicted by the ledger, solid is measured; one scale",
                        )}
                </span>
            </header>
            <div class="body">
                <svg class="defs" width="0" height="0" aria-hidden="true">
                    <defs>
                        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                            <rect class="hatch" width="3" height="6" />
                        </pattern>
                    </defs>
                </svg>
                {rows}
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn Row(line: Line, most: u64, lang: Lang) -> impl IntoView {
    let object = line.object.map(|object| object.id());
    let name = match (line.kind, object) {
        (LineKind::Object, Some(object)) => words::part(&line.part, object, lang),
        (LineKind::Allocated, _) => format!("{} · {}", line.part, lang.pick("allocated 峰值", "allocated peak")),
        (LineKind::Reserved, _) => format!("{} · {}", line.part, lang.pick("reserved 峰值", "reserved peak")),
        (LineKind::Object, None) => line.part.clone(),
    };
    let class = object.map(words::object_class).unwrap_or_default();
    let width = |bytes: u64| format!("{:.2}", bytes as f64 / most.max(1) as f64 * 1000.0);
    let predicted = line.predicted_bytes;
    let measured = line.measured_bytes;
    let difference = line.unexplained_bytes().map(|bytes| {
        let sign = if bytes < 0 { "−" } else { "+" };
        format!("{sign}{}", size(bytes.unsigned_abs()))
    });
    view! {
        <div class=format!("pair {class}")>
            <span>
                {name}
                {(line.assumption && line.kind != LineKind::Object)
                    .then(|| view! { <small class="hint">{lang.pick("（含假设）", " (with an assumption)")}</small> })}
            </span>
            <span class="lines">
                {predicted
                    .map(|bytes| {
                        view! {
                            <svg viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label=format!("{} {}", lang.pick("预测", "predicted"), size(bytes))>
                                <rect class="predicted" width=width(bytes) height="10" />
                                <rect width=width(bytes) height="10" fill="url(#hatch)" />
                            </svg>
                        }
                    })}
                {measured
                    .map(|bytes| {
                        view! {
                            <svg viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label=format!("{} {}", lang.pick("实测", "measured"), size(bytes))>
                                <rect class="measured" width=width(bytes) height="10" />
                            </svg>
                        }
                    })}
            </span>
            <span class="d">
                {predicted.map(|bytes| view! { <span class="p">{size(bytes)}</span> })}
                {measured.map(|bytes| view! { <span class="m">{size(bytes)}</span> })}
                {difference.map(|text| view! { <span class="u">{text}</span> })}
            </span>
            {(!line.formula.is_empty()).then(|| view! { <span class="formula">{line.formula.clone()}</span> })}
        </div>
    }
    .into_any()
}

/// MiB as reports quote them; the fitting unit where MiB would round the number away.
fn size(bytes: u64) -> String {
    if bytes < 16 * units::MIB { units::human_binary(bytes) } else { units::mib(bytes) }
}
