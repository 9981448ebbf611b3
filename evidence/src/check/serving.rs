//! Requests, rates and times of a serving run.

use serde_json::Value;

use super::sheet::{Sheet, short};
use crate::import::{is_simulated, names};
use crate::read::Locate as _;
use crate::{EvidenceLevel, Phrase, Serving, Times, Workload};

/// Requests below which a percentile is one request's luck.
const FOR_P99: u64 = 100;
const FOR_P95: u64 = 20;
/// Entries of a list of requests that are looked at.
const LOOKED_AT: usize = 500;

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    if !matches!(sheet.doc.report.workload, Workload::Inference(_) | Workload::Distributed(_)) {
        return;
    }
    backend_named(sheet);
    for (run, here) in served(sheet) {
        record_complete(sheet, run, here);
        percentiles(sheet, run, here);
        ordered(sheet, run, here);
        tpot(sheet, run, here);
        throughput(sheet, run, here);
        counted(sheet, run, here);
        tokens_positive(sheet, here);
        meaning_of_ttft(sheet, here);
    }
}

type Served<'a> = Vec<(&'a Serving, &'a str)>;

/// The runs that answered requests, and where they stand.
pub(super) fn served<'a>(sheet: &Sheet<'a>) -> Served<'a> {
    sheet
        .candidates()
        .filter_map(|(run, place)| Some((run.metrics.serving.as_ref()?, place.pointer.as_str())))
        .collect()
}

/// Pointer to a number of a run, also where the file leaves it out.
pub(super) fn at(sheet: &Sheet<'_>, here: &str, names: &[&str]) -> String {
    names::locate(sheet.raw(), here, names).unwrap_or_else(|| {
        let block = format!("{here}/metrics");
        let home = if sheet.raw().locate(&block).is_some_and(Value::is_object) { &block } else { here };
        format!("{home}/{}", names[0])
    })
}

/// Whether a backend answered, not a simulator.
fn is_measured(sheet: &Sheet<'_>) -> bool {
    !is_simulated(sheet.raw()) && sheet.doc.report.level != EvidenceLevel::CpuSimulation
}

fn framework<'a>(sheet: &Sheet<'a>) -> Option<&'a str> {
    match &sheet.doc.report.workload {
        Workload::Inference(inference) => inference.framework.as_deref(),
        _ => None,
    }
}

fn backend_named(sheet: &mut Sheet<'_>) {
    let claims =
        sheet.doc.paper.level_word.as_deref().and_then(EvidenceLevel::from_word) == Some(EvidenceLevel::ServingBackend);
    if !claims || !matches!(sheet.doc.report.workload, Workload::Inference(_)) {
        return;
    }
    match framework(sheet) {
        Some(name) => {
            sheet.pass("backend_named", "", format!("服务后端：{name}。"), format!("The serving backend is {name}."))
        }
        None => {
            let message = Phrase::new(
                "报告声称服务后端级别的证据，却没有写明后端。",
                "The report claims the level of a serving backend and names none.",
            );
            sheet.fail(
                "backend_named",
                "/config/backend",
                Phrase::new("后端与版本", "backend and version"),
                "null",
                message,
            );
        }
    }
}

