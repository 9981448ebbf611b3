//! Several devices: one number a rank, and what follows from them.

use serde_json::Value;

use super::serving::at;
use super::sheet::{Sheet, mib_text, short};
use crate::import::{MIB, mib, names};
use crate::read::Locate as _;
use crate::report::Distributed;
use crate::{Candidate, EvidenceLevel, Phrase, Ranks, Workload};

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    if !matches!(sheet.doc.report.workload, Workload::Distributed(_)) {
        return;
    }
    let runs: Vec<(&Candidate, String)> = sheet.candidates().map(|(run, place)| (run, place.pointer.clone())).collect();
    for (run, here) in &runs {
        let workload = crate::import::distributed_at(sheet.raw(), here);
        let numbers = run.metrics.ranks.clone().unwrap_or_default();
        recorded(sheet, &numbers, &workload, here);
        form(sheet, here);
        counts(sheet, &numbers, &workload, here);
        maxima(sheet, &numbers, here);
        skew(sheet, &numbers, here);
        if !run.metrics.is_empty() {
            strategy(sheet, &workload, here);
            tokens(sheet, &numbers, &workload, here);
            optimizer(sheet, &workload, here);
        }
        overflow(sheet, &numbers, here);
    }
    division(sheet);
}

/// Whether a run says that several devices ran it.
fn claims_several(sheet: &Sheet<'_>, workload: &Distributed, here: &str) -> bool {
    let level = |pointer: &str| sheet.text(pointer).and_then(EvidenceLevel::from_word);
    let claimed = level(&format!("{here}/evidence_level")).or_else(|| level("/evidence_level"));
    claimed == Some(EvidenceLevel::MultiGpu) || workload.world_size.is_some_and(|world| world > 1)
}

fn recorded(sheet: &mut Sheet<'_>, numbers: &Ranks, workload: &Distributed, here: &str) {
    let simulated = crate::import::is_simulated(sheet.raw());
    if simulated || !claims_several(sheet, workload, here) {
        return;
    }
    let id = "ranks_recorded";
    if numbers.count() > 1 {
        let count = numbers.count();
        sheet.pass(id, here, format!("{count} 个 rank 各有数字。"), format!("Each of {count} ranks has its number."));
        return;
    }
    let message = Phrase::new(
        "报告说用了多张卡，却没有逐 rank 的数字：看不出其他卡做了什么。",
        "The report says that several devices ran, yet has no number for each: nobody can see what the others did.",
    );
    let pointer = at(sheet, here, names::STEP_RANKS);
    let found = if numbers.count() == 0 { Phrase::new("没有", "none") } else { Phrase::plain("1") };
    sheet.fail(id, &pointer, Phrase::new("每个 rank 一个数", "one number a rank"), found, message);
}

/// A name that ends in `_per_rank` holds a list.
fn form(sheet: &mut Sheet<'_>, here: &str) {
    for names in [names::STEP_RANKS, names::PEAK_RANKS, names::RECEIVED] {
        let Some(pointer) = names::locate(sheet.raw(), here, names) else { continue };
        let scalar = sheet.raw().locate(&pointer).is_some_and(Value::is_number);
        if scalar && pointer.ends_with("_per_rank") {
            let message = Phrase::new(
                "名称说的是每个 rank，写的却是一个数：分不清是最大值还是 rank 0 的值。",
                "The name says one a rank, the value is a single number: the maximum, or rank 0's?",
            );
            let found = crate::import::describe(sheet.raw().locate(&pointer).unwrap_or(&Value::Null));
            sheet.fail("rank_list_form", &pointer, Phrase::new("列表", "a list"), found, message);
        }
    }
}

