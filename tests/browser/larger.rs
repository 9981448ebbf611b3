//! The larger calculators: the same numbers with and without JavaScript, on a desk and on a phone, and those of the
//! crate `ledger`.

use e2e::{Browser, Server, Tab};
use ledger::decide::{self, Plan, Tolerance};
use ledger::inference::{self, Inference, PromptAttention, Reserves, Serving};
use ledger::planner::{Assumptions, Offer};
use ledger::training::{self, Checkpointing, Optimizer, Precision, Run, Training};
use ledger::{Dtype, catalogue, units};

/// Everything that a calculator answers, as a reader sees it.
async fn answer(tab: &Tab) -> String {
    tab.eval("document.querySelector('section.ledger form').innerText.replace(/\\s+/g, ' ')").await
}

/// The cells of the first body of a table, row by row.
async fn rows(tab: &Tab, table: &str) -> Vec<Vec<String>> {
    tab.eval(&format!(
        "[...document.querySelector('{table} tbody').rows].map(row => [...row.cells].map(cell => cell.textContent))"
    ))
    .await
}

#[tokio::test]
async fn a_script_changes_no_number() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    let mut plain = browser.reader().await;
    plain.without_scripts().await;
    tab.goto(&server.url("/en/tools")).await;
    let tools: Vec<String> =
        tab.eval("[...document.querySelectorAll('main .tool-list.large a')].map(a => a.pathname)").await;
    let outputs =
        "[...document.querySelectorAll('section.ledger output, section.ledger td')].map(it => it.textContent)";
    let mut compared = 0;
    for (at, path) in tools.iter().enumerate() {
        let width = if at % 2 == 0 { 390 } else { 1280 };
        for tab in [&tab, &plain] {
            tab.size(width, 844).await;
            tab.goto(&server.url(path)).await;
            let wide: i64 = tab.eval("document.scrollingElement.scrollWidth - innerWidth").await;
            assert_eq!(wide, 0, "{path} at {width}");
        }
        // Pages with an island of their own have tests of their own.
        if tab.count("leptos-island[data-component^=ToolForm]").await == 0 {
            continue;
        }
        let field = "section.ledger input[type=number]";
        let (name, value): (String, u64) = tab
            .eval(&format!("(it => [it.name, it.value * 2 <= it.max ? it.value * 2 : it.value - 1])(document.querySelector('{field}'))"))
            .await;
        tab.fill(&format!("{field}[name={name}]"), &value.to_string()).await;
        tab.press("Tab").await;
        tab.wait("the address follows", &format!("location.search.includes('{name}={value}')")).await;
        let address: String = tab.eval("location.href").await;
        plain.goto(&address).await;
        let (with, without): (Vec<String>, Vec<String>) = (tab.eval(outputs).await, plain.eval(outputs).await);
        assert_eq!(with, without, "{address}");
        assert!(!with.is_empty(), "{address}");
        compared += 1;
    }
    assert!(compared >= 8, "{compared} of {tools:?}");
    plain.end().await;
    tab.end().await;
}

#[tokio::test]
async fn the_engine_and_the_flow_answer_as_the_crate_does() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.goto(&server.url("/en/tools/serving?seq=5000&kv=fp8")).await;
    let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
    let serving = Serving {
        weights: "bf16".parse().expect("a format"),
        cache: "fp8".parse().expect("a format"),
        block: 16,
        batch: 8,
        seq: 5000,
        prefill: inference::Prefill { attention: PromptAttention::Flash, ..inference::Prefill::CHUNKED },
        reserves: Reserves::TYPICAL,
    };
    let capacity = catalogue::card("h100-80gb").expect("in the catalogue").capacity_bytes;
    let engine = inference::engine_capacity(model, &serving, capacity, 900).expect("fits");
    let pool = rows(&tab, "section.ledger table").await;
    let shown = |name: &str| pool.iter().find(|row| row[0] == name).map(|row| row[1].clone()).unwrap_or_default();
    assert_eq!(shown("Blocks"), units::group(engine.blocks));
    assert_eq!(shown("Tokens in the cache"), units::group(engine.tokens));

    tab.size(390, 844).await;
    tab.goto(&server.url("/en/tools/decide?concurrency=2")).await;
    let task = decide::Serving {
        context: 8192,
        median_context: 2048,
        concurrency: 2,
        tolerance: Tolerance::Some,
        shared_prompt: 0.3,
        offline: false,
        fragmentation: None,
    };
    let offers = [Offer { card: catalogue::card("rtx4090").expect("in the catalogue"), count: 1 }];
    let decision = decide::serve(model, &task, &offers, &Assumptions::default()).expect("a decision");
    let taken: Vec<String> = rows(&tab, "section.ledger table").await.into_iter().map(|row| row[1].clone()).collect();
    let expected: Vec<String> = decision.steps.iter().map(|step| step.branch.name().en.into_owned()).collect();
    assert_eq!(taken, expected);
    let Some(Plan::Serve(plan)) = decision.plan else { panic!("a plan for one card") };
    assert!(answer(&tab).await.contains(&units::gib(plan.peak)));
    // Questions of the other task are put away, and come back with it.
    let visible = |name: &str| format!("!!document.querySelector('[name={name}]').getClientRects().length");
    assert!(tab.eval::<bool>(&visible("concurrency")).await && !tab.eval::<bool>(&visible("rank")).await);
    tab.choose("section.ledger select[name=task]", "train").await;
    tab.wait("the questions of training", &visible("rank")).await;
    assert!(!tab.eval::<bool>(&visible("concurrency")).await);
    tab.end().await;
}

