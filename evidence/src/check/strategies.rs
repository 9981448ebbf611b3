//! What a serving strategy counts: shares, accepted tokens, cache hits, fairness.

use serde_json::Value;

use super::serving::{at, listed, served};
use super::sheet::{Sheet, short};
use crate::decide::published::{is_sweep, loads};
use crate::import::{is_simulated, names};
use crate::read::Locate as _;
use crate::{Candidate, Phrase, Word, Workload};

/// Rounding of shares, which files give with four decimals.
const ROUNDING: f64 = 6e-4;

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    if !matches!(sheet.doc.report.workload, Workload::Inference(_) | Workload::Distributed(_)) {
        return;
    }
    let runs: Vec<(&Candidate, String)> = sheet.candidates().map(|(run, place)| (run, place.pointer.clone())).collect();
    for (run, here) in &runs {
        shares(sheet, run, here);
        acceptance(sheet, run, here);
        cache(sheet, run, here);
        hit_evidence(sheet, run, here);
    }
    scheduling(sheet);
    sweep(sheet);
    pool(sheet);
}

fn shares(sheet: &mut Sheet<'_>, run: &Candidate, here: &str) {
    let metrics = &run.metrics;
    let cache = metrics.prefix_cache.as_ref();
    let serving = metrics.serving.as_ref();
    let rows: [(&[&str], Option<f64>); 9] = [
        (names::HIT_RATE, cache.and_then(|cache| cache.hit_rate)),
        (names::REUSE_RATE, cache.and_then(|cache| cache.token_reuse_rate)),
        (names::ACCEPTANCE, metrics.speculative.as_ref().and_then(|spec| spec.acceptance_rate)),
        (names::AGREEMENT, metrics.quantised.as_ref().and_then(|numbers| numbers.greedy_prefix_agreement)),
        (names::FAIRNESS, serving.and_then(|serving| serving.fairness)),
        (names::UTILIZATION, serving.and_then(|serving| serving.utilization)),
        (names::SUCCESS_RATE, serving.and_then(|serving| serving.success_rate)),
        (&["prefill_share"], serving.and_then(|serving| serving.prefill_share)),
        (&["decode_share"], serving.and_then(|serving| serving.decode_share)),
    ];
    for (names, share) in rows {
        let Some(share) = share.filter(|share| *share > 1.0 + 1e-9) else { continue };
        let pointer = at(sheet, here, names);
        let message = Phrase::new(
            format!("{} 是一个比例，不会大于 1；百分数请除以 100。", names[0]),
            format!("{} is a share and never above 1; divide a percentage by 100.", names[0]),
        );
        sheet.fail("share_in_range", &pointer, "0 … 1", short(share, 4), message);
    }
}

/// Says that a stated number is not what its parts give.
fn differ(sheet: &mut Sheet<'_>, id: &str, pointer: &str, formula: &str, expected: f64, found: f64) {
    let message = Phrase::new(
        format!("{formula} = {}，报告写 {}。", short(expected, 4), short(found, 4)),
        format!("{formula} = {}, the report says {}.", short(expected, 4), short(found, 4)),
    );
    sheet.fail(id, pointer, short(expected, 4), short(found, 4), message);
}

fn acceptance(sheet: &mut Sheet<'_>, run: &Candidate, here: &str) {
    let Some(spec) = run.metrics.speculative.as_ref() else { return };
    let id = "acceptance_agrees";
    let (Some(accepted), Some(proposed)) = (spec.accepted_tokens, spec.proposed_tokens) else { return };
    if accepted > proposed {
        let message = Phrase::new(
            format!("接受了 {accepted} 个，只提出了 {proposed} 个。"),
            format!("{accepted} were accepted of {proposed} proposed."),
        );
        let pointer = at(sheet, here, names::ACCEPTED);
        sheet.fail(id, &pointer, format!("≤ {proposed}"), accepted.to_string(), message);
        return;
    }
    if proposed == 0 {
        return;
    }
    let expected = accepted as f64 / proposed as f64;
    if let Some(stated) = spec.acceptance_rate.filter(|stated| (stated - expected).abs() > ROUNDING) {
        let pointer = at(sheet, here, names::ACCEPTANCE);
        differ(sheet, id, &pointer, &format!("{accepted} / {proposed}"), expected, stated);
    }
    let rounds = spec.rounds.filter(|rounds| *rounds > 0);
    if let (Some(rounds), Some(stated)) = (rounds, spec.accepted_tokens_per_round) {
        let expected = accepted as f64 / rounds as f64;
        if (stated - expected).abs() > expected.max(1.0) * ROUNDING {
            let pointer = at(sheet, here, &["accepted_tokens_per_round"]);
            differ(sheet, id, &pointer, &format!("{accepted} / {rounds}"), expected, stated);
        }
    }
    if !sheet.has_failed(id) {
        sheet.pass(id, here, "接受率与计数一致。", "The acceptance rate agrees with its counts.");
    }
}

