//! Training ledger: the peak per phase, and what no activation strategy can undercut.

use evidence::Lang;
use ledger::training::{Checkpointing, Optimizer, Precision, TrainingLedger as Predicted};
use ledger::units;
use leptos::either::Either;
use leptos::prelude::*;

use super::inputs::{Choice, Number};
use super::model_input::ModelInput;
use super::share::{Share, keep_in_url};
use super::table::LedgerTable;
use crate::chart::{Part, Stack};
use crate::state::{self, TrainingState};
use crate::words;

/// Model, precision, optimizer, batch, sequence, checkpointing → peak per phase.
#[island]
pub fn TrainingLedger(
    state: TrainingState,
    lang: Lang,
    /// Inside a lesson: the page's own address stays as it is.
    embedded: bool,
) -> impl IntoView {
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
    let address = Memo::new(move |_| format!("/{}/tools/training{}", lang.code(), state::query(&now.get().pairs())));
    if !embedded {
        keep_in_url(address);
    }
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
                {move || match result.get() {
                    Ok((ledger, capacity)) => Either::Left(view! { <Answers ledger capacity lang /> }),
                    Err(why) => Either::Right(view! { <p class="problem" role="alert">{why}</p> }),
                }}
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

#[component]
fn Answers(ledger: Predicted, capacity: u64, lang: Lang) -> impl IntoView {
    let peak = ledger.peak.clone();
    let scale = ledger.phases.iter().map(|phase| phase.bytes).max().unwrap_or(0).max(capacity);
    let phases = ledger
        .phases
        .iter()
        .map(|total| {
            let parts: Vec<Part> = total
                .parts
                .iter()
                .map(|part| Part { object: part.object.id().to_owned(), bytes: part.bytes })
                .collect();
            let name = words::phase(total.phase.id(), lang);
            let is_peak = total.phase == peak.phase;
            view! {
                <div class=if is_peak { "phase peak" } else { "phase" } data-phase=total.phase.id()>
                    <span class="name">{name} {is_peak.then_some(lang.pick(" ▲ 峰值", " ▲ peak"))}</span>
                    <Stack parts capacity=Some(scale) label=format!("{name} {}", units::gib(total.bytes)) />
                    <span class="n">{units::gib(total.bytes)}</span>
                </div>
            }
        })
        .collect_view();
    let fits = peak.bytes <= capacity;
    view! {
        <div class="phases">{phases}</div>
        <output class="answer" aria-live="polite">
            <span>
                <small>{lang.pick("峰值 ", "peak ")}</small>
                <strong class="total">{units::gib(peak.bytes)}</strong>
                <small>
                    {format!(" = {} · {}", units::gb(peak.bytes), units::mib(peak.bytes))}
                </small>
            </span>
            <span class=if fits { "badge ok" } else { "badge bad" }>
                {if fits { "✓ " } else { "✕ " }}
                {format!(
                    "{} {}",
                    if fits { lang.pick("allocated 放得下：卡有", "allocated fits: the card has") } else { lang.pick("放不下：卡只有", "does not fit: the card has") },
                    units::gib(capacity),
                )}
            </span>
            <span>
                <small>{lang.pick("峰值主因 ", "largest cause ")}</small>
                <b class="cause">{words::part(&peak.cause_part, peak.cause.id(), lang)}</b>
            </span>
            <span>
                <small>{lang.pick("下限 ", "floor ")}</small>
                <strong class="floor">{units::mib(ledger.floor)}</strong>
            </span>
        </output>
        <p class="hint">
            {lang
                .pick(
                    "下限：任何激活策略（checkpoint、offload、更小的 micro-batch）都压不破它；要再低，只能换优化器、换精度或切分模型状态。其中 foreach 临时量是一个假设。",
                    "Floor: no activation strategy (recompute, offload, smaller micro-batches) can go below it; only another optimizer, another precision or sharded states can. The foreach temporary in it is an assumption.",
                )}
        </p>
        <LedgerTable
            entries=ledger.entries
            total=peak.bytes
            total_label=lang.pick("峰值（同时存活的条目之和）", "Peak (sum of entries alive together)")
            lang
        />
    }
}
