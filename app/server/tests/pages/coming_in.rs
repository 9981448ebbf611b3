//! Signing up, in and out.

use axum::http::{StatusCode, header};
use server::{auth::session::COOKIE, store::Role};

use crate::site::{PASSWORD, Site};

const LIN: [(&str, &str); 3] = [("login", "lin"), ("display_name", "林"), ("password", PASSWORD)];

#[tokio::test]
async fn sign_up_out_and_in() {
    let site = Site::open().await;
    let mei = site.account("mei", Role::Instructor).await;
    let (_, code) = site.class(&mei, "A").await;
    let mut browser = site.browser();
    let form = browser.get(&format!("/en/sign-up?code={}", code.as_str())).await;
    assert!(form.body.contains(&format!("value=\"{code}\"")), "prefilled");

    let fields = [&[("code", code.as_str())], LIN.as_slice()].concat();
    let done = browser.post("/en/sign-up", &fields).await;
    assert_eq!((done.status, done.location()), (StatusCode::SEE_OTHER, "/en/"));
    let account = browser.get("/zh/account").await;
    assert!(account.body.contains("林") && account.body.contains("学习者"));

    assert_eq!(browser.post("/en/sign-out", &[]).await.location(), "/en/");
    assert_eq!(browser.cookie, None);
    assert_eq!(browser.get("/en/account").await.location(), "/en/sign-in?next=/en/account");

    let done = browser.post("/en/sign-in", &[("login", "LIN"), ("password", PASSWORD), ("next", "/en/account")]).await;
    assert_eq!(done.location(), "/en/account");
    for (next, way) in
        [("", "/en/"), ("//evil.example", "/en/"), ("https://evil.example", "/en/"), ("/zh/task4?a=1", "/zh/task4?a=1")]
    {
        let mut browser = site.browser();
        let done = browser.post("/en/sign-in", &[("login", "lin"), ("password", PASSWORD), ("next", next)]).await;
        assert_eq!(done.location(), way, "{next}");
    }
}

#[tokio::test]
async fn the_cookie() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    let page = site.browser().post("/en/sign-in", &[("login", "lin"), ("password", PASSWORD)]).await;
    let set = page.header("set-cookie");
    assert!(set.starts_with(&format!("{COOKIE}=")) && COOKIE.starts_with("__Host-"), "{set}");
    for attribute in ["; Secure", "; HttpOnly", "; SameSite=Lax", "; Path=/"] {
        assert!(set.contains(attribute), "{attribute} in {set}");
    }
    assert!(!set.contains("Domain"), "{set}");
    // A visitor who only reads gets none.
    assert!(!site.browser().get("/en/sign-in").await.headers.contains_key(header::SET_COOKIE));
}

/// A form of another site is refused before its content matters, with and without a session.
#[tokio::test]
async fn other_sites_change_nothing() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    let mut lin = site.signed_in("lin").await;
    let form = "login=lin&password=x&name=t&scope=reports:read";
    for path in [
        "/en/sign-in",
        "/en/sign-up",
        "/en/sign-out",
        "/en/account/tokens",
        "/en/account/password",
        "/setup/x",
        "/reset/x",
        "/en/class",
    ] {
        for from in
            [("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-site"), ("origin", "https://evil.example")]
        {
            let headers = [from, ("host", "learn.example"), ("content-type", "application/x-www-form-urlencoded")];
            let page = lin.call("POST", path, &headers, form).await;
            assert_eq!(page.status, StatusCode::FORBIDDEN, "{path} {from:?}");
        }
    }
    assert_eq!(lin.get("/en/account").await.status, StatusCode::OK, "still signed in");
    assert_eq!(site.bed.column("api_tokens", "id").await.len(), 0);
}

