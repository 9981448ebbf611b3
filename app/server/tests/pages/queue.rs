//! The queue on its pages: what a learner reads while waiting, what a teacher can do, and streams that go on.

use std::pin::pin;

use axum::http::StatusCode;
use protocol::{DeviceClass, FailureKind};
use serde_json::{Value, json};
use server::store::{
    JobId, Role, RunnerId, User, Word,
    jobs::{self, Limits, MAX_CLAIMS, Needs, RETRY_AFTER},
    runners,
};

use crate::site::{Browser, Page, Site};

const WIDE: Limits = Limits { active: 100, running: 100, hourly: 100 };

async fn run(browser: &mut Browser<'_>, body: &Value) -> Page {
    let headers = [("sec-fetch-site", "same-origin"), ("content-type", "application/json")];
    browser.call("POST", "/api/v1/jobs", &headers, &body.to_string()).await
}

fn json_of(page: &Page) -> Value {
    serde_json::from_str(&page.body).unwrap_or_else(|error| panic!("{error}: {}", page.body))
}

async fn wear_out(site: &Site, runner: RunnerId) {
    for _ in 0..MAX_CLAIMS {
        let held = jobs::claim(&site.bed.store, runner, &WIDE).await.expect("an answer").expect("the job");
        let kind = FailureKind::ChildCrashed;
        jobs::fail(&site.bed.store, runner, held.id, &held.nonce, kind, "signal 11").await.expect("held");
        site.bed.clock.advance(RETRY_AFTER * 4);
    }
}

#[tokio::test]
async fn a_waiting_learner_reads_why() {
    let site = Site::open().await;
    let mei = site.account("mei", Role::Instructor).await;
    let (_, code) = site.class(&mei, "A").await;
    let lin = site.member("lin", &code).await;
    let mut browser = site.signed_in("lin").await;
    let cuda = Needs { class: Some(Word(DeviceClass::Gpu)), label: Some("room-2".into()), ..Needs::default() };
    let plain = site.bed.job(lin.id, "rmsnorm").await;
    let picky = site.bed.job_with(lin.id, "rmsnorm", cuda, &WIDE).await.expect("queued");
    let mut says = async |job: JobId, lang: &str| browser.get(&format!("/{lang}/jobs/{job}")).await.body;

    assert!(says(plain, "en").await.contains("No runner that has this lab is connected"));
    assert!(says(plain, "zh").await.contains("没有连接着能跑这个实验的 runner"));
    let runner = site.bed.runner("gpu-1", Some(mei.id)).await;
    assert!(!says(plain, "en").await.contains("is connected"));
    assert!(says(picky, "en").await.contains("No runner with GPU, room-2 is connected"));
    assert!(says(picky, "zh").await.contains("没有连接着带 GPU, room-2 的 runner"));
    runners::set_paused(&site.bed.store, mei.viewer(), None, true).await.expect("paused");
    assert!(says(plain, "en").await.contains("The instructor has paused the runners"));
    assert!(says(plain, "zh").await.contains("教师暂停了 runner"));
    runners::set_paused(&site.bed.store, mei.viewer(), None, false).await.expect("resumed");
    let held = jobs::claim(&site.bed.store, runner, &WIDE).await.expect("an answer").expect("the job");
    let kind = FailureKind::ChildCrashed;
    jobs::fail(&site.bed.store, runner, held.id, &held.nonce, kind, "signal 11").await.expect("held");
    let page = says(plain, "en").await;
    assert!(page.contains("tried again by itself at 2026-03-01T00:00:05Z"), "{page}");
    // The log is on the page, and without JavaScript the page comes again.
    assert!(page.contains("attempt 1 failed: child_crashed: signal 11") && page.contains("http-equiv=\"refresh\""));
    assert!(says(plain, "zh").await.contains("第 1 次失败"));
}

