//! The gradebook of a class, as a page and as a file.

use axum::http::StatusCode;
use server::{
    auth::accounts::{self, NewAccount},
    store::{
        GradeOutcome, Role,
        grades::{self, Earned, NewGrade},
    },
};

use crate::{
    bed::json,
    site::{PASSWORD, Site},
};

#[tokio::test]
async fn columns_stay_apart_and_names_do_not_run() {
    let site = Site::open().await;
    let mei = site.account("mei", Role::Instructor).await;
    let (class, code) = site.class(&mei, "显存 一班").await;
    let store = &site.bed.store;
    let evil = NewAccount { login: "+evil", display_name: "=HYPERLINK(\"http://x\",\"林\")", password: PASSWORD };
    let (evil, _) = accounts::sign_up(&site.app.auth, code.as_str(), evil).await.expect("signed up");
    site.member("lin", &code).await;
    let report = site.bed.report(evil, b"{}").await;
    let grade = NewGrade {
        report,
        grader_version: "1",
        outcome: GradeOutcome::Graded,
        cpu: Earned { earned: 7, possible: 8 },
        gpu: Earned { earned: 0, possible: 12 },
        grade: json("{}"),
    };
    grades::append(store, &grade).await.expect("graded");

    let mut browser = site.signed_in("mei").await;
    let file = browser.get(&format!("/zh/class/{class}/gradebook.csv")).await;
    assert_eq!(file.status, StatusCode::OK);
    assert!(file.header("content-type").starts_with("text/csv; charset=utf-8"));
    assert!(file.header("content-disposition").starts_with("attachment; filename=\"gradebook-2026-03-01"));
    let body = file.body.strip_prefix('\u{feff}').expect("a byte order mark");
    let lines: Vec<&str> = body.split("\r\n").collect();
    assert_eq!(
        lines,
        [
            "class,login,display_name,lab,evidence,points_earned,points_possible,reports,last_activity",
            "显存 一班,'+evil,\"'=HYPERLINK(\"\"http://x\"\",\"\"林\"\")\",rmsnorm,cpu,7,8,1,2026-03-01T00:00:00Z",
            "显存 一班,'+evil,\"'=HYPERLINK(\"\"http://x\"\",\"\"林\"\")\",rmsnorm,gpu,0,12,0,2026-03-01T00:00:00Z",
            "显存 一班,lin,lin,,cpu,0,0,0,",
            "显存 一班,lin,lin,,gpu,0,0,0,",
            "",
        ]
    );

    let page = browser.get(&format!("/en/class/{class}")).await.body;
    assert!(page.contains("■ ") && page.contains("◆ "));
    assert!(page.contains(&format!("/en/reports?user={evil}")));
    assert!(page.contains("<b>7</b> / 8") || page.contains("<b>7</b><!> / 8"), "{page}");
}
