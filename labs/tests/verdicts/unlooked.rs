//! A check that found nothing to look at pays nothing.

use serde_json::{Value, json};

use super::points::support::{course, parallel, training};
use super::{grade, read};

/// What an item of a report earns.
fn earned(report: &Value, item: &str) -> u32 {
    let grade = grade(&read(report), &[]);
    grade.items.iter().find(|score| score.id == item).unwrap_or_else(|| panic!("no item {item}")).earned
}

/// A report, what is taken from it, and the items that then earn nothing.
type Taken = (&'static str, fn() -> Value, fn(&mut Value), &'static [&'static str]);

fn remove(value: &mut Value, key: &str) {
    value.as_object_mut().expect("an object").remove(key);
}

fn taken() -> Vec<Taken> {
    vec![
        ("73 without peaks", course::pair, |r| remove(&mut r["baseline"], "peak_mem_mb"), &["memory"]),
        ("73 without times of runs", course::pair, |r| r["baseline"]["runs"] = json!([{}, {}, {}]), &["timing"]),
        ("75 without its table", course::budget, |r| remove(r, "sensitivity"), &["sensitivity"]),
        ("75 with an empty table", course::budget, |r| r["sensitivity"] = json!([]), &["sensitivity"]),
        ("75 with an empty summary", course::budget, |r| r["summary"] = json!({}), &["feasible_set"]),
        ("75, the baseline alone", course::budget, only_baseline, &["feasible_set", "conclusion"]),
        ("76, the baseline alone", course::strategies, only_baseline, &["feasible_set", "memory", "conclusion"]),
        ("74 that merges nothing", training::merge, |r| remove(r, "upstream"), &["one_workload"]),
        ("71 without a table", parallel::cache_table, |r| r["mechanism"] = json!({}), &["ledger"]),
        ("79 without a workload", parallel::states, |r| each(r, |run| remove(run, "workload")), &["ranks", "matching"]),
        ("79 with nothing to compare", parallel::states, |r| each(r, bare), &["arithmetic"]),
    ]
}

fn only_baseline(r: &mut Value) {
    r["candidates"].as_array_mut().expect("a list").truncate(1);
}

fn each(r: &mut Value, change: fn(&mut Value)) {
    r["sources"].as_array_mut().expect("a list").iter_mut().for_each(change);
}

fn bare(run: &mut Value) {
    for key in ["max_step_time_ms", "max_peak_memory_mb", "tokens_per_s_proxy"] {
        remove(&mut run["metrics"], key);
    }
}

#[test]
fn an_item_whose_numbers_are_not_there_earns_nothing() {
    for (name, report, take, items) in taken() {
        let whole = report();
        let mut less = whole.clone();
        take(&mut less);
        for item in items {
            assert!(earned(&whole, item) > 0, "{name}: {item} of the whole report");
            assert_eq!(earned(&less, item), 0, "{name}: {item}");
        }
    }
}

/// More than any card holds is no measured peak.
#[test]
fn a_peak_above_the_card_costs_the_memory_item() {
    for (report, item) in [(course::pair(), "memory"), (course::strategies(), "memory"), (course::budget(), "memory")] {
        let mut small = report.clone();
        for place in ["config", "experiment"] {
            if small[place].get("device").is_some() {
                small[place]["device"] = json!("NVIDIA GeForce RTX 3060");
            }
        }
        assert!(earned(&report, item) > 0, "{}", report["stage"]);
        assert_eq!(earned(&small, item), 0, "{}", report["stage"]);
    }
}
