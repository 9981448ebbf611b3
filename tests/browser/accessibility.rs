//! Every page of the tools under axe-core: no violation, in either language, on a desk in the light and on a phone in
//! the dark.

use e2e::{Browser, Scheme, Server, binaries};
use serde::Deserialize;

/// What axe-core says of a page, in short.
#[derive(Debug, Deserialize)]
struct Violation {
    id: String,
    help: String,
    first: String,
}

#[tokio::test]
async fn no_page_of_the_tools_has_a_violation() {
    let axe = std::fs::read_to_string(binaries::axe()).expect("the package is readable");
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    let mut wrong = Vec::new();
    for (lang, width, scheme) in [("zh", 1280, Scheme::Light), ("en", 390, Scheme::Dark)] {
        tab.size(width, 844).await;
        tab.scheme(scheme).await;
        let list = format!("/{lang}/tools");
        tab.goto(&server.url(&list)).await;
        let mut paths: Vec<String> =
            tab.eval("[...document.querySelectorAll('main .tool-list a')].map(a => a.pathname)").await;
        assert!(paths.len() > 20, "{paths:?}");
        paths.push(list);
        // A comparison stands on a page only when it is asked for.
        paths.push(format!("/{lang}/tools/training?vs=optimizer&to=sgd"));
        for path in paths {
            tab.goto(&server.url(&path)).await;
            tab.eval::<()>(&format!("(() => {{ {axe} }})()")).await;
            let found: Vec<Violation> = tab
                .eval(
                    "axe.run().then(result => result.violations.map(it => ({ id: it.id, help: it.help, first: it.nodes[0].html.slice(0, 200) })))",
                )
                .await;
            wrong.extend(found.into_iter().map(|it| format!("{path}: {} ({}): {}", it.id, it.help, it.first)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    tab.end().await;
}
