//! What each rank sends in a step, axis by axis.
//!
//! Rings throughout ([`Collective`]). Every line is that of the stage that sends most of it.
//!
//! * **data** (data × context ranks; experts: among those that hold the same ones): gradients are reduced once per
//!   step, with ZeRO-2 and 3 once per micro-batch; weights are gathered once per step from ZeRO-1 on, with ZeRO-3
//!   twice per micro-batch.
//! * **tensor**: four all-reduces of a layer's input per layer and micro-batch, two more where the layer is computed
//!   again; one for the embedding, one for the head. With sequence parallelism each is a reduce-scatter and an
//!   all-gather, and the two divided inputs are gathered once more for the gradients of weights.
//! * **pipeline**: a micro-batch's activations go forward and their gradients back, per chunk; a tied matrix on two
//!   stages is reduced between them.
//! * **expert**: tokens go to their experts and back, four times per layer, six where it is computed again.
//! * **context**: keys and values go around the ring, twice that way in the backward pass with their gradients.
//! * **host** and **drive**: gradients out and weights in where the optimizer has left the card; states read and
//!   written where they lie on a drive; offloaded weights come twice per micro-batch.

use serde::{Deserialize, Serialize};

use super::{
    Collective, Distributed, Links, Place, ZeroStage,
    rank::{Shard, key_value_width},
    seconds,
};
use crate::{LedgerError, Model, Text, training::Checkpointing};

/// Between whom bytes travel.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    Data,
    /// Data and context ranks that hold the same experts.
    ExpertData,
    Tensor,
    Pipeline,
    Expert,
    Context,
    /// Card to host.
    ToHost,
    /// Host to card.
    FromHost,
    ToDrive,
    FromDrive,
}

impl Axis {
    /// The axis in words.
    pub fn name(self) -> Text {
        match self {
            Axis::Data => Text::new("数据并行", "Data parallel"),
            Axis::ExpertData => Text::new("专家的数据并行", "Data parallel among equal experts"),
            Axis::Tensor => Text::new("张量并行", "Tensor parallel"),
            Axis::Pipeline => Text::new("流水线", "Pipeline"),
            Axis::Expert => Text::new("专家并行", "Expert parallel"),
            Axis::Context => Text::new("上下文并行", "Context parallel"),
            Axis::ToHost => Text::new("卡到主机", "Card to host"),
            Axis::FromHost => Text::new("主机到卡", "Host to card"),
            Axis::ToDrive => Text::new("写盘", "Written to the drive"),
            Axis::FromDrive => Text::new("读盘", "Read from the drive"),
        }
    }
}

/// What one rank sends in a step for one purpose.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    pub axis: Axis,
    pub collective: Collective,
    /// Ranks that take part.
    pub ranks: u64,
    /// Bytes of the tensors of one call together.
    pub bytes: u64,
    /// Calls per step.
    pub calls: u64,
    /// Bytes that the rank sends in a step: calls × what the ring sends of `bytes`.
    pub sent: u64,
}

impl Traffic {
    /// Seconds on the link of that axis; latency is left out.
    ///
    /// # Errors
    /// A link of rate zero.
    pub fn seconds(&self, links: &Links, mesh: &super::Mesh) -> Result<f64, LedgerError> {
        if self.sent == 0 {
            return Ok(0.0);
        }
        seconds(self.sent, links.rate(self.axis, mesh))
    }
}

/// How often the layers' forward is computed again in the backward pass.
const fn recomputed(checkpointing: Checkpointing) -> u64 {
    match checkpointing {
        Checkpointing::None | Checkpointing::Selective | Checkpointing::Segments(1) => 0,
        Checkpointing::EveryLayer | Checkpointing::SqrtSegments | Checkpointing::Segments(_) => 1,
        // Of parts only the feed-forward block has traffic of its own; counted as a whole layer's, which is a bound.
        Checkpointing::Parts(parts) => parts.mlp as u64,
    }
}

/// What of a stage decides about its traffic. Parameters per rank.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    first: bool,
    last: bool,
    layers: u64,
    sparse: u64,
    parameters: u64,
    experts: u64,
    divided: u64,
    /// The head's copy of a tied embedding.
    tied: u64,
}

