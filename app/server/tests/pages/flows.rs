//! The flows around a gradebook: regrade, threads, statistics, files, copies.

use std::time::Duration;

use axum::http::{Request, StatusCode, header};
use evidence::{CheckStatus, GRADER, Grade};
use serde_json::json;
use server::{
    grading::{self, Received},
    regrade,
    store::{
        JsonText, ReportId, Role, User,
        api_tokens::{self, Scope, Scopes},
        audit, grades, overrides,
    },
};

use crate::site::{Browser, Page, Site};

/// A kernel lab on a CPU, with its times.
fn kernel(times: [[f64; 3]; 2]) -> String {
    let mean = |times: [f64; 3]| times.iter().sum::<f64>() / 3.0;
    let runs = |times: [f64; 3]| times.map(|time| json!({"time_ms": time})).to_vec();
    json!({
        "schema": "vramlab-report/v1", "lab": "rmsnorm",
        "workload": {"kernel": {"operation": "rmsnorm", "shape": {"rows": 1024, "hidden": 2048}, "dtype": "fp32",
                                "warmup": 3, "iters": 10, "seed": 1}},
        "device": {"backend": "cpu", "name": "Reference processor", "kind": "cpu"},
        "level": "cpu_benchmark",
        "candidates": [
            {"name": "baseline", "status": "ok", "metrics": {"time_ms": mean(times[0]), "timer": "host", "bytes_moved": 41_951_232},
             "quality": {"max_rel_error": 1e-7, "tolerance": 1e-5}, "runs": runs(times[0])},
            {"name": "fused", "status": "ok", "metrics": {"time_ms": mean(times[1]), "timer": "host", "bytes_moved": 16_785_408},
             "quality": {"max_rel_error": 2e-7, "tolerance": 1e-5}, "runs": runs(times[1])},
        ],
        "budget": {"min_speedup": 1.1},
        "decision": {"decision": "accept", "reason": "faster", "next_action": "adopt it"},
    })
    .to_string()
}

const TIMES: [[f64; 3]; 2] = [[4.013, 4.127, 3.961], [2.031, 2.094, 1.917]];

async fn hand_in(site: &Site, user: &User, report: &str) -> (ReportId, Grade) {
    let received = grading::store_and_grade(&site.bed.store, user, report.as_bytes().to_vec()).await;
    match received.expect("stored") {
        Received::Graded { id, grade: Some(grade), .. } => (id, *grade),
        _ => panic!("not graded, or not shown"),
    }
}

/// The background's work, until there is none.
async fn work(site: &Site) {
    while regrade::step(&site.bed.store).await.expect("a step") {}
}

/// A counting grade as an earlier grader would have given it: fewer points, one check otherwise.
async fn older(site: &Site, report: ReportId, grade: &Grade) {
    let mut old = grade.clone();
    old.grader = "0.9".to_owned();
    old.points.cpu.earned = 1;
    let check = old.checks.iter_mut().find(|check| check.id == "kernel_error_within_tolerance").expect("the check");
    check.status = CheckStatus::Fail;
    site.bed.clock.advance(Duration::from_secs(1));
    let new = grades::NewGrade {
        grader_version: "0.9",
        cpu: grades::Earned { earned: 1, possible: grade.points.cpu.possible },
        grade: JsonText::of(&old).expect("JSON"),
        ..grading::columns(report, grade).expect("columns")
    };
    grades::append(&site.bed.store, &new).await.expect("graded");
    site.bed.clock.advance(Duration::from_secs(1));
}

async fn versions(site: &Site, user: &User, report: ReportId) -> Vec<(String, i64)> {
    let all = grades::of_report(&site.bed.store, user.viewer(), report).await.expect("grades");
    all.into_iter().map(|grade| (grade.grader_version, grade.cpu_earned)).collect()
}

