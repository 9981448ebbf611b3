//! The checking stage: each variant alone on an empty device, once. Gives what it allocates, what it moves, and whether it is
//! right.

use evidence::{LedgerLine, MemoryStep};

use super::buffers::Buffers;
use super::variant::{Part, Variant};
use super::{Checked, Subject, Wrong};
use crate::run::{Device, DeviceError, RunError, Tracker, Traffic};

pub struct Account {
    /// Predicted lines with what was measured beside them.
    pub resident: Vec<LedgerLine>,
    pub moved: Vec<LedgerLine>,
    pub timeline: Vec<MemoryStep>,
    pub allocated_before_bytes: u64,
    /// What the timed passes moved, where the device counts.
    pub counted: Option<u64>,
    pub outcome: Outcome,
}

pub enum Outcome {
    Ran {
        /// Of the timed phase.
        peak_bytes: u64,
        reserved_bytes: Option<u64>,
        result: Result<Checked, Wrong>,
    },
    /// The edge of the memory: a record, not a failure.
    OutOfMemory { requested_bytes: u64, message: String },
}

impl Account {
    pub fn ran_right(&self) -> bool {
        matches!(self.outcome, Outcome::Ran { result: Ok(_), .. })
    }
}

pub fn account(variant: &Variant, subject: &mut dyn Subject, device: &mut dyn Device) -> Result<Account, RunError> {
    let mut tracker = Tracker::begin(variant.steps().next().map_or(variant.timed.phase, |step| step.phase), device);
    let mut account = Account {
        resident: variant.parts.iter().map(Part::line).collect(),
        moved: variant.moved(),
        timeline: Vec::new(),
        allocated_before_bytes: tracker.before_bytes(),
        counted: None,
        outcome: Outcome::OutOfMemory { requested_bytes: 0, message: String::new() },
    };
    let mut buffers = Buffers::default();
    subject.renew();
    let outcome = measure(variant, &mut account, subject, &mut buffers, &mut tracker, device);
    let freed = buffers.drain().try_for_each(|(tag, buffer)| tracker.free(&tag, buffer, device));
    account.outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error @ DeviceError::OutOfMemory { wanted, .. }) => {
            Outcome::OutOfMemory { requested_bytes: wanted, message: error.to_string() }
        }
        Err(error) => return Err(error.into()),
    };
    freed?;
    account.timeline = tracker.into_timeline();
    Ok(account)
}

fn measure(
    variant: &Variant,
    account: &mut Account,
    subject: &dyn Subject,
    buffers: &mut Buffers,
    tracker: &mut Tracker,
    device: &mut dyn Device,
) -> Result<Outcome, DeviceError> {
    let mut moved = account.moved.iter_mut();
    for step in variant.steps() {
        // What the phase before left behind goes first.
        for part in variant.parts.iter().filter(|part| part.span.to < step.phase) {
            if let Some((tag, buffer)) = buffers.take(&part.slug) {
                tracker.free(&tag, buffer, device)?;
            }
        }
        tracker.enter(step.phase, device);
        for (part, line) in variant.parts.iter().zip(&mut account.resident) {
            if part.span.from != step.phase {
                continue;
            }
            let (buffer, bytes) = tracker.allocate(&part.tag(), part.words, device)?;
            buffers.add(part.tag(), buffer);
            line.measured_bytes = bytes;
            if part.is_made() {
                buffers.poison(part, device)?;
            } else {
                buffers.upload(part, subject, device)?;
            }
        }
        let begun = device.traffic();
        for pass in &step.passes {
            let before = device.traffic();
            buffers.launch(pass, device)?;
            device.synchronise()?;
            if let Some(line) = moved.next() {
                line.measured_bytes = difference(before, device.traffic());
            }
        }
        // Of the last step, which is timed.
        account.counted = difference(begun, device.traffic());
    }
    let memory = device.memory();
    let outputs = buffers.download(&variant.parts, device)?;
    let result = subject.check(variant, &outputs);
    Ok(Outcome::Ran { peak_bytes: memory.peak_bytes, reserved_bytes: memory.reserved_bytes, result })
}

/// `None` where the device has no counter.
fn difference(before: Option<Traffic>, after: Option<Traffic>) -> Option<u64> {
    let sum = |traffic: Traffic| traffic.read_bytes.checked_add(traffic.written_bytes);
    sum(after?)?.checked_sub(sum(before?)?)
}
