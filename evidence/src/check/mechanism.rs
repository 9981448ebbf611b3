//! Mechanism pages: the mechanism must not change the result, and its gain is in memory.

use super::sheet::{Sheet, mib_text, short};
use crate::import::Metric;
use crate::stage::Stage;
use crate::{Candidate, Phrase};

/// Peaks closer than this are one peak.
const SAME_PEAK_BYTES: u64 = 1 << 20;

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    if !sheet.doc.is_stage(Stage::Mechanism) {
        return;
    }
    correct(sheet);
    saves(sheet);
}

fn changed<'a>(sheet: &Sheet<'a>) -> Option<(&'a Candidate, &'a crate::import::Place)> {
    sheet.candidates().find(|(candidate, _)| !candidate.is_baseline())
}

fn correct(sheet: &mut Sheet<'_>) {
    let Some((candidate, _)) = changed(sheet) else { return };
    let quality = &candidate.quality;
    let id = "mechanism_correct";
    let pointer = "/correctness";
    match quality.max_abs_error.zip(quality.tolerance) {
        None => {
            let message = Phrase::new(
                "没有比较输出与梯度：看不出两条路径算的是不是同一件事。",
                "Outputs and gradients were not compared: nobody can see that both paths compute the same.",
            );
            let expected = Phrase::plain("output_max_abs_diff, input_grad_max_abs_diff");
            sheet.fail(id, pointer, expected, Phrase::new("没有", "none"), message);
        }
        Some((error, tolerance)) if error > tolerance => {
            let (error, tolerance) = (format!("{error:e}"), format!("{tolerance:e}"));
            let message = Phrase::new(
                format!("输出或梯度相差 {error}，超出容差 {tolerance}：机制改变了结果。"),
                format!(
                    "Outputs or gradients differ by {error}, beyond {tolerance}: the mechanism changes the result."
                ),
            );
            sheet.fail(id, pointer, format!("≤ {tolerance}"), error, message);
        }
        Some((error, tolerance)) => sheet.pass(
            id,
            pointer,
            format!("输出与梯度之差 {error:e} 在容差 {tolerance:e} 之内。"),
            format!("Outputs and gradients differ by {error:e}, within {tolerance:e}."),
        ),
    }
}

fn saves(sheet: &mut Sheet<'_>) {
    let (Some((baseline, _)), Some((candidate, place))) = (sheet.baseline(), changed(sheet)) else { return };
    let (Some(before), Some(after)) = (baseline.metrics.peak_allocated_bytes, candidate.metrics.peak_allocated_bytes)
    else {
        return;
    };
    let pointer = place.metric(Metric::Allocated);
    if after.saturating_add(SAME_PEAK_BYTES) < before {
        let share = short((1.0 - after as f64 / before as f64) * 100.0, 1);
        sheet.pass("mechanism_saves", &pointer, format!("峰值低了 {share}%。"), format!("The peak is {share}% lower."));
        return;
    }
    let message =
        Phrase::new("峰值没有下降：“不高于”不是节省。", "The peak is not lower: \"not higher\" is no saving.");
    sheet.fail("mechanism_saves", &pointer, format!("< {}", mib_text(before as f64)), mib_text(after as f64), message);
}
