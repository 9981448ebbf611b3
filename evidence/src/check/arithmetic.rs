//! Numbers of a candidate that follow from other numbers of it.

use serde_json::Value;

use super::sheet::{Sheet, mib_text, short};
use crate::import::{Metric, Place, Run, mib, setting};
use crate::{Candidate, Phrase, Status};

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    samples_per_s(sheet);
    reserved_below_allocated(sheet);
    let mut with_runs = 0;
    for (candidate, place) in sheet.candidates() {
        with_runs += usize::from(runs_mean(sheet, candidate, place));
        runs_count(sheet, candidate, place);
        stability(sheet, place);
    }
    if with_runs > 0 && !sheet.has_failed("runs_mean_agrees") {
        sheet.pass(
            "runs_mean_agrees",
            sheet.measured_at(),
            format!("{with_runs} 个候选的汇总值等于其 runs 的均值。"),
            format!("The aggregates of {with_runs} of {with_runs} candidates are the means of their runs."),
        );
    }
}

/// Half a percent for rounding; a mean of rates differs from the rate of a mean by the square of the spread.
fn rate_tolerance(place: &Place) -> f64 {
    let times: Vec<f64> = place.finished_runs().filter_map(|run| run.metrics.step_time_ms).collect();
    let (low, high) = times.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), t| (low.min(*t), high.max(*t)));
    let spread = if low.is_finite() && low > 0.0 { (high - low) / low } else { 0.0 };
    0.005 + spread * spread / 4.0
}

fn samples_per_s(sheet: &mut Sheet<'_>) {
    let Some(batch) = sheet.training().and_then(|training| training.batch) else { return };
    // Where gradients are accumulated, a step may be all micro-batches of one update.
    let accumulation = ["gradient_accumulation_steps", "gradient_accumulation", "grad_accum", "accumulation_steps"];
    let micro_batches = setting(sheet.raw(), &accumulation).and_then(|(_, value)| value.as_u64()).unwrap_or(1);
    let mut agree = 0;
    let mut total = 0;
    for (candidate, place) in sheet.candidates() {
        let mut rows = vec![(
            place.metric(Metric::SamplesPerS),
            candidate.metrics.step_time_ms,
            candidate.metrics.samples_per_s,
            rate_tolerance(place),
        )];
        rows.extend(place.runs.iter().enumerate().map(|(index, run)| {
            (place.run_metric(index, Metric::SamplesPerS), run.metrics.step_time_ms, run.metrics.samples_per_s, 0.005)
        }));
        let mut wrong = false;
        for (pointer, time, rate, tolerance) in rows {
            let (Some(time), Some(rate)) = (time, rate) else { continue };
            let expected = batch as f64 * 1000.0 / time;
            // Rates carry three decimals.
            let agrees = |expected: f64| (rate - expected).abs() <= expected * tolerance + 0.00051;
            if agrees(expected) || agrees(expected * micro_batches as f64) {
                continue;
            }
            wrong = true;
            let message = Phrase::new(
                format!("{batch} × 1000 / {} ms = {}，报告写 {}。", short(time, 3), short(expected, 3), short(rate, 3)),
                format!(
                    "{batch} × 1000 / {} ms = {}, the report says {}.",
                    short(time, 3),
                    short(expected, 3),
                    short(rate, 3)
                ),
            );
            sheet.fail("samples_per_s_agrees", &pointer, short(expected, 3), short(rate, 3), message);
        }
        if candidate.metrics.step_time_ms.is_some() && candidate.metrics.samples_per_s.is_some() {
            total += 1;
            agree += usize::from(!wrong);
        }
    }
    if total > 0 && agree == total {
        sheet.pass(
            "samples_per_s_agrees",
            sheet.measured_at(),
            format!("{agree}/{total} 个候选的 samples_per_s 与 batch、步时一致。"),
            format!("samples_per_s agrees with batch and step time for {agree} of {total} candidates."),
        );
    }
}

fn reserved_below_allocated(sheet: &mut Sheet<'_>) {
    for (candidate, place) in sheet.candidates() {
        let mut rows = vec![(
            place.metric(Metric::Reserved),
            candidate.metrics.peak_allocated_bytes,
            candidate.metrics.peak_reserved_bytes,
        )];
        rows.extend(place.runs.iter().enumerate().map(|(index, run)| {
            (
                place.run_metric(index, Metric::Reserved),
                run.metrics.peak_allocated_bytes,
                run.metrics.peak_reserved_bytes,
            )
        }));
        for (pointer, allocated, reserved) in rows {
            let (Some(allocated), Some(reserved)) = (allocated, reserved) else { continue };
            // Both are rounded to two decimals of MiB.
            if reserved.saturating_add(20_000) >= allocated {
                continue;
            }
            let message = Phrase::new(
                format!(
                    "reserved {} 低于 allocated {}：分配器不可能交出它没有的显存。",
                    mib_text(reserved as f64),
                    mib_text(allocated as f64)
                ),
                format!(
                    "reserved {} is below allocated {}: an allocator cannot hand out what it does not hold.",
                    mib_text(reserved as f64),
                    mib_text(allocated as f64)
                ),
            );
            sheet.fail(
                "reserved_below_allocated",
                &pointer,
                format!("≥ {}", mib_text(allocated as f64)),
                mib_text(reserved as f64),
                message,
            );
        }
    }
}

/// Metric, aggregate, value of one run, and the rounding of the aggregate.
type MeanOf = (Metric, Option<f64>, fn(&Run) -> Option<f64>, fn(f64) -> f64);

