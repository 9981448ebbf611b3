//! The share of the model that one rank holds and computes.

use super::Mesh;
use crate::{Experts, LedgerError, Model, Role, Tensors, Window, training::pieces::Facts};

/// Stages with the same share; the first of them waits for most micro-batches and stands for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stage {
    /// The lowest stage of that kind.
    pub index: u64,
    /// How many stages are like it.
    pub count: u64,
    pub first: bool,
    pub last: bool,
    pub layers: u64,
    /// Layers without experts among them.
    pub dense: u64,
}

/// Layers of stage `stage`, counted from its chunks, that come before layer `limit` of the model.
fn layers_before(mesh: &Mesh, layers: u64, stage: u64, limit: u64) -> u64 {
    let (chunks, pipeline) = (mesh.chunks(), mesh.pipeline);
    let per_chunk = layers / (pipeline * chunks);
    (0..chunks).map(|chunk| limit.saturating_sub((chunk * pipeline + stage) * per_chunk).min(per_chunk)).sum()
}

/// The kinds of stages, in the order of the pipeline. The mesh has been checked.
pub(crate) fn stages(model: &Model, mesh: &Mesh) -> Vec<Stage> {
    let dense = model.experts.map_or(model.layers, |experts| experts.dense_layers);
    let mut stages: Vec<Stage> = Vec::with_capacity(4);
    for index in 0..mesh.pipeline {
        let stage = Stage {
            index,
            count: 1,
            first: index == 0,
            last: index + 1 == mesh.pipeline,
            layers: model.layers / mesh.pipeline,
            dense: layers_before(mesh, model.layers, index, dense),
        };
        match stages.last_mut() {
            Some(last) if (Stage { index, count: 1, ..*last }) == stage => last.count += 1,
            _ => stages.push(stage),
        }
    }
    stages
}

impl Stage {
    /// The model as one rank of this stage sees it: its layers, its heads, its widths. Key-value heads are repeated
    /// where there are fewer than tensor ranks; a vocabulary that does not divide is padded.
    pub(crate) fn narrow(&self, model: &Model, mesh: &Mesh) -> Model {
        let tensor = mesh.tensor;
        Model {
            layers: self.layers,
            vocab: model.vocab.div_ceil(tensor),
            heads: model.heads / tensor,
            kv_heads: (model.kv_heads / tensor).max(1),
            intermediate: model.intermediate / tensor,
            tied: model.tied && self.first && self.last,
            window: model.window.map(|window| Window { layers: window.layers.min(self.layers), ..window }),
            experts: model.experts.map(|experts| Experts {
                intermediate: experts.intermediate / tensor,
                shared_intermediate: experts.shared_intermediate / tensor,
                dense_layers: self.dense,
                ..experts
            }),
            ..model.clone()
        }
    }

    /// The model whose layers, over a `tensor`-th of the tokens, save what a rank saves: with sequence parallelism
    /// tokens are divided where widths are not, so every tensor is a `tensor`-th of the whole one.
    pub(crate) fn wide(&self, model: &Model, mesh: &Mesh) -> Model {
        let narrow = self.narrow(model, mesh);
        if !mesh.sequence {
            return narrow;
        }
        let tensor = mesh.tensor;
        Model {
            vocab: narrow.vocab.saturating_mul(tensor),
            heads: model.heads,
            kv_heads: narrow.kv_heads.saturating_mul(tensor),
            intermediate: model.intermediate,
            experts: model.experts.map(|experts| Experts { dense_layers: self.dense, ..experts }),
            ..narrow
        }
    }

    /// The parameter tensors of one rank: a tied head on a stage of its own is a copy of the embedding.
    pub(crate) fn tensors(&self, model: &Model, mesh: &Mesh) -> Result<Vec<Tensors>, LedgerError> {
        let narrow = self.narrow(model, mesh);
        let mut groups = Vec::with_capacity(20);
        let mut in_final_norm = false;
        for mut group in narrow.tensors()? {
            in_final_norm = group.part == "final_norm" || (in_final_norm && group.part == "norm_bias");
            let here = match group.role {
                Role::Embedding | Role::Position => self.first,
                Role::Head => self.last,
                _ if in_final_norm || group.part == "head_bias" => self.last,
                _ => true,
            };
            if is_expert(&group) {
                group.stack /= mesh.expert;
                group.elements /= mesh.expert;
            }
            if here {
                groups.push(group);
            }
        }
        // `narrow` is untied where the copy is needed, so that the head is listed.
        Ok(groups)
    }

    /// Sums over tensors of this stage.
    pub(crate) fn facts(&self, model: &Model, groups: &[Tensors]) -> Result<Facts, LedgerError> {
        let tied = model.tied && self.first && self.last;
        Facts::from_groups(groups, self.layers, Some(if tied { Role::Embedding } else { Role::Head }))
    }
}

/// Weights and biases of routed experts: divided by the expert ranks.
pub(crate) fn is_expert(group: &Tensors) -> bool {
    group.role == Role::Expert || group.part.starts_with("expert_")
}

/// The tensors of the rank that holds most when `replicas` ranks, or for experts `expert_replicas`, divide every
/// tensor among them: each tensor's share is rounded up.
pub(crate) fn divided(groups: &[Tensors], mesh: &Mesh) -> Vec<Tensors> {
    groups
        .iter()
        .map(|group| {
            let ranks = sharers(group, mesh);
            Tensors { rows: group.rows.div_ceil(ranks), elements: group.elements.div_ceil(ranks), ..*group }
        })
        .collect()
}

/// Ranks that hold the same tensor.
pub(crate) fn sharers(group: &Tensors, mesh: &Mesh) -> u64 {
    if is_expert(group) { mesh.expert_replicas() } else { mesh.replicas() }.max(1)
}
