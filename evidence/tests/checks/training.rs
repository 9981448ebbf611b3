//! Normalised copies, profiles, merges, fine-tuning and mechanism pages.

use serde_json::{Value, json};

use super::support::course::{budget, pair, strategies};
use super::support::training::{
    change, fine_tuning, fine_tuning_of, mechanism, merge, normalised_budget, normalised_pair, normalised_strategies,
    operators, other_seeds, profile,
};
use super::support::{remove, set};
use super::{Case, case};

fn edited(mut report: Value, change: fn(&mut Value)) -> Vec<Value> {
    change(&mut report);
    vec![report]
}

/// SHA-256 of a report as the tests write it.
fn hash(report: &Value) -> String {
    super::support::read(report).sha256
}

fn empty_config(r: &mut Value) {
    for value in r["config"].as_object_mut().expect("an object").values_mut() {
        *value = Value::Null;
    }
}

pub fn cases() -> Vec<Case> {
    let mut cases = normalised();
    cases.extend(profiles());
    cases.extend(merges());
    cases.extend(adapters());
    cases
}

fn normalised() -> Vec<Case> {
    vec![
        case("config_stated", normalised_budget, "/config", empty_config),
        case("config_stated", normalised_pair, "/config", |r| remove(r, "/config")),
        // FP32 and AMP under one label.
        Case {
            twin: |r| {
                set(r, "/config/dtype", json!("torch.bfloat16"));
                set(r, "/config/param_dtype", json!("float32"));
                set(r, "/config/compute_dtype", json!("float32"));
            },
            ..case("normalised_labels", normalised_pair, "/config/dtype", |r| {
                set(r, "/config/dtype", json!("torch.bfloat16"));
            })
        },
        case("normalised_labels", normalised_strategies, "/config/dtype", |r| {
            set(r, "/config/dtype", json!("torch.bfloat16"));
        }),
        case("normalised_labels", normalised_strategies, "/config/workload", |r| {
            set(r, "/config/workload", Value::Null);
        }),
        case("config_complete", normalised_strategies, "/config/dtype", |r| set(r, "/config/dtype", Value::Null)),
        case("derived_metrics_agree", normalised_strategies, "/candidates/1/metrics/memory_saving_mb", |r| {
            set(r, "/candidates/1/metrics/memory_saving_mb", json!(1200.0));
        }),
        case("derived_metrics_agree", normalised_budget, "/candidates/2/metrics/throughput_ratio", |r| {
            set(r, "/candidates/2/metrics/throughput_ratio", json!(0.9));
        }),
        case("oom_stated", normalised_budget, "/candidates/0/metrics/oom", |r| {
            set(r, "/candidates/0/metrics/oom", Value::Null);
        }),
        case("oom_stated", normalised_strategies, "/candidates/2/metrics/oom", |r| {
            set(r, "/candidates/2/status", json!("oom"));
        }),
        case("copies_agree", normalised_strategies, "/candidates/1/metrics/step_time_ms", |r| {
            set(r, "/candidates/1/metrics/step_time_ms", json!(900.0));
        }),
        // The other checks read a normalised copy as they read its original.
        case("samples_per_s_agrees", normalised_pair, "/candidates/1/metrics/samples_per_s", |r| {
            set(r, "/candidates/1/metrics/samples_per_s", json!(9.0));
        }),
        case("runs_recorded", normalised_strategies, "/candidates/0/runs", |r| {
            remove(r, "/candidates/0/legacy_fields/runs");
        }),
        case("summary_saving_agrees", normalised_budget, "/summary/memory_saving_mb", |r| {
            set(r, "/summary/memory_saving_mb", json!(900.0));
        }),
        case("decision_is_object", normalised_budget, "/decision", |r| set(r, "/decision", json!("accept"))),
        case("enables_budget", normalised_budget, "/candidates/0/metrics/peak_memory_mb", |r| {
            set(r, "/budget/memory_cap_mb", json!(11500.0));
        }),
        case("field_type", normalised_strategies, "/candidates/0/metrics/oom", |r| {
            set(r, "/candidates/0/metrics/oom", json!("no"));
        }),
    ]
}

