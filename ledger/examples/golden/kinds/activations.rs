//! Saved activations of single layers.

use std::error::Error;

use ledger::{
    Biases, Experts, Family, Latent, Mlp, Model, Norm,
    training::{
        self, AttentionKernel, Dropout, Implementation, MlpKernel, NormKernel, Precision, Trained, layer_bytes,
        rotary_table_bytes,
    },
};

use super::{Answer, need, whole};
use crate::case::Case;

/// A one-layer model of the case's shape.
fn shape(case: &Case, norm: Norm) -> Result<Model, Box<dyn Error>> {
    let hidden = need(case, "h", case.whole("h"))?;
    let heads = need(case, "a", case.whole("a"))?;
    let gpt = norm == Norm::Layer;
    Ok(Model {
        name: case.id.clone(),
        family: if gpt { Family::Gpt2 } else { Family::Llama },
        vocab: 1,
        hidden,
        layers: 1,
        heads,
        kv_heads: case.whole("kv").unwrap_or(heads),
        head_dim: case.whole("d").unwrap_or(hidden / heads.max(1)),
        intermediate: case.whole("f").unwrap_or(4 * hidden),
        max_positions: 1 << 20,
        position_table: if gpt { 1 << 20 } else { 0 },
        tied: true,
        mlp: if gpt { Mlp::Plain } else { Mlp::Gated },
        norm,
        norms_per_layer: 2,
        qk_norm: case.flag("qknorm").unwrap_or(false),
        biases: Biases::default(),
        window: None,
        sinks: false,
        experts: None,
        latent: None,
    })
}

fn precision(case: &Case) -> Result<Precision, Box<dyn Error>> {
    match case.text("dtype") {
        Some("float32") => Ok(Precision::Fp32),
        Some("bfloat16" | "float16") => Ok(Precision::PureBf16),
        other => Err(format!("{}: dtype {other:?}", case.id).into()),
    }
}

fn layer(case: &Case, norm: Norm, how: Implementation, trained: Trained) -> Answer {
    let model = shape(case, norm)?;
    let (precision, batch, seq) =
        (precision(case)?, need(case, "b", case.whole("b"))?, need(case, "s", case.whole("s"))?);
    let tables = rotary_table_bytes(&model, precision, seq)?;
    whole(layer_bytes(&model, precision, batch, seq, how, trained)? + tables)
}

pub fn compute(case: &Case) -> Answer {
    match case.kind() {
        "act_llama" => llama(case),
        "act_gpt" => gpt(case),
        "act_fused" => fused(case),
        "act_hf" => transformers(case),
        _ => Ok(None),
    }
}

fn llama(case: &Case) -> Answer {
    let norm = match case.text("norm") {
        Some("hf") => NormKernel::Eager,
        // On the CPU `F.rms_norm` has no fused kernel.
        Some("fused") => NormKernel::Composite,
        _ => return Ok(None),
    };
    let attention = match case.text("attn") {
        Some("gqa") => AttentionKernel::Flash,
        Some("repeat") => AttentionKernel::FlashRepeated,
        Some("math") => AttentionKernel::Eager,
        _ => return Ok(None),
    };
    layer(case, Norm::Rms, Implementation { norm, attention, ..Implementation::TRANSFORMERS }, Trained::All)
}

fn gpt(case: &Case) -> Answer {
    let attention = if case.flag("sdpa").unwrap_or(true) { AttentionKernel::Flash } else { AttentionKernel::Eager };
    let dropout = if case.real("p").unwrap_or(0.0) > 0.0 { Dropout::WideMask } else { Dropout::None };
    let how = Implementation { attention, dropout, mlp: MlpKernel::Fused, ..Implementation::TRANSFORMERS };
    layer(case, Norm::Layer, how, Trained::All)
}