/// Whether an aggregate was held against at least two runs.
fn runs_mean(sheet: &mut Sheet<'_>, candidate: &Candidate, place: &Place) -> bool {
    let rows: [MeanOf; 6] = [
        (Metric::StepTime, candidate.metrics.step_time_ms, |run| run.metrics.step_time_ms, |v| (v * 2e-4).max(0.0011)),
        (
            Metric::SamplesPerS,
            candidate.metrics.samples_per_s,
            |run| run.metrics.samples_per_s,
            |v| (v * 2e-4).max(0.0011),
        ),
        (
            Metric::Allocated,
            candidate.metrics.peak_allocated_bytes.map(mib),
            |run| run.metrics.peak_allocated_bytes.map(mib),
            |_| 0.011,
        ),
        (
            Metric::Reserved,
            candidate.metrics.peak_reserved_bytes.map(mib),
            |run| run.metrics.peak_reserved_bytes.map(mib),
            |_| 0.011,
        ),
        (Metric::Loss, candidate.quality.loss, |run| run.loss, |_| 0.0011),
        (Metric::EvalLoss, candidate.quality.eval_loss, |run| run.eval_loss, |_| 0.0011),
    ];
    let finished = place.finished_runs().count();
    let mut compared = false;
    for (metric, aggregate, read, tolerance) in rows {
        let values: Vec<f64> = place.finished_runs().filter_map(read).collect();
        let Some(aggregate) = aggregate.filter(|_| !values.is_empty()) else { continue };
        if values.len() < finished {
            let (count, missing) = (values.len(), finished - values.len());
            let message = Phrase::new(
                format!("{finished} 次成功的运行中有 {missing} 次没有这个数，汇总无法复现。"),
                format!("{missing} of {finished} finished runs lack this number: the aggregate cannot be reproduced."),
            );
            let found = count.to_string();
            sheet.fail("runs_mean_agrees", &place.metric(metric), finished.to_string(), found, message);
            continue;
        }
        compared |= values.len() > 1;
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        // The median is as honest a summary of repeats.
        if [mean, median(&values)].into_iter().any(|middle| (aggregate - middle).abs() <= tolerance(middle.abs())) {
            continue;
        }
        let count = values.len();
        let message = Phrase::new(
            format!("{count} 次运行的均值是 {}，汇总写 {}。", short(mean, 3), short(aggregate, 3)),
            format!("The mean of {count} runs is {}, the aggregate says {}.", short(mean, 3), short(aggregate, 3)),
        );
        sheet.fail("runs_mean_agrees", &place.metric(metric), short(mean, 3), short(aggregate, 3), message);
    }
    compared
}

/// The middle one, or the mean of the two in the middle. Of one value at least.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 }
}

fn runs_count(sheet: &mut Sheet<'_>, candidate: &Candidate, place: &Place) {
    if place.runs.is_empty() {
        return;
    }
    let finished = place.finished_runs().count();
    let failed = place.runs.len() - finished;
    for (key, counted) in [("successful_runs", finished), ("oom_runs", failed)] {
        let pointer = format!("{}/{key}", place.pointer);
        let Some(said) = sheet.value(&pointer).and_then(Value::as_u64) else { continue };
        if said != counted as u64 {
            let message = Phrase::new(
                format!("runs 里数出 {counted}，这里写 {said}。"),
                format!("runs holds {counted}, this says {said}."),
            );
            sheet.fail("runs_count_agrees", &pointer, counted.to_string(), said.to_string(), message);
        }
    }
    if candidate.status == Status::Ok && failed > 0 {
        let message = Phrase::new(
            format!("{failed} 次运行没有成功，状态却是 ok。"),
            format!("{failed} runs did not finish, yet the status is ok."),
        );
        let pointer = format!("{}/status", place.pointer);
        sheet.fail("runs_count_agrees", &pointer, if finished > 0 { "partial_oom" } else { "oom" }, "ok", message);
    }
    let Some(repeats) = sheet.value("/config/repeats").and_then(Value::as_u64) else { return };
    if repeats != place.runs.len() as u64 {
        let message = Phrase::new(
            format!("config.repeats 是 {repeats}，runs 有 {} 条。", place.runs.len()),
            format!("config.repeats is {repeats}, runs has {} entries.", place.runs.len()),
        );
        let pointer = place.runs_at();
        sheet.fail("runs_count_agrees", &pointer, repeats.to_string(), place.runs.len().to_string(), message);
    }
}

fn stability(sheet: &mut Sheet<'_>, place: &Place) {
    type Range = (&'static str, fn(&Run) -> Option<f64>);
    let rows: [Range; 3] = [
        ("step_time_range_ms", |run| run.metrics.step_time_ms),
        ("throughput_range_samples_per_s", |run| run.metrics.samples_per_s),
        ("peak_memory_range_mb", |run| run.metrics.peak_allocated_bytes.map(mib)),
    ];
    for (key, read) in rows {
        let pointer = format!("{}/stability/{key}", place.pointer);
        let Some(said) = sheet.value(&pointer).and_then(Value::as_f64) else { continue };
        let values: Vec<f64> = place.finished_runs().filter_map(read).collect();
        if values.is_empty() {
            continue;
        }
        let (low, high) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        let range = high - low;
        if (said - range).abs() > 0.011 {
            let message = Phrase::new(
                format!("runs 的极差是 {}，这里写 {}。", short(range, 3), short(said, 3)),
                format!("The runs range over {}, this says {}.", short(range, 3), short(said, 3)),
            );
            sheet.fail("stability_agrees", &pointer, short(range, 3), short(said, 3), message);
        }
    }
}
