//! Every message survives JSON; what is outside the limits does not get in.

use protocol::{
    Claim, ClaimRequest, DeviceClass, Failure, FailureClass, FailureKind, Heartbeat, Identity, JobId, LabName, Lease,
    Nonce, Note, Offer, ParamValue, Params, Receipt, RunnerFacts, RunnerKey, SignedReport, Stage, StageTime, limits,
    routes,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(message: &T) -> Value {
    let text = serde_json::to_string(message).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), message);
    serde_json::from_str(&text).unwrap()
}

fn nonce() -> Nonce {
    Nonce::from_bytes([0xA5; 32])
}

fn lab() -> LabName {
    "rmsnorm".parse().unwrap()
}

fn signed() -> SignedReport {
    let job: JobId = "job-1".parse().unwrap();
    let times = vec![StageTime { stage: Stage::Measuring, elapsed_ms: 12 }];
    SignedReport::sign(&RunnerKey::from_seed(&[1; 32]), b"{}".to_vec(), &job, &nonce(), times).unwrap()
}

#[test]
fn messages_round_trip_with_the_field_names_of_the_interface() {
    let facts =
        RunnerFacts { version: "0.1.0".into(), backends: vec!["cpu".parse().unwrap()], ..RunnerFacts::default() };
    let identity = Identity { public_key: RunnerKey::from_seed(&[1; 32]).public(), name: "机房 1".into(), facts };
    assert_eq!(round_trip(&identity)["name"], "机房 1");
    let nothing = ClaimRequest { labs: vec![lab()], offer: Offer::default(), wait_ms: 0 };
    assert_eq!(round_trip(&nothing), json!({"labs": ["rmsnorm"]}));
    let offer = Offer {
        backends: vec!["cuda".parse().unwrap()],
        device_class: Some(DeviceClass::Gpu),
        memory_bytes: Some(1 << 34),
        labels: vec!["room-2".parse().unwrap()],
    };
    assert_eq!(
        round_trip(&ClaimRequest { labs: vec![lab()], offer, wait_ms: 1000 })["offer"],
        json!({"backends": ["cuda"], "device_class": "gpu", "memory_bytes": 1_u64 << 34, "labels": ["room-2"]})
    );

    let mut params = Params::new();
    params.insert("rows", 4096.into()).unwrap();
    params.insert("dtype", "fp32".into()).unwrap();
    let claim = Claim {
        job_id: "job-1".parse().unwrap(),
        lab: lab(),
        params,
        nonce: nonce(),
        lease_ms: 30_000,
        attempt: 1,
        kernel: None,
    };
    assert_eq!(
        round_trip(&claim),
        json!({"job_id": "job-1", "lab": "rmsnorm", "params": {"rows": 4096, "dtype": "fp32"}, "nonce": "a5".repeat(32),
               "lease_ms": 30_000, "attempt": 1})
    );
    let times = vec![StageTime { stage: Stage::Checking, elapsed_ms: 3 }];
    assert_eq!(
        round_trip(&Heartbeat { nonce: nonce(), stage: Stage::Measuring, times, notes: vec![] }),
        json!({"nonce": "a5".repeat(32), "stage": "measuring", "times": [{"stage": "checking", "elapsed_ms": 3}]})
    );
    let notes = vec![Note { number: 7, text: "热身".into() }];
    assert_eq!(
        round_trip(&Heartbeat { nonce: nonce(), stage: Stage::Measuring, times: vec![], notes })["notes"],
        json!([{"number": 7, "text": "热身"}])
    );
    assert_eq!(round_trip(&Lease { lease_ms: 1, cancelled: true }), json!({"lease_ms": 1, "cancelled": true}));
    assert_eq!(round_trip(&signed())["report_base64"], "e30=");
    let receipt = Receipt { job_id: "job-1".parse().unwrap(), stage: Stage::Grading };
    assert_eq!(round_trip(&receipt), json!({"job_id": "job-1", "stage": "grading"}));
    let failure = Failure::new(nonce(), FailureKind::ChildTimedOut, "no end after 60 s");
    assert_eq!(round_trip(&failure)["kind"], "child_timed_out");
}

#[test]
fn a_signed_report_verifies_for_its_claim_only() {
    let (key, job) = (RunnerKey::from_seed(&[1; 32]).public(), "job-1".parse().unwrap());
    let report = signed();
    assert!(report.verify(&key, &job, &nonce()).is_ok());
    assert!(report.verify(&key, &job, &Nonce::from_bytes([0; 32])).is_err());
    assert!(report.verify(&key, &"job-2".parse().unwrap(), &nonce()).is_err());
}

#[test]
fn a_debug_print_of_a_report_does_not_pour_its_bytes_into_a_log() {
    let shown = format!("{:?}", signed());
    assert!(shown.contains("report_bytes: 2") && !shown.contains("[123, 125]"), "{shown}");
}

