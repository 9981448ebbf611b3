//! What is measured, and the results that the other implementation must reach as well.

use std::{collections::HashMap, fs, path::Path};

use ledger::{
    allocator::{Allocator, Handle, Settings, Stats},
    catalogue,
    training::{self, Checkpointing, Optimizer, Precision, Training},
};

use crate::pickles::{Py, dump};

pub const WORKLOAD: Training = Training {
    precision: Precision::Fp32,
    optimizer: Optimizer::AdamWForeach,
    batch: 1,
    seq: 768,
    checkpointing: Checkpointing::None,
};

/// Sizes and choices without a library, so that another language draws the same.
struct Draw(u64);

impl Draw {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// An allocation of so many bytes, or the end of an earlier one.
pub enum Event {
    Allocate { id: u64, size: u64 },
    Free { id: u64 },
}

const EVENTS: u64 = 20_000;
const LIVE: usize = 600;

/// Allocations of all sizes; each is freed at a random later time.
pub fn script() -> Vec<Event> {
    let (mut draw, mut live, mut script) = (Draw(1), Vec::new(), Vec::new());
    for id in 0..EVENTS {
        if live.len() == LIVE || (!live.is_empty() && draw.next(2) == 0) {
            let at = draw.next(live.len() as u64) as usize;
            script.push(Event::Free { id: live.swap_remove(at) });
        } else {
            let size = ((1 + draw.next(4096)) * 128) << draw.next(6);
            live.push(id);
            script.push(Event::Allocate { id, size });
        }
    }
    script
}

pub fn run(mut allocator: Allocator, script: &[Event]) -> Stats {
    let mut handles: HashMap<u64, Handle> = HashMap::with_capacity(LIVE);
    for event in script {
        match event {
            Event::Allocate { id, size } => {
                if let Ok(handle) = allocator.allocate(*size, 0) {
                    handles.insert(*id, handle);
                }
            }
            Event::Free { id } => {
                if let Some(handle) = handles.remove(id) {
                    allocator.free(handle);
                }
            }
        }
    }
    allocator.stats()
}

/// The script as PyTorch would have recorded it, with stack frames as a real one has them: about 3 MB.
pub fn snapshot(script: &[Event]) -> Vec<u8> {
    let mut allocator = Allocator::new(Settings::default());
    let (mut handles, mut trace) = (HashMap::new(), Vec::new());
    let frames = |id: u64| {
        let frame = |at: u64| {
            let line = Py::Int((100 + (id * 7 + at) % 900).into());
            Py::Dict(vec![("name", "forward".into()), ("filename", "model.py".into()), ("line", line)])
        };
        Py::List((0..4).map(frame).collect())
    };
    let entry = |action: &'static str, address: u64, size: u64, id: u64| {
        Py::Dict(vec![
            ("action", action.into()),
            ("addr", address.into()),
            ("size", size.into()),
            ("stream", Py::Int(0)),
            ("time_us", Py::Int((1_700_000_000_000_000 + id).into())),
            ("frames", frames(id)),
        ])
    };
    for event in script {
        match event {
            Event::Allocate { id, size } => {
                let before = allocator.stats().reserved;
                let Ok(handle) = allocator.allocate(*size, 0) else { continue };
                let address = allocator.address(handle).unwrap_or_default();
                let grown = allocator.stats().reserved - before;
                if grown > 0 {
                    // A new segment begins at its first block.
                    trace.push(entry("segment_alloc", address, grown, *id));
                }
                trace.push(entry("alloc", address, *size, *id));
                handles.insert(*id, (handle, address, *size));
            }
            Event::Free { id } => {
                let Some((handle, address, size)) = handles.remove(id) else { continue };
                allocator.free(handle);
                trace.push(entry("free_requested", address, size, *id));
                trace.push(entry("free_completed", address, size, *id));
            }
        }
    }
    dump(&Py::Dict(vec![("segments", Py::List(Vec::new())), ("device_traces", Py::List(vec![Py::List(trace)]))]), 4)
}

/// Writes the results to the folder of the build, where the comparison finds them.
pub fn note(script: &[Event], snapshot_bytes: usize) {
    let model = catalogue::model("Qwen2.5-0.5B").unwrap_or_else(|| panic!("in the catalogue"));
    let peak = training::ledger(model, &WORKLOAD).unwrap_or_else(|error| panic!("{error}")).peak.bytes;
    let stats = run(Allocator::new(Settings::default()), script);
    let text = format!(
        "{{\"peak\": {peak}, \"events\": {}, \"allocated\": {}, \"reserved\": {}, \"snapshot_bytes\": {snapshot_bytes}}}",
        script.len(),
        stats.allocated,
        stats.reserved
    );
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ledger-case.json");
    fs::write(&file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}
