//! Lab 75's table of scenarios.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::sheet::Sheet;
use crate::budget::Conclusion;
use crate::decide::Limits;
use crate::import::{MAX_ENTRIES, MIB, describe};
use crate::read::Locate as _;
use crate::stage::Stage;
use crate::{Budget, Phrase};

/// Wrong scenarios beyond this many are not listed.
const MAX_WRONG: usize = 5;
const NONE: &str = "<none>";

struct Scenario<'a> {
    cap: f64,
    min_samples_per_s: f64,
    max_eval_loss: f64,
    feasible: Option<Vec<&'a str>>,
    best: Option<&'a str>,
    decision: Option<&'a str>,
}

impl<'a> Scenario<'a> {
    fn read(row: &'a Value) -> Option<Self> {
        let number = |key: &str| row.get(key).and_then(Value::as_f64);
        let decision = row.get("decision");
        Some(Self {
            cap: number("memory_cap_mb").filter(|cap| *cap >= 0.0)?,
            min_samples_per_s: number("min_samples_per_s")?,
            max_eval_loss: number("max_val_loss")?,
            feasible: row
                .get("feasible_names")
                .and_then(Value::as_array)
                .and_then(|n| n.iter().map(Value::as_str).collect()),
            best: row.get("best_candidate").and_then(Value::as_str),
            decision: decision.and_then(|decision| decision.as_str().or_else(|| decision.get("decision")?.as_str())),
        })
    }
}

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    if !sheet.doc.is_stage(Stage::Budget) {
        return;
    }
    let Some(Value::Array(rows)) = sheet.value("/sensitivity") else { return };
    let rows = &rows[..rows.len().min(MAX_ENTRIES)];
    let scenarios: Vec<Option<Scenario<'_>>> = rows.iter().map(Scenario::read).collect();
    reproduce(sheet, &scenarios);
    let known: Vec<&Scenario<'_>> = scenarios.iter().flatten().collect();
    if known.len() == rows.len() && !known.is_empty() {
        summary(sheet, &known);
        stable(sheet, &known);
        ceilings(sheet, &scenarios);
    }
}

fn reproduce(sheet: &mut Sheet<'_>, scenarios: &[Option<Scenario<'_>>]) {
    let id = "sensitivity_agrees";
    let mut wrong = 0;
    for (index, scenario) in scenarios.iter().enumerate() {
        let here = format!("/sensitivity/{index}");
        let Some(scenario) = scenario else {
            let message = Phrase::new("这个场景缺少阈值。", "This scenario lacks a threshold.");
            sheet.fail(
                id,
                &here,
                "memory_cap_mb, min_samples_per_s, max_val_loss",
                describe(sheet.raw().locate(&here).unwrap_or(&Value::Null)),
                message,
            );
            wrong += 1;
            if wrong >= MAX_WRONG {
                return;
            }
            continue;
        };
        let budget = Budget {
            memory_cap_bytes: Some((scenario.cap * MIB).round() as u64),
            min_samples_per_s: Some(scenario.min_samples_per_s),
            max_eval_loss: Some(scenario.max_eval_loss),
            ..sheet.limits.clone()
        };
        let limits = Limits::of(&budget, sheet.doc);
        let told = Conclusion::under(sheet.doc, &limits);
        let feasible: Vec<&str> = told.feasible.iter().map(String::as_str).collect();
        let best = told.best.as_deref();
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
        let fault = if scenario.feasible.as_ref().is_some_and(|said| set(said) != set(&feasible)) {
            Some(("feasible_names", feasible.join(", "), scenario.feasible.clone().unwrap_or_default().join(", ")))
        } else if scenario.best != best {
            Some(("best_candidate", best.unwrap_or("null").to_owned(), scenario.best.unwrap_or("null").to_owned()))
        } else if scenario.decision != Some(told.decision.id()) {
            Some(("decision", told.decision.id().to_owned(), scenario.decision.unwrap_or("null").to_owned()))
        } else {
            None
        };
        if let Some((key, expected, found)) = fault {
            let message = Phrase::new(
                "用这个场景的阈值重新计算，得到别的结果。",
                "Computing this scenario again with its thresholds gives something else.",
            );
            sheet.fail(id, &format!("{here}/{key}"), format!("[{expected}]"), format!("[{found}]"), message);
            wrong += 1;
            if wrong >= MAX_WRONG {
                return;
            }
        }
    }
    if wrong == 0 && !scenarios.is_empty() {
        let total = scenarios.len();
        sheet.pass(
            id,
            "/sensitivity",
            format!("{total} 个场景全部可复现。"),
            format!("{total} of {total} scenarios are reproduced."),
        );
    }
}

fn counted<'a>(names: impl Iterator<Item = String> + 'a) -> BTreeMap<String, u64> {
    names.fold(BTreeMap::new(), |mut counts, name| {
        *counts.entry(name).or_default() += 1;
        counts
    })
}

/// `a,b` with the names in alphabetical order, so that the order of a set does not matter.
fn set_key(names: &str) -> String {
    let mut names: Vec<&str> = names.split(',').collect();
    names.sort_unstable();
    names.join(",")
}

