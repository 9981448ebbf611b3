//! Which tensor gets which type: the rules of `llama_tensor_get_type` (llama.cpp, `src/llama-quant.cpp`) for all
//! architectures but Falcon's.

use super::{GgmlType, Mixture};
use crate::Model;

/// What the rules look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The output head, or an embedding that is the head as well.
    Output,
    Embedding,
    Query,
    Key,
    Value,
    /// Query, key and value in one matrix.
    Fused,
    AttentionOut,
    /// Gate, up, or both in one matrix.
    Wide,
    Down,
    Other,
}

/// The numbers of a model that the rules ask for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    layers: u64,
    /// Query heads that share a key-value head.
    shared: u64,
    /// 1 for a dense model.
    experts: u64,
    seventy: bool,
}

impl Shape {
    pub fn of(model: &Model) -> Self {
        Self {
            layers: model.layers,
            shared: model.heads / model.kv_heads.max(1),
            experts: model.experts.map_or(1, |experts| experts.total),
            seventy: model.layers == 80 && model.heads != model.kv_heads,
        }
    }

    /// The first and last eighth of the layers, and every third between, get more bits.
    fn more_bits(&self, layer: u64) -> bool {
        !self.middle(layer) || (layer - self.layers / 8) % 3 == 2
    }

    fn first_eighth(&self, layer: u64) -> bool {
        layer < self.layers / 8
    }

    fn middle(&self, layer: u64) -> bool {
        (self.layers / 8..self.last_eighth()).contains(&layer)
    }

    fn last_eighth(&self) -> u64 {
        // 7 · layers ÷ 8, rounded down.
        self.layers - self.layers.div_ceil(8)
    }

    /// The layers at which a rule may change; between two of them it repeats every third layer.
    pub fn changes(&self) -> [u64; 5] {
        [2, 4, self.layers / 16, self.layers / 8, self.last_eighth()]
    }
}

/// A tensor's place: of `turn` it is asked how many of its kind came before it in the file, of `layer` where it works.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub kind: Kind,
    pub layer: u64,
    pub turn: u64,
    /// Inputs.
    pub columns: u64,
    /// Several matrices in one tensor.
    pub stacked: bool,
}

/// The type of a tensor.
pub(super) fn choose(mixture: Mixture, shape: &Shape, place: &Place) -> GgmlType {
    if matches!(mixture, Mixture::F32 | Mixture::F16 | Mixture::BF16) {
        return mixture.base();
    }
    fitting(by_rule(mixture, shape, place), place.columns)
}

fn by_rule(mixture: Mixture, shape: &Shape, place: &Place) -> GgmlType {
    use Mixture as M;
    let base = mixture.base();
    match place.kind {
        Kind::Output => output(mixture, place.columns),
        _ if mixture == M::MXFP4_MOE => {
            if place.stacked {
                GgmlType::MXFP4
            } else {
                GgmlType::Q8_0
            }
        }
        Kind::Embedding => match mixture {
            M::IQ2_XXS | M::IQ2_XS | M::IQ1_S | M::IQ1_M => GgmlType::Q2_K,
            M::IQ2_S | M::IQ2_M | M::IQ3_XXS => GgmlType::IQ3_S,
            M::TQ1_0 | M::TQ2_0 => GgmlType::Q4_K,
            _ => base,
        },
        _ if matches!(mixture, M::IQ1_S | M::IQ1_M | M::IQ2_XXS | M::IQ2_XS | M::IQ2_S | M::IQ2_M) => {
            smallest(mixture, shape, place)
        }
        Kind::Value => value(mixture, shape, place.layer),
        Kind::Key if shape.experts == 8 => GgmlType::Q8_0,
        Kind::Key | Kind::Query => match mixture {
            M::IQ3_XS => GgmlType::IQ3_XXS,
            M::IQ3_XXS => GgmlType::IQ2_S,
            _ => base,
        },
        Kind::Fused => match mixture {
            M::Q3_K_M | M::Q3_K_L | M::IQ3_M => GgmlType::Q4_K,
            M::Q4_K_M => GgmlType::Q5_K,
            M::Q5_K_M => GgmlType::Q6_K,
            _ => base,
        },
        Kind::AttentionOut => attention_out(mixture, shape),
        Kind::Wide if mixture == M::IQ3_XS && shape.middle(place.layer) => GgmlType::IQ3_XXS,
        Kind::Down => down(mixture, shape, place.layer),
        Kind::Wide | Kind::Other => base,
    }
}

fn output(mixture: Mixture, columns: u64) -> GgmlType {
    use Mixture as M;
    let base = mixture.base();
    match mixture {
        _ if mixture == M::MXFP4_MOE || !columns.is_multiple_of(base.block().0) => GgmlType::Q8_0,
        M::IQ1_S | M::IQ1_M | M::IQ2_XXS | M::IQ2_XS | M::IQ2_S | M::IQ2_M | M::IQ3_XXS => GgmlType::Q5_K,
        M::Q8_0 => GgmlType::Q8_0,
        _ => GgmlType::Q6_K,
    }
}

