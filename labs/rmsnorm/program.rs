//! RMSNorm, `y = x · weight / √(mean(x²) + eps)` row by row: four passes over device memory against one.

mod config;
mod exercise;
mod kernel;
mod reference;
mod variant;

use evidence::Budget;

use self::config::Config;
pub use self::exercise::EXERCISE;
use self::reference::{Inputs, TOLERANCE};
use crate::run::study::{self, Study};
use crate::run::{Device, Params, RunError, Watch, this_lab};

pub fn run(params: &Params, device: &mut dyn Device, watch: &mut dyn Watch) -> Result<evidence::Report, RunError> {
    let config = Config::parse(params)?;
    study::run(&study(&config)?, &mut Inputs::of(&config), device, watch)
}

fn study(config: &Config) -> Result<Study, RunError> {
    let lab = this_lab("rmsnorm")?;
    Ok(Study {
        lab: "rmsnorm",
        operation: "rmsnorm",
        shape: vec![("rows", config.rows.into()), ("hidden", config.hidden.into())],
        dtype: "fp32",
        seed: config.seed,
        tolerance: TOLERANCE,
        rule: lab.rubric.rule,
        stop: config.rule,
        budget: Budget::default(),
        kernels: kernel::ALL.to_vec(),
        variants: variant::both(config, lab)?,
    })
}
