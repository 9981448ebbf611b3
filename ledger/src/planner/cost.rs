//! Seconds of a step, term by term.
//!
//! * **compute**: three forward passes' operations of the slowest stage (one forward, two backward), at the card's
//!   dense rate × efficiency; **recompute**: the forward of what
//!   the backward computes again.
//! * **tensor**, **context**, **expert**, **pipeline**: bytes sent ÷ link, not hidden.
//! * **bubble**: `(p − 1) ÷ (v · m)` of all that.
//! * **data**: gradients and weights between data ranks run beside the passes; what takes longer than they do is
//!   waited for. **offload**: what the busiest of the links to host and drive takes beyond both.
//! * **step**: bytes that the optimizer reads and writes ÷ memory rate, on the card or on the host.
//!
//! Latencies, launches and imbalance of experts are left out: the order of plans is the use of these numbers, and a
//! load test the end of every plan.

use serde::{Deserialize, Serialize};

use super::Assumptions;
use crate::{
    Text,
    parallel::{Axis, Distributed, Held, Links, Place, Quick, StateTable},
};

/// Seconds of one training step by cause.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    pub compute: f64,
    pub recompute: f64,
    pub tensor: f64,
    pub context: f64,
    pub expert: f64,
    pub pipeline: f64,
    pub bubble: f64,
    /// What data-parallel traffic takes beyond the passes.
    pub data: f64,
    /// What traffic to host and drive takes beyond the passes and the data-parallel traffic.
    pub offload: f64,
    pub step: f64,
}

impl Cost {
    /// Seconds of the step.
    pub fn total(&self) -> f64 {
        self.terms().iter().map(|(_, seconds)| seconds).sum()
    }

    /// Every term by slug, in the order of the documentation.
    pub fn terms(&self) -> [(&'static str, f64); 10] {
        [
            ("compute", self.compute),
            ("recompute", self.recompute),
            ("tensor", self.tensor),
            ("context", self.context),
            ("expert", self.expert),
            ("pipeline", self.pipeline),
            ("bubble", self.bubble),
            ("data", self.data),
            ("offload", self.offload),
            ("step", self.step),
        ]
    }
}

/// A term of a cost in words; `None` for a slug that no cost of this crate has.
pub fn term_name(slug: &str) -> Option<Text> {
    let (zh, en) = match slug {
        "compute" => ("计算", "Compute"),
        "recompute" => ("重算", "Recompute"),
        "tensor" => ("张量并行通信", "Tensor-parallel traffic"),
        "context" => ("上下文并行通信", "Context-parallel traffic"),
        "expert" => ("专家并行通信", "Expert-parallel traffic"),
        "pipeline" => ("流水线通信", "Pipeline traffic"),
        "bubble" => ("流水线空泡", "Pipeline bubble"),
        "data" => ("数据并行通信（未被掩盖的部分）", "Data-parallel traffic that is waited for"),
        "offload" => ("卸载传输（未被掩盖的部分）", "Offload traffic that is waited for"),
        "step" => ("优化器更新", "Optimizer step"),
        "weights" => ("读取权重", "Reading weights"),
        "cache" => ("读取 KV Cache", "Reading the KV cache"),
        _ => return None,
    };
    Some(Text::new(zh, en))
}

/// Rates that a search computes once per card and precision. Per second.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rates {
    pub operations: f64,
    pub memory: f64,
    pub host_step: f64,
    pub links: Links,
}

/// Operations of a step on the slowest stage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work {
    /// Per token, forward.
    pub all: f64,
    /// What the backward computes again.
    pub again: f64,
}

/// The time of one choice; `None` where 64 bits do not hold its traffic.
pub(crate) fn cost(
    quick: &Quick<'_>,
    states: &StateTable,
    how: &Distributed,
    held: &Held,
    work: Work,
    rates: &Rates,
) -> Option<Cost> {
    let mesh = &how.mesh;
    let (tokens, micro) = (how.training.seq / mesh.context, how.micro_batches as f64);
    let tokens = micro * how.training.batch as f64 * tokens as f64;
    let mut cost = Cost {
        compute: 3.0 * work.all * tokens / rates.operations,
        recompute: work.again * tokens / rates.operations,
        ..Cost::default()
    };
    let (mut data, mut away) = (0.0f64, [0.0f64; 4]);
    quick.traffic(states, how, |line| {
        let seconds = line.sent as f64 / rates.links.rate(line.axis, mesh) as f64;
        match line.axis {
            Axis::Data | Axis::ExpertData => data += seconds,
            Axis::Tensor => cost.tensor += seconds,
            Axis::Pipeline => cost.pipeline += seconds,
            Axis::Expert => cost.expert += seconds,
            Axis::Context => cost.context += seconds,
            Axis::ToHost => away[0] += seconds,
            Axis::FromHost => away[1] += seconds,
            Axis::ToDrive => away[2] += seconds,
            Axis::FromDrive => away[3] += seconds,
        }
    })?;
    let passes = cost.compute + cost.recompute;
    cost.data = (data - passes).max(0.0);
    // The links work at the same time: only what outlasts the other is waited for once more.
    cost.offload = (away.into_iter().fold(0.0, f64::max) - passes.max(data)).max(0.0);
    if mesh.pipeline > 1 {
        let busy = passes + cost.tensor + cost.context + cost.expert + cost.pipeline;
        cost.bubble = busy * (mesh.pipeline - 1) as f64 / (mesh.chunks() as f64 * micro);
    }
    let rate = if how.offload.states == Place::Device { rates.memory } else { rates.host_step };
    cost.step = held.stepped as f64 / rate;
    Some(cost)
}

impl Rates {
    /// `None` for a card without the needed rates.
    pub(crate) fn of(speed: &crate::catalogue::Speed, formats: &[&str], assumptions: &Assumptions) -> Option<Self> {
        let dense = formats.iter().find_map(|format| speed.dense_rate(format))?;
        let rates = Self {
            operations: dense as f64 * assumptions.efficiency,
            memory: speed.memory as f64 * assumptions.memory_efficiency,
            host_step: assumptions.host_step as f64,
            links: assumptions.links(speed)?,
        };
        (rates.operations > 0.0 && rates.memory > 0.0 && rates.host_step > 0.0).then_some(rates)
    }
}