#[tokio::test]
async fn a_regrade_is_looked_at_before_anybody_sees_it() {
    let site = Site::open().await;
    let (mei, _) = (site.account("mei", Role::Instructor).await, site.account("kai", Role::Instructor).await);
    let (class, code) = site.class(&mei, "A").await;
    let lin = site.member("lin", &code).await;
    let (report, grade) = hand_in(&site, &lin, &kernel(TIMES)).await;
    older(&site, report, &grade).await;
    let at = format!("/en/class/{class}/regrades");

    let mut teacher = site.signed_in("mei").await;
    let page = teacher.get(&at).await;
    assert!(page.body.contains("<option value=\"rmsnorm\">") && page.body.contains(&format!("grader {GRADER}")));
    let nothing = teacher.post(&at, &[("lab", "76")]).await;
    assert_eq!(nothing.status, StatusCode::UNPROCESSABLE_ENTITY);
    let begun = teacher.post(&at, &[("lab", "rmsnorm")]).await;
    let one = begun.location().to_owned();
    assert!(one.starts_with(&at), "{one}");
    let waiting = teacher.get(&one).await;
    assert!(waiting.body.contains("data-state=\"running\"") && waiting.body.contains("0 / 1"), "{}", waiting.body);
    let early = teacher.post(&format!("{one}/publish"), &[]).await;
    assert!(early.location().ends_with("?done=late"));

    work(&site).await;
    let ready = teacher.get(&one).await;
    assert!(ready.body.contains("data-state=\"ready\"") && ready.body.contains("1 changed"), "{}", ready.body);
    let (cpu, possible) = (grade.points.cpu.earned, grade.points.cpu.possible);
    let text = ready.body.replace("<!>", "").replace("<b class=\"up\">", "").replace("<!---->", "");
    assert!(text.contains(&format!("1 / {possible} → {cpu} / {possible} ▲")), "{text}");
    assert!(text.contains("0.9 → ") && text.contains("passes now"), "{text}");
    assert_eq!(versions(&site, &lin, report).await[0], ("0.9".to_owned(), 1), "nothing is published");

    let published = teacher.post(&format!("{one}/publish"), &[]).await;
    assert!(published.location().ends_with("?done=published"));
    work(&site).await;
    let all = versions(&site, &lin, report).await;
    assert_eq!(all[0], (GRADER.to_owned(), i64::from(cpu)));
    assert_eq!(all.len(), 3, "appended, nothing overwritten");
    assert!(teacher.get(&one).await.body.contains("data-state=\"published\""));
    let log = audit::list(&site.bed.store, mei.viewer(), 20).await.expect("a log");
    let actions: Vec<&str> = log.iter().map(|entry| entry.action.id()).collect();
    assert!(actions.contains(&"regrade_started") && actions.contains(&"regrade_published"), "{actions:?}");

    for (login, path, status) in [
        ("lin", at.clone(), StatusCode::FORBIDDEN),
        ("lin", one.clone(), StatusCode::FORBIDDEN),
        ("kai", at.clone(), StatusCode::NOT_FOUND),
        ("kai", one.clone(), StatusCode::NOT_FOUND),
        ("kai", format!("/en/class/{class}/labs/rmsnorm/statistics"), StatusCode::NOT_FOUND),
        ("kai", format!("/en/class/{class}/canvas.csv"), StatusCode::NOT_FOUND),
        ("kai", format!("/en/class/{class}/attempts.csv"), StatusCode::NOT_FOUND),
        ("kai", format!("/en/class/{class}/import"), StatusCode::NOT_FOUND),
        ("mei", format!("/en/class/{class}/labs/nonsense/statistics"), StatusCode::NOT_FOUND),
    ] {
        assert_eq!(site.signed_in(login).await.get(&path).await.status, status, "{login} {path}");
    }
}

