//! Numbers of one run of inference or of several devices, whatever the file calls them.

use serde_json::Value;

use super::names::{self, locate};
use super::runs::{self, Found};
use super::values::Reader;
use super::{Fault, FaultKind, MAX_ENTRIES, Place, at, describe};
use crate::read::Locate as _;
use crate::{
    Candidate, Metrics, Phrase, PrefixCache, Quality, Quantised, Ranks, ReadError, Serving, Speculative, Status, Times,
};

/// One run with its place.
pub(super) fn run(reader: &mut Reader<'_>, found: &Found, on_cpu: bool) -> Result<(Candidate, Place), ReadError> {
    let before = reader.faults.len();
    let metrics = metrics(reader, &found.pointer, on_cpu)?;
    let status = status(reader, &found.pointer, &metrics);
    let quality = Quality {
        max_abs_error: number(reader, &found.pointer, &["max_abs_error"]),
        eval_loss: number(reader, &found.pointer, &["eval_loss", "val_loss"]),
        ..Quality::default()
    };
    let faulty = reader.faults.len() > before;
    let error = failure(reader.raw, &found.pointer);
    let candidate = Candidate { name: found.name.clone(), status, metrics, quality, error, ..Candidate::default() };
    Ok((candidate, runs::place(found, faulty)))
}

/// What a run says about having failed.
fn failure(raw: &Value, here: &str) -> Option<String> {
    let block = raw.locate(&at(here, "failure"))?;
    let text = |value: &Value| value.as_str().filter(|text| !text.trim().is_empty()).map(super::quotable);
    match block {
        Value::String(_) => text(block),
        Value::Object(_) => {
            let none = ["none", "not_observed", "not_recorded"];
            let status = block.get("status").and_then(Value::as_str);
            if status.is_some_and(|status| none.contains(&status)) {
                return None;
            }
            ["reason", "failure_reason", "message", "error"].iter().find_map(|key| text(block.get(*key)?))
        }
        _ => None,
    }
}

fn status(reader: &mut Reader<'_>, here: &str, metrics: &Metrics) -> Status {
    let pointer = at(here, "status");
    let failed = failure(reader.raw, here);
    let Some(word) = reader.text(&pointer) else {
        return match failed {
            Some(reason) if metrics.is_empty() && is_oom(&reason) => Status::Oom,
            Some(_) if metrics.is_empty() => Status::Failed,
            _ => Status::Ok,
        };
    };
    match word.to_ascii_lowercase().as_str() {
        "ok" | "success" | "completed" | "not_recorded" | "recorded" | "measured" | "ready" | "pending" => Status::Ok,
        "oom" | "out_of_memory" => Status::Oom,
        "partial_oom" => Status::PartialOom,
        "failed" | "error" | "unsupported" | "blocked" | "skipped" => Status::Failed,
        _ => {
            reader.faults.push(Fault {
                kind: FaultKind::Status,
                pointer,
                expected: Phrase::plain("ok | oom | partial_oom | failed"),
                found: Phrase::plain(format!("{:?}", super::quotable(&word))),
            });
            Status::Failed
        }
    }
}

fn is_oom(reason: &str) -> bool {
    let reason = reason.to_ascii_lowercase();
    let word = |word: &str| reason.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == word);
    reason.contains("out of memory") || reason.contains("outofmemory") || word("oom")
}

fn number(reader: &mut Reader<'_>, here: &str, names: &[&str]) -> Option<f64> {
    let pointer = locate(reader.raw, here, names)?;
    reader.not_negative(&pointer)
}

/// A number, where the same name may also hold a block or a list.
fn scalar(reader: &mut Reader<'_>, here: &str, names: &[&str]) -> Option<f64> {
    let pointer = locate(reader.raw, here, names)?;
    let value = reader.value(&pointer)?;
    if value.is_array() || value.is_object() { None } else { reader.not_negative(&pointer) }
}

fn count(reader: &mut Reader<'_>, here: &str, names: &[&str]) -> Option<u64> {
    let pointer = locate(reader.raw, here, names)?;
    reader.count(&pointer)
}

fn times(reader: &mut Reader<'_>, here: &str, names: &[&str], short: &str) -> Times {
    let mut times = Times::default();
    if let Some(pointer) = locate(reader.raw, here, names) {
        match reader.value(&pointer) {
            Some(Value::Object(_)) => {
                for (names, slot) in [
                    (&["mean", "avg"][..], &mut times.mean),
                    (&["p50", "median"], &mut times.p50),
                    (&["p95"], &mut times.p95),
                    (&["p99"], &mut times.p99),
                ] {
                    *slot = names.iter().find_map(|name| reader.not_negative(&at(&pointer, name)));
                }
            }
            Some(_) => times.mean = reader.not_negative(&pointer),
            None => {}
        }
    }
    for (percentile, slot) in [("p50", &mut times.p50), ("p95", &mut times.p95), ("p99", &mut times.p99)] {
        if slot.is_none() {
            let flat = format!("{short}_{percentile}_ms");
            *slot = scalar(reader, here, &[flat.as_str()]);
        }
    }
    times
}

