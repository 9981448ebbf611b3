//! All calculators by name, run from typed values.

use std::{borrow::Cow, collections::BTreeMap, sync::LazyLock};

use serde::Serialize;

use super::{
    Sheet,
    input::{Given, Input},
    sheets,
};
use crate::{LedgerError, Text};

/// A calculator: what it is called and what it asks.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Serialize)]
pub struct Calculator {
    pub id: &'static str,
    pub name: Text,
    pub inputs: Vec<Input>,
    #[serde(skip)]
    pub(super) compute: Compute,
}

pub(super) type Compute = fn(&Given) -> Result<Sheet, LedgerError>;

/// Why a calculator gives no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalculatorError {
    #[error("unknown calculator {found:?}: expected one of {known}")]
    UnknownCalculator { found: String, known: String },
    #[error("{calculator} has no input {found:?}: expected {known}")]
    UnknownInput { calculator: &'static str, found: String, known: String },
    #[error("{input}: expected {expected}, found {found:?}")]
    Value { input: Cow<'static, str>, found: String, expected: String },
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// Every calculator, in the order in which a page lists them: [`mechanisms`], then [`workloads`].
pub fn all() -> &'static [Calculator] {
    static ALL: LazyLock<Vec<Calculator>> =
        LazyLock::new(|| sheets::mechanisms().into_iter().chain(sheets::workloads()).collect());
    &ALL
}

/// How hardware and kernels spend memory and time: for a program that needs no others.
pub fn mechanisms() -> &'static [Calculator] {
    static MECHANISMS: LazyLock<Vec<Calculator>> = LazyLock::new(sheets::mechanisms);
    &MECHANISMS
}

/// What kinds of work take: for a program that needs no others.
pub fn workloads() -> &'static [Calculator] {
    static WORKLOADS: LazyLock<Vec<Calculator>> = LazyLock::new(sheets::workloads);
    &WORKLOADS
}

/// The calculator of that id.
///
/// # Errors
/// [`CalculatorError::UnknownCalculator`], which lists what exists.
pub fn find(id: &str) -> Result<&'static Calculator, CalculatorError> {
    all().iter().find(|calculator| calculator.id == id).ok_or_else(|| {
        let known: Vec<&str> = all().iter().map(|calculator| calculator.id).collect();
        CalculatorError::UnknownCalculator { found: id.chars().take(40).collect(), known: known.join(", ") }
    })
}

/// Runs a calculator. What is not typed takes its default; integers, decimals and choices are typed as text, as they
/// come from a form, a query string or a command line.
///
/// ```
/// use std::collections::BTreeMap;
/// use ledger::calculators::{Quantity, run};
/// let typed = BTreeMap::from([("samples".to_owned(), "128".to_owned()), ("parameters".to_owned(), "7000000000".to_owned())]);
/// let sheet = run("dp_sgd", &typed)?;
/// assert_eq!(sheet.line("naive").map(|line| line.quantity), Some(Quantity::Bytes(1_792_000_000_000)));
/// assert!(!sheet.assumptions.is_empty());
/// # Ok::<(), ledger::calculators::CalculatorError>(())
/// ```
///
/// # Errors
/// An unknown calculator or input, a value outside its range or choices, or a result of 2⁶⁴ and more.
pub fn run(id: &str, typed: &BTreeMap<String, String>) -> Result<Sheet, CalculatorError> {
    find(id)?.run(typed)
}

impl Calculator {
    /// As [`run`], of this calculator.
    ///
    /// # Errors
    /// An unknown input, a value outside its range or choices, or a result of 2⁶⁴ and more.
    pub fn run(&self, typed: &BTreeMap<String, String>) -> Result<Sheet, CalculatorError> {
        let given = Given::check(self.id, &self.inputs, typed)?;
        Ok((self.compute)(&given)?)
    }
}
