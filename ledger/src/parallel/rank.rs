//! The training ledger of one rank, put together from the pieces of the single card's.

use super::{
    Distributed, Place, ZeroStage,
    held::{Kind, Share},
    stage::{Stage, divided, is_expert, sharers},
};
use crate::{
    LedgerError, Model, Object, Tensors,
    formula::{Term, b, n},
    training::{
        Moment, Optimizer, Training,
        pieces::{self, Facts, Line},
    },
};

/// While the passes run.
pub(crate) const PASSES: [Moment; 8] = [
    Moment::ForwardEnd,
    Moment::LossBackward,
    Moment::HeadBackward,
    Moment::LayersBackward,
    Moment::TurnBackward,
    Moment::FirstLayerBackward,
    Moment::SegmentBackward,
    Moment::BackwardEnd,
];
/// While gradients of parameters appear.
pub(crate) const GRADIENTS: [Moment; 6] = [
    Moment::HeadBackward,
    Moment::LayersBackward,
    Moment::TurnBackward,
    Moment::FirstLayerBackward,
    Moment::SegmentBackward,
    Moment::BackwardEnd,
];

/// The tensors of a stage and their shares, counted once.
pub(crate) struct Shard {
    pub stage: Stage,
    pub model: Model,
    pub whole: Facts,
    pub divided: Facts,
    /// Parameters that are gathered or reduced at a time, of the tensors that ranks divide, and of all.
    pub shared_unit: Unit,
    pub unit: Unit,
    /// Parameters of routed experts.
    pub experts: u64,
}

/// Parameters that FSDP handles at once: a layer, the embedding, the head.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    pub largest: u64,
    pub layer: u64,
}

impl Unit {
    fn of(stage: &Stage, model: &Model, groups: &[Tensors]) -> Result<Self, LedgerError> {
        let facts = stage.facts(model, groups)?;
        let layer = facts.common.saturating_add(facts.dense.max(facts.sparse));
        Ok(Self { largest: layer.max(facts.first).max(facts.head), layer })
    }
}

impl Shard {
    pub(crate) fn of(model: &Model, how: &super::Mesh, stage: Stage) -> Result<Self, LedgerError> {
        let groups = stage.tensors(model, how)?;
        let shared: Vec<Tensors> = groups.iter().filter(|group| sharers(group, how) > 1).copied().collect();
        Ok(Self {
            model: stage.narrow(model, how),
            whole: stage.facts(model, &groups)?,
            divided: stage.facts(model, &divided(&groups, how))?,
            shared_unit: Unit::of(&stage, model, &shared)?,
            unit: Unit::of(&stage, model, &groups)?,
            experts: product_sum(groups.iter().filter(|group| is_expert(group)))?,
            stage,
        })
    }

    /// The lines of the states over whole tensors and over a rank's share.
    pub(crate) fn states(&self, training: &Training, micro_batches: u64) -> Result<[Vec<Line>; 2], LedgerError> {
        let of = |facts| pieces::states(&self.model, facts, training, micro_batches);
        Ok([of(&self.whole)?, of(&self.divided)?])
    }

    /// Pages of states on the host; shares of them are not modelled.
    pub(crate) fn paged(&self, optimizer: Optimizer) -> Result<u64, LedgerError> {
        Ok(pieces::paged(&self.whole, optimizer)
            .map(|pages| pages.finish("paged_states"))
            .transpose()?
            .map_or(0, |(bytes, _)| bytes))
    }

    /// The units whose weights are whole for a moment: the one that is computed and the next layer, fetched ahead.
    pub(crate) fn gathered(&self, zero: ZeroStage, weights: Place) -> [u64; 2] {
        let unit = match (zero, weights) {
            (ZeroStage::Three, Place::Device) => self.shared_unit,
            (ZeroStage::Three, _) => self.unit,
            _ => return [0, 0],
        };
        [unit.largest, unit.layer]
    }

    /// The unit whose gradients wait to be reduced to a share, or sent away.
    pub(crate) fn bucket(&self, zero: ZeroStage, states: Place) -> u64 {
        match states {
            Place::Device if zero >= ZeroStage::Two => self.shared_unit.largest,
            Place::Device => 0,
            _ => self.unit.largest,
        }
    }
}

fn product_sum<'a>(mut groups: impl Iterator<Item = &'a Tensors>) -> Result<u64, LedgerError> {
    groups
        .try_fold(0u64, |sum, group| sum.checked_add(group.total()?))
        .ok_or_else(|| LedgerError::Overflow { what: "parameters", formula: "Σ experts".to_owned() })
}

/// Numbers per token of the keys and values of one layer.
pub(crate) fn key_value_width(model: &Model) -> u64 {
    match &model.latent {
        Some(latent) => model.heads.saturating_mul(latent.nope_dim + latent.rope_dim + latent.value_dim),
        None => 2 * model.kv_heads.saturating_mul(model.head_dim),
    }
}

