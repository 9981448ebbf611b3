//! What the numbers can and cannot show.

use serde_json::{Value, json};

use super::support::course::{budget, pair, strategies};
use super::support::{remove, set};
use super::{Case, case};

/// A peak of one candidate and of its runs.
fn peak(r: &mut Value, index: usize, key: &str, mib: f64) {
    set(r, &format!("/candidates/{index}/{key}"), json!(mib));
    // 75 keeps no runs.
    for run in 0..r["candidates"][index]["runs"].as_array().map_or(0, Vec::len) {
        set(r, &format!("/candidates/{index}/runs/{run}/{key}"), json!(mib));
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        case("peaks_recorded", strategies, "/candidates/1/peak_memory_mb", |r| {
            remove(r, "/candidates/1/peak_memory_mb")
        }),
        // A candidate that ran out of memory was tried.
        Case {
            twin: |r| {
                let oom = json!({"name": "checkpoint", "status": "oom", "error": "CUDA out of memory"});
                let baseline = r["candidates"][0].clone();
                set(r, "/candidates", json!([baseline, oom]));
            },
            ..case("candidates_compared", strategies, "/candidates", |r| {
                let baseline = r["candidates"][0].clone();
                set(r, "/candidates", json!([baseline]));
            })
        },
        // Repeats without a time repeat nothing.
        case("runs_recorded", strategies, "/candidates/0/runs", |r| {
            set(r, "/candidates/0/runs", json!([{}, {}, {}]));
        }),
        // 494,032,768 × 20 B = 9,422.9 MiB; a baseline of 9,700 leaves 277.1 to save.
        case("optimizer_floor", strategies, "/summary/memory_saving_mb", |r| {
            peak(r, 0, "peak_memory_mb", 9700.0);
            peak(r, 1, "peak_memory_mb", 9450.0);
            peak(r, 2, "peak_memory_mb", 9448.0);
        }),
        // A fused step needs no temporary: its floor is 7,538.3 MiB.
        Case {
            twin: |r| {
                peak(r, 0, "peak_memory_mb", 9700.0);
                set(r, "/config/fused", json!(true));
            },
            ..case("optimizer_floor", strategies, "/summary/memory_saving_mb", |r| peak(r, 0, "peak_memory_mb", 9700.0))
        },
        // A measured peak below the assumed floor refutes the assumption.
        Case {
            twin: |r| {
                peak(r, 0, "peak_memory_mb", 9700.0);
                peak(r, 1, "peak_memory_mb", 8900.0);
            },
            ..case("optimizer_floor", budget, "/summary/memory_saving_mb", |r| {
                set(r, "/candidates/0/peak_memory_mb", json!(9700.0));
            })
        },
        Case {
            twin: |r| {
                set(r, "/config/device", json!("NVIDIA GeForce RTX 4090"));
                set(r, "/experiment/device", json!("NVIDIA GeForce RTX 4090"));
            },
            ..case("within_device", strategies, "/candidates/0/peak_reserved_mb", |r| {
                set(r, "/config/device", json!("NVIDIA GeForce RTX 3060"));
                set(r, "/experiment/device", json!("NVIDIA GeForce RTX 3060"));
            })
        },
        case("recomputation_costs", strategies, "/candidates/1/step_time_ms", |r| {
            set(r, "/candidates/1/step_time_ms", json!(700.0));
        }),
        // The same peak at a much longer step: bytes moved, and the peak lies elsewhere.
        Case {
            twin: |r| peak(r, 2, "peak_memory_mb", 12160.5),
            ..case("offload_moves", strategies, "/candidates/2/peak_memory_mb", |r| {
                peak(r, 2, "peak_memory_mb", 12160.5);
                set(r, "/candidates/2/step_time_ms", json!(805.0));
            })
        },
        // Others than AdamW keep less: their names are not AdamW's, and adapters are not the model.
        Case {
            twin: |r| {
                peak(r, 2, "peak_memory_mb", 5000.0);
                set(r, "/config/optimizer", json!("GaLoreAdamW"));
                set(r, "/experiment/optimizer", json!("GaLoreAdamW"));
            },
            ..case("peak_below_floor", strategies, "/candidates/2/peak_memory_mb", |r| {
                peak(r, 2, "peak_memory_mb", 5000.0);
            })
        },
        Case {
            twin: |r| {
                peak(r, 2, "peak_memory_mb", 5000.0);
                set(r, "/config/lora_rank", json!(8));
            },
            ..case("peak_below_floor", strategies, "/candidates/2/peak_memory_mb", |r| {
                peak(r, 2, "peak_memory_mb", 5000.0);
            })
        },
        // Under an optimizer without a floor here the weights are still there.
        Case {
            twin: |r| {
                set(r, "/config/optimizer", json!("SGD"));
                set(r, "/experiment/optimizer", json!("SGD"));
            },
            ..case("peak_below_floor", strategies, "/candidates/2/peak_memory_mb", |r| {
                set(r, "/config/optimizer", json!("SGD"));
                set(r, "/experiment/optimizer", json!("SGD"));
                peak(r, 2, "peak_memory_mb", 900.0);
            })
        },
        case("model_known", strategies, "/config/model_id", |r| {
            set(r, "/config/model_id", json!("someone/unheard-of"))
        }),
        case("reserved_above_cap", strategies, "/candidates/1/peak_reserved_mb", |r| {
            peak(r, 1, "peak_reserved_mb", 13200.0);
        }),
        Case {
            linked: || {
                let mut source = strategies();
                peak(&mut source, 1, "peak_reserved_mb", 13200.0);
                vec![source]
            },
            ..case("reserved_above_cap", budget, "/candidates/1/peak_reserved_mb", |r| {
                remove(r, "/candidates/1/peak_reserved_mb");
            })
        },
        case("reserved_grows", strategies, "/candidates/1/peak_reserved_mb", |r| {
            peak(r, 1, "peak_reserved_mb", 12900.0);
        }),
        case("reserved_recorded", budget, "/candidates/0/peak_reserved_mb", |r| {
            remove(r, "/candidates/0/peak_reserved_mb");
        }),
        case("reserved_noise", pair, "/baseline/runs", |r| {
            set(r, "/baseline/runs/0/peak_reserved_mb", json!(13300.0));
        }),
        case("quality_gate", strategies, "/quality_floor/max_val_loss", |r| {
            for index in 0..3 {
                set(r, &format!("/candidates/{index}/eval_loss"), json!(3.403));
            }
        }),
        case("quality_measured", pair, "/tuned/loss", |r| remove(r, "/tuned/eval_loss")),
        // ln 151,936 = 11.931.
        case("eval_loss_informative", strategies, "/candidates/0/eval_loss", |r| {
            set(r, "/candidates/0/eval_loss", json!(12.1));
        }),
        case("ceiling_above_baseline", budget, "/quality_floor/max_val_loss", |r| {
            set(r, "/quality_floor/max_val_loss", json!(3.3));
        }),
        case("sensitivity_ceilings", budget, "/sensitivity/1/max_val_loss", |r| {
            set(r, "/sensitivity/1/max_val_loss", json!(3.2));
        }),
        case("runs_recorded", strategies, "/candidates/1/runs", |r| remove(r, "/candidates/1/runs")),
        case("runs_recorded", pair, "/baseline/runs", |r| set(r, "/baseline/runs", json!([]))),
        Case {
            // Three runs carry a ratio of 0.714; one does not.
            twin: |r| set(r, "/candidates/1/samples_per_s", json!(1.785)),
            ..case("ratio_near_threshold", strategies, "/summary/throughput_ratio", |r| {
                set(r, "/candidates/1/samples_per_s", json!(1.785));
                remove(r, "/candidates/1/runs");
            })
        },
        case("runs_are_timing", pair, "/tuned/runs", |r| {
            for run in 0..3 {
                set(r, &format!("/tuned/runs/{run}/loss"), json!(3.5124));
            }
        }),
        case("best_is_clear", strategies, "/candidates/1/peak_memory_mb", |r| {
            peak(r, 0, "peak_memory_mb", 11042.0);
        }),
        case("partial_oom", strategies, "/candidates/1/status", |r| {
            set(r, "/candidates/1/status", json!("partial_oom"));
            set(r, "/candidates/1/runs/2", json!({"name": "checkpoint", "status": "oom", "error": "out of memory"}));
        }),
        Case {
            twin: |r| {
                set(r, "/candidates/2", json!({"name": "offload", "status": "oom", "error": "CUDA out of memory"}))
            },
            ..case("oom_boundary", strategies, "/candidates/2/error", |r| {
                set(r, "/candidates/2", json!({"name": "offload", "status": "oom"}));
            })
        },
        case("oom_without_metrics", strategies, "/candidates/2/status", |r| {
            set(r, "/candidates/2/status", json!("oom"));
        }),
        case("profiled_times", strategies, "/candidates/0/trace_dir", |r| {
            set(r, "/candidates/0/trace_dir", json!("benchmarks/results/trace"));
        }),
        case("profiled_times", pair, "/profiled", |r| set(r, "/profiled", json!(true))),
        case("threshold_scale", pair, "/summary/step_time_delta_ms", |r| set(r, "/baseline/step_time_ms", json!(30.0))),
        case("threshold_scale", strategies, "/budget/min_memory_saving_mb", |r| {
            set(r, "/budget/min_memory_saving_mb", json!(4096.0));
        }),
    ]
}