/// Mixtures of one and two bits.
fn smallest(mixture: Mixture, shape: &Shape, place: &Place) -> GgmlType {
    use Mixture as M;
    let larger = matches!(mixture, M::IQ2_S | M::IQ2_M);
    let better = if larger { GgmlType::IQ3_S } else { GgmlType::Q2_K };
    match place.kind {
        Kind::Value if shape.shared >= 4 || shape.experts >= 4 => GgmlType::Q4_K,
        Kind::Value => better,
        Kind::Key if shape.experts == 8 => GgmlType::Q4_K,
        Kind::Down if shape.first_eighth(place.turn) => better,
        Kind::AttentionOut if shape.experts == 8 => GgmlType::Q5_K,
        Kind::AttentionOut if matches!(mixture, M::IQ1_S | M::IQ1_M) => GgmlType::IQ2_XXS,
        Kind::AttentionOut if larger => GgmlType::IQ3_S,
        _ => mixture.base(),
    }
}

fn value(mixture: Mixture, shape: &Shape, layer: u64) -> GgmlType {
    use Mixture as M;
    // With eight experts the rest is so much that better values cost next to nothing.
    if shape.experts == 8 {
        return GgmlType::Q8_0;
    }
    let grouped = shape.shared >= 4;
    let chosen = match mixture {
        M::Q2_K if !grouped => GgmlType::Q3_K,
        M::Q2_K | M::Q2_K_S | M::IQ3_XXS | M::IQ3_XS | M::IQ3_S if grouped => GgmlType::Q4_K,
        M::IQ3_M => GgmlType::Q4_K,
        M::Q3_K_M if layer < 2 => GgmlType::Q5_K,
        M::Q3_K_M => GgmlType::Q4_K,
        M::Q3_K_L => GgmlType::Q5_K,
        M::IQ4_NL | M::IQ4_XS if grouped => GgmlType::Q5_K,
        M::Q4_K_M | M::Q5_K_M if shape.more_bits(layer) => GgmlType::Q6_K,
        M::Q4_K_S if layer < 4 => GgmlType::Q5_K,
        _ => mixture.base(),
    };
    // The 70B models share each value head among eight query heads: it is small and gets one step more.
    let raised = shape.seventy && matches!(chosen, GgmlType::Q3_K | GgmlType::Q4_K);
    if raised { GgmlType::Q5_K } else { chosen }
}

fn attention_out(mixture: Mixture, shape: &Shape) -> GgmlType {
    use Mixture as M;
    let eight = shape.experts == 8;
    match mixture {
        M::Q2_K | M::IQ3_XS | M::IQ3_XXS | M::Q3_K_S | M::Q3_K_M | M::IQ4_NL | M::Q4_K_S | M::Q4_K_M if eight => {
            GgmlType::Q5_K
        }
        M::IQ3_S | M::IQ3_M | M::IQ4_XS if eight => GgmlType::Q5_K,
        _ if eight => mixture.base(),
        M::Q2_K => GgmlType::Q3_K,
        M::IQ3_XXS => GgmlType::IQ3_S,
        M::Q3_K_M | M::IQ3_M => GgmlType::Q4_K,
        M::Q3_K_L => GgmlType::Q5_K,
        _ => mixture.base(),
    }
}

fn down(mixture: Mixture, shape: &Shape, layer: u64) -> GgmlType {
    use Mixture as M;
    let first = shape.first_eighth(layer);
    match mixture {
        M::Q2_K => GgmlType::Q3_K,
        M::Q2_K_S if first => GgmlType::Q4_K,
        M::Q3_K_M if layer < shape.layers / 16 => GgmlType::Q5_K,
        M::Q3_K_M => GgmlType::Q4_K,
        M::IQ3_M if first || (shape.experts == 8 && shape.more_bits(layer)) => GgmlType::Q4_K,
        M::Q3_K_L => GgmlType::Q5_K,
        M::Q4_K_M | M::Q5_K_M if shape.more_bits(layer) => GgmlType::Q6_K,
        M::IQ4_NL | M::IQ4_XS | M::Q4_K_S if first => GgmlType::Q5_K,
        _ => mixture.base(),
    }
}

/// A row holds whole blocks: where the chosen type's do not divide it, one with blocks of 32 stands in, and F16 where
/// those do not either (`tensor_type_fallback`).
fn fitting(chosen: GgmlType, columns: u64) -> GgmlType {
    let divides = |kind: GgmlType| columns.is_multiple_of(kind.block().0);
    if divides(chosen) {
        return chosen;
    }
    let instead = match chosen {
        GgmlType::IQ1_S
        | GgmlType::IQ1_M
        | GgmlType::IQ2_XXS
        | GgmlType::IQ2_XS
        | GgmlType::IQ2_S
        | GgmlType::IQ3_XXS
        | GgmlType::IQ3_S
        | GgmlType::IQ4_XS => GgmlType::IQ4_NL,
        GgmlType::Q2_K | GgmlType::Q3_K | GgmlType::TQ1_0 | GgmlType::TQ2_0 => GgmlType::Q4_0,
        GgmlType::Q4_K => GgmlType::Q5_0,
        GgmlType::Q5_K => GgmlType::Q5_1,
        GgmlType::Q6_K => GgmlType::Q8_0,
        _ => GgmlType::F16,
    };
    if divides(instead) { instead } else { GgmlType::F16 }
}