fn counts(sheet: &mut Sheet<'_>, numbers: &Ranks, workload: &Distributed, here: &str) {
    let lists = [
        (names::STEP_RANKS, numbers.step_time_ms.len()),
        (names::PEAK_RANKS, numbers.peak_allocated_bytes.len()),
        (names::RECEIVED, numbers.received_tokens.len()),
    ];
    let expected = workload.world_size.and_then(|world| usize::try_from(world).ok());
    let expected = expected.or_else(|| lists.iter().map(|(_, length)| *length).find(|length| *length > 0));
    let Some(expected) = expected else { return };
    let mut agree = 0;
    for (names, length) in lists.into_iter().filter(|(_, length)| *length > 0) {
        if length == expected {
            agree += 1;
            continue;
        }
        let pointer = at(sheet, here, names);
        let message = Phrase::new(
            format!("world_size 是 {expected}，这里有 {length} 个数。"),
            format!("The world has {expected} ranks, this list {length} numbers."),
        );
        sheet.fail("rank_count_agrees", &pointer, expected.to_string(), length.to_string(), message);
    }
    // Without the size of the world a list is only as long as itself.
    if agree > 0 && workload.world_size.is_some() && !sheet.has_failed("rank_count_agrees") {
        sheet.pass(
            "rank_count_agrees",
            here,
            "列表长度等于 world_size。",
            "The lists are as long as the world is large.",
        );
    }
}

fn maxima(sheet: &mut Sheet<'_>, numbers: &Ranks, here: &str) {
    let step = numbers.step_time_ms.iter().copied().reduce(f64::max);
    let peak = numbers.peak_allocated_bytes.iter().copied().max().map(mib);
    let rows = [
        (names::MAX_STEP, step, numbers.max_step_time_ms, 1e-3),
        (names::MAX_PEAK, peak, numbers.max_peak_allocated_bytes.map(mib), 2e-3),
    ];
    for (names, expected, stated, tolerance) in rows {
        let (Some(expected), Some(stated)) = (expected, stated) else { continue };
        let pointer = at(sheet, here, names);
        if (stated - expected).abs() <= tolerance + expected * 1e-6 {
            sheet.pass("rank_maximum_agrees", &pointer, "最大值等于列表的最大值。", "The maximum is that of the list.");
            continue;
        }
        let message = Phrase::new(
            format!("列表的最大值是 {}，这里写 {}。", short(expected, 4), short(stated, 4)),
            format!("The list's maximum is {}, this says {}.", short(expected, 4), short(stated, 4)),
        );
        sheet.fail("rank_maximum_agrees", &pointer, short(expected, 4), short(stated, 4), message);
    }
}

fn skew(sheet: &mut Sheet<'_>, numbers: &Ranks, here: &str) {
    let loads = &numbers.received_tokens;
    let (Some(most), Some(fewest), Some(stated)) = (loads.iter().max(), loads.iter().min(), numbers.imbalance) else {
        return;
    };
    let mean = loads.iter().map(|load| *load as f64).sum::<f64>() / loads.len() as f64;
    if mean <= 0.0 {
        return;
    }
    let expected = (*most - *fewest) as f64 / mean;
    let pointer = at(sheet, here, names::IMBALANCE);
    if (stated - expected).abs() <= 1e-3 {
        sheet.pass(
            "load_skew_agrees",
            &pointer,
            "负载偏斜与各 rank 的 token 数一致。",
            "The skew agrees with the ranks' tokens.",
        );
        return;
    }
    let message = Phrase::new(
        format!("（{most} − {fewest}）/ {} = {}，报告写 {}。", short(mean, 1), short(expected, 4), short(stated, 4)),
        format!(
            "({most} − {fewest}) / {} = {}, the report says {}.",
            short(mean, 1),
            short(expected, 4),
            short(stated, 4)
        ),
    );
    sheet.fail("load_skew_agrees", &pointer, short(expected, 4), short(stated, 4), message);
}

fn strategy(sheet: &mut Sheet<'_>, workload: &Distributed, here: &str) {
    if !matches!(sheet.doc.lab(), "27" | "28" | "29" | "79") {
        return;
    }
    // A simulator names its rows.
    let named = workload.strategy.is_some() || sheet.raw().locate(here).is_some_and(|run| run.get("name").is_some());
    if named {
        sheet.pass("strategy_named", here, "写明了并行策略。", "The strategy is named.");
        return;
    }
    let message = Phrase::new(
        "没有写明并行策略：汇总之后分不清哪组数字属于 DDP、哪组属于 ZeRO。",
        "The strategy is not named: once gathered, nobody can tell DDP's numbers from ZeRO's.",
    );
    sheet.fail("strategy_named", &format!("{here}/strategy"), "ddp | zero1 | zero2 | zero3 | …", "null", message);
}