fn some<T: Default + PartialEq>(value: T) -> Option<T> {
    (value != T::default()).then_some(value)
}

pub(super) fn metrics(reader: &mut Reader<'_>, here: &str, on_cpu: bool) -> Result<Metrics, ReadError> {
    let peak = match locate(reader.raw, here, names::PEAK_MIB) {
        Some(pointer) if !reader.value(&pointer).is_some_and(Value::is_array) => reader.mib_field(&pointer, on_cpu),
        _ => None,
    };
    let bytes = || locate(reader.raw, here, names::PEAK_BYTES);
    let peak = match (peak, bytes()) {
        (None, Some(pointer)) => reader.count(&pointer),
        (peak, _) => peak,
    };
    Ok(Metrics {
        peak_allocated_bytes: peak,
        serving: some(serving(reader, here)),
        speculative: some(speculative(reader, here)),
        prefix_cache: some(prefix_cache(reader, here)),
        quantised: some(quantised(reader, here)),
        ranks: some(ranks(reader, here)?),
        ..Metrics::default()
    })
}

fn serving(reader: &mut Reader<'_>, here: &str) -> Serving {
    let mut e2e = times(reader, here, names::E2E, "e2e");
    for (name, slot) in [("p95_ms", &mut e2e.p95), ("p99_ms", &mut e2e.p99)] {
        *slot = slot.or_else(|| scalar(reader, here, &[name]));
    }
    let duration_ms = number(reader, here, &["duration_ms"]);
    Serving {
        ttft_ms: times(reader, here, names::TTFT, "ttft"),
        tpot_ms: times(reader, here, names::TPOT, "tpot"),
        e2e_ms: e2e,
        queue_wait_ms: times(reader, here, names::QUEUE, "queue_wait"),
        successful_requests: count(reader, here, names::SUCCESSFUL),
        failed_requests: count(reader, here, names::FAILED),
        success_rate: number(reader, here, names::SUCCESS_RATE),
        output_tokens: count(reader, here, names::OUTPUT_TOKENS),
        prompt_tokens_mean: number(reader, here, names::PROMPT_MEAN),
        duration_s: number(reader, here, names::DURATION).or(duration_ms.map(|ms| ms / 1000.0)),
        requests_per_s: number(reader, here, names::REQUEST_RATE),
        output_tokens_per_s: scalar(reader, here, names::TOKEN_RATE),
        prefill_share: number(reader, here, &["prefill_share"]),
        decode_share: number(reader, here, &["decode_share"]),
        makespan_ms: number(reader, here, names::MAKESPAN),
        utilization: number(reader, here, names::UTILIZATION),
        fairness: number(reader, here, names::FAIRNESS),
        kv_handoff_bytes: number(reader, here, names::HANDOFF_BYTES).map(|bytes| bytes.round() as u64),
        kv_handoff_ms: number(reader, here, names::HANDOFF_MS),
    }
}

fn speculative(reader: &mut Reader<'_>, here: &str) -> Speculative {
    Speculative {
        // `rounds` may also be the list of them.
        rounds: locate(reader.raw, here, &["rounds"])
            .filter(|pointer| !reader.value(pointer).is_some_and(Value::is_array))
            .and_then(|pointer| reader.count(&pointer)),
        proposed_tokens: count(reader, here, names::PROPOSED),
        accepted_tokens: count(reader, here, names::ACCEPTED),
        corrected_tokens: count(reader, here, &["corrected_tokens", "correction_tokens"]),
        acceptance_rate: number(reader, here, names::ACCEPTANCE),
        accepted_tokens_per_round: number(reader, here, &["accepted_tokens_per_round"]),
        draft_cost_ms: number(reader, here, &["draft_cost_ms"]),
        verify_cost_ms: number(reader, here, &["verify_cost_ms"]),
    }
}

