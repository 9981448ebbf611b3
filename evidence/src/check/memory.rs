//! Allocated and reserved memory, the edge of it, and thresholds about it.

use super::sheet::{Sheet, mib_text, short};
use crate::import::{Metric, mib};
use crate::stage::Stage;
use crate::{Phrase, Shape, Status, Workload};

/// Allocated peaks closer than this are one peak: a fixed script repeats to 0.01 MiB, another script differs by 13.
const SAME_PEAK_BYTES: u64 = 1 << 20;
/// A spread of reserved above this comes from the allocator's history.
const RESERVED_NOISE_BYTES: u64 = 64 << 20;

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    oom(sheet);
    equal_start(sheet);
    if !matches!(sheet.doc.report.workload, Workload::Training(_)) {
        return;
    }
    reserved_recorded(sheet);
    reserved_above_cap(sheet);
    reserved_grows(sheet);
    reserved_noise(sheet);
    threshold_scale(sheet);
}

fn reserved_recorded(sheet: &mut Sheet<'_>) {
    if matches!(sheet.doc.stage(), Some(Stage::FineTuning | Stage::Mechanism)) {
        return; // There is no budget to hold it against.
    }
    let first = sheet.candidates().find(|(candidate, _)| {
        candidate.metrics.peak_allocated_bytes.is_some() && candidate.metrics.peak_reserved_bytes.is_none()
    });
    let Some((candidate, place)) = first else { return };
    let message = Phrase::new(
        format!("{} 只有 allocated：上限与它比较，而驱动要给出的是 reserved。", candidate.name),
        format!(
            "{} has only the allocated peak: the cap is held against it, while the driver must hand out the reserved one.",
            candidate.name
        ),
    );
    sheet.fail(
        "reserved_recorded",
        &place.metric(Metric::Reserved),
        Phrase::new("一个数字", "a number"),
        "null",
        message,
    );
}

fn reserved_above_cap(sheet: &mut Sheet<'_>) {
    let Some(cap) = sheet.limits.memory_cap_bytes else { return };
    if sheet.strategy().is_none() {
        return;
    }
    // 75 often leaves reserved memory out; the 76 that it was copied from has it.
    let source = if sheet.doc.is_stage(Stage::Budget) { super::linked::source(sheet) } else { None };
    let mut known = 0;
    let mut over = Vec::new();
    for (candidate, place) in sheet.candidates() {
        let copied = || source?.report.candidate(&candidate.name)?.metrics.peak_reserved_bytes;
        let Some(reserved) = candidate.metrics.peak_reserved_bytes.or_else(copied) else { continue };
        known += 1;
        if reserved > cap {
            over.push((place.metric(Metric::Reserved), format!("{} {}", candidate.name, mib_text(reserved as f64))));
        }
    }
    if let Some((pointer, _)) = over.first() {
        let list = over.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>().join(", ");
        let count = over.len();
        let message = Phrase::new(
            format!(
                "{count}/{known} 个候选的 reserved 超出上限 {}，而可行性只比较了 allocated。",
                mib_text(cap as f64)
            ),
            format!(
                "{count} of {known} candidates reserve more than the cap of {}, while feasibility compares allocated only.",
                mib_text(cap as f64)
            ),
        );
        let pointer = pointer.clone();
        sheet.fail("reserved_above_cap", &pointer, format!("≤ {}", mib_text(cap as f64)), list, message);
    } else if known > 0 {
        sheet.pass(
            "reserved_above_cap",
            "/candidates",
            format!("{known} 个候选的 reserved 都在上限之内。"),
            format!("The reserved peaks of {known} of {known} candidates are within the cap."),
        );
    }
}

