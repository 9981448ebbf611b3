//! Sizes of models in the mixtures of `llama-quantize`.
//!
//! Assumed: an importance matrix only for the types that demand one (IQ1 to IQ3_XS), as in the table of llama.cpp's
//! own README; query, key and value in one matrix (GPT-2, Phi-3) by the rule that published files follow; latent
//! attention with its up-projection in two, as today's converter writes it. Tensor data only: metadata, tokenizer and
//! alignment are a few megabytes more.

use super::{
    GgmlType, Mixture,
    choose::{Kind, Place, Shape, choose},
};
use crate::{LedgerError, Model, Role, Tensors};

/// Bytes of the tensor data of a model in a mixture.
///
/// ```
/// use ledger::{catalogue, formats::{Mixture, gguf_bytes}};
/// let model = catalogue::model("Qwen2.5-0.5B").expect("in the catalogue");
/// // Rows of 896 hold no whole blocks of 256: most of Q4_K_M becomes Q5_0 and Q8_0.
/// assert_eq!(gguf_bytes(model, Mixture::Q4_K_M)?, 391_859_712);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// An inconsistent model or a result of 2⁶⁴ bytes and more.
pub fn gguf_bytes(model: &Model, mixture: Mixture) -> Result<u64, LedgerError> {
    let (shape, mut sum) = (Shape::of(model), 0u64);
    for group in model.tensors()? {
        let bytes = group_bytes(model, mixture, &shape, &group);
        sum = bytes.and_then(|bytes| sum.checked_add(bytes)).ok_or_else(overflow)?;
    }
    Ok(sum)
}

fn overflow() -> LedgerError {
    LedgerError::Overflow { what: "gguf", formula: "Σ blocks".to_owned() }
}

/// Average bits per weight of a mixture: bytes × 8 ÷ parameters.
///
/// # Errors
/// As [`gguf_bytes`].
pub fn gguf_bits_per_weight(model: &Model, mixture: Mixture) -> Result<f64, LedgerError> {
    Ok(gguf_bytes(model, mixture)? as f64 * 8.0 / model.parameters()? as f64)
}

/// `None` beyond 64 bits.
fn group_bytes(model: &Model, mixture: Mixture, shape: &Shape, group: &Tensors) -> Option<u64> {
    let kind = match (group.role, group.part) {
        (Role::Head, _) => Kind::Output,
        (Role::Embedding, _) if model.tied => Kind::Output,
        (Role::Embedding, _) => Kind::Embedding,
        // Vectors, position tables and routers stay in FP32.
        (Role::Norm | Role::Bias | Role::Position, _) | (_, "router" | "shared_expert_gate") => {
            return GgmlType::F32.bytes(group.total()?);
        }
        (_, "key_value_up") => return latent_bytes(model, mixture, shape, group.count),
        (_, "query") => Kind::Query,
        (_, "key") => Kind::Key,
        (_, "value") => Kind::Value,
        (_, "qkv") => Kind::Fused,
        (_, "attention_out") => Kind::AttentionOut,
        (_, "gate" | "up" | "gate_up" | "expert_gate_up" | "shared_gate" | "shared_up") => Kind::Wide,
        (_, "down" | "expert_down" | "shared_down") => Kind::Down,
        _ => Kind::Other,
    };
    // Dense layers come first, those with experts after them, a shared expert's matrices behind the routed ones.
    let dense = model.experts.map_or(0, |experts| experts.dense_layers);
    let shared = model.experts.is_some_and(|experts| experts.shared_intermediate > 0);
    let run = |first, step, behind| Run { shape: *shape, first, step, behind, count: group.count };
    let run = match group.part {
        "expert_gate_up" | "expert_down" => run(dense, 1 + u64::from(shared), 0),
        "shared_gate" | "shared_up" | "shared_down" => run(dense, 2, 1),
        _ => run(0, 1, 0),
    };
    let place = Place { kind, layer: 0, turn: 0, columns: group.columns, stacked: group.stack > 1 };
    run.bytes(mixture, place, group.elements)
}

/// llama.cpp keeps the up-projection of the latent vector in two stacks of one matrix per head, that of the keys
/// transposed.
fn latent_bytes(model: &Model, mixture: Mixture, shape: &Shape, layers: u64) -> Option<u64> {
    let latent = model.latent?;
    let half = |width: u64, columns: u64| {
        let elements = model.heads.checked_mul(width)?.checked_mul(latent.kv_rank)?;
        let place = Place { kind: Kind::Other, layer: 0, turn: 0, columns, stacked: model.heads > 1 };
        Run { shape: *shape, first: 0, step: 1, behind: 0, count: layers }.bytes(mixture, place, elements)
    };
    half(latent.nope_dim, latent.nope_dim)?.checked_add(half(latent.value_dim, latent.kv_rank)?)
}

/// One tensor in each of `count` layers from layer `first` on; of its kind there are `step` in a layer, and this one
/// comes after `behind` others.
struct Run {
    shape: Shape,
    first: u64,
    step: u64,
    behind: u64,
    count: u64,
}

impl Run {
    fn at(&self, place: Place, index: u64) -> Place {
        let turn = self.first.saturating_add(index.saturating_mul(self.step)).saturating_add(self.behind);
        Place { layer: self.first + index, turn, ..place }
    }

    /// The sum over the layers, stretch by stretch of equal rules, so that their number costs no time.
    fn bytes(&self, mixture: Mixture, place: Place, elements: u64) -> Option<u64> {
        let changes = self.shape.changes();
        let turns = changes.map(|turn| turn.saturating_sub(self.first + self.behind).div_ceil(self.step));
        let layers = changes.map(|layer| layer.saturating_sub(self.first));
        let mut cuts: Vec<u64> = turns.into_iter().chain(layers).map(|cut| cut.min(self.count)).collect();
        cuts.extend([0, self.count]);
        cuts.sort_unstable();
        let mut sum = 0u64;
        for stretch in cuts.windows(2) {
            let length = stretch[1] - stretch[0];
            for phase in 0..length.min(3) {
                let one = choose(mixture, &self.shape, &self.at(place, stretch[0] + phase)).bytes(elements)?;
                sum = sum.checked_add(one.checked_mul((length - phase).div_ceil(3))?)?;
            }
        }
        Some(sum)
    }
}
