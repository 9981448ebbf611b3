//! Fewer bits: what was counted, against what, and whether the quality is known.

use serde_json::Value;

use super::serving::at;
use super::sheet::{Sheet, mib_text, short};
use crate::import::names;
use crate::read::Locate as _;
use crate::{Candidate, EvidenceClass, Phrase, Shape, Word, Workload};

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    weights_fit(sheet);
    if sheet.doc.shape != Shape::Quantization && sheet.doc.lab() != "67" {
        return;
    }
    let runs: Vec<(&Candidate, String)> = sheet.candidates().map(|(run, place)| (run, place.pointer.clone())).collect();
    for (run, here) in &runs {
        base(sheet, run, here);
    }
    ratios(sheet);
    deltas(sheet);
    confirmed(sheet);
}

/// Bytes of one number of the model as it was before: 2 for the half formats, 4 for FP32.
fn width(sheet: &Sheet<'_>) -> Option<u64> {
    let Workload::Inference(inference) = &sheet.doc.report.workload else { return None };
    match inference.weight_dtype.as_deref() {
        Some("bf16" | "fp16") => Some(2),
        Some("fp32") => Some(4),
        // Models of the catalogue are published in 16 bits.
        None | Some("auto") => crate::model::named(inference.model.as_deref()?).map(|_| 2),
        Some(_) => None,
    }
}

fn base(sheet: &mut Sheet<'_>, run: &Candidate, here: &str) {
    let Some(numbers) = run.metrics.quantised.as_ref() else { return };
    let (Some(bits), Some(stated)) = (numbers.bits.filter(|bits| *bits > 0), numbers.compression_ratio) else { return };
    if stated <= 0.0 {
        return;
    }
    let Some(width) = width(sheet) else { return };
    // Some files write what remains, others how many times smaller it is.
    let times = if stated < 1.0 { 1.0 / stated } else { stated };
    let most = (width * 8) as f64 / bits as f64;
    let pointer = at(sheet, here, names::RATIO);
    // Scales only lower it; rounding may raise it by a little.
    if times <= most * 1.02 {
        sheet.pass(
            "compression_base",
            &pointer,
            format!("压缩比以 {width} 字节的原始权重计算。"),
            format!("The ratio counts {width} bytes for an original weight."),
        );
        return;
    }
    let message = Phrase::new(
        format!(
            "原模型每个权重 {width} 字节，{bits} 位最多压到 {} 倍；{} 倍是按 4 字节算的。",
            short(most, 2),
            short(times, 2)
        ),
        format!(
            "An original weight has {width} bytes, so {bits} bits save {} times at most; {} times counts 4 bytes.",
            short(most, 2),
            short(times, 2)
        ),
    );
    sheet.fail("compression_base", &pointer, format!("≤ {}", short(most, 2)), short(times, 2), message);
}

/// A peak below the weights of the model is no peak of a server that holds them.
fn weights_fit(sheet: &mut Sheet<'_>) {
    let Workload::Inference(inference) = &sheet.doc.report.workload else { return };
    let Some(model) = inference.model.as_deref().and_then(crate::model::named) else { return };
    let Ok(parameters) = model.parameters() else { return };
    // One layer of a model is smaller than the model.
    if matches!(sheet.doc.lab(), "25" | "41") || crate::import::is_simulated(sheet.raw()) {
        return;
    }
    for (run, place) in sheet.candidates() {
        let Some(peak) = run.metrics.peak_allocated_bytes else { continue };
        let own = crate::import::inference_at(sheet.raw(), &place.pointer);
        let bits = run.metrics.quantised.as_ref().and_then(|numbers| numbers.bits);
        let bits = match (bits, own.weight_dtype.as_deref()) {
            (Some(bits), _) => bits,
            // A quantised artifact keeps the dtype of its activations.
            _ if !run.is_baseline() && sheet.doc.lab() == "67" => continue,
            (None, Some("bf16" | "fp16")) => 16,
            (None, Some("fp32")) => 32,
            _ => continue,
        };
        let Some(least) = parameters.checked_mul(bits).map(|bits| bits / 8) else { continue };
        if peak >= least {
            continue;
        }
        let message = Phrase::new(
            format!("{} 的权重按 {bits} 位就要 {}，峰值不可能更低。", model.name, mib_text(least as f64)),
            format!(
                "The weights of {} take {} at {bits} bits: no peak is below that.",
                model.name,
                mib_text(least as f64)
            ),
        );
        let pointer = at(sheet, &place.pointer, names::PEAK_MIB);
        sheet.fail(
            "peak_holds_weights",
            &pointer,
            format!("≥ {}", mib_text(least as f64)),
            mib_text(peak as f64),
            message,
        );
    }
}