/// What the layers and the head of a stage save for one micro-batch.
pub(crate) fn saved(model: &Model, shard: &Shard, how: &Distributed) -> Result<Vec<Line>, LedgerError> {
    let mesh = &how.mesh;
    let wide = shard.stage.wide(model, mesh);
    let (outside, inside) = mesh.tokens(how.training.seq);
    let workload = Training { seq: outside, ..how.training };
    let mut lines = pieces::activations(&wide, &shard.whole, &workload)?;
    if outside != inside {
        // The rotary tables serve attention, which sees all tokens of the rank.
        for line in lines.iter_mut().filter(|line| line.entry.part == "rotary_tables") {
            times(line, mesh.tensor)?;
        }
    }
    if outside != inside {
        let gathered = b(how.training.precision.compute_bytes()) * n(how.training.batch) * n(inside) * n(wide.hidden);
        lines.extend(Line::new(Object::Communication, "gathered_tokens", gathered, &PASSES[..7])?);
    }
    if mesh.context > 1 {
        let width = key_value_width(&shard.model);
        let block = b(how.training.precision.compute_bytes()) * n(how.training.batch) * n(inside) * n(width);
        lines.extend(Line::new(Object::Communication, "ring_blocks", n(2) * block, &PASSES[..7])?);
    }
    if shard.stage.last {
        lines.extend(pieces::head(&wide, &workload, false)?);
    }
    Ok(lines)
}

fn times(line: &mut Line, factor: u64) -> Result<(), LedgerError> {
    let (bytes, formula) = (n(factor) * n(line.entry.bytes)).finish("rotary_tables")?;
    line.entry.bytes = bytes;
    line.entry.formula = formula;
    for at in &mut line.at {
        *at = at.saturating_mul(factor).min(bytes);
    }
    Ok(())
}

/// What a micro-batch keeps on the stage from the end of its forward to the start of its backward.
pub(crate) fn waiting(lines: &[Line]) -> Result<u64, LedgerError> {
    let kept = |line: &Line| match line.entry.object {
        Object::Communication => 0,
        _ => line.at[Moment::ForwardEnd.index()].min(line.at[Moment::LossBackward.index()]),
    };
    crate::formula::sum("waiting_micro_batches", lines.iter().map(kept))
}

/// `⌈(live − v) × waiting ÷ v⌉` with `v` chunks per stage.
pub(crate) fn waiting_term(live: u64, chunks: u64, waiting: u64) -> Term {
    let term = n(live.saturating_sub(chunks)) * n(waiting);
    if chunks > 1 { term.ceil_div(chunks) } else { term }
}

/// What a rank holds elsewhere. Bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Elsewhere {
    pub host: u64,
    pub nvme: u64,
    pub states_on_drive: u64,
}

impl Elsewhere {
    /// Adds a line that lies away from the card; `None` where 64 bits do not suffice.
    pub(crate) fn add(&mut self, kind: Kind, place: Place, line: &Line) -> Option<()> {
        // A temporary of the step is no state that is kept.
        if line.entry.object == Object::OptimizerTemporary {
            return Some(());
        }
        let bytes = line.entry.bytes;
        match place {
            Place::Device => {}
            Place::Host => self.host = self.host.checked_add(bytes)?,
            Place::Nvme => self.nvme = self.nvme.checked_add(bytes)?,
        }
        if place == Place::Nvme && kind == Kind::States {
            self.states_on_drive = self.states_on_drive.checked_add(bytes)?;
        }
        Some(())
    }
}

/// All lines of a rank, and what it holds away from its card.
pub(crate) fn lines(model: &Model, shard: &Shard, how: &Distributed) -> Result<(Vec<Line>, Elsewhere), LedgerError> {
    let training = &how.training;
    let [whole, divided] = shard.states(training, how.micro_batches)?;
    let mut lines = Vec::with_capacity(20);
    let mut away = Elsewhere::default();
    let overflow = || LedgerError::Overflow { what: "offloaded", formula: "Σ offloaded".to_owned() };
    for (line, kind, place) in pick(whole, divided, how) {
        match place {
            Place::Device => lines.push(line),
            place => away.add(kind, place, &line).ok_or_else(overflow)?,
        }
    }
    away.host = away.host.checked_add(shard.paged(training.optimizer)?).ok_or_else(overflow)?;
    let [unit, next] = shard.gathered(how.zero, how.offload.weights);
    let gathered = b(training.precision.weight_bytes()) * (n(unit) + n(next));
    lines.extend(Line::new(Object::Communication, "gathered_weights", gathered, &PASSES)?);
    let bucket = b(training.precision.gradient_bytes()) * n(shard.bucket(how.zero, how.offload.states));
    lines.extend(Line::new(Object::Communication, "gradient_bucket", bucket, &GRADIENTS)?);
    let saved = saved(model, shard, how)?;
    let (live, chunks) = (how.mesh.live_chunks(shard.stage.index, how.micro_batches), how.mesh.chunks());
    let waiting = waiting_term(live, chunks, waiting(&saved)?);
    lines.extend(saved);
    lines.extend(Line::new(Object::Activation, "waiting_micro_batches", waiting, &PASSES)?);
    Ok((lines, away))
}

/// Of each line over whole tensors or over shares the one that is held, in the order of the single card's ledger. Of
/// small shares a line may be empty and left out of its list.
fn pick(whole: Vec<Line>, mut divided: Vec<Line>, how: &Distributed) -> Vec<(Line, Kind, Place)> {
    let mut picked = Vec::with_capacity(whole.len());
    for line in whole {
        let kind = Kind::of(&line);
        let Some((share, place)) = kind.held(how.zero, how.offload) else { continue };
        let at = divided.iter().position(|other| other.entry.part == line.entry.part);
        let other = at.map(|at| divided.remove(at));
        let held = if share == Share::Whole { Some(line) } else { other };
        picked.extend(held.map(|line| (line, kind, place)));
    }
    picked
}