#[tokio::test]
async fn a_check_is_talked_about() {
    let site = Site::open().await;
    let mei = site.account("mei", Role::Instructor).await;
    let (class, code) = site.class(&mei, "A").await;
    let (lin, _) = (site.member("lin", &code).await, site.member("wen", &code).await);
    let (report, grade) = hand_in(&site, &lin, &kernel(TIMES)).await;
    let check = &grade.checks[0];
    let at = format!("/en/reports/{report}");
    let post = format!("{at}/comments");
    let say = |body: &'static str| [("check", check.id.as_str()), ("pointer", check.pointer.as_str()), ("body", body)];
    let mark = |mark: &'static str| [("check", check.id.as_str()), ("pointer", check.pointer.as_str()), ("mark", mark)];

    let (mut learner, mut teacher) = (site.signed_in("lin").await, site.signed_in("mei").await);
    let mut stranger = site.signed_in("wen").await;
    assert_eq!(stranger.post(&post, &say("hello")).await.status, StatusCode::NOT_FOUND);
    assert_eq!(learner.post(&post, &mark("resolve")).await.status, StatusCode::NOT_FOUND, "there is no thread yet");
    let nowhere = [("check", "no_such_check"), ("pointer", ""), ("body", "hello")];
    assert_eq!(learner.post(&post, &nowhere).await.status, StatusCode::NOT_FOUND);
    let empty = learner.post(&post, &say(" ")).await;
    assert_eq!(empty.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(empty.body.contains("Nothing is written yet."));

    let said = learner.post(&post, &say("why <script>alert(1)</script>?\nline two")).await;
    assert_eq!(said.status, StatusCode::SEE_OTHER);
    assert!(said.location().starts_with(&format!("{at}?said=")) && said.location().contains("#comment-"));
    let class_page = teacher.get(&format!("/en/class/{class}")).await;
    assert!(class_page.body.contains("Unread comments") && class_page.body.contains(&at));
    site.bed.clock.advance(Duration::from_secs(1));
    let page = teacher.get(&at).await;
    assert!(page.body.contains("why &lt;script&gt;alert(1)&lt;/script&gt;?\nline two"), "escaped, lines kept");
    assert!(!page.body.contains("<script>alert"), "{}", page.body);
    assert!(page.body.contains("class=\"unread\""));
    assert!(!teacher.get(&at).await.body.contains("class=\"unread\""), "seen once");
    teacher.post(&post, &say("because")).await;
    site.bed.clock.advance(Duration::from_secs(1));
    let list = learner.get("/en/reports").await;
    assert!(list.body.contains("Unread comments") && list.body.contains("1 unread"), "{}", list.body);
    learner.get(&at).await;
    assert!(!learner.get("/en/reports").await.body.contains("Unread comments"));
    assert_eq!(learner.post(&post, &mark("resolve")).await.status, StatusCode::SEE_OTHER);
    let resolved = teacher.get(&at).await;
    assert!(resolved.body.contains("✓ ") && resolved.body.contains("resolved") && resolved.body.contains("Reopen"));
    teacher.post(&post, &mark("reopen")).await;
    assert!(teacher.get(&at).await.body.contains("Mark as resolved"));
}

#[tokio::test]
async fn a_class_in_numbers() {
    let site = Site::open().await;
    let mei = site.account("mei", Role::Instructor).await;
    let (class, code) = site.class(&mei, "A").await;
    let (lin, wen) = (site.member("lin", &code).await, site.member("wen", &code).await);
    site.member("yan", &code).await;
    let (_, good) = hand_in(&site, &lin, &kernel(TIMES)).await;
    let (_, bad) = hand_in(&site, &wen, &kernel(TIMES).replace("1e-7", "0.5").replace("2e-7", "0.5")).await;
    assert!(bad.points.cpu.earned < good.points.cpu.earned);
    let mut teacher = site.signed_in("mei").await;
    for (lang, told) in [
        ("en", "Learners by their best evidence: ◆ GPU: 0, ■ CPU only: 2, other: 0, none: 1"),
        ("zh", "学习者，按最好的证据: ◆ GPU: 0, ■ 只有 CPU: 2, 其他: 0, 没有: 1"),
    ] {
        let page = teacher.get(&format!("/{lang}/class/{class}/labs/rmsnorm/statistics")).await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.body.contains(&format!("aria-label=\"{told}\"")), "{}", page.body);
        assert!(page.body.contains("data-check=\"kernel_error_within_tolerance\""), "{}", page.body);
        // Evidence, CPU-provable points and failed checks; nobody tried the GPU part.
        assert_eq!(page.body.matches("class=\"bars ").count(), 3);
        assert!(page.body.contains(if lang == "en" { "No points yet." } else { "还没有得分。" }));
        assert!(!page.body.contains("style="), "no inline style");
    }
    let class_page = teacher.get(&format!("/en/class/{class}")).await;
    assert!(class_page.body.contains(&format!("/en/class/{class}/labs/rmsnorm/statistics")));
}