fn record_complete(sheet: &mut Sheet<'_>, run: &Serving, here: &str) {
    let Workload::Inference(_) = sheet.doc.report.workload else { return };
    if !is_measured(sheet) || run.successful_requests.is_none() && run.output_tokens_per_s.is_none() {
        return;
    }
    let raw = sheet.raw();
    let workload = crate::import::inference_at(raw, here);
    let said = |names: &[&str]| names::described(raw, here, names).is_some();
    let version = workload.framework.as_deref().is_some_and(|name| name.contains(|c: char| c.is_ascii_digit()));
    let peak = sheet
        .candidates()
        .find(|(_, place)| place.pointer == here)
        .is_some_and(|(run, _)| run.metrics.peak_allocated_bytes.is_some());
    let null_results =
        ["/results", "/request_results"].into_iter().find(|pointer| raw.locate(pointer) == Some(&Value::Null));
    let fields = [
        ("device", sheet.doc.report.device.is_some()),
        ("dtype", workload.weight_dtype.is_some()),
        ("backend_version", version),
        ("model_revision", said(&["model_revision", "revision"])),
        ("peak_memory_mb", peak),
        ("results", null_results.is_none()),
    ];
    let missing: Vec<&str> = fields.iter().filter(|(_, there)| !there).map(|(field, _)| *field).collect();
    if missing.is_empty() {
        sheet.pass(
            "serving_record_complete",
            here,
            "设备、精度、后端版本、模型版本与显存峰值都已记录。",
            "Device, dtype, backend version, model revision and peak memory are recorded.",
        );
        return;
    }
    let list = missing.join(", ");
    let message = Phrase::new(
        format!("缺少 {list}：看不出这些时间属于哪台设备和哪种部署。"),
        format!("{list} missing: nobody can tell which device and deployment these times belong to."),
    );
    let pointer = null_results.map_or_else(|| here.to_owned(), str::to_owned);
    sheet.fail("serving_record_complete", &pointer, Phrase::new("齐全", "all recorded"), list, message);
}

fn all_times(run: &Serving) -> [(&'static [&'static str], Times); 4] {
    [
        (names::TTFT, run.ttft_ms),
        (names::TPOT, run.tpot_ms),
        (names::E2E, run.e2e_ms),
        (names::QUEUE, run.queue_wait_ms),
    ]
}

/// Where a percentile stands: inside its block, or beside it under a name of its own.
fn percentile_at(sheet: &Sheet<'_>, here: &str, names: &[&str], which: &str) -> String {
    let block = at(sheet, here, names);
    let inside = format!("{block}/{which}");
    if sheet.raw().locate(&inside).is_some() {
        return inside;
    }
    let short = names[0].trim_end_matches("_ms");
    let flat = [format!("{short}_{which}_ms"), format!("{which}_ms")];
    let flat: Vec<&str> = flat.iter().map(String::as_str).collect();
    names::locate(sheet.raw(), here, &flat).unwrap_or(block)
}

fn percentiles(sheet: &mut Sheet<'_>, run: &Serving, here: &str) {
    let Some(count) = run.successful_requests.or_else(|| requests(sheet, here)) else { return };
    let mut stated = false;
    for (which, least, read) in
        [("p99", FOR_P99, (|t| t.p99) as fn(&Times) -> Option<f64>), ("p95", FOR_P95, |t| t.p95)]
    {
        let Some((names, _)) = all_times(run).into_iter().find(|(_, times)| read(times).is_some()) else { continue };
        stated = true;
        if count >= least {
            continue;
        }
        let pointer = percentile_at(sheet, here, names, which);
        let message = Phrase::new(
            format!("{which} 来自 {count} 个请求：至少要 {least} 个，否则它只是最慢的那一个请求。"),
            format!("{which} rests on {count} requests; it takes {least}, otherwise it is the slowest one's time."),
        );
        sheet.fail(
            "percentile_requests",
            &pointer,
            Phrase::new(format!("≥ {least} 个请求"), format!("≥ {least} requests")),
            count.to_string(),
            message,
        );
    }
    if stated && !sheet.has_failed("percentile_requests") {
        sheet.pass(
            "percentile_requests",
            here,
            format!("{count} 个请求足以支持所写的分位数。"),
            format!("{count} requests are enough for the percentiles stated."),
        );
    }
}

fn ordered(sheet: &mut Sheet<'_>, run: &Serving, here: &str) {
    for (names, times) in all_times(run) {
        let steps = [("p50", times.p50), ("p95", times.p95), ("p99", times.p99)];
        let known: Vec<(&str, f64)> = steps.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        for pair in known.windows(2) {
            let [(low, a), (high, b)] = pair else { continue };
            if *a > *b * (1.0 + 1e-9) {
                let pointer = percentile_at(sheet, here, names, high);
                let message = Phrase::new(
                    format!("{high} {} 低于 {low} {}。", short(*b, 3), short(*a, 3)),
                    format!("{high} of {} lies below {low} of {}.", short(*b, 3), short(*a, 3)),
                );
                sheet.fail("percentiles_ordered", &pointer, format!("≥ {}", short(*a, 3)), short(*b, 3), message);
            }
        }
    }
    let same = |read: fn(&Times) -> Option<f64>| read(&run.ttft_ms).zip(read(&run.e2e_ms));
    if let Some((first, whole)) = same(|t| t.p50).or_else(|| same(|t| t.mean)).filter(|(first, whole)| first > whole) {
        let pointer = at(sheet, here, names::TTFT);
        let message = Phrase::new(
            format!("首 token {} ms 晚于整个回答的 {} ms。", short(first, 3), short(whole, 3)),
            format!(
                "The first token at {} ms comes after the whole answer at {} ms.",
                short(first, 3),
                short(whole, 3)
            ),
        );
        sheet.fail("percentiles_ordered", &pointer, format!("≤ {}", short(whole, 3)), short(first, 3), message);
    }
}

