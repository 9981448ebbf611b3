//! Several devices, architectures, transfers.

use serde_json::{Value, json};

use super::support::parallel::{
    audit, audit_of_table, cache_table, counts, dispatch, division, experts, replicas, states, zero,
};
use super::support::{remove, set};
use super::{Case, case};

fn producer() -> Value {
    zero("zero2", 8.0, 1000.0)
}

fn table() -> Vec<Value> {
    vec![cache_table()]
}

fn uncited() -> Value {
    audit(&"0".repeat(64))
}

pub fn cases() -> Vec<Case> {
    vec![
        // One number a rank and nothing beside it: no arithmetic to check.
        case("numbers_compared", producer, "", |r| {
            for key in ["max_step_time_ms", "max_peak_memory_mb", "tokens_per_s_proxy"] {
                remove(r, &format!("/metrics/{key}"));
            }
        }),
        case("ranks_recorded", producer, "/metrics/step_time_ms_per_rank", |r| {
            for key in ["step_time_ms_per_rank", "peak_memory_mb_per_rank"] {
                remove(r, &format!("/metrics/{key}"));
            }
        }),
        case("ranks_recorded", states, "/sources/1/metrics/step_time_ms_per_rank", |r| {
            set(r, "/sources/1/metrics/step_time_ms_per_rank", json!([8.5]));
            set(r, "/sources/1/metrics/peak_memory_mb_per_rank", json!([1200.0]));
        }),
        // On one device nothing is claimed about others.
        Case {
            twin: |r| {
                set(r, "/workload/world_size", json!(1));
                set(r, "/evidence_level", json!("gpu_smoke"));
                for key in ["step_time_ms_per_rank", "peak_memory_mb_per_rank"] {
                    remove(r, &format!("/metrics/{key}"));
                }
            },
            ..case("ranks_recorded", producer, "/metrics/step_time_ms_per_rank", |r| {
                for key in ["step_time_ms_per_rank", "peak_memory_mb_per_rank"] {
                    remove(r, &format!("/metrics/{key}"));
                }
            })
        },
        case("rank_list_form", dispatch, "/metrics/peak_memory_mb_per_rank", |r| {
            set(r, "/metrics/peak_memory_mb_per_rank", json!(64.5));
        }),
        case("rank_count_agrees", producer, "/metrics/peak_memory_mb_per_rank", |r| {
            set(r, "/metrics/peak_memory_mb_per_rank", json!([1000.0, 988.0, 988.0]));
        }),
        case("rank_maximum_agrees", producer, "/metrics/max_step_time_ms", |r| {
            set(r, "/metrics/max_step_time_ms", json!(7.5));
        }),
        case("rank_maximum_agrees", producer, "/metrics/max_peak_memory_mb", |r| {
            set(r, "/metrics/max_peak_memory_mb", json!(988.0));
        }),
        case("load_skew_agrees", dispatch, "/metrics/load_skew_ratio", |r| {
            set(r, "/metrics/received_tokens_per_rank", json!([384, 128]));
        }),
        case("strategy_named", producer, "/strategy", |r| remove(r, "/strategy")),
        // 1 × 256 × 2 tokens in 8 ms; twice that counts the accumulation.
        case("rank_tokens_agree", producer, "/metrics/tokens_per_s_proxy", |r| {
            set(r, "/metrics/tokens_per_s_proxy", json!(128_000.0));
        }),
        case("rank_tokens_agree", producer, "/metrics/tokens_per_s_proxy", |r| {
            set(r, "/metrics/tokens_per_s_proxy", json!(70_000.0));
        }),
        case("optimizer_sharded", producer, "/workload/optimizer", |r| remove(r, "/workload/optimizer")),
        // DDP divides no state: it needs none.
        Case {
            twin: |r| {
                set(r, "/strategy", json!("ddp"));
                remove(r, "/workload/optimizer");
            },
            ..case("optimizer_sharded", producer, "/workload/optimizer", |r| remove(r, "/workload/optimizer"))
        },
        case("overflow_counted", experts, "/candidate/effective_throughput", |r| {
            set(r, "/candidate/overflow", json!(280.0));
        }),
        Case {
            twin: |r| {
                set(r, "/candidate/overflow", json!(280.0));
                set(r, "/candidate/throughput", json!(178.0));
            },
            ..case("overflow_counted", experts, "/candidate/effective_throughput", |r| {
                set(r, "/candidate/overflow", json!(280.0));
                set(r, "/candidate/throughput", json!(128.0));
            })
        },
        case("state_division_agrees", division, "/strategies/2/state_mb_per_rank", |r| {
            set(r, "/strategies/2/state_mb_per_rank", json!(1000.0));
        }),
        // 2 × 1 × 1,024 × 2 layers × 8 heads × 128 × 2 B.
        case("cache_bytes_agree", cache_table, "/mechanism/rows/1/bytes", |r| {
            set(r, "/mechanism/rows/1/bytes", json!(4_194_304));
        }),
        case("cache_bytes_agree", cache_table, "/mechanism/rows/2/bytes", |r| {
            set(r, "/config/qk_rope_head_dim", json!(0));
            set(r, "/config/qk_rope_head_dim", json!(128));
        }),
        case("cache_config_stated", cache_table, "/config", |r| remove(r, "/config")),
        case("parameters_add_up", counts, "/ledger/total_params", |r| set(r, "/ledger/mlp", json!(313_786_369))),
        case("parameters_add_up", counts, "/ledger/estimated_weight_memory_mb", |r| {
            set(r, "/ledger/estimated_weight_memory_mb", json!(1884.6));
        }),
        // The course's count leaves out 28,544 biases and the final norm.
        case("parameters_exact", counts, "/ledger/total_params", |r| {
            set(r, "/ledger/attention", json!(44_040_192));
            set(r, "/ledger/norm", json!(43_008));
            set(r, "/ledger/total_params", json!(494_004_224));
            set(r, "/ledger/estimated_weight_memory_mb", json!(942.238));
        }),
        Case {
            linked: table,
            ..case("citation_by_hash", audit_of_table, "/references/0/sha256", |r| {
                set(r, "/references/0/sha256", json!("71.json"));
            })
        },
        Case {
            linked: table,
            twin: |r| *r = audit_of_table(),
            ..case("citation_found", uncited, "/references/0/sha256", |_| {})
        },
        Case {
            linked: table,
            ..case("citation_found", audit_of_table, "/references/0/semantic_id", |r| {
                set(r, "/references/0/semantic_id", json!("ARCH-BLOCK-STABILITY"));
            })
        },
        // 2 × 24 × 2 × 64 × 2 B are 12,288.
        case("kv_constant_agrees", replicas, "/config/kv_bytes_per_token", |r| {
            set(r, "/config/kv_bytes_per_token", json!(16_384));
        }),
        // 3,000,000 B at 10 GB/s take 0.3 ms; at 10 Gbit/s 2.4 ms.
        case("transfer_time_agrees", replicas, "/config/bandwidth_gbps", |r| {
            remove(r, "/config/bandwidth_gb_per_s");
            set(r, "/config/bandwidth_gbps", json!(10.0));
            set(r, "/candidate/kv_handoff_ms", json!(0.3));
        }),
        case("transfer_time_agrees", replicas, "/candidate/kv_handoff_ms", |r| {
            set(r, "/candidate/kv_handoff_ms", json!(0.1));
        }),
        case("single_replica_alone", replicas, "/baseline/single_replica_time_ms", |r| {
            set(r, "/baseline/single_replica_time_ms", json!(3.93));
        }),
    ]
}
