//! What each rank of a distributed training step holds and sends.

use ledger::calculators::Input;
use ledger::parallel::RankLedger;
use ledger::training::{Checkpointing, Optimizer, Precision};
use ledger::{Model, Text, units};

use super::answer::{Answer, Bar, Table, bytes, figure, fit, plain, size};
use super::inputs::{card, choice, whole};
use super::{Pairs, Tool};
use crate::Client;
use crate::state::parallel::{BETWEEN, MICRO_BATCHES, PLACES, RANKS, SCHEDULES, SWITCH, ZERO, named};
use crate::state::{self, ParallelState};

pub fn tool() -> Tool {
    Tool {
        id: "parallel",
        title: Text::new("并行账本", "Parallel ledger"),
        lead: Text::new(
            "数据、张量、流水线、专家与上下文并行怎样切开一步训练：每一级持有什么、发送什么，哪一级最紧。",
            "How data, tensor, pipeline, expert and context ranks divide a training step: what each stage holds and sends, and which is the tightest.",
        ),
        client: Client::Planner,
        model: Some("Llama-3-70B"),
        inputs: inputs(),
        in_front: 8,
        matters: |_, _| true,
        compares: true,
        lesson: None,
        run: Box::new(run),
    }
}

fn inputs() -> Vec<Input> {
    vec![
        whole("data", "数据并行", "Data ranks", 2, RANKS),
        whole("tensor", "张量并行", "Tensor ranks", 8, RANKS),
        whole("pipeline", "流水线级数", "Pipeline stages", 4, RANKS),
        choice("zero", "ZeRO 阶段", "ZeRO stage", "1", &ZERO, |it| it.name()),
        whole("batch", "每个微批的序列数", "Sequences per micro-batch", 1, state::BATCH),
        whole("micro_batches", "每步微批数", "Micro-batches per step", 16, MICRO_BATCHES),
        whole("seq", "序列长度", "Tokens per sequence", 4096, state::TRAINING_SEQ),
        card("h100-80gb"),
        choice("sequence", "序列并行", "Sequence parallelism", "on", &SWITCH, |on| match on {
            true => Text::new("开", "On"),
            false => Text::new("关", "Off"),
        }),
        choice("schedule", "流水线调度", "Schedule", "1f1b", &SCHEDULES, |it| it.name()),
        whole("expert", "专家并行", "Expert ranks", 1, RANKS),
        whole("context", "上下文并行", "Context ranks", 1, RANKS),
        choice("precision", "精度", "Precision", "bf16_master", &named(Precision::ALL, |it| it.id()), |it| it.name()),
        choice("optimizer", "优化器", "Optimizer", "adamw_fused", &named(Optimizer::ALL, |it| it.id()), |it| {
            it.name()
        }),
        choice(
            "checkpointing",
            "重算",
            "Checkpointing",
            "selective",
            &named(Checkpointing::ALL, |it| it.id()),
            |it| it.name(),
        ),
        choice("states", "优化器状态放在", "Optimizer states on", "device", &PLACES, |it| it.name()),
        choice("weights", "权重放在（ZeRO-3）", "Weights on (ZeRO-3)", "device", &PLACES, |it| it.name()),
        whole("node", "每台机器的卡数", "Cards per machine", 8, RANKS),
        whole("between_gb", "机器间每卡带宽 GB/s（单向）", "GB/s per card between machines, one way", 50, BETWEEN),
    ]
}

fn run(pairs: &Pairs) -> Result<Answer, Text> {
    let state = ParallelState::from_pairs(pairs);
    state::refuse(&state.problems)?;
    let model = state.source.model()?;
    let ledger = state.evaluate(&model).map_err(|error| state::ledger_text(&error))?;
    let mesh = state.step.mesh;
    let cards = mesh.ranks().map_err(|error| state::ledger_text(&error))?;
    let refused = |error| state::ledger_text(&error);
    let bubble = mesh.schedule.bubble(mesh.pipeline, state.step.micro_batches).map_err(refused)?;
    let peak = ledger.worst().map_or(0, |rank| rank.ledger.peak.bytes);
    let (capacity, global) = (state.capacity(), state.step.global_batch().map_err(refused)?);
    let fewest = fewest(&state, &model, capacity).map_or_else(|| "—".to_owned(), units::group);
    let traffic = ledger.traffic.iter().map(|line| {
        let seconds = state.seconds(line).map_or_else(|| "—".to_owned(), |seconds| format!("{seconds:.4} s"));
        vec![
            line.axis.name(),
            line.collective.name(),
            plain(units::group(line.ranks)),
            plain(units::group(line.calls)),
            plain(size(line.sent)),
            plain(seconds),
        ]
    });
    let traffic = Table {
        title: Text::new("一步里每张卡发送多少", "What each card sends in a step"),
        columns: vec![
            Text::new("方向", "Axis"),
            Text::new("集合通信", "Collective"),
            Text::new("参与者", "Ranks"),
            Text::new("次数", "Calls"),
            Text::new("字节", "Bytes"),
            Text::new("链路上的时间", "Time on the link"),
        ],
        rows: traffic.collect(),
    };
    Ok(Answer {
        verdict: Some(ledger.why()),
        figures: vec![
            bytes("total", "最紧一级的峰值", "peak of the tightest stage", peak),
            fit(peak, capacity),
            figure("卡数", "Cards", units::group(cards)),
            figure("只改数据并行，最少卡数", "fewest cards, data ranks alone changed", fewest),
            figure("全局批（序列）", "Global batch (sequences)", units::group(global)),
            figure("流水线气泡", "Pipeline bubble", format!("{:.1}%", bubble * 100.0)),
        ],
        bars: ledger.ranks.iter().enumerate().map(|(at, rank)| bar(rank, at == ledger.worst)).collect(),
        capacity: Some(capacity),
        entries: ledger.worst().map(|rank| rank.ledger.entries.clone()).unwrap_or_default(),
        tables: vec![traffic],
        assumptions: vec![Text::new(
            "通信按环形算法计，不含延迟；专家间的 token 均匀分布。",
            "Collectives are rings without latency; tokens are spread evenly over experts.",
        )],
        ..Answer::default()
    })
}

/// The fewest cards on which this division fits when only the number of data ranks changes, in powers of two; `None`
/// where it fits on none.
fn fewest(state: &ParallelState, model: &Model, capacity: u64) -> Option<u64> {
    let doublings = std::iter::successors(Some(1_u64), |ranks| ranks.checked_mul(2));
    doublings.take_while(|ranks| *ranks <= RANKS.1).find_map(|data| {
        let mut step = state.step;
        step.mesh.data = data;
        let ledger = ledger::parallel::ledger(model, &step).ok()?;
        (ledger.worst()?.ledger.peak.bytes <= capacity).then(|| step.mesh.ranks().ok()).flatten()
    })
}

fn bar(rank: &RankLedger, marked: bool) -> Bar {
    let last = rank.stage + rank.alike - 1;
    let stages = if last == rank.stage { rank.stage.to_string() } else { format!("{}–{last}", rank.stage) };
    let parts = rank.ledger.peak.parts.iter().map(|part| (part.object.id().to_owned(), part.bytes));
    Bar {
        label: Text::new(
            format!("第 {stages} 级：{} 层，{} 份激活", rank.layers, rank.live),
            format!("Stage {stages}: {} layers, {} live", rank.layers, rank.live),
        ),
        parts: parts.collect(),
        marked,
    }
}
