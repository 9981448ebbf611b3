//! Two clocks: timestamps that the device writes into a query, and the host's around a wait for everything.

use std::time::Instant;

use evidence::Timer;
use labs::run::{DeviceError, Timing};
use wgpu::{Buffer, BufferUsages, CommandEncoder, Device, QuerySet, Queue};

use super::{failed, read};

/// Two timestamps of eight bytes.
const BYTES: u64 = 16;

struct Stamps {
    set: QuerySet,
    resolved: Buffer,
    staging: Buffer,
    /// Nanoseconds of one tick.
    period: f64,
}

pub struct Clock {
    stamps: Option<Stamps>,
    begun: Option<Instant>,
}

impl Clock {
    pub fn new(device: &Device, queue: &Queue, timestamps: bool) -> Self {
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("timestamps"),
                size: BYTES,
                usage,
                mapped_at_creation: false,
            })
        };
        let stamps = timestamps.then(|| Stamps {
            set: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: buffer(BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC),
            staging: buffer(BufferUsages::MAP_READ | BufferUsages::COPY_DST),
            period: f64::from(queue.get_timestamp_period()),
        });
        Self { stamps, begun: None }
    }

    pub fn timer(&self) -> Timer {
        if self.stamps.is_some() { Timer::DeviceEvents } else { Timer::Host }
    }

    /// Lets the device write its time: 0 before the work, 1 behind it. An empty pass carries it, as every adapter allows.
    pub fn mark(&self, encoder: &mut CommandEncoder, index: u32) {
        let Some(stamps) = &self.stamps else { return };
        let writes = wgpu::ComputePassTimestampWrites {
            query_set: &stamps.set,
            beginning_of_pass_write_index: (index == 0).then_some(0),
            end_of_pass_write_index: (index == 1).then_some(1),
        };
        drop(encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("timestamp"),
            timestamp_writes: Some(writes),
        }));
    }

    pub fn begin(&mut self) {
        self.begun = Some(Instant::now());
    }

    /// The host's time since [`Clock::begin`].
    pub fn end(&mut self) -> Result<u64, DeviceError> {
        let begun = self.begun.take().ok_or(DeviceError::TimerNotStarted)?;
        u64::try_from(begun.elapsed().as_nanos()).map_err(|_| failed("a run took centuries"))
    }

    pub fn resolve(&self, encoder: &mut CommandEncoder) {
        let Some(stamps) = &self.stamps else { return };
        encoder.resolve_query_set(&stamps.set, 0..2, &stamps.resolved, 0);
        encoder.copy_buffer_to_buffer(&stamps.resolved, 0, &stamps.staging, 0, BYTES);
    }

    /// What both clocks say; without timestamps the host's time stands for the device's, and [`Clock::timer`] says so.
    pub fn timing(&self, device: &Device, wall_ns: u64) -> Result<Timing, DeviceError> {
        let Some(stamps) = &self.stamps else { return Ok(Timing { device_ns: wall_ns, wall_ns }) };
        let mut ticks = [0; 2];
        read(device, &stamps.staging, |bytes| {
            for (tick, raw) in ticks.iter_mut().zip(bytes.chunks_exact(8)) {
                *tick = raw.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
            }
        })?;
        let passed = ticks[1].checked_sub(ticks[0]).ok_or_else(|| failed("the device's clock went back"))?;
        Ok(Timing { device_ns: (passed as f64 * stamps.period) as u64, wall_ns })
    }
}
