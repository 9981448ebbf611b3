//! Sizes that follow from a shape alone: pictures, tiles and scores of attention, weights in a mixture, segments.

use super::{Arguments, ExprError, Quantity, Unit, ledger, list, whole};
use crate::{
    allocator,
    calculators::{self, Tiles},
    formats::{self, Mixture},
    formula::b,
    units,
};

/// A choice of no (0) or yes (1).
fn yes(call: &Arguments<'_>, name: &'static str) -> Result<bool, ExprError> {
    match call.count(name, 0)? {
        0 => Ok(false),
        1 => Ok(true),
        found => Err(ExprError::WrongValue {
            at: call.at,
            name: name.to_owned(),
            expected: "0 or 1",
            found: found.to_string(),
        }),
    }
}

/// Tokens of a square picture of `side` pixels, cut into squares of `patch`; `class=1` adds the class token.
pub(super) fn image_tokens(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (side, patch) = (call.need("side")?, call.need("patch")?);
    let term = ledger(call, calculators::image_term(side, patch, yes(call, "class")?))?;
    whole(call, Unit::Count, term)
}

/// The score matrix of one head and one sequence: `N² × bytes`.
pub(super) fn score_matrix(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    whole(call, Unit::Bytes, calculators::score_term(call.need("seq")?, call.dtype(&["dtype"])?))
}

/// Shared memory of a FlashAttention tile of `q` rows of queries and `kv` rows of keys and values; `output=1` holds
/// the output there too.
pub(super) fn flash_tile(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let tiles = Tiles {
        query_rows: call.need("q")?,
        key_rows: call.need("kv")?,
        head_dim: call.need("head_dim")?,
        dtype: call.dtype(&["dtype"])?,
        stages: call.whole_or("stages", 1)?,
        holds_output: yes(call, "output")?,
    };
    whole(call, Unit::Bytes, tiles.term())
}

fn mixture(call: &Arguments<'_>) -> Result<Mixture, ExprError> {
    let found = call.word("mixture", "Q4_K_M")?;
    found.parse().map_err(|_| ExprError::UnknownValue {
        at: call.at,
        name: "mixture".to_owned(),
        what: "GGUF mixture",
        found: found.to_owned(),
        known: list(Mixture::ALL.iter().map(|mixture| mixture.id())),
    })
}

/// Tensor data of a model in a GGUF mixture, scales and the tensors of more bits included.
pub(super) fn gguf(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (model, mixture) = (call.model()?, mixture(call)?);
    let bits = ledger(call, formats::gguf_bits_per_weight(model, mixture))?;
    let parameters = ledger(call, model.parameters())?;
    let bytes = ledger(call, formats::gguf_bytes(model, mixture))?;
    let formula = format!("{} × {bits:.4} ÷ 8", units::group(parameters));
    Ok(Quantity::whole(Unit::Bytes, bytes, formula))
}

/// Average bits per weight of a GGUF mixture.
pub(super) fn gguf_bits(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (model, mixture) = (call.model()?, mixture(call)?);
    let bytes = ledger(call, formats::gguf_bytes(model, mixture))?;
    let parameters = ledger(call, model.parameters())?;
    let formula = format!("{} × 8 ÷ {}", b(bytes).text(), units::group(parameters));
    Ok(Quantity::real(Unit::Ratio, ledger(call, formats::gguf_bits_per_weight(model, mixture))?, formula))
}

/// The segment that PyTorch's allocator, as it is set by default, asks from the driver for a request of `size` bytes.
pub(super) fn segment(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let settings = allocator::Settings::default();
    let block = allocator::round_size(call.need("size")?, &settings);
    whole(call, Unit::Bytes, b(allocator::segment_size(block, &settings)))
}