/// Page 25: ratios that follow from both runs.
fn ratios(sheet: &mut Sheet<'_>) {
    let other = sheet.candidates().find(|(run, _)| !run.is_baseline());
    let (Some((before, _)), Some((after, _))) = (sheet.baseline(), other) else { return };
    let pair = |read: fn(&crate::Quantised) -> Option<f64>| {
        let number = |run: &Candidate| run.metrics.quantised.as_ref().and_then(read).filter(|value| *value > 0.0);
        number(before).zip(number(after))
    };
    let state = pair(|numbers| numbers.state_bytes.map(|bytes| bytes as f64));
    let latency = pair(|numbers| numbers.latency_ms);
    let rows = [
        ("state_storage_reduction_ratio", state.map(|(before, after)| 1.0 - after / before)),
        ("latency_ratio_candidate_over_baseline", latency.map(|(before, after)| after / before)),
    ];
    let mut agree = 0;
    for (key, expected) in rows {
        let Some(pointer) = names::locate(sheet.raw(), "", &[key]) else { continue };
        let (Some(expected), Some(stated)) = (expected, sheet.raw().locate(&pointer).and_then(Value::as_f64)) else {
            continue;
        };
        if (stated - expected).abs() <= 1e-3 * expected.abs().max(1.0) {
            agree += 1;
            continue;
        }
        let message = Phrase::new(
            format!("由两次运行算出 {}，报告写 {}。", short(expected, 4), short(stated, 4)),
            format!("Both runs give {}, the report says {}.", short(expected, 4), short(stated, 4)),
        );
        sheet.fail("layer_ratios_agree", &pointer, short(expected, 4), short(stated, 4), message);
    }
    if agree > 0 && !sheet.has_failed("layer_ratios_agree") {
        sheet.pass("layer_ratios_agree", "", "比值与两次运行一致。", "The ratios agree with both runs.");
    }
}

/// Lab 67's own summary: baseline minus candidate for time and memory, candidate minus baseline for throughput.
fn deltas(sheet: &mut Sheet<'_>) {
    let other = sheet.candidates().find(|(run, _)| !run.is_baseline());
    let (Some((before, _)), Some((after, _))) = (sheet.baseline(), other) else { return };
    let number =
        |run: &Candidate, read: fn(&crate::Quantised) -> Option<f64>| run.metrics.quantised.as_ref().and_then(read);
    let difference =
        |read: fn(&crate::Quantised) -> Option<f64>| number(before, read).zip(number(after, read)).map(|(a, b)| a - b);
    let peak = |run: &Candidate| run.metrics.peak_allocated_bytes.map(crate::import::mib);
    let rows = [
        ("latency_delta_ms", difference(|numbers| numbers.latency_ms)),
        ("throughput_delta", difference(|numbers| numbers.throughput).map(|delta| -delta)),
        ("vram_delta_mb", peak(before).zip(peak(after)).map(|(a, b)| a - b)),
        ("error_delta", difference(|numbers| numbers.error).map(|delta| -delta)),
    ];
    let mut agree = 0;
    for (key, expected) in rows {
        let pointer = format!("/summary/{key}");
        let (Some(expected), Some(stated)) = (expected, sheet.value(&pointer).and_then(Value::as_f64)) else {
            continue;
        };
        if (stated - expected).abs() > 0.011 + expected.abs() * 1e-4 {
            let message = Phrase::new(
                format!("由两次运行算出 {}，summary 写 {}。", short(expected, 4), short(stated, 4)),
                format!("Both runs give {}, the summary says {}.", short(expected, 4), short(stated, 4)),
            );
            sheet.fail("quantised_deltas_agree", &pointer, short(expected, 4), short(stated, 4), message);
        } else {
            agree += 1;
        }
    }
    if agree > 0 && !sheet.has_failed("quantised_deltas_agree") {
        let (zh, en) = ("summary 的差值可由两次运行复现。", "The deltas of the summary follow from both runs.");
        sheet.pass("quantised_deltas_agree", "/summary", zh, en);
    }
}

/// An accept needs the kernel seen and the task's quality measured.
fn confirmed(sheet: &mut Sheet<'_>) {
    let said = sheet.doc.paper.said.word.as_deref();
    if sheet.doc.lab() != "67" || said.and_then(Word::from_word) != Some(Word::Accept) {
        return;
    }
    let open = |text: &str| {
        let text = text.to_ascii_lowercase();
        ["pending", "not_collected", "not_recorded", "missing"].iter().any(|word| text.contains(word))
    };
    let places = [
        "/candidate/kernel_evidence",
        "/evidence_checks/kernel_evidence",
        "/quality/status",
        "/evidence_checks/task_quality",
    ];
    for pointer in places {
        let Some(text) = sheet.text(pointer).filter(|text| open(text)) else { continue };
        let message = Phrase::new(
            "报告 accept，却还没有确认量化 kernel 或任务质量。",
            "The report accepts, while the quantised kernel or the task's quality is still unconfirmed.",
        );
        sheet.fail("kernel_and_quality_confirmed", pointer, Phrase::new("已确认", "confirmed"), text, message);
    }
    // What only a device can show; a file that says nothing about it has not looked.
    if sheet.class != EvidenceClass::Gpu || sheet.doc.shape != Shape::Quantization {
        return;
    }
    let [kernel, kernel_check, quality, quality_check] = places;
    for pair in [[kernel, kernel_check], [quality, quality_check]] {
        if pair.iter().any(|pointer| sheet.value(pointer).is_some()) {
            continue;
        }
        let message = Phrase::new(
            "报告 accept，却没有写明量化 kernel 或任务质量的证据。",
            "The report accepts and states no evidence of the quantised kernel or of the task's quality.",
        );
        let expected = Phrase::new("已确认", "confirmed");
        sheet.fail("kernel_and_quality_confirmed", pair[0], expected, "null", message);
    }
}
