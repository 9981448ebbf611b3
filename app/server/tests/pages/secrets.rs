//! What people type cannot open a hole of the page or become markup.

use server::{
    auth::accounts::{self, NewAccount},
    store::{Role, runners},
};

use crate::site::{PASSWORD, Site};

#[tokio::test]
async fn names_are_text() {
    let site = Site::open().await;
    let mei = site.account("mei", Role::Instructor).await;
    let name = "<b>\"&'\u{e000}nonce\u{e001}";
    let (class, code) = site.class(&mei, name).await;
    let lin = NewAccount { login: "lin", display_name: name, password: PASSWORD };
    accounts::sign_up(&site.app.auth, code.as_str(), lin).await.expect("signed up");
    runners::register(&site.bed.store, name, None).await.expect("a runner");
    let (mut teacher, mut learner) = (site.signed_in("mei").await, site.signed_in("lin").await);
    learner.post("/en/account/tokens", &[("name", name), ("scope", "reports:read")]).await;
    let pages = [
        teacher.get("/en/class").await,
        teacher.get(&format!("/en/class/{class}")).await,
        teacher.get("/en/account").await,
        learner.get("/en/account").await,
        site.browser().post("/en/sign-in", &[("login", name), ("password", PASSWORD)]).await,
        site.browser().post("/en/sign-up", &[("code", name), ("login", name), ("display_name", name)]).await,
        site.browser().get("/en/sign-in?next=/%EE%80%80nonce%EE%80%81").await,
        learner.get("/en/account?code=%EE%80%80nonce%EE%80%81").await,
    ];
    for (at, page) in pages.iter().enumerate() {
        let nonce = page.between("nonce=\"", "\"").expect("a nonce");
        assert!(!nonce.is_empty());
        // Once in the head's script; a hole opened by a name would repeat it.
        assert_eq!(page.body.matches(nonce).count(), 1, "page {at}");
        assert!(!page.body.contains("<b>\"") && !page.body.contains("<b>&quot;"), "page {at}");
    }
}
