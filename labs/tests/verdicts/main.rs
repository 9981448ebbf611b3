//! What a careful grader says about reports like the ones that learners of the public course hand in.

mod given;
mod inference;
mod own;
mod own_training;
mod points;
mod unlooked;

use evidence::{Document, EvidenceClass, Grade, GradeContext, Outcome, Provenance, Why};
use serde_json::Value;

/// A verdict: what the grade must say about a report.
pub struct Verdict {
    pub outcome: Outcome,
    pub class: EvidenceClass,
    /// The recomputed word, and whether the report's own is confirmed.
    pub recomputed: Option<&'static str>,
    pub confirmed: bool,
    /// Checks that fail, and where.
    pub fails: &'static [(&'static str, &'static str)],
    /// Checks that must not fail.
    pub silent: &'static [&'static str],
}

/// No arithmetic fault.
const SOUND: [&str; 8] = [
    "samples_per_s_agrees",
    "runs_mean_agrees",
    "summary_counts_agree",
    "summary_feasible_agrees",
    "summary_best_agrees",
    "summary_saving_agrees",
    "summary_ratio_agrees",
    "copies_agree",
];

/// Lab 73, a pair: AMP is faster, its saving is below the threshold.
pub const PAIR: Verdict = Verdict {
    outcome: Outcome::Graded,
    class: EvidenceClass::Gpu,
    recomputed: Some("tune"),
    confirmed: true,
    fails: &[
        ("dtype_label", "/config/dtype"),
        ("quality_measured", "/tuned/loss"),
        ("optimizer_floor", "/summary/peak_mem_delta_mb"),
    ],
    silent: &["summary_deltas_agree", "accept_supported", "runs_recorded", "absolute_path"],
};

/// Lab 73, a BF16 probe: nothing to compare.
pub const PROBE: Verdict = Verdict {
    outcome: Outcome::Graded,
    class: EvidenceClass::Gpu,
    recomputed: None,
    confirmed: false,
    fails: &[
        ("probe_is_no_comparison", "/candidate"),
        ("reserved_noise", "/candidate/runs"),
        ("dtype_label", "/config/dtype"),
    ],
    silent: &["probe_claims_nothing", "decision_word", "baseline_usable"],
};

/// Lab 76: tune, and the threshold is out of reach.
pub const STRATEGIES: Verdict = Verdict {
    outcome: Outcome::Graded,
    class: EvidenceClass::Gpu,
    recomputed: Some("tune"),
    confirmed: true,
    fails: &[
        ("optimizer_floor", "/summary/memory_saving_mb"),
        ("reserved_grows", "/candidates/1/peak_reserved_mb"),
        ("quality_gate", "/quality_floor/max_val_loss"),
        ("eval_loss_informative", "/candidates/0/eval_loss"),
        ("runs_recorded", "/candidates/0/runs"),
    ],
    silent: &["reserved_above_cap", "enables_budget", "absolute_path", "baseline_link", "reason_agrees"],
};

/// Lab 75 with a cap below the baseline: a strategy makes the job fit.
pub const TIGHT_CAP: Verdict = Verdict {
    outcome: Outcome::Graded,
    class: EvidenceClass::Unproven,
    recomputed: Some("tune"),
    confirmed: true,
    fails: &[
        ("enables_budget", "/candidates/0/peak_memory_mb"),
        ("absolute_path", "/source"),
        ("device_named", "/experiment/device"),
        ("reserved_recorded", "/candidates/0/peak_reserved_mb"),
    ],
    silent: &["summary_saving_null", "baseline_usable"],
};

/// The same beside its 76: now reserved memory is known.
pub const TIGHT_CAP_LINKED: &[(&str, &str)] =
    &[("reserved_above_cap", "/candidates/0/peak_reserved_mb"), ("linked_runs_recorded", "/source")];

/// Lab 75 where nothing fits: a reject.
pub const NOTHING_FITS: Verdict = Verdict {
    outcome: Outcome::Graded,
    class: EvidenceClass::Unproven,
    recomputed: Some("reject"),
    confirmed: true,
    fails: &[("summary_saving_null", "/summary/memory_saving_mb"), ("absolute_path", "/source")],
    silent: &["enables_budget", "accept_supported", "baseline_usable"],
};

/// Lab 75 whose decision was overwritten by its sensitivity loop.
pub const BARE_DECISION: Verdict = Verdict {
    outcome: Outcome::Graded,
    class: EvidenceClass::Gpu,
    recomputed: Some("tune"),
    confirmed: true,
    fails: &[
        ("decision_is_object", "/decision"),
        ("sensitivity_stable", "/sensitivity"),
        ("sensitivity_ceilings", "/sensitivity/0/max_val_loss"),
        ("optimizer_floor", "/summary/memory_saving_mb"),
    ],
    silent: &["sensitivity_agrees", "sensitivity_summary_agrees", "absolute_path"],
};

/// Lab 66, the load generator's file alone: an incomplete record, five requests, nothing to compare with.
pub const LOAD_ALONE: Verdict = Verdict {
    outcome: Outcome::Graded,
    class: EvidenceClass::Unproven,
    recomputed: None,
    confirmed: false,
    fails: &[
        ("serving_record_complete", "/results"),
        ("percentile_requests", "/metrics/ttft_ms/p99"),
        ("comparison_complete", ""),
        ("decision_present", "/decision"),
        ("device_named", "/config/device"),
    ],
    silent: &["tpot_agrees", "throughput_agrees", "requests_counted", "percentiles_ordered", "absolute_path"],
};

