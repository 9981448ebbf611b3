//! Bytes of a cache and counts of parameters, held against the ledger; citations by hash.

use ledger::{Dtype, Model};
use serde_json::Value;

use super::sheet::{Sheet, short};
use crate::import::{MODULES, cache_rows, citations, counts_at, dtype_id, names};
use crate::read::Locate as _;
use crate::{Phrase, Shape, Workload};

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    if sheet.doc.shape != Shape::Architecture {
        return;
    }
    cache_bytes(sheet);
    parameters(sheet);
    references(sheet);
}

/// A setting that is a number, wherever an architecture's file keeps its configuration.
fn setting(raw: &Value, keys: &[&str]) -> Option<u64> {
    let homes = [
        "/config",
        "/workload",
        "/mechanism/config",
        "/mechanism",
        "/model_config",
        "/baseline",
        "/source",
        "/profile",
        "",
    ];
    homes.iter().find_map(|home| keys.iter().find_map(|key| raw.locate(&format!("{home}/{key}"))?.as_u64()))
}

/// How wide the file says that a cached number is.
pub(super) fn dtype(raw: &Value) -> Option<Dtype> {
    let by_width = match setting(raw, &["dtype_bytes"]) {
        Some(4) => Some(Dtype::F32),
        Some(2) => Some(Dtype::Bf16),
        Some(1) => Some(Dtype::Fp8),
        _ => None,
    };
    let by_name = || {
        let pointer = names::described(raw, "", &["kv_dtype", "dtype"])?;
        dtype_id(raw.locate(&pointer)?.as_str()?).parse().ok()
    };
    by_width.or_else(by_name)
}

/// The model of a file: its own dimensions on any model's frame, else the one it names.
fn model(sheet: &Sheet<'_>) -> Option<Model> {
    let raw = sheet.raw();
    let layers = setting(raw, &["num_layers", "num_hidden_layers", "n_layer", "layers"]);
    let heads = setting(raw, &["num_attention_heads", "n_head", "heads"]);
    let (Some(layers), Some(heads)) = (layers, heads) else {
        let Workload::Inference(inference) = &sheet.doc.report.workload else { return None };
        return crate::model::named(inference.model.as_deref()?);
    };
    let hidden = setting(raw, &["hidden_size"]);
    let head_dim = setting(raw, &["head_dim"]).or_else(|| hidden?.checked_div(heads))?;
    let frame = ledger::catalogue::models().iter().find(|model| model.experts.is_none() && model.window.is_none())?;
    let latent = setting(raw, &["latent_dim", "kv_lora_rank"]).zip(setting(raw, &["rope_dim", "qk_rope_head_dim"]));
    Some(Model {
        layers,
        heads,
        kv_heads: setting(raw, &["num_kv_heads", "num_key_value_heads", "n_head_kv"]).unwrap_or(heads),
        head_dim,
        hidden: hidden.or_else(|| heads.checked_mul(head_dim))?,
        latent: latent.map(|(kv_rank, rope_dim)| ledger::Latent {
            q_rank: None,
            kv_rank,
            nope_dim: head_dim,
            rope_dim,
            value_dim: head_dim,
        }),
        ..frame.clone()
    })
}

fn cache_bytes(sheet: &mut Sheet<'_>) {
    let raw = sheet.raw();
    let rows = cache_rows(raw);
    if rows.is_empty() {
        return;
    }
    let (Some(model), Some(dtype)) = (model(sheet), dtype(raw)) else {
        let message = Phrase::new(
            "没有写明层数、头数、头维与每个数的字节：表里的字节数无从复核。",
            "Layers, heads, head size and bytes of a number are not stated: the table cannot be checked.",
        );
        let expected = "num_layers, num_attention_heads, num_kv_heads, head_dim, dtype_bytes";
        sheet.fail("cache_config_stated", "/config", expected, Phrase::new("不全", "incomplete"), message);
        return;
    };
    let batch = setting(raw, &["batch_size", "batch"]).unwrap_or(1);
    // The course's table is of 1,024 tokens where nothing else is said.
    let seq = setting(raw, &["seq_len", "prompt_tokens", "context_length", "seq"]).unwrap_or(1024);
    let mut agree = 0;
    for row in &rows {
        let form = match row.representation.as_str() {
            text if text.starts_with("mha") => Model { kv_heads: model.heads, latent: None, ..model.clone() },
            text if text.starts_with("mqa") => Model { kv_heads: 1, latent: None, ..model.clone() },
            text if text.starts_with("gqa") => Model { latent: None, ..model.clone() },
            text if text.starts_with("mla") && model.latent.is_some() => model.clone(),
            _ => continue,
        };
        let Ok(expected) = ledger::inference::kv_bytes(&form, dtype, batch, seq) else { continue };
        if expected == row.bytes {
            agree += 1;
            continue;
        }
        let message = Phrase::new(
            format!(
                "账本：{} 层、batch {batch}、{seq} 个 token 的 {} 是 {expected} B，表里写 {} B。",
                form.layers, row.representation, row.bytes
            ),
            format!(
                "By the ledger {} of {} layers, batch {batch} and {seq} tokens takes {expected} B, the table says {} B.",
                row.representation, form.layers, row.bytes
            ),
        );
        sheet.fail(
            "cache_bytes_agree",
            &format!("{}/bytes", row.pointer),
            format!("{expected} B"),
            format!("{} B", row.bytes),
            message,
        );
    }
    if agree > 0 && !sheet.has_failed("cache_bytes_agree") {
        sheet.pass(
            "cache_bytes_agree",
            &rows[0].pointer,
            format!("{agree} 行字节数与账本一致。"),
            format!("{agree} of {agree} rows agree with the ledger."),
        );
    }
}