fn prefix_cache(reader: &mut Reader<'_>, here: &str) -> PrefixCache {
    let evidence = locate(reader.raw, here, names::HIT_EVIDENCE)
        .or_else(|| locate(reader.raw, "", names::HIT_EVIDENCE))
        .and_then(|pointer| reader.value(&pointer)?.as_str().map(super::quotable));
    let cache = PrefixCache {
        requests: count(reader, here, &["total_requests"]),
        prompt_tokens: count(reader, here, &["total_prompt_tokens"]),
        reused_tokens: count(reader, here, names::REUSED),
        miss_tokens: count(reader, here, names::MISSED),
        hit_rate: number(reader, here, names::HIT_RATE),
        token_reuse_rate: number(reader, here, names::REUSE_RATE),
        evictions: count(reader, here, &["eviction_count", "evictions"]),
        overhead: number(reader, here, &["overhead", "maintenance_overhead"]),
        hit_rate_evidence: None,
    };
    let counted = cache.hit_rate.is_some() || cache.token_reuse_rate.is_some() || cache.reused_tokens.is_some();
    PrefixCache { hit_rate_evidence: evidence.filter(|_| counted), ..cache }
}

fn quantised(reader: &mut Reader<'_>, here: &str) -> Quantised {
    let bits = count(reader, here, &["bits", "weight_bits"]);
    let state_bytes = count(reader, here, names::STATE_BYTES);
    let compression_ratio = number(reader, here, names::RATIO);
    let latency_ms = scalar(reader, here, names::LATENCY);
    // `error` of other shapes is a message.
    let error = locate(reader.raw, here, names::ERROR)
        .filter(|pointer| reader.value(pointer).is_some_and(Value::is_number))
        .and_then(|pointer| reader.not_negative(&pointer));
    let output_mse = number(reader, here, names::MSE);
    let greedy_prefix_agreement = number(reader, here, names::AGREEMENT);
    let measured = bits.is_some() || state_bytes.is_some() || latency_ms.is_some() || error.is_some();
    Quantised {
        throughput: if measured { scalar(reader, here, &["throughput", "throughput_tokens_per_s"]) } else { None },
        error_budget: number(reader, here, &["error_budget"]),
        bits,
        state_bytes,
        compression_ratio,
        latency_ms,
        error,
        output_mse,
        greedy_prefix_agreement,
    }
}

/// The numbers of a list, one a rank; a value that is no list is none.
fn list(reader: &mut Reader<'_>, here: &str, names: &[&str]) -> Result<Vec<f64>, ReadError> {
    let Some(pointer) = locate(reader.raw, here, names) else { return Ok(Vec::new()) };
    let Some(Value::Array(items)) = reader.value(&pointer) else { return Ok(Vec::new()) };
    if items.len() > MAX_ENTRIES {
        return Err(ReadError::TooMany { pointer, count: items.len(), limit: MAX_ENTRIES });
    }
    let mut numbers = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let here = format!("{pointer}/{index}");
        if item.is_null() {
            reader.faults.push(Fault {
                kind: FaultKind::NotANumber,
                pointer: here,
                expected: Phrase::new("数字", "a number"),
                found: describe(item),
            });
        } else if let Some(number) = reader.not_negative(&here) {
            numbers.push(number);
        }
    }
    Ok(numbers)
}

fn ranks(reader: &mut Reader<'_>, here: &str) -> Result<Ranks, ReadError> {
    let step_time_ms = list(reader, here, names::STEP_RANKS)?;
    let mib = |value: &f64| (*value * super::MIB).round() as u64;
    let mut peaks: Vec<u64> = list(reader, here, names::PEAK_RANKS)?.iter().map(mib).collect();
    if peaks.is_empty() {
        peaks = list(reader, here, names::PEAK_RANKS_BYTES)?.iter().map(|value| value.round() as u64).collect();
    }
    Ok(Ranks {
        received_tokens: list(reader, here, names::RECEIVED)?.iter().map(|value| value.round() as u64).collect(),
        max_step_time_ms: scalar(reader, here, names::MAX_STEP),
        max_peak_allocated_bytes: locate(reader.raw, here, names::MAX_PEAK)
            .and_then(|pointer| reader.mib_field(&pointer, false)),
        tokens_per_s: if step_time_ms.is_empty() { None } else { scalar(reader, here, names::RANK_TOKENS) },
        imbalance: scalar(reader, here, names::IMBALANCE),
        communication_ms: scalar(reader, here, names::COMMUNICATION),
        effective_throughput: scalar(reader, here, names::EFFECTIVE),
        throughput: if locate(reader.raw, here, names::EFFECTIVE).is_some() {
            scalar(reader, here, &["throughput"])
        } else {
            None
        },
        overflow: scalar(reader, here, names::OVERFLOW),
        stability: scalar(reader, here, names::STABILITY),
        step_time_ms,
        peak_allocated_bytes: peaks,
    })
}
