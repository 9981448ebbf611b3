//! The training ledger: the peak per phase, the step layer by layer, and what no activation strategy can undercut.

use ledger::calculators::Input;
use ledger::training::{Checkpointing, Loader, LoraTargets, Optimizer, PhaseTotal, Precision, Stage, StageTotal};
use ledger::{Dtype, Entry, Text, units};

use super::answer::{Answer, Bar, Figure, Moment, Table, Timeline, bytes, figure, fit, plain, size};
use super::inputs::{card, choice, whole};
use super::{Pairs, Tool};
use crate::Client;
use crate::state::parallel::{MICRO_BATCHES, id, named};
use crate::state::training::{GRADIENTS, KERNELS, LOADERS, TARGETS, WINDOW};
use crate::state::{self, METHODS, TrainingState};
use crate::words;

pub fn tool() -> Tool {
    Tool {
        id: "training",
        title: Text::new("训练账本", "Training ledger"),
        lead: Text::new(
            "一步之内每个对象逐层占多少，峰值落在哪里、由谁造成，以及任何激活策略都压不破的下限。",
            "What each object takes through a step, layer by layer; where the peak lies and what causes it; and the floor that no activation strategy can undercut.",
        ),
        client: Client::Planner,
        model: Some("Qwen2.5-0.5B"),
        inputs: inputs(),
        in_front: 8,
        matters: |_, _| true,
        compares: true,
        lesson: Some(("task1/ledger", Text::new("显存账本与指标口径", "VRAM ledger and metrics"))),
        run: Box::new(run),
    }
}

fn inputs() -> Vec<Input> {
    vec![
        choice("method", "训练什么", "What is trained", "full", &METHODS, |method| plain(id(&METHODS, *method))),
        choice("precision", "精度", "Precision", "fp32", &named(Precision::ALL, |it| it.id()), |it| it.name()),
        choice("optimizer", "优化器", "Optimizer", "adamw_foreach", &named(Optimizer::ALL, |it| it.id()), |it| {
            it.name()
        }),
        choice("checkpointing", "重算", "Checkpointing", "none", &named(Checkpointing::ALL, |it| it.id()), |it| {
            it.name()
        }),
        card("rtx5070ti-laptop"),
        whole("batch", "每个微批的序列数", "Sequences per micro-batch", 1, state::BATCH),
        whole("seq", "序列长度", "Tokens per sequence", 768, state::TRAINING_SEQ),
        whole("micro_batches", "每步微批数", "Micro-batches per step", 1, MICRO_BATCHES),
        choice("gradients", "梯度累积在", "Gradients are added up in", "of_weights", &GRADIENTS, |it| it.name()),
        choice("kernels", "算子实现", "Kernels", "transformers", &named_ids(&KERNELS), |id| plain(*id)),
        whole("offload_layers", "留在卡上的激活层数（0 = 全部）", "Layers whose activations stay (0: all)", 0, WINDOW),
        whole("rank", "适配器的秩", "Rank of adapters", 16, state::RANK),
        choice("targets", "适配哪些投影", "Projections with an adapter", "all", &TARGETS, |it| match it {
            LoraTargets::All => Text::new("全部七个", "All seven"),
            LoraTargets::QueryValue => Text::new("只有 q、v", "q and v only"),
        }),
        choice("loader", "怎样加载", "Loader", "in_place", &LOADERS, |it: &Loader| it.name()),
        choice("file", "文件里的格式", "Format in the file", "bf16", &named(&Dtype::ALL, |it| it.id()), |it| {
            plain(words::dtype(*it))
        }),
    ]
}