fn parameters(sheet: &mut Sheet<'_>) {
    let Some((at, block)) = counts_at(sheet.raw()).and_then(|at| Some((at, sheet.raw().locate(at)?))) else { return };
    let count = |keys: &[&str]| keys.iter().find_map(|key| block.get(*key)?.as_u64());
    let Some(total) = count(&["total_params"]) else { return };
    let parts: Option<Vec<u64>> = MODULES.iter().map(|(key, other)| count(&[key, other])).collect();
    if let Some(sum) = parts.and_then(|parts| parts.into_iter().try_fold(0_u64, u64::checked_add))
        && sum != total
    {
        let message = Phrase::new(
            format!("各模块相加是 {sum}，total_params 写 {total}。"),
            format!("The modules add up to {sum}, total_params says {total}."),
        );
        sheet.fail("parameters_add_up", &format!("{at}/total_params"), sum.to_string(), total.to_string(), message);
    }
    let width = count(&["dtype_bytes"]);
    let stated = block.get("estimated_weight_memory_mb").and_then(Value::as_f64);
    if let (Some(width), Some(stated)) = (width, stated) {
        let expected = total as f64 * width as f64 / crate::import::MIB;
        if (stated - expected).abs() > 0.011 + expected * 1e-5 {
            let message = Phrase::new(
                format!("{total} × {width} B = {} MiB，报告写 {}。", short(expected, 3), short(stated, 3)),
                format!("{total} × {width} B = {} MiB, the report says {}.", short(expected, 3), short(stated, 3)),
            );
            sheet.fail(
                "parameters_add_up",
                &format!("{at}/estimated_weight_memory_mb"),
                short(expected, 3),
                short(stated, 3),
                message,
            );
        }
    }
    if !sheet.has_failed("parameters_add_up") {
        sheet.pass("parameters_add_up", at, "参数账本相加一致。", "The parameters add up.");
    }
    known_model(sheet, at, total);
}

/// The exact count of a model that the catalogue holds.
fn known_model(sheet: &mut Sheet<'_>, at: &str, total: u64) {
    let Workload::Inference(inference) = &sheet.doc.report.workload else { return };
    let Some(model) = inference.model.as_deref().and_then(crate::model::named) else { return };
    let Ok(exact) = model.parameters() else { return };
    if exact == total {
        sheet.pass("parameters_exact", at, "参数总数与账本一致。", "The total is the ledger's.");
        return;
    }
    let missing = i128::from(exact) - i128::from(total);
    let message = Phrase::new(
        format!("{} 共有 {exact} 个参数，差 {missing}；常见的遗漏是 QKV 偏置与最后的归一化。", model.name),
        format!(
            "{} has {exact} parameters, {missing} more than stated; QKV biases and the final norm are the usual omission.",
            model.name
        ),
    );
    sheet.fail("parameters_exact", &format!("{at}/total_params"), exact.to_string(), total.to_string(), message);
}

fn references(sheet: &mut Sheet<'_>) {
    let cited = citations(sheet.raw());
    for citation in &cited {
        let pointer = format!("{}/sha256", citation.pointer);
        let hash = citation.sha256.as_deref().unwrap_or_default();
        if hash.len() != 64 || !hash.chars().all(|c| c.is_ascii_hexdigit()) {
            let message = Phrase::new(
                "引用没有 64 位十六进制的 SHA-256：别人无法确认引用的是哪一份。",
                "The citation has no SHA-256 of 64 hex digits: nobody can tell which file is meant.",
            );
            let found = citation.sha256.clone().unwrap_or_else(|| "null".to_owned());
            sheet.fail("citation_by_hash", &pointer, "SHA-256", found, message);
            continue;
        }
        let name = citation.semantic_id.clone().unwrap_or_default();
        let found = sheet.linked.iter().copied().find(|doc| doc.sha256.eq_ignore_ascii_case(hash));
        match found {
            None => {
                let message = Phrase::new(
                    format!("没有提交 SHA-256 为 {} 的报告，引用无法核对。", &hash[..12]),
                    format!("No report with SHA-256 {} was handed in: the citation cannot be followed.", &hash[..12]),
                );
                sheet.fail(
                    "citation_found",
                    &pointer,
                    Phrase::new("所引用的报告", "the cited report"),
                    Phrase::new("没有", "none"),
                    message,
                );
            }
            Some(doc) if !name.is_empty() && doc.raw.get("semantic_id").and_then(Value::as_str) != Some(&name) => {
                let other = doc.raw.get("semantic_id").and_then(Value::as_str).unwrap_or("null").to_owned();
                let message = Phrase::new("引用的报告是另一个项目的。", "The cited report belongs to another project.");
                sheet.fail("citation_found", &format!("{}/semantic_id", citation.pointer), name, other, message);
            }
            Some(_) => sheet.pass("citation_found", &pointer, "引用的报告已提交。", "The cited report was handed in."),
        }
    }
    if let Some(first) = cited.first().filter(|_| !sheet.has_failed("citation_by_hash")) {
        let count = cited.len();
        let (zh, en) =
            (format!("{count} 处引用都带 SHA-256。"), format!("{count} of {count} citations carry a SHA-256."));
        sheet.pass("citation_by_hash", &first.pointer, zh, en);
    }
}
