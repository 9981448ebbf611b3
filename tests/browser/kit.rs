//! A report from a notebook: the helper that the server hands out builds it, checks it and hands it in.

use std::path::Path;
use std::process::{Command, Output};

use e2e::story::{self, Person};
use e2e::{Browser, Folder, Server};
use serde_json::Value;

const TEACHER: Person = Person { login: "teacher", name: "王老师", password: "correct horse battery" };

/// What a notebook would hold. A step of plain Python is measured: it is CPU evidence, whatever machine this is.
const NOTEBOOK: &str = r#"
import sys, vramlab_report as vramlab
report = vramlab.Report("73", training=dict(model="Qwen/Qwen2.5-0.5B-Instruct", param_dtype="fp32", compute_dtype="fp32",
                        batch=1, seq=256, optimizer="AdamW", warmup=2, iters=5, seed=42))
report.device()
step = lambda: sum(range(200_000))
for name in ("baseline", "tuned"):
    report.add(name, vramlab.measure(step, batch=1), loss=3.5)
report.decide("tune", "gain_below_thresholds")
assert report.check() == [], report.check()
report.save("73.json")
try:
    report.add("tuned", dict(step_time_ms=1.0)).save("73.json")
    sys.exit("overwrote a report")
except FileExistsError:
    pass
answer = vramlab.Report.load("73.json").submit(sys.argv[1])
print(answer["url"])
"#;

/// What the helper must not let through.
const WRONG: &str = r#"
import json, vramlab_report as vramlab
report = vramlab.Report("73", training=dict(batch=True, sequence=1))
report.add("tuned", dict(step_time_ms=float("nan"), peak_allocated_bytes=1.5))
print(json.dumps([pointer for pointer, _ in report.check()]))
try:
    report.submit("http://course.example", token="vl_secret")
except ValueError as error:
    assert "vl_secret" not in str(error)
    print("not sent")
try:
    vramlab.submit(b"{}", "http://course.example", token="vl_secret")
except ValueError as error:
    print(error)
"#;

fn python(folder: &Path, script: &str, token: &str, argument: &str) -> Output {
    let mut command = Command::new("python3");
    command.current_dir(folder).args(["-c", script, argument]).env("VRAMLAB_TOKEN", token);
    command.output().unwrap_or_else(|error| panic!("python3: {error}; cargo xtask test installs it where it may"))
}

fn said(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
async fn a_notebook_measures_checks_and_hands_in() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    story::set_up(&tab, &server.setup_link(), TEACHER).await;
    tab.goto(&server.url("/en/account")).await;
    tab.fill("form[action$='/account/tokens'] input[name=name]", "notebook").await;
    tab.follow("form[action$='/account/tokens'] button").await;
    let token = tab.text(".secret").await;
    tab.goto(&server.url("/en/reports")).await;
    let kit: String = tab.eval("fetch(document.querySelector('main a[href$=\".py\"]').href).then(r => r.text())").await;
    let folder = Folder::new("kit");
    folder.write("vramlab_report.py", &kit);

    let printed = said(&python(folder.path(), NOTEBOOK, &token, &server.origin));
    assert!(printed.starts_with("graded: "), "{printed}");
    let url = printed.trim().rsplit('\n').next().unwrap_or_default().to_owned();
    tab.goto(&url).await;
    tab.wait_text("main .badge.cpu", "CPU").await;

    let printed = said(&python(folder.path(), WRONG, "", ""));
    let lines: Vec<&str> = printed.lines().collect();
    let pointers: Vec<String> = serde_json::from_str(lines[0]).expect("a list");
    for expected in [
        "/workload/training/batch",
        "/workload/training/sequence",
        "/candidates",
        "/candidates/0/metrics/step_time_ms",
        "/candidates/0/runs/0/peak_allocated_bytes",
    ] {
        assert!(pointers.iter().any(|pointer| pointer == expected), "{expected} is not among {pointers:?}");
    }
    assert_eq!(lines[1], "not sent");
    assert!(lines[2].contains("https://"), "{printed}");
    tab.end().await;
}

/// The names that the helper lets through are those of the schema.
#[tokio::test]
async fn the_helper_knows_the_names_of_the_schema() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.goto(&server.url("/en/")).await;
    let fetched = |path: &str| format!("fetch('{path}').then(r => r.text())");
    let schema: String = tab.eval(&fetched("/schema/report-v1.json")).await;
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let kit: String = tab.eval(&fetched("/kit/vramlab_report.py")).await;
    let folder = Folder::new("kit-names");
    folder.write("vramlab_report.py", &kit);
    let script = "import json, vramlab_report; print(json.dumps(vramlab_report.KEYS))";
    let known: Value = serde_json::from_str(&said(&python(folder.path(), script, "", ""))).expect("JSON");
    for (key, place) in [
        ("", "/properties"),
        ("training", "/$defs/Training/properties"),
        ("inference", "/$defs/Inference/properties"),
        ("distributed", "/$defs/Distributed/properties"),
        ("kernel", "/$defs/Kernel/properties"),
        ("device", "/$defs/DeviceFacts/properties"),
        ("candidate", "/$defs/Candidate/properties"),
        ("metrics", "/$defs/Metrics/properties"),
        ("quality", "/$defs/Quality/properties"),
        ("budget", "/$defs/Budget/properties"),
        ("decision", "/$defs/Decision/properties"),
    ] {
        let mut names: Vec<&str> =
            schema.pointer(place).and_then(Value::as_object).expect(place).keys().map(String::as_str).collect();
        let mut own: Vec<&str> = known[key].as_array().expect(key).iter().filter_map(Value::as_str).collect();
        names.sort_unstable();
        own.sort_unstable();
        assert_eq!(own, names, "{key}");
    }
    tab.end().await;
}