fn profiles() -> Vec<Case> {
    let measured: fn() -> Vec<Value> = || vec![strategies()];
    vec![
        case("profile_only", profile, "/profiled", |r| remove(r, "/profiled")),
        case("trace_collected", profile, "/profile/status", |r| set(r, "/profile/status", json!("failed"))),
        case("trace_collected", profile, "/candidates/1/top_operators", |r| {
            set(r, "/candidates/1/top_operators", json!(""));
        }),
        case("export_in_timed_region", profile, "/candidates/0/step_time_ms", |r| {
            set(r, "/candidates/0/top_operators", json!(operators(600.0)));
        }),
        Case {
            linked: measured,
            twin: |r| {
                for (index, step) in [(0, 805.0), (1, 1005.0)] {
                    set(r, &format!("/candidates/{index}/step_time_ms"), json!(step));
                }
            },
            ..case("profiler_overhead", profile, "/candidates/0/step_time_ms", |r| {
                set(r, "/candidates/0/step_time_ms", json!(1100.0));
            })
        },
        Case {
            linked: measured,
            ..case("linked_profile_matches", profile, "/config/seq_len", |r| set(r, "/config/seq_len", json!(768)))
        },
        Case {
            linked: measured,
            ..case("linked_profile_matches", profile, "/candidates/1", |r| {
                set(r, "/candidates/1/name", json!("hybrid"));
            })
        },
        // A 76 that took its times from the profiler run.
        Case {
            linked: || vec![profile()],
            ..case("profiled_beside_unprofiled", strategies, "/candidates/0/step_time_ms", |r| {
                set(r, "/candidates/0/step_time_ms", json!(850.0));
            })
        },
        // A merge that shows profiled times beside the unprofiled baseline of 73.
        Case {
            linked: || vec![profile()],
            twin: |r| set(r, "/standard_metrics", json!({"baseline": {"step_time_ms": 800.0}})),
            ..case("profiled_beside_unprofiled", merge, "/standard_metrics/baseline/step_time_ms", |r| {
                set(r, "/standard_metrics", json!({"baseline": {"step_time_ms": 850.0}}));
            })
        },
        case("absolute_path", profile, "/candidates/0/trace_dir", |r| {
            set(r, "/candidates/0/trace_dir", json!("/home/x/traces/baseline"));
        }),
    ]
}

fn merges() -> Vec<Case> {
    let chain: fn() -> Vec<Value> = || vec![pair(), strategies(), budget()];
    vec![
        case("trace_collected", merge, "/profiling/status", |r| {
            set(r, "/profiling", json!({"status": "not_collected", "tool": null, "top_operators": [], "evidence": []}));
        }),
        case("trace_collected", merge, "/profiling/missing_strategies", |r| {
            set(r, "/profiling/trace_files_by_strategy/checkpoint", json!([]));
        }),
        case("trace_collected", merge, "/profiling/missing_strategies", |r| {
            set(r, "/profiling/status", json!("incomplete"));
        }),
        case("decision_confirmed", merge, "/decision/decision", |r| set(r, "/decision/decision", json!("accept"))),
        case("reason_agrees", merge, "/decision/reason", |r| {
            set(r, "/decision/reason", json!("upstream_reports_merged_but_profiling_evidence_missing"));
        }),
        case("upstream_one_workload", merge, "/upstream/73_training_baseline/peak_mem_mb", |r| {
            set(r, "/upstream/73_training_baseline/peak_mem_mb", json!(11700.0));
        }),
        case("upstream_one_run", merge, "/upstream/75_budget_summary/throughput_ratio", |r| {
            set(r, "/upstream/75_budget_summary/throughput_ratio", json!(0.73));
        }),
        case("upstream_decision_is_object", merge, "/upstream/75_decision", |r| {
            set(r, "/upstream/75_decision", json!("reject"));
        }),
        // The same peaks with another ratio: another run of the workload.
        Case {
            linked: chain,
            ..case("linked_upstream_matches", merge, "/upstream/76_strategy_summary/throughput_ratio", |r| {
                set(r, "/upstream/76_strategy_summary/throughput_ratio", json!(0.71));
            })
        },
        // The 73 that was merged is the linked one, and its sequence is shorter.
        Case {
            linked: || {
                let mut linked = edited(pair(), |r| set(r, "/config/seq_len", json!(768)));
                linked.push(strategies());
                linked
            },
            twin: |r| remove(r, "/upstream/73_training_baseline"),
            ..case("upstream_one_workload", merge, "/upstream/73_training_baseline", |_| {})
        },
        Case {
            linked: chain,
            twin: |r| set(r, "/sources/76", json!({"path": "76.json", "sha256": hash(&strategies())})),
            ..case("cited_hash_matches", merge, "/sources/76/sha256", |r| {
                set(r, "/sources/76", json!({"path": "76.json", "sha256": "0".repeat(64)}));
            })
        },
        Case {
            twin: |r| set(r, "/thresholds", json!({"min_throughput_delta": 0.2})),
            ..case("gain_in_reach", change, "/candidates/baseline/samples_per_s", |r| {
                for side in ["baseline", "tuned"] {
                    set(r, &format!("/candidates/{side}/samples_per_s"), json!(2.1));
                }
            })
        },
        case("gain_in_reach", change, "/thresholds/min_throughput_delta", |r| {
            set(r, "/thresholds", json!({"min_throughput_delta": 40.0}));
        }),
        case("baseline_usable", change, "/candidates", |r| remove(r, "/candidates/baseline")),
        case("profiled_times", change, "/profiled", |r| set(r, "/profiled", json!(true))),
    ]
}

