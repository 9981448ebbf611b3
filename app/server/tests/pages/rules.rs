//! The rules of a gradebook as its pages show them: release, points by hand, dates, rights, and the log.

use std::time::Duration;

use axum::http::StatusCode;
use evidence::Grade;
use server::{
    cli::demo::reports,
    grading,
    store::{ClassId, GradeOutcome, ReportId, Role, User, grades, grades::Earned, grades::NewGrade},
};

use crate::{
    bed::json,
    site::{Browser, Page, Site},
};

struct Class {
    site: Site,
    class: ClassId,
    lin: User,
}

async fn class() -> Class {
    let site = Site::open().await;
    let mei = site.account("mei", Role::Instructor).await;
    let (class, code) = site.class(&mei, "A").await;
    let lin = site.member("lin", &code).await;
    site.member("tao", &code).await;
    Class { site, class, lin }
}

async fn hand_in(c: &Class) -> ReportId {
    let report = c.site.bed.report(c.lin.id, b"{}").await;
    let new = NewGrade {
        report,
        grader_version: "1",
        outcome: GradeOutcome::Graded,
        cpu: Earned { earned: 6, possible: 8 },
        gpu: Earned { earned: 0, possible: 12 },
        grade: json("{}"),
    };
    grades::append(&c.site.bed.store, &new).await.expect("graded");
    report
}

/// A report of lab 73 with the grade that it gets.
async fn measured(c: &Class) -> (ReportId, Box<Grade>) {
    let raw = serde_json::to_vec(&reports::processor_pair()).expect("JSON");
    match grading::store_and_grade(&c.site.bed.store, &c.lin, raw).await.expect("stored") {
        grading::Received::Graded { id, grade: Some(grade), .. } => (id, grade),
        _ => panic!("not graded, or not shown"),
    }
}

async fn saved(browser: &mut Browser<'_>, path: &str, fields: &[(&str, &str)]) -> Page {
    let sent = browser.post(path, fields).await;
    assert_eq!(sent.status, StatusCode::SEE_OTHER, "{path} {fields:?}: {}", sent.body);
    let to = sent.location().to_owned();
    let page = browser.get(&to).await;
    assert_eq!(page.status, StatusCode::OK, "{to}");
    assert!(page.body.contains("class=\"notice\""), "{to} says what happened");
    page
}

fn credit<'a>(page: &'a Page, part: &str) -> Option<&'a str> {
    page.between(&format!("data-part=\"{part}\" data-credit=\""), "\"")
}

#[tokio::test]
async fn points_by_hand_reach_the_learner_with_their_reason() {
    let c = class().await;
    let mut mei = c.site.signed_in("mei").await;
    let cell = format!("/en/class/{}/learners/{}/rmsnorm", c.class, c.lin.id);
    let points = format!("{cell}/points");
    for (fields, field) in [
        (vec![("part", "cpu"), ("points", "7,5"), ("reason", "oral exam")], "points"),
        (vec![("part", "cpu"), ("points", "-1"), ("reason", "oral exam")], "points"),
        (vec![("part", "cpu"), ("points", "1000.01"), ("reason", "oral exam")], "points"),
        (vec![("part", "cpu"), ("points", "7.5"), ("reason", " … ")], "reason"),
    ] {
        let page = mei.post(&points, &fields).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{fields:?}");
        assert!(page.body.contains(&format!("id=\"by-hand-{field}-problem\"")), "{fields:?}");
    }
    // Nothing was handed in.
    let page = saved(&mut mei, &points, &[("part", "cpu"), ("points", "7.5"), ("reason", "<oral> exam")]).await;
    assert_eq!((credit(&page, "cpu"), credit(&page, "gpu")), (Some("7.5"), Some("—")));
    assert!(page.body.contains("&lt;oral&gt; exam") && !page.body.contains("<oral>"));
    let book = mei.get(&format!("/en/class/{}", c.class)).await.body;
    assert!(book.contains("<b>7.5</b>") && book.contains('✎'), "{book}");

    let mut lin = c.site.signed_in("lin").await;
    let own = lin.get("/en/reports").await;
    assert_eq!(credit(&own, "cpu"), Some("7.5"));
    assert!(own.body.contains("&lt;oral&gt; exam") && own.body.contains("Set by mei"));
    let peer = c.site.signed_in("tao").await.get("/en/reports").await;
    assert!(!peer.body.contains("oral"));

    let page = saved(&mut mei, &format!("{cell}/withdrawals"), &[("part", "cpu"), ("reason", "mistaken")]).await;
    assert_eq!(credit(&page, "cpu"), Some("—"));
    let log = mei.get(&format!("/en/class/{}/audit", c.class)).await.body;
    let order = [log.find("took points back"), log.find("set points by hand")];
    assert!(order[0].is_some() && order[0] < order[1], "newest first");
    assert!(log.contains("mistaken") && log.contains("lin"));
}

