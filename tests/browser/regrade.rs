//! A regrade as a teacher does it: from the class to a dry run, looked through, published; and a thread on a check.

use e2e::reports::Strategies;
use e2e::story::{self, Person};
use e2e::{Browser, Folder, Server, Tab, until};

const TEACHER: Person = Person { login: "chen", name: "陈老师", password: "ledger before measuring" };
const LEARNER: Person = Person { login: "lin", name: "林晓", password: "predict then reconcile" };

async fn no_sideways_scrolling(tab: &Tab, what: &str) {
    let wide: i64 = tab.eval("document.scrollingElement.scrollWidth - innerWidth").await;
    assert!(wide <= 0, "{what} is {wide} wider than the screen");
}

/// Follows the page's own link until the background has come so far.
async fn refresh_until(tab: &Tab, state: &str) {
    let there = format!("main .facts [data-state={state}]");
    until(&format!("the regrade is {state}"), || async {
        if tab.count(&there).await == 1 {
            return Some(());
        }
        // Gone when the background was faster than this look.
        if tab.count("main .working a").await == 1 {
            tab.follow("main .working a").await;
        }
        None
    })
    .await;
}

#[tokio::test]
async fn a_teacher_regrades_and_talks() {
    let server = Server::start();
    let browser = Browser::start().await;
    let teacher = browser.tab().await;
    let learner = browser.reader().await;
    story::set_up(&teacher, &server.setup_link(), TEACHER).await;
    let (class, link) = story::make_class(&teacher, &server, "周二晚上的班").await;
    story::sign_up(&learner, &link, LEARNER).await;
    let folder = Folder::new("report");
    story::hand_in(&learner, &server, "zh", &folder.write("76.json", &Strategies::default().json())).await;
    let report = learner.path().await;

    for (lang, width) in [("zh", 390), ("en", 1280)] {
        teacher.size(width, 844).await;
        let class = class.replacen("/zh/", &format!("/{lang}/"), 1);
        teacher.goto(&server.url(&class)).await;
        no_sideways_scrolling(&teacher, "the class").await;
        teacher.follow("main a[href$='/regrades']").await;
        teacher.choose("select[name=lab]", "76").await;
        // By keyboard from the list to the button.
        teacher.focus("main form.row-form button").await;
        teacher.turn("Enter").await;
        refresh_until(&teacher, "ready").await;
        no_sideways_scrolling(&teacher, "the regrade").await;
        assert_eq!(teacher.count("tr[data-line=same]").await, 1, "the same grader gives the same grade");
        teacher.follow("form[action$='/publish'] button").await;
        refresh_until(&teacher, "published").await;
        assert_eq!(teacher.count("form[action$='/publish']").await, 0);
        teacher.goto(&server.url(&format!("{class}/labs/76/statistics"))).await;
        no_sideways_scrolling(&teacher, "the statistics").await;
        assert!(teacher.count("figure.tally svg[role=img][aria-label]").await >= 2);
        teacher.goto(&server.url(&format!("{class}/import"))).await;
        no_sideways_scrolling(&teacher, "files").await;
    }

    // The learner asks under the first check, the teacher sees it, answers and closes the thread.
    learner.size(390, 844).await;
    learner.goto(&server.url(&report)).await;
    learner.click("details.talk summary").await;
    learner.fill("details.talk[open] textarea", "为什么 <b>这里</b> 不通过？").await;
    learner.follow("details.talk[open] form button").await;
    learner.wait_text("details.talk[open] .said", "<b>这里</b>").await;
    no_sideways_scrolling(&learner, "the thread").await;
    teacher.goto(&server.url(&class)).await;
    teacher.wait_text("#unread + ul", "林晓").await;
    teacher.follow("#unread + ul a").await;
    teacher.wait_text("details.talk[open] li.unread .said", "为什么").await;
    teacher.follow("details.talk[open] form:last-of-type button").await;
    teacher.wait_text("details.talk[open] summary", "已解决").await;
    teacher.goto(&server.url(&class)).await;
    assert_eq!(teacher.count("#unread").await, 0);
    learner.end().await;
    teacher.end().await;
}
