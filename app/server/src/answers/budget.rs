//! The budget grid of a report: one way in for page, API and command line.

use evidence::budget::{Axes, BudgetError, Grid};
use evidence::{Document, Lang, ReadError, Rubric};

/// The axes as lists, as a form, a query or flags bring them. What is not given is as recommended.
#[derive(Debug, Clone, Default, serde::Deserialize)]
pub struct BudgetAxes {
    pub caps: Option<String>,
    pub rates: Option<String>,
    pub losses: Option<String>,
}

impl BudgetAxes {
    fn read(&self) -> Result<Axes, BudgetError> {
        Axes::read(self.caps.as_deref(), self.rates.as_deref(), self.losses.as_deref())
    }
}

/// Why there is no grid.
#[derive(Debug, thiserror::Error)]
pub enum BudgetRefusal {
    #[error(transparent)]
    Report(#[from] ReadError),
    #[error(transparent)]
    Grid(#[from] BudgetError),
}

impl BudgetRefusal {
    /// What is wrong, and the next step.
    pub fn lines(&self, lang: Lang) -> Vec<String> {
        match self {
            BudgetRefusal::Report(error) => vec![error.message(lang), error.fix().get(lang).to_owned()],
            BudgetRefusal::Grid(error) => vec![error.message(lang)],
        }
    }
}

/// # Errors
/// Bytes that are no report, a report without strategies, or axes that cannot be read.
pub fn budget(report: &[u8], axes: &BudgetAxes) -> Result<Grid, BudgetRefusal> {
    let axes = axes.read()?;
    Ok(grid_of(&evidence::read(report)?, &axes)?)
}

fn grid_of(doc: &Document, axes: &Axes) -> Result<Grid, BudgetError> {
    let limits = match labs::lab(doc.lab()) {
        Some(lab) => evidence::limits(doc, &lab.rubric),
        None => evidence::limits(doc, &Rubric::empty()),
    };
    evidence::budget::grid(doc, &limits, axes)
}