#[tokio::test]
async fn one_change_is_held_against_what_is() {
    let server = Server::start();
    let browser = Browser::start().await;
    let mut tab = browser.tab().await;
    tab.goto(&server.url("/en/tools/inference?batch=32")).await;
    let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
    let with = |kv| {
        let workload =
            Inference { weights: Dtype::Bf16, kv, batch: 32, seq: 8192, reserve: Inference::DEFAULT_RESERVE };
        inference::ledger(model, &workload).expect("small enough")
    };
    let (before, after) = (with(Dtype::Bf16), with(Dtype::Fp8));
    tab.choose("section.ledger select[name=vs]", "kv").await;
    tab.wait_for("section.ledger select[name=to]").await;
    tab.choose("section.ledger select[name=to]", "fp8").await;
    tab.wait_text("section.ledger .side:last-child .total", &units::gib(after.total)).await;
    assert_eq!(tab.text("section.ledger .side:first-child .total").await, units::gib(before.total));
    let objects = rows(&tab, "section.ledger table.objects").await;
    let cache = objects.iter().find(|row| row[0] == "KV cache").expect("an object");
    let saved = units::human_binary(before.total - after.total);
    assert_eq!(cache[3], format!("−{saved} · −50.0%"));
    assert_eq!(objects.iter().filter(|row| row[3] == "0").count(), objects.len() - 1, "{objects:?}");
    // The link brings the comparison back, without a script too; the change can be kept.
    tab.wait("the address follows", "location.search.includes('vs=kv') && location.search.includes('to=fp8')").await;
    let address: String = tab.eval("location.href").await;
    tab.without_scripts().await;
    tab.goto(&address).await;
    assert_eq!(rows(&tab, "section.ledger table.objects").await, objects);
    tab.follow("section.ledger .compared a.button").await;
    assert_eq!(tab.text("section.ledger .total").await, units::gib(after.total));
    assert_eq!(tab.count("section.ledger .compared").await, 0);
    // Without a script the form asks in two turns.
    tab.choose("section.ledger select[name=vs]", "batch").await;
    tab.follow("section.ledger button[type=submit]").await;
    assert_eq!(tab.eval::<String>("document.querySelector('[name=to]').value").await, "64");
    tab.end().await;
}

#[tokio::test]
async fn the_step_is_drawn_and_held_at_its_peak() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    let address = "/en/tools/training?precision=amp_bf16&optimizer=adamw_fused&seq=2048&batch=4";
    tab.goto(&server.url(address)).await;
    let model = catalogue::model("Qwen2.5-0.5B").expect("in the catalogue");
    let workload = Training {
        precision: Precision::AmpBf16,
        optimizer: Optimizer::AdamWFused,
        batch: 4,
        seq: 2048,
        checkpointing: Checkpointing::None,
    };
    let curve = training::by_layer(model, &Run::from(workload)).expect("a curve");
    let peak = curve.iter().map(|stage| stage.bytes).max().expect("not empty");
    tab.wait_text("section.ledger .timeline text.mark", &units::gib(peak)).await;
    let together = ".timeline .legend li:last-child b";
    tab.wait_text(together, &units::gib(peak)).await;
    // From the keyboard to the first moment: the model is loaded, and nothing else.
    tab.focus("section.ledger .timeline input[type=range]").await;
    tab.press("Home").await;
    tab.wait_text(together, &units::gib(curve[0].bytes)).await;
    tab.press("ArrowRight").await;
    tab.wait_text(together, &units::gib(curve[1].bytes)).await;
    tab.end().await;
}

