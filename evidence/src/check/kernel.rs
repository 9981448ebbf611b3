//! Kernel labs in the own schema.

use super::sheet::{Sheet, short};
use super::timing::is_kernel;
use super::{kernel_bytes, measured};
use crate::{Phrase, Status};

/// Predicted and measured bytes may differ by alignment, not by more.
const RECONCILED: f64 = 0.05;

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    ledger(sheet);
    if is_kernel(sheet) {
        errors(sheet);
        bytes(sheet);
        kernel_bytes::examine(sheet);
        timed(sheet);
        measured::examine(sheet);
    }
}

fn errors(sheet: &mut Sheet<'_>) {
    let mut right = 0;
    for (candidate, place) in sheet.candidates() {
        if candidate.status == Status::Oom {
            continue;
        }
        let quality = &candidate.quality;
        let error = quality.max_rel_error.or(quality.max_abs_error);
        let tolerance = quality.tolerance.or(sheet.limits.max_abs_error);
        let key = if quality.max_rel_error.is_some() { "max_rel_error" } else { "max_abs_error" };
        let within = candidate.status == Status::Ok && error.zip(tolerance).is_some_and(|(error, most)| error <= most);
        if within {
            right += 1;
            continue;
        }
        let message = Phrase::new(
            format!("{} 与参考实现不符，或没有给出误差。", candidate.name),
            format!("{} does not match the reference, or states no error.", candidate.name),
        );
        let expected = tolerance.map_or_else(|| "tolerance".to_owned(), |most| format!("≤ {most:e}"));
        let found = error.map_or_else(|| candidate.status.id().to_owned(), |error| format!("{error:e}"));
        sheet.fail(
            "kernel_error_within_tolerance",
            &format!("{}/quality/{key}", place.pointer),
            expected,
            found,
            message,
        );
    }
    if right > 0 && !sheet.has_failed("kernel_error_within_tolerance") {
        sheet.pass(
            "kernel_error_within_tolerance",
            "/candidates",
            format!("{right} 个实现的误差都在容差内。"),
            format!("The errors of all {right} variants are within tolerance."),
        );
    }
}

fn bytes(sheet: &mut Sheet<'_>) {
    let mut right = 0;
    for (candidate, place) in sheet.candidates() {
        let Some(least) = kernel_bytes::least(&sheet.doc.report.workload, candidate) else { continue };
        let Some(moved) = candidate.metrics.bytes_moved else { continue };
        if moved >= least {
            right += 1;
            continue;
        }
        let message = Phrase::new(
            format!("{} 至少要读入输入并写出输出，共 {least} B。", candidate.name),
            format!("{} must at least read its input and write its output, {least} B.", candidate.name),
        );
        sheet.fail(
            "kernel_bytes_agree",
            &format!("{}/metrics/bytes_moved", place.pointer),
            format!("≥ {least} B"),
            format!("{moved} B"),
            message,
        );
    }
    if right > 0 && !sheet.has_failed("kernel_bytes_agree") {
        sheet.pass(
            "kernel_bytes_agree",
            "/candidates",
            format!("{right} 个实现数到的字节都不少于最少必须搬运的。"),
            format!("Each of {right} variants was counted moving at least what it must."),
        );
    }
}

fn timed(sheet: &mut Sheet<'_>) {
    for (candidate, place) in sheet.candidates() {
        if candidate.status == Status::Ok && (candidate.metrics.time_ms.is_none() || candidate.metrics.timer.is_none())
        {
            let key = if candidate.metrics.time_ms.is_none() { "time_ms" } else { "timer" };
            let message = Phrase::new(
                format!("{} 没有计时，或没有说明由谁计时。", candidate.name),
                format!("{} has no time, or does not say who took it.", candidate.name),
            );
            sheet.fail(
                "kernel_timed",
                &format!("{}/metrics/{key}", place.pointer),
                Phrase::new("一个值", "a value"),
                "null",
                message,
            );
        }
    }
}

fn ledger(sheet: &mut Sheet<'_>) {
    let mut agree = 0;
    for (index, line) in sheet.doc.report.ledger.iter().enumerate() {
        let Some(measured) = line.measured_bytes else { continue };
        let off = (measured as f64 - line.bytes as f64).abs() / (line.bytes as f64).max(1.0);
        if off <= RECONCILED {
            agree += 1;
            continue;
        }
        let percent = short(off * 100.0, 1);
        let message = Phrase::new(
            format!("{} 预测 {} B，实测 {measured} B，相差 {percent}%。", line.part, line.bytes),
            format!("{} was predicted at {} B and measured at {measured} B, {percent}% apart.", line.part, line.bytes),
        );
        sheet.fail(
            "ledger_reconciles",
            &format!("/ledger/{index}/measured_bytes"),
            format!("{} B ± 5%", line.bytes),
            format!("{measured} B"),
            message,
        );
    }
    if agree > 0 && !sheet.has_failed("ledger_reconciles") {
        sheet.pass(
            "ledger_reconciles",
            "/ledger",
            format!("{agree} 项预测与实测一致。"),
            format!("{agree} of {agree} predicted lines agree with their measurement."),
        );
    }
}