#[tokio::test]
async fn what_is_held_is_nowhere_until_its_release() {
    let c = class().await;
    let (report, grade) = measured(&c).await;
    let (mut mei, mut lin) = (c.site.signed_in("mei").await, c.site.signed_in("lin").await);
    let lab = format!("/zh/class/{}/labs/73", c.class);
    let pages = ["/en/reports".to_owned(), format!("/en/reports/{report}")];
    let shown = async |lin: &mut Browser<'_>| {
        let mut shown = Vec::new();
        for path in &pages {
            let page = lin.get(path).await;
            assert_eq!(page.status, StatusCode::OK);
            shown.push((credit(&page, "cpu").map(str::to_owned), page.body.contains("shown ")));
        }
        shown
    };
    let release = async |mei: &mut Browser<'_>, fields: &[(&str, &str)]| {
        saved(mei, &format!("{lab}/release"), fields).await;
    };
    let open = (Some(grade.points.cpu.earned.to_string()), false);
    assert_eq!(shown(&mut lin).await, [open.clone(), open.clone()]);
    release(&mut mei, &[("release", "held")]).await;
    assert_eq!(shown(&mut lin).await, [(None, true), (None, true)]);
    // The gradebook holds nothing from the teacher.
    assert!(
        mei.get(&format!("/en/class/{}", c.class)).await.body.contains(&format!("<b>{}</b>", grade.points.cpu.earned))
    );
    release(&mut mei, &[("release", "at"), ("at", "2026-03-01T02:00")]).await;
    let told = lin.get(&pages[1]).await.body;
    assert!(told.contains("2026-03-01 02:00 UTC"), "the instant is told");
    assert_eq!(shown(&mut lin).await, [(None, true), (None, true)]);
    c.site.bed.clock.advance(Duration::from_secs(2 * 3600));
    assert_eq!(shown(&mut lin).await, [open.clone(), open.clone()], "the instant came");
    release(&mut mei, &[("release", "held")]).await;
    release(&mut mei, &[("release", "at_once")]).await;
    assert_eq!(shown(&mut lin).await, [open.clone(), open]);
    let wrong = mei.post(&format!("{lab}/release"), &[("release", "at"), ("at", "soon")]).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn dates_move_every_credit() {
    let c = class().await;
    c.site.bed.clock.advance(Duration::from_secs(12 * 3600));
    hand_in(&c).await;
    let mut mei = c.site.signed_in("mei").await;
    let lab = format!("/en/class/{}/labs/rmsnorm", c.class);
    let cell = format!("/en/class/{}/learners/{}/rmsnorm", c.class, c.lin.id);
    let late = [("due", "2026-03-01T11:59"), ("late_percent", "50"), ("closed", "2026-03-02T00:00")];
    let page = saved(&mut mei, &format!("{lab}/dates"), &late).await;
    assert!(page.body.contains("value=\"2026-03-01T11:59\""), "the form shows what is set");
    let page = mei.get(&cell).await;
    assert_eq!(credit(&page, "cpu"), Some("3"));
    assert!(page.body.contains("late, 6 points × 50 % = 3."));
    saved(&mut mei, &format!("{lab}/dates"), &[("due", "2026-03-01T12:00")]).await;
    assert_eq!(credit(&mei.get(&cell).await, "cpu"), Some("6"), "due at that very instant");
    for (fields, field) in [
        (vec![("due", "2026-03-01T12:00"), ("late_percent", "50"), ("closed", "2026-03-01T12:00")], "closed"),
        (vec![("early", "2026-03-01T12:00")], "early"),
        (vec![("early", "2026-03-01T12:00"), ("early_percent", "90")], "early_percent"),
        (vec![("due", "tomorrow")], "due"),
    ] {
        let page = mei.post(&format!("{lab}/dates"), &fields).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{fields:?}");
        let input = page.between(&format!("id=\"dates-{field}\""), ">").expect("the field").to_owned();
        assert!(input.contains("aria-invalid=\"true\""), "{fields:?}: {input}");
    }
    // One learner's own dates, and back again.
    saved(&mut mei, &format!("{lab}/dates"), &[("due", "2026-03-01T01:00")]).await;
    assert_eq!(credit(&mei.get(&cell).await, "cpu"), Some("0"));
    let page = saved(&mut mei, &format!("{cell}/dates"), &[("due", "2026-03-05T00:00")]).await;
    assert_eq!(credit(&page, "cpu"), Some("6"));
    assert!(mei.get(&lab).await.body.contains("2026-03-05 00:00 UTC"), "the lab names the extension");
    let page = saved(&mut mei, &format!("{cell}/dates/end"), &[]).await;
    assert_eq!(credit(&page, "cpu"), Some("0"));
}

