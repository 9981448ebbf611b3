//! What a launch of a lab's kernel must move and compute, by the formulas of its `lab.toml`.

use ledger::units::group;

use super::Lab;
use super::file::KernelCost;
use super::formula::Formula;

/// Bytes read and written, each once, and floating-point operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    pub bytes: u64,
    pub flops: u64,
    /// The arithmetic of the bytes with its numbers filled in.
    pub formula: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CostError {
    #[error("lab.toml of {lab} has no formulas for the kernel {kernel}")]
    Missing { lab: String, kernel: String },
    #[error("{lab}: the bytes or operations of {kernel} cannot be predicted: {why}")]
    Value { lab: String, kernel: String, why: String },
}

#[derive(Debug, Clone)]
pub(super) struct KernelFormulas {
    name: String,
    bytes: Formula,
    flops: Formula,
}

impl KernelFormulas {
    /// The build script has read both.
    pub(super) fn of(file: &KernelCost) -> Option<Self> {
        let (bytes, flops) = (Formula::parse(&file.bytes).ok()?, Formula::parse(&file.flops).ok()?);
        Some(Self { name: file.name.clone(), bytes, flops })
    }
}

impl Lab {
    /// The cost of one launch of a kernel at these sizes.
    ///
    /// # Errors
    /// [`CostError`]: a kernel without formulas, a name without a value, a result above 2⁶⁴ − 1.
    pub fn cost(&self, kernel: &str, values: &[(&str, u64)]) -> Result<Cost, CostError> {
        let (lab, name) = (|| self.id.clone(), || kernel.to_owned());
        let formulas = self.kernels.iter().find(|formulas| formulas.name == kernel);
        let formulas = formulas.ok_or_else(|| CostError::Missing { lab: lab(), kernel: name() })?;
        let of = |name: &str| values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let value = |formula: &Formula| {
            let wrong = |error: super::formula::FormulaError| CostError::Value {
                lab: lab(),
                kernel: name(),
                why: error.to_string(),
            };
            formula.value(&of).map_err(wrong)
        };
        Ok(Cost {
            bytes: value(&formulas.bytes)?,
            flops: value(&formulas.flops)?,
            formula: format!("{} B", formulas.bytes.filled(&of, group)),
        })
    }
}
