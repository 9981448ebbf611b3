//! The decision: said, recomputed, and whether the evidence carries it.

use super::sheet::{Sheet, mib_text};
use crate::import::describe;
use crate::read::Locate as _;
use crate::stage::Stage;
use crate::{EvidenceClass, Meaning, Phrase, Shape, Word, Workload};

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    budget(sheet);
    baseline(sheet);
    if sheet.doc.is_stage(Stage::Probe) {
        probe(sheet);
        return;
    }
    let silent = matches!(sheet.doc.stage(), Some(Stage::Profile | Stage::Mechanism));
    if silent && sheet.doc.paper.said.word.is_none() {
        return; // These pages measure and conclude nothing.
    }
    said(sheet);
    supported(sheet);
    enables_budget(sheet);
    quality_reason(sheet);
}

fn budget(sheet: &mut Sheet<'_>) {
    if !matches!(sheet.doc.stage(), Some(Stage::Budget | Stage::Strategies)) || sheet.strategy().is_none() {
        return;
    }
    let own = sheet.doc.report.budget.clone().unwrap_or_default();
    let fields = [
        ("/budget/memory_cap_mb", own.memory_cap_bytes.is_some()),
        ("/budget/min_samples_per_s", own.min_samples_per_s.is_some()),
        ("/quality_floor/max_val_loss", own.max_eval_loss.is_some()),
    ];
    if let Some((pointer, _)) = fields.iter().find(|(_, stated)| !stated) {
        let missing = fields.iter().filter(|(_, stated)| !stated).map(|(p, _)| *p).collect::<Vec<_>>().join(", ");
        let message = Phrase::new(
            format!("没有写 {missing}：可行与否无从判断。"),
            format!("{missing} not stated: nobody can tell what is feasible."),
        );
        sheet.fail("budget_present", pointer, Phrase::new("一个数字", "a number"), "null", message);
    } else {
        sheet.pass("budget_present", "/budget", "预算与质量上限已写明。", "Budget and quality ceiling are stated.");
    }
    let silent: Vec<&str> = [
        ("min_memory_saving_mb", own.min_memory_saving_bytes.is_some()),
        ("min_throughput_ratio", own.min_throughput_ratio.is_some()),
    ]
    .into_iter()
    .filter(|(_, stated)| !stated)
    .map(|(key, _)| key)
    .collect();
    if let Some(first) = silent.first() {
        let list = silent.join(", ");
        let message = Phrase::new(
            format!("没有写 {list}，按课程缺省值（512 MiB、0.70）计算。"),
            format!("{list} not stated; the course's defaults (512 MiB, 0.70) are used."),
        );
        sheet.fail(
            "thresholds_stated",
            &format!("/budget/{first}"),
            Phrase::new("一个数字", "a number"),
            "null",
            message,
        );
    }
}

fn baseline(sheet: &mut Sheet<'_>) {
    let usable = match (sheet.strategy(), sheet.pair()) {
        (Some(strategy), _) => strategy.baseline.is_some(),
        (_, Some(pair)) => pair.sides.is_some(),
        _ => match sheet.change() {
            Some(change) => change.sides.is_some(),
            None => return,
        },
    };
    if usable {
        let pointer = sheet.measured_at();
        sheet.pass("baseline_usable", pointer, "基线存在且指标完整。", "The baseline is there and complete.");
        return;
    }
    let (pointer, found) = match sheet.baseline() {
        Some((baseline, place)) => (place.pointer.clone(), Phrase::plain(baseline.status.id())),
        None if sheet.doc.shape == Shape::Lab73Paired => ("/baseline".to_owned(), Phrase::new("没有", "none")),
        None => ("/candidates".to_owned(), Phrase::new("没有 baseline", "no baseline")),
    };
    let message = Phrase::new(
        "没有可用的基线：节省与吞吐比都无从谈起。",
        "There is no usable baseline: neither a saving nor a ratio can be told.",
    );
    sheet.fail(
        "baseline_usable",
        &pointer,
        Phrase::new("状态 ok、指标完整的 baseline", "a baseline with status ok and its metrics"),
        found,
        message,
    );
}