fn reserved_grows(sheet: &mut Sheet<'_>) {
    let Some((baseline, _)) = sheet.baseline() else { return };
    let (Some(allocated), Some(reserved)) =
        (baseline.metrics.peak_allocated_bytes, baseline.metrics.peak_reserved_bytes)
    else {
        return;
    };
    let grown = sheet.candidates().find(|(candidate, _)| {
        !candidate.is_baseline()
            && candidate
                .metrics
                .peak_allocated_bytes
                .is_some_and(|peak| peak.saturating_add(SAME_PEAK_BYTES) < allocated)
            && candidate.metrics.peak_reserved_bytes.is_some_and(|peak| peak > reserved.saturating_add(SAME_PEAK_BYTES))
    });
    let Some((candidate, place)) = grown else { return };
    let own = candidate.metrics.peak_reserved_bytes.unwrap_or_default();
    let message = Phrase::new(
        format!("{} 的 allocated 比基线低，reserved 却更高：allocated 省下的没有还给卡。", candidate.name),
        format!(
            "{} allocates less than the baseline and reserves more: what it saves is not returned to the card.",
            candidate.name
        ),
    );
    sheet.fail(
        "reserved_grows",
        &place.metric(Metric::Reserved),
        format!("≤ {}", mib_text(reserved as f64)),
        mib_text(own as f64),
        message,
    );
}

fn reserved_noise(sheet: &mut Sheet<'_>) {
    for (_, place) in sheet.candidates() {
        let peaks: Vec<u64> = place.finished_runs().filter_map(|run| run.metrics.peak_reserved_bytes).collect();
        let (Some(low), Some(high)) = (peaks.iter().min(), peaks.iter().max()) else { continue };
        let spread = high - low;
        if spread > RESERVED_NOISE_BYTES {
            let message = Phrase::new(
                format!(
                    "相同的重复之间 reserved 相差 {}：它取决于分配器历史，不是策略的效果。",
                    mib_text(spread as f64)
                ),
                format!(
                    "Between equal runs reserved differs by {}: that is the allocator's history, not an effect of a strategy.",
                    mib_text(spread as f64)
                ),
            );
            let pointer = place.runs_at();
            sheet.fail(
                "reserved_noise",
                &pointer,
                format!("≤ {}", mib_text(RESERVED_NOISE_BYTES as f64)),
                mib_text(spread as f64),
                message,
            );
        }
    }
}

fn oom(sheet: &mut Sheet<'_>) {
    for (candidate, place) in sheet.candidates() {
        let pointer = format!("{}/status", place.pointer);
        match candidate.status {
            Status::Oom if !candidate.metrics.is_empty() => {
                let message = Phrase::new(
                    format!("{} 的状态是 oom，却带有成功运行的指标。", candidate.name),
                    format!("{} is marked oom, yet carries the metrics of a finished run.", candidate.name),
                );
                sheet.fail("oom_without_metrics", &pointer, "partial_oom", "oom", message);
            }
            Status::Oom if candidate.error.is_none() => {
                let message = Phrase::new(
                    format!("{} 的 OOM 没有错误信息：看不出申请多少时到了边界。", candidate.name),
                    format!(
                        "The OOM of {} has no message: nobody can see what was asked for at the edge.",
                        candidate.name
                    ),
                );
                let pointer = format!("{}/error", place.pointer);
                sheet.fail("oom_boundary", &pointer, Phrase::new("错误信息", "the error message"), "null", message);
            }
            Status::Oom => sheet.pass(
                "oom_boundary",
                &pointer,
                format!("{} 的 OOM 是容量边界记录，不是失败的提交。", candidate.name),
                format!("The OOM of {} is a boundary record, not a failed submission.", candidate.name),
            ),
            Status::PartialOom => {
                let message = Phrase::new(
                    format!("{} 的部分重复 OOM：它贴着边界，均值只来自成功的那几次。", candidate.name),
                    format!(
                        "Some runs of {} ran out of memory: it sits at the edge, and its means are of the lucky runs.",
                        candidate.name
                    ),
                );
                sheet.fail("partial_oom", &pointer, "ok", "partial_oom", message);
            }
            Status::Ok | Status::Failed => {}
        }
    }
}

/// The share of the baseline at which an absolute threshold stops being one.
const SHARE: std::ops::RangeInclusive<f64> = 0.001..=0.25;

