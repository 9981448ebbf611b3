//! Project 60: whether one run of an adapter can carry a claim about it.

use serde_json::Value;

use super::sheet::{Sheet, mib_text, short};
use crate::import::{Metric, describe, setting};
use crate::read::Locate as _;
use crate::stage::Stage;
use crate::{Document, Phrase};

/// Independent runs that a claim about training needs.
const SEEDS: usize = 3;
/// A baseline whose later losses are this many times its first was made worse by its training.
const WORSE: f64 = 2.0;

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    if !sheet.doc.is_stage(Stage::FineTuning) {
        return;
    }
    seeds(sheet);
    confounded(sheet);
    repeated(sheet);
    artifacts(sheet);
    last_loss(sheet);
    bound(sheet);
}

fn losses(raw: &Value) -> Vec<f64> {
    let own = raw.locate("/baseline/train_losses").or_else(|| {
        let items = raw.get("candidates")?.as_array()?;
        items.iter().find(|item| item.get("name").and_then(Value::as_str) == Some("baseline"))?.get("train_losses")
    });
    own.and_then(Value::as_array).map(|items| items.iter().filter_map(Value::as_f64).collect()).unwrap_or_default()
}

fn seed(raw: &Value) -> Option<u64> {
    setting(raw, &["seed"]).and_then(|(_, value)| value.as_u64())
}

/// The linked runs of the same configuration but for the seed.
fn siblings<'a>(sheet: &Sheet<'a>) -> Vec<&'a Document> {
    let same = |doc: &Document| {
        [&["model", "model_id"][..], &["dtype"], &["batch_size"], &["seq_len"], &["steps", "iters"]]
            .iter()
            .all(|names| setting(&doc.raw, names).map(|(_, v)| v) == setting(sheet.raw(), names).map(|(_, v)| v))
    };
    sheet
        .linked
        .iter()
        .copied()
        .filter(|doc| doc.is_stage(Stage::FineTuning) && doc.sha256 != sheet.doc.sha256 && same(doc))
        .collect()
}

fn seeds(sheet: &mut Sheet<'_>) {
    let own = seed(sheet.raw());
    let mut named: Vec<(Option<u64>, Vec<f64>)> = vec![(own, losses(sheet.raw()))];
    named.extend(siblings(sheet).iter().map(|doc| (seed(&doc.raw), losses(&doc.raw))));
    let mut independent: Vec<&(Option<u64>, Vec<f64>)> = Vec::new();
    let mut idle = false;
    for run in &named {
        let same_seed = independent.iter().any(|other| other.0 == run.0);
        let same_losses = !run.1.is_empty() && independent.iter().any(|other| other.1 == run.1);
        idle |= same_losses && !same_seed;
        if !same_seed && !same_losses {
            independent.push(run);
        }
    }
    let count = independent.len();
    let pointer = setting(sheet.raw(), &["seed"]).map_or_else(|| "/config/seed".to_owned(), |(pointer, _)| pointer);
    if count >= SEEDS {
        sheet.pass(
            "seeds_independent",
            &pointer,
            format!("{count} 个种子给出了不同的运行。"),
            format!("{count} seeds gave different runs."),
        );
        return;
    }
    let total = named.len();
    let message = if idle {
        Phrase::new(
            format!("{total} 个种子的基线 loss 逐步相同：种子没有改变任何东西，独立的运行只有 {count} 次。"),
            format!(
                "Under {total} seeds the baseline's losses are the same step by step: the seed changes nothing, and there are {count} independent runs."
            ),
        )
    } else {
        Phrase::new(
            format!("独立种子的运行数：{count}。一次运行的胜出可能来自随机性。"),
            format!("Independent seeds that ran: {count}. What one run wins may be chance."),
        )
    };
    let expected = Phrase::new("≥ 3 个独立种子", "≥ 3 independent seeds");
    sheet.fail("seeds_independent", &pointer, expected, count.to_string(), message);
}

/// A baseline that its own learning rate spoilt is no baseline for quality.
fn confounded(sheet: &mut Sheet<'_>) {
    let Some((baseline, _)) = sheet.baseline() else { return };
    let Some(before) = baseline.quality.eval_loss else { return };
    let winner = sheet.candidates().find(|(candidate, _)| {
        !candidate.is_baseline() && candidate.quality.eval_loss.is_some_and(|loss| loss < before)
    });
    let Some((winner, place)) = winner else { return };
    let own = losses(sheet.raw());
    let [first, rest @ ..] = own.as_slice() else { return };
    if rest.is_empty() || *first <= 0.0 {
        return;
    }
    let mean = rest.iter().sum::<f64>() / rest.len() as f64;
    let pointer = place.metric(Metric::EvalLoss);
    if mean < first * WORSE {
        sheet.pass(
            "quality_confounded",
            &pointer,
            "基线在训练中没有变差，质量可以比较。",
            "Training did not make the baseline worse: quality can be compared.",
        );
        return;
    }
    let message = Phrase::new(
        format!(
            "基线的 loss 从 {} 升到平均 {}：训练把它变差了，多半是学习率太大。{} 的胜出与学习率混在一起，不能归于方法。",
            short(*first, 2),
            short(mean, 2),
            winner.name
        ),
        format!(
            "The baseline's loss goes from {} to {} on average: training made it worse, most likely by its learning rate. What {} wins is mixed with that and is not the method's.",
            short(*first, 2),
            short(mean, 2),
            winner.name
        ),
    );
    let expected = Phrase::new("学习率各自调好的基线", "a baseline with a learning rate of its own");
    sheet.fail("quality_confounded", &pointer, expected, format!("{} → {}", short(*first, 2), short(mean, 2)), message);
}