/// Lab 66 at concurrency 4 beside it: a third more throughput, the first token 200 ms later.
pub const LOAD_BESIDE: Verdict = Verdict {
    outcome: Outcome::Graded,
    class: EvidenceClass::Unproven,
    recomputed: Some("tune"),
    confirmed: true,
    fails: &[("percentile_requests", "/metrics/ttft_ms/p99")],
    silent: &["serving_runs_match", "comparison_complete", "accept_supported", "tpot_agrees"],
};

/// A dry run.
pub const DRY_RUN: Verdict = Verdict {
    outcome: Outcome::NotEvidence { why: Why::DryRun },
    class: EvidenceClass::Unproven,
    recomputed: None,
    confirmed: false,
    fails: &[("dry_run", "/run_mode")],
    silent: &[],
};

/// 73 as the normaliser rewrites it: sound, but one dtype stands over FP32 and AMP.
pub const NORMALISED_PAIR: Verdict = Verdict {
    outcome: Outcome::Graded,
    class: EvidenceClass::Gpu,
    recomputed: Some("tune"),
    confirmed: true,
    fails: &[
        ("normalised_labels", "/config/dtype"),
        ("normalised_labels", "/config/workload"),
        ("config_complete", "/config/optimizer"),
        ("quality_measured", "/candidates/1/quality/loss"),
        ("oom_stated", "/candidates/0/metrics/oom"),
    ],
    silent: &["summary_deltas_agree", "derived_metrics_agree", "peak_below_floor", "optimizer_floor", "absolute_path"],
};

/// 75 as the normaliser rewrites it, with nothing in its configuration: the numbers reproduce and are no evidence.
pub const NORMALISED_NOTHING: Verdict = Verdict {
    outcome: Outcome::NotEvidence { why: Why::UnstatedWorkload },
    class: EvidenceClass::Unproven,
    recomputed: Some("tune"),
    confirmed: true,
    fails: &[("config_stated", "/config")],
    silent: &["derived_metrics_agree", "reason_agrees", "next_action_agrees", "absolute_path"],
};

/// 74 without a profile, over a 73 and a 76 of two workloads.
pub const MERGE: Verdict = Verdict {
    outcome: Outcome::Graded,
    class: EvidenceClass::Unproven,
    recomputed: Some("tune"),
    confirmed: true,
    fails: &[
        ("trace_collected", "/profiling/status"),
        ("upstream_one_workload", "/upstream/73_training_baseline/peak_mem_mb"),
        ("absolute_path", "/sources/73"),
    ],
    silent: &["upstream_one_run", "upstream_decision_is_object", "reason_agrees", "next_action_agrees"],
};

/// 74, a profile: for reading only.
pub const PROFILE: Verdict = Verdict {
    outcome: Outcome::Graded,
    class: EvidenceClass::Unproven,
    recomputed: Some("tune"),
    confirmed: false,
    fails: &[
        ("profile_only", "/profiled"),
        ("export_in_timed_region", "/candidates/0/step_time_ms"),
        ("export_in_timed_region", "/candidates/1/step_time_ms"),
        ("device_named", "/config/device"),
    ],
    silent: &["decision_present", "profiled_times", "trace_collected", "runs_recorded", "config_complete"],
};

/// 60: one seed, and a baseline that its training made worse.
pub const ADAPTER: Verdict = Verdict {
    outcome: Outcome::Graded,
    class: EvidenceClass::Gpu,
    recomputed: Some("tune"),
    confirmed: true,
    fails: &[
        ("seeds_independent", "/config/seed"),
        ("quality_confounded", "/candidates/1/val_loss"),
        ("baseline_repeated", "/candidates/0"),
        ("config_complete", "/config/optimizer"),
        ("absolute_path", "/config/model_path"),
        ("absolute_path", "/artifacts/adapter"),
    ],
    silent: &["artifacts_apart", "reserved_recorded", "runs_recorded", "accept_supported"],
};

pub fn grade(doc: &Document, linked: &[&Document]) -> Grade {
    labs::grade(doc, &GradeContext { provenance: Provenance::Upload, linked })
}

pub fn read(report: &Value) -> Document {
    evidence::read(report.to_string().as_bytes()).expect("a report of a known shape")
}

pub fn failed<'a>(grade: &'a Grade, id: &str) -> Vec<&'a str> {
    grade.checks.iter().filter(|check| check.failed() && check.id == id).map(|check| check.pointer.as_str()).collect()
}

/// Holds a grade against its verdict.
pub fn hold(name: &str, grade: &Grade, verdict: &Verdict) {
    assert_eq!(grade.outcome, verdict.outcome, "{name}");
    assert_eq!(grade.class, verdict.class, "{name}");
    assert_eq!(grade.decision.recomputed.as_deref(), verdict.recomputed, "{name}");
    let confirmed = grade.checks.iter().any(|check| check.id == "decision_confirmed" && !check.failed());
    assert_eq!(confirmed, verdict.confirmed, "{name}");
    for (id, pointer) in verdict.fails {
        assert!(failed(grade, id).contains(pointer), "{name}: {id} at {pointer}; failed at {:?}", failed(grade, id));
    }
    for id in verdict.silent.iter().chain(&SOUND) {
        assert!(failed(grade, id).is_empty(), "{name}: {id} failed at {:?}", failed(grade, id));
    }
    if verdict.outcome != Outcome::Graded {
        assert_eq!(grade.points.earned, 0, "{name}");
    }
}
