//! The caching allocator and snapshots.

use std::{collections::HashMap, error::Error, fs, path::Path};

use ledger::{
    allocator::{Allocator, Settings},
    snapshot::read_snapshot,
};

use super::{Answer, need, whole};
use crate::case::Case;

pub fn compute(case: &Case, folder: &Path) -> Answer {
    let metric = case.id.rsplit('/').next().unwrap_or_default();
    if case.kind().starts_with("snapshot_") {
        let file = folder.join(need(case, "file", case.text("file"))?);
        let snapshot = read_snapshot(&fs::read(file)?)?;
        return match case.kind() {
            "snapshot_reserved" => whole(snapshot.reserved()),
            "snapshot_allocated" => whole(snapshot.allocated()),
            _ => Ok(None),
        };
    }
    let stats = run(case)?.stats();
    match metric {
        "allocated" => whole(stats.allocated),
        "reserved" => whole(stats.reserved),
        "requested" => whole(stats.requested),
        "inactive_split" => whole(stats.inactive_split),
        "inactive_split_count" => whole(stats.inactive_split_blocks),
        "segments" => whole(stats.segments),
        "num_alloc_retries" => whole(stats.retries),
        "num_ooms" => whole(stats.ooms),
        "peak_allocated" => whole(stats.peak_allocated),
        "peak_reserved" => whole(stats.peak_reserved),
        _ => Ok(None),
    }
}

/// The operations of a case: `["a", name, size]`, `["f", name]`, `["e"]` for an emptied cache.
pub fn run(case: &Case) -> Result<Allocator, Box<dyn Error>> {
    let config = case.inputs.get("config").ok_or("no config")?;
    let number = |key: &str| config.get(key).and_then(|value| value.as_u64());
    let real = |key: &str| config.get(key).and_then(|value| value.as_f64());
    let settings = Settings {
        capacity: number("capacity"),
        max_split_size: number("max_split"),
        power2_divisions: [number("pow2div").unwrap_or(0); 16],
        collection_threshold: real("gc_threshold").unwrap_or(0.0),
        memory_fraction: real("fraction"),
        expandable_segments: config.get("expandable_segments").and_then(|flag| flag.as_bool()).unwrap_or(false),
        ..Settings::default()
    };
    let mut allocator = Allocator::new(settings);
    let mut named = HashMap::new();
    for operation in need(case, "ops", case.inputs.get("ops").and_then(|list| list.as_array()))? {
        let part = |at: usize| operation.get(at);
        let name = part(1).and_then(|name| name.as_str()).unwrap_or_default();
        match part(0).and_then(|kind| kind.as_str()) {
            Some("a") => {
                let size = part(2).and_then(|size| size.as_u64()).ok_or("an allocation without a size")?;
                // A failed request is part of the case.
                if let Ok(handle) = allocator.allocate(size, part(3).and_then(|at| at.as_u64()).unwrap_or(0)) {
                    named.insert(name.to_owned(), handle);
                }
            }
            Some("f") => {
                if let Some(handle) = named.remove(name) {
                    allocator.free(handle);
                }
            }
            Some("e") => allocator.empty_cache(),
            other => return Err(format!("{}: unknown operation {other:?}", case.id).into()),
        }
    }
    Ok(allocator)
}
