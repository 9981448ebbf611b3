//! Kernel labs.

use serde_json::json;

use super::support::own::kernel;
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
