//! The decision.

use serde_json::{Value, json};

use super::support::course::{budget, pair, probe, strategies};
use super::support::{remove, set};
use super::{Case, case};

pub fn cases() -> Vec<Case> {
    vec![
        case("budget_present", strategies, "/budget/memory_cap_mb", |r| remove(r, "/budget/memory_cap_mb")),
        case("budget_present", budget, "/quality_floor/max_val_loss", |r| remove(r, "/quality_floor")),
        case("thresholds_stated", strategies, "/budget/min_throughput_ratio", |r| {
            remove(r, "/budget/min_throughput_ratio");
        }),
        case("baseline_usable", strategies, "/candidates/0", |r| set(r, "/candidates/0/status", json!("oom"))),
        case("baseline_usable", budget, "/candidates", |r| set(r, "/candidates/0/name", json!("reference"))),
        case("baseline_usable", pair, "/baseline", |r| remove(r, "/baseline")),
        case("decision_confirmed", strategies, "/decision/decision", |r| set(r, "/decision/decision", json!("tune"))),
        case("decision_confirmed", budget, "/decision", |r| set(r, "/decision", json!("reject"))),
        case("decision_confirmed", pair, "/decision/decision", |r| set(r, "/decision/decision", json!("reject"))),
        case("reason_agrees", strategies, "/decision/reason", |r| {
            set(r, "/decision/reason", json!("memory_saving_below_meaningful_threshold"));
        }),
        case("reason_agrees", strategies, "/decision/reason", |r| remove(r, "/decision/reason")),
        case("reason_agrees", budget, "/decision/reason", |r| set(r, "/decision/reason", json!([1]))),
        case("next_action_agrees", strategies, "/decision/next_action", |r| {
            set(r, "/decision/next_action", json!(7));
        }),
        case("next_action_agrees", budget, "/decision/next_action", |r| {
            set(r, "/decision/next_action", json!("reduce_compression_scope"));
        }),
        // The saving is 300 MiB: the report may not accept.
        case("accept_supported", strategies, "/decision/decision", |r| {
            set(r, "/candidates/0/peak_memory_mb", json!(11340.25));
        }),
        // The numbers would accept, but no device is named.
        case("accept_supported", budget, "/decision/decision", |r| {
            remove(r, "/experiment/device");
            remove(r, "/planning_context/measured_hardware");
        }),
        Case {
            twin: |r| {
                remove(r, "/experiment/device");
                remove(r, "/planning_context/measured_hardware");
                set(r, "/decision/decision", json!("tune"));
            },
            ..case("accept_supported", budget, "/decision/decision", |r| {
                set(r, "/experiment/device", json!("cpu"));
            })
        },
        case("probe_claims_nothing", probe, "/decision/decision", |r| set(r, "/decision/decision", json!("accept"))),
        Case { twin: |r| *r = pair(), ..case("probe_is_no_comparison", probe, "/candidate", |_| {}) },
        case("enables_budget", budget, "/candidates/0/peak_memory_mb", |r| {
            set(r, "/budget/memory_cap_mb", json!(11800.0));
        }),
        Case {
            // Its own quality fails: nothing is hidden.
            twin: |r| set(r, "/budget/min_throughput_ratio", json!(0.9)),
            ..case("quality_reason_fits", strategies, "/decision/reason", |r| {
                set(r, "/budget/min_throughput_ratio", json!(0.9));
                set(r, "/candidates/2/eval_loss", json!(4.2));
            })
        },
    ]
}

/// What a report says plays no part in what is recomputed.
#[test]
fn the_said_decision_never_changes_the_recomputed_one() {
    let said: [Value; 7] = [
        json!("accept"),
        json!("tune"),
        json!({"decision": "reject", "reason": "x"}),
        json!({"decision": "ready"}),
        json!(null),
        json!([1, 2]),
        json!({"decision": {"decision": "tune"}}),
    ];
    for report in [strategies(), budget(), pair()] {
        let expected = super::grade(&report, &[]).decision.recomputed;
        assert_eq!(expected.as_deref(), Some("accept"));
        for decision in &said {
            let mut other = report.clone();
            set(&mut other, "/decision", decision.clone());
            assert_eq!(super::grade(&other, &[]).decision.recomputed, expected, "{decision}");
        }
    }
}