async fn send_file(browser: &mut Browser<'_>, path: &str, file: &str) -> Page {
    let body = format!(
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"points.csv\"\r\nContent-Type: text/csv\r\n\r\n{file}\r\n--b--\r\n"
    );
    let headers = [("sec-fetch-site", "same-origin"), ("content-type", "multipart/form-data; boundary=b")];
    browser.call("POST", path, &headers, &body).await
}

#[tokio::test]
async fn points_go_out_and_come_in() {
    let site = Site::open().await;
    let mei = site.account("mei", Role::Instructor).await;
    let (class, code) = site.class(&mei, "=A").await;
    let lin = site.member("lin", &code).await;
    site.member("wen", &code).await;
    let (report, grade) = hand_in(&site, &lin, &kernel(TIMES)).await;
    let (cpu, of) = (grade.points.cpu.earned, grade.points.cpu.possible);
    let mut teacher = site.signed_in("mei").await;
    let at = |path: &str| format!("/en/class/{class}/{path}");

    let canvas = teacher.get(&at("canvas.csv")).await;
    assert_eq!(canvas.status, StatusCode::OK);
    let lines: Vec<&str> = canvas.body.trim_start_matches('\u{feff}').split("\r\n").collect();
    assert!(lines[0].starts_with("Student,ID,SIS User ID,SIS Login ID,Section,rmsnorm "), "{}", lines[0]);
    assert!(lines[1].starts_with(&format!("    Points Possible,,,,,{of},")), "{}", lines[1]);
    assert!(lines[2].starts_with(&format!("lin,,,lin,'=A,{cpu},")), "{}", lines[2]);
    assert_eq!(lines[3].split(',').nth(5), Some(""), "no credit, no cell: {}", lines[3]);

    let attempts = teacher.get(&at("attempts.csv")).await;
    let body = attempts.body.trim_start_matches('\u{feff}').to_owned();
    assert!(body.contains(&format!("{report},lin,lin,rmsnorm,1,")), "{body}");

    // As it went out it changes nothing.
    let page = send_file(&mut teacher, &at("import"), &attempts.body).await;
    assert_eq!(page.status, StatusCode::SEE_OTHER, "{}", page.body);
    let dry = teacher.get(page.location()).await;
    assert!(dry.body.contains("0 changes · 1 rows without one · 0 rows refused"), "{}", dry.body);

    let lower = cpu - 1;
    let file = format!(
        "submission_id,cpu_points,gpu_points,reason\n{report},{lower}.5,0,<b>late</b>\nnonsense,1,0,\n{report},1,0,\n"
    );
    let page = send_file(&mut teacher, &at("import"), &file).await;
    let one = page.location().to_owned();
    let dry = teacher.get(&one).await;
    assert!(dry.body.contains("1 changes · 0 rows without one · 2 rows refused"), "{}", dry.body);
    assert!(dry.body.contains("&lt;b&gt;late&lt;/b&gt;") && dry.body.contains("no submission id of this class"));
    let set = || overrides::history(&site.bed.store, mei.viewer(), class, None);
    assert!(set().await.expect("rows").is_empty(), "a dry run");
    let applied = teacher.post(&format!("{one}/apply"), &[]).await;
    assert!(applied.location().ends_with("?done=applied"));
    teacher.post(&format!("{one}/apply"), &[]).await;
    let rows = set().await.expect("rows");
    assert_eq!(rows.len(), 1, "once");
    assert_eq!((rows[0].hundredths, rows[0].author_id), (Some(i64::from(lower) * 100 + 50), mei.id));
    assert_eq!(rows[0].reason, "<b>late</b>");
    assert!(teacher.get(&one).await.body.contains("✓ stands"));
    let canvas = teacher.get(&at("canvas.csv")).await;
    assert!(canvas.body.contains(&format!("lin,,,lin,'=A,{lower}.5,")), "{}", canvas.body);

    let bad = send_file(&mut teacher, &at("import"), "login,points\nlin,3\n").await;
    assert_eq!(bad.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(bad.body.contains("no column submission_id"), "{}", bad.body);
    // An import is found in its class alone.
    let (other, _) = site.class(&mei, "B").await;
    let elsewhere = one.replace(&class.to_string(), &other.to_string());
    assert_eq!(teacher.get(&elsewhere).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn grades_for_other_graders() {
    let site = Site::open().await;
    let (lin, wen) = (site.account("lin", Role::Learner).await, site.account("wen", Role::Learner).await);
    let (report, grade) = hand_in(&site, &lin, &kernel(TIMES)).await;
    let store = &site.bed.store;
    let mut answers = Vec::new();
    for user in [&lin, &wen] {
        let token = api_tokens::create(store, user.id, "t", Scopes::of(&[Scope::ReadReports])).await.expect("a token");
        for file in ["results.json", "junit.xml"] {
            let request = Request::get(format!("/api/v1/reports/{report}/{file}"))
                .header(header::AUTHORIZATION, format!("Bearer {}", token.token.reveal()));
            answers.push(site.send(request.body(axum::body::Body::empty()).expect("a request")).await);
        }
    }
    let results: serde_json::Value = serde_json::from_str(&answers[0].body).expect("JSON");
    assert_eq!(results["score"], json!(grade.points.earned));
    assert!(answers[1].header("content-type").starts_with("application/xml"));
    assert!(answers[1].body.starts_with("<?xml version=\"1.0\""), "{}", answers[1].body);
    assert_eq!((answers[2].status, answers[3].status), (StatusCode::NOT_FOUND, StatusCode::NOT_FOUND));
}

#[tokio::test]
async fn copies_are_shown_to_the_instructor() {
    let site = Site::open().await;
    let mei = site.account("mei", Role::Instructor).await;
    let (class, code) = site.class(&mei, "A").await;
    let mut people = Vec::new();
    for login in ["lin", "wen", "yan", "ito"] {
        people.push(site.member(login, &code).await);
    }
    let jitter = TIMES.map(|times| times.map(|time| time * 1.0004));
    let honest = [[4.121, 3.958, 4.044], [1.962, 2.083, 2.047]];
    let mut ids = Vec::new();
    for (user, report) in people.iter().zip([kernel(TIMES), kernel(jitter), kernel(TIMES), kernel(honest)]) {
        ids.push(hand_in(&site, user, &report).await.0);
        site.bed.clock.advance(Duration::from_secs(1));
    }
    work(&site).await;
    let mut teacher = site.signed_in("mei").await;
    let page = teacher.get(&format!("/en/class/{class}")).await;
    let copies = page.between("id=\"copies\"", "</table>").expect("the list");
    let rows: Vec<&str> = copies.split("<tr>").skip(2).collect();
    assert_eq!(rows.len(), 3, "{copies}");
    let pair = |a: ReportId, b: ReportId, why: &str| {
        rows.iter().any(|row| row.contains(&a.to_string()) && row.contains(&b.to_string()) && row.contains(why))
    };
    assert!(pair(ids[0], ids[2], "the same bytes") && pair(ids[0], ids[1], "other bytes"), "{copies}");
    assert!(pair(ids[1], ids[2], "other bytes"), "{copies}");
    assert!(!copies.contains(&ids[3].to_string()), "an honest run of the same workload");
    assert!(!site.signed_in("lin").await.get("/en/reports").await.body.contains("look alike"));
}
