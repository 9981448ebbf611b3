//! The measuring stage: all variants on the same inputs, round after round.

use std::time::Instant;

use super::buffers::Buffers;
use super::variant::{Role, Variant};
use super::{Subject, WARMUP, Wrong};
use crate::run::{Device, DeviceError, RunError, Samples, StopRule, Timing, Watch};

/// Milliseconds by the device's clock, every sample, and the worst error seen.
pub struct Timed<'a> {
    pub variant: &'a Variant,
    pub samples: Samples,
    pub worst_error: f64,
    /// Set when a run gave a wrong result; the variant is not run again.
    pub wrong: Option<Wrong>,
}

/// Each round draws new inputs outside the timed window, and begins with another variant, so that a drift of the clock speed
/// meets all alike. Outputs are poisoned before each run and every element is checked after it.
pub fn measure<'a>(
    variants: &[&'a Variant],
    stop: &StopRule,
    subject: &mut dyn Subject,
    device: &mut dyn Device,
    watch: &mut dyn Watch,
) -> Result<Vec<Timed<'a>>, RunError> {
    let mut buffers = Buffers::default();
    let result = rounds(variants, stop, subject, &mut buffers, device, watch);
    let freed = buffers.drain().try_for_each(|(_, buffer)| device.free(buffer));
    let timed = match result {
        // Each fitted alone; together they do not. Then nothing is compared, and the report says so by its absence.
        Err(RunError::Device(error @ DeviceError::OutOfMemory { .. })) => {
            watch.note(&format!("not timed, the variants do not fit together: {error}"));
            Vec::new()
        }
        other => other?,
    };
    freed?;
    Ok(timed)
}

fn rounds<'a>(
    variants: &[&'a Variant],
    stop: &StopRule,
    subject: &mut dyn Subject,
    buffers: &mut Buffers,
    device: &mut dyn Device,
    watch: &mut dyn Watch,
) -> Result<Vec<Timed<'a>>, RunError> {
    for part in variants.iter().flat_map(|variant| &variant.parts) {
        if !buffers.has(&part.slug) {
            let buffer = device.allocate(&part.slug, part.words)?;
            buffers.add(part.tag(), buffer);
        }
    }
    let new = |variant: &&'a Variant| Timed { variant, samples: Samples::default(), worst_error: 0.0, wrong: None };
    let mut timed: Vec<Timed<'a>> = variants.iter().map(new).collect();
    let started = Instant::now();
    for round in 0u64.. {
        subject.renew();
        let mut filled: Vec<&str> = Vec::new();
        for part in variants.iter().flat_map(|variant| &variant.parts).filter(|part| part.role == Role::Input) {
            if !filled.contains(&part.slug.as_str()) {
                buffers.upload(part, subject, device)?;
                filled.push(&part.slug);
            }
        }
        let first = round as usize % timed.len().max(1);
        let (head, tail) = timed.split_at_mut(first);
        for entry in tail.iter_mut().chain(head).filter(|entry| entry.wrong.is_none()) {
            let timing = one(entry.variant, buffers, device)?;
            let outputs = buffers.download(&entry.variant.parts, device)?;
            match subject.check(entry.variant, &outputs) {
                Ok(checked) => entry.worst_error = entry.worst_error.max(checked.error),
                Err(wrong) => entry.wrong = Some(wrong),
            }
            if round >= WARMUP {
                entry.samples.push(timing.device_ns as f64 / 1e6);
            }
        }
        let running: Vec<&Samples> =
            timed.iter().filter(|entry| entry.wrong.is_none()).map(|entry| &entry.samples).collect();
        if running.len() < 2 || timed.first().is_none_or(|baseline| baseline.wrong.is_some()) {
            break;
        }
        if stop.is_met(&running, started.elapsed()) {
            watch.note(&format!("measured {} rounds", round + 1 - WARMUP));
            break;
        }
    }
    Ok(timed)
}

fn one(variant: &Variant, buffers: &Buffers, device: &mut dyn Device) -> Result<Timing, RunError> {
    // Poisoned before each run, or one variant could pass with another's output.
    for part in variant.parts.iter().filter(|part| part.is_made()) {
        buffers.poison(part, device)?;
    }
    for pass in variant.before.iter().flat_map(|step| &step.passes) {
        buffers.launch(pass, device)?;
    }
    device.synchronise()?;
    device.flush_cache()?;
    device.synchronise()?;
    device.start_timer()?;
    for pass in &variant.timed.passes {
        buffers.launch(pass, device)?;
    }
    let timing = device.stop_timer()?;
    if timing.is_plausible() { Ok(timing) } else { Err(RunError::Clock { timing }) }
}
