//! A grade as other graders read it.

#[path = "support/mod.rs"]
mod support;

use evidence::export::{Judged, gradescope, junit};
use evidence::{GradeLine, Lang};
use serde_json::json;

use support::{grade, own, set};

#[test]
fn gradescope_has_a_test_for_every_item_and_the_points_add_up() {
    let good = grade(&own::kernel(), &[]);
    let results = gradescope(&[("a.json", Judged::Grade(&good))], Lang::En);
    assert_eq!(results["score"], json!(good.points.earned));
    let tests = results["tests"].as_array().expect("tests");
    let sum = |key: &str| tests.iter().filter_map(|test| test[key].as_u64()).sum::<u64>();
    assert_eq!(sum("score"), u64::from(good.points.earned));
    assert_eq!(sum("max_score"), u64::from(good.points.possible));
    for test in tests {
        assert_eq!(test["visibility"], "visible");
        assert!(test["output"].is_string() && test["name"].is_string() && test["number"].is_string(), "{test}");
        assert!(["passed", "failed"].contains(&test["status"].as_str().expect("a status")), "{test}");
        assert_eq!(test.get("score").is_some(), test.get("max_score").is_some(), "{test}");
    }
}

#[test]
fn a_failed_check_is_told_with_its_place_and_its_next_step() {
    let mut bad = own::kernel();
    set(&mut bad, "/candidates/1/quality/max_rel_error", json!(0.5));
    let bad = grade(&bad, &[]);
    let failed = bad.checks.iter().find(|check| check.id == "kernel_error_within_tolerance").expect("the check");
    assert!(failed.failed());
    let results = gradescope(&[("a.json", Judged::Grade(&bad))], Lang::En).to_string();
    assert!(results.contains(&failed.pointer) && results.contains("kernel_error_within_tolerance"), "{results}");
    let xml = junit(&[("a.json", Judged::Grade(&bad))], Lang::En);
    assert!(xml.contains("<failure type=\"kernel_error_within_tolerance\""), "{xml}");
    // Neither is there for the same report without the fault.
    let good = grade(&own::kernel(), &[]);
    let xml = junit(&[("a.json", Judged::Grade(&good))], Lang::En);
    assert!(!xml.contains("<failure") && !xml.contains("<error"), "{xml}");
}

#[test]
fn junit_counts_what_it_holds() {
    let mut bad = own::kernel();
    set(&mut bad, "/candidates/1/quality/max_rel_error", json!(0.5));
    let grades = [grade(&own::kernel(), &[]), grade(&bad, &[])];
    let files: Vec<(&str, Judged<'_>)> =
        ["good.json", "bad <&\".json"].into_iter().zip(grades.iter().map(Judged::Grade)).collect();
    let xml = junit(&files, Lang::Zh);
    let count = |what: &str| xml.matches(what).count();
    let head = xml.lines().nth(1).expect("the root");
    for (attribute, element) in [("tests", "<testcase"), ("failures", "<failure"), ("skipped", "<skipped")] {
        assert!(head.contains(&format!(" {attribute}=\"{}\"", count(element))), "{attribute}: {head}");
    }
    assert_eq!(count("<testsuite "), 2);
    assert!(xml.contains("name=\"bad &lt;&amp;&quot;.json\""), "{xml}");
}

#[test]
fn a_file_that_is_no_report_scores_nothing_and_is_an_error() {
    let error = evidence::read(b"{").expect_err("no JSON");
    let line = GradeLine::unreadable("x.json", "upload", &error, Lang::En);
    let results = gradescope(&[("x.json", Judged::Refused(&line))], Lang::En);
    assert_eq!((results["score"].clone(), results["tests"].clone()), (json!(0), json!([])));
    assert!(!results["output"].as_str().expect("text").is_empty());
    let xml = junit(&[("x.json", Judged::Refused(&line))], Lang::En);
    assert!(xml.contains("errors=\"1\"") && xml.contains("<error type=\"readable\""), "{xml}");
}
