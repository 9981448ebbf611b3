//! Inference ledger: what serving needs, beside what the card has.

use evidence::Lang;
use ledger::inference::{Fit, InferenceLedger as Predicted};
use ledger::{Dtype, units};
use leptos::prelude::*;

use super::inputs::{Choice, Number};
use super::model_input::ModelInput;
use super::parts::{self, number};
use super::share::Share;
use super::table::ledger_table;
use crate::chart::{Part, stack};
use crate::markup::Markup;
use crate::state::{self, InferenceState};
use crate::words;

/// Model, formats, batch, sequence, card → bar, answers, table.
#[island]
pub fn InferenceLedger(state: InferenceState, lang: Lang) -> impl IntoView {
    let source = RwSignal::new(state.source.clone());
    let weights = RwSignal::new(state.weights.id().to_owned());
    let kv = RwSignal::new(state.kv.id().to_owned());
    let batch = RwSignal::new(state.batch);
    let seq = RwSignal::new(state.seq);
    let card = RwSignal::new(state.card.clone());
    let reserve = RwSignal::new(state.reserve_mib);
    let problems = state.problems.iter().map(|problem| problem.text(lang)).collect::<Vec<_>>();
    let now = Memo::new(move |_| InferenceState {
        source: source.get(),
        weights: weights.get().parse().unwrap_or(Dtype::Bf16),
        kv: kv.get().parse().unwrap_or(Dtype::Bf16),
        batch: batch.get(),
        seq: seq.get(),
        card: card.get(),
        reserve_mib: reserve.get(),
        problems: Vec::new(),
    });
    // The model is read again only when its source changes, not at every move of a slider.
    let model = Memo::new(move |_| source.get().model());
    let result = Memo::new(move |_| {
        let model = model.get().map_err(|why| state::pick(&why, lang))?;
        now.get().evaluate(&model).map_err(|why| words::ledger_error(&why, lang))
    });
    let answered = move || {
        result.with(|result| {
            Markup::of(|out| match result {
                Ok((ledger, fit)) => answers(out, ledger, fit, lang),
                Err(why) => parts::problem(out, why),
            })
        })
    };
    let address = Memo::new(move |_| format!("/{}/tools/inference{}", lang.code(), state::query(&now.get().pairs())));
    let dtypes = || Dtype::ALL.iter().map(|dtype| (dtype.id().to_owned(), words::dtype(*dtype))).collect::<Vec<_>>();
    let cards = words::cards();
    view! {
        <section class="card ledger" aria-label=lang.pick("推理账本", "Inference ledger")>
            <header>
                <b>{lang.pick("推理账本", "Inference ledger")}</b>
                <span>{lang.pick("预测值 · 公式逐项可查", "predicted · every line has its formula")}</span>
                <Share address lang />
            </header>
            <form class="body" method="get" action=format!("/{}/tools/inference", lang.code())>
                {problems.into_iter().map(|text| view! { <p class="problem" role="alert">{text}</p> }).collect_view()}
                <div class="fields">
                    <ModelInput source lang />
                    <Choice name="weights" label=lang.pick("权重格式", "Weight format") options=dtypes() value=weights />
                    <Choice name="kv" label=lang.pick("KV 格式", "KV format") options=dtypes() value=kv />
                    <Choice name="card" label=lang.pick("卡", "Card") options=cards value=card />
                    <Number
                        name="batch"
                        label=lang.pick("并发请求", "Concurrent requests")
                        value=batch
                        slider=(1, 512)
                        bounds=state::BATCH
                    />
                    <Number
                        name="seq"
                        label=lang.pick("每个请求的 token 数", "Tokens per request")
                        value=seq
                        slider=(128, 1_048_576)
                        bounds=state::INFERENCE_SEQ
                    />
                    <Number
                        name="reserve_mib"
                        label=lang.pick("预留 MiB（假设，可改）", "Reserve in MiB (an assumption, yours to edit)")
                        value=reserve
                        slider=(64, 32_768)
                        bounds=state::RESERVE_MIB
                    />
                    <button class="button no-js" type="submit">{lang.pick("计算", "Compute")}</button>
                </div>
                <div inner_html=answered></div>
            </form>
            <footer>
                {lang
                    .pick(
                        "这是 CPU 可以确认的理论容量；真实峰值、reserved 与 OOM 边界要 GPU 才能确认。",
                        "This is theoretical capacity, which a CPU can confirm; the real peak, reserved memory and the OOM boundary need a GPU.",
                    )}
            </footer>
        </section>
    }
}

fn answers(out: &mut Markup, ledger: &Predicted, fit: &Fit, lang: Lang) {
    let objects = ledger.entries.iter().map(|entry| Part { object: entry.object.id().to_owned(), bytes: entry.bytes });
    let verdict = if fit.fits {
        format!("{} {}", lang.pick("放得下，还剩", "fits, still free"), units::gib(fit.free))
    } else {
        format!("{} {}", lang.pick("放不下，缺", "does not fit, short by"), units::gib(fit.short))
    };
    let label = format!(
        "{} {} / {}; {verdict}",
        lang.pick("合计", "total"),
        units::gib(ledger.total),
        units::gib(fit.capacity)
    );
    let limit = |value: Option<u64>| value.map_or_else(|| "—".to_owned(), units::group);
    stack(out, &objects.collect::<Vec<_>>(), Some(fit.capacity), &label);
    let capacity = lang.pick("驱动报告的容量", "capacity the driver reports");
    out.element("div", &[("class", "scale")], &mut |out| {
        out.leaf("span", &[], "0");
        out.leaf("span", &[], &format!("{capacity} {} = {}", units::gib(fit.capacity), units::gb(fit.capacity)));
    });
    out.element("output", &[("class", "answer"), ("aria-live", "polite")], &mut |out| {
        number(out, "", "total", &units::gib(ledger.total), &format!("= {}", units::gb(ledger.total)));
        parts::badge(out, fit.fits, &verdict);
        let longest = lang.pick("此并发下最长上下文", "longest context at this concurrency");
        number(out, longest, "longest", &limit(fit.longest_context), "");
        let largest = lang.pick("此长度下最大并发", "largest concurrency at this length");
        number(out, largest, "largest", &limit(fit.largest_batch), "");
    });
    ledger_table(out, &ledger.entries, ledger.total, lang.pick("合计", "Total"), lang);
}