fn threshold_scale(sheet: &mut Sheet<'_>) {
    // Only where a decision hangs on the thresholds.
    if sheet.strategy().is_none() && sheet.pair().is_none() {
        return;
    }
    let Some((baseline, _)) = sheet.baseline() else { return };
    if let (Some(pair), Some(step)) = (sheet.pair(), baseline.metrics.step_time_ms)
        && pair.min_time_ms > 0.0
        && !SHARE.contains(&(pair.min_time_ms / step))
    {
        let share = short(pair.min_time_ms / step * 100.0, 2);
        let message = Phrase::new(
            format!("阈值 {} ms 是基线步时的 {share}%：绝对阈值与这个工作负载不相称。", pair.min_time_ms),
            format!(
                "The threshold of {} ms is {share}% of the baseline's step: an absolute threshold does not fit this workload.",
                pair.min_time_ms
            ),
        );
        let expected = Phrase::new("基线的 0.1%–25%", "0.1%–25% of the baseline");
        sheet.fail("threshold_scale", "/summary/step_time_delta_ms", expected, format!("{share}%"), message);
    }
    let peak = baseline.metrics.peak_allocated_bytes.map(mib);
    let memory = sheet.limits.min_memory_saving_bytes.map(mib);
    let pointer = match (sheet.doc.shape, sheet.doc.stage()) {
        (_, Some(Stage::Pair)) => "/summary/peak_mem_delta_mb",
        (Shape::V1, _) => "/budget/min_memory_saving_bytes",
        _ => "/budget/min_memory_saving_mb",
    };
    if let (Some(peak), Some(threshold)) = (peak, memory)
        && threshold > 0.0
        && !SHARE.contains(&(threshold / peak))
    {
        let share = short(threshold / peak * 100.0, 1);
        let message = Phrase::new(
            format!("阈值 {} MiB 是基线峰值的 {share}%：绝对阈值与这个工作负载不相称。", short(threshold, 1)),
            format!(
                "The threshold of {} MiB is {share}% of the baseline's peak: an absolute threshold does not fit this workload.",
                short(threshold, 1)
            ),
        );
        sheet.fail(
            "threshold_scale",
            pointer,
            Phrase::new("基线的 0.1%–25%", "0.1%–25% of the baseline"),
            format!("{share}%"),
            message,
        );
    }
}

/// The two paths of a mechanism page run one after the other: what the second starts with is part of its peak.
fn start_recorded(sheet: &mut Sheet<'_>) {
    if !sheet.doc.is_stage(Stage::Mechanism) {
        return;
    }
    let silent = sheet.candidates().find(|(candidate, _)| {
        candidate.metrics.peak_allocated_bytes.is_some() && candidate.metrics.allocated_before_bytes.is_none()
    });
    let Some((candidate, place)) = silent else { return };
    let message = Phrase::new(
        format!("{} 没有记录开始时已占多少：前一次运行的梯度若还在，峰值就不可比。", candidate.name),
        format!(
            "{} does not record what was allocated at its start: with gradients of the run before, peaks cannot be compared.",
            candidate.name
        ),
    );
    let pointer = place.metric(Metric::AllocatedBefore);
    sheet.fail("start_recorded", &pointer, Phrase::new("一个数字", "a number"), "null", message);
}

/// A candidate that starts with the gradients of the run before it is not compared with its baseline.
fn equal_start(sheet: &mut Sheet<'_>) {
    start_recorded(sheet);
    let Some(start) = sheet.baseline().and_then(|(baseline, _)| baseline.metrics.allocated_before_bytes) else {
        return;
    };
    for (candidate, place) in sheet.candidates() {
        let Some(own) = candidate.metrics.allocated_before_bytes else { continue };
        if own.abs_diff(start) <= SAME_PEAK_BYTES {
            continue;
        }
        let message = Phrase::new(
            format!(
                "{} 开始时已占 {}，基线是 {}：起点不同，峰值不可比。",
                candidate.name,
                mib_text(own as f64),
                mib_text(start as f64)
            ),
            format!(
                "{} starts with {} allocated, the baseline with {}: peaks from different starts cannot be compared.",
                candidate.name,
                mib_text(own as f64),
                mib_text(start as f64)
            ),
        );
        let pointer = place.metric(Metric::AllocatedBefore);
        sheet.fail("equal_start", &pointer, mib_text(start as f64), mib_text(own as f64), message);
    }
}
