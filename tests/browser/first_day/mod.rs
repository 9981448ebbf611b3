//! The first day of a class: from the printed link to the gradebook.

mod broken;

use std::time::Duration;

use e2e::reports::Strategies;
use e2e::story::{self, Person};
use e2e::{Browser, Folder, Runner, Server, Tab, within};
use ledger::inference::{self, Inference};
use ledger::{Dtype, catalogue, units};

const TEACHER: Person = Person { login: "chen", name: "陈老师", password: "ledger before measuring" };
const LEARNER: Person = Person { login: "lin", name: "林晓", password: "predict then reconcile" };

/// A lab measures for some seconds on a free machine, and for long on one that also builds something.
const LAB: Duration = Duration::from_secs(240);

#[tokio::test]
async fn first_day() {
    let server = Server::start();
    let browser = Browser::start().await;
    let teacher = browser.tab().await;
    let link = server.setup_link();
    story::set_up(&teacher, &link, TEACHER).await;
    let (class, sign_up) = story::make_class(&teacher, &server, "周二晚上的班").await;

    let learner = browser.reader().await;
    // The link made an instructor once, and never again.
    learner.expect_error("410 (Gone)");
    learner.goto(&link).await;
    assert_eq!(learner.count("input[name=password]").await, 0, "the set-up link works once");
    story::sign_up(&learner, &sign_up, LEARNER).await;

    reads(&learner, &server).await;
    moves_the_slider(&learner).await;
    answers_the_quiz(&learner, &server).await;
    hands_in(&learner, &server).await;

    let token = story::register_runner(&teacher, &server, "教室里的机器").await;
    runs_the_lab(&learner, &server, &token).await;

    learner.goto(&server.url("/zh/reports")).await;
    learner.wait_text("[data-column=cpu]", "rmsnorm").await;
    learner.wait_text("[data-column=gpu]", "76").await;
    assert_eq!(learner.count("[data-column=cpu] li").await, 1);
    assert_eq!(learner.count("[data-column=gpu] li").await, 1);

    keeps_the_gradebook(&teacher, &server, &class).await;
    // A learner sees neither the class nor anybody's gradebook.
    learner.expect_error("status of 40");
    learner.goto(&server.url(&class)).await;
    assert_eq!(learner.count("#gradebook").await, 0);
    learner.end().await;
    teacher.end().await;
}

async fn reads(tab: &Tab, server: &Server) {
    tab.goto(&server.url("/zh/task4/kv-cache")).await;
    tab.wait_text("h1", "显存预算").await;
    tab.follow("a.language").await;
    tab.wait_text("h1", "memory budget").await;
    assert_eq!(tab.path().await, "/en/task4/kv-cache");
}

/// The number on the page is the one that the crate gives.
async fn moves_the_slider(tab: &Tab) {
    let slider = "section.ledger label.number:has(input[name=batch]) input[type=range]";
    let field = "document.querySelector('section.ledger input[name=batch]').value";
    let before: String = tab.eval(field).await;
    tab.focus(slider).await;
    tab.press("ArrowRight").await;
    tab.wait("the slider moves", &format!("{field} !== '{before}'")).await;
    let batch = tab.eval::<String>(field).await.parse().expect("a whole number");
    let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
    let workload = Inference { weights: Dtype::Bf16, kv: Dtype::Bf16, batch, seq: 8192, reserve: 2304 * units::MIB };
    let total = inference::ledger(model, &workload).expect("small enough").total;
    tab.wait_text("section.ledger .total", &units::gib(total)).await;
}

/// Answered once, kept for the next visit.
async fn answers_the_quiz(tab: &Tab, server: &Server) {
    let question = "[data-question=paging-saves]";
    tab.click(&format!("{question} li:nth-child(2) input")).await;
    tab.click(&format!("{question} button")).await;
    tab.wait_text(&format!("{question} .verdict"), "Right").await;
    tab.wait_text(&format!("{question} .kept-mark"), "saved").await;
    tab.goto(&server.url("/zh/task4/kv-cache")).await;
    tab.wait_text(".kept", "1 题中答对 1 题").await;
}

