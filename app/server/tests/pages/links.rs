//! One-time links from beginning to end.

use axum::http::StatusCode;
use server::store::{Role, links};

use crate::site::{ORIGIN, PASSWORD, Page, Site};

const NEW: &str = "staple battery horse";

/// The address of such a page is a secret.
fn guarded(page: &Page, token: &str) {
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(page.header("referrer-policy"), "strict-origin");
    assert!(!page.body.contains(token), "the token stands nowhere in the page");
}

#[tokio::test]
async fn the_first_instructor() {
    let site = Site::open().await;
    let link = links::issue_setup(&site.bed.store).await.expect("a link");
    let (token, path) = (link.token.reveal(), format!("/setup/{}", link.token.reveal()));
    let mut browser = site.browser();
    let form = browser.get(&path).await;
    assert_eq!(form.status, StatusCode::OK);
    guarded(&form, token);
    for (lang, asked, word) in
        [("", "en-GB,en", "30 minutes"), ("", "zh-CN", "30 分钟"), ("?lang=en", "zh", "30 minutes")]
    {
        let page = browser.call("GET", &format!("{path}{lang}"), &[("accept-language", asked)], "").await;
        assert!(page.body.contains(word), "{lang} {asked}");
    }
    let typed = [("login", "mei"), ("display_name", "梅")];
    let short = browser.post(&format!("{path}?lang=en"), &[&typed[..], &[("password", "short")]].concat()).await;
    assert!(short.status == StatusCode::UNPROCESSABLE_ENTITY && short.body.contains("value=\"梅\""));
    guarded(&short, token);

    let right = [&typed[..], &[("password", PASSWORD)]].concat();
    let made = browser.post(&format!("{path}?lang=en"), &right).await;
    assert_eq!(made.location(), "/en/class");
    assert_eq!(browser.get("/en/class").await.status, StatusCode::OK);

    let mut late = site.browser();
    let again = late.post(&path, &[("login", "kai"), ("display_name", "Kai"), ("password", PASSWORD)]).await;
    assert_eq!(again.status, StatusCode::GONE);
    let page = late.get(&format!("{path}?lang=en")).await;
    assert!(page.status == StatusCode::GONE && page.body.contains("restart the server"));
    guarded(&page, token);
}

#[tokio::test]
async fn a_forgotten_password() {
    let site = Site::open().await;
    let mei = site.account("mei", Role::Instructor).await;
    let (class, code) = site.class(&mei, "A").await;
    let lin = site.member("lin", &code).await;
    let (mut teacher, mut learner) = (site.signed_in("mei").await, site.signed_in("lin").await);
    let issued = teacher.post(&format!("/en/class/{class}/resets"), &[("user", &lin.id.to_string())]).await;
    assert_eq!(issued.header("cache-control"), "no-store");
    let link = issued.secret();
    let path = link.strip_prefix(ORIGIN).expect("an address of this site").to_owned();
    let token = path.strip_prefix("/reset/").expect("a reset link");

    let mut browser = site.browser();
    let form = browser.get(&path).await;
    assert!(form.status == StatusCode::OK && form.body.contains("lin"));
    guarded(&form, token);
    let short = browser.post(&path, &[("password", "short")]).await;
    assert_eq!(short.status, StatusCode::UNPROCESSABLE_ENTITY);
    guarded(&short, token);
    let done = browser.post(&format!("{path}?lang=en"), &[("password", NEW)]).await;
    assert_eq!(done.location(), "/en/sign-in?done=reset");
    assert_eq!(done.header("referrer-policy"), "strict-origin");
    assert!(browser.get("/en/sign-in?done=reset").await.body.contains("role=\"status\""));

    assert_eq!(learner.get("/en/account").await.verdict(), "sign-in", "signed out everywhere");
    let old = browser.post("/en/sign-in", &[("login", "lin"), ("password", PASSWORD)]).await;
    assert_eq!(old.status, StatusCode::UNPROCESSABLE_ENTITY);
    let new = browser.post("/en/sign-in", &[("login", "lin"), ("password", NEW)]).await;
    assert_eq!(new.status, StatusCode::SEE_OTHER);
    for page in [
        browser.get(&format!("{path}?lang=en")).await,
        browser.post(&format!("{path}?lang=en"), &[("password", NEW)]).await,
    ] {
        assert!(page.status == StatusCode::GONE && page.body.contains("Ask your instructor"));
    }
}

#[tokio::test]
async fn links_end_after_half_an_hour_and_when_replaced() {
    let site = Site::open().await;
    let old = links::issue_setup(&site.bed.store).await.expect("a link");
    let new = links::issue_setup(&site.bed.store).await.expect("a link");
    let path = |link: &links::NewLink| format!("/setup/{}", link.token.reveal());
    let mut browser = site.browser();
    assert_eq!(browser.get(&path(&old)).await.status, StatusCode::GONE);
    assert_eq!(browser.get(&path(&new)).await.status, StatusCode::OK);
    site.bed.clock.advance(links::LIFETIME);
    assert_eq!(browser.get(&path(&new)).await.status, StatusCode::GONE);
    assert_eq!(browser.get("/setup/nonsense").await.status, StatusCode::GONE);
    assert_eq!(browser.get("/reset/nonsense").await.status, StatusCode::GONE);
}