fn probe(sheet: &mut Sheet<'_>) {
    let said = &sheet.doc.paper.said;
    let word = said.word.as_deref();
    if let Some(word) = word.filter(|word| Word::from_id(word).is_some()) {
        let message = Phrase::new(
            format!("探测只有一组测量，却下了 {word} 的结论。"),
            format!("A probe has one measurement, yet concludes {word}."),
        );
        sheet.fail("probe_claims_nothing", &said.pointer, "measure", word, message);
    } else {
        sheet.pass("probe_claims_nothing", &said.pointer, "探测没有下比较结论。", "The probe draws no comparison.");
    }
    let message = Phrase::new(
        "这是一次探测：没有基线，不能比较；它可作为 BF16 的 76 的基线。",
        "This is a probe: without a baseline nothing can be compared. It serves as the baseline of a BF16 76.",
    );
    sheet.fail("probe_is_no_comparison", "/candidate", "baseline, tuned", "candidate", message);
}

/// Whether a reason is the code, or the code in words. A sentence without a word of the code's alphabet is not judged.
fn same_reason(said: &str, code: &str) -> bool {
    let plain = |text: &str| {
        let words: Vec<String> = text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        words.join("_").replacen("compression_", "", 1).replacen("strategy_", "", 1)
    };
    let (told, code) = (plain(said), plain(code));
    let foreign = said.chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).count() > told.len();
    foreign || told == code || told.contains(&code)
}

