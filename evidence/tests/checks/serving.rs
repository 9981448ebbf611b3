//! Serving, its strategies, fewer bits.

use serde_json::{Value, json};

use super::support::serving::{
    artifacts, layer, load, load_baseline, load_sweep, normalised, pool, prefix, prefix_simulated, quantised,
    quantised_summary, scheduler, speculative,
};
use super::support::{remove, set};
use super::{Case, case};

fn beside_baseline() -> Vec<Value> {
    vec![load_baseline()]
}

/// A case whose reports stand beside the baseline of 66.
fn beside(case: Case) -> Case {
    Case { linked: beside_baseline, ..case }
}

pub fn cases() -> Vec<Case> {
    let mut all = measured();
    all.extend(strategies());
    all.extend(bits());
    all
}

fn measured() -> Vec<Case> {
    vec![
        case("backend_named", normalised, "/config/backend", |r| set(r, "/config/backend", json!("local"))),
        case("serving_record_complete", load, "/results", |r| {
            remove(r, "/experiment_contract");
            remove(r, "/metrics/peak_memory_mb");
            set(r, "/results", Value::Null);
        }),
        case("serving_record_complete", normalised, "", |r| remove(r, "/config/model_revision")),
        case("percentile_requests", load, "/metrics/ttft_ms/p99", |r| {
            set(r, "/metrics/successful_requests", json!(60));
            set(r, "/workload/requests", json!(60));
        }),
        case("percentile_requests", normalised, "/metrics/p95_ms", |r| {
            set(r, "/metrics/p95_ms", json!(700.0));
            set(r, "/metrics/successful_requests", json!(12));
        }),
        // p95 needs 20: it is silent above.
        Case {
            twin: |r| {
                set(r, "/metrics/successful_requests", json!(40));
                set(r, "/metrics/p95_ms", json!(700.0));
                for key in ["ttft_ms", "tpot_ms", "e2e_latency_ms"] {
                    remove(r, &format!("/metrics/{key}/p99"));
                }
                remove(r, "/metrics/p99_ms");
            },
            ..case("percentile_requests", normalised, "/metrics/p95_ms", |r| {
                set(r, "/metrics/successful_requests", json!(12));
                set(r, "/metrics/p95_ms", json!(700.0));
            })
        },
        case("percentiles_ordered", load, "/metrics/tpot_ms/p99", |r| set(r, "/metrics/tpot_ms/p99", json!(4.0))),
        case("percentiles_ordered", load, "/metrics/ttft_ms", |r| set(r, "/metrics/ttft_ms/p50", json!(640.0))),
        case("tpot_agrees", load, "/metrics/tpot_ms/mean", |r| set(r, "/metrics/tpot_ms/mean", json!(12.0))),
        case("throughput_agrees", load, "/metrics/output_token_throughput_per_s", |r| {
            set(r, "/metrics/output_token_throughput_per_s", json!(420.0));
        }),
        case("throughput_agrees", load, "/metrics/request_throughput_per_s", |r| {
            set(r, "/metrics/request_throughput_per_s", json!(7.0));
        }),
        case("throughput_agrees", scheduler, "/candidate/throughput_tps", |r| {
            set(r, "/candidate/throughput_tps", json!(900.0));
        }),
        case("requests_counted", load, "/metrics/successful_requests", |r| set(r, "/workload/requests", json!(128))),
        // Three repeats of the same requests.
        Case {
            twin: |r| {
                set(r, "/workload/requests", json!(40));
                set(r, "/workload/repeats", json!(3));
            },
            ..case("requests_counted", load, "/metrics/successful_requests", |r| {
                set(r, "/workload/requests", json!(40));
                set(r, "/workload/repeats", json!(2));
            })
        },
        case("requests_answered", load, "/metrics/failed_requests", |r| {
            set(r, "/metrics/failed_requests", json!(3));
            set(r, "/workload/requests", json!(123));
        }),
        beside(case("serving_runs_match", load, "/workload/max_tokens", |r| {
            set(r, "/workload/max_tokens", json!(128))
        })),
        beside(case("serving_runs_match", load, "/model", |r| set(r, "/model", json!("Qwen/Qwen2.5-0.5B-Instruct")))),
        case("serving_runs_match", quantised, "/candidate/normalized_result/config/num_prompts", |r| {
            set(r, "/candidate/normalized_result/config/num_prompts", json!(60));
        }),
        // Alone it has nothing to be compared with.
        Case { twin: |r| *r = quantised(), ..case("comparison_complete", load, "", |_| {}) },
        case("comparison_complete", prefix, "/groups/0", |r| {
            remove(r, "/groups/1/normalized_result/metrics/ttft_ms");
        }),
        case("peak_holds_weights", load, "/metrics/peak_memory_mb", |r| {
            set(r, "/metrics/peak_memory_mb", json!(1800.0))
        }),
        // 1,543,714,304 numbers of 2 bytes are 2,944.4 MiB.
        Case {
            twin: |r| set(r, "/metrics/peak_memory_mb", json!(2945.0)),
            ..case("peak_holds_weights", load, "/metrics/peak_memory_mb", |r| {
                set(r, "/metrics/peak_memory_mb", json!(2944.0))
            })
        },
    ]
}

