//! Losses: what they gate, and what they cannot show.

use super::sheet::{Sheet, short};
use crate::import::Metric;
use crate::{Phrase, Shape};

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    if sheet.training().is_none() {
        return;
    }
    gate(sheet);
    measured(sheet);
    informative(sheet);
    ceiling(sheet);
}

fn gate(sheet: &mut Sheet<'_>) {
    if sheet.strategy().is_none() {
        return;
    }
    let losses: Vec<f64> = sheet.candidates().filter_map(|(candidate, _)| candidate.quality.eval_loss).collect();
    let [first, rest @ ..] = losses.as_slice() else { return };
    if rest.is_empty() {
        return;
    }
    let pointer = if sheet.doc.shape == Shape::V1 { "/budget/max_eval_loss" } else { "/quality_floor/max_val_loss" };
    let count = losses.len();
    if rest.iter().all(|loss| (loss - first).abs() <= 1e-6) {
        let message = Phrase::new(
            format!("{count} 个候选的 eval_loss 都是 {first}：计算相同则 loss 相同，这是等价性检查，不是质量。"),
            format!(
                "All {count} candidates have eval_loss {first}: the same computation gives the same loss. That is an equivalence check, not quality."
            ),
        );
        sheet.fail(
            "quality_gate",
            pointer,
            Phrase::new("能区分候选的质量指标", "a metric that tells candidates apart"),
            Phrase::plain(format!("{count} × {first}")),
            message,
        );
    } else if rest.iter().any(|loss| (loss - first).abs() > first.abs() * 1e-3) {
        sheet.pass(
            "quality_gate",
            pointer,
            "各候选的 eval_loss 不同，门槛有区分力。",
            "The candidates differ in eval_loss: the gate can tell them apart.",
        );
    }
}

fn measured(sheet: &mut Sheet<'_>) {
    let Some((a, b)) = sheet.pair().and_then(|pair| pair.sides) else { return };
    let (Some((baseline, _)), Some((tuned, place))) = (sheet.candidate(a), sheet.candidate(b)) else { return };
    if baseline.quality.eval_loss.is_some() && tuned.quality.eval_loss.is_some() {
        sheet.pass(
            "quality_measured",
            &place.metric(Metric::EvalLoss),
            "两组都测了留出集 loss。",
            "Held-out loss was measured for both.",
        );
        return;
    }
    let found = match (baseline.quality.loss, tuned.quality.loss) {
        (Some(before), Some(after)) => format!("loss {} → {}", short(before, 3), short(after, 3)),
        _ => "null".to_owned(),
    };
    let message = Phrase::new(
        "这里只有最后一步的训练 loss，没有质量门槛：它不能说明调优后质量如何。",
        "Only the last training loss is here and no quality gate: it says nothing about quality after tuning.",
    );
    sheet.fail(
        "quality_measured",
        &place.metric(Metric::Loss),
        Phrase::new("两组的 eval_loss", "eval_loss of both"),
        found,
        message,
    );
}

fn informative(sheet: &mut Sheet<'_>) {
    let Some(model) =
        super::floor::workload(sheet).and_then(|training| crate::model::named(training.model.as_deref()?))
    else {
        return;
    };
    let uniform = (model.vocab as f64).ln();
    let Some((candidate, place)) = sheet.candidates().find(|(candidate, _)| candidate.quality.eval_loss.is_some())
    else {
        return;
    };
    let loss = candidate.quality.eval_loss.unwrap_or_default();
    if loss < uniform {
        let text = short(uniform, 3);
        sheet.pass(
            "eval_loss_informative",
            &place.metric(Metric::EvalLoss),
            format!("eval_loss 低于 ln V = {text}。"),
            format!("eval_loss is below ln V = {text}."),
        );
        return;
    }
    let message = Phrase::new(
        format!(
            "eval_loss {loss} 不低于 ln({}) = {}：比均匀猜测还差，多半是随机 token。",
            model.vocab,
            short(uniform, 3)
        ),
        format!(
            "eval_loss {loss} is not below ln({}) = {}: worse than a uniform guess, as on random tokens.",
            model.vocab,
            short(uniform, 3)
        ),
    );
    sheet.fail(
        "eval_loss_informative",
        &place.metric(Metric::EvalLoss),
        format!("< {}", short(uniform, 3)),
        loss.to_string(),
        message,
    );
}

fn ceiling(sheet: &mut Sheet<'_>) {
    if sheet.strategy().is_none() {
        return;
    }
    let Some(ceiling) = sheet.limits.max_eval_loss else { return };
    let Some(loss) = sheet.baseline().and_then(|(baseline, _)| baseline.quality.eval_loss) else { return };
    let pointer = if sheet.doc.shape == Shape::V1 { "/budget/max_eval_loss" } else { "/quality_floor/max_val_loss" };
    if ceiling < loss - 1e-6 {
        let message = Phrase::new(
            format!("质量上限 {ceiling} 低于基线自身的 {loss}：连基线都不可行。"),
            format!("The ceiling {ceiling} is below the baseline's own {loss}: not even the baseline is feasible."),
        );
        sheet.fail("ceiling_above_baseline", pointer, format!("≥ {loss}"), ceiling.to_string(), message);
    }
}