fn cache(sheet: &mut Sheet<'_>, run: &Candidate, here: &str) {
    let Some(cache) = run.metrics.prefix_cache.as_ref() else { return };
    let id = "cache_tokens_agree";
    let (Some(total), Some(reused)) = (cache.prompt_tokens, cache.reused_tokens) else { return };
    if reused > total {
        let message = Phrase::new(
            format!("复用 {reused} 个 token，提示词一共只有 {total} 个。"),
            format!("{reused} tokens were reused of {total} in all prompts."),
        );
        let pointer = at(sheet, here, names::REUSED);
        sheet.fail(id, &pointer, format!("≤ {total}"), reused.to_string(), message);
        return;
    }
    if let Some(missed) = cache.miss_tokens.filter(|missed| reused.saturating_add(*missed) != total) {
        let pointer = at(sheet, here, names::MISSED);
        differ(sheet, id, &pointer, &format!("{total} − {reused}"), (total - reused) as f64, missed as f64);
    }
    let expected = if total == 0 { 0.0 } else { reused as f64 / total as f64 };
    if let Some(stated) = cache.token_reuse_rate.filter(|stated| (stated - expected).abs() > ROUNDING) {
        let pointer = at(sheet, here, names::REUSE_RATE);
        differ(sheet, id, &pointer, &format!("{reused} / {total}"), expected, stated);
    }
    if !sheet.has_failed(id) {
        sheet.pass(id, here, "复用与未命中的 token 数一致。", "Reused and missed tokens agree.");
    }
}

fn hit_evidence(sheet: &mut Sheet<'_>, run: &Candidate, here: &str) {
    let Some(cache) = run.metrics.prefix_cache.as_ref() else { return };
    let Some(hit) = cache.hit_rate.filter(|hit| *hit > 0.0) else { return };
    if is_simulated(sheet.raw())
        || cache.reused_tokens.is_some()
        || sheet.raw().get("base_url").is_none() && !is_served(sheet)
    {
        return;
    }
    let id = "hit_rate_evidence";
    let pointer = at(sheet, here, names::HIT_RATE);
    let source = cache.hit_rate_evidence.as_deref().map(str::to_ascii_lowercase);
    let vague = ["required", "inferred", "ttft", "pending", "none", "estimate"];
    let good = source.as_deref().is_some_and(|text| !text.is_empty() && !vague.iter().any(|word| text.contains(word)));
    if good {
        sheet.pass(
            id,
            &pointer,
            "命中率来自后端的指标或日志。",
            "The hit rate comes from the backend's metrics or log.",
        );
        return;
    }
    let message = Phrase::new(
        format!("命中率 {} 没有后端的指标或日志作证：TTFT 变快不等于命中。", short(hit, 4)),
        format!(
            "The hit rate of {} has no metric or log of the backend behind it: a faster first token is no hit.",
            short(hit, 4)
        ),
    );
    let found = cache.hit_rate_evidence.clone().unwrap_or_else(|| "null".to_owned());
    sheet.fail(id, &pointer, Phrase::new("后端指标或日志", "a backend metric or log"), found, message);
}

/// Whether a server was measured: the file names one.
fn is_served(sheet: &Sheet<'_>) -> bool {
    matches!(&sheet.doc.report.workload, Workload::Inference(inference) if inference.framework.is_some())
}

