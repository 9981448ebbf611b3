//! Everything that must work without JavaScript.

use e2e::{Browser, Server};
use ledger::inference::{self, Inference};
use ledger::{Dtype, catalogue, units};

#[tokio::test]
async fn a_lesson_is_whole_without_javascript() {
    let server = Server::start();
    let browser = Browser::start().await;
    let mut tab = browser.tab().await;
    tab.without_scripts().await;
    tab.goto(&server.url("/en/task4/kv-cache")).await;
    assert!(tab.count("main math").await > 3);
    assert!(!tab.eval::<bool>("document.documentElement.classList.contains('js')").await, "no script ran");
    // The ledger of the lesson is there with its first numbers.
    let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
    let workload =
        Inference { weights: Dtype::Bf16, kv: Dtype::Bf16, batch: 40, seq: 8192, reserve: 2304 * units::MIB };
    let total = inference::ledger(model, &workload).expect("small enough").total;
    assert_eq!(tab.text("section.ledger .total").await, units::gib(total));
    // What only a script can do is not shown.
    let hidden = "[...document.querySelectorAll('.js-only')].every(element => !element.getClientRects().length)";
    assert!(tab.eval::<bool>(hidden).await);
    tab.end().await;
}

#[tokio::test]
async fn a_quiz_is_a_form() {
    let server = Server::start();
    let browser = Browser::start().await;
    let mut tab = browser.tab().await;
    tab.without_scripts().await;
    tab.goto(&server.url("/en/task4/kv-cache")).await;
    tab.click("input[name=missing-two][value='1']").await;
    tab.click("input[name=paging-saves][value='0']").await;
    tab.follow(".quiz button[type=submit]").await;
    tab.wait_text("main", "the leading 2 is missing").await;
    assert_eq!(tab.count("main .badge.ok").await, 1);
    assert_eq!(tab.count("main .badge.bad").await, 1);
    tab.follow("main a.button").await;
    assert_eq!(tab.path().await, "/en/task4/kv-cache");
    tab.end().await;
}

#[tokio::test]
async fn a_calculator_is_a_form() {
    let server = Server::start();
    let browser = Browser::start().await;
    let mut tab = browser.tab().await;
    tab.without_scripts().await;
    tab.goto(&server.url("/zh/tools/inference")).await;
    tab.fill("input[name=batch]", "17").await;
    tab.fill("input[name=seq]", "12345").await;
    tab.follow("section.ledger button[type=submit]").await;
    let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
    let workload = Inference {
        weights: Dtype::Bf16,
        kv: Dtype::Bf16,
        batch: 17,
        seq: 12_345,
        reserve: Inference::DEFAULT_RESERVE,
    };
    let total = inference::ledger(model, &workload).expect("small enough").total;
    assert_eq!(tab.text("section.ledger .total").await, units::gib(total));
    assert_eq!(tab.eval::<String>("document.querySelector('input[name=batch]').value").await, "17");
    // A value that cannot be is named, and nothing else is lost.
    tab.goto(&server.url("/en/tools/inference?batch=many&seq=12345")).await;
    tab.wait_text("section.ledger .problem", "batch").await;
    assert_eq!(tab.eval::<String>("document.querySelector('input[name=seq]').value").await, "12345");
    tab.end().await;
}

#[tokio::test]
async fn light_and_dark_are_a_form() {
    let server = Server::start();
    let browser = Browser::start().await;
    let mut tab = browser.tab().await;
    tab.without_scripts().await;
    tab.goto(&server.url("/en/task1/ledger")).await;
    for theme in ["light", "dark", "auto"] {
        tab.follow("form.theme button").await;
        assert_eq!(tab.eval::<String>("document.documentElement.dataset.theme").await, theme);
        assert_eq!(tab.path().await, "/en/task1/ledger");
    }
    tab.end().await;
}
