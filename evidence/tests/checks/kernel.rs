//! Kernel labs.

use serde_json::json;

use super::support::own::{conversions, kernel, kv_cache};
use super::support::{remove, set};
use super::{Case, case};

pub fn cases() -> Vec<Case> {
    vec![
        case("kernel_error_within_tolerance", kernel, "/candidates/1/quality/max_rel_error", |r| {
            set(r, "/candidates/1/quality/max_rel_error", json!(0.5));
        }),
        case("kernel_error_within_tolerance", kernel, "/candidates/1/quality/max_abs_error", |r| {
            remove(r, "/candidates/1/quality/max_rel_error");
        }),
        Case {
            twin: |r| {
                for index in 0..2 {
                    set(r, &format!("/candidates/{index}/metrics/allocated_before_bytes"), json!(16_777_216));
                }
            },
            ..case("equal_start", kernel, "/candidates/1/metrics/allocated_before_bytes", |r| {
                set(r, "/candidates/0/metrics/allocated_before_bytes", json!(16_777_216));
                set(r, "/candidates/1/metrics/allocated_before_bytes", json!(33_554_432));
            })
        },
        // Reading and writing 1,024 × 2,048 × 4 B is 16,777,216 B.
        case("kernel_bytes_agree", kernel, "/candidates/1/metrics/bytes_moved", |r| {
            set(r, "/candidates/1/metrics/bytes_moved", json!(8_388_608));
        }),
        // Reading 4 B and writing 2 B for each of 1,000 numbers; a copy of bytes moves 2 for each.
        case("kernel_bytes_agree", conversions, "/candidates/1/metrics/bytes_moved", |r| {
            set(r, "/candidates/1/metrics/bytes_moved", json!(5999));
        }),
        case("kernel_bytes_agree", conversions, "/candidates/2/metrics/bytes_moved", |r| {
            set(r, "/candidates/2/metrics/bytes_moved", json!(1999));
        }),
        // The whole cache is read: 2 × (1,024 + 64 × 4) B.
        case("kernel_bytes_agree", kv_cache, "/candidates/1/metrics/bytes_moved", |r| {
            set(r, "/candidates/1/metrics/bytes_moved", json!(2559));
        }),
        case("stored_bytes_agree", kv_cache, "/candidates/1/metrics/quantised/state_bytes", |r| {
            // The scales forgotten.
            set(r, "/candidates/1/metrics/quantised/state_bytes", json!(2048));
        }),
        case("timeline_agrees", kv_cache, "/candidates/0/timeline/2/allocated_bytes", |r| {
            set(r, "/candidates/0/timeline/2/allocated_bytes", json!(4097));
        }),
        case("timeline_agrees", kv_cache, "/candidates/2/metrics/peak_allocated_bytes", |r| {
            set(r, "/candidates/2/metrics/peak_allocated_bytes", json!(900));
        }),
        case("spread_agrees", kv_cache, "/candidates/0/metrics/spread/median_ms", |r| {
            set(r, "/candidates/0/metrics/spread/median_ms", json!(2.0));
        }),
        // Six runs that lie far apart, and a report that calls them quiet.
        case("spread_agrees", kv_cache, "/candidates/0/metrics/spread/noisy", |r| {
            set(r, "/candidates/0/runs/0/time_ms", json!(5.0));
            set(r, "/candidates/0/runs/1/time_ms", json!(1.0));
            set(r, "/candidates/0/metrics/spread/p10_ms", json!(2.0));
        }),
        case("noise_bounded", kv_cache, "/candidates/0/metrics/spread/noisy", |r| {
            set(r, "/candidates/0/metrics/spread/noisy", json!(true));
        }),
        case("reached_agrees", kv_cache, "/candidates/0/metrics/reached/fraction", |r| {
            // Held below 1, where the numbers give 1.37.
            set(r, "/candidates/0/metrics/reached/fraction", json!(1.0));
        }),
        case("ledger_reconciles", kernel, "/ledger/0/measured_bytes", |r| {
            set(r, "/ledger/0/measured_bytes", json!(9_388_608));
        }),
        case("kernel_timed", kernel, "/candidates/0/metrics/timer", |r| remove(r, "/candidates/0/metrics/timer")),
        case("runs_recorded", kernel, "/candidates/0/runs", |r| remove(r, "/candidates/0/runs")),
        case("decision_confirmed", kernel, "/decision/decision", |r| {
            set(r, "/candidates/1/metrics/time_ms", json!(3.9));
        }),
    ]
}
