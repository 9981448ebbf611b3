//! The calculators: every number on the page is the one that the crate `ledger` gives.

use e2e::{Browser, Folder, Server, Tab};
use ledger::inference::{self, Inference};
use ledger::training::{self, Checkpointing, Optimizer, Precision, Training};
use ledger::{Dtype, Model, catalogue, units};

/// A model of nobody: small, grouped-query, with an odd vocabulary.
const CONFIG: &str = r#"{
  "architectures": ["LlamaForCausalLM"], "model_type": "llama",
  "vocab_size": 31999, "hidden_size": 1536, "intermediate_size": 4224, "num_hidden_layers": 11,
  "num_attention_heads": 12, "num_key_value_heads": 3, "max_position_embeddings": 4096,
  "rms_norm_eps": 1e-5, "hidden_act": "silu", "tie_word_embeddings": false, "torch_dtype": "bfloat16"
}"#;

fn named(name: &str) -> Model {
    catalogue::model(name).cloned().unwrap_or_else(|| panic!("{name} is not in the catalogue"))
}

async fn value(tab: &Tab, field: &str) -> u64 {
    let text: String =
        tab.eval(&format!("document.querySelector('section.ledger input[type=number][name={field}]').value")).await;
    text.parse().unwrap_or_else(|_| panic!("{field} is {text:?}"))
}

/// Waits until the page shows exactly what the ledger gives.
async fn shows_inference(tab: &Tab, model: &Model, workload: &Inference, card: &str) {
    let predicted = inference::ledger(model, workload).expect("a workload of the page");
    let capacity = catalogue::card(card).expect("a card of the catalogue").capacity_bytes;
    let fit = inference::fit(model, workload, capacity).expect("a workload of the page");
    tab.wait_text("section.ledger .total", &units::gib(predicted.total)).await;
    let limit = |value: Option<u64>| value.map_or_else(|| "—".to_owned(), units::group);
    assert_eq!(tab.text("section.ledger .total").await, units::gib(predicted.total));
    assert_eq!(tab.text("section.ledger .longest").await, limit(fit.longest_context));
    assert_eq!(tab.text("section.ledger .largest").await, limit(fit.largest_batch));
    assert_eq!(tab.count("section.ledger .answer .badge.ok").await, usize::from(fit.fits));
    let formulas: Vec<String> =
        tab.eval("[...document.querySelectorAll('section.ledger tbody .formula')].map(cell => cell.textContent)").await;
    let expected: Vec<String> = predicted.entries.iter().map(|entry| entry.formula.clone()).collect();
    assert_eq!(formulas, expected);
}

#[tokio::test]
async fn the_slider_of_a_lesson_gives_the_numbers_of_the_ledger() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.goto(&server.url("/zh/task4/kv-cache")).await;
    let model = named("Llama-3-8B");
    let mut workload =
        Inference { weights: Dtype::Bf16, kv: Dtype::Bf16, batch: 40, seq: 8192, reserve: 2304 * units::MIB };
    shows_inference(&tab, &model, &workload, "h100-80gb").await;
    let batch = "section.ledger label.number:has(input[name=batch]) input[type=range]";
    for key in ["ArrowRight", "ArrowRight", "ArrowRight", "Home", "End", "ArrowLeft"] {
        tab.focus(batch).await;
        tab.press(key).await;
        let before = workload.batch.to_string();
        tab.wait(
            "the slider moves",
            &format!("document.querySelector('section.ledger input[name=batch]').value !== '{before}'"),
        )
        .await;
        workload.batch = value(&tab, "batch").await;
        shows_inference(&tab, &model, &workload, "h100-80gb").await;
    }
    assert_eq!(tab.path().await, "/zh/task4/kv-cache", "inside a lesson the address stays");
    tab.end().await;
}

#[tokio::test]
async fn typed_numbers_and_choices_give_the_numbers_of_the_ledger() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.goto(&server.url("/en/tools/inference")).await;
    let mut workload =
        Inference { weights: Dtype::Bf16, kv: Dtype::Bf16, batch: 8, seq: 8192, reserve: Inference::DEFAULT_RESERVE };
    tab.fill("section.ledger input[name=seq]", "100003").await;
    tab.press("Tab").await;
    workload.seq = 100_003;
    shows_inference(&tab, &named("Llama-3-8B"), &workload, "h100-80gb").await;
    for (field, choice) in [("model", "Qwen2.5-7B"), ("weights", "int4"), ("kv", "fp8"), ("card", "rtx5070ti-laptop")] {
        tab.choose(&format!("section.ledger select[name={field}]"), choice).await;
    }
    workload.weights = Dtype::Int4;
    workload.kv = Dtype::Fp8;
    shows_inference(&tab, &named("Qwen2.5-7B"), &workload, "rtx5070ti-laptop").await;
    // What is no number leaves the last one in force.
    tab.fill("section.ledger input[name=seq]", "-5").await;
    tab.press("Tab").await;
    shows_inference(&tab, &named("Qwen2.5-7B"), &workload, "rtx5070ti-laptop").await;
    tab.end().await;
}

