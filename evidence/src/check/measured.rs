//! What a kernel lab says about its measuring: spread, share of the roofline, timeline of the memory.

use super::sheet::{Sheet, short};
use crate::import::Place;
use crate::{Candidate, Event, Phrase, Spread, Status};

/// Times in a report are written with all their digits; this leaves room for a mean of many.
const ROUNDING: f64 = 1e-6;

fn same(stated: f64, expected: f64) -> bool {
    (stated - expected).abs() <= expected.abs() * ROUNDING
}

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    let (mut spreads, mut shares, mut lines) = (0, 0, 0);
    for (candidate, place) in sheet.candidates() {
        spreads += u32::from(spread(sheet, candidate, place));
        noise(sheet, candidate, place);
        shares += u32::from(share(sheet, candidate, place));
        lines += u32::from(timeline(sheet, candidate, place));
    }
    let mut passed = |id: &str, count: u32, zh: &str, en: &str| {
        if count > 0 && !sheet.has_failed(id) {
            sheet.pass(id, "/candidates", format!("{count} 个实现：{zh}"), format!("{count} variants: {en}"));
        }
    };
    passed("spread_agrees", spreads, "离散程度与样本一致。", "the spread follows from the samples.");
    passed("reached_agrees", shares, "roofline 比例可重算。", "the share of the roofline follows.");
    passed("timeline_agrees", lines, "显存时间线自洽。", "the timeline of the memory adds up.");
}

/// Whether a stated spread was held against the runs.
fn spread(sheet: &mut Sheet<'_>, candidate: &Candidate, place: &Place) -> bool {
    let Some(stated) = &candidate.metrics.spread else { return false };
    let times: Vec<f64> = candidate.runs.iter().filter_map(|run| run.time_ms).collect();
    let Some(found) = Spread::of(&times) else { return false };
    let interval = |spread: &Spread| spread.interval.map_or([0.0; 2], |interval| [interval.low_ms, interval.high_ms]);
    let rows = [
        ("samples", stated.samples as f64, found.samples as f64),
        ("median_ms", stated.median_ms, found.median_ms),
        ("p10_ms", stated.p10_ms, found.p10_ms),
        ("p90_ms", stated.p90_ms, found.p90_ms),
        ("interval/low_ms", interval(stated)[0], interval(&found)[0]),
        ("interval/high_ms", interval(stated)[1], interval(&found)[1]),
        (
            "relative_standard_error",
            stated.relative_standard_error.unwrap_or_default(),
            found.relative_standard_error.unwrap_or_default(),
        ),
        ("noisy", u8::from(stated.noisy).into(), u8::from(found.noisy).into()),
    ];
    for (field, stated, expected) in rows {
        if same(stated, expected) {
            continue;
        }
        let message = Phrase::new(
            format!("{} 的 {field} 由 {} 个样本重算，与报告不同。", candidate.name, times.len()),
            format!(
                "{field} of {}, computed from its {} samples, differs from the report.",
                candidate.name,
                times.len()
            ),
        );
        let pointer = format!("{}/metrics/spread/{field}", place.pointer);
        sheet.fail("spread_agrees", &pointer, short(expected, 6), short(stated, 6), message);
    }
    true
}

/// A mark is no fault of the report; its reader should see it.
fn noise(sheet: &mut Sheet<'_>, candidate: &Candidate, place: &Place) {
    let Some(spread) = candidate.metrics.spread.as_ref().filter(|spread| spread.noisy) else { return };
    let message = match spread.interval {
        Some(it) => Phrase::new(
            format!(
                "{} 的中位数在 {} 到 {} ms 之间：噪声过大。",
                candidate.name,
                short(it.low_ms, 4),
                short(it.high_ms, 4)
            ),
            format!(
                "The median of {} lies between {} and {} ms: too wide.",
                candidate.name,
                short(it.low_ms, 4),
                short(it.high_ms, 4)
            ),
        ),
        None => Phrase::new(
            format!("{} 只有 {} 个样本，给不出置信区间。", candidate.name, spread.samples),
            format!("{} has {} samples, too few for an interval.", candidate.name, spread.samples),
        ),
    };
    let found = spread.interval.map_or_else(
        || Phrase::new(format!("{} 个样本", spread.samples), format!("{} samples", spread.samples)),
        |it| format!("{}…{} ms", short(it.low_ms, 4), short(it.high_ms, 4)).into(),
    );
    let pointer = format!("{}/metrics/spread/noisy", place.pointer);
    sheet.fail("noise_bounded", &pointer, format!("{} ms ± 5%", short(spread.median_ms, 4)), found, message);
}