/// Fairness, waits and throughput of a scheduler, from its list of requests.
fn scheduling(sheet: &mut Sheet<'_>) {
    for (serving, here) in served(sheet) {
        let Some((_, items)) = listed(sheet, here) else { continue };
        let id = "fairness_agrees";
        let column = |keys: &[&str]| -> Vec<f64> {
            items.iter().filter_map(|item| keys.iter().find_map(|key| item.get(*key)?.as_f64())).collect()
        };
        let waits = column(&["ttft_ms", "queue_wait_ms"]);
        if waits.len() == items.len() && waits.len() > 1 {
            let (low, high) =
                waits.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), wait| (low.min(*wait), high.max(*wait)));
            let mean = waits.iter().sum::<f64>() / waits.len() as f64;
            let expected = (1.0 - (high - low) / mean.max(1.0)).max(0.0);
            if let Some(stated) = serving.fairness.filter(|stated| (stated - expected).abs() > ROUNDING) {
                let pointer = at(sheet, here, names::FAIRNESS);
                let formula = format!("1 − ({} − {}) / {}", short(high, 3), short(low, 3), short(mean.max(1.0), 3));
                differ(sheet, id, &pointer, &formula, expected, stated);
            } else if serving.fairness.is_some() {
                sheet.pass(id, here, "公平性与逐请求的等待一致。", "Fairness agrees with the waits of the requests.");
            }
        }
        let tokens = column(&["output_tokens"]);
        if let (Some(makespan), Some(stated)) =
            (serving.makespan_ms.filter(|ms| *ms > 0.0), serving.output_tokens_per_s)
            && tokens.len() == items.len()
            && !tokens.is_empty()
        {
            let total: f64 = tokens.iter().sum();
            let expected = total / (makespan / 1000.0);
            if (stated - expected).abs() > expected * 0.005 + 0.01 {
                let pointer = at(sheet, here, names::TOKEN_RATE);
                let formula = format!("{} tokens / {} s", short(total, 0), short(makespan / 1000.0, 4));
                differ(sheet, "throughput_agrees", &pointer, &formula, expected, stated);
            }
        }
    }
}

/// Lab 70 compares schedulers; a sweep of the load does not.
fn sweep(sheet: &mut Sheet<'_>) {
    let Some(compared) = sheet.compared() else { return };
    if sheet.doc.lab() != "70" || !is_sweep(sheet.doc, compared) {
        return;
    }
    let says_so = sheet.text("/evidence_boundary").is_some_and(|text| text.starts_with("load_sensitivity"));
    let concludes = sheet.doc.paper.said.word.as_deref().and_then(Word::from_word) == Some(Word::Accept);
    if says_so && !concludes {
        sheet.pass(
            "load_is_no_scheduler",
            "/evidence_boundary",
            "报告自己写明这是负载敏感性，不是调度器对比。",
            "The report itself calls this load sensitivity, not a comparison of schedulers.",
        );
        return;
    }
    let found = loads(sheet.doc, compared)
        .map_or_else(|| "load_sensitivity".to_owned(), |(before, after)| format!("{before} → {after}"));
    let message = Phrase::new(
        "两次运行只有并发不同：这说明负载的影响，不能比较调度策略。",
        "The two runs differ in their load alone: that shows what load does and compares no schedulers.",
    );
    let pointer = compared
        .candidate
        .and_then(|index| sheet.doc.paper.places.get(index))
        .map(|place| place.pointer.clone())
        .unwrap_or_default();
    sheet.fail(
        "load_is_no_scheduler",
        &pointer,
        Phrase::new("并发相同、策略不同", "one load, two policies"),
        found,
        message,
    );
}

/// Page 22: tokens of the blocks that a request holds.
fn pool(sheet: &mut Sheet<'_>) {
    let raw = sheet.raw();
    let homes = ["/allocation_report", "/metrics/allocation_report", "/metrics", ""];
    let Some(home) = homes.into_iter().find(|home| {
        raw.locate(home)
            .is_some_and(|block| block.get("allocated_tokens").is_some() && block.get("logical_tokens").is_some())
    }) else {
        return;
    };
    let number = |key: &str| raw.locate(&format!("{home}/{key}")).and_then(Value::as_f64);
    let (Some(logical), Some(allocated)) = (number("logical_tokens"), number("allocated_tokens")) else { return };
    let id = "blocks_agree";
    let mut wrong = false;
    let share = if allocated > 0.0 { logical / allocated } else { 0.0 };
    let rows = [
        ("unused_tail_tokens", format!("{} − {}", short(allocated, 0), short(logical, 0)), allocated - logical),
        ("utilization", format!("{} / {}", short(logical, 0), short(allocated, 0)), share),
    ];
    for (key, formula, expected) in rows {
        if let Some(stated) = number(key).filter(|stated| (stated - expected).abs() > ROUNDING) {
            wrong = true;
            differ(sheet, id, &format!("{home}/{key}"), &formula, expected, stated);
        }
    }
    let block = names::described(raw, "", &["block_size"]).and_then(|pointer| raw.locate(&pointer)?.as_f64());
    if let Some(block) = block.filter(|block| *block >= 1.0) {
        let expected = (logical / block).ceil() * block;
        if (allocated - expected).abs() > 0.5 {
            wrong = true;
            let formula = format!("⌈{} / {}⌉ × {}", short(logical, 0), short(block, 0), short(block, 0));
            differ(sheet, id, &format!("{home}/allocated_tokens"), &formula, expected, allocated);
        }
    }
    if !wrong {
        sheet.pass(id, home, "块、尾部与利用率一致。", "Blocks, tail and utilisation agree.");
    }
}
