//! Compares what the ledger says with what the cases expect.

use std::path::Path;

use crate::{
    case::Case,
    kinds::{self, Got},
};

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: u64,
    pub failed: u64,
    pub unsupported: u64,
}

/// Judges all reference cases; `say` gets one line for each that differs.
pub fn judge(cases: &[Case], folder: &Path, say: &mut dyn FnMut(String)) -> Tally {
    let mut tally = Tally::default();
    for case in cases.iter().filter(|case| case.reference) {
        match kinds::compute(case, folder) {
            Ok(None) => tally.unsupported += 1,
            Ok(Some(got)) if agrees(case, &got) => tally.passed += 1,
            Ok(Some(got)) => {
                tally.failed += 1;
                say(format!("{} {} {got}", case.id, case.value));
            }
            Err(error) => {
                tally.failed += 1;
                say(format!("{} {} error: {error}", case.id, case.value));
            }
        }
    }
    tally
}

/// Within the case's relative tolerance; `exact` compares integers as integers.
fn agrees(case: &Case, got: &Got) -> bool {
    let expected_whole = case.value.as_u64();
    let Some(expected) = case.value.as_f64() else { return false };
    match (case.tolerance.as_f64(), got, expected_whole) {
        (None, Got::Whole(got), Some(expected)) => *got == expected,
        (tolerance, got, _) => {
            let tolerance = tolerance.unwrap_or(1e-12).max(1e-12);
            (got.real() - expected).abs() <= tolerance * expected.abs().max(f64::MIN_POSITIVE)
        }
    }
}