/// Each right opens its pages; without any an assistant is a learner again.
#[tokio::test]
async fn an_assistant_sees_half() {
    let c = class().await;
    hand_in(&c).await;
    let mut mei = c.site.signed_in("mei").await;
    let (mut tao, at) = (c.site.signed_in("tao").await, format!("/en/class/{}", c.class));
    let user = c.site.bed.column("users", "id").await.last().expect("tao").clone();
    let cell = format!("{at}/learners/{}/rmsnorm", c.lin.id);
    let seen = async |tao: &mut Browser<'_>| {
        let mut seen = Vec::new();
        for path in ["", "/labs", "/labs/rmsnorm", "/audit", "/gradebook.csv"] {
            seen.push(tao.get(&format!("{at}{path}")).await.status.as_u16());
        }
        seen.push(tao.get(&cell).await.status.as_u16());
        seen.push(tao.post(&format!("{at}/labs/rmsnorm/release"), &[("release", "at_once")]).await.status.as_u16());
        let set = [("part", "cpu"), ("points", "1"), ("reason", "seen")];
        seen.push(tao.post(&format!("{cell}/points"), &set).await.status.as_u16());
        seen.push(tao.post(&format!("{at}/removals"), &[("user", &c.lin.id.to_string())]).await.status.as_u16());
        seen
    };
    let give = async |mei: &mut Browser<'_>, rights: &[&str]| {
        let mut fields = vec![("user", user.as_str())];
        fields.extend(rights.iter().map(|right| (*right, "true")));
        saved(mei, &format!("{at}/rights"), &fields).await;
    };
    assert_eq!(seen(&mut tao).await, [403; 9]);
    give(&mut mei, &["may_edit"]).await;
    assert_eq!(seen(&mut tao).await, [200, 200, 200, 404, 404, 404, 303, 404, 403]);
    let page = tao.get(&at).await.body;
    assert!(!page.contains("<bdi>lin</bdi>") && page.contains("Assistant"), "no learner is named");
    give(&mut mei, &["may_grade"]).await;
    assert_eq!(seen(&mut tao).await, [200, 200, 200, 200, 200, 200, 404, 303, 403]);
    let page = tao.get(&at).await.body;
    assert!(page.contains("<bdi>lin</bdi>") && !page.contains("/resets") && !page.contains("/rights"));
    assert!(tao.get("/en/account").await.body.contains(&at), "the way there");
    give(&mut mei, &[]).await;
    assert_eq!(seen(&mut tao).await, [403; 9]);
}

/// A learner reads what each open point needs, the most first.
#[tokio::test]
async fn a_report_says_what_would_raise_its_grade() {
    let c = class().await;
    let (id, grade) = measured(&c).await;
    let open: u32 = grade.items.iter().map(|item| item.possible - item.earned).sum();
    assert!(open > 0);
    for lang in ["zh", "en"] {
        let page = c.site.signed_in("lin").await.get(&format!("/{lang}/reports/{id}")).await;
        let stakes: Vec<u32> = page
            .body
            .split("data-at-stake=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().expect("a number").parse().expect("a number"))
            .collect();
        assert_eq!(stakes.iter().sum::<u32>(), open);
        assert!(stakes.is_sorted_by(|a, b| a >= b), "{stakes:?}");
        let needs = if lang == "zh" { "只认 GPU 证据" } else { "Only GPU evidence earns this part" };
        assert!(page.body.contains(needs));
    }
}
