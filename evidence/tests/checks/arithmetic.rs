//! Numbers that follow from others.

use serde_json::{Value, json};

use super::support::course::{budget, pair, strategies};
use super::support::{remove, set};
use super::{Case, case};

/// Nothing is feasible: the saving is told as null.
fn nothing_feasible(r: &mut Value) {
    set(r, "/budget/memory_cap_mb", json!(9000.0));
    set(r, "/planning_context/hardware_target/usable_memory_mb", json!(9000));
    for key in ["best_candidate", "best_peak_memory_mb", "throughput_ratio", "memory_saving_mb"] {
        set(r, &format!("/summary/{key}"), Value::Null);
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        case("summary_present", budget, "/summary", |r| set(r, "/summary", json!({}))),
        case("summary_present", strategies, "/summary", |r| set(r, "/summary", json!({"candidate_count": 3}))),
        case("summary_present", pair, "/summary", |r| set(r, "/summary", json!({"note": "faster"}))),
        case("samples_per_s_agrees", strategies, "/candidates/1/samples_per_s", |r| {
            set(r, "/candidates/1/samples_per_s", json!(4.0));
        }),
        case("samples_per_s_agrees", pair, "/baseline/runs/2/samples_per_s", |r| {
            set(r, "/baseline/runs/2/samples_per_s", json!(1.26));
        }),
        case("runs_mean_agrees", pair, "/tuned/peak_mem_mb", |r| set(r, "/tuned/peak_mem_mb", json!(10900.0))),
        // A run without a number hides that the aggregate is of others.
        case("runs_mean_agrees", strategies, "/candidates/0/step_time_ms", |r| {
            set(r, "/candidates/0/runs/1", json!({}));
        }),
        case("runs_mean_agrees", strategies, "/candidates/0/step_time_ms", |r| {
            set(r, "/candidates/0/step_time_ms", json!(798.0));
        }),
        case("runs_mean_agrees", strategies, "/candidates/2/eval_loss", |r| {
            set(r, "/candidates/2/eval_loss", json!(3.402));
        }),
        case("runs_count_agrees", strategies, "/candidates/0/successful_runs", |r| {
            set(r, "/candidates/0/successful_runs", json!(5));
        }),
        case("runs_count_agrees", pair, "/baseline/runs", |r| set(r, "/config/repeats", json!(5))),
        Case {
            twin: |r| {
                set(r, "/candidates/1/runs/2/status", json!("oom"));
                set(r, "/candidates/1/status", json!("partial_oom"));
                set(r, "/candidates/1/successful_runs", json!(2));
                set(r, "/candidates/1/oom_runs", json!(1));
            },
            ..case("runs_count_agrees", strategies, "/candidates/1/status", |r| {
                set(r, "/candidates/1/runs/2/status", json!("oom"));
            })
        },
        case("stability_agrees", strategies, "/candidates/0/stability/step_time_range_ms", |r| {
            set(r, "/candidates/0/stability/step_time_range_ms", json!(1.0));
        }),
        case("reserved_below_allocated", strategies, "/candidates/0/peak_reserved_mb", |r| {
            set(r, "/candidates/0/peak_reserved_mb", json!(11000.0));
        }),
        case("reserved_below_allocated", pair, "/tuned/runs/0/peak_reserved_mb", |r| {
            set(r, "/tuned/runs/0/peak_reserved_mb", json!(10000.0));
        }),
        // 494,032,768 × 16 B = 7,538.3 MiB.
        case("peak_below_floor", strategies, "/candidates/1/peak_memory_mb", |r| {
            set(r, "/candidates/1/peak_memory_mb", json!(7000.0));
        }),
        Case {
            twin: |r| {
                set(r, "/candidates/1/peak_memory_mb", json!(7000.0));
                set(r, "/config/optimizer", json!("AdamW8bit"));
            },
            ..case("peak_below_floor", strategies, "/candidates/1/peak_memory_mb", |r| {
                set(r, "/candidates/1/peak_memory_mb", json!(7000.0));
            })
        },
        case("summary_present", budget, "/summary", |r| remove(r, "/summary")),
        case("summary_deltas_agree", pair, "/summary/step_time_delta_ms", |r| {
            set(r, "/summary/step_time_delta_ms", json!(260.0));
        }),
        case("summary_deltas_agree", pair, "/summary/meaningful_memory_improved", |r| {
            set(r, "/summary/meaningful_memory_improved", json!(false));
        }),
        case("summary_deltas_agree", pair, "/loss_delta_tuned_minus_baseline", |r| {
            set(r, "/loss_delta_tuned_minus_baseline", json!(0.2));
        }),
        case("summary_counts_agree", strategies, "/summary/feasible_count", |r| {
            set(r, "/summary/feasible_count", json!(3));
        }),
        case("summary_counts_agree", budget, "/summary/baseline_available", |r| {
            set(r, "/summary/baseline_available", json!(false));
        }),
        case("summary_feasible_agrees", budget, "/summary/feasible_names", |r| {
            set(r, "/summary/feasible_names", json!(["checkpoint", "offload", "baseline"]));
        }),
        Case {
            twin: |r| set(r, "/summary/feasible_names", json!(["baseline", "checkpoint"])),
            ..case("summary_feasible_agrees", strategies, "/summary/feasible_names", |r| {
                set(r, "/summary/feasible_names", json!(["checkpoint"]));
            })
        },
        case("summary_best_agrees", strategies, "/summary/best_candidate", |r| {
            set(r, "/summary/best_candidate", json!("offload"));
        }),
        case("summary_best_agrees", budget, "/summary/baseline_peak_memory_mb", |r| {
            set(r, "/summary/baseline_peak_memory_mb", json!(12000.0));
        }),
        case("summary_saving_agrees", strategies, "/summary/memory_saving_mb", |r| {
            set(r, "/summary/memory_saving_mb", json!(1500.0));
        }),
        // The course's own float noise is no fault.
        Case {
            twin: |r| set(r, "/summary/memory_saving_mb", json!(1_120.249_999_999_998)),
            ..case("summary_saving_agrees", budget, "/summary/memory_saving_mb", |r| {
                set(r, "/summary/memory_saving_mb", json!("1120.25"));
            })
        },
        Case {
            twin: nothing_feasible,
            ..case("summary_saving_null", budget, "/summary/memory_saving_mb", |r| {
                nothing_feasible(r);
                set(r, "/summary/memory_saving_mb", json!(0.0));
            })
        },
        case("summary_ratio_agrees", budget, "/summary/throughput_ratio", |r| {
            set(r, "/summary/throughput_ratio", json!(1.25));
        }),
        case("summary_evaluations_agree", strategies, "/summary/evaluations/2/reasons", |r| {
            set(r, "/summary/evaluations/2/reasons", json!(["memory_over_budget"]));
        }),
        case("summary_evaluations_agree", strategies, "/summary/evaluations/2/reasons", |r| {
            set(r, "/summary/evaluations/2/reasons", json!("throughput_below_floor"));
        }),
        case("summary_evaluations_agree", budget, "/summary/evaluations/1/name", |r| {
            set(r, "/summary/evaluations/1/name", json!("hybrid"));
        }),
        case("summary_evaluations_agree", budget, "/summary/evaluations/0/status", |r| {
            set(r, "/summary/evaluations/0/status", json!("rejected"));
        }),
        case("summary_thresholds_agree", strategies, "/summary/min_throughput_ratio", |r| {
            set(r, "/summary/min_throughput_ratio", json!("0.7"));
        }),
        case("summary_thresholds_agree", strategies, "/summary/min_memory_saving_mb", |r| {
            set(r, "/summary/min_memory_saving_mb", json!(256.0));
        }),
        case("copies_agree", strategies, "/standard_metrics/checkpoint/peak_memory_mb", |r| {
            set(r, "/standard_metrics/checkpoint/peak_memory_mb", json!(11000.0));
        }),
        case("copies_agree", pair, "/experiment/seq_len", |r| set(r, "/experiment/seq_len", json!(512))),
        case("copies_agree", strategies, "/repeat_summary/baseline/successful_runs", |r| {
            set(r, "/repeat_summary/baseline/successful_runs", json!(2));
        }),
        case("copies_agree", budget, "/candidates/1/val_loss", |r| set(r, "/candidates/1/val_loss", json!(3.2))),
        case("sensitivity_agrees", budget, "/sensitivity/1/decision", |r| {
            set(r, "/sensitivity/1/decision", json!("tune"));
        }),
        case("sensitivity_agrees", budget, "/sensitivity/0/feasible_names", |r| {
            set(r, "/sensitivity/0/feasible_names", json!(["checkpoint"]));
        }),
        case("sensitivity_agrees", budget, "/sensitivity/0", |r| remove(r, "/sensitivity/0/memory_cap_mb")),
        case("sensitivity_summary_agrees", budget, "/sensitivity_summary/decision_counts", |r| {
            set(r, "/sensitivity_summary/decision_counts", json!({"accept": 1, "tune": 1}));
        }),
        case("sensitivity_summary_agrees", budget, "/sensitivity_summary/best_candidate_counts", |r| {
            set(r, "/sensitivity_summary/best_candidate_counts", json!([3]));
        }),
        case("sensitivity_summary_agrees", budget, "/sensitivity_summary/interpretation", |r| {
            set(r, "/sensitivity_summary/interpretation", json!("fine"));
        }),
        case("sensitivity_summary_agrees", budget, "/sensitivity_summary/decision_stable", |r| {
            set(r, "/sensitivity_summary/decision_stable", json!(false));
        }),
        case("sensitivity_stable", budget, "/sensitivity", |r| {
            set(r, "/sensitivity/1/memory_cap_mb", json!(9000.0));
            set(r, "/sensitivity/1/feasible_names", json!([]));
            set(r, "/sensitivity/1/best_candidate", Value::Null);
            set(r, "/sensitivity/1/decision", json!("reject"));
        }),
    ]
}
