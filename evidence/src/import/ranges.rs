//! Ranges of the metrics of our own schema, whose types are already right.

use super::{Fault, FaultKind, Metric, Place};
use crate::{Phrase, Report};

pub(super) fn faults(report: &Report, places: &mut [Place]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (candidate, place) in report.candidates.iter().zip(places) {
        let m = &candidate.metrics;
        let above_zero = [
            (Metric::StepTime, m.step_time_ms),
            (Metric::SamplesPerS, m.samples_per_s),
            (Metric::Allocated, m.peak_allocated_bytes.map(|bytes| bytes as f64)),
            (Metric::Reserved, m.peak_reserved_bytes.map(|bytes| bytes as f64)),
        ];
        let not_negative = [(Metric::Loss, candidate.quality.loss), (Metric::EvalLoss, candidate.quality.eval_loss)];
        let mut wrong: Vec<(String, f64, &str)> = Vec::new();
        for (metric, value) in above_zero {
            wrong.extend(value.filter(|v| *v <= 0.0).map(|v| (place.metric(metric), v, "> 0")));
        }
        for (metric, value) in not_negative {
            wrong.extend(value.filter(|v| *v < 0.0).map(|v| (place.metric(metric), v, "≥ 0")));
        }
        let time = format!("{}/metrics/time_ms", place.pointer);
        wrong.extend(m.time_ms.filter(|v| *v <= 0.0).map(|v| (time, v, "> 0")));
        let error = format!("{}/quality/max_abs_error", place.pointer);
        wrong.extend(candidate.quality.max_abs_error.filter(|v| *v < 0.0).map(|v| (error, v, "≥ 0")));
        place.faulty = !wrong.is_empty();
        faults.extend(wrong.into_iter().map(|(pointer, value, expected)| Fault {
            kind: FaultKind::OutOfRange,
            pointer,
            expected: Phrase::plain(expected),
            found: Phrase::plain(value.to_string()),
        }));
        if place.unnamed {
            faults.push(Fault {
                kind: FaultKind::Name,
                pointer: format!("{}/name", place.pointer),
                expected: Phrase::new("不重复的非空名称", "a non-empty name of its own"),
                found: Phrase::plain(format!("{:?}", candidate.name)),
            });
        }
    }
    faults.truncate(100);
    faults
}