#[tokio::test]
async fn a_refusal_says_when_the_next_may_start() {
    let site = Site::limited(Limits { active: 2, running: 2, hourly: 3 }).await;
    let lin = site.account("lin", Role::Learner).await;
    let mut browser = site.signed_in("lin").await;
    let lab = json!({ "lab": "rmsnorm" });
    let first = json_of(&run(&mut browser, &lab).await);
    assert_eq!((first["state"].as_str(), first["lab"].as_str()), (Some("queued"), Some("rmsnorm")));
    assert_eq!(run(&mut browser, &lab).await.status, StatusCode::CREATED);

    let refused = run(&mut browser, &lab).await;
    assert_eq!((refused.status, refused.header("retry-after")), (StatusCode::TOO_MANY_REQUESTS, ""));
    assert_eq!(json_of(&refused)["refusal"], json!({ "code": "too_many", "limit": 2 }));
    let page = browser.post("/zh/labs/rmsnorm/jobs", &[]).await;
    assert_eq!(page.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(page.body.contains("等其中一次结束或取消它"), "{}", page.body);

    // One ends; one more may start; then the hour is full.
    let runner = site.bed.runner("r", None).await;
    for _ in 0..2 {
        let held = jobs::claim(&site.bed.store, runner, &WIDE).await.expect("an answer").expect("a job");
        jobs::fail(&site.bed.store, runner, held.id, &held.nonce, FailureKind::Lab, "").await.expect("held");
    }
    assert_eq!(run(&mut browser, &lab).await.status, StatusCode::CREATED);
    let refused = run(&mut browser, &lab).await;
    assert_eq!((refused.status, refused.header("retry-after")), (StatusCode::TOO_MANY_REQUESTS, "3600"));
    let refusal = json!({ "code": "too_often", "limit": 3, "wait_s": 3600, "at": "2026-03-01T01:00:00Z" });
    assert_eq!(json_of(&refused)["refusal"], refusal);
    for (lang, text) in
        [("zh", "下一次最早在 60 分钟后（2026-03-01T01:00:00Z）"), ("en", "may start in 60 min (2026-03-01T01:00:00Z)")]
    {
        let page = browser.post(&format!("/{lang}/labs/rmsnorm/jobs"), &[]).await;
        assert!(page.body.contains(text), "{}", page.body);
    }
    // Cancelling frees at once.
    let waiting = jobs::list(&site.bed.store, lin.viewer(), lin.id, 1).await.expect("jobs").remove(0);
    let headers = [("sec-fetch-site", "same-origin")];
    let gone = browser.call("DELETE", &format!("/api/v1/jobs/{}", waiting.id), &headers, "").await;
    assert_eq!(gone.status, StatusCode::NO_CONTENT);
    assert_eq!(run(&mut browser, &lab).await.status, StatusCode::CREATED);
}

#[tokio::test]
async fn what_a_run_needs_is_checked() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    let mut browser = site.signed_in("lin").await;
    for (needs, status, pointer) in [
        (json!({ "backend": "abacus" }), StatusCode::BAD_REQUEST, "/needs/backend"),
        (json!({ "memory_bytes": u64::MAX }), StatusCode::BAD_REQUEST, "/needs/memory_bytes"),
        (json!({ "device_class": "tpu" }), StatusCode::UNPROCESSABLE_ENTITY, "/needs/device_class"),
        (json!({ "label": "a b" }), StatusCode::UNPROCESSABLE_ENTITY, "/needs/label"),
        (json!({ "speed": 1 }), StatusCode::UNPROCESSABLE_ENTITY, "/needs"),
    ] {
        let page = run(&mut browser, &json!({ "lab": "rmsnorm", "needs": needs })).await;
        assert_eq!(page.status, status, "{needs}: {}", page.body);
        assert!(json_of(&page)["pointer"].as_str().is_some_and(|p| p.starts_with(pointer)), "{}", page.body);
    }
    let needs = json!({ "backend": "cpu", "device_class": "gpu", "memory_bytes": 1_u64 << 34, "label": "room-2" });
    let job = json_of(&run(&mut browser, &json!({ "lab": "rmsnorm", "needs": needs })).await);
    assert_eq!(job["wait"], json!({ "for": "runner", "needs": "CPU, GPU, 16.00 GiB, room-2" }));
    let page = browser.post("/en/labs/rmsnorm/jobs", &[("needs-backend", "cpu"), ("rows", "8")]).await;
    assert_eq!(page.status, StatusCode::SEE_OTHER);
    assert!(browser.get(page.location()).await.body.contains("No runner with CPU is connected"));
}

