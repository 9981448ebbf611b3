//! A KV cache in fewer bits: what it weighs with its scales, what attention over it loses, and how long it takes.

mod config;
mod format;
mod kernel;
mod reference;
mod variant;

use self::config::Config;
use self::reference::{Inputs, TOLERANCE};
use crate::run::study::{self, Study};
use crate::run::{Device, Params, RunError, Watch, this_lab};

pub fn run(params: &Params, device: &mut dyn Device, watch: &mut dyn Watch) -> Result<evidence::Report, RunError> {
    let config = Config::parse(params)?;
    let lab = this_lab("kv-quant")?;
    let study = Study {
        lab: "kv-quant",
        operation: "kv_attention",
        shape: vec![
            ("tokens", config.tokens.into()),
            ("heads", config.heads.into()),
            ("head_dim", config.dim.into()),
            // No sizes, but runs whose keys look different are not runs of one thing.
            ("outliers", config.outliers.into()),
            ("factor", config.factor.into()),
        ],
        dtype: "bf16",
        seed: config.seed,
        tolerance: TOLERANCE,
        rule: lab.rubric.rule,
        stop: config.rule,
        budget: lab.rubric.thresholds.clone(),
        kernels: kernel::ALL.to_vec(),
        variants: variant::all(&config, lab)?,
    };
    study::run(&study, &mut Inputs::new(config), device, watch)
}
