//! A study: several variants of one operation on one device. Each is run alone and checked, then all are timed round by
//! round on the same inputs; the report holds what was predicted beside what was measured.
//!
//! A lab says what its variants are ([`Variant`]) and what is right ([`Subject`]); the rest is the same for all.

mod account;
mod buffers;
mod exercise;
mod report;
mod timing;
mod variant;

use evidence::{Budget, DecisionRule};

use super::{Device, Kernel, RunError, Stage, StopRule, Watch, roofline};

pub use account::{Account, Outcome};
pub use buffers::Outputs;
pub use exercise::{judged, shape};
pub use variant::{Part, Pass, Role, Step, Variant};

/// Rounds of the same kind before the first that counts.
pub const WARMUP: u64 = 2;

/// What a lab compares.
pub struct Study {
    pub lab: &'static str,
    pub operation: &'static str,
    pub shape: Vec<(&'static str, u64)>,
    /// In which the baseline stores its tensors.
    pub dtype: &'static str,
    pub seed: u64,
    /// The largest relative error that counts as right.
    pub tolerance: f64,
    pub rule: DecisionRule,
    pub stop: StopRule,
    /// Limits of the lab that the decision is made under.
    pub budget: Budget,
    pub kernels: Vec<Kernel>,
    /// The baseline first.
    pub variants: Vec<Variant>,
}

/// Input contents on the host, and what must come of them.
pub trait Subject {
    /// New contents. Called outside of every timed window.
    fn renew(&mut self);

    /// Changes one input value; `false` where there is none.
    fn nudge(&mut self) -> bool {
        false
    }

    /// The contents of a part that is an input.
    fn input(&self, part: &str) -> Option<&[u32]>;

    /// Holds every element of the outputs against a 64-bit reference.
    ///
    /// # Errors
    /// [`Wrong`] where the kernel is at fault.
    fn check(&self, variant: &Variant, outputs: &Outputs) -> Result<Checked, Wrong>;
}

/// Outputs that are right.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Checked {
    /// The kernels' largest error relative to the reference.
    pub error: f64,
    /// What the variant's number format loses against the inputs as they were; no fault of its kernels.
    pub lost: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Wrong {
    #[error("{part}: {found} words came back, expected {expected}")]
    Length { part: String, expected: usize, found: usize },
    #[error("{part}: element {index} was not written, or is not a number")]
    NotWritten { part: String, index: usize },
    #[error("{part}: element {index} is {found}, expected {expected}")]
    Element { part: String, index: usize, expected: String, found: String },
    #[error("the kernel changed its input {part}")]
    InputChanged { part: String },
    #[error("at {shape}: {wrong}")]
    AtShape { shape: String, wrong: Box<Wrong> },
    #[error("relative error {relative:.3e} is above the tolerance {tolerance:.0e}")]
    Error { relative: f64, tolerance: f64 },
}

/// Runs a study and gives its report.
///
/// # Errors
/// [`RunError`]: the device, or a baseline that is wrong itself.
pub fn run(
    study: &Study,
    subject: &mut dyn Subject,
    device: &mut dyn Device,
    watch: &mut dyn Watch,
) -> Result<evidence::Report, RunError> {
    watch.stage(Stage::Compiling);
    device.compile(&study.kernels)?;
    let has_roofline = roofline::compile(device, watch)?;

    watch.stage(Stage::Checking);
    let mut accounts = Vec::with_capacity(study.variants.len());
    for variant in &study.variants {
        accounts.push(account::account(variant, subject, device)?);
    }
    baseline_right(&accounts)?;

    let right: Vec<&Variant> =
        study.variants.iter().zip(&accounts).filter(|(_, account)| account.ran_right()).map(|(it, _)| it).collect();
    let compared = right.len() > 1 && right.first().is_some_and(|first| first.is_baseline());
    let (mut limits, mut timed) = (None, Vec::new());
    if compared {
        watch.stage(Stage::Measuring);
        if has_roofline {
            limits = roofline::measure(device, watch)?;
        }
        timed = timing::measure(&right, &study.stop, subject, device, watch)?;
    }
    if let Some(wrong) = timed.iter().find(|timed| timed.variant.is_baseline()).and_then(|timed| timed.wrong.as_ref()) {
        return Err(RunError::WrongBaseline { why: wrong.to_string() });
    }
    for timed in &timed {
        if let Some(summary) = timed.samples.summary() {
            watch.note(&format!("{}: {summary}", timed.variant.label));
        }
    }
    report::build(study, device, limits, &accounts, &timed)
}

/// The first account is the baseline's; nothing can be compared with a wrong one.
fn baseline_right(accounts: &[Account]) -> Result<(), RunError> {
    match accounts.first().map(|account| &account.outcome) {
        Some(Outcome::Ran { result: Err(wrong), .. }) => Err(RunError::WrongBaseline { why: wrong.to_string() }),
        _ => Ok(()),
    }
}