impl Load {
    pub(crate) fn of(shard: &Shard) -> Self {
        let stage = &shard.stage;
        Self {
            first: stage.first,
            last: stage.last,
            layers: stage.layers,
            sparse: stage.layers - stage.dense,
            parameters: shard.whole.parameters,
            experts: shard.experts,
            divided: shard.divided.parameters,
            tied: shard.whole.head,
        }
    }
}

/// Bytes and number of the calls of one kind on a stage, by its place in the list.
type Calls<'a> = &'a dyn Fn(usize, &Load) -> Option<(u64, u64)>;

/// Sizes that the lines share. Bytes.
struct Sizes {
    weight: u64,
    gradient: u64,
    /// A layer's input inside and outside the tensor-parallel regions.
    inside: Option<u64>,
    stream: Option<u64>,
    routed: Option<u64>,
    keys: Option<u64>,
}

/// The lines of a step, in the order of [`Axis`]; those that send nothing are left out. `drive` is what each stage's
/// states take on a drive.
pub(crate) fn of_step(
    model: &Model,
    loads: &[Load],
    how: &Distributed,
    drive: &[u64],
) -> Result<Vec<Traffic>, LedgerError> {
    let mut lines = Vec::with_capacity(8);
    each(model, loads, how, drive, &mut |line| lines.push(line))
        .ok_or_else(|| LedgerError::Overflow { what: "traffic", formula: "Σ bytes sent".to_owned() })?;
    Ok(lines)
}

