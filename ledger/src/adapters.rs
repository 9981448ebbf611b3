//! LoRA and DoRA: low-rank updates beside frozen matrices.

use crate::{
    LedgerError, Model,
    formula::{Term, n, product},
};

/// The projections that LoRA can be put on, by the names of PEFT without `_proj`.
pub const TARGETS: [&str; 7] = ["q", "k", "v", "o", "gate", "up", "down"];

/// Trainable parameters of LoRA: `rank × (inputs + outputs)` for every target of every layer.
///
/// ```
/// let model = ledger::catalogue::model("Llama-2-7B").expect("in the catalogue");
/// assert_eq!(ledger::adapters::lora_parameters(model, 8, &["q", "v"])?, 4_194_304);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// An inconsistent model, a rank of zero, an unknown target, or a result of 2⁶⁴ and more.
pub fn lora_parameters(model: &Model, rank: u64, targets: &[&str]) -> Result<u64, LedgerError> {
    Ok(lora_term(model, rank, targets)?.finish("lora")?.0)
}

/// Trainable parameters of DoRA: those of LoRA and a magnitude per output of every target (Liu et al. 2024).
///
/// ```
/// let model = ledger::catalogue::model("Llama-2-7B").expect("in the catalogue");
/// assert_eq!(ledger::adapters::dora_parameters(model, 8, &["q", "v"])?, 4_194_304 + 32 * 2 * 4_096);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// As [`lora_parameters`].
pub fn dora_parameters(model: &Model, rank: u64, targets: &[&str]) -> Result<u64, LedgerError> {
    let mut sum = lora_term(model, rank, targets)?;
    for target in targets {
        sum = sum + n(model.layers) * n(sizes(model, target)?.1);
    }
    Ok(sum.finish("dora")?.0)
}

pub(crate) fn lora_term(model: &Model, rank: u64, targets: &[&str]) -> Result<Term, LedgerError> {
    model.validate()?;
    if rank == 0 {
        return Err(LedgerError::Zero { field: "rank" });
    }
    let mut sum = None;
    for target in targets {
        let (inputs, outputs) = sizes(model, target)?;
        let next = n(inputs) + n(outputs);
        sum = Some(match sum {
            Some(sum) => sum + next,
            None => next,
        });
    }
    Ok(n(model.layers) * n(rank) * sum.unwrap_or_else(|| n(0)))
}

/// Inputs and outputs of a projection.
pub(crate) fn sizes(model: &Model, target: &str) -> Result<(u64, u64), LedgerError> {
    let queries = product("lora", &[model.heads, model.head_dim])?;
    let keys = product("lora", &[model.kv_heads, model.head_dim])?;
    match target {
        "q" => Ok((model.hidden, queries)),
        "k" | "v" => Ok((model.hidden, keys)),
        "o" => Ok((queries, model.hidden)),
        "gate" | "up" => Ok((model.hidden, model.intermediate)),
        "down" => Ok((model.intermediate, model.hidden)),
        other => Err(LedgerError::Unknown {
            field: "target",
            found: other.chars().take(40).collect(),
            known: TARGETS.join(", "),
        }),
    }
}
