//! What a runner hands in, over its API: only the report that its job asks for is graded.

use std::time::Duration;

use axum::http::StatusCode;
use protocol::{Nonce, PublicKey, RunnerKey, SignedReport};
use serde_json::{Value, json};
use server::store::{Role, grades, jobs, runners};
use sha2::{Digest as _, Sha256};

use crate::{
    bed,
    site::{Browser, Page, Site},
};

/// What the CPU program of lab rmsnorm reports, in short.
fn report() -> Value {
    let run = |name: &str, time: f64| {
        let runs: Vec<Value> = [time, time + 0.1, time - 0.1].iter().map(|t| json!({ "time_ms": t })).collect();
        json!({ "name": name, "status": "ok", "metrics": { "time_ms": time, "timer": "host" }, "runs": runs })
    };
    json!({
        "schema": "vramlab-report/v1", "lab": "rmsnorm",
        "workload": { "kernel": { "operation": "rmsnorm", "shape": { "rows": 64, "hidden": 4096 }, "dtype": "fp32" } },
        "device": { "backend": "cpu", "name": "Reference processor", "kind": "cpu" },
        "level": "cpu_benchmark",
        "candidates": [run("baseline", 4.0), run("fused", 2.0)],
        "decision": { "decision": "accept", "reason": "faster", "next_action": "adopt it" },
    })
}

struct Runner<'a> {
    browser: Browser<'a>,
    key: RunnerKey,
    bearer: String,
    backends: &'static [&'static str],
}

impl Runner<'_> {
    async fn send(&mut self, method: &str, path: &str, body: &Value) -> Page {
        let headers = [("authorization", self.bearer.as_str()), ("content-type", "application/json")];
        self.browser.call(method, &format!("/api/v1/runner/{path}"), &headers, &body.to_string()).await
    }

    async fn ask(&mut self) -> Page {
        let offer = json!({ "labs": ["rmsnorm"], "offer": { "backends": self.backends, "device_class": "cpu" } });
        self.send("POST", "claims", &offer).await
    }

    async fn claim(&mut self) -> Option<(String, Nonce)> {
        let page = self.ask().await;
        let claim: Value = serde_json::from_str(&page.body).ok()?;
        let text = |key: &str| claim[key].as_str().expect("text").to_owned();
        Some((text("job_id"), text("nonce").parse().expect("a nonce")))
    }

    async fn report(&mut self, job: &str, nonce: &Nonce, report: &Value) -> Page {
        let id = job.parse().expect("an id");
        let signed =
            SignedReport::sign(&self.key, report.to_string().into_bytes(), &id, nonce, vec![]).expect("signed");
        self.send("POST", &format!("jobs/{job}/reports"), &serde_json::to_value(signed).expect("JSON")).await
    }
}

async fn runner<'a>(site: &'a Site, by: Option<server::store::UserId>) -> Runner<'a> {
    let made = runners::register(&site.bed.store, "r", by).await.expect("a runner");
    runner_with(site, made.token.reveal()).await
}

async fn runner_with<'a>(site: &'a Site, token: &str) -> Runner<'a> {
    let key = RunnerKey::from_seed(&[7; 32]);
    let public: PublicKey = key.public();
    let bearer = format!("Bearer {token}");
    let mut runner = Runner { browser: site.browser(), key, bearer, backends: &["cpu"] };
    let identity = json!({ "public_key": public.to_string(), "name": "r", "facts": { "version": "0.1.0", "os": "linux", "arch": "x86_64" } });
    let page = runner.send("PUT", "identity", &identity).await;
    assert_eq!(page.status, StatusCode::NO_CONTENT, "{}", page.body);
    runner
}

