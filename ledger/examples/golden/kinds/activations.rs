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
    if name.contains("autocast") {
        return autocast(case);
    }
    if name.starts_with("gpt16") {
        return checkpoints(case);
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

/// The shape of the whole series, where a case of it states none.
const SERIES: &str = r#"{"b": 2, "s": 64, "h": 128, "a": 4, "kv": 2, "d": 32, "f": 352, "dtype": "float32"}"#;

fn of_series(case: &Case) -> Result<Case, Box<dyn Error>> {
    let mut inputs: serde_json::Value = serde_json::from_str(SERIES)?;
    for (key, value) in case.inputs.as_object().into_iter().flatten() {
        inputs[key] = value.clone();
    }
    Ok(Case {
        id: case.id.clone(),
        inputs,
        value: case.value.clone(),
        tolerance: case.tolerance.clone(),
        reference: true,
    })
}

/// A Llama layer under autocast over FP32 parameters: its tensors and the copies of its weights.
fn autocast(case: &Case) -> Answer {
    let case = of_series(case)?;
    let (batch, seq) = (need(&case, "b", case.whole("b"))?, need(&case, "s", case.whole("s"))?);
    let model = shape(&case, Norm::Rms)?;
    let (precision, how) = (Precision::AmpBf16, Implementation::TRANSFORMERS);
    let saved = layer_bytes(&model, precision, batch, seq, how, Trained::All)?;
    let head = model.vocab * model.hidden;
    let weights = case.whole("linear_params").unwrap_or(model.matmul_weights()? - head);
    let tables = rotary_table_bytes(&model, precision, seq)?;
    whole(saved + tables + weights * precision.compute_bytes())
}

/// Sixteen GPT layers with SDPA and no dropout: plain, checkpointed one by one, or in four segments of which the last
/// is not checkpointed.
fn checkpoints(case: &Case) -> Answer {
    const LAYERS: u64 = 16;
    let name = case.rest().to_owned();
    let mut case = of_series(case)?;
    for key in ["kv", "d", "f"] {
        case.inputs[key] = serde_json::Value::Null;
    }
    let (batch, seq) = (need(&case, "b", case.whole("b"))?, need(&case, "s", case.whole("s"))?);
    let model = shape(&case, Norm::Layer)?;
    let precision = precision(&case)?;
    let how = Implementation { mlp: MlpKernel::Fused, ..Implementation::TRANSFORMERS };
    let layer = layer_bytes(&model, precision, batch, seq, how, Trained::All)?;
    let input = precision.stream_bytes() * batch * seq * model.hidden;
    if name.contains("every_layer") {
        whole(LAYERS * input)
    } else if name.contains("seq") || name.contains("segment") {
        let segments = 4;
        whole((segments - 1) * input + LAYERS / segments * layer)
    } else {
        whole(LAYERS * layer)
    }
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