#[tokio::test]
async fn a_pasted_or_chosen_config_is_the_model() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    let folder = Folder::new("config");
    let model = ledger::import_config(CONFIG).expect("a configuration of a known family");
    let workload =
        Inference { weights: Dtype::Bf16, kv: Dtype::Bf16, batch: 8, seq: 8192, reserve: Inference::DEFAULT_RESERVE };
    tab.goto(&server.url("/zh/tools/inference")).await;
    tab.click("details.config summary").await;
    tab.fill("textarea[name=config]", CONFIG).await;
    shows_inference(&tab, &model, &workload, "h100-80gb").await;
    // Emptied, the named model is back.
    tab.fill("textarea[name=config]", " ").await;
    shows_inference(&tab, &named("Llama-3-8B"), &workload, "h100-80gb").await;
    tab.upload("details.config input[type=file]", &folder.write("config.json", CONFIG)).await;
    shows_inference(&tab, &model, &workload, "h100-80gb").await;
    tab.fill("textarea[name=config]", " ").await;
    tab.drop_text("textarea[name=config]", "config.json", CONFIG).await;
    shows_inference(&tab, &model, &workload, "h100-80gb").await;
    // What is wrong is named by its place.
    tab.fill("textarea[name=config]", &CONFIG.replace("1536", "\"wide\"")).await;
    tab.wait_text("section.ledger .problem", "/hidden_size").await;
    tab.end().await;
}

#[tokio::test]
async fn a_shared_link_opens_the_same_state() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.goto(&server.url("/en/tools/inference")).await;
    tab.click("details.config summary").await;
    tab.fill("textarea[name=config]", CONFIG).await;
    tab.fill("section.ledger input[name=batch]", "23").await;
    tab.press("Tab").await;
    tab.choose("section.ledger select[name=kv]", "int8").await;
    tab.wait("the address follows", "location.search.includes('batch=23') && location.search.includes('kv=int8')")
        .await;
    let (link, address): (String, String) = tab.eval("[document.querySelector('a.share').href, location.href]").await;
    assert_eq!(link, address);
    let other = browser.reader().await;
    other.goto(&link).await;
    let model = ledger::import_config(CONFIG).expect("a configuration of a known family");
    let workload =
        Inference { weights: Dtype::Bf16, kv: Dtype::Int8, batch: 23, seq: 8192, reserve: Inference::DEFAULT_RESERVE };
    shows_inference(&other, &model, &workload, "h100-80gb").await;
    other.end().await;
    tab.end().await;
}

#[tokio::test]
async fn the_training_ledger_shows_peak_and_floor() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.goto(&server.url("/zh/tools/training")).await;
    let model = named("Qwen2.5-0.5B");
    let mut workload = Training {
        precision: Precision::Fp32,
        optimizer: Optimizer::AdamWForeach,
        batch: 1,
        seq: 768,
        checkpointing: Checkpointing::None,
    };
    shows_training(&tab, &model, &workload).await;
    tab.choose("section.ledger select[name=checkpointing]", Checkpointing::EveryLayer.id()).await;
    workload.checkpointing = Checkpointing::EveryLayer;
    shows_training(&tab, &model, &workload).await;
    let batch = "section.ledger label.number:has(input[name=batch]) input[type=range]";
    tab.focus(batch).await;
    tab.press("ArrowRight").await;
    tab.press("End").await;
    tab.wait("the slider is at its end", "document.querySelector('section.ledger input[name=batch]').value === '512'")
        .await;
    workload.batch = 512;
    shows_training(&tab, &model, &workload).await;
    tab.choose("section.ledger select[name=optimizer]", Optimizer::AdamWFused.id()).await;
    tab.choose("section.ledger select[name=precision]", Precision::AmpBf16.id()).await;
    workload.optimizer = Optimizer::AdamWFused;
    workload.precision = Precision::AmpBf16;
    shows_training(&tab, &model, &workload).await;
    tab.end().await;
}

async fn shows_training(tab: &Tab, model: &Model, workload: &Training) {
    let predicted = training::ledger(model, workload).expect("a workload of the page");
    let mut expected = vec![units::gib(predicted.peak.bytes), units::mib(predicted.floor)];
    expected.extend(predicted.phases.iter().map(|phase| units::gib(phase.bytes)));
    let shown = "['.total', '.floor', '.phase .n'].flatMap(part => [...document.querySelectorAll('section.ledger ' + part)]).map(element => element.textContent.trim())";
    let wanted = serde_json::to_string(&expected).expect("strings");
    tab.wait("the page shows what the ledger gives", &format!("JSON.stringify({shown}) === JSON.stringify({wanted})"))
        .await;
}
