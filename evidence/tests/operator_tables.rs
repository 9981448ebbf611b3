//! Tables of `key_averages()`: alone, and inside a profile report of lab 74.

use evidence::trace::{OperatorRow, Reading, TraceError, read, read_table};
use serde_json::json;

const TABLE: &str = "\
-----------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
                         Name    Self CPU %      Self CPU     CPU total  CPU time avg     Self CUDA    CUDA total  Self CUDA Mem    # of Calls
-----------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
                ProfilerStep*         5.00%     100.000ms        2.000s     500.000ms       0.000us        1.500s      -1.50 GB             4
                     aten::mm         1.00%       1.500us      40.250ms      10.062us     900.000ms     950.000ms      15.12 GB          4000
  void at::native::(anonymous namespace)::k<float>         0.00%       0.000us       0.000us       0.000us        1.100s        1.100s           0 B          1200
                       broken         0.00%       0.000us
-----------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
Self CPU time total: 3.077s
Self CUDA time total: 2.000s
";

#[test]
fn an_operator_table_is_read_with_its_units() {
    let table = read_table(TABLE).expect("a table");
    assert_eq!((table.rows.len(), table.skipped), (3, 1));
    assert_eq!((table.self_cpu_total_ns, table.self_device_total_ns), (Some(3_077_000_000), Some(2_000_000_000)));
    let expected = OperatorRow {
        name: "ProfilerStep*".to_owned(),
        calls: Some(4),
        self_cpu_ns: Some(100_000_000),
        cpu_total_ns: Some(2_000_000_000),
        cpu_average_ns: Some(500_000_000),
        self_device_ns: Some(0),
        device_total_ns: Some(1_500_000_000),
        self_device_bytes: Some(-1_610_612_736),
        ..OperatorRow::default()
    };
    assert_eq!(table.rows[0], expected);
    assert_eq!(table.rows[2].name, "void at::native::(anonymous namespace)::k<float>");
    let Ok(Reading::Tables(tables)) = read(TABLE.as_bytes()) else { panic!("a table") };
    assert_eq!((tables.len(), &tables[0].table), (1, &table));
    assert_eq!(tables[0].device_share(&tables[0].table.rows[1]), Some(0.45));
    for (text, line) in
        [("Self CPU but no head\n", 1), ("\n\nName  # of Calls\n---  ---\n", 3), ("# of Calls  Name\n", 1)]
    {
        let error = read(text.as_bytes()).expect_err("no table");
        assert!(matches!(error, TraceError::Table { line: found, .. } if found == line), "{text:?}: {error:?}");
    }
}

#[test]
fn a_profile_report_of_lab_74_brings_its_tables() {
    let report = json!({
        "stage": "real_profiler_trace", "config": {"device": "NVIDIA GeForce RTX 4080"},
        "candidates": [
            {"name": "baseline", "status": "ok", "step_time_ms": 800.0, "top_operators": TABLE},
            {"name": "checkpoint", "status": "ok", "step_time_ms": 400.0, "top_operators": TABLE},
            {"name": "without", "status": "ok"},
        ],
        "profile": {"tool": "torch.profiler"},
    });
    let Ok(Reading::Tables(tables)) = read(report.to_string().as_bytes()) else { panic!("tables") };
    assert_eq!(tables.iter().map(|table| table.name.as_str()).collect::<Vec<_>>(), ["baseline", "checkpoint"]);
    // 500 of 800 ms are inside the steps.
    assert_eq!((tables[0].step_ns(), tables[0].outside_share()), (Some(500_000_000), Some(0.375)));
    // A step that is shorter than its own profile is no overhead.
    assert_eq!(tables[1].outside_share(), None);
}

#[test]
fn the_given_profile_shows_its_export_inside_the_timed_step() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/reports/r27-74-profile.json");
    let Ok(bytes) = std::fs::read(path) else { return };
    let Ok(Reading::Tables(tables)) = read(&bytes[..]) else { panic!("tables") };
    let told: Vec<_> = tables.iter().map(|table| (table.name.as_str(), table.step_ns())).collect();
    assert_eq!(told[0], ("baseline", Some(502_864_000)));
    let shares: Vec<f64> = tables.iter().filter_map(|table| table.outside_share()).collect();
    assert!(shares.len() == 2 && shares.iter().all(|share| (0.25..0.30).contains(share)), "{shares:?}");
}
