//! How the allocator of a snapshot was set.

use super::{read::Place, value::Value};
use crate::{allocator::Settings, units::MIB};

/// The settings that decide about addresses. Collection and retries need no setting: the trace shows what they freed.
pub(super) fn read(place: &Place<'_>) -> Settings {
    let mut settings = Settings::default();
    // Some settings stand in the text of the environment variable only.
    let text = place.text("PYTORCH_ALLOC_CONF").or_else(|| place.text("PYTORCH_CUDA_ALLOC_CONF"));
    for (key, value) in text.unwrap_or_default().split(',').filter_map(|pair| pair.split_once(':')) {
        let bytes = value.trim().parse::<u64>().ok().and_then(|mib| mib.checked_mul(MIB)).filter(|bytes| *bytes > 0);
        match (key.trim(), bytes) {
            ("large_segment_size_mb", Some(bytes)) => settings.large_segment_size = bytes,
            ("max_non_split_rounding_mb", Some(bytes)) => settings.max_non_split_rounding = bytes,
            _ => {}
        }
    }
    // `-1` means no limit.
    settings.max_split_size = place.optional("max_split_size").filter(|size| *size > 0);
    settings.expandable_segments = place.optional("expandable_segments").unwrap_or(0) == 1;
    let data = place.data;
    if let Some(Value::Dict(pairs)) = data.field(place.id, "roundup_power2_divisions").map(|id| data.get(id)) {
        for (key, value) in pairs {
            let start = data.text(*key).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
            if let (Some(divisions), true) = (data.whole(*value), start.is_power_of_two()) {
                settings.set_power2_divisions(start, divisions);
            }
        }
    }
    settings
}