fn fused(case: &Case) -> Answer {
    match case.text("case") {
        Some("gpt_native_dropout") => {
            let how = Implementation {
                attention: AttentionKernel::Eager,
                dropout: Dropout::ByteMask,
                ..Implementation::FUSED
            };
            layer(case, Norm::Layer, how, Trained::All)
        }
        Some("llama_fused_norm_rope") => {
            let how = Implementation { mlp: MlpKernel::Eager, ..Implementation::FUSED };
            layer(case, Norm::Rms, how, Trained::All)
        }
        Some("llama_fused_norm_rope_swiglu") => layer(case, Norm::Rms, Implementation::FUSED, Trained::All),
        Some("moe_mlp_loop") => experts(case),
        Some("mla_attention_vd_eq_qk") => latent(case),
        _ => Ok(None),
    }
}

/// The feed-forward half of a layer with experts, its input included.
fn experts(case: &Case) -> Answer {
    let (tokens, hidden) = (need(case, "T", case.whole("T"))?, need(case, "h", case.whole("h"))?);
    let precision = precision(case)?;
    let experts = Experts {
        total: need(case, "E", case.whole("E"))?,
        per_token: need(case, "k", case.whole("k"))?,
        intermediate: need(case, "f", case.whole("f"))?,
        shared_intermediate: 0,
        dense_layers: 0,
        biases: false,
        shared_gate: false,
        correction: false,
    };
    let input = precision.compute_bytes() * tokens * hidden;
    whole(input + training::expert_bytes(hidden, precision, tokens, experts)?)
}

/// The attention half of a layer with latent attention, with fused norms, its input included.
fn latent(case: &Case) -> Answer {
    let number = |key| need(case, key, case.whole(key));
    let latent = Latent {
        q_rank: case.whole("q_lora"),
        kv_rank: number("kv_lora")?,
        nope_dim: number("nope")?,
        rope_dim: number("rope")?,
        value_dim: number("v")?,
    };
    let (batch, seq, hidden, heads) = (number("b")?, number("s")?, number("h")?, number("a")?);
    let precision = precision(case)?;
    let bytes = precision.compute_bytes();
    let input = bytes * batch * seq * hidden;
    let tables = 2 * bytes * seq * latent.rope_dim;
    whole(input + tables + training::latent_attention_bytes(heads, precision, batch, seq, latent)?)
}

fn transformers(case: &Case) -> Answer {
    let name = case.rest();
    if name.starts_with("lm_head") {
        return head(case);
    }
    let attention = match case.text("impl") {
        Some("eager") => AttentionKernel::Eager,
        Some("sdpa") => AttentionKernel::Flash,
        _ => return Ok(None),
    };
    let trained = match case.whole("r") {
        Some(rank) if name.contains("lora_all") => Trained::LoraAll { rank },
        Some(rank) if name.contains("lora_qv") => Trained::LoraQueryValue { rank },
        None if name.contains("frozen") => Trained::Nothing,
        None => Trained::All,
        Some(_) => return Ok(None),
    };
    layer(case, Norm::Rms, Implementation { attention, ..Implementation::TRANSFORMERS }, trained)
}

/// Output head and cross entropy: the head's input, the log-softmax, the targets and the scalar of the mean.
fn head(case: &Case) -> Answer {
    let (tokens, hidden, vocab) =
        (need(case, "T", case.whole("T"))?, need(case, "h", case.whole("h"))?, need(case, "V", case.whole("V"))?);
    let bytes = precision(case)?.compute_bytes();
    let loss = if case.rest().contains("float logits") { 4 } else { bytes };
    whole(bytes * tokens * hidden + loss * vocab * tokens + 8 * tokens + loss)
}

pub fn logits(case: &Case) -> Answer {
    let (vocab, tokens) = (need(case, "vocab", case.whole("vocab"))?, need(case, "tokens", case.whole("tokens"))?);
    match case.kind() {
        "logits_fp32" => whole(training::log_softmax_bytes(vocab, tokens)?),
        _ => whole(training::loss_temporary_bytes(vocab, tokens)?),
    }
}