fn repeated(sheet: &mut Sheet<'_>) {
    let Some(baseline) = sheet.value("/baseline") else { return };
    let Some(Value::Array(items)) = sheet.value("/candidates") else { return };
    if let Some(index) = items.iter().position(|item| item == baseline) {
        let pointer = format!("/candidates/{index}");
        let message = Phrase::new(
            "这个候选就是 baseline 的副本：它不是另一次运行，比较时只算一次。",
            "This candidate is a copy of baseline: it is no run of its own and counts once.",
        );
        let found = Phrase::new("与 /baseline 相同", "the same as /baseline");
        sheet.fail("baseline_repeated", &pointer, Phrase::new("另一个候选", "another candidate"), found, message);
    }
}

/// Runs of several seeds that write to one place: the last one overwrites the others.
fn artifacts(sheet: &mut Sheet<'_>) {
    let Some(Value::Object(own)) = sheet.value("/artifacts") else { return };
    let others = siblings(sheet);
    for (key, value) in own.iter().take(20).filter(|(_, value)| value.is_string()) {
        let twin = others.iter().find(|doc| {
            seed(&doc.raw) != seed(sheet.raw()) && doc.raw.locate("/artifacts").and_then(|a| a.get(key)) == Some(value)
        });
        let Some(twin) = twin else { continue };
        let other = seed(&twin.raw).map_or_else(|| "null".to_owned(), |seed| seed.to_string());
        let message = Phrase::new(
            format!("种子 {other} 的运行写到了同一个位置：后写的覆盖了先写的。"),
            format!("The run of seed {other} writes to the same place: the later one overwrote the earlier."),
        );
        let pointer = format!("/artifacts/{}", key.replace('~', "~0").replace('/', "~1"));
        sheet.fail(
            "artifacts_apart",
            &pointer,
            Phrase::new("每个种子一个位置", "a place for each seed"),
            describe(value),
            message,
        );
    }
}

/// `train_loss` is the last of `train_losses`, and the blocks at the top repeat a candidate.
fn last_loss(sheet: &mut Sheet<'_>) {
    let mut compared = 0;
    for (_, place) in sheet.candidates() {
        let list = sheet.value(&format!("{}/train_losses", place.pointer)).and_then(Value::as_array);
        let pointer = place.metric(Metric::Loss);
        let Some(last) = list.and_then(|list| list.last()?.as_f64()) else { continue };
        let Some(said) = sheet.value(&pointer).and_then(Value::as_f64) else { continue };
        compared += 1;
        if (said - last).abs() > 1e-6 * last.abs().max(1.0) {
            let message = Phrase::new("train_loss 应是最后一步的 loss。", "train_loss is the loss of the last step.");
            sheet.fail("copies_agree", &pointer, short(last, 6), short(said, 6), message);
        }
    }
    if compared > 0 && !sheet.has_failed("copies_agree") {
        sheet.pass(
            "copies_agree",
            "/candidates",
            format!("{compared} 个 train_loss 等于最后一步的 loss。"),
            format!("{compared} of {compared} values of train_loss are those of the last step."),
        );
    }
}

/// Every weight, and a gradient for every parameter that is trained, are alive at the peak.
fn bound(sheet: &mut Sheet<'_>) {
    let Some(training) = sheet.training() else { return };
    let model = training.model.as_deref().and_then(crate::model::named);
    let Some(parameters) = model.and_then(|model| model.parameters().ok()) else { return };
    let width = match training.param_dtype.as_deref() {
        Some("fp32") => 4,
        Some("bf16" | "fp16") => 2,
        _ => return,
    };
    let mut measured = 0;
    for (candidate, place) in sheet.candidates() {
        let Some(peak) = candidate.metrics.peak_allocated_bytes else { continue };
        let trained = sheet.value(&format!("{}/trainable_params", place.pointer)).and_then(Value::as_u64).unwrap_or(0);
        let least = parameters.saturating_add(trained).saturating_mul(width);
        measured += 1;
        if peak.saturating_add(1 << 20) >= least {
            continue;
        }
        let message = Phrase::new(
            format!(
                "{} 的权重与梯度合计 ({} + {}) × {width} B，峰值不可能更低。",
                candidate.name,
                ledger::units::group(parameters),
                ledger::units::group(trained)
            ),
            format!(
                "Weights and gradients of {} are ({} + {}) × {width} B; the peak cannot be lower.",
                candidate.name,
                ledger::units::group(parameters),
                ledger::units::group(trained)
            ),
        );
        let expected = format!("≥ {}", mib_text(least as f64));
        sheet.fail("peak_below_floor", &place.metric(Metric::Allocated), expected, mib_text(peak as f64), message);
    }
    if measured > 0 && !sheet.has_failed("peak_below_floor") {
        sheet.pass(
            "peak_below_floor",
            "/candidates",
            format!("{measured} 个峰值都装得下权重与梯度。"),
            format!("{measured} of {measured} peaks hold weights and gradients."),
        );
    }
}