fn adapters() -> Vec<Case> {
    vec![
        Case {
            linked: other_seeds,
            // Of three seeds two have the losses of the first.
            ..case("seeds_independent", fine_tuning, "/config/seed", |r| {
                let other = fine_tuning_of(2);
                set(r, "/baseline/train_losses", other["baseline"]["train_losses"].clone());
            })
        },
        case_alone(),
        Case {
            linked: other_seeds,
            ..case("quality_confounded", fine_tuning, "/candidates/0/val_loss", |r| {
                for step in 1..8 {
                    set(r, &format!("/baseline/train_losses/{step}"), json!(6.0));
                }
                set(r, "/baseline/val_loss", json!(5.5));
            })
        },
        case("baseline_repeated", fine_tuning, "/candidates/0", |r| {
            let copy = r["baseline"].clone();
            r["candidates"].as_array_mut().expect("a list").insert(0, copy);
        }),
        Case {
            linked: other_seeds,
            ..case("artifacts_apart", fine_tuning, "/artifacts/adapter", |r| {
                set(r, "/artifacts/adapter", json!("benchmarks/results/60/2/adapter"));
            })
        },
        case("config_complete", fine_tuning, "/config/learning_rate", |r| remove(r, "/config/learning_rate")),
        case("copies_agree", fine_tuning, "/candidates/0/train_loss", |r| {
            set(r, "/candidates/0/train_loss", json!(1.0));
        }),
        case("decision_confirmed", fine_tuning, "/decision/decision", |r| {
            set(r, "/decision/decision", json!("accept"))
        }),
        case("absolute_path", fine_tuning, "/config/model_path", |r| {
            set(r, "/config/model_path", json!("/data/models/qwen"));
        }),
        // 494,032,768 weights of 2 B are 942.3 MiB.
        case("peak_below_floor", fine_tuning, "/candidates/0/peak_memory_mb", |r| {
            set(r, "/candidates/0/peak_memory_mb", json!(900.0));
        }),
        case("mechanism_correct", mechanism, "/correctness", |r| {
            set(r, "/correctness/input_grad_max_abs_diff", json!(0.02));
        }),
        case("mechanism_correct", mechanism, "/correctness", |r| remove(r, "/correctness")),
        case("mechanism_saves", mechanism, "/paths/candidate/peak_allocated_mb", |r| {
            set(r, "/paths/candidate/peak_allocated_mb", json!(1800.0));
        }),
        case("start_recorded", mechanism, "/paths/candidate/allocated_before_mb", |r| {
            remove(r, "/paths/candidate/allocated_before_mb");
        }),
        // The second path begins with the gradients of the first.
        case("equal_start", mechanism, "/paths/candidate/allocated_before_mb", |r| {
            set(r, "/paths/candidate/allocated_before_mb", json!(690.0));
        }),
    ]
}

/// One run alone is one run, however many the text speaks of; the twin lies beside two others.
fn case_alone() -> Case {
    Case {
        linked: || vec![fine_tuning_of(1), fine_tuning_of(2)],
        twin: |r| *r = fine_tuning_of(4),
        ..case("seeds_independent", fine_tuning, "/config/seed", |_| {})
    }
}

/// The whole chain in whichever form: nothing is said about files that belong together.
#[test]
fn the_chain_holds_in_original_and_in_rewritten_form() {
    let chains = [
        vec![pair(), strategies(), budget(), profile(), merge()],
        vec![normalised_pair(), normalised_strategies(), normalised_budget(), profile(), merge()],
    ];
    for chain in chains {
        for report in &chain {
            let failed = super::failures(&super::grade(report, &chain));
            let linked: Vec<_> = failed
                .iter()
                .filter(|(id, _)| id.starts_with("linked") || id.starts_with("upstream") || id.starts_with("cited"))
                .collect();
            assert!(linked.is_empty(), "{}: {linked:?}", report["stage"]);
        }
        let passed = |index: usize, id: &str| {
            super::grade(&chain[index], &chain).checks.iter().any(|check| !check.failed() && check.id == id)
        };
        assert!(passed(1, "linked_baseline_matches"));
        assert!(passed(2, "linked_source_matches"));
        assert!(passed(3, "linked_profile_matches"));
        assert!(passed(4, "linked_upstream_matches"));
    }
}

