//! A runner and a server that are killed in the middle of a run lose nothing.

use e2e::story;
use e2e::{Browser, Runner, Server, within};

use super::{LAB, LEARNER, SEE, TEACHER};

#[tokio::test]
async fn what_dies_in_the_middle_loses_nothing() {
    let mut server = Server::start();
    let browser = Browser::start().await;
    let teacher = browser.tab().await;
    story::set_up(&teacher, &server.setup_link(), TEACHER).await;
    let (class, sign_up) = story::make_class(&teacher, &server, "断电演习").await;
    let first = story::register_runner(&teacher, &server, "第一台").await;
    let second = story::register_runner(&teacher, &server, "第二台").await;
    let learner = browser.reader().await;
    story::sign_up(&learner, &sign_up, LEARNER).await;

    learner.goto(&server.url("/zh/labs/rmsnorm")).await;
    learner.eval::<bool>(SEE).await;
    learner.click(".lab-run button[type=submit]").await;
    let mut runner = Runner::start(&server, &first);
    within(LAB, learner.wait_for(".stages[data-state=running]")).await;
    runner.kill();

    // The second runner gets the job once the lease of the first has run out: only a claim after that makes the wait
    // in the queue so long. Stages in between may be too short to be seen.
    let _second = Runner::start(&server, &second);
    let again = "parseInt(document.querySelector('.stages [data-stage=queued] small')?.textContent) > 30000";
    within(LAB, learner.wait("the job is claimed again", again)).await;
    within(LAB, learner.wait_for(".stages [data-stage=measuring][aria-current=step], .stages[data-state=graded]"))
        .await;

    // The server dies while the job is measured. The page is told by the browser that its stream is gone.
    learner.expect_error("ERR_");
    server.kill_and_restart();
    within(LAB, learner.wait_for(".stages[data-state=graded]")).await;

    // Whoever was signed in still is, and there is one report, not two.
    learner.goto(&server.url("/zh/reports")).await;
    learner.wait_text("a.account", LEARNER.name).await;
    assert_eq!(learner.count("[data-column=cpu] li").await, 1);
    teacher.goto(&server.url(&class)).await;
    teacher.wait_text("#gradebook ~ .table tbody tr td:nth-child(6)", "1 次").await;
    learner.end().await;
    teacher.end().await;
}