/// Nobody learns from the answer which login names exist.
#[tokio::test]
async fn unknown_login_and_wrong_password_look_alike() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    for lang in ["zh", "en"] {
        let path = format!("/{lang}/sign-in");
        let wrong = site.browser().post(&path, &[("login", "lin"), ("password", "battery staple horse")]).await;
        let unknown = site.browser().post(&path, &[("login", "nil"), ("password", "battery staple horse")]).await;
        assert_eq!(
            (wrong.status, unknown.status),
            (StatusCode::UNPROCESSABLE_ENTITY, StatusCode::UNPROCESSABLE_ENTITY)
        );
        let (wrong, unknown) = (wrong.without_nonce(), unknown.without_nonce());
        assert!(wrong.contains("role=\"alert\"") && wrong.contains("value=\"lin\""), "what was typed stays");
        assert!(!wrong.contains("battery staple horse"), "the password does not");
        assert_eq!(wrong.replace("value=\"lin\"", ""), unknown.replace("value=\"nil\"", ""));
    }
}

#[tokio::test]
async fn mistakes_come_back_in_the_form() {
    let site = Site::open().await;
    let mei = site.account("mei", Role::Instructor).await;
    let (_, code) = site.class(&mei, "A").await;
    let right =
        [("code", code.as_str()), ("login", "lin"), ("display_name", "Lin"), ("password", "right horse staple")];
    for (field, value, field_with_problem) in [
        ("code", "AAAAA-22222", "sign-up-code-problem"),
        ("login", "no", "person-login-problem"),
        ("login", "林晓晓", "person-login-problem"),
        ("login", "MEI", "person-login-problem"),
        ("display_name", " ", "person-display_name-problem"),
        ("password", "short", "person-password-problem"),
        ("password", "password12345", "person-password-problem"),
    ] {
        let fields = right.map(|(name, typed)| (name, if name == field { value } else { typed }));
        for lang in ["zh", "en"] {
            let page = site.browser().post(&format!("/{lang}/sign-up"), &fields).await;
            assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{field} {value}");
            assert!(page.body.contains(&format!("id=\"{field_with_problem}\"")), "{field} {value}");
            assert!(page.body.contains("aria-invalid=\"true\""));
            let kept = fields
                .iter()
                .filter(|(name, _)| *name != "password")
                .all(|(_, typed)| page.body.contains(&format!("value=\"{typed}\"")));
            assert!(kept, "{field}: what was typed stays");
            assert!(!page.body.contains("right horse staple"), "{field}: the password does not");
        }
    }
    // Fields that a script leaves out are mistakes of the form, no server fault.
    assert_eq!(site.browser().post("/en/sign-up", &[]).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(site.browser().post("/en/sign-in", &[]).await.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn guessing_is_slowed_down() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    let mut limited = None;
    for _ in 0..30 {
        let page = site.browser().post("/en/sign-in", &[("login", "lin"), ("password", "battery staple horse")]).await;
        if page.status == StatusCode::TOO_MANY_REQUESTS {
            limited = Some(page);
            break;
        }
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    let limited = limited.expect("a limit within 30 tries");
    assert!(limited.header("retry-after").parse::<u64>().expect("seconds") >= 1);
    assert!(limited.body.contains("<form") && limited.body.contains("value=\"lin\""), "the form is there");
    let right = site.browser().post("/en/sign-in", &[("login", "lin"), ("password", PASSWORD)]).await;
    assert_eq!(right.status, StatusCode::TOO_MANY_REQUESTS, "the right password tells nothing either");
}

/// Neighbours behind one address: their mistakes do not keep anybody else out, and right passwords cost nothing.
#[tokio::test]
async fn wrong_tries_of_others_lock_nobody_out() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    site.account("wen", Role::Learner).await;
    let mut browser = site.browser();
    let mut try_in = async |login: &str, password: &str| {
        browser.cookie = None;
        browser.post("/en/sign-in", &[("login", login), ("password", password)]).await.status
    };
    for n in 0..30 {
        assert_eq!(try_in("lin", PASSWORD).await, StatusCode::SEE_OTHER, "{n}");
    }
    let mut wrong = Vec::new();
    for _ in 0..12 {
        wrong.push(try_in("lin", "wrong").await);
    }
    assert_eq!(wrong[..10], [StatusCode::UNPROCESSABLE_ENTITY; 10]);
    assert_eq!(wrong[11], StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(try_in("lin", PASSWORD).await, StatusCode::TOO_MANY_REQUESTS, "or the guesser's right guess would pass");
    assert_eq!(try_in("wen", PASSWORD).await, StatusCode::SEE_OTHER);
}