/// Options that are called what they are.
fn named_ids<T>(options: &[(&'static str, T)]) -> Vec<(&'static str, &'static str)> {
    options.iter().map(|(id, _)| (*id, *id)).collect()
}

fn run(pairs: &Pairs) -> Result<Answer, Text> {
    let state = TrainingState::from_pairs(pairs);
    state::refuse(&state.problems)?;
    let model = state.source.model()?;
    let run = state.evaluate(&model).map_err(|error| state::ledger_text(&error))?;
    let curve = state.curve(&model).map_err(|error| state::ledger_text(&error))?;
    let (peak, capacity) = (&run.device.peak, state.capacity());
    let cause = ledger::part_name(&peak.cause_part).unwrap_or_else(|| plain(peak.cause_part.clone()));
    let mut tables = vec![Table {
        title: Text::new("下限", "Floors"),
        columns: vec![Text::new("字节", "Bytes"), Text::new("谁也压不破", "What cannot go below")],
        rows: run.floors.iter().map(|floor| vec![plain(size(floor.bytes)), floor.why.clone()]).collect(),
    }];
    tables.extend(listed(Text::new("主机上", "On the host"), &run.host));
    tables.extend(listed(Text::new("一步里经过主机链路", "Over the link to the host in a step"), &run.moved));
    let timeline = curve.map(|stages| Timeline {
        peak: stages
            .iter()
            .enumerate()
            .max_by_key(|(at, stage)| (stage.bytes, usize::MAX - at))
            .map_or(0, |(at, _)| at),
        moments: stages.iter().map(moment).collect(),
    });
    Ok(Answer {
        verdict: Some(Text::new(
            format!("峰值在{}，由“{}”造成。", words::phase(peak.phase.id(), crate::Lang::Zh), cause.zh),
            format!("The peak lies in {} and is due to {}.", words::phase(peak.phase.id(), crate::Lang::En), cause.en),
        )),
        figures: vec![
            bytes("total", "峰值", "peak", peak.bytes),
            fit(peak.bytes, capacity),
            Figure { id: "floor", ..figure("下限", "floor", units::mib(run.device.floor)) },
            figure("主机峰值", "peak on the host", size(run.host_peak)),
        ],
        bars: run.device.phases.iter().map(|phase| bar(phase, phase.phase == peak.phase)).collect(),
        capacity: Some(capacity),
        entries: run.device.entries.clone(),
        tables,
        timeline,
        assumptions: vec![Text::new(
            "CUDA 上下文、库的工作区与分配器的碎片不在内；优化器与内核的临时量是写明的假设。",
            "CUDA context, library workspaces and fragmentation are not in it; temporaries of optimizer and kernels are stated assumptions.",
        )],
        ..Answer::default()
    })
}

/// A stage of the step, its parts added up by object.
fn moment(total: &StageTotal) -> Moment {
    let name = match total.stage {
        Stage::Load => Text::new("加载完", "loaded"),
        Stage::Forward { layer } => Text::new(format!("前向第 {layer} 层"), format!("forward, layer {layer}")),
        Stage::Loss => Text::new("loss", "loss"),
        Stage::LossBackward => Text::new("loss 的反向", "backward of the loss"),
        Stage::HeadBackward => Text::new("输出头的反向", "backward of the output head"),
        Stage::Backward { layer } => Text::new(format!("反向第 {layer} 层"), format!("backward, layer {layer}")),
        Stage::EmbeddingBackward => Text::new("词嵌入的反向", "backward of the embedding"),
        Stage::Step => Text::new("优化器更新", "optimizer step"),
    };
    let mut parts: Vec<(String, u64)> = Vec::new();
    for part in &total.parts {
        match parts.iter_mut().find(|(object, _)| object == part.object.id()) {
            Some((_, bytes)) => *bytes = bytes.saturating_add(part.bytes),
            None => parts.push((part.object.id().to_owned(), part.bytes)),
        }
    }
    Moment { name, phase: total.phase.id(), parts }
}

fn bar(phase: &PhaseTotal, marked: bool) -> Bar {
    let word = |lang| words::phase(phase.phase.id(), lang).to_owned();
    let parts = phase.parts.iter().map(|part| (part.object.id().to_owned(), part.bytes));
    Bar { label: Text::new(word(crate::Lang::Zh), word(crate::Lang::En)), parts: parts.collect(), marked }
}

/// A table of entries, where there are any.
fn listed(title: Text, entries: &[Entry]) -> Option<Table> {
    let row = |entry: &Entry| {
        let name = ledger::part_name(&entry.part).unwrap_or_else(|| plain(entry.part.clone()));
        vec![name, plain(size(entry.bytes)), plain(entry.formula.clone())]
    };
    (!entries.is_empty()).then(|| Table {
        title,
        columns: vec![Text::new("对象", "Object"), Text::new("字节", "Bytes"), Text::new("公式", "Formula")],
        rows: entries.iter().map(row).collect(),
    })
}