/// Tokens a second of a data-parallel step, whose time is that of one micro-batch.
fn tokens(sheet: &mut Sheet<'_>, numbers: &Ranks, workload: &Distributed, here: &str) {
    let strategy = workload.strategy.as_deref().unwrap_or_default().to_ascii_lowercase();
    let data_parallel = ["ddp", "zero", "fsdp"].iter().any(|name| strategy.starts_with(name));
    let step = numbers.step_time_ms.iter().copied().reduce(f64::max).or(numbers.max_step_time_ms);
    let (Some(stated), Some(step)) = (numbers.tokens_per_s, step.filter(|step| *step > 0.0)) else { return };
    let (Some(batch), Some(seq)) = (workload.batch, workload.seq) else { return };
    let world = workload.world_size.unwrap_or(numbers.count() as u64);
    if !data_parallel || world == 0 {
        return;
    }
    let once = batch as f64 * seq as f64 * world as f64 / step * 1000.0;
    let times = workload.accumulation.unwrap_or(1).max(1) as f64;
    let pointer = at(sheet, here, names::RANK_TOKENS);
    let near = |expected: f64| (stated - expected).abs() <= expected * 0.005 + 0.01;
    if near(once) {
        sheet.pass("rank_tokens_agree", &pointer, "每秒 token 数与步时一致。", "Tokens a second agree with the step.");
        return;
    }
    let message = if near(once * times) {
        Phrase::new(
            format!("步时是一个 micro-step 的，tokens/s 却又乘了累积步数 {times}：高了 {times} 倍。"),
            format!(
                "The step is one micro-batch's, yet tokens a second are multiplied by the {times} accumulated ones: {times} times too high."
            ),
        )
    } else {
        Phrase::new(
            format!(
                "{batch} × {seq} × {world} / {} ms = {} token/s，报告写 {}。",
                short(step, 3),
                short(once, 1),
                short(stated, 1)
            ),
            format!(
                "{batch} × {seq} × {world} / {} ms = {} tokens a second, the report says {}.",
                short(step, 3),
                short(once, 1),
                short(stated, 1)
            ),
        )
    };
    sheet.fail("rank_tokens_agree", &pointer, short(once, 1), short(stated, 1), message);
}

/// ZeRO divides optimizer states first: without an optimizer there is nothing to see.
fn optimizer(sheet: &mut Sheet<'_>, workload: &Distributed, here: &str) {
    let strategy = workload.strategy.as_deref().unwrap_or_default().to_ascii_lowercase();
    if !strategy.starts_with("zero") {
        return;
    }
    if names::described(sheet.raw(), here, &["optimizer"]).is_some() {
        sheet.pass("optimizer_sharded", here, "写明了优化器。", "The optimizer is named.");
        return;
    }
    let message = Phrase::new(
        format!("{strategy} 的配置里没有优化器：没有优化器状态可分，ZeRO-1 显不出收益。"),
        format!(
            "The configuration of {strategy} has no optimizer: there is no state to divide, and ZeRO-1 cannot show a gain."
        ),
    );
    sheet.fail("optimizer_sharded", &format!("{here}/workload/optimizer"), "AdamW", "null", message);
}

