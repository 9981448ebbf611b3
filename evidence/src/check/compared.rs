//! The two runs that a rule of inference or several devices compares.

use super::sheet::Sheet;
use crate::decide::sides;
use crate::import::names;
use crate::{Candidate, EvidenceClass, Phrase, Workload};

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    matching(sheet);
    comparison(sheet);
}

/// Whether the two runs of a comparison share their workload, but for what their lab changes.
fn matching(sheet: &mut Sheet<'_>) {
    let Some(compared) = sheet.compared() else { return };
    let id = "serving_runs_match";
    // What a lab changes on purpose.
    let free: &[&str] = match sheet.doc.lab() {
        "67" | "25" | "40" | "41" => &["dtype", "model"],
        "71" => &["model", "backend"],
        _ => &[],
    };
    let (here, differences, stated) = if let Some(sha256) = &compared.linked {
        let Some(other) = sheet.linked.iter().copied().find(|doc| doc.sha256 == *sha256) else { return };
        let stated = sides::stated(&sheet.doc.report.workload, &other.report.workload);
        (String::new(), sides::differences(sheet.doc, other), stated)
    } else {
        let place = |index: Option<usize>| sheet.doc.paper.places.get(index?).map(|place| place.pointer.as_str());
        let (Some(a), Some(b)) = (place(compared.candidate), place(compared.baseline)) else { return };
        let of = |at: &str| match sheet.doc.report.workload {
            Workload::Distributed(_) => Workload::Distributed(crate::import::distributed_at(sheet.raw(), at)),
            _ => Workload::Inference(crate::import::inference_at(sheet.raw(), at)),
        };
        let (own, other) = (of(a), of(b));
        (a.to_owned(), sides::between(&own, &other), sides::stated(&own, &other))
    };
    let wrong: Vec<_> = differences.into_iter().filter(|difference| !free.contains(&difference.field)).collect();
    for difference in &wrong {
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "null".to_owned());
        let (own, other) = (text(&difference.here), text(&difference.there));
        let field = difference.field;
        let pointer =
            names::described(sheet.raw(), &here, names::of_field(field)).unwrap_or_else(|| format!("{here}/{field}"));
        let message = Phrase::new(
            format!("这一次的 {field} 是 {own}，另一次是 {other}：改了不止一个变量。"),
            format!("{field} is {own} here and {other} in the other run: more than one thing changed."),
        );
        sheet.fail(id, &pointer, other, own, message);
    }
    if wrong.is_empty() && !stated {
        // A simulator's requests are its own, and the pages on one layer or artifact send none.
        if sheet.class == EvidenceClass::Gpu && !matches!(sheet.doc.lab(), "25" | "40" | "41") {
            let message = Phrase::new(
                "两次运行都没有写明工作负载：什么都没写，不等于一致。",
                "Neither run states its workload: two that say nothing are not shown to be the same.",
            );
            let expected =
                Phrase::new("请求数、token 数、batch 或序列长度", "requests, tokens, batch or sequence length");
            sheet.fail(id, &here, expected, "null", message);
        }
    } else if wrong.is_empty() {
        sheet.pass(id, &here, "两次运行的工作负载一致。", "Both runs share their workload.");
    }
}

/// Whether there is anything to compare.
fn comparison(sheet: &mut Sheet<'_>) {
    let Some(compared) = sheet.compared() else { return };
    if sheet.recomputed.decision.is_some() {
        return;
    }
    let pointer = sheet.doc.paper.places.first().map(|place| place.pointer.clone()).unwrap_or_default();
    let message = if compared.is_baseline {
        Phrase::new(
            "这份是基线：结论写在候选的报告里。",
            "This is the baseline: the conclusion belongs into the candidate's report.",
        )
    } else {
        Phrase::new(
            "只有一侧的数字，或缺少规则要用的指标：无从比较。",
            "Only one side's numbers, or without a number that the rule needs: nothing can be compared.",
        )
    };
    let runs =
        sheet.doc.report.candidates.iter().map(|run: &Candidate| run.name.as_str()).collect::<Vec<_>>().join(", ");
    let found = if runs.is_empty() { Phrase::new("没有", "none") } else { Phrase::plain(runs) };
    sheet.fail("comparison_complete", &pointer, Phrase::new("基线与候选", "baseline and candidate"), found, message);
}
