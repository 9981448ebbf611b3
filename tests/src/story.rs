//! What people do on their first day, by hand, in the browser.

use std::path::Path;

use crate::{Server, Tab};

/// Somebody with an account.
#[derive(Debug, Clone, Copy)]
pub struct Person {
    pub login: &'static str,
    pub name: &'static str,
    pub password: &'static str,
}

impl Person {
    async fn fill(&self, tab: &Tab) {
        tab.fill("input[name=login]", self.login).await;
        tab.fill("input[name=display_name]", self.name).await;
        tab.fill("input[name=password]", self.password).await;
    }
}

/// Opens the printed link and becomes the first instructor.
pub async fn set_up(tab: &Tab, link: &str, person: Person) {
    tab.goto(link).await;
    person.fill(tab).await;
    tab.follow("main form button[type=submit]").await;
    tab.wait("the classes are shown", "location.pathname.endsWith('/class')").await;
}

/// Makes a class; gives the path of its page and its sign-up link.
pub async fn make_class(tab: &Tab, server: &Server, name: &str) -> (String, String) {
    tab.goto(&server.url("/zh/class")).await;
    tab.fill("form[action$='/class'] input[name=name]", name).await;
    tab.follow("form[action$='/class'] button").await;
    tab.wait_text("h1", name).await;
    let link: String = tab.eval("document.querySelector('main a[href*=sign-up]').href").await;
    (tab.path().await, link)
}

/// Signs up with the link that the instructor hands out.
pub async fn sign_up(tab: &Tab, link: &str, person: Person) {
    tab.goto(link).await;
    person.fill(tab).await;
    tab.follow("main form.form button[type=submit]").await;
    tab.wait_text("a.account", person.name).await;
}

/// Signs in.
pub async fn sign_in(tab: &Tab, server: &Server, person: Person) {
    tab.goto(&server.url("/zh/sign-in")).await;
    tab.fill("input[name=login]", person.login).await;
    tab.fill("input[name=password]", person.password).await;
    tab.follow("main form.form button[type=submit]").await;
    tab.wait_text("a.account", person.name).await;
}

/// Registers a runner; gives its token, which is shown once.
pub async fn register_runner(tab: &Tab, server: &Server, name: &str) -> String {
    tab.goto(&server.url("/zh/class")).await;
    tab.fill("form[action$='/class/runners'] input[name=name]", name).await;
    tab.follow("form[action$='/class/runners'] button").await;
    tab.text(".secret").await
}

/// Hands a report in as a file; the browser is on its page afterwards.
pub async fn hand_in(tab: &Tab, server: &Server, lang: &str, file: &Path) {
    tab.goto(&server.url(&format!("/{lang}/reports"))).await;
    tab.upload("input[type=file][name=file]", file).await;
    tab.follow("form.drop button[type=submit]").await;
    tab.wait_for("main.report").await;
}
