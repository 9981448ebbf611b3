//! Every page that a link leads to, on a phone.

use std::collections::{BTreeSet, VecDeque};

use e2e::{Browser, Server, Tab};

/// Pages that a reader without an account is sent away from, or that end something.
const NOT_FOLLOWED: [&str; 2] = ["/sign-out", "/api/"];

#[tokio::test]
async fn every_page_fits_a_phone_in_both_languages() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.size(360, 780).await;
    let seen = visit_all(&tab, &server, &["/zh/", "/en/"]).await;
    for path in ["/zh/task4/kv-cache", "/en/task1/ledger", "/zh/tools/training", "/en/task6b"] {
        assert!(seen.contains(path), "{path} is not linked; {seen:?}");
    }
    tab.end().await;
}

/// Follows links from page to page; each page must exist, be quiet and fit.
pub async fn visit_all(tab: &Tab, server: &Server, from: &[&str]) -> BTreeSet<String> {
    let mut seen: BTreeSet<String> = from.iter().map(|path| (*path).to_owned()).collect();
    let mut next: VecDeque<String> = seen.iter().cloned().collect();
    let mut wide = Vec::new();
    while let Some(path) = next.pop_front() {
        tab.goto(&server.url(&path)).await;
        let status: u16 = tab.eval("performance.getEntriesByType('navigation')[0].responseStatus").await;
        assert_eq!(status, 200, "{path}");
        let (needs, has): (f64, f64) = tab.eval("[document.scrollingElement.scrollWidth, innerWidth]").await;
        if needs > has {
            let who: String = tab
                .eval("[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.table, pre, math, svg')).slice(0, 3).map(e => e.tagName + '.' + e.className).join(' ')")
                .await;
            wide.push(format!("{path}: {needs} px in {has} px: {who}"));
        }
        let links: Vec<String> = tab
            .eval("[...document.querySelectorAll('a[href]')].filter(a => a.origin === location.origin && !a.hasAttribute('download')).map(a => a.pathname)")
            .await;
        for link in links {
            if !NOT_FOLLOWED.iter().any(|part| link.contains(part)) && seen.insert(link.clone()) {
                next.push_back(link);
            }
        }
    }
    assert!(wide.is_empty(), "too wide for a phone:\n{}", wide.join("\n"));
    seen
}
