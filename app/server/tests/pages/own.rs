//! One's own account: password, sessions, tokens, classes.

use axum::http::StatusCode;
use server::store::Role;

use crate::site::{ORIGIN, PASSWORD, Site};

const NEW: &str = "staple battery horse";

#[tokio::test]
async fn a_new_password_ends_the_other_sessions() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    let (mut here, mut there) = (site.signed_in("lin").await, site.signed_in("lin").await);
    for (old, new, field) in [("wrong", NEW, "change-old-problem"), (PASSWORD, "short", "change-new-problem")] {
        let page = here.post("/en/account/password", &[("old", old), ("new", new)]).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(page.body.contains(field) && !page.body.contains(PASSWORD) && !page.body.contains(NEW), "{field}");
    }
    let before = here.cookie.clone();
    let page = here.post("/en/account/password", &[("old", PASSWORD), ("new", NEW)]).await;
    assert_eq!(page.location(), "/en/account?done=password#password");
    assert_ne!(here.cookie, before, "a new session id");
    assert_eq!(here.get("/en/account").await.status, StatusCode::OK);
    assert_eq!(there.get("/en/account").await.verdict(), "sign-in");
    let old = site.browser().post("/en/sign-in", &[("login", "lin"), ("password", PASSWORD)]).await;
    assert_eq!(old.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn sessions_are_listed_and_ended() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    let (mut here, mut there) = (site.signed_in("lin").await, site.signed_in("lin").await);
    let page = here.get("/en/account").await;
    assert!(page.body.matches("Firefox · Linux").count() >= 2);
    assert_eq!(page.body.matches("\">this one<").count(), 1);
    // Only the other one has a button.
    assert_eq!(page.body.matches("name=\"key\"").count(), 1);
    let key = page.between("name=\"key\" value=\"", "\"").expect("a key").to_owned();
    assert_eq!(here.post("/en/account/sessions/end", &[("key", &key)]).await.verdict(), "303");
    assert_eq!(there.get("/en/account").await.verdict(), "sign-in");
    assert_eq!(here.get("/en/account").await.verdict(), "200");

    let mut third = site.signed_in("lin").await;
    here.post("/en/account/sessions/end-others", &[]).await;
    assert_eq!(
        (third.get("/en/account").await.verdict(), here.get("/en/account").await.verdict()),
        ("sign-in".into(), "200".into())
    );
}

#[tokio::test]
async fn a_token_is_shown_once_and_revoked() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    let mut browser = site.signed_in("lin").await;
    let fields = [("name", "notebook-7"), ("scope", "reports:read"), ("scope", "reports:submit")];
    let made = browser.post("/en/account/tokens", &fields).await;
    let token = made.secret();
    assert!(token.starts_with("vl_") && made.header("cache-control") == "no-store");
    let example = format!("Bearer {token}&quot; --data-binary @report.json {ORIGIN}/api/v1/reports");
    let example = [example.clone(), example.replace("&quot;", "\"")];
    assert!(example.iter().any(|example| made.body.contains(example)), "{}", made.body);

    let list = browser.get("/en/account").await;
    assert!(list.body.contains("notebook-7") && list.body.contains(&token[..9]) && !list.body.contains(&token));
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    let opens = site.browser().call("POST", "/api/v1/reports", &headers, "{}").await.status;
    assert_ne!(opens, StatusCode::UNAUTHORIZED);

    let id = list.between("name=\"id\" value=\"", "\"").expect("an id").to_owned();
    assert_eq!(
        browser.post("/en/account/tokens/revoke", &[("id", &id)]).await.location(),
        "/en/account?done=revoked#tokens"
    );
    assert!(!browser.get("/en/account").await.body.contains("notebook-7"));
    let ended = site.browser().call("POST", "/api/v1/reports", &headers, "{}").await.status;
    assert_eq!(ended, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_learner_joins_another_class() {
    let site = Site::open().await;
    let mei = site.account("mei", Role::Instructor).await;
    let ((_, a), (_, b)) = (site.class(&mei, "Class A").await, site.class(&mei, "Class B").await);
    site.member("lin", &a).await;
    let mut browser = site.signed_in("lin").await;
    // The sign-up link of a class leads a signed-in learner to their account.
    let sent = browser.get(&format!("/en/sign-up?code={}", b.as_str())).await;
    assert_eq!(sent.location(), format!("/en/account?code={b}#classes"));
    let wrong = browser.post("/en/account/classes", &[("code", "AAAAA-22222")]).await;
    assert!(wrong.status == StatusCode::UNPROCESSABLE_ENTITY && wrong.body.contains("value=\"AAAAA-22222\""));
    assert_eq!(browser.post("/en/account/classes", &[("code", &b.to_string())]).await.verdict(), "303");
    let page = browser.get("/en/account").await.body;
    assert!(page.contains("Class A") && page.contains("Class B"));
}
