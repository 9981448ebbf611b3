//! What a trace comes to. Times are nanoseconds; moments count from the first event of the trace.

use serde::Serialize;

use super::Category;

/// Time of one category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CategoryTime {
    pub category: Category,
    pub events: u64,
    /// Durations added up: what nests is counted again and again.
    pub sum_ns: u64,
    /// Time counted once: for kernels and copies the union on each device, for calls the self time on each thread.
    /// Absent for categories that repeat the time of others.
    pub once_ns: Option<u64>,
}

/// All events of one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NameTime {
    pub name: String,
    pub category: Category,
    pub calls: u64,
    pub sum_ns: u64,
    /// Without what was called inside. For work of a device the sum.
    pub self_ns: u64,
    pub longest_ns: u64,
    /// Bytes that copies moved, as far as the events say.
    pub bytes: u64,
}

/// The work of one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DeviceTime {
    pub device: u64,
    /// Time in which at least one kernel ran.
    pub kernel_ns: u64,
    /// Time in which at least one copy ran.
    pub copy_ns: u64,
    pub memset_ns: u64,
    /// Time in which copies ran beside kernels.
    pub overlap_ns: u64,
    /// Time inside the window in which anything ran.
    pub busy_ns: u64,
    /// The time that busy is held against: from the first step's beginning to the last one's end, or to the end of the
    /// device's work where that is later; without steps, from the first event to the last.
    pub window_ns: u64,
}

impl DeviceTime {
    pub fn busy_share(&self) -> f64 {
        share(self.busy_ns, self.window_ns)
    }

    /// The part of the copies that ran beside kernels.
    pub fn hidden_share(&self) -> f64 {
        share(self.overlap_ns, self.copy_ns)
    }
}

/// A part of a whole; 0 of nothing is 0.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// One `ProfilerStep`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StepTime {
    pub number: u64,
    pub start_ns: u64,
    pub duration_ns: u64,
    /// Time inside the step in which any device worked. Work that was launched earlier counts where it ran.
    pub device_busy_ns: u64,
    /// Until the next step; absent for the last one.
    pub gap_ns: Option<u64>,
}

/// What profiling itself may have cost, between the first step's beginning and the last one's end. The rows overlap;
/// `once_ns` counts their time once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Overhead {
    pub window_ns: u64,
    /// Between steps: `prof.step()` and its handler.
    pub gaps_ns: u64,
    /// Events of category `overhead`, such as buffer requests and full command buffers.
    pub reported_ns: u64,
    /// Events that carry the profiler's name.
    pub profiler_ns: u64,
    /// `cudaDeviceSynchronize` inside steps: the profiler's, or `torch.cuda.synchronize` of the script.
    pub synchronize_ns: u64,
    /// Writing the trace inside steps.
    pub export_ns: u64,
    pub once_ns: u64,
}

impl Overhead {
    pub fn share(&self) -> f64 {
        share(self.once_ns, self.window_ns)
    }
}

/// The allocator's totals at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MemoryPoint {
    pub at_ns: u64,
    pub allocated_bytes: u64,
    pub reserved_bytes: u64,
}

/// The counters of one device over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MemoryTrack {
    /// `cuda` or `cpu`, or the number of another type.
    pub kind: String,
    pub device: u64,
    /// Events that carry totals.
    pub events: u64,
    /// The moment of the highest allocated total.
    pub peak: MemoryPoint,
    /// The step in which it lies.
    pub peak_step: Option<u64>,
    pub peak_reserved_bytes: u64,
    /// The track, thinned: of neighbours the one with the highest allocated total is kept, so the peak is there.
    pub points: Vec<MemoryPoint>,
}

/// An event that could not be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Byte of the JSON behind the event.
    pub offset: u64,
    pub field: &'static str,
    pub expected: &'static str,
    pub found: String,
}

/// A device as the trace names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceName {
    pub id: u64,
    pub name: String,
    pub total_bytes: Option<u64>,
}

/// A trace, summed up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    /// Bytes of JSON.
    pub bytes: u64,
    pub compressed: bool,
    pub events: u64,
    /// Events with a duration that were used.
    pub timed_events: u64,
    /// Events that could not be used, and the first of them.
    pub left_out: u64,
    pub first_left_out: Option<LeftOut>,
    pub device_names: Vec<DeviceName>,
    /// From the first event that was used to the end of the last.
    pub span_ns: u64,
    pub categories: Vec<CategoryTime>,
    /// Calls of the host by self time, the longest first.
    pub operators: Vec<NameTime>,
    /// Kernels by time.
    pub kernels: Vec<NameTime>,
    /// Copies and fills by time.
    pub copies: Vec<NameTime>,
    /// Names beyond those that are kept apart.
    pub names_merged: bool,
    pub devices: Vec<DeviceTime>,
    pub steps: Vec<StepTime>,
    /// Absent without steps.
    pub overhead: Option<Overhead>,
    pub memory: Vec<MemoryTrack>,
}
