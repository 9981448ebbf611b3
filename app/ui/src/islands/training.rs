//! Training ledger: the peak per phase, and what no activation strategy can undercut.

use evidence::Lang;
use ledger::training::{Checkpointing, Optimizer, Precision, TrainingLedger as Predicted};
use ledger::units;
use leptos::prelude::*;

use super::inputs::{Choice, Number};
use super::model_input::ModelInput;
use super::parts::{self, number};
use super::share::Share;
use super::table::ledger_table;
use crate::chart::{Part, stack};
use crate::markup::Markup;
use crate::state::{self, TrainingState};
use crate::words;

/// Model, precision, optimizer, batch, sequence, checkpointing → peak per phase.
#[island]
pub fn TrainingLedger(state: TrainingState, lang: Lang) -> impl IntoView {
    let source = RwSignal::new(state.source.clone());
    let precision = RwSignal::new(state.precision.id().to_owned());
    let optimizer = RwSignal::new(state.optimizer.id().to_owned());
    let checkpointing = RwSignal::new(state.checkpointing.id().to_owned());
    let batch = RwSignal::new(state.batch);
    let seq = RwSignal::new(state.seq);
    let card = RwSignal::new(state.card.clone());
    let problems = state.problems.iter().map(|problem| problem.text(lang)).collect::<Vec<_>>();
    let rest = state.clone();
    let now = Memo::new(move |_| TrainingState {
        source: source.get(),
        precision: precision.get().parse().unwrap_or(Precision::Fp32),
        optimizer: optimizer.get().parse().unwrap_or(Optimizer::AdamWForeach),
        checkpointing: checkpointing.get().parse().unwrap_or(Checkpointing::None),
        batch: batch.get(),
        seq: seq.get(),
        card: card.get(),
        problems: Vec::new(),
        ..rest.clone()
    });
    // The model is read again only when its source changes, not at every move of a slider.
    let model = Memo::new(move |_| source.get().model());
    let result = Memo::new(move |_| {
        let model = model.get().map_err(|why| state::pick(&why, lang))?;
        let state = now.get();
        let run = state.evaluate(&model).map_err(|why| words::ledger_error(&why, lang))?;
        Ok::<_, String>((run.device, state.capacity()))
    });
    let answered = move || {
        result.with(|result| {
            Markup::of(|out| match result {
                Ok((ledger, capacity)) => answers(out, ledger, *capacity, lang),
                Err(why) => parts::problem(out, why),
            })
        })
    };
    let address = Memo::new(move |_| format!("/{}/tools/training{}", lang.code(), state::query(&now.get().pairs())));
    view! {
        <section class="card ledger" aria-label=lang.pick("训练账本", "Training ledger")>
            <header>
                <b>{lang.pick("训练账本", "Training ledger")}</b>
                <span>{lang.pick("预测值 · 公式逐项可查", "predicted · every line has its formula")}</span>
                <Share address lang />
            </header>
            <form class="body" method="get" action=format!("/{}/tools/training", lang.code())>
                {problems.into_iter().map(|text| view! { <p class="problem" role="alert">{text}</p> }).collect_view()}
                <div class="fields">
                    <ModelInput source lang />
                    <Choice
                        name="precision"
                        label=lang.pick("精度", "Precision")
                        options=words::precisions(lang)
                        value=precision
                    />
                    <Choice
                        name="optimizer"
                        label=lang.pick("优化器", "Optimizer")
                        options=words::optimizers(lang)
                        value=optimizer
                    />
                    <Choice
                        name="checkpointing"
                        label=lang.pick("checkpoint（激活重算）", "Checkpointing")
                        options=words::checkpointings(lang)
                        value=checkpointing
                    />
                    <Choice name="card" label=lang.pick("卡", "Card") options=words::cards() value=card />
                    <Number
                        name="batch"
                        label=lang.pick("batch（每次几条序列）", "Batch size")
                        value=batch
                        slider=(1, 512)
                        bounds=state::BATCH
                    />
                    <Number
                        name="seq"
                        label=lang.pick("序列长度", "Sequence length")
                        value=seq
                        slider=(128, 131_072)
                        bounds=state::TRAINING_SEQ
                    />
                    <button class="button no-js" type="submit">{lang.pick("计算", "Compute")}</button>
                </div>
                <div inner_html=answered></div>
            </form>
            <footer>
                {lang
                    .pick(
                        "预测值由 CPU 上的算术得到；分配器的 reserved、碎片与真实峰值要 GPU 测量。",
                        "Predicted by arithmetic on a CPU; reserved memory, fragmentation and the real peak need a GPU.",
                    )}
            </footer>
        </section>
    }
}

fn answers(out: &mut Markup, ledger: &Predicted, capacity: u64, lang: Lang) {
    let peak = &ledger.peak;
    let scale = ledger.phases.iter().map(|phase| phase.bytes).max().unwrap_or(0).max(capacity);
    out.element("div", &[("class", "phases")], &mut |out| {
        for total in &ledger.phases {
            let objects =
                total.parts.iter().map(|part| Part { object: part.object.id().to_owned(), bytes: part.bytes });
            let (name, bytes) = (words::phase(total.phase.id(), lang), units::gib(total.bytes));
            let is_peak = total.phase == peak.phase;
            let class = if is_peak { "phase peak" } else { "phase" };
            let mark = if is_peak { lang.pick(" ▲ 峰值", " ▲ peak") } else { "" };
            out.element("div", &[("class", class), ("data-phase", total.phase.id())], &mut |out| {
                out.leaf("span", &[("class", "name")], &format!("{name}{mark}"));
                stack(out, &objects.clone().collect::<Vec<_>>(), Some(scale), &format!("{name} {bytes}"));
                out.leaf("span", &[("class", "n")], &bytes);
            });
        }
    });
    let fits = peak.bytes <= capacity;
    let verdict = if fits {
        lang.pick("allocated 放得下：卡有", "allocated fits: the card has")
    } else {
        lang.pick("放不下：卡只有", "does not fit: the card has")
    };
    out.element("output", &[("class", "answer"), ("aria-live", "polite")], &mut |out| {
        let same = format!("= {} · {}", units::gb(peak.bytes), units::mib(peak.bytes));
        number(out, lang.pick("峰值", "peak"), "total", &units::gib(peak.bytes), &same);
        parts::badge(out, fits, &format!("{verdict} {}", units::gib(capacity)));
        let cause = words::part(&peak.cause_part, peak.cause.id(), lang);
        number(out, lang.pick("峰值主因", "largest cause"), "cause", &cause, "");
        number(out, lang.pick("下限", "floor"), "floor", &units::mib(ledger.floor), "");
    });
    let floor = lang.pick(
        "下限：任何激活策略（checkpoint、offload、更小的 micro-batch）都压不破它；要再低，只能换优化器、换精度或切分模型状态。其中 foreach 临时量是一个假设。",
        "Floor: no activation strategy (recompute, offload, smaller micro-batches) can go below it; only another optimizer, another precision or sharded states can. The foreach temporary in it is an assumption.",
    );
    out.leaf("p", &[("class", "hint")], floor);
    let total = lang.pick("峰值（同时存活的条目之和）", "Peak (sum of entries alive together)");
    ledger_table(out, &ledger.entries, peak.bytes, total, lang);
}