/// A mean of quotients differs from the quotient of means; short answers make it differ more.
const TPOT_TOLERANCE: f64 = 0.10;

fn tpot(sheet: &mut Sheet<'_>, run: &Serving, here: &str) {
    if !is_measured(sheet) {
        // The course's simulator divides by all tokens.
        return;
    }
    let means = run.tpot_ms.mean.zip(run.ttft_ms.mean).zip(run.e2e_ms.mean);
    let tokens = run.output_tokens.zip(run.successful_requests).filter(|(_, requests)| *requests > 0);
    let (Some(((tpot, ttft), e2e)), Some((tokens, requests))) = (means, tokens) else { return };
    let each = tokens as f64 / requests as f64;
    if each <= 1.5 || e2e <= ttft {
        return;
    }
    let expected = (e2e - ttft) / (each - 1.0);
    let pointer = percentile_at(sheet, here, names::TPOT, "mean");
    if (tpot - expected).abs() <= expected * TPOT_TOLERANCE {
        sheet.pass(
            "tpot_agrees",
            &pointer,
            "TPOT 与（E2E − TTFT）/（tokens − 1）一致。",
            "TPOT agrees with (E2E − TTFT) / (tokens − 1).",
        );
        return;
    }
    let message = Phrase::new(
        format!(
            "（{} − {}）/（{} − 1）= {} ms，报告写 {} ms。",
            short(e2e, 3),
            short(ttft, 3),
            short(each, 1),
            short(expected, 3),
            short(tpot, 3)
        ),
        format!(
            "({} − {}) / ({} − 1) = {} ms, the report says {} ms.",
            short(e2e, 3),
            short(ttft, 3),
            short(each, 1),
            short(expected, 3),
            short(tpot, 3)
        ),
    );
    sheet.fail("tpot_agrees", &pointer, short(expected, 3), short(tpot, 3), message);
}

fn throughput(sheet: &mut Sheet<'_>, run: &Serving, here: &str) {
    let Some(duration) = run.duration_s.filter(|duration| *duration > 0.0) else { return };
    let rows = [
        (names::TOKEN_RATE, run.output_tokens_per_s, run.output_tokens, "tokens"),
        (names::REQUEST_RATE, run.requests_per_s, run.successful_requests, "requests"),
    ];
    let mut agree = 0;
    for (names, rate, count, what) in rows {
        let (Some(rate), Some(count)) = (rate, count) else { continue };
        let product = rate * duration;
        // Durations and rates carry three or four digits.
        if (product - count as f64).abs() <= count as f64 * 0.01 + 0.02 {
            agree += 1;
            continue;
        }
        let expected = count as f64 / duration;
        let pointer = at(sheet, here, names);
        let message = Phrase::new(
            format!("{} /s × {} s = {}，而 {what} 是 {count}。", short(rate, 3), short(duration, 4), short(product, 1)),
            format!(
                "{} a second × {} s = {}, yet {what} is {count}.",
                short(rate, 3),
                short(duration, 4),
                short(product, 1)
            ),
        );
        sheet.fail("throughput_agrees", &pointer, short(expected, 3), short(rate, 3), message);
    }
    if agree > 0 && !sheet.has_failed("throughput_agrees") {
        sheet.pass(
            "throughput_agrees",
            here,
            format!("{agree} 个吞吐与时长、计数一致。"),
            format!("{agree} of {agree} rates agree with duration and count."),
        );
    }
}

