//! The course by keyboard alone.

use e2e::{Browser, Server};

/// What has the focus, if anything has.
const FOCUSED: &str = "document.activeElement === document.body ? null : document.activeElement.outerHTML.slice(0, 80)";

#[tokio::test]
async fn the_skip_link_leads_past_the_navigation() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.goto(&server.url("/en/task4/kv-cache")).await;
    tab.press("Tab").await;
    assert!(tab.eval::<bool>("document.activeElement.matches('a.skip')").await, "the first stop skips");
    let seen = "(() => { const box = document.activeElement.getBoundingClientRect(); return box.top >= 0 && box.height > 10; })()";
    tab.wait("the skip link is seen when it has the focus", seen).await;
    tab.press("Enter").await;
    tab.wait("the text is the target", "location.hash === '#main'").await;
    tab.press("Tab").await;
    assert!(tab.eval::<bool>("!!document.activeElement.closest('main')").await, "the next stop is in the text");
    tab.end().await;
}

#[tokio::test]
async fn the_focus_moves_in_reading_order_and_is_seen() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    for path in ["/zh/", "/en/tools/inference"] {
        tab.goto(&server.url(path)).await;
        let mut stops = 0;
        tab.eval::<bool>("window.before = document.body; true").await;
        loop {
            tab.press("Tab").await;
            let Some(focused) = tab.eval::<Option<String>>(FOCUSED).await else { break };
            let forward: bool = tab
                .eval("(() => { const at = document.activeElement, order = before.compareDocumentPosition(at); window.before = at; return !!(order & 4); })()")
                .await;
            if !forward {
                // Past the last stop the browser begins again.
                break;
            }
            let marked: bool = tab
                .eval("(() => { const style = getComputedStyle(document.activeElement); return style.outlineStyle !== 'none' || style.boxShadow !== 'none'; })()")
                .await;
            assert!(marked, "{path}: the focus is not seen on {focused}");
            stops += 1;
            assert!(stops < 300, "{path}: the focus does not come to an end");
        }
        let reachable: usize = tab
            .eval("[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, textarea')].filter(e => e.checkVisibility({ visibilityProperty: true }) && !e.disabled).length")
            .await;
        assert!(stops >= reachable, "{path}: {stops} stops for {reachable} things to use");
    }
    tab.end().await;
}

#[tokio::test]
async fn j_and_k_turn_the_page_but_not_while_one_types() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.goto(&server.url("/zh/task1/ledger")).await;
    let next: String = tab.eval("document.querySelector('a[rel=next]').getAttribute('href')").await;
    tab.turn("j").await;
    assert_eq!(tab.path().await, next);
    tab.turn("k").await;
    assert_eq!(tab.path().await, "/zh/task1/ledger");
    tab.focus("section.ledger input[name=batch]").await;
    tab.press("j").await;
    tab.check().await;
    assert_eq!(tab.path().await, "/zh/task1/ledger");
    tab.end().await;
}
