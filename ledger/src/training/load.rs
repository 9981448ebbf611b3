//! The load phase: a naive loader holds the weights twice.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Line, Moment};
use crate::{
    Dtype, Entry, LedgerError, Object, Phase, Span,
    formula::{Term, b, n},
};

/// How the weights come from a file to the device.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Load {
    pub loader: Loader,
    /// Format of the numbers in the file.
    pub file: Dtype,
}

impl Load {
    /// Tensor by tensor from a BF16 file.
    pub const IN_PLACE: Load = Load { loader: Loader::InPlace, file: Dtype::Bf16 };
}

/// Who holds what while loading. What a page cache keeps of a mapped file is not counted: the system takes it back.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loader {
    /// The model is created without storage (`meta` device), each tensor is read from a mapped file straight to its
    /// place (safetensors, `low_cpu_mem_usage=True`): the host holds one tensor.
    InPlace,
    /// The model is created on the host in FP32, PyTorch's default, the whole file is read beside it and copied into
    /// it, then it moves to the device: the host holds both.
    HostCopy,
    /// The model is on the device and the whole file is read there beside it
    /// (`load_state_dict(torch.load(…, map_location="cuda"))`): the device holds both.
    DeviceCopy,
}

/// The device's second copy.
pub(super) fn line(load: Load, parameters: u64) -> Result<Option<Line>, LedgerError> {
    match load.loader {
        Loader::DeviceCopy => {
            let copy = n(parameters).of_bits(load.file.bits());
            Line::new(Object::Temporary, "loader_copy", copy, &[Moment::Loaded])
        }
        _ => Ok(None),
    }
}

fn entry(object: Object, part: &'static str, term: Term) -> Result<Entry, LedgerError> {
    let (bytes, formula) = term.finish(part)?;
    Ok(Entry { object, part: Cow::Borrowed(part), span: Span::only(Phase::Load), bytes, formula })
}

/// What the host holds at its highest moment of the load phase; all of it together.
pub(super) fn host(load: Load, parameters: u64, largest: u64) -> Result<Vec<Entry>, LedgerError> {
    let file = |numbers: u64| n(numbers).of_bits(load.file.bits());
    Ok(match load.loader {
        Loader::InPlace | Loader::DeviceCopy => vec![entry(Object::Temporary, "loader_tensor", file(largest))?],
        Loader::HostCopy => vec![
            entry(Object::Parameter, "host_model", n(parameters) * b(4))?,
            entry(Object::Temporary, "loader_copy", file(parameters))?,
        ],
    })
}