fn said(sheet: &mut Sheet<'_>) {
    let said = &sheet.doc.paper.said;
    let recomputed = sheet.recomputed.decision.as_ref();
    // The baseline of a linked report compares nothing: it need not conclude.
    let concludes = said.word.as_deref().and_then(Word::from_word).is_some();
    // Nor need a page that asks for no decision: its script says that a stage ran.
    let asked = sheet.training().is_some() || sheet.compared().is_some() || sheet.doc.shape == Shape::V1;
    if !concludes && (!asked || sheet.compared().is_some_and(|compared| compared.is_baseline)) {
        return;
    }
    let Some(word) = said.word.as_deref() else {
        let found = sheet.raw().get("decision").map_or_else(|| Phrase::new("没有", "none"), describe);
        let message = Phrase::new("报告没有结论。", "The report concludes nothing.");
        sheet.fail("decision_present", &said.pointer, "{decision, reason, next_action}", found, message);
        return;
    };
    if said.bare {
        let message = if sheet.training().is_some() {
            Phrase::new(
                "decision 是一个裸字符串，原因和下一步丢失了；75 的灵敏度循环复用同名变量时就会这样，存下的是最后一个场景的结论。",
                "The decision is a bare string, so reason and next step are lost; that happens when 75's sensitivity loop reuses the variable, and what is saved is the last scenario's.",
            )
        } else {
            Phrase::new(
                "decision 是一个裸字符串：没有原因，也没有下一步。",
                "The decision is a bare string: it has neither reason nor next step.",
            )
        };
        sheet.fail("decision_is_object", "/decision", Phrase::new("对象", "an object"), format!("{word:?}"), message);
    } else {
        sheet.pass("decision_is_object", "/decision", "decision 是对象。", "The decision is an object.");
    }
    let own = match Meaning::of(word) {
        Some(Meaning::Concludes(own)) => own,
        other => {
            let message = match other {
                Some(Meaning::Waits) => Phrase::new(
                    format!("{word:?} 表示还在等一次运行或一次判断，不是结论。"),
                    format!("{word:?} waits for a run or a judgement: that is no conclusion."),
                ),
                Some(Meaning::Ran) => Phrase::new(
                    format!("{word:?} 只说某一步跑完了，没有下结论。"),
                    format!("{word:?} says that a stage ran, and concludes nothing."),
                ),
                _ => Phrase::new(format!("{word:?} 不是结论。"), format!("{word:?} is no conclusion.")),
            };
            sheet.fail("decision_word", &said.pointer, "accept | tune | reject", word, message);
            return;
        }
    };
    let Some(recomputed) = recomputed else { return };
    if own != recomputed.decision {
        let message = Phrase::new(
            format!(
                "报告说 {word}；用它的数字和实验的阈值得出 {}（{}）。",
                recomputed.decision.id(),
                recomputed.reason
            ),
            format!(
                "The report says {word}; its numbers give {} under the lab's thresholds ({}).",
                recomputed.decision.id(),
                recomputed.reason
            ),
        );
        sheet.fail("decision_confirmed", &said.pointer, recomputed.decision.id(), word, message);
        return;
    }
    sheet.pass(
        "decision_confirmed",
        &said.pointer,
        format!("结论 {word} 可由数字复现：{}。", recomputed.reason),
        format!("The decision {word} is reproduced: {}.", recomputed.reason),
    );
    if !said.bare && said.reason.as_deref().is_none_or(|reason| reason.trim().is_empty()) {
        let found = sheet.raw().locate("/decision/reason").map_or_else(|| Phrase::new("没有", "none"), describe);
        let message = Phrase::new("结论没有原因。", "The decision gives no reason.");
        sheet.fail("reason_agrees", "/decision/reason", recomputed.reason.as_str(), found, message);
        return;
    }
    // Labs of inference and several devices publish codes for the next step, not for the reason.
    if sheet.compared().is_some() {
        next_step(sheet);
        return;
    }
    // Lab 73 writes its reason as a sentence; only codes are compared.
    if sheet.strategy().is_none() && sheet.traces().is_none() {
        return;
    }
    if let Some(reason) = said.reason.as_deref().filter(|reason| !same_reason(reason, &recomputed.reason)) {
        let message = Phrase::new("结论相同，原因不同。", "The decision is the same, its reason is not.");
        sheet.fail("reason_agrees", "/decision/reason", recomputed.reason.as_str(), reason, message);
        return;
    }
    let next = recomputed.next_action.as_deref();
    if let (Some(other), Some(next)) = (sheet.value("/decision/next_action").filter(|value| !value.is_string()), next) {
        let message = Phrase::new("下一步应是一个动作码。", "The next step is the code of an action.");
        sheet.fail("next_action_agrees", "/decision/next_action", next, describe(other), message);
        return;
    }
    if let (Some(said), Some(next)) = (said.next_action.as_deref(), next)
        && said != next
    {
        let message = Phrase::new("下一步与原因不对应。", "The next step does not belong to the reason.");
        sheet.fail("next_action_agrees", "/decision/next_action", next, said, message);
    }
}

/// Codes of next steps that the course publishes: for each lab those of accept, tune and reject.
const PUBLISHED: [[&str; 3]; 7] = [
    [
        "promote_to_extended_regression",
        "refine_quant_granularity_or_backend",
        "fallback_to_baseline_or_rework_quant_scheme",
    ],
    ["promote_to_serving_eval", "refine_draft_or_verify", "fallback_to_baseline"],
    ["promote_to_serving_eval", "refine_chunk_or_eviction_policy", "fallback_to_no_cache"],
    ["promote_to_serving_rollout", "refine_queue_rules_or_worker_split", "fallback_to_scheduler_audit"],
    ["promote_to_extended_eval", "refine_modules_or_capacity", "fallback_to_baseline"],
    ["promote_to_cluster_eval", "refine_router_capacity_or_placement", "fallback_to_parallel_baseline"],
    ["promote_to_real_cluster_check", "refine_routing_or_parallel_degree", "fallback_to_single_replica_audit"],
];

/// A next step in the course's code that belongs to another word of the same lab.
fn next_step(sheet: &mut Sheet<'_>) {
    let said = sheet.doc.paper.said.next_action.as_deref();
    let own = sheet.recomputed.decision.as_ref().and_then(|decision| decision.next_action.as_deref());
    let (Some(said), Some(own)) = (said, own) else { return };
    let code = |codes: &&[&str; 3]| codes.contains(&own);
    if said != own && PUBLISHED.iter().filter(code).any(|codes| codes.contains(&said)) {
        let message = Phrase::new("下一步与结论不对应。", "The next step belongs to another decision.");
        sheet.fail("next_action_agrees", "/decision/next_action", own, said, message);
    }
}

