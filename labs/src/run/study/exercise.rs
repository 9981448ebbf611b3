//! What a lab needs to judge a kernel that a learner wrote: right or wrong, on shapes and contents of the lab's choice. Nothing is
//! timed.

use super::account::{Outcome, account};
use super::buffers::Buffers;
use super::variant::{Role, Variant};
use super::{Study, Subject, Wrong, report};
use crate::run::{Device, DeviceError, RunError};

/// One shape with new contents, and once more with one value changed: what was remembered of the first run is wrong in the second.
///
/// # Errors
/// [`DeviceError`]: the device failed; that says nothing of the kernel.
pub fn shape(
    variant: &Variant,
    subject: &mut dyn Subject,
    device: &mut dyn Device,
) -> Result<Result<(), Wrong>, DeviceError> {
    let mut buffers = Buffers::default();
    let result = twice(variant, subject, &mut buffers, device);
    let freed = buffers.drain().try_for_each(|(_, buffer)| device.free(buffer));
    let result = result?;
    freed?;
    Ok(result)
}

fn twice(
    variant: &Variant,
    subject: &mut dyn Subject,
    buffers: &mut Buffers,
    device: &mut dyn Device,
) -> Result<Result<(), Wrong>, DeviceError> {
    for part in &variant.parts {
        buffers.add(part.tag(), device.allocate(&part.slug, part.words)?);
    }
    subject.renew();
    let first = once(variant, subject, buffers, device)?;
    if first.is_ok() && subject.nudge() {
        return once(variant, subject, buffers, device);
    }
    Ok(first)
}

fn once(
    variant: &Variant,
    subject: &dyn Subject,
    buffers: &Buffers,
    device: &mut dyn Device,
) -> Result<Result<(), Wrong>, DeviceError> {
    for part in &variant.parts {
        if part.is_made() {
            buffers.poison(part, device)?;
        } else {
            buffers.upload(part, subject, device)?;
        }
    }
    for pass in variant.steps().flat_map(|step| &step.passes) {
        buffers.launch(pass, device)?;
    }
    device.synchronise()?;
    let outputs = buffers.download(&variant.parts, device)?;
    if let Err(wrong) = subject.check(variant, &outputs) {
        return Ok(Err(wrong));
    }
    // A kernel that may write its inputs could make the answer right by changing the question.
    for part in variant.parts.iter().filter(|part| part.role == Role::Input) {
        let mut found = vec![0; part.words];
        device.download_words(buffers.get(&part.slug)?, &mut found)?;
        if subject.input(&part.slug) != Some(&found) {
            return Ok(Err(Wrong::InputChanged { part: part.slug.clone() }));
        }
    }
    Ok(Ok(()))
}

/// The report of a study whose last variant is the learner's: each run once, nothing timed. `wrong` is what another shape found.
///
/// # Errors
/// [`RunError`]: the device, or a baseline that is wrong itself.
pub fn judged(
    study: &Study,
    subject: &mut dyn Subject,
    device: &mut dyn Device,
    wrong: Option<Wrong>,
) -> Result<evidence::Report, RunError> {
    let mut accounts = Vec::with_capacity(study.variants.len());
    for variant in &study.variants {
        accounts.push(account(variant, subject, device)?);
    }
    super::baseline_right(&accounts)?;
    if let (Some(wrong), Some(Outcome::Ran { result, .. })) =
        (wrong, accounts.last_mut().map(|account| &mut account.outcome))
    {
        *result = Err(wrong);
    }
    report::build(study, device, None, &accounts, &[])
}
