//! Parameters and weights.

use std::path::Path;

use ledger::{Dtype, inference};

use super::{Answer, model, whole};
use crate::case::Case;

pub fn compute(case: &Case, folder: &Path) -> Answer {
    let Some(model) = model(case, folder)? else { return Ok(None) };
    match case.kind() {
        "params" => whole(model.parameters()?),
        "params_untied" => whole(model.parameters_untied()?),
        "active_params" => whole(model.active_parameters()?),
        "state_dict_elems" => whole(model.state_dict_elements()?),
        "weights_bf16" => whole(inference::weights(&model, Dtype::Bf16)?.bytes),
        _ => Ok(None),
    }
}
