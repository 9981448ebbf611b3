//! The drill as a browser without JavaScript sees it, and the answer that the island asks for.

use std::time::Duration;

use axum::http::StatusCode;
use ledger::drill::{self as engine, Question, Topic};
use serde_json::{Value, json};
use server::store::Role;

use crate::site::{Browser, Page, Site};

/// What the form of a page sends, without the answer.
const FIELDS: [&str; 5] = ["question", "seed", "topic", "chosen", "asked_ms"];

fn fields(page: &Page) -> Vec<(&'static str, String)> {
    let field = |name| {
        let value = page.between(&format!("name=\"{name}\" value=\""), "\"");
        value.unwrap_or_else(|| panic!("no field {name}: {}", page.body)).to_owned()
    };
    FIELDS.iter().map(|name| (*name, field(name))).collect()
}

fn get<'a>(fields: &'a [(&'static str, String)], name: &str) -> &'a str {
    &fields.iter().find(|(key, _)| *key == name).expect("a field").1
}

/// The question that a page asks, from the seed and topic in its form.
fn question(page: &Page) -> Question {
    let fields = fields(page);
    let topic = Topic::from_id(get(&fields, "topic")).expect("a topic");
    engine::question(get(&fields, "seed").parse().expect("a seed"), &[topic]).expect("a question")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// `factor` times what is right, as one would type it.
fn typed(question: &Question, factor: f64) -> String {
    format!("{:.4}", question.answer() * factor)
}

async fn send(browser: &mut Browser<'_>, page: &Page, answer: &str) -> Page {
    let own = fields(page);
    let mut form: Vec<(&str, &str)> = own.iter().map(|(name, value)| (*name, value.as_str())).collect();
    form.push(("answer", answer));
    browser.post("/en/tools/drill", &form).await
}

/// Sends an answer and follows to the page that shows how it went.
async fn answer(browser: &mut Browser<'_>, page: &Page, answer: &str) -> Page {
    let sent = send(browser, page, answer).await;
    assert_eq!(sent.status, StatusCode::SEE_OTHER, "{}", sent.body);
    let at = sent.location().to_owned();
    assert!(at.starts_with("/en/tools/drill/answers/"), "{at}");
    browser.get(&at).await
}

fn passed(page: &Page) -> bool {
    let (passed, not) = (page.body.contains("✓ Passed"), page.body.contains("ot passed"));
    assert!(passed != not, "{}", page.body);
    passed
}

#[tokio::test]
async fn a_question_is_a_form_and_does_not_tell_its_answer() {
    let site = Site::open().await;
    let mut browser = site.browser();
    for topic in Topic::ALL {
        for (lang, other) in [("en", "zh"), ("zh", "en")] {
            let page = browser.get(&format!("/{lang}/tools/drill?topic={}", topic.id())).await;
            let asked = question(&page);
            assert_eq!((page.status, asked.topic), (StatusCode::OK, topic));
            let (text, hidden) =
                if lang == "en" { (&asked.text.en, &asked.text.zh) } else { (&asked.text.zh, &asked.text.en) };
            assert!(page.body.contains(&escaped(text)), "{lang} {topic:?}");
            assert!(!page.body.contains(&escaped(hidden)), "{other} {topic:?}");
            let last = &asked.worked.lines.last().expect("a line").formula;
            let told = [
                last.clone(),
                asked.thumb.formula.clone(),
                asked.thumb.rule.en.to_string(),
                asked.thumb.rule.zh.to_string(),
            ];
            for secret in told {
                assert!(!page.body.contains(&escaped(&secret)), "{topic:?} tells {secret}");
            }
            assert!(page.body.contains("method=\"post\"") && page.body.contains("type=\"submit\""));
        }
    }
    assert_eq!(browser.get("/en/tools/drill?topic=nothing").await.status, StatusCode::NOT_FOUND);
    assert_eq!(browser.get("/xx/tools/drill").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn without_an_account_an_answer_is_judged_and_not_kept() {
    let site = Site::open().await;
    let mut browser = site.browser();
    for (factor, passes) in [(1.0, true), (1.19, true), (0.81, true), (0.5, false), (2.0, false)] {
        let page = browser.get("/en/tools/drill").await;
        let asked = question(&page);
        // Whole things are asked for as well: exact there.
        let result = send(&mut browser, &page, &typed(&asked, factor)).await;
        assert_eq!((result.status, passed(&result)), (StatusCode::OK, passes), "{factor} {}", asked.text.en);
        for line in &asked.worked.lines {
            assert!(result.body.contains(&escaped(&line.formula)), "{}", line.formula);
        }
        assert!(result.body.contains(&escaped(&asked.thumb.rule.en)));
        assert!(result.body.contains("not signed in"));
        if factor == 0.5 {
            assert!(result.body.contains("About half"), "the slip is named");
        }
    }
    // The page was opened a while ago.
    let page = browser.get("/en/tools/drill").await;
    site.bed.clock.advance(Duration::from_secs(64));
    let late = send(&mut browser, &page, &typed(&question(&page), 1.0)).await;
    assert!(!passed(&late) && late.body.contains("over time"));
    assert!(site.bed.column("drill_questions", "id").await.is_empty());
}

#[tokio::test]
async fn what_cannot_be_read_is_said_and_the_question_stays() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    for signed_in in [false, true] {
        let mut browser = if signed_in { site.signed_in("lin").await } else { site.browser() };
        let page = browser.get("/en/tools/drill?topic=weights").await;
        let long = "9".repeat(41);
        for (wrong, says) in [
            ("", "Type a number."),
            ("much", "is not a number"),
            ("12,9 GiB", "commas separate thousands"),
            ("12 tokens", "does not measure this"),
            ("-4", "above 0"),
            ("\"><script>alert(1)</script>", "is not a number"),
            (long.as_str(), "Too long"),
        ] {
            let back = send(&mut browser, &page, wrong).await;
            assert_eq!(back.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
            assert!(back.body.contains(says), "{wrong}: {}", back.body);
            assert!(!back.body.contains("<script>alert"), "{wrong}");
            assert_eq!(fields(&back), fields(&page), "{wrong}: the same question, the same clock");
        }
        let mut form = fields(&page);
        form.retain(|(name, _)| *name != "seed" && *name != "question");
        let mut form: Vec<(&str, &str)> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
        form.extend([("question", ""), ("answer", "1"), ("seed", "-1")]);
        assert_eq!(browser.post("/en/tools/drill", &form).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    assert!(site.bed.column("drill_answers", "question_id").await.is_empty(), "nothing of that is an answer");
}

#[tokio::test]
async fn a_learners_first_answer_counts_by_the_servers_clock() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    let mut browser = site.signed_in("lin").await;
    let page = browser.get("/en/tools/drill").await;
    assert!(page.body.contains("new to you") && page.body.contains("None yet."));
    site.bed.clock.advance(Duration::from_secs(20));
    let again = browser.get("/en/tools/drill").await;
    assert_eq!(fields(&again), fields(&page), "a reload neither changes the question nor its clock");
    assert!(again.body.contains("40<!> s") || again.body.contains(">40 s<") || again.body.contains("value=\"40\""));

    let asked = question(&page);
    let shown = answer(&mut browser, &page, &typed(&asked, 3.0)).await;
    assert!(!passed(&shown) && shown.body.contains("200 %"), "{}", shown.body);
    let replay = answer(&mut browser, &page, &typed(&asked, 1.0)).await;
    assert!(!passed(&replay) && replay.body.contains("first answer counts"));
    assert_eq!(site.bed.column("drill_answers", "question_id").await.len(), 1);
    let opened = browser.get(&format!("/en/tools/drill/questions/{}", get(&fields(&page), "question"))).await;
    assert!(opened.location().contains("/answers/"), "an answered question leads to its answer");

    // The clock is the server's, whatever the form says.
    let page = browser.get("/en/tools/drill?topic=logits").await;
    site.bed.clock.advance(Duration::from_secs(64));
    let asked = question(&page);
    let mut own = fields(&page);
    for (name, value) in &mut own {
        if *name == "asked_ms" {
            *value = site.bed.store.now().0.to_string();
        }
    }
    let right = typed(&asked, 1.0);
    let mut form: Vec<(&str, &str)> = own.iter().map(|(name, value)| (*name, value.as_str())).collect();
    form.push(("answer", &right));
    let at = browser.post("/en/tools/drill", &form).await.location().to_owned();
    assert!(at.contains("?topic=logits"), "the next question keeps the topic");
    let late = browser.get(&at).await;
    assert!(!passed(&late) && late.body.contains("over time"));

    // Both went wrong a minute ago or more: the first topic is due again, and the table says so.
    site.bed.clock.advance(Duration::from_secs(61));
    let page = browser.get("/en/tools/drill").await;
    assert!(page.body.contains("due again"), "{}", page.body);
    assert_eq!(page.body.matches("/en/tools/drill/answers/").count(), 2, "the history");
    assert_eq!(page.body.matches("1 / 5").count(), 2, "two topics in the first box");
}

#[tokio::test]
async fn a_history_is_its_learners_and_their_teachers() {
    let site = Site::open().await;
    let (mei, kai) = (site.account("mei", Role::Instructor).await, site.account("kai", Role::Instructor).await);
    let ((_, code), _) = (site.class(&mei, "A").await, site.class(&kai, "B").await);
    site.member("lin", &code).await;
    site.member("wen", &code).await;
    let mut lin = site.signed_in("lin").await;
    let page = lin.get("/en/tools/drill").await;
    let id = get(&fields(&page), "question").to_owned();
    for who in ["wen", "kai", "mei"] {
        let mut other = site.signed_in(who).await;
        assert_eq!(other.get(&format!("/en/tools/drill/questions/{id}")).await.status, StatusCode::NOT_FOUND, "{who}");
        assert_eq!(send(&mut other, &page, "1").await.status, StatusCode::NOT_FOUND, "{who}");
    }
    answer(&mut lin, &page, "1").await;
    let at = format!("/en/tools/drill/answers/{id}");
    for (who, verdict) in [("lin", "200"), ("mei", "200"), ("wen", "404"), ("kai", "404")] {
        assert_eq!(site.signed_in(who).await.get(&at).await.verdict(), verdict, "{who}");
    }
    assert_eq!(site.browser().get(&at).await.verdict(), "sign-in");
    let others = site.signed_in("wen").await.get("/en/tools/drill").await;
    assert!(!others.body.contains(&id) && others.body.contains("None yet."));
}

#[tokio::test]
async fn the_island_asks_for_the_same_judgement() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    let own = [("content-type", "application/json"), ("sec-fetch-site", "same-origin")];
    for signed_in in [false, true] {
        let mut browser = if signed_in { site.signed_in("lin").await } else { site.browser() };
        let page = browser.get("/zh/tools/drill?topic=kv_cache").await;
        let (asked, form) = (question(&page), fields(&page));
        let body = |answer: &str| {
            json!({
                "question": get(&form, "question"), "seed": asked.seed, "topic": asked.topic.id(),
                "chosen": get(&form, "chosen"), "asked_ms": get(&form, "asked_ms").parse::<i64>().expect("a time"),
                "answer": answer,
            })
            .to_string()
        };
        let at = "/api/v1/drill/answers?lang=en";
        let refused = browser.call("POST", at, &own, &body("12 eggs")).await;
        let problem: Value = serde_json::from_str(&refused.body).expect("a problem");
        assert_eq!((refused.status, &problem["pointer"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!("/answer")));
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("“eggs”")), "{problem}");
        let judged = browser.call("POST", at, &own, &body(&typed(&asked, 1.1))).await;
        let judged: Value = serde_json::from_str(&judged.body).expect("a judgement");
        assert_eq!((&judged["outcome"], &judged["relative_error"]), (&json!("passed"), &json!("10.0 %")));
        assert_eq!(judged["next"], "/en/tools/drill?topic=kv_cache");
        let last = judged["worked"].as_array().and_then(|lines| lines.last());
        assert_eq!(last.map(|line| &line["formula"]), Some(&json!(asked.worked.lines.last().expect("a line").formula)));
        let kept = judged["kept"].as_str().expect("a text");
        assert_eq!(
            kept,
            if signed_in { "saved · this topic is at level 2, due in 10 minutes" } else { "not signed in: not kept" }
        );
        let again = browser.call("POST", at, &own, &body(&typed(&asked, 9.0))).await;
        let again: Value = serde_json::from_str(&again.body).expect("a judgement");
        assert_eq!(again["outcome"], if signed_in { "passed" } else { "missed" });
        let elsewhere = [own[0], ("sec-fetch-site", "cross-site")];
        assert_eq!(browser.call("POST", at, &elsewhere, &body("1")).await.status, StatusCode::FORBIDDEN);
    }
    assert_eq!(site.bed.column("drill_answers", "question_id").await.len(), 1);
}

/// Opens the next question of a set; `None` when all are answered.
async fn next_of(browser: &mut Browser<'_>, set: &str) -> Option<Page> {
    let asked = browser.post(set, &[]).await;
    let at = asked.location().to_owned();
    if at.contains("/questions/") { Some(browser.get(&at).await) } else { None }
}

#[tokio::test]
async fn a_class_answers_the_same_ten() {
    let site = Site::open().await;
    let (mei, kai) = (site.account("mei", Role::Instructor).await, site.account("kai", Role::Instructor).await);
    let ((class, code), (_, other)) = (site.class(&mei, "A").await, site.class(&kai, "B").await);
    site.member("lin", &code).await;
    site.member("wen", &code).await;
    site.member("out", &other).await;
    let mut teacher = site.signed_in("mei").await;
    for (count, seed, field) in [
        ("0", "", "drill-count-problem"),
        ("ten", "", "drill-count-problem"),
        ("101", "", "drill-count-problem"),
        ("10", "-1", "drill-seed-problem"),
    ] {
        let page = teacher.post(&format!("/en/class/{class}/drill"), &[("count", count), ("seed", seed)]).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(page.body.contains(field), "{count} {seed}");
    }
    let overview = teacher
        .post(&format!("/en/class/{class}/drill"), &[("count", "10"), ("seed", "2026")])
        .await
        .location()
        .to_owned();
    let id = overview.rsplit('/').next().expect("an id").to_owned();
    let (set, drawn) = (format!("/en/tools/drill/sets/{id}"), engine::set(2026, 10).expect("questions"));
    assert!(teacher.get(&format!("/en/class/{class}")).await.body.contains(&overview));
    assert!(teacher.get(&overview).await.body.contains(&format!("https://learn.example{set}")));

    let mut seen = Vec::new();
    for (who, factor) in [("lin", 1.0), ("wen", 1.4)] {
        let mut browser = site.signed_in(who).await;
        assert!(browser.get("/en/tools/drill").await.body.contains(&set), "the drill lists the set");
        for (at, expected) in drawn.iter().enumerate() {
            let page = next_of(&mut browser, &set).await.expect("a question");
            assert!(page.body.contains(&escaped(&expected.text.en)), "{who} {at}");
            let twice = next_of(&mut browser, &set).await.expect("the same");
            assert_eq!(fields(&twice), fields(&page), "opened twice, asked once");
            let result = answer(&mut browser, &page, &typed(expected, factor)).await;
            assert_eq!(passed(&result), factor == 1.0);
            answer(&mut browser, &page, &typed(expected, 1.0)).await;
            assert!(result.body.contains(&format!("href=\"{set}\"")), "on to the set");
            // Wen leaves the last two open.
            if who == "wen" && at == 7 {
                break;
            }
        }
        let own = browser.get(&set).await.body;
        let ids: Vec<String> = own.split("/en/tools/drill/answers/").skip(1).map(|at| at[..36].to_owned()).collect();
        assert_eq!(ids.len(), if who == "lin" { 10 } else { 8 });
        assert!(ids.iter().all(|id| !seen.contains(id)), "a learner sees only their own");
        seen.extend(ids);
        assert_eq!(next_of(&mut browser, &set).await.is_none(), who == "lin");
    }
    assert_eq!(site.bed.column("drill_answers", "question_id").await.len(), 18, "replays count for nothing");

    let page = teacher.get(&overview).await;
    let text = page.body.replace("<!>", "");
    assert!(text.contains("10 / 10") && text.contains("8 / 10"), "{text}");
    // Eight questions with one right and one 40 % off, two with one right.
    let count = |part: &str| text.matches(part).count();
    assert_eq!((count(">50 %<"), count(">100 %<"), count(">20.0 %<"), count(">0.0 %<")), (8, 2, 8, 2));
    assert_eq!(teacher.get(&set).await.location(), overview, "who teaches sees the other side");

    for (who, path, verdict) in
        [("out", &set, "404"), ("kai", &set, "404"), ("kai", &overview, "404"), ("lin", &overview, "403")]
    {
        assert_eq!(site.signed_in(who).await.get(path).await.verdict(), verdict, "{who} {path}");
    }
    assert_eq!(site.signed_in("out").await.post(&set, &[]).await.status, StatusCode::NOT_FOUND);
    assert_eq!(site.browser().get(&set).await.verdict(), "sign-in");
    let log = server::store::audit::list(&site.bed.store, mei.viewer(), 10).await.expect("a log");
    assert_eq!(log.iter().filter(|entry| entry.action.id() == "drill_opened").count(), 1);
}
