//! Every check on a report with the fault it is about, and on the clean twin of that report.

#[path = "../support/mod.rs"]
mod support;

mod arithmetic;
mod conclusion;
mod form;
mod kernel;
mod limits;
mod matching;
mod parallel;
mod serving;
mod training;

use std::collections::BTreeSet;

use evidence::check::RULES;
use serde_json::Value;
use support::{failures, grade};

/// A fault, where it must be found, and the twin without it.
pub struct Case {
    pub id: &'static str,
    pub report: fn() -> Value,
    pub fault: fn(&mut Value),
    /// JSON pointer at which the check must fail.
    pub at: &'static str,
    /// What turns the clean report into the twin; nothing for most.
    pub twin: fn(&mut Value),
    pub linked: fn() -> Vec<Value>,
}

fn same(_: &mut Value) {}

fn none() -> Vec<Value> {
    Vec::new()
}

pub fn case(id: &'static str, report: fn() -> Value, at: &'static str, fault: fn(&mut Value)) -> Case {
    Case { id, report, fault, at, twin: same, linked: none }
}

fn cases() -> Vec<Case> {
    let families = [
        form::cases(),
        matching::cases(),
        arithmetic::cases(),
        limits::cases(),
        conclusion::cases(),
        kernel::cases(),
        training::cases(),
        serving::cases(),
        parallel::cases(),
    ];
    families.into_iter().flatten().collect()
}

#[test]
fn every_check_fires_on_its_fault_and_is_silent_on_the_clean_twin() {
    let mut wrong = Vec::new();
    for Case { id, report, fault, at, twin, linked } in cases() {
        let (mut faulty, mut clean) = (report(), report());
        fault(&mut faulty);
        twin(&mut clean);
        let others = linked();
        let found = failures(&grade(&faulty, &others));
        if !found.iter().any(|(check, pointer)| check == id && pointer == at) {
            wrong.push(format!("{id} at {at}: not found; failed were {found:?}"));
        }
        let silent = failures(&grade(&clean, &others));
        if silent.iter().any(|(check, _)| check == id) {
            wrong.push(format!("{id}: fires on the clean twin: {silent:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_case() {
    let covered: BTreeSet<&str> = cases().iter().map(|case| case.id).collect();
    // Their cases are no change of a JSON value; they stand in `reading.rs` and `form.rs`. Every shape that is known is
    // graded: `shape_graded` stands in grades of an earlier grader.
    let elsewhere = ["readable", "lab_known", "shape_graded"];
    let missing: Vec<&str> = RULES
        .iter()
        .flat_map(|family| family.iter())
        .map(|rule| rule.id)
        .filter(|id| !covered.contains(id) && !elsewhere.contains(id))
        .collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}

#[test]
fn a_report_without_a_fault_draws_no_remark() {
    use support::{course, own, training};
    let linked = [course::pair(), course::probe(), course::strategies()];
    let seeds = training::other_seeds();
    let reports: [(&str, Value, &[Value]); 14] = [
        ("73", course::pair(), &[]),
        ("76", course::strategies(), &[]),
        ("76 linked", course::strategies(), &linked),
        ("75", course::budget(), &[]),
        ("75 linked", course::budget(), &linked),
        ("kernel", own::kernel(), &[]),
        ("kv cache", own::kv_cache(), &[]),
        ("conversions", own::conversions(), &[]),
        ("73 rewritten", training::normalised_pair(), &[]),
        ("75 rewritten", training::normalised_budget(), &linked),
        ("74 merge", training::merge(), &linked),
        ("74 change", training::change(), &[]),
        ("60", training::fine_tuning(), &seeds),
        ("76 rewritten", training::normalised_strategies(), &linked),
    ];
    for (name, report, linked) in reports {
        let grade = grade(&report, linked);
        assert_eq!(failures(&grade), [], "{name}");
        assert_eq!(grade.decision.said, grade.decision.recomputed, "{name}");
    }
    for report in [training::profile(), training::mechanism()] {
        assert_eq!(failures(&grade(&report, &[])), [], "{}", report["experiment"]);
    }
    let probe = failures(&grade(&course::probe(), &[]));
    assert_eq!(probe, [("probe_is_no_comparison".to_owned(), "/candidate".to_owned())]);
}

#[test]
fn a_failed_check_says_what_was_expected_what_was_found_and_what_to_do_in_both_languages() {
    for Case { id, report, fault, linked, .. } in cases() {
        let mut faulty = report();
        fault(&mut faulty);
        for check in grade(&faulty, &linked()).checks.iter().filter(|check| check.failed()) {
            for lang in evidence::Lang::ALL {
                for text in [check.message(lang), check.fix(lang), check.expected(lang), check.found(lang)] {
                    assert!(!text.is_empty(), "{id}: {check:?}");
                }
            }
            assert!(check.pointer.is_empty() || check.pointer.starts_with('/'), "{id}: {}", check.pointer);
        }
    }
}

#[test]
fn a_passed_check_points_at_a_place_of_the_file() {
    use support::{course, training};
    let linked = [course::pair(), course::probe(), course::strategies()];
    let reports = [
        course::pair(),
        course::probe(),
        course::strategies(),
        course::budget(),
        training::normalised_pair(),
        training::normalised_strategies(),
        training::normalised_budget(),
        training::profile(),
        training::merge(),
        training::change(),
        training::fine_tuning(),
        training::mechanism(),
    ];
    for report in reports {
        for check in grade(&report, &linked).checks.iter().filter(|check| !check.failed()) {
            assert!(report.pointer(&check.pointer).is_some(), "{} at {}", check.id, check.pointer);
        }
    }
}

#[test]
fn reports_of_inference_and_several_devices_without_a_fault_draw_no_remark() {
    use support::{parallel, serving};
    let beside = [serving::load_baseline()];
    let table = [parallel::cache_table()];
    let reports: [(&str, Value, &[Value]); 16] = [
        ("66", serving::load(), &beside),
        ("67", serving::quantised(), &[]),
        ("67 simulated", serving::quantised_summary(), &[]),
        ("25", serving::layer(), &[]),
        ("40", serving::artifacts(), &[]),
        ("68", serving::speculative(), &[]),
        ("69", serving::prefix(), &[]),
        ("70", serving::scheduler(), &[]),
        ("70 sweep", serving::load_sweep(), &[]),
        ("79", parallel::states(), &[]),
        ("80", parallel::experts(), &[]),
        ("81", parallel::replicas(), &[]),
        ("71", parallel::cache_table(), &[]),
        ("61 audit", parallel::audit_of_table(), &table),
        ("22", serving::pool(), &[]),
        ("61", parallel::counts(), &[]),
    ];
    let mut wrong = Vec::new();
    for (name, report, linked) in reports {
        let grade = grade(&report, linked);
        // Page 22 concludes nothing; an accept by a simulator is told to need a GPU.
        let remarks: Vec<_> = failures(&grade)
            .into_iter()
            .filter(|(id, _)| id != "accept_supported" || grade.class == evidence::EvidenceClass::Gpu)
            .filter(|(id, _)| id != "decision_present" && id != "comparison_complete" || name != "22")
            .collect();
        if !remarks.is_empty() || grade.outcome != evidence::Outcome::Graded {
            wrong.push(format!("{name}: {:?} {remarks:?}", grade.outcome));
        }
        if grade.decision.recomputed.is_some() && grade.decision.said != grade.decision.recomputed {
            wrong.push(format!("{name}: said {:?}, recomputed {:?}", grade.decision.said, grade.decision.recomputed));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
