//! An instructor holds points back, sets some by hand and releases them; the learner sees them then, with the reason.

use e2e::reports::Strategies;
use e2e::story::{self, Person};
use e2e::{Browser, Folder, Server};

const TEACHER: Person = Person { login: "chen", name: "陈老师", password: "ledger before measuring" };
const LEARNER: Person = Person { login: "lin", name: "林晓", password: "predict then reconcile" };

#[tokio::test]
async fn points_by_hand_are_held_and_released() {
    let server = Server::start();
    let browser = Browser::start().await;
    let teacher = browser.tab().await;
    story::set_up(&teacher, &server.setup_link(), TEACHER).await;
    let (class, sign_up) = story::make_class(&teacher, &server, "周二晚上的班").await;
    let learner = browser.reader().await;
    story::sign_up(&learner, &sign_up, LEARNER).await;
    let folder = Folder::new("gradebook");
    let file = folder.write("76_real_gpu_memory.json", &Strategies::default().json());
    story::hand_in(&learner, &server, "zh", &file).await;
    learner.wait_for(".credit[data-part=gpu]").await;

    // Held: the learner's own page has no points any more.
    teacher.goto(&server.url(&format!("{class}/labs/76"))).await;
    teacher.click("form[action$='/release'] input[value=held] ~ button").await;
    teacher.wait_for("p.notice").await;
    let report = learner.path().await;
    learner.goto(&server.url(&report)).await;
    learner.wait_text("p.lead", "稍后公布").await;
    assert_eq!(learner.count(".credit, .cpu-points").await, 0);

    // Points by hand, from the learner's line of the gradebook.
    teacher.goto(&server.url(&class)).await;
    teacher.follow(".gradebook .score a[href$='/76']").await;
    teacher.choose("select[name=part]", "gpu").await;
    teacher.fill("#by-hand-points", "7.5").await;
    teacher.fill("#by-hand-reason", "上机时看过测量").await;
    teacher.click("form[action$='/points'] button").await;
    teacher.wait_for(".credit[data-part=gpu][data-credit='7.5']").await;
    learner.goto(&server.url("/zh/reports")).await;
    assert_eq!(learner.count(".credit").await, 0);

    teacher.goto(&server.url(&format!("{class}/labs/76"))).await;
    teacher.click("form[action$='/release'] input[value=at_once] ~ button").await;
    teacher.wait_for("p.notice").await;
    learner.goto(&server.url(&report)).await;
    learner.wait_for(".credit[data-part=gpu][data-credit='7.5']").await;
    learner.wait_text(".credit[data-part=gpu] .why", "上机时看过测量").await;

    teacher.goto(&server.url(&format!("{class}/audit"))).await;
    teacher.wait_text("table.audit tbody tr:nth-child(2)", "上机时看过测量").await;
    learner.end().await;
    teacher.end().await;
}