fn summary(sheet: &mut Sheet<'_>, scenarios: &[&Scenario<'_>]) {
    let id = "sensitivity_summary_agrees";
    if sheet.value("/sensitivity_summary").is_none() {
        return;
    }
    let message = Phrase::new("与 sensitivity 中数出的不同。", "It differs from what sensitivity holds.");
    let decisions = counted(scenarios.iter().map(|s| s.decision.unwrap_or("null").to_owned()));
    let bests = counted(scenarios.iter().map(|s| s.best.unwrap_or(NONE).to_owned()));
    let sets = counted(scenarios.iter().map(|s| match s.feasible.as_deref() {
        None | Some([]) => NONE.to_owned(),
        Some(names) => set_key(&names.join(",")),
    }));
    let count = scenarios.len() as u64;
    if let Some(said) = sheet.value("/sensitivity_summary/scenario_count").filter(|said| said.as_u64() != Some(count)) {
        sheet.fail(id, "/sensitivity_summary/scenario_count", count.to_string(), describe(said), message.clone());
    }
    for (key, expected) in
        [("decision_counts", &decisions), ("best_candidate_counts", &bests), ("feasible_set_counts", &sets)]
    {
        let pointer = format!("/sensitivity_summary/{key}");
        let said = match sheet.value(&pointer) {
            None => continue,
            Some(Value::Object(said)) => said,
            Some(other) => {
                sheet.fail(id, &pointer, Phrase::new("对象", "an object"), describe(other), message.clone());
                continue;
            }
        };
        let said: BTreeMap<String, u64> =
            said.iter().map(|(name, count)| (set_key(name), count.as_u64().unwrap_or(u64::MAX))).collect();
        if said != *expected {
            let list = |counts: &BTreeMap<String, u64>| {
                counts.iter().map(|(name, count)| format!("{name}: {count}")).collect::<Vec<_>>().join("; ")
            };
            sheet.fail(id, &pointer, list(expected), list(&said), message.clone());
        }
    }
    let flags = [
        ("decision_stable", decisions.len() == 1),
        ("best_candidate_stable", bests.len() == 1),
        ("feasible_set_stable", sets.len() == 1),
    ];
    for (key, expected) in flags {
        let pointer = format!("/sensitivity_summary/{key}");
        if let Some(said) = sheet.value(&pointer).filter(|said| **said != Value::Bool(expected)) {
            sheet.fail(id, &pointer, expected.to_string(), describe(said), message.clone());
        }
    }
    let all_stable = decisions.len() == 1 && bests.len() == 1 && sets.len() == 1;
    let words: &[&str] = match (all_stable, decisions.len()) {
        (true, _) => &["stable"],
        // What varies may be the set alone; whether that counts as stable is the author's choice.
        (false, 1) => &["sensitive_to_thresholds", "stable"],
        (false, _) => &["sensitive_to_thresholds"],
    };
    let pointer = "/sensitivity_summary/interpretation";
    if let Some(said) = sheet.value(pointer).filter(|said| !said.as_str().is_some_and(|word| words.contains(&word))) {
        sheet.fail(id, pointer, words.join(" | "), describe(said), message);
    }
    if !sheet.has_failed(id) {
        sheet.pass(
            id,
            "/sensitivity_summary",
            "灵敏度汇总与场景一致。",
            "The sensitivity summary agrees with the scenarios.",
        );
    }
}

fn stable(sheet: &mut Sheet<'_>, scenarios: &[&Scenario<'_>]) {
    let decisions = counted(scenarios.iter().filter_map(|s| s.decision.map(str::to_owned)));
    // Most frequent first.
    let mut ordered: Vec<(&String, &u64)> = decisions.iter().collect();
    ordered.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    let list = ordered.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>().join(", ");
    let total = scenarios.len();
    if decisions.len() > 1 {
        let message = Phrase::new(
            format!("{total} 个场景里结论不一致（{list}）：结论取决于阈值。"),
            format!("Over {total} scenarios the decision changes ({list}): it hangs on the thresholds."),
        );
        sheet.fail("sensitivity_stable", "/sensitivity", Phrase::new("同一结论", "one decision"), list, message);
    } else {
        sheet.pass(
            "sensitivity_stable",
            "/sensitivity",
            format!("{total} 个场景的结论相同。"),
            format!("The decision is the same in all {total} scenarios."),
        );
    }
}

fn ceilings(sheet: &mut Sheet<'_>, scenarios: &[Option<Scenario<'_>>]) {
    let Some(loss) = sheet.baseline().and_then(|(baseline, _)| baseline.quality.eval_loss) else { return };
    let low: Vec<usize> = scenarios
        .iter()
        .enumerate()
        .filter(|(_, scenario)| scenario.as_ref().is_some_and(|s| s.max_eval_loss < loss - 1e-6))
        .map(|(index, _)| index)
        .collect();
    if let Some(first) = low.first() {
        let (count, total) = (low.len(), scenarios.len());
        let message = Phrase::new(
            format!("{total} 个场景中有 {count} 个的质量上限低于基线自身的 loss {loss}：它们必然 reject。"),
            format!(
                "In {count} of {total} scenarios the ceiling is below the baseline's own loss {loss}: they reject by construction."
            ),
        );
        let pointer = format!("/sensitivity/{first}/max_val_loss");
        let found = scenarios[*first].as_ref().map_or(0.0, |s| s.max_eval_loss);
        sheet.fail("sensitivity_ceilings", &pointer, format!("≥ {loss}"), found.to_string(), message);
    }
}