#[tokio::test]
async fn only_the_report_that_was_asked_for_is_graded() {
    let site = Site::open().await;
    let lin = site.account("lin", Role::Learner).await;
    let params = bed::json(r#"{"rows": 64, "seed": 1}"#);
    let new = jobs::NewJob { lab: "rmsnorm", params: &params, needs: Default::default(), kernel: None };
    jobs::enqueue(&site.bed.store, lin.id, &new, &Default::default()).await.expect("queued");
    let mut runner = runner(&site, None).await;
    let (job, nonce) = runner.claim().await.expect("the job");

    let gpu = json!({ "backend": "reported", "name": "NVIDIA H200", "kind": "discrete_gpu" });
    let double = json!({ "backend": "cuda_test_double", "name": "fake", "kind": "other" });
    let cases = [
        ("/lab", "/lab", json!("76")),
        ("/device", "/device/backend", gpu),
        ("/device", "/device/backend", double),
        ("/device", "/device/backend", Value::Null),
        ("/workload/kernel/shape/rows", "/workload/kernel/shape/rows", json!(65)),
        ("/workload/kernel/shape", "/workload/kernel/shape/rows", json!({})),
    ];
    for (place, pointer, value) in cases {
        let mut wrong = report();
        *wrong.pointer_mut(place).expect("the place") = value;
        if wrong["device"].is_null() {
            wrong.as_object_mut().expect("an object").remove("device");
        }
        let page = runner.report(&job, &nonce, &wrong).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{pointer}: {}", page.body);
        assert!(page.body.contains(&format!("\"pointer\":\"{pointer}\"")), "{pointer}: {}", page.body);
    }
    let mut code = report();
    code["learner_code"] = json!({ "kernel": "rmsnorm_fused", "language": "cuda", "sha256": "0".repeat(64) });
    let page = runner.report(&job, &nonce, &code).await;
    assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", page.body);
    assert!(page.body.contains("the job runs no learner's kernel"), "{}", page.body);
    assert_eq!(site.bed.column("reports", "id").await.len(), 0, "nothing was stored");

    let page = runner.report(&job, &nonce, &report()).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.body);
    let graded = grades::latest_of_user(&site.bed.store, lin.viewer(), lin.id).await.expect("grades");
    assert_eq!(graded.iter().map(|g| (g.class.id(), g.gpu_earned)).collect::<Vec<_>>(), [("cpu", 0)]);
}

