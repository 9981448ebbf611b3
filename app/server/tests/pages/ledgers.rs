//! The ledgers over REST.

use serde_json::{Value, json};

use crate::site::{Page, Site};

const JSON: (&str, &str) = ("content-type", "application/json");

fn value(page: &Page) -> Value {
    serde_json::from_str(&page.body).unwrap_or_else(|error| panic!("{error}: {}", page.body))
}

async fn get(site: &Site, path: &str) -> Page {
    site.browser().call("GET", path, &[], "").await
}

async fn post(site: &Site, path: &str, body: &Value) -> Page {
    site.browser().call("POST", path, &[JSON], &body.to_string()).await
}

#[tokio::test]
async fn a_query_and_a_json_object_ask_the_same() {
    let site = Site::open().await;
    let asked = get(&site, "/api/v1/ledger/inference?model=Llama-3-8B&batch=1&seq=8192&reserve_mib=0").await;
    let sent = json!({ "model": "Llama-3-8B", "batch": 1, "seq": "8192", "reserve_mib": 0 });
    let posted = post(&site, "/api/v1/ledger/inference", &sent).await;
    assert_eq!(value(&asked), value(&posted));
    let answer = value(&asked);
    assert_eq!(answer["model"]["parameters"], 8_030_261_248_u64);
    // 2 × 32 layers × 8 heads × 128 × 2 bytes × 8,192 tokens.
    let kv = answer["entries"].as_array().and_then(|all| all.iter().find(|entry| entry["part"] == "kv"));
    assert_eq!(kv.map(|entry| &entry["bytes"]), Some(&json!(1_073_741_824)));
    assert_eq!(answer["total_bytes"], 16_060_522_496_u64 + 1_073_741_824);
}

#[tokio::test]
async fn a_config_is_sent_as_an_object_or_as_text() {
    let site = Site::open().await;
    let config = json!({
        "model_type": "llama", "vocab_size": 1000, "hidden_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 128, "max_position_embeddings": 512
    });
    let object = post(&site, "/api/v1/ledger/training", &json!({ "config": config })).await;
    let text = post(&site, "/api/v1/ledger/training", &json!({ "config": config.to_string() })).await;
    assert_eq!(value(&object), value(&text));
    // Embedding and head 2 × 1000 × 64, per layer 4 × 64² + 3 × 64 × 128 + 2 × 64, one last norm.
    assert_eq!(value(&object)["model"]["parameters"], 128_000 + 2 * (16_384 + 24_576 + 128) + 64);
}

#[tokio::test]
async fn mistakes_name_their_place() {
    let site = Site::open().await;
    for (path, body, pointer) in [
        ("inference", json!({ "batch": 0 }), "/batch"),
        ("inference", json!({ "batch": [1] }), "/batch"),
        ("inference", json!({ "card/slot": 1 }), "/card~1slot"),
        ("inference", json!({ "model": "GPT-9" }), "/config"),
        ("training", json!({ "config": {} }), "/config"),
        ("training", json!({ "optimizer": "adam" }), "/optimizer"),
        ("calculators/dp_sgd", json!({ "samples": -1 }), "/samples"),
        ("calculators/dp_sgd", json!({ "what": 1 }), "/what"),
        ("calculators/nothing", json!({}), "/calculator"),
    ] {
        let page = post(&site, &format!("/api/v1/ledger/{path}"), &body).await;
        assert_eq!(page.status.as_u16(), 422, "{path} {body}: {}", page.body);
        assert_eq!(page.header("content-type"), "application/problem+json");
        assert_eq!(value(&page)["pointer"], pointer, "{path} {body}");
    }
}

#[tokio::test]
async fn calculators_say_what_they_ask_and_what_they_assume() {
    let site = Site::open().await;
    let all = value(&get(&site, "/api/v1/ledger/calculators").await);
    let all = all.as_array().expect("a list");
    assert!(all.len() > 5);
    for calculator in all {
        let id = calculator["id"].as_str().expect("an id");
        let sheet = value(&get(&site, &format!("/api/v1/ledger/calculators/{id}")).await);
        assert!(sheet["lines"].as_array().is_some_and(|lines| !lines.is_empty()), "{id}: {sheet}");
        assert!(sheet["assumptions"].as_array().is_some_and(|all| !all.is_empty()), "{id}");
    }
}

#[tokio::test]
async fn a_snapshot_is_replayed_and_a_class_in_it_is_refused() {
    let site = Site::open().await;
    // {"segments": [], "device_traces": []} in protocol 2.
    let empty = b"\x80\x02}(X\x08\x00\x00\x00segments]X\x0d\x00\x00\x00device_traces]u.";
    let page = site.post_bytes("/api/v1/ledger/allocator/replays", empty).await;
    assert_eq!((page.status.as_u16(), &value(&page)["mismatches"]), (200, &json!(0)), "{}", page.body);
    let class = b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.";
    let page = site.post_bytes("/api/v1/ledger/allocator/replays", class).await;
    assert_eq!(page.status.as_u16(), 422, "{}", page.body);
}