/// [`of_step`] without a list; `None` where 64 bits do not suffice.
pub(crate) fn each(
    model: &Model,
    loads: &[Load],
    how: &Distributed,
    drive: &[u64],
    then: &mut impl FnMut(Traffic),
) -> Option<()> {
    let (mesh, micro) = (&how.mesh, how.micro_batches);
    let sizes = sizes(model, how)?;
    let again = recomputed(how.training.checkpointing);
    let chunks = mesh.chunks();
    // The stage that sends most of a kind.
    let mut most = |axis, collective: Collective, ranks: u64, of: Calls<'_>| {
        let mut line: Option<Traffic> = None;
        for (at, load) in loads.iter().enumerate() {
            let (bytes, calls) = of(at, load)?;
            let sent = collective.sent(bytes, ranks)?.checked_mul(calls)?;
            if sent > line.map_or(0, |line| line.sent) {
                line = Some(Traffic { axis, collective, ranks, bytes, calls, sent });
            }
        }
        if let Some(line) = line {
            then(line);
        }
        Some(())
    };
    let away = how.offload.states != Place::Device;
    let reductions = if how.zero >= ZeroStage::Two || away { micro } else { 1 };
    let gathers = match how.zero {
        ZeroStage::Zero => 0,
        ZeroStage::One | ZeroStage::Two => 1,
        ZeroStage::Three => micro.checked_mul(2)?,
    };
    let reduce = if how.zero == ZeroStage::Zero { Collective::AllReduce } else { Collective::ReduceScatter };
    let kinds = [(Axis::Data, mesh.replicas(), false), (Axis::ExpertData, mesh.expert_replicas(), true)];
    for (axis, ranks, experts) in kinds {
        if ranks <= 1 {
            continue;
        }
        let parameters = |load: &Load| if experts { load.experts } else { load.parameters - load.experts };
        most(axis, reduce, ranks, &|_, load| Some((parameters(load).checked_mul(sizes.gradient)?, reductions)))?;
        most(axis, Collective::AllGather, ranks, &|_, load| {
            Some((parameters(load).checked_mul(sizes.weight)?, gathers))
        })?;
    }
    if mesh.tensor > 1 {
        let ends = |load: &Load| u64::from(load.first) + u64::from(load.last);
        let calls = |load: &Load, per_layer: u64, at_ends: u64| {
            micro.checked_mul(load.layers.checked_mul(per_layer + 2 * again)?.checked_add(at_ends * ends(load))?)
        };
        let tokens = sizes.inside?;
        if mesh.sequence {
            most(Axis::Tensor, Collective::AllGather, mesh.tensor, &|_, load| Some((tokens, calls(load, 6, 1)?)))?;
            most(Axis::Tensor, Collective::ReduceScatter, mesh.tensor, &|_, load| Some((tokens, calls(load, 4, 1)?)))?;
        } else {
            most(Axis::Tensor, Collective::AllReduce, mesh.tensor, &|_, load| Some((tokens, calls(load, 4, 1)?)))?;
        }
    }
    if mesh.pipeline > 1 {
        let stream = sizes.stream?;
        most(Axis::Pipeline, Collective::PointToPoint, mesh.pipeline, &|_, load| {
            let ends = u64::from(load.first) + u64::from(load.last);
            Some((stream, micro.checked_mul((2 * chunks).checked_sub(ends)?)?))
        })?;
        if model.tied {
            most(Axis::Pipeline, Collective::AllReduce, 2, &|_, load| {
                Some((if load.last { load.tied.checked_mul(sizes.gradient)? } else { 0 }, 1))
            })?;
        }
    }
    if mesh.expert > 1 {
        let routed = sizes.routed?;
        most(Axis::Expert, Collective::AllToAll, mesh.expert, &|_, load| {
            Some((routed, micro.checked_mul(load.sparse.checked_mul(4 + 2 * again)?)?))
        })?;
    }
    if mesh.context > 1 {
        let keys = sizes.keys?;
        most(Axis::Context, Collective::PointToPoint, mesh.context, &|_, load| {
            let rounds = (3 + again) * (mesh.context - 1);
            Some((keys, micro.checked_mul(load.layers.checked_mul(rounds)?)?))
        })?;
    }
    let share = |load: &Load, from: ZeroStage| if how.zero >= from { load.divided } else { load.parameters };
    let passes = micro.checked_mul(2)?;
    let mut link = |axis, of: Calls<'_>| most(axis, Collective::PointToPoint, 2, of);
    if away {
        link(Axis::ToHost, &|_, load| Some((share(load, ZeroStage::Two).checked_mul(sizes.gradient)?, micro)))?;
    }
    let weights_away = how.offload.weights != Place::Device;
    if weights_away || away {
        let (from, times) = if weights_away { (ZeroStage::Three, passes) } else { (ZeroStage::One, 1) };
        link(Axis::FromHost, &|_, load| Some((share(load, from).checked_mul(sizes.weight)?, times)))?;
    }
    if how.offload.weights == Place::Nvme {
        link(Axis::ToDrive, &|_, load| Some((load.divided.checked_mul(sizes.weight)?, 1)))?;
        link(Axis::FromDrive, &|_, load| Some((load.divided.checked_mul(sizes.weight)?, passes)))?;
    }
    if how.offload.states == Place::Nvme {
        link(Axis::ToDrive, &|at, _| Some((drive.get(at).copied()?, 1)))?;
        link(Axis::FromDrive, &|at, _| Some((drive.get(at).copied()?, 1)))?;
    }
    Some(())
}

fn sizes(model: &Model, how: &Distributed) -> Option<Sizes> {
    let (mesh, precision) = (&how.mesh, how.training.precision);
    let (outside, inside) = mesh.tokens(how.training.seq);
    let tokens = |tokens: u64| how.training.batch.checked_mul(tokens);
    let compute = precision.compute_bytes();
    let narrow_keys = match &model.latent {
        Some(_) => key_value_width(model) / mesh.tensor,
        None => 2 * (model.kv_heads / mesh.tensor).max(1).checked_mul(model.head_dim)?,
    };
    let routed = model.experts.map_or(0, |experts| experts.per_token);
    Some(Sizes {
        weight: precision.weight_bytes(),
        gradient: precision.gradient_bytes(),
        inside: tokens(inside)?.checked_mul(model.hidden)?.checked_mul(compute),
        stream: tokens(outside)?.checked_mul(model.hidden)?.checked_mul(precision.stream_bytes()),
        routed: tokens(outside)?.checked_mul(routed)?.checked_mul(model.hidden)?.checked_mul(compute),
        keys: tokens(inside)?.checked_mul(narrow_keys)?.checked_mul(compute),
    })
}
