//! Laws: nothing panics, the same input gives the same grade, and what a report says never changes what is recomputed.

mod support;

use proptest::prelude::*;
use serde_json::{Value, json};
use support::reports;

fn pointers(value: &Value, here: &str, all: &mut Vec<String>) {
    all.push(here.to_owned());
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| pointers(value, &format!("{here}/{key}"), all)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| pointers(value, &format!("{here}/{index}"), all));
        }
        _ => {}
    }
}

/// Values that have no place in a report.
fn odd() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!(true)),
        Just(json!(0)),
        Just(json!(-1)),
        Just(json!(u64::MAX)),
        Just(json!(1e300)),
        Just(json!(-1e300)),
        Just(json!(5e-324)),
        Just(json!("")),
        Just(json!("baseline")),
        Just(json!("oom")),
        Just(json!("accept")),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[1, "x", null], {"a": []}])),
        any::<f64>().prop_map(|x| json!(x)),
        ".{0,12}".prop_map(|text| json!(text)),
    ]
}

/// A report with a few places overwritten or removed.
fn mutated() -> impl Strategy<Value = Value> {
    let change = (any::<prop::sample::Index>(), odd(), any::<bool>());
    (any::<prop::sample::Index>(), prop::collection::vec(change, 1..6)).prop_map(|(which, changes)| {
        let all = reports();
        let mut report = all[which.index(all.len())].clone();
        for (place, value, keep) in changes {
            let mut places = Vec::new();
            pointers(&report, "", &mut places);
            let pointer = &places[place.index(places.len())];
            let removed = !keep
                && pointer.rsplit_once('/').is_some_and(|(parent, key)| {
                    report
                        .pointer_mut(parent)
                        .and_then(Value::as_object_mut)
                        .is_some_and(|map| map.remove(key).is_some())
                });
            if !removed && let Some(target) = report.pointer_mut(pointer) {
                *target = value;
            }
        }
        report
    })
}

fn graded(bytes: &[u8], linked: &[evidence::Document]) -> Option<evidence::Grade> {
    let doc = evidence::read(bytes).ok()?;
    let linked: Vec<&evidence::Document> = linked.iter().collect();
    let ctx = evidence::GradeContext { provenance: evidence::Provenance::Upload, linked: &linked };
    Some(evidence::grade(&doc, &support::rubric_of(&doc), &ctx))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn mutated_reports_are_graded_or_refused_and_always_the_same(report in mutated(), other in mutated()) {
        let text = report.to_string();
        let linked: Vec<evidence::Document> = evidence::read(other.to_string().as_bytes()).into_iter().collect();
        let first = graded(text.as_bytes(), &linked);
        prop_assert_eq!(&first, &graded(text.as_bytes(), &linked));
        if let Some(grade) = first {
            prop_assert!(grade.points.earned <= grade.points.possible);
            // A grade is stored as JSON and read back.
            let stored = serde_json::to_string(&grade).expect("JSON");
            prop_assert_eq!(serde_json::from_str::<evidence::Grade>(&stored).expect("a grade"), grade);
        }
    }

    #[test]
    fn cut_off_text_never_panics(which in 0_usize..37, at in any::<prop::sample::Index>(), flip in any::<u8>()) {
        let mut bytes = reports()[which].to_string().into_bytes();
        let place = at.index(bytes.len());
        let _ = evidence::read(&bytes[..place]);
        bytes[place] = flip;
        let _ = graded(&bytes, &[]);
    }

    #[test]
    fn the_order_of_candidates_changes_nothing(
        which in any::<prop::sample::Index>(),
        order in Just(vec![0_usize, 1, 2]).prop_shuffle(),
        peaks in prop::array::uniform3(9500.0..13_500.0_f64),
    ) {
        let all: Vec<Value> = reports().into_iter().filter(|r| r["candidates"].is_array()).collect();
        let mut report = all[which.index(all.len())].clone();
        let items = report["candidates"].as_array().expect("a list").clone();
        let count = items.len();
        for (index, peak) in peaks.iter().enumerate().take(count) {
            for place in ["peak_memory_mb", "metrics/peak_memory_mb"] {
                if let Some(target) = report.pointer_mut(&format!("/candidates/{index}/{place}")) {
                    *target = json!(peak);
                }
            }
        }
        let mut shuffled = report.clone();
        let moved: Vec<Value> =
            order.iter().filter(|index| **index < count).map(|index| report["candidates"][*index].clone()).collect();
        shuffled["candidates"] = json!(moved);
        // The evaluations of a summary stand in the candidates' order.
        let seen = |report: &Value| {
            let grade = graded(report.to_string().as_bytes(), &[]).expect("a grade");
            let mut failed: Vec<String> = grade.checks.iter().filter(|c| c.failed()).map(|c| c.id.clone()).collect();
            failed.retain(|id| id != "summary_evaluations_agree");
            failed.sort();
            failed.dedup();
            (grade.outcome, grade.class, grade.level, grade.decision, failed)
        };
        prop_assert_eq!(seen(&report), seen(&shuffled));
    }

    #[test]
    fn the_said_decision_changes_nothing_that_is_recomputed(report in mutated(), said in odd()) {
        let recomputed = |report: &Value| graded(report.to_string().as_bytes(), &[]).map(|grade| (grade.outcome, grade.decision.recomputed));
        if let Some((evidence::Outcome::Graded, before)) = recomputed(&report) {
            let mut other = report.clone();
            if other.get("schema").is_none() && let Some(map) = other.as_object_mut() {
                map.insert("decision".to_owned(), said);
                prop_assert_eq!(recomputed(&other), Some((evidence::Outcome::Graded, before)));
            }
        }
    }
}