/// Throughput with the dropped tokens in it is not effective.
fn overflow(sheet: &mut Sheet<'_>, numbers: &Ranks, here: &str) {
    let (Some(overflow), Some(effective)) = (numbers.overflow, numbers.effective_throughput) else { return };
    let pointer = at(sheet, here, names::EFFECTIVE);
    let without = numbers.throughput.is_some_and(|all| effective < all);
    if overflow <= 0.0 || without {
        sheet.pass(
            "overflow_counted",
            &pointer,
            "有效吞吐没有计入溢出的 token。",
            "Effective throughput leaves out what overflowed.",
        );
        return;
    }
    let message = Phrase::new(
        format!("溢出了 {} 个 token，有效吞吐却没有与未扣除的吞吐分开写。", short(overflow, 0)),
        format!(
            "{} tokens overflowed, yet the effective throughput does not stand apart from the one with them.",
            short(overflow, 0)
        ),
    );
    sheet.fail(
        "overflow_counted",
        &pointer,
        Phrase::new("throughput 与 effective_throughput", "throughput and effective_throughput"),
        short(effective, 3),
        message,
    );
}

/// What a strategy divides: weights, gradients, optimizer states.
fn divided(strategy: &str) -> Option<[bool; 3]> {
    Some(match strategy.to_ascii_lowercase().as_str() {
        "ddp" => [false, false, false],
        "zero1" | "zero-1" => [false, false, true],
        "zero2" | "zero-2" => [false, true, true],
        "zero3" | "zero-3" | "fsdp" => [true, true, true],
        _ => return None,
    })
}

/// Lab 79's arithmetic: states of one rank from the whole and the number of ranks.
fn division(sheet: &mut Sheet<'_>) {
    let raw = sheet.raw();
    let number = |pointer: &str, names: &[&str]| {
        names.iter().find_map(|name| raw.locate(&format!("{pointer}/{name}"))?.as_f64())
    };
    let homes = ["/state", "/states", "/workload", "/config", ""];
    let Some((home, whole)) = homes.into_iter().find_map(|home| {
        let part = |names: &[&str]| number(home, names);
        Some((
            home,
            [
                part(&["weights_mb", "weight_mb", "weights"])?,
                part(&["gradients_mb", "grads_mb", "gradients", "grads"])?,
                part(&["optimizer_mb", "optimizer_states_mb", "optimizer_state_mb"])?,
            ],
        ))
    }) else {
        return;
    };
    let Some(world) =
        number(home, &["world_size"]).or_else(|| number("/workload", &["world_size"])).filter(|n| *n >= 1.0)
    else {
        return;
    };
    let mut agree = 0;
    for key in ["strategies", "rows", "candidates"] {
        let Some(items) = raw.get(key).and_then(Value::as_array) else { continue };
        for (index, item) in items.iter().take(100).enumerate() {
            let strategy = item.get("strategy").or_else(|| item.get("name")).and_then(Value::as_str);
            let Some(divided) = strategy.and_then(divided) else { continue };
            let here = format!("/{key}/{index}");
            let Some((field, stated)) = ["state_mb_per_rank", "total_mb", "memory_mb", "total"]
                .into_iter()
                .find_map(|field| Some((field, item.get(field)?.as_f64()?)))
            else {
                continue;
            };
            let expected: f64 =
                whole.iter().zip(divided).map(|(part, divided)| if divided { part / world } else { *part }).sum();
            if (stated - expected).abs() > 0.011 + expected * 1e-6 {
                let message = Phrase::new(
                    format!(
                        "{} 个 rank 上应是 {} MiB，报告写 {}。",
                        short(world, 0),
                        short(expected, 2),
                        short(stated, 2)
                    ),
                    format!(
                        "On {} ranks it is {} MiB, the report says {}.",
                        short(world, 0),
                        short(expected, 2),
                        short(stated, 2)
                    ),
                );
                sheet.fail(
                    "state_division_agrees",
                    &format!("{here}/{field}"),
                    mib_text(expected * MIB),
                    mib_text(stated * MIB),
                    message,
                );
            } else {
                agree += 1;
            }
        }
    }
    if agree > 0 && !sheet.has_failed("state_division_agrees") {
        let zh = format!("{agree} 种划分与状态大小、rank 数一致。");
        let en = format!("{agree} of {agree} divisions agree with the states and the number of ranks.");
        sheet.pass("state_division_agrees", home, zh, en);
    }
}
