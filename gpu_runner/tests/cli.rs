//! `bench`, `compare`, `verify` and `labs`, through the real program.

use std::path::Path;
use std::process::{Command, Output};

use protocol::{JobId, Nonce, RunnerKey, sign};
use serde_json::{Value, json};

fn runner(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gpu_runner")).current_dir(folder).args(args).output().expect("it starts")
}

fn said(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

fn write(path: &Path, report: &Value) {
    std::fs::write(path, report.to_string()).expect("written");
}

/// A quick run of a lab, kept as `one`.
fn bench(folder: &Path) -> String {
    let (code, out, err) = said(&runner(folder, &["bench", "memory-bandwidth", "--preset", "smoke", "--save", "one"]));
    assert_eq!(code, 0, "{err}");
    out
}

/// Times of every candidate drawn anew: `of` gives the middle of each, spread by a tenth of a percent.
fn timed(report: &mut Value, of: impl Fn(&str) -> f64) {
    for candidate in report["candidates"].as_array_mut().expect("candidates") {
        let middle = of(candidate["name"].as_str().expect("a name"));
        let times: Vec<Value> =
            (0..20).map(|at| json!({"time_ms": middle * (1.0 + f64::from(at - 10) * 1e-4)})).collect();
        candidate["runs"] = json!(times);
    }
}

#[test]
fn a_benchmark_is_shown_kept_and_compared() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = bench(dir.path());
    for part in ["memory-bandwidth on ", "cpu evidence", "roofline: copy ", "p50 ms", "baseline", "fp32_to_fp8", "KiB"]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
    let kept = dir.path().join("benchmarks/one/memory-bandwidth.json");
    let mut report = read(&kept);
    std::fs::create_dir_all(dir.path().join("benchmarks/two")).expect("a folder");
    timed(&mut report, |_| 10.0);
    write(&kept, &report);
    timed(&mut report, |name| match name {
        "baseline" => 10.2,
        "copy_bf16" => 15.0,
        _ => 5.0,
    });
    report["candidates"][6]["metrics"]["peak_allocated_bytes"] = json!(1 << 20);
    write(&dir.path().join("benchmarks/two/memory-bandwidth.json"), &report);
    let (code, out, err) = said(&runner(dir.path(), &["compare", "one", "two"]));
    assert_eq!(code, 0, "{err}");
    let of = |name: &str| {
        let (_, rest) = out.split_once(&format!("\n  {name}\n")).unwrap_or_else(|| panic!("{name}: {out}"));
        rest.lines().take_while(|line| line.starts_with("    ")).collect::<Vec<_>>().join("\n")
    };
    for (name, expected) in [
        ("baseline", ["p50     9.9995 → 10.1995 ms", "ratio   1.020", "no difference shown"]),
        ("copy_bf16", ["p99 ", "ratio   1.500", ": slower"]),
        ("fp32_to_fp8", ["ms", "ratio   0.500", ": faster"]),
        ("copy_fp8", ["peak ", "128.01 KiB", "→ 1 MiB"]),
    ] {
        for part in expected {
            assert!(of(name).contains(part), "{name}: {part}: {}", of(name));
        }
    }
    // A file stands for itself.
    let (code, out, _) = said(&runner(dir.path(), &["compare", "one", "benchmarks/one/memory-bandwidth.json"]));
    assert!(code == 0 && out.matches("no difference shown").count() == 7, "{out}");
}

#[test]
fn different_devices_and_parameters_are_refused_by_name() {
    let dir = tempfile::tempdir().expect("a folder");
    bench(dir.path());
    let kept = dir.path().join("benchmarks/one/memory-bandwidth.json");
    for (pointer, value, expected) in [
        ("/device/name", json!("another processor"), "device: "),
        ("/device/backend", json!("wgpu"), "backend: cpu against wgpu"),
        ("/workload/kernel/shape/elements", json!(7), "elements: 65537 against 7"),
        ("/workload/kernel/seed", json!(43), "seed: 42 against 43"),
        ("/workload/kernel/dtype", json!("bf16"), "dtype: fp32 against bf16"),
        ("/lab", json!("rmsnorm"), "no lab in common"),
    ] {
        let mut other = read(&kept);
        *other.pointer_mut(pointer).expect(pointer) = value;
        write(&dir.path().join("other.json"), &other);
        let (code, _, err) = said(&runner(dir.path(), &["compare", "one", "other.json"]));
        assert!(code == 2 && err.contains(expected), "{pointer}: {code} {err}");
    }
    let mut other = read(&kept);
    other.as_object_mut().expect("an object").remove("device");
    write(&dir.path().join("other.json"), &other);
    let (code, _, err) = said(&runner(dir.path(), &["compare", "other.json", "other.json"]));
    assert!(code == 2 && err.contains("device: none against none"), "{err}");
    let (code, _, err) = said(&runner(dir.path(), &["compare", "one", "two"]));
    assert!(code == 2 && err.contains("there are: one"), "{err}");
}