#[test]
fn what_is_outside_the_limits_is_refused() {
    let refused = |name: &str, ok: bool| assert!(!ok, "{name} got in");
    let read = |value: Value| serde_json::from_value::<SignedReport>(value).is_ok();
    let good = serde_json::to_value(signed()).unwrap();
    assert!(read(good.clone()));
    let with = |field: &str, value: Value| {
        let mut changed = good.clone();
        changed[field] = value;
        changed
    };
    refused("unknown field", read(with("extra", json!(1))));
    refused("short signature", read(with("signature_base64", json!("AAAA"))));
    refused("no base64", read(with("report_base64", json!("@@@@"))));
    refused("report too large", read(with("report_base64", json!("A".repeat(limits::REPORT_BYTES / 3 * 4 + 8)))));
    refused("short nonce", read(with("nonce", json!("a5"))));
    refused("upper-case nonce", read(with("nonce", json!("A5".repeat(32)))));
    let many = vec![json!({"stage": "checking", "elapsed_ms": 1}); limits::STAGE_TIMES + 1];
    refused("too many stage times", read(with("times", json!(many))));

    let beat =
        |stage: &str| serde_json::from_value::<Heartbeat>(json!({"nonce": "a5".repeat(32), "stage": stage})).is_ok();
    for stage in Stage::ALL {
        assert_eq!(beat(stage.id()), stage.is_runners(), "{stage}");
    }
    for text in ["", "../x", "a b", "ü", &"x".repeat(65)] {
        assert!(text.parse::<JobId>().is_err(), "{text:?}");
    }
    let claim = |labs: usize| serde_json::from_value::<ClaimRequest>(json!({"labs": vec!["x"; labs]})).is_ok();
    assert!(claim(limits::LABS) && !claim(limits::LABS + 1));
    let offer = |labels: usize| {
        serde_json::from_value::<ClaimRequest>(json!({"labs": [], "offer": {"labels": vec!["x"; labels]}})).is_ok()
    };
    assert!(offer(limits::LABELS) && !offer(limits::LABELS + 1));
    let says = |notes: usize, text: &str| {
        let notes = vec![json!({"number": 0, "text": text}); notes];
        let beat = json!({"nonce": "a5".repeat(32), "stage": "measuring", "notes": notes});
        serde_json::from_value::<Heartbeat>(beat).is_ok()
    };
    assert!(says(limits::NOTES, "x") && !says(limits::NOTES + 1, "x") && !says(1, "a\nb"));
}

#[test]
fn parameters_are_small_flat_and_named_plainly() {
    let read = |value: Value| serde_json::from_value::<Params>(value).is_ok();
    assert!(read(json!({"rows": 1, "dtype": "fp32"})));
    for bad in [
        json!({"rows": -1}),
        json!({"rows": 1.5}),
        json!({"rows": [1]}),
        json!({"Rows": 1}),
        json!({"": 1}),
        json!([1]),
    ] {
        assert!(!read(bad.clone()), "{bad}");
    }
    assert!(!read(json!({"dtype": "x".repeat(limits::PARAM_TEXT_BYTES + 1)})));
    let mut params = Params::new();
    for n in 0..limits::PARAMS {
        params.insert(&format!("p{n}"), ParamValue::Integer(1)).unwrap();
    }
    assert!(params.insert("p0", ParamValue::Integer(2)).is_ok());
    assert!(params.insert("one_more", ParamValue::Integer(1)).is_err());
}

#[test]
fn a_failure_message_is_cut_at_a_character_and_holds_no_control_characters() {
    let failure = Failure::new(nonce(), FailureKind::Lab, &format!("\u{1b}[31m{}", "显".repeat(5000)));
    assert!(failure.message.len() <= limits::FAILURE_MESSAGE_BYTES);
    assert!(failure.message.starts_with("[31m显") && failure.message.ends_with('显'));
    let long = json!({"nonce": "a5".repeat(32), "kind": "lab", "message": "x".repeat(100_000)});
    let read: Failure = serde_json::from_value(long).unwrap();
    assert_eq!(read.message.len(), limits::FAILURE_MESSAGE_BYTES);
}

#[test]
fn failures_say_who_has_to_act() {
    for kind in FailureKind::ALL {
        let lab = matches!(kind, FailureKind::Parameters | FailureKind::Lab);
        assert_eq!(kind.class() == FailureClass::Lab, lab, "{kind}");
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.id());
    }
}

#[test]
fn stages_have_one_spelling() {
    for stage in Stage::ALL {
        assert_eq!(serde_json::to_value(stage).unwrap(), stage.id());
        assert_eq!(stage.id().parse(), Ok(stage));
        assert!(!(stage.is_final() && stage.is_runners()));
    }
    assert!("Measuring".parse::<Stage>().is_err());
}

#[test]
fn routes_are_those_of_the_interface() {
    let job: JobId = "0197-ab".parse().unwrap();
    assert_eq!(routes::heartbeats(&job), "/api/v1/runner/jobs/0197-ab/heartbeats");
    assert_eq!(routes::reports(&job), "/api/v1/runner/jobs/0197-ab/reports");
    assert_eq!(routes::failures(&job), "/api/v1/runner/jobs/0197-ab/failures");
}
