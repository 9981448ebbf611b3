//! Numbers that could be true and hardly are.

use super::sheet::{Sheet, mib_text, short};
use crate::import::Metric;
use crate::{Candidate, Phrase, Workload};

/// Two runs of one script differ by 4 to 5 percent in time.
const NOISE: f64 = 0.05;
/// Allocated peaks closer than this are one peak.
const SAME_PEAK_BYTES: u64 = 1 << 20;

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    within_device(sheet);
    if !matches!(sheet.doc.report.workload, Workload::Training(_)) {
        return;
    }
    recomputation_costs(sheet);
    offload_moves(sheet);
}

/// Time of a step, under whichever name the file has it: the inverse of a rate does as well for a ratio.
fn step(candidate: &Candidate) -> Option<f64> {
    let metrics = &candidate.metrics;
    metrics.step_time_ms.or_else(|| metrics.samples_per_s.filter(|rate| *rate > 0.0).map(|rate| 1000.0 / rate))
}

fn called(candidate: &Candidate, words: &[&str]) -> bool {
    let name = candidate.name.to_ascii_lowercase();
    words.iter().any(|word| name.contains(word))
}

/// What is computed twice takes longer.
fn recomputation_costs(sheet: &mut Sheet<'_>) {
    let Some(base) = sheet.baseline().and_then(|(candidate, _)| step(candidate)) else { return };
    for (candidate, place) in
        sheet.candidates().filter(|(candidate, _)| called(candidate, &["checkpoint", "recompute"]))
    {
        let Some(time) = step(candidate).filter(|time| *time < base * (1.0 - NOISE)) else { continue };
        let ratio = short(time / base, 3);
        let message = Phrase::new(
            format!(
                "{} 要重算前向，步时却只有基线的 {ratio} 倍：也许没有真正启用，或两次计时条件不同。",
                candidate.name
            ),
            format!(
                "{} computes the forward pass again and takes {ratio} of the baseline's time: perhaps it was not on, or the two were timed under different conditions.",
                candidate.name
            ),
        );
        let pointer = place.metric(Metric::StepTime);
        sheet.fail(
            "recomputation_costs",
            &pointer,
            format!("≥ {} ms", short(base, 1)),
            format!("{} ms", short(time, 1)),
            message,
        );
    }
}

/// An offload that changes neither peak nor time moved nothing.
fn offload_moves(sheet: &mut Sheet<'_>) {
    let Some((baseline, _)) = sheet.baseline() else { return };
    let (Some(base), Some(peak)) = (step(baseline), baseline.metrics.peak_allocated_bytes) else { return };
    for (candidate, place) in sheet.candidates().filter(|(candidate, _)| called(candidate, &["offload"])) {
        let (Some(time), Some(own)) = (step(candidate), candidate.metrics.peak_allocated_bytes) else { continue };
        if own.abs_diff(peak) > SAME_PEAK_BYTES || (time / base - 1.0).abs() > NOISE {
            continue;
        }
        let message = Phrase::new(
            format!("{} 的峰值与步时都和基线一样：没有搬走任何字节。", candidate.name),
            format!("{} has the baseline's peak and the baseline's time: no byte was moved.", candidate.name),
        );
        let expected = Phrase::new("另一个峰值，或更长的步时", "another peak, or a longer step");
        sheet.fail("offload_moves", &place.metric(Metric::Allocated), expected, mib_text(own as f64), message);
    }
}

/// What the device has, by its driver or by the catalogue.
fn capacity(sheet: &Sheet<'_>) -> Option<u64> {
    let device = sheet.doc.report.device.as_ref()?;
    let card = || ledger::catalogue::cards().iter().find(|card| card.name.eq_ignore_ascii_case(device.name.trim()));
    device.memory_bytes.or_else(|| card().map(|card| card.capacity_bytes))
}

/// More than the device has cannot stay on it: a driver that spills into the host's memory makes times meaningless.
fn within_device(sheet: &mut Sheet<'_>) {
    let Some(capacity) = capacity(sheet) else { return };
    for (candidate, place) in sheet.candidates() {
        let peaks = [
            (Metric::Allocated, candidate.metrics.peak_allocated_bytes),
            (Metric::Reserved, candidate.metrics.peak_reserved_bytes),
        ];
        let Some((metric, peak)) =
            peaks.into_iter().find_map(|(metric, peak)| Some((metric, peak.filter(|peak| *peak > capacity)?)))
        else {
            continue;
        };
        let message = Phrase::new(
            format!("{} 的峰值超过了设备的显存：要么设备写错，要么驱动把显存溢出到了主存。", candidate.name),
            format!(
                "The peak of {} is above what the device has: either another device ran it, or the driver spilled into the host's memory.",
                candidate.name
            ),
        );
        sheet.fail(
            "within_device",
            &place.metric(metric),
            format!("≤ {}", mib_text(capacity as f64)),
            mib_text(peak as f64),
            message,
        );
    }
}