/// Whether a stated share was held against its numbers.
fn share(sheet: &mut Sheet<'_>, candidate: &Candidate, place: &Place) -> bool {
    let Some(reached) = &candidate.metrics.reached else { return false };
    let Some(stated) = reached.fraction else { return false };
    let least = sheet.doc.report.roofline.as_ref().and_then(|line| line.least_ms(reached.bytes, reached.flops));
    let median = candidate.metrics.spread.as_ref().map(|spread| spread.median_ms).filter(|median| *median > 0.0);
    let expected = least.zip(median).map(|(least, median)| least / median);
    if expected.is_some_and(|expected| same(stated, expected)) {
        return true;
    }
    let message = Phrase::new(
        format!("{} 的 roofline 比例不能由字节、FLOP、时间与测得的 roofline 得出。", candidate.name),
        format!(
            "The share of {} does not follow from its bytes, FLOP, time and the measured roofline.",
            candidate.name
        ),
    );
    let expected = expected.map_or_else(|| "null".to_owned(), |expected| short(expected, 4));
    let pointer = format!("{}/metrics/reached/fraction", place.pointer);
    sheet.fail("reached_agrees", &pointer, expected, short(stated, 4), message);
    true
}

/// Whether a timeline was there to be added up.
fn timeline(sheet: &mut Sheet<'_>, candidate: &Candidate, place: &Place) -> bool {
    let Some(last) = candidate.timeline.last() else { return false };
    let (mut allocated, mut peak) = (0_u64, 0_u64);
    for (index, step) in candidate.timeline.iter().enumerate() {
        if step.phase == last.phase {
            peak = peak.max(allocated);
        }
        let next = match step.event {
            Event::Allocate => allocated.checked_add(step.bytes),
            Event::Free => allocated.checked_sub(step.bytes),
        };
        allocated = next.unwrap_or(u64::MAX);
        if allocated != step.allocated_bytes {
            let message = Phrase::new(
                format!("{} 在 {} 之后应为 {allocated} B。", candidate.name, step.part),
                format!("After {} of {}, {allocated} B are allocated.", step.part, candidate.name),
            );
            let pointer = format!("{}/timeline/{index}/allocated_bytes", place.pointer);
            let (expected, found) = (format!("{allocated} B"), format!("{} B", step.allocated_bytes));
            sheet.fail("timeline_agrees", &pointer, expected, found, message);
            return true;
        }
        if step.phase == last.phase {
            peak = peak.max(allocated);
        }
    }
    // What lay there before the run began is in the device's count, not in the timeline.
    let before = candidate.metrics.allocated_before_bytes.unwrap_or_default();
    let Some(stated) = candidate.metrics.peak_allocated_bytes.filter(|_| candidate.status == Status::Ok) else {
        return true;
    };
    if stated != peak.saturating_add(before) {
        let message = Phrase::new(
            format!("{} 的时间线在最后阶段最高为 {peak} B，峰值却写 {stated} B。", candidate.name),
            format!(
                "The timeline of {} reaches {peak} B in its last phase, the stated peak is {stated} B.",
                candidate.name
            ),
        );
        let pointer = format!("{}/metrics/peak_allocated_bytes", place.pointer);
        sheet.fail("timeline_agrees", &pointer, format!("{peak} B"), format!("{stated} B"), message);
    }
    true
}
