//! `architecture-evaluation/v1` of labs 71 and 61: bytes of a cache by its representation, parameters by module, and an
//! audit that cites other reports by their SHA-256.

use serde_json::Value;

use super::runs::{self, Found};
use super::values::Reader;
use super::{Fault, FaultKind, MAX_ENTRIES, Paper, assemble, content, describe, inference};
use crate::read::Locate as _;
use crate::{Candidate, EvidenceLevel, LedgerLine, Phrase, ReadError, Report, Shape, Workload};

/// Where a file keeps its rows of bytes.
const TABLES: [&str; 12] = [
    "/rows",
    "/table",
    "/ledger",
    "/comparison",
    "/mechanism/rows",
    "/mechanism/table",
    "/mechanism/ledger",
    "/mechanism/comparison",
    "/cost/rows",
    "/cost/ledger",
    "/metrics/rows",
    "/candidates",
];
/// Where a file keeps its parameters by module.
const COUNTS: [&str; 7] =
    ["/ledger", "/audit/ledger", "/parameter_ledger", "/audit/parameter_ledger", "/mechanism/ledger", "/cost", ""];
/// Modules under both of the course's names.
pub(crate) const MODULES: [(&str, &str); 5] = [
    ("embedding", "embedding_params"),
    ("attention", "attention_params"),
    ("mlp", "mlp_params"),
    ("norm", "norm_params"),
    ("lm_head", "lm_head_params"),
];

/// One row of cache bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CacheRow {
    pub(crate) pointer: String,
    pub(crate) representation: String,
    pub(crate) bytes: u64,
}

/// The rows of cache bytes of a file, in order.
pub(crate) fn cache_rows(raw: &Value) -> Vec<CacheRow> {
    let row = |pointer: String, item: &Value| {
        let representation = item.get("representation")?.as_str()?.trim().to_ascii_lowercase();
        let bytes = item.get("bytes").or_else(|| item.get("kv_bytes"))?;
        let whole = bytes.as_f64().filter(|bytes| *bytes >= 0.0 && *bytes < 1e18 && bytes.fract() == 0.0);
        let bytes = bytes.as_u64().or(whole.map(|bytes| bytes as u64))?;
        Some(CacheRow { pointer, representation: super::quotable(&representation), bytes })
    };
    TABLES
        .iter()
        .find_map(|table| {
            let items = raw.locate(table)?.as_array()?;
            let rows: Vec<CacheRow> = items
                .iter()
                .take(MAX_ENTRIES)
                .enumerate()
                .filter_map(|(index, item)| row(format!("{table}/{index}"), item))
                .collect();
            (!rows.is_empty()).then_some(rows)
        })
        .unwrap_or_default()
}

/// Pointer to the block that counts parameters by module.
pub(crate) fn counts_at(raw: &Value) -> Option<&'static str> {
    COUNTS.into_iter().find(|pointer| raw.locate(pointer).is_some_and(|block| block.get("total_params").is_some()))
}

pub(super) fn import(raw: &Value, sha256: &str) -> Result<(Report, Paper), ReadError> {
    // Lab 61 once listed candidates with their parameters; a producer keeps what it measured under `cost`.
    let listed = raw.locate("/baseline/params").is_some();
    let mut parts = if listed { assemble::parts(raw)? } else { assemble::parts_of(raw, costs(raw))? };
    for (run, place) in parts.candidates.iter_mut().zip(&parts.places).filter(|_| listed) {
        run.metrics.step_time_ms = parts.reader.not_negative(&format!("{}/step_time_ms", place.pointer));
        run.metrics.peak_allocated_bytes = parts.reader.mib_field(&format!("{}/memory_mb", place.pointer), true);
    }
    table_faults(&mut parts.reader);
    let id = raw.get("semantic_id").and_then(Value::as_str).unwrap_or_default();
    let lab = match id {
        "ARCH-MLA-KV" => "71".to_owned(),
        "ARCH-MODEL-AUDIT" => "61".to_owned(),
        _ => assemble::number(raw).or_else(|| content::lab(raw).map(str::to_owned)).unwrap_or_default(),
    };
    let workload = inference::workload(&mut parts.reader, "");
    let ledger = ledger(raw);
    let measured = parts.candidates.iter().any(|run| !run.metrics.is_empty());
    let (mut report, paper) = assemble::report(Shape::Architecture, lab, Workload::Inference(workload), sha256, parts);
    if !measured {
        // Architectures are compared by calculation here; what a run would show is another report's.
        report.level = EvidenceLevel::Theoretical;
        report.candidates.clear();
        report.boundaries.clear();
    }
    report.ledger = ledger;
    let paper = if measured { paper } else { Paper { places: Vec::new(), ..paper } };
    Ok((report, paper))
}