fn strategies() -> Vec<Case> {
    vec![
        case("tokens_positive", scheduler, "/candidate/requests/1/output_tokens", |r| {
            set(r, "/candidate/requests/1/output_tokens", json!(0));
        }),
        case("ttft_meaning", scheduler, "/candidate/requests/0/ttft_ms", |r| {
            for index in 0..3 {
                let wait = r["candidate"]["requests"][index]["queue_wait_ms"].clone();
                set(r, &format!("/candidate/requests/{index}/ttft_ms"), wait);
            }
        }),
        case("share_in_range", prefix, "/groups/1/normalized_result/strategy_metrics/hit_rate", |r| {
            set(r, "/groups/1/normalized_result/strategy_metrics/hit_rate", json!(68.0));
        }),
        case("share_in_range", scheduler, "/candidate/fairness", |r| set(r, "/candidate/fairness", json!(1.2))),
        case("acceptance_agrees", speculative, "/candidate/acceptance_rate", |r| {
            set(r, "/candidate/acceptance_rate", json!(0.86));
        }),
        case("acceptance_agrees", speculative, "/candidate/accepted_tokens", |r| {
            set(r, "/candidate/accepted_tokens", json!(51));
        }),
        case("acceptance_agrees", speculative, "/candidate/accepted_tokens_per_round", |r| {
            set(r, "/candidate/accepted_tokens_per_round", json!(5.0));
        }),
        case("cache_tokens_agree", prefix_simulated, "/metrics/miss_tokens", |r| {
            set(r, "/metrics/miss_tokens", json!(20))
        }),
        case("cache_tokens_agree", prefix_simulated, "/metrics/token_reuse_rate", |r| {
            set(r, "/metrics/token_reuse_rate", json!(0.5));
        }),
        case("cache_tokens_agree", prefix_simulated, "/metrics/reused_tokens", |r| {
            set(r, "/metrics/reused_tokens", json!(30));
        }),
        case("hit_rate_evidence", prefix, "/groups/1/normalized_result/strategy_metrics/hit_rate", |r| {
            set(r, "/hit_rate_evidence", json!("backend_metrics_or_logs_required"));
        }),
        case("hit_rate_evidence", prefix, "/groups/1/normalized_result/strategy_metrics/hit_rate", |r| {
            set(r, "/hit_rate_evidence", json!("inferred from TTFT"));
        }),
        case("fairness_agrees", scheduler, "/candidate/fairness", |r| set(r, "/candidate/fairness", json!(0.95))),
        case("load_is_no_scheduler", load_sweep, "/groups/1", |r| remove(r, "/evidence_boundary")),
        case("load_is_no_scheduler", load_sweep, "/groups/1", |r| set(r, "/decision/decision", json!("accept"))),
        case("blocks_agree", pool, "/allocation_report/utilization", |r| {
            set(r, "/allocation_report/utilization", json!(0.9));
        }),
        case("blocks_agree", pool, "/allocation_report/allocated_tokens", |r| {
            *r = json!({"project": "22", "config": {"block_size": 16, "device": "cpu"}, "evidence_level": "cpu_simulation",
                        "allocation_report": {"logical_tokens": 17, "allocated_tokens": 48, "unused_tail_tokens": 31, "utilization": 17.0 / 48.0}});
        }),
        case("next_action_agrees", speculative, "/decision/next_action", |r| {
            set(r, "/decision/next_action", json!("fallback_to_baseline"));
        }),
    ]
}

fn bits() -> Vec<Case> {
    vec![
        // 4 bits of 16 are a quarter; 7.6 times would count 4 bytes for the original.
        case("compression_base", quantised, "/candidate/compression_ratio", |r| {
            set(r, "/candidate/compression_ratio", json!(7.6));
        }),
        // Of an FP32 model it is right.
        Case {
            twin: |r| {
                set(r, "/candidate/compression_ratio", json!(7.6));
                set(r, "/config/dtype", json!("float32"));
            },
            ..case("compression_base", quantised, "/candidate/compression_ratio", |r| {
                set(r, "/candidate/compression_ratio", json!(0.13));
            })
        },
        case("layer_ratios_agree", layer, "/mechanism_metrics/latency_ratio_candidate_over_baseline", |r| {
            set(r, "/mechanism_metrics/latency_ratio_candidate_over_baseline", json!(0.8));
        }),
        case("quantised_deltas_agree", quantised_summary, "/summary/vram_delta_mb", |r| {
            set(r, "/summary/vram_delta_mb", json!(-5000.0));
        }),
        case("kernel_and_quality_confirmed", quantised, "/candidate/kernel_evidence", |r| {
            set(r, "/candidate/kernel_evidence", json!("pending_manual_confirmation"));
        }),
        case("kernel_and_quality_confirmed", quantised, "/quality/status", |r| {
            remove(r, "/quality");
            remove(r, "/evidence_checks/task_quality");
        }),
        case("kernel_and_quality_confirmed", quantised, "/quality/status", |r| {
            set(r, "/quality/status", json!("pending_task_evaluation"));
        }),
        case("decision_confirmed", artifacts, "/decision/decision", |r| {
            set(r, "/candidates/awq/greedy_prefix_agreement", json!(0.6));
        }),
    ]
}
