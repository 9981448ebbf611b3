//! The ledger: what must lie in device memory, and what must move, before anything runs.

use evidence::LedgerLine;
use ledger::units::group;
use ledger::{Object, Phase};

use super::config::Config;
use super::variant::{Part, Pass, Variant};
use crate::run::RunError;

const BYTES: u64 = 4;

/// `2,048 × 4,096` or `4,096`
fn shape(part: Part, config: &Config) -> String {
    let (rows, hidden) = (group(config.rows.into()), group(config.hidden.into()));
    match part {
        Part::Input | Part::Output | Part::Squares => format!("{rows} × {hidden}"),
        Part::Weight => hidden,
        Part::Mean | Part::Inverse => rows,
    }
}

fn bytes(part: Part, config: &Config) -> Result<u64, RunError> {
    (part.elements(config) as u64).checked_mul(BYTES).ok_or(RunError::Overflow { what: part.slug() })
}

fn line(object: Object, part: String, bytes: u64, formula: String) -> LedgerLine {
    LedgerLine { object, part, from: Phase::Forward, to: Phase::Forward, bytes, formula, measured_bytes: None }
}

/// What a variant keeps allocated while it runs.
pub fn resident(variant: Variant, config: &Config) -> Result<Vec<LedgerLine>, RunError> {
    let one = |part: &Part| {
        let formula = format!("{} × {BYTES} B", shape(*part, config));
        Ok(line(part.object(), part.slug().to_owned(), bytes(*part, config)?, formula))
    };
    variant.parts().iter().map(one).collect()
}

/// What one pass reads and writes. The weight is read once: it stays on chip for the following rows.
pub fn moved(variant: Variant, pass: &Pass, config: &Config) -> Result<LedgerLine, RunError> {
    let mut total = bytes(pass.writes, config)?;
    let mut reads = Vec::with_capacity(pass.reads.len());
    for part in pass.reads {
        total = total.checked_add(bytes(*part, config)?).ok_or(RunError::Overflow { what: pass.kernel })?;
        reads.push(shape(*part, config));
    }
    let formula = format!("({} + {}) × {BYTES} B", reads.join(" + "), shape(pass.writes, config));
    Ok(line(Object::Buffer, format!("moved_{}_{}", variant.name(), pass.kernel), total, formula))
}