#[test]
fn usage_that_cannot_be_is_refused_before_anything_runs() {
    let dir = tempfile::tempdir().expect("a folder");
    for (args, expected) in [
        (&["bench", "nope"][..], "there are: "),
        (&["bench", "rmsnorm", "--preset", "huge"], "rmsnorm has no preset \"huge\"; it has: smoke"),
        (&["bench", "rmsnorm", "--preset", "smoke", "--save", "../x"], "not beginning with a dot"),
        (&["bench", "rmsnorm", "--param", "rows=0"], "integer from 1"),
        (&["verify", "report.json", "--public-key", "x"], "public key must be 32 bytes"),
    ] {
        let (code, _, err) = said(&runner(dir.path(), args));
        assert!(code == 2 && err.contains(expected), "{args:?}: {code} {err}");
    }
}

#[test]
fn a_report_is_verified_with_its_signature_and_an_edited_one_is_not() {
    let dir = tempfile::tempdir().expect("a folder");
    bench(dir.path());
    let kept = dir.path().join("benchmarks/one/memory-bandwidth.json");
    let bytes = std::fs::read(&kept).expect("a file");
    let path = kept.to_str().expect("UTF-8");
    let (code, out, err) = said(&runner(dir.path(), &["verify", path]));
    assert!(code == 0 && out.contains("signature: not checked") && out.contains("memory-bandwidth"), "{out}{err}");
    assert!(out.contains("cpu"), "the class follows from the device: {out}");

    let key = RunnerKey::from_seed(&[7; 32]);
    let (job, nonce) = ("job-1".parse::<JobId>().expect("an id"), Nonce::from_bytes([9; 32]));
    let signature = sign(&key, &bytes, &job, &nonce).expect("signed").to_string();
    let (public, nonce) = (key.public().to_string(), nonce.to_string());
    let args = |job| {
        ["verify", path, "--public-key", public.as_str(), "--signature", &signature, "--job", job, "--nonce", &nonce]
            .map(str::to_owned)
    };
    let verify = |job| {
        let args = args(job);
        said(&runner(dir.path(), &args.iter().map(String::as_str).collect::<Vec<_>>()))
    };
    let (code, out, err) = verify("job-1");
    assert!(code == 0 && out.contains("signature: holds") && out.contains("runner"), "{out}{err}");
    let (code, _, err) = verify("job-2");
    assert!(code == 1 && err.contains("does not fit this report, job, nonce and key"), "{err}");

    // One number changed: the signature no longer holds, and the arithmetic says which number.
    let mut report = read(&kept);
    report["candidates"][0]["metrics"]["spread"]["median_ms"] = json!(1e-3);
    write(&kept, &report);
    let (code, _, err) = verify("job-1");
    assert!(code == 1 && err.contains("does not fit"), "{err}");
    let (code, out, err) = said(&runner(dir.path(), &["verify", path]));
    assert!(code == 1 && out.contains("/candidates/0/metrics/spread/median_ms"), "{out}{err}");
    std::fs::write(&kept, b"{\"schema\": 1").expect("written");
    let (code, _, err) = said(&runner(dir.path(), &["verify", path]));
    assert!(code == 1 && err.contains("memory-bandwidth.json: "), "{err}");
}

#[test]
fn labs_are_listed_with_their_presets() {
    let (code, out, _) = said(&runner(Path::new("."), &["labs"]));
    assert_eq!(code, 0);
    for part in
        ["kv-quant  on cpu", "memory-bandwidth  on wgpu", "--preset smoke  (elements=65537, ", "--param tokens=1024"]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
}
