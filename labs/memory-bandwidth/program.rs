//! Moving and converting the same numbers in formats of different width: is the time that of the bytes?

mod config;
mod kernel;
mod reference;
mod variant;

use evidence::Budget;

use self::config::Config;
use self::reference::{Inputs, TOLERANCE};
use crate::run::study::{self, Study};
use crate::run::{Device, Params, RunError, Watch, this_lab};

pub fn run(params: &Params, device: &mut dyn Device, watch: &mut dyn Watch) -> Result<evidence::Report, RunError> {
    let config = Config::parse(params)?;
    let lab = this_lab("memory-bandwidth")?;
    let study = Study {
        lab: "memory-bandwidth",
        operation: "copy_convert",
        shape: vec![("elements", config.elements.into())],
        dtype: "fp32",
        seed: config.seed,
        tolerance: TOLERANCE,
        rule: lab.rubric.rule,
        stop: config.rule,
        budget: Budget::default(),
        kernels: kernel::ALL.to_vec(),
        variants: variant::all(&config, lab)?,
    };
    study::run(&study, &mut Inputs::new(config.elements as usize, config.seed), device, watch)
}