/// A job that is over has a stream that ends: all of it can be read.
#[tokio::test]
async fn a_stream_goes_on_behind_the_last_line() {
    let site = Site::open().await;
    let (lin, _) = (site.account("lin", Role::Learner).await, site.account("wen", Role::Learner).await);
    let (job, runner) = (site.bed.job(lin.id, "rmsnorm").await, site.bed.runner("r", None).await);
    jobs::claim(&site.bed.store, runner, &WIDE).await.expect("an answer").expect("the job");
    assert!(jobs::cancel(&site.bed.store, lin.viewer(), job).await.expect("an answer"));
    let (mut own, mut other) = (site.signed_in("lin").await, site.signed_in("wen").await);
    let url = format!("/api/v1/jobs/{job}/events");
    for (url, last, ids) in [
        (url.clone(), None, vec!["1", "2", "3"]),
        (format!("{url}?after=1"), None, vec!["2", "3"]),
        (format!("{url}?after=1"), Some("2"), vec!["3"]),
        (url.clone(), Some("3"), vec![]),
        (url.clone(), Some("nonsense"), vec!["1", "2", "3"]),
    ] {
        let last = last.map(|last| ("last-event-id", last));
        let headers: Vec<_> = [("sec-fetch-site", "same-origin")].into_iter().chain(last).collect();
        let page = own.call("GET", &url, &headers, "").await;
        let found: Vec<&str> = page.body.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
        assert_eq!(found, ids, "{url} {last:?}: {}", page.body);
        assert!(page.body.contains("\"state\":\"cancelled\"") && page.body.trim_end().ends_with("data: end"));
    }
    assert_eq!(other.get(&url).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_teacher_looks_after_the_queue() {
    let site = Site::open().await;
    let (mei, kai) = (site.account("mei", Role::Instructor).await, site.account("kai", Role::Instructor).await);
    let ((class, code), _) = (site.class(&mei, "A").await, site.class(&kai, "B").await);
    let lin = site.member("lin", &code).await;
    let runner = site.bed.runner("教室 1", Some(mei.id)).await;
    let job = site.bed.job(lin.id, "rmsnorm").await;
    wear_out(&site, runner).await;
    let waiting = site.bed.job(lin.id, "rmsnorm").await;

    let (mut own, mut other) = (site.signed_in("mei").await, site.signed_in("kai").await);
    for (lang, texts) in [
        ("en", ["attempt 3 failed: child_crashed: signal 11", "waits, 1", "Pause all"]),
        ("zh", ["第 3 次失败：child_crashed: signal 11", "排队 1", "全部暂停"]),
    ] {
        let page = own.get(&format!("/{lang}/class/queue")).await;
        for text in texts {
            assert!(page.body.contains(text), "{lang} {text}: {}", page.body);
        }
    }
    let theirs = other.get("/en/class/queue").await.body;
    assert!(!theirs.contains("<bdi>lin</bdi>") && !theirs.contains("教室 1"), "{theirs}");

    let act = async |who: &mut Browser<'_>, what: &str, field: &str, value: &str| {
        who.post(&format!("/en/class/queue/{what}"), &[(field, value)]).await.verdict()
    };
    let (job, runner) = (job.to_string(), runner.to_string());
    for (what, field, value) in [
        ("requeue", "id", job.clone()),
        ("dismiss", "id", job.clone()),
        ("cancel", "id", waiting.to_string()),
        ("pause", "set", format!("true {runner}")),
        ("priority", "set", format!("true {class}")),
    ] {
        assert_eq!(act(&mut other, what, field, &value).await, "404", "{what}");
        if what != "dismiss" {
            assert_eq!(act(&mut own, what, field, &value).await, "303", "{what}");
        }
    }
    // Pressed twice is pressed once.
    assert_eq!(act(&mut own, "pause", "set", &format!("true {runner}")).await, "303");
    let page = own.get("/en/class/queue").await.body;
    for text in ["paused", "Let all go on", "goes first", "No longer first"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains("attempt 3 failed"), "it waits again");
    let audit = own.get(&format!("/en/class/{class}/audit")).await.body;
    for text in ["queued a failed job again", "cancelled a job", "set whether the class goes first"] {
        assert!(audit.contains(text), "{text}: {audit}");
    }
}

/// Runners whose question is open hear at once of what an instructor sets free, and of nothing else.
#[tokio::test]
async fn waiting_runners_hear_what_an_instructor_sets_free() {
    let site = Site::open().await;
    let mei = site.account("mei", Role::Instructor).await;
    let (_, code) = site.class(&mei, "A").await;
    let lin = site.member("lin", &code).await;
    let runner = site.bed.runner("r", Some(mei.id)).await;
    let job = site.bed.job(lin.id, "rmsnorm").await.to_string();
    wear_out(&site, runner).await;
    let mut own = site.signed_in("mei").await;
    let running = format!("false {runner}");
    for (what, field, value, verdict, heard) in [
        ("requeue", "id", job.as_str(), "303", true),
        ("requeue", "id", &job, "404", false),
        ("pause", "set", "true", "303", false),
        ("pause", "set", &running, "303", true),
        ("cancel", "id", &job, "303", true),
        ("dismiss", "id", &job, "404", false),
    ] {
        let mut moved = pin!(site.app.queue_moved.notified());
        moved.as_mut().enable();
        assert_eq!(own.post(&format!("/en/class/queue/{what}"), &[(field, value)]).await.verdict(), verdict, "{what}");
        assert_eq!(moved.enable(), heard, "{what} {value}");
    }
}

/// A learner sees a place in line and nobody else's name.
#[tokio::test]
async fn a_place_reveals_no_names() {
    let site = Site::open().await;
    let people: Vec<User> =
        [site.account("lin", Role::Learner).await, site.account("wenling", Role::Learner).await].into();
    site.bed.job(people[1].id, "rmsnorm").await;
    site.bed.clock.advance(RETRY_AFTER);
    let job = site.bed.job(people[0].id, "rmsnorm").await;
    let mut browser = site.signed_in("lin").await;
    let page = browser.get(&format!("/en/jobs/{job}")).await.body;
    assert!(page.contains("1 before you") && !page.contains("wenling"), "{page}");
    assert_eq!(browser.get("/en/class/queue").await.status, StatusCode::FORBIDDEN);
}
