//! Text of the outside on pages: it stays text, and no page hands out its nonce.

use axum::http::StatusCode;

use crate::site::Site;

/// What a link could bring: leaves a textarea, names a hole, opens a tag in an attribute.
const ATTACKS: [&str; 4] = [
    "</textarea><script nonce=\"\u{e000}nonce\u{e001}\">alert(1)</script>",
    "\u{e000}nonce\u{e001}",
    "\"><img src=x onerror=alert(1)>",
    "'><svg/onload=alert(1)>",
];

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn scripts(page: &str) -> usize {
    page.matches("<script").count()
}

#[tokio::test]
async fn calculators_show_what_a_link_brings_as_text() {
    let site = Site::open().await;
    let mut browser = site.browser();
    for tool in ["inference", "training"] {
        let plain = browser.get(&format!("/en/tools/{tool}")).await;
        for attack in ATTACKS {
            for field in ["config", "model", "batch", "card", "nonsense"] {
                let page = browser.get(&format!("/en/tools/{tool}?{field}={}", encoded(attack))).await;
                assert_eq!(page.status, StatusCode::OK, "{tool} {field}");
                assert_eq!(scripts(&page.body), scripts(&plain.body), "{tool} {field} {attack}");
                assert!(!page.body.contains("<img") && !page.body.contains("<svg/onload"), "{tool} {field} {attack}");
                let nonce = page.between("nonce=\"", "\"").expect("a nonce").to_owned();
                assert_eq!(page.body.matches(&nonce).count(), plain.body.matches("nonce=\"").count(), "{tool} {field}");
            }
        }
    }
}

#[tokio::test]
async fn a_report_cannot_hide_its_grade_from_the_instructor() {
    let site = Site::open().await;
    let learner = site.account("mallory", server::store::Role::Learner).await;
    let marks = "\u{e000}nonce\u{e001}";
    let raw = format!(
        r#"{{"stage": "environment_preflight", "run_mode": "dry_run", "config": {{"model_id": "m{marks}<script>"}},
            "decision": {{"decision": "ready_to_measure", "reason": "{marks}</pre><script>"}}, "zzz": "\ue001"}}"#
    );
    let received = server::grading::store_and_grade(&site.app.store, &learner, raw.into_bytes()).await.expect("stored");
    let server::grading::Received::Graded { id, .. } = received else { panic!("a dry run is a report") };
    let mut browser = site.signed_in("mallory").await;
    let page = browser.get(&format!("/en/reports/{id}")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("Not evidence."), "the verdict is missing");
    let plain = browser.get("/en/reports").await;
    assert_eq!(scripts(&page.body), scripts(&plain.body));
}

#[tokio::test]
async fn policies_name_a_fresh_nonce_and_allow_wasm_with_an_island_only() {
    let site = Site::open().await;
    let mut browser = site.browser();
    let mut seen = std::collections::HashSet::new();
    for (path, island) in
        [("/en/tools/inference", true), ("/en/tools", false), ("/zh/labs", false), ("/en/labs/rmsnorm", true)]
    {
        for _ in 0..2 {
            let page = browser.get(path).await;
            let policy = page.header("content-security-policy").to_owned();
            assert_eq!(policy.contains("'wasm-unsafe-eval'"), island, "{path}");
            assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe-inline"), "{path}: {policy}");
            let nonce = page.between("nonce=\"", "\"").expect("a nonce").to_owned();
            assert!(policy.contains(&format!("'nonce-{nonce}'")), "{path}");
            assert!(seen.insert(nonce), "{path}: a nonce came twice");
            assert_eq!(page.header("x-content-type-options"), "nosniff");
        }
    }
}
