//! Several devices.

use std::error::Error;

use ledger::{
    Biases, Experts, Family, Latent, Mlp, Model, Norm,
    parallel::{
        Layout, Recompute, StateBytes, TensorParallel, ZeroStage, layer_activation_bytes, score_share,
        shard_state_bytes, zero_state_bytes,
    },
};

use super::{Answer, Got, need, whole};
use crate::case::Case;

pub fn compute(case: &Case) -> Answer {
    match case.kind() {
        "zero" => zero(case),
        "korthikanti" => korthikanti(case),
        "megatron_weight_opt" => megatron(case),
        _ => Ok(None),
    }
}

fn zero(case: &Case) -> Answer {
    let number = |key| need(case, key, case.whole(key));
    let Some(stage) = ZeroStage::from_number(number("zero")?) else { return Ok(None) };
    let bytes: Vec<u64> =
        case.text("bytes").unwrap_or("2+2+12").split('+').filter_map(|part| part.trim().parse().ok()).collect();
    let [weights, gradients, optimizer] = bytes[..] else { return Ok(None) };
    let bytes = StateBytes { weights, gradients, optimizer };
    whole(zero_state_bytes(number("params")?, bytes, stage, number("dp")?)?)
}

fn korthikanti(case: &Case) -> Answer {
    let number = |key| need(case, key, case.whole(key));
    let (heads, hidden, seq) = (number("a")?, number("h")?, number("s")?);
    let name = case.id.rsplit('/').next().unwrap_or_default();
    if name == "5as_over_h" {
        return Ok(Some(Got::Real(score_share(heads, seq, hidden))));
    }
    let ranks = if name.starts_with("tp") { number("t")? } else { 1 };
    let recompute = match name {
        "full_recompute" => Recompute::Full,
        selective if selective.ends_with("selective") => Recompute::Selective,
        "no_parallel" | "tp" | "tp_sp" => Recompute::Nothing,
        _ => return Ok(None),
    };
    let sequence = matches!(name, "no_parallel" | "tp_sp" | "tp_sp_selective");
    let parallel = TensorParallel { ranks, sequence };
    whole(layer_activation_bytes(heads, hidden, number("b")?, seq, parallel, recompute)?)
}

/// A model from Megatron's arguments.
fn model(case: &Case) -> Result<Model, Box<dyn Error>> {
    let number = |key| need(case, key, case.whole(key));
    let (layers, heads) = (number("num_layers")?, number("num_attention_heads")?);
    let gated = case.flag("swiglu").unwrap_or(false);
    let rms = case.text("normalization") == Some("RMSNorm");
    let latent = if case.flag("multi_latent_attention").unwrap_or(false) {
        Some(Latent {
            q_rank: case.whole("q_lora_rank"),
            kv_rank: number("kv_lora_rank")?,
            nope_dim: number("qk_head_dim")?,
            rope_dim: number("qk_pos_emb_head_dim")?,
            value_dim: number("v_head_dim")?,
        })
    } else {
        None
    };
    let groups =
        if case.flag("group_query_attention").unwrap_or(false) { case.whole("num_query_groups") } else { None };
    Ok(Model {
        name: case.id.clone(),
        family: Family::Llama,
        vocab: number("padded_vocab_size")?,
        hidden: number("hidden_size")?,
        layers,
        heads,
        kv_heads: groups.unwrap_or(heads),
        head_dim: number("kv_channels")?,
        intermediate: number("ffn_hidden_size")?,
        max_positions: case.whole("seq_length").unwrap_or(1),
        position_table: 0,
        tied: !case.flag("untie_embeddings_and_output_weights").unwrap_or(false),
        mlp: if gated { Mlp::Gated } else { Mlp::Plain },
        norm: if rms { Norm::Rms } else { Norm::Layer },
        norms_per_layer: 2,
        qk_norm: false,
        biases: Biases::default(),
        window: None,
        sinks: false,
        experts: experts(case, layers)?,
        latent,
    })
}

fn experts(case: &Case, layers: u64) -> Result<Option<Experts>, Box<dyn Error>> {
    let Some(total) = case.whole("num_experts") else { return Ok(None) };
    // A number: every so many layers; a list: layer by layer.
    let sparse = match case.inputs.get("moe_layer_freq") {
        Some(serde_json::Value::Array(list)) => list.iter().filter(|on| on.as_u64() == Some(1)).count() as u64,
        _ => layers.div_ceil(case.whole("moe_layer_freq").unwrap_or(1).max(1)),
    };
    Ok(Some(Experts {
        total,
        per_token: case.whole("moe_router_topk").unwrap_or(1),
        intermediate: need(case, "moe_ffn_hidden_size", case.whole("moe_ffn_hidden_size"))?,
        shared_intermediate: case.whole("moe_shared_expert_intermediate_size").unwrap_or(0),
        dense_layers: layers - sparse,
        biases: false,
        shared_gate: false,
        correction: false,
    }))
}

fn megatron(case: &Case) -> Answer {
    let axis = |key: &str| case.whole(key).unwrap_or(1);
    let (pipeline, expert, expert_tensor) =
        (axis("pipeline_model_parallel_size"), axis("expert_model_parallel_size"), axis("expert_tensor_parallel_size"));
    let layout = Layout {
        tensor: axis("tensor_model_parallel_size"),
        pipeline,
        data: axis("data_parallel_size"),
        expert,
        expert_tensor,
        expert_data: (axis("world_size") / (pipeline * expert * expert_tensor)).max(1),
        distributed_optimizer: case.flag("use_distributed_optimizer").unwrap_or(false),
    };
    whole(shard_state_bytes(&model(case)?, case.whole("mtp_num_layers").unwrap_or(0), layout)?)
}
