//! Every page under axe-core: no violation, in either language, on a desk in the light and on a phone in the dark.

use e2e::reports::Strategies;
use e2e::story::{self, Person};
use e2e::{Browser, Folder, Scheme, Server, Tab, binaries};
use serde::Deserialize;

/// What axe-core says of a page, in short.
#[derive(Debug, Deserialize)]
struct Violation {
    id: String,
    help: String,
    first: String,
}

/// A desk in the light and a phone in the dark.
const VIEWS: [(&str, u32, Scheme); 2] = [("zh", 1280, Scheme::Light), ("en", 390, Scheme::Dark)];

fn axe() -> String {
    std::fs::read_to_string(binaries::axe()).expect("the package is readable")
}

/// The violations of each page, and whether it scrolls sideways.
async fn look(tab: &Tab, server: &Server, axe: &str, paths: &[String], wrong: &mut Vec<String>) {
    for path in paths {
        tab.goto(&server.url(path)).await;
        tab.eval::<()>(&format!("(() => {{ {axe} }})()")).await;
        let found: Vec<Violation> = tab
            .eval(
                "axe.run().then(result => result.violations.map(it => ({ id: it.id, help: it.help, first: it.nodes[0].html.slice(0, 200) })))",
            )
            .await;
        wrong.extend(found.into_iter().map(|it| format!("{path}: {} ({}): {}", it.id, it.help, it.first)));
        let wide: i64 = tab.eval("document.scrollingElement.scrollWidth - innerWidth").await;
        wrong.extend((wide > 0).then(|| format!("{path}: {wide} wider than the screen")));
    }
}

#[tokio::test]
async fn no_page_of_the_tools_has_a_violation() {
    let (axe, server, browser) = (axe(), Server::start(), Browser::start().await);
    let tab = browser.tab().await;
    let mut wrong = Vec::new();
    for (lang, width, scheme) in VIEWS {
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
        look(&tab, &server, &axe, &paths, &mut wrong).await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    tab.end().await;
}

const TEACHER: Person = Person { login: "chen", name: "陈老师", password: "ledger before measuring" };
const LEARNER: Person = Person { login: "lin", name: "林晓", password: "predict then reconcile" };

#[tokio::test]
async fn no_page_of_a_class_has_a_violation() {
    let (axe, server, browser) = (axe(), Server::start(), Browser::start().await);
    let (teacher, learner) = (browser.tab().await, browser.reader().await);
    story::set_up(&teacher, &server.setup_link(), TEACHER).await;
    let (class, link) = story::make_class(&teacher, &server, "周二晚上的班").await;
    story::sign_up(&learner, &link, LEARNER).await;
    let folder = Folder::new("report");
    story::hand_in(&learner, &server, "zh", &folder.write("76.json", &Strategies::default().json())).await;
    let report = learner.path().await;
    teacher.goto(&server.url(&class)).await;
    let of_learner: String = teacher.eval("document.querySelector('main a[href*=\"/learners/\"]').pathname").await;
    let mut wrong = Vec::new();
    for (lang, width, scheme) in VIEWS {
        for tab in [&teacher, &learner] {
            tab.size(width, 844).await;
            tab.scheme(scheme).await;
        }
        let of = |path: &str| path.replacen("/zh/", &format!("/{lang}/"), 1);
        let at = |end: &str| of(&format!("{class}{end}"));
        let pages = ["", "/regrades", "/import", "/audit", "/labs/76", "/labs/76/statistics"];
        let mut paths: Vec<String> = pages.iter().map(|end| at(end)).collect();
        paths.extend([of("/zh/class"), of(&of_learner), of(&report)]);
        look(&teacher, &server, &axe, &paths, &mut wrong).await;
        let own = [
            "/zh/reports",
            "/zh/labs",
            "/zh/labs/76",
            "/zh/labs/rmsnorm",
            "/zh/labs/rmsnorm/kernel",
            "/zh/account",
            &report,
        ]
        .map(of);
        look(&learner, &server, &axe, &own, &mut wrong).await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    teacher.end().await;
    learner.end().await;
}