/// Requests that the file says it sends, one run's worth.
fn requests(sheet: &Sheet<'_>, here: &str) -> Option<u64> {
    crate::import::inference_at(sheet.raw(), here).requests
}

fn counted(sheet: &mut Sheet<'_>, run: &Serving, here: &str) {
    let Some(done) = run.successful_requests else { return };
    let failed = run.failed_requests.unwrap_or(0);
    let pointer = at(sheet, here, names::SUCCESSFUL);
    if failed > 0 {
        let message = Phrase::new(
            format!("{failed} 个请求失败：延迟只统计了成功的那些。"),
            format!("{failed} requests failed: the times are of those that did not."),
        );
        let pointer = at(sheet, here, names::FAILED);
        sheet.fail("requests_answered", &pointer, "0", failed.to_string(), message);
    }
    let workload = crate::import::inference_at(sheet.raw(), here);
    let Some(sent) = workload.requests.filter(|sent| *sent > 0) else { return };
    let total = done.saturating_add(failed);
    let repeated = sent.saturating_mul(workload.repeats.unwrap_or(1).max(1));
    if total == sent || total == repeated {
        return;
    }
    let message = Phrase::new(
        format!("成功与失败共 {total} 个，工作负载写的是 {sent} 个。"),
        format!("Answered and failed are {total} together, the workload has {sent}."),
    );
    sheet.fail("requests_counted", &pointer, sent.to_string(), total.to_string(), message);
}

/// A run's list of requests.
pub(super) fn listed<'a>(sheet: &Sheet<'a>, here: &str) -> Option<(String, &'a [Value])> {
    ["requests", "request_results", "results"].into_iter().find_map(|key| {
        let pointer = names::locate(sheet.raw(), here, &[key])?;
        let items = sheet.raw().locate(&pointer)?.as_array()?;
        items.first().is_some_and(Value::is_object).then(|| (pointer, &items[..items.len().min(LOOKED_AT)]))
    })
}

fn tokens_positive(sheet: &mut Sheet<'_>, here: &str) {
    let Some((pointer, items)) = listed(sheet, here) else { return };
    for (index, item) in items.iter().enumerate() {
        for key in ["generated_tokens", "generate_tokens", "output_tokens", "max_tokens"] {
            if item.get(key).and_then(Value::as_f64) == Some(0.0) {
                let message = Phrase::new(
                    "一个请求没有生成任何 token：它没有首 token，也没有 TPOT。",
                    "A request generates no token: it has neither a first token nor a time per token.",
                );
                sheet.fail("tokens_positive", &format!("{pointer}/{index}/{key}"), "≥ 1", "0", message);
            }
        }
    }
}

/// The course's simulators let the first token's time hold the queue, or be nothing else.
fn meaning_of_ttft(sheet: &mut Sheet<'_>, here: &str) {
    let Some((pointer, items)) = listed(sheet, here) else { return };
    let number = |item: &Value, keys: &[&str]| keys.iter().find_map(|key| item.get(*key)?.as_f64());
    let row = |item: &Value| Some((number(item, &["ttft_ms"])?, number(item, &["queue_wait_ms", "queue_ms"])?));
    let rows: Vec<(f64, f64, f64)> = items
        .iter()
        .filter_map(|item| row(item).map(|(ttft, queue)| (ttft, queue, number(item, &["prefill_ms"]).unwrap_or(0.0))))
        .collect();
    let waits = rows.iter().filter(|(_, queue, _)| *queue > 0.0).count();
    let held = rows.iter().all(|(ttft, queue, prefill)| (ttft - queue - prefill).abs() <= 1e-6 * ttft.max(1.0));
    if waits == 0 || !held {
        return;
    }
    let message = Phrase::new(
        "这里的 TTFT 就是排队时间加预填充：并发越高排队越久，不等于模型变慢。",
        "TTFT here is queue wait plus prefill: it grows with the load, not because the model is slower.",
    );
    sheet.fail(
        "ttft_meaning",
        &format!("{pointer}/0/ttft_ms"),
        Phrase::new("排队与预填充分开写", "queue and prefill apart"),
        Phrase::new("合在一起", "together"),
        message,
    );
}