/// A lab may run on several backends; a report names one that its runner has and that the job asked for.
#[tokio::test]
async fn a_report_names_a_backend_that_its_runner_offers_and_its_job_needs() {
    let site = Site::open().await;
    let lin = site.account("lin", Role::Learner).await;
    let params = bed::json(r#"{"rows": 64, "seed": 1}"#);
    let on_cpu = jobs::Needs { backend: Some("cpu".into()), ..Default::default() };
    let new = jobs::NewJob { lab: "rmsnorm", params: &params, needs: on_cpu, kernel: None };
    jobs::enqueue(&site.bed.store, lin.id, &new, &Default::default()).await.expect("queued");
    let mut runner = runner(&site, None).await;
    let (job, nonce) = runner.claim().await.expect("the job");
    let mut elsewhere = report();
    elsewhere["device"] = json!({ "backend": "wgpu", "name": "llvmpipe", "kind": "cpu" });

    for (backends, why) in [
        (&["cpu"][..], "the runner asked for jobs with cpu; the report names wgpu"),
        (&[], "the runner asked for jobs with no backend; the report names wgpu"),
        (&["cpu", "wgpu"], "the job needs cpu; the report names wgpu"),
    ] {
        // What counts is the last thing that the runner said of itself.
        runner.backends = backends;
        assert!(runner.claim().await.is_none());
        let page = runner.report(&job, &nonce, &elsewhere).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", page.body);
        assert!(page.body.contains(why) && page.body.contains("\"pointer\":\"/device/backend\""), "{}", page.body);
    }
    assert_eq!(site.bed.column("reports", "id").await.len(), 0, "nothing was stored");
    assert_eq!(runner.report(&job, &nonce, &report()).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_token_ends_when_its_time_is_over() {
    let site = Site::open().await;
    site.account("mei", Role::Instructor).await;
    let mut mei = site.signed_in("mei").await;
    let form = mei.get("/en/class").await.body;
    assert_eq!(form.matches("<option").count(), 3, "{form}");
    assert!(form.contains("<option value=\"180\" selected"), "{form}");
    for days in ["31", "-1", "", "for ever"] {
        let page = mei.post("/en/class/runners", &[("name", "gpu-1"), ("days", days)]).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{days}");
        assert!(page.body.contains("id=\"runner-days-problem\"") && page.body.contains("value=\"gpu-1\""), "{days}");
    }
    assert_eq!(site.bed.column("runners", "id").await.len(), 0, "nothing was registered");

    let made = mei.post("/en/class/runners", &[("name", "gpu-1"), ("days", "30")]).await;
    assert!(made.body.contains("2026-03-31T00:00:00Z"), "{}", made.body);
    let mut runner = runner_with(&site, &made.secret()).await;
    let day = Duration::from_secs(24 * 60 * 60);
    site.bed.clock.advance(day);
    for (lang, text) in [("en", "29 days left"), ("zh", "还有 29 天")] {
        assert!(mei.get(&format!("/{lang}/class")).await.body.contains(text), "{lang}");
    }
    site.bed.clock.advance(day * 29 - Duration::from_millis(1));
    assert_eq!(runner.ask().await.status, StatusCode::NO_CONTENT, "just before");

    site.bed.clock.advance(Duration::from_millis(1));
    let page = runner.ask().await;
    assert_eq!((page.status, page.header("content-type")), (StatusCode::UNAUTHORIZED, "application/problem+json"));
    assert!(page.header("www-authenticate").starts_with("Bearer"));
    let problem: Value = serde_json::from_str(&page.body).expect("JSON");
    assert_eq!(problem["type"], protocol::TOKEN_EXPIRED);
    let detail = problem["detail"].as_str().expect("a text");
    assert!(detail.contains("ended at 2026-03-31T00:00:00Z") && detail.contains("class page"), "{detail}");

    // Sessions of people end too; this is another one.
    let mut mei = site.signed_in("mei").await;
    for (lang, text) in [("en", "token expired"), ("zh", "令牌已过期")] {
        assert!(mei.get(&format!("/{lang}/class")).await.body.contains(text), "{lang}");
    }
    // A revoked token is not told from one that never was, though its time is over as well.
    let id = mei.get("/en/class").await.between("name=\"id\" value=\"", "\"").expect("an id").to_owned();
    assert_eq!(mei.post("/en/class/runners/revoke", &[("id", &id)]).await.verdict(), "303");
    let page = runner.ask().await;
    assert_eq!(page.status, StatusCode::UNAUTHORIZED);
    assert!(!page.body.contains(protocol::TOKEN_EXPIRED), "{}", page.body);
}

/// One that was registered before tokens ended.
#[tokio::test]
async fn a_token_without_an_end_goes_on() {
    let site = Site::open().await;
    site.account("mei", Role::Instructor).await;
    let mut mei = site.signed_in("mei").await;
    let made = mei.post("/en/class/runners", &[("name", "gpu-1")]).await;
    let mut runner = runner_with(&site, &made.secret()).await;
    site.bed.sql("UPDATE runners SET expires_ms = NULL").await.expect("as it was");
    site.bed.clock.advance(Duration::from_secs(200 * 24 * 60 * 60));
    assert_eq!(runner.ask().await.status, StatusCode::NO_CONTENT);
    let page = site.signed_in("mei").await.get("/en/class").await;
    assert!(page.body.contains("no end"), "{}", page.verdict());
}

#[tokio::test]
async fn a_runner_takes_jobs_of_its_instructors_learners() {
    let site = Site::open().await;
    let (mei, kai) = (site.account("mei", Role::Instructor).await, site.account("kai", Role::Instructor).await);
    let (_, code) = site.class(&mei, "A").await;
    let lin = site.member("lin", &code).await;
    site.bed.job(lin.id, "rmsnorm").await;
    assert!(runner(&site, Some(kai.id)).await.claim().await.is_none());
    assert!(runner(&site, Some(mei.id)).await.claim().await.is_some());
    // Another instructor's page has none of it.
    let (mut own, mut other) = (site.signed_in("mei").await, site.signed_in("kai").await);
    for (lang, sentence) in [("en", "learners of the classes you teach"), ("zh", "你所教班级学习者")] {
        assert!(own.get(&format!("/{lang}/class")).await.body.contains(sentence), "{lang}");
    }
    let id = own.get("/en/class").await.between("name=\"id\" value=\"", "\"").expect("an id").to_owned();
    assert_eq!(other.post("/en/class/runners/revoke", &[("id", &id)]).await.status, StatusCode::NOT_FOUND);
    assert_eq!(own.post("/en/class/runners/revoke", &[("id", &id)]).await.verdict(), "303");
}

#[tokio::test]
async fn names_can_be_read() {
    let site = Site::open().await;
    site.account("mei", Role::Instructor).await;
    let mut mei = site.signed_in("mei").await;
    for (path, form) in [("/en/class", "class"), ("/en/class/runners", "runner"), ("/en/account/tokens", "token")] {
        let page = mei.post(path, &[("name", "\u{200b}\u{202e}"), ("scope", "reports:read")]).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{path}");
        assert!(page.body.contains(&format!("id=\"{form}-name-problem\"")), "{path}");
    }
    let (mut site_wide, unseen) = (site.browser(), ("display_name", "\u{3164}"));
    let page = site_wide
        .post("/en/sign-up", &[("code", "x"), ("login", "lin"), unseen, ("password", "long enough it is")])
        .await;
    assert!(page.body.contains("at least one of them a letter or digit"), "{}", page.body);
}

/// Scopes that no route asks for are neither shown nor given.
#[tokio::test]
async fn only_scopes_that_open_something_are_offered() {
    let site = Site::open().await;
    site.account("mei", Role::Instructor).await;
    let mut mei = site.signed_in("mei").await;
    let page = mei.get("/en/account").await.body;
    for (scope, offered) in
        [("reports:read", true), ("reports:submit", true), ("jobs:run", false), ("gradebook:read", false)]
    {
        assert_eq!(page.contains(&format!("value=\"{scope}\"")), offered, "{scope}");
        let made = mei.post("/en/account/tokens", &[("name", "t"), ("scope", scope)]).await;
        assert_eq!(made.status == StatusCode::OK, offered, "{scope}");
    }
}

#[tokio::test]
async fn what_a_kernel_takes_of_a_card_is_on_its_page_and_on_that_of_its_report() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    let mut lin = site.signed_in("lin").await;
    let mut runner = runner(&site, None).await;
    let target = |capability: u32, registers: u64, percent: u64| {
        json!({ "capability": capability, "registers_per_thread": registers, "shared_bytes": 32, "local_bytes": 0,
            "spill_store_bytes": 12, "spill_load_bytes": 0, "max_threads_per_block": 256, "blocks_per_multiprocessor": 6,
            "warps_per_multiprocessor": percent, "max_warps_per_multiprocessor": 100,
            "limited_by": ["registers", "shared_memory"] })
    };
    let found =
        json!({ "compiler": "NVRTC 12.0", "block_threads": 256, "targets": [target(80, 40, 75), target(90, 41, 74)] });
    let refused = json!({ "compiler": "NVRTC 12.0", "block_threads": 256, "refused": "kernel.cu:2: error: no <b>" });
    for (resources, told) in [
        (found, ["<td class=\"n\">40</td>", ">sm_90<", "75%", "registers, shared memory", "12 B"]),
        (
            refused,
            [
                "does not compile for a card",
                "kernel.cu:2: error: no &lt;b&gt;",
                "NVRTC 12.0",
                "256 threads",
                "not measured",
            ],
        ),
        (
            Value::Null,
            ["has no NVIDIA compiler", "nvidia-cuda-nvrtc-cu12", "--nvrtc", "pip install", "It needs no GPU"],
        ),
    ] {
        let text = format!("// {told:?}\n");
        let sha256: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        let sent = lin.post("/en/labs/rmsnorm/kernel", &[("kernel", &text)]).await;
        let job = sent.location().rsplit('/').next().expect("an id").to_owned();
        let (claimed, nonce) = runner.claim().await.expect("the job");
        assert_eq!(claimed, job);
        let mut report = report();
        let asked = site.bed.column("jobs", "params").await;
        let asked: Value = serde_json::from_str(asked.last().expect("a job")).expect("JSON");
        for size in ["rows", "hidden"].iter().filter(|size| asked.get(**size).is_some()) {
            report["workload"]["kernel"]["shape"][*size] = asked[*size].clone();
        }
        report["learner_code"] = json!({ "kernel": "rmsnorm_fused", "language": "cuda", "sha256": sha256 });
        if !resources.is_null() {
            report["learner_code"]["resources"] = resources.clone();
        }
        let page = runner.report(&job, &nonce, &report).await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.body);
        let kernel = lin.get(&format!("/en/labs/rmsnorm/kernel?job={job}")).await.body;
        let start = kernel.find("href=\"/en/reports/").expect("a report") + 6;
        let path = kernel[start..].split('"').next().expect("a link").to_owned();
        for page in [kernel.clone(), lin.get(&path).await.body] {
            for words in told {
                assert!(page.contains(words), "{words}: {page}");
            }
        }
        assert_eq!(kernel.contains("data-lines=\"2\""), resources.get("refused").is_some(), "the line is marked");
        let chinese = lin.get(&format!("/zh/labs/rmsnorm/kernel?job={job}")).await.body;
        assert!(chinese.contains("在显卡上占用的资源"));
    }
}