fn supported(sheet: &mut Sheet<'_>) {
    let said = &sheet.doc.paper.said;
    if said.word.as_deref().and_then(Meaning::of) != Some(Meaning::Concludes(Word::Accept)) {
        return;
    }
    let id = "accept_supported";
    let by_numbers = sheet.recomputed.decision.as_ref().is_some_and(|decision| decision.decision == Word::Accept);
    // A kernel lab may accept on the device it ran on; a training strategy is accepted for a GPU.
    let on_gpu = sheet.class == EvidenceClass::Gpu || matches!(sheet.doc.report.workload, Workload::Kernel(_));
    let (expected, found, zh, en) = if !by_numbers {
        let recomputed = sheet.recomputed.decision.as_ref();
        let found = recomputed.map_or("null", |decision| decision.reason.as_str()).to_owned();
        (
            Phrase::new("达标的数字", "numbers that reach their thresholds"),
            found,
            "accept 没有数字支持。",
            "The numbers do not carry an accept.",
        )
    } else if !on_gpu {
        (
            Phrase::plain("gpu"),
            sheet.class.id().to_owned(),
            "accept 需要 GPU 证据，这份报告没有。",
            "An accept needs GPU evidence, and this report is none.",
        )
    } else {
        sheet.pass(
            id,
            &said.pointer,
            "accept 有同一工作负载的 GPU 测量支持。",
            "The accept is carried by measurements of one workload.",
        );
        return;
    };
    sheet.fail(id, &said.pointer, expected, found, Phrase::new(zh, en));
}

fn enables_budget(sheet: &mut Sheet<'_>) {
    let (Some(strategy), Some(cap)) = (sheet.strategy(), sheet.limits.memory_cap_bytes) else { return };
    let Some((baseline, place)) = strategy.baseline.and_then(|index| sheet.candidate(index)) else { return };
    let Some((best, _)) = strategy.best().and_then(|index| sheet.candidate(index)) else { return };
    let Some(peak) = baseline.metrics.peak_allocated_bytes.filter(|peak| *peak > cap) else { return };
    let message = Phrase::new(
        format!(
            "基线 {} 超出上限 {}，{} 让任务装得下：这比省多少更重要（enables_budget）。",
            mib_text(peak as f64),
            mib_text(cap as f64),
            best.name
        ),
        format!(
            "The baseline's {} is over the cap of {}, and {} makes the job fit: that is worth more than the size of the saving (enables_budget).",
            mib_text(peak as f64),
            mib_text(cap as f64),
            best.name
        ),
    );
    let pointer = place.metric(crate::import::Metric::Allocated);
    sheet.fail("enables_budget", &pointer, format!("≤ {}", mib_text(cap as f64)), mib_text(peak as f64), message);
}

fn quality_reason(sheet: &mut Sheet<'_>) {
    let (Some(strategy), Some(decision)) = (sheet.strategy(), sheet.recomputed.decision.as_ref()) else { return };
    if decision.decision != Word::Tune || !decision.reason.ends_with("needs_quality_recovery") {
        return;
    }
    // The best candidate is feasible, so the quality failure is another's.
    let Some(failed) = strategy.rows.iter().find(|row| row.reasons.contains(&"quality_over_floor")) else { return };
    let best = strategy.best().map_or("null", |index| strategy.rows[index].name.as_str());
    let message = Phrase::new(
        format!("质量不合格的是 {}，最佳候选 {best} 的质量合格：原因码掩盖了它真正的不足。", failed.name),
        format!(
            "{} failed quality, the best candidate {best} did not: the reason hides what {best} really lacks.",
            failed.name
        ),
    );
    sheet.fail("quality_reason_fits", "/decision/reason", best, failed.name.as_str(), message);
}
