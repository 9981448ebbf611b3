//! The measuring stage: both variants on the same inputs, round after round.

use std::time::Instant;

use super::config::{Config, WARMUP};
use super::reference::{Inputs, Wrong};
use super::variant::{Buffers, Part, Variant};
use crate::run::{Device, RunError, Samples, Timing, Watch};

/// Milliseconds by the device's clock, every sample, and the worst error seen.
pub struct Timed {
    pub variant: Variant,
    pub samples: Samples,
    pub worst_error: f64,
    /// Set when a run gave a wrong result; measuring ends there.
    pub wrong: Option<Wrong>,
}

impl Timed {
    fn new(variant: Variant) -> Self {
        Self { variant, samples: Samples::default(), worst_error: 0.0, wrong: None }
    }
}

/// Each round draws new inputs outside the timed window, and runs the variants in alternating order so that a drift of the clock
/// speed meets both alike. Outputs are poisoned before each run and every element is checked after it.
pub fn measure(
    config: &Config,
    inputs: &mut Inputs,
    device: &mut dyn Device,
    watch: &mut dyn Watch,
) -> Result<[Timed; 2], RunError> {
    let mut buffers = Buffers::default();
    let result = rounds(config, inputs, &mut buffers, device, watch);
    let freed = buffers.free(device);
    let timed = result?;
    freed?;
    Ok(timed)
}

fn rounds(
    config: &Config,
    inputs: &mut Inputs,
    buffers: &mut Buffers,
    device: &mut dyn Device,
    watch: &mut dyn Watch,
) -> Result<[Timed; 2], RunError> {
    for part in Variant::Unfused.parts() {
        buffers.allocate(*part, config, device)?;
    }
    let mut y = vec![0.0; config.elements()];
    let mut timed = Variant::BOTH.map(Timed::new);
    let started = Instant::now();
    for round in 0u64.. {
        inputs.renew();
        device.upload(buffers.get(Part::Input)?, &inputs.x)?;
        device.upload(buffers.get(Part::Weight)?, &inputs.weight)?;
        let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        for at in order {
            let entry = &mut timed[at];
            // Poisoned before each run, or one variant could pass with the other's output.
            let timing = one(entry, config, buffers, device)?;
            device.download(buffers.get(Part::Output)?, &mut y)?;
            match inputs.check(&y) {
                Ok(error) => entry.worst_error = entry.worst_error.max(error),
                Err(wrong) => entry.wrong = Some(wrong),
            }
            if round >= WARMUP {
                entry.samples.push(timing.device_ns as f64 / 1e6);
            }
        }
        if timed.iter().any(|entry| entry.wrong.is_some()) {
            break;
        }
        if config.rule.is_met(&[&timed[0].samples, &timed[1].samples], started.elapsed()) {
            watch.note(&format!("measured {} rounds", round + 1 - WARMUP));
            break;
        }
    }
    Ok(timed)
}

fn one(entry: &Timed, config: &Config, buffers: &Buffers, device: &mut dyn Device) -> Result<Timing, RunError> {
    buffers.poison(entry.variant, device)?;
    device.flush_cache()?;
    device.synchronise()?;
    device.start_timer()?;
    buffers.launch(entry.variant, config, device)?;
    let timing = device.stop_timer()?;
    if timing.is_plausible() { Ok(timing) } else { Err(RunError::Clock { timing }) }
}