async fn hands_in(tab: &Tab, server: &Server) {
    let folder = Folder::new("report");
    let report = Strategies::default();
    let file = folder.write("76_real_gpu_memory.json", &report.json());
    story::hand_in(tab, server, "en", &file).await;
    tab.wait_for(".decision[data-said=tune][data-recomputed=tune]").await;
    tab.wait_text(".decision", "confirmed").await;
    let most = format!("can save here is {:.1} MiB", report.most_saved_mib());
    tab.wait_text("[data-check=optimizer_floor][data-status=fail]", &most).await;
    tab.wait_for(".badge.gpu").await;
    // The same in the other language.
    tab.follow("a.language").await;
    tab.wait_text("[data-check=optimizer_floor]", &format!("最多只能省 {:.1} MiB", report.most_saved_mib())).await;
}

/// Queued before there is a runner, then measured and graded before the learner's eyes.
async fn runs_the_lab(tab: &Tab, server: &Server, token: &str) {
    tab.goto(&server.url("/zh/labs/rmsnorm")).await;
    tab.eval::<bool>(SEE).await;
    tab.click(".lab-run button[type=submit]").await;
    tab.wait_text(".stages[data-state=queued] [data-stage=queued]", "0").await;
    let _runner = Runner::start(server, token);
    within(LAB, tab.wait_for(".stages[data-state=graded]")).await;
    let seen: Vec<String> = tab.eval("window.seen").await;
    let place = |stage: &str| {
        seen.iter().position(|name| name == stage).unwrap_or_else(|| panic!("{stage} was not seen: {seen:?}"))
    };
    assert!(place("queued") < place("measuring") && place("measuring") < place("graded"), "{seen:?}");
    tab.wait_text(".lab-run", "■ CPU").await;
    tab.follow("a.report-link").await;
    tab.wait_for(".facts .badge.cpu").await;
    assert_eq!(tab.text(".gpu-points").await.split(' ').next(), Some("0"), "a CPU earns no GPU points");
    // What was measured stands on the page: times, the roofline of the same run, the memory of every variant.
    assert!(tab.text(".measurement .roofline").await.contains("GB/s"));
    let rows = tab.count(".measurement tbody tr").await;
    assert!(rows >= 2, "{rows} variants");
    assert!(tab.count(".measurement .timeline polygon").await >= rows, "an object of each variant");
}

/// Notes every stage that becomes the current one, and the end.
const SEE: &str = "
window.seen = [];
new MutationObserver(() => {
  const now = document.querySelector('.stages [aria-current=step]')?.dataset.stage
    ?? (document.querySelector('.stages[data-state=graded]') ? 'graded' : null);
  if (now && window.seen.at(-1) !== now) window.seen.push(now);
}).observe(document.querySelector('.lab-run'), { subtree: true, childList: true, attributes: true });
true";

async fn keeps_the_gradebook(tab: &Tab, server: &Server, class: &str) {
    tab.goto(&server.url(class)).await;
    let row = "#gradebook ~ .table tbody tr";
    tab.wait_text(row, LEARNER.name).await;
    tab.wait_text(&format!("{row} td:nth-child(6)"), "rmsnorm").await;
    tab.wait_text(&format!("{row} td:nth-child(3)"), "76").await;
    let (file, csv) = tab.download("a[href$='gradebook.csv']").await;
    assert!(file.starts_with("gradebook-") && file.ends_with(".csv"), "{file}");
    let lines: Vec<&str> = csv.trim_start_matches('\u{feff}').lines().collect();
    assert!(lines[0].starts_with("class,login,display_name,lab,evidence,"), "{csv}");
    let evidence = |lab: &str, class: &str| lines.iter().any(|line| line.contains(&format!(",{lab},{class},")));
    assert!(evidence("76", "gpu") && evidence("rmsnorm", "cpu"), "{csv}");
}
