//! The pages of the larger calculators: what they show is what the crate `ledger` gives, on a desk and on a phone.

use e2e::{Browser, Server, Tab};
use ledger::calculators::{self, Kind};
use ledger::parallel::{self, Distributed, Mesh, Offload, ZeroStage};
use ledger::planner::{self, Assumptions, Offer, Space, TrainGoal};
use ledger::training::{Checkpointing, Optimizer, Precision, Training};
use ledger::{catalogue, units};

/// Places that differ from the calculator's id.
fn place(id: &'static str) -> &'static str {
    match id {
        "flash_attention" => "flash",
        "checkpointing" => "checkpoint",
        other => other,
    }
}

/// The second cells of the first table, where a sheet shows its values.
async fn values(tab: &Tab) -> Vec<String> {
    tab.eval("[...document.querySelector('section.ledger table tbody').rows].map(row => row.cells[1].textContent)")
        .await
}

#[tokio::test]
async fn small_calculators_follow_the_hand() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    // Quantisation has an island of its own, and a test of its own.
    let listed = calculators::all().iter().filter(|calculator| calculator.id != "quantisation");
    for (at, calculator) in listed.enumerate() {
        let width = if at % 2 == 0 { 1280 } else { 390 };
        tab.size(width, 844).await;
        tab.goto(&server.url(&format!("/{}/tools/{}", ["zh", "en"][at % 2], place(calculator.id)))).await;
        tab.wait("the island is awake", "document.documentElement.dataset.islands === 'ready'").await;
        let wide: i64 = tab.eval("document.scrollingElement.scrollWidth - innerWidth").await;
        assert_eq!(wide, 0, "{} at {width}", calculator.id);
        let shown = |sheet: &calculators::Sheet| -> Vec<String> {
            sheet.lines.iter().map(|line| line.quantity.to_string()).collect()
        };
        let sheet = calculators::run(calculator.id, &Default::default()).expect("its defaults");
        assert_eq!(values(&tab).await, shown(&sheet), "{}", calculator.id);
        let Some((name, number)) = calculator.inputs.iter().find_map(|input| match input.kind {
            Kind::Whole { default, max, .. } => Some((input.id.as_ref(), (default + 1).min(max))),
            _ => None,
        }) else {
            continue;
        };
        let typed = [(name.to_owned(), number.to_string())].into();
        let Ok(sheet) = calculators::run(calculator.id, &typed) else { continue };
        tab.fill(&format!("section.ledger input[type=number][name={name}]"), &number.to_string()).await;
        tab.press("Tab").await;
        let last = sheet.lines.last().map(|line| line.formula.clone()).unwrap_or_default();
        tab.wait_text("section.ledger table tbody tr:last-child td:last-child", &last).await;
        assert_eq!(values(&tab).await, shown(&sheet), "{} with {name} = {number}", calculator.id);
    }
    tab.end().await;
}

#[tokio::test]
async fn parallel_ledger_and_planner_give_the_numbers_of_the_crate() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.goto(&server.url("/en/tools/parallel?model=Llama-3-8B&tensor=4&pipeline=2&micro_batches=8")).await;
    let training = Training {
        precision: Precision::Bf16Master,
        optimizer: Optimizer::AdamWFused,
        batch: 1,
        seq: 4096,
        checkpointing: Checkpointing::Selective,
    };
    let mesh = Mesh { data: 2, tensor: 4, sequence: true, pipeline: 2, ..Mesh::SINGLE };
    let mut step = Distributed { training, micro_batches: 8, mesh, zero: ZeroStage::One, offload: Offload::NONE };
    let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
    let peak = |step: &Distributed| {
        let ledger = parallel::ledger(model, step).expect("a layout of the page");
        units::gib(ledger.worst().expect("a rank").ledger.peak.bytes)
    };
    tab.wait_text("section.ledger .phase.peak .n", &peak(&step)).await;
    tab.fill("section.ledger input[type=number][name=pipeline]", "4").await;
    tab.press("Tab").await;
    step.mesh.pipeline = 4;
    tab.wait_text("section.ledger .phase.peak .n", &peak(&step)).await;
    tab.wait("the address follows", "location.search.includes('pipeline=4') === false").await;

    tab.goto(&server.url("/en/tools/planner?count=4")).await;
    let offers = [Offer { card: catalogue::card("h100-80gb").expect("in the catalogue"), count: 4 }];
    let goal = TrainGoal { batch: 64, seq: 4096 };
    let plans = planner::train(model, &goal, &offers, &Space::default(), &Assumptions::default()).expect("plans");
    tab.wait_text("section.ledger .answer", &units::group(plans.fitting)).await;
    tab.wait_text("section.ledger table tbody tr td:last-child", &units::gib(plans.best[0].peak)).await;
    tab.end().await;
}
