//! RMSNorm, `y = x · weight / √(mean(x²) + eps)` row by row: four passes over device memory against one.

mod account;
mod conclude;
mod config;
mod exercise;
mod kernel;
mod predict;
mod reference;
mod report;
mod timing;
mod variant;

use self::account::{Account, Outcome, account};
use self::config::Config;
pub use self::exercise::EXERCISE;
use self::reference::Inputs;
use self::variant::Variant;
use crate::run::{Device, Params, RunError, Stage, Watch};

pub fn run(params: &Params, device: &mut dyn Device, watch: &mut dyn Watch) -> Result<evidence::Report, RunError> {
    let config = Config::parse(params)?;
    watch.stage(Stage::Compiling);
    device.compile(&kernel::ALL)?;

    watch.stage(Stage::Checking);
    let mut inputs = Inputs::new(config.elements(), config.hidden as usize, config.seed);
    let baseline = account(Variant::Unfused, &config, &mut inputs, device)?;
    let candidate = account(Variant::Fused, &config, &mut inputs, device)?;
    if let Outcome::Ran { result: Err(wrong), .. } = &baseline.outcome {
        return Err(RunError::WrongBaseline { why: wrong.to_string() });
    }

    let timed = if ran_right(&baseline) && ran_right(&candidate) {
        watch.stage(Stage::Measuring);
        Some(timing::measure(&config, &mut inputs, device, watch)?)
    } else {
        None
    };
    if let Some([baseline, _]) = &timed
        && let Some(wrong) = &baseline.wrong
    {
        return Err(RunError::WrongBaseline { why: wrong.to_string() });
    }
    for timed in timed.iter().flatten() {
        if let Some(summary) = timed.samples.summary() {
            watch.note(&format!("{}: {summary}", timed.variant.name()));
        }
    }
    Ok(report::build(&config, (device.facts(), device.timer()), [&baseline, &candidate], timed.as_ref()))
}

fn ran_right(account: &Account) -> bool {
    matches!(account.outcome, Outcome::Ran { result: Ok(_), .. })
}