/// The runs that a producer measured stand under `cost`, by role.
fn costs(raw: &Value) -> Vec<Found> {
    [("baseline", Candidate::BASELINE), ("candidate", "candidate")]
        .into_iter()
        .filter(|(role, _)| raw.locate(&format!("/cost/{role}")).is_some_and(Value::is_object))
        .map(|(role, name)| runs::Found { pointer: format!("/cost/{role}"), name: name.to_owned(), unnamed: false })
        .collect()
}

/// A row whose bytes are no whole number is a fault; it is left out of the ledger.
fn table_faults(reader: &mut Reader<'_>) {
    let raw = reader.raw;
    for table in TABLES {
        let Some(items) = raw.locate(table).and_then(Value::as_array) else { continue };
        for (index, item) in items.iter().take(MAX_ENTRIES).enumerate() {
            let Some(bytes) = item.get("representation").and_then(|_| item.get("bytes")) else { continue };
            if bytes.as_f64().is_none_or(|bytes| bytes < 0.0 || bytes.fract() != 0.0) && !bytes.is_null() {
                reader.faults.push(Fault {
                    kind: FaultKind::NotANumber,
                    pointer: format!("{table}/{index}/bytes"),
                    expected: Phrase::new("非负整数", "a non-negative integer"),
                    found: describe(bytes),
                });
            }
        }
    }
}

fn ledger(raw: &Value) -> Vec<LedgerLine> {
    let line = |object, part: String, bytes, formula: String| LedgerLine {
        object,
        part,
        from: ledger::Phase::Decode,
        to: ledger::Phase::Decode,
        bytes,
        formula,
        measured_bytes: None,
    };
    let mut lines: Vec<LedgerLine> = cache_rows(raw)
        .into_iter()
        .map(|row| line(ledger::Object::KvCache, row.representation, row.bytes, String::new()))
        .collect();
    if let Some(block) = counts_at(raw).and_then(|pointer| raw.locate(pointer)) {
        let width = block.get("dtype_bytes").and_then(Value::as_u64).unwrap_or(0);
        for (module, other) in MODULES {
            let count = block.get(module).or_else(|| block.get(other)).and_then(Value::as_u64);
            if let Some(bytes) = count.and_then(|count| count.checked_mul(width)).filter(|bytes| *bytes > 0) {
                let formula = format!("{} × {width} B", ledger::units::group(bytes / width));
                lines.push(line(ledger::Object::Parameter, module.to_owned(), bytes, formula));
            }
        }
    }
    lines
}

/// A report that an audit cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Citation {
    pub(crate) pointer: String,
    pub(crate) semantic_id: Option<String>,
    /// As the file writes it.
    pub(crate) sha256: Option<String>,
}

/// The reports that an audit cites, in order.
pub(crate) fn citations(raw: &Value) -> Vec<Citation> {
    let items = raw.get("references").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = |item: &Value, key: &str| item.get(key).and_then(Value::as_str).map(super::quotable);
    items
        .iter()
        .take(MAX_ENTRIES)
        .enumerate()
        .map(|(index, item)| Citation {
            pointer: format!("/references/{index}"),
            semantic_id: text(item, "semantic_id"),
            sha256: text(item, "sha256"),
        })
        .collect()
}
