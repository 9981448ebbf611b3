//! Writing a kernel: what the field holds, what is sent on to a runner, and who may see it.

use axum::http::StatusCode;
use serde_json::{Value, json};
use server::store::{Role, jobs, kernels};

use crate::site::Site;

const PATH: &str = "/en/labs/rmsnorm/kernel";

#[tokio::test]
async fn a_kernel_goes_with_its_run_and_comes_back_to_its_learner_alone() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    site.account("ana", Role::Learner).await;
    let (mut lin, mut ana) = (site.signed_in("lin").await, site.signed_in("ana").await);
    let starter = lin.get(PATH).await;
    assert_eq!(starter.status, StatusCode::OK);
    assert!(starter.body.contains("__global__ void rmsnorm_fused("), "the field starts with the exercise's text");
    assert!(lin.get("/en/labs/rmsnorm").await.body.contains("href=\"/en/labs/rmsnorm/kernel\""));
    assert_eq!(lin.get("/en/labs/76/kernel").await.status, StatusCode::NOT_FOUND, "no exercise");

    // As a browser sends it.
    let sent = lin.post(PATH, &[("kernel", "// mine <b>\r\nextern \"C\" void k() {}\r\n")]).await;
    assert_eq!(sent.verdict(), "303");
    let job = sent.location().rsplit('/').next().expect("an id").to_owned();
    let shown = lin.get(&format!("{PATH}?job={job}")).await;
    assert!(shown.body.contains("// mine &lt;b&gt;\nextern"), "{}", shown.body);
    assert!(lin.get(PATH).await.body.contains("// mine"), "the last one is what the field holds");
    assert!(!lin.get(&format!("{PATH}?fresh=1")).await.body.contains("// mine"));
    assert!(lin.get(&format!("/en/jobs/{job}")).await.body.contains(&format!("{PATH}?job={job}")));
    for other in [format!("{PATH}?job={job}"), format!("{PATH}?job=nonsense")] {
        assert_eq!(ana.get(&other).await.status, StatusCode::NOT_FOUND);
    }
    assert!(!ana.get(PATH).await.body.contains("// mine"));

    let id = job.parse().expect("an id");
    let kept = kernels::of_job(&site.bed.store, id).await.expect("an answer").expect("the kernel");
    assert_eq!(kept.text.as_str(), "// mine <b>\nextern \"C\" void k() {}\n");
    let runner = site.bed.runner("r", None).await;
    let claimed = jobs::claim(&site.bed.store, runner, &Default::default()).await.expect("an answer").expect("the job");
    assert_eq!(claimed.id, id);
}

#[tokio::test]
async fn each_language_has_its_own_text_and_its_own_kind_of_runner() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    let mut lin = site.signed_in("lin").await;
    let wgsl = format!("{PATH}?language=wgsl");
    assert!(lin.get(&wgsl).await.body.contains("@compute @workgroup_size(256)\nfn rmsnorm_fused("));
    assert_eq!(lin.get(&format!("{PATH}?language=opencl")).await.status, StatusCode::NOT_FOUND);
    for (language, text) in [("cuda", "// one"), ("wgsl", "// two")] {
        assert_eq!(lin.post(PATH, &[("kernel", text), ("language", language)]).await.verdict(), "303");
    }
    assert_eq!(lin.post(PATH, &[("kernel", "x"), ("language", "opencl")]).await.status, StatusCode::BAD_REQUEST);
    assert!(lin.get(PATH).await.body.contains("// two"), "the last one of all");
    assert!(lin.get(&format!("{PATH}?language=cuda")).await.body.contains("// one"));
    assert!(lin.get(&wgsl).await.body.contains("// two"));
    let mut backends = site.bed.column("jobs", "needs_backend").await;
    backends.sort();
    assert_eq!(backends, ["cpu", "wgpu"]);
}

#[tokio::test]
async fn what_is_no_kernel_is_refused_and_stays_in_the_field() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    let mut lin = site.signed_in("lin").await;
    let long = format!("// kept\n{}", "x".repeat(64 * 1024));
    for (text, why) in
        [("", "no source"), ("// kept\u{7}", "Line 1 has a control character"), (long.as_str(), "at most")]
    {
        let page = lin.post(PATH, &[("kernel", text)]).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{why}");
        assert!(page.body.contains(why), "{why}");
        assert!(text.is_empty() || page.body.contains("// kept"), "{why}: what was written is not lost");
    }
    assert_eq!(site.bed.column("jobs", "id").await.len(), 0);

    // Over the API the same holds, and a lab without an exercise takes none.
    let headers = [("content-type", "application/json"), ("sec-fetch-site", "same-origin")];
    let kernel = |language: &str| json!({ "language": language, "text": "// k" });
    let cases = [
        (json!({ "lab": "kv-quant", "kernel": kernel("wgsl") }), 400),
        (json!({ "lab": "rmsnorm", "kernel": kernel("opencl") }), 422),
        (json!({ "lab": "rmsnorm", "kernel": { "language": "cuda", "text": "" } }), 422),
        (json!({ "lab": "rmsnorm", "kernel": kernel("cuda") }), 201),
    ];
    for (body, status) in cases {
        let page = lin.call("POST", "/api/v1/jobs", &headers, &body.to_string()).await;
        assert_eq!(page.status.as_u16(), status, "{body}: {}", page.body);
        let _: Value = serde_json::from_str(&page.body).expect("JSON");
    }
}
