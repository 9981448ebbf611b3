//! Bytes of a cache that move between devices, their time, and the replica that needs none.

use ledger::Dtype;
use serde_json::Value;

use super::architecture::dtype;
use super::sheet::{Sheet, short};
use crate::import::{is_simulated, names};
use crate::read::Locate as _;
use crate::{Phrase, Workload};

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    if matches!(sheet.doc.report.workload, Workload::Inference(_) | Workload::Distributed(_)) {
        kv_constant(sheet);
        transfers(sheet);
        single_replica(sheet);
    }
}

/// Bytes of cache for one token, as a file states them for the model it names.
fn kv_constant(sheet: &mut Sheet<'_>) {
    let raw = sheet.raw();
    let Some(pointer) = names::described(raw, "", names::KV_PER_TOKEN) else { return };
    let Some(stated) = raw.locate(&pointer).and_then(Value::as_f64) else { return };
    let name = match &sheet.doc.report.workload {
        Workload::Inference(inference) => inference.model.as_deref(),
        Workload::Distributed(distributed) => distributed.model.as_deref(),
        _ => None,
    };
    let Some(model) = name.and_then(crate::model::named) else { return };
    // Caches are kept in 16 bits unless a file says otherwise.
    let dtype = dtype(raw).unwrap_or(Dtype::Bf16);
    let Ok(expected) = ledger::inference::kv_per_token(&model, dtype) else { return };
    if (stated - expected as f64).abs() < 0.5 {
        sheet.pass(
            "kv_constant_agrees",
            &pointer,
            "每 token 的 KV 字节与账本一致。",
            "The bytes per token are the ledger's.",
        );
        return;
    }
    let message = Phrase::new(
        format!("{} 每个 token 的 KV 是 {expected} B（{dtype}），报告用的是 {} B。", model.name, short(stated, 1)),
        format!("{} caches {expected} B a token ({dtype}), the report uses {} B.", model.name, short(stated, 1)),
    );
    sheet.fail("kv_constant_agrees", &pointer, format!("{expected} B"), format!("{} B", short(stated, 1)), message);
}

const BANDWIDTHS: [(&str, f64); 5] = [
    ("bandwidth_gib_per_s", 1_073_741_824.0),
    ("bandwidth_gb_per_s", 1e9),
    ("bandwidth_gbps", 1e9 / 8.0),
    ("link_gbps", 1e9 / 8.0),
    ("bandwidth_bytes_per_s", 1.0),
];

/// A time of moving bytes follows from them and the bandwidth; `gbps` means bits, and the course's page means GiB.
fn transfers(sheet: &mut Sheet<'_>) {
    let raw = sheet.raw();
    for home in ["/metrics", "/candidate", "/candidate/metrics", "/workload", "/config", ""] {
        let Some(block) = raw.locate(home) else { continue };
        let bytes =
            ["transfer_bytes", "kv_handoff_bytes", "moved_bytes"].into_iter().find_map(|key| block.get(key)?.as_f64());
        let time = ["transfer_ms", "kv_handoff_ms"].into_iter().find_map(|key| Some((key, block.get(key)?.as_f64()?)));
        let unit = BANDWIDTHS.into_iter().find_map(|(key, unit)| {
            let pointer = names::described(raw, home, &[key])?;
            Some((key, pointer.clone(), raw.locate(&pointer)?.as_f64()?, unit))
        });
        let (Some(bytes), Some((field, stated)), Some((key, pointer, bandwidth, unit))) = (bytes, time, unit) else {
            continue;
        };
        if bytes <= 0.0 || bandwidth <= 0.0 {
            continue;
        }
        let ms = |unit: f64| bytes / (bandwidth * unit) * 1000.0;
        let near = |expected: f64| (stated - expected).abs() <= expected * 0.01;
        // A real transfer may be slower than the link; none is faster.
        if stated >= ms(unit) * 0.99 {
            continue;
        }
        let meant = [(1_073_741_824.0, "GiB/s"), (1e9, "GB/s")]
            .into_iter()
            .find(|(other, _)| *other != unit && near(ms(*other)));
        let (at, message) = match meant {
            Some((_, meant)) => (
                pointer,
                Phrase::new(
                    format!("{key} 的数字是按 {meant} 用的：名称与单位不符。"),
                    format!("The number in {key} is used as {meant}: its name says another unit."),
                ),
            ),
            None => (
                format!("{home}/{field}"),
                Phrase::new(
                    format!("{} B 在这个带宽下至少要 {} ms。", short(bytes, 0), short(ms(unit), 3)),
                    format!("{} B take at least {} ms at this bandwidth.", short(bytes, 0), short(ms(unit), 3)),
                ),
            ),
        };
        sheet.fail(
            "transfer_time_agrees",
            &at,
            format!("≥ {} ms", short(ms(unit), 3)),
            format!("{} ms", short(stated, 3)),
            message,
        );
        return;
    }
}

/// A single replica runs on one device and sends nothing to others.
fn single_replica(sheet: &mut Sheet<'_>) {
    let raw = sheet.raw();
    if sheet.doc.lab() != "81" || !is_simulated(raw) {
        return;
    }
    let number = |keys: &[&str]| {
        let homes = ["/config", "/workload", "/baseline/config", "/baseline", ""];
        homes.iter().find_map(|home| keys.iter().find_map(|key| raw.locate(&format!("{home}/{key}"))?.as_f64()))
    };
    let (Some(prefill), Some(decode)) = (number(&["prefill_ms_per_token"]), number(&["decode_ms_per_token"])) else {
        return;
    };
    let requests = ["/requests", "/workload/requests"].into_iter().find_map(|pointer| raw.locate(pointer)?.as_array());
    let Some(requests) = requests.filter(|requests| !requests.is_empty()) else { return };
    let tokens = |item: &Value, keys: &[&str]| keys.iter().find_map(|key| item.get(*key)?.as_f64());
    let alone: Option<f64> = requests
        .iter()
        .map(|item| {
            Some(
                tokens(item, &["prompt_tokens"])? * prefill
                    + tokens(item, &["generate_tokens", "generated_tokens"])? * decode,
            )
        })
        .sum();
    let names = &["single_replica_time_ms"];
    let pointer = ["", "/baseline", "/candidate"].into_iter().find_map(|home| names::locate(raw, home, names));
    let (Some(alone), Some(pointer)) = (alone, pointer) else { return };
    let Some(stated) = raw.locate(&pointer).and_then(Value::as_f64) else { return };
    if stated <= alone * 1.001 + 0.001 {
        sheet.pass(
            "single_replica_alone",
            &pointer,
            "单副本基线没有计入通信。",
            "The single replica pays no communication.",
        );
        return;
    }
    let message = Phrase::new(
        format!(
            "单副本只有预填充与解码，共 {} ms；{} ms 里还有张量并行的通信，基线被抬高了。",
            short(alone, 3),
            short(stated, 3)
        ),
        format!(
            "A single replica only prefills and decodes, {} ms; {} ms hold tensor-parallel communication too, which raises the baseline.",
            short(alone, 3),
            short(stated, 3)
        ),
    );
    sheet.fail(
        "single_replica_alone",
        &pointer,
        format!("{} ms", short(alone, 3)),
        format!("{} ms", short(stated, 3)),
        message,
    );
}
