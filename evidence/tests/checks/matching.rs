//! Device, configuration, links.

use serde_json::{Value, json};

use super::support::course::{budget, pair, probe, strategies};
use super::support::{remove, set};
use super::{Case, case};

/// A 73 that matches [`strategies`], and the same with one thing changed.
fn another(change: fn(&mut Value)) -> Vec<Value> {
    let mut report = pair();
    set(&mut report, "/config/seed", json!(8));
    change(&mut report);
    vec![report]
}

fn source(change: fn(&mut Value)) -> Vec<Value> {
    let mut report = strategies();
    change(&mut report);
    vec![report]
}

/// Both the fault and the twin are graded beside the same reports, so the fault is in the graded one.
pub fn cases() -> Vec<Case> {
    let matching: fn() -> Vec<Value> = || another(|_| {});
    let measured: fn() -> Vec<Value> = || source(|_| {});
    vec![
        case("device_named", strategies, "/config/device", |r| {
            remove(r, "/config/device");
            remove(r, "/experiment/device");
        }),
        case("device_named", pair, "/config/device", |r| {
            set(r, "/config/device", json!("cuda:0"));
            set(r, "/experiment/device", json!("cuda:0"));
        }),
        case("device_is_gpu", pair, "/config/device", |r| {
            set(r, "/config/device", json!("cpu"));
            set(r, "/experiment/device", json!("cpu"));
        }),
        case("device_agrees", strategies, "/experiment/device", |r| set(r, "/experiment/device", json!("cpu"))),
        case("device_agrees", strategies, "/environment_preflight/runtime/cuda_available", |r| {
            set(r, "/environment_preflight/runtime/cuda_available", json!(false));
        }),
        case("config_complete", strategies, "/config/warmup", |r| {
            remove(r, "/config/warmup");
            remove(r, "/experiment/warmup");
        }),
        case("config_complete", budget, "/experiment/optimizer", |r| remove(r, "/experiment/optimizer")),
        case("workload_named", budget, "/experiment", |r| {
            remove(r, "/experiment");
        }),
        case("workload_label_agrees", strategies, "/config/batch_size", |r| {
            for home in ["/config/workload", "/experiment/workload", "/baseline_validation/config/workload"] {
                set(r, home, json!("pressure"));
            }
        }),
        Case {
            twin: |r| {
                set(r, "/config/workload", json!("pressure"));
                set(r, "/config/batch_size", json!(1));
                set(r, "/config/seq_len", json!(768));
            },
            ..case("workload_label_agrees", strategies, "/config/seq_len", |r| {
                set(r, "/config/workload", json!("smoke"));
            })
        },
        case("dtype_label", pair, "/config/dtype", |r| remove(r, "/config/param_dtype")),
        Case {
            twin: |r| set(r, "/config/dtype", json!("bfloat16")),
            ..case("dtype_label", probe, "/config/dtype", |r| remove(r, "/config/compute_dtype"))
        },
        case("native_bf16", pair, "/config/native_bf16", |r| set(r, "/config/native_bf16", json!(false))),
        case("matmul_precision", strategies, "/config/matmul_precision", |r| remove(r, "/config/matmul_precision")),
        Case {
            twin: |r| {
                remove(r, "/config/matmul_precision");
                set(r, "/config/allow_tf32", json!(false));
            },
            ..case("matmul_precision", pair, "/config/matmul_precision", |r| remove(r, "/config/matmul_precision"))
        },
        case("baseline_link", strategies, "/source_baseline", |r| {
            remove(r, "/source_baseline");
            remove(r, "/baseline_validation");
        }),
        case("baseline_validation_agrees", strategies, "/baseline_validation/status", |r| {
            set(r, "/baseline_validation/status", json!("mismatched"));
        }),
        case("baseline_validation_agrees", strategies, "/baseline_validation/config", |r| {
            set(r, "/baseline_validation/config", json!({"checked": true}));
        }),
        case("baseline_validation_agrees", strategies, "/baseline_validation/config/seq_len", |r| {
            set(r, "/baseline_validation/config/seq_len", json!(256));
        }),
        Case {
            linked: matching,
            ..case("linked_baseline_matches", strategies, "/config/seq_len", |r| set(r, "/config/seq_len", json!(768)))
        },
        Case {
            linked: matching,
            ..case("linked_baseline_matches", strategies, "/config/optimizer", |r| {
                set(r, "/config/optimizer", json!("SGD"));
            })
        },
        Case {
            linked: matching,
            ..case("linked_baseline_matches", strategies, "/config/mode", |r| set(r, "/config/mode", json!("bf16")))
        },
        Case {
            linked: || vec![probe(), pair()],
            ..case("linked_baseline_matches", strategies, "/config/iters", |r| set(r, "/config/iters", json!(50)))
        },
        Case {
            linked: matching,
            ..case("linked_environment_matches", strategies, "/config/torch", |r| {
                set(r, "/config/torch", json!("2.5.0"))
            })
        },
        Case {
            linked: measured,
            ..case("linked_source_matches", budget, "/candidates/1/samples_per_s", |r| {
                set(r, "/candidates/1/samples_per_s", json!(1.84));
            })
        },
        Case {
            linked: measured,
            ..case("linked_source_matches", budget, "/candidates/2", |r| {
                set(r, "/candidates/2/name", json!("hybrid"));
            })
        },
        Case {
            linked: || source(|r| remove(r, "/candidates/1/runs")),
            twin: |r| *r = strategies(),
            ..case("linked_runs_recorded", budget, "/source", |_| {})
        },
        Case {
            linked: || {
                let mut other = probe();
                set(&mut other, "/candidate/loss", json!(3.51));
                vec![other]
            },
            twin: |r| set(r, "/config/seq_len", json!(1024)),
            ..case("duplicate_configuration", probe, "/config", |_| {})
        },
        case("planning_agrees", budget, "/budget/memory_cap_mb", |r| {
            set(r, "/planning_context/hardware_target/usable_memory_mb", json!(11200));
        }),
        case("preflight_agrees", strategies, "/environment_preflight/status", |r| {
            set(r, "/environment_preflight/status", json!("blocked"));
        }),
        case("preflight_agrees", pair, "/environment_preflight/ready", |r| {
            set(r, "/environment_preflight/ready", json!(false));
        }),
        case("strategies_agree", strategies, "/config/strategies/1", |r| {
            set(r, "/config/strategies/1", json!(["checkpoint"]));
        }),
        case("strategies_agree", strategies, "/config/strategies/3", |r| {
            set(r, "/config/strategies", json!(["baseline", "checkpoint", "offload", "hybrid"]));
        }),
    ]
}

/// Two 73 reports lie beside the 76: the one that matches is its baseline.
#[test]
fn the_baseline_is_the_linked_report_that_fits() {
    let other = another(|r| set(r, "/config/seq_len", json!(256)));
    let both = [other[0].clone(), pair()];
    let alone = super::grade(&strategies(), &other);
    assert!(super::failures(&alone).contains(&("linked_baseline_matches".into(), "/config/seq_len".into())));
    assert_eq!(super::failures(&super::grade(&strategies(), &both)), []);
}

/// A 76 of another workload beside a 75 is not its source, and nothing is said about it.
#[test]
fn an_unrelated_76_is_not_taken_for_the_source() {
    let unrelated = source(|r| {
        for index in 0..3 {
            set(r, &format!("/candidates/{index}/peak_memory_mb"), json!(5000.0 + f64::from(index)));
        }
    });
    let mut report = budget();
    remove(&mut report, "/experiment");
    let found = super::failures(&super::grade(&report, &unrelated));
    assert!(!found.iter().any(|(id, _)| id.starts_with("linked")), "{found:?}");
}