/// Names that a schema allows at the top of an object, and those that it requires; `None` where it is no plain object.
fn names(document: &Value, schema: &Value) -> Option<(Vec<String>, Vec<String>)> {
    if let Some(reference) = schema["$ref"].as_str() {
        return names(document, document.pointer(reference.strip_prefix('#')?)?);
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let parts: Vec<_> = parts.iter().map(|part| names(document, part)).collect::<Option<_>>()?;
        let (known, required): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        return Some((known.concat(), required.concat()));
    }
    let known = schema["properties"].as_object()?.keys().cloned().collect();
    let required = schema["required"].as_array().into_iter().flatten();
    Some((known, required.filter_map(|name| Some(name.as_str()?.to_owned())).collect()))
}

#[tokio::test]
async fn the_document_describes_what_is_answered() {
    let site = Site::open().await;
    let document = value(&get(&site, "/api/v1/openapi.json").await);
    assert!(document["openapi"].as_str().is_some_and(|version| version.starts_with("3.")), "{document}");
    // Every reference leads somewhere.
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().expect("an end");
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
    let mut compared = 0;
    for (path, item) in document["paths"].as_object().expect("paths") {
        let Some(asked) = item.get("get").filter(|_| path.starts_with("/api/v1/ledger")) else { continue };
        let page = get(&site, path).await;
        assert_eq!(page.status.as_u16(), 200, "{path}: {}", page.body);
        let mut answer = value(&page);
        let mut schema = &asked["responses"]["200"]["content"]["application/json"]["schema"];
        if let Some(first) = answer.get(0) {
            answer = first.clone();
            schema = &schema["items"];
        }
        let Some((known, required)) = names(&document, schema) else { continue };
        let found: Vec<&String> = answer.as_object().expect("an object").keys().collect();
        for name in &found {
            assert!(known.contains(name), "{path}: {name} is not described: {known:?}");
        }
        for name in required {
            assert!(found.contains(&&name), "{path}: {name} is required and absent");
        }
        compared += 1;
    }
    assert!(compared > 15, "{compared}");
}

#[tokio::test]
async fn every_ledger_answers() {
    let site = Site::open().await;
    let serving = value(&get(&site, "/api/v1/ledger/serving?model=Llama-3-8B&kv=fp8&utilisation=90").await);
    assert!(serving["max_concurrency"].as_f64().is_some_and(|many| many > 1.0), "{serving}");
    let qlora = value(&get(&site, "/api/v1/ledger/training?model=Llama-2-7B&precision=pure_bf16&method=qlora").await);
    assert!(qlora["peak"]["bytes"].as_u64().is_some_and(|bytes| bytes < 12_000_000_000), "{qlora}");
    let path =
        "/api/v1/ledger/parallel?model=Llama-3-70B&data=1&tensor=1&pipeline=1&micro_batches=1&zero=0&sequence=off";
    let parallel = value(&get(&site, path).await);
    assert_eq!((&parallel["cards"], parallel["ranks"].as_array().map(Vec::len)), (&json!(1), Some(1)));
    assert!(parallel["traffic"].as_array().is_some_and(Vec::is_empty), "one card sends nothing");
    let undivided = get(&site, "/api/v1/ledger/parallel?model=Llama-3-70B&tensor=7").await;
    assert_eq!(undivided.status.as_u16(), 422, "{}", undivided.body);
    let plans = post(&site, "/api/v1/ledger/plans", &json!({ "goal": "train", "cards": "h100-80gb:8" })).await;
    let plans = value(&plans);
    assert_eq!(plans["goal"], "train");
    assert!(plans["best"][0]["peak"].as_u64() > Some(0) && plans["why"]["reason"]["zh"].is_string(), "{plans}");
    let fewest = value(&get(&site, "/api/v1/ledger/fewest?model=Llama-3-8B&goal=serve&cards=rtx4090:8").await);
    let model = ledger::catalogue::model("Llama-3-8B").expect("in the catalogue");
    let card = ledger::catalogue::card("rtx4090").expect("in the catalogue");
    let bf16 = vec![ledger::Dtype::Bf16];
    let goal = ledger::planner::ServeGoal { context: 8192, concurrency: 32, weights: bf16.clone(), kv: bf16 };
    let found = ledger::planner::fewest_to_serve(model, &goal, card, 8, &Default::default()).expect("a search");
    assert_eq!(fewest["cards"], json!(found.map(|(count, _)| count)), "{fewest}");
    let many = get(&site, "/api/v1/ledger/fewest?cards=rtx4090:4096").await;
    assert_eq!((many.status.as_u16(), &value(&many)["pointer"]), (422, &json!("/cards")));
    let none = value(&post(&site, "/api/v1/ledger/plans", &json!({ "model": "DeepSeek-V3", "cards": "t4:1" })).await);
    assert_eq!((&none["fitting"], none["best"].as_array().map(Vec::len)), (&json!(0), Some(0)), "{none}");
}