/// The normaliser drops the optimizer and writes one dtype over FP32 and AMP: that is said of the copy, and is no
/// difference from the report beside it.
#[test]
fn what_a_copy_blurs_is_no_mismatch() {
    let mut copy = normalised_pair();
    set(&mut copy, "/config/dtype", json!("torch.bfloat16"));
    remove(&mut copy, "/config/optimizer");
    let graded = super::grade(&strategies(), &[copy.clone()]);
    assert!(graded.checks.iter().any(|check| check.id == "linked_baseline_matches" && !check.failed()));
    set(&mut copy, "/config/seq_len", json!(256));
    let found = super::failures(&super::grade(&strategies(), &[copy]));
    let linked: Vec<_> = found.iter().filter(|(id, _)| id.starts_with("linked")).collect();
    assert_eq!(linked, [&("linked_baseline_matches".to_owned(), "/config/seq_len".to_owned())]);
}

/// A BF16 copy of 76 has the probe as its baseline, as its original has.
#[test]
fn a_bf16_copy_looks_for_a_probe() {
    let mut copy = normalised_strategies();
    set(&mut copy, "/config/dtype", json!("torch.bfloat16"));
    for (linked, fits) in [(super::support::course::probe(), true), (pair(), false)] {
        let found = super::failures(&super::grade(&copy, &[linked]));
        assert_eq!(found.contains(&("linked_baseline_matches".into(), "/config/mode".into())), !fits, "{found:?}");
    }
}

/// Of two runs of one workload a 75 takes the one that it cites.
#[test]
fn a_cited_report_is_the_source_whatever_else_lies_beside_it() {
    let other = edited(strategies(), |r| {
        set(r, "/candidates/1/samples_per_s", json!(1.95));
        set(r, "/config/seed", json!(8));
    });
    let both = [strategies(), other[0].clone()];
    for cited in &both {
        let mut report = budget();
        set(&mut report, "/source_sha256", json!(hash(cited)));
        set(&mut report, "/candidates/1/samples_per_s", cited["candidates"][1]["samples_per_s"].clone());
        let found = super::failures(&super::grade(&report, &both));
        assert!(!found.iter().any(|(id, _)| id == "linked_source_matches" || id == "cited_hash_matches"), "{found:?}");
    }
}

/// The chain holds where some of its reports are in the own schema, and a difference is named at its field.
#[test]
fn reports_in_the_own_schema_are_links_of_the_chain() {
    use super::support::training::own;
    let linked_at = |report: &Value, linked: &[Value]| {
        let graded = super::grade(report, linked);
        let mut seen: Vec<(String, bool, String)> = graded
            .checks
            .iter()
            .filter(|check| ["linked_baseline_matches", "linked_source_matches"].contains(&check.id.as_str()))
            .map(|check| (check.id.clone(), check.failed(), check.pointer.clone()))
            .collect();
        seen.dedup();
        seen
    };
    let matched = |id: &str, at: &str| vec![(id.to_owned(), false, at.to_owned())];
    let wrong = |at: &str| vec![("linked_baseline_matches".to_owned(), true, at.to_owned())];
    for baseline in [pair(), own("73"), normalised_pair()] {
        assert_eq!(linked_at(&own("76"), &[baseline]), matched("linked_baseline_matches", "/workload/training"));
    }
    assert_eq!(linked_at(&strategies(), &[own("73")]), matched("linked_baseline_matches", "/config"));
    for source in [strategies(), own("76"), normalised_strategies()] {
        for decision in [budget(), own("75"), normalised_budget()] {
            let linked = [source.clone()];
            assert_eq!(linked_at(&decision, &linked), matched("linked_source_matches", "/candidates"), "{decision}");
        }
    }
    let mut short = own("73");
    set(&mut short, "/workload/training/seq", json!(512));
    assert_eq!(linked_at(&own("76"), &[short.clone()]), wrong("/workload/training/seq"));
    assert_eq!(linked_at(&strategies(), &[short.clone()]), wrong("/config"));
    // One of two matches.
    assert_eq!(linked_at(&own("76"), &[short, pair()]), matched("linked_baseline_matches", "/workload/training"));
}
