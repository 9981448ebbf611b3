//! The memory of one run, step by step: which object of the ledger came or went, in which phase. The same on every backend,
//! because it asks the device before and after.

use evidence::{Event, MemoryStep};
use ledger::{Object, Phase};

use super::{Buffer, Device, DeviceError};

/// An object's place in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    pub object: Object,
    pub part: String,
}

#[derive(Debug)]
pub struct Tracker {
    phase: Phase,
    /// What was allocated before; no part of this run.
    before: u64,
    steps: Vec<MemoryStep>,
}

impl Tracker {
    /// Begins a run; the device's peak counts from here.
    pub fn begin(phase: Phase, device: &mut dyn Device) -> Self {
        device.reset_peak();
        Self { phase, before: device.memory().allocated_bytes, steps: Vec::new() }
    }

    pub fn before_bytes(&self) -> u64 {
        self.before
    }

    /// Goes on to a phase; the device's peak counts from here.
    pub fn enter(&mut self, phase: Phase, device: &mut dyn Device) {
        self.phase = phase;
        device.reset_peak();
    }

    /// Gives the buffer, and the bytes by which the device's own count grew.
    pub fn allocate(
        &mut self,
        tag: &Tag,
        words: usize,
        device: &mut dyn Device,
    ) -> Result<(Buffer, Option<u64>), DeviceError> {
        let held = device.memory().allocated_bytes;
        let buffer = device.allocate(&tag.part, words)?;
        let bytes = device.memory().allocated_bytes.checked_sub(held);
        self.note(Event::Allocate, tag, bytes.unwrap_or_default(), device);
        Ok((buffer, bytes))
    }

    pub fn free(&mut self, tag: &Tag, buffer: Buffer, device: &mut dyn Device) -> Result<(), DeviceError> {
        let held = device.memory().allocated_bytes;
        device.free(buffer)?;
        let bytes = held.saturating_sub(device.memory().allocated_bytes);
        self.note(Event::Free, tag, bytes, device);
        Ok(())
    }

    fn note(&mut self, event: Event, tag: &Tag, bytes: u64, device: &dyn Device) {
        let memory = device.memory();
        self.steps.push(MemoryStep {
            event,
            phase: self.phase,
            object: tag.object,
            part: tag.part.clone(),
            bytes,
            allocated_bytes: memory.allocated_bytes.saturating_sub(self.before),
            reserved_bytes: memory.reserved_bytes,
            device_used_bytes: memory.device_used_bytes,
        });
    }

    pub fn into_timeline(self) -> Vec<MemoryStep> {
        self.steps
    }
}
