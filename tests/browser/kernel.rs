//! A learner writes a kernel: a mistake is marked in the editor, and the mended text is compiled, checked and graded.

use std::time::Duration;

use e2e::story::{self, Person};
use e2e::{Browser, Runner, Server, Tab, within};

const TEACHER: Person = Person { login: "chen", name: "陈老师", password: "ledger before measuring" };
const LEARNER: Person = Person { login: "lin", name: "林晓", password: "predict then reconcile" };

/// A compiler and fifteen shapes, on a machine that may also build something.
const RUN: Duration = Duration::from_secs(180);
const EDITOR: &str = ".editor .pce-textarea";

/// Sends the text and follows the run to its end.
async fn send(tab: &Tab, state: &str) {
    tab.follow("form.kernel button[type=submit]").await;
    within(RUN, tab.wait_for(&format!(".stages[data-state={state}]"))).await;
    tab.follow("main a[href*='/kernel?job=']").await;
    tab.wait_for(EDITOR).await;
}

#[tokio::test]
async fn a_learner_writes_a_kernel() {
    let server = Server::start();
    let browser = Browser::start().await;
    let (teacher, learner) = (browser.tab().await, browser.reader().await);
    story::set_up(&teacher, &server.setup_link(), TEACHER).await;
    let (_, link) = story::make_class(&teacher, &server, "周二晚上的班").await;
    story::sign_up(&learner, &link, LEARNER).await;
    let token = story::register_runner(&teacher, &server, "教室里的机器").await;
    let _runner = Runner::start(&server, &token);

    learner.size(390, 844).await;
    learner.goto(&server.url("/en/labs/rmsnorm")).await;
    learner.follow("main a[href$='/kernel']").await;
    learner.wait_for(EDITOR).await;
    // A line that does not compile, typed in front of the others.
    learner.focus(EDITOR).await;
    let start = format!("document.querySelector('{EDITOR}').setSelectionRange(0, 0)");
    learner.eval::<()>(&format!("(() => {{ {start} }})()")).await;
    learner.press("j").await;
    let held: String = learner.eval("document.querySelector('textarea[name=kernel]').value").await;
    assert!(held.starts_with("j// RMSNorm"), "the form holds what the editor shows: {held}");
    send(&learner, "failed").await;
    learner.wait_text(".said", "kernel.cu:").await;
    learner.wait_text(".said", "error").await;
    assert!(learner.count(".editor .pce-line.wrong").await > 0, "the lines that the compiler names are marked");
    let wide: i64 = learner.eval("document.scrollingElement.scrollWidth - innerWidth").await;
    assert!(wide <= 0, "{wide} wider than the screen");

    // The keyboard leaves the editor: Escape, then Tab.
    learner.focus(EDITOR).await;
    learner.eval::<()>(&format!("(() => {{ {start} }})()")).await;
    learner.press("Delete").await;
    learner.press("Escape").await;
    learner.press("Tab").await;
    assert_eq!(learner.eval::<String>("document.activeElement.type").await, "submit");
    send(&learner, "graded").await;
    learner.follow(".kernel-outcome a[href*='/reports/']").await;
    learner.wait_text(".facts .own-kernel", "rmsnorm_fused").await;
    learner.wait_for(".facts .badge.cpu").await;
    assert_eq!(learner.text(".gpu-points").await.split(' ').next(), Some("0"), "a processor earns no GPU points");

    // The same kernel in WGSL goes to the runner that has an adapter; this one waits for it.
    learner.goto(&server.url("/en/labs/rmsnorm/kernel?language=wgsl")).await;
    learner.wait_for(EDITOR).await;
    let held: String = learner.eval("document.querySelector('textarea[name=kernel]').value").await;
    assert!(held.contains("@compute @workgroup_size(256)"), "{held}");
    assert!(learner.count(".editor .token.keyword").await > 0, "in the colours of its language");
    learner.focus(EDITOR).await;
    learner.eval::<()>(&format!("(() => {{ {start} }})()")).await;
    learner.press("j").await;
    let token = story::register_runner(&teacher, &server, "有显卡的机器").await;
    let _adapter = Runner::start_on_wgpu(&server, &token);
    send(&learner, "failed").await;
    learner.wait_text(".said", "kernel.wgsl:1:").await;
    assert_eq!(learner.count(".editor .pce-line.wrong").await, 1, "the line that is named is marked");
    learner.focus(EDITOR).await;
    learner.eval::<()>(&format!("(() => {{ {start} }})()")).await;
    learner.press("Delete").await;
    send(&learner, "graded").await;
    learner.follow(".kernel-outcome a[href*='/reports/']").await;
    learner.wait_text(".facts .own-kernel", "rmsnorm_fused").await;
    teacher.end().await;
    learner.end().await;
}