#[tokio::test]
async fn an_unknown_model_is_typed_in_and_taken_along() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    let unknown = r#"{"model_type": "novel", "num_hidden_layers": 12, "hidden_size": 1024, "num_attention_heads": 16,
        "num_key_value_heads": 4, "intermediate_size": 2816, "vocab_size": 50000, "max_position_embeddings": 4096}"#;
    tab.goto(&server.url("/en/tools/inference")).await;
    tab.click("details.config summary").await;
    tab.fill("textarea[name=config]", unknown).await;
    tab.wait_text("section.ledger .problem", "/model_type").await;
    tab.follow("details.config a[href*='hidden=1024']").await;
    assert!(tab.path().await.starts_with("/en/tools/model?"));
    let known = unknown.replace("novel", "llama");
    let model = ledger::import_config(&known).expect("the same shape in a known family");
    tab.wait_text("section.ledger .answer", &units::group(model.parameters().expect("a count"))).await;
    tab.follow("section.ledger .onward a").await;
    assert!(tab.path().await.starts_with("/en/tools/inference?config="));
    let workload =
        Inference { weights: Dtype::Bf16, kv: Dtype::Bf16, batch: 8, seq: 8192, reserve: Inference::DEFAULT_RESERVE };
    // Longer than the model's positions, which are rotary: the ledger computes, it does not refuse.
    let total = inference::ledger(&model, &workload).expect("small enough").total;
    tab.wait_text("section.ledger .total", &units::gib(total)).await;
    tab.end().await;
}

#[tokio::test]
async fn answers_are_taken_along_as_text() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.goto(&server.url("/zh/tools/inference?batch=3")).await;
    let text = |format: &str| {
        format!("fetch(document.querySelector('.copy-as a[href*=\"as={format}\"]').href).then(it => it.text())")
    };
    let json: String = tab.eval(&text("json")).await;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
    let workload =
        Inference { weights: Dtype::Bf16, kv: Dtype::Bf16, batch: 3, seq: 8192, reserve: Inference::DEFAULT_RESERVE };
    let ledger = inference::ledger(model, &workload).expect("small enough");
    assert_eq!(json["inputs"]["batch"], "3");
    for (entry, told) in ledger.entries.iter().zip(json["answer"]["entries"].as_array().expect("a list")) {
        assert_eq!((told["bytes"].as_u64(), told["formula"].as_str()), (Some(entry.bytes), Some(&*entry.formula)));
        let csv: String = tab.eval(&text("csv")).await;
        assert!(csv.contains(&entry.bytes.to_string()), "{csv}");
        let markdown: String = tab.eval(&text("md")).await;
        assert!(markdown.contains(&format!("| {} |", entry.formula)), "{markdown}");
    }
    tab.end().await;
}

#[tokio::test]
async fn lessons_hold_calculators_with_their_presets() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.goto(&server.url("/zh/task0")).await;
    assert!(tab.text(".story .ask").await.starts_with("7 / 13"));
    tab.focus(".steps .walk button").await;
    tab.press("ArrowRight").await;
    tab.wait_text(".story .ask", "8 / 13").await;
    assert_eq!(tab.path().await, "/zh/task0", "inside a lesson the address stays");
    tab.goto(&server.url("/zh/task5")).await;
    let factor = "document.querySelector('.quantisation input[type=number][name=factor]').value";
    assert_eq!(tab.eval::<String>(factor).await, "64");
    tab.goto(&server.url("/en/task2")).await;
    assert_eq!(tab.count("section.ledger").await, 2);
    let sheet = ledger::calculators::run("checkpointing", &Default::default()).expect("its defaults");
    let shown: Vec<Vec<String>> = rows(&tab, "section.ledger table").await;
    assert_eq!(shown[0][1], sheet.lines[0].quantity.to_string());
    tab.end().await;
}
